"""Changes to the ledger's sums: what a budget allows, what is left of it, and what a history says."""

from tests.mutants.mutant import Mutant

LEDGER = "dpq_core/ledger/"
CHARGING = "tests/ledger/test_charging.py::"
FILTERS = "tests/ledger/test_filters.py::"
CONTINUITY = "tests/ledger/test_continuity.py"
STATEMENT = "tests/ledger/test_statement.py::"

SUMS = (
    Mutant(
        "sums are compared before the release is added",
        f"{LEDGER}filters.py",
        "if limits.allow(spent + cost):",
        "if limits.allow(spent):",
        f"{FILTERS}test_equal_parts_fill_a_budget_exactly",
    ),
    Mutant(
        "a budget cannot be used up",
        f"{LEDGER}filters.py",
        "total.epsilon <= self.epsilon",
        "total.epsilon < self.epsilon",
        f"{FILTERS}test_equal_parts_fill_a_budget_exactly",
    ),
    Mutant(
        "nobody compares the sum of delta",
        f"{LEDGER}filters.py",
        "return total.delta <= self.delta and (plain or concentrated)",
        "return plain or concentrated",
        f"{FILTERS}test_no_adaptive_choice_exceeds_the_budget",
    ),
    Mutant(
        "either of three sums may allow a release",
        f"{LEDGER}filters.py",
        "(plain or concentrated)",
        "(plain or concentrated or total.delta < self.delta)",
        f"{FILTERS}test_no_adaptive_choice_exceeds_the_budget",
    ),
    Mutant(
        "a pure release counts epsilon squared over 8 as rho",
        f"{LEDGER}filters.py",
        "implied = _EXACT.divide(squared, Decimal(2))",
        "implied = _EXACT.divide(squared, Decimal(8))",
        f"{FILTERS}test_budgets_of_one_kind_take_what_they_can_count",
    ),
    Mutant(
        "a release counted by rho alone leaves the plain sum open",
        f"{LEDGER}filters.py",
        "ReleaseCost(INFINITE, NOTHING, stated)",
        "ReleaseCost(NOTHING, NOTHING, stated)",
        f"{FILTERS}test_a_release_counted_by_rho_alone_closes_the_plain_sum",
    ),
    Mutant(
        "a release that states no rho costs none",
        f"{LEDGER}filters.py",
        "stated = INFINITE if guarantee.rho is None else exact(guarantee.rho)",
        "stated = NOTHING if guarantee.rho is None else exact(guarantee.rho)",
        f"{FILTERS}test_budgets_of_one_kind_take_what_they_can_count",
    ),
    Mutant(
        "half of delta is spent twice",
        f"{LEDGER}filters.py",
        "exact(largest_rho(epsilon, delta / 2))",
        "exact(largest_rho(epsilon, delta))",
        f"{FILTERS}test_every_split_of_delta_stays_within_the_budget",
    ),
    Mutant(
        "a delta that is all for rho is spent beside epsilon, too",
        f"{LEDGER}filters.py",
        "Limits(most, NOTHING, exact(largest_rho(epsilon, delta))),",
        "Limits(most, exact(delta), exact(largest_rho(epsilon, delta))),",
        f"{FILTERS}test_every_split_of_delta_stays_within_the_budget",
    ),
    Mutant(
        "sums are rounded to 28 digits",
        f"{LEDGER}filters.py",
        "Context(prec=3000, traps=[Inexact, InvalidOperation])",
        "Context(prec=28)",
        f"{FILTERS}test_the_smallest_excess_is_refused",
    ),
    Mutant(
        "a float counts as the fraction that it stores",
        f"{LEDGER}filters.py",
        "return Decimal(repr(float(value)))",
        "return Decimal(float(value))",
        f"{FILTERS}test_equal_parts_fill_a_budget_exactly",
    ),
    Mutant(
        "deltas of equal releases count once",
        f"{LEDGER}filters.py",
        "for part in (self.epsilon, self.delta, self.rho)",
        "for part in (self.epsilon, self.delta / max(count, 1), self.rho)",
        f"{FILTERS}test_no_adaptive_choice_exceeds_the_budget",
    ),
    Mutant(
        "what is left is rounded up",
        f"{LEDGER}filters.py",
        "return max(float(_DOWN.plus(value)), 0.0)",
        "return max(float(_UP.plus(value)), 0.0)",
        f"{FILTERS}test_what_is_left_is_shown_rounded_down_and_what_is_spent_rounded_up",
    ),
    Mutant(
        "what is spent is rounded down",
        f"{LEDGER}filters.py",
        "return float(_UP.plus(value))",
        "return float(_DOWN.plus(value))",
        f"{FILTERS}test_what_is_left_is_shown_rounded_down_and_what_is_spent_rounded_up",
    ),
    Mutant(
        "what is shown as left is rounded up",
        f"{LEDGER}history/entries.py",
        "max(scale.down(difference(left,",
        "max(scale.up(difference(left,",
        f"{STATEMENT}test_what_is_left_is_granted",
    ),
    Mutant(
        "twice the epsilon that the rest of rho allows is shown as left",
        f"{LEDGER}filters.py",
        "_DOWN.sqrt(_DOWN.multiply(Decimal(2), self.rho))",
        "_DOWN.sqrt(_DOWN.multiply(Decimal(8), self.rho))",
        f"{STATEMENT}test_what_is_left_is_granted",
    ),
    Mutant(
        "the guarantee so far spends the delta of both sums",
        f"{LEDGER}history/entries.py",
        "rho_to_epsilon(rounded_up(self.total.rho), float(reserved))",
        "rho_to_epsilon(rounded_up(self.total.rho), self.account.budget.delta)",
        "tests/ledger/test_history.py::test_the_smaller_sum_is_what_all_answers_keep",
    ),
    Mutant(
        "a history names groups that a release found",
        f"{LEDGER}history/entries.py",
        "names=() if found else answered.get(column, ())",
        "names=answered.get(column, ())",
        "tests/ledger/test_groups.py::test_found_groups_come_back_as_they_were",
    ),
    Mutant(
        "a history lists the releases of all accounts",
        f"{LEDGER}history/entries.py",
        ".where(releases.c.account == account.number)",
        "",
        f"{CHARGING}test_an_account_counts_and_lists_its_own_charges",
    ),
    Mutant(
        "the time of an answer is that of another account's",
        f"{LEDGER}history/answers.py",
        "releases.c.account == account.number, ",
        "",
        "tests/ledger/test_kept.py::test_the_time_of_an_answer_is_that_of_its_own_account",
    ),
    Mutant(
        "a backup goes into a ledger that has accounts",
        f"{LEDGER}upkeep.py",
        "if connection.execute(select(accounts.c.number)).first() is not None:",
        "if False:",
        "tests/ledger/test_restore.py::test_a_backup_goes_back_with_every_account_and_answer[sqlite]",
    ),
    Mutant(
        "heads that were kept elsewhere say nothing",
        f"{LEDGER}upkeep.py",
        "return ledger.read(lambda connection: lost(connection, known))\n\n\ndef _id_of",
        "return 0\n\n\ndef _id_of",
        "tests/ledger/test_restore.py::test_heads_that_were_kept_elsewhere_tell_what_is_missing",
    ),
)
