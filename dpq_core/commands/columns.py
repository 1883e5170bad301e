"""The columns to answer, with their possible values and what a missing one counts as; groups, and whose rows they are.

Dates are typed as dates; mechanisms see the days since 1970-01-01.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..domain.measure import MEASURES
from ..domain.numbers import exact_number, typed_number
from ..errors import DataError, Disclosure, Name, ParameterError
from ..grouping import grouping_of
from ..privacy.composition import GroupsPerPerson
from ..question import WITHOUT_A_LIST, Asked, FindGroups, Grouping, Persons
from ..release import DATE, ColumnWords
from ..sources.column import Column
from ..typed import Words, parse_date, possible_of
from .texts import refuse_without

COLUMN = "NAME=LOW:HIGH:STEP"
is_date = re.compile(r"\d{4}-\d\d-\d\d").fullmatch
FORM = re.compile(r"(?P<name>.+)=(?P<form>digits|find)(?P<more>(:[^:]+)*)")
FIND = "find"
SETTINGS = {
    "digits": ("digits", "smallest", "largest", "negative"),
    FIND: ("step", "share", "smallest", "largest", "negative"),
}
"""What may follow a form: the first without its name."""


class Possible(NamedTuple):
    """The possible values of a column, and that they are dates where they were typed so."""

    bounds: Domain | FindBounds
    words: ColumnWords = ColumnWords()


def columns_of(chosen: argparse.Namespace) -> dict[str, Possible]:
    """Return the columns with their possible values. Raises ParameterError."""
    if not chosen.column:
        raise ParameterError("--column", f"must say what to answer, as {COLUMN}, such as salary=0:200000:100.")
    found: dict[str, Possible] = {}
    for typed in chosen.column:
        name, possible = _possible_values(typed)
        if name in found:
            raise ParameterError("--column", f"must name each column once, got {name!r} twice.")
        found[name] = possible
    return found


def _possible_values(typed: str) -> tuple[str, Possible]:
    """Return the name of a column, and its possible values: the last "=" separates them."""
    formed = FORM.fullmatch(typed)
    name, _, said = (formed["name"], "", "") if formed else typed.rpartition("=")
    words = _words_of_form(formed["form"], formed["more"].split(":")[1:]) if formed else _words_of_ends(name, said)
    kind = ColumnWords(kind=words.get("kind", "number"))
    try:
        bounds = possible_of(words)
        if isinstance(bounds, Domain) and "measure" in words:
            bounds = Domain(bounds.lower, bounds.upper, words["step"] or None, measure=words["measure"])
        return name, Possible(bounds, kind)
    except ParameterError as error:
        raise ParameterError("--column", (f"cannot be {typed}: ", *error.words), error.remedies) from None


def _words_of_form(form: str, more: list[str]) -> Words:
    found = {"bounds": form}
    for each in more:
        name, value = each.split("=", 1) if "=" in each else (SETTINGS[form][0], each)
        if name not in SETTINGS[form] or name in found:
            first, *others = (f"`{form}` may have {SETTINGS[form][0]}", *(f"{name}=..." for name in SETTINGS[form][1:]))
            raise ParameterError("--column", f"cannot be so: {', '.join([first, *others])}, each once.")
        found[name] = value
    return found


def _words_of_ends(name: str, said: str) -> Words:
    ends = said.split(":")
    if not name or len(ends) not in {2, 3, 4}:
        name, got = (name, f"; got {said!r}") if name else (said, "")
        must = f"must say from public knowledge what values {name!r} can have: {name}=LOW:HIGH:STEP such as "
        raise ParameterError("--column", f"{must}{name}=0:200000:100, or {name}=digits, or {name}=find{got}.")
    dated = [is_date(each) is not None for each in ends[:2]]
    if len(ends) == 2 and not all(dated):
        must = f"must give the step between two values of {name!r} too, as in {name}={ends[0]}:{ends[1]}:1."
        raise ParameterError("--column", must)
    if dated[0] is not dated[1]:
        raise ParameterError("--column", f"must give two dates, or two numbers, for {name!r}.")
    measure = {"measure": ends.pop()} if ends[-1] in MEASURES or len(ends) == 4 else {}
    step = ends[2] if len(ends) > 2 else "1" if dated[0] else ""
    return {"lower": ends[0], "upper": ends[1], "step": step, "kind": DATE if dated[0] else "number", **measure}


def missing_of(chosen: argparse.Namespace, columns: dict[str, Possible]) -> dict[str, Fraction]:
    """Return what a missing value of each column counts as; columns without any are left out.

    A date says that the values are dates. Raises ParameterError for a column that is not answered, and for a number in
    place of a date.
    """
    typed_of, found = dict[str, str](), dict[str, Fraction]()
    for typed in chosen.missing or []:
        name, parted, value = typed.rpartition("=")
        if parted and name not in columns:
            raise ParameterError("--missing", f"must name one of the columns that are answered, got {name!r}.")
        typed_of |= {name: value} if parted else dict.fromkeys(columns, typed)
    for name, value in typed_of.items():
        bounds, words = columns[name]
        if isinstance(bounds, FindBounds) and is_date(value):
            columns[name] = Possible(bounds, ColumnWords(kind=DATE))
        elif (is_date(value) is not None) != (words.kind == DATE):
            example = "a date such as 2024-01-31" if words.kind == DATE else "a number"
            raise ParameterError("--missing", f"must be {example} for {name!r}, as in --missing {name}=...")
        day = parse_date(value) if is_date(value) else None
        found[name] = exact_number(typed_number(value, "missing") if day is None else day, "missing")
    return found


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
        refuse_without(chosen, "--person", "--per-person", "--max-rows-per-person", "--max-groups-per-person")
        return None
    if chosen.per_person is None and chosen.max_rows_per_person is None:
        raise ParameterError(
            "--per-person", ("or ", Name("--max-rows-per-person"), " must say what of each person's rows counts.")
        )
    each = chosen.max_groups_per_person
    if chosen.by and chosen.per_person != "weight" and each is None:
        must = "must say in how many groups one person counts, such as 1; rows in more groups are dropped."
        raise ParameterError("--max-groups-per-person", must)
    return Persons.of(chosen.per_person, chosen.max_rows_per_person, chosen.person, max_groups_per_person=each)
