"""The command `dpq release`: columns of a file or a database, charged to an account, as JSON or a table."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..api import release
from ..errors import PrivacyWarning
from ..sources.column import Column
from ..sources.formats.known import listed
from ..sources.readings.forms import describe
from . import answer, charging, data, words
from .texts import parser_with_examples

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
  dpq release plan.json patients.csv --column age=0:120:1 \\
      --account patients --total-epsilon 3 --total-delta 1e-5 --one-row-is patient > answer.json
  dpq release plan.json patients.csv --column age=0:120:1 --account patients > answer.json
The same with what the last answer holds, its plan and its bounds:
  dpq release answer.json patients.csv --account patients > second.json
Negative numbers, and bounds that are found first among numbers from 0 to 1,000, with a fifth of the budget:
  dpq release plan.json patients.csv --column balance=-500:500:0.5 > answer.json
  dpq release plan.json patients.csv --column age=find:1:largest=1000:negative=no:share=0.2 > answer.json
Say how cells are written: the decimal mark, and codes that mean a missing value:
  dpq release plan.json patients.csv --column age=0:120:1 --decimal . --missing-codes 999,-99 > answer.json
Set an id: the same command then gives the same answer and costs nothing more:
  dpq release plan.json patients.csv --column age=0:120:1 --by city=Bath,York \\
      --account patients --release-id ages-of-june --csv > answers.csv
Read a database, one column at a time:
  dpq release plan.json --database sqlite:///clinic.db --table patients --column age=0:120:1 > answer.json

Exit codes: 0 released; 1 refused or failed, without an answer (the message says what it cost); 2 the command cannot
understand the line; 130 stopped.
With DPQ_MODE=release, --account is required. The ledger is at DPQ_LEDGER_URL, its key is DPQ_LEDGER_KEY.
"""


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    helps = "release private quantiles of columns of a file or a database; spends the budget"
    two = parser_with_examples(commands, "release", helps, EXAMPLES)
    two.usage, two.description = USAGE, FIRST_LINES
    stopped = "Stopped; no answer was given. What was charged stays charged."
    two.set_defaults(run=run, parser=two, stopped=stopped, layout=None)
    plan = "the plan, as Plan.to_json or the dashboard writes it, if the first argument ends in .json; otherwise FILE"
    two.add_argument("plan", nargs="?", metavar="PLAN.json", help=plan)
    two.add_argument("file", nargs="?", metavar="FILE", help=f"{listed()}; or a database, as below")
    for part in (data, words, charging, answer):
        part.add(two)
    data.add_reading(two)


def run(chosen: argparse.Namespace) -> None:
    """Release private quantiles of columns of a file or a database, with noise from the operating system.

    What can be refused is refused before the file is read.
    """
    nothing = vars(chosen.parser.parse_args([]))
    if all(vars(chosen)[name] == value for name, value in nothing.items()):
        chosen.parser.print_help(sys.stderr)
        chosen.parser.exit(2)
    asked = words.asked_of(chosen, lambda: data.only_column(data.database_of(chosen), chosen))
    source = data.database_of(chosen)
    data.reading_of(chosen)
    answer.refuse_unwritable(chosen)
    price = asked.price()
    if chosen.forecast:
        words.print_forecast(asked, chosen.about)
        return
    if chosen.account is None:
        charging.refuse_uncharged(chosen)
    with data.cluster_of(chosen):
        account = None if chosen.account is None else charging.account_of(chosen, asked, price)
        table, read = data.table_of(source, chosen, asked)
        answer.refuse_mixed(chosen, read)
        _print_readings(read)
        if account is not None:
            opened = account()
            charging.table_charged(table, asked, opened, data.mark_of(opened, source, chosen), chosen, read)
            return
        print(UNCHARGED, file=sys.stderr)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # what is given holds them
            answers = release(table, asked.plan, progress=chosen.cluster is not None)
        answer.give_table(answers, asked.plan, read, chosen)
        spent = f"{asked.plan.privacy} is spent at most, and once more by every further release."
        print(f"Released; {spent}", file=sys.stderr)


def _print_readings(read: Mapping[str, Column]) -> None:
    """Say how columns were read, each way once."""
    ways: dict[str, list[str]] = {}
    for name, column in read.items():
        ways.setdefault(describe(replace(column, name="")), []).append(name)
    for way, names in ways.items():
        print(f"Read {', '.join(names)}{way}.", file=sys.stderr)
