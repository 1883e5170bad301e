"""JointExp with a free total: the records between neighbouring answers beside their share of the best total."""

from __future__ import annotations

from ...mechanisms.freetotal.trace import FreeTotalStep, Part
from ..frame import PRIVATE, TRUE, PlainFigure, tinted
from ..traces import pen, strokes
from .marks import answers, bars, between, named, picture, share_of
from .scene import Scene, in_row

ROOM = 1.15  # an axis goes that much beyond its largest number


def draw_parts(scene: Scene[FreeTotalStep]) -> PlainFigure:
    """Draw a box for every part between two answers, as high as it has records; lines show its share of the total."""
    found, shown = _parts(scene), in_row(scene)
    parts = [part for _, part in found]
    boxes = bars(
        scene, [number for number, _ in found], [part.bounds for part in parts], [part.records / 2 for part in parts],
        height=[float(part.records) for part in parts], colours=[tinted(scene.colour, 0.35)] * len(parts),
        texts=[_hover(scene, part) for part in parts],
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
        texts=[_hover(scene, part) for _, part in parts],
    )  # fmt: skip
    middle = strokes([(0.0, rows[0] - 0.5, 0.0, rows[-1] + 0.5)], pen(TRUE, 1.5))
    far, (last, part) = ROOM * max([1.0, *map(abs, off)]), parts[-1]
    names = [f"to {share_of(scene.steps[number].level)}" for number, _ in parts]
    if part is scene.steps[last].above:
        names[-1] = f"> {share_of(scene.steps[last].level)}"
    title = f"surplus or shortfall ({scene.many})"
    return picture(scene, [boxes, middle], (-far, far), title=title, yaxis=named(rows, names), showlegend=False)


def _parts(scene: Scene[FreeTotalStep]) -> list[tuple[int, Part]]:
    """Return the parts below the answers so far, and the last one above all; each with the number of a step."""
    shown = scene.done(in_row(scene))
    parts = [(number, scene.steps[number].below) for number in shown]
    if shown and shown[-1] == len(scene.steps) - 1:
        parts.append((shown[-1], scene.steps[shown[-1]].above))
    return parts


def _hover(scene: Scene[FreeTotalStep], part: Part) -> str:
    unit = scene.one if part.records == 1 else scene.many
    return f"{between(scene, part.bounds)}<br>{part.records:,} {unit}, share of the best total: {part.wanted:,.1f}"
