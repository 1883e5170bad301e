"""The commands `release` and `forecast`: columns of a file or a database as JSON or a table, and what to expect."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..advice import forecast as advice
from ..api import release
from ..errors import PrivacyWarning
from ..people.words import USUAL_ROW
from ..release import Description
from ..sources.column import Column
from ..sources.formats.known import listed
from ..sources.readings.forms import describe
from . import answer, charging, data, rows, words
from .public import plan_to_run, price_of, words_of
from .texts import add_command, progress_of, say

UNCHARGED = (
    "Not charged to any ledger: this release is not counted with others about the same people. --account charges it."
)
USAGE = """\
dpq {0} FILE --column NAME=LOW:HIGH:STEP ... --quantiles LEVELS --epsilon E [options]
       dpq {0} FILE --plan FILE [options]"""
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
More examples. Keep a question in a plan file, which is JSON without data, and ask it:
  dpq release --column age=0:120:1 --quantiles quartiles --epsilon 0.5 --save-plan plan.json
  dpq release patients.csv --plan plan.json
The first release of a data set, and the same question of the next file: an answer is a plan file, too:
  dpq release patients.csv --column age=0:120:1 --quantiles quartiles --epsilon 0.5 \\
      --account patients --total-epsilon 3 --total-delta 1e-5 --one-row-is patient > answer.json
  dpq release patients.csv --plan answer.json --account patients > second.json
Say how cells are written: the decimal mark, and codes that mean a missing value:
  dpq release patients.csv --column age=0:120:1 --quantiles quartiles --epsilon 1 --decimal . --missing-codes 999,-99

Exit statuses: 0 released; 2 wrong words; 3 data that cannot be read; 4 a spent budget, or a used id; 5 refused after a
count, which is paid; 130 stopped; 1 anything else.
With DPQ_MODE=release, --account is required. The ledger is at DPQ_LEDGER_URL, its key is DPQ_LEDGER_KEY.
"""
OF_FORECASTS = """\
Examples have the words of a release; no data is read and nothing is spent:
  dpq forecast --column salary=0:200000:100 --quantiles quartiles --epsilon 1 --about 300 --save-plan plan.json
  dpq forecast --plan plan.json --about 3000
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
        command.set_defaults(parser=command, settings=words.FLAGS, forecast=command is two)
        command.add_argument("file", nargs="?", metavar="FILE", help=f"{listed()}; or a database, as below")
        for part in (data, words, rows, charging, answer):
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
    question = words.question_of(chosen)
    if chosen.save_plan is not None:
        words.save(question, chosen)
    for sentence in advice.forecast(question, chosen.about).sentences:
        print(sentence)


def run(chosen: argparse.Namespace) -> None:
    """Release private quantiles of columns of a file or a database, with noise from the operating system.

    What can be refused is refused before the file is read.
    """
    _refuse_nothing(chosen)
    question = words.question_of(chosen)
    if chosen.save_plan is not None:
        price_of(question)
        words.save(question, chosen)
        return
    source = data.database_of(chosen)
    answer.refuse_unwritable(chosen)
    if chosen.account is None:
        charging.refuse_uncharged(chosen)
    drawing = partial(progress_of, chosen, "Drawing")
    with data.cluster_of(chosen):
        payer = None if chosen.account is None else charging.payer_of(chosen, question)
        mark = ""
        if payer is not None and payer.known is not None and chosen.release_id is not None:
            mark = data.mark_of(payer.known, source, chosen)
            if charging.gave_stored(payer.known, question, chosen, mark):
                return
        price = price_of(question)
        if payer is not None:
            charging.refuse_unpaid(payer, price, chosen)
        table, read = data.table_of(source, chosen, question)
        answer.refuse_mixed(chosen, (column.kind for column in read.values()))
        _say_how_read(chosen, read)
        if payer is not None:
            account = payer.account()
            mark, of = mark or data.mark_of(account, source, chosen), Description(columns=words_of(read))
            charging.charge(table, question, account, chosen, file=mark, words=of, progress=drawing)
            return
        say(chosen, UNCHARGED)
        with warnings.catch_warnings(), drawing() as heard:
            warnings.simplefilter("ignore", PrivacyWarning)  # what is given holds them
            plan = plan_to_run(question, table.columns)
            plans, weights = zip(plan.names, plan.plans, strict=True), zip(plan.names, plan.weights, strict=True)
            answers = release(table, dict(plans), dict(weights), progress=heard)
        of = question.described(Description(columns=words_of(read)), question.one or USUAL_ROW)
        answer.give(replace(answers, description=of, question=question.as_dict()), chosen)
        say(chosen, f"Released; {question.budget} is spent at most. Every further release spends its own budget.")


def _say_how_read(chosen: argparse.Namespace, read: Mapping[str, Column]) -> None:
    """Say how columns were read, each way once."""
    ways: dict[str, list[str]] = {}
    for name, column in read.items():
        ways.setdefault(describe(replace(column, name="")), []).append(name)
    say(chosen, *(f"Read {', '.join(names)}{way}." for way, names in ways.items()))
