"""Figures of a stream: what is drawn is what was found; zeros and unknown errors on a logarithmic axis."""

from __future__ import annotations

from math import isnan, nan

from dpq_core.figures.stream import SMALLEST, draw_errors, draw_memory
from dpq_core.studies.streams.reading import Errors, Snapshot


def step(n: int, *, sketch_error: float = 3.0, full: float = 1.0) -> Snapshot:
    return Snapshot(
        n=n, points=10, sketch_bytes=240, full_bytes=8 * n, bound=n / 100, sketch_error=sketch_error,
        gk=Errors(20.0, 0.0, 50.0), full=Errors(full, full, full), exact=True, true_values=(), sketch_values=(),
        gk_values=(), full_values=(), seconds=0.0,
    )  # fmt: skip


STEPS = [step(1000), step(2000, sketch_error=0.0), step(4000, full=nan)]


def test_memory_is_drawn_beside_that_of_all_records() -> None:
    figure = draw_memory(STEPS)
    full, sketch = figure.data
    assert list(full.y) == [8000, 16000, 32000]
    assert list(sketch.y) == [240, 240, 240]
    assert full.line.color != sketch.line.color
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"


def test_errors_have_bands_and_no_zero() -> None:
    band, gk, full_band, full, sketch, bound = draw_errors(STEPS, "people").data
    assert list(gk.y) == [20, 20, 20]
    assert list(band.y) == [50, 50, 50, SMALLEST, SMALLEST, SMALLEST]
    assert list(band.x) == [1000, 2000, 4000, 4000, 2000, 1000]
    assert list(sketch.y) == [3, SMALLEST, 3]
    assert list(bound.y) == [10, 20, 40]
    assert isnan(full.y[-1])
    assert list(full_band.x) == [1000, 2000, 2000, 1000]
    assert len({trace.line.color for trace in (gk, full, sketch)}) == 3
    assert len({(trace.line.color, trace.line.dash) for trace in (gk, full, sketch, bound)}) == 4


def test_one_look_is_a_mark_and_not_a_line_of_no_length() -> None:
    assert {trace.mode for trace in draw_memory(STEPS[:1]).data} == {"markers"}


def test_axes_tick_at_powers_of_ten() -> None:
    for figure in (draw_memory(STEPS), draw_errors(STEPS, "people")):
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            assert len(axis.tickvals) >= 2
            assert {tick.strip("0,.kM") for tick in axis.ticktext} == {"1"}
    assert draw_errors(STEPS, "people").layout.yaxis.title.text == "worst rank error (people)"


def test_both_figures_share_their_vertical_place() -> None:
    margins = [figure.layout.margin.to_plotly_json() for figure in (draw_memory(STEPS), draw_errors(STEPS, "people"))]
    assert margins[0] == margins[1]
    names = [trace.name for trace in draw_errors(STEPS, "people").data if trace.showlegend is None]
    assert max(map(len, names)) <= 16, "two stand side by side in half a page"
