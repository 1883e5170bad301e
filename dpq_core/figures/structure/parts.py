"""Parts on an axis, in rows: between the answers of JointExp, around each quantile, and slices around its noisy rank.

The parts of JointExp with a free total have the records between neighbouring answers, beside their share of the best
total. A row for every quantile shows where its law lies, its target and what was drawn (IndExp, JointExp, others).
SliceQuantiles are on the axis of ranks: target, noisy, slice, drawn; four rows, read downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

from ...mechanisms.base import DrawStep, TraceStep
from ...mechanisms.freetotal.mechanism import Between, FreeTotalStep
from ...mechanisms.slices.draws import SliceStep
from ..frame import PRIVATE, TRUE, PlainFigure, Trace, tinted
from ..traces import Stroke, pen, strokes, trace, words
from .marks import answers, bars, between, marks, named, over_data, picture, share_of
from .scene import Scene, Span, around, heart, in_row

ROOM = 1.15  # an axis goes that much beyond its largest number


def draw_parts(scene: Scene[FreeTotalStep]) -> PlainFigure:
    """Draw a box for every part between two answers, as high as it has records; lines show its share of the total."""
    found, shown = _parts(scene), in_row(scene)
    parts = [part for _, part in found]
    boxes = bars(
        scene, [number for number, _ in found], [part.bounds for part in parts], [part.records / 2 for part in parts],
        height=[float(part.records) for part in parts], colours=[tinted(scene.colour, 0.35)] * len(parts),
        texts=[_of_part(scene, part) for part in parts],
    )  # fmt: skip
    wanted = strokes([(part.bounds[0], part.wanted, part.bounds[1], part.wanted) for part in parts], pen(PRIVATE, 2.5))
    done, highest = scene.done(shown), max([1.0, *(max(part.records, part.wanted) for part in parts)])
    return picture(
        scene, [boxes, wanted, *answers(scene, done, [0.0] * len(done))], scene.window(shown), truth=scene.truth,
        yaxis={"range": [-0.06 * highest, ROOM * highest]}, y=f"{scene.many} between two answers",
    )  # fmt: skip


def draw_differences(scene: Scene[FreeTotalStep]) -> PlainFigure:
    """Draw how many records each part has more or fewer than its share of the best total."""
    parts = _parts(scene)
    off = [part.records - part.wanted for _, part in parts]
    rows = [float(place) for place in range(len(parts))]
    boxes = bars(
        scene, [number for number, _ in parts], [(min(each, 0.0), max(each, 0.0)) for each in off], rows, height=0.62,
        colours=[tinted(scene.colour, 0.7 if number == scene.at else 0.35) for number, _ in parts],
        texts=[_of_part(scene, part) for _, part in parts],
    )  # fmt: skip
    middle = strokes([(0.0, rows[0] - 0.5, 0.0, rows[-1] + 0.5)], pen(TRUE, 1.5))
    far, (last, part) = ROOM * max([1.0, *map(abs, off)]), parts[-1]
    names = [f"to {share_of(scene.steps[number].level)}" for number, _ in parts]
    if part is scene.steps[last].above:
        names[-1] = f"> {share_of(scene.steps[last].level)}"
    return picture(
        scene, [boxes, middle], (-far, far), title=f"surplus ({scene.many})", yaxis=named(rows, names), showlegend=False
    )


def _parts(scene: Scene[FreeTotalStep]) -> list[tuple[int, Between]]:
    """Return the parts below the answers so far, and the last one above all; each with the number of a step."""
    shown = scene.done(in_row(scene))
    parts = [(number, scene.steps[number].below) for number in shown]
    if shown and shown[-1] == len(scene.steps) - 1:
        parts.append((shown[-1], scene.steps[shown[-1]].above))
    return parts


def _of_part(scene: Scene[FreeTotalStep], part: Between) -> str:
    unit = scene.one if part.records == 1 else scene.many
    return f"{between(scene, part.bounds)}<br>{part.records:,} {unit}, share of the best total: {part.wanted:,.1f}"


def draw_weights(scene: Scene[TraceStep], *, joined: bool = False) -> PlainFigure:
    """Draw for every quantile a bar over the middle 95 % of its law, with target and drawn value.

    `joined`: the answers of one joint draw are joined from the highest to the lowest, as each draw saw those above it.
    """
    shown = in_row(scene)
    spans = [_law(scene, number) for number in shown]
    window = scene.window(shown, *(end for span in spans for end in span))
    row = {number: float(place) for place, number in enumerate(shown)}
    done = scene.done(shown)
    drawn, places = [scene.steps[number].value for number in done], [row[number] for number in done]
    errors = [(scene.targets[number], row[number], scene.steps[number].value, row[number]) for number in done]
    traces = [
        bars(
            scene, shown, spans, list(row.values()), height=0.62,
            colours=[tinted(scene.colour, 0.4 if scene.is_run(number) else 0.14) for number in shown],
            texts=[_of_law(scene, number, span) for number, span in zip(shown, spans, strict=True)],
        ),
        *([trace(drawn, places, "lines", line=pen(PRIVATE, 1.8, "dot"))] if joined else []),
        strokes(errors, pen(PRIVATE, 2.5)), *answers(scene, done, places),
    ]  # fmt: skip
    names = [share_of(scene.steps[number].level) for number in shown]
    return over_data(scene, traces, window, named(list(row.values()), names))


def _law(scene: Scene[TraceStep], number: int) -> Span:
    """Return the middle of the law, as wide as the values of the grid in it; between the marks where there is none."""
    step = scene.steps[number]
    if isinstance(step, DrawStep):
        low, high = heart(step.distribution, step.bounds[1])
    else:
        low, high = sorted((step.value, scene.targets[number]))
    return low - scene.spread / 2, high + scene.spread / 2


def _of_law(scene: Scene[TraceStep], number: int, span: Span) -> str:
    step, half = scene.steps[number], scene.spread / 2
    name = f"answer {number + 1}: {share_of(step.level)} quantile"
    middle = f"<br>95 of 100 draws lie from {between(scene, (span[0] + half, span[1] - half))}"
    return name + (middle if isinstance(step, DrawStep) else "")


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
    ends = [end for number in shown for end in (scene.steps[number].rank, *_slice(scene, number), scene.ranks[number])]
    window = around([*ends, here], (0, max(scene.n, 1)), 10)
    targets = [scene.steps[number].rank for number in shown]
    ranked = replace(scene, read="rank {:,.0f}".format)
    named = shown[:: -(-len(shown) // ROOM_FOR_WORDS)]
    traces = [
        strokes([each for number in done for each in _thread(scene, number)], pen(tinted(TRUE, 0.7), 1)),
        bars(
            scene, done, [_slice(scene, number) for number in done], [SLICE] * len(done), height=2 * HALF,
            colours=[tinted(scene.colour, 0.42 if step.good else 0.12) for step in steps], edge=scene.colour,
            texts=[_of_slice(scene, number) for number in done],
        ),
        *_slack(scene, done, window),
        marks(ranked, shown, targets, [TARGET] * len(shown), true=True),
        strokes([(each.noisy_rank, NOISY - HALF, each.noisy_rank, NOISY + HALF) for each in steps], pen(PRIVATE, 2.5)),
        marks(ranked, done, [scene.ranks[number] for number in done], [DRAWN] * len(done), true=False),
        words([(scene.steps[at].rank, TARGET + 0.34, share_of(scene.steps[at].level)) for at in named]),
    ]  # fmt: skip
    rows = {"tickvals": [TARGET, NOISY, SLICE, DRAWN], "ticktext": ["target", "noisy", "slice", "drawn"]}
    return picture(
        scene, traces, window, title="rank (lowest value first)", truth=here if scene.n else nan,
        yaxis=rows | {"range": [-0.55, 3.6]}, **layout,
    )  # fmt: skip


def _slice(scene: Scene[SliceStep], number: int) -> Span:
    step = scene.steps[number]
    return step.noisy_rank - step.half_width, step.noisy_rank + step.half_width


def _thread(scene: Scene[SliceStep], number: int) -> list[Stroke]:
    """Return the places of one rank from row to row."""
    step = scene.steps[number]
    rank, noisy, drawn = float(step.rank), float(step.noisy_rank), float(scene.ranks[number])
    return [(rank, TARGET, noisy, NOISY), (noisy, NOISY, noisy, SLICE), (noisy, SLICE, drawn, DRAWN)]


def _of_slice(scene: Scene[SliceStep], number: int) -> str:
    step, (low, high) = scene.steps[number], _slice(scene, number)
    slack = "the last slice" if step.slack is None else f"room to the next slice: {step.slack:,}"
    return f"answer {number + 1}: {share_of(step.level)} quantile<br>ranks {low + 1:,} to {high:,}<br>{slack}"


def _slack(scene: Scene[SliceStep], done: list[int], window: Span) -> list[Trace]:
    """Return the room to the next slice below each: dashed where there is some, thick where two slices overlap."""
    free, taken = list[Stroke](), list[Stroke]()
    for number in done:
        slack, end, place = scene.steps[number].slack, _slice(scene, number)[1], SLICE - HALF - 0.1
        if slack is not None:
            (free if slack >= 0 else taken).append((end, place, min(end + slack, window[1]), place))
    return [strokes(free, pen(TRUE, 1.5, "dot")), strokes(taken, pen(PRIVATE, 5))]
