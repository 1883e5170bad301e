"""Scales on which a live picture stands still, and values many decades apart on one axis."""

from __future__ import annotations

import numpy as np
import pytest

from dpq_core.figures.axes import Decades, value_range
from dpq_core.figures.rows import Axis, axis_of
from tests.narrowing import present

AGES = [17.0, 30.0, 45.0, 75.0, 90.0], [0.01, 0.25, 0.75, 0.99, 1.0]
TAIL = [0.0, 20_000.0, 45_000.0, 90_000.0, 990_000.0], [0.01, 0.25, 0.75, 0.99, 1.0]


def test_an_axis_over_decades_is_symmetric_and_increasing() -> None:
    values = [-1000.0, -10.0, -1.0, -0.5, 0.0, 0.5, 1.0, 10.0, 1000.0]
    assert Decades(0).along(values) == [-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4]
    axis = axis_of([1.0, 100.0, 10_000.0], (0.0, 1e6), str, wide=True)
    assert [axis.share(value) for value in (1, 100, 10_000)] == [0, 0.5, 1]
    assert len(Decades(-6).ticks(0, 40)["tickvals"]) <= 8


@pytest.mark.parametrize(
    ("answers", "ends", "texts"),
    [
        ([22.0, 38.0, 59.0], (20, 60), ["20", "30", "40", "50", "60"]), ([37.0, 38.0], (37, 38), ["37", "38"]),
        ([37.0], (0, 120), ["0", "50", "100"]), ([], (0, 120), ["0", "50", "100"]),
        ([3.0, 119.0], (0, 120), ["0", "50", "100"]),
        ([31_000.0, 48_500.0], (30_000, 48_500), ["30000", "35000", "40000", "45000"]),
    ],
)  # fmt: skip
def test_an_axis_of_rows_begins_and_ends_at_round_numbers_or_at_a_bound(answers, ends, texts):
    axis = axis_of(answers, (0.0, max(120.0, *answers, 0.0)), lambda value: f"{value:.0f}", least=1.0)
    assert (axis.low, axis.high) == ends
    assert [text for _, text in axis.ticks] == texts
    assert [axis.share(float(text)) for text in texts] == pytest.approx([place for place, _ in axis.ticks])
    assert [Axis(20.0, 40.0).share(value) for value in (0.0, 20.0, 33.0, 99.0)] == [0, 0, 0.65, 1]


@pytest.mark.parametrize("true", [[30.0, 45.0], [37.0]])
@pytest.mark.parametrize("private", [[30.0, 45.0], [0.0, 120.0], [29.0, 31.0]])
def test_ages_stay_between_their_bounds_whatever_is_asked_and_answered(true: list[float], private: list[float]) -> None:
    assert value_range(true, private, AGES, (0, 120)) == pytest.approx((-3.6, 123.6))


def test_far_bounds_are_not_shown_until_an_answer_lies_there() -> None:
    near = present(value_range([20_000.0, 45_000.0], [21_000.0, 44_000.0], TAIL, (0, 1_000_000)))
    assert near[1] < 150_000
    assert value_range([20_000.0, 45_000.0], [19_000.0, 50_000.0], TAIL, (0, 1_000_000)) == near
    far = present(value_range([20_000.0, 45_000.0], [21_000.0, 700_000.0], TAIL, (0, 1_000_000)))
    assert 700_000 < far[1] <= 1_030_000


@pytest.mark.parametrize("true", [[50.0, 50.5], [-20.0, 60.0], [50.0, 80.0]])
def test_true_quantiles_beyond_found_bounds_are_on_the_axis_with_the_answers(true: list[float]) -> None:
    spread = np.linspace(true[0], true[1], 99).tolist(), np.linspace(0.01, 0.99, 99).tolist()
    low, high = present(value_range(true, [1.0, 9.0], spread, (0.0, 10.0)))
    assert low < min(1.0, true[0])
    assert max(9.0, true[1]) < high
