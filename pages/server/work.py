"""Compute what a page shows beside the server, for as long as its visitor wants it (`jobs.queue`); and what the server
does before its first visitor.

It loads what pages need, and keeps it out of garbage collections. Streamlit would look for garbage after every run of a
page, among what all visitors hold: with thirty of them that takes a quarter of the server's time. What a run leaves
goes at once, as always in Python, but for what holds itself; for that is looked every few seconds.
"""

from __future__ import annotations

import asyncio
import gc
import pickle
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, ParamSpec, TypeVar, TypeVarTuple, cast

import streamlit as st

from dpq_core.jobs.queue import POOL, SIMULATION, TooLongError, in_one_step
from dpq_core.jobs.turns import Once
from dpq_core.privacy.conversions import rho_to_epsilon
from dpq_core.results import simulated

from .. import keys
from . import runs

P = ParamSpec("P")
Ts = TypeVarTuple("Ts")
T = TypeVar("T")

MOST_KNOWN = 512
"""Answers about public facts that are kept for others who ask the same."""
_LOOKED = keys.state("looked")
"""Nothing: to ask for it is enough."""
_known = Once(MOST_KNOWN)


def compute(function: Callable[[*Ts], T], *arguments: *Ts, meanwhile: Callable[[], object] = lambda: None) -> T:
    """Return what a function that a process can import gives: it draws a simulation of public data, or explains one.

    Calls `meanwhile` often while it waits, in the thread of the page, which may so say how long it takes. Computes in
    place where no server runs, as in tests of a page. Raises what the function raises, and ValueError where the call
    takes too long or too much memory.
    """
    if not runs.serves():
        return function(*arguments)

    def look_and_say() -> None:
        look()
        meanwhile()

    with runs.waiting():
        job = POOL.begin(SIMULATION, in_one_step, function, *arguments, asker=runs.asker())
        return cast(T, job.wait(look_and_say))


def know(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Return what a function gives of public facts alone, always the same; kept for others who ask the same.

    It is worked out by one visitor for all who wait for it. Where that one leaves, another one works it out. Raises
    what the function raises. Where it takes too long, the page says so, and ends there.
    """
    if not runs.serves():
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
    with runs.waiting():
        return kept.get(cache_key, make, look)


def look() -> None:
    """Raise what Streamlit raises in a run that is over: its visitor has left, or has changed a setting.

    Streamlit asks for that whenever a run reads what its session holds.
    """
    _ = _LOOKED in st.session_state


PACKAGES = ("pages", "dpq_core.figures", "dpq_core.ledger")
"""Loaded with all their modules."""
GARBAGE_SECONDS = 2.0
"""Between two looks for what nobody holds any more."""


@asynccontextmanager
async def ready(_app: Any) -> AsyncIterator[None]:
    """Load and set aside, for `st.App(lifespan=)`: the server answers nobody before."""
    load()
    POOL.start(simulated.__name__)
    runs.serve_from_here()
    gc.collect()
    gc.freeze()
    looking = asyncio.create_task(collect_garbage())
    yield
    looking.cancel()


async def collect_garbage() -> None:
    """Look for garbage as long as the server runs; not where nobody has made any since."""
    while True:
        await asyncio.sleep(GARBAGE_SECONDS)
        if any(gc.get_count()[1:]):
            gc.collect()


def load() -> None:
    """Import what the first visitor would wait for: the pages' modules, the tables, the accountant, the ledger."""
    for name in PACKAGES:
        for module in walk_packages(import_module(name).__path__, f"{name}."):
            if not module.name.endswith(".page"):  # what Streamlit runs for a visitor, and nobody imports
                import_module(module.name)
    import_module("pandas.io.formats.style")  # draws tables; pandas itself loads it at the first one
    rho_to_epsilon(1.0, 1e-6)  # loads the accountant
    import_module("pages.payment.ledger").log_if_closed()
