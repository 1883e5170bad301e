"""The command `dpq release`: one column of a file, charged to an account of the ledger, as JSON."""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

from ..advice import BEST, PublicFacts, best_plan
from ..domain import Domain, FindBounds
from ..doors import release
from ..errors import Name, ParameterError, PrivacyWarning
from ..finding import rest_of
from ..plan import NOISY, Intervals, Plan, read_json
from ..privacy import Adjacency
from ..sources.formats.known import listed
from ..sources.readings import describe
from . import bounds as bounds_rule
from . import charging, data
from . import groups as groups_rule
from . import people as people_rule
from .answer import print_release
from .texts import parser_with_examples, text_of

UNCHARGED = (
    "Not charged to any ledger: nothing adds this up with other releases about the same people. --account charges it."
)
EXAMPLES = """\
A plan is a file such as
  {"format": 1, "quantiles": ["1/4", "1/2", "3/4"], "mechanism": "best", "options": {},
   "privacy": {"kind": "pure", "epsilon": 1}, "adjacency": "add_remove"}
Examples. The first release of a data set and a later one:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients --total-epsilon 3 --total-delta 1e-5 --one-row-is patient > answer.json
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients > answer.json
Dates, and numbers below 0, charged to no account:
  dpq release plan.json patients.csv --column admitted --lower 2020-01-01 --upper 2026-12-31 > answer.json
  dpq release plan.json patients.csv --column balance --lower -500 --upper 500 --step 0.5 > answer.json
With what is known of how its cells are written: the decimal mark, and codes that mean a missing value:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --decimal . --missing-codes 999,-99 > answer.json
The same for every city of a list, as a table:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --groups city --names Bath,York --account patients --csv > answers.csv
Bounds that are found first, from a tenth of the budget:
  dpq release plan.json patients.csv --column age --find-bounds --step 1 --account patients > answer.json
With an id, so that the same line gives the same answer again and charges nothing more:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients --release-id ages-of-june > answer.json
From a database, which counts the values itself:
  dpq release plan.json --database sqlite:///clinic.db --table patients --column age --lower 0 --upper 120 > answer.json

Exit codes: 0 released; 1 refused or failed, without an answer here (what that has cost is said); 2 the line cannot be
understood; 130 stopped.
With DPQ_MODE=release there is no release without --account. The ledger is at DPQ_LEDGER_URL, its key DPQ_LEDGER_KEY.
"""


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    helps = "release private quantiles of one column of a file or a database; spends the budget"
    two = parser_with_examples(commands, "release", helps, EXAMPLES)
    two.set_defaults(run=run, stopped="Stopped; no answer was given. What was charged stays charged.")
    two.add_argument("plan", help="JSON file of a plan, as Plan.to_json or the dashboard writes it")
    two.add_argument("file", nargs="?", help=f"file: {listed()}; or a database, as below")
    data.add(two)
    bounds_rule.add(two)
    people_rule.add(two)
    groups_rule.add(two)
    surely = two.add_argument_group("intervals")
    about = "about how many records there are, a guess from public knowledge: for --intervals (better too few than too "
    about += f"many), and where the plan's mechanism is {BEST!r}"
    surely.add_argument("--about", "--about-n", metavar="N", type=int, help=about)
    sure = "an interval around each answer that holds the true quantile with this chance, such as 0.95"
    surely.add_argument("--intervals", type=float, metavar="CHANCE", help=sure)
    counted = "with --intervals: count the records first, with noise, from a twentieth of the budget"
    surely.add_argument("--noisy-count", action="store_true", help=counted)
    charging.add(two)


def run(chosen: argparse.Namespace) -> None:
    """Release private quantiles of one column of a file or a database, with noise from the operating system, as JSON.

    What can be refused is refused before the file is read.
    """
    source = data.database_of(chosen)
    data.reading_of(chosen)
    if chosen.account is None and not chosen.forecast:
        charging.refuse_uncharged(chosen)
    asked = _asked(chosen)
    if asked is None:
        return
    account = None if chosen.account is None else charging.account_of(chosen, asked.plan, of_people=bool(asked.people))
    sample, column = data.sample_of(source, chosen, asked.bounds, asked.people, asked.groups)
    print(f"Read {describe(column)}.", file=sys.stderr)
    if account is None:
        print(UNCHARGED, file=sys.stderr)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # what is printed holds them
            found = release(sample, asked.plan)
        print_release(found, column.unit, as_table=chosen.csv)
        print(
            f"Released; {asked.plan.privacy} is spent at most, and once more by every further release.", file=sys.stderr
        )
    else:
        opened = account()
        charging.release_charged(sample, asked.plan, opened, data.mark_of(opened, source, chosen), chosen, column)


class Asked(NamedTuple):
    """What is to be released, by the arguments and the plan file alone."""

    plan: Plan
    bounds: Domain | FindBounds
    people: people_rule.Rule
    groups: people_rule.Rule


def _asked(chosen: argparse.Namespace) -> Asked | None:
    """Return what the arguments and the plan file ask for; None where that was a forecast, which is said here.

    Raises ParameterError.
    """
    content = text_of(chosen.plan)
    plan, bounds, stored = _plan_and_bounds(content)
    rule = people_rule.rule_of(chosen, stored)
    grouped = groups_rule.rule_of(chosen, rule, content)
    bounds = bounds_rule.bounds_of(chosen) or bounds
    if bounds is None:
        without = " must be given: the plan file holds no bounds. ", Name("--digits"), " needs none, and "
        raise ParameterError("--lower", ("and ", Name("--upper"), *without, Name("--find-bounds"), " finds them."))
    if grouped and isinstance(bounds, FindBounds):
        raise ParameterError("--find-bounds", ("cannot go with ", Name("--groups"), "."))
    if grouped and isinstance(bounds, Domain):
        plan = groups_rule.resolved(plan, chosen, bounds, grouped)
    else:
        plan = _resolved(plan, chosen, bounds, rule)
    if chosen.forecast and isinstance(bounds, Domain):
        groups_rule.print_forecast(plan, chosen.about, bounds, grouped)
        return None
    sizes_are_public = plan.adjacency is Adjacency.SUBSTITUTE and groups_rule.missing_must_count(grouped)
    if sizes_are_public and chosen.missing is None:
        raise ParameterError(
            "--missing",
            "must be given where one person is replaced by another, whether values are missing or not: the "
            "number of people is public there, so none may be left out. Say from public knowledge what one counts as.",
        )
    return Asked(plan, bounds, rule, grouped)


def _resolved(plan: Plan, chosen: argparse.Namespace, bounds: Domain | FindBounds, rule: people_rule.Rule) -> Plan:
    """Return the plan to run, with the intervals that the arguments or the plan ask for.

    Where it asks for the best mechanism, the choice is said on the terminal.
    """
    about, intervals = chosen.about, plan.intervals if chosen.intervals is None else Intervals(chosen.intervals)
    if intervals is None and chosen.noisy_count:
        raise ParameterError("--noisy-count", ("must go with ", Name("--intervals"), "."))
    if intervals is not None and isinstance(bounds, FindBounds):
        raise ParameterError("--find-bounds", ("cannot go with ", Name("--intervals"), "."))
    if intervals is not None:
        known = plan.about_n if about is None else about
        plan = replace(plan, intervals=intervals, about_n=NOISY if chosen.noisy_count else known)
    if plan.mechanism != BEST:
        if about is not None and intervals is None:
            raise ParameterError(
                "--about", (f"must go with the mechanism {BEST!r} in the plan, or with ", Name("--intervals"), ".")
            )
        return plan
    if about is None and isinstance(plan.about_n, int):
        about = plan.about_n
    if isinstance(bounds, FindBounds):
        domain, rest = bounds.widest, replace(plan, privacy=rest_of(plan.privacy, bounds.share))
    else:
        domain, rest = bounds, plan
    best = best_plan(
        PublicFacts.of(rest, about, domain, people_rule.unit_of(rule, plan), shares=people_rule.shares(rule))
    )
    print(f"Chose {best.mechanism}. {best.reason}", file=sys.stderr)
    counted = plan.about_n if plan.about_n == NOISY else best.plan.about_n
    return replace(best.plan, privacy=plan.privacy, about_n=counted)


def _plan_and_bounds(text: str) -> tuple[Plan, Domain | FindBounds | None, Any]:
    """Return the plan of a file; where the dashboard wrote it its bounds, and what it says about people."""
    values = read_json(text, "plan")
    if not isinstance(values, dict) or "plan" not in values:
        return Plan.from_dict(values), None, {}
    return Plan.from_dict(values["plan"]), bounds_rule.stored_bounds(values), values.get("person", {})
