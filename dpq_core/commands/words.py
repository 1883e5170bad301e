"""What a line asks: its options, or its plan file, as one Question."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from ..errors import Name, ParameterError
from ..plan import BEST, NAMED_LEVELS, NOISY, read_json
from ..privacy.budgets import Adjacency, ApproxDP
from ..question import Question, refuse_unread
from ..release import Release
from ..typed import WrongColumn, parse
from . import data
from .columns import columns_of, groups_of, in_options, persons_of
from .texts import about, refuse_without, say, text_of, writing

ASKED = ("quantiles", "mechanism", "epsilon", "delta", "rho", "adjacency")
OTHERS = (
    "intervals", "person", "per_person", "max_rows_per_person", "max_groups_per_person", "missing", "other",
    "release_id",
)  # fmt: skip
FLAGS = {name: f"--{name.replace('_', '-')}" for name in (*ASKED, *OTHERS, *data.OF_FILE)}
FLAGS |= (
    {"header": "--header` or `--no-header", "scheduler": "--cluster", "privacy": "--epsilon` or `--rho"}
    | dict.fromkeys(["about", "about_n", "n"], "--about")
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
    is_public = not by and (found.persons is None or found.persons.max_rows is None)
    if found.adjacency is Adjacency.SUBSTITUTE and is_public and None in found.missing.values():
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
    columns, groups = columns_of(chosen), groups_of(chosen)
    if chosen.quantiles is None:
        raise ParameterError("--quantiles", "must be given, such as quartiles or 10%,50%,90%; or a plan file.")
    if chosen.epsilon is None and chosen.rho is None:
        raise ParameterError("--epsilon", ("must be given, such as 1, or ", Name("--rho"), ": what a release spends."))
    refuse_without(chosen, "--intervals", "--population", "--together", "--noisy-count")
    if chosen.intervals is not None and chosen.about is None and not chosen.noisy_count:
        words = ("must be given with ", Name("--intervals"), ": about how many records there are, better too few. Or ")
        raise ParameterError("--about", (*words, Name("--noisy-count"), " counts them first."))
    named = chosen.quantiles.strip().lower()
    levels = {"quantiles": named} if named in NAMED_LEVELS else {"quantiles": "own", "own": chosen.quantiles}
    given = {name: vars(chosen)[name] for name in AS_TYPED if vars(chosen)[name] is not None}
    whole = given | groups | persons_of(chosen) | {
        "intervals_of": "population" if chosen.population else "data", "one": chosen.one_row_is or "",
        "hold": "together" if chosen.together else "each", "counted": NOISY if chosen.noisy_count else "guess",
    }  # fmt: skip
    each = levels | {"mechanism": chosen.mechanism or BEST}
    try:
        found = parse({name: said | each for name, said in columns.items()}, whole)
    except WrongColumn as error:
        raise in_options(error, chosen, columns) from None
    if found.groups is not None and found.groups.finding and not isinstance(found.budget, ApproxDP):
        way = (" where groups are found, such as 1e-6; or list the groups, as in ", Name("--by"), " NAME=A,B.")
        raise ParameterError("--delta", ("must be given with ", Name("--epsilon"), *way))
    return found.as_read(data.opening_of(chosen), dict.fromkeys(columns, data.reading_of(chosen)))
