"""Link each entry of an account to the one before it, so that none can be removed or changed unseen.

An account has four kinds of entries: it was opened, a release was charged, a charge ended, the account was closed. A
link is an HMAC, under the ledger's key, of the link before it and of all that the entry says. A ledger that never had a
key has plain hashes in their place, which show what is missing and not who wrote them.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import TypeAlias

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


_digests: dict[tuple[object, ...], str] = {}
"""Digests by all that entries say, compared in full, because no shorter mark is safe: most entries are read again."""
MOST_DIGESTS = 20_000


def digest_of(said: Iterable[object]) -> str:
    """Return a digest of what an entry says."""
    values = tuple(said)
    digest = _digests.get(values)
    if digest is None:
        if len(_digests) >= MOST_DIGESTS:
            _digests.clear()
        digest = _digests[values] = sha256(json.dumps(values).encode()).hexdigest()
    return digest


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
