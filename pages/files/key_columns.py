"""The key columns of a file, which the page asks for before it reads the file: whose rows they are, and the groups.

The columns of ids and of groups are then read as well, and no other one. The answers belong to the upload: they hold
however often it is read, whichever columns are chosen. Where a column that was named is not there any more, such as on
another sheet, the page says so, and asks again before it reads anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from dpq_core.sources.header import likely_person

from .. import keys
from ..form.table import key, text
from ..payment.account import account_of_file, before_reading
from ..shell.header import complain, escape, term
from . import content

EVERY_ROW = ""
"""Used in place of a column of ids where every row is a different person."""
GONE = (
    "All rows with the same {column} were one person’s, and {column} is not among the other columns here. Say again "
    "who one person is."
)
CHOOSE_AGAIN = "Before, all rows of one person counted together. Say which column holds the ids, or that none does."


@dataclass(frozen=True)
class KeyColumns:
    """What was answered about the rows of an upload."""

    upload: int
    person: str | None = None
    """The column of ids; EVERY_ROW where every row is a different person, None before the first answer."""
    by: tuple[str, ...] = ()
    """The columns of groups."""
    read_by: tuple[str, ...] = ()
    """Those of the last reading."""
    before: str = ""
    """The column of ids of the upload before."""


def answers_of(upload: int) -> KeyColumns:
    """Return what was answered about an upload; of another one nothing yet."""
    stored: KeyColumns | None = st.session_state.get(content.place("key_columns"))
    if stored is not None and stored.upload == upload:
        return stored
    return KeyColumns(upload, before="" if stored is None else stored.person or stored.before)


def forget() -> None:
    """Forget what was answered, with the names of columns; that rows of a person counted together is a setting."""
    st.session_state.pop(content.place("key_columns"), None)


def _answer(answers: KeyColumns, **changes: object) -> None:
    st.session_state[content.place("key_columns")] = replace(answers, **changes)  # type: ignore[arg-type]


def ask_person(upload: int, names: Sequence[str], column: str, to_release: str) -> str | None:
    """Ask whose rows they are; return the column of ids, EVERY_ROW where every row is a different person.

    None until that is answered again, where the column that was named is not there. The question opens by itself if a
    column's name, which is public, suggests persons. `to_release`: the file, if private answers are requested from it;
    the page then also says if the data set of that name counts in another way.
    """
    answers, others = answers_of(upload), [name for name in names if name != column]
    if not others and not answers.person and text("person") != "same":
        return EVERY_ROW
    likely, widget = likely_person(others), keys.widget("person_column", upload)
    held = answers.person
    if held is None:  # rows of a person that were taken together before are not taken one by one
        held = EVERY_ROW
        if text("person") == "same":
            held = answers.before if answers.before in others else likely or None
    st.session_state[widget] = held if held in [EVERY_ROW, *others] else None
    place = st.container()
    chosen: str | None = st.selectbox(
        "Who is one person?", [EVERY_ROW, *others], format_func=_label, key=widget, placeholder="Choose",
        on_change=lambda: _answer(answers_of(upload), person=st.session_state.get(widget)),
        help="To protect a person with all of their rows, choose the column that says whose row each is. "
        "The ids are compared and then forgotten.",
    )  # fmt: skip
    if chosen is None:
        with place:
            complain(GONE.format(column=answers.person) if answers.person else CHOOSE_AGAIN)
        return None
    _answer(answers, person=chosen)
    if likely and chosen == EVERY_ROW:
        with place, st.container(gap="xsmall"):
            st.caption(
                f":material/group: *{escape(likely)}* may say whose row each is. A person with several rows is "
                "protected with all of them only if you choose it."
            )
            st.button(
                escape(_label(likely)), key=keys.widget("same_person"), icon=":material/group:",
                on_click=lambda: _answer(answers_of(upload), person=likely),
            )  # fmt: skip
    with place:
        account = account_of_file(to_release) if to_release else None
        if refused := before_reading(account, of_person=chosen != EVERY_ROW):
            complain(refused)
    return chosen


def _label(name: str | None) -> str:
    return f"All rows with the same {name}" if name else "Every row is a different person"


LEFT_OUT = (
    "You asked for groups by {by}, and they are not part of what was read. Press Change column and choose the groups "
    "again, or go on without them."
)


def ask_groups(upload: int, others: Sequence[str]) -> tuple[str, ...] | None:
    """Ask for which groups there should be answers; return their columns, nothing for one answer for all.

    None until that is answered again, where a column that was named is not there.
    """
    answers, widget = answers_of(upload), keys.widget("group_columns", upload)
    if not others and not answers.by:
        return ()
    kept = tuple(name for name in answers.by if name in others)
    st.session_state[widget] = list(kept)
    st.multiselect(
        "For each …", others, key=widget, max_selections=2, placeholder="One answer for all",
        on_change=lambda: _answer(answers_of(upload), by=tuple(st.session_state.get(widget, ()))),
        help=f"{term('for each group')} With two columns, every combination of them is a group.",
    )  # fmt: skip
    if kept == answers.by:
        return kept
    gone, by = " and ".join(name for name in answers.by if name not in others), " and ".join(answers.by)
    complain(f"Before, there were groups by {by}, and {gone} is not among the other columns here. Choose them again.")
    st.button(
        escape(f"Go on without groups by {gone}"), key=keys.widget("without_groups"),
        on_click=lambda: _answer(answers_of(upload), by=kept),
    )  # fmt: skip
    return None


def kept_groups(upload: int, others: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of groups for a page that does not ask for them: those of before, so that none is lost."""
    answers = answers_of(upload)
    return answers.by if set(answers.by) <= set(others) else ()


def say_left_out(upload: int, *, are_read: bool, can_answer: bool) -> None:
    """Say which groups that were asked for are left out now.

    `are_read`: whether they are part of what was read; `can_answer`: whether the page can answer them.
    """
    by = " and ".join(answers_of(upload).by)
    if not by or (are_read and (can_answer or text("each") == "all")):
        return
    if can_answer:
        complain(LEFT_OUT.format(by=by))
    else:
        show_left_out(by)


def show_left_out(by: str) -> None:
    """Say that there is one answer for all, although groups were asked for."""
    st.caption(f":material/info: Groups by {escape(by)} are left out here: there is one answer for all.")


def keep_groups(upload: int, by: tuple[str, ...]) -> None:
    """Ask for every group of columns that were just named, and keep that for links; asked already, it stays."""
    answers = answers_of(upload)
    if by != answers.read_by and (by or text("each") != "all"):
        st.session_state[key("each")] = "group" if by else "all"
    _answer(answers, read_by=by)
