"""SliceQuantiles on the axis of ranks: target, noisy, slice, drawn; four rows, read downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

from ...mechanisms.slices.trace import SliceStep
from ..frame import PRIVATE, TRUE, PlainFigure, Trace, tinted
from ..traces import Stroke, pen, strokes, words
from .marks import bars, marks, picture, share_of
from .scene import Scene, Span, around, in_row

TARGET, NOISY, SLICE, DRAWN = 3.0, 2.0, 1.0, 0.0
HALF = 0.24  # half the height of a slice
ROOM_FOR_WORDS = 9  # the number of names of quantiles that fit side by side; of more, only some are written


def draw_slice(scene: Scene[SliceStep]) -> PlainFigure:
    """Draw the selected slice alone, close enough to distinguish the noise from the draw."""
    return draw_slices(scene, [scene.at], showlegend=False, margin={"l": 46})


def draw_slices(scene: Scene[SliceStep], shown: Sequence[int] = (), **layout: Any) -> PlainFigure:
    """Draw every slice around its noisy rank, the room to the next one, and the rank that was drawn in it."""
    shown = shown or in_row(scene)
    done, here = scene.done(shown), scene.true_ranks[scene.at]
    steps = [scene.steps[number] for number in done]
    ends = [end for number in shown for end in (scene.steps[number].rank, *_span(scene, number), scene.ranks[number])]
    window = around([*ends, here], (0, max(scene.n, 1)), 10)
    targets = [scene.steps[number].rank for number in shown]
    ranked = replace(scene, read="rank {:,.0f}".format)
    named = shown[:: -(-len(shown) // ROOM_FOR_WORDS)]
    traces = [
        strokes([each for number in done for each in _thread(scene, number)], pen(tinted(TRUE, 0.7), 1)),
        bars(
            scene, done, [_span(scene, number) for number in done], [SLICE] * len(done), height=2 * HALF,
            colours=[tinted(scene.colour, 0.42 if step.good else 0.12) for step in steps], edge=scene.colour,
            texts=[_hover(scene, number) for number in done],
        ),
        *_slack(scene, done, window),
        marks(ranked, shown, targets, [TARGET] * len(shown), true=True),
        strokes([(each.noisy_rank, NOISY - HALF, each.noisy_rank, NOISY + HALF) for each in steps], pen(PRIVATE, 2.5)),
        marks(ranked, done, [scene.ranks[number] for number in done], [DRAWN] * len(done), true=False),
        words([(scene.steps[at].rank, TARGET + 0.34, share_of(scene.steps[at].level)) for at in named]),
    ]  # fmt: skip
    rows = {"tickvals": [TARGET, NOISY, SLICE, DRAWN], "ticktext": ["target", "noisy", "slice", "drawn"]}
    return picture(
        scene, traces, window, title=f"rank ({scene.many}, lowest value first)", truth=here if scene.n else nan,
        yaxis=rows | {"range": [-0.55, 3.6]}, **layout,
    )  # fmt: skip


def _span(scene: Scene[SliceStep], number: int) -> Span:
    """Return the ends of a slice."""
    step = scene.steps[number]
    return step.noisy_rank - step.half_width, step.noisy_rank + step.half_width


def _thread(scene: Scene[SliceStep], number: int) -> list[Stroke]:
    """Return the places of one rank from row to row."""
    step = scene.steps[number]
    rank, noisy, drawn = float(step.rank), float(step.noisy_rank), float(scene.ranks[number])
    return [(rank, TARGET, noisy, NOISY), (noisy, NOISY, noisy, SLICE), (noisy, SLICE, drawn, DRAWN)]


def _hover(scene: Scene[SliceStep], number: int) -> str:
    step, (low, high) = scene.steps[number], _span(scene, number)
    slack = "the last slice" if step.slack is None else f"room to the next slice: {step.slack:,}"
    return f"answer {number + 1}: {share_of(step.level)} quantile<br>ranks {low + 1:,} to {high:,}<br>{slack}"


def _slack(scene: Scene[SliceStep], done: list[int], window: Span) -> list[Trace]:
    """Return the room to the next slice below each: dashed where there is some, thick where two slices overlap."""
    free, taken = list[Stroke](), list[Stroke]()
    for number in done:
        slack, end, place = scene.steps[number].slack, _span(scene, number)[1], SLICE - HALF - 0.1
        if slack is not None:
            (free if slack >= 0 else taken).append((end, place, min(end + slack, window[1]), place))
    return [strokes(free, pen(TRUE, 1.5, "dot")), strokes(taken, pen(PRIVATE, 5))]
