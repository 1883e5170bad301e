"""`--person`: the column of ids by which rows belong to one person, and what counts of each one's rows."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import Name, ParameterError
from ..people.takes import TAKES, checked_take
from ..people.words import USUAL_ROW
from ..results.persons import PersonChoice
from .texts import refuse_without

ONE_WITH_ALL_ROWS = {"protects": "person"}
"""The rule of an answer: it protects a person with all rows, and holds neither the column of ids nor what counted."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("persons with several rows")
    whose = "the column of ids: all rows with the same id belong to one person, who is protected with all of them"
    options.add_argument("--person", metavar="COLUMN", help=whose)
    options.add_argument("--take", choices=TAKES, help="with --person: what counts of each person's rows")
    rows = "with --person: at most how many rows of each person count; divides the budget among them"
    options.add_argument("--most-rows", metavar="K", type=int, help=rows)
    word = f"what one of the protected is called, in the account and in all files; default: {USUAL_ROW}"
    options.add_argument("--one-row-is", metavar="WORD", help=word)


def person_of(chosen: argparse.Namespace, stored: Any) -> PersonChoice | None:
    """Return what the arguments say about people, or else a plan file, checked. Raises ParameterError.

    A rule of a plan file always applies: without it each row would count as another person.
    """
    given = {name: value for name in ("take", "most_rows") if (value := vars(chosen)[name]) is not None}
    rule = stored
    if chosen.person is None:
        refuse_without(chosen, "--person", "--take", "--most-rows")
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
    one = chosen.one_row_is or rule.get("one") or USUAL_ROW
    return PersonChoice(rule["column"], one, *checked_take(rule.get("take"), rule.get("most_rows")))
