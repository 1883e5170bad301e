"""How a page is laid out on a phone and for a projector: by the rules of style.css and presented.css.

On a phone the answer is above the controls, and comes into view after a press; on wider screens they are side by side.
A sentence that names a control of an earlier step has a button that leads to it. Presented, a page has full width,
large text and axes, no form and no menu, and the arrow keys turn it. That is this tab's alone, and in no link: a link
to a lesson, and what a room shows, open the page as students need it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from .. import keys
from ..server import scripts

IN_VIEW = keys.widget("in_view")
"""The key of the container that holds a page's primary button."""


@lru_cache
def style(name: str = "style") -> str:
    """Return the rules of every page as a style element, without remarks; `presented`: those of a presentation."""
    text = Path(__file__).with_name(f"{name}.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"@((?:light|dark)\.\w+)", lambda found: st.get_option(f"theme.{found[1]}") or "Canvas", text)
    return f"<style>{' '.join(text.replace('@NARROW', scripts.NARROW).split())}</style>"


_PRESSES, _SOUGHT = keys.state("presses"), keys.state("sought")
_TO_SHOW = keys.state("answer_to_show")
_PRESENTED, _TURNED = keys.state("presented"), keys.state("presented_turned")
FIGURE_LARGER = 1.5
"""Times as large are the texts of a presented figure, which do not grow with those of its page."""


def halves(controls: int = 31) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the places of the controls and of the answer: side by side, on a phone the answer above.

    `controls`: how much of the width they take, in percent. Those in steps need more room.
    """
    form, answer = st.columns((controls, 100 - controls), gap="medium")
    return form, answer


def picture() -> DeltaGenerator:
    """Return the place of a picture that stays in view while a control beside it changes; on a phone it is above them.

    It is in the column of the answer. Nothing else there may exceed the height of the screen.
    """
    return st.container(key=keys.widget("picture"), gap="xsmall")


def figures() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the places of the two figures of a picture, side by side and as high as the screen allows."""
    with st.container(key=keys.widget("figures")):
        first, second = st.columns((64, 36), gap="small")
    return first.container(height="stretch"), second.container(height="stretch")


def answer() -> DeltaGenerator:
    """Return the place of what a press of the main button asks for; after a press it comes into view on a phone."""
    return st.container(key=keys.widget("answer_place"))


def controls(*, border: bool = True) -> DeltaGenerator:
    """Return the card of the controls. `border`: around the card, where what is in it has none of its own."""
    return st.container(border=border, key=keys.widget("controls"))


def note_press() -> None:
    """Remember to show the answer once it is drawn; for the callback of the main button."""
    st.session_state[_PRESSES] = int(st.session_state.get(_PRESSES, 0)) + 1
    st.session_state[_TO_SHOW] = True


def show_answer() -> None:
    """Bring the answer into view after a press. Call this last, when the whole page is drawn."""
    if st.session_state.pop(_TO_SHOW, False):
        scripts.run(scripts.TO_THE_ANSWER, str(st.session_state[_PRESSES]))


def lead(label: str, place: str, of: str) -> None:
    """Draw a button that leads to a control of an earlier step, by its key; `of`: what it is called among others."""
    st.button(
        label, key=keys.widget("lead", of), type="tertiary", icon=":material/arrow_upward:", on_click=seek,
        args=(place,),
    )  # fmt: skip


def seek(place: str) -> None:
    """Let the next run bring a place of the form into view, by its key."""
    st.session_state[_SOUGHT] = place


def show_sought() -> None:
    """Bring into view what is sought, with the cursor in its first field. The last thing of a form."""
    if place := st.session_state.pop(_SOUGHT, ""):
        scripts.run(scripts.TO_THE_FIELD, f"field:{place.replace('.', '-')}")


def is_presented() -> bool:
    """Return whether this tab presents."""
    return bool(st.session_state.get(_PRESENTED, False))


def presented() -> bool:
    """Return whether this page is presented; it hides what only its own screen needs."""
    on = is_presented()
    if on:
        st.html(style("presented"))
    if turned := st.session_state.get(_TURNED, 0):
        scripts.run(scripts.TO_THE_TOP, f"presented{turned}")
    return on


def offer_to_present(turned: str = "the lessons") -> None:
    """Draw the button that begins a presentation; `turned`: what the arrow keys turn there."""
    st.button(
        "Present", key=keys.widget("present"), icon=":material/slideshow:", type="tertiary",
        help=f"Full width and large text for a projector. The arrow keys turn {turned}, Esc leaves.",
        on_click=_present, args=(True,),
    )  # fmt: skip


def enlarged(figure: Any) -> Any:
    """Return a figure with larger texts where the page is presented, else as it is."""
    from dpq_core.figures.frame import with_larger_texts

    return with_larger_texts(figure, FIGURE_LARGER) if is_presented() else figure


def turns(at: int, last: int, turn: Callable[[int], None], labels: tuple[str, str], *, key: str | None = None) -> None:
    """Draw the line that turns a page: back, and on; where it is presented, the arrow keys do that, and Esc leaves."""
    presented = is_presented()
    with st.container(key=key, horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.button(
            labels[0], key=keys.widget("previous"), icon=":material/arrow_back:", disabled=at == 0, on_click=turn,
            args=(at - 1,), shortcut="Left" if presented else None,
        )  # fmt: skip
        if presented:
            st.button(
                "Leave the presentation", key=keys.widget("present_off"), type="tertiary", shortcut="Esc",
                on_click=_present, args=(False,),
            )  # fmt: skip
        st.button(
            labels[1], key=keys.widget("next"), icon=":material/arrow_forward:", icon_position="right",
            disabled=at >= last, type="primary", on_click=turn, args=(at + 1,), shortcut="Right" if presented else None,
        )  # fmt: skip


def _present(on: bool) -> None:
    st.session_state[_PRESENTED] = on
    st.session_state[_TURNED] = int(st.session_state.get(_TURNED, 0)) + 1
