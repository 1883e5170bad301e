"""Released answers as text and back, stored so that the same download needs no second draw.

The numbers are stored with their words, so that a later report needs nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType
from typing import Any

from ..answers import Part
from ..columns.plan import ColumnsPlan
from ..columns.release import ColumnsRelease
from ..columns.schedule import AnyPlan, AnyRelease
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import Infeasible, Name, Remedy
from ..groups.draws import GroupedRelease
from ..groups.names import GroupName, name_in_words
from ..intervals.drawn import Basis
from ..intervals.ends import as_pairs
from ..plan import Plan
from ..privacy.budgets import Adjacency, Guarantee
from ..privacy.composition import GroupsPerPerson
from ..release import QuantileRelease


@dataclass(frozen=True, kw_only=True)
class ReleaseMetadata:
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
    groups_per_person: GroupsPerPerson | None = None
    """Where every group was answered: in how many of them a person may be."""
    share: bool = False
    """Whether all rows of a person weigh 1 together, in all groups."""
    finding: float | None = None
    """The share of epsilon that decided which groups are named; None where their list is public."""
    group_size: int | None = None
    """About how many records each group has, by a guess before the release; None without a guess."""
    group_sizes: tuple[tuple[str, int], ...] = ()
    """The names of groups for which another number was said, each with it."""

    def as_json(self) -> str:
        """Return the words as text for the ledger; `words_from_json` reads them back."""
        return json.dumps(vars(self), ensure_ascii=False)


def words_from_json(stored: str | None) -> ReleaseMetadata | None:
    """Return the words that `ReleaseMetadata.as_json` wrote, or None where nobody said any."""
    if stored is None:
        return None
    read = ReleaseMetadata(**json.loads(stored))
    return replace(
        read,
        columns=tuple((name, kind, unit) for name, kind, unit in read.columns),
        group_sizes=tuple((name, size) for name, size in read.group_sizes),
    )


def plan_from_json(stored: str) -> AnyPlan:
    """Return the plan that `to_json` wrote: of one column, or of several."""
    return ColumnsPlan.from_json(stored) if "columns" in json.loads(stored) else Plan.from_json(stored)


def answer_as_json(answer: AnyRelease) -> str:
    """Return a release as JSON text, without its plan, which the ledger stores already."""
    if not isinstance(answer, ColumnsRelease):
        (part,) = answer.parts
        return json.dumps(_part_as_dict(part, answer.version))
    parts = {
        str(part.column): _part_as_dict(part, answer.version) | {"plan": part.plan.as_dict()} for part in answer.parts
    }
    return json.dumps({"columns": parts, "guarantee": answer.guarantee.as_dict(), "version": answer.version})


def answer_from_json(stored: str, plan: AnyPlan) -> AnyRelease:
    """Return the release that `answer_as_json` wrote, with its plan: equal to the first one."""
    read = json.loads(stored)
    if isinstance(plan, Plan):
        return _release_from_dict(read, plan)
    releases = {name: _release_from_dict(own, Plan.from_dict(own["plan"])) for name, own in read["columns"].items()}
    return ColumnsRelease(
        releases=MappingProxyType(releases),
        guarantee=_guarantee_from_dict(read["guarantee"]),
        plan=plan,
        version=read["version"],
    )


def refusal_as_json(refused: Infeasible) -> str:
    """Return a refusal that was paid for as JSON text; `refusal_from_json` gives an equal one."""
    words = [[str(word), isinstance(word, Name)] for word in refused.words[2:]]
    facts = {name: getattr(refused, name) for name in ("count", "noisy_count", "charged")}
    remedies = [vars(remedy) for remedy in refused.remedies]
    return json.dumps({"refused": {"name": refused.name, "words": words, "remedies": remedies, **facts}})


def refusal_from_json(stored: str) -> Infeasible:
    """Return the refusal that `refusal_as_json` wrote."""
    read = json.loads(stored)["refused"]
    words = tuple(Name(word) if is_name else word for word, is_name in read.pop("words"))
    remedies = tuple(Remedy(**remedy) for remedy in read.pop("remedies"))
    return Infeasible(read.pop("name"), words, remedies, **read)


def group_names_in(stored: str | None) -> dict[str | None, tuple[str, ...]]:
    """Return the names of the groups in an answer, by column: by None in that of a single column without a name."""
    found = json.loads(stored or "{}")
    columns = found.get("columns", {None: found})
    return {name: tuple(map(name_in_words, _names(own))) for name, own in columns.items() if "groups" in own}


def _names(stored: Mapping[str, Any]) -> list[GroupName]:
    return [tuple(name) if isinstance(name, list) else name for name in stored["groups"]]


def _part_as_dict(part: Part, version: str) -> dict[str, Any]:
    """Return the answers of one column; of groups each has a name, and a row of values."""
    whole = part.groups is None
    found: dict[str, Any] = {} if whole else {"groups": list(part.groups or ())}
    found |= {
        "values": part.values[0] if whole else part.values,
        "guarantee": part.guarantee.as_dict(),
        "domain": part.domain.as_dict(),
        "warnings": part.warnings,
        "notes": part.notes,
        "version": version,
    }
    if part.find_bounds is not None:
        found["find_bounds"] = part.find_bounds.as_dict()
    if part.basis is not None:
        intervals = part.intervals[0] if whole and part.intervals else part.intervals
        found |= {"intervals": intervals, "basis": part.basis.as_dict()}
    return found | ({"by": part.by} if part.by else {})


def _release_from_dict(stored: Mapping[str, Any], plan: Plan) -> QuantileRelease | GroupedRelease:
    """Return the answers of one column that `_part_as_dict` wrote."""
    basis = stored.get("basis")
    common: dict[str, Any] = {
        "guarantee": _guarantee_from_dict(stored["guarantee"]),
        "plan": plan,
        "domain": Domain.from_dict(stored["domain"]),
        "warnings": tuple(stored["warnings"]),
        "notes": tuple(stored["notes"]),
        "basis": None if basis is None else Basis(basis["proved"], tuple(basis["sentences"])),
        "version": stored["version"],
        "find_bounds": FindBounds.from_dict(stored["find_bounds"]) if "find_bounds" in stored else None,
    }
    intervals = stored.get("intervals", ())
    if "groups" not in stored:
        return QuantileRelease(values=tuple(stored["values"]), intervals=as_pairs(intervals), **common)
    names = _names(stored)
    answers = dict(zip(names, map(tuple, stored["values"]), strict=True))
    ends = {name: as_pairs(own) for name, own in zip(names, intervals, strict=False)}
    return GroupedRelease(values=answers, intervals=ends, by=tuple(stored.get("by", ())), **common)


def _guarantee_from_dict(values: Mapping[str, Any]) -> Guarantee:
    epsilon = inf if values["epsilon"] is None else values["epsilon"]
    return Guarantee(**dict(values) | {"epsilon": epsilon, "adjacency": Adjacency(values["adjacency"])})
