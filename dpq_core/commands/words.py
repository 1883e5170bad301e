"""What a line asks: its options, or its plan file, as one Question.

Columns to answer have their possible values, and what a missing one counts as. Dates are typed as dates; mechanisms see
the days since 1970-01-01.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..domain.measure import MEASURES
from ..errors import Name, ParameterError
from ..grouping import WITHOUT_A_LIST
from ..groups.names import UNNAMED
from ..intervals.drawn import COUNTED
from ..people.takes import MOST_ROWS
from ..plan import BEST, NAMED_LEVELS, NOISY, read_json
from ..question import Persons, Question
from ..release import Release
from ..sources.reading import Opening
from ..table import refuse_unread
from ..typed import UNKNOWN, Words, WrongColumn, count_of, is_date, parse
from . import data
from .texts import about, refuse_without, say, text_of, writing

NAMED_ALIKE = (
    "quantiles", "mechanism", "epsilon", "delta", "rho", "adjacency", "intervals", "person", "per_person",
    "max_rows_per_person", "max_groups_per_person", "missing", "other", "release_id", *data.OF_FILE,
)  # fmt: skip
FLAGS = (
    {name: f"--{name.replace('_', '-')}" for name in NAMED_ALIKE}
    | {"header": "--header` or `--no-header", "scheduler": "--cluster", "privacy": "--epsilon` or `--rho"}
    | dict.fromkeys(["about", "about_n", "n"], "--about")
    | {COUNTED: "--noisy-count"}
    | dict.fromkeys(["columns", "column"], "--column")
    | dict.fromkeys(["by", "groups", "names"], "--by")
)
"""Settings of Python by the options that say them in words."""
AS_TYPED = ("epsilon", "delta", "rho", "adjacency", "intervals", "about", "other")
"""Options that are words of `typed`, of all columns."""
BESIDE = {
    "plan", "file", "database", "table", "query", "cluster", "show_where", "quiet", "out", "csv", "account",
    "total_epsilon", "total_delta", "release_id",
}  # fmt: skip
"""What may be said beside a plan file: where the data are, who pays, and where the answers go."""
COLUMN = "NAME=LOW:HIGH:STEP"
TYPED = re.compile(r"(?P<name>.+?)=(?:(?P<form>digits|find)(?P<more>(?::[^:]+)*)|(?P<ends>[^=]*))")
"""The last sign of equality separates a name, but for those of settings."""
FIND = "find"
SETTINGS = {
    "digits": ("digits", "smallest", "largest", "negative"),
    FIND: ("step", "share", "smallest", "largest", "negative"),
}
"""What may follow a form: the first without its name."""


def guess_of(text: str) -> str | dict[str, str]:
    """Return the number of records, or that of each group by its name; raises what the parser of arguments says."""
    given: dict[str, str] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        if not number.strip().isdecimal() or bool(name) is not ("=" in text) or name.strip() in given:
            raise argparse.ArgumentTypeError("must be a whole number, or one for each group: north=300,south=1000.")
        given[name.strip()] = number
    return given.get("", given)


def question_of(chosen: argparse.Namespace) -> Question:
    """Return the question of the plan file, or else of the options. Raises ParameterError, DataError, OSError."""
    if chosen.plan is None:
        found = _in_words(chosen)
    else:
        beside = BESIDE | {"about"} if chosen.forecast else BESIDE
        said = [each for each in chosen.parser._actions if vars(chosen).get(each.dest, each.default) != each.default]
        for option in said:
            if option.dest not in beside:
                must = f"must be left out with a plan file: {chosen.plan} is the whole question."
                raise ParameterError(option.option_strings[0], must)
        chosen.settings = {}  # a file has no options
        with about(chosen.plan):
            found = stored_question(text_of(chosen.plan))
        chosen.settings = FLAGS
    by, person = found.groups.by if found.groups else (), found.persons and found.persons.column
    twice = next((name for name in found.columns if name in {*by, person}), None)
    if twice is not None:
        option = "--by" if twice in by else "--person"
        raise ParameterError(option, f"must name a column that you do not ask quantiles of, got {twice!r}.")
    if found.number_is_public and None in found.missing.values():
        raise ParameterError(
            "--missing",
            "must be given if one person is replaced by another, even if no value is missing: the number of people is "
            "public then, so no row may be left out. Say from public knowledge what a missing value counts as.",
        )
    return found


def stored_question(text: str) -> Question:
    """Return the question of a plan file, or of an answer. Raises ParameterError."""
    values = read_json(text, "plan")
    if isinstance(values, Mapping) and "cells" in values:
        values = Release.from_json(text).question
        if not values:
            raise ParameterError("plan", "must be an answer that holds its question: ask for it anew, in options.")
    found = Question.from_dict(values)
    refuse_unread(found)
    if found.persons is not None and found.persons.missing_is_person:
        raise ParameterError("plan", "must leave out rows without an id, as files are read.")
    return found


def save(question: Question, chosen: argparse.Namespace) -> None:
    """Write a question as a plan file. Raises Unwritten."""
    with writing():
        Path(chosen.save_plan).write_text(question.to_json(indent=2) + "\n", encoding="utf-8")
    say(chosen, f"Wrote the question to {chosen.save_plan}; nothing was released. Ask it with --plan.")


def _in_words(chosen: argparse.Namespace) -> Question:
    """Return the question of the options, which are words of `typed`. Raises ParameterError, OSError."""
    columns, groups, persons = columns_of(chosen), groups_of(chosen), persons_of(chosen)
    if chosen.quantiles is None:
        raise ParameterError("--quantiles", "must be given, such as quartiles or 10%,50%,90%; or a plan file.")
    if chosen.epsilon is None and chosen.rho is None:
        raise ParameterError("--epsilon", ("must be given, such as 1, or ", Name("--rho"), ": what a release spends."))
    refuse_without(chosen, "--intervals", "--population", "--together", "--noisy-count")
    named = chosen.quantiles.strip().lower()
    levels = {"quantiles": named} if named in NAMED_LEVELS else {"quantiles": "own", "own": chosen.quantiles}
    given = {name: vars(chosen)[name] for name in AS_TYPED if vars(chosen)[name] is not None}
    whole = given | groups | {
        "intervals_of": "population" if chosen.population else "data", "one": chosen.one_row_is or "",
        "hold": "together" if chosen.together else "each", "counted": NOISY if chosen.noisy_count else "guess",
    }  # fmt: skip
    each = levels | {"mechanism": chosen.mechanism or BEST}
    try:
        found = parse({name: said | each for name, said in columns.items()}, whole)
    except WrongColumn as error:
        raise in_options(error, chosen, columns) from None
    opening = Opening(**{name: vars(chosen)[name] for name in ("header", *data.OF_FILE)})
    return replace(found, persons=persons).as_read(opening, dict.fromkeys(columns, data.reading_of(chosen)))


# ── columns, groups and persons ───────────────────────────────────────────────────────────────────────────────────────


def columns_of(chosen: argparse.Namespace) -> dict[str, dict[str, str | None]]:
    """Return the words of each column: its possible values, and what a missing one counts as. Raises ParameterError."""
    if not chosen.column:
        raise ParameterError("--column", f"must say what to answer, as {COLUMN}, such as salary=0:200000:100.")
    found: dict[str, dict[str, str | None]] = {}
    for typed in chosen.column:
        name, words = _words_of(typed)
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
        return error.reworded("--missing", f"of {error.column!r} ")
    if error.name not in columns[error.column]:
        return error
    typed = dict(zip(columns, chosen.column, strict=True))[error.column]
    return ParameterError("--column", (f"cannot be {typed}: ", *error.words), error.remedies)


def _words_of(typed: str) -> tuple[str, dict[str, str]]:
    """Return the name of a column, and the words of its possible values. Raises ParameterError."""
    read = TYPED.fullmatch(typed)
    name, ends = (typed, []) if read is None else (read["name"], (read["ends"] or "").split(":"))
    if read and read["form"]:
        return name, _settings_of(read["form"], read["more"].split(":")[1:])
    if not 2 <= len(ends) <= 4:
        must = f"must say from public knowledge what values {name!r} can have: {name}=LOW:HIGH:STEP such as "
        got = f"; got {read['ends']!r}" if read else ""
        raise ParameterError("--column", f"{must}{name}=0:200000:100, or {name}=digits, or {name}=find{got}.")
    dated, (lower, upper, *more) = any(map(is_date, ends[:2])), ends
    if not more and not dated:
        must = f"must give the step between two values of {name!r} too, as in {name}={lower}:{upper}:1."
        raise ParameterError("--column", must)
    measure = {"measure": more.pop()} if more and (more[-1] in MEASURES or len(more) == 2) else {}
    return name, {"lower": lower, "upper": upper, "step": more[0] if more else "", **measure}


def _settings_of(form: str, more: list[str]) -> dict[str, str]:
    found, (first, *others) = {"bounds": form}, SETTINGS[form]
    for each in more:
        name, value = each.split("=", 1) if "=" in each else (first, each)
        if name not in SETTINGS[form] or name in found:
            may = ", ".join([f"`{form}` may have {first}", *(f"{other}=..." for other in others)])
            raise ParameterError("--column", f"cannot be so: {may}, each once.")
        found[name] = value
    return found


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
    if chosen.other is not None and not chosen.other.strip():
        raise ParameterError("--other", UNNAMED)
    return {"by": tuple(found), "lists": lists}


def _names(said: str) -> list[str]:
    if said.startswith("@"):
        lines = Path(said[1:]).read_text(encoding="utf-8-sig").splitlines()
        return [line for line in lines if line.strip()]
    return next(csv.reader([said], skipinitialspace=True), [])


def persons_of(chosen: argparse.Namespace) -> Persons | None:
    """Return whose rows belong together, and what counts of them. Raises ParameterError."""
    refuse_without(chosen, "--person", "--per-person", "--max-rows-per-person", "--max-groups-per-person")
    if chosen.person is None:
        return None
    if not chosen.person:
        raise ParameterError("--person", "must name the column of ids.")
    if (chosen.per_person is None) is (chosen.max_rows_per_person is None):
        words = ("or ", Name("--max-rows-per-person"), ", one of both, must say what of each person's rows counts.")
        raise ParameterError("--per-person", words)
    rows, groups = chosen.max_rows_per_person, chosen.max_groups_per_person
    most = None if rows is None else count_of("max_rows_per_person", rows, MOST_ROWS)
    each = int(groups) if groups and groups.isdecimal() and len(groups) < 9 else groups
    return Persons(column=chosen.person, per_person=chosen.per_person, max_rows=most, max_groups=each)
