"""The commands `release` and `forecast`: columns of a file or a database as JSON or a table, and what to expect."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from ..advice import forecast as advice
from ..api import release
from ..errors import PrivacyWarning
from ..people.words import USUAL_ROW
from ..release import Description
from ..sources.column import Column
from ..sources.readings.forms import describe
from ..typed import about_n_of
from . import answer, charging, data, words
from .texts import progress_of, say

UNCHARGED = (
    "Not charged to any ledger: this release is not counted with others about the same people. --account charges it."
)


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
    for sentence in advice.forecast(question, about_n_of({"about": chosen.about or ""}, None)).sentences:
        print(sentence)


def run(chosen: argparse.Namespace) -> None:
    """Release private quantiles of columns of a file or a database, with noise from the operating system.

    What can be refused is refused before the file is read.
    """
    _refuse_nothing(chosen)
    question = words.question_of(chosen)
    if chosen.save_plan is not None:
        charging.price_of(question)
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
        price = charging.price_of(question)
        if payer is not None:
            charging.refuse_unpaid(payer, price, chosen)
        table, read = data.table_of(source, chosen, question)
        answer.refuse_mixed(chosen, (column.kind for column in read.values()))
        _say_how_read(chosen, read)
        if payer is not None:
            account = payer.account()
            mark, of = mark or data.mark_of(account, source, chosen), Description(columns=charging.words_of(read))
            charging.charge(table, question, account, chosen, file=mark, words=of, progress=drawing)
            return
        say(chosen, UNCHARGED)
        with warnings.catch_warnings(), drawing() as heard:
            warnings.simplefilter("ignore", PrivacyWarning)  # what is given holds them
            plan = charging.plan_to_run(question, table.columns)
            plans, weights = zip(plan.names, plan.plans, strict=True), zip(plan.names, plan.weights, strict=True)
            answers = release(table, dict(plans), dict(weights), progress=heard)
        of = question.described(Description(columns=charging.words_of(read)), question.one or USUAL_ROW)
        answer.give(replace(answers, description=of, question=question.as_dict()), chosen)
        say(chosen, f"Released; {question.budget} is spent at most. Every further release spends its own budget.")


def _say_how_read(chosen: argparse.Namespace, read: Mapping[str, Column]) -> None:
    """Say how columns were read, each way once."""
    ways: dict[str, list[str]] = {}
    for name, column in read.items():
        ways.setdefault(describe(replace(column, name="")), []).append(name)
    say(chosen, *(f"Read {', '.join(names)}{way}." for way, names in ways.items()))
