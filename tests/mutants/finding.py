"""Changes to how bounds are found from a share of the budget, and to what both steps cost together."""

from tests.mutants.mutant import Mutant

OF_TABLES = "tests/audit/test_tables_claims.py::"

WALK, BUDGET, STEPS, COUNTING = (f"dpq_core/finding/{name}.py" for name in ("walk", "budget", "steps", "counting"))
NUMBER = "dpq_core/intervals/counted.py"
CLAIMS = "tests/audit/test_finding_claims.py"
SPENT = "tests/finding/test_finding.py"
COUNTS, COUNTED = "tests/audit/test_counting_claims.py", "tests/finding/test_counting.py"

FINDING = (
    Mutant(
        "a replaced record that both walks see costs as one that one sees",
        WALK,
        "epsilon * Fraction(3, 4) if both else epsilon",
        "epsilon",
        f"{CLAIMS} -k walks_alone",
    ),
    Mutant(
        "the threshold of a walk has no noise",
        WALK,
        "noise - beyond[:-1] >= threshold",
        "noise - beyond[:-1] >= 0 * threshold",
        f"{CLAIMS} -k law_of_a_walk",
    ),
    Mutant(
        "the noise of a walk is too small",
        WALK,
        "Size(3 * self.unit / self.rate)",
        "Size(2 * self.unit / self.rate)",
        f"{CLAIMS} -k walks_alone",
    ),
    Mutant(
        "the upper walk counts from one candidate lower, where the lower one counts too",
        WALK,
        "int(coarse.records.size) - below[zero + 1 :]",
        "int(coarse.records.size) - below[zero - 1 :]",
        f"{CLAIMS} -k law_of_both_walks",
    ),
    Mutant(
        "the lower walk counts records at 0 that the upper one may not have passed",
        WALK,
        "return below[zero::-1], ",
        "return below[zero + 1 :: -1], ",
        f"{CLAIMS} -k law_of_both_walks",
    ),
    Mutant(
        "the quantiles get the whole budget",
        "dpq_core/privacy/composition.py",
        "Fraction(budget) * (1 - share)",
        "Fraction(budget)",
        f"{SPENT} -k spends",
    ),
    Mutant(
        "the guarantee of both steps is that of the second",
        "dpq_core/privacy/composition.py",
        "round_up(Fraction(rest.epsilon) + counted)",
        "round_up(Fraction(rest.epsilon))",
        f"{SPENT} -k spends",
    ),
    Mutant(
        "a refusal after the bounds were found costs nothing for them",
        "dpq_core/finding/counting.py",
        "charged = loss_with_first(finding, refused.charged)",
        "charged = refused.charged",
        f"{SPENT} -k ledger",
    ),
    Mutant(
        "a person with several rows costs the walks as one record",
        "dpq_core/finding/column.py",
        "return self.coarse.most_rows or 1",
        "return 1",
        f"{CLAIMS} -k several_rows",
    ),
    Mutant(
        "the noise of a walk over shares is that of a unit",
        WALK,
        "Size(Fraction(3, 2) * self.unit / self.rate), Size(3 * self.unit / self.rate)",
        "Size(Fraction(3, 2) / self.rate), Size(3 / self.rate)",
        f"{CLAIMS} -k over_shares",
    ),
    Mutant(
        "a walk over shares is calibrated for records",
        STEPS,
        "plan.adjacency, raw.counted.unit)",
        "plan.adjacency)",
        "tests/tables/test_tables.py -k found_by_shares",
    ),
    Mutant(
        "a person in several groups costs the walks as one record",
        "dpq_core/groups/table.py",
        '1 if self.groups_per_person == "any" else self.groups_per_person)',
        "1)",
        f"{OF_TABLES}test_finding_bounds_by_all_groups_uses_its_part_of_the_budget_up",
    ),
    Mutant(
        "several rows in a group cost the walks as one",
        "dpq_core/finding/column.py",
        "return self.coarse.records_each",
        "return self.coarse.most_groups",
        f"{OF_TABLES}test_finding_bounds_by_all_groups_uses_its_part_of_the_budget_up",
    ),
    Mutant(
        "names of a table cost the answers nothing",
        "dpq_core/columns/release.py",
        "_calibrated(samples, plan.with_budget(rest), named_before=True)",
        "_calibrated(samples, plan, named_before=True)",
        f"{OF_TABLES}test_names_that_are_found_once_and_all_answers_hold_the_budget",
    ),
    Mutant(
        "each column finds names of its own after those of the table",
        "dpq_core/columns/release.py",
        "named = None if groups is None else find_names(groups, calibrated.naming)",
        "named = None",
        f"{OF_TABLES}test_every_column_names_the_same_groups",
    ),
    Mutant(
        "who is named hangs on whose values are missing",
        "dpq_core/tables/table.py",
        "replace(found, by=by, persons=found.persons if persons is None else persons)",
        "replace(found, by=by)",
        "tests/tables/test_tables.py::test_groups_are_found_once_for_all_columns",
    ),
    Mutant(
        "the noise of a count is too small",
        NUMBER,
        "Size(self.unit / self.rate)",
        "Size(self.unit / (2 * self.rate))",
        f"{COUNTS} -k number_alone",
    ),
    Mutant(
        "a person with several rows costs a count as one record",
        COUNTING,
        "NoisyCount.of(divided.finding / (sample.most_rows or 1), intervals, sample.unit)",
        "NoisyCount.of(divided.finding, intervals, sample.unit)",
        f"{COUNTS} -k several_rows",
    ),
    Mutant(
        "a count's own error is not taken from the chance to fail",
        NUMBER,
        "1 - (1 - intervals.chance) * float(1 - OF_FAILURES)",
        "intervals.chance",
        f"{COUNTED} -k hold_as_often",
    ),
    Mutant(
        "a noisy count and what rests on it state no delta",
        "dpq_core/privacy/budgets.py",
        "delta = privacy.delta if isinstance(privacy, ApproxDP) else 0.0",
        "delta = 0.0",
        f"{COUNTED} -k state_the_delta",
    ),
    Mutant(
        "a count that was refused afterwards costs nothing",
        "dpq_core/finding/counting.py",
        "charged=loss_with_first(finding, 0.0)",
        "charged=0.0",
        f"{COUNTED} -k ledger",
    ),
)
