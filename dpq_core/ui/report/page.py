"""What the Report page does: which answer it tells of, and the sheet itself. Private answers only, in both modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ...results import Released, Simulation
from ..quantiles import show_link
from ..server import Role, downloads, role, sign_out
from ..settings import LONGEST_LINE, LONGEST_WORD, MOST_STUDIED, SETTINGS, WRITTEN, key, table, text
from ..shell import IN_VIEW, PRIVATE_ONLY, complain, term
from . import html
from .style import STYLE
from .subject import EXAMPLE, alike, kept_answers, public_records, told
from .words import Told

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ...ledger.history import Kept

QUESTION = "What do I show the stakeholder?"
PRESENTED = "What was released, and how well is it protected?"
SIMULATION = ""
"""Of the setting: no answer of the ledger, but the simulation of this session."""
FILE = "report.html"
TYPED = ("title", "unit", "written", "records")
"""What is asked about an answer that the ledger keeps without words, and about its people."""
_SEEN = f"{table.PREFIX}:reported"
"""The last release of this session that the page has turned to by itself."""
_COUNTED = f"{table.PREFIX}:reported_example"
"""The last example whose number of people the page has filled in."""
NO_ANSWER = "The answer in this link is not in the ledger of this server."


def heading() -> str:
    """The question of the page; for those who only read, what they may ask themselves."""
    return PRESENTED if is_presented() or role() is not Role.CURATOR else QUESTION


def is_presented() -> bool:
    """Whether to show the sheet alone, in bigger type."""
    return bool(st.session_state.get(key("present"), st.query_params.get("present")) == "yes")


def choose() -> Told | None:
    """The form: which answer, and what is publicly known of it. None, with a word why, where there is nothing."""
    kept = _kept()
    if kept is None:
        return None
    st.selectbox(
        "Answer", [SIMULATION, *kept], format_func=lambda name: _name(kept.get(name)), key=key("answer"),
        persist_state="session", filter_mode=None, help=term("kept answer"), on_change=_forget_words,
    )  # fmt: skip
    chosen = kept.get(text("answer"))
    if chosen:
        _choose_second(chosen, kept)
        if chosen.words is None:
            _choose_words()
    if public_records(chosen) is None:
        _choose_records()
    return told(chosen, kept.get(text("second")) if chosen else None)


def presented() -> Told | None:
    """What the settings say, without a form."""
    kept = _kept()
    if kept is None:
        return None
    chosen, second = kept.get(text("answer")), kept.get(text("second"))
    return told(chosen, second if chosen and second and alike(chosen, second) else None)


def headline(found: Told | None) -> str:
    """The line under the question: what kind of sheet this is."""
    if found is None:
        return ":gray[Nothing to report yet]"
    kind = ":orange-badge[:material/casino: Simulation on public data]" if found.simulated else PRIVATE_ONLY
    return f":gray[One page for whoever decides. It never shows the truth.] {kind}"


def _kept() -> dict[str, Kept] | None:
    """The answers that there are to tell of; None, with a word why, where one is asked for and cannot be read now."""
    found = kept_answers()
    if isinstance(found, str):
        complain(found)
        if text("answer"):
            return None
        found = {}
    _begin_with_latest(found)
    return found


def _begin_with_latest(kept: dict[str, Kept]) -> None:
    """After a release the report tells of it; an answer that the ledger lacks is none."""
    if text("answer") and text("answer") not in kept:
        st.session_state[key("answer")] = SIMULATION
        st.info(NO_ANSWER, icon=":material/link_off:")
    released = next((value for value in st.session_state.values() if isinstance(value, Released)), None)
    if released and st.session_state.get(_SEEN) != released.release_id and released.release_id in kept:
        st.session_state[_SEEN] = released.release_id
        if "answer" not in st.query_params:
            _turn_to(released)
    if text("answer") == SIMULATION:
        _count_example()


def _turn_to(released: Released) -> None:
    """Tell of a release, and of no example any more."""
    st.session_state[key("answer")] = released.release_id
    if st.session_state.pop(_COUNTED, None):
        st.session_state[key("records")] = SETTINGS["records"].default


def _forget_words() -> None:
    """What was typed about one answer is not said of another."""
    for name in TYPED:
        st.session_state[key(name)] = SETTINGS[name].default
    st.session_state.pop(_COUNTED, None)


def _count_example() -> None:
    """Of a simulation on an example everybody knows how many people there are."""
    kept = (value for value in st.session_state.values() if isinstance(value, Simulation) and value.of_example)
    found = next(kept, None)
    if found is None:  # the page makes one, of the usual example and its usual number
        st.session_state[_COUNTED] = f"example:{EXAMPLE}"
    elif found.identity != st.session_state.get(_COUNTED):
        st.session_state[_COUNTED] = found.identity
        if "records" not in st.query_params:
            st.session_state[key("records")] = str(min(found.n, MOST_STUDIED))


def _name(kept: Kept | None) -> str:
    if kept is None:
        return "Simulation on public data"
    return f"{kept.account.name}, release {kept.number}, {kept.finished[:10]}, {kept.answer.plan.privacy}"


def _choose_second(first: Kept, kept: dict[str, Kept]) -> None:
    """Another draw of the same plan, to be averaged with the first one."""
    others = [name for name, other in kept.items() if alike(first, other)]
    if text("second") not in others:
        st.session_state[key("second")] = SIMULATION
    if others:
        st.selectbox(
            "Average with", [SIMULATION, *others], key=key("second"),
            format_func=lambda name: _name(kept[name]) if name else "No other one",
            persist_state="session", filter_mode=None, help=term("average of two draws"),
        )  # fmt: skip


def _choose_records() -> None:
    """The number that every error of the report is worked out for, and that stands in its sentences."""
    st.text_input(
        "How many people, about?", key=key("records"), persist_state="session", max_chars=LONGEST_LINE,
        help=term("public reference shape"),
    )  # fmt: skip
    st.caption("From public knowledge. The report says its errors for this number of people.")


def _choose_words() -> None:
    """What the ledger does not know of this answer: it has the numbers, and not what they are of."""
    st.text_input(
        "What the values are", key=key("title"), persist_state="session", placeholder="age", max_chars=LONGEST_WORD
    )
    st.text_input("Unit", key=key("unit"), persist_state="session", placeholder="years", max_chars=LONGEST_WORD)
    st.segmented_control("Values are", WRITTEN, key=key("written"), required=True, persist_state="session")


def show(found: Told, *, present: bool) -> None:
    """The sheet."""
    st.html(f"<style>{STYLE}</style>")
    st.html(html.sheet(found, present=present))


def actions(found: Told) -> None:
    """What can be done with the sheet: take it away, show it large, give its link."""
    with st.container(key=IN_VIEW):
        downloads.show_main("Download report", FILE, lambda: html.document(found))
    st.caption("One file that needs no other; prints on one page, on two at most.")
    st.button("Present", key=key("present_on"), icon=":material/slideshow:", on_click=_present, args=("yes",))
    show_link(
        "It holds no data and no simulation: it opens the built-in example." if found.simulated
        else "It holds no data; it names the answer that this server keeps."
    )  # fmt: skip
    sign_out()


def leave() -> None:
    """Under a presented sheet: the way back to the controls."""
    st.button("Leave the presentation", key=key("present_off"), type="tertiary", on_click=_present, args=("no",))


def _present(choice: str) -> None:
    st.session_state[key("present")] = choice
