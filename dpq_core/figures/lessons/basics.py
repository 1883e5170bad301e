"""Figures of the lessons about people and probabilities: people as dots, output distributions of one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log10
from typing import Any

from ..frame import ACCENT, BAND, PRIVATE, TRUE, TRUE_MARKER, PlainFigure, Trace, colour_of, figure_of
from ..traces import level, pen, stacked, trace, upright

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
        xaxis={"range": [0, 100]}, yaxis={"rangemode": "tozero", "tickformat": ".1%", "domain": [0, 0.62]},
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
        yaxis={"tickformat": ".1%", "range": [-0.16 * top, 1.12 * top]},
    )  # fmt: skip


def draw_two_distributions(
    laws: tuple[Sequence[float], Sequence[float]], ratios: Sequence[float] | None, claim: float, *,
    x: str = "answer (years)",
) -> PlainFigure:  # fmt: skip
    """Draw the output distributions with and without a person; with `ratios` how many times as likely answers become.

    `claim`: the largest such ratio that is promised; its inverse is the smallest.
    """
    chances: dict[str, Any] = {"tickformat": ".1%", "rangemode": "tozero"}
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
