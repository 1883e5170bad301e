"""What a report is about: an answer that the ledger keeps, or a simulation of this session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpq_core.advice.choice import choose
from dpq_core.advice.facts import PublicFacts
from dpq_core.domain.domain import Domain
from dpq_core.errors import LedgerError
from dpq_core.plan import Plan
from dpq_core.release import Release
from dpq_core.report.facts import Report, described, public_records
from dpq_core.results.kinds import Simulated
from dpq_core.sources.examples import EXAMPLES
from dpq_core.studies.shapes import MOST_STUDIED

from .. import keys
from ..files import reading
from ..form.data import box_is_ticked, example_data
from ..form.requests import of_column
from ..frame import state
from ..frame.header import complain, whole_number
from ..frame.state import ChosenTable, may_explore
from ..quantiles import drawing
from ..server import work
from ..settings.table import text

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.history.entries import Stored

EXAMPLE = "adult-age"


def report_of(stored: Stored | None) -> Report | None:
    """Return the report on an answer, or on a simulation; None, with a message, where there is nothing."""
    count = 1
    if asks_records(stored):
        typed = whole_number(text("records").replace(",", ""), MOST_STUDIED, "“How many people”")
        if typed is None:
            return None
        count = typed
    if stored is not None:
        try:
            return Report.of_stored(replace(stored, release=in_words(stored)), count)
        except LedgerError as error:
            complain(str(error))
            return None
    simulation = _simulation()
    if simulation is None:
        st.caption("Press Simulate on the Quantiles page, or Release, and come back: there is nothing to report yet.")
        return None
    return Report.of_simulation(simulation, count, text("title").strip())


def asks_records(stored: Stored | None) -> bool:
    """Return whether the report needs a guess of the number of records: not of groups, nor where it is public."""
    if stored is None:
        return True
    return any(cells.in_one_piece for cells in stored.release.cells) and public_records(stored.release) is None


def label_key(stored: Stored, at: int) -> str:
    """Return the key of the field for the label of a column of a release."""
    return keys.widget("label", stored.number, at)


def usual_label(name: str) -> str:
    """Return what a report calls a column if nobody says otherwise: its name without underscores."""
    return name.replace("_", " ")


def in_words(stored: Stored) -> Release[Any]:
    """Return a release with the words of the fields; of two columns of one label both keep their names."""
    release, kind = stored.release, "date" if text("written") == "dates" else "number"
    names = list(release)
    typed = [str(st.session_state.get(label_key(stored, at)) or "").strip() for at in range(len(names))]
    if len(names) == 1:
        typed = [text("title").strip()]
    shown = [label or usual_label(name) for name, label in zip(names, typed, strict=True)]
    labels = {name: label for name, label in zip(names, typed, strict=True) if shown.count(label) == 1}
    words = {} if release.description.columns or len(names) > 1 else {"kind": kind, "unit": text("unit").strip()}
    return described(release, stored.account.one_row_is, labels, **words)


def _simulation() -> Simulated | None:
    """Return the session's simulation, if its data may still be explored; an example's where there is none."""
    found = next((value for value in st.session_state.values() if isinstance(value, Simulated)), None)
    if found is not None:
        return found if _may_show(found) else None
    data, example = example_data(EXAMPLE), EXAMPLES[EXAMPLE]
    domain = Domain(example.lower, example.upper, example.step)
    best = work.know(choose, PublicFacts.of(Plan([f"{k}/10" for k in range(1, 10)]), domain=domain))
    drawing.draw(ChosenTable.of_column(data), of_column(data, domain, best.plan))
    drawn = state.outcome_of(data)
    return drawn if isinstance(drawn, Simulated) else None


def _may_show(simulation: Simulated) -> bool:
    """Return whether a simulation may be shown: an upload must have been declared public, on any page."""
    if simulation.of_example:
        return True
    return may_explore(declared_public=box_is_ticked()) and simulation.identity == f"upload:{reading.generation()}"
