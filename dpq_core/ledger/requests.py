"""Bind the id of a release to what was asked: public facts that are stored with the charge, and signed.

The plan says what is computed, and the facts say of what: the column, its bounds or how they are found, the names of
groups, what counts of a person. A second request with the same id is answered from the ledger only where all of that is
the same. Nothing is computed from the data for it: names of groups that are to be found are not in it, the number of
records only where the adjacency makes it public. The fingerprint of a file and the name of a column are compared where
both requests have one. That a file is another one is a fact about data, which `Disclosure` lists; it gives nothing
away, because who can choose the id of a release holds the ledger's key, and can compare fingerprints without asking.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, TypeAlias

from sqlalchemy import Row

from ..columns import AnyPlan, Asked, CalibratedColumns, Schedule, Source
from ..domain import UNIFORM, Domain
from ..errors import LedgerError, ParameterError
from ..finding import RawGroups, RawSample
from ..groups import CalibratedGroups, Groups
from ..sample import Sample
from ..sketches import Data
from .answers import plan_from_json
from .store import is_signed, signature

Facts: TypeAlias = dict[str, Any]
"""What was asked, by name, as plain values; a fact that does not apply is left out."""
PURPOSE = "dpq ledger request 1"
"""Keeps signatures of requests apart from everything else that the key signs."""
OF_GROUPS = "Groups"
"""What the facts of a column in groups call its data."""
SIGNED = ("account", "release_id", "plan", "size", "request", "file")
"""What the signature of a request covers, by the names of its columns."""
CHANGED = (
    "The ledger's record of this release id was changed. So its answer is not given, and nothing was charged. Check "
    "the ledger with dpq ledger verify."
)
DIFFERENT = {
    "plan": "another plan",
    "size": "another number of synthetic values",
    "data": "another kind of data",
    "column": "another column",
    "domain": "other bounds",
    "find_bounds": "another way to find bounds",
    "protects": "another rule for persons",
    "take": "another rule for persons",
    "most_rows": "another rule for persons",
    "groups_per_person": "another rule for persons",
    "missing": "another value for what is missing",
    "records": "another number of records",
    "names": "other groups",
    "pooled": "other groups",
    "finding": "another way to find groups",
    "file": "another file",
}
"""How a refusal calls what differs."""


def facts_of_data(data: Data | RawSample, records: int | None, column: str = "") -> Facts:
    """Return the request for one column. `records`: their number where it is public."""
    bounds = (
        {"find_bounds": data.find_bounds.as_dict()}
        if isinstance(data, RawSample)
        else {"domain": data.domain.as_dict()}
    )
    whole = data.coarse if isinstance(data, RawSample) else data
    rule = {"take": whole.take, "most_rows": whole.most_rows} if isinstance(whole, Sample) else {}
    kind, missing = type(data).__name__, whole.missing
    return _given(data=kind, column=column, **bounds, protects=whole.protects, **rule, missing=missing, records=records)


def facts_of_groups(groups: Groups | RawGroups, column: str = "") -> Facts:
    """Return the request for the groups of a column: with their names where these are public."""
    bounds: Facts
    if isinstance(groups, RawGroups):
        bounds, groups = {"find_bounds": groups.find_bounds.as_dict()}, groups.coarse
    else:
        bounds = {"domain": groups.domain.as_dict()}
    return _given(
        data=OF_GROUPS,
        column=column,
        **bounds,
        names=_digest(groups.names) if groups.finding is None else None,
        pooled=groups.pooled or None,
        finding=groups.finding,
        protects=groups.protects,
        groups_per_person=groups.groups_per_person,
        take=groups.take,
        most_rows=groups.most_rows,
        missing=groups.missing,
    )


def facts_of(data: Asked, schedule: Schedule, column: str = "") -> Facts:
    """Return the request for one column, for its groups, or for the columns of a table by name."""
    if not isinstance(data, Mapping):
        return _facts_of_one(data, schedule.plan, schedule.n_public, column)
    assert isinstance(schedule.steps, CalibratedColumns), "of a table"
    found = {}
    for name, each in schedule.steps.columns.items():
        count = None if isinstance(each, CalibratedGroups) else each.n_public
        found[name] = _facts_of_one(data[name], each.plan, count, "")
    return {"data": "columns", "columns": found}


def _facts_of_one(data: Source, plan: AnyPlan, records: int | None, column: str) -> Facts:
    if isinstance(data, Groups | RawGroups):
        return facts_of_groups(data, column)
    return facts_of_data(data, records, column)


def columns_of(stored: str | None) -> tuple[str, ...]:
    """Return the names of the columns that a stored request is of; none where nobody said."""
    facts: Facts = json.loads(stored) if stored is not None else {}
    return (facts["column"],) if "column" in facts else tuple(facts.get("columns", ()))


def groups_asked(stored: str | None) -> dict[str | None, bool] | None:
    """Return for each column that was asked in groups whether these were to be found; by None for a single column.

    None where no request was stored.
    """
    if stored is None:
        return None
    facts: Facts = json.loads(stored)
    columns: Mapping[str | None, Facts] = facts.get("columns", {None: facts})
    return {name: "finding" in own for name, own in columns.items() if own.get("data") == OF_GROUPS}


def refuse_another_request(charged: Row[Any], given: Mapping[str, Any], key: bytes | None) -> None:
    """Raise ParameterError where the charge of a release id was for another request than the given row.

    Charges from before requests were stored are compared by plan and size alone. Raises LedgerError where what is
    stored is not what was signed.
    """
    stored = dict(charged._mapping)
    if not request_is_signed(stored, key):
        raise LedgerError(CHANGED)
    differing = ["plan"] if plan_from_json(stored["plan"]) != plan_from_json(str(given["plan"])) else []
    differing += ["size"] if stored["size"] != given["size"] else []
    if stored["request"] is not None:
        differing += _differing(json.loads(stored["request"]), json.loads(given["request"]))
        if stored["file"] and given["file"] and stored["file"] != given["file"]:
            differing.append("file")
    if differing:
        what = dict.fromkeys(DIFFERENT.get(name, "other settings") for name in differing)
        raise ParameterError(
            "release_id",
            f"must be new for a new request: the release with this id was made with {' and '.join(what)}. "
            "Use a new release id: that is a new release with its own charge.",
        )


def request_as_json(facts: Mapping[str, Any]) -> str:
    """Return facts as text for the ledger."""
    return json.dumps(facts, sort_keys=True)


def signed_request(row: Mapping[str, Any], key: bytes | None) -> str:
    """Return the signature of the request in a charge's row."""
    return signature(PURPOSE, [row[name] for name in SIGNED], key)


def request_is_signed(row: Mapping[str, Any], key: bytes | None) -> bool:
    """Return whether the request in a charge's row is the one that was signed, or the charge is older than requests."""
    if row["request"] is None or row["request_mark"] is None:
        return row["request"] is row["request_mark"] is None
    return is_signed(row["request_mark"], PURPOSE, [row[name] for name in SIGNED], key)


def _differing(stored: Facts, given: Facts) -> list[str]:
    """Return the names of facts that differ, those of a column as they are there."""
    ours, others = stored.pop("columns", {}), given.pop("columns", {})
    names = [name for name in {**stored, **given} if stored.get(name) != given.get(name)]
    if "column" in names and not (stored.get("column") and given.get("column")):
        names.remove("column")  # nobody said
    if "domain" in names and "domain" in stored and stored["domain"] == _in_first_version(given.get("domain")):
        names.remove("domain")
    for column in {**ours, **others}:
        names += _differing(ours.get(column, {}), others.get(column, {}))
    return names


def _in_first_version(domain: Any) -> Facts | None:
    """Return what a domain of bounds alone was in version 1.0.0, so that its scripts get their stored answers."""
    if domain is None or not (asked := Domain.from_dict(domain)).has_even_steps:
        return None
    lower, upper = asked.lower, asked.upper
    return Domain(lower, upper, measure=UNIFORM).as_dict() if asked == Domain(lower, upper) else None


def _given(**facts: Any) -> Facts:
    """Return the facts that apply, as plain values."""
    plain = {name: str(value) if name == "missing" and value is not None else value for name, value in facts.items()}
    return {name: value for name, value in plain.items() if value is not None and value != ""}


def _digest(values: Any) -> str:
    """Return what distinguishes a list of any length from another one."""
    return sha256(json.dumps(values).encode()).hexdigest()
