"""What a release charges: an account of the ledger, opened where it is new."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..api import with_best
from ..columns.release import columns_plan
from ..errors import LedgerError, Name, ParameterError
from ..mode import SERVER_MODE, releases_only
from ..people.words import USUAL_ROW
from ..privacy.budgets import ApproxDP, Guarantee, Privacy, PureDP
from ..release import Description
from ..tables.table import Table
from . import answer
from .texts import Unwritten, refuse_without, say
from .words import Asked

if TYPE_CHECKING:  # it needs SQLAlchemy, which a release without an account does without
    from ..ledger.accounts import Account

MOST_NAMED = 5
"""Accounts that are named in one sentence."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("ledger")
    account = "charge this account of the ledger, before anything is drawn"
    options.add_argument("--account", metavar="NAME", help=account)
    total = "open the account if it is new, with this total and the adjacency of the plan; neither changes later"
    options.add_argument("--total-epsilon", type=float, metavar="E", help=total)
    total = "the delta of this total; without it, the budget is pure"
    options.add_argument("--total-delta", type=float, metavar="D", help=total)
    own = "an id for this release: the same request gets the stored answer and pays nothing, another one is refused"
    options.add_argument("--release-id", metavar="ID", help=own)


def refuse_uncharged(chosen: argparse.Namespace) -> None:
    """Refuse what goes with an account only, and a machine on which nothing is released without one."""
    if releases_only():
        raise ParameterError("--account", f"must be given: with {SERVER_MODE}=release a ledger counts all.")
    refuse_without(chosen, "--account", "--total-epsilon", "--total-delta", "--release-id")


def account_of(chosen: argparse.Namespace, asked: Asked, price: Guarantee | None) -> Callable[[], Account]:
    """Return a function that gives the account to charge; it opens the account if that is new.

    `price`: of the release, where it does not depend on the number of people; what cannot be paid is refused here,
    before the file is read. Raises ParameterError, BudgetError, LedgerError.
    """
    from ..ledger.accounts import Ledger, refusal_when_new

    ledger = Ledger.from_environment(make_key=not releases_only())
    accounts = {account.name: account for account in ledger.accounts()}
    known, others, total = accounts.get(chosen.account), _named(accounts), _total(chosen)
    if known is None and total is None:
        new = f" opens a new one{others and f', for people who are in none of these: {others}'}."
        must = f"must be that of an account in this ledger, got {chosen.account[:40]!r}: "
        raise ParameterError("--account", (must, Name("--total-epsilon"), new))
    if known is None:
        assert total is not None, "refused above"
        if price is not None and (refused := refusal_when_new(total, price)):
            raise refused
        if others:
            say(chosen, f"{chosen.account} is a new account, for people who are in none of these: {others}.")
        one, relation = chosen.one_row_is or USUAL_ROW, asked.plan.adjacency
        return partial(ledger.open_account, chosen.account, budget=total, adjacency=relation, one_row_is=one)
    if total not in {None, known.budget}:
        raise ParameterError("--total-epsilon", f"must be left out: the total of {known.name} stays {known.budget}.")
    if known.protects not in {None, asked.protects}:
        must = f"must be given: {known.name} protects one {known.protected}."
        if asked.person is not None:
            must = f"must go with an account of people: {known.name} counts each row as one {known.one_row_is}."
        raise ParameterError("--person", must)
    if chosen.one_row_is not in {None, known.one_row_is}:
        raise ParameterError("--one-row-is", f"must be left out, or be {known.one_row_is}.")
    if asked.plan.adjacency is not known.adjacency:
        raise ParameterError("adjacency", f"must be that of {known.name}: {known.adjacency.in_words}.")
    if price is not None and not charged_before(known, chosen.release_id) and (refused := known.refusal(price)):
        raise refused
    return lambda: known


def _named(accounts: Iterable[str]) -> str:
    """Return the names of the accounts that a ledger has, the newest first; of many the first ones."""
    names = list(accounts)[::-1]
    more = len(names) - MOST_NAMED
    return ", ".join([*names[:MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])])


def _total(chosen: argparse.Namespace) -> Privacy | None:
    """Return the total budget that the arguments say for a new account; None where they say none."""
    epsilon, delta = chosen.total_epsilon, chosen.total_delta
    if epsilon is None:
        refuse_without(chosen, "--total-epsilon", "--total-delta")
        return None
    try:
        return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    except ParameterError as error:
        raise ParameterError(f"--total-{error.name}", error.words[2:]) from None


def charge(
    table: Table[Any], asked: Asked, account: Account, chosen: argparse.Namespace, *,
    file: str, words: Description, read: Mapping[str, Any], progress: Callable[[], Any],
) -> None:  # fmt: skip
    """Charge an account, release, and say what is left; no later failure takes an answer back.

    `file`: the fingerprint of the data, `read`: how they are read, as it was said. Raises Unwritten besides.
    """
    from ..ledger.charging import charged_release, new_release_id

    before = charged_before(account, chosen.release_id)
    with progress() as heard:
        answers = charged_release(
            table.columns, with_best(table.columns, asked.plan), account, file=file, words=words, read=read,
            release_id=chosen.release_id or new_release_id(), asked=columns_plan(table.columns, asked.plan),
            progress=heard,
        )  # fmt: skip
    given = f"The answer was released and charged to {account.name}"
    try:
        answer.give(answers, chosen)
    except Unwritten:  # a full disk, or a program that reads no further
        say(chosen, f"{given}: the page Report has it.")
        raise
    try:
        say(chosen, *_reported_afterwards(account, file, before=before))
    except LedgerError:
        say(chosen, f"{given}; the ledger can no longer be reached to say more.")


def charged_before(account: Account, release_id: str | None) -> bool:
    """Return whether the account has a release with this id: then asking again charges nothing."""
    from ..ledger.history.entries import standing

    return release_id is not None and any(entry.release_id == release_id for entry in standing(account).entries)


def _reported_afterwards(account: Account, mark: str, *, before: bool) -> Iterator[str]:
    """Yield what is left of a budget, and what came of comparing the file: both for the terminal only.

    `before`: whether it was charged by an earlier line, whose answer this one gave.
    """
    from ..ledger.files import compare_files
    from ..ledger.history.entries import sums

    done = "This is the stored answer of this id; nothing was charged" if before else "Released and charged"
    yield f"{done} to {account.name}: {sums(account).left_in_words}."
    if not before:
        yield from compare_files(account, mark)
