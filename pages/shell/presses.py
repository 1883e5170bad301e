"""Presses of Release that have no answer yet, and why the last one has none: nothing is paid or said twice.

The settings of a pending release change on its own page alone.

Pages share their settings, so that you can continue on another page what you explore on one. But for an own column that
is to be released, Release keeps its settings, even if you try others on another page meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import streamlit as st

from dpq_core.question import Question
from dpq_core.results.chosen import Chosen

from .. import keys
from ..form import said, table
from ..form.table import key
from .header import complain

_FAILURE, _PENDING = keys.state("failure"), keys.state("pending")
_CHARGED, _TOO_LATE = keys.state("press_charged"), keys.state("press_cancelled_too_late")
CANCELLED = "Cancelled before anything was charged."
TOO_LATE = "Too late to cancel: it was charged already, so here is the answer."


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """What one press of Release asks for, by public facts. With the same id again it has the same answer, paid once."""

    identity: str
    """Of the data."""
    account: str
    asked: Question
    """Of one column or of several, whole or in groups."""
    resolved: Chosen = field(compare=False)
    """With the best mechanisms in place of "best"."""
    release_id: str = ""


def _open(identity: str) -> str:
    return keys.state("press", identity)


def begin(wanted: ReleaseRequest) -> tuple[ReleaseRequest, bool]:
    """Return the press with an id, and whether it was begun before: then it may be charged already.

    A second click, while the first one is being answered, is the same press: another click may end the run that draws.
    """
    from dpq_core.ledger.charging import new_release_id

    before = unfinished(wanted.identity)
    if before is not None and replace(before, release_id="") == wanted:
        return before, True
    press = replace(wanted, release_id=new_release_id())
    st.session_state[_open(press.identity)] = press
    return press, False


def unfinished(identity: str) -> ReleaseRequest | None:
    """Return the press for the data of this identity whose answer has not been kept yet."""
    return cast("ReleaseRequest | None", st.session_state.get(_open(identity)))


def finish(press: ReleaseRequest, failure: str) -> None:
    """Forget the press; remember over one run of the page why it has no answer, where it has none."""
    if st.session_state.pop(_TOO_LATE, None) == press.release_id:
        failure = failure or TOO_LATE
    st.session_state[_open(press.identity)] = None
    st.session_state[_FAILURE] = (press.identity, failure) if failure else None


def note_charge(press: ReleaseRequest) -> None:
    """Note that a press is charged from now on: it cannot be cancelled any more."""
    st.session_state[_CHARGED] = press.release_id


def cancel(press: ReleaseRequest) -> None:
    """Forget the press if nothing was charged for it yet; for the callback of a button."""
    if unfinished(press.identity) != press:
        return
    if st.session_state.get(_CHARGED) == press.release_id:
        st.session_state[_TOO_LATE] = press.release_id
    else:
        finish(press, CANCELLED)


def show_failure(identity: str) -> None:
    """Say once, under the button, why the last press for the data of this identity had no answer."""
    failure = st.session_state.get(_FAILURE)
    if failure is not None and failure[0] == identity:
        st.session_state[_FAILURE] = None
        complain(failure[1])


def complain_between(sentence: str, unfinished: str) -> None:
    """Show a sentence: the second one while a press has no answer yet, none where it is to be said why one has none."""
    if any(value for name, value in st.session_state.items() if str(name).startswith(_open(""))):
        complain(unfinished)
    elif st.session_state.get(_FAILURE) is None:
        complain(sentence)


def keep(identity: str | None) -> None:
    """Keep the settings of Release, where a release of this column is pending; None where none is."""
    if identity is None:
        st.session_state.pop(_PENDING, None)
        return
    names = map(key, (*table.PAGES[table.SEALS], *table.IN_NO_LINK, *table.OPTIONS))
    values = {name: st.session_state[name] for name in names if name in st.session_state}
    st.session_state[_PENDING] = identity, said.places() | values


def restore() -> None:
    """Set what Release was left with, where a release is pending on it. Before any widget."""
    if pending := st.session_state.get(_PENDING):
        st.session_state.update(pending[1])
