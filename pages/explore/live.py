"""Simulations of public data, which are no releases: what the page Explore asks, when it simulates, and what it shows.

At a press, or without a button as soon as a setting has changed; where a simulation would take long the button stays.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Any, TypeVar, TypeVarTuple, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import Remedy
from dpq_core.jobs.queue import SIMULATION, TooLongError, timed
from dpq_core.plan import Plan
from dpq_core.results.chosen import Chosen, with_chances
from dpq_core.results.data_set import PublicData, wording_of
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.simulated import DRAWS, simulate_column, simulate_table
from dpq_core.studies.configuration import seconds_of

from .. import keys
from ..answers import answers
from ..form import refusals
from ..form.data import are_several
from ..form.form import Form
from ..form.refusals import attempt
from ..form.table import text
from ..room import membership
from ..server import work
from ..shell import links, pieces, screen, state
from ..shell.header import complain
from ..shell.state import ChosenTable

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

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


def compute(plan: Plan, records: int, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Return the result of a function that simulates a plan, and remember how long it took."""
    try:
        both = compute_and_say(plan, records, cast(Any, timed), function, *arguments)
        found, seconds = cast("tuple[T, float]", both)
    except TooLongError:
        _remember(plan, records, float("inf"))
        raise
    _remember(plan, records, seconds)
    return found


def compute_and_say(plan: Plan, records: int, function: Callable[[*Ts], T], *arguments: *Ts, quicker: bool = True) -> T:
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
                with st.container(horizontal=True):
                    # After Cancel such a simulation waits for its own button, since it takes so long.
                    st.button(
                        "Cancel", key=keys.widget("cancel_live", self._name), icon=":material/close:",
                        on_click=partial(_remember, self._plan, self._records, float(seconds)),
                    )  # fmt: skip
                    if self._quicker:
                        refusals.offer(self._name, Remedy("mechanism", QUICKEST), self._plan)
        most = f"{SIMULATION.seconds:.0f} s at the latest"
        self._words.caption(f"This simulation has taken {seconds} s. It ends after {most}.")

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
    asked = plan.privacy, plan.adjacency, plan.quantiles, plan.intervals is not None
    return plan.mechanism, tuple(sorted(plan.options.items())), *asked, records.bit_length()


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


def _simulated_before(form: Form, table: ChosenTable) -> str:
    """Return the key that says whether the page has simulated a column, or this table; others do not count."""
    return keys.state("simulated", "" if table.bare and not form.groups else table.identity)


def draw(form: Form, seed: int) -> None:
    """Draw one simulation and keep it; where there is none, say why."""
    table, chosen = form.table, form.chosen
    if table is None or chosen is None:
        return
    st.session_state[_simulated_before(form, table)] = True  # also where it fails
    number = state.use_seed(seed)  # noted before: what is cancelled does not begin again by itself
    keeper = refusals.keeper("explore", table, chosen)
    if problem := attempt(lambda: state.keep(_simulated(form, table, chosen, number)), keeper):
        complain(problem)


def _simulated(form: Form, table: ChosenTable, asked: Chosen, seed: int) -> Answered:
    records = table.explored[0].values.size
    if form.several or form.groups:
        asked = work.know(with_chances, asked) if form.several else asked
        of_table = table.explored, asked, table.reading, seed, table.identity, table.about
        found = compute_and_say(asked.plan.first, records, simulate_table, *of_table, quicker=table.bare)
        return replace(found, of_table=form.several)
    (data,) = table.explored
    bounds, plan = asked.question.possible[data.name], asked.plan.plans[data.name]
    if isinstance(bounds, FindBounds):
        return compute_and_say(plan, records, simulate_column, data, None, asked, seed)
    return _beside_truth(data, asked, bounds, seed)


def _beside_truth(data: PublicData, asked: Chosen, domain: Domain, seed: int) -> Simulated:
    """Return one simulation; what a room shows of an example is drawn once, and everybody in it sees that."""
    plan, records = asked.plan.plans[data.name], data.values.size

    def simulate() -> Simulated:
        column = state.column_of(data, domain)
        return compute(plan, records, simulate_column, data, column, asked, seed)

    if not data.is_example:
        return simulate()
    cache_key = (data.cache_key, wording_of(data, domain), domain, plan, seed)
    return membership.once(links.page(), links.link_values(), cache_key, simulate)


VERB = "Simulate"
"""What the button says, and what a message calls it."""


@dataclass(frozen=True)
class Now:
    """What the page asks at present, beside the last simulation."""

    form: Form

    @property
    def outcome(self) -> Simulated | None:
        """Return the last simulation that may stand beside what is chosen."""
        table = self.form.table
        if table is None:
            return None
        return state.simulated(table.identity, example=table.columns[0].is_example and table.bare)

    @property
    def is_current(self) -> bool:
        """Return whether the page still asks for what the outcome was made from, in every setting and word."""
        return self.form.made(self.outcome)

    @property
    def shown_seed(self) -> int | None:
        """Return the seed of the simulation that is shown, if it is one with just these settings."""
        return self.outcome.seed if self.outcome is not None and self.is_current else None

    @property
    def opens(self) -> bool:
        """Return whether the page opens with a simulation: nothing of this kind was drawn yet, and it is an example."""
        table, found, in_groups = self.form.table, self.outcome, self.form.groups is not None
        if table is None or not table.columns[0].is_example:
            return False
        if found is not None:
            return (found.groups is not None) is not in_groups
        return _simulated_before(self.form, table) not in st.session_state

    def seed_to_draw(self, *, pressed: bool, ready: bool, again: int | None) -> int | None:
        """Return the seed of the simulation that is due now: at a press, from a link, or as the page opens.

        `again`: the seed that is due since a setting is another one, where the page answers by itself.
        """
        pressed = ready and (pressed or refusals.take_used())
        again = again if ready else None
        wanted = int(text("seed")) if self.opens else again
        return links.due_seed(None if again else self.shown_seed, pressed=pressed, ready=ready, wanted=wanted)

    def show(self, refused: refusals.Refusal | None, *, reason: str, details: DeltaGenerator) -> None:
        """Show the last simulation, or that there is none yet; folded under a refusal, where there is one.

        `reason`: why the button cannot be pressed; `details`: where everything stands that is not seen at a glance.
        """
        if refused:
            refusals.show("explore", refused)
        outcome = self.outcome
        if outcome is None:
            if not refused:
                pieces.nothing_yet(VERB, reason)
        elif refused:
            answers.show_folded(outcome)
        else:
            answers.show(outcome, "" if self.is_current else f"Settings changed: press {VERB}", details=details)


WHAT_THIS_IS = (
    "Quantiles with differential privacy: each answer carries random noise, which limits what it can reveal about any "
    "one person."
)


def has_picture() -> bool:
    """Return whether the page shows one picture beside its form, which stays in view while a control is turned.

    Answers for groups and of several columns are longer than a screen.
    """
    return text("each") == "all" and not are_several()


def show_headline(form: Form) -> None:
    """Show which data these are, and the way to own data, but for students: it leads out of a room."""
    shown, chosen = form.named, form.adjacency
    if screen.is_presented() or membership.attended():
        st.markdown(pieces.headline(shown, chosen, pieces.NOT_PRIVATE))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width="content"):
            pieces.page_link("release", "Release from own data", {})
        with st.container(key=keys.widget("chosen_now"), width="content"):
            st.markdown(pieces.headline(shown, chosen, ""))
        st.markdown(pieces.NOT_PRIVATE, width="content")
