"""Bind the id of a release to what was asked: public facts that are stored with the charge, and signed.

The plan says what is computed, and the facts say of what: the column, its bounds or how they are found, which columns
give groups and persons, the names of groups, what counts of a person, how a file is read. A second request with the
same id is answered from the ledger only where all of that is the same. Words (units, what a person is called) are no
part of it, nor is the number of records. A mechanism that is asked for as "best" stays "best", so that another version,
which may choose another one, still gives the stored answer.

Nothing is computed from the data for it: names of groups that are to be found are not in it. The fingerprint of a
file, the name of a single column and how a file is read are compared where both requests have them: a data frame has
none. That a file is another one is a fact about data, which `Disclosure` lists; it gives nothing away, because who can
choose the id of a release holds the ledger's key, and can compare fingerprints without asking.

Version 1.1 stored neither the columns of groups and persons nor how a file was read, so its ids are refused. What it
stored stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, TypeAlias

from sqlalchemy import Row

from ..columns.schedule import Asked, Schedule
from ..errors import UsedIdError
from ..finding.column import RawGroups, RawSample, Source, whole_of
from ..groups.table import Groups
from ..plan import read_json
from ..release import AnyPlan, plan_from_dict
from ..sample import Sample

Facts: TypeAlias = dict[str, Any]
"""What was asked, by name, as plain values; a fact that does not apply is left out."""
FORMAT = 2
"""Of the facts: those of version 1.1 had no number."""
OF_GROUPS = "Groups"
"""What the facts of a column in groups call its data."""
NOT_STORED = (
    "must be new: version 1.1 made the release with this id, and did not store everything that was asked. The page "
    "Report has its answer. Use a new release id: that is a new release with its own charge."
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
    "person": "another column of persons",
    "missing_is_person": "another rule for rows without an id",
    "sketch": "another sketch",
    "by": "other columns of groups",
    "read": "another way to read the data",
    "names": "other groups",
    "pooled": "other groups",
    "finding": "another way to find groups",
    "file": "another file",
}
"""How a refusal calls what differs."""
APART = frozenset(["columns", "asked", "format"])
"""Facts that are not compared as they are: by column, as a plan, or not at all."""


def facts_of(
    data: Asked,
    schedule: Schedule,
    column: str = "",
    *,
    asked: AnyPlan | None = None,
    read: Mapping[str, Any] | None = None,
) -> Facts:
    """Return the request for one column, for its groups, or for the columns of a table by name.

    `asked`: the plan as it was asked, where mechanisms were chosen for it; `read`: how a file or database is read, as
    it was said, in plain values.
    """
    facts = _given(
        format=FORMAT,
        asked=None if asked is None or asked == schedule.plan else asked.as_dict(),
        read=None if read is None else dict(read),
    )
    if not isinstance(data, Mapping):
        return facts | _facts_of_one(data, column)
    return facts | {"data": "columns", "columns": {name: _facts_of_one(each, "") for name, each in data.items()}}


def _facts_of_one(data: Source, column: str) -> Facts:
    """Return the request for one column; for groups with their names where these are public."""
    whole = whole_of(data)
    kind = "RawSample" if isinstance(data, RawSample) else type(data).__name__  # also on a cluster
    facts: Facts = {
        "data": OF_GROUPS if isinstance(whole, Groups) else kind,
        "column": column,
        "protects": whole.protects,
        "missing": whole.missing,
    }
    if isinstance(data, RawSample | RawGroups):
        facts["find_bounds"] = data.find_bounds.as_dict()
    else:
        facts["domain"] = data.domain.as_dict()
    if isinstance(whole, Sample | Groups):
        facts |= {"take": whole.take, "most_rows": whole.most_rows, "person": whole.whose.column}
        facts["missing_is_person"] = whole.whose.missing_is_person or None
    else:
        facts["sketch"] = dict(whole.options)
    if isinstance(whole, Groups):
        facts |= {"by": whole.by or None, "pooled": whole.pooled or None, "finding": whole.finding}
        facts["names"] = _digest(whole.names) if whole.finding is None else None
        facts["groups_per_person"] = whole.groups_per_person
    return _given(**facts)


def columns_of(stored: str | None) -> tuple[str, ...]:
    """Return the names of the columns that a stored request is of; none where nobody said."""
    facts: Facts = json.loads(stored or "{}")
    return (facts["column"],) if "column" in facts else tuple(facts.get("columns", ()))


def groups_asked(stored: str | None) -> dict[str | None, bool]:
    """Return for each column that was asked in groups whether these were to be found; by None for a single column."""
    facts: Facts = json.loads(stored or "{}")
    columns: Mapping[str | None, Facts] = facts.get("columns", {None: facts})
    return {name: "finding" in own for name, own in columns.items() if own.get("data") == OF_GROUPS}


def refuse_another_request(charged: Row[Any], given: Mapping[str, Any]) -> None:
    """Raise ParameterError where the charge of a release id was for another request than the given row.

    Also where version 1.1 did not store enough to tell.
    """
    stored = dict(charged._mapping)
    facts, asked = json.loads(stored["request"] or "{}"), json.loads(given["request"])
    if "format" not in facts:
        raise UsedIdError("release_id", NOT_STORED)
    differing = ["plan"] if _plan_of(stored, facts) != _plan_of(given, asked) else []
    differing += ["size"] if stored["size"] != given["size"] else []
    differing += _differing(facts, asked)
    if stored["file"] and given["file"] and stored["file"] != given["file"]:
        differing.append("file")
    if differing:
        what = dict.fromkeys(DIFFERENT.get(name, "other settings") for name in differing)
        raise UsedIdError(
            "release_id",
            f"must be new for a new request: the release with this id was made with {' and '.join(what)}. "
            "Use a new release id: that is a new release with its own charge.",
        )


def _plan_of(row: Mapping[str, Any], facts: Facts) -> AnyPlan:
    """Return the plan of a charge as it was asked."""
    if "asked" not in facts:
        return plan_from_dict(read_json(str(row["plan"]), "plan"))
    return plan_from_dict(facts["asked"])


def request_as_json(facts: Mapping[str, Any]) -> str:
    """Return facts as text for the ledger."""
    return json.dumps(facts, sort_keys=True)


def _differing(stored: Facts, given: Facts) -> list[str]:
    """Return the names of facts that differ, those of a column as they are there."""
    ours, others = stored.get("columns", {}), given.get("columns", {})
    names = [name for name in {**stored, **given} if name not in APART and stored.get(name) != given.get(name)]
    for name in ("column", "read"):
        if name in names and not (name in stored and name in given):
            names.remove(name)  # nobody said
    for column in {**ours, **others}:
        names += _differing(ours.get(column, {}), others.get(column, {}))
    return names


def _given(**facts: Any) -> Facts:
    """Return the facts that apply, as plain values."""
    plain = {name: str(value) if name == "missing" and value is not None else value for name, value in facts.items()}
    return {name: value for name, value in plain.items() if value is not None and value != ""}


def _digest(values: Any) -> str:
    """Return what distinguishes a list of any length from another one."""
    return sha256(json.dumps(values).encode()).hexdigest()
