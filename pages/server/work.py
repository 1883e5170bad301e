"""Compute what a page shows beside the server, for as long as its visitor wants it: see `jobs.queue`."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar, cast

import streamlit as st

from dpq_core.jobs.queue import POOL, SIMULATION, TooLongError, in_one_step
from dpq_core.jobs.turns import Once
from dpq_core.results import simulated

from .. import keys
from . import calls, turns

T = TypeVar("T")

MOST_KNOWN = 512
"""Answers about public facts that are kept for others who ask the same."""
_LOOKED = keys.state("looked")
"""Nothing: to ask for it is enough."""
_known = Once(MOST_KNOWN)


def start() -> None:
    """Begin with a process before the first visitor."""
    POOL.start(simulated.__name__)


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

    with turns.waiting():
        job = POOL.begin(SIMULATION, in_one_step, function, *arguments, asker=turns.asker())
        return cast(T, job.wait(look_and_say))


def know(function: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Return what a function gives of public facts alone, always the same; kept for others who ask the same.

    It is worked out by one visitor for all who wait for it. Where that one leaves, another one works it out. Raises
    what the function raises. Where it takes too long, the page says so, and ends there.
    """
    if not calls.serves():
        return function(*arguments, **named)
    asked = partial(function, *arguments, **named)
    try:
        question: object = function, arguments, *named.items()
        try:
            hash(question)
        except TypeError:  # it holds a dictionary
            question = sha256(pickle.dumps(question)).digest()
        return once(_known, question, partial(compute, asked))
    except TooLongError as error:
        st.warning(str(error), icon=":material/timer:")
        st.stop()


def once(kept: Once, cache_key: object, make: Callable[[], T]) -> T:
    """Return what is made once for all visitors who ask for it, while this one wants it."""
    with turns.waiting():
        return kept.get(cache_key, make, look)


def look() -> None:
    """Raise what Streamlit raises in a run that is over: its visitor has left, or has changed a setting.

    Streamlit asks for that whenever a run reads what its session holds.
    """
    _ = _LOOKED in st.session_state
