"""The number of records of a private column: when the screen may use it, and how a plan is checked before that."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dpq_core.advice.choice import needs
from dpq_core.calibrations import Calibrated, calibrated_or_refused
from dpq_core.domain.domain import Domain
from dpq_core.errors import ParameterError
from dpq_core.jobs.turns import made_once
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import Adjacency, Guarantee
from dpq_core.question import Persons
from dpq_core.results.data_set import DataSet, PublicData, refusal_for, unit_for
from dpq_core.results.kinds import Released

from .. import keys
from ..shell import state
from ..shell.header import sentence_of
from .account import account_name

FEWEST, MOST = 1, 10**9
"""Two numbers of records that decide for all: a plan that a mechanism refuses at both, it refuses at every number."""
MOST_STORED = 6
"""Availabilities in a session: of the form, and of the settings just before."""
_JUDGED = keys.state("judged")
HOWEVER_MANY = "With these settings it is not available, however many records there are."


def released_count(data: DataSet) -> int | None:
    """Return the number of records of a private column as a release of it said it; None where none has.

    The number is public if this session holds a release of this column, the same account pays for the next release, and
    that account protects against replacement. Neither a control of the page nor an open account is enough: a visitor
    can type its name for any file, and to look up whether the file belongs to the account would be an exact answer
    without charge. So the first release of a column is calibrated after the button is pressed, and a refused one says
    so without any number (`drawing`).
    """
    payer, found = (data.identity, account_name(data)), state.outcome_of(data)
    if not isinstance(found, Released) or (found.identity, found.release.account) != payer:
        return None
    return found.release.description.records


@dataclass(frozen=True, eq=False)
class Availability:
    """What a page knows of a plan before a release: whether it is available, and what it costs."""

    plan: Plan
    counts: tuple[int | None, ...]
    """The numbers of records used: one, or `FEWEST` and `MOST` where the number is not known."""
    found: tuple[Calibrated | ParameterError, ...]
    """For each of these numbers the plan calibrated, or why it is refused."""
    cells: int | None
    """Of the domain, where it is known."""
    person: Persons | None = None

    @property
    def _refusals(self) -> tuple[ParameterError | None, ...]:
        return tuple(each if isinstance(each, ParameterError) else None for each in self.found)

    @property
    def reason(self) -> str:
        """Return why the mechanism is not available, as far as the screen may know it; empty where it is."""
        if None in self._refusals:
            return ""
        said = {sentence_of(reason) for reason in self._refusals if reason}
        return said.pop() if len(said) == 1 else HOWEVER_MANY

    @property
    def count(self) -> int | None:
        """Return the number of records with which the plan is judged; None where it needs none.

        Where the screen may not know it, it is one that the plan serves, if there is one: then the press decides.
        """
        served = (count for count, refused in zip(self.counts, self._refusals, strict=True) if refused is None)
        return next(served, self.counts[-1])

    @property
    def decided_by_press(self) -> bool:
        """Return whether it depends on a number that the screen may not know if the mechanism is available."""
        return len({refused is None for refused in self._refusals}) == 2

    @made_once
    def needs(self) -> tuple[ParameterError, ...]:
        """Return all that the mechanism needs before it is available, from public facts."""
        refused = refusal_for(self.person, self.plan)
        return (refused,) if refused else needs(self.plan, self.count, self.cells, unit_for(self.person, self.plan))

    @property
    def least_guarantee(self) -> Guarantee:
        """Return what a release will cost at least; exactly what it will cost where the number may be known.

        For a plan that is available.
        """
        return self.at_least([each for each in self.found if isinstance(each, Calibrated)][-1].guarantee)

    def at_least(self, guarantee: Guarantee) -> Guarantee:
        """Return the same; without delta where the number is not known, which may decide that, never the epsilon."""
        return guarantee if len(self.counts) == 1 else replace(guarantee, delta=0.0)


def judge(plan: Plan, data: DataSet | None, cells: int | None = None) -> Availability:
    """Return what is public of a plan before it runs: each configuration is calibrated once."""
    counts = _possible(plan, data)
    person = data.person if data else None
    unit, refused = unit_for(person, plan), refusal_for(person, plan)
    found = tuple(refused or calibrated_or_refused(plan, unit, count) for count in counts)
    return Availability(plan, counts, found, cells, person)


def _possible(plan: Plan, data: DataSet | None) -> tuple[int | None, ...]:
    if data and data.person and data.person.max_rows is not None:  # then their number is never public in a release
        return (data.public_count if isinstance(data, PublicData) else None,)
    count = data.public_count if data else None
    return (FEWEST, MOST) if count is None and plan.adjacency is Adjacency.REPLACE_ONE else (count,)


def judged(plan: Plan, data: DataSet | None, domain: Domain | None) -> Availability:
    """Return what `judge` does, stored in the session: each rerun of a page asks again.

    A column of 5,000 values takes AQ most of a second to calibrate. Where the number of records is that of the data,
    what is stored is forgotten with them.
    """
    cells, counts = domain.cells if domain else None, _possible(plan, data)
    person = data.person if data else None
    name = (data.identity if data and data.public_count is not None else "", plan, counts, person)
    stored: tuple[tuple[tuple[object, ...], Availability], ...] = st.session_state.get(_JUDGED, ())
    found = next((each for known, each in stored if known == name), None) or judge(plan, data, cells)
    if found.cells != cells:  # bounds were typed
        found = replace(found, cells=cells)
    others = [each for each in stored if each[0] != name]
    st.session_state[_JUDGED] = ((name, found), *others[: MOST_STORED - 1])
    return found
