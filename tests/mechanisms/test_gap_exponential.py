"""The draw that everything rests on: both samplers have its law, in any range and for any target."""

from fractions import Fraction

import numpy as np
import pytest

from dpq_core.mechanisms.exponential import sampling
from dpq_core.mechanisms.exponential.density import log_density
from dpq_core.mechanisms.exponential.distribution import Ranges, Rate, Target, rounded_rate, split_targets
from dpq_core.mechanisms.exponential.sampling import draw
from tests.harness import SAMPLERS, ExactEntropy, SeededSampler, check_chances


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(("records", "rate"), [
    ([3, 9, 9, 14, 20, 27, 35], Fraction(1, 4)), ([5] * 6 + [20, 30], Fraction(1)), ([], Fraction(1)),
    ([8, 29], Fraction(2)), ([1, *range(4, 36), *[37] * 12], Fraction(1, 9)), ([0] * 30 + [39] * 15, Fraction(1, 30)),
])  # fmt: skip
def test_both_samplers_have_the_stated_law(sampler, records, rate):
    """Outcome by outcome, with blocks of one gap and of many, inner ones and open ones."""
    cells, target_level = np.array(records, np.int64), Target((Fraction(1, 3),), rate)

    def program(entropy):
        return tuple(draw(cells, Ranges.whole(cells.size, 40, (1, 1)), (target_level,), entropy)[0].tolist())

    outputs = np.arange(40)[:, None]
    stated = log_density(cells, Ranges.whole(cells.size, 40, outputs.shape), (target_level,), outputs)[:, 0]
    check_chances(SAMPLERS[sampler](program), outputs, np.exp(stated))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("target", [-4, 0, 3, 7, 30])
def test_both_samplers_have_the_law_of_an_explicit_target(sampler, target):
    """Weights exp(-rate |k - t|) up to a factor, also for targets outside 0..count."""
    cells, target_level = (
        np.array([3, 5, 5, 8, 9, 13, 15]),
        Target((Fraction(1, 2),), Rate(Fraction(1, 3)), floored=True),
    )
    outputs = np.arange(20)[:, None]

    def program(entropy):
        parts = Ranges.whole(cells.size, 20, (1, 1))
        return tuple(draw(cells, parts, (target_level,), entropy, np.array([[target]]))[0].tolist())

    weights = np.exp(-np.abs(np.searchsorted(cells, outputs[:, 0]) - target) / 3)
    check_chances(SAMPLERS[sampler](program), outputs, weights / weights.sum())
    parts = Ranges.whole(cells.size, 20, outputs.shape)
    stated = log_density(cells, parts, (target_level,), outputs, np.full(outputs.shape, target))[:, 0]
    assert np.allclose(np.exp(stated), weights / weights.sum())


@pytest.mark.parametrize("count", [0, 1, 10, 100_000])
def test_a_part_answers_within_its_range(count):
    cells = np.sort(np.random.default_rng(0).integers(0, 10**9, count))
    parts = Ranges(*(np.full((50, 1), x) for x in (count // 4, count // 2, 10**8, 9 * 10**8)))
    for entropy in (SeededSampler(1, 50), ExactEntropy()):
        chosen = draw(cells, parts, (Target((Fraction(1, 3),), Rate(Fraction(1, 10))),), entropy)
        assert (chosen >= 10**8).all()
        assert (chosen <= 9 * 10**8).all()


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("sampler", [SeededSampler(1, 64), ExactEntropy()], ids=["fast", "exact"])
def test_a_target_deep_inside_ties_still_ends(sampler, signed):
    """Of a million records at one value few blocks are weighed: there were as many as records, and it took seconds."""
    cells, most = np.full(10**6, 2**39), []
    weighed = sampling.Blocks.__init__

    def noted(self, draws, blocks):
        most.append(blocks)
        weighed(self, draws, blocks)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sampling.Blocks, "__init__", noted)
        parts = Ranges.whole(cells.size, 2**40, (sampler.trials, 1))
        draw(cells, parts, (Target((Fraction(97, 100),), Rate(Fraction(1, 2)), signed=signed),), sampler)
    assert max(most) <= 200


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("count", [700, 820])
def test_records_at_one_bound_do_not_hold_up_a_draw(mirrored, count):
    """Bounds set too narrow: nearly all records in the last cell, the target among them, an empty half far away."""
    rng, top = np.random.default_rng(0), 2**40
    records = np.sort(np.where(rng.random(count) < 0.95, top - 1, rng.integers(top // 2, top, count)))
    level = Fraction(97, 100)
    if mirrored:
        records, level = top - 1 - records[::-1], 1 - level
    parts = Ranges.whole(count, top, (40, 1))
    assert draw(records, parts, (Target((level,), Rate(Fraction(3, 100)), False),), SeededSampler(1, 40)).shape == (
        40,
        1,
    )


def test_targets_are_split_exactly():
    """Of many records in units, with denominators up to where their square fits, and beyond."""
    levels = [Fraction(0), Fraction(1), Fraction(2, 3), Fraction(2**31 - 1, 2**31), Fraction(1, 3**40), Fraction(0.1)]
    counts = np.array([[0], [1], [2**31 + 7], [2**53 - 1]]) + np.zeros((1, 6), np.int64)
    for some in (slice(4), slice(6)):
        target_levels = tuple(Target((level,), Rate(Fraction(1))) for level in levels[some])
        whole, rest = split_targets(counts[:, some], target_levels)
        for row, count in enumerate(counts[:, 0].tolist()):
            for column, level in enumerate(levels[some]):
                exact = divmod(level * count, 1)
                assert (whole[row, column], rest[row, column] > 0) == (exact[0], exact[1] > 0)
                assert rest[row, column] == pytest.approx(float(exact[1]), rel=1e-15)


def test_a_rate_is_rounded_down_by_little():
    for rate in (Fraction(1, 3), Fraction(10**9, 7), Fraction(1, 3**200), Fraction(1, 4)):
        assert rate * (1 - Fraction(1, 2**62)) < rounded_rate(rate) <= rate


def test_huge_denominators_draw_as_their_floats():
    cells = np.arange(0, 1000, 7)
    level = Fraction(10**9 + 7, 2 * 10**9 + 11)
    parts = Ranges.whole(cells.size, 1000, (2000, 1))
    plain = draw(cells, parts, (Target((Fraction(1, 2),), Rate(Fraction(1, 4))),), SeededSampler(5, 2000))
    fine = draw(cells, parts, (Target((level,), Rate(Fraction(1, 4))),), SeededSampler(5, 2000))
    assert np.abs(plain - fine).mean() < 1
