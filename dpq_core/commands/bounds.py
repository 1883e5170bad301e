"""What a release from the command line says about the public grid: bounds and a step, or significant digits."""

from __future__ import annotations

import argparse

from ..domain import Domain
from ..errors import Name, ParameterError
from .dates import both_dated, number_or_day


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    bounds = "from public knowledge, never from the data; a number, or a date such as 2024-01-31"
    command.add_argument("--lower", help=f"lowest value that the column could have: {bounds}")
    command.add_argument(
        "--upper", help="highest value; without both bounds, those of a plan file of the dashboard hold"
    )
    steps = "a day between dates, or else the width is cut into 2^40 steps"
    command.add_argument("--step", help=f"step between two values; without it, {steps}")
    digits = "instead of bounds: answers are 0 and numbers of so many significant digits, from 1 to 3"
    command.add_argument("--digits", type=int, metavar="K", help=digits)
    command.add_argument("--smallest", help="the smallest of them above 0; without it, 0.000001")
    command.add_argument("--largest", help="the largest of them; without it, 10^15")
    command.add_argument("--no-negative", action="store_true", help="with --digits: no answer is below 0")


def bounds_of(chosen: argparse.Namespace) -> Domain | None:
    """Return the domain that the arguments say; None where they say nothing about it."""
    bounds = (chosen.lower, chosen.upper, chosen.step)
    if chosen.digits is not None:
        if bounds != (None, None, None):
            raise ParameterError("--digits", ("stands instead of ", Name("--lower"), " and ", Name("--upper"), "."))
        ends = {name: vars(chosen)[name] for name in ("smallest", "largest") if vars(chosen)[name] is not None}
        return Domain.significant(chosen.digits, negative=not chosen.no_negative, **ends)
    if chosen.smallest is not None or chosen.largest is not None or chosen.no_negative:
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
