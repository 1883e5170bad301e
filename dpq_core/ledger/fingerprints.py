"""Whether a file looks the same as one that was released from before: a warning for the curator, never a rule.

A fingerprint is an HMAC of the file's bytes under the ledger's key, so that whoever finds the ledger cannot try out
files. The comparison itself is exact, and so outside of every guarantee: who may upload many files could find a
single record with it. It is for the curator, who holds the file, and never for readers of the answers.
"""

from __future__ import annotations

import hmac

from ..errors import ParameterError

SHORTEST_KEY = 16


def checked_key(key: str | None) -> bytes | None:
    """The key as bytes. Raises ParameterError for one that could be guessed for its length alone."""
    if key is None:
        return None
    if not isinstance(key, str) or len(key) < SHORTEST_KEY:
        raise ParameterError("key", f"`key` must be a text of at least {SHORTEST_KEY} characters.")
    return key.encode()


def fingerprint(content: bytes | memoryview, key: bytes) -> str:
    """The fingerprint of a file's bytes: 64 hexadecimal digits. O(n)."""
    return hmac.new(key, content, "sha256").hexdigest()
