"""Fingerprint files, to warn a curator whose file looks like one that was released from before; never a rule.

A fingerprint is an HMAC of the file's digest under the ledger's key, so nobody who finds the ledger can try out
files. The digest alone is enough to make one later, when the file's bytes are gone. The comparison itself is exact,
and so outside of every guarantee: who may compare many files finds a single record with it. `files` says when, for whom
and how often it is made.
"""

from __future__ import annotations

import os
from hashlib import file_digest, sha256
from pathlib import Path
from typing import NoReturn, SupportsIndex

from ..errors import ParameterError
from ..noise.exact import ExactEntropy
from ..noise.tie_breaking import Key
from .store.database import make_private

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


def digest_of(content: bytes | memoryview) -> bytes:
    """Return the digest of a file's bytes; it could be found by trying files, so it is never stored. O(n)."""
    return sha256(content).digest()


def digest_of_file(path: str | Path) -> bytes:
    """Return the digest of a file on disk, which is read in pieces. O(n). Raises OSError."""
    with Path(path).open("rb") as content:
        return file_digest(content, "sha256").digest()
