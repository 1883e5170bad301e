"""AQ: the recursion as nested parts over the value axis, a row for every round, with the data under it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from ...mechanisms.aq.rounds import AQStep
from ..frame import PRIVATE, PlainFigure, Trace, tinted
from ..traces import Stroke, pen, strokes, words
from .marks import answers, bars, over_data, share_of
from .scene import LEAST, Scene, Span, around

Rows = dict[int, Span]  # for every round the middle and the height of its row
THIN, GAP = 0.3, 0.34  # height of a row in the background, and the room under rows; one in the foreground has 1
ROUNDS_ABOVE, ROUNDS_BELOW = 3, 2  # around the round of the selected step these are in the foreground
CHARACTER = 0.029  # of the axis that a character takes on a phone
PARTS_BACK = 3  # a long run is shown within the part of the selected one that many rounds before


def draw_recursion(scene: Scene[AQStep]) -> PlainFigure:
    """Draw every part shaded by its records, with target and drawn value; the selected one has a border."""
    window, rows = _window(scene), _rows(scene)
    steps = enumerate(scene.steps)
    shown = [number for number, step in steps if step.bounds[0] <= window[1] and step.bounds[1] >= window[0]]
    # Two levels of one draw share their part, which is shaded once: as that of the selected step, if it is one.
    selected_last = sorted(reversed(shown), key=lambda number: number == scene.at)
    found = {(step.depth, step.records, step.bounds): at for at in selected_last for step in (scene.steps[at],)}
    parts = sorted(found.values())
    marked = [number for number in scene.done(shown) if rows[scene.steps[number].depth][1] == 1]
    near = set(lineage(parents(scene.steps), scene.at)) if scene.is_long else set(marked)
    drops = [_drop(scene, number, rows) for number in marked if number in near]
    places = [rows[scene.steps[number].depth][0] - 0.06 for number in marked]
    traces = [_parts(scene, parts, rows), strokes(drops, pen(PRIVATE, 1.5, "dot")), *answers(scene, marked, places)]
    ticks = [f"round {depth + 1}" if depth == 0 else f"{depth + 1}" for depth in rows]
    rounds = {"tickvals": [middle for middle, _ in rows.values()], "ticktext": ticks}
    rounds["range"] = [rows[max(rows)][0] - 0.55 - GAP, 0.6]
    return over_data(scene, [*traces, *_words(scene, shown, parts, rows, window)], window, rounds)


def parents(steps: Sequence[AQStep]) -> list[int | None]:
    """Return for every step of a run the step whose draw made its part; None for the first. O(m log m)."""
    seen: list[tuple[Fraction, int]] = []
    found: list[int | None] = []
    for number, step in enumerate(steps):
        place = bisect_left(seen, (step.level, -1))
        sides = (range(place - 1, -1, -1), range(place, len(seen)))
        # The nearest on either side that is no other level of the same draw.
        above = [next((seen[at][1] for at in side if steps[seen[at][1]].depth < step.depth), None) for side in sides]
        there = [other for other in above if other is not None]
        found.append(max(there, key=lambda other: steps[other].depth, default=None))
        seen.insert(place, (step.level, number))
    return found


def lineage(made_by: Sequence[int | None], number: int) -> list[int]:
    """Return the step and those in whose parts it lies, from the first round on."""
    found = [number]
    while (parent := made_by[found[0]]) is not None:
        found.insert(0, parent)
    return found


def _window(scene: Scene[AQStep]) -> Span:
    """Return the values shown: all answers, or in a long run the part around the selected one some rounds before."""
    if not scene.is_long:
        return scene.window(range(len(scene.steps)))
    line = lineage(parents(scene.steps), scene.at)
    low, high = scene.bounds if len(line) <= PARTS_BACK else scene.steps[line[-PARTS_BACK]].bounds
    inner = [scene.truth, *(step.value for step in scene.steps if low <= step.value <= high)]
    inner += [bound for bound in (low, high) if bound not in scene.bounds]
    return around(inner, scene.bounds, LEAST * scene.spread)


def _rows(scene: Scene[AQStep]) -> Rows:
    rows: Rows = {}
    place = 0.5
    for depth in range(max(step.depth for step in scene.steps) + 1):
        near = -ROUNDS_ABOVE <= depth - scene.step.depth <= ROUNDS_BELOW
        height = 1.0 if near or not scene.is_long else THIN
        rows[depth] = (place - height / 2, height)
        place -= height + GAP * height
    return rows


def _parts(scene: Scene[AQStep], shown: list[int], rows: Rows) -> Trace:
    steps = [scene.steps[number] for number in shown]
    people = [step.records[1] - step.records[0] for step in steps]
    strength = [
        (1.0 if scene.is_run(number) else 0.35) * (0.08 + 0.3 * (count / max(scene.n, 1)) ** 0.5)
        for number, count in zip(shown, people, strict=True)
    ]
    return bars(
        scene, shown, [step.bounds for step in steps], [rows[step.depth][0] for step in steps],
        height=[rows[step.depth][1] for step in steps], colours=[tinted(scene.colour, each) for each in strength],
        texts=[_hover(scene, number, count) for number, count in zip(shown, people, strict=True)],
    )  # fmt: skip


def _hover(scene: Scene[AQStep], number: int, people: int) -> str:
    step = scene.steps[number]
    low, high = map(scene.read, step.bounds)
    drawn = f"drawn {scene.read(step.value)}" if scene.is_run(number) else "not drawn yet"
    unit = scene.one if people == 1 else scene.many
    return f"answer {number + 1}: {share_of(step.level)} quantile<br>{low} to {high}, {people:,} {unit}<br>{drawn}"


def _drop(scene: Scene[AQStep], number: int, rows: Rows) -> Stroke:
    """Return the line that a drawn value drops through the next row, whose parts it divides."""
    step = scene.steps[number]
    middle, height = rows[step.depth]
    below, high = rows.get(step.depth + 1, (middle - height - GAP, height))
    return step.value, middle - 0.1, step.value, below + high / 2


def _words(scene: Scene[AQStep], shown: list[int], parts: list[int], rows: Rows, window: Span) -> list[Trace]:
    """Return how many records a part has, and beside the drop which quantile was drawn in it, where there is room."""
    people, levels, sides = list[tuple[float, float, str]](), list[tuple[float, float, str]](), list[str]()
    taken, wide = list[tuple[float, float, float]](), CHARACTER * (window[1] - window[0])
    for number in sorted(shown, key=lambda number: number != scene.at):  # the selected one has its words
        step = scene.steps[number]
        middle, height = rows[step.depth]
        low, high = max(step.bounds[0], window[0]), min(step.bounds[1], window[1])
        count, place = step.records[1] - step.records[0], middle - 0.36
        said = [f"{count:,} {scene.one if count == 1 else scene.many}", f"{count:,}"] if number in parts else []
        fits = [each for each in said if height == 1 and wide * len(each) <= high - low]
        people += [((low + high) / 2, middle + 0.34, each) for each in fits[:1]]
        name, value = f" {share_of(step.level)} ", step.value
        for side, begin in (("right", value), ("left", value - wide * (len(name) - 1))):
            end = begin + wide * (len(name) - 1)
            free = all(place != at or end <= first or last <= begin for first, last, at in taken)
            if height == 1 and scene.is_run(number) and window[0] <= begin and end <= window[1] and free:
                levels.append((value, place, name))
                sides.append(f"middle {side}")
                taken.append((begin, end, place))
                break
    return [words(people), words(levels, sides)]
