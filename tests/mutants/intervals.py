"""Changes to how often an interval holds."""

from tests.mutants.mutant import Mutant

NEIGHBOURS = "dpq_core/intervals/neighbours.py"
ASKED = "tests/intervals/test_neighbours.py"
OF_SHARES = "tests/intervals/test_intervals_of_shares.py::"
CHECKS = "tests/intervals/test_errors.py::"
FOUND = "tests/finding/test_intervals_between_found_bounds.py::"

INTERVALS = (
    Mutant(
        "intervals: a line of lower ends goes through an answer that may lie beyond all records",
        NEIGHBOURS,
        "if level + by < 1",
        "if level + by < 2",
        ASKED,
    ),
    Mutant(
        "intervals: a line of upper ends goes through an answer that may lie below all records",
        NEIGHBOURS,
        "if level - by > 0",
        "if level - by > -1",
        ASKED,
    ),
    Mutant(
        "intervals: an upper end is rounded inwards",
        "dpq_core/intervals/ends.py",
        "highs = domain.ends(domain.encode(intervals[..., 1]))",
        "highs = intervals[..., 1]",
        ASKED,
    ),
    Mutant(
        "intervals of shares: what rounding adds is counted for the answers alone, not for the levels at the ends",
        "dpq_core/groups/calibration.py",
        "return len(plan.quantiles) * (1 if plan.intervals is None else 3)",
        "return len(plan.quantiles)",
        "tests/audit/test_groups_claims.py::test_what_rounding_adds_is_counted_for_every_level_at_an_end",
    ),
    Mutant(
        "intervals of shares: empty range begins a whole person beside the quantile",
        "dpq_core/intervals/errors.py",
        "level.denominator + side, 0)",
        "level.denominator + side * unit, 0)",
        f"{OF_SHARES}test_shapes_of_shares_are_those_of_records_in_fractions_of_a_person",
    ),
    Mutant(
        "intervals of shares: limits of sums of counts are of persons where the sums are in units",
        "dpq_core/mechanisms/counts/intervals.py",
        "noise = noise if unit == 1 else noise.times(Fraction(unit))",
        "noise = noise.times(Fraction(1))",
        f"{OF_SHARES}test_leaves_of_counts_in_units_are_those_of_counts_in_persons",
    ),
    Mutant(
        "intervals of shares: as many units as there are were sampled, not as many persons",
        "dpq_core/mechanisms/counts/intervals.py",
        "sampled = unit * np.maximum(below[:, -1:], 1)",
        "sampled = np.maximum(below[:, -1:], 1)",
        f"{OF_SHARES}test_leaves_of_counts_in_units_are_those_of_counts_in_persons",
    ),
    Mutant(
        "intervals: distances that no check has passed are returned",
        "dpq_core/intervals/distances.py",
        "return self._checked(np.clip(longest, 1.0, self.n + 1.0), alike)",
        "return np.clip(longest, 1.0, self.n + 1.0)",
        "tests/intervals/test_distances.py::test_guesses_that_are_too_short_grow_until_a_check_passes",
    ),
    Mutant(
        "intervals: a check passes shapes that it has not drawn from",
        "dpq_core/intervals/errors.py",
        "    holds[numbers] = False\n",
        "    holds[before] = False\n",
        f"{CHECKS}test_a_check_that_begins_elsewhere_refuses_and_passes_the_same",
    ),
    Mutant(
        "intervals: a check after one that failed is of the shapes that failed, not of all",
        "dpq_core/intervals/errors.py",
        "hardest = [shape for shape in numbers if shape < kind and shape not in before]",
        "hardest = [shape for shape in numbers if shape < kind and not before]",
        f"{CHECKS}test_a_check_draws_first_from_the_shapes_that_failed_before_and_then_from_all_others",
    ),
    Mutant(
        "intervals: a check passes as many failures more as it has to have less",
        "dpq_core/intervals/errors.py",
        "self.failed <= expected - errors * np.sqrt(",
        "self.failed <= expected + errors * np.sqrt(",
        f"{CHECKS}test_a_check_refuses_what_holds_a_little_less_often_than_asked_and_passes_what_never_fails",
    ),
    Mutant(
        "intervals between found bounds: ends are laid for one of the domains that can be found",
        "dpq_core/domain/finding.py",
        "most = 10 ** (STEPS + 1) + 2 if self.step is None else self.widest.cells",
        "most = self.between(self.zero, self.zero + 1).cells",
        f"{FOUND}test_no_domain_that_can_be_found_has_more_values_than_that_which_ends_are_laid_for",
    ),
    Mutant(
        "intervals between found bounds: the levels at their ends come on top of the budget",
        "dpq_core/finding/steps.py",
        "second = _second(raw, replace(divided.plan, intervals=plan.intervals, about_n=plan.about_n))",
        "second = _second(raw, replace(plan, intervals=plan.intervals, about_n=plan.about_n))",
        f"{FOUND}test_a_release_with_intervals_holds_its_budget_whatever_is_found",
    ),
    Mutant(
        "intervals between found bounds: ends are laid for the records of the column",
        "dpq_core/finding/steps.py",
        "intervals=plan.intervals, about_n=plan.about_n))",
        "intervals=plan.intervals, about_n=raw.counted.n))",
        f"{FOUND}test_no_record_decides_which_levels_are_drawn",
    ),
)
