"""Quantiles on a projector: one figure at a time in full width, with one sentence; the arrow keys turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dpq_core.results.kinds import Released, Simulated
from dpq_core.results.wording import error_in_words, spoken_level

from .. import keys
from ..frame import pieces, screen
from ..frame.header import escape

TURNED = "its figures"
OF_SIMULATION = ("True and private", "Rank errors", "Many runs", "Numbers")
OF_RELEASE = ("Private answers", "Numbers")
MOST_ROWS = 20
"""Of the numbers on a projector: more cannot be read from the last row of a room."""
_AT = keys.state("presented_figure")


def names_of(outcome: Simulated | Released | None) -> Sequence[str]:
    """Return what can be shown of an outcome, in its order; nothing without one."""
    if outcome is None:
        return ()
    names = OF_SIMULATION if isinstance(outcome, Simulated) else OF_RELEASE
    return names if len(outcome.only.values) <= MOST_ROWS else names[:-1]


def show(
    outcome: Simulated | Released, sentence: str, figures: Callable[[], Sequence[tuple[Any, str]]], changed: str
) -> None:
    """Show what is due of an outcome. `sentence`: its finding; `figures`: made when one of them is due, with texts."""
    names = names_of(outcome)
    at = _at(names)
    st.header(f"{escape(sentence)}{pieces.changed_badge(changed)}", anchor=False)
    if names[at] == "Numbers":
        st.markdown(_numbers(outcome))
        return
    figure, alt = figures()[at]
    simulated = isinstance(outcome, Simulated)
    pieces.draw(screen.stage(), screen.enlarged(figure), f"presented_{at}", alt, fills=True, simulated=simulated)


def turn(outcome: Simulated | Released | None) -> None:
    """Draw the line below what is presented, from which the next figure is a press away."""
    names = names_of(outcome)
    screen.turns(_at(names), names, _turn_to)


def _at(names: Sequence[str]) -> int:
    return min(int(st.session_state.get(_AT, 0)), max(len(names) - 1, 0))


def _turn_to(at: int) -> None:
    st.session_state[_AT] = at


def _numbers(outcome: Simulated | Released) -> str:
    """Return the answers as a table of the page's own size of text."""
    number, levels = outcome.wording.value, outcome.plan.quantiles
    order = sorted(range(len(levels)), key=levels.__getitem__)
    own = outcome.only
    true, errors = own.true_values, own.errors
    words = outcome.wording
    columns = ["quantile", *(["true"] if true else []), "private", *(["off by"] if errors else [])]
    rows = [
        [
            spoken_level(levels[at]),
            *([number(true[at])] if true else []),
            number(own.values[at]),
            *([error_in_words(abs(errors[at]), words.one, words.many)] if errors else []),
        ]
        for at in order
    ]
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *([escape(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
