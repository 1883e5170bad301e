"""Changes to what groups cost together, and to who is kept and named."""

from tests.mutants.mutant import Mutant

COMPOSITION, FINDING = "dpq_core/privacy/composition.py", "dpq_core/groups/finding.py"
CLAIMS, TABLES = "tests/audit/test_groups_claims.py::", "tests/groups/test_groups.py::"
CALIBRATION, DRAWS = "dpq_core/groups/calibration.py", "dpq_core/groups/draws.py"
SURE = "tests/groups/test_intervals_of_groups.py::"
BATCHES = "tests/groups/test_batches.py::"

GROUPS = (
    Mutant(
        "a person in several groups pays for one",
        COMPOSITION,
        "return Unit(protects, most_rows, groups_per_person)",
        "return Unit(protects, most_rows)",
        f"{TABLES}test_what_one_record_of_a_group_may_cost",
    ),
    Mutant(
        "a replaced person is one step",
        COMPOSITION,
        "return Unit(protects, 2 * most_rows, groups_per_person)",
        "return Unit(protects, most_rows, groups_per_person)",
        f"{TABLES}test_what_one_record_of_a_group_may_cost",
    ),
    Mutant(
        "several records in each group are paid for as one",
        CALIBRATION,
        "unit_of(groups, plan.adjacency, groups.most_rows or 1)",
        "unit_of(groups, plan.adjacency, 1)",
        f"{CLAIMS}test_several_records_in_each_group_use_the_budget_up",
    ),
    Mutant(
        "one record more than said is kept of a person in a group",
        "dpq_core/groups/bounding.py",
        "some_rows(own_rows.codes, pairs.size, most_rows, seed)",
        "some_rows(own_rows.codes, pairs.size, most_rows + 1, seed)",
        f"{TABLES}test_a_person_has_at_most_so_many_rows_in_each_of_so_many_groups",
    ),
    Mutant(
        "the several rows that are kept in a group can be guessed",
        "dpq_core/groups/bounding.py",
        "some_rows(own_rows.codes, pairs.size, most_rows, seed)",
        "some_rows(own_rows.codes, pairs.size, most_rows, seed or 1)",
        "tests/test_unseeded.py",
    ),
    Mutant(
        "names are found by records where a person has several",
        DRAWS,
        "naming.named(groups.people_in, 1, entropy)",
        "naming.named(groups.sizes, 1, entropy)",
        f"{TABLES}test_a_group_is_found_by_its_persons_and_not_by_their_records",
    ),
    Mutant(
        "two steps in one group cost twice rho",
        COMPOSITION,
        "return self.times**2 * self.columns",
        "return self.times * self.columns",
        f"{TABLES}test_what_one_record_of_a_group_may_cost",
    ),
    Mutant(
        "the names of groups cost no epsilon",
        COMPOSITION,
        "ApproxDP(round_down(Fraction(whole.epsilon) - names), whole.delta / 2)",
        "ApproxDP(whole.epsilon, whole.delta / 2)",
        f"{TABLES}test_found_groups_are_large_and_their_names_tell_no_order",
    ),
    Mutant(
        "a group may be named too early",
        FINDING,
        "step = int(self.delta * one)",
        "step = 2 * int(self.delta * one)",
        f"{CLAIMS}test_the_delta_of_names_is_reached",
    ),
    Mutant(
        "the coin of a name is for one person more",
        FINDING,
        "places = np.minimum(counts, len(chances) - 1)",
        "places = np.minimum(counts + 1, len(chances) - 1)",
        f"{CLAIMS}test_the_shipped_draws_have_this_distribution[0.5]",
    ),
    Mutant(
        "all groups of a person are kept",
        "dpq_core/groups/bounding.py",
        "some_rows(own, int(new.sum()), most,",
        "some_rows(own, int(new.sum()), 1000,",
        f"{TABLES}test_a_person_has_one_number_in_at_most_so_many_groups",
    ),
    Mutant(
        "a row may be in the group of another batch",
        "dpq_core/groups/collecting.py",
        "left = left[column.size :]",
        "left = left[: left.size - column.size]",
        f"{BATCHES}test_batches_are_as_the_whole",
    ),
    Mutant(
        "records of one group count in the next",
        "dpq_core/groups/collecting.py",
        "cells &= (1 << self._cell_bits) - 1",
        "cells &= (1 << self._cell_bits + 1) - 1",
        f"{BATCHES}test_batches_are_as_the_whole",
    ),
    Mutant(
        "sizes are public though values are missing",
        "dpq_core/groups/table.py",
        "_refuse_missing(column, codes, None, missing)",
        "pass",
        f"{BATCHES}test_fixed_groups_need_every_value",
    ),
    Mutant(
        "sizes are public though a person is in two groups",
        "dpq_core/groups/table.py",
        "            _refuse_two_groups(codes, people)\n",
        "",
        f"{TABLES}test_nobody_is_in_two_groups_of_public_size",
    ),
    Mutant(
        "sizes are public unless all rows of a person change groups",
        "dpq_core/groups/table.py",
        "if (group[persons] != own).any():",
        "if (group[persons] != own).all():",
        f"{TABLES}test_nobody_is_in_two_groups_of_public_size",
    ),
    Mutant(
        "the groups of a person are answered at the whole budget each",
        "dpq_core/group_privacy.py",
        "if self.unit.steps == 1:\n            return plan",
        "if self.unit.times == 1:\n            return plan",
        f"{TABLES}test_what_one_record_of_a_group_may_cost",
    ),
    Mutant(
        "intervals of groups: ends follow from a private size",
        CALIBRATION,
        "parameters, drawn = _for_one(groups, plan, each, None)",
        "parameters, drawn = _for_one(groups, replace(plan, about_n=int(groups.sizes[0]) + 1), each, None)",
        f"{SURE}test_no_private_size_decides_the_ends",
    ),
    Mutant(
        "intervals of groups: names and answers have the whole budget each",
        CALIBRATION,
        "_for_every(groups, replace(plan, privacy=rest), each)",
        "_for_every(groups, plan, each)",
        f"{CLAIMS}test_names_and_answers_with_intervals_together_hold_the_budget",
    ),
    Mutant(
        "intervals of groups: the guarantee is that of the best of the groups of public size",
        CALIBRATION,
        "worst = worst_of(parameters.guarantee for parameters in by_size.values())",
        "worst = min((each.guarantee for each in by_size.values()), key=lambda found: found.epsilon)",
        f"{SURE}test_the_guarantee_is_that_of_the_worst_of_the_groups",
    ),
    Mutant(
        "intervals of groups: records are counted exactly where a noisy count was asked for",
        CALIBRATION,
        "if plan.about_n == NOISY:",
        "if plan.about_n is NOISY and plan.quantiles == ():",
        f"{SURE}test_what_is_missing_or_wrong_is_named_before_anything_is_drawn",
    ),
    Mutant(
        "intervals of groups: a group that was not found shows its intervals",
        DRAWS,
        "for each in (values, errors, ends) if asked else (values, errors):",
        "for each in (values, errors):",
        f"{SURE}test_found_groups_are_named_as_without_intervals_and_others_hold_nothing",
    ),
    Mutant(
        "a search goes on in the next group",
        "dpq_core/segments.py",
        "above &= left > 0",
        "above &= low < self.size",
        "tests/test_segments.py",
    ),
)
