"""The cloud of a simulation on the screen: what other runs with the same settings would give."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ...results import Simulation
from ..settings import PREFIX
from ..shell import links, pieces

FIGURE = f"{PREFIX}_figure_cloud"


def show_cloud(outcome: Simulation, *, current: bool) -> None:
    """Show many runs, of which each opens on the page Inside where it can be looked into.

    `current`: the settings of the page are still those of the outcome, which are what Inside begins with.
    """
    from ...figures import CONFIG

    opens = _may_open(outcome)
    st.caption(
        f"{outcome.draws} runs with these settings: what could have come instead. Not a release."
        f"{' Click one to look inside it.' if opens else ''}"
    )
    figure, alt = figure_of(outcome), "Answers of many runs with the same settings; the table Numbers has their ranges"
    if not opens:
        pieces.draw(st.container(), figure, "cloud", alt)
        return
    event = st.plotly_chart(figure, key=FIGURE, config=CONFIG, alt=alt, on_select="rerun", selection_mode="points")
    chosen = [point["customdata"] for point in event["selection"]["points"] if "customdata" in point]
    if chosen and not current:
        st.toast("The settings have changed since: simulate these first, then look inside a run.")
    elif chosen:
        number = chosen[0]
        links.turn_to("inside", seed=outcome.seed, run_number=int(number[0] if isinstance(number, list) else number))


def figure_of(outcome: Simulation) -> Any:
    """Return the figure of the cloud."""
    from ...figures import MOST_LEVELS, RUNS, Cloud, draw_cloud

    order = sorted(range(len(outcome.plan.quantiles)), key=lambda at: outcome.plan.quantiles[at])
    order = order[:: max(-(-len(order) // MOST_LEVELS), 1)]
    levels = [float(outcome.plan.quantiles[at]) for at in order]
    words, number = outcome.wording, outcome.wording.number

    def on_axis(row: Any) -> list[Any]:
        return pieces.axis_values(words, [float(row[at]) for at in order])

    true, (lows, highs) = outcome.true_values, outcome.run_ends
    rows = outcome.runs[:RUNS]
    dots = outcome.dots if len(levels) == 1 else []
    dot_values = [float(outcome.runs[run, 0]) for run in dots]
    cloud = Cloud(
        levels=levels,
        true=on_axis(true),
        lows=on_axis(lows),
        highs=on_axis(highs),
        runs=[on_axis(row) for row in rows],
        words=[[number(float(row[at])) for at in order] for row in rows],
        told=[(number(true[at]), number(float(lows[at])), number(float(highs[at]))) for at in order],
        dots=dots,
        dot_values=pieces.axis_values(words, dot_values),
        dot_words=[number(value) for value in dot_values],
    )
    return draw_cloud(cloud, axis=words.axis, many=words.many, wide=not outcome.domain.has_even_steps)


def _may_open(outcome: Simulation) -> bool:
    """Return whether Inside can show a run: it asks neither for intervals nor for bounds, and shows whole records."""
    from ...figures import MANY

    shares = outcome.person is not None and outcome.person.shares
    few = len(outcome.plan.quantiles) <= MANY  # more are curves, in which no run can be pointed at
    return outcome.find_bounds is None and outcome.plan.intervals is None and not shares and few
