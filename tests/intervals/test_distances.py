"""The search for the distance of each interval, on intervals that need known distances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from dpq_core.arrays import Floats
from dpq_core.errors import Infeasible
from dpq_core.intervals.distances import FIRST, MOST_LOOKS, Distances, Verdict, shortest

N, CELLS, LIMIT, RUNS = 10_000, 10**6, 0.05, 160
DECILES = tuple(Fraction(level, 10) for level in range(1, 10))


class Needs:
    """Intervals that fail as often as they may at these distances, and farther out as the model says."""

    def __init__(self, *distances: float, steepness: float = 17.0) -> None:
        self.distances, self.steepness, self.looks = np.array(distances), steepness, list[tuple[Floats, bool]]()
        self.before = list[tuple[int, ...]]()

    def __call__(self, distances: Floats, rough: bool, before: Sequence[int] = ()) -> Verdict:
        self.looks.append((distances.copy(), rough))
        self.before.append(tuple(before))
        odds = LIMIT / (1 - LIMIT) * (self.distances / distances) ** self.steepness
        shares = np.round(RUNS * odds / (1 + odds)) / RUNS
        return Verdict(shares, RUNS, shares < LIMIT, () if (shares < LIMIT).all() else (4, 5))


def searched(look: Needs, levels: tuple[Fraction, ...] = DECILES, drawn: int = 27) -> Distances:
    return Distances(levels, N, LIMIT, CELLS, look, lambda distance: drawn)


@pytest.mark.parametrize("first", [60.0, 100.0, 150.0])
@pytest.mark.parametrize("steepness", [12.0, 17.0, 24.0])
def test_each_level_gets_about_the_distance_that_it_needs(first: float, steepness: float) -> None:
    needed = (110.0, 80, 90, 85, 80, 85, 90, 80, 110)
    look = Needs(*needed, steepness=steepness)
    found = searched(look).shortest(first)
    assert (found >= needed).all()
    assert (found <= np.maximum(1.25 * np.array(needed), 0.7 * first)).all()
    assert len(look.looks) <= 8


def test_a_check_after_one_that_failed_begins_with_the_shapes_that_failed() -> None:
    """The failures that looks do not see, as among ties, are seen by checks: here nothing fails in looks."""
    look = Needs(*[100.0] * 9)

    def kinder(distances: Floats, rough: bool, before: Sequence[int]) -> Verdict:
        seen = look(distances, rough, before)
        return Verdict(0 * seen.shares, RUNS, seen.holds | True) if rough else seen

    found = Distances(DECILES, N, LIMIT, CELLS, kinder, lambda distance: 27).shortest(100)
    checks = [before for (_, rough), before in zip(look.looks, look.before, strict=True) if not rough]
    assert len(checks) > 1
    assert checks[0] == ()
    assert set(checks[1:]) == {(4, 5)}
    assert (found >= 100).all()


@pytest.mark.parametrize("first", [60.0, 90.0])
def test_guesses_that_are_too_short_grow_until_a_check_passes(first: float) -> None:
    needed = (110.0, 80, 90, 85, 80, 85, 90, 80, 110)
    look = Needs(*needed)
    found = searched(look).certified(np.full(9, first))
    assert found is not None
    assert (found >= needed).all()
    assert (found <= np.maximum(1.25 * np.array(needed), first)).all()
    assert not any(rough for _, rough in look.looks)
    assert (look.looks[-1][0] == found).all()


def test_slices_without_room_get_longer_distances() -> None:
    enough = Needs(*[100.0] * 9)

    def look(distances: Floats, rough: bool, before: Sequence[int]) -> Verdict:
        if distances.min() < 300:
            raise Infeasible("quantiles", "must be fewer.", (), count=3)
        return enough(distances, rough, before)

    found = Distances(DECILES, N, LIMIT, CELLS, look, lambda distance: 27).shortest(100)
    assert 300 <= found.min() <= 450
    assert len(enough.looks) <= MOST_LOOKS + 1


@pytest.mark.parametrize("guess", [FIRST, 64, 500, 5000])
@pytest.mark.parametrize("needed", [1, 7, 60, 100, 900])
def test_the_distance_is_little_more_than_what_is_needed(needed: int, guess: float) -> None:
    tried: list[float] = []

    def is_enough(distance: float) -> bool:
        tried.append(distance)
        return distance >= needed

    assert needed <= shortest(is_enough, N, guess) <= max(1.05 * needed, needed + 1)
    assert len(tried) <= 20


def test_a_long_one_ends_at_all_records() -> None:
    assert shortest(lambda distance: distance > N, N, FIRST) > N


def test_a_distance_without_room_is_not_enough_and_a_longer_one_is_tried() -> None:
    def is_enough(distance: float) -> bool:
        if distance < 100:
            raise Infeasible("quantiles", "must be fewer.", (), count=3)
        return True

    assert 100 <= shortest(is_enough, N, FIRST) <= 105
