"""Changes to lines that privacy hangs on, each with a test that must fail once it is made: those to mechanisms.

The others stand beside this table, by what they change, and are part of it.
"""

from tests.mutants.charges import CHARGES
from tests.mutants.columns import COLUMNS
from tests.mutants.digits import SIGNIFICANT
from tests.mutants.ends_and_ties import ENDS_AND_TIES
from tests.mutants.entries import ENTRIES
from tests.mutants.fast import FAST_SAMPLER
from tests.mutants.files import FILES
from tests.mutants.finding import FINDING
from tests.mutants.free_total import FREE_TOTALS
from tests.mutants.groups import GROUPS
from tests.mutants.ids_and_keys import IDS_AND_KEYS
from tests.mutants.intervals import INTERVALS
from tests.mutants.losses import LOSSES
from tests.mutants.mutant import Mutant
from tests.mutants.pages import PAGES
from tests.mutants.partitions import PARTITIONS
from tests.mutants.persons import PERSONS
from tests.mutants.releases import RELEASES
from tests.mutants.several import SEVERAL
from tests.mutants.sums import SUMS
from tests.mutants.survivors import SURVIVORS
from tests.mutants.units import UNITS_AND_WRAPPERS

ENUMERATED = "tests/audit/test_enumerated_"
MECHANISMS = "dpq_core/mechanisms/"
SLICES, COUNTS, DRAWS = (f"{ENUMERATED}{name}.py" for name in ("slices", "counts", "draws"))
JOINED = f"{SLICES}::test_two_quantiles_where_one_joins[flat]"
LOSE = f"{COUNTS}::test_noisy_counts_lose_exactly_the_claim"
TREE, BINS = f"{LOSE} -k options0", f"{LOSE} -k options2"
DEEP = f"{LOSE}[aggtree-options1-privacy0-laplace-add_remove]"
RANGE = f"{COUNTS}::test_the_range_of_a_normal_sample"
RECORDED = "tests/audit/test_recorded_draws.py"
NOISE = "dpq_core/noise/"
STATED = f"{DRAWS}::test_what_runs_is_what_is_stated"
RANK_NOISE = "drawn.ranks.draw(entropy)"


def other_rank_noise(factor: str) -> str:
    return f"replace(drawn.ranks, node=drawn.ranks.node.times({factor})).draw(entropy)"


MUTANTS = (
    *CHARGES,
    *IDS_AND_KEYS,
    *ENTRIES,
    *SUMS,
    *RELEASES,
    *FINDING,
    *INTERVALS,
    *LOSSES,
    *COLUMNS,
    *ENDS_AND_TIES,
    *FILES,
    *FREE_TOTALS,
    *PAGES,
    *FAST_SAMPLER,
    *PERSONS,
    *PARTITIONS,
    *SIGNIFICANT,
    *GROUPS,
    *SEVERAL,
    *SURVIVORS,
    *UNITS_AND_WRAPPERS,
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
        "entropy.discrete_gaussian)(size, shape)",
        "entropy.discrete_gaussian)(size * Fraction(9, 10), shape)",
        BINS,
    ),
    Mutant(
        "rank noise at 5/4 of its budget",
        f"{MECHANISMS}slices/mechanism.py",
        RANK_NOISE,
        other_rank_noise("Fraction(4, 5)"),
        JOINED,
    ),
    Mutant(
        "slice draws at 5/4 of their budget",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, drawn.target_level, sample",
        "half_width, drawn.target_level.times(Fraction(5, 4)), sample",
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
        "the number of records, made public for one account, shown beside another",
        "pages/budget/counts.py",
        "(each.identity, each.account) == payer",
        "each.identity == data.identity",
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
        RANK_NOISE,
        other_rank_noise("Fraction(1, 1000 if entropy.exact else 1)"),
        JOINED,
    ),
    Mutant(
        "hardly any rank noise, one quantile",
        f"{MECHANISMS}slices/mechanism.py",
        RANK_NOISE,
        other_rank_noise("Fraction(1, 1000 if entropy.exact else 1)"),
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
        "laplace_for_epsilon(epsilon, 2)",
        "laplace_for_epsilon(epsilon, 1)",
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
        "return sample.records.size if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None",
        "return sample.records.size",
        TREE,
    ),
    Mutant(
        "bins whose total is the private n",
        f"{MECHANISMS}bins/mechanism.py",
        "return data.n * _unit(data) if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None",
        "return data.n * _unit(data)",
        BINS,
    ),
    Mutant(
        "a tree that changes fewer counts than it has levels",
        f"{MECHANISMS}counts/budget.py",
        "changed = each * shape.height\n    noise = laplace_for_epsilon",
        "changed = each * max(shape.height - 1, 1)\n    noise = laplace_for_epsilon",
        DEEP,
    ),
    Mutant(
        "cells weighed at 1.05 of their rate",
        f"{MECHANISMS}exponential/exact.py",
        "ceil_exp(self.rate * distance)",
        "ceil_exp(self.rate * Fraction(21, 20) * distance)",
        f"{STATED} -k indexp",
    ),
    Mutant(
        "every proposed cell accepted",
        f"{MECHANISMS}exponential/exact.py",
        "entropy.bernoulli(self._weight_of(cell, block), self.envelopes[block])",
        "entropy.bernoulli(1, 1)",
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
        "entropy.discrete_gaussian)(size, shape)",
        "entropy.discrete_gaussian)(size if shape[-1] < 99 else size * Fraction(9, 10), shape)",
        RECORDED,
    ),
    Mutant(
        "slice draws at 5/4 of their budget, of many",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, drawn.target_level, sample",
        "half_width, drawn.target_level.times(Fraction(4 + (len(rules.levels) > 2), 4)), sample",
        RECORDED,
    ),
    Mutant(
        "rank noise for one node fewer, of many",
        f"{MECHANISMS}slices/ranks.py",
        "laplace_for_epsilon(epsilon, most_moved(kind, count))",
        "laplace_for_epsilon(epsilon, max(most_moved(kind, count) - (count > 5), 1))",
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
        BINS,
    ),
    Mutant(
        "answers from a tree's exact counts",
        f"{MECHANISMS}tree/mechanism.py",
        "least_squares(noisy, shape)",
        "least_squares([np.broadcast_to(e, x.shape) for e, x in zip(exact, noisy, strict=True)], shape)",
        TREE,
    ),
    Mutant(
        "one level of a tree without noise",
        f"{MECHANISMS}tree/mechanism.py",
        "noisy = [count + added for count",
        "noisy = [count + added * (len(count) > 2) for count",
        DEEP,
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
        TREE,
    ),
    Mutant(
        "Gaussian noise for twice the rho",
        f"{MECHANISMS}counts/noise.py",
        'Noise("gaussian", Size(changed / (2 * rho)))',
        'Noise("gaussian", Size(changed / (4 * rho)))',
        TREE,
    ),
    Mutant(
        "rho of Laplace noise understated",
        f"{MECHANISMS}counts/noise.py",
        "return rate * tanh(rate / 2)",
        "return rate * tanh(rate / 2) * 0.99",
        TREE,
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
        "guarded(each / range_)",
        "guarded(each / (range_ * Fraction(19, 20)))",
        RECORDED,
    ),
    Mutant(
        "a sketch's rate for one record less",
        f"{MECHANISMS}gk/mechanism.py",
        "Rate(target_level.rate * exact / (exact + extra))",
        "Rate(target_level.rate * exact / (exact + max(extra - 1, 0)))",
        "tests/audit/test_gk_exponential_claims.py::test_a_threshold_from_the_private_number_of_people_jumps",
    ),
)
