"""What a release from the command line charges: an account of the ledger, opened where it is new."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..api import with_best
from ..columns.release import columns_plan
from ..errors import BudgetError, LedgerError, Name, ParameterError
from ..finding.column import whole_of
from ..groups.table import Groups
from ..mode import SERVER_MODE, releases_only
from ..privacy.budgets import ApproxDP, Guarantee, Privacy, PureDP, with_all_rows
from ..release import ColumnWords, Description
from ..results.persons import person_in, weighs_shares
from ..results.wording import plural_of
from ..sources.column import Column
from ..tables.table import Table
from . import data
from .answer import give_table
from .words import Asked

if TYPE_CHECKING:  # it needs SQLAlchemy, which a release without an account does without
    from ..ledger.accounts import Account

USUAL_ROW = "person"
MOST_NAMED = 5
"""Accounts that are named in one sentence."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("ledger")
    options.add_argument(
        "--account", metavar="NAME", help="charge this account of the ledger, before anything is drawn"
    )
    options.add_argument(
        "--total-epsilon", type=float, metavar="E", help="open the account if it is new, with this total and the "
        "adjacency of the plan. It cannot be changed: later releases omit it, or repeat it",
    )  # fmt: skip
    options.add_argument(
        "--total-delta", type=float, metavar="D", help="the delta of this total; without it, the budget is pure"
    )
    options.add_argument("--one-row-is", metavar="WORD", help=f"whom a new account protects; default: {USUAL_ROW}")
    options.add_argument(
        "--release-id", metavar="ID", help="an id for this release: if you repeat the request, you get the stored "
        "answer and pay nothing; another request with this id is refused. By default, a new id",
    )  # fmt: skip


def refuse_uncharged(chosen: argparse.Namespace) -> None:
    """Refuse what goes with an account only, and a machine on which nothing is released without one."""
    if releases_only():
        raise ParameterError("--account", f"must be given: with {SERVER_MODE}=release a ledger counts all.")
    for name in ("total_epsilon", "total_delta", "one_row_is", "release_id"):
        if vars(chosen)[name] is not None:
            raise ParameterError(f"--{name.replace('_', '-')}", ("must go with ", Name("--account"), "."))


def account_of(chosen: argparse.Namespace, asked: Asked, price: Guarantee | None) -> Callable[[], Account]:
    """Return a function that gives the account to charge; it opens the account if that is new.

    `price`: of the release, where it does not depend on the number of people; what cannot be paid is refused here,
    before the file is read. Raises ParameterError, BudgetError, LedgerError.
    """
    from ..ledger.accounts import Ledger, refusal_when_new

    ledger = Ledger.from_environment(make_key=not releases_only())
    accounts = {account.name: account for account in ledger.accounts()}
    known, others = accounts.get(chosen.account), _named(accounts)
    total, one, of_people = _total(chosen), chosen.one_row_is, asked.person is not None
    if known is None:
        if total is None:
            raise ParameterError(
                "--account",
                (
                    f"must be that of an account in this ledger, got {chosen.account[:40]!r}: ",
                    Name("--total-epsilon"),
                    f" opens a new one{others and f', for people who are in none of these: {others}'}.",
                ),
            )
        _refuse_too_dear(price, partial(refusal_when_new, total))
        if others:
            print(f"{chosen.account} is a new account, for people who are in none of these: {others}.", file=sys.stderr)
        return partial(
            ledger.open_account, chosen.account, budget=total, adjacency=asked.plan.adjacency,
            one_row_is=with_all_rows(one or USUAL_ROW) if of_people else one or USUAL_ROW,
        )  # fmt: skip
    if total not in {None, known.budget}:
        raise ParameterError("--total-epsilon", f"must be left out: the total of {known.name} stays {known.budget}.")
    if of_people is not known.one_row_is.endswith(with_all_rows("")):
        raise ParameterError(
            "--person",
            (
                f"must go with an account of people: {known.name} counts each row as one {known.one_row_is}."
                if of_people
                else f"must be given: {known.name} protects one {known.one_row_is}."
            ),
        )
    if one is not None and known.one_row_is not in {one, with_all_rows(one)}:
        raise ParameterError("--one-row-is", f"must be left out, or be {known.one_row_is}.")
    if asked.plan.adjacency is not known.adjacency:
        raise ParameterError("adjacency", f"must be that of {known.name}: {known.adjacency.in_words}.")
    if not charged_before(known, chosen.release_id):
        _refuse_too_dear(price, known.refusal)
    return lambda: known


def _named(accounts: Iterable[str]) -> str:
    """Return the names of the accounts that a ledger has, the newest first; of many the first ones."""
    names = list(accounts)[::-1]
    more = len(names) - MOST_NAMED
    return ", ".join([*names[:MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])])


def _refuse_too_dear(price: Guarantee | None, refusal: Callable[[Guarantee], BudgetError | None]) -> None:
    refused = None if price is None else refusal(price)
    if refused is not None:
        raise refused


def _total(chosen: argparse.Namespace) -> Privacy | None:
    """Return the total budget that the arguments say for a new account; None where they say none."""
    if chosen.total_epsilon is None:
        if chosen.total_delta is not None:
            raise ParameterError("--total-delta", ("must go with ", Name("--total-epsilon"), "."))
        return None
    try:
        return (
            ApproxDP(chosen.total_epsilon, chosen.total_delta) if chosen.total_delta else PureDP(chosen.total_epsilon)
        )
    except ParameterError as error:
        raise ParameterError(f"--total-{error.name}", error.words[2:]) from None


def table_charged(
    table: Table[Any], asked: Asked, account: Account, mark: str, chosen: argparse.Namespace, read: Mapping[str, Column]
) -> None:
    """Charge an account, release, and say what is left; no later failure takes an answer back."""
    from ..ledger.charging import charged_release, new_release_id

    release_id, before = chosen.release_id or new_release_id(), charged_before(account, chosen.release_id)
    answers = charged_release(
        table.columns, with_best(table.columns, asked.plan), account, release_id=release_id, file=mark,
        words=_words_of(account, asked, chosen, table, read), asked=columns_plan(table.columns, asked.plan),
        read=data.facts_of(chosen),
    )  # fmt: skip
    try:
        give_table(answers, asked.plan, read, chosen, account=account.name, release_id=release_id)
    except OSError:  # a full disk, or a program that reads no further
        print(f"The answer was released and charged to {account.name}: the page Report has it.", file=sys.stderr)
        raise
    try:
        for sentence in _reported_afterwards(account, mark, before=before):
            print(sentence, file=sys.stderr)
    except LedgerError:
        given = f"The answer was released and charged to {account.name}"
        print(f"{given}; the ledger can no longer be reached to say more.", file=sys.stderr)


def _words_of(
    account: Account, asked: Asked, chosen: argparse.Namespace, table: Table[Any], read: Mapping[str, Column]
) -> Description:
    """Return what answers are of, for a report, as the arguments and the account say it."""
    one = person_in(account.one_row_is) or account.one_row_is
    words = Description(
        one=one, many=plural_of(one),
        columns={name: ColumnWords(kind=column.kind, unit=column.unit) for name, column in read.items()},
        group_size=chosen.about if isinstance(chosen.about, int) else None,
        group_sizes=tuple(chosen.about.items()) if isinstance(chosen.about, Mapping) else (),
    )  # fmt: skip
    if asked.person is not None:
        person = replace(asked.person, one=one)
        words = replace(words, person=one, rule=person.rule, most_rows=person.most_rows)
    whole = whole_of(next(iter(table.columns.values())))
    if not isinstance(whole, Groups):
        return words
    each, shares = whole.groups_per_person, weighs_shares(asked.person)
    return replace(words, groups_per_person=each, share=shares, finding=whole.finding)


def charged_before(account: Account, release_id: str | None) -> bool:
    """Return whether the account has a release with this id: then asking again charges nothing."""
    from ..ledger.history.entries import standing

    return release_id is not None and any(entry.release_id == release_id for entry in standing(account).entries)


def _reported_afterwards(account: Account, mark: str, *, before: bool) -> Iterator[str]:
    """Yield what is left of a budget, and what came of comparing the file: both for the terminal only.

    `before`: whether it was charged by an earlier line, whose answer this one gave.
    """
    from ..ledger.files import compare_files
    from ..ledger.history.entries import shown, sums

    balance = sums(account).balance
    left = f"{balance.letter} = {shown(balance.left)} left of {account.budget}"
    if before:
        yield f"This is the stored answer of this id; nothing was charged to {account.name}: {left}."
        return
    yield f"Released and charged to {account.name}: {left}."
    yield from compare_files(account, mark)
