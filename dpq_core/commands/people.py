"""What a release from the command line says about people: a column of ids, and what is taken of each one's rows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ..errors import Name, ParameterError
from ..people.takes import TAKES, checked_take
from ..plan import Plan
from ..privacy.composition import RECORD, Unit

Rule = dict[str, Any]
"""As a plan file of the dashboard says it: `column`, with `take` or `most_rows`; empty without people."""


ONE_WITH_ALL_ROWS: Rule = {"protects": "person"}
"""The rule of an answer: it protects a person with all rows, and holds neither the column of ids nor what counted."""


def stored_rule(values: Mapping[str, Any]) -> Any:
    """Return what a plan file of the dashboard, or an answer of this command, says about people."""
    guarantee = values.get("guarantee")
    of_people = isinstance(guarantee, dict) and guarantee.get("protects") == ONE_WITH_ALL_ROWS["protects"]
    return values.get("person", ONE_WITH_ALL_ROWS if of_people else {})


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("persons with several rows")
    whose = "the column of ids: all rows with the same id belong to one person, who is protected with all of them"
    options.add_argument("--person", metavar="COLUMN", help=whose)
    options.add_argument("--take", choices=TAKES, help="with --person: what counts of each person's rows")
    rows = "with --person: use at most K rows of each person, from public knowledge; divides the budget among them"
    options.add_argument("--most-rows", metavar="K", type=int, help=rows)


def rule_of(chosen: argparse.Namespace, stored: Any) -> Rule:
    """Return what the arguments say about people, or else a plan file, checked. Raises ParameterError.

    A rule of a plan file always applies: without it each row would count as another person.
    """
    said = {"take": chosen.take, "most_rows": chosen.most_rows}
    given = {name: value for name, value in said.items() if value is not None}
    if chosen.person is None:
        for name in given:
            raise ParameterError(f"--{name.replace('_', '-')}", ("must go with ", Name("--person"), "."))
        if stored == ONE_WITH_ALL_ROWS:
            raise ParameterError(
                "--person",
                "must be given: the plan file is an answer that protects a person with all rows, and does not say "
                "whose row is whose. Without it each row would count as another person.",
            )
        rule = stored
    else:
        if not given:
            raise ParameterError("--take", ("or ", Name("--most-rows"), " must say what of each person's rows counts."))
        rule = {"column": chosen.person, **given}
    if not isinstance(rule, dict) or (rule and not isinstance(rule.get("column"), str)):
        raise ParameterError("person", "must name a column of ids, and what is taken of each person's rows.")
    if rule:
        checked_take(rule.get("take"), rule.get("most_rows"))
    return rule


def settings_of(rule: Rule) -> dict[str, Any]:
    """Return what `Sample.from_values` needs besides the people."""
    return {name: rule[name] for name in ("take", "most_rows") if rule.get(name) is not None}


def unit_of(rule: Rule, plan: Plan) -> Unit:
    """Return what a neighbouring sample differs by."""
    from ..results.persons import PersonChoice, unit_for

    return unit_for(PersonChoice(rule["column"], "person", **settings_of(rule)), plan) if rule else RECORD


def shares(rule: Rule) -> bool:
    """Return whether all rows of a person count, with a weight of 1 together."""
    return bool(rule.get("take") == "share")
