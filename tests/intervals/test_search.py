"""The search for the shortest distance of ends, on shapes that need known distances."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import dpq_core as dpq
from dpq_core.errors import Infeasible
from dpq_core.intervals.search import FIRST, Search

N = 10_000


class Needs:
    """Shapes that need these distances, and what was tried on how many of them."""

    def __init__(self, *distances: float) -> None:
        self.distances, self.tried = distances, list[tuple[float, int]]()

    def __call__(self, distance: float, shapes: Sequence[int]) -> list[int]:
        self.tried.append((distance, len(shapes)))
        return sorted(
            (shape for shape in shapes if distance < self.distances[shape]), key=lambda shape: -self.distances[shape]
        )


@pytest.mark.parametrize("guess", [FIRST, 64, 500])
@pytest.mark.parametrize("needs", [(100, 3, 7), (3, 100, 7), (60, 99, 100), (100, 100, 100), (7, 5, 100)])
def test_the_distance_is_little_more_than_the_hardest_shape_needs(needs: tuple[float, ...], guess: float) -> None:
    failing = Needs(*needs)
    assert 100 <= Search(failing, N, 3).shortest(guess) <= 108
    assert len(failing.tried) <= 20


def test_all_shapes_are_tried_together_first_and_last_and_the_hardest_alone_between() -> None:
    failing = Needs(100, *[3.0] * 9)
    Search(failing, N, 10).shortest(64)
    assert [many for _, many in failing.tried] == [10, 1, 1, 1, 1, 1, 1, 9]
    assert len(failing.tried) == len(set(failing.tried)), "nothing is tried twice"


def test_a_short_distance_is_found_to_one_rank_and_a_long_one_ends_at_all_records() -> None:
    assert Search(Needs(1), N, 1).shortest(FIRST) == FIRST - 3
    assert Search(Needs(N + 1), N, 1).shortest(FIRST) > N


def test_where_no_distance_has_room_it_is_said_without_a_charge() -> None:
    def refuses(distance: float, shapes: Sequence[int]) -> list[int]:
        raise Infeasible("quantiles", "must be fewer.", (), count=3)

    with pytest.raises(dpq.ParameterError, match="no room for its levels") as refused:
        Search(refuses, 100, 2).shortest(FIRST)
    assert not isinstance(refused.value, Infeasible)
