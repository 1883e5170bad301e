"""The search for the distance of the ends: a guess, longer ones where intervals fail, and what a theorem proves."""

from fractions import Fraction

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.arrays import Floats
from dpq_core.calibrations import calibrate
from dpq_core.errors import Infeasible, ParameterError
from dpq_core.intervals.ends import FAR, FIRST, LONGER, at_levels, checked, guessed, shortest

N, LIMIT = 10_000, 0.05
DECILES = tuple(Fraction(level, 10) for level in range(1, 10))


def test_guesses_are_longer_for_more_orders_and_less_budget_and_for_the_outermost_levels() -> None:
    less, more = (calibrate(dpq.Plan(DECILES, "indexp", dpq.PureDP(epsilon))) for epsilon in (0.5, 1.0))
    assert (guessed(DECILES, 17, more) < guessed(DECILES, 20, more)).all()
    assert (guessed(DECILES, 17, more) < guessed(DECILES, 17, less)).all()
    levels = tuple(Fraction(level, 100) for level in range(1, 100))
    splits = guessed(levels, 17, calibrate(dpq.Plan(levels, "aq", dpq.PureDP(1.0))))
    assert splits[0] == splits[1] == splits[-1] > splits[2] == splits[50]
    slices = calibrate(dpq.Plan(["1/2"], "slice", dpq.ApproxDP(1.0, 1e-6)))
    assert guessed((Fraction(1, 2),), 17, slices).tolist() == [FIRST]


def test_even_levels_are_one_anothers_ends_at_multiples_of_what_is_between_them() -> None:
    assert at_levels(DECILES, 3000, 120).tolist() == [298] * 9
    assert at_levels(DECILES, 3000, 301).tolist() == [598] * 9


def test_guesses_that_hold_are_taken_and_where_nothing_holds_every_end_is_a_bound() -> None:
    first = np.array([90.0, 80, 90])
    assert (checked(first, N, np.zeros_like, LIMIT) == first).all()
    assert checked(np.array([50.0]), 1000, lambda distances: np.where(distances <= 1000, 1.0, 0.0), LIMIT) == 1001


@pytest.mark.parametrize("first", [1.0, 8.0, 60.0, 95.0])
@pytest.mark.parametrize("needed", [9.0, 100, 3000])
def test_guesses_that_are_too_short_grow_until_all_intervals_hold(first: float, needed: float) -> None:
    """By much where most runs fail, and by little where few do."""
    tried = list[Floats]()

    def look(distances: Floats) -> Floats:
        tried.append(distances)
        return np.where(distances >= needed, 0.0, np.where(distances > 0.85 * needed, 0.3, 1.0))

    found = checked(np.array([first, 2 * first]), N, look, LIMIT)
    assert found.min() >= min(needed, found.max())
    assert found.min() <= max(first, FAR * needed, needed + 1)
    assert len(tried) <= 60
    if 0.85 * needed < first < needed:
        assert found.min() <= max(LONGER * needed, needed + 1)


def test_slices_without_room_get_longer_distances_or_are_refused() -> None:
    def look(distances: Floats) -> Floats:
        if distances.min() < 300:
            raise Infeasible("quantiles", "must be fewer.", (), count=3)
        return 0 * distances

    assert 300 <= checked(np.array([100.0]), N, look, LIMIT) <= 300 * FAR
    with pytest.raises(ParameterError, match="no room for its levels"):
        checked(np.array([100.0]), 200, look, LIMIT)


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
