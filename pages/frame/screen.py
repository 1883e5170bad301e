"""How a page stands on a phone: after a press its controls fold away and the answer comes into view.

On wider screens controls and answer stand side by side, and nothing of this is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..server import ANSWER, FIGURES, UNFOLDED, scripts
from ..settings import PREFIX
from .style import CONTROLS, PICTURE

_PRESSES = f"{PREFIX}:presses"
_TO_SHOW = f"{PREFIX}:answer_to_show"


def halves(*, in_steps: bool = False) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the places of the controls and of the answer: side by side, on a phone one below the other.

    `in_steps`: the controls are steps, which need more room.
    """
    form, answer = st.columns((46, 54) if in_steps else (28, 72), gap="large")
    return form, answer


def picture() -> DeltaGenerator:
    """Return the place of a picture that stays in view while a control beside it is turned; above them on a phone.

    It stands in the column of the answer, with nothing else there that would not fit the screen.
    """
    return st.container(key=PICTURE, gap="xsmall")


def figures() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the places of the two figures of a picture, side by side and as high as the screen allows."""
    with st.container(key=FIGURES):
        first, second = st.columns((64, 36), gap="small")
    return first.container(height="stretch"), second.container(height="stretch")


def answer() -> DeltaGenerator:
    """Return the place of what a press of the main button asks for; after a press it comes into view on a phone."""
    return st.container(key=ANSWER)


@contextmanager
def controls(
    switch: str = "Show the settings", *, unfolded: bool = True, border: bool = True, folds: bool = True
) -> Iterator[None]:
    """Draw the card of the controls; on a phone a switch above them hides all of them but the main button.

    `unfolded`: whether a phone shows them at first; `border`: around the card, where what is in it has none of its own;
    `folds`: whether there is the switch. A form whose picture stays in view needs none.
    """
    st.session_state.setdefault(UNFOLDED, unfolded)
    with st.container(border=border, key=CONTROLS):
        if folds:
            st.toggle(switch, key=UNFOLDED, on_change="ignore")
        yield


def fold() -> None:
    """Fold the controls on a phone; for callbacks."""
    st.session_state[UNFOLDED] = False


def note_press() -> None:
    """Fold the controls, and remember to show the answer once it is drawn; for the callback of the main button."""
    fold()
    st.session_state[_PRESSES] = int(st.session_state.get(_PRESSES, 0)) + 1
    st.session_state[_TO_SHOW] = True


def show_answer() -> None:
    """Bring the answer into view after a press. The last thing of a page, when all above it stands."""
    if st.session_state.pop(_TO_SHOW, False):
        scripts.run(scripts.TO_THE_ANSWER, str(st.session_state[_PRESSES]))
