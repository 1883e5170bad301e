"""Changes to what draws of the levels 0 and 1 cost, to the score of whole values, and to measures on grids."""

from tests.mutants.mutant import Mutant

MECHANISMS = "dpq_core/mechanisms/"
CLAIMS = "tests/audit/test_"
PARTS = f"{CLAIMS}approximate_quantiles_claims.py::test_what_a_record_"
MEASURE = "tests/test_measure.py::test_"
TIES = "tests/mechanisms/test_ties.py::test_"
LISTED = f"{CLAIMS}approximate_quantiles_claims.py::test_no_small_data_set_loses_more_than_the_claim"
REACHED = f"{CLAIMS}exact_claims.py::test_the_claim_is_reached_and_half_the_noise_breaks_it"

ENDS_AND_TIES = (
    Mutant(
        "levels 0 and 1 at half of what they cost in AQ",
        f"{MECHANISMS}aq/shape.py",
        "return [worst for _ in proportions]",
        "return [worst / 2 for _ in proportions]",
        f"{PARTS}moves_at_both_ends_it_moves_one_way",
    ),
    Mutant(
        "every draw with level 0 or 1 at the cost of level 0",
        f"{MECHANISMS}aq/shape.py",
        "return all(level in (0, 1) for level in levels)",
        "return any(level in (0, 1) for level in levels)",
        f"{PARTS}costs_in_its_part_is_how_far_it_moves_the_score",
    ),
    Mutant(
        "a concentrated draw of any level at the cost of level 0",
        f"{MECHANISMS}aq/shape.py",
        "return moved(levels) if only_ends(levels) else 2 * moved(levels)",
        "return moved(levels)",
        f"{CLAIMS}exact_claims.py::test_a_concentrated_draw_costs_its_range",
    ),
    Mutant(
        "levels 0 and 1 in one draw of AQ at the cost of one, where a person is replaced",
        f"{MECHANISMS}aq/recursion.py",
        "return len(self.levels) == 1 and only_ends(self.levels)",
        "return only_ends(self.levels)",
        f"{LISTED} -k levels2",
    ),
    Mutant(
        "every draw of AQ at the cost of one way, where a person is replaced",
        f"{MECHANISMS}aq/recursion.py",
        "return len(self.levels) == 1 and only_ends(self.levels)",
        "return len(self.levels) == 1",
        f"{REACHED} -k aq",
    ),
    Mutant(
        "every draw of IndExp at the cost of level 0, where a person is replaced",
        f"{MECHANISMS}exponential/distribution.py",
        "return Fraction(1) if level in (0, 1) else",
        "return Fraction(1) if floored or level in (0, 1) else",
        f"{REACHED} -k indexp",
    ),
    Mutant(
        "levels 0 and 1 in one draw at the cost of one way, where a person is replaced",
        f"{MECHANISMS}joint/mechanism.py",
        "return set(levels) <= {0, 1} and (adjacency is Adjacency.ADD_REMOVE or len(levels) == 1)",
        "return set(levels) <= {0, 1}",
        f"{CLAIMS}free_total_claims.py::test_the_sensitivity_is_that_of_the_score",
    ),
    Mutant(
        "half of the range for every level",
        f"{MECHANISMS}joint/mechanism.py",
        "return moved / 2 if one_way(levels, adjacency) else moved",
        "return moved / 2",
        f"{CLAIMS}joint_exponential_claims.py::test_the_sensitivity_is_that_of_the_score",
    ),
    Mutant(
        "how deep a value lies within equal records, counted twice",
        f"{MECHANISMS}exponential/ties.py",
        "np.maximum(np.minimum((whole - below) + rest, (at_most - whole) - rest), 0.0)",
        "np.maximum(2 * np.minimum((whole - below) + rest, (at_most - whole) - rest), 0.0)",
        f"{TIES}no_ties_lose_more_than_the_claim_and_half_the_noise_does",
    ),
    Mutant(
        "how deep a value lies, counted twice in real releases",
        f"{MECHANISMS}exponential/exact.py",
        "depth = max(min(self.target - below, at_most - self.target), Fraction(0))",
        "depth = 2 * max(min(self.target - below, at_most - self.target), Fraction(0))",
        f"{TIES}both_samplers_have_the_law_of_the_definition",
    ),
    Mutant(
        "values right of the target weighed by the records at them or below",
        f"{MECHANISMS}exponential/exact.py",
        "wanted = last_of_value(wanted, values) + 1 if left else first_of_value(wanted, values)",
        "wanted = last_of_value(wanted, values) + 1",
        f"{TIES}both_samplers_have_the_law_of_the_definition",
    ),
    Mutant(
        "the same in simulations",
        f"{MECHANISMS}exponential/fast.py",
        "wanted = np.where(left, behind, first_place)",
        "wanted = behind",
        f"{TIES}both_samplers_have_the_law_of_the_definition",
    ),
    Mutant(
        "whole values drawn where records are split",
        f"{MECHANISMS}aq/rounds.py",
        "return len(node.levels), len(node.levels) == 1 and not any(node.children)",
        "return len(node.levels), len(node.levels) == 1",
        f"{TIES}what_splits_records_and_what_papers_print_is_as_before",
    ),
    Mutant(
        "whole values drawn with the printed constants",
        f"{MECHANISMS}indexp/mechanism.py",
        "floored, signed=not paper)",
        "floored, signed=True)",
        f"{TIES}what_splits_records_and_what_papers_print_is_as_before",
    ),
    Mutant(
        "a domain whose record forgets its measure",
        "dpq_core/domain/domain.py",
        "return {**self.grid.as_dict(), **measure}",
        "return self.grid.as_dict()",
        f"{MEASURE}a_domain_records_its_measure_and_is_uniform_without_one",
    ),
    Mutant(
        "a record without a measure read as one of round numbers",
        "dpq_core/domain/domain.py",
        'return cls(**{"measure": UNIFORM, **values})',
        "return cls(**values)",
        f"{MEASURE}a_domain_records_its_measure_and_is_uniform_without_one",
    ),
    Mutant(
        "an exact loss without the places of values that a release has",
        "dpq_core/domain/domain.py",
        "    if domain.measure != UNIFORM:\n        raise",
        "    if False:\n        raise",
        f"{MEASURE}exact_losses_need_the_same_room_or_a_lemma",
    ),
    Mutant(
        "places beyond a value's own",
        "dpq_core/domain/measure.py",
        "return np.asarray(first + _part(size, low, measure.bits), dtype=np.int64)",
        "return np.asarray(first + _part(size + 1, low, measure.bits), dtype=np.int64)",
        f"{MEASURE}a_record_takes_its_own_places_evenly",
    ),
    Mutant(
        "round numbers that count once too often",
        "dpq_core/domain/rounding.py",
        "rest -= parts.behind[part]",
        "rest -= parts.edges[part]",
        f"{MEASURE}every_place_belongs_to_one_value",
    ),
    Mutant(
        "the places that a round number has in addition, left out of its own",
        "dpq_core/domain/rounding.py",
        "(at_begin,) = (rest < own).nonzero()",
        "(at_begin,) = (rest < 0).nonzero()",
        f"{MEASURE}every_place_belongs_to_one_value",
    ),
    Mutant(
        "a record with counts below a place that is not",
        "dpq_core/domain/measure.py",
        "low = low + (_part(size, low, measure.bits) < wanted)",
        "low = low + (_part(size, low, measure.bits) <= wanted)",
        f"{MEASURE}a_record_takes_its_own_places_evenly",
    ),
    Mutant(
        "the normal sample reads places for values",
        "dpq_core/mechanisms/normal/range.py",
        "cell = int(sample.places.cells_of(sample.records[np.array([start])])[0])",
        "cell = int(sample.records[np.array([start])][0]) >> sample.jitter_bits",
        "tests/mechanisms/test_normal_sample.py::test_bins_hold_the_records_of_their_width",
    ),
)
