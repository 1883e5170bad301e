"""An answer on a projector: one figure of a column at a time in full width, with one sentence; the arrow keys turn."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpq_core.results.kinds import Released, Simulated
from dpq_core.results.wording import error_in_words, spoken_level

from .. import keys
from ..shell import pieces, screen
from ..shell.header import escape
from . import figures
from .sentences import headline

OF_SIMULATION = ("True and private", "Rank errors", "Many runs", "Numbers")
OF_RELEASE = ("Private answers", "Numbers")
MOST_ROWS = 20
"""Of the numbers on a projector: more cannot be read from the last row of a room."""
_AT = keys.state("presented_figure")


def present(outcome: Simulated | Released, changed: str) -> None:
    """Show on a projector what is due of an outcome."""
    names = _names_of(outcome)
    at = _at(names)
    st.header(f"{escape(headline(outcome))}{pieces.changed_badge(changed)}", anchor=False)
    if names[at] == "Numbers":
        st.markdown(_numbers(outcome))
        return
    if simulated := isinstance(outcome, Simulated):
        figure, alt = figures.of_simulation(outcome, figures.scale_of(outcome))[at]
    else:
        figure, alt = figures.of_sheet(outcome, [])[at]
    pieces.draw(screen.stage(), screen.enlarged(figure), f"presented_{at}", alt, fills=True, simulated=simulated)


def _names_of(outcome: Simulated | Released | None) -> Sequence[str]:
    """Return what can be shown of an outcome, in its order; nothing without one."""
    if outcome is None:
        return ()
    names = OF_SIMULATION if isinstance(outcome, Simulated) else OF_RELEASE
    return names if len(outcome.only.values) <= MOST_ROWS else names[:-1]


def turn(outcome: Simulated | Released | None) -> None:
    """Draw the line below what is presented, from which the next figure is a press away."""
    names = _names_of(outcome)
    screen.turns(_at(names), names, _turn_to)


def _at(names: Sequence[str]) -> int:
    return min(int(st.session_state.get(_AT, 0)), max(len(names) - 1, 0))


def _turn_to(at: int) -> None:
    st.session_state[_AT] = at


def _numbers(outcome: Simulated | Released) -> str:
    """Return the answers as a table of the page's own size of text."""
    number, levels = outcome.wording.value, outcome.plan.quantiles
    own, words = outcome.only, outcome.wording
    true, errors = own.true_values, own.errors
    heads = ["quantile", *(["true"] if true else []), "private", *(["off by"] if errors else [])]
    rows = [
        [
            spoken_level(levels[at]),
            *([number(true[at])] if true else []),
            number(own.values[at]),
            *([error_in_words(abs(errors[at]), words.one, words.many)] if errors else []),
        ]
        for at in figures.by_level(outcome)
    ]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *([escape(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
