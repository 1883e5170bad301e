"""Which files an account has been used with, by fingerprint, and what a curator should be told about it."""

from __future__ import annotations

from sqlalchemy import Connection, select

from ..errors import ParameterError
from .accounts import Account, Ledger, locked, now
from .fingerprints import digest_of, fingerprint
from .schema import accounts, files


def fingerprint_of(account: Account, content: bytes | memoryview) -> str:
    """The fingerprint of a file under the ledger's key. Raises ParameterError where the ledger has none."""
    return fingerprint_by_digest(account.ledger, digest_of(content))


def fingerprint_by_digest(ledger: Ledger, digest: bytes) -> str:
    """The same for a file of which only the digest was kept."""
    if ledger.key is None:
        raise ParameterError("key", "`key` must be set in the ledger: fingerprints need a secret.")
    return fingerprint(digest, ledger.key)


def note_file(account: Account, mark: str) -> None:
    """Remember that the account was used with the file of this fingerprint; a second time changes nothing."""
    known = (files.c.account == account.number) & (files.c.fingerprint == mark)
    with account.ledger.engine.begin() as connection:
        locked(connection, account)
        if connection.execute(select(files.c.number).where(known)).first() is None:
            connection.execute(files.insert().values(account=account.number, fingerprint=mark, seen=now()))


def warnings_about(account: Account, mark: str) -> tuple[str, ...]:
    """Sentences for the curator, never for readers of the answers; none where nothing is odd. Decides nothing."""
    with account.ledger.engine.begin() as connection:
        own = connection.execute(select(files.c.fingerprint).where(files.c.account == account.number)).scalars().all()
        found = _used_elsewhere(connection, mark, account.number)
    if own and mark not in own:
        found.append(
            f"This file is not the one that {account.name} was charged for before. If the people in it are the same, "
            "go on; if they are others, it is another data set with an account of its own."
        )
    return tuple(found)


def warnings_before_opening(ledger: Ledger, mark: str) -> tuple[str, ...]:
    """What `warnings_about` would say of an account that is not opened yet."""
    with ledger.engine.begin() as connection:
        return tuple(_used_elsewhere(connection, mark, None))


def _used_elsewhere(connection: Connection, mark: str, number: int | None) -> list[str]:
    same_file = files.c.fingerprint == mark
    if number is not None:
        same_file &= files.c.account != number
    others = select(accounts.c.name).join(files, files.c.account == accounts.c.number).where(same_file).distinct()
    names = sorted(connection.execute(others).scalars().all())
    if not names:
        return []
    return [
        f"This file looks the same as one charged to {', '.join(names)}. What was spent there and what is spent here "
        "add up for the people in it."
    ]
