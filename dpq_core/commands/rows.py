"""`--by` and `--person`: which groups are answered, and whose rows belong together."""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path

from ..errors import Name, ParameterError
from ..grouping import grouping_of
from ..privacy.composition import GroupsPerPerson
from ..question import WITHOUT_A_LIST, FindGroups, Grouping, Persons
from .columns import FIND
from .texts import refuse_without


def each_of(text: str) -> GroupsPerPerson:
    """Return in how many groups a person counts; raises what the parser of arguments says."""
    if text == "any":
        return "any"
    if not text.strip().isdecimal():
        raise argparse.ArgumentTypeError("must be a whole number such as 1, or any.")
    return int(text)


def groups_of(chosen: argparse.Namespace) -> Grouping | None:
    """Return which groups are answered; None for one answer of each column. Raises ParameterError, OSError."""
    if not chosen.by:
        if chosen.other is not None:
            raise ParameterError("--other", WITHOUT_A_LIST)
        return None
    found: dict[str, list[str] | FindGroups] = {}
    for typed in chosen.by:
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
    return grouping_of(found, None, chosen.other)


def _names(said: str) -> list[str]:
    if said.startswith("@"):
        lines = Path(said[1:]).read_text(encoding="utf-8-sig").splitlines()
        return [line for line in lines if line.strip()]
    return next(csv.reader([said], skipinitialspace=True), [])


def persons_of(chosen: argparse.Namespace) -> Persons | None:
    """Return whose rows belong together; None where every row is a different person. Raises ParameterError."""
    if chosen.person is None:
        refuse_without(chosen, "--person", "--take", "--most-rows", "--groups-per-person")
        return None
    if chosen.take is None and chosen.most_rows is None:
        raise ParameterError("--take", ("or ", Name("--most-rows"), " must say what of each person's rows counts."))
    each = chosen.groups_per_person
    if chosen.by and chosen.take != "share" and each is None:
        must = "must say in how many groups one person counts, such as 1; rows in more groups are dropped."
        raise ParameterError("--groups-per-person", must)
    return Persons.of(chosen.take, chosen.most_rows, chosen.person, groups_per_person=each)
