"""The ladder of answers: it says the same with one rung, two, three or many."""

from __future__ import annotations

import re

import pytest

from dpq_core.figures.report import OPEN, Axis, axis_of, draw_range

BOUNDS = (0.0, 120.0)


def places(rung: str) -> tuple[float, float, float]:
    """Where the bar starts, how long it is without its open ends, and where the diamond stands: percents."""
    start, length = map(float, re.findall(r"(?:left|width):calc\(([\d.]+)%", rung))
    (diamond,) = map(float, re.findall(r"left:([\d.]+)%", rung))
    return start, length, diamond


@pytest.mark.parametrize("answers", [[37.0], [37.0, 37.0], []])
def test_a_single_value_stands_between_the_bounds(answers: list[float]) -> None:
    assert axis_of(answers, BOUNDS) == Axis(*BOUNDS)
    assert places(draw_range(30.0, (None, None), axis_of(answers, BOUNDS))) == (0, 100, 25)


@pytest.mark.parametrize("answers", [[20.0, 40.0], [20.0, 25.0, 40.0], [20.0 + k / 5 for k in range(101)]])
def test_several_values_reach_from_end_to_end(answers: list[float]) -> None:
    axis = axis_of(answers, BOUNDS)
    assert axis == Axis(20.0, 40.0)
    assert places(draw_range(25.0, (20.0, 30.0), axis)) == (0, 50, 25)


def test_an_open_end_runs_beyond_the_outermost_answer() -> None:
    axis = Axis(20.0, 40.0)
    closed, low, high = (draw_range(30.0, bar, axis) for bar in ((20.0, 40.0), (None, 40.0), (20.0, None)))
    assert "- 0em" in closed
    assert f"- {OPEN}em" in low
    assert f"- {OPEN}em" not in high
    assert all(f"+ {OPEN}em" in rung for rung in (low, high))


def test_what_lies_beyond_the_ends_stands_at_them() -> None:
    assert [Axis(20.0, 40.0).percent(value) for value in (0.0, 20.0, 33.0, 99.0)] == [0, 0, 65, 100]


def test_without_a_range_there_is_no_bar() -> None:
    assert "dpq-bar" not in draw_range(30.0, None, Axis(*BOUNDS))
    assert "dpq-diamond" in draw_range(30.0, None, Axis(*BOUNDS))
