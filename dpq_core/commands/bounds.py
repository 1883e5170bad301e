"""What a release from the command line says about bounds: their ends, significant digits, or that they are found.

Dates are typed as dates for a column of dates; mechanisms see the days since 1970-01-01.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..domain.measure import MEASURES
from ..domain.numbers import typed_number
from ..errors import DataError, Disclosure, Name, ParameterError
from ..sources.column import Kind

DATE = re.compile(r"\d{4}-\d\d-\d\d")
FORM = re.compile(r"(?P<form>digits|find)(:(?P<given>[^:]+))?")
USUAL_DIGITS = 2
COLUMN = "NAME=LOW:HIGH:STEP"
OPTIONS = ("lower", "upper", "step", "measure", "digits", "find_bounds", "share", "smallest", "largest", "no_negative")
"""The options that say the possible values of a single column, which `--column NAME=...` says in one word."""


class Bounds(NamedTuple):
    """The possible values of a column, and whether they were typed as dates; None where numbers or dates will do."""

    possible: Domain | FindBounds
    dated: bool | None


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group(
        "bounds of one column",
        f"instead of --column {COLUMN}",
    )
    bounds = "from public knowledge, never from the data; a number, or a date such as 2024-01-31"
    options.add_argument("--lower", help=f"lowest value that the column could have: {bounds}")
    options.add_argument(
        "--upper", help="highest value; without both bounds, those in a plan file of the dashboard hold"
    )
    steps = "a day for dates, otherwise a power of ten, so that round numbers are found sooner"
    options.add_argument("--step", help=f"step between two values; default: {steps}")
    measure = "which values are found sooner, because people round to them; default: round without a step, else uniform"
    options.add_argument("--measure", choices=MEASURES, help=measure)
    digits = "instead of bounds: answer 0 or numbers of K significant digits, K from 1 to 3"
    options.add_argument("--digits", type=int, metavar="K", help=digits)
    find = "instead of bounds: find them first with a share of the budget; a value beyond them counts as the bound"
    options.add_argument("--find-bounds", action="store_true", help=find)
    options.add_argument("--share", help="with --find-bounds: the share of the budget for it; default 0.1")
    ends = "with --digits or --find-bounds"
    options.add_argument("--smallest", help=f"{ends}: the smallest number above 0; default 0.000001")
    options.add_argument("--largest", help=f"{ends}: the largest number; default 10^15")
    options.add_argument("--no-negative", action="store_true", help=f"{ends}: no number is below 0")


def bounds_of(chosen: argparse.Namespace) -> Domain | FindBounds | None:
    """Return what the arguments say; None where they say nothing about it. Raises ParameterError."""
    bounds = (chosen.lower, chosen.upper, chosen.step, chosen.measure)
    ends = {name: vars(chosen)[name] for name in ("smallest", "largest") if vars(chosen)[name] is not None}
    if chosen.find_bounds:
        for name in ("lower", "upper", "measure", "digits"):
            if vars(chosen)[name] is not None:
                raise ParameterError("--find-bounds", ("replaces ", Name(f"--{name}"), ": give one of them."))
        share = {} if chosen.share is None else {"share": chosen.share}
        return FindBounds(**share, **ends, negative=not chosen.no_negative, step=chosen.step)
    if chosen.share is not None:
        raise ParameterError("--share", ("must go with ", Name("--find-bounds"), "."))
    if chosen.digits is not None:
        if any(each is not None for each in bounds):
            raise ParameterError(
                "--digits", ("replaces ", Name("--lower"), " and ", Name("--upper"), ": leave them out.")
            )
        return Domain.significant(chosen.digits, negative=not chosen.no_negative, **ends)
    if ends or chosen.no_negative:
        raise ParameterError("--digits", "must be given with the ends of its numbers.")
    if all(each is None for each in bounds):
        return None
    if chosen.lower is None or chosen.upper is None:
        raise ParameterError(
            "--lower", ("and ", Name("--upper"), " must be given together; ", Name("--step"), " goes with them.")
        )
    usual = "1" if both_dated(chosen) else None
    step = usual if chosen.step is None else chosen.step
    return Domain(number_or_day(chosen, "lower"), number_or_day(chosen, "upper"), step, measure=chosen.measure)


def columns_of(chosen: argparse.Namespace) -> dict[str, Bounds]:
    """Return the columns of a table with their possible values; none if other options or a plan file have them.

    Then `chosen.column` is the name of the one column, if given, and `chosen.missing` one value: the last, as for any
    option that is given twice. Raises ParameterError.
    """
    typed = chosen.column or []
    said = [_possible_values(each) for each in typed]
    elsewhere = chosen.plan is not None or any(vars(chosen)[name] not in {None, False} for name in OPTIONS)
    if not chosen.by and elsewhere and not any(bounds for _, bounds in said):
        chosen.column = typed[-1] if typed else None
        chosen.missing = chosen.missing[-1] if chosen.missing else None
        return {}
    if not typed:
        raise ParameterError("--column", f"must say what to answer, as {COLUMN}, such as salary=0:200000:100.")
    found: dict[str, Bounds] = {}
    for name, bounds in said:
        if bounds is None:
            raise ParameterError("--column", _what_to_say(name))
        if name in found:
            raise ParameterError("--column", f"must name each column once, got {name!r} twice.")
        found[name] = bounds
    chosen.column = None
    return found


def missing_of(chosen: argparse.Namespace, columns: Iterable[str]) -> dict[str, str]:
    """Return what a missing value of each column counts as, as it was typed; columns without any are left out.

    Raises ParameterError for a column that is not answered.
    """
    found, names = dict[str, str](), list(columns)
    for typed in chosen.missing or []:
        name, parted, value = typed.rpartition("=")
        if parted and name not in names:
            raise ParameterError("--missing", f"must name one of the columns that are answered, got {name!r}.")
        found |= {name: value} if parted else dict.fromkeys(names, typed)
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
    """Return the name of a column, and its possible values if they follow the last "="."""
    name, _, said = typed.rpartition("=")
    form, ends = FORM.fullmatch(said), said.split(":")
    if not name or (form is None and len(ends) not in {2, 3, 4}):
        return typed, None
    try:
        return name, _bounds_of_ends(name, ends) if form is None else _bounds_of_form(form["form"], form["given"])
    except ParameterError as error:
        if error.name == "--column":
            raise
        raise ParameterError("--column", (f"cannot be {typed}: ", *error.words), error.remedies) from None


def _bounds_of_form(form: str, given: str | None) -> Bounds:
    if form == "find":
        return Bounds(FindBounds(step=given and typed_number(given, "step")), None)
    if given is not None and not given.isdecimal():
        raise ParameterError("digits", "must be a whole number from 1 to 3.")
    return Bounds(Domain.significant(USUAL_DIGITS if given is None else int(given)), False)


def _bounds_of_ends(name: str, ends: list[str]) -> Bounds:
    dated = [DATE.fullmatch(each) is not None for each in ends[:2]]
    if len(ends) == 2 and not all(dated):
        step = f"must give the step between two values of {name!r} too, as in {name}={ends[0]}:{ends[1]}:1."
        raise ParameterError("--column", step)
    if dated[0] is not dated[1]:
        raise ParameterError("--column", f"must give two dates, or two numbers, for {name!r}.")
    low, high = (typed_number_or_day(each, end) for each, end in zip(ends, ("lower", "upper"), strict=False))
    step = typed_number(ends[2], "step") if len(ends) > 2 else "1"
    return Bounds(Domain(low, high, step, measure=ends[3] if len(ends) > 3 else None), dated[0])


def stored_bounds(values: dict[str, Any]) -> Domain | FindBounds | None:
    """Return the bounds of a plan file of the dashboard, which are found anew where they were found."""
    if values.get("find_bounds") is not None:
        return FindBounds.from_dict(values["find_bounds"])
    return None if values.get("domain") is None else Domain.from_dict(values["domain"])


def _is_date(typed: str | None) -> bool:
    return typed is not None and DATE.fullmatch(typed) is not None


def number_or_day(chosen: argparse.Namespace, name: str) -> Any:
    """Return a number as it was typed, and of a date the days since 1970-01-01. Raises ParameterError."""
    typed = getattr(chosen, name)
    return typed if typed is None else typed_number_or_day(typed, f"--{name}")


def typed_number_or_day(typed: str, name: str) -> Any:
    """Return a number as it was typed, and of a date the days since 1970-01-01. Raises ParameterError for `name`."""
    from ..results.wording import parse_date

    if not _is_date(typed):
        return typed_number(typed, name)
    day = parse_date(typed)
    if day is None:
        raise ParameterError(name, "must be a date that exists, such as 2024-01-31.")
    return day


def check_kind(chosen: argparse.Namespace, kind: Kind) -> None:
    """Raise DataError where dates were typed and the column holds none, or numbers were and it holds dates."""
    names = ("lower", "upper", "missing", "smallest", "largest", "digits")
    typed = [str(given) for name in names if (given := getattr(chosen, name)) is not None]
    if kind != "date" and any(map(_is_date, typed)):
        raise DataError("This column holds no dates: bounds and missing values are numbers.", discloses=Disclosure.KIND)
    if kind == "date" and not all(map(_is_date, typed)):
        raise DataError(
            "This column holds dates: write bounds and missing values like 2024-01-31.", discloses=Disclosure.KIND
        )


def check_kind_of(name: str, kind: Kind, bounds: Bounds, missing: str | None) -> None:
    """Raise DataError where dates were typed for a column among several that holds none, or numbers for one of dates.

    `missing`: what a missing value counts as, as it was typed.
    """
    if missing is not None and _is_date(missing) != (kind == "date"):
        held, write = ("dates", "a date such as 2024-01-31") if kind == "date" else ("no dates", "a number")
        raise DataError(
            f"The column {name!r} holds {held}: leave `--missing` out, or say `--missing {name}=` and {write}.",
            discloses=Disclosure.KIND,
        )
    if bounds.dated is not None and bounds.dated != (kind == "date"):
        held, write = ("dates", "dates such as 2024-01-31") if kind == "date" else ("no dates", "numbers")
        raise DataError(f"The column {name!r} holds {held}: write its bounds as {write}.", discloses=Disclosure.KIND)


def both_dated(chosen: argparse.Namespace) -> bool:
    """Return whether both bounds are dates. Raises ParameterError where one is."""
    dated = _is_date(chosen.lower), _is_date(chosen.upper)
    if any(dated) and not all(dated):
        raise ParameterError("--lower", ("and ", Name("--upper"), " must both be dates, or both numbers."))
    return all(dated)
