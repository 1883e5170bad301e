"""Link each entry of an account to the one before it, so that none can be removed or changed unseen; hold it to a key.

An account has four kinds of entries: it was opened, a release was charged, a charge ended, the account was closed. A
link is an HMAC, under the ledger's key, of the link before it and of all that the entry says. A ledger that never had a
key has plain hashes in their place, which show what is missing and not who wrote them.

The ledger stores a check of its key, and refuses another one before that signs anything: links under two keys could
never be verified together. The check is an HMAC, as links are, for a purpose of its own.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn, SupportsIndex, TypeAlias

from sqlalchemy import Connection, select

from ...errors import LedgerError, ParameterError
from ...noise.exact import ExactEntropy
from ...noise.tie_breaking import Key
from .database import make_private
from .schema import VERSION, accounts, releases, versions

Names: TypeAlias = tuple[str, ...]

KEYED, PLAIN = "keyed", "plain"
OPENED: Names = ("number", "name", "one_row_is", "adjacency", "budget", "opened", "unproven", "earlier_links")
CHARGED: Names = (
    "place", "release_id", "plan", "size", "request", "file", "who", "epsilon", "delta", "rho", "counts",
    "protects", "charged", "earlier_links",
)  # fmt: skip
ENDED: Names = ("place", "state", "refused_epsilon", "finished", "answer")
CLOSED: Names = ("closed",)
"""What each kind of entry says, by the names of its columns."""
PURPOSE = "dpq ledger chain 2"
"""Keeps links apart from everything else that the key signs."""

OF_KEY = "dpq ledger key 1"
OTHER_KEY = (
    "This ledger has another key, so it was not opened; nothing was charged. Set the ledger's own key: DPQ_LEDGER_KEY, "
    "or the file ~/.dpq/key. To change the key of the ledger, run dpq ledger rekey."
)
NO_KEY = (
    "This ledger has a key, and no key was given, so nothing was charged. Set the ledger's key: DPQ_LEDGER_KEY, or "
    "the file ~/.dpq/key. If the key is lost, run dpq ledger rekey --lost."
)

OTHER_VERSION = (
    "Another version of this program has changed the ledger since it was opened; nothing was charged. Start this "
    "program again."
)
_CHANGED = ("place", "link", "end_place", "end_link", "earlier_links", "file")


class Kind(StrEnum):
    """A kind of entry."""

    OPENED = "opened"
    CHARGED = "charged"
    ENDED = "ended"
    CLOSED = "closed"


@dataclass(frozen=True, order=True)
class End:
    """The last entry of an account: its place, and its link. An account that was opened and no more has place 0."""

    place: int
    link: str

    def then(self, kind: Kind, said: Iterable[object], key: bytes | None) -> End:
        """Return the end once an entry that says this comes after it."""
        return End(self.place + 1, link_of(self.link, kind, digest_of(said), key))


def digest_of(said: Iterable[object]) -> str:
    """Return a digest of what an entry says."""
    return _digest(tuple(said))


@lru_cache(maxsize=20_000)
def _digest(said: tuple[object, ...]) -> str:
    """Return the same, kept by the whole entry, because no shorter mark is safe: most entries are read again."""
    return sha256(json.dumps(said).encode()).hexdigest()


@lru_cache(maxsize=100_000)
def link_of(previous: str, kind: Kind, digest: str, key: bytes | None) -> str:
    """Return the link of an entry to the one before it, which has the link `previous`."""
    return signature(PURPOSE, (previous, kind.value, digest), key)


def is_linked(found: str, previous: str, kind: Kind, digest: str, key: bytes | None, *, reading: bool = False) -> bool:
    """Return whether an entry has the link that it should have.

    With a key, a plain link is none. Without one, a keyed link is none either, but for `reading`: nobody can check it.
    """
    if reading and key is None and found.startswith(KEYED):
        return True
    return hmac.compare_digest(found.encode(), link_of(previous, kind, digest, key).encode())


def signature(purpose: str, values: Sequence[object], key: bytes | None) -> str:
    """Return what signs plain values for one purpose: an HMAC under the key, or a plain hash where there is none."""
    signed = json.dumps([purpose, *values]).encode()
    if key is None:
        return f"{PLAIN}:{sha256(signed).hexdigest()}"
    return f"{KEYED}:{hmac.digest(key, signed, 'sha256').hex()}"


def sign_anew(
    connection: Connection, number: int, key: bytes | None, *, unproven: int | None = None, keep_files: bool = True
) -> None:
    """Sign all entries of an account with this key, and keep their earlier links for heads.

    `unproven`: how many charges nobody could check before, where it is another number than so far. Not `keep_files`
    takes the fingerprints of files away, which are under the earlier key.
    """
    account = dict(connection.execute(select(accounts).where(accounts.c.number == number)).mappings().one())
    chosen = select(releases).where(releases.c.account == number).order_by(releases.c.place)
    rows = [dict(row) for row in connection.execute(chosen).mappings()]
    for row in (account, *rows):
        earlier = (row["earlier_links"], row["link"], row.get("end_link"), row.get("closed_link"))
        row["earlier_links"] = " ".join(link for link in earlier if link) or None
    for row in rows if not keep_files else ():
        row["file"] = None
    account["unproven"] = account["unproven"] if unproven is None else unproven
    entries = [(row["place"], Kind.CHARGED, CHARGED, row, "link") for row in rows]
    entries += [(row["end_place"], Kind.ENDED, ENDED, row, "end_link") for row in rows if row["end_place"] is not None]
    if account["closed_place"] is not None:
        entries.append((account["closed_place"], Kind.CLOSED, CLOSED, account, "closed_link"))
    link, first = "", (0, Kind.OPENED, OPENED, account, "link")
    for _, kind, names, row, place in sorted([first, *entries], key=lambda each: int(each[0])):
        link = row[place] = link_of(link, kind, digest_of(row[name] for name in names), key)
    connection.execute(accounts.update().where(accounts.c.number == number).values(account))
    for row in rows:
        changed = {name: row[name] for name in _CHANGED}
        connection.execute(releases.update().where(releases.c.number == row["number"]).values(changed))


def is_signed_release(connection: Connection, row: Mapping[Any, Any], key: bytes | None) -> bool:
    """Return whether a charge, and how it ended, are what was signed; the entries before them are taken as they are."""
    entries = [(row["place"], Kind.CHARGED, CHARGED, row["link"])]
    if row["end_place"] is not None:
        entries.append((row["end_place"], Kind.ENDED, ENDED, str(row["end_link"])))
    elif row["finished"] is not None or row["answer"] is not None:
        return False

    def link_before(place: int) -> str:
        return next((link for link, _ in links_at(connection, row["account"], place - 1)), "")

    return all(
        is_linked(link, link_before(place), kind, digest_of(row[n] for n in names), key)
        for place, kind, names, link in entries
    )


def links_at(connection: Connection, number: int, place: int) -> list[tuple[str, list[str]]]:
    """Return the link of the entry at a place of an account, with its earlier ones; nothing where there is none."""
    charged, account = releases.c.account == number, accounts.c.number == number
    closed = select(accounts.c.closed_link, accounts.c.earlier_links).where(account, accounts.c.closed_place == place)
    chosen = [
        select(releases.c.link, releases.c.earlier_links).where(charged, releases.c.place == place),
        select(releases.c.end_link, releases.c.earlier_links).where(charged, releases.c.end_place == place),
        closed if place else select(accounts.c.link, accounts.c.earlier_links).where(account),
    ]
    rows = (row for each in chosen for row in connection.execute(each))
    return [(str(link), (earlier or "").split()) for link, earlier in rows]


# ── the key ──────────────────────────────────────────────────────────────────────────────────────────────────────────

SHORTEST_KEY = 16
KEY_BITS = 256


class LedgerKey(Key):
    """The key of a ledger, which no other process gets: it cannot be pickled, and a copy is itself."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("The key of a ledger is never pickled: open the ledger again where you need it.")

    def __copy__(self) -> LedgerKey:
        return self

    def __deepcopy__(self, _copied: object) -> LedgerKey:
        return self


def checked_key(key: str | None, name: str = "key") -> LedgerKey | None:
    """Return the key. Raises ParameterError, by its name, for one that is short enough to be guessed."""
    if key is None:
        return None
    if not isinstance(key, str) or len(key) < SHORTEST_KEY:
        raise ParameterError(name, f"must be a text of at least {SHORTEST_KEY} characters.")
    return LedgerKey(key.encode())


def stored_key(file: Path) -> str:
    """Return the key in a file that its owner alone can read, made on first use; two that start at once share one."""
    if not file.exists():
        make_private(file.parent)
        draft = file.with_name(f"{file.name}.{os.getpid()}.{ExactEntropy().integer_below(2**64):x}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as written:
            written.write(f"{ExactEntropy().integer_below(2**KEY_BITS):064x}")
        try:
            os.link(draft, file)
        except FileExistsError:  # another one was first, and its key counts
            return file.read_text()
        finally:
            draft.unlink()
    return file.read_text()


def check_of(ledger: str, key: bytes) -> str:
    """Return what a ledger of this id stores to know its key again."""
    return signature(OF_KEY, [ledger], key)


def has_key(connection: Connection) -> bool:
    """Return whether a ledger has been given a key."""
    return connection.execute(select(versions.c.key_check)).scalar_one() is not None


def is_own_key(connection: Connection, key: bytes) -> bool:
    """Return whether a ledger has a check, and this key fits it."""
    row = connection.execute(select(versions)).one()
    return row.key_check is not None and hmac.compare_digest(row.key_check, check_of(row.ledger, key))


def hold_to_key(connection: Connection, key: bytes | None) -> None:
    """Raise LedgerError unless the key is the ledger's own, or neither the ledger nor the caller has one.

    Raises it, too, where another version has changed the ledger since it was opened.
    """
    if connection.execute(select(versions.c.version)).scalar_one() != VERSION:
        raise LedgerError(OTHER_VERSION)
    if key is None:
        if has_key(connection):
            raise LedgerError(NO_KEY)
    elif not is_own_key(connection, key):
        raise LedgerError(OTHER_KEY)
