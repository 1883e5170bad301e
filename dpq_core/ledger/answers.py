"""Released answers as text and back, stored so that the same download needs no second draw.

The numbers are stored with their words, so that a later report needs nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np

from ..answers import Part
from ..columns.plan import ColumnsPlan
from ..columns.release import ColumnsRelease
from ..columns.schedule import AnyPlan, AnyRelease
from ..domain.at_bounds import warnings_at_bounds, warnings_of_groups
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import Infeasible, Name, Remedy
from ..far_answers import warnings_of_far
from ..groups.draws import GroupedRelease
from ..groups.names import name_in_words
from ..intervals.drawn import Basis
from ..intervals.ends import as_pairs, of_values
from ..plan import Plan
from ..privacy.budgets import Adjacency, Guarantee
from ..privacy.composition import GroupsPerPerson
from ..release import QuantileRelease

OF_VALUES = "values"
"""What stored intervals are for."""
GROUPED = '{"groups"'
"""How the answer for groups begins, as text."""


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
    """Return the words that `ReleaseMetadata.as_json` wrote, or None where the ledger has none (older releases)."""
    if stored is None:
        return None
    words = json.loads(stored)
    if words.pop("fixed", False):  # groups of public size, which version 1 knew: what they cost is not known here
        words["groups_per_person"] = None
    read = ReleaseMetadata(**words)
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
    """Return the names of the groups in an answer, by column: by None in that of a single column without a name.

    Of a single column without reading its values: the names come first.
    """
    if stored is None:
        return {}
    if stored.startswith(GROUPED):
        names, _ = json.JSONDecoder().raw_decode(stored, stored.index("[", len(GROUPED)))
        return {None: _as_words(names)}
    columns = json.loads(stored).get("columns", {})
    return {name: _as_words(own["groups"]) for name, own in columns.items() if "groups" in own}


def _as_words(names: Sequence[object]) -> tuple[str, ...]:
    return tuple(name_in_words(tuple(name) if isinstance(name, list) else name) for name in names)


def _part_as_dict(part: Part, version: str) -> dict[str, Any]:
    """Return the answers of one column; of groups their names come first, and each has a row of values."""
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
        found |= {"intervals": intervals, "intervals_of": OF_VALUES, "basis": part.basis.as_dict()}
    return found | ({"by": part.by} if part.by else {})


def _release_from_dict(stored: Mapping[str, Any], plan: Plan) -> QuantileRelease | GroupedRelease:
    """Return the answers of one column that `_part_as_dict` wrote, or a version before it."""
    kept = stored["domain"]
    domain = Domain(*kept) if isinstance(kept, list) else Domain.from_dict(kept)  # a list: version 0.2.0
    common: dict[str, Any] = {
        "guarantee": _guarantee_from_dict(stored["guarantee"]),
        "plan": plan,
        "domain": domain,
        "notes": tuple(stored["notes"]),
        "basis": _basis(stored.get("basis")),
        "version": stored["version"],
        "find_bounds": FindBounds.from_dict(stored["find_bounds"]) if "find_bounds" in stored else None,
    }
    if "groups" not in stored:
        values = tuple(stored["values"])
        said, intervals = _of_answers(values, domain, plan), _intervals(stored, domain)
        return QuantileRelease(values=values, intervals=intervals, warnings=_once(said, stored), **common)
    names = [tuple(name) if isinstance(name, list) else name for name in stored["groups"]]
    answers = dict(zip(names, map(tuple, stored["values"]), strict=True))
    ends = {name: as_pairs(own) for name, own in zip(names, stored.get("intervals", ()), strict=False)}
    warnings, by = _once(warnings_of_groups(answers, domain), stored), tuple(stored.get("by", ()))
    return GroupedRelease(values=answers, intervals=ends, by=by, warnings=warnings, **common)


def _once(of_answers: Sequence[str], stored: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what answers say and what was stored, each once: version 1.0.0 did not keep the former."""
    return tuple(dict.fromkeys((*of_answers, *stored["warnings"])))


def _basis(stored: dict[str, Any] | None) -> Basis | None:
    return None if stored is None else Basis(stored["proved"], tuple(stored["sentences"]))


def _of_answers(values: Sequence[float], domain: Domain, plan: Plan) -> tuple[str, ...]:
    """Return what answers say about their bounds and about each other."""
    if len(values) != len(plan.quantiles):  # a synthetic column, or groups
        return warnings_at_bounds(values, domain)
    return (*warnings_at_bounds(values, domain), *warnings_of_far(plan.quantiles, values))


def _intervals(parts: Mapping[str, Any], domain: Domain) -> tuple[tuple[float, float], ...]:
    """Return stored intervals; those of version 1.0.0, which were for values rounded to the grid, for values."""
    stored = parts.get("intervals", ())
    if stored and parts.get("intervals_of") != OF_VALUES:
        stored = of_values(np.array(stored, dtype=np.float64), domain).tolist()
    return as_pairs(stored)


def _guarantee_from_dict(values: Mapping[str, Any]) -> Guarantee:
    epsilon = inf if values["epsilon"] is None else values["epsilon"]
    return Guarantee(**dict(values) | {"epsilon": epsilon, "adjacency": Adjacency(values["adjacency"])})
