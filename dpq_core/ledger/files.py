"""Which files an account has been used with, by fingerprint, and what a curator should be told about it."""

from __future__ import annotations

from sqlalchemy import select

from ..errors import ParameterError
from .accounts import Account, locked, now
from .fingerprints import fingerprint
from .schema import accounts, files


def fingerprint_of(account: Account, content: bytes | memoryview) -> str:
    """The fingerprint of a file under the ledger's key. Raises ParameterError where the ledger has none."""
    if account.ledger.key is None:
        raise ParameterError("key", "`key` must be set in the ledger: fingerprints need a secret.")
    return fingerprint(content, account.ledger.key)


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
        same_file = (files.c.fingerprint == mark) & (files.c.account != account.number)
        others = connection.execute(
            select(accounts.c.name).join(files, files.c.account == accounts.c.number).where(same_file).distinct()
        )
        names = sorted(others.scalars().all())
    found = []
    if names:
        found.append(
            f"This file looks the same as one charged to {', '.join(names)}. What was spent there and what is spent "
            "here add up for the people in it."
        )
    if own and mark not in own:
        found.append(
            f"This file is not the one that {account.name} was charged for before. If the people in it are the same, "
            "go on; if they are others, it is another data set with an account of its own."
        )
    return tuple(found)
