"""Answers without a button, on public data: a changed setting is simulated at once with the same seed.

Where a simulation would take long the button stays, too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from time import monotonic
from typing import TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.domain.finding import FindBounds
from dpq_core.errors import Remedy
from dpq_core.jobs.queue import SIMULATION, TooLongError, timed
from dpq_core.plan import Plan
from dpq_core.results.data_set import PublicData
from dpq_core.results.kinds import Simulated
from dpq_core.results.simulated import DRAWS
from dpq_core.studies.configuration import seconds_of

from .. import keys
from ..form import refusals
from ..form.form import Form
from ..form.table import text
from ..server import work
from ..shell import state

T = TypeVar("T")

MOST_SECONDS = 1.0
"""That a simulation may take: what takes longer waits for its button."""
QUICKEST = "aq"
"""The mechanism that is quick for every plan."""
_PLACE: ContextVar[DeltaGenerator | None] = ContextVar("place", default=None)
"""That of this run of the page."""
LABEL = "New noise"
"""What the button says while no other is needed."""
MOST_TIMES = 1000
"""How many times are remembered."""
_took: dict[object, float] = {}
"""Seconds that simulations of all runs took, by what decides the time: measured where an estimate can be far off."""


def compute(plan: Plan, records: int, function: Callable[..., T], *arguments: object) -> T:
    """Return the result of a function that simulates a plan, and remember how long it took."""
    try:
        found, seconds = cast("tuple[T, float]", compute_and_say(plan, records, timed, function, *arguments))
    except TooLongError:
        _remember(plan, records, float("inf"))
        raise
    _remember(plan, records, seconds)
    return found


def compute_and_say(
    plan: Plan, records: int, function: Callable[..., T], *arguments: object, quicker: bool = True
) -> T:
    """Return what a function gives that simulates a plan; where that takes long the page says so, with Cancel.

    `quicker`: whether a quicker mechanism is offered, which this page's form has.
    """
    wait = _Wait(function.__name__, plan, records, quicker=quicker)
    try:
        return work.compute(function, *arguments, meanwhile=wait.say)
    finally:
        wait.end()


def reserve() -> None:
    """Keep a place for the message about a slow simulation. Every run of a page keeps it, slow or not.

    If a result moves by a place, the browser builds it again, and shows it beside the old one until the run ends.
    """
    _PLACE.set(st.empty())


class _Wait:
    """What a page shows while a simulation takes longer than a moment: for how long, Cancel, and what is quicker."""

    def __init__(self, name: str, plan: Plan, records: int, *, quicker: bool) -> None:
        """`name`: of the work, apart from others on the page."""
        self._name, self._plan, self._records, self._began = name, plan, records, monotonic()
        self._quicker = quicker and plan.mechanism != QUICKEST
        self._said = int(MOST_SECONDS)
        self._place = _PLACE.get() or st.empty()
        self._words: DeltaGenerator | None = None

    def say(self) -> None:
        """Say once a second how long it has taken; a page calls this in its own thread."""
        seconds = int(monotonic() - self._began)
        if seconds <= self._said:
            return
        self._said = seconds
        if self._words is None:
            with self._place.container():
                self._words = st.empty()
                self._offer(float(seconds))
        most = f"{SIMULATION.seconds:.0f} s at the latest"
        self._words.caption(f"This simulation has taken {seconds} s. It ends after {most}.")

    def _offer(self, seconds: float) -> None:
        """Draw the buttons. After Cancel such a simulation waits for its own button, since it takes so long."""
        with st.container(horizontal=True):
            st.button(
                "Cancel", key=keys.widget("cancel_live", self._name), icon=":material/close:",
                on_click=partial(_remember, self._plan, self._records, seconds),
            )  # fmt: skip
            if self._quicker:
                refusals.offer(self._name, Remedy("mechanism", QUICKEST), self._plan)

    def end(self) -> None:
        """Take away what was shown."""
        if self._words is not None:
            self._place.empty()


def _remember(plan: Plan, records: int, seconds: float) -> None:
    _took[_kind(plan, records)] = seconds
    while len(_took) > MOST_TIMES:
        _took.pop(next(iter(_took)), None)


def _kind(plan: Plan, records: int) -> object:
    """Return what decides how long a simulation takes."""
    options = tuple(sorted(plan.options.items()))
    intervals = plan.intervals is not None
    return plan.mechanism, options, plan.privacy, plan.adjacency, plan.quantiles, intervals, records.bit_length()


def _is_quick(plan: Plan, records: int) -> bool:
    measured = _took.get(_kind(plan, records))
    return (seconds_of(plan, DRAWS) if measured is None else measured) <= MOST_SECONDS


def is_live(form: Form) -> bool:
    """Return whether a changed setting answers by itself: of examples, and of declared data after a press."""
    return answers_at_once(form, pressed=isinstance(state.outcome_of(form.data), Simulated))


def answers_at_once(form: Form, *, pressed: bool) -> bool:
    """Return whether this form is quick to simulate, and of public data whose button need not be pressed first.

    `pressed`: whether it was, for these data. Examples are answered before.
    """
    data, plan = form.data, form.plan
    if not isinstance(data, PublicData) or plan is None or form.groups or isinstance(form.bounds, FindBounds):
        return False
    return (data.is_example or pressed) and _is_quick(plan, data.values.size)


def seed_due(form: Form) -> int | None:
    """Return the seed of the shown simulation where it is one of other settings; of none yet the first."""
    outcome, data = state.outcome_of(form.data), form.data
    if data is None or not is_live(form):
        return None
    if not isinstance(outcome, Simulated):
        return int(text("seed"))
    return None if form.made(outcome) else outcome.seed
