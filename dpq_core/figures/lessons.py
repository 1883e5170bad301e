"""Figures of the lessons: people as dots, output distributions, what each of many answers costs, answers of a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import log10
from typing import Any

from .frame import (
    ACCENT,
    BAND,
    PRIVATE,
    PRIVATE_MARKER,
    TRUE,
    TRUE_MARKER,
    USUAL_SIZE,
    PlainFigure,
    Trace,
    colour_of,
    figure_of,
)
from .traces import level, note, pen, shortened, stacked, trace, upright

DOT = 6
RATIO_TICKS = (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100)
RATIO_WORDS = ("1/100", "1/10", "1/5", "1/2", "1", "2", "5", "10", "100")
LAWS = ("private answer without Kim", TRUE, "dash"), ("private answer with Kim", PRIVATE, "solid")


def draw_people(
    ages: Sequence[int], guess: int, truth: int | None, moved: Sequence[int] = (), *, places: tuple[str, str] = ("", "")
) -> PlainFigure:
    """Draw a dot for each person, stacked by age, and a line; with `truth` coloured sides, the middle, and who moved.

    `moved`: the new ages of those who moved, drawn as crosses above the others of that age. `places`: where in the
    order of all people the line and the middle stand, in words.
    """
    xs, tops = sorted(ages), Counter(ages)
    dots = list(zip(xs, stacked(xs), strict=True))
    top = max(*tops.values(), len(moved)) + 2.5
    yours = upright(guess, 0, top, f"your line{places[0]}", pen(ACCENT, 3))
    if truth is None:
        traces = [_people(dots, "people", ACCENT, "circle"), yours]
    else:
        above = [(age, tops[age] + 1 + at) for at, age in enumerate(moved)]
        traces = [
            _people([dot for dot in dots if dot[0] < guess], "younger than your line", ACCENT, "circle"),
            _people([dot for dot in dots if dot[0] >= guess], "your line or older", TRUE, "circle-open"),
            _people(above, "the ten oldest, now 90", TRUE, "x-thin-open"),
            upright(truth, 0, top, f"true middle{places[1]}", pen(TRUE, 3, "dash")), yours,
        ]  # fmt: skip
    return figure_of(
        traces, x="age (years)", y="people of that age", xaxis={"range": [15, 92]}, yaxis={"range": [0, top]}
    )


def _people(dots: Sequence[tuple[int, int]], name: str, colour: str, symbol: str) -> Trace:
    marker = {"color": colour, "size": DOT, "symbol": symbol}
    xs, ys = [x for x, _ in dots], [y for _, y in dots]
    return trace(xs, ys, "markers", name, "age %{x}<extra></extra>", marker=marker)


def draw_newcomer(
    ages: Sequence[int], newcomer: int, medians: tuple[int, int],
    laws: tuple[Sequence[float], Sequence[float]] | None,
) -> PlainFigure:  # fmt: skip
    """Draw twelve people, one who joins, the exact medians before and after; with `laws` both output distributions."""
    xs, above = sorted(ages), {"yaxis": "y2"}
    star = {"symbol": "star", "size": 15, "color": ACCENT}
    traces = [
        trace(xs, stacked(xs), "markers", "twelve people", "%{x}<extra></extra>", marker=TRUE_MARKER),
        trace([newcomer], [ages.count(newcomer) + 1], "markers", "Kim", "%{x}<extra></extra>", marker=star),
        upright(medians[0], 0, 3.4, "middle without Kim", pen(TRUE, 2.5, "dash")),
        upright(medians[1], 0, 3.4, "middle with Kim", pen(ACCENT, 2.5)),
    ]
    people = {"visible": False, "range": [0, 3.6]}
    if laws is None:
        return figure_of(traces, x="age (years)", height=220, xaxis={"range": [0, 100]}, yaxis=people)
    return figure_of(
        [each | above for each in traces] + _laws(laws), x="private answer (years)", y="probability", height=460,
        xaxis={"range": [0, 100]}, yaxis={"rangemode": "tozero", "tickformat": "~%", "domain": [0, 0.62]},
        yaxis2=people | {"domain": [0.68, 1]}, legend={"y": 1},
    )  # fmt: skip


def draw_interval_chances(
    people: Sequence[int], law: Sequence[float], draws: Sequence[float], truth: float, *, many: str
) -> PlainFigure:
    """Draw the probability of every answer on the grid 0, 1, ..., the people, and a histogram of simulated answers."""
    top, hover = max(law), "%{x} years: %{y:.2%}<extra></extra>"
    curve = {"line": pen(colour_of("aq"), shape="hvh")} | ({} if draws else {"fill": "tozeroy", "fillcolor": BAND})
    traces = [trace(range(len(law)), law, "lines", "probability of the answer", hover, **curve)]
    if draws:
        counts = sorted(Counter(draws).items())
        shares = [count / len(draws) for _, count in counts]
        bars = {
            "type": "bar", "x": [x for x, _ in counts], "y": shares, "width": 1, "name": f"{len(draws):,} {many}",
            "hovertemplate": "%{x} years: %{y:.1%}<extra></extra>",
            "marker": {"color": PRIVATE, "opacity": 0.5, "line": {"width": 0}},
        }  # fmt: skip
        top, traces = max(top, *shares), [bars, *traces]
    xs = sorted(people)
    depths, said = [-0.05 * top * height for height in stacked(xs)], "a person of %{x}<extra></extra>"
    traces.append(trace(xs, depths, "markers", "people", said, marker=TRUE_MARKER | {"size": 8}))
    traces.append(upright(truth, 0, 1.08 * top, "true median", pen(TRUE, dash="dash")))
    return figure_of(
        traces, x="answer (years)", y="probability", xaxis={"range": [-1, 101]},
        yaxis={"tickformat": "~%", "range": [-0.16 * top, 1.12 * top]},
    )  # fmt: skip


def draw_two_distributions(
    laws: tuple[Sequence[float], Sequence[float]], ratios: Sequence[float] | None, claim: float, *,
    x: str = "answer (years)",
) -> PlainFigure:  # fmt: skip
    """Draw the output distributions with and without a person; with `ratios` how many times as likely answers become.

    `claim`: the largest such ratio that is promised; its inverse is the smallest.
    """
    chances: dict[str, Any] = {"tickformat": "~%", "rangemode": "tozero"}
    if ratios is None:
        return figure_of(_laws(laws), x=x, y="probability", height=300, xaxis={"range": [0, 100]}, yaxis=chances)
    hover, second = "%{x}: %{y:.3g} times<extra></extra>", {"yaxis": "y2"}
    broken = [place for place, ratio in enumerate(ratios) if max(ratio, 1 / ratio) > claim]
    line, cross = pen(ACCENT, shape="hvh"), {"symbol": "x", "size": 8, "color": PRIVATE}
    traces = [
        *_laws(laws),
        trace(range(len(ratios)), ratios, "lines", "times as likely with Kim", hover, line=line, **second),
        trace(broken, [ratios[at] for at in broken], "markers", "beyond the claim", hover, marker=cross, **second),
    ]
    end = 1.15 * max(abs(log10(ratio)) for ratio in (claim, *ratios))
    times = {"type": "log", "range": [-end, end], "tickvals": RATIO_TICKS, "ticktext": RATIO_WORDS}
    return figure_of(
        traces, x=x, y="probability", height=480, xaxis={"range": [0, 100], "anchor": "y2"},
        yaxis=chances | {"domain": [0.54, 1]},
        yaxis2=times | {"domain": [0, 0.46], "title": "times as likely"},
        shapes=[level(end, pen(TRUE, dash="dash"), "2") for end in (claim, 1 / claim)],
    )  # fmt: skip


def _laws(laws: tuple[Sequence[float], Sequence[float]]) -> list[Trace]:
    """Return the output distributions without a person and with that person."""
    hover = "%{x} years: %{y:.2%}<extra></extra>"
    return [
        trace(range(len(law)), law, "lines", name, hover, line=pen(colour, 2.2, dash, "hvh"))
        for law, (name, colour, dash) in zip(laws, LAWS, strict=True)
    ]


SMALLEST_REACH = 6.0  # years to either side of the truth that the figure of repeated releases shows at least
ROW = 0.42  # half the height of a part, in rows
FAINT = 0.18
STRONG = 0.6
Part = tuple[int, float, float, float, bool]
"""Depth, lowest and highest value of the part, the value drawn in it, and whether it holds a certain person."""
Slice = tuple[int, int, int, bool]
"""Target rank, first and last rank of the slice, and whether it holds a certain person."""


def draw_shares(count: int) -> PlainFigure:
    """Draw a budget in `count` equal parts."""
    parts = {
        "type": "bar", "orientation": "h", "base": [at / count for at in range(count)], "x": [1 / count] * count,
        "y": ["budget"] * count, "showlegend": False, "hovertemplate": "%{hovertext}<extra></extra>",
        "hovertext": [f"answer {at + 1}: {100 / count:.1f} % of the budget" for at in range(count)],
        "marker": {"color": colour_of("aq"), "opacity": [0.85 if at % 2 else 0.55 for at in range(count)]},
    }  # fmt: skip
    return figure_of(
        [parts], x="share of the budget", height=170, bargap=0.1, xaxis={"range": [0, 1], "tickformat": ".0%"},
        yaxis={"visible": False},
    )  # fmt: skip


def draw_line(
    xs: Sequence[float], ys: Sequence[float], texts: Sequence[str], colour: str, *, here: float, x: str, y: str
) -> PlainFigure:
    """Draw a curve, marked at the place of the slider; `texts`: what its points say."""
    at = list(xs).index(here)
    hover = "%{x:,}: %{customdata}<extra></extra>"
    line = trace(xs, ys, "lines", y, hover, line=pen(colour, 2.5), customdata=list(texts), showlegend=False)
    mark = trace(
        [here], [ys[at]], "markers+text", marker={"color": colour, "size": 11}, text=[texts[at]], cliponaxis=False,
        textposition={0: "top right", len(xs) - 1: "top left"}.get(at, "bottom right"), textfont={"size": 14},
    )  # fmt: skip
    return figure_of([line, mark], x=x, y=y, yaxis={"rangemode": "tozero"})


def draw_average(
    answers: Sequence[float], averages: Sequence[float] | None, truth: float, allowed: int, total: int
) -> PlainFigure:
    """Draw every release of one median; with `averages` their running mean, and where a ledger would stop."""
    numbers = list(range(1, len(answers) + 1))
    hover = "release %{x}: %{y} years<extra></extra>", "average of %{x}: %{y:.2f} years<extra></extra>"
    traces = [
        trace([0.5, total + 0.5], [truth, truth], "lines", "truth", line=pen(TRUE, dash="dash")),
        trace(numbers, answers, "markers", "one release", hover[0], marker=PRIVATE_MARKER),
    ]
    refused: dict[str, Any] = {}
    if averages is not None:
        traces.append(trace(numbers, averages, "lines", "average so far", hover[1], line=pen(ACCENT, 3)))
        where = {"x0": allowed + 0.5, "x1": total + 0.5, "xref": "x", "yref": "y domain", "y0": 0, "y1": 1}
        words = note(allowed + 1, 1, "refused by a ledger", yref="paper", yanchor="top", font={"size": 13})
        refused = {
            "shapes": [where | {"type": "rect", "fillcolor": BAND, "layer": "below", "line": {"width": 0}}],
            "annotations": [words],
        }
    ends = 1.15 * max([SMALLEST_REACH, *(abs(answer - truth) for answer in answers)])
    return figure_of(
        traces, x="release", y="age (years)", xaxis={"range": [0, total + 1]},
        yaxis={"range": [truth - ends, truth + 1.2 * ends]}, **refused,
    )  # fmt: skip


def draw_halves(parts: Sequence[Part], person: float | None, *, x: str) -> PlainFigure:
    """Draw the nodes of one run over the value axis, a row for each depth; with `person` those that hold the person."""
    hover, deepest = "%{x} years<extra>row %{y}</extra>", max(depth for depth, *_ in parts)
    depths, values = [depth for depth, *_ in parts], [value for *_, value, _ in parts]
    traces = [trace(values, depths, "markers", "drawn value", hover, marker=PRIVATE_MARKER)]
    traces += [] if person is None else [upright(person, -0.5, deepest + 0.5, f"Kim, {person:g}", pen(ACCENT, 3))]
    return figure_of(
        traces, x=x, y="row", height=160 + 70 * (deepest + 1), showlegend=True,
        shapes=[_box(low, high, row, "aq", person is not None and holds) for row, low, high, _, holds in parts],
        yaxis={"range": [deepest + 0.6, -0.6], "showgrid": False, "tickvals": list(range(deepest + 1)),
               "ticktext": [str(row + 1) for row in range(deepest + 1)]},
    )  # fmt: skip


def draw_slices(slices: Sequence[Slice], n: int, person: int | None) -> PlainFigure:
    """Draw slices on the axis of ranks; with `person` that person's rank, and the slice that holds it."""
    ranks, hover = [target for target, *_ in slices], "%{x:,}<extra>target rank</extra>"
    traces = [trace(ranks, [0] * len(ranks), "markers", "target rank", hover, marker=TRUE_MARKER)]
    traces += [] if person is None else [upright(person, -0.5, 0.5, f"Kim, at rank {person:,}", pen(ACCENT, 3))]
    return figure_of(
        traces, x="people, from the lowest value to the highest", height=240, showlegend=True,
        shapes=[_box(first, last, 0, "slice", person is not None and holds) for _, first, last, holds in slices],
        xaxis={"range": [0, n]}, yaxis={"visible": False, "range": [-0.5, 0.5]},
    )  # fmt: skip


def _box(left: float, right: float, row: float, mechanism: str, strong: bool) -> dict[str, Any]:
    return {
        "type": "rect", "x0": left, "x1": right, "y0": row - ROW, "y1": row + ROW, "layer": "below",
        "fillcolor": colour_of(mechanism), "opacity": STRONG if strong else FAINT,
        "line": {"width": 1, "color": colour_of(mechanism)},
    }  # fmt: skip


SIDES = {"l": 16, "r": 16}
BAR_HEIGHT, DOTS_HEIGHT = 58, 300
COLUMNS = 60  # the number of stacks of dots that fit side by side
LEAST_STEPS = 10
MOST_LETTERS = 90


def draw_predictions(choices: Sequence[str], counts: Sequence[int], right: int) -> PlainFigure:
    """Draw a bar for each choice, with its number of people; highlight the right one."""
    rows = list(range(len(choices)))
    bars = {
        "type": "bar", "x": list(counts), "y": rows, "orientation": "h", "width": 0.4, "hoverinfo": "skip",
        "showlegend": False, "marker": {"color": [ACCENT if at == right else TRUE for at in rows]},
    }  # fmt: skip
    said = [
        note(0, at - 0.38, f"{counts[at]}  {shortened(choices[at], MOST_LETTERS)}{'  ✓' if at == right else ''}",
             align="left", font={"size": 15})
        for at in rows
    ]  # fmt: skip
    return figure_of(
        [bars], height=40 + BAR_HEIGHT * len(choices), margin=SIDES | {"t": 16, "b": 16}, annotations=said,
        xaxis={"range": [0, max(*counts, 1)], "visible": False},
        yaxis={"range": [len(choices) - 0.6, -0.7], "visible": False},
    )  # fmt: skip


def draw_answers(values: Sequence[float], truth: float, axis: str) -> PlainFigure:
    """Draw a dot for each person's private answer, stacked where they are close, and a line at the true value."""
    low, high = _ends({*values, truth})
    step = (high - low) / COLUMNS
    columns = [round((value - low) / step) for value in values]
    heights = stacked(columns)
    top = max([*heights, 5]) + 1.5
    dots = trace(
        [low + step * column for column in columns], heights, "markers", "one person's private answer",
        "%{customdata:,}<extra></extra>", customdata=list(values),
        marker={"color": PRIVATE, "size": 11, "symbol": "diamond"},
    )  # fmt: skip
    line = upright(truth, 0, top, "true value", pen(TRUE, dash="dash"), f"true: {truth:,}<extra></extra>")
    return figure_of(
        [dots, line], x=axis, height=DOTS_HEIGHT, margin=SIDES | {"t": 44},
        xaxis={"tickfont": {"size": USUAL_SIZE}, "range": [low - 2 * step, high + 2 * step]},
        yaxis={"range": [0, top], "visible": False},
    )  # fmt: skip


def _ends(values: set[float]) -> tuple[float, float]:
    """Return the ends of the axis, many of the smallest differences apart, so that one difference looks small."""
    ordered = sorted(values)
    smallest = min((after - before for before, after in pairwise(ordered)), default=1.0)
    missing = max(LEAST_STEPS * smallest - (ordered[-1] - ordered[0]), 0.0)
    return ordered[0] - missing / 2, ordered[-1] + missing / 2
