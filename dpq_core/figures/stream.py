"""The figure of the Stream page: rank errors above, memory below, against the number of records that were read."""

from __future__ import annotations

from collections.abc import Sequence

from ..studies.streams import Errors, Snapshot
from .axes import log_range, log_ticks
from .frame import ACCENT, MECHANISM_COLOURS, TRUE, PlainFigure, Trace, figure_of, tinted
from .traces import area, pen, trace

SMALLEST = 0.5  # records: errors below are drawn here, as a logarithmic axis has no 0
BAND = 0.18  # how strongly a band is tinted
HEIGHT = 520  # pixels
ERRORS, MEMORY = (0.42, 1), (0, 0.32)  # of the height
SKETCH = MECHANISM_COLOURS["gkexp"]


def draw_growth(steps: Sequence[Snapshot], many: str) -> PlainFigure:
    """Draw the rank errors of private answers from the sketch and from all records, of the sketch alone with its bound
    alpha n, and below them the bytes that both take.

    A band holds 90 of 100 trials. All axes are logarithmic. What is not known (NaN) leaves a gap.
    """
    unit = ",.2r} " + many
    sketch, full = [step.gk for step in steps], [step.full for step in steps]
    errors = [_band(steps, sketch, SKETCH), _band(steps, full, TRUE)]
    for name, ys, colour, dash in (
        ("private, from the sketch", [each.mean for each in sketch], SKETCH, "solid"),
        ("private, from all records", [each.mean for each in full], TRUE, "solid"),
        ("the sketch alone", [step.sketch_error for step in steps], ACCENT, "dot"),
        ("its bound, α n", [step.bound for step in steps], ACCENT, "dash"),
    ):
        errors.append(_line(steps, [max(each, SMALLEST) for each in ys], name, colour, dash, unit))
    memory = [
        _line(steps, [step.full_bytes for step in steps], "all records", TRUE, "solid", ".2s}B"),
        _line(steps, [step.sketch_bytes for step in steps], "the sketch", SKETCH, "solid", ".2s}B"),
    ]
    second = {"yaxis": "y2", "showlegend": False}
    return figure_of(
        [*errors, *({**each, **second} for each in memory)], x="records read", y=f"worst rank error ({many})",
        height=HEIGHT, margin={"t": 64},  # room for two rows of a legend
        xaxis=log_ticks(log_range(step.n for step in steps)) | {"anchor": "y2"},
        yaxis=log_ticks(_range_of(errors)) | {"domain": ERRORS},
        yaxis2=log_ticks(_range_of(memory)) | {"domain": MEMORY, "title": "memory (bytes)"},
    )  # fmt: skip


def _line(steps: Sequence[Snapshot], ys: Sequence[float], name: str, colour: str, dash: str, unit: str) -> Trace:
    return trace(
        [step.n for step in steps], ys, "lines" if len(steps) > 1 else "markers", name,
        f"{name}<br>%{{x:,}} read: %{{y:{unit}<extra></extra>", line=pen(colour, 2.5, dash),
        marker={"color": colour, "size": 9},
    )  # fmt: skip


def _band(steps: Sequence[Snapshot], errors: Sequence[Errors], colour: str) -> Trace:
    """Return the band from the lower ends to the upper ones, where both are known."""
    known = [(step.n, each) for step, each in zip(steps, errors, strict=True) if each.mean == each.mean]
    lows, highs = ([max(getattr(each, end), SMALLEST) for _, each in known] for end in ("low", "high"))
    return area([n for n, _ in known], lows, highs, tinted(colour, BAND))


def _range_of(traces: Sequence[Trace]) -> tuple[float, float] | None:
    return log_range(y for each in traces for y in each["y"])
