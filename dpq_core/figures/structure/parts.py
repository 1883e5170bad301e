"""JointExp with a free total: the records between neighbouring answers beside their share of the best total."""

from __future__ import annotations

import plotly.graph_objects as go

from ...mechanisms.freetotal.trace import FreeTotalStep, Part
from ..frame import ACCENT, PRIVATE, TRUE
from .frame import add_bars, add_marks, add_strokes, add_truth, between, framed, name_rows, share_of
from .scene import Scene, around, in_row, tinted

ROOM = 1.15
"""An axis goes that much beyond its largest number."""


def draw_parts(scene: Scene[FreeTotalStep]) -> go.Figure:
    """Every part between two answers as a box, as high as it has records; a line shows its share of the best total."""
    parts = _parts(scene)
    marks = [mark for number in in_row(scene) for mark in (scene.steps[number].value, scene.targets[number])]
    window = around([*marks, scene.truth], scene.bounds, 8 * scene.spread)
    figure = go.Figure()
    add_bars(
        figure, [number for number, _ in parts],
        [part.bounds for _, part in parts],
        [part.records / 2 for _, part in parts],
        height=[float(part.records) for _, part in parts],
        colours=[tinted(scene.colour, 0.35) for _ in parts],
        lines=([ACCENT if number == scene.at else tinted(TRUE, 0.45) for number, _ in parts],
               [3 if number == scene.at else 0.8 for number, _ in parts]),
        texts=[_hover(scene, part) for _, part in parts],
    )  # fmt: skip
    wanted = [(part.bounds[0], part.wanted, part.bounds[1], part.wanted) for _, part in parts]
    add_strokes(figure, wanted, {"color": PRIVATE, "width": 2.5})
    done = [number for number in in_row(scene) if scene.is_run(number)]
    add_marks(figure, scene, done, [scene.steps[number].value for number in done], [0.0] * len(done), true=False)
    add_marks(figure, scene, done, [scene.targets[number] for number in done], [0.0] * len(done), true=True)
    add_truth(figure, scene.truth)
    framed(figure, scene, window)
    highest = max([1.0, *(max(part.records, part.wanted) for _, part in parts)])
    figure.update_yaxes(title=f"{scene.many} between two answers", range=[-0.06 * highest, ROOM * highest])
    return figure


def draw_differences(scene: Scene[FreeTotalStep]) -> go.Figure:
    """How many records each part has more or fewer than its share of the best total."""
    parts = _parts(scene)
    off = [part.records - part.wanted for _, part in parts]
    rows = [float(place) for place in range(len(parts))]
    figure = go.Figure()
    add_bars(
        figure, [number for number, _ in parts], [(min(each, 0.0), max(each, 0.0)) for each in off], rows, height=0.62,
        colours=[tinted(scene.colour, 0.7 if number == scene.at else 0.35) for number, _ in parts],
        lines=([ACCENT if number == scene.at else tinted(TRUE, 0.45) for number, _ in parts],
               [2 if number == scene.at else 0.8 for number, _ in parts]),
        texts=[_hover(scene, part) for _, part in parts],
    )  # fmt: skip
    add_strokes(figure, [(0.0, rows[0] - 0.5, 0.0, rows[-1] + 0.5)], {"color": TRUE, "width": 1.5})
    far = ROOM * max([1.0, *map(abs, off)])
    framed(figure, scene, (-far, far), title=f"surplus or shortfall ({scene.many})")
    names = [f"to {share_of(scene.steps[number].level)}" for number, _ in parts]
    if parts[-1][1] is scene.steps[parts[-1][0]].above:
        names[-1] = f"> {share_of(scene.steps[parts[-1][0]].level)}"
    name_rows(figure, rows, names)
    return figure.update_layout(showlegend=False)


def _parts(scene: Scene[FreeTotalStep]) -> list[tuple[int, Part]]:
    """The parts below the answers that are there so far, and the last one above all; with the number of a step."""
    shown = [number for number in in_row(scene) if scene.is_run(number)]
    parts = [(number, scene.steps[number].below) for number in shown]
    if shown and shown[-1] == len(scene.steps) - 1:
        parts.append((shown[-1], scene.steps[shown[-1]].above))
    return parts


def _hover(scene: Scene[FreeTotalStep], part: Part) -> str:
    unit = scene.one if part.records == 1 else scene.many
    return f"{between(scene, part.bounds)}<br>{part.records:,} {unit}, share of the best total: {part.wanted:,.1f}"
