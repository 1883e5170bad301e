"""`--by`: the columns of groups, each with its list of names, or to be found."""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import ParameterError
from ..privacy.composition import GroupsPerPerson
from ..tables.grouping import FindGroups
from .columns import FIND

By: TypeAlias = "dict[str, list[str] | FindGroups]"
"""The columns of groups, each with its list."""
IN_GROUPS = "in groups"
"""What is stored of groups in an answer: that there were some. Their lists are not in it."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("groups")
    by = "answer every group of a list from public knowledge: NAME=A,B,..., NAME=@FILE with a name on each line, or "
    by += "NAME=find to find the large groups; repeat it to answer every combination"
    options.add_argument("--by", metavar="NAME=A,B", action="append", help=by)
    options.add_argument("--other", metavar="NAME", help="with one list: pool all other rows in a group of this name")
    each = "with --person: in how many groups each person counts at most; or any: --most-rows holds for all together"
    options.add_argument("--groups-per-person", type=_each_of, metavar="G|any", help=each)


def _each_of(text: str) -> GroupsPerPerson:
    """Return in how many groups a person counts; raises what the parser of arguments says."""
    if text == "any":
        return "any"
    if not text.strip().isdecimal():
        raise argparse.ArgumentTypeError("must be a whole number such as 1, or any.")
    return int(text)


def groups_of(chosen: argparse.Namespace, stored: Any) -> tuple[By, dict[str, Any]]:
    """Return the columns of groups with their lists, and what else there is to groups, or what a plan file says.

    Raises ParameterError, OSError.
    """
    said = {name: vars(chosen)[name] for name in ("other", "groups_per_person")}
    if chosen.by or not stored:
        return _typed_groups(chosen.by or []), said
    if stored == IN_GROUPS:
        raise ParameterError("--by", "must be given: the plan file is an answer in groups, without their whole lists.")
    try:
        lists = {each["column"]: each["names"] for each in (stored, *stored.get("more", ()))}
    except (KeyError, TypeError, AttributeError):
        raise ParameterError("plan", "must hold groups as a column with a list of names.") from None
    by = {name: FindGroups() if names is None else names for name, names in lists.items()}
    return by, {name: stored.get(name) if value is None else value for name, value in said.items()}


def _typed_groups(asked: list[str]) -> By:
    found: By = {}
    for typed in asked:
        name, _, said = typed.rpartition("=")
        if not name or not said:
            example = re.split("[=:]", typed)[0] or "department"
            raise ParameterError(
                "--by",
                f"must name a column and list its groups, as in {example}=a,b, or {example}=@FILE with a name "
                f"on each line, or {example}=find; got {typed!r}.",
            )
        if name in found:
            raise ParameterError("--by", f"must name each column once, got {name!r} twice.")
        found[name] = FindGroups() if said == FIND else _names(said)
    if len({isinstance(each, FindGroups) for each in found.values()}) > 1:
        raise ParameterError("--by", f"must list the groups of every column, or be {FIND} for every column.")
    return found


def _names(said: str) -> list[str]:
    if said.startswith("@"):
        lines = Path(said[1:]).read_text(encoding="utf-8-sig").splitlines()
        return [line for line in lines if line.strip()]
    return next(csv.reader([said], skipinitialspace=True), [])
