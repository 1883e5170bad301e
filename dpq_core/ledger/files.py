"""Compare files by fingerprint, and show a curator which ones an account was charged for.

A fingerprint is an HMAC of the digest of a file's bytes under the ledger's key, so nobody who finds the ledger can try
out files. A digest alone could be found so, and is never stored; one can be made a fingerprint when the bytes are gone.

Comparing two files is exact, so a user with unlimited comparisons could find a single record. Therefore a file is
compared only once a release from it was charged, which is on record and costs budget, and the whole ledger compares at
most MOST_COMPARED files within COMPARED_WITHIN: over all accounts, because a new name is free. Before a charge nothing
that depends on other files is reported.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, func, select

from ..errors import ParameterError
from ..release import now
from .accounts import Account, Ledger
from .requests import OF_FRAME, columns_of
from .store.schema import accounts, comparisons, files, releases, versions

MOST_COMPARED = 5
COMPARED_WITHIN = timedelta(hours=1)
NOT_COMPARED = (
    f"This file was not compared with those charged before. At most {MOST_COMPARED} files are compared within an hour, "
    "so that nobody can find a record by trying files."
)
USED_ELSEWHERE = "This file looks the same as one charged to {}. For the people in it, the two budgets add up."
OTHERS_HERE = (
    "This file is new here: {} was charged for other files before. If it is about the same people, go on. People who "
    "are in none of those files have their own budget."
)


def fingerprint_by_digest(ledger: Ledger, digest: bytes) -> str:
    """Return the fingerprint of a file by its digest, under the ledger's key. Raises ParameterError without one."""
    if ledger.key is None:
        raise ParameterError("key", "must be set in the ledger: fingerprints need a secret.")
    return hmac.new(ledger.key, digest, "sha256").hexdigest()


def fingerprint_of_frame(ledger: Ledger, digest: bytes) -> str:
    """Return the fingerprint of the columns of a data frame by their digest; empty without a key."""
    return "" if ledger.key is None else OF_FRAME + fingerprint_by_digest(ledger, digest)


def note_file(connection: Connection, number: int, mark: str) -> None:
    """Remember that this account was charged for the file of this fingerprint; a second time changes nothing.

    For the transaction that enters the charge: it holds the account's row.
    """
    known = (files.c.account == number) & (files.c.fingerprint == mark)
    if connection.execute(select(files.c.number).where(known)).first() is None:
        connection.execute(files.insert().values(account=number, fingerprint=mark, seen=now()))


def compare_files(account: Account, mark: str) -> tuple[str, ...]:
    """Compare a file that the account was just charged for with all others; return sentences for its curator alone.

    None where nothing is odd; they decide nothing. Counted: beyond the limit one sentence says that nothing was
    compared, for any file. The ledger reports nothing about a file that the account was not charged for.
    """
    own, same = files.c.account == account.number, files.c.fingerprint == mark
    elsewhere = select(accounts.c.name).join(files, files.c.account == accounts.c.number).where(same, ~own).distinct()

    def compare(connection: Connection) -> tuple[str, ...]:
        connection.execute(select(versions).with_for_update())  # two that compare at once take turns
        if connection.execute(select(files.c.number).where(own, same)).first() is None:
            return ()
        since = (datetime.now(UTC) - COMPARED_WITHIN).isoformat(timespec="seconds")
        recent = select(func.count()).select_from(comparisons).where(comparisons.c.compared >= since)
        if connection.execute(recent).scalar_one() >= MOST_COMPARED:
            return (NOT_COMPARED,)
        connection.execute(comparisons.insert().values(account=account.number, compared=now()))
        said, names = list[str](), sorted(connection.execute(elsewhere).scalars().all())
        if names:
            said.append(USED_ELSEWHERE.format(", ".join(names)))
        if connection.execute(select(files.c.number).where(own, ~same)).first() is not None:
            said.append(OTHERS_HERE.format(account.name))
        return tuple(said)

    return account.ledger.write(compare)


def accounts_with_column(ledger: Ledger, column: str) -> tuple[str, ...]:
    """Return the names of accounts that have released a column of this name, which is public. O(releases)."""
    chosen = select(accounts.c.name, releases.c.request)
    chosen = chosen.join(accounts, accounts.c.number == releases.c.account).distinct()
    rows = ledger.read(lambda connection: connection.execute(chosen).all())
    return tuple(sorted({row.name for row in rows if column in columns_of(row.request)}))
