"""The plan of a line: quantiles, budget and mechanism, and intervals; from options, or from a plan file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from ..advice.choice import BEST
from ..columns_plan import ColumnsPlan
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import Name, ParameterError
from ..plan import NAMED_LEVELS, NOISY, Intervals, Plan, read_json
from ..release import DATE, Cells, Release
from . import columns
from .columns import Bounds
from .groups import IN_GROUPS
from .persons import ONE_WITH_ALL_ROWS
from .texts import about, refuse_without, text_of

ASKED = ("quantiles", "mechanism", "epsilon", "delta", "rho", "adjacency")
OTHERS = ("about", "intervals", "person", "take", "most_rows", "groups_per_person", "missing", "other", "release_id")
FLAGS = {name: f"--{name.replace('_', '-')}" for name in (*ASKED, *OTHERS, "encoding")}
FLAGS |= (
    {"header": "--header` or `--no-header", "about_n": "--about", "scheduler": "--cluster"}
    | dict.fromkeys(["columns", "column"], "--column")
    | dict.fromkeys(["by", "groups", "names"], "--by")
)
"""Settings of Python by the options that say them in words."""
OF_INTERVALS = {
    "--noisy-count": "first count the records, in each group, with a twentieth of the budget",
    "--together": "all of a column, or of a group, hold at once with this chance",
    "--population": "they are for the population of which the records are a random sample",
}


class Stored(NamedTuple):
    """What a plan file holds besides the plan, if the page or this command wrote it."""

    columns: Mapping[str, Bounds] = MappingProxyType({})
    """Bounds by the names of their columns; those of a plan file of the page by "", as it is of one column."""
    person: Any = None
    groups: Any = None


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("the question", "a plan file may hold quantiles and budget")
    columns.add(options)
    options.add_argument("--quantiles", help=f"levels such as 10%%,50%% or 0.25, or one of {', '.join(NAMED_LEVELS)}")
    options.add_argument("--epsilon", type=float, metavar="E", help="the budget to spend, with or without --delta")
    options.add_argument("--delta", type=float, metavar="D", help="the delta of the budget")
    options.add_argument("--rho", type=float, metavar="R", help="a concentrated budget instead")
    whom = "what one person can change: one joins or leaves (the default), or one is replaced by another"
    options.add_argument("--adjacency", metavar="joins|replaced", help=whom)
    options.add_argument("--mechanism", help=f"a mechanism by its key; default {BEST!r}: the best one for the plan")
    options = command.add_argument_group("intervals and forecasts")
    sure = "add an interval around each answer that contains the true quantile with this chance, such as 0.95"
    options.add_argument("--intervals", type=float, metavar="CHANCE", help=sure)
    guess = "about how many records there are (better too few), for intervals, forecasts and the best mechanism; for "
    guess += "groups the number in each, or one for each: north=300,south=1000"
    options.add_argument("--about", "--about-n", metavar="N|NAME=N,...", type=_guess_of, help=guess)
    for flag, means in OF_INTERVALS.items():
        options.add_argument(flag, action="store_true", help=f"with --intervals: {means}")


def _guess_of(text: str) -> int | dict[str, int]:
    """Return one number of records, or that of each group by its name; raises what the parser of arguments says."""
    given: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        if not number.strip().isdecimal() or bool(name) is not ("=" in text) or name.strip() in given:
            raise argparse.ArgumentTypeError("must be a whole number, or one for each group: north=300,south=1000.")
        given[name.strip()] = int(number)
    return given.get("", given)


def plan_of(chosen: argparse.Namespace) -> tuple[Plan, Stored]:
    """Return the plan of the plan file, with what else it holds, or a plan made from options.

    A single first argument that is not .json is the data: `chosen.plan` is None then, or if there is none. Raises
    ParameterError, DataError, OSError.
    """
    of_database = chosen.table is not None or chosen.query is not None
    asked = {name: value for name in ASKED if (value := vars(chosen)[name]) is not None}
    is_data = bool(asked) or not of_database
    if chosen.plan is not None and chosen.file is None and is_data and not _is_plan(chosen.plan):
        chosen.plan, chosen.file = None, chosen.plan
    if chosen.plan is not None:
        if chosen.file is not None and _is_plan(chosen.file) and not _is_plan(chosen.plan):
            raise ParameterError("plan", f"must come before the data: {chosen.file} {chosen.plan}.")
        for name in asked:
            raise ParameterError(f"--{name}", f"must not be given with a plan file: omit it, or {chosen.plan}.")
        chosen.settings = {}  # a file has no options
        with about(chosen.plan):
            found = stored_plan(text_of(chosen.plan))
        chosen.settings = FLAGS
        return found
    if "quantiles" not in asked:
        raise ParameterError("--quantiles", "must be given, such as quartiles or 10%,50%,90%; or a plan file.")
    if "epsilon" not in asked and "rho" not in asked:
        raise ParameterError("--epsilon", ("must be given, such as 1, or ", Name("--rho"), ": what a release spends."))
    return Plan(mechanism=asked.pop("mechanism", BEST), **asked), Stored()


def _is_plan(path: str) -> bool:
    return path.lower().endswith(".json")


def stored_plan(text: str) -> tuple[Plan, Stored]:
    """Return the plan of a file, with what else it holds: a plan alone, a plan file of the page, or a release.

    Bounds that were found are found anew. Raises ParameterError.
    """
    values = read_json(text, "plan")
    if not isinstance(values, dict) or "plan" not in values:
        return Plan.from_dict(values), Stored()
    if "cells" in values:
        return _of_release(Release.from_json(text))
    kinds: dict[str, type[FindBounds | Domain]] = {"find_bounds": FindBounds, "domain": Domain}
    known = [Bounds(kind.from_dict(values[name])) for name, kind in kinds.items() if values.get(name) is not None]
    stored = Stored({"": known[0]} if known else {}, values.get("person"), values.get("groups"))
    return Plan.from_dict(values["plan"]), stored


def _of_release(found: Release[Any]) -> tuple[Plan, Stored]:
    """Return what a release was asked, as far as it says it: neither whose rows are whose, nor the lists of groups."""
    words = found.description.columns

    def bounds_of(cells: Cells) -> Bounds:
        dated = words[cells.column].kind == DATE if cells.column in words else None
        return Bounds(cells.find_bounds or cells.domain, dated)

    of_people = found.guarantee.protects == ONE_WITH_ALL_ROWS["protects"]
    stored = Stored(
        {cells.column: bounds_of(cells) for cells in found.cells},
        ONE_WITH_ALL_ROWS if of_people else None,
        None if all(cells.in_one_piece for cells in found.cells) else IN_GROUPS,
    )
    plan = found.plan
    if not isinstance(plan, ColumnsPlan):
        return plan, stored
    first, equal = plan.plans[0], len(set(plan.weights)) == 1
    if len(set(plan.plans)) > 1:
        first = replace(first, mechanism=BEST, options={})
    return first if equal else replace(first, weights=dict(zip(plan.names, plan.weights, strict=True))), stored


def with_intervals(plan: Plan, chosen: argparse.Namespace, *, in_groups: bool) -> Plan:
    """Return the plan with the intervals and the number of records of the arguments. Raises ParameterError."""
    intervals = plan.intervals
    if chosen.intervals is not None:
        intervals = Intervals(chosen.intervals, "population" if chosen.population else "data", chosen.together)
    else:  # those of a plan file stay as they are: only counting goes with them
        refuse_without(chosen, "--intervals", "--population", "--together")
        if intervals is None:
            refuse_without(chosen, "--intervals", "--noisy-count")
    guess = plan.about_n if chosen.about is None else chosen.about
    if intervals is None:
        if not in_groups:
            if isinstance(guess, Mapping):
                raise ParameterError("--about", ("must be a number: one for each group goes with ", Name("--by"), "."))
            return replace(plan, about_n=guess)
        if chosen.about is not None and not chosen.forecast:
            raise ParameterError("--about", ("must go with ", Name("--intervals"), ", or in groups with a forecast."))
        return plan
    about_n = NOISY if chosen.noisy_count else guess
    if about_n is None:
        words = ("must be given with ", Name("--intervals"), ": about how many records there are, better too few. Or ")
        raise ParameterError("--about", (*words, Name("--noisy-count"), " counts them first."))
    return replace(plan, intervals=intervals, about_n=about_n)
