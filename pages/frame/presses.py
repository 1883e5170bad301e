"""Presses of Release that have no answer yet, and why the last one has none: nothing is paid or said twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

import streamlit as st

from ..settings import PREFIX
from .header import complain

_OPEN = f"{PREFIX}:press:"
_FAILURE = f"{PREFIX}:failure:"
_CHARGED, _TOO_LATE = f"{PREFIX}:press_charged", f"{PREFIX}:press_cancelled_too_late"
CANCELLED = "Cancelled before anything was charged."
TOO_LATE = "Too late to cancel: it was charged already, so here is the answer."


@dataclass(frozen=True, kw_only=True)
class Press:
    """One press of Release, by public facts. Whoever asks with the same id again gets the same answer, paid once."""

    identity: str
    """Of the data."""
    account: str
    release_id: str = ""


P = TypeVar("P", bound=Press)


@dataclass(frozen=True)
class Presses(Generic[P]):
    """The presses of one kind in this session, of which another click may end the run that draws the answer."""

    kind: str

    def begin(self, wanted: P) -> tuple[P, bool]:
        """Return the press with an id, and whether it was begun before: then it may be charged already.

        A second click, while the first one is being answered, is the same press.
        """
        from dpq_core.ledger import new_release_id

        unfinished = self.unfinished()
        if unfinished is not None and replace(unfinished, release_id="") == wanted:
            return unfinished, True
        press = replace(wanted, release_id=new_release_id())
        st.session_state[_OPEN + self.kind] = press
        return press, False

    def unfinished(self) -> P | None:
        """Return the press whose answer has not been kept yet."""
        return cast("P | None", st.session_state.get(_OPEN + self.kind))

    def finish(self, failure: str) -> None:
        """Forget the press; remember over one run of the page why it has no answer, where it has none."""
        press = self.unfinished()
        if press is not None and st.session_state.pop(_TOO_LATE, None) == press.release_id:
            failure = failure or TOO_LATE
        st.session_state[_OPEN + self.kind] = None
        st.session_state[_FAILURE + self.kind] = failure

    def cancel(self) -> None:
        """Forget the press if nothing was charged for it yet; for the callback of a button."""
        press = self.unfinished()
        if press is not None and st.session_state.get(_CHARGED) == press.release_id:
            st.session_state[_TOO_LATE] = press.release_id
        elif press is not None:
            self.finish(CANCELLED)

    def show_failure(self) -> None:
        """Say once, under the button, why the last press of Release had no answer."""
        sentence = st.session_state.pop(_FAILURE + self.kind, "")
        if sentence:
            complain(sentence)


def note_charge(press: Press) -> None:
    """Note that a press is charged from now on: it cannot be cancelled any more."""
    st.session_state[_CHARGED] = press.release_id


def is_one_unfinished() -> bool:
    """Return whether a press of any kind has no answer yet."""
    return _any(_OPEN)


def has_one_failed() -> bool:
    """Return whether it is still to be said why a press of any kind has no answer."""
    return _any(_FAILURE)


def _any(start: str) -> bool:
    return any(value for name, value in st.session_state.items() if str(name).startswith(start))
