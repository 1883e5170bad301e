"""The cloud of a simulation on the screen: what other runs with the same settings would give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dpq_core.results.kinds import Simulation
from dpq_core.results.persons import weighs_shares

from .. import keys
from ..frame import links, pieces, style
from ..server import scripts
from ..server.scripts import figure_key
from ..settings.table import SPLITS

FIGURE = figure_key("cloud")
ALT = "Answers of many runs with the same settings; the table Numbers has their ranges"
_SHOWN, _PLAYS, _CHOSEN = (keys.state("cloud", name) for name in ("run", "plays", "chosen"))


def show_cloud(outcome: Simulation, *, current: bool) -> None:
    """Show many runs, of which each opens on the page Inside where it can be looked into.

    `current`: the settings of the page are still those of the outcome, which are what Inside begins with.
    """
    from dpq_core.figures.quantiles import CONFIG

    opens = _may_open(outcome)
    chosen = st.session_state.pop(_CHOSEN, None)
    if chosen and not current:
        st.toast("The settings have changed since: simulate these first, then look inside a run.")
    elif chosen:
        links.turn_to("inside", {"splits": SPLITS[1]}, seed=outcome.seed, run_number=chosen)
    st.caption(
        f"{outcome.draws} runs with these settings: other answers you might have got. Not a release."
        f"{' Click one to look inside it.' if opens else ''}"
    )
    figure, alt = figure_of(outcome), ALT
    if opens:
        st.plotly_chart(figure, key=FIGURE, config=CONFIG, alt=alt, on_select=_clicked, selection_mode="points")
    else:
        pieces.draw(st.container(), figure, "cloud", alt)
    _buttons(outcome, opens=opens)


def _clicked() -> None:
    points = st.session_state[FIGURE]["selection"]["points"]
    numbers = [point["customdata"] for point in points if "customdata" in point]
    if numbers:
        _choose(int(numbers[0][0] if isinstance(numbers[0], list) else numbers[0]))


def _choose(number: int) -> None:
    st.session_state[_CHOSEN] = number


def _buttons(outcome: Simulation, *, opens: bool) -> None:
    """Draw what plays the runs, steps through them and opens the marked one, for the keyboard as for the pointer."""
    run, played = shown_run(outcome) + 1, ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if _button("Play", style.CLOUD_PLAY, "play_arrow"):
            played = scripts.PLAY
        if _button("Stop", style.CLOUD_STOP, "stop"):
            played = scripts.STOP
        _button("Previous run", keys.widget("previous_run"), "chevron_left", partial(_step, outcome, -1))
        _button("Next run", keys.widget("next_run"), "chevron_right", partial(_step, outcome, 1))
        if opens:
            _button(f"Look inside run {run}", keys.widget("look_inside"), "search", partial(_choose, run))
        else:
            st.caption(f"Run {run} is marked.")
    if played:
        st.session_state[_PLAYS] = st.session_state.get(_PLAYS, 0) + 1
        scripts.run(played, str(st.session_state[_PLAYS]))


def _button(label: str, key: str, icon: str, then: Callable[[], None] | None = None) -> bool:
    return st.button(label, key=key, icon=f":material/{icon}:", type="tertiary", on_click=then)


def _step(outcome: Simulation, step: int) -> None:
    st.session_state[_SHOWN] = shown_run(outcome) + step


def shown_run(outcome: Simulation) -> int:
    """Return which run is marked at rest, from 0; behind the last one comes the first."""
    from dpq_core.figures.cloud import RUNS

    return int(st.session_state.get(_SHOWN, 0)) % min(RUNS, len(outcome.runs))


def figure_of(outcome: Simulation) -> Any:
    """Return the figure of the cloud."""
    from dpq_core.figures.cloud import MOST_LEVELS, RUNS, Cloud, draw_cloud

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
        shown=shown_run(outcome),
        told=[(number(true[at]), number(float(lows[at])), number(float(highs[at]))) for at in order],
        dots=dots,
        dot_values=pieces.axis_values(words, dot_values),
        dot_words=[number(value) for value in dot_values],
    )
    return draw_cloud(cloud, axis=words.axis, many=words.many, wide=not outcome.domain.has_even_steps)


def _may_open(outcome: Simulation) -> bool:
    """Return whether Inside can show a run: it asks neither for intervals nor for bounds, and shows whole records."""
    from dpq_core.figures.curves import MOST_MARKED_QUANTILES

    shares = weighs_shares(outcome.person)
    few = len(outcome.plan.quantiles) <= MOST_MARKED_QUANTILES  # more are curves, in which no run can be pointed at
    return outcome.find_bounds is None and outcome.plan.intervals is None and not shares and few
