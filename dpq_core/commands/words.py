"""What a release from the command line asks in words, without a plan file: quantiles, a budget, intervals.

And what to expect of it, before anything is spent.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from ..advice.ranking import BEST
from ..advice.several import forecast_columns
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import Name, ParameterError
from ..groups.names import GroupName
from ..plan import NAMED_LEVELS, NOISY, Intervals, Plan
from ..tables.grouping import FindGroups
from . import people as people_rule
from .groups import By
from .texts import guess_of, one_guess, text_of

ASKED = ("quantiles", "mechanism", "epsilon", "delta", "rho", "adjacency")
FLAGS = {
    "columns": "--column", "column": "--column", "by": "--by", "groups": "--by", "names": "--by", "about_n": "--about",
    "about": "--about",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (*ASKED, "intervals", "person", "take", "most_rows", "groups_per_person", "missing", "release_id")
}  # fmt: skip
"""Settings of Python by the options that say them in words."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("the question", "instead of a plan file")
    options.add_argument("--quantiles", help=f"levels such as 10%%,50%% or 0.25, or one of {', '.join(NAMED_LEVELS)}")
    options.add_argument("--epsilon", type=float, metavar="E", help="the budget to spend, with or without --delta")
    options.add_argument("--delta", type=float, metavar="D", help="the delta of the budget")
    options.add_argument("--rho", type=float, metavar="R", help="a concentrated budget instead")
    whom = "what one person can change: one joins or leaves (the default), or one is replaced by another"
    options.add_argument("--adjacency", metavar="joins|replaced", help=whom)
    options.add_argument("--mechanism", help=f"a mechanism by its key; default {BEST!r}: the best one for the plan")


def add_intervals(command: argparse.ArgumentParser) -> None:
    """Add the arguments of intervals and forecasts to a command."""
    options = command.add_argument_group("intervals and forecasts")
    sure = "add an interval around each answer that contains the true quantile with this chance, such as 0.95"
    options.add_argument("--intervals", type=float, metavar="CHANCE", help=sure)
    about = "the approximate number of records, or of each group, guessed from public knowledge (better too small "
    about += (
        "than too large): for --intervals and --forecast; for whole columns also to choose the best mechanism, and "
    )
    about += (
        "to draw fewer levels where few records need it; for groups also one number each, as in north=300,south=1000"
    )
    options.add_argument("--about", "--about-n", metavar="N|NAME=N,...", type=guess_of, help=about)
    counted = (
        "with --intervals: first count the records, or those of each group, with noise, for a twentieth of the budget"
    )
    options.add_argument("--noisy-count", action="store_true", help=counted)
    before = "with --about: print the expected errors and the groups that are too small, then stop; reads no data"
    options.add_argument("--forecast", action="store_true", help=before)


def plan_text(chosen: argparse.Namespace) -> str:
    """Return the text of the plan file, or of a plan made from options.

    A single first argument that is not .json is the data: `chosen.plan` is None then, or if there is none. Raises
    ParameterError, OSError.
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
        return text_of(chosen.plan)
    chosen.settings = FLAGS
    if "quantiles" not in asked:
        raise ParameterError("--quantiles", "must be given, such as quartiles or 10%,50%,90%; or a plan file.")
    if "epsilon" not in asked and "rho" not in asked:
        must = ("must be given, such as 1, or ", Name("--rho"), ": every release spends a budget.")
        raise ParameterError("--epsilon", must)
    return Plan(mechanism=asked.pop("mechanism", BEST), **asked).to_json()


def _is_plan(path: str) -> bool:
    return path.lower().endswith(".json")


def with_intervals(plan: Plan, chosen: argparse.Namespace, *, in_groups: bool) -> Plan:
    """Return the plan with the intervals and the number of records of the arguments. Raises ParameterError."""
    intervals = plan.intervals if chosen.intervals is None else Intervals(chosen.intervals)
    if intervals is None:
        if chosen.noisy_count:
            raise ParameterError("--noisy-count", ("must go with ", Name("--intervals"), "."))
        if not in_groups:
            return plan if chosen.about is None else replace(plan, about_n=one_guess(chosen))
        if chosen.about is not None and not chosen.forecast:
            raise ParameterError("--about", ("must go with ", Name("--intervals"), " or ", Name("--forecast"), "."))
        return plan
    guess = plan.about_n if chosen.about is None else chosen.about
    about = NOISY if chosen.noisy_count else guess
    if about is None:
        words = ("must be given with ", Name("--intervals"), ": about how many records there are, better too few. Or ")
        raise ParameterError("--about", (*words, Name("--noisy-count"), " counts them first."))
    return replace(plan, intervals=intervals, about_n=about)


def print_forecast(
    plan: Plan,
    chosen: argparse.Namespace,
    columns: Mapping[str, Domain | FindBounds],
    by: By,
    rule: people_rule.Rule,
    **settings: Any,
) -> None:
    """Say which errors to expect, which groups are too small and what would help, from public facts alone.

    Raises ParameterError.
    """
    if any(isinstance(names, FindGroups) for names in by.values()):
        raise ParameterError("--forecast", "must go with a list of groups: the release decides which groups it finds.")
    if chosen.about is None:
        guess = ": a guess of how many records there are, in each group where there are groups."
        raise ParameterError("--about", ("must be given for ", Name("--forecast"), guess))
    domains = {name: each.widest if isinstance(each, FindBounds) else each for name, each in columns.items()}
    found = forecast_columns(
        domains, plan, chosen.about, _names_of(by) if by else None, **settings,
        units=dict.fromkeys(domains, people_rule.unit_of(rule, plan)),
        shares=list(domains) if people_rule.shares(rule) else (), most_rows=rule.get("most_rows") or 1,
    )  # fmt: skip
    for name, sentences in found.items():
        if isinstance(columns[name], FindBounds):
            sentences = ("The expected errors depend on the bounds that the release finds.",)
        for sentence in sentences:
            print(sentence if len(found) == 1 else f"{name}: {sentence}")


def _names_of(by: By) -> Sequence[GroupName]:
    lists = [names for names in by.values() if not isinstance(names, FindGroups)]
    return lists[0] if len(lists) == 1 else list(product(*lists))
