"""The search for the distance of each interval, on intervals that need known distances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.arrays import Floats
from dpq_core.errors import Infeasible
from dpq_core.intervals.distances import MOST_LOOKS, Distances, Verdict

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


def test_a_guess_that_is_far_too_short_grows_and_ends_at_all_records() -> None:
    look = Needs(*[N / 2] * 9)
    assert (searched(look).shortest(8) >= N / 2).all()

    def fails_up_to_n(distances: Floats, rough: bool, before: Sequence[int]) -> Verdict:
        holds = distances > N
        return Verdict(np.where(holds, 0.0, 1.0), RUNS, holds)

    search = Distances(DECILES, N, LIMIT, CELLS, fails_up_to_n, lambda distance: 27)
    assert (search.shortest(100) == N + 1).all()


def test_where_no_distance_has_room_it_is_said_without_a_charge() -> None:
    def refuses(distances: Floats, rough: bool, before: Sequence[int]) -> Verdict:
        raise Infeasible("quantiles", "must be fewer.", (), count=3)

    search = Distances(DECILES, N, LIMIT, CELLS, refuses, lambda distance: 27)
    with pytest.raises(dpq.ParameterError, match="no room for its levels") as refused:
        search.shortest(100)
    assert not isinstance(refused.value, Infeasible)


def test_slices_without_room_get_longer_distances() -> None:
    enough = Needs(*[100.0] * 9)

    def look(distances: Floats, rough: bool, before: Sequence[int]) -> Verdict:
        if distances.min() < 300:
            raise Infeasible("quantiles", "must be fewer.", (), count=3)
        return enough(distances, rough, before)

    found = Distances(DECILES, N, LIMIT, CELLS, look, lambda distance: 27).shortest(100)
    assert 300 <= found.min() <= 450
    assert len(enough.looks) <= MOST_LOOKS + 1
