"""What a report is about: an answer that the ledger keeps, two of them averaged, or a simulation of this session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpq_core.advice import PublicFacts, best_plan
from dpq_core.calibrations import calibrations_of
from dpq_core.domain import Domain, FindBounds
from dpq_core.errors import LedgerError
from dpq_core.groups import GroupedRelease
from dpq_core.intervals import Basis, sentences_of, sentences_of_neighbours
from dpq_core.plan import Intervals, Plan
from dpq_core.release import QuantileRelease
from dpq_core.results import (
    Simulation,
    Wording,
    averaged,
    averaged_ends,
    averaged_errors,
    decimals_of,
    error_bound_of,
    exports,
    person_in,
    plural_of,
    presets,
    twice,
    with_all_levels,
)
from dpq_core.sources.examples import EXAMPLES

from .. import budget
from ..files import reading
from ..form import example_data
from ..frame import complain, may_explore, state, whole_number
from ..quantiles import drawing
from ..settings import MOST_STUDIED, key, text
from .facts import ASKED, ReportFacts
from .stored import MOST_GROUPS, public_records, table_facts
from .tables import TableFacts, with_intervals

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger import AnswerWords
    from dpq_core.ledger.history import StoredAnswer, StoredTable

EXAMPLE = "adult-age"
NO_ERRORS: dict[str, Any] = {"error_bound": None, "averaged": None, "presets": {}}
OF_TWO = "from those of both draws"
LEAST_SURE = 0.5
"""Intervals with a smaller chance cannot be asked for."""


def facts(first: StoredAnswer | None, second: StoredAnswer | None) -> ReportFacts | None:
    """Return what the report tells; None, with a message, where there is nothing."""
    typed = text("records").replace(",", "")
    count = public_records(first) or whole_number(typed, MOST_STUDIED, "“How many people”")
    if count is None:
        return None
    if first is not None:
        try:
            left = budget.left_in_words(first.account)
            return _of_stored(first, second, count, wording_of_stored(first, _typed_words(first)), left)
        except LedgerError as error:
            complain(str(error))
            return None
    simulation = _simulation()
    if simulation is None:
        st.caption("Press Simulate on the Quantiles page, or Release, and come back: there is nothing to report yet.")
        return None
    return _of_simulation(simulation, count)


def facts_of_table(stored: StoredTable) -> TableFacts | None:
    """Return what the report tells of several columns or of all groups; None, with a message, where it cannot."""
    grouped = isinstance(stored.answer, GroupedRelease)
    typed = text("group_records" if grouped else "records").replace(",", "").strip()
    count = None
    if typed or not grouped:
        count = whole_number(typed, MOST_STUDIED, "“How many people”")
        if count is None:
            return None
    if grouped and len(stored.answer.values) > MOST_GROUPS:
        complain(f"A report compares {MOST_GROUPS:,} groups at most; the files of the release hold all of them.")
        return None
    try:
        return table_facts(stored, _typed_words(stored), count or 0, budget.left_in_words(stored.account), count)
    except LedgerError as error:
        complain(str(error))
        return None


def _typed_words(stored: StoredAnswer | StoredTable) -> AnswerWords:
    """Return what the Report's own fields say of a release, for one that the ledger keeps without words."""
    from dpq_core.ledger import AnswerWords

    title, kind = text("title").strip() or stored.account.name, "date" if text("written") == "dates" else "number"
    person = person_in(stored.account.one_row_is)
    one = person or stored.account.one_row_is
    unit = text("unit").strip()
    return AnswerWords(column=title, kind=kind, unit=unit, one=one, many=plural_of(one), person=person)


def wording_of_stored(stored: StoredAnswer, typed: AnswerWords) -> Wording:
    """Return how a release is spoken of: as the ledger keeps it, or as it was typed where the ledger has no words."""
    words = stored.words or typed
    name = words.column.replace("_", " ")
    decimals = decimals_of(stored.answer.domain)
    return Wording(name, words.kind, words.unit, words.one, words.many, decimals, words.person)


def _simulation() -> Simulation | None:
    """Return the session's simulation, if its data may still be explored; an example's where there is none."""
    found = next((value for value in st.session_state.values() if isinstance(value, Simulation)), None)
    if found is not None:
        return found if _may_show(found) else None
    data, example = example_data(EXAMPLE), EXAMPLES[EXAMPLE]
    domain = Domain(example.lower, example.upper, example.step)
    best = best_plan(PublicFacts.of(Plan([f"{k}/10" for k in range(1, 10)]), domain=domain))
    drawing.draw_quantiles(data, domain, calibrations_of(best.plan), None)
    drawn = state.outcome_of(data)
    return drawn if isinstance(drawn, Simulation) else None


def _may_show(simulation: Simulation) -> bool:
    """Return whether a simulation may be shown: an upload is declared public, whatever page that was on."""
    if simulation.of_example:
        return True
    declared = st.session_state.get(f"{key('public')}_{reading.generation()}") is True
    return may_explore(declared_public=declared) and simulation.identity == f"upload:{reading.generation()}"


def _of_simulation(found: Simulation, n: int) -> ReportFacts:
    """Return the private values of a simulation; neither its truth nor its errors."""
    most_rows = found.person.most_rows if found.person else None
    return ReportFacts(
        title=found.wording.name,
        about=f"{exports.data_in_words(found)} · simulation with seed {found.seed}",
        wording=_in_sentences(found),
        plan=found.plan,
        domain=found.domain,
        values=found.values,
        simulated=True,
        privacy=found.plan.privacy,
        version=found.version,
        rule=found.person.rule if found.person else "",
        n=n,
        counted=found.of_example and found.n == n,
        **_intervals(_as_release(found), n, most_rows or 1),
        **_errors(found.plan, found.domain, n, most_rows, found.find_bounds),
    )


def _in_sentences(found: Simulation) -> Wording:
    """Return the words for a simulation: `Age` of an example is a label, `Alter` of a file stays as it is written."""
    return replace(found.wording, name=found.wording.name.lower()) if found.of_example else found.wording


def _as_release(found: Simulation) -> QuantileRelease:
    """Return the answers of a simulation as those of a release."""
    return QuantileRelease(
        values=found.values, guarantee=found.guarantee, plan=found.plan, domain=found.domain,
        intervals=found.intervals, basis=found.basis, find_bounds=found.find_bounds,
    )  # fmt: skip


def _of_stored(first: StoredAnswer, second: StoredAnswer | None, n: int, wording: Wording, left: str) -> ReportFacts:
    """Return one released answer, or two averaged; `left`: of the data set's budget, now."""
    answer, account = first.answer, first.account
    most_rows = first.words.most_rows if first.words else None
    rule_unknown = first.words is None and answer.guarantee.protects == "person"
    values, dates, privacy = answer.values, first.finished[:10], answer.plan.privacy
    if second is not None:
        values = averaged(answer.values, second.answer.values, answer.domain)
        privacy = twice(privacy)
        dates = " and ".join(sorted({dates, second.finished[:10]}))
    errors = _errors(answer.plan, answer.domain, n, most_rows, answer.find_bounds) if not rule_unknown else NO_ERRORS
    rows = None if rule_unknown else most_rows or 1
    found = _intervals(answer, n, rows)
    if second is not None:
        found = averaged_intervals(answer, second.answer, n, rows)
    return ReportFacts(
        title=wording.name[:1].upper() + wording.name[1:],
        about=f"{account.name} · {'average of two releases' if second else 'release'} · {dates}",
        wording=wording,
        plan=answer.plan,
        domain=answer.domain,
        values=values,
        draws=2 if second else 1,
        privacy=privacy,
        account=account.name,
        release_ids=(first.release_id, second.release_id) if second else (first.release_id,),
        left=left,
        allows_again=account.closed is None and account.refusal(answer.guarantee) is None,
        released=dates,
        version=answer.version,
        n=n,
        counted=public_records(first) == n,
        rule=first.words.rule if first.words else "",
        rule_unknown=rule_unknown,
        **found,
        **errors,
    )


def _intervals(answer: QuantileRelease, n: int, most_rows: int | None) -> dict[str, Any]:
    found = with_intervals(answer, ASKED, n, most_rows)
    return {"intervals": found.intervals, "basis": found.basis}


def averaged_intervals(
    first: QuantileRelease, second: QuantileRelease, n: int, most_rows: int | None
) -> dict[str, Any]:
    """Return intervals with the ends of two draws averaged, and what they rest on.

    They hold where both do, so each of the two may fail half as often; bought ones fail as often as they do, so the
    averaged ones twice as often.
    """
    bought = first.plan.intervals
    asked = ASKED.chance if bought is None else round(2 * bought.chance - 1, 6)
    if asked < LEAST_SURE:
        return {}
    both = [with_intervals(each, Intervals((1 + asked) / 2), n, most_rows) for each in (first, second)]
    if not all(each.intervals for each in both):
        return {}
    if bought is None:
        sentences = sentences_of_neighbours(ASKED, n)
    else:
        told = replace(bought, chance=asked, proved=False)
        assert first.basis is not None, "bought with the answers"
        sentences = (*sentences_of(told, False, OF_TWO)[:2], first.basis.sentences[-1])
    ends = averaged_ends(both[0].intervals, both[1].intervals, first.domain)
    return {"intervals": ends, "basis": Basis(False, sentences)}


def _errors(plan: Plan, domain: Domain, n: int, most_rows: int | None, found: FindBounds | None) -> dict[str, Any]:
    """Return the errors that a report tells: of one draw, of two averaged, and at other budgets.

    Of so many records, of which so many may be one person's. Nothing where the bounds were found, as records may lie
    beyond them.
    """
    if found is not None:
        return NO_ERRORS | {"bounds_found": True}
    drawn = with_all_levels(plan, domain, n)
    return {
        "error_bound": error_bound_of(drawn, domain, n, most_rows),
        "averaged": averaged_errors(drawn, domain, n, most_rows),
        "presets": presets(drawn, domain, n, most_rows),
    }
