"""The content of a report on one answer: a release that the ledger keeps, or a simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..plan import Plan
from ..release import Description
from ..results import exports
from ..results.error_bound import error_bound_of, presets, with_all_levels
from ..results.kinds import Simulated
from ..results.wording import Wording, decimals_of
from .facts import ReportFacts
from .stored import public_records

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.history.entries import Stored

NO_ERRORS: dict[str, Any] = {"error_bound": None, "presets": {}}


def of_simulation(found: Simulated, n: int) -> ReportFacts:
    """Return the private values of a simulation; neither its truth nor its errors."""
    own, person = found.only, found.request.person
    most_rows = person.most_rows if person else None
    return ReportFacts(
        title=found.wording.name,
        about=f"{exports.data_in_words(found)} · simulation with seed {found.seed}",
        wording=(replace(found.wording, name=found.wording.name.lower()) if found.of_example else found.wording),
        plan=found.plan,
        domain=own.domain,
        values=own.values,
        notes=own.notes,
        simulated=True,
        privacy=found.plan.privacy,
        version=found.version,
        rule=found.rule,
        of_rows=(most_rows or 1) > 1,
        n=n,
        counted=found.of_example and found.n == n,
        intervals=own.intervals,
        basis=own.basis,
        **_errors(found.plan, own.domain, n, most_rows, own.find_bounds),
    )


def of_stored(stored: Stored, n: int, wording: Wording, left: str) -> ReportFacts:
    """Return a released answer; `left`: of the data set's budget, now."""
    release, account, words = stored.release, stored.account, stored.release.description
    (answer,) = release.cells
    day, most_rows = release.made[:10], words.most_rows
    rule_unknown = not release.described and answer.guarantee.protects == "person"
    errors = _errors(answer.plan, answer.domain, n, most_rows, answer.find_bounds) if not rule_unknown else NO_ERRORS
    return ReportFacts(
        title=wording.name[:1].upper() + wording.name[1:],
        about=f"{account.name} · release · {day}",
        wording=wording,
        plan=answer.plan,
        domain=answer.domain,
        values=answer.values[0],
        notes=answer.notes,
        privacy=answer.plan.privacy,
        account=account.name,
        release_id=release.id,
        left=left,
        allows_again=account.closed is None and account.refusal(answer.guarantee) is None,
        released=day,
        version=release.version,
        n=n,
        counted=public_records(stored) == n,
        rule=words.rule,
        of_rows=(most_rows or 1) > 1,
        rule_unknown=rule_unknown,
        intervals=answer.intervals[0] if answer.intervals else (),
        basis=answer.basis,
        **errors,
    )


def wording_of_stored(stored: Stored, typed: Description) -> Wording:
    """Return how a release is spoken of: as the ledger keeps it, or as it was typed where the ledger has no words."""
    words, (answer,) = stored.release.description if stored.release.described else typed, stored.release.cells
    name, own = next(iter(words.columns.items()))
    decimals = decimals_of(answer.domain)
    label = own.label or name.replace("_", " ")
    return Wording(label, own.kind, own.unit, words.one, words.many, decimals, words.person)


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
