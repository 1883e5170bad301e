"""Bind the id of a release to the question that was asked: public facts that are stored with the charge, and signed.

A second request with the same id is answered from the ledger only where every choice of its question is the same. Words
(units, what a person is called) are no part of it, nor is the number of records. A mechanism that is asked for as
"best" stays "best", so that another version, which may choose another one, still gives the stored answer.

The fingerprint of a file or of a data frame, the name of a single column and how a file is read are compared where both
requests have them. That a file is another one is a fact about data, which `Disclosure` lists; it gives nothing
away, because who can choose the id of a release holds the ledger's key, and can compare fingerprints without asking.

Version 1.1 stored neither the columns of groups and persons nor how a file was read, so its ids are refused. What it
stored stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from sqlalchemy import Row

from ..errors import UsedIdError
from ..frame import COLUMN
from ..question import Question
from ..release import DATE

Facts: TypeAlias = dict[str, Any]
"""A question as plain values, or what version 1.1 stored in its place."""
NOT_STORED = (
    "must be new: version 1.1 made the release with this id, and did not store everything that was asked. The page "
    "Releases has its answer. Use a new release id: that is a new release with its own charge."
)
OF_GROUPS = "Groups"
"""What the facts of version 1.1 call the data of a column in groups."""
DIFFERENT = {
    "synthetic": "another number of synthetic values",
    "held": "another kind of data",
    "sketch": "another sketch",
    "possible": "other bounds",
    "find_bounds": "another way to find bounds",
    "missing": "another value for what is missing",
    "columns": "another column",
    "by": "other columns of groups",
    "names": "other groups",
    "other": "other groups",
    "find": "another way to find groups",
    "column": "another column of persons",
    "per_person": "another rule for persons",
    "max_rows": "another rule for persons",
    "max_groups": "another rule for persons",
    "missing_is_person": "another rule for rows without an id",
    "reading": "another way to read the data",
    "file": "another way to read the data",
    "mark": "another file",
}
"""How a refusal calls what differs; all else is another plan."""
OF_FRAME = "frame "
"""What the fingerprint of a data frame begins with: it is compared with no file's."""
WORDS = frozenset(["words", "one"])


def columns_of(stored: str | None) -> tuple[str, ...]:
    """Return the names of the columns that a stored request is of; none where nobody said."""
    facts: Facts = json.loads(stored or "{}")
    named = (facts["column"],) if "column" in facts else tuple(facts.get("columns", ()))
    return () if named == (COLUMN,) else named


def groups_found(stored: str | None) -> bool | None:
    """Return whether the groups that were asked for were to be found; None for columns in one piece."""
    facts: Facts = json.loads(stored or "{}")
    if "budget" in facts:
        return "find" in facts["groups"] if "groups" in facts else None
    columns: Mapping[str | None, Facts] = facts.get("columns", {None: facts})
    asked = ["finding" in own for own in columns.values() if own.get("data") == OF_GROUPS]
    return any(asked) if asked else None


def refuse_another_request(charged: Row[Any], asked: Question, mark: str) -> None:
    """Raise UsedIdError where the charge of a release id was for another question, or of a file with another mark.

    Also where version 1.1 did not store enough to tell.
    """
    stored: Facts = json.loads(charged.request or "{}")
    if "budget" not in stored:
        raise UsedIdError("release_id", NOT_STORED)
    differing = [*_differing(stored, asked.as_dict())]
    both = bool(charged.file and mark) and charged.file.startswith(OF_FRAME) is mark.startswith(OF_FRAME)
    if both and charged.file != mark:
        differing.append("mark")
    if differing:
        what = dict.fromkeys(DIFFERENT.get(name, "another plan") for name in differing)
        raise UsedIdError(
            "release_id",
            f"must be new for a new request: the release with this id was made with {' and '.join(what)}. "
            "Use a new release id: that is a new release with its own charge.",
        )


def _differing(stored: Facts, given: Facts) -> Iterator[str]:
    """Yield the names of the choices in which two questions differ."""
    both_said = "file" in stored and "file" in given
    ours, others = stored["columns"], given["columns"]
    yield from _unequal(stored, given, but={"columns", "groups", "persons", "file"})
    if both_said and stored["file"] != given["file"]:
        yield "file"
    for name in ("groups", "persons"):
        yield from _unequal(stored.get(name, {}), given.get(name, {}))
    unnamed = len(ours) == len(others) == 1 and COLUMN in {*ours, *others}
    if not unnamed and set(ours) != set(others):
        yield "columns"
    pairs = zip(ours.values(), others.values(), strict=True) if unnamed else (
        (ours[name], others[name]) for name in ours if name in others
    )  # fmt: skip
    for one, other in pairs:
        for_best_alone = "noisy_count" in one or ("groups" in stored and "intervals" not in one)
        idle = {"about_n"} if for_best_alone else set()
        yield from _unequal(one, other, but=idle | ({"possible"} if both_said else {"possible", "reading"}))
        dated = DATE in {each.get("words", {}).get("kind") for each in (one, other)}
        if _possible(one, dated=dated) != _possible(other, dated=dated):
            yield "find_bounds" if {"share"} & {*one["possible"], *other["possible"]} else "possible"


def _possible(asked: Facts, *, dated: bool) -> Facts:
    """Return the possible values; of dates whose bounds are found with the usual step, which is a day."""
    found: Facts = asked["possible"]
    return found | {"step": "1"} if dated and "share" in found and found["step"] is None else found


def _unequal(one: Facts, other: Facts, but: set[str] | frozenset[str] = frozenset()) -> Iterator[str]:
    return (name for name in {**one, **other} if name not in WORDS | but and one.get(name) != other.get(name))
