"""The budget of a data set in Release: which account pays, what is left, and why a release would be refused.

Explore does not need this and opens no ledger.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.errors import BudgetError, LedgerError, ParameterError
from dpq_core.mode import releases_only
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee, Privacy, Protects, PureDP
from dpq_core.report.facts import left_in_words
from dpq_core.results.data_set import DataSet, PrivateData

from .. import keys
from ..frame import presses, state
from ..frame.header import NARROWEST, complain, escape, sentence_of, term
from ..settings.check import LONGEST_LINE
from ..settings.table import text
from .mismatches import mismatch, offer_remedy

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account, Ledger

USUAL_EPSILON = "3"
"""Of a whole data set: three answers at the page's own epsilon of 1."""
USUAL_DELTA = "1e-5"
"""Of the units in which budgets are counted."""
PASTED = "pasted values"
LONGEST_NAME = 60
ACCOUNT = "account"
FIELDS = (ACCOUNT, "total_epsilon", "total_delta")
NO_KEY, SHORT_KEY = (
    f"This server{problem}, so nothing can be released. Its administrator sets DPQ_LEDGER_KEY to a secret text of at "
    "least 16 characters (`openssl rand -hex 32` prints one), keeps it, and starts the server again."
    for problem in (" has no ledger key", "’s ledger key is too short")
)
SHORTEST_KEY = 16
"""Characters, as `ledger.fingerprints` has it, which is not loaded for this."""
NOBODY_KNOWS = (
    "The ledger cannot be reached. When it can be reached again, check the history on the page Budget: it says whether "
    "the interrupted release was charged."
)
ASK_AGAIN_SECONDS = 2.0
NO_LEDGER = "The ledger of this server cannot be opened, so nothing can be released."
ONE_BUDGET = "Files about the same people share one budget, even if the files have different names."


@dataclass(frozen=True)
class PayingAccount:
    """The account that the next release is charged to. `account` is None until the first press opens it."""

    ledger: Ledger
    name: str
    budget: Privacy
    adjacency: Adjacency
    one: str
    """What one of the protected is called."""
    protects: Protects
    account: Account | None
    others: tuple[str, ...] = ()
    """The names of the other data sets of this server."""

    def why_not(self, guarantee: Guarantee) -> str:
        """Return why a release with this guarantee would not be charged now; empty where it would. Charges nothing."""
        from dpq_core.ledger.accounts import refusal_when_new

        if self.account is None:
            return self.refusal_in_words(refusal_when_new(self.budget, guarantee))
        try:
            unlike = mismatch(self.account, self.adjacency, self.one, self.protects)
            return unlike.sentence if unlike else self.refusal_in_words(self.account.refusal(guarantee))
        except LedgerError as error:
            return str(error)

    def shortfall(self, privacy: Privacy) -> str:
        """Return why a release with this budget would not be charged now; empty where it would or this is unknown."""
        guarantee = Guarantee.of(privacy, self.adjacency)
        from dpq_core.ledger.accounts import refusal_when_new

        try:
            refused = (
                refusal_when_new(self.budget, guarantee) if self.account is None else self.account.refusal(guarantee)
            )
        except LedgerError:
            return ""
        return self.refusal_in_words(refused)

    def refusal_in_words(self, refused: BudgetError | None) -> str:
        """Return a sentence on what the release needs and what is left; empty without a refusal."""
        return f"The budget of {self.name} does not allow this: {refused.shortfall}." if refused else ""

    def open(self) -> Account:
        """Return the account, opened now if it is new. Where another session was first, its account is taken.

        It is opened before the charge. Where people are replaced, a refused release reveals a fact about their number,
        and only the account makes that number public. So a refused release is recorded too, and the account cannot use
        another relation afterwards.
        """
        known = self.ledger.find(self.name)
        if known is not None:
            return known
        try:
            return self.ledger.open_account(
                self.name, budget=self.budget, adjacency=self.adjacency, one_row_is=self.one
            )
        except ParameterError:
            known = self.ledger.find(self.name)
            if known is None:
                raise
            return known


def open_ledger() -> Ledger | str:
    """Return the ledger of this server, or the sentence that says why there is none.

    A server that also explores uploads is a visitor's own machine: it makes a key on first use. A server for releases
    only gets its key from its environment, so that nothing is lost when it moves to another machine.
    """
    if problem := key_problem():
        return problem
    makes_key = state.uploads_may_be_explored()
    where = os.environ.get("DPQ_LEDGER_URL"), os.environ.get("DPQ_LEDGER_KEY"), makes_key
    again, sentence = _out_of_reach.get(where, (0.0, ""))
    if time.monotonic() < again:  # a page asks several times, and waits once
        return sentence
    try:
        ledger = _ledger(*where)
        ledger.reach()
        return ledger
    except LedgerError as error:
        _out_of_reach[where] = time.monotonic() + ASK_AGAIN_SECONDS, str(error)
        return str(error)
    except ParameterError as error:
        return sentence_of(error)
    except Exception as error:  # a message of the database might quote its address
        logging.getLogger(__name__).error("Opening the ledger ended with %s.", type(error).__name__)
        return NO_LEDGER


def key_problem(environment: Mapping[str, str] = os.environ) -> str:
    """Return what is wrong with the ledger key of a server that was started for releases only; empty where nothing."""
    key = environment.get("DPQ_LEDGER_KEY", "")
    if not releases_only(environment) or len(key) >= SHORTEST_KEY:
        return ""
    return SHORT_KEY if key else NO_KEY


def say_if_closed() -> None:
    """Say at the top of a page why this server cannot release anything, where no setting can change that."""
    if problem := key_problem():
        st.error(problem, icon=":material/key_off:")


_out_of_reach: dict[tuple[str | None, str | None, bool], tuple[float, str]] = {}
"""Ledgers that could not be reached a moment ago: when to ask again, and the message."""


@lru_cache(maxsize=4)
def _ledger(_url: str | None, _key: str | None, makes_key: bool) -> Ledger:
    """Return a ledger with one connection pool for all visitors, as long as the environment stays the same."""
    from dpq_core.ledger.accounts import Ledger

    return Ledger.from_environment(make_key=makes_key)


def choose_payer(data: DataSet | None, *, read_again: Callable[[], None] | None = None) -> PayingAccount | None:
    """Ask for the name of the data set and, while it is new, its total budget; None while a part is missing.

    `read_again`: leads back to the question "Who is one person?".
    """
    if not isinstance(data, PrivateData):
        return None
    protects: Protects = "person" if data.person else "record"
    ledger = open_ledger()
    if isinstance(ledger, str):
        _complain_unless_pressed(ledger)
        return None
    try:
        known = {account.name: account for account in reversed(ledger.accounts())}
        name = _choose_name(data, list(known))
        account = known.get(name)
        left = "" if account is None else left_in_words(account)
    except LedgerError as error:
        _complain_unless_pressed(str(error))
        return None
    budget = _choose_total(data) if account is None else account.budget
    if account is None:
        st.caption(
            "Cannot be changed after the first release. It holds for all columns and later files about the same people."
        )
    else:
        st.caption(f":material/account_balance_wallet: {escape(left)}")
        unlike = mismatch(account, Adjacency(text("adjacency")), data.anyone, protects)
        if unlike is not None:
            offer_remedy(unlike, read_again)
    try:
        _check(name, data.anyone)
    except ParameterError as error:
        complain(sentence_of(error))
        return None
    if budget is None:
        return None
    others = tuple(each for each in known if each != name)
    relation = Adjacency(text("adjacency"))
    return PayingAccount(ledger, name, budget, relation, data.anyone, protects, account, others)


def _choose_name(data: DataSet, known: list[str]) -> str:
    """Ask for the name of the data set: one of those that are there, the newest first, or a new one."""
    field = _widget(data, ACCOUNT)
    st.session_state.setdefault(field, usual_name(data))
    if known:
        chosen, widget = str(st.session_state[field]).strip(), keys.widget("known_accounts", data.identity)
        st.session_state[widget] = chosen if chosen in known else None
        st.selectbox(
            "Data sets of this server", known, key=widget, placeholder="Choose yours if the people are the same",
            on_change=partial(_take_known, widget, field), help=ONE_BUDGET,
        )  # fmt: skip
    return _field(data, "Name of the data set", ACCOUNT, usual_name(data), help=term("data set"))


def _take_known(widget: str, field: str) -> None:
    if st.session_state.get(widget) is not None:
        st.session_state[field] = st.session_state[widget]


def _complain_unless_pressed(sentence: str) -> None:
    """Say why the ledger cannot be read, unless the outcome of the last release is shown, which says more."""
    if presses.is_one_unfinished():
        complain(NOBODY_KNOWS)
    elif not presses.has_one_failed():
        complain(sentence)


def _check(name: str, one: str) -> None:
    from dpq_core.ledger.accounts import checked_text

    checked_text(name, "account")
    checked_text(one, "one")


def _field(data: DataSet, label: str, name: str, usual: str, help: str | None = None) -> str:
    """Draw a field for text that belongs to this column: with another file it holds the usual text again."""
    widget = _widget(data, name)
    st.session_state.setdefault(widget, usual)
    return str(st.text_input(label, key=widget, help=help, persist_state="session", max_chars=LONGEST_LINE)).strip()


def _widget(data: DataSet, name: str) -> str:
    """Return the key of a field, which belongs to one reading of a file: `upload:2` or `table:1`."""
    return _widget_of(data.identity, name)


def _widget_of(identity: str, name: str) -> str:
    return keys.widget(name, identity.removeprefix("upload:"))


def account_name(data: DataSet) -> str:
    """Return the name of the account that a release of this column would be charged to, whichever page asks."""
    return str(st.session_state.get(_widget(data, ACCOUNT), name_of_file(data.file))).strip()


def usual_name(data: DataSet) -> str:
    """Return the name of the file without its ending, as far as an account can have such a name."""
    return name_of_file(data.file)


def name_of_file(file: str) -> str:
    """Return the usual name of the data set for a file of this name."""
    stem = "".join(character for character in Path(file).stem if character.isprintable())
    while stem and not stem[0].isalnum():
        stem = stem[1:]
    return stem[:LONGEST_NAME].strip() or PASTED


def account_of_file(file: str) -> Account | None:
    """Return the account that is called like a file; None without one, and where the ledger cannot be read."""
    return account_called(name_of_file(file))


def account_called(name: str) -> Account | None:
    """Return the account of this name; None without one, and where the ledger cannot be read."""
    ledger = open_ledger()
    try:
        return None if isinstance(ledger, str) else ledger.find(name)
    except LedgerError:
        return None


def keep_fields(before: str, after: str) -> None:
    """Keep what was typed about the budget of one reading of a file for another reading of it, by their identities."""
    for name in FIELDS:
        typed = st.session_state.get(_widget_of(before, name))
        if typed is not None:
            st.session_state[_widget_of(after, name)] = typed


def _choose_total(data: DataSet) -> Privacy | None:
    row = st.grid(2, min_column_width=NARROWEST, gap="small")
    with row:
        epsilon = _field(data, "Total ε", "total_epsilon", USUAL_EPSILON, help=term("total budget"))
        delta = _field(data, "Total δ", "total_delta", USUAL_DELTA)
    try:
        numbers = [float(typed.replace(",", ".")) for typed in (epsilon, delta)]
    except ValueError:
        complain("The totals must be numbers such as 3 and 1e-5.")
        return None
    try:
        return ApproxDP(*numbers) if numbers[1] else PureDP(numbers[0])
    except ParameterError as error:
        complain(sentence_of(error))
    return None


def left_in_numbers(payer: PayingAccount) -> tuple[str, str, str]:
    """Return the unit of the budget that pays, its total, and what is left of it: `ε`, `3`, `2.5`; `–` if unknown."""
    from dpq_core.ledger.history.entries import shown, sums

    budget = payer.budget
    letter, amount = ("ρ", budget.rho) if isinstance(budget, ZCDP) else ("ε", budget.epsilon)
    if payer.account is None:
        return letter, f"{amount:.15g}", f"{amount:.15g}"
    try:
        found = sums(payer.account).balance
    except LedgerError:
        return letter, f"{amount:.15g}", "–"
    return letter, shown(found.total), shown(found.left)


def spent_of(name: str) -> str:
    """Return what all releases of a data set have spent of its budget, in its unit: `ε = 1 of 3`."""
    from dpq_core.ledger.history.entries import shown, sums

    ledger = open_ledger()
    try:
        account = None if isinstance(ledger, str) else ledger.find(name)
        found = None if account is None else sums(account).balance
    except LedgerError:
        found = None
    return "–" if found is None else f"{found.letter} = {shown(found.spent)} of {shown(found.total)}"
