"""SliceQuantiles on the axis of ranks: target, noisy, slice, drawn; four rows, read downwards."""

from __future__ import annotations

from math import nan

import plotly.graph_objects as go

from ...mechanisms.slices.trace import SliceStep
from ..frame import ACCENT, PRIVATE, TRUE, TRUE_MARKER
from .frame import UNDIMMED, add_bars, add_marks, add_strokes, add_texts, add_truth, framed, share_of
from .scene import Scene, around, in_row, tinted

TARGET, NOISY, SLICE, DRAWN = 3.0, 2.0, 1.0, 0.0
HALF = 0.24
"""Half the height of a slice."""
ROOM_FOR_WORDS = 9
"""The number of names of quantiles that fit side by side; of more, only some are written."""


def draw_slices(scene: Scene[SliceStep]) -> go.Figure:
    """Draw every slice around its noisy rank, the room to the next one, and the rank that was drawn in it."""
    return _draw(scene, in_row(scene))


def draw_slice(scene: Scene[SliceStep]) -> go.Figure:
    """Draw the selected slice alone, close enough to distinguish the noise from the draw."""
    return _draw(scene, [scene.at]).update_layout(showlegend=False, margin={"l": 46})


def _draw(scene: Scene[SliceStep], shown: list[int]) -> go.Figure:
    figure = go.Figure()
    threads = [stroke for number in shown for stroke in _thread(scene, number)]
    add_strokes(figure, threads, {"color": tinted(TRUE, 0.7), "width": 1})
    _add_slices(figure, scene, shown)
    marks = [*(rank for number in shown for rank in _ranks(scene, number)), scene.true_ranks[scene.at]]
    window = around(marks, (0, max(scene.n, 1)), 10)
    _add_slack(figure, scene, shown, window)
    _add_targets(figure, scene, shown)
    noisy = [number for number in shown if scene.is_run(number)]
    places = [scene.steps[number].noisy_rank for number in noisy]
    strokes = [(rank, NOISY - HALF, rank, NOISY + HALF) for rank in places]
    add_strokes(figure, strokes, {"color": PRIVATE, "width": 2.5})
    add_marks(figure, scene, noisy, [scene.ranks[number] for number in noisy], [DRAWN] * len(noisy), true=False)
    named = shown[:: -(-len(shown) // ROOM_FOR_WORDS)]
    words = [(scene.steps[number].rank, TARGET + 0.34, share_of(scene.steps[number].level)) for number in named]
    add_texts(figure, words)
    add_truth(figure, scene.true_ranks[scene.at] if scene.n else nan)
    framed(figure, scene, window, title=f"rank ({scene.many}, lowest value first)")
    return figure.update_yaxes(
        tickvals=[TARGET, NOISY, SLICE, DRAWN], ticktext=["target", "noisy", "slice", "drawn"], range=[-0.55, 3.6]
    )


def _add_targets(figure: go.Figure, scene: Scene[SliceStep], shown: list[int]) -> None:
    steps = [scene.steps[number] for number in shown]
    figure.add_scatter(
        x=[step.rank for step in steps], y=[TARGET] * len(shown), mode="markers", name="target", marker=TRUE_MARKER,
        customdata=[[number] for number in shown], selected=UNDIMMED, unselected=UNDIMMED,
        hovertext=[f"{share_of(step.level)}: rank {step.rank:,}" for step in steps],
        hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip


def _ranks(scene: Scene[SliceStep], number: int) -> tuple[float, ...]:
    step = scene.steps[number]
    return step.rank, step.noisy_rank - step.half_width, step.noisy_rank + step.half_width, scene.ranks[number]


def _thread(scene: Scene[SliceStep], number: int) -> list[tuple[float, float, float, float]]:
    """Return the places of one rank from row to row; only the first where its step was not run."""
    step = scene.steps[number]
    if not scene.is_run(number):
        return []
    rank, noisy, drawn = float(step.rank), float(step.noisy_rank), float(scene.ranks[number])
    return [(rank, TARGET, noisy, NOISY), (noisy, NOISY, noisy, SLICE), (noisy, SLICE, drawn, DRAWN)]


def _add_slices(figure: go.Figure, scene: Scene[SliceStep], shown: list[int]) -> None:
    run = [number for number in shown if scene.is_run(number)]
    steps = [scene.steps[number] for number in run]
    add_bars(
        figure, run,
        [(step.noisy_rank - step.half_width, step.noisy_rank + step.half_width) for step in steps],
        [SLICE] * len(run), height=2 * HALF,
        colours=[tinted(scene.colour, 0.42 if step.good else 0.12) for step in steps],
        lines=([ACCENT if number == scene.at else scene.colour for number in run],
               [3 if number == scene.at else 1 for number in run]),
        texts=[_hover(scene, number) for number in run],
    )  # fmt: skip


def _hover(scene: Scene[SliceStep], number: int) -> str:
    step = scene.steps[number]
    low, high = step.noisy_rank - step.half_width + 1, step.noisy_rank + step.half_width
    slack = "the last slice" if step.slack is None else f"room to the next slice: {step.slack:,}"
    return f"answer {number + 1}: {share_of(step.level)} quantile<br>ranks {low:,} to {high:,}<br>{slack}"


def _add_slack(figure: go.Figure, scene: Scene[SliceStep], shown: list[int], window: tuple[float, float]) -> None:
    """Add the room to the next slice below the slices: dashed where there is some, thick where two slices overlap."""
    free: list[tuple[float, float, float, float]] = []
    taken: list[tuple[float, float, float, float]] = []
    for number in shown:
        step = scene.steps[number]
        if scene.is_run(number) and step.slack is not None:
            end, place = step.noisy_rank + step.half_width, SLICE - HALF - 0.1
            (free if step.slack >= 0 else taken).append((end, place, min(end + step.slack, window[1]), place))
    add_strokes(figure, free, {"color": TRUE, "width": 1.5, "dash": "dot"})
    add_strokes(figure, taken, {"color": PRIVATE, "width": 5})
