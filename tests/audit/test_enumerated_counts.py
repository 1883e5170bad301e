"""Tree, bins and normal sample end to end: exact laws of the shipped exact `run` on tiny data.

Followed for tree (one and two levels) and bins: all noisy counts together with the answer, under both adjacencies and
every budget, so that an answer that knows more than the noisy counts would show. For the normal sample: the chosen
bin, with noise on all bins and with a threshold, and the answer of both steps. Not followed: wider trees, more bins,
and sketches of counts in place of a sample.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import exp, inf, log, prod, tanh
from typing import cast

import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, PureDP
from dpq_core.mechanisms.counts.answers import CountParameters
from dpq_core.mechanisms.normal.mechanism import NormalParameters
from dpq_core.mechanisms.normal.range import NONE, fullest_bins
from dpq_core.plan import OptionValue
from dpq_core.privacy.conversions import largest_rho
from tests.branching import enumerate_law
from tests.harness import Entropy, ExactEntropy, Plan, calibrate, column, law_of_run, mechanism_of, usual_column
from tests.narrowing import only, present

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
CUT = Fraction(1, 10**6)
PAIRS = {JOIN: ((0, 1, 1), (0, 1, 1, 1)), REPLACE: ((0, 1, 1), (0, 0, 1))}


class Noted(ExactEntropy):
    """Passes draws on, and keeps those of noise."""

    def __init__(self, entropy: ExactEntropy) -> None:
        self.entropy, self.drawn = entropy, list[int]()

    def integer_below(self, limit):
        return self.entropy.integer_below(limit)

    def discrete_laplace(self, scale, shape):
        self.drawn += (found := self.entropy.discrete_laplace(scale, shape)).ravel().tolist()
        return found

    def discrete_gaussian(self, sigma_squared, shape):
        self.drawn += (found := self.entropy.discrete_gaussian(sigma_squared, shape)).ravel().tolist()
        return found


def counts_of(plan, values):
    """What is counted, written out: a tree on four cells or two, or one bin for each cell."""
    cells = Counter(values)
    leaves = [cells[cell] for cell in range(grid_of(plan))]
    return [leaves[0] + leaves[1], leaves[2] + leaves[3], *leaves] if len(leaves) == 4 else leaves


def grid_of(plan):
    return 2 ** plan.options.get("height", 1)


def law_of_counts(plan, values):
    """The law of all noisy counts and of the answer that `run` gives with them."""
    sample, exact = column(values, grid_of(plan)), counts_of(plan, values)
    parameters = calibrate(plan, len(values) if plan.adjacency is REPLACE else None)

    def program(entropy):
        noted = Noted(entropy)
        answer = mechanism_of(plan).run(sample, parameters, cast(Entropy, noted))[0]
        return tuple(count + noise for count, noise in zip(exact, noted.drawn, strict=True)), tuple(answer.tolist())

    return enumerate_law(program, CUT if len(exact) == 2 else 50 * CUT)


BUDGETS = ((PureDP(2.0), "laplace"), (ApproxDP(3.0, 0.05), "gaussian"), (ZCDP(0.5), "gaussian"), (ZCDP(0.5), "laplace"))
SHAPES: tuple[tuple[str, dict[str, OptionValue]], ...] = (
    ("aggtree", {"branching": 2, "height": 1}), ("aggtree", {"branching": 2, "height": 2}), ("binhist", {}),
)  # fmt: skip


def plan_of(key, options, privacy, kind, adjacency):
    times = (2 if "height" in options and options["height"] == 2 else 1) * (2 if adjacency is REPLACE else 1)
    if isinstance(privacy, ZCDP):
        privacy = ZCDP(privacy.rho * times)  # more counts, and shorter tails
    elif isinstance(privacy, PureDP):
        privacy = PureDP(privacy.epsilon * times)
    else:
        privacy = ApproxDP(privacy.epsilon * times, privacy.delta)
    options = {**options, "noise": kind} if key == "aggtree" else {"bins": 2}
    return Plan(["1/3", "1/2"], key, privacy, adjacency, options)


@pytest.mark.slow(
    keep=("binhist-options2-privacy1-gaussian-replace_one", "aggtree-options0-privacy0-laplace-add_remove")
)
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize(("privacy", "kind"), BUDGETS)
@pytest.mark.parametrize(("key", "options"), SHAPES)
def test_noisy_counts_lose_exactly_the_claim(key, options, privacy, kind, adjacency):
    """The answer follows from the noisy counts alone, and these are apart by the claim: neither more nor less.

    Where the noisy counts of one data set are its exact ones, the log ratio is changed / scale for Laplace noise, and
    changed / (2 sigma^2) for Gaussian noise: the very epsilon, and the very rho.
    """
    plan = plan_of(key, options, privacy, kind, adjacency)
    values = PAIRS[adjacency]
    if grid_of(plan) == 4 and adjacency is REPLACE:
        values = ((0, 1, 2), (0, 1, 1))  # another half, so that every level changes
    changed = plan.options.get("height", 1) * (2 if adjacency is REPLACE else 1)
    laws = [law_of_counts(plan, each) for each in values]
    answers = [dict(law.chances.keys()) for law in laws]
    chances = [{noisy: chance for (noisy, _), chance in law.chances.items()} for law in laws]
    shared = answers[0].keys() & answers[1].keys()
    assert all(answers[0][noisy] == answers[1][noisy] for noisy in shared)
    parameters = calibrate(plan, 3 if adjacency is REPLACE else None)
    assert isinstance(parameters, CountParameters)
    guarantee, laplace = parameters.guarantee, parameters.noise.kind == "laplace"
    for own, (a, b) in zip(values, (chances, chances[::-1]), strict=True):
        exact = tuple(counts_of(plan, own))
        found = log(a[exact] / b[exact])
        if laplace:
            assert max(log(a[noisy] / b[noisy]) for noisy in shared) == pytest.approx(found, rel=1e-12)
            assert guarantee.epsilon == pytest.approx(found, rel=1e-9) or guarantee.delta > 0
            found = found * tanh(found / changed / 2)  # the lemma of `counts.noise`
        assert found == pytest.approx(guarantee.rho, rel=1e-6)
    if isinstance(privacy, ApproxDP) and guarantee.delta:
        assert present(guarantee.rho) <= largest_rho(plan.privacy.epsilon, plan.privacy.delta)


# ── normal sample ────────────────────────────────────────────────────────────────────────────────────────────────────


def normal_plan(epsilon, *, many_bins):
    """Two values, 0 and 1000, in bins of their own."""
    options = {"sigma": 0.01 if many_bins else 1000.0, "mean_bound": 1000.0}
    return Plan(["1/2"], "normal", ApproxDP(epsilon, 0.05) if many_bins else PureDP(epsilon), REPLACE, options)


def normal_sample(ones, n):
    return usual_column([0.0] * (n - ones) + [1000.0] * ones, Domain(0, 1000, 1000), tie_bits=0)


def law_of_bin(plan, column):
    rule = only(NormalParameters, calibrate(plan, column.n)).range_rule
    return enumerate_law(lambda entropy: int(fullest_bins(column, rule, entropy)[0]), CUT), rule


def chances_of_bins(counts, scale, threshold, most=40):
    """By plain summation: the first bin of the largest noisy count, or none; `counts` by bin, those that get noise."""
    a = exp(-1 / scale)
    one = {k: (1 - a) / (1 + a) * a ** abs(k) for k in range(-most, most + 1)}
    chances: defaultdict[int, float] = defaultdict(float)
    for noise in product(one, repeat=len(counts)):
        noisy = {held: count + own for (held, count), own in zip(sorted(counts.items()), noise, strict=True)}
        largest = max(noisy.values(), default=-inf)
        shown = threshold is None or largest > threshold
        held = min(held for held in noisy if noisy[held] == largest) if shown else NONE
        chances[held] += prod(one[own] for own in noise)
    return chances


@pytest.mark.slow(keep=("1-True-8.0", "2-True-4.0", "5-True-8.0", "5-False-4.0"))
@pytest.mark.parametrize(("many_bins", "epsilon"), [(True, 8.0), (True, 4.0), (False, 4.0)])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_range_of_a_normal_sample(many_bins, epsilon, n):
    """The law is that of noise of scale 2 / e1 and the threshold; delta is needed exactly as often as is claimed."""
    plan = normal_plan(epsilon, many_bins=many_bins)
    first, last = (0, 2) if not many_bins else (100000, 200000)
    laws, e1 = [], Fraction(epsilon) / 2
    for ones in (0, 1):
        law, rule = law_of_bin(plan, normal_sample(ones, n))
        counts = {first + 1 if not many_bins else first: n - ones, last: ones}
        counts = {**({0: 0} if not many_bins else {}), **counts}
        counts = {held: count for held, count in counts.items() if count or not many_bins}
        expected = chances_of_bins(counts, 2 / float(e1), rule.threshold, 40 if many_bins else 12)
        assert (rule.threshold is None) == (not many_bins)
        for held in expected.keys() | law.chances.keys():
            least = float(law.at_least(held))
            assert least - 1e-4 * float(law.cut) - 1e-6 <= expected[held] <= least + float(law.cut) + 1e-6
        laws.append(law)
    claimed = Fraction(calibrate(plan, n).guarantee.delta)
    assert (claimed > 0) == many_bins
    for a, b in (laws, laws[::-1]):
        _, most = a.excess(b, e1)
        assert most <= claimed + a.cut
    if many_bins and n == 1:
        shown = float(laws[1].at_least(last))
        assert shown <= claimed <= shown + float(laws[1].cut) + 1e-9  # a bin of one record: all of delta is needed


@pytest.mark.slow(keep="1-True-8.0")
@pytest.mark.parametrize(("many_bins", "epsilon"), [(True, 8.0), (False, 8.0)])
@pytest.mark.parametrize("n", [1, 3])
def test_both_steps_of_a_normal_sample(many_bins, epsilon, n):
    plan = normal_plan(epsilon, many_bins=many_bins)
    guarantee = calibrate(plan, n).guarantee
    laws = [law_of_run(plan, normal_sample(ones, n), CUT) for ones in (0, 1)]
    for a, b in (laws, laws[::-1]):
        assert a.cut < Fraction(1, 200)
        _, most = a.excess(b, Fraction(guarantee.epsilon))
        assert most <= Fraction(guarantee.delta) + a.cut
