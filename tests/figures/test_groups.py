"""Rows and small curves of groups: what is drawn where, names as text, and nothing of the truth unless it is given."""

from __future__ import annotations

import json
from typing import Any

from dpq_core.figures import GroupCurve, GroupRow, draw_curves, draw_groups

ROWS = [
    GroupRow("a <b>", 10.0, 20.0, 30.0, "20", (15.0, 26.0), 21.0),
    GroupRow("x" * 60, 1.0, 5.0, 8.0, "5"),
]


def traces(figure: Any) -> dict[str, Any]:
    return {trace.name or "labels": trace for trace in figure.data}


def test_a_row_has_its_box_band_median_and_the_true_one_where_it_is_known() -> None:
    figure = draw_groups(ROWS, axis="pay", title="the finding <i>")
    drawn = traces(figure)
    assert set(drawn) == {"95 % of simulated answers", "private box", "private", "true", "labels"}
    assert list(drawn["private"].x) == [20.0, 5.0]
    assert list(drawn["true"].x) == [21.0]
    assert list(drawn["95 % of simulated answers"].x) == [15.0, 26.0, 26.0, 15.0, 15.0, None]
    assert [each for each in drawn["private box"].x if each is not None][5:7] == [1.0, 8.0]
    assert list(drawn["labels"].x) == [20.0, 5.0], "at the medians: at the end of a box they read as quartiles"
    assert all(above < at for above, at in zip(drawn["labels"].y, (0, 1), strict=True))
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "the first row on top"
    assert figure.layout.yaxis.ticktext == ("a &lt;b&gt;", f"{'x' * 26}…")
    assert figure.layout.title.text == "the finding &lt;i&gt;"


def test_a_release_has_no_trace_of_the_truth_and_its_axis_is_that_of_the_answers() -> None:
    figure = draw_groups([GroupRow("a", 10.0, 10.0, 10.0, "10"), GroupRow("b", 40.0, 40.0, 40.0, "40")], axis="pay")
    assert set(traces(figure)) == {"private", "labels"}
    low, high = figure.layout.xaxis.range
    assert low <= 10 < 40 <= high < 45
    assert draw_groups([], axis="pay").layout.height > 0


def test_dates_and_decades_have_axes_of_their_own() -> None:
    dated = draw_groups([GroupRow("a", "2024-01-01", "2024-02-01", "2024-03-01", "2024-02-01")], axis="day")
    assert dated.layout.xaxis.range is None
    wide = draw_groups([GroupRow("a", 1.0, 1e3, 1e6, "1,000")], axis="pay", wide=True)
    assert wide.layout.xaxis.type == "log"
    assert draw_curves([GroupCurve("a", [0.5], [1e3])], axis="pay", wide=True).layout.xaxis.type == "log"
    assert draw_curves([GroupCurve("a", [0.5], [-1e3])], axis="pay", wide=True).layout.xaxis.type != "log"


def test_curves_share_their_axes_and_each_column_has_its_ticks() -> None:
    curves = [GroupCurve(f"g{at}", [0.25, 0.5], [at, at + 1.0], [at, at + 2.0] if at else []) for at in range(4)]
    figure = draw_curves(curves, axis="pay")
    assert sum(trace.name == "true" for trace in figure.data) == 3
    assert [note.text for note in figure.layout.annotations] == ["g0", "g1", "g2", "g3"]
    axes = json.loads(figure.to_json())["layout"]
    labelled = [name for name in axes if name.startswith("xaxis") and axes[name].get("showticklabels") is not False]
    assert {"xaxis2", "xaxis3", "xaxis4"} <= set(labelled)
    assert axes["xaxis4"]["title"]["text"] == "pay"
    assert axes["yaxis"]["range"] == [0, 1]
