"""Link each charge to the one before it in its account, so that none can be removed or changed unseen.

A link is an HMAC, under the ledger's key, of the link before it and of everything that a charge says for good. The
first one is linked to what the account says for good. What changes later is not in it: how a release ended, and its
answer. A ledger that was opened without a key links by a plain hash; such links show what is missing, and not who
wrote them. Links of charges from before there were any are plain, too.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

KEYED, PLAIN = "keyed", "plain"
OF_ACCOUNT = ("number", "name", "one_row_is", "adjacency", "budget", "opened")
OF_CHARGE = ("place", "release_id", "plan", "size", "who", "words", "epsilon", "delta", "rho", "charged")
"""What an account and a charge say for good, by the names of their columns."""
OF_PERSONS = (*OF_CHARGE, "protects")
"""Of a charge that protects persons: the links of all others stay as they were before any charge named what it does."""
_PURPOSE = "dpq ledger chain 1"
"""Keeps links apart from everything else that the key signs."""


@dataclass(frozen=True, order=True)
class End:
    """The last charge of an account: its place, counted from 1, and its link."""

    place: int
    link: str


def beginning(account: Mapping[str, Any]) -> End:
    """Return the end of an account that was charged nothing yet."""
    return End(0, f"{PLAIN}:{sha256(_signed('', account, OF_ACCOUNT)).hexdigest()}")


def link_of(previous: str, charge: Mapping[str, Any], key: bytes | None) -> str:
    """Return the link of a charge to the one before it, which has the link `previous`."""
    signed = _signed(previous, charge, OF_CHARGE if charge.get("protects", "record") == "record" else OF_PERSONS)
    if key is None:
        return f"{PLAIN}:{sha256(signed).hexdigest()}"
    return f"{KEYED}:{hmac.new(key, signed, 'sha256').hexdigest()}"


def is_linked(previous: str, charge: Mapping[str, Any], key: bytes | None) -> bool:
    """Return whether a charge has the link that it should have. Without the key, a keyed link is taken as it is."""
    if not charge["link"].startswith(KEYED):
        return hmac.compare_digest(charge["link"], link_of(previous, charge, None))
    return key is None or hmac.compare_digest(charge["link"], link_of(previous, charge, key))


def _signed(previous: str, row: Mapping[str, Any], names: tuple[str, ...]) -> bytes:
    return json.dumps([_PURPOSE, previous, *(row[name] for name in names)]).encode()
