"""Released answers as text and back, stored so that the same download needs no second draw.

Beside the numbers stand the words for them, so that a report a day later needs nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from ..columns import ColumnsPlan, ColumnsRelease
from ..domain import Domain, FindBounds, warnings_at_bounds, warnings_of_groups
from ..far_answers import warnings_of_far
from ..groups import GroupedRelease
from ..intervals import Basis, of_values
from ..plan import Plan
from ..privacy import Adjacency, Guarantee
from ..release import QuantileRelease

Answer: TypeAlias = QuantileRelease | GroupedRelease | ColumnsRelease[Any]
OF_VALUES = "values"
"""What stored intervals are for."""
GROUPED = '{"groups"'
"""How the answer for groups begins, as text."""
AnyPlan: TypeAlias = Plan | ColumnsPlan


@dataclass(frozen=True, kw_only=True)
class AnswerWords:
    """What the answers of one release are of; public: what the curator said, and the names in the file's header."""

    column: str
    kind: str
    """`number`, `money`, `percent`, `date` or `duration`."""
    unit: str
    one: str
    many: str
    records: int | None = None
    """How many there were, where the adjacency of the account makes that public; the ledger counts them itself."""
    person: str = ""
    """What one person is called, where all rows of a person are protected together; else empty."""
    rule: str = ""
    """What counts of a person's rows, as a sentence."""
    most_rows: int | None = None
    """How many records of one person there may be, where there may be several."""
    columns: tuple[tuple[str, str, str], ...] = ()
    """Of several columns the name, the kind and the unit of each; `column` is then empty."""
    groups_per_person: int | None = None
    """Where every group was answered: in how many of them a person may be."""
    share: bool = False
    """Whether all rows of a person weigh 1 together, in all groups."""
    fixed: bool = False
    """Whether nobody's group can change, and it is public."""
    finding: float | None = None
    """The share of epsilon that decided which groups are named; None where their list is public."""
    group_size: int | None = None
    """About how many records each group has, as somebody said before the release; None where nobody did."""
    group_sizes: tuple[tuple[str, int], ...] = ()
    """The names of groups for which another number was said, each with it."""

    def as_json(self) -> str:
        """Return the words as text for the ledger; `words_from_json` reads them back."""
        return json.dumps(vars(self), ensure_ascii=False)


def words_from_json(stored: str | None) -> AnswerWords | None:
    """Return the words that `AnswerWords.as_json` wrote, or None where the ledger has none (older releases)."""
    if stored is None:
        return None
    read = AnswerWords(**json.loads(stored))
    return replace(
        read,
        columns=tuple((name, kind, unit) for name, kind, unit in read.columns),
        group_sizes=tuple((name, size) for name, size in read.group_sizes),
    )


def plan_from_json(stored: str) -> AnyPlan:
    """Return the plan that `to_json` wrote: of one column, or of several."""
    return ColumnsPlan.from_json(stored) if "columns" in json.loads(stored) else Plan.from_json(stored)


def answer_as_json(answer: Answer) -> str:
    """Return a release as JSON text, without its plan, which the ledger stores already."""
    if isinstance(answer, QuantileRelease):
        return json.dumps(_as_dict(answer) | _intervals_as_dict(answer))
    if isinstance(answer, GroupedRelease):
        return json.dumps(_groups_as_dict(answer))
    columns = {name: _column_as_dict(each) for name, each in answer.releases.items()}
    return json.dumps({"columns": columns, "guarantee": answer.guarantee.as_dict(), "version": answer.version})


def answer_from_json(stored: str, plan: AnyPlan) -> Answer:
    """Return the release that `answer_as_json` wrote, with its plan: equal to the first one."""
    if isinstance(plan, Plan):
        return _groups_from_json(stored, plan) if stored.startswith(GROUPED) else release_from_json(stored, plan)
    parts = json.loads(stored)
    releases = {name: _column_from_dict(own) for name, own in parts["columns"].items()}
    return ColumnsRelease(
        releases=MappingProxyType(releases),
        guarantee=_guarantee_from_dict(parts["guarantee"]),
        plan=plan,
        version=parts["version"],
    )


def release_from_json(stored: str, plan: Plan) -> QuantileRelease:
    """Return the release of one column that `answer_as_json` wrote."""
    return _from_dict(json.loads(stored), plan)


def _column_as_dict(answer: QuantileRelease | GroupedRelease) -> dict[str, Any]:
    if isinstance(answer, GroupedRelease):
        return _groups_as_dict(answer) | {"plan": answer.plan.as_dict()}
    return _as_dict(answer) | _intervals_as_dict(answer) | {"plan": answer.plan.as_dict()}


def _column_from_dict(own: dict[str, Any]) -> QuantileRelease | GroupedRelease:
    plan = Plan.from_dict(own["plan"])
    return _groups_from_dict(own, plan) if "groups" in own else _from_dict(own, plan)


def _groups_as_dict(answer: GroupedRelease) -> dict[str, Any]:
    by = {"by": answer.by} if answer.by else {}
    each = {"values": list(answer.values.values())}
    return {"groups": list(answer.values)} | _as_dict(answer) | each | _intervals_as_dict(answer) | by


def _groups_from_json(stored: str, plan: Plan) -> GroupedRelease:
    return _groups_from_dict(json.loads(stored), plan)


def groups_in(stored: str) -> int:
    """Return how many groups the answer for groups has, without reading their values: their names come first."""
    names, _ = json.JSONDecoder().raw_decode(stored, stored.index("[", len(GROUPED)))
    return len(names)


def _groups_from_dict(parts: dict[str, Any], plan: Plan) -> GroupedRelease:
    names, each, by = parts.pop("groups"), parts.pop("values"), tuple(parts.pop("by", ()))
    intervals = parts.pop("intervals", ())
    read = vars(_from_dict(parts | {"values": []}, plan))
    kept = ("guarantee", "plan", "domain", "warnings", "notes", "version", "basis", "find_bounds")
    common = {name: read[name] for name in kept}
    named = [tuple(name) if isinstance(name, list) else name for name in names]
    values = dict(zip(named, map(tuple, each), strict=True))
    known = warnings_of_groups(values, read["domain"])  # version 1.0.0 did not say it
    every = tuple(dict.fromkeys((*known, *read["warnings"])))
    ends = {name: _as_pairs(own) for name, own in zip(named, intervals, strict=False)}
    return GroupedRelease(values=values, by=by, intervals=ends, **common | {"warnings": every})


def _as_dict(answer: QuantileRelease | GroupedRelease) -> dict[str, Any]:
    return {
        "values": answer.values,
        "guarantee": answer.guarantee.as_dict(),
        "domain": answer.domain.as_dict(),
        "warnings": answer.warnings,
        "notes": answer.notes,
        "version": answer.version,
    } | ({} if answer.find_bounds is None else {"find_bounds": answer.find_bounds.as_dict()})


def _intervals_as_dict(answer: QuantileRelease | GroupedRelease) -> dict[str, Any]:
    if answer.basis is None:
        return {}
    intervals = list(answer.intervals.values()) if isinstance(answer, GroupedRelease) else answer.intervals
    return {"intervals": intervals, "intervals_of": OF_VALUES, "basis": answer.basis.as_dict()}


def _basis(stored: dict[str, Any] | None) -> Basis | None:
    return None if stored is None else Basis(stored["proved"], tuple(stored["sentences"]))


def _from_dict(parts: Mapping[str, Any], plan: Plan) -> QuantileRelease:
    stored = parts["domain"]
    domain = Domain(*stored) if isinstance(stored, list) else Domain.from_dict(stored)  # a list: version 0.2.0
    return QuantileRelease(
        values=tuple(parts["values"]),
        guarantee=_guarantee_from_dict(parts["guarantee"]),
        plan=plan,
        domain=domain,
        warnings=tuple(dict.fromkeys((*_of_answers(parts["values"], domain, plan), *parts["warnings"]))),
        notes=tuple(parts["notes"]),
        intervals=_intervals(parts, domain),
        basis=_basis(parts.get("basis")),
        version=parts["version"],
        find_bounds=FindBounds.from_dict(parts["find_bounds"]) if "find_bounds" in parts else None,
    )


def _of_answers(values: Sequence[float], domain: Domain, plan: Plan) -> tuple[str, ...]:
    """Return what answers say of their bounds and of each other; version 1.0.0 did not keep it."""
    if len(values) != len(plan.quantiles):  # a synthetic column, or groups
        return warnings_at_bounds(values, domain)
    return (*warnings_at_bounds(values, domain), *warnings_of_far(plan.quantiles, values))


def _intervals(parts: Mapping[str, Any], domain: Domain) -> tuple[tuple[float, float], ...]:
    """Return stored intervals; those of version 1.0.0, which were for values rounded to the grid, for values."""
    stored = parts.get("intervals", ())
    if stored and parts.get("intervals_of") != OF_VALUES:
        stored = of_values(np.array(stored, dtype=np.float64), domain).tolist()
    return _as_pairs(stored)


def _as_pairs(stored: Iterable[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    return tuple((low, high) for low, high in stored)


def _guarantee_from_dict(values: Mapping[str, Any]) -> Guarantee:
    epsilon = inf if values["epsilon"] is None else values["epsilon"]
    return Guarantee(**dict(values) | {"epsilon": epsilon, "adjacency": Adjacency(values["adjacency"])})
