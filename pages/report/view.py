"""The Report page: which answer it is about, and the sheet itself. Private answers only, in both modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.frames.rows import COLUMN
from dpq_core.report.facts import Report
from dpq_core.report.html import STYLE, as_html, sheet
from dpq_core.results.kinds import Released, Simulated
from dpq_core.studies.shapes import MOST_STUDIED

from .. import keys
from ..frame import fields, links, state
from ..frame.header import complain, in_label, term
from ..frame.pieces import PRIVATE_ONLY
from ..frame.style import IN_VIEW
from ..server import downloads
from ..server.signin import Role, role, sign_out
from ..settings import check, table
from ..settings.table import SETTINGS, key, text
from .stored import Kept, named, stored_answers
from .subject import EXAMPLE, asks_records, in_words, label_key, report_of, usual_label

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.history.entries import Stored

QUESTION = "Report for decision makers"
FOR_READERS = "What was released, and how well is it protected?"
SIMULATION = ""
"""Of the setting: no answer of the ledger, but the simulation of this session."""
GUESS = "shape_size"
"""The setting by which other pages ask about how many people there are."""
TYPED = ("title", "unit", "written", "records")
"""What is asked about an answer that the ledger keeps without words, and about its people."""
_SEEN = keys.state("reported")
"""The last release of this session that the page has turned to by itself."""
_COUNTED = keys.state("reported_example")
"""The last example whose number of people the page has filled in."""
NO_ANSWER = "The answer in this link is not in the ledger of this server."
SEVERAL = "Several data sets have a release with the id in this link. Choose one under *Answer*."


def heading() -> str:
    """Return the question of the page; for those who only read, what they may ask themselves."""
    return FOR_READERS if role() is not Role.CURATOR else QUESTION


def choose() -> Report | None:
    """Ask which answer, and what is publicly known of it; None, with a message, where there is nothing."""
    stored = _stored()
    if stored is None:
        return None
    answer = fields.selectbox(
        "answer", [SIMULATION, *stored], lambda name: _name(stored.get(name)), help=term("kept answer"),
        on_change=_forget_words,
    )  # fmt: skip
    chosen = stored.get(answer)
    _choose_labels(chosen)
    if asks_records(chosen):
        fields.text_input("records", help=term("public reference shape"))
        many = "people" if chosen is None else in_words(chosen).description.many
        st.caption(f"From public knowledge. The report works out errors for this number of {in_label(many)}.")
    return report_of(chosen)


def headline(found: Report | None) -> str:
    """Return the line under the question: what kind of sheet this is."""
    if found is None:
        return ":gray[Nothing to report yet]"
    kind = ":orange-badge[:material/casino: Simulation on public data]" if found.simulated else PRIVATE_ONLY
    return f":gray[A one-page summary for decision makers. It never shows the truth.] {kind}"


def _stored() -> Kept | None:
    """Return the answers to choose from; None, with a message, where one is asked for and cannot be read now."""
    found = stored_answers(text("answer"))
    if isinstance(found, str):
        complain(found)
        if text("answer"):
            return None
        found = {}
    _begin_with_latest(found)
    return found


def _begin_with_latest(stored: Kept) -> None:
    """Turn to the latest release of this session, and away from an answer that the ledger lacks."""
    meant = named(text("answer"), stored)
    if text("answer") and len(meant) != 1:
        st.info(SEVERAL if meant else NO_ANSWER, icon=":material/link_off:")
    st.session_state[key("answer")] = meant[0] if len(meant) == 1 else SIMULATION
    own = {each.release_id for each in st.session_state.values() if isinstance(each, Released)} | {state.last_release()}
    latest = next((name for name, each in stored.items() if each.release.id in own), None)
    if latest and st.session_state.get(_SEEN) != latest:
        st.session_state[_SEEN] = latest
        if "answer" not in st.query_params:
            _turn_to(latest)
    if text("answer") == SIMULATION:
        _count_example()


def _turn_to(name: str) -> None:
    """Tell of a release, for about as many people as were guessed before it, and of no example any more."""
    st.session_state[key("answer")] = name
    st.session_state[key("title")] = SETTINGS["title"].default
    st.session_state.pop(_COUNTED, None)
    if "records" not in st.query_params:
        st.session_state[key("records")] = text(GUESS)


def _forget_words() -> None:
    """Forget what was typed about one answer: it is not said of another."""
    for name in TYPED:
        st.session_state[key(name)] = SETTINGS[name].default
    st.session_state.pop(_COUNTED, None)


def _count_example() -> None:
    """Fill in the number of people of an example, which everybody knows."""
    stored = (value for value in st.session_state.values() if isinstance(value, Simulated) and value.of_example)
    found = next(stored, None)
    if found is None:  # the page makes one, of the usual example and its usual number
        st.session_state[_COUNTED] = f"example:{EXAMPLE}"
    elif found.identity != st.session_state.get(_COUNTED):
        st.session_state[_COUNTED] = found.identity
        if "records" not in st.query_params:
            st.session_state[key("records")] = str(min(found.n, MOST_STUDIED))


def _name(stored: Stored | None) -> str:
    if stored is None:
        return "Simulation on public data"
    release = stored.release
    one = len(release.cells) == 1 and release.cells[0].column != COLUMN
    number = f"release {stored.number}{f': {release.cells[0].column}' if one else ''}"
    named = f"{stored.account.name}, {number}, {release.made[:10]}, {release.plan.privacy}"
    if release.of_one_column:
        return named
    what = "columns" if len(release.cells) > 1 else "groups"
    return f"{named}, {len(release.cells if len(release.cells) > 1 else release.cells[0].groups):,} {what}"


def _choose_labels(chosen: Stored | None) -> None:
    """Ask what the report calls each column: at first its name, which was made for a computer.

    Of a column that the ledger keeps without words, ask also how its values are written.
    """
    names = [] if chosen is None else list(chosen.release)
    if chosen is not None and len(names) > 1:
        with st.expander("Labels of the columns", type="compact"):
            for at, name in enumerate(names):
                st.text_input(
                    in_label(name), key=label_key(chosen, at), placeholder=usual_label(name),
                    max_chars=check.LONGEST_WORD, persist_state="session",
                )  # fmt: skip
        return
    unknown = chosen is not None and not chosen.release.description.columns
    named = usual_label(names[0]) if names and names[0] != COLUMN else "age"
    label = SETTINGS["title"].label if unknown else "Label of the column"
    fields.text_input("title", label=label, placeholder=named, max_chars=check.LONGEST_WORD)
    if unknown:
        fields.text_input("unit", placeholder="years", max_chars=check.LONGEST_WORD)
        fields.segmented_control("written", table.WRITTEN)


def show(found: Report) -> None:
    """Show the sheet."""
    st.html(f"<style>{STYLE}</style>")
    st.html(sheet(found))


def actions(found: Report) -> None:
    """Draw what can be done with the sheet: take it away, and give its link."""
    name = "report-simulation" if found.simulated else "report"
    of, day = found.release.account or found.title, found.release.made[:10]
    with st.container(key=IN_VIEW):
        downloads.show_main("Download report", name, lambda: as_html(found), of=of, day=day)
    st.caption("One HTML file to send or to print.")
    links.show_link(
        "It holds no data and no simulation: it opens the built-in example." if found.simulated
        else "It holds no data; it names the answer that this server keeps."
    )  # fmt: skip
    sign_out()
