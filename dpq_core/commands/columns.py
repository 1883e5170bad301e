"""`--column`: the columns to answer, each with its possible values; and what a missing value counts as.

Dates are typed as dates; mechanisms see the days since 1970-01-01.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..domain.measure import MEASURES
from ..domain.numbers import typed_number
from ..errors import DataError, Disclosure, ParameterError
from ..results.wording import parse_date
from ..sources.column import Column

COLUMN = "NAME=LOW:HIGH:STEP"
is_date = re.compile(r"\d{4}-\d\d-\d\d").fullmatch
FORM = re.compile(r"(?P<name>.+)=(?P<form>digits|find)(?P<more>(:[^:]+)*)")
FIND = "find"
SETTINGS = {
    "digits": ("digits", "smallest", "largest", "negative"),
    FIND: ("step", "share", "smallest", "largest", "negative"),
}
"""What may follow a form: the first without its name."""
USUAL_DIGITS = 2


class Bounds(NamedTuple):
    """The possible values of a column, and whether they were typed as dates; None where numbers or dates will do."""

    possible: Domain | FindBounds
    dated: bool | None = None


def add(options: Any) -> None:
    """Add the arguments to a group of options."""
    column = "a column to answer, with possible values from public knowledge: NAME=0:200:1, NAME=digits or NAME=find "
    column += "(docs/command-line.md has all forms); repeat it. NAME alone if a plan file has the values"
    options.add_argument("--column", metavar=COLUMN, action="append", help=column)
    missing = "what a missing value counts as, in all columns or in one; by default, missing values are left out"
    options.add_argument("--missing", metavar="[NAME=]VALUE", action="append", help=missing)


def columns_of(chosen: argparse.Namespace, stored: Mapping[str, Bounds]) -> dict[str, Bounds]:
    """Return the columns with their possible values; the one without a name is "". Raises ParameterError."""
    left, found = dict(stored), dict[str, Bounds]()
    if not (chosen.column or stored):
        raise ParameterError("--column", f"must say what to answer, as {COLUMN}, such as salary=0:200000:100.")
    for typed in chosen.column or stored:
        name, bounds = _possible_values(typed)
        bounds = bounds or left.pop(name, None) or left.pop("", None)
        if bounds is None:
            raise ParameterError("--column", _what_to_say(name))
        if name in found:
            raise ParameterError("--column", f"must name each column once, got {name!r} twice.")
        found[name] = bounds
    return found


def _what_to_say(typed: str) -> str:
    name, _, said = typed.rpartition("=")
    got = f"; got {said!r}" if name else ""
    name = name or typed
    return (
        f"must say from public knowledge what values {name!r} can have: {name}=LOW:HIGH:STEP such as "
        f"{name}=0:200000:100, or {name}=digits, or {name}=find{got}."
    )


def _possible_values(typed: str) -> tuple[str, Bounds | None]:
    """Return the name of a column, and its possible values if they follow it: the last "=" of a name is its own."""
    formed = FORM.fullmatch(typed)
    if formed is not None:
        name, parse = formed["name"], partial(_bounds_of_form, formed["form"], formed["more"].split(":")[1:])
    else:
        name, _, said = typed.rpartition("=")
        ends = said.split(":")
        if not name or len(ends) not in {2, 3, 4}:
            return typed, None
        parse = partial(_bounds_of_ends, name, ends)
    try:
        return name, parse()
    except ParameterError as error:
        if error.name == "--column":
            raise
        raise ParameterError("--column", (f"cannot be {typed}: ", *error.words), error.remedies) from None


def _bounds_of_form(form: str, words: list[str]) -> Bounds:
    given: dict[str, Any] = {}
    for word in words:
        name, value = word.split("=", 1) if "=" in word else (SETTINGS[form][0], word)
        if name not in SETTINGS[form] or name in given:
            first, *more = SETTINGS[form]
            raise ParameterError(form, f"may have {first}, {', '.join(f'{each}=...' for each in more)}, each once.")
        given[name] = typed_number(value, name)
    negative = given.pop("negative", "yes")
    if negative not in {"yes", "no"}:
        raise ParameterError("negative", "must be yes or no.")
    if form == FIND:
        return Bounds(FindBounds(**given, negative=negative == "yes"))
    digits = given.pop("digits", str(USUAL_DIGITS))
    if not digits.isdecimal():
        raise ParameterError("digits", "must be a whole number from 1 to 3.")
    return Bounds(Domain.significant(int(digits), **given, negative=negative == "yes"), dated=False)


def _bounds_of_ends(name: str, ends: list[str]) -> Bounds:
    dated = [is_date(each) is not None for each in ends[:2]]
    if len(ends) == 2 and not all(dated):
        must = f"must give the step between two values of {name!r} too, as in {name}={ends[0]}:{ends[1]}:1."
        raise ParameterError("--column", must)
    if dated[0] is not dated[1]:
        raise ParameterError("--column", f"must give two dates, or two numbers, for {name!r}.")
    low, high = (number_or_day(each, end) for each, end in zip(ends, ("lower", "upper"), strict=False))
    measure = ends.pop() if ends[-1] in MEASURES or len(ends) == 4 else None
    usual = "1" if dated[0] else None
    step = typed_number(ends[2], "step") if len(ends) > 2 else usual
    return Bounds(Domain(low, high, step, measure=measure), dated[0])


def number_or_day(typed: str, name: str) -> Any:
    """Return a number as it was typed, and of a date the days since 1970-01-01. Raises ParameterError for `name`."""
    if not is_date(typed):
        return typed_number(typed, name)
    day = parse_date(typed)
    if day is None:
        raise ParameterError(name, "must be a date that exists, such as 2024-01-31.")
    return day


def missing_of(chosen: argparse.Namespace, columns: Mapping[str, Bounds]) -> dict[str, str]:
    """Return what a missing value of each column counts as, as it was typed; columns without any are left out.

    Raises ParameterError for a column that is not answered.
    """
    found = dict[str, str]()
    for typed in chosen.missing or []:
        name, parted, value = typed.rpartition("=")
        if parted and name not in columns:
            raise ParameterError("--missing", f"must name one of the columns that are answered, got {name!r}.")
        found |= {name: value} if parted else dict.fromkeys(columns, typed)
    return found


def check_kinds(columns: Mapping[str, Bounds], missing: Mapping[str, str], read: Mapping[str, Column]) -> None:
    """Raise DataError where dates were typed for a column that holds none, or numbers for one of dates."""
    for name, column in read.items():
        value, dates = missing.get(name), column.kind == "date"
        held = f"The column {name!r} holds {'dates' if dates else 'no dates'}"
        if value is not None and (is_date(value) is not None) != dates:
            write = f"`--missing {name}=` and {'a date such as 2024-01-31' if dates else 'a number'}"
            raise DataError(f"{held}: leave `--missing` out, or say {write}.", discloses=Disclosure.KIND)
        if columns[name].dated not in {None, dates}:
            write = "dates such as 2024-01-31" if dates else "numbers"
            raise DataError(f"{held}: write its bounds as {write}.", discloses=Disclosure.KIND)
