"""The command `dpq release`: columns of a file or a database, charged to an account, as JSON or a table."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..advice.ranking import BEST, PublicFacts, best_plan
from ..api import release, with_best
from ..columns.release import calibrate_columns
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import Name, ParameterError, PrivacyWarning
from ..finding.counting import rest_of
from ..plan import NOISY, Intervals, Plan, read_json
from ..privacy.budgets import Adjacency, ApproxDP, Guarantee
from ..sources.column import Column
from ..sources.formats.known import listed
from ..sources.readings.forms import describe
from ..tables.grouping import FindGroups
from . import answer, charging, data, words
from . import bounds as bounds_rule
from . import groups as groups_rule
from . import people as people_rule
from .texts import one_guess, parser_with_examples

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..sources.databases.reading import Database

UNCHARGED = (
    "Not charged to any ledger: this release is not counted with others about the same people. --account charges it."
)
USAGE = """\
dpq release FILE --column NAME=LOW:HIGH:STEP ... --quantiles LEVELS --epsilon E [options]
       dpq release PLAN.json FILE [options]"""
FIRST_LINES = """\
Release private quantiles of columns of a file. Every command spends its budget, except with --forecast. Examples:
  dpq release people.csv --column salary=0:200000:100 --quantiles quartiles --epsilon 1
  dpq release people.csv --column salary=0:200000:100 --column days=find:1 --column score=digits \\
      --quantiles 10%,50%,90% --epsilon 1 --out answers.csv
  dpq release people.csv --column salary=0:200000:100 --by department=sales,research,legal --by sex=f,m \\
      --quantiles median --epsilon 1 --intervals 0.95 --about 300
  dpq release people.csv --column salary=0:200000:100 --by department=find --quantiles median --epsilon 1 --delta 1e-6
  dpq release people.csv --column salary=0:200000:100 --person id --take share --quantiles quartiles --epsilon 1 \\
      --account staff --total-epsilon 3 --one-row-is employee --release-id 2026-11
  dpq release people.csv --column hired=2000-01-01:2026-12-31 --quantiles quartiles --epsilon 1 --forecast --about 300
"""
EXAMPLES = """\
More examples, with a plan in a file such as
  {"format": 1, "quantiles": ["1/4", "1/2", "3/4"], "mechanism": "best", "options": {},
   "privacy": {"kind": "pure", "epsilon": 1}, "adjacency": "add_remove"}
The first release of a data set and a later one:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients --total-epsilon 3 --total-delta 1e-5 --one-row-is patient > answer.json
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients > answer.json
Dates, and negative numbers, without an account:
  dpq release plan.json patients.csv --column admitted --lower 2020-01-01 --upper 2026-12-31 > answer.json
  dpq release plan.json patients.csv --column balance --lower -500 --upper 500 --step 0.5 > answer.json
Say how cells are written: the decimal mark, and codes that mean a missing value:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --decimal . --missing-codes 999,-99 > answer.json
The same for every city of a list, as a table:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --groups city --names Bath,York --account patients --csv > answers.csv
Find the bounds first, with a tenth of the budget:
  dpq release plan.json patients.csv --column age --find-bounds --step 1 --account patients > answer.json
Set an id: the same command then gives the same answer and costs nothing more:
  dpq release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients --release-id ages-of-june > answer.json
Read a database, which counts the values itself:
  dpq release plan.json --database sqlite:///clinic.db --table patients --column age --lower 0 --upper 120 > answer.json

Exit codes: 0 released; 1 refused or failed, without an answer (the message says what it cost); 2 the command cannot
understand the line; 130 stopped.
With DPQ_MODE=release, --account is required. The ledger is at DPQ_LEDGER_URL, its key is DPQ_LEDGER_KEY.
"""


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    helps = "release private quantiles of columns of a file or a database; spends the budget"
    two = parser_with_examples(commands, "release", helps, EXAMPLES)
    two.usage, two.description = USAGE, FIRST_LINES
    two.set_defaults(run=run, parser=two, stopped="Stopped; no answer was given. What was charged stays charged.")
    plan = "the plan, as Plan.to_json or the dashboard writes it, if the first argument ends in .json; otherwise FILE"
    two.add_argument("plan", nargs="?", metavar="PLAN.json", help=plan)
    two.add_argument("file", nargs="?", metavar="FILE", help=f"{listed()}; or a database, as below")
    data.add(two)
    words.add(two)
    groups_rule.add(two)
    people_rule.add(two)
    words.add_intervals(two)
    charging.add(two)
    answer.add(two)
    bounds_rule.add(two)
    data.add_reading(two)


def run(chosen: argparse.Namespace) -> None:
    """Release private quantiles of columns of a file or a database, with noise from the operating system.

    What can be refused is refused before the file is read.
    """
    nothing = vars(chosen.parser.parse_args([]))
    if all(vars(chosen)[name] == value for name, value in nothing.items()):
        chosen.parser.print_help(sys.stderr)
        chosen.parser.exit(2)
    content = words.plan_text(chosen)
    columns = bounds_rule.columns_of(chosen)
    source = data.database_of(chosen)
    data.reading_of(chosen)
    answer.refuse_unwritable(chosen)
    if chosen.account is None and not chosen.forecast:
        charging.refuse_uncharged(chosen)
    if columns:
        with data.cluster_of(chosen):
            _release_table(chosen, content, columns, source)
    elif chosen.cluster is not None:
        raise ParameterError("--cluster", ("must go with ", Name("--column"), " NAME=LOW:HIGH:STEP."))
    else:
        _release_column(chosen, content, source)


def _release_column(chosen: argparse.Namespace, content: str, source: Database | None) -> None:
    """Release one column, whose possible values are options of their own or in the plan file."""
    asked = _asked(chosen, content)
    if asked is None:
        return
    account = None
    if chosen.account is not None:
        price, of_people = charging.price_of(asked.plan), bool(asked.people)
        account = charging.account_of(chosen, asked.plan.adjacency, price, of_people=of_people)
    sample, column = data.sample_of(source, chosen, asked.bounds, asked.people, asked.groups)
    print(f"Read {describe(column)}.", file=sys.stderr)
    if account is None:
        with _uncharged(asked.plan):
            answer.give_release(release(sample, asked.plan), column, chosen)
    else:
        opened = account()
        mark = data.mark_of(opened, source, chosen)
        charging.release_charged(sample, asked.plan, opened, mark, chosen, column, asked.people, asked.before_best)


def _print_readings(read: Mapping[str, Column]) -> None:
    """Say how columns were read, each way once."""
    ways: dict[str, list[str]] = {}
    for name, column in read.items():
        ways.setdefault(describe(replace(column, name="")), []).append(name)
    for way, names in ways.items():
        print(f"Read {', '.join(names)}{way}.", file=sys.stderr)


@contextmanager
def _uncharged(plan: Plan) -> Iterator[None]:
    """Say around a release that nothing adds it up."""
    print(UNCHARGED, file=sys.stderr)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # what is given holds them
        yield
    print(f"Released; {plan.privacy} is spent at most, and once more by every further release.", file=sys.stderr)


def _release_table(
    chosen: argparse.Namespace,
    content: str,
    columns: Mapping[str, bounds_rule.Bounds],
    source: Database | None,
) -> None:
    """Release columns with their possible values from `--column`, whole or in groups."""
    chosen.settings = words.FLAGS
    _refuse_other_options(chosen)
    by, (plan, _, stored) = groups_rule.groups_by(chosen), _plan_and_bounds(content)
    rule = people_rule.rule_of(chosen, stored)
    plan = words.with_intervals(plan, chosen, in_groups=bool(by))
    _refuse_half_said(chosen, plan, columns, by, rule, content)
    missing = bounds_rule.missing_of(chosen, columns)
    _refuse_missing(plan, rule, len(missing) < len(columns), in_groups=bool(by))
    price = _price(plan, columns, by, rule, chosen)
    if chosen.forecast:
        settings = {} if chosen.groups_per_person is None else {"groups_per_person": chosen.groups_per_person}
        possible = {name: each.possible for name, each in columns.items()}
        words.print_forecast(plan, chosen, possible, by, rule, **settings)
        return
    account = None
    if chosen.account is not None:
        account = charging.account_of(chosen, plan.adjacency, price, of_people=bool(rule))
    table, read = data.table_of(source, chosen, columns, by, rule)
    answer.refuse_mixed(chosen, read)
    _print_readings(read)
    if account is None:
        with _uncharged(plan):
            answer.give_table(release(table, plan, progress=chosen.cluster is not None), plan, read, chosen)
    else:
        opened = account()
        charging.table_charged(table, plan, opened, data.mark_of(opened, source, chosen), chosen, read, rule)


def _refuse_other_options(chosen: argparse.Namespace) -> None:
    """Raise ParameterError for options of one column that `--column` and `--by` replace."""
    for option in (*bounds_rule.OPTIONS, *groups_rule.OPTIONS):
        if vars(chosen)[option] not in {None, False}:
            words_of_by = (": ", Name("--by"), " lists the groups.") if option in groups_rule.OPTIONS else (".",)
            stands = ("must be left out where ", Name("--column"), " says the possible values", *words_of_by)
            raise ParameterError(f"--{option.replace('_', '-')}", stands)


class Asked(NamedTuple):
    """What is to be released, by the arguments and the plan file alone."""

    plan: Plan
    bounds: Domain | FindBounds
    people: people_rule.Rule
    groups: people_rule.Rule
    before_best: Plan
    """The plan in which "best" is not yet a mechanism."""


def _asked(chosen: argparse.Namespace, content: str) -> Asked | None:
    """Return what the arguments and the plan file ask for; None after a forecast, which it prints.

    Raises ParameterError.
    """
    plan, bounds, stored = _plan_and_bounds(content)
    rule = people_rule.rule_of(chosen, stored)
    grouped = groups_rule.rule_of(chosen, rule, content)
    bounds = bounds_rule.bounds_of(chosen) or bounds
    if bounds is None:
        without = " must be given: the plan file has no bounds. ", Name("--digits"), " needs none, and "
        raise ParameterError("--lower", ("and ", Name("--upper"), *without, Name("--find-bounds"), " finds them."))
    if grouped and isinstance(bounds, FindBounds):
        raise ParameterError("--find-bounds", ("cannot go with ", Name("--groups"), "."))
    asked = plan if grouped else _with_intervals(plan, chosen)
    if grouped and isinstance(bounds, Domain):
        plan = groups_rule.resolved(plan, chosen, bounds, grouped)
    else:
        plan = _resolved(asked, chosen, bounds, rule)
    if chosen.forecast:
        by = {grouped["column"]: FindGroups() if grouped["names"] is None else grouped["names"]} if grouped else {}
        settings = {name: grouped[name] for name in ("groups_per_person",) if name in grouped}
        words.print_forecast(plan, chosen, {chosen.column or "column": bounds}, by, rule, **settings)
        return None
    _refuse_missing(plan, rule, chosen.missing is None, in_groups=bool(grouped))
    return Asked(plan, bounds, rule, grouped, asked)


def _refuse_missing(plan: Plan, rule: people_rule.Rule, unsaid: bool, *, in_groups: bool) -> None:
    """Raise ParameterError where the number of records is public, and leaving records out would reveal something."""
    is_public = not in_groups and rule.get("most_rows") is None
    if plan.adjacency is Adjacency.SUBSTITUTE and is_public and unsaid:
        raise ParameterError(
            "--missing",
            "must be given if one person is replaced by another, even if no value is missing: the number of people is "
            "public then, so no row may be left out. Say from public knowledge what a missing value counts as.",
        )


def _refuse_half_said(
    chosen: argparse.Namespace,
    plan: Plan,
    columns: Mapping[str, bounds_rule.Bounds],
    by: groups_rule.By,
    rule: people_rule.Rule,
    content: str,
) -> None:
    """Raise ParameterError where something of persons and groups is missing, or would be dropped in silence."""
    twice = next((name for name in columns if name in {*by, rule.get("column")}), None)
    if twice is not None:
        option = "--by" if twice in by else "--person"
        raise ParameterError(option, f"must name a column that you do not ask quantiles of, got {twice!r}.")
    stored = read_json(content, "plan")
    if not by and isinstance(stored, dict) and stored.get("groups"):
        raise ParameterError("--by", "must list the groups: those in the plan file are for one column only.")
    if not by and chosen.groups_per_person is not None:
        raise ParameterError("--groups-per-person", ("must go with ", Name("--by"), "."))
    if by and rule and chosen.groups_per_person is None and not people_rule.shares(rule):
        raise ParameterError(
            "--groups-per-person",
            "must say in how many groups one person counts, such as 1; rows in more groups are dropped.",
        )
    if not isinstance(plan.privacy, ApproxDP) and any(isinstance(names, FindGroups) for names in by.values()):
        way = (" where groups are found, such as 1e-6; or list the groups, as in ", Name("--by"), " NAME=A,B.")
        raise ParameterError("--delta", ("must be given with ", Name("--epsilon"), *way))


def _price(
    plan: Plan,
    columns: Mapping[str, bounds_rule.Bounds],
    by: groups_rule.By,
    rule: people_rule.Rule,
    chosen: argparse.Namespace,
) -> Guarantee | None:
    """Return what a release costs; None where that depends on the number of people.

    A table without rows finds out what cannot be combined, or is beyond the mechanism. Raises ParameterError.
    """
    table = data.made_table(data.without_rows(columns, by, rule), chosen, columns, by, rule)
    if plan.adjacency is Adjacency.SUBSTITUTE:
        return None
    return calibrate_columns(table.columns, with_best(table.columns, plan)).guarantee


def _with_intervals(plan: Plan, chosen: argparse.Namespace) -> Plan:
    """Return the plan with the intervals that the arguments or the plan ask for."""
    about, intervals = one_guess(chosen), plan.intervals if chosen.intervals is None else Intervals(chosen.intervals)
    if intervals is None and chosen.noisy_count:
        raise ParameterError("--noisy-count", ("must go with ", Name("--intervals"), "."))
    known = plan.about_n if about is None else about
    return replace(plan, intervals=intervals, about_n=NOISY if chosen.noisy_count else known)


def _resolved(plan: Plan, chosen: argparse.Namespace, bounds: Domain | FindBounds, rule: people_rule.Rule) -> Plan:
    """Return the plan to run. If it asks for the best mechanism, print the choice."""
    if plan.mechanism != BEST:
        return plan
    known = one_guess(chosen) or plan.about_n
    about = known if isinstance(known, int) else None
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
    return Plan.from_dict(values["plan"]), bounds_rule.stored_bounds(values), people_rule.stored_rule(values)
