"""The content of a report on one answer: a release that the ledger keeps, two averaged ones, or a simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..domain import Domain, FindBounds
from ..intervals import Basis, sentences_of, sentences_of_neighbours
from ..plan import Intervals, Plan
from ..release import QuantileRelease
from ..results import (
    Simulation,
    Wording,
    averaged,
    averaged_ends,
    averaged_errors,
    decimals_of,
    error_bound_of,
    exports,
    presets,
    twice,
    with_all_levels,
)
from .facts import ASKED, ReportFacts
from .stored import public_records
from .tables import with_intervals

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger import ReleaseMetadata
    from ..ledger.history import StoredAnswer

NO_ERRORS: dict[str, Any] = {"error_bound": None, "averaged": None, "presets": {}}
OF_TWO = "from those of both draws"
LEAST_SURE = 0.5
"""Intervals with a smaller chance cannot be asked for."""


def of_simulation(found: Simulation, n: int) -> ReportFacts:
    """Return the private values of a simulation; neither its truth nor its errors."""
    most_rows = found.person.most_rows if found.person else None
    return ReportFacts(
        title=found.wording.name,
        about=f"{exports.data_in_words(found)} · simulation with seed {found.seed}",
        wording=_in_sentences(found),
        plan=found.plan,
        domain=found.domain,
        values=found.values,
        notes=found.notes,
        simulated=True,
        privacy=found.plan.privacy,
        version=found.version,
        rule=found.person.rule if found.person else "",
        of_rows=(most_rows or 1) > 1,
        n=n,
        counted=found.of_example and found.n == n,
        **_intervals(_as_release(found), n, most_rows or 1),
        **_errors(found.plan, found.domain, n, most_rows, found.find_bounds),
    )


def of_stored(first: StoredAnswer, second: StoredAnswer | None, n: int, wording: Wording, left: str) -> ReportFacts:
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
        notes=answer.notes,
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
        of_rows=(most_rows or 1) > 1,
        rule_unknown=rule_unknown,
        **found,
        **errors,
    )


def wording_of_stored(stored: StoredAnswer, typed: ReleaseMetadata) -> Wording:
    """Return how a release is spoken of: as the ledger keeps it, or as it was typed where the ledger has no words."""
    words = stored.words or typed
    name = words.column.replace("_", " ")
    decimals = decimals_of(stored.answer.domain)
    return Wording(name, words.kind, words.unit, words.one, words.many, decimals, words.person)


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


def _in_sentences(found: Simulation) -> Wording:
    """Return the words for a simulation: `Age` of an example is a label, `Alter` of a file stays as it is written."""
    return replace(found.wording, name=found.wording.name.lower()) if found.of_example else found.wording


def _as_release(found: Simulation) -> QuantileRelease:
    """Return the answers of a simulation as those of a release."""
    return QuantileRelease(
        values=found.values, guarantee=found.guarantee, plan=found.plan, domain=found.domain,
        intervals=found.intervals, basis=found.basis, find_bounds=found.find_bounds,
    )  # fmt: skip


def _intervals(answer: QuantileRelease, n: int, most_rows: int | None) -> dict[str, Any]:
    found = with_intervals(answer, ASKED, n, most_rows)
    return {"intervals": found.intervals, "basis": found.basis}


def _errors(plan: Plan, domain: Domain, n: int, most_rows: int | None, found: FindBounds | None) -> dict[str, Any]:
    """Return the errors in a report: of one draw, of two averaged, and at other budgets.

    Of `n` records, of which several may be one person's. Nothing where the bounds were found, as records may lie
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
