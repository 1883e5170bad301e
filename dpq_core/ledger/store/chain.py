"""Link each charge to the one before it in its account, so that none can be removed or changed unseen.

A link is an HMAC, under the ledger's key, of the link before it and of everything that a charge says for good. The
first one is linked to what the account says for good. What changes later is not in it: how a release ended, and its
answer. A ledger that was opened without a key links by a plain hash; such links show what is missing, and not who
wrote them. Links of charges from before there were any are plain, too.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

KEYED, PLAIN = "keyed", "plain"
OF_ACCOUNT = ("number", "name", "one_row_is", "adjacency", "budget", "opened")
OF_CHARGE = ("place", "release_id", "plan", "size", "who", "words", "epsilon", "delta", "rho", "charged")
"""What an account and a charge say for good, by the names of their columns."""
OF_PERSONS = (*OF_CHARGE, "protects")
"""Of a charge that protects persons: the links of all others stay as they were before any charge named what it does."""
OF_REQUEST = (*OF_PERSONS, "request_mark", "earlier_links")
"""Of a charge whose request is stored, or which was linked again under another key."""
_PURPOSE = "dpq ledger chain 1"
"""Keeps links apart from everything else that the key signs."""


@dataclass(frozen=True, order=True)
class End:
    """The last charge of an account: its place, counted from 1, and its link."""

    place: int
    link: str


def beginning(account: Mapping[str, Any]) -> End:
    """Return the end of an account that was charged nothing yet."""
    return End(0, signature(_PURPOSE, ["", *(account[name] for name in OF_ACCOUNT)], None))


def link_of(previous: str, charge: Mapping[str, Any], key: bytes | None) -> str:
    """Return the link of a charge to the one before it, which has the link `previous`."""
    return signature(_PURPOSE, _signed(previous, charge), key)


def is_linked(previous: str, charge: Mapping[str, Any], key: bytes | None) -> bool:
    """Return whether a charge has the link that it should have. Without the key, a keyed link is taken as it is."""
    return is_signed(charge["link"], _PURPOSE, _signed(previous, charge), key)


def signature(purpose: str, values: Sequence[object], key: bytes | None) -> str:
    """Return what signs plain values for one purpose: an HMAC under the key, or a plain hash where there is none."""
    signed = json.dumps([purpose, *values]).encode()
    if key is None:
        return f"{PLAIN}:{sha256(signed).hexdigest()}"
    return f"{KEYED}:{hmac.new(key, signed, 'sha256').hexdigest()}"


def is_signed(found: str, purpose: str, values: Sequence[object], key: bytes | None) -> bool:
    """Return whether values have the signature that they should have; without the key, a keyed one is taken for it."""
    keyed = found.startswith(KEYED)
    if keyed and key is None:
        return True
    return hmac.compare_digest(found, signature(purpose, values, key if keyed else None))


def _signed(previous: str, charge: Mapping[str, Any]) -> list[object]:
    names: tuple[str, ...] = OF_CHARGE if charge.get("protects", "record") == "record" else OF_PERSONS
    if charge.get("request_mark") is not None or charge.get("earlier_links") is not None:
        names = OF_REQUEST
    return [previous, *(charge[name] for name in names)]
