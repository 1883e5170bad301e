"""Changes to JointExp with a free total, alone and in the recursion."""

from tests.mutants.mutant import Mutant

MECHANISMS = "dpq_core/mechanisms/"
DRAWS = "tests/audit/test_enumerated_draws.py"
BOTH = "tests/audit/test_joint_and_free_total_claims.py"
STATED = f"{DRAWS}::test_what_runs_is_what_is_stated"
PROPOSED = f"{DRAWS}::test_proposals_near_and_far_have_the_stated_law"
FEWER = "tests/mechanisms/test_few_levels.py"
FEW = f"{FEWER}::test_all_outcomes_have_the_stated_chances"

FREE_TOTALS = (
    # Several levels in one draw of the recursion.
    Mutant(
        "several at once: a replaced record costs no more than in a draw of one",
        f"{MECHANISMS}aq/recursion.py",
        "return 1 if only_ends(self.levels) else min(len(self.levels), 2)",
        "return 1",
        "tests/audit/test_approximate_quantiles_claims.py::test_the_claim_is_reached_and_half_the_noise_breaks_it",
    ),
    Mutant(
        "several at once: a record in the widest part costs nothing itself",
        f"{MECHANISMS}aq/shape.py",
        "worst + ((1 - proportion) / proportion if 2 * proportion > 1 else worst)",
        "worst + (0 * proportion if 2 * proportion > 1 else worst)",
        "tests/audit/test_approximate_quantiles_claims.py::test_what_a_record_costs_in_its_part_is_how_far_it_moves_the_score",
    ),
    Mutant(
        "several at once: the sum of weights costs half",
        f"{MECHANISMS}aq/shape.py",
        "return 1 - min(proportions_of(levels)) if len(levels) == 1 else levels[0] * 0 + 1",
        "return 1 - min(proportions_of(levels)) if len(levels) == 1 else (levels[0] * 0 + 1) / 2",
        "tests/audit/test_approximate_quantiles_claims.py::test_the_claim_is_reached_and_half_the_noise_breaks_it",
    ),
    Mutant(
        "several at once: AQ's default forgets columns with ties, wide ranges and few records",
        f"{MECHANISMS}aq/recursion.py",
        "(TYPICAL_COLUMN, *HARD_COLUMNS) if at_once.cautious else (TYPICAL_COLUMN,)",
        "(TYPICAL_COLUMN,)",
        "tests/mechanisms/test_approximate_quantiles.py::test_usual_draws_are_of_all_or_of_up_to_six_where_someone_joins",
    ),
    Mutant(
        "several at once: natural rates taken for binary ones, rounded up",
        f"{MECHANISMS}freetotal/nodes.py",
        "int((self.rate - LOSS_OF_ROUNDING) / LOG_2_ABOVE * 2**RATE_BITS)",
        "int((self.rate - LOSS_OF_ROUNDING) * 2 * 2**RATE_BITS)",
        "tests/audit/test_approximate_quantiles_claims.py::test_the_claim_is_reached_and_half_the_noise_breaks_it",
    ),
    Mutant(
        "several at once: records of a part counted from the first index of all",
        f"{MECHANISMS}freetotal/nodes.py",
        "np.asarray(np.clip(records, low, high) - low, dtype=np.int64)",
        "np.asarray(np.clip(records, 0, high - low), dtype=np.int64)",
        "tests/mechanisms/test_free_total_parts.py::test_both_samplers_have_the_law_in_parts_that_are_copied",
    ),
    Mutant(
        "several at once: the fast sampler accepts for one neighbour of the best total only",
        f"{MECHANISMS}freetotal/many.py",
        "(which == first) | (which == first + 1)",
        "which == first",
        "tests/mechanisms/test_free_total_parts.py::test_accepted_attempts_have_the_law_whatever_is_far",
    ),
    Mutant(
        "several at once: tuples for one total are drawn at a rate that is too high",
        f"{MECHANISMS}freetotal/many.py",
        "moved = 2 * (1 - batch.proportions.min(axis=1))",
        "moved = 1.5 * (1 - batch.proportions.min(axis=1))",
        "tests/mechanisms/test_free_total_parts.py::test_accepted_attempts_have_the_law_whatever_is_far",
    ),
    Mutant(
        "several at once: long runs in one place are accepted as often as short ones",
        f"{MECHANISMS}freetotal/tuples.py",
        "np.add.at(chances, at // lengths.shape[1], np.log(chance))",
        "np.add.at(chances, at // lengths.shape[1], 0 * np.log(chance))",
        "tests/mechanisms/test_free_total_parts.py::test_runs_that_are_longer_than_what_is_weighed_are_rejected_down_to_the_law",
    ),
    # The exact sampler of a few levels.
    Mutant(
        "few levels: steps are proposed at a rate that is too high",
        f"{MECHANISMS}freetotal/few.py",
        "moved = 2 * (1 - proportions.min(axis=1))",
        "moved = 1.5 * (1 - proportions.min(axis=1))",
        FEW,
    ),
    Mutant(
        "few levels: tuples are accepted at 21/20 of the rate",
        f"{MECHANISMS}freetotal/few.py",
        "self.draw.rate * distance",
        "self.draw.rate * 21 // 20 * distance",
        FEW,
    ),
    Mutant(
        "few levels: two in one place weigh as if they could be in any order",
        f"{MECHANISMS}freetotal/few.py",
        "np.where(lengths > 0, lengths + count, 0)",
        "np.where(lengths > 0, lengths, 0)",
        FEW,
    ),
    Mutant(
        "few levels: what rounding an option's weight up adds to it stays",
        f"{MECHANISMS}freetotal/few.py",
        "float(self.terms[option]) / above",
        "ldexp(1.0, -self.order)",
        f"{FEWER}::test_options_of_any_size_are_drawn_by_their_weights",
    ),
    Mutant(
        "few levels: the step that stays in a place costs nothing",
        f"{MECHANISMS}freetotal/few.py",
        "path.exponent += int(weights.exponents[column - more][row, place, place])",
        "path.exponent += 0",
        FEW,
    ),
    # JointExp with a free total.
    Mutant(
        "a replaced record costs a free total no more than one that joins",
        f"{MECHANISMS}freetotal/mechanism.py",
        "set(levels) <= {0, 1} else 2)",
        "set(levels) <= {0, 1} else 1)",
        f"{BOTH}::test_no_small_data_set_loses_more_than_the_claim[levels0-freetotal-0-substitute]",
    ),
    Mutant(
        "free total: few paths weighed at 21/20 of the rate",
        f"{MECHANISMS}freetotal/paths.py",
        "power(-rate * distance(counts",
        "power(-rate * Fraction(21, 20) * distance(counts",
        f"{STATED} -k freetotal",
    ),
    Mutant(
        "free total: the best total is a weighted quartile instead of the median",
        f"{MECHANISMS}freetotal/totals.py",
        "bisect_left(below, (whole + 1) // 2), bisect_right(below, whole // 2)",
        "bisect_left(below, (whole + 3) // 4), bisect_right(below, whole // 4)",
        PROPOSED,
    ),
    Mutant(
        "free total: only the lower neighbour of the best total is accepted",
        f"{MECHANISMS}freetotal/sampling.py",
        "or which not in (first, first + 1)",
        "or which != first",
        PROPOSED,
    ),
    Mutant(
        "free total: a proposal is accepted for one neighbour's weight alone",
        f"{MECHANISMS}freetotal/sampling.py",
        "mantissa / (1 + 2.0 ** max(float(smaller - larger), -1000))",
        "mantissa / 1",
        PROPOSED,
    ),
    Mutant(
        "free total: far tuples are accepted as if they lay nearer",
        f"{MECHANISMS}freetotal/sampling.py",
        "excess = rate * least - proposals.spare * proposals.reach - slower * own\n    assert",
        "excess = (rate * least - proposals.spare * proposals.reach - slower * own) / 2\n    assert",
        PROPOSED,
    ),
    Mutant(
        "free total: tuples in the window are proposed as far ones, too",
        f"{MECHANISMS}freetotal/sampling.py",
        "return _far_chance(proposals, which, ranks, distance(counts, proportions, best)) if far else (0.0, 0)",
        "return _far_chance(proposals, which, ranks, distance(counts, proportions, best))",
        PROPOSED,
    ),
    Mutant(
        "free total: far proposals at half their weight",
        f"{MECHANISMS}freetotal/proposals.py",
        "lowered = -Fraction(1, 2) - self.spare * self.reach",
        "lowered = -Fraction(3, 2) - self.spare * self.reach",
        PROPOSED,
    ),
)
