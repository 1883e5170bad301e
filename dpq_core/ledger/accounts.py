"""The ledger and its accounts: one budget for each data set that a curator names, shared by all its columns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from unicodedata import normalize

from sqlalchemy import Connection, Engine, Row, select
from sqlalchemy.exc import IntegrityError

from ..errors import BudgetError, LedgerError, ParameterError, shown
from ..privacy import budgets
from ..privacy.budgets import Adjacency, Privacy, ProtectsAgainst
from ..release import now
from .checking import State, limits_and_spent, readable, sound
from .filters import ReleaseCost, limits_of, refused
from .store.chain import End, Kind, check_of, checked_key, has_key, hold_to_key, is_own_key, sign_anew, stored_key
from .store.database import Found, location_of, open_database, read, write
from .store.rollback import OLDER, Heads, end_of, ends_of, id_of
from .store.schema import accounts, releases, versions
from .upgrading import bring_up_to_date

DEFAULT_FILE = Path("~/.dpq/ledger.sqlite")
DEFAULT_KEY_FILE = Path("~/.dpq/key")
LONGEST_TEXT = 200
IN_USE = (releases.c.account == accounts.c.number) & (releases.c.state != State.CANCELLED.value)
KEY_IS_GONE = (
    "The ledger has a key, and the key's file {} is gone. Nothing was charged, and no new key was made. Put the file "
    "back, or set DPQ_LEDGER_KEY. If the key is lost, run dpq ledger rekey --lost."
)


@dataclass(frozen=True)
class Ledger:
    """What has been spent on which data set; made by `Ledger.at` or `Ledger.from_environment`, usable from threads.

    A process that was forked opens its own.
    """

    engine: Engine = field(repr=False)
    key: bytes | None = field(default=None, repr=False)
    """For fingerprints of files and links of charges; None takes no fingerprint, and links without a key."""
    watch: Heads | None = field(default=None, repr=False)
    """What would notice that the ledger was rolled back; None where its head is not stored."""
    own: dict[int, End] = field(default_factory=dict, repr=False, compare=False)
    """Of accounts by number the last entry of this program, which notices a loss where no head is stored."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("A ledger and its accounts cannot be pickled: open them again in the other process.")

    @classmethod
    def at(
        cls, where: str | Path, *, key: str | None = None, heads: str | Path | None = None, checked: bool = True
    ) -> Ledger:
        """Return the ledger in a SQLite file (a path, on a local disk) or at a URL; made if absent.

        The first `key` that is given stays the ledger's own: another one is refused (`verifying.rekey` changes it).
        Without it a ledger that has one can be read, and nothing is charged. `heads`: the folder that keeps the last
        charge of each account, apart from the ledger, so that one that was rolled back is refused; not `checked` opens
        it all the same. Raises ParameterError, LedgerError.
        """
        own = checked_key(key)
        engine = open_database(where, lambda connection: bring_up_to_date(connection, own))
        try:
            watch = None if heads is None else Heads(Path(heads), location_of(engine), read(engine, id_of))
            if watch is not None and checked and watch.lacking(engine):
                raise LedgerError(OLDER)
            if own is not None and not read(engine, lambda connection: is_own_key(connection, own)):
                write(engine, lambda connection: _take_first_key(connection, own))
            if watch is not None and checked:
                watch.keep(read(engine, ends_of))
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, own, watch)

    @classmethod
    def from_environment(
        cls, *, key_required: bool = True, make_key: bool = False, checked: bool = True, with_key: bool = True
    ) -> Ledger:
        """Return the ledger at DPQ_LEDGER_URL (a URL or a path) with the key DPQ_LEDGER_KEY.

        Without the URL it is ~/.dpq/ledger.sqlite. With `make_key`, where no key is set, the key is the one in
        ~/.dpq/key, made on first use, unless the ledger has a key already; not `with_key` reads it without one. Heads
        are kept in the folder DPQ_LEDGER_HEADS (~/.dpq otherwise). Raises ParameterError where a key is required and
        missing, LedgerError.
        """
        where = os.environ.get("DPQ_LEDGER_URL") or DEFAULT_FILE.expanduser()
        heads = os.environ.get("DPQ_LEDGER_HEADS") or DEFAULT_KEY_FILE.expanduser().parent
        if not with_key:
            return cls.at(where, heads=heads, checked=checked)
        if make_key and not os.environ.get("DPQ_LEDGER_KEY"):
            _refuse_new_key(where, DEFAULT_KEY_FILE.expanduser())
        key = key_from_environment(make=make_key)
        if key_required and not key:
            raise ParameterError("DPQ_LEDGER_KEY", "must be set: fingerprints of files need a secret key.")
        return cls.at(where, key=key, heads=heads, checked=checked)

    def open_account(
        self, name: str, *, budget: Privacy, adjacency: Adjacency | ProtectsAgainst, one_row_is: str
    ) -> Account:
        """Open an account; its name, its budget and what one of the protected is called ("patient") never change.

        Its first charge decides whether each row is one of them, or all rows with the same id are. Raises
        ParameterError, also for a name that is taken or was, or that reads like one.
        """
        if not isinstance(budget, Privacy):
            raise ParameterError("budget", "must be PureDP, ApproxDP or ZCDP.")
        row = {
            "name": checked_text(name, "name"),
            "one_row_is": checked_text(one_row_is, "one_row_is"),
            "adjacency": Adjacency.of_text(adjacency).value,
            "budget": json.dumps(budgets.privacy_as_dict(budget)),
            "opened": now(),
            "unproven": 0,
            "link": "",
        }

        def insert(connection: Connection) -> None:
            connection.execute(select(versions).with_for_update(read=True))  # so that nobody changes the key meanwhile
            hold_to_key(connection, self.key)
            others = set(connection.execute(select(accounts.c.name)).scalars()) - {name}
            if alike := next((other for other in others if _as_read(other) == _as_read(name)), None):
                must = f"must be another name, or be written as the data set {shown(alike)} is, got {shown(name)}."
                raise ParameterError("name", must)
            connection.execute(accounts.insert().values(row))
            number = connection.execute(select(accounts.c.number).where(accounts.c.name == name)).scalar_one()
            sign_anew(connection, number, self.key)

        try:
            self.write(insert)
        except IntegrityError:
            raise ParameterError("name", f"must be new in this ledger, got {shown(name)}.") from None
        return self.account(name)

    def opened(self, name: str, **asked: Any) -> Account:
        """Return an account, opened as `open_account` does unless another program was first. Raises ParameterError."""
        try:
            return self.find(name) or self.open_account(name, **asked)
        except ParameterError:
            if known := self.find(name):
                return known
            raise

    def account(self, name: str) -> Account:
        """Return the account of this name, open or closed. Raises ParameterError where there is none."""
        found = self.find(name)
        if found is None:
            raise ParameterError("name", f"must be that of an account in this ledger, got {shown(name)}.")
        return found

    def find(self, name: str) -> Account | None:
        """Return the account of this name, open or closed; None where there is none."""
        return next((account for account in self.accounts() if account.name == name), None)

    def accounts(self) -> tuple[Account, ...]:
        """Return all accounts, in the order in which they were opened."""
        protects = select(releases.c.protects).where(IN_USE).limit(1).scalar_subquery().label("protects")
        chosen = select(accounts, protects).order_by(accounts.c.number)
        rows = self.read(lambda connection: connection.execute(chosen).all())
        return tuple(_account(self, row) for row in rows)

    def reach(self) -> None:
        """Raise LedgerError where the ledger cannot be read now."""
        self.read(lambda connection: connection.execute(select(versions.c.version)).scalar_one())

    def write(self, work: Callable[[Connection], Found]) -> Found:
        """Return what `work` returns in one transaction, on disk by then: see `database.write`. Raises LedgerError."""
        return write(self.engine, work)

    def read(self, work: Callable[[Connection], Found]) -> Found:
        """Return what `work` reads at one moment, without taking a lock. Raises LedgerError."""
        return read(self.engine, work)


@dataclass(frozen=True, kw_only=True)
class Account:
    """One data set's budget. The fields never change, except that an account can be closed."""

    ledger: Ledger = field(repr=False)
    number: int
    name: str
    one_row_is: str
    adjacency: Adjacency
    budget: Privacy
    opened: str
    closed: str | None
    protects: budgets.Protects | None = field(default=None, compare=False)
    """What its charges protected when it was read; None before the first."""
    before_charge: Callable[[], object] = field(default=lambda: None, repr=False, compare=False)
    """Called right before a charge is entered, now and then twice: what it raises leaves nothing charged."""

    @property
    def protected(self) -> str:
        """Return what one release protects one of: `patient`, or `patient with all rows`."""
        return budgets.with_all_rows(self.one_row_is) if self.protects == "person" else self.one_row_is

    def close(self) -> Account:
        """Close the account for good and return it: no charge is granted any more; closing again changes nothing.

        Raises LedgerError.
        """
        own = accounts.c.number == self.number

        def close(connection: Connection) -> End | None:
            row = locked(connection, self)
            hold_to_key(connection, self.ledger.key)
            if row.closed is not None:
                return None
            closed = now()
            end = end_of(connection, self.number).then(Kind.CLOSED, [closed], self.ledger.key)
            values = {"closed": closed, "closed_place": end.place, "closed_link": end.link}
            connection.execute(accounts.update().where(own).values(values))
            return end

        end = self.ledger.write(close)
        if end is not None and self.ledger.watch is not None:
            self.ledger.watch.keep({self.number: end})
        return self.ledger.account(self.name)

    def refusal(self, guarantee: budgets.Guarantee) -> BudgetError | None:
        """Return why a release with this guarantee would not be charged now, or None where it would; charge nothing."""
        candidates, spent = self.ledger.read(lambda connection: limits_and_spent(connection, self.number))
        return refused(candidates, spent, guarantee)


def refusal_when_new(budget: Privacy, guarantee: budgets.Guarantee) -> BudgetError | None:
    """Return what `Account.refusal` would for the first release of an account with this budget; needs no ledger."""
    return refused(limits_of(budget), ReleaseCost(), guarantee)


def key_from_environment(*, make: bool) -> str | None:
    """Return the key DPQ_LEDGER_KEY; where none is set and `make` allows it, the one in ~/.dpq/key, made if absent.

    Raises ParameterError for one that is too short.
    """
    key = os.environ.get("DPQ_LEDGER_KEY") or (stored_key(DEFAULT_KEY_FILE.expanduser()) if make else None)
    checked_key(key, "DPQ_LEDGER_KEY")
    return key


def _refuse_new_key(where: str | Path, file: Path) -> None:
    """Raise LedgerError where no key is in the file, and the ledger has one, whose place a new one would take."""
    if file.exists():
        return
    ledger = Ledger.at(where)
    try:
        if ledger.read(has_key):
            raise LedgerError(KEY_IS_GONE.format(file))
    finally:
        ledger.engine.dispose()


def _take_first_key(connection: Connection, key: bytes) -> None:
    """Sign a ledger that had no key with its first one, as it is, once it verifies. Raises LedgerError."""
    found = connection.execute(select(versions).with_for_update()).one()  # two that begin at once take turns
    if found.key_check is not None:
        return hold_to_key(connection, key)
    for row in connection.execute(select(accounts).order_by(accounts.c.number).with_for_update()).mappings().all():
        sign_anew(connection, row["number"], key, unproven=sound(connection, row, None).charges)
    connection.execute(versions.update().values(key_check=check_of(found.ledger, key)))


def _account(ledger: Ledger, row: Row[tuple[object, ...]]) -> Account:
    with readable(row.name):
        return Account(
            ledger=ledger, number=row.number, name=row.name, one_row_is=row.one_row_is, opened=row.opened,
            closed=row.closed, protects=row.protects, adjacency=Adjacency(row.adjacency),
            budget=budgets.privacy_from_dict(json.loads(row.budget)),
        )  # fmt: skip


def locked(connection: Connection, account: Account) -> Row[tuple[object, ...]]:
    """Return the account's row, locked until the transaction ends."""
    return connection.execute(select(accounts).where(accounts.c.number == account.number).with_for_update()).one()


def refuse_another_unit(connection: Connection, account: Account, guarantee: budgets.Guarantee) -> None:
    """Raise ParameterError where earlier charges protect records and this one persons, or the other way round.

    One row more is one record more, and another record of its person: the two losses have no sum that holds for either.
    """
    in_use = select(releases.c.protects).join(accounts, IN_USE).where(accounts.c.number == account.number).distinct()
    protected = set(connection.execute(in_use).scalars()) or {account.protects or guarantee.protects}
    if others := protected - {guarantee.protects}:
        raise ParameterError(
            "account", f"must protect the same as its earlier releases, one {others.pop()}; this one is for a "
            f"{guarantee.protects}, and the two losses cannot be added up.",
        )  # fmt: skip


def _as_read(name: str) -> str:
    """Return what two names have in common between which no reader sees a difference: they would be two budgets."""
    return " ".join(normalize("NFKC", name).casefold().split())


def checked_text(value: str, name: str) -> str:
    """Return a text that is safe in a spreadsheet: it begins with a letter or a digit. Raises ParameterError."""
    if not (isinstance(value, str) and value[:1].isalnum() and value.isprintable() and len(value) <= LONGEST_TEXT):
        raise ParameterError(
            name, f"must be one line of 1 to {LONGEST_TEXT} characters that begins with a letter or a digit."
        )
    return value
