"""What a report is about: an answer that the ledger keeps, or a simulation of this session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.advice.choice import choose
from dpq_core.advice.facts import PublicFacts
from dpq_core.domain.domain import Domain
from dpq_core.errors import LedgerError
from dpq_core.plan import Plan
from dpq_core.report.answers import of_simulation, of_stored, wording_of_stored
from dpq_core.report.facts import ReportFacts
from dpq_core.report.stored import in_groups, left_in_words, public_records, table_facts, usual_words
from dpq_core.report.tables import TableFacts
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
    from dpq_core.release import Description

EXAMPLE = "adult-age"


def facts(stored: Stored | None) -> ReportFacts | None:
    """Return the content of the report; None, with a message, where there is nothing."""
    typed = text("records").replace(",", "")
    count = public_records(stored) or whole_number(typed, MOST_STUDIED, "“How many people”")
    if count is None:
        return None
    if stored is not None:
        stored = _labelled(stored)
        try:
            left = left_in_words(stored.account)
            return of_stored(stored, count, wording_of_stored(stored, _typed_words(stored)), left)
        except LedgerError as error:
            complain(str(error))
            return None
    simulation = _simulation()
    if simulation is None:
        st.caption("Press Simulate on the Quantiles page, or Release, and come back: there is nothing to report yet.")
        return None
    title = text("title").strip() or simulation.wording.name
    return of_simulation(
        replace(simulation, wordings=(replace(simulation.wording, name=title),)),
        count,
    )


def facts_of_table(stored: Stored) -> TableFacts | None:
    """Return the content of the report on several columns or all groups; None, with a message, where it has none."""
    stored, count = _labelled(stored), 0
    if not in_groups(stored):
        count = whole_number(text("records").replace(",", "").strip(), MOST_STUDIED, "“How many people”") or 0
        if not count:
            return None
    try:
        return table_facts(stored, _typed_words(stored), count, left_in_words(stored.account), labels_of(stored))
    except LedgerError as error:
        complain(str(error))
        return None


def label_key(stored: Stored, at: int) -> str:
    """Return the key of the field for the label of a column of a release."""
    return keys.widget("label", stored.number, at)


def labels_of(stored: Stored) -> dict[str, str]:
    """Return the labels that were typed for several columns; one that another column has too is left out."""
    if len(stored.release.cells) == 1:
        return {}
    names = list(stored.release)
    typed = {name: str(st.session_state.get(label_key(stored, at)) or "").strip() for at, name in enumerate(names)}
    shown = [typed[name] or usual_label(name) for name in names]
    return {name: label for name, label in typed.items() if label and shown.count(label) == 1}


def usual_label(name: str) -> str:
    """Return what a report calls a column if nobody says otherwise: its name without underscores."""
    return name.replace("_", " ")


def _labelled(stored: Stored) -> Stored:
    """Return an answer with the typed label for its column; an answer of several columns keeps their names."""
    typed, release = text("title").strip(), stored.release
    if not typed or not release.described or len(release.cells) > 1:
        return stored
    columns = {name: replace(words, label=typed) for name, words in release.description.columns.items()}
    return replace(stored, release=replace(release, description=replace(release.description, columns=columns)))


def _typed_words(stored: Stored) -> Description:
    """Return the words from the Report's own fields, for a release that the ledger keeps without words."""
    title, kind = text("title").strip() or stored.account.name, "date" if text("written") == "dates" else "number"
    return usual_words(stored, title, kind, text("unit").strip())


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
