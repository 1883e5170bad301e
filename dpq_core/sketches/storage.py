"""Write a sketch as bytes and read it: a versioned header in JSON, three arrays of int64, and a checksum."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from ..errors import DataError
from .rank_bounds import RankBounds

MARK = b"DPQ-GK-1"
"""The format and its version."""
UNREADABLE = ValueError, TypeError, KeyError, ArithmeticError, RecursionError
"""What reading a header that is not from a sketch may raise."""
_SIZE_BYTES = 4
_CHECK_BYTES = 32
_COUNTS = ("n_max", "promised", "dropped", "n", "points")


def not_written() -> DataError:
    """Return the refusal of bytes that are whole, and still not from a sketch."""
    return DataError("the bytes of the sketch are not what a sketch writes.")


def pack(header: Mapping[str, Any], bounds: RankBounds) -> bytes:
    """Return the bytes of a sketch: mark, size of the header, header, cells, most_below, least_through, checksum."""
    text = json.dumps({**header, "n": bounds.n, "points": int(bounds.cells.size)}, sort_keys=True).encode()
    arrays = np.concatenate([bounds.cells, bounds.most_below, bounds.least_through]).astype("<i8").tobytes()
    body = MARK + len(text).to_bytes(_SIZE_BYTES, "little") + text + arrays
    return body + sha256(body).digest()


def unpack(data: bytes) -> tuple[dict[str, Any], RankBounds]:
    """Return what `pack` wrote, with counts that are whole numbers; nothing else is checked. Raises DataError."""
    start = len(MARK) + _SIZE_BYTES
    if not isinstance(data, bytes | bytearray | memoryview) or bytes(data[: len(MARK)]) != MARK:
        raise DataError("these bytes are no sketch of this version.")
    body, check = bytes(data[:-_CHECK_BYTES]), bytes(data[-_CHECK_BYTES:])
    if sha256(body).digest() != check:
        raise DataError("the bytes of the sketch are cut off or altered.")
    end = start + int.from_bytes(body[len(MARK) : start], "little")
    try:
        header = json.loads(body[start:end])
        counts = [header[name] for name in _COUNTS]
        cells, below, through = np.frombuffer(body[end:], "<i8").astype(np.int64).reshape(3, header["points"])
    except UNREADABLE:
        raise not_written() from None
    if not all(type(count) is int and count >= 0 for count in counts):
        raise not_written()
    return header, RankBounds(cells, below, through, header["n"])
