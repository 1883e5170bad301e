"""Every step of the theorem in `slices.mechanism`, exactly; then the whole mechanism for two quantiles."""

from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, exp, expm1, inf

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Plan, PureDP
from dpq_core.audit.losses import all_outputs
from dpq_core.audit.printed import log_draws
from dpq_core.mechanisms.slices import layout as slice_layout
from dpq_core.mechanisms.slices import ranks as slice_ranks
from dpq_core.mechanisms.slices.draws import is_good, slice_parts, slice_target_level
from dpq_core.mechanisms.slices.layout import arrange, failure_delta, layout_delta, public_layout, ranks_at
from dpq_core.mechanisms.slices.mechanism import calibrate, lemma_loss
from tests.harness import SeededSampler

KINDS = ["flat", "two_level", "binary"]
BOTH = list(Adjacency)


# ── noise ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", KINDS)
def test_shifting_any_suffix_moves_the_named_nodes_by_one_and_nothing_else(kind):
    """On the code's own structure: row i of `effect` is what node i does to every rank."""
    for count in range(1, 70):
        effect = slice_ranks.prefix_noise(kind, np.eye(count, dtype=np.int64))
        for first in range(1, count + 1):
            moved = slice_ranks.moved_nodes(kind, first, count)
            assert len(moved) <= slice_ranks.most_moved(kind, count)
            expected = (np.arange(1, count + 1) >= first).astype(int)
            assert np.array_equal(effect[[node - 1 for node in moved]].sum(axis=0), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 3, 9, 40])
def test_a_shift_costs_at_most_the_budget_exactly(kind, count):
    """The ratio of probabilities is e^(nodes moved / scale), in exact fractions; flat noise reaches it."""
    seen: list[Fraction] = []

    class Noted(SeededSampler):
        def discrete_laplace(self, scale, shape):
            seen.append(scale)
            return np.zeros(shape, np.int64)

    budget = Fraction(3, 7)
    noise = slice_ranks.RankNoise.for_epsilon(kind, count, budget)
    noise.draw(Noted(0))
    costs = [len(slice_ranks.moved_nodes(kind, first, count)) / seen[0] for first in range(1, count + 1)]
    assert max(costs) == budget == noise.loss
    assert kind != "flat" or min(costs) == budget


@pytest.mark.parametrize("kind", KINDS)
def test_differences_of_ranks_have_the_stated_number_of_nodes(kind):
    for count in (1, 2, 5, 16, 37):
        effect = slice_ranks.prefix_noise(kind, np.eye(count, dtype=np.int64))
        for high in range(2, count + 1):
            for low in range(1, high):
                difference = effect[:, high - 1] - effect[:, low - 1]
                assert np.abs(difference).max() <= 1
                assert np.abs(difference).sum() == slice_ranks.terms_between(kind, low, high, count)


@pytest.mark.parametrize("terms", [1, 2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.25, 1.0, 4.0])
def test_chances_of_sums_of_nodes_against_plain_summation(terms, epsilon):
    most, a = 300, exp(-epsilon)
    one = (1 - a) / (1 + a) * a ** np.abs(np.arange(-most, most + 1))
    law = one
    for _ in range(terms - 1):
        law = np.convolve(law, one)
    middle = law.size // 2
    for value in (0, 1, -2, 7, 20):
        chance = float(slice_ranks.chance_of(value, terms, Fraction(epsilon)))
        assert chance == pytest.approx(law[middle + value], rel=1e-9)
    for value in (0, 1, 5, 30):
        beyond = float(slice_ranks.chance_beyond(value, terms, Fraction(epsilon)))
        tail = law[middle + value :].sum()
        assert beyond >= tail * (1 - 1e-9)
        if terms == 1:
            assert beyond == pytest.approx(tail, rel=1e-9)
            assert beyond == pytest.approx(a**value / (1 + a), rel=1e-12)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("terms", [2, 40, 64])
@pytest.mark.parametrize("epsilon", [Fraction(1, 5), Fraction(1), Fraction(40)])
def test_the_bound_for_many_nodes_is_above_the_exact_chance_and_costs_few_ranks(terms, epsilon):
    for value in (0, 1, 3, 10, 60):
        tail = sum(slice_ranks.chance_of(value + more, terms, epsilon) for more in range(80))
        assert slice_ranks._chernoff(value, terms, epsilon) >= tail * (1 - Decimal("1e-20"))
    enough = slice_ranks.slack_for(terms, epsilon, Decimal("1e-12"))
    assert slice_ranks._chernoff(enough + enough // 4 + 2, terms, epsilon) <= Decimal("1e-12")


@pytest.mark.parametrize("terms", [1, 64, 65])
def test_a_chance_below_every_decimal_is_above_zero_and_below_all_others(terms):
    beyond = slice_ranks.chance_beyond(2**60, terms, Fraction(10**6))
    assert 0 < beyond < slice_ranks.chance_beyond(2**50, terms, Fraction(1, 100))
    assert beyond < Decimal("1e-999999")


def test_rounding_upwards_goes_up_whatever_the_thread_says():
    assert slice_ranks.UPWARDS > 1
    with localcontext(prec=5):
        coarse = slice_ranks.chance_of(7, 3, Fraction(1, 3))
    assert coarse == slice_ranks.chance_of(7, 3, Fraction(1, 3))


def test_the_slack_is_the_smallest_that_is_enough():
    for terms in (1, 4):
        for text in ("1e-3", "1e-16", "1e-400"):
            target = slice_ranks.CONTEXT.create_decimal(text)
            slack = slice_ranks.slack_for(terms, Fraction(1, 3), target)
            assert slice_ranks.chance_beyond(slack, terms, Fraction(1, 3)) <= target
            assert slice_ranks.chance_beyond(slack - 1, terms, Fraction(1, 3)) > target


# ── the two maps ─────────────────────────────────────────────────────────────────────────────────────────────────────


def good_vectors(count, low, high, width):
    """All noisy ranks within low..high with gaps of at least 2 h."""
    vectors: list[tuple[int, ...]] = [(first,) for first in range(low, high + 1)]
    for _ in range(count - 1):
        vectors = [(*v, rank) for v in vectors for rank in range(v[-1] + 2 * width, high + 1)]
    return vectors


def contents(noisy, width, records):
    """What each slice holds, as the sampler sees it: records, and how many stand-ins lie below and above them."""
    start, end, target = slice_parts(np.array([noisy]), width, len(records))
    found = []
    for a, b, t in zip(start[0].tolist(), end[0].tolist(), target[0].tolist(), strict=True):
        below = width - t
        held = Counter(records[a:b])
        held["low end"], held["high end"] = below, 2 * width - below - (b - a)
        assert min(held.values()) >= 0
        found.append(held)
    return found


def entering(noisy, width, place):
    return tuple(rank + (rank - width + 1 >= place) for rank in noisy)


def leaving(noisy, width, place):
    """Lower every rank after the first slice that reaches the place."""
    first = next((at for at, rank in enumerate(noisy) if rank + width >= place), len(noisy))
    return tuple(rank - (at > first) for at, rank in enumerate(noisy)), first


def replaced(before, after):
    return [(a - b).total() for a, b in zip(before, after, strict=True) if a != b]


@pytest.mark.slow(keep=("2-1", "3-2", "2-3"))
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_both_maps_are_injective_and_change_one_record_of_one_slice(count, width):
    """All good noisy ranks, far outside 1..n too, and every place where a record can enter or leave."""
    n = 5
    vectors = good_vectors(count, -width - 2, max(n + width + 2, 2 * width * (count - 1) + 4), width)
    for place in range(1, n + 2):
        records = list(range(10, 10 * n + 1, 10))
        joined = sorted([*records, 10 * place - 5])
        images, failed = set(), 0
        for noisy in vectors:
            image = entering(noisy, width, place)
            assert is_good(np.array([image]), width)[0]
            assert len({b - a for a, b in zip(noisy, image, strict=True)} - {0, 1}) == 0
            changes = replaced(contents(noisy, width, records), contents(image, width, joined))
            assert changes in ([], [1])
            images.add(image)
        assert len(images) == len(vectors)
        images = set()
        for noisy in vectors:  # the same record leaves again
            image, first = leaving(noisy, width, place)
            images.add(image)
            changes = replaced(contents(noisy, width, joined), contents(image, width, records))
            assert changes in ([], [1])
            if not is_good(np.array([image]), width)[0]:
                failed += 1
                assert noisy[first + 1] - noisy[first] == 2 * width
        assert len(images) == len(vectors)
        assert failed > 0 or count == 1


@pytest.mark.parametrize("width", [1, 2])
def test_closed_slices_would_change_more(width):
    """Printed slices r - h .. r + h at gaps of 2 h share a record: two slices change at once."""
    noisy, records = np.array([5, 5 + 2 * width]), list(range(20))
    slices = [records[rank - 1 - width : rank + width] for rank in noisy]
    assert len(set(slices[0]) & set(slices[1])) == 1


# ── the whole mechanism for two quantiles ────────────────────────────────────────────────────────────────────────────


@cache
def chances_of_ranks(parameters, n, most):
    """Where slices stand and how likely: {(half-width, rank, rank): probability}, refusals {c: ..}, and not good.

    Every node runs over -most..most; the chance that one is beyond is left out and bounded by `left_out`.
    """
    rules = parameters.rules
    epsilon = rules.rank_epsilon * parameters.factor
    a = exp(-float(epsilon) / slice_ranks.most_moved(rules.kind, rules.places))
    values = np.arange(-most, most + 1)
    one = (1 - a) / (1 + a) * a ** np.abs(values)
    nodes = np.stack(np.meshgrid(*[values] * rules.places, indexing="ij"), axis=-1).reshape(-1, rules.places)
    chance = np.prod(one[nodes + most], axis=1)
    noise = slice_ranks.prefix_noise(rules.kind, nodes)
    counts = n - noise[:, -1] if rules.bridged else np.full(len(nodes), n)
    slices: defaultdict[tuple[int, int, int], float] = defaultdict(float)
    refused: defaultdict[int, float] = defaultdict(float)
    not_good = 0.0
    for count in np.unique(counts):
        rows = counts == count
        layout = arrange(rules, int(count), 2) if parameters.n_public is None else public_layout(rules, n, 2)[1]
        if layout is None:
            refused[int(count)] += float(chance[rows].sum())
            continue
        ranks, width = ranks_at(rules.levels, np.array([count])), layout.half_width
        noisy, own = ranks + noise[rows][:, :2], chance[rows]
        good = is_good(noisy, width) & ((np.diff(ranks) - 2 * width) >= layout.slack)[0, 0]
        not_good += own[~good].sum()
        for pair, p in zip(np.clip(noisy[good], -width, n + width).tolist(), own[good].tolist(), strict=True):
            slices[(width, *pair)] += p
    return slices, refused, not_good


def left_out(parameters, most):
    rules = parameters.rules
    scale = slice_ranks.most_moved(rules.kind, rules.places) / (rules.rank_epsilon * parameters.factor)
    return rules.places * 2 * exp(-most / float(scale))


def whole_law(parameters, records, grid, most):
    """The law of all outputs: sorted pairs, then the refusals by their noisy number."""
    slices, refused, not_good = chances_of_ranks(parameters, len(records), most)
    outputs, cells = all_outputs(grid, 2), np.array(sorted(records), np.int64)
    uniform = np.where(outputs[:, 0] == outputs[:, 1], 1, 2) / grid**2
    law = not_good * uniform
    keys, chances = np.array(list(slices)).reshape(-1, 3), np.array(list(slices.values()))
    target_level = slice_target_level(parameters.rules.draw_epsilon).times(parameters.factor)
    for at, output in enumerate(outputs):
        rows = np.tile(output, (len(keys), 1))
        law[at] += chances @ np.exp(log_draws(rows, cells, keys[:, 1:], keys[:, :1], target_level, grid).sum(axis=1))
    return law, refused


def delta_between(p, q, epsilon):
    """The smallest delta for outputs and refusals together."""
    (law, refused), (other, other_refused) = p, q
    total = np.maximum(law - exp(epsilon) * other, 0).sum()
    for count in refused.keys() | other_refused.keys():
        total += max(refused[count] - exp(epsilon) * other_refused[count], 0)
    return total


def small_plan(adjacency, noise="flat", epsilon=2.0, delta=0.05, share=0.5):
    options = {"half_width": 1, "rank_share": share, "noise": noise}
    return Plan([0, 1], "slice", ApproxDP(epsilon, delta), adjacency, options)


def bound_on_delta(parameters, n):
    rules = parameters.rules
    if parameters.n_public is None:
        slack = tuple(slice_layout.needed_slacks(rules, (0, 1), 2))
        return float(failure_delta(rules, slack, rules.node_epsilon))
    return float(layout_delta(rules, public_layout(rules, n, 2)[1]))


@pytest.mark.slow(keep="3-5-flat")
@pytest.mark.parametrize("noise", KINDS)
@pytest.mark.parametrize(("grid", "n"), [(3, 5), (4, 4)])
def test_joining_is_pure_and_leaving_costs_delta(grid, n, noise):
    """Every data set and every record that joins or leaves; refusals show their noisy number and count as outputs."""
    most = 16 if noise == "flat" else 30
    parameters = calibrate(small_plan(Adjacency.ADD_REMOVE, noise, epsilon=3.0), None)
    tolerance, bound, reached = left_out(parameters, most), bound_on_delta(parameters, n), 0.0
    assert bound <= 0.05
    assert sum(chances_of_ranks(parameters, n, most)[1].values()) > 1e-3  # some runs are refused
    for records in combinations_with_replacement(range(grid), n):
        law = whole_law(parameters, records, grid, most)
        for extra in range(grid):
            other = whole_law(parameters, (*records, extra), grid, most)
            assert delta_between(law, other, 3.0) <= tolerance
            leaves = delta_between(other, law, 3.0)
            assert leaves <= bound + tolerance
            reached = max(reached, np.abs(np.log(law[0] / other[0])).max())
    assert reached > 0.3  # the enumeration sees something to bound


@pytest.mark.slow(keep="3-14-two_level")
@pytest.mark.usefixtures("little_wandering")
@pytest.mark.parametrize("noise", KINDS)
@pytest.mark.parametrize(("grid", "n"), [(3, 14)])
def test_replacing_costs_twice_and_delta_once(grid, n, noise):
    most = 30 if noise == "flat" else 60
    parameters = calibrate(small_plan(Adjacency.REPLACE_ONE, noise, epsilon=4.0), n)
    tolerance, bound = left_out(parameters, most), bound_on_delta(parameters, n)
    assert bound <= parameters.guarantee.delta <= 0.05
    for low in range(0, n - 1, 3):
        for high in range(0, n - 1 - low, 3):
            records = (0,) * low + (1,) * (n - low - high) + (2,) * high
            law = whole_law(parameters, records, grid, most)
            for at in {0, low, n - 1}:
                for value in set(range(grid)) - {records[at]}:
                    other = whole_law(parameters, (*records[:at], value, *records[at + 1 :]), grid, most)
                    assert delta_between(law, other, 4.0) <= bound + tolerance
                    assert delta_between(other, law, 4.0) <= bound + tolerance


def test_the_enumerated_laws_sum_to_one():
    parameters = calibrate(small_plan(Adjacency.ADD_REMOVE), None)
    law, refused = whole_law(parameters, (0, 1, 1, 2, 3), 4, 16)
    assert law.sum() + sum(refused.values()) == pytest.approx(1, abs=left_out(parameters, 16))


@pytest.mark.parametrize("factor", [1, 2])
def test_half_the_noise_is_caught_by_the_same_enumeration(factor):
    """Most of the budget is in the ranks here; the noisy number of a refusal alone then shows too much."""
    sound = calibrate(small_plan(Adjacency.ADD_REMOVE, epsilon=2.0, delta=0.01, share=0.95), None)
    parameters, records = sound.with_rates_times(Fraction(factor)), (0, 2, 2)
    laws = [whole_law(parameters, each, 3, 24) for each in (records, (*records, 2))]
    worst = max(delta_between(p, q, 2.0) for p, q in (laws, laws[::-1]))
    limit = bound_on_delta(sound, 3) + left_out(parameters, 24)
    assert limit < 0.02
    assert (worst > 0.1) if factor == 2 else (worst <= limit)


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1, 2])
def test_one_replaced_record_changes_a_draw_by_its_budget_at_most(factor):
    """All slices of 4 records on 5 cells, stand-ins outside 1..n included, in every range; half the noise is caught."""
    budget, worst = Fraction(1), 0.0
    target_level, cells = slice_target_level(budget).times(Fraction(factor)), np.arange(5)[:, None]
    for records in combinations_with_replacement(range(5), 3):
        for at in range(3):
            for value in range(5):
                other = np.sort([*records[:at], *records[at + 1 :], value])
                for rank in range(-1, 6):
                    noisy = np.full((5, 1), rank)
                    laws = [
                        log_draws(cells, np.array(r), noisy, 2, target_level, 5).sum(axis=1) for r in (records, other)
                    ]
                    worst = max(worst, np.abs(laws[0] - laws[1]).max())
    assert (worst <= 1) == (factor == 1)
    assert worst > 0.75


# ── pure budgets ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("levels", [2, 5])
@pytest.mark.parametrize("cells", [2, 74, 2**41])
def test_the_mixture_outweighs_delta(levels, cells):
    plan = Plan([f"{i}/{levels}" for i in range(levels)], "slice", PureDP(1.0), Adjacency.REPLACE_ONE)
    n = 10**5
    parameters = calibrate(plan, n)
    rules, layout, _ = public_layout(parameters.rules, n, cells)
    delta = layout_delta(rules, layout)
    gamma = Fraction(slice_layout.mixture(rules, delta, cells), 2**62)
    outputs = Fraction(comb(cells + levels - 1, levels))
    assert gamma / outputs * Fraction(expm1(1.0) * (1 - 1e-15)) >= Fraction(delta)
    assert 0 < gamma <= slice_layout.MOST_MIXTURE * Fraction(1001, 1000)


# ── the lemma that the app shows ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("adjacency", BOTH)
def test_the_lemma_reaches_the_claim_and_catches_half_the_noise(adjacency):
    a, b = (np.array([1, 2, 2]), np.array([1, 2, 2, 4]) if adjacency is Adjacency.ADD_REMOVE else np.array([2, 2, 4]))
    one = calibrate(Plan(["1/2"], "slice", PureDP(1.0), adjacency), 3)
    assert lemma_loss(a, b, one, 5).epsilon == pytest.approx(1.0)
    assert lemma_loss(a, b, one, 5).delta == 0
    halved = lemma_loss(a, b, one.with_rates_times(Fraction(2)), 5)
    assert halved.epsilon == pytest.approx(2.0)
    assert halved.delta > 0.6
    assert lemma_loss(a, a, one, 5).epsilon == 0
    many = calibrate(Plan(["1/4", "1/2", "3/4"], "slice", ApproxDP(1.0, 1e-6), adjacency), 3000)
    sound, broken = lemma_loss(a, b, many, 5), lemma_loss(a, b, many.with_rates_times(Fraction(2)), 5)
    assert sound.epsilon == inf
    assert sound.delta <= many.guarantee.delta
    assert broken.delta > 0.6
    assert lemma_loss(a, b, many.with_rates_times(Fraction(1, 2)), 5).delta > sound.delta


@pytest.mark.parametrize("adjacency", BOTH)
def test_the_lemma_of_a_pure_mixture(adjacency):
    a, b = (np.array([1, 2, 2]), np.array([1, 2, 2, 4]) if adjacency is Adjacency.ADD_REMOVE else np.array([2, 2, 4]))
    pure = calibrate(Plan(["1/4", "1/2", "3/4"], "slice", PureDP(1.0), adjacency), 10**5)
    assert lemma_loss(a, b, pure, 5).epsilon == pytest.approx(1.0)
    assert lemma_loss(a, b, pure, 5).delta == 0
    assert lemma_loss(a, b, pure.with_rates_times(Fraction(2)), 5).epsilon > 1.9
    assert lemma_loss(a, b, pure.with_rates_times(Fraction(1, 2)), 5).epsilon > 1.9  # more noise, more failures
