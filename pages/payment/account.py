"""The account of a data set that pays for a release: which one, what is left, and why it would refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.errors import BudgetError, LedgerError, ParameterError
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee, Privacy, Protects, PureDP, with_all_rows
from dpq_core.report.facts import left_in_words
from dpq_core.results.data_set import DataSet, PrivateData
from dpq_core.results.sealed import fingerprint_of

from .. import keys
from ..form.table import LONGEST_LINE, key, text
from ..server import signin
from ..shell import presses
from ..shell.header import NARROWEST, complain, escape, sentence_of, term, understood
from .ledger import open_ledger

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
NOBODY_KNOWS = (
    "The ledger cannot be reached. When it can be reached again, check the history on the page Releases: it says "
    "whether the interrupted release was charged."
)
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
        try:
            unlike = self.account and mismatch(self.account, self.adjacency, self.one, self.protects)
            return unlike.sentence if unlike else self.refusal_in_words(self._refusal(guarantee))
        except LedgerError as error:
            return str(error)

    def shortfall(self, privacy: Privacy) -> str:
        """Return why a release with this budget would not be charged now; empty where it would or this is unknown."""
        try:
            return self.refusal_in_words(self._refusal(Guarantee.of(privacy, self.adjacency)))
        except LedgerError:
            return ""

    def _refusal(self, guarantee: Guarantee) -> BudgetError | None:
        from dpq_core.ledger.accounts import refusal_when_new

        return refusal_when_new(self.budget, guarantee) if self.account is None else self.account.refusal(guarantee)

    def refusal_in_words(self, refused: BudgetError | None) -> str:
        """Return a sentence on what the release needs and what is left; empty without a refusal."""
        return f"The budget of {self.name} does not allow this: {refused.shortfall}." if refused else ""

    def open(self) -> Account:
        """Return the account, opened now if it is new. Where another session was first, its account is taken.

        It is opened before the charge. Where people are replaced, a refused release reveals a fact about their number,
        and only the account makes that number public. So a refused release is recorded too, and the account cannot use
        another relation afterwards.
        """
        return self.ledger.opened(self.name, budget=self.budget, adjacency=self.adjacency, one_row_is=self.one)


def choose_payer(data: DataSet | None, *, read_again: Callable[[], None] | None = None) -> PayingAccount | None:
    """Ask for the name of the data set and, while it is new, its total budget; None while a part is missing.

    `read_again`: leads back to the question "Who is one person?".
    """
    if not isinstance(data, PrivateData):
        return None
    protects: Protects = "person" if data.person else "record"
    try:
        ledger = open_ledger()
        known = {account.name: account for account in reversed(ledger.accounts())}
        name = _choose_name(data, list(known))
        account = known.get(name)
        left = "" if account is None else left_in_words(account)
    except LedgerError as error:
        presses.complain_between(str(error), NOBODY_KNOWS)
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
    field = _widget(data.identity, ACCOUNT)
    st.session_state.setdefault(field, name_of_file(data.file))
    if known:
        chosen, widget = str(st.session_state[field]).strip(), keys.widget("known_accounts", data.identity)
        st.session_state[widget] = chosen if chosen in known else None
        st.selectbox(
            "Data sets of this server", known, key=widget, placeholder="Choose yours if the people are the same",
            on_change=partial(_take_known, widget, field), help=ONE_BUDGET,
        )  # fmt: skip
    return _field(data, "Name of the data set", ACCOUNT, name_of_file(data.file), help=term("data set"))


def _take_known(widget: str, field: str) -> None:
    if st.session_state.get(widget) is not None:
        st.session_state[field] = st.session_state[widget]


def _check(name: str, one: str) -> None:
    from dpq_core.ledger.accounts import checked_text

    checked_text(name, "account")
    checked_text(one, "one")


def _field(data: DataSet, label: str, name: str, usual: str, help: str | None = None) -> str:
    """Draw a field for text that belongs to this column: with another file it holds the usual text again."""
    widget = _widget(data.identity, name)
    st.session_state.setdefault(widget, usual)
    return str(st.text_input(label, key=widget, help=help, persist_state="session", max_chars=LONGEST_LINE)).strip()


def _widget(identity: str, name: str) -> str:
    """Return the key of a field, which belongs to one reading of a file: `upload:2` or `table:1`."""
    return keys.widget(name, identity.removeprefix("upload:"))


def account_name(data: DataSet) -> str:
    """Return the name of the account that a release of this column would be charged to, whichever page asks."""
    return str(st.session_state.get(_widget(data.identity, ACCOUNT), name_of_file(data.file))).strip()


def name_of_file(file: str) -> str:
    """Return the usual name of the data set for a file of this name."""
    stem = "".join(character for character in Path(file).stem if character.isprintable())
    while stem and not stem[0].isalnum():
        stem = stem[1:]
    return stem[:LONGEST_NAME].strip() or PASTED


def account_of_file(file: str) -> Account | None:
    """Return the account that is called like a file; None without one, and where the ledger cannot be read."""
    try:
        return open_ledger().find(name_of_file(file))
    except LedgerError:
        return None


def keep_fields(before: str, after: str) -> None:
    """Keep what was typed about the budget of one reading of a file for another reading of it, by their identities."""
    for name in FIELDS:
        typed = st.session_state.get(_widget(before, name))
        if typed is not None:
            st.session_state[_widget(after, name)] = typed


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
    return understood(lambda: ApproxDP(*numbers) if numbers[1] else PureDP(numbers[0]))


def left_in_numbers(payer: PayingAccount) -> tuple[str, str, str]:
    """Return the unit of the budget that pays, its total, and what is left of it: `ε`, `3`, `2.5`; `–` if unknown."""
    from dpq_core.ledger.history.entries import sums

    budget = payer.budget
    letter, amount = ("ρ", budget.rho) if isinstance(budget, ZCDP) else ("ε", budget.epsilon)
    total = left = f"{amount:.15g}"
    if payer.account is not None:
        try:
            found = sums(payer.account).balance.as_dict()
            total, left = found["total"], found["left"]
        except LedgerError:
            left = "–"
    return letter, total, left


def spent_of(name: str) -> str:
    """Return what all releases of a data set have spent of its budget, in its unit: `ε = 1 of 3`."""
    from dpq_core.ledger.history.entries import sums

    try:
        balance = sums(open_ledger().account(name)).balance
    except (LedgerError, ParameterError):  # out of reach, or another ledger by now
        return "–"
    amounts = balance.as_dict()
    return f"{balance.letter} = {amounts['spent']} of {amounts['total']}"


# ── what does not fit the account, and the button that fixes it or leads to the question ──────────────────────────────

PROTECT = {Adjacency.REPLACE_ONE: "Protect against replacement", Adjacency.ADD_REMOVE: "Protect who joins or leaves"}
"""What a button says that chooses an adjacency."""
BACK = "Back to “Who is one person?”"


@dataclass(frozen=True)
class Mismatch:
    """What does not fit an account at any cost of the release."""

    sentence: str
    remedy: str = ""
    """What the button says that makes it fit, or leads to the question; empty where nothing does."""
    setting: tuple[str, str] | None = None
    """The setting that the button changes, and its value; None where it leads to the question."""


def mismatch(account: Account, adjacency: Adjacency, one: str, protects: Protects) -> Mismatch | None:
    """Return what does not fit an account about a release of this adjacency for one of these; None where all fits."""
    name, whom = account.name, account.protected
    if account.closed is not None:
        return Mismatch(f"The data set {name} was closed on {account.closed[:10]}: nothing more can be released.")
    if account.adjacency is not adjacency:
        return Mismatch(
            f"The budget of {name} is counted where {account.adjacency.in_words}. Choose the same protection here.",
            PROTECT[account.adjacency],
            ("adjacency", account.adjacency.value),
        )
    asked = with_all_rows(one) if protects == "person" else one
    start = f"The budget of {name} protects one {whom}, and this would be released for one {asked}."
    if account.protects not in {None, protects}:
        choose = f"choose {_who(account)}."
        return Mismatch(f"{start} Go back to “Who is one person?” and {choose}", BACK)
    if account.one_row_is != one:
        word = account.one_row_is
        return Mismatch(f"{start} Use the same word for one of them.", f"Call it “{word}”", ("one", word))
    return None


def before_reading(account: Account | None, *, of_person: bool) -> str:
    """Return what to choose at the question who is one person, so that the budget can pay; empty where that fits."""
    if account is None or account.protects in {None, "person" if of_person else "record"}:
        return ""
    return f"The budget of {account.name} protects one {account.protected}. Choose {_who(account)}."


def _who(account: Account) -> str:
    if account.protects == "record":
        return "that every row is a different person"
    return f"the column whose value is the same in all rows of one {account.one_row_is}"


def offer_remedy(found: Mismatch, read_again: Callable[[], None] | None) -> None:
    """Draw the button that makes a release fit the account, as if it had been typed."""
    then = read_again
    if found.setting is not None:
        name, value = found.setting
        then = partial(st.session_state.update, {key(name): value})
    if found.remedy and then is not None:
        st.button(escape(found.remedy), key=keys.widget("remedy"), icon=":material/arrow_back:", on_click=then)
        if found.remedy == BACK:
            st.caption("Your file and your settings are kept: read the column once more there.")


# ── files that look the same, for the curator, above the answer ───────────────────────────────────────────────────────
# No file is compared before a charge (`ledger.files`). Until then the warning uses names of columns.

NOT_COMPARED_NOW = "This file was not compared with those charged before: the ledger could not be reached for it."
_COMPARED = keys.state("compared")
Compared = tuple[str, str, tuple[str, ...]]
"""The identity of a column, the account that was charged for it, and what came of comparing its file."""


def compare_files(account: Account, data: PrivateData) -> None:
    """Compare the file of a release that was just charged with those of others, once for each column and account.

    A file that could not be compared then is tried again with the next release.
    """
    from dpq_core.ledger.files import NOT_COMPARED, compare_files

    stored = _stored()
    known = next((found for *of, found in stored if of == [data.identity, account.name]), (NOT_COMPARED,))
    if known not in {(NOT_COMPARED,), (NOT_COMPARED_NOW,)}:
        return
    try:
        found = compare_files(account, fingerprint_of(data.column, account.ledger))
    except LedgerError:  # the release itself is charged and answered
        found = (NOT_COMPARED_NOW,)
    others = tuple(each for each in stored if each[:2] != (data.identity, account.name))
    st.session_state[_COMPARED] = (*others, (data.identity, account.name, found))


def tell_of_release(place: DeltaGenerator, payer: PayingAccount | None, data: DataSet | None) -> None:
    """Show above the answer what is known about the file and the data set that pays, before and after the release."""
    if payer is None or data is None or signin.role() is not signin.Role.CURATOR:
        return
    own = [found for identity, name, found in _stored() if (identity, name) == (data.identity, payer.name)]
    with place:
        for sentence in (*_known(payer, data), *(sentence for found in own for sentence in found)):
            st.warning(escape(sentence), icon=":material/warning:")


def _known(payer: PayingAccount, data: DataSet) -> list[str]:
    from dpq_core.ledger.files import accounts_with_column

    try:
        names = () if payer.account is not None else accounts_with_column(payer.ledger, data.name)
    except LedgerError:
        return []
    if not names:
        return []
    return [
        f"A column called {data.name} was released before, for {', '.join(names)}. If the people are the same, choose "
        "that data set: they have one budget."
    ]


def _stored() -> tuple[Compared, ...]:
    found: tuple[Compared, ...] = st.session_state.get(_COMPARED, ())
    return found
