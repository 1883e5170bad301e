"""Changes that survived when an audit made some by hand in the code around draws: each has a test of its own now."""

from tests.mutants.mutant import Mutant

FINDING, COLUMNS, GROUPS = "dpq_core/finding/", "dpq_core/columns/", "dpq_core/groups/"
COMPOSITION, BETWEEN = "dpq_core/privacy/composition.py", "dpq_core/intervals/interpolation.py"
WALKS, TABLES = "tests/audit/test_finding_claims.py::", "tests/audit/test_counted_tables_claims.py::"
OF_COUNTED = "tests/audit/test_counted_groups_claims.py::"
ROUNDING = "tests/test_composition.py::test_what_rounding_adds_to_shares_is_in_what_is_stated"
OF_LEVELS = "tests/intervals/test_interpolation.py::"
PLACES = "tests/people/test_takes.py::test_a_missing_row_takes_no_place_of_a_row_with_a_value"

SURVIVORS = (
    Mutant(
        "a walk over shares in groups reads weights in the order of groups",
        f"{FINDING}column.py",
        "WeightedCells.of(own.records.cells[order], own.weights[order])",
        "WeightedCells.of(own.records.cells[order], own.weights)",
        f"{WALKS}test_a_walk_over_shares_in_groups_reads_each_row_with_its_own_weight",
    ),
    Mutant(
        "a walk has so little budget that its noise is wider than any that can be drawn",
        f"{FINDING}walk.py",
        "if rate < LEAST_RATE * unit:",
        "if rate <= 0:",
        f"{WALKS}test_too_little_for_a_walk_is_refused_before_its_noise_is_too_wide_to_draw",
    ),
    Mutant(
        "a walk over shares has as little budget as one over records",
        f"{FINDING}walk.py",
        "if rate < LEAST_RATE * unit:",
        "if rate < LEAST_RATE:",
        f"{WALKS}test_too_little_for_a_walk_is_refused_before_its_noise_is_too_wide_to_draw",
    ),
    Mutant(
        "the numbers of a table count who is replaced as who joins",
        f"{COLUMNS}release.py",
        "first / unit.steps_per_group, len(samples))",
        "first / (_data(whole_of(samples[counted[0]])).most_rows or 1), len(samples))",
        f"{TABLES}test_a_person_with_several_rows_costs_all_numbers_their_part_of_the_budget",
    ),
    Mutant(
        "the numbers of a table count a person with several rows as one record",
        f"{COLUMNS}release.py",
        "first / unit.steps_per_group, len(samples))",
        "first, len(samples))",
        f"{TABLES}test_a_person_with_several_rows_costs_all_numbers_their_part_of_the_budget",
    ),
    Mutant(
        "an infinite value counts as one that all columns have",
        "dpq_core/tables/in_common.py",
        "there = np.isfinite(column)",
        "there = ~np.isnan(column)",
        f"{TABLES}test_all_numbers_together_cost_one_number_whatever_values_a_record_has",
    ),
    Mutant(
        "further records of a column are counted without their margin",
        f"{COLUMNS}counting.py",
        "max(besides - self.of_more(asked).margin, 0)",
        "max(besides, 0)",
        f"{TABLES}test_the_margin_of_further_records_is_taken_off_them",
    ),
    Mutant(
        "few levels: weights that floats cannot hold are drawn from",
        "dpq_core/mechanisms/freetotal/few.py",
        "self.holds &= ((runs == 0) | (runs >= SMALLEST)).all(axis=1)",
        "self.holds &= (runs >= 0).all(axis=1)",
        "tests/mechanisms/test_few_levels.py::test_weights_that_floats_cannot_hold_are_left_to_the_other_sampler",
    ),
    Mutant(
        "intervals of levels between: the low end is that of the drawn level above",
        BETWEEN,
        "np.stack([drawn[..., low, 0],",
        "np.stack([drawn[..., high, 0],",
        f"{OF_LEVELS}test_the_interval_of_a_level_between_begins_and_ends_with_those_of_its_neighbours",
    ),
    Mutant(
        "intervals of levels between: the high end is that of the drawn level below",
        BETWEEN,
        "drawn[..., high, 1]], axis=-1)",
        "drawn[..., low, 1]], axis=-1)",
        f"{OF_LEVELS}test_the_interval_of_a_level_between_begins_and_ends_with_those_of_its_neighbours",
    ),
    Mutant(
        "shares: the stated epsilon leaves out what rounding adds",
        COMPOSITION,
        "loss_times(round_up(self._with_rounding(epsilon, rho=False)), self.epsilon_divisor)",
        "loss_times(epsilon, self.epsilon_divisor)",
        ROUNDING,
    ),
    Mutant(
        "shares: the stated rho leaves out what rounding adds",
        COMPOSITION,
        "round_up(self._with_rounding(each.rho, rho=True))",
        "each.rho",
        ROUNDING,
    ),
    Mutant(
        "a missing row takes a place among the rows of a person that count",
        "dpq_core/people/takes.py",
        "    if not keep_missing:\n        used &= np.isfinite(column)\n",
        "",
        PLACES,
    ),
    Mutant(
        "a missing row takes a place among the rows of a person that count in groups",
        f"{GROUPS}bounding.py",
        "    if not count_missing:\n        used &= np.isfinite(values)\n",
        "",
        PLACES,
    ),
    Mutant(
        "an empty group is counted as one record",
        f"{GROUPS}counting.py",
        "np.tile(groups.masses[which], (entropy.trials, 1))",
        "np.tile(np.maximum(groups.masses[which], 1), (entropy.trials, 1))",
        f"{OF_COUNTED}test_what_is_counted_of_an_empty_group_is_nothing",
    ),
)
