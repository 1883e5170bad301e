"""The columns to answer, with their possible values and what a missing one counts as; groups, and whose rows they are.

Dates are typed as dates; mechanisms see the days since 1970-01-01.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..domain.measure import MEASURES
from ..errors import DataError, Disclosure, Name, ParameterError
from ..question import WEIGHT, WITHOUT_A_LIST, Asked
from ..release import DATE
from ..sources.column import Column
from ..studies.takes import SOME_ROWS
from ..typed import UNKNOWN, Words, WrongColumn, is_date
from .texts import refuse_without

COLUMN = "NAME=LOW:HIGH:STEP"
FORM = re.compile(r"(?P<name>.+)=(?P<form>digits|find)(?P<more>(:[^:]+)*)")
FIND = "find"
SETTINGS = {
    "digits": ("digits", "smallest", "largest", "negative"),
    FIND: ("step", "share", "smallest", "largest", "negative"),
}
"""What may follow a form: the first without its name."""


def columns_of(chosen: argparse.Namespace) -> dict[str, dict[str, str | None]]:
    """Return the words of each column: its possible values, and what a missing one counts as. Raises ParameterError."""
    if not chosen.column:
        raise ParameterError("--column", f"must say what to answer, as {COLUMN}, such as salary=0:200000:100.")
    found: dict[str, dict[str, str | None]] = {}
    for typed in chosen.column:
        formed = FORM.fullmatch(typed)
        name, _, said = (formed["name"], "", "") if formed else typed.rpartition("=")  # the last one separates them
        words = _words_of_form(formed["form"], formed["more"].split(":")[1:]) if formed else _words_of_ends(name, said)
        if name in found:
            raise ParameterError("--column", f"must name each column once, got {name!r} twice.")
        found[name] = {"kind": UNKNOWN, "missing": None, **words}
    for typed in chosen.missing or []:
        name, parted, value = typed.rpartition("=")
        if parted and name not in found:
            raise ParameterError("--missing", f"must name one of the columns that are answered, got {name!r}.")
        for each in [name] if parted else found:
            found[each]["missing"] = value
    return found


def in_options(error: WrongColumn, chosen: argparse.Namespace, columns: Mapping[str, Words]) -> ParameterError:
    """Return what is wrong with a column, by the option that said it."""
    if error.name == "missing":
        return ParameterError("--missing", (f"of {error.column!r} ", *error.words[2:]))
    if error.name not in columns[error.column]:
        return error
    typed = dict(zip(columns, chosen.column, strict=True))[error.column]
    return ParameterError("--column", (f"cannot be {typed}: ", *error.words), error.remedies)


def _words_of_form(form: str, more: list[str]) -> dict[str, str]:
    found = {"bounds": form}
    for each in more:
        name, value = each.split("=", 1) if "=" in each else (SETTINGS[form][0], each)
        if name not in SETTINGS[form] or name in found:
            first, *others = (f"`{form}` may have {SETTINGS[form][0]}", *(f"{name}=..." for name in SETTINGS[form][1:]))
            raise ParameterError("--column", f"cannot be so: {', '.join([first, *others])}, each once.")
        found[name] = value
    return found


def _words_of_ends(name: str, said: str) -> dict[str, str]:
    ends = said.split(":")
    if not name or len(ends) not in {2, 3, 4}:
        name, got = (name, f"; got {said!r}") if name else (said, "")
        must = f"must say from public knowledge what values {name!r} can have: {name}=LOW:HIGH:STEP such as "
        raise ParameterError("--column", f"{must}{name}=0:200000:100, or {name}=digits, or {name}=find{got}.")
    dated = any(map(is_date, ends[:2]))
    if len(ends) == 2 and not dated:
        must = f"must give the step between two values of {name!r} too, as in {name}={ends[0]}:{ends[1]}:1."
        raise ParameterError("--column", must)
    measure = {"measure": ends.pop()} if ends[-1] in MEASURES or len(ends) == 4 else {}
    return {"lower": ends[0], "upper": ends[1], "step": ends[2] if len(ends) > 2 else "1" * dated, **measure}


def check_kinds(columns: Mapping[str, Asked], read: Mapping[str, Column]) -> None:
    """Raise DataError where dates were said for a column that holds none, or numbers for one of dates."""
    for name, column in read.items():
        asked, dates = columns[name], column.kind == DATE
        either = isinstance(asked.possible, FindBounds) and asked.missing is None and asked.words.kind != DATE
        if not either and (asked.words.kind == DATE) is not dates:
            held, write = ("dates", "dates such as 2024-01-31") if dates else ("no dates", "numbers")
            what = "bounds" if isinstance(asked.possible, Domain) else "`--missing`"
            told = f"The column {name!r} holds {held}: write its {what} as {write}."
            raise DataError(told, discloses=Disclosure.KIND)


def groups_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the words of groups: their columns, and the list of each, if any. Raises ParameterError, OSError."""
    found: dict[str, list[str] | None] = {}
    for typed in chosen.by or ():
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
        found[name] = None if said == FIND else _names(said)
    lists = [each for each in found.values() if each is not None]
    if lists and len(lists) < len(found):
        raise ParameterError("--by", f"must list the groups of every column, or be {FIND} for every column.")
    if chosen.other is not None and (len(found) != 1 or not lists):
        raise ParameterError("--other", WITHOUT_A_LIST)
    return {"by": tuple(found), "lists": lists}


def _names(said: str) -> list[str]:
    if said.startswith("@"):
        lines = Path(said[1:]).read_text(encoding="utf-8-sig").splitlines()
        return [line for line in lines if line.strip()]
    return next(csv.reader([said], skipinitialspace=True), [])


def persons_of(chosen: argparse.Namespace) -> dict[str, str]:
    """Return the words of persons, whose rows belong together. Raises ParameterError."""
    refuse_without(chosen, "--person", "--per-person", "--max-rows-per-person", "--max-groups-per-person")
    if chosen.person is None:
        return {}
    if not chosen.person:
        raise ParameterError("--person", "must name the column of ids.")
    if (chosen.per_person is None) is (chosen.max_rows_per_person is None):
        words = ("or ", Name("--max-rows-per-person"), ", one of both, must say what of each person's rows counts.")
        raise ParameterError("--per-person", words)
    each, in_some = chosen.max_groups_per_person, bool(chosen.by) and chosen.per_person != WEIGHT
    if (each is not None) is not in_some or (each == "any" and chosen.per_person):
        must_not = "must be left out where there are no groups, or where all groups of a person count."
        must = "must say in how many groups one person counts, such as 1; rows in more groups are dropped."
        raise ParameterError("--max-groups-per-person", must if in_some else must_not)
    return {
        "person": chosen.person, "per_person": chosen.per_person or SOME_ROWS,
        "max_rows_per_person": chosen.max_rows_per_person, "groups_each": each,
        "rows_in": "all" if each == "any" else "each",
    }  # fmt: skip
