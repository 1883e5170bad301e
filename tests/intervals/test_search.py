"""The search for the shortest distance of ends that a theorem proves."""

from __future__ import annotations

import pytest

import dpq_core as dpq
from dpq_core.errors import Infeasible
from dpq_core.intervals.search import FIRST, shortest

N = 10_000


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


def test_where_no_distance_has_room_it_is_said_without_a_charge() -> None:
    def refuses(distance: float) -> bool:
        raise Infeasible("quantiles", "must be fewer.", (), count=3)

    with pytest.raises(dpq.ParameterError, match="no room for its levels") as refused:
        shortest(refuses, 100, FIRST)
    assert not isinstance(refused.value, Infeasible)


def test_a_distance_without_room_is_not_enough_and_a_longer_one_is_tried() -> None:
    def is_enough(distance: float) -> bool:
        if distance < 100:
            raise Infeasible("quantiles", "must be fewer.", (), count=3)
        return True

    assert 100 <= shortest(is_enough, N, FIRST) <= 105
