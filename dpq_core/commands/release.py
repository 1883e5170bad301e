"""The commands `release` and `forecast`: what is run and costs, who pays, how answers are given, and what to expect.

An account of the ledger pays, and is opened where it is new.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..advice import forecast as advice
from ..advice.choice import choose
from ..asked_of import cost_of, made_up
from ..column import Columns
from ..domain.finding import FindBounds
from ..errors import BudgetError, LedgerError, Name, ParameterError
from ..groups.finding import NO_GROUP
from ..mode import SERVER_MODE, releases_only
from ..people.takes import USUAL_ROW
from ..privacy.budgets import Guarantee, Privacy, budget_of
from ..question import Question
from ..release import DATE, ColumnWords, Description, Release
from ..schedule import draw, public_counts, schedule_of
from ..sources.column import NumberColumn
from ..sources.forms import describe
from ..table import Table
from ..texts import listed
from ..typed import about_n_of
from . import data, words
from .texts import Unwritten, progress_of, refuse_without, say, writing

if TYPE_CHECKING:  # it needs SQLAlchemy, which a release without an account does without
    from ..ledger.accounts import Account

UNCHARGED = (
    "Not charged to any ledger: this release is not counted with others about the same people. --account charges it."
)
ENDINGS = (".json", ".csv", ".parquet")
NUMBERS = ("value", "low", "high")


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
        price_of(question)
        words.save(question, chosen)
        return
    source = data.database_of(chosen)
    refuse_unwritable(chosen)
    if chosen.account is None and releases_only():
        raise ParameterError("--account", f"must be given: with {SERVER_MODE}=release a ledger counts all.")
    refuse_without(chosen, "--account", "--total-epsilon", "--total-delta", "--release-id")
    drawing = partial(progress_of, chosen, "Drawing")
    with data.cluster_of(chosen):
        payer = None if chosen.account is None else payer_of(chosen, question)
        mark = ""
        if payer is not None and payer.known is not None and chosen.release_id is not None:
            mark = data.mark_of(payer.known, source, chosen)
            if gave_stored(payer.known, question, chosen, mark):
                return
        price = price_of(question)
        if payer is not None and price is not None and (refused := payer.refusal(price)):
            raise refused
        table, read = data.table_of(source, chosen, question)
        refuse_mixed(chosen, (column.kind for column in read.values()))
        _say_how_read(chosen, read)
        if payer is not None:
            account = payer.account()
            mark, of = mark or data.mark_of(account, source, chosen), Description(columns=words_of(read))
            charge(table, question, account, chosen, file=mark, called=of, progress=drawing)
            return
        say(chosen, UNCHARGED)
        with drawing() as heard:
            plan = with_mechanisms(question, table.columns).plan
            answers = draw(table.columns, schedule_of(table.columns, plan), heard)
        of = question.described(Description(columns=words_of(read)), question.one or USUAL_ROW)
        give(replace(answers, description=of, question=question.as_dict()), chosen)
        say(chosen, f"Released; {question.budget} is spent at most. Every further release spends its own budget.")


def _say_how_read(chosen: argparse.Namespace, read: Mapping[str, NumberColumn]) -> None:
    """Say how columns were read, each way once."""
    ways: dict[str, list[str]] = {}
    for name, column in read.items():
        ways.setdefault(describe(replace(column, name="")), []).append(name)
    say(chosen, *(f"Read {', '.join(names)}{way}." for way, names in ways.items()))


# ── what is run, and who pays ─────────────────────────────────────────────────────────────────────────────────────────


def with_mechanisms(question: Question, columns: Columns | None = None) -> Question:
    """Return a question with the best mechanisms.

    `columns`: those that it is asked of, once they are read: how many records they have may be public. Raises
    ParameterError, DataError.
    """
    if any(each.synthetic is not None for each in question.columns.values()):
        found = isinstance(next(iter(question.possible.values())), FindBounds)
        if question.several or question.groups is not None or found:
            raise ParameterError("plan", "must ask for a synthetic column alone, in one piece, with known bounds.")
    return choose(question, None if columns is None else public_counts(columns, question.plan)).question


def price_of(question: Question) -> Guarantee | None:
    """Return what a release costs; None where that depends on the number of people.

    What cannot be combined, or is beyond the mechanism, is found out with made-up rows. Raises ParameterError.
    """
    if not question.number_is_public:
        return cost_of(with_mechanisms(question)).guarantee
    made_up(question)
    return None


def words_of(read: Mapping[str, NumberColumn]) -> dict[str, ColumnWords]:
    """Return how the values of columns are written, as they were read."""
    return {
        name: ColumnWords(kind=column.kind, unit="" if column.kind == DATE else column.unit)
        for name, column in read.items()
    }


class Payer(NamedTuple):
    """The account that is charged, which may be new."""

    known: Account | None
    """None while it is new."""
    refusal: Callable[[Guarantee], BudgetError | None]
    """Why it cannot pay for a release."""
    account: Callable[[], Account]
    """Give it, and open a new one."""


def payer_of(chosen: argparse.Namespace, question: Question) -> Payer:
    """Return the account to charge. Raises ParameterError, LedgerError."""
    from ..ledger.accounts import Ledger, checked_text, refusal_when_new

    words_of_it = {"--account": chosen.account, "--one-row-is": question.one, "--release-id": chosen.release_id}
    for option, typed in words_of_it.items():
        checked_text(typed or USUAL_ROW, option)
    ledger = Ledger.from_environment(make_key=not releases_only())
    accounts = {account.name: account for account in ledger.accounts()}
    known, others, total = accounts.get(chosen.account), listed(list(accounts)[::-1]), _total(chosen)
    if known is None and total is None:
        way = f" opens a new one{others and f', for people who are in none of these: {others}'}."
        must = f"must be that of an account in this ledger, got {chosen.account[:40]!r}: "
        raise ParameterError("--account", (must, Name("--total-epsilon"), way))
    if known is None:
        assert total is not None, "refused above"
        if others:
            say(chosen, f"{chosen.account} is a new account, for people who are in none of these: {others}.")
        one, relation = question.one or USUAL_ROW, question.adjacency
        new = partial(ledger.opened, chosen.account, budget=total, adjacency=relation, one_row_is=one)
        return Payer(None, partial(refusal_when_new, total), new)
    if total not in {None, known.budget}:
        raise ParameterError("--total-epsilon", f"must be left out: the total of {known.name} stays {known.budget}.")
    if known.protects not in {None, "record" if question.persons is None else "person"}:
        must = f"must be given: {known.name} protects one {known.protected}."
        if question.persons is not None:
            must = f"must go with an account of people: {known.name} counts each row as one {known.one_row_is}."
        raise ParameterError("--person", must)
    if question.one not in {"", known.one_row_is}:
        raise ParameterError("--one-row-is", f"must be left out, or be {known.one_row_is}.")
    if question.adjacency is not known.adjacency:
        raise ParameterError("adjacency", f"must be that of {known.name}: {known.adjacency.in_words}.")
    return Payer(known, known.refusal, lambda: known)


def _total(chosen: argparse.Namespace) -> Privacy | None:
    """Return the total budget that the arguments say for a new account; None where they say none."""
    epsilon, delta = chosen.total_epsilon, chosen.total_delta
    refuse_without(chosen, "--total-epsilon", "--total-delta")
    try:
        return budget_of(epsilon, delta)
    except ParameterError as error:
        raise error.reworded(f"--total-{error.name}") from None


def gave_stored(account: Account, question: Question, chosen: argparse.Namespace, file: str) -> bool:
    """Return whether the same was asked before with this id: then give its answer, charge nothing and read no row.

    `file`: the fingerprint of the data. Raises UsedIdError where something else was asked.
    """
    from ..ledger.charging import stored_release
    from ..ledger.history.entries import sums

    stored = stored_release(account, question, chosen.release_id, file)
    if stored is None:
        return False
    refuse_mixed(chosen, (words.kind for words in stored.description.columns.values()))
    give(stored, chosen)
    left = sums(account).left_in_words
    say(chosen, f"This is the stored answer of this id; nothing was charged to {account.name}: {left}.")
    return True


def charge(
    table: Table, question: Question, account: Account, chosen: argparse.Namespace, *,
    file: str, called: Description, progress: Callable[[], Any],
) -> None:  # fmt: skip
    """Charge an account, release, and say what is left; no later failure takes an answer back.

    `file`: the fingerprint of the data. Raises Unwritten besides.
    """
    from ..ledger.charging import charged_release, new_release_id
    from ..ledger.files import compare_files
    from ..ledger.history.entries import sums

    plan, release_id = with_mechanisms(question, table.columns).plan, chosen.release_id or new_release_id()
    with progress() as heard:
        answers = charged_release(
            table.columns, plan, account, release_id=release_id, file=file, words=called, question=question,
            progress=heard,
        )  # fmt: skip
    given = f"The answer was released and charged to {account.name}"
    try:
        give(answers, chosen)
    except Unwritten:  # a full disk, or a program that reads no further
        say(chosen, f"{given}: the page Releases has it.")
        raise
    try:
        left, same = sums(account).left_in_words, compare_files(account, file)
        say(chosen, f"Released and charged to {account.name}: {left}.", *same)
    except LedgerError:
        say(chosen, f"{given}; the ledger can no longer be reached to say more.")


# ── how it is given ───────────────────────────────────────────────────────────────────────────────────────────────────


def refuse_unwritable(chosen: argparse.Namespace) -> None:
    """Raise ParameterError for a file that answers cannot be written into: answers that are lost have been paid."""
    if chosen.out is None and sys.stdout is None:
        raise ParameterError("--out", "must be given where standard output is closed.")
    if chosen.out is None:
        return
    if chosen.csv:
        raise ParameterError("--csv", ("must be left out with ", Name("--out"), ", whose ending says what is written."))
    out = Path(chosen.out)
    if out.suffix.lower() not in ENDINGS:
        raise ParameterError("--out", f"must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, got {chosen.out!r}.")
    if not os.access(out if out.exists() else out.parent, os.W_OK) or out.is_dir():
        raise ParameterError("--out", f"must be a file that can be written, got {chosen.out!r}.")


def refuse_mixed(chosen: argparse.Namespace, kinds: Iterable[str]) -> None:
    """Raise ParameterError for a Parquet file of dates beside numbers: all values are in one column of one type."""
    if len({kind == "date" for kind in kinds}) > 1 and str(chosen.out).lower().endswith(".parquet"):
        raise ParameterError("--out", "must end in .json or .csv if the answers have both dates and numbers.")


def give(answers: Release, chosen: argparse.Namespace) -> None:
    """Print a release, or write it into a file; with a table its warnings are printed. Raises Unwritten.

    A terminal gets a table to read, another program JSON, which is a plan file, too.
    """
    if not any(cells.groups for cells in answers.cells):
        say(chosen, NO_GROUP)
    printed = ".csv" if chosen.csv else "" if chosen.out or sys.stdout.isatty() else ".json"
    ending = printed if chosen.out is None else Path(chosen.out).suffix.lower()
    if ending != ".json":
        say(chosen, *(f"Warning: {warning}" for warning in answers.warnings))
    with writing():
        if ending == ".parquet":
            table = answers.for_files()
            for name in NUMBERS if answers.description.dates else ():  # dates as texts: a column has one type
                table[name] = [None if value != value else str(value) for value in table[name]]
            table.to_parquet(chosen.out, index=False)
        else:
            made = answers.to_json(indent=2) if ending == ".json" else answers.to_text()
            text = answers.to_csv() if ending == ".csv" else f"{made}\n"
            if chosen.out is None:
                print(text, end="", flush=True)
            else:
                Path(chosen.out).write_text(text, encoding="utf-8", newline="")
    if chosen.out is not None:
        say(chosen, f"Wrote the answers to {chosen.out}.")
