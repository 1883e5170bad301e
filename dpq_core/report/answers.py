"""The content of a report on one answer: a release that the ledger keeps, or a simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..plan import Plan
from ..results import exports
from ..results.error_bound import error_bound_of, presets, with_all_levels
from ..results.kinds import Simulation
from ..results.wording import Wording, decimals_of
from .facts import ReportFacts
from .stored import public_records

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.answers import ReleaseMetadata
    from ..ledger.history.entries import StoredAnswer

NO_ERRORS: dict[str, Any] = {"error_bound": None, "presets": {}}


def of_simulation(found: Simulation, n: int) -> ReportFacts:
    """Return the private values of a simulation; neither its truth nor its errors."""
    most_rows = found.person.most_rows if found.person else None
    return ReportFacts(
        title=found.wording.name,
        about=f"{exports.data_in_words(found)} · simulation with seed {found.seed}",
        wording=(replace(found.wording, name=found.wording.name.lower()) if found.of_example else found.wording),
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
        intervals=found.intervals,
        basis=found.basis,
        **_errors(found.plan, found.domain, n, most_rows, found.find_bounds),
    )


def of_stored(stored: StoredAnswer, n: int, wording: Wording, left: str) -> ReportFacts:
    """Return a released answer; `left`: of the data set's budget, now."""
    answer, account, day = stored.answer, stored.account, stored.finished[:10]
    most_rows = stored.words.most_rows if stored.words else None
    rule_unknown = stored.words is None and answer.guarantee.protects == "person"
    errors = _errors(answer.plan, answer.domain, n, most_rows, answer.find_bounds) if not rule_unknown else NO_ERRORS
    return ReportFacts(
        title=wording.name[:1].upper() + wording.name[1:],
        about=f"{account.name} · release · {day}",
        wording=wording,
        plan=answer.plan,
        domain=answer.domain,
        values=answer.values,
        notes=answer.notes,
        privacy=answer.plan.privacy,
        account=account.name,
        release_id=stored.release_id,
        left=left,
        allows_again=account.closed is None and account.refusal(answer.guarantee) is None,
        released=day,
        version=answer.version,
        n=n,
        counted=public_records(stored) == n,
        rule=stored.words.rule if stored.words else "",
        of_rows=(most_rows or 1) > 1,
        rule_unknown=rule_unknown,
        intervals=answer.intervals,
        basis=answer.basis,
        **errors,
    )


def wording_of_stored(stored: StoredAnswer, typed: ReleaseMetadata) -> Wording:
    """Return how a release is spoken of: as the ledger keeps it, or as it was typed where the ledger has no words."""
    words = stored.words or typed
    name = words.column.replace("_", " ")
    decimals = decimals_of(stored.answer.domain)
    return Wording(name, words.kind, words.unit, words.one, words.many, decimals, words.person)


def _errors(plan: Plan, domain: Domain, n: int, most_rows: int | None, found: FindBounds | None) -> dict[str, Any]:
    """Return the errors in a report: of these answers, and at other budgets.

    Of `n` records, of which several may be one person's. Nothing where the bounds were found, as records may lie
    beyond them.
    """
    if found is not None:
        return NO_ERRORS | {"bounds_found": True}
    drawn, every = with_all_levels(plan, domain, n), plan.intervals is not None
    return {
        "error_bound": error_bound_of(drawn, domain, n, most_rows, all_levels=every),
        "presets": presets(drawn, domain, n, most_rows, all_levels=every),
    }
