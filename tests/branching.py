"""The exact law of what a program answers: every outcome of every draw is followed, none is drawn.

`enumerate_law` runs a program, such as a mechanism's shipped `run`, again and again with an entropy that branches: at
each draw it takes one outcome, with its weight, and later comes back for the others (a replay of the choices so far,
then depth first). What leaves is a law with exact rational chances.

- A draw of a sampler is one branching point. Uniform integers, coins and choices have rational weights. Discrete
  Laplace and Gaussian weights are irrational: they are rounded down, from directed bounds of exponentials.

- `accepted` is closed: one attempt is followed along all of its own outcomes; the chance to begin again is divided
  out. An attempt must change nothing outside of itself, which no code here can check.

- Tails of integer noise are cut where a path's weight falls below a bound. Only there is anything left out.

Weights are integers in units of 2^-1024, rounded down at every step. So every chance is a lower bound, and `cut`, what
is missing from 1, is an upper bound of what any set of outcomes may have more.

`enumerate_fast_law` does the same for one trial of the fast sampler. Weights and chances that mechanisms hand to it are
floats. They are taken as the rational numbers that they are, so that the law is that of the code, up to the 53 bits of
a uniform float. Its noise is followed by the law that it should have.

Which mechanisms, budgets and sizes the tests follow is listed in `tests/audit/test_enumerated_*.py`.

Not followed. How the samplers make single draws: from words of the operating system (`tests/noise/test_words.py` holds
`noise.integer_noise` to its thresholds, `tests/noise/test_proposals.py` follows all bits of a coin and of a choice),
from numpy's floats (`tests/noise/test_fast.py`). The tie-breaking of a Column,
drawn before that. Larger data: paths are too many; `tests/audit/test_recorded_draws.py` compares kind, size and number
of their draws.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import count, pairwise
from math import isqrt, prod
from typing import Any, TypeAlias, TypeVar

import numpy as np

from dpq_core.arrays import Flags, Floats, Integers
from dpq_core.noise.entropy import Attempt
from dpq_core.noise.exact import ExactEntropy, at_most, chance_between
from dpq_core.noise.fast import SeededSampler
from dpq_core.noise.integer_noise import Size, exp_floor

T = TypeVar("T")
BITS = 1024
ONE = 1 << BITS
MOST_OUTCOMES = 4096
"""Of a uniform draw: with more, the data are not tiny."""
Weighted: TypeAlias = Iterable[tuple[Any, int]]
"""Outcomes with their chances, lower bounds in units of 2^-BITS."""


@dataclass(frozen=True)
class Distribution:
    """Chances of outcomes, exact lower bounds; `cut` is all that is missing, so each is short of at most that."""

    chances: Mapping[Any, Fraction]
    cut: Fraction

    def at_least(self, outcome: Hashable) -> Fraction:
        """A lower bound of the chance of an outcome."""
        return self.chances.get(outcome, Fraction(0))

    def excess(self, other: Distribution, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Bounds of the sum of max(0, P - e^epsilon P') over all outcomes: the delta that a claim of epsilon needs."""
        small, large = exp_bounds(epsilon)
        nothing = Fraction(0)
        perhaps = sum((max(nothing, p - small * other.at_least(x)) for x, p in self.chances.items()), nothing)
        one_by_one, together = (
            sum((max(nothing, p - large * (other.at_least(x) + own)) for x, p in self.chances.items()), nothing)
            for own in (other.cut, nothing)
        )
        return max(one_by_one, together - large * other.cut), perhaps + self.cut


def exp_bounds(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Rational numbers close below and above e^epsilon, epsilon >= 0."""
    inverse = exp_floor(epsilon, BITS)
    return Fraction(ONE, inverse + 1), Fraction(ONE, inverse)


def enumerate_law(program: Callable[[ExactEntropy], Hashable], cut_below: Fraction = Fraction(0)) -> Distribution:
    """The law of what `program` returns, hashable, for entropy from the operating system.

    Outcomes of integer noise are left out where the path to them weighs less than `cut_below`, which must be above 0
    for a program that draws such noise. Cost: one run for every path.
    """
    return law_of_paths(_Branching, program, cut_below)


def law_of_paths(sampler: type[Paths], program: Callable[[Any], Any], cut_below: Fraction) -> Distribution:
    """The law of what `program` returns for a sampler that branches."""
    weights = _weights(sampler, program, int(cut_below * ONE))
    cut = 1 - Fraction(sum(weights.values()), ONE)
    return Distribution({outcome: Fraction(weight, ONE) for outcome, weight in weights.items()}, cut)


def _weights(sampler: type[Paths], program: Callable[[Any], Any], cut_below: int) -> dict[Any, int]:
    """Lower bounds of the chances of all outcomes, in units of 2^-BITS."""
    found: defaultdict[Any, int] = defaultdict(int)
    waiting: list[tuple[_Path, int]] = [((), ONE)]
    while waiting:
        entropy = sampler(*waiting.pop(), cut_below)
        outcome = program(entropy)
        entropy.check_replayed()
        found[outcome] += entropy.weight
        waiting += entropy.others
    return dict(found)


_Path: TypeAlias = tuple[tuple[Hashable, Any], ...]
"""What was asked at each draw, and which outcome was taken."""


class Paths:
    """Takes the outcomes of a path, then the first outcome of every further draw; `others` are the paths not taken."""

    def __init__(self, path: _Path, weight: int, cut_below: int) -> None:
        self.weight, self.others = weight, list[tuple[_Path, int]]()
        self._replayed, self._at, self._cut_below = path, 0, cut_below
        self._taken = list(path)

    def check_replayed(self) -> None:
        """The same choices led through the same draws."""
        assert self._at >= len(self._replayed), "a program draws what it drew before, as long as choices are the same"

    def branch(self, request: Hashable, outcomes: Callable[[], Weighted]) -> Any:
        """One outcome of a draw; `request` says which draw it is."""
        self._at += 1
        if self._at <= len(self._replayed):
            before, outcome = self._replayed[self._at - 1]
            assert before == request, f"a program that drew {before} before draws {request} now"
            return outcome
        options = [(each, self.weight * chance >> BITS) for each, chance in outcomes()]
        so_far = tuple(self._taken)
        self.others += [((*so_far, (request, each)), weight) for each, weight in options[1:]]
        outcome, self.weight = options[0]
        self._taken.append((request, outcome))
        return outcome

    def _below(self, limit: int) -> int:
        assert limit <= MOST_OUTCOMES, "too many outcomes to follow: the data are not tiny, or it is no uniform draw"
        return 0 if limit == 1 else int(self.branch(("below", limit), lambda: _uniform(limit)))

    def below(self, limits: Integers) -> Integers:
        """Independent uniform integers, 0 <= x < limit."""
        drawn = [self._below(int(limit)) for limit in limits.reshape(-1)]
        return np.array(drawn, dtype=np.int64).reshape(limits.shape)

    def flag(self, numerator: int, denominator: int) -> bool:
        """A coin; one that is sure does not branch."""
        if not 0 < numerator < denominator:
            return numerator > 0
        return bool(self.branch(("bernoulli", numerator, denominator), lambda: _coin(numerator, denominator)))

    def coins(self, numerator: int, denominator: int) -> Flags:
        """One coin for the one run."""
        return np.array([self.flag(numerator, denominator)])

    def accepted(self, attempt: Callable[[Any], T | None]) -> T:
        """What the first attempt gives that is not None: the law of one attempt, given that it is accepted."""
        found: T = self.branch("accepted", lambda: _given_accepted(type(self), attempt))
        return found

    def accepted_rows(self, attempt: Attempt, rows: Integers, shape: tuple[int, ...], at_once: float = 1) -> Integers:
        """What the first accepted attempt gives for each of the rows, (rows, *shape)."""
        found = [self.accepted(partial(_of_row, attempt, row)) for row in rows.tolist()]
        return np.array(found, dtype=np.int64).reshape(rows.size, *shape)

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        """Independent integers with P(k) proportional to exp(-|k| / scale)."""
        return self._noise("laplace", scale, shape, _laplace)

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        """Independent integers with P(k) proportional to exp(-k^2 / (2 sigma_squared))."""
        return self._noise("gaussian", sigma_squared, shape, _gaussian)

    def _noise(
        self, kind: str, size: Fraction, shape: tuple[int, ...], chance: Callable[[Fraction, int], int]
    ) -> Integers:
        assert self._cut_below > 0, "integer noise has no last outcome: say below which weight paths are cut"
        drawn = [self.branch((kind, size), lambda: self._until_cut(size, chance)) for _ in range(prod(shape))]
        return np.array(drawn, dtype=np.int64).reshape(shape)

    def _until_cut(self, size: Fraction, chance: Callable[[Fraction, int], int]) -> Iterator[tuple[int, int]]:
        """0, and 1, -1, 2, -2, ... as long as the path to them weighs enough."""
        for distance in count():
            own = chance(size, distance)
            if distance and self.weight * own >> BITS < self._cut_below:
                return
            yield from ((value, own) for value in ((distance, -distance) if distance else (0,)))


class _Branching(Paths, ExactEntropy):
    """The draws of the exact sampler."""

    def integer_below(self, limit: int) -> int:
        """One uniform integer, 0 <= x < limit."""
        return self._below(limit)

    def bernoulli(self, numerator: int, denominator: int) -> bool:
        """True with probability numerator / denominator, or 1 where that is more."""
        return self.flag(numerator, denominator)

    def choice(self, sums: Sequence[int] | Integers) -> int:
        """A place with probability proportional to its weight, from the running sums of integer weights."""
        cumulative = tuple(map(int, sums))
        return int(self.branch(("choice", cumulative), lambda: places(cumulative)))

    def accept(self, ratio: Fraction, exponent: Fraction) -> bool:
        """True with probability ratio * exp(-exponent); both chances are rounded down."""
        low, high = chance_between(ratio, exponent, BITS)
        assert low <= ONE, "a proposal is never rarer than its weight"
        assert high >> BITS - 60 <= at_most(ratio, exponent, 60), "what floats say is no less"
        return bool(self.branch(("accept", ratio, exponent), lambda: [(True, low), (False, max(ONE - high, 0))]))

    def accepted_soon(
        self, attempt: Attempt, rows: Integers, tries: int, shape: tuple[int, ...], at_once: float | None = None
    ) -> tuple[Integers, Flags]:
        """What the first of `tries` attempts gives for each of the rows, and whether there is one."""
        found, done = np.zeros((rows.size, *shape), np.int64), np.zeros(rows.size, np.bool_)
        for at, row in enumerate(rows.tolist()):
            law = partial(_accepted_soon, type(self), partial(_of_row, attempt, row), tries)
            if (drawn := self.branch(("accepted soon", tries), law)) is not None:
                found[at], done[at] = drawn, True
        return found, done


def _of_row(attempt: Attempt, row: int, entropy: Any) -> tuple[int, ...] | None:
    """What an attempt gives for one row, or None."""
    drawn, accepted = attempt(entropy, np.array([row]))
    return tuple(drawn.reshape(-1).tolist()) if accepted[0] else None


def _uniform(limit: int) -> Weighted:
    return ((outcome, ONE // limit) for outcome in range(limit))


def _coin(numerator: int, denominator: int) -> Weighted:
    return (True, ONE * numerator // denominator), (False, ONE * (denominator - numerator) // denominator)


def places(sums: tuple[float | Fraction, ...]) -> Weighted:
    """Whole sums, or floats taken as the rational numbers that they are."""
    exact = [Fraction(each) for each in sums]
    weights = (after - before for before, after in pairwise([Fraction(0), *exact]))
    return ((place, int(ONE * weight / exact[-1])) for place, weight in enumerate(weights) if weight)


def _given_accepted(sampler: type[Paths], attempt: Callable[[Any], Any]) -> Weighted:
    """P(outcome) / (1 - P(begin again)): with lower bounds of both chances again a lower bound."""
    weights = _weights(sampler, attempt, 0)
    stays = ONE - weights.pop(None, 0)
    assert weights, "some attempt is accepted"
    return [(outcome, (weight << BITS) // stays) for outcome, weight in weights.items()]


def _accepted_soon(sampler: type[Paths], attempt: Callable[[Any], Any], tries: int) -> Weighted:
    """P(outcome) times the sum of P(begin again)^i for i below `tries`, and P(begin again)^tries: lower bounds too."""
    weights = _weights(sampler, attempt, 0)
    again, before = weights.pop(None, 0), [ONE]
    for _ in range(tries):
        before.append(before[-1] * again >> BITS)
    never = [(None, before.pop())] if before[-1] else []
    return [(outcome, weight * sum(before) >> BITS) for outcome, weight in weights.items()] + never


@lru_cache(maxsize=4096)
def _laplace(scale: Fraction, value: int) -> int:
    """P(value) = (1 - a) / (1 + a) a^|value| with a = exp(-1 / scale), rounded down."""
    a = exp_floor(1 / scale, BITS)
    return exp_floor(abs(value) / scale, BITS) * (ONE - a - 1) // (ONE + a + 1)


@lru_cache(maxsize=4096)
def _gaussian(sigma_squared: Fraction, value: int) -> int:
    """P(value), rounded down."""
    return (exp_floor(Fraction(value**2) / (2 * sigma_squared), BITS) << BITS) // _gaussian_sum(sigma_squared)


@lru_cache(maxsize=64)
def _gaussian_sum(sigma_squared: Fraction) -> int:
    """The sum of exp(-k^2 / (2 sigma_squared)) over all integers, rounded up; for variances up to 2^BITS.

    Beyond K = sqrt(2 BITS sigma_squared) + 1 the terms are below e^-BITS, and their sum is at most a unit: the
    integral of x / K exp(-x^2 / (2 sigma_squared)), which is sigma_squared / K e^-BITS, twice.
    """
    assert sigma_squared <= MOST_OUTCOMES, "wider noise has too many outcomes to follow"
    last = isqrt(int(2 * BITS * sigma_squared)) + 1
    terms = (exp_floor(Fraction(k**2) / (2 * sigma_squared), BITS) + 1 for k in range(1, last + 1))
    return ONE + 2 * sum(terms) + 1


def enumerate_fast_law(program: Callable[[SeededSampler], Hashable], cut_below: Fraction = Fraction(0)) -> Distribution:
    """The law of what `program` returns, hashable, for one trial of the fast sampler with a secret seed."""
    return law_of_paths(_FastBranching, program, cut_below)


class _FastBranching(Paths, SeededSampler):
    """The draws of one trial of the fast sampler."""

    trials = 1

    def bernoulli(self, chances: Floats) -> Flags:
        """Independent flags, true with each of these probabilities, or 1 where that is more."""
        return np.array([self.flag(*chance.as_integer_ratio()) for chance in chances.tolist()], dtype=np.bool_)

    def choice(self, sums: Floats) -> Integers:
        """A place for each row, with probability proportional to its weight, from running sums (rows, places)."""
        return np.array([self.branch(("choice", row), partial(places, row)) for row in map(tuple, sums.tolist())])

    def choices(self, sums: Floats, count: int) -> Integers:
        """Places, each with probability proportional to its weight, from the running sums (places,)."""
        return self.choice(np.broadcast_to(sums, (count, sums.size)))

    def choice_within(self, sums: Floats, first: Integers, last: Integers) -> Integers:
        """A place first <= x < last for each pair, with probability proportional to sums[x + 1] - sums[x]."""
        found = []
        for low, high in zip(first.tolist(), last.tolist(), strict=True):
            exact = [Fraction(each) for each in sums[low : high + 1].tolist()]
            row = tuple(each - exact[0] for each in exact[1:])
            found.append(low + self.branch(("choice", row), partial(places, row)))
        return np.array(found, dtype=np.int64)

    def accepted_soon(
        self, attempt: Attempt, rows: Integers, tries: int, shape: tuple[int, ...], at_once: float | None = None
    ) -> tuple[Integers, Flags]:
        """What the first accepted attempt gives, however late: where there is none in time is followed on its own."""
        return self.accepted_rows(attempt, rows, shape), np.ones(rows.size, dtype=np.bool_)
