"""The commands `release` and `forecast`: columns of a file or a database as JSON or a table, and what to expect."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..api import release
from ..errors import PrivacyWarning
from ..people.words import USUAL_ROW
from ..sources.column import Column
from ..sources.formats.known import listed
from ..sources.readings.forms import describe
from . import answer, budget, charging, data, groups, persons, words
from .texts import add_command, progress_of, say

UNCHARGED = (
    "Not charged to any ledger: this release is not counted with others about the same people. --account charges it."
)
USAGE = """\
dpq {0} FILE --column NAME=LOW:HIGH:STEP ... --quantiles LEVELS --epsilon E [options]
       dpq {0} PLAN.json FILE [options]"""
FIRST_LINES = """\
Release private quantiles of columns of a file. Every command spends its budget. Examples:
  dpq release people.csv --column salary=0:200000:100 --quantiles quartiles --epsilon 1
  dpq release people.csv --column salary=0:200000:100 --column days=find:1 --column score=digits \\
      --quantiles 10%,50%,90% --epsilon 1 --out answers.csv
  dpq release people.csv --column salary=0:200000:100 --by department=sales,research,legal --by sex=f,m \\
      --quantiles median --epsilon 1 --intervals 0.95 --about 300
  dpq release people.csv --column salary=0:200000:100 --by department=find --quantiles median --epsilon 1 --delta 1e-6
  dpq release people.csv --column salary=0:200000:100 --person id --take share --quantiles quartiles --epsilon 1 \\
      --account staff --total-epsilon 3 --one-row-is employee --release-id 2026-11
  dpq release people.csv --column hired=2000-01-01:2026-12-31 --quantiles quartiles --epsilon 1
"""
EXAMPLES = """\
More examples, with a plan in a file such as
  {"format": 1, "quantiles": ["1/4", "1/2", "3/4"], "mechanism": "best", "options": {},
   "privacy": {"kind": "pure", "epsilon": 1}, "adjacency": "add_remove"}
The first release of a data set, and one with the plan and the bounds of its answer:
  dpq release plan.json patients.csv --column age=0:120:1 \\
      --account patients --total-epsilon 3 --total-delta 1e-5 --one-row-is patient > answer.json
  dpq release answer.json patients.csv --account patients > second.json
Say how cells are written: the decimal mark, and codes that mean a missing value:
  dpq release plan.json patients.csv --column age=0:120:1 --decimal . --missing-codes 999,-99 > answer.json

Exit statuses: 0 released; 2 wrong words; 3 data that cannot be read; 4 a spent budget, or a used id; 5 refused after a
count, which is paid; 130 stopped; 1 anything else.
With DPQ_MODE=release, --account is required. The ledger is at DPQ_LEDGER_URL, its key is DPQ_LEDGER_KEY.
"""
OF_FORECASTS = """\
Examples have the words of a release; no data is read and nothing is spent:
  dpq forecast people.csv --column salary=0:200000:100 --quantiles quartiles --epsilon 1 --about 300
"""


def add(commands: Any) -> None:
    """Add both commands to a parser's commands."""
    helps = "release private quantiles of columns of a file or a database; spends the budget"
    stopped = "Stopped; no answer was given. What was charged stays charged."
    one = add_command(commands, "release", helps, EXAMPLES, run, stopped)
    one.description = FIRST_LINES
    helps = "say which errors to expect of a release, and which groups are too small; spends nothing"
    two = add_command(commands, "forecast", helps, OF_FORECASTS, forecast, "Stopped.")
    for command in (one, two):
        command.usage = USAGE.format(command.prog.split()[-1])
        command.set_defaults(parser=command, layout=None, forecast=command is two, settings=budget.FLAGS)
        plan = "the plan, as Plan.to_json or the dashboard writes it, if the first argument ends in .json"
        command.add_argument("plan", nargs="?", metavar="PLAN.json", help=plan)
        command.add_argument("file", nargs="?", metavar="FILE", help=f"{listed()}; or a database, as below")
        for part in (data, budget, groups, persons, charging, answer):
            part.add(command)
        data.add_reading(command)


def _refuse_nothing(chosen: argparse.Namespace) -> None:
    """Print the help and end where nothing was asked."""
    nothing = vars(chosen.parser.parse_args([]))
    if all(vars(chosen)[name] == value for name, value in nothing.items()):
        chosen.parser.print_help(sys.stderr)
        chosen.parser.exit(2)


def forecast(chosen: argparse.Namespace) -> None:
    """Print what to expect of a release. Raises ParameterError, DataError and OSError for its plan file."""
    _refuse_nothing(chosen)
    for sentence in words.asked_of(chosen, lambda: "column").expected(chosen.about):
        print(sentence)


def run(chosen: argparse.Namespace) -> None:
    """Release private quantiles of columns of a file or a database, with noise from the operating system.

    What can be refused is refused before the file is read.
    """
    _refuse_nothing(chosen)
    asked = words.asked_of(chosen, lambda: data.only_column(data.database_of(chosen), chosen))
    source, facts = data.database_of(chosen), data.read_as(chosen, asked.columns)
    answer.refuse_unwritable(chosen)
    price = asked.price()
    if chosen.account is None:
        charging.refuse_uncharged(chosen)
    drawing = partial(progress_of, chosen, "Drawing")
    with data.cluster_of(chosen):
        account = None if chosen.account is None else charging.account_of(chosen, asked, price)
        table, read = data.table_of(source, chosen, asked)
        answer.refuse_mixed(chosen, (column.kind for column in read.values()))
        _say_how_read(chosen, read)
        described = partial(asked.description, table, read, sizes=chosen.about)
        if account is not None:
            payer = account()
            charging.charge(
                table, asked, payer, chosen, file=data.mark_of(payer, source, chosen),
                words=described(payer.one_row_is), read=facts, progress=drawing,
            )  # fmt: skip
            return
        say(chosen, UNCHARGED)
        with warnings.catch_warnings(), drawing() as heard:
            warnings.simplefilter("ignore", PrivacyWarning)  # what is given holds them
            answers = release(table, asked.plan, progress=heard)
        answer.give(replace(answers, description=described(chosen.one_row_is or USUAL_ROW)), chosen)
        say(chosen, f"Released; {asked.plan.privacy} is spent at most. Every further release spends its own budget.")


def _say_how_read(chosen: argparse.Namespace, read: Mapping[str, Column]) -> None:
    """Say how columns were read, each way once."""
    ways: dict[str, list[str]] = {}
    for name, column in read.items():
        ways.setdefault(describe(replace(column, name="")), []).append(name)
    say(chosen, *(f"Read {', '.join(names)}{way}." for way, names in ways.items()))
