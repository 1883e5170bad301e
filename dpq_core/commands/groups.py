"""What a release from the command line says about groups, and how all of them are released in one go."""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..advice.groups import best_plan_for_groups
from ..advice.ranking import BEST
from ..arrays import Floats
from ..domain.domain import Domain
from ..errors import Name, ParameterError
from ..frames.offered import table_as_csv
from ..groups.draws import GroupedRelease
from ..groups.names import GroupColumn, GroupName, checked_names
from ..groups.table import Groups
from ..people.takes import ONE_RECORD
from ..plan import Plan, read_json
from ..privacy.composition import unit_of_groups
from ..studies.shapes import USUAL_SIZE
from ..tables.grouping import FindGroups
from .people import Rule
from .texts import groups_each_of, one_guess

Plain: TypeAlias = Callable[[float], float | str]
"""How a value is printed: a date as a date."""
MOST_FOUND_GROUPS = 10_000
"""The largest number of found groups."""
By: TypeAlias = dict[str, "list[str] | FindGroups"]
"""The columns of groups, each with its list."""
FIND = "find"
OPTIONS = ("groups", "names", "names_file", "find_groups", "other")
"""The options for the groups of a single column, which `--by` says in one word."""
SETTINGS = ("other", "groups_per_person")
"""The parts of a rule that `Groups.from_values` needs besides the names."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("groups")
    by = "answer every group of a list from public knowledge: NAME=A,B,..., NAME=@FILE with a name on each line, or "
    by += "NAME=find to find the large groups; repeat it for each column of groups to answer every combination"
    options.add_argument("--by", metavar="NAME=A,B", action="append", help=by)
    column = "the column of groups, for one column with its bounds in options of their own"
    options.add_argument("--groups", metavar="COLUMN", help=column)
    options.add_argument("--names", metavar="A,B,...", help="with --groups: the list; empty groups get an answer, too")
    options.add_argument("--names-file", metavar="FILE", help="the list, as a text file with one name on each line")
    find = "instead of a list: find the large groups, for a tenth of the budget and a delta"
    options.add_argument("--find-groups", action="store_true", help=find)
    options.add_argument("--other", metavar="NAME", help="with a list: pool all other rows in a group with this name")
    each = "with --person: keep at most G groups of each person, which divides the budget among them; or any, so that "
    each += "--most-rows holds for all groups together"
    options.add_argument("--groups-per-person", type=groups_each_of, metavar="G|any", help=each)


def rule_of(chosen: argparse.Namespace, person: Rule, plan_file: str) -> Rule:
    """Return what the arguments say about groups, or else a plan file, checked; empty without groups.

    Raises ParameterError.
    """
    if chosen.groups is None:
        _refuse_without_groups(chosen)
        content = read_json(plan_file, "plan")
        stored = content.get("groups", {}) if isinstance(content, dict) else {}
        if not isinstance(stored, dict) or (stored and not isinstance(stored.get("column"), str)):
            raise ParameterError("groups", "must name a column, with a list of names.")
        rule = stored
    else:
        rule = {"column": chosen.groups, "names": _names(chosen)}
        said = {"other": chosen.other, "groups_per_person": chosen.groups_per_person}
        rule |= {name: value for name, value in said.items() if value}
    if not rule:
        return rule
    if rule.get("names") is not None:
        checked_names(rule["names"], rule.get("other"))
    for option in ("intervals", "noisy_count"):
        if vars(chosen)[option]:
            where = ": a plan file may hold intervals, with about_n for the records of each group."
            words = ("must be left out with ", Name("--groups"), where if option == "intervals" else ".")
            raise ParameterError(f"--{option.replace('_', '-')}", words)
    if person.get("most_rows") is not None or person.get("take", ONE_RECORD[0]) not in ONE_RECORD:
        words = ("must make one number of each person, such as random, with ", Name("--groups"), ".")
        raise ParameterError("--take", words)
    return rule


def _refuse_without_groups(chosen: argparse.Namespace) -> None:
    for option in ("names", "names_file", "find_groups", "other", "groups_per_person"):
        if vars(chosen)[option] not in {None, False}:
            raise ParameterError(f"--{option.replace('_', '-')}", ("must go with ", Name("--groups"), "."))


def _names(chosen: argparse.Namespace) -> list[str] | None:
    """Return the list of names; None where groups are to be found."""
    given = [name for name in ("names", "names_file", "find_groups") if vars(chosen)[name] not in {None, False}]
    if len(given) != 1:
        raise ParameterError(
            "--names", ("or ", Name("--names-file"), " must list the groups, or ", Name("--find-groups"), " be given.")
        )
    if chosen.find_groups:
        return None
    return _typed_names(chosen.names) if chosen.names is not None else _names_in_file(chosen.names_file)


def _typed_names(typed: str) -> list[str]:
    return next(csv.reader([typed], skipinitialspace=True), [])


def _names_in_file(path: str) -> list[str]:
    lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    return [line for line in lines if line.strip()]


def groups_by(chosen: argparse.Namespace) -> By:
    """Return the columns of groups from `--by`, with their lists. Raises ParameterError, OSError."""
    found: By = {}
    for typed in chosen.by or []:
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
        listed = FindGroups() if said == FIND else _names_in_file(said[1:]) if said[0] == "@" else _typed_names(said)
        if not isinstance(listed, FindGroups):
            _check_listed(name, listed)
        found[name] = listed
    if len({isinstance(each, FindGroups) for each in found.values()}) > 1:
        raise ParameterError("--by", f"must list the groups of every column, or be {FIND} for every column.")
    return found


def _check_listed(name: str, listed: list[str]) -> None:
    try:
        checked_names(listed, None)
    except ParameterError as error:
        raise ParameterError("--by", (f"of {name!r}: the names ", *error.words[2:]), error.remedies) from None


def resolved(plan: Plan, chosen: argparse.Namespace, domain: Domain, rule: Rule) -> Plan:
    """Return the plan to run, with the intervals that a plan file asks for.

    If it asks for the best mechanism, print the choice. Raises ParameterError.
    """
    if plan.mechanism != BEST:
        if chosen.about is not None and not chosen.forecast:
            raise ParameterError(
                "--about", (f"must go with the mechanism {BEST!r} in the plan, or with ", Name("--forecast"), ".")
            )
        return plan
    unit = unit_of_groups(plan.adjacency, rule.get("groups_per_person", 1))
    count = MOST_FOUND_GROUPS if rule["names"] is None else len(rule["names"])
    best = best_plan_for_groups(plan, domain, one_guess(chosen) or USUAL_SIZE, count, unit)
    print(f"Chose {best.mechanism}. {best.reason}", file=sys.stderr)
    return best.plan


def groups_of_rule(
    values: Floats, codes: GroupColumn | NDArray[np.object_], domain: Domain, rule: Rule, **settings: Any
) -> Groups:
    """Return the columns of all groups. Raises DataError, ParameterError."""
    settings |= {name: rule[name] for name in SETTINGS if name in rule}
    try:
        return Groups.from_values(values, codes, domain, names=rule["names"], **settings)
    except ParameterError as error:
        raise ParameterError("--names", error.words[2:]) if error.name == "names" else error from None


def answers_of(released: GroupedRelease, plain: Plain) -> dict[str, Any]:
    """Return a row for each quantile of each group, and what its interval rests on where the plan asks for any."""
    quantiles = [dict(zip(_heads(released), row, strict=True)) for row in _rows(released, plain)]
    basis = {} if released.basis is None else {"intervals": released.basis.as_dict()}
    return {"quantiles": quantiles, **basis}


def as_csv(released: GroupedRelease, plain: Plain, end: dict[str, str]) -> str:
    """Return the answers as a table; each row ends with `end`: what it is, and where it was charged."""
    return table_as_csv([*_heads(released), *end], ((*row, *end.values()) for row in _rows(released, plain)))


def _heads(released: GroupedRelease) -> list[str]:
    return ["group", "level", "value", *([] if released.basis is None else ["low", "high"])]


def _rows(released: GroupedRelease, plain: Plain) -> Iterator[tuple[GroupName | float, ...]]:
    for name, values in released.values.items():
        ends: Sequence[tuple[float, ...]] = released.intervals.get(name, [()] * len(values))
        for level, value, interval in zip(released.plan.quantiles, values, ends, strict=True):
            yield name, str(level), plain(value), *map(plain, interval)
