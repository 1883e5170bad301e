"""What a release from the command line asks, in words or by a plan file: columns, groups, persons, a budget, intervals.

And what to expect of it, before anything is spent. Dates are typed as dates; mechanisms see the days since 1970-01-01.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..advice.choice import BEST
from ..advice.columns import PublicColumns, forecast_columns
from ..api import with_best
from ..columns.release import calibrate_columns
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..domain.measure import MEASURES
from ..domain.numbers import typed_number
from ..errors import DataError, Disclosure, Name, ParameterError
from ..groups.names import GroupName
from ..people.takes import TAKES, checked_take
from ..plan import NAMED_LEVELS, NOISY, Intervals, Plan, read_json
from ..privacy.budgets import Adjacency, ApproxDP, Guarantee
from ..results.persons import PersonChoice, unit_for, weighs_shares
from ..results.wording import parse_date
from ..sources.column import Column
from ..tables.grouping import FindGroups
from ..tables.table import Table
from .texts import groups_each_of, guess_of, text_of

ASKED = ("quantiles", "mechanism", "epsilon", "delta", "rho", "adjacency")
FLAGS = {
    "columns": "--column", "column": "--column", "by": "--by", "groups": "--by", "names": "--by", "about_n": "--about",
    "about": "--about",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *ASKED, "intervals", "person", "take", "most_rows", "groups_per_person", "missing", "other", "release_id"
    )
}  # fmt: skip
"""Settings of Python by the options that say them in words."""
COLUMN = "NAME=LOW:HIGH:STEP"
DATE = re.compile(r"\d{4}-\d\d-\d\d")
FORM = re.compile(r"(?P<name>.+)=(?P<form>digits|find)(?P<more>(:[^:]+)*)")
FIND = "find"
SETTINGS = {
    "digits": ("digits", "smallest", "largest", "negative"),
    FIND: ("step", "share", "smallest", "largest", "negative"),
}
"""What may follow a form: the first without its name."""
USUAL_DIGITS = 2
ONE_WITH_ALL_ROWS = {"protects": "person"}
"""The rule of an answer: it protects a person with all rows, and holds neither the column of ids nor what counted."""
By: TypeAlias = "dict[str, list[str] | FindGroups]"
"""The columns of groups, each with its list."""


class Bounds(NamedTuple):
    """The possible values of a column, and whether they were typed as dates; None where numbers or dates will do."""

    possible: Domain | FindBounds
    dated: bool | None = None


class Stored(NamedTuple):
    """What a plan file holds besides the plan, if the page or this command wrote it."""

    columns: Mapping[str, Bounds] = MappingProxyType({})
    """Bounds by the names of their columns; those of a plan file of the page by "", as it is of one column."""
    person: Any = None
    groups: Any = None


@dataclass(frozen=True)
class Asked:
    """What is asked, by the options and the plan file alone."""

    plan: Plan
    columns: dict[str, Bounds]
    by: By
    person: PersonChoice | None
    missing: dict[str, str]
    """What a missing value of each column counts as, as it was typed."""
    settings: dict[str, Any]
    """Further arguments of `Table.from_frame`."""

    def table(self, frame: object, *, progress: bool = False) -> Table[Any]:
        """Return the table of a frame. Raises ParameterError, DataError."""
        person = {} if self.person is None else {"person": self.person.column, **self.person.settings}
        missing = {name: _number_or_day(value, "--missing") for name, value in self.missing.items()}
        possible = {name: each.possible for name, each in self.columns.items()}
        return Table.from_frame(
            frame, possible, by=self.by or None, missing=missing, progress=progress, **person, **self.settings
        )

    def price(self) -> Guarantee | None:
        """Return what a release costs; None where that depends on the number of people.

        A table without rows finds out what cannot be combined, or is beyond the mechanism. Raises ParameterError.
        """
        texts = [*self.by, *([self.person.column] if self.person else [])]
        frame = dict.fromkeys(self.columns, np.empty(0)) | dict.fromkeys(texts, np.empty(0, object))
        columns = self.table(frame).columns
        if self.plan.adjacency is Adjacency.SUBSTITUTE:
            return None
        return calibrate_columns(columns, with_best(columns, self.plan)).guarantee

    def check_kinds(self, read: Mapping[str, Column]) -> None:
        """Raise DataError where dates were typed for a column that holds none, or numbers for one of dates."""
        for name, column in read.items():
            missing, is_date = self.missing.get(name), column.kind == "date"
            held = f"The column {name!r} holds {'dates' if is_date else 'no dates'}"
            if missing is not None and _is_date(missing) != is_date:
                write = f"`--missing {name}=` and {'a date such as 2024-01-31' if is_date else 'a number'}"
                raise DataError(f"{held}: leave `--missing` out, or say {write}.", discloses=Disclosure.KIND)
            if self.columns[name].dated not in {None, is_date}:
                write = "dates such as 2024-01-31" if is_date else "numbers"
                raise DataError(f"{held}: write its bounds as {write}.", discloses=Disclosure.KIND)


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("the question", "a plan file may hold quantiles and budget")
    column = "a column to answer with its possible values, from public knowledge: NAME=LOW:HIGH:STEP (numbers, or "
    column += "dates such as 2024-01-31; after the step or in its place which values are found sooner, "
    column += f"{' or '.join(MEASURES)}), NAME=digits[:K] for answers of K significant digits (default 2), or "
    column += "NAME=find[:STEP] to find the bounds first with a part of the budget; both with :smallest=0.01, "
    column += (
        ":largest=1e6 or :negative=no after them, and find with :share=0.1; repeat it for each column. NAME alone "
    )
    column += "where a plan file has its possible values, and nothing for the only column of a file. If two columns "
    column += 'have the same name, they are called "NAME (1)" and "NAME (2)"'
    options.add_argument("--column", metavar=COLUMN, action="append", help=column)
    options.add_argument("--quantiles", help=f"levels such as 10%%,50%% or 0.25, or one of {', '.join(NAMED_LEVELS)}")
    options.add_argument("--epsilon", type=float, metavar="E", help="the budget to spend, with or without --delta")
    options.add_argument("--delta", type=float, metavar="D", help="the delta of the budget")
    options.add_argument("--rho", type=float, metavar="R", help="a concentrated budget instead")
    whom = "what one person can change: one joins or leaves (the default), or one is replaced by another"
    options.add_argument("--adjacency", metavar="joins|replaced", help=whom)
    options.add_argument("--mechanism", help=f"a mechanism by its key; default {BEST!r}: the best one for the plan")
    options.add_argument(
        "--missing", metavar="[NAME=]VALUE", action="append", help="what a missing value counts as, in all columns or "
        "in the named one; by default, missing values are left out. Required if one person is replaced by "
        "another, even if no value is missing",
    )  # fmt: skip
    options = command.add_argument_group("groups")
    by = "answer every group of a list from public knowledge: NAME=A,B,..., NAME=@FILE with a name on each line, or "
    by += "NAME=find to find the large groups; repeat it for each column of groups to answer every combination"
    options.add_argument("--by", metavar="NAME=A,B", action="append", help=by)
    options.add_argument("--other", metavar="NAME", help="with one list: pool all other rows in a group of this name")
    each = "with --person: keep at most G groups of each person, which divides the budget among them; or any, so that "
    each += "--most-rows holds for all groups together"
    options.add_argument("--groups-per-person", type=groups_each_of, metavar="G|any", help=each)
    options = command.add_argument_group("persons with several rows")
    whose = "the column of ids: all rows with the same id belong to one person, who is protected with all of them"
    options.add_argument("--person", metavar="COLUMN", help=whose)
    options.add_argument("--take", choices=TAKES, help="with --person: what counts of each person's rows")
    rows = "with --person: use at most K rows of each person, from public knowledge; divides the budget among them"
    options.add_argument("--most-rows", metavar="K", type=int, help=rows)
    options = command.add_argument_group("intervals and forecasts")
    sure = "add an interval around each answer that contains the true quantile with this chance, such as 0.95"
    options.add_argument("--intervals", type=float, metavar="CHANCE", help=sure)
    about = "the approximate number of records, or of each group, guessed from public knowledge (better too small than "
    about += "too large): for --intervals and --forecast; for whole columns also to choose the best mechanism, and to "
    about += "draw fewer levels where few records need it; for groups also one number each, as in north=300,south=1000"
    options.add_argument("--about", "--about-n", metavar="N|NAME=N,...", type=guess_of, help=about)
    counted = "with --intervals: first count the records, or those of each group, with noise, for a twentieth of the "
    options.add_argument("--noisy-count", action="store_true", help=f"{counted}budget")
    before = "with --about: print the expected errors and the groups that are too small, then stop; reads no data"
    options.add_argument("--forecast", action="store_true", help=before)


def asked_of(chosen: argparse.Namespace, only_column: Callable[[], str]) -> Asked:
    """Return what is asked; `only_column` names the only column of the data. Raises ParameterError, OSError."""
    plan, stored = _plan_of(chosen)
    chosen.settings = FLAGS
    columns = _columns_of(chosen, stored.columns)
    person, (by, settings) = _person_of(chosen, stored.person), _groups_of(chosen, stored.groups)
    if by and person and not person.shares and settings["groups_per_person"] is None:
        if chosen.by:
            raise ParameterError(
                "--groups-per-person",
                "must say in how many groups one person counts, such as 1; rows in more groups are dropped.",
            )
        settings["groups_per_person"] = 1  # which a plan file leaves out
    plan = _with_intervals(plan, chosen, in_groups=bool(by))
    if "" in columns:
        name = "column" if chosen.forecast else only_column()
        columns = {name: columns[""]}
    twice = next((name for name in columns if name in {*by, person and person.column}), None)
    if twice is not None:
        option = "--by" if twice in by else "--person"
        raise ParameterError(option, f"must name a column that you do not ask quantiles of, got {twice!r}.")
    if not isinstance(plan.privacy, ApproxDP) and chosen.plan is None and FindGroups() in by.values():
        way = (" where groups are found, such as 1e-6; or list the groups, as in ", Name("--by"), " NAME=A,B.")
        raise ParameterError("--delta", ("must be given with ", Name("--epsilon"), *way))
    asked = Asked(plan, columns, by, person, _missing_of(chosen, columns), settings)
    is_public = not by and (person is None or person.most_rows is None)
    if plan.adjacency is Adjacency.SUBSTITUTE and is_public and len(asked.missing) < len(columns):
        raise ParameterError(
            "--missing",
            "must be given if one person is replaced by another, even if no value is missing: the number of people is "
            "public then, so no row may be left out. Say from public knowledge what a missing value counts as.",
        )
    return asked


def _plan_of(chosen: argparse.Namespace) -> tuple[Plan, Stored]:
    """Return the plan of the plan file, with what else it holds, or a plan made from options.

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
        return stored_plan(text_of(chosen.plan))
    chosen.settings = FLAGS
    if "quantiles" not in asked:
        raise ParameterError("--quantiles", "must be given, such as quartiles or 10%,50%,90%; or a plan file.")
    if "epsilon" not in asked and "rho" not in asked:
        must = ("must be given, such as 1, or ", Name("--rho"), ": every release spends a budget.")
        raise ParameterError("--epsilon", must)
    return Plan(mechanism=asked.pop("mechanism", BEST), **asked), Stored()


def _is_plan(path: str) -> bool:
    return path.lower().endswith(".json")


def stored_plan(text: str) -> tuple[Plan, Stored]:
    """Return the plan of a file, with what else it holds: a plan alone, a plan file of the page, or an answer.

    Bounds that were found are found anew. Raises ParameterError.
    """
    values = read_json(text, "plan")
    if not isinstance(values, dict) or "plan" not in values:
        return Plan.from_dict(values), Stored()
    columns = values.get("columns", {"": values})
    if not isinstance(columns, dict) or not all(isinstance(each, dict) for each in columns.values()):
        raise ParameterError("plan", "must hold columns with their possible values.")
    possible = {name: _stored_bounds(each) for name, each in columns.items()}
    guarantee = values.get("guarantee")
    of_people = isinstance(guarantee, dict) and guarantee.get("protects") == ONE_WITH_ALL_ROWS["protects"]
    person = values.get("person", ONE_WITH_ALL_ROWS if of_people else None)
    known = {name: Bounds(each) for name, each in possible.items() if each is not None}
    return Plan.from_dict(values["plan"]), Stored(known, person, values.get("groups"))


def _stored_bounds(values: Mapping[str, Any]) -> Domain | FindBounds | None:
    if values.get("find_bounds") is not None:
        return FindBounds.from_dict(values["find_bounds"])
    return None if values.get("domain") is None else Domain.from_dict(values["domain"])


def _columns_of(chosen: argparse.Namespace, stored: Mapping[str, Bounds]) -> dict[str, Bounds]:
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
    dated = [_is_date(each) for each in ends[:2]]
    if len(ends) == 2 and not all(dated):
        must = f"must give the step between two values of {name!r} too, as in {name}={ends[0]}:{ends[1]}:1."
        raise ParameterError("--column", must)
    if dated[0] is not dated[1]:
        raise ParameterError("--column", f"must give two dates, or two numbers, for {name!r}.")
    low, high = (_number_or_day(each, end) for each, end in zip(ends, ("lower", "upper"), strict=False))
    measure = ends.pop() if ends[-1] in MEASURES or len(ends) == 4 else None
    usual = "1" if dated[0] else None
    step = typed_number(ends[2], "step") if len(ends) > 2 else usual
    return Bounds(Domain(low, high, step, measure=measure), dated[0])


def _is_date(typed: str) -> bool:
    return DATE.fullmatch(typed) is not None


def _number_or_day(typed: str, name: str) -> Any:
    """Return a number as it was typed, and of a date the days since 1970-01-01. Raises ParameterError for `name`."""
    if not _is_date(typed):
        return typed_number(typed, name)
    day = parse_date(typed)
    if day is None:
        raise ParameterError(name, "must be a date that exists, such as 2024-01-31.")
    return day


def _missing_of(chosen: argparse.Namespace, columns: Mapping[str, Bounds]) -> dict[str, str]:
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


def _person_of(chosen: argparse.Namespace, stored: Any) -> PersonChoice | None:
    """Return what the arguments say about people, or else a plan file, checked. Raises ParameterError.

    A rule of a plan file always applies: without it each row would count as another person.
    """
    given = {name: value for name in ("take", "most_rows") if (value := vars(chosen)[name]) is not None}
    rule = stored
    if chosen.person is None:
        for name in given:
            raise ParameterError(name, ("must go with ", Name("--person"), "."))
        if stored == ONE_WITH_ALL_ROWS:
            raise ParameterError(
                "--person",
                "must be given: the plan file is an answer that protects a person with all rows, and does not say "
                "whose row is whose. Without it each row would count as another person.",
            )
    else:
        if not given:
            raise ParameterError("--take", ("or ", Name("--most-rows"), " must say what of each person's rows counts."))
        rule = {"column": chosen.person, **given}
    if not rule:
        return None
    if not isinstance(rule, dict) or not isinstance(rule.get("column"), str):
        raise ParameterError("plan", "must name a column of ids, and what is taken of each person's rows.")
    return PersonChoice(rule["column"], "person", *checked_take(rule.get("take"), rule.get("most_rows")))


def _groups_of(chosen: argparse.Namespace, stored: Any) -> tuple[By, dict[str, Any]]:
    """Return the columns of groups with their lists, and what else there is to groups, or what a plan file says.

    Raises ParameterError, OSError.
    """
    said = {name: vars(chosen)[name] for name in ("other", "groups_per_person")}
    if chosen.by or not stored:
        return _typed_groups(chosen.by or []), said
    try:
        lists = {each["column"]: each["names"] for each in (stored, *stored.get("more", ()))}
    except (KeyError, TypeError, AttributeError):
        raise ParameterError("plan", "must hold groups as a column with a list of names.") from None
    by = {name: FindGroups() if names is None else names for name, names in lists.items()}
    return by, {name: stored.get(name) if value is None else value for name, value in said.items()}


def _typed_groups(asked: list[str]) -> By:
    found: By = {}
    for typed in asked:
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
    return found


def _names(said: str) -> list[str]:
    if said.startswith("@"):
        lines = Path(said[1:]).read_text(encoding="utf-8-sig").splitlines()
        return [line for line in lines if line.strip()]
    return next(csv.reader([said], skipinitialspace=True), [])


def _with_intervals(plan: Plan, chosen: argparse.Namespace, *, in_groups: bool) -> Plan:
    """Return the plan with the intervals and the number of records of the arguments. Raises ParameterError."""
    intervals = plan.intervals if chosen.intervals is None else Intervals(chosen.intervals)
    guess = plan.about_n if chosen.about is None else chosen.about
    if intervals is None:
        if chosen.noisy_count:
            raise ParameterError("--noisy-count", ("must go with ", Name("--intervals"), "."))
        if not in_groups:
            if isinstance(guess, Mapping):
                more = ("must be one number here: one for each group goes with ", Name("--by"), ".")
                raise ParameterError("--about", more)
            return replace(plan, about_n=guess)
        if chosen.about is not None and not chosen.forecast:
            raise ParameterError("--about", ("must go with ", Name("--intervals"), " or ", Name("--forecast"), "."))
        return plan
    about = NOISY if chosen.noisy_count else guess
    if about is None:
        words = ("must be given with ", Name("--intervals"), ": about how many records there are, better too few. Or ")
        raise ParameterError("--about", (*words, Name("--noisy-count"), " counts them first."))
    return replace(plan, intervals=intervals, about_n=about)


def print_forecast(asked: Asked, about: int | dict[GroupName, int] | None) -> None:
    """Say which errors to expect, which groups are too small and what would help, from public facts alone.

    Raises ParameterError.
    """
    lists = [names for names in asked.by.values() if not isinstance(names, FindGroups)]
    if len(lists) < len(asked.by):
        raise ParameterError("--forecast", "must go with a list of groups: the release decides which groups it finds.")
    if about is None:
        guess = ": a guess of how many records there are, in each group where there are groups."
        raise ParameterError("--about", ("must be given for ", Name("--forecast"), guess))
    possible = {name: each.possible for name, each in asked.columns.items()}
    domains = {name: each.widest if isinstance(each, FindBounds) else each for name, each in possible.items()}
    names = lists[0] if len(lists) == 1 else list(product(*lists))
    found = forecast_columns(
        asked.plan, PublicColumns(domains=domains, units=dict.fromkeys(domains, unit_for(asked.person, asked.plan))),
        about, names if lists else None,
        most_rows=(asked.person and asked.person.most_rows) or 1,
        groups_per_person=asked.settings["groups_per_person"] or 1, share=weighs_shares(asked.person),
    )  # fmt: skip
    for name, sentences in found.items():
        if isinstance(possible[name], FindBounds):
            sentences = ("The expected errors depend on the bounds that the release finds.",)
        for sentence in sentences:
            print(sentence if len(found) == 1 else f"{name}: {sentence}")
