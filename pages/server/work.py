"""Compute what a page shows beside the server, for as long as its visitor wants it: see `jobs.workers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from dpq_core.jobs.workers import Workers

from ..settings import PREFIX
from . import calls, sessions

T = TypeVar("T")

_WORKERS = Workers("dpq_core.results")


def start() -> None:
    """Begin with a process before the first visitor."""
    _WORKERS.start()


def compute(function: Callable[..., T], *arguments: Any, meanwhile: Callable[[], object] = lambda: None) -> T:
    """Return what a function that a process can import gives: it draws a simulation of public data, or explains one.

    Calls `meanwhile` often while it waits, in the thread of the page, which may so say how long it takes. Computes in
    place where no server runs, as in tests of a page. Raises what the function raises, and ValueError where the call
    takes too long or too much memory.
    """
    if not calls.serves():
        return function(*arguments)

    def look_and_say() -> None:
        look()
        meanwhile()

    return _WORKERS.call(sessions.browser() or sessions.session(), function, *arguments, look=look_and_say)


def look() -> None:
    """Raise what Streamlit raises in a run that is over: its visitor has left, or has changed a setting.

    Streamlit asks for that whenever a run reads what its session holds.
    """
    _ = PREFIX in st.session_state
