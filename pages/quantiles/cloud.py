"""The cloud of a simulation on the screen: what other runs with the same settings would give."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpq_core.results.kinds import Simulated
from dpq_core.results.persons import weighs_shares

from .. import keys
from ..frame import links, pieces
from ..server.scripts import figure_key
from ..settings.table import SPLITS

FIGURE = figure_key("cloud")
ALT = "Answers of many runs with the same settings; the table Numbers has their ranges"
RUNS = 60
"""That are drawn."""
_CHOSEN = keys.state("cloud", "chosen")


def show_cloud(outcome: Simulated, *, current: bool) -> None:
    """Show many runs, of which each opens on the page Inside where it can be looked into.

    `current`: the settings of the page are still those of the outcome, which are what Inside begins with.
    """
    from dpq_core.figures.curves import MOST_MARKED_QUANTILES
    from dpq_core.figures.frame import CONFIG, shown

    few = len(outcome.plan.quantiles) <= MOST_MARKED_QUANTILES  # more are curves, in which no run can be pointed at
    known = outcome.only.find_bounds is None
    whole = known and outcome.plan.intervals is None and not weighs_shares(outcome.request.person)
    opens = few and whole  # else Inside cannot show a run
    chosen = st.session_state.pop(_CHOSEN, None)
    if chosen and not current:
        st.toast("The settings have changed since: simulate these first, then look inside a run.")
    elif chosen:
        links.turn_to("inside", {"splits": SPLITS[1]}, seed=outcome.seed, run_number=chosen)
    st.caption(
        f"{outcome.draws} runs with these settings: other answers you might have got. Not a release."
        f"{' Click one to look inside it.' if opens else ''}"
    )
    if not opens:
        pieces.draw(st.container(), figure_of(outcome), "cloud", ALT)
        return
    figure = shown(figure_of(outcome))
    st.plotly_chart(figure, key=FIGURE, config=CONFIG, alt=ALT, on_select=_clicked, selection_mode="points")
    st.button(
        "Look inside run 1", key=keys.widget("look_inside"), icon=":material/search:", type="tertiary",
        on_click=_choose, args=(1,),
    )  # fmt: skip


def _clicked() -> None:
    points = st.session_state[FIGURE]["selection"]["points"]
    if numbers := [point["customdata"] for point in points if "customdata" in point]:
        _choose(int(numbers[0][0] if isinstance(numbers[0], list) else numbers[0]))


def _choose(number: int) -> None:
    st.session_state[_CHOSEN] = number


def figure_of(outcome: Simulated) -> Any:
    """Return the figure of the cloud."""
    from dpq_core.figures.quantiles import draw_cloud

    words = outcome.wording
    order = sorted(range(len(outcome.plan.quantiles)), key=outcome.plan.quantiles.__getitem__)
    drawn = (outcome.only.true_values, *outcome.many_runs.ends, *outcome.many_runs.values[:RUNS])
    rows = [[float(row[at]) for at in order] for row in drawn]
    true, lows, highs, *runs = (pieces.axis_values(words, row) for row in rows)
    return draw_cloud(
        [float(outcome.plan.quantiles[at]) for at in order], true, (lows, highs), runs,
        [[words.number(value) for value in row] for row in rows[3:]],
        axis=words.axis, many=words.many, wide=not outcome.only.domain.has_even_steps,
    )  # fmt: skip
