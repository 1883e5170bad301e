"""Panels of the papers: shared ranges, marks for each kind of curve, bars."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from dpq_core.figures.papers import LOOKS, PanelCurve, draw_panel, shared_range
from dpq_core.papers.curves import CURVES
from tests.narrowing import present


def panel(*lines: PanelCurve, **changes: Any) -> Any:
    usual = {"title": "Ages <b>", "x": "m", "y": "error", "x_range": (0.0, 2.0), "y_range": None, "log_x": True}
    return draw_panel(lines, **(usual | {"log_y": False} | changes))


def test_ranges_are_shared_and_leave_room() -> None:
    assert shared_range([1, 100, nan], log=True) == pytest.approx((-0.08, 2.08))
    assert shared_range([0, 10], log=False) == pytest.approx((-0.4, 10.4))
    assert shared_range([0.0, inf], log=True) is None
    assert present(shared_range([1e-30, 1.0], log=True))[0] == pytest.approx(-6.24)


@pytest.mark.parametrize("values", [[1, 100], [3, 5], [0.2, 30_000], [7], [1e-9, 1]])
def test_logarithmic_axes_tick_at_powers_of_ten_two_at_least(values: list[float]) -> None:
    reach = present(shared_range(values, log=True))
    axis = panel(x_range=reach).layout.xaxis
    assert 2 <= len(axis.tickvals) <= 8
    assert {tick.strip("0.,kMB") for tick in axis.ticktext} == {"1"}
    assert list(axis.range) == list(reach)


def test_every_kind_of_curve_has_a_dash_and_a_marker_of_its_own() -> None:
    assert {curve.look for curve in CURVES.values()} == set(LOOKS)
    assert len(set(LOOKS.values())) == len(LOOKS)


def test_a_long_curve_goes_through_all_points_with_few_marks_and_bars() -> None:
    xs = range(1, 121)
    long = PanelCurve(name="a", mechanism="aq", look="here", xs=xs, ys=xs, lows=[0] * 120, highs=[200] * 120)
    drawn = panel(long).data[0]
    marked = [x for x, size in zip(drawn.x, drawn.marker.size, strict=True) if size]
    assert len(drawn.x) == 120
    # Evenly along the axis, which is logarithmic: as often between 1 and 11 as between 11 and 120.
    assert (marked[0], marked[-1], len(marked)) == (1, 120, 12)
    assert abs(sum(x <= 11 for x in marked) - 6) <= 1
    assert [x for x, bar in zip(drawn.x, drawn.error_y.array, strict=True) if bar] == marked
    assert panel(long, shape="marks").data[0].marker.size == 5
    assert sum(size > 0 for size in panel(long, log_x=False).data[0].marker.size) == 12


def test_bars_only_where_there_are_bands() -> None:
    bare = PanelCurve(name="a", mechanism="aq", look="here", xs=[1], ys=[2.0], lows=[nan], highs=[nan])
    banded = PanelCurve(name="b", mechanism="", look="printed", xs=[1], ys=[2.0], lows=[1.5], highs=[4.0], fresh=True)
    figure = panel(bare, banded)
    assert figure.data[0].error_y.array is None
    assert (figure.data[1].error_y.array[0], figure.data[1].error_y.arrayminus[0]) == (2.0, 0.5)
    assert figure.data[1].mode == "markers"
    assert figure.layout.title.text == "Ages &lt;b&gt;"
    assert list(figure.layout.xaxis.range) == [0.0, 2.0]
    assert 10.0 in figure.layout.xaxis.tickvals
