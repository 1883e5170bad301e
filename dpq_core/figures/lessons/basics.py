"""Figures of the lessons about people and probabilities: people as dots, output distributions of one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log10
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from .. import frame
from ..frame import ACCENT, AXIS, BAND, MECHANISM_COLOURS, PRIVATE, PRIVATE_MARKER, TRUE, TRUE_MARKER

HEIGHT = 380
MARGIN = {"l": 54, "r": 16, "t": 44, "b": 50}
DOT = 6
RATIO_TICKS = (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100)
RATIO_WORDS = ("1/100", "1/10", "1/5", "1/2", "1", "2", "5", "10", "100")


def framed(figure: go.Figure, *, x: str, y: str, height: int = HEIGHT) -> go.Figure:
    """Add the frame of all lessons, and return the figure."""
    return frame.framed(figure, x=x, y=y, height=height, margin=MARGIN)


def draw_people(
    ages: Sequence[int], guess: int, truth: int | None, moved: Sequence[int] = (), *, places: tuple[str, str] = ("", "")
) -> go.Figure:
    """Draw a dot for each person, stacked by age, and a line; with `truth` coloured sides, the middle, and who moved.

    `moved`: the new ages of those who moved, drawn as crosses above the others of that age. `places`: where in the
    order of all people the line and the middle stand, in words.
    """
    figure = go.Figure()
    xs, ys = _stacked(ages)
    groups = (
        [("people", ACCENT, "circle", lambda _: True)]
        if truth is None
        else [
            ("younger than your line", ACCENT, "circle", lambda age: age < guess),
            ("your line or older", TRUE, "circle-open", lambda age: age >= guess),
        ]
    )
    for name, colour, symbol, belongs in groups:
        chosen = [index for index, age in enumerate(xs) if belongs(age)]
        figure.add_scatter(
            x=[xs[i] for i in chosen], y=[ys[i] for i in chosen], mode="markers", name=name,
            marker={"color": colour, "size": DOT, "symbol": symbol}, hovertemplate="age %{x}<extra></extra>",
        )  # fmt: skip
    top = max(*ys, len(moved)) + 2.5
    if truth is not None:
        tops = Counter(xs)
        place = [tops[age] + 1 + index for index, age in enumerate(moved)]
        figure.add_scatter(
            x=list(moved), y=place, mode="markers", name="the ten oldest, now 90",
            marker={"color": AXIS, "size": DOT, "symbol": "x-thin-open"}, hoverinfo="skip",
        )  # fmt: skip
        _upright(figure, truth, top, f"true middle{places[1]}", TRUE, "dash")
    _upright(figure, guess, top, f"your line{places[0]}", ACCENT, "solid")
    framed(figure, x="age (years)", y="people of that age", height=400)
    return figure.update_yaxes(range=[0, top]).update_xaxes(range=[15, 92])


def draw_newcomer(
    ages: Sequence[int],
    newcomer: int,
    medians: tuple[int, int],
    laws: tuple[Sequence[float], Sequence[float]] | None,
) -> go.Figure:
    """Draw twelve people, one who joins, the exact medians before and after; with `laws` both output distributions."""
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=(0.34, 0.66), vertical_spacing=0.06)
    xs, ys = _stacked(ages)
    figure.add_scatter(
        x=xs, y=ys, mode="markers", name="twelve people", marker=TRUE_MARKER, row=1, col=1, hoverinfo="x",
    )  # fmt: skip
    figure.add_scatter(
        x=[newcomer], y=[ages.count(newcomer) + 1], mode="markers", name="Kim", row=1, col=1, hoverinfo="x",
        marker={"symbol": "star", "size": 15, "color": ACCENT},
    )  # fmt: skip
    for median, name, colour, dash in zip(
        medians, ("middle without Kim", "middle with Kim"), (TRUE, ACCENT), ("dash", "solid"), strict=True
    ):
        line = {"color": colour, "width": 2.5, "dash": dash}
        figure.add_scatter(
            x=[median, median], y=[0, 3.4], mode="lines", name=name, line=line, row=1, col=1, hoverinfo="x"
        )
    if laws is not None:
        _two_laws(figure, laws, row=2)
    framed(figure, x="", y="", height=460 if laws else 220)
    figure.update_yaxes(visible=False, range=[0, 3.6], row=1, col=1).update_xaxes(range=[0, 100])
    if laws is None:
        figure.update_yaxes(domain=[0, 1], row=1, col=1).update_xaxes(visible=False, row=2, col=1)
        figure.update_yaxes(visible=False, row=2, col=1)
        return figure.update_xaxes(title="age (years)", showticklabels=True, row=1, col=1)
    figure.update_yaxes(title="probability", rangemode="tozero", tickformat=".1%", row=2, col=1)
    return figure.update_xaxes(title="private answer (years)", row=2, col=1).update_layout(legend_y=1.0)


def draw_interval_chances(
    people: Sequence[int], law: Sequence[float], draws: Sequence[float], truth: float, *, many: str
) -> go.Figure:
    """Draw the probability of every answer on the grid 0, 1, ..., the people, and the simulated answers."""
    figure = go.Figure()
    figure.add_scatter(
        x=list(range(len(law))), y=law, mode="lines", name="probability of the answer", fill="tozeroy",
        line={"shape": "hvh", "color": MECHANISM_COLOURS["aq"], "width": 2}, fillcolor=BAND,
        hovertemplate="%{x} years: %{y:.2%}<extra></extra>",
    )  # fmt: skip
    top = max(law)
    if draws:
        counts = sorted(Counter(draws).items())
        shares = [count / len(draws) for _, count in counts]
        top = max(top, *shares)
        figure.add_scatter(
            x=[value for value, _ in counts], y=shares, mode="markers", name=f"{len(draws)} {many}",
            marker=PRIVATE_MARKER | {"size": 7}, hovertemplate="%{x} years: %{y:.1%}<extra></extra>",
        )  # fmt: skip
    xs, ys = _stacked(people)
    figure.add_scatter(
        x=xs, y=[-0.05 * top * place for place in ys], mode="markers", name="people",
        marker=TRUE_MARKER | {"size": 8}, hovertemplate="a person of %{x}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[truth, truth], y=[0, 1.08 * top], mode="lines", name="true median", hoverinfo="skip",
        line={"color": TRUE, "width": 2, "dash": "dash"},
    )  # fmt: skip
    framed(figure, x="answer (years)", y="probability")
    return figure.update_yaxes(tickformat=".1%", range=[-0.16 * top, 1.12 * top]).update_xaxes(range=[-1, 101])


def draw_two_distributions(
    laws: tuple[Sequence[float], Sequence[float]], ratios: Sequence[float] | None, claim: float, *,
    x: str = "answer (years)",
) -> go.Figure:  # fmt: skip
    """Draw the output distributions with and without a person; with `ratios` how many times as likely answers become.

    `claim`: the largest such ratio that is promised; its inverse is the smallest.
    """
    rows = 1 if ratios is None else 2
    figure = make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=0.08)
    _two_laws(figure, laws, row=1)
    framed(figure, x="", y="", height=300 if ratios is None else 480)
    figure.update_yaxes(title="probability", tickformat=".1%", rangemode="tozero", row=1, col=1)
    if ratios is not None:
        places = list(range(len(ratios)))
        figure.add_scatter(
            x=places, y=list(ratios), mode="lines", name="times as likely with Kim", row=2, col=1,
            line={"shape": "hvh", "color": ACCENT, "width": 2}, hovertemplate="%{x}: %{y:.3g} times<extra></extra>",
        )  # fmt: skip
        for end in (claim, 1 / claim):
            figure.add_hline(y=end, line={"color": TRUE, "width": 2, "dash": "dash"}, row=2, col=1)
        broken = [place for place in places if max(ratios[place], 1 / ratios[place]) > claim]
        figure.add_scatter(
            x=broken, y=[ratios[place] for place in broken], mode="markers", name="beyond the claim", row=2, col=1,
            marker={"symbol": "x", "size": 8, "color": PRIVATE}, hovertemplate="%{x}: %{y:.3g} times<extra></extra>",
        )  # fmt: skip
        end = 1.15 * max(abs(log10(ratio)) for ratio in (claim, *ratios))
        figure.update_yaxes(
            title="times as likely", type="log", range=[-end, end], tickvals=RATIO_TICKS, ticktext=RATIO_WORDS,
            row=2, col=1,
        )  # fmt: skip
    return figure.update_xaxes(title=x, row=rows, col=1).update_xaxes(range=[0, 100])


def _two_laws(figure: go.Figure, laws: tuple[Sequence[float], Sequence[float]], *, row: int) -> None:
    looks = (("private answer without Kim", TRUE, "dash"), ("private answer with Kim", PRIVATE, "solid"))
    for law, (name, colour, dash) in zip(laws, looks, strict=True):
        figure.add_scatter(
            x=list(range(len(law))), y=list(law), mode="lines", name=name, row=row, col=1,
            line={"shape": "hvh", "color": colour, "width": 2.2, "dash": dash},
            hovertemplate="%{x} years: %{y:.2%}<extra></extra>",
        )  # fmt: skip


def _upright(figure: go.Figure, x: float, top: float, name: str, colour: str, dash: str) -> None:
    line: dict[str, Any] = {"color": colour, "width": 3, "dash": dash}
    figure.add_scatter(x=[x, x], y=[0, top], mode="lines", name=name, line=line, hoverinfo="name")


def _stacked(values: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return positions and heights 1, 2, ... that stack equal values."""
    seen: Counter[int] = Counter()
    heights = []
    for value in sorted(values):
        seen[value] += 1
        heights.append(seen[value])
    return sorted(values), heights
