"""Changes to lines that privacy hangs on, each with a test that must fail once it is made."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One change: in `file`, `old`, which stands there once, becomes `new`."""

    what: str
    file: str
    old: str
    new: str
    caught_by: str
    """What pytest is given: a file, a test, or a file and `-k` with words."""


ENUMERATED = "tests/audit/test_enumerated_"
MECHANISMS = "dpq_core/mechanisms/"
SLICES, COUNTS, DRAWS = (f"{ENUMERATED}{name}.py" for name in ("slices", "counts", "draws"))
JOINED = f"{SLICES}::test_two_quantiles_where_one_joins"
LOSE = f"{COUNTS}::test_noisy_counts_lose_exactly_the_claim"
RANGE = f"{COUNTS}::test_the_range_of_a_normal_sample"
RECORDED = "tests/audit/test_recorded_draws.py"
NOISE = "dpq_core/noise/"
STATED = f"{DRAWS}::test_what_runs_is_what_is_stated"
PROPOSED = f"{DRAWS}::test_proposals_near_and_far_have_the_stated_law"
DIGITS = "dpq_core/domain/significant.py"
SEARCHED = "tests/test_significant_digits.py -k search"

MUTANTS = (
    # The ten that once survived every test of their rooms.
    Mutant(
        "sketch at 1.05 of its rate",
        f"{MECHANISMS}gk/classes.py",
        "ceil_exp(rate * distance)",
        "ceil_exp(rate * distance * Fraction(21, 20))",
        f"{STATED} -k gkexp",
    ),
    Mutant(
        "noise on counts at 0.9 of its size",
        f"{MECHANISMS}counts/noise.py",
        "entropy.discrete_gaussian)(self.size, shape)",
        "entropy.discrete_gaussian)(self.size * Fraction(9, 10), shape)",
        LOSE,
    ),
    Mutant(
        "rank noise at 5/4 of its budget",
        f"{MECHANISMS}slices/mechanism.py",
        "rules.rank_epsilon * parameters.factor, entropy.trials",
        "rules.rank_epsilon * parameters.factor * Fraction(5, 4), entropy.trials",
        JOINED,
    ),
    Mutant(
        "slice draws at 5/4 of their budget",
        f"{MECHANISMS}slices/mechanism.py",
        "    target_level = slice_target_level(rules.draw_epsilon, parameters.factor)\n    for group",
        "    target_level = slice_target_level(rules.draw_epsilon, parameters.factor * Fraction(5, 4))\n    for group",
        JOINED,
    ),
    Mutant(
        "one more rank of room in the chance that a gap falls short",
        f"{MECHANISMS}slices/layout.py",
        "chance_beyond(room, terms, node_epsilon)",
        "chance_beyond(room + 1, terms, node_epsilon)",
        f"{SLICES}::test_gaps_fall_short_as_often_as_delta_counts_on",
    ),
    Mutant(
        "the uniform mixture at half its weight",
        f"{MECHANISMS}slices/mechanism.py",
        "entropy.coins(mixture(rules, delta, sample.domain.cells), 1",
        "entropy.coins(mixture(rules, delta, sample.domain.cells) // 2, 1",
        f"{SLICES}::test_two_quantiles_with_a_pure_budget",
    ),
    Mutant(
        "the noisy count skipped where n is private",
        f"{MECHANISMS}slices/mechanism.py",
        "if rules.bridged and parameters.noisy_count is None",
        "if rules.bridged and rules.count_is_public and parameters.noisy_count is None",
        JOINED,
    ),
    Mutant(
        "JointExp's envelope rounded down",
        f"{MECHANISMS}joint/sampling.py",
        "np.ceil(raised)",
        "np.floor(raised)",
        f"{DRAWS}::test_a_choice_by_float_weights_is_exact",
    ),
    Mutant(
        "normal sample: a count at the threshold is shown",
        f"{MECHANISMS}normal/range.py",
        "noisy.max(axis=1) > rule.threshold",
        "noisy.max(axis=1) >= rule.threshold",
        RANGE,
    ),
    Mutant(
        "the number of records shown where it is private",
        "dpq_core/ui/budget/counts.py",
        "if mode is Mode.RELEASE and not _made_public(data):",
        "if mode is Mode.RELEASE and data.identity is None:",
        "tests/ui/test_public_count.py",
    ),
    # Those of a second pass.
    Mutant(
        "ranks from the exact private n",
        f"{MECHANISMS}slices/mechanism.py",
        "_slices(layouts, rules, counts, noise)",
        "_slices(layouts, rules, np.full_like(counts, sample.n), noise)",
        JOINED,
    ),
    Mutant(
        "hardly any rank noise in real releases",
        f"{MECHANISMS}slices/mechanism.py",
        "rules.rank_epsilon * parameters.factor, entropy.trials",
        "rules.rank_epsilon * parameters.factor * (1000 if entropy.exact else 1), entropy.trials",
        JOINED,
    ),
    Mutant(
        "hardly any rank noise, one quantile",
        f"{MECHANISMS}slices/mechanism.py",
        "rules.rank_epsilon * parameters.factor, entropy.trials",
        "rules.rank_epsilon * parameters.factor * (1000 if entropy.exact else 1), entropy.trials",
        f"{SLICES}::test_one_quantile",
    ),
    Mutant(
        "range noise halved, all bins",
        f"{MECHANISMS}normal/range.py",
        "exact + rule.noise.draw(",
        "exact + rule.noise.times(Fraction(1, 2)).draw(",
        RANGE,
    ),
    Mutant(
        "range noise halved, bins that hold a record",
        f"{MECHANISMS}normal/range.py",
        "counts + rule.noise.draw(",
        "counts + rule.noise.times(Fraction(1, 2)).draw(",
        RANGE,
    ),
    # More of the same kind.
    Mutant(
        "range noise for one changed count where two change",
        f"{MECHANISMS}normal/range.py",
        'Noise("laplace", 2 / epsilon)',
        'Noise("laplace", 1 / epsilon)',
        RANGE,
    ),
    Mutant(
        "a threshold one lower",
        f"{MECHANISMS}normal/range.py",
        "threshold=_threshold(noise.size, Fraction(delta))",
        "threshold=_threshold(noise.size, Fraction(delta)) - 1",
        RANGE,
    ),
    Mutant(
        "counts inside a normal sample's interval with half their noise",
        f"{MECHANISMS}normal/mechanism.py",
        "np.diff(below), parameters.noise, sample.n",
        "np.diff(below), parameters.noise.times(Fraction(1, 2)), sample.n",
        f"{COUNTS}::test_both_steps_of_a_normal_sample",
    ),
    Mutant(
        "a tree whose total is the private n",
        f"{MECHANISMS}tree/mechanism.py",
        "total = sample.n if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None",
        "total = sample.n",
        LOSE,
    ),
    Mutant(
        "bins whose total is the private n",
        f"{MECHANISMS}bins/mechanism.py",
        "total = data.n if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None",
        "total = data.n",
        LOSE,
    ),
    Mutant(
        "a tree that changes fewer counts than it has levels",
        f"{MECHANISMS}counts/budget.py",
        "changed = each * shape.height\n    noise = laplace_for_epsilon",
        "changed = each * max(shape.height - 1, 1)\n    noise = laplace_for_epsilon",
        LOSE,
    ),
    Mutant(
        "cells weighed at 1.05 of their rate",
        f"{MECHANISMS}exponential/exact.py",
        "ceil_exp(self.rate * (abs",
        "ceil_exp(self.rate * Fraction(21, 20) * (abs",
        f"{STATED} -k indexp",
    ),
    Mutant(
        "every proposed cell accepted",
        f"{MECHANISMS}exponential/exact.py",
        "entropy.bernoulli(self.weight(gap), self.envelopes[block])",
        "entropy.bernoulli(1, 1)",
        f"{STATED} -k aq",
    ),
    Mutant(
        "every proposed pair accepted",
        f"{MECHANISMS}exponential/pairs/exact.py",
        "entropy.bernoulli(self.weight(*gaps), self.envelopes[row][column])",
        "entropy.bernoulli(1, 1)",
        f"{STATED} -k aq",
    ),
    Mutant(
        "pairs in decreasing order accepted",
        f"{MECHANISMS}exponential/pairs/exact.py",
        "if lower > upper:",
        "if lower > upper + 1:",
        f"{STATED} -k aq",
    ),
    Mutant(
        "tuples outside JointExp's window never proposed",
        f"{MECHANISMS}joint/sampling.py",
        "not entropy.bernoulli(inside, inside + outside)",
        "not entropy.bernoulli(1, 1)",
        f"{DRAWS}::test_a_window_does_not_change_the_law",
    ),
    Mutant(
        "a coin that lands too often",
        "dpq_core/noise/exact.py",
        "self.integer_below(denominator) < numerator",
        "self.integer_below(denominator) <= numerator",
        "tests/audit/test_branching.py",
    ),
    Mutant(
        "a choice that is off by one",
        "dpq_core/noise/exact.py",
        "bisect_right(sums, self.integer_below(sums[-1]))",
        "bisect_right(sums, self.integer_below(sums[-1]) + 1)",
        "tests/audit/test_branching.py",
    ),
    # Where there is much to draw.
    Mutant(
        "noise on counts at 0.9 of its size, of many",
        f"{MECHANISMS}counts/noise.py",
        "entropy.discrete_gaussian)(self.size, shape)",
        "entropy.discrete_gaussian)(self.size if shape[-1] < 99 else self.size * Fraction(9, 10), shape)",
        RECORDED,
    ),
    Mutant(
        "slice draws at 5/4 of their budget, of many",
        f"{MECHANISMS}slices/mechanism.py",
        "    target_level = slice_target_level(rules.draw_epsilon, parameters.factor)\n    for group",
        "    raised = rules.draw_epsilon * Fraction(4 + (len(rules.levels) > 2), 4)\n"
        "    target_level = slice_target_level(raised, parameters.factor)\n"
        "    for group",
        RECORDED,
    ),
    Mutant(
        "rank noise for one node fewer, of many",
        f"{MECHANISMS}slices/ranks.py",
        "scale = most_moved(kind, count) / epsilon",
        "scale = max(most_moved(kind, count) - (count > 5), 1) / epsilon",
        RECORDED,
    ),
    Mutant(
        "Laplace noise at 1.01 of its rate",
        f"{NOISE}integer_noise.py",
        "drawn = _geometric(1 / scale, 2 * count)",
        "drawn = _geometric(Fraction(101, 100) / scale, 2 * count)",
        "tests/noise/test_words.py",
    ),
    Mutant(
        "Gaussian noise kept at 0.99 of its variance",
        f"{NOISE}integer_noise.py",
        "(size - sigma_squared / t) ** 2 / (2 * sigma_squared)",
        "(size - sigma_squared / t) ** 2 / (2 * sigma_squared * Fraction(99, 100))",
        "tests/noise/test_words.py",
    ),
    # Other lines of the same functions.
    Mutant(
        "good runs with slices that touch no more",
        f"{MECHANISMS}slices/draws.py",
        "(np.diff(noisy, axis=1) >= 2 * half_width)",
        "(np.diff(noisy, axis=1) >= 2 * half_width - 1)",
        "tests/audit/test_slice_quantiles_claims.py::test_both_maps_are_injective_and_change_one_record_of_one_slice",
    ),
    Mutant(
        "slices at ranks without noise",
        f"{MECHANISMS}slices/mechanism.py",
        "noisy = ranks + noise[trials][:, list(columns)]",
        "noisy = ranks + 0 * noise[trials][:, list(columns)]",
        JOINED,
    ),
    Mutant(
        "noise of the number of records with the wrong sign",
        f"{MECHANISMS}slices/mechanism.py",
        "counts -= noise[:, -1]",
        "counts += noise[:, -1]",
        JOINED,
    ),
    Mutant(
        "runs whose slices overlap answer all the same",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, roomy & is_good(noisy, half_width))",
        "half_width, roomy)",
        JOINED,
    ),
    Mutant(
        "ranks closer than the public layout allows for answer all the same",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, roomy & is_good(noisy, half_width))",
        "half_width, is_good(noisy, half_width))",
        f"{SLICES}::test_two_quantiles_where_one_is_replaced",
    ),
    Mutant(
        "the uniform mixture never answers",
        f"{MECHANISMS}slices/mechanism.py",
        "for trial in np.flatnonzero(at_random):",
        "for trial in np.flatnonzero(at_random & False):",
        f"{SLICES}::test_two_quantiles_with_a_pure_budget",
    ),
    Mutant(
        "the fullest bin of the exact counts",
        f"{MECHANISMS}normal/range.py",
        "which[np.argmax(noisy, axis=1)]",
        "which[np.argmax(np.broadcast_to(counts, noisy.shape), axis=1)]",
        RANGE,
    ),
    Mutant(
        "answers from the exact counts of bins",
        f"{MECHANISMS}bins/reading.py",
        "nonnegative(noisy, total))",
        "nonnegative(np.broadcast_to(exact, noisy.shape), total))",
        LOSE,
    ),
    Mutant(
        "answers from a tree's exact counts",
        f"{MECHANISMS}tree/mechanism.py",
        "least_squares(noisy, shape)",
        "least_squares([np.broadcast_to(e, x.shape) for e, x in zip(exact, noisy, strict=True)], shape)",
        LOSE,
    ),
    Mutant(
        "one level of a tree without noise",
        f"{MECHANISMS}tree/mechanism.py",
        "noisy = [count + added for count",
        "noisy = [count + added * (len(count) > 2) for count",
        LOSE,
    ),
    Mutant(
        "a sketch's envelope without the class that holds the target",
        f"{MECHANISMS}gk/classes.py",
        "_weight(Fraction(0) if holds_target else nearest, rate)",
        "_weight(nearest, rate)",
        f"{STATED} -k gkexp",
    ),
    Mutant(
        "a replaced person changes one count of a level",
        f"{MECHANISMS}counts/budget.py",
        "Adjacency.SUBSTITUTE: 2,",
        "Adjacency.SUBSTITUTE: 1,",
        LOSE,
    ),
    Mutant(
        "Gaussian noise for twice the rho",
        f"{MECHANISMS}counts/noise.py",
        'Noise("gaussian", changed / (2 * rho))',
        'Noise("gaussian", changed / (4 * rho))',
        LOSE,
    ),
    Mutant(
        "rho of Laplace noise understated",
        f"{MECHANISMS}counts/noise.py",
        "return rate * tanh(rate / 2)",
        "return rate * tanh(rate / 2) * 0.99",
        LOSE,
    ),
    Mutant(
        "a split looks beyond the answer above it",
        f"{MECHANISMS}aq/rounds.py",
        "high=answers[:, nodes.before],",
        "high=answers[:, -1:] + 0 * answers[:, nodes.before],",
        f"{STATED} -k aq",
    ),
    Mutant(
        "JointExp's tuples outside the window proposed too often",
        f"{MECHANISMS}joint/sampling.py",
        "inside, outside = int(ldexp(mantissa, 53)), comb(",
        "inside, outside = int(ldexp(mantissa, 53)), 2 * comb(",
        f"{DRAWS}::test_a_window_does_not_change_the_law",
    ),
    Mutant(
        "floored targets where they must not be, and none where they must",
        f"{MECHANISMS}exponential/distribution.py",
        "return Fraction(int(self.level * count)) if self.floored",
        "return Fraction(int(self.level * count)) if not self.floored",
        f"{STATED} -k indexp",
    ),
    Mutant(
        "independent draws at 20/19 of their rates",
        f"{MECHANISMS}indexp/mechanism.py",
        "guarded(each / (2 * sensitivity(level, floored)))",
        "guarded(each / (Fraction(19, 10) * sensitivity(level, floored)))",
        RECORDED,
    ),
    Mutant(
        "a sketch's rate for one record less",
        f"{MECHANISMS}gk/mechanism.py",
        "return target_level.rate * exact / (exact + extra)",
        "return target_level.rate * exact / (exact + max(extra - 1, 0))",
        "tests/audit/test_gk_exponential_claims.py",
    ),
    # JointExp with a free total.
    Mutant(
        "a replaced record costs a free total no more than one that joins",
        f"{MECHANISMS}freetotal/mechanism.py",
        "set(levels) <= {0, 1} else 2)",
        "set(levels) <= {0, 1} else 1)",
        "tests/audit/test_free_total_claims.py",
    ),
    Mutant(
        "free total: few paths weighed at 21/20 of the rate",
        f"{MECHANISMS}freetotal/paths.py",
        "power(-rate * distance(counts",
        "power(-rate * Fraction(21, 20) * distance(counts",
        f"{STATED} -k freetotal",
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
        "return _far_chance(proposals, which, ranks, distance(counts, shares, best)) if far else (0.0, 0)",
        "return _far_chance(proposals, which, ranks, distance(counts, shares, best))",
        PROPOSED,
    ),
    Mutant(
        "free total: far proposals at half their weight",
        f"{MECHANISMS}freetotal/proposals.py",
        "lowered = -Fraction(1, 2) - self.spare * self.reach",
        "lowered = -Fraction(3, 2) - self.spare * self.reach",
        PROPOSED,
    ),
    # Significant digits: which index a number gets.
    Mutant(
        "the float below a value gets its index",
        DIGITS,
        "np.append(bits - 1, _MAGNITUDE)",
        "np.append(bits - 2, _MAGNITUDE)",
        SEARCHED,
    ),
    Mutant(
        "negative numbers go up to the grid where positive ones go down",
        DIGITS,
        "magnitude += sign  #",
        "magnitude += 0 * sign  #",
        SEARCHED,
    ),
    Mutant(
        "what is nearly 0 gets the smallest value where that is a power of two",
        DIGITS,
        "first = int(bits[0] >> shift) - 1",
        "first = int(bits[0] >> shift)",
        SEARCHED,
    ),
    Mutant(
        "a bucket may hold two values",
        DIGITS,
        "while np.any(np.diff(bits >> shift) == 0):",
        "while np.any(np.diff(bits >> shift + 1) == 0) and shift > 47:",
        SEARCHED,
    ),
    Mutant(
        "what lies below all values has an index below the first one",
        DIGITS,
        "np.maximum(count, 0, out=count)",
        "count",
        SEARCHED,
    ),
    Mutant(
        "a value of the grid counts as below itself",
        DIGITS,
        "if self.exact(middle) >= number",
        "if self.exact(middle) > number",
        "tests/test_significant_digits.py -k exact_values",
    ),
)
