"""Proposals and coins of the exact sampler: all random bits are followed, and rounding is held to its promises."""

import secrets
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf

from dpq_core.noise import exact
from dpq_core.noise.exact import SCALE_BITS, ExactEntropy, at_most, chance_between, whole_weights

DEPTH = 12
CHANCES = [
    (Fraction(1, 3), Fraction(0)), (Fraction(5, 16), Fraction(0)), (Fraction(1), Fraction(0)),
    (Fraction(1), Fraction(1, 50)), (Fraction(3, 4), Fraction(7, 3)), (Fraction(1, 10**6), Fraction(-13)),
    (Fraction(10**9), Fraction(21)), (Fraction(1), Fraction(400)),
]  # fmt: skip


class EndOfBits(Exception):
    """A draw that wants more bits than were given."""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Iterator[None]]:
    """Give all sequences of so many random bits, one after the other, to what draws."""

    def sequences(count: int) -> Iterator[None]:
        for bits in product("01", repeat=count):
            left = "".join(bits)

            def randbits(wanted: int) -> int:
                nonlocal left
                if wanted > len(left):
                    raise EndOfBits
                first, left = left[:wanted], left[wanted:]
                return int(first or "0", 2)

            monkeypatch.setattr(secrets, "randbits", randbits)
            yield

    return sequences


def law_of(draw: Callable[[], object], told: Iterator[None]) -> tuple[dict[object, Fraction], Fraction]:
    """The chances of what is drawn, and the chance that it wants more bits."""
    found: dict[object, Fraction] = {}
    for _ in told:
        try:
            outcome = draw()
        except EndOfBits:
            outcome = EndOfBits
        found[outcome] = found.get(outcome, Fraction(0)) + Fraction(1, 2**DEPTH)
    return found, found.pop(EndOfBits, Fraction(0))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("ratio", "exponent"), CHANCES)
@pytest.mark.parametrize("word", [1, 4])
def test_a_coin_of_all_bits(ratio, exponent, word, told, monkeypatch):
    monkeypatch.setattr(exact, "WORD", word)
    found, open_still = law_of(lambda: ExactEntropy().accept(ratio, exponent), told(DEPTH))
    low, high = chance_between(ratio, exponent, 200)
    lands = found.get(True, Fraction(0))
    assert lands * 2**200 <= high
    assert (lands + open_still) * 2**200 >= low
    assert open_still <= Fraction(2, 2**DEPTH)


def test_a_chance_above_one_is_an_alarm():
    with pytest.raises(AssertionError, match="never rarer"):
        ExactEntropy().accept(Fraction(1001, 1000), Fraction(1, 2000))


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8])
def test_a_uniform_integer_of_all_bits(limit, told):
    found, open_still = law_of(lambda: ExactEntropy().integer_below(limit), told(DEPTH))
    assert found == dict.fromkeys(range(limit), (1 - open_still) / limit)
    assert open_still <= Fraction(1, 2) ** 4


def test_a_choice_of_all_bits(told):
    weights = np.array([0, 3, 0, 1, 2, 0])
    found, open_still = law_of(lambda: ExactEntropy().choice(weights.cumsum()), told(DEPTH))
    assert found == {place: (1 - open_still) * Fraction(weights[place].item(), 6) for place in (1, 3, 4)}


@pytest.mark.parametrize(
    "exponent", [Fraction(1, 10**30), Fraction(1), Fraction(-7, 3), Fraction(10**9, 7), -Fraction(900)]
)
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(2, 3), Fraction(3**40), Fraction(1, 7**50)])
@pytest.mark.parametrize("bits", [64, 320])
def test_bounds_of_a_chance_hold_it(ratio, exponent, bits):
    mp.dps = 1000
    own = mpf(ratio.numerator) / ratio.denominator * mp.exp(-mpf(exponent.numerator) / exponent.denominator) * 2**bits
    low, high = chance_between(ratio, exponent, bits)
    assert low <= own <= high <= low + 2
    assert min(own, 2**bits) < at_most(ratio, exponent, bits) or own >= 2**bits == at_most(ratio, exponent, bits)


def test_whole_weights_are_close_above_their_logarithms():
    """Above S exp(l - m) (1 - 2^-30), which a theorem wants, and never above it by more than 1 and 2^-30."""
    mp.dps = 50
    random = np.random.default_rng(1)
    for size in (1, 2, 7, 300):
        logs = random.normal(0, 1, (3, size)) * np.array([[0.01], [10.0], [5000.0]]) - 700
        logs[:, 1::5] = -np.inf
        weights, largest = whole_weights(logs)
        for row in range(3):
            for weight, log in zip(weights[row].tolist(), logs[row].tolist(), strict=True):
                own = mp.exp(mpf(log) - mpf(largest[row])) * 2**SCALE_BITS
                assert weight >= (own > 0)
                assert own * (1 - mpf(2) ** -30) <= weight <= own * (1 + mpf(2) ** -30) + 1
    with pytest.raises(AssertionError, match="NaN"):
        whole_weights(np.array([0.0, np.nan]))
    with pytest.raises(AssertionError, match="has an option"):
        whole_weights(np.array([-np.inf, -np.inf]))
