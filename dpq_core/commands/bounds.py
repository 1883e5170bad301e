"""What a release from the command line says about bounds: their ends, significant digits, or that they are found."""

from __future__ import annotations

import argparse
from typing import Any

from ..domain import Domain, FindBounds
from ..errors import Name, ParameterError
from .dates import both_dated, number_or_day


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("bounds")
    bounds = "from public knowledge, never from the data; a number, or a date such as 2024-01-31"
    options.add_argument("--lower", help=f"lowest value that the column could have: {bounds}")
    options.add_argument(
        "--upper", help="highest value; without both bounds, those of a plan file of the dashboard hold"
    )
    steps = "a day between dates, or else the width is cut into 2^40 steps"
    options.add_argument("--step", help=f"step between two values; without it, {steps}")
    digits = "instead of bounds: answers are 0 and numbers of so many significant digits, from 1 to 3"
    options.add_argument("--digits", type=int, metavar="K", help=digits)
    find = "instead of bounds: find them first, from a share of the budget; what lies beyond them counts as the bound"
    options.add_argument("--find-bounds", action="store_true", help=find)
    options.add_argument("--share", help="with --find-bounds: the share of the budget for it; without it, 0.1")
    ends = "with --digits or --find-bounds"
    options.add_argument("--smallest", help=f"{ends}: the smallest number above 0; without it, 0.000001")
    options.add_argument("--largest", help=f"{ends}: the largest number; without it, 10^15")
    options.add_argument("--no-negative", action="store_true", help=f"{ends}: no number is below 0")


def bounds_of(chosen: argparse.Namespace) -> Domain | FindBounds | None:
    """Return what the arguments say; None where they say nothing about it. Raises ParameterError."""
    bounds = (chosen.lower, chosen.upper, chosen.step)
    ends = {name: vars(chosen)[name] for name in ("smallest", "largest") if vars(chosen)[name] is not None}
    if chosen.find_bounds:
        for name in ("lower", "upper", "digits"):
            if vars(chosen)[name] is not None:
                raise ParameterError("--find-bounds", ("stands instead of ", Name(f"--{name}"), "."))
        share = {} if chosen.share is None else {"share": chosen.share}
        return FindBounds(**share, **ends, negative=not chosen.no_negative, step=chosen.step)
    if chosen.share is not None:
        raise ParameterError("--share", ("must go with ", Name("--find-bounds"), "."))
    if chosen.digits is not None:
        if bounds != (None, None, None):
            raise ParameterError("--digits", ("stands instead of ", Name("--lower"), " and ", Name("--upper"), "."))
        return Domain.significant(chosen.digits, negative=not chosen.no_negative, **ends)
    if ends or chosen.no_negative:
        raise ParameterError("--digits", "must be given with the ends of its numbers.")
    if bounds == (None, None, None):
        return None
    if chosen.lower is None or chosen.upper is None:
        raise ParameterError(
            "--lower", ("and ", Name("--upper"), " must be given together; ", Name("--step"), " goes with them.")
        )
    usual = "1" if both_dated(chosen) else None
    step = usual if chosen.step is None else chosen.step
    return Domain(number_or_day(chosen, "lower"), number_or_day(chosen, "upper"), step)


def stored_bounds(values: dict[str, Any]) -> Domain | FindBounds | None:
    """Return the bounds of a plan file of the dashboard, which are found anew where they were found."""
    if values.get("find_bounds") is not None:
        return FindBounds.from_dict(values["find_bounds"])
    return None if values.get("domain") is None else Domain.from_dict(values["domain"])
