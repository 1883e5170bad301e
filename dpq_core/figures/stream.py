"""Figures of the Stream page: memory and rank errors against the number of records that were read."""

from __future__ import annotations

from collections.abc import Sequence

from ..studies.streams.reading import Errors, Snapshot
from .axes import log_range, log_ticks
from .frame import ACCENT, MECHANISM_COLOURS, TRUE, PlainFigure, Trace, figure_of, tinted
from .traces import area, pen, trace

SMALLEST = 0.5  # records: errors below are drawn here, as a logarithmic axis has no 0
BAND = 0.18  # how strongly a band is tinted


def draw_memory(steps: Sequence[Snapshot]) -> PlainFigure:
    """Draw the bytes of the sketch and of all records against the length of the stream, on logarithmic axes."""
    whole = _line(steps, [step.full_bytes for step in steps], "all records", TRUE, "dash", ".2s}B")
    colour = MECHANISM_COLOURS["gkexp"]
    sketch = _line(steps, [step.sketch_bytes for step in steps], "the sketch", colour, "solid", ".2s}B")
    return _over_length([whole, sketch], "memory (bytes)")


def draw_errors(steps: Sequence[Snapshot], many: str) -> PlainFigure:
    """Draw the rank errors of two private answers with 90 of 100 trials, of the sketch alone, and its bound alpha n.

    Both axes are logarithmic. What is not known (NaN) leaves a gap.
    """
    traces, unit = [], ",.2r} " + many
    for name, key, errors in (
        ("private: sketch", "gkexp", [step.gk for step in steps]),
        ("private: all", "indexp", [step.full for step in steps]),
    ):
        colour = MECHANISM_COLOURS[key]
        traces.append(_band(steps, errors, colour))
        traces.append(_line(steps, [max(each.mean, SMALLEST) for each in errors], name, colour, "solid", unit))
    sketch = [max(step.sketch_error, SMALLEST) for step in steps]
    traces.append(_line(steps, sketch, "sketch alone", ACCENT, "dot", unit))
    traces.append(_line(steps, [step.bound for step in steps], "its bound, α n", ACCENT, "dash", unit))
    return _over_length(traces, f"worst rank error ({many})")


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


def _over_length(traces: Sequence[Trace], y: str) -> PlainFigure:
    xs, ys = ([value for each in traces for value in each[axis]] for axis in ("x", "y"))
    return figure_of(
        traces, x="records read", y=y, margin={"t": 64},  # room for two rows of a legend
        xaxis=log_ticks(log_range(xs)), yaxis=log_ticks(log_range(ys)),
    )  # fmt: skip
