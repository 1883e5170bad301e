"""Write a sketch as bytes and read it: a versioned header in JSON, three arrays of int64, and a checksum."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, get_args

import numpy as np

from ..domain.domain import Domain
from ..errors import DataError
from ..privacy.budgets import Protects
from .rank_bounds import RankBounds

MARK = b"DPQ-GK-1"
"""The format and its version."""
_SIZE_BYTES = 4
_CHECK_BYTES = 32
_COUNTS = ("n_max", "promised", "dropped", "n", "points")


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Everything that a sketch consists of."""

    alpha: float
    domain: Domain
    n_max: int
    own_max: int | None
    promised: int
    missing: Fraction | None
    dropped: int
    protects: Protects
    bounds: RankBounds


def pack(contents: Contents) -> bytes:
    """Return the bytes of a sketch: mark, size of the header, header, cells, most_below, least_through, checksum."""
    bounds = contents.bounds
    header = {
        "alpha": contents.alpha,
        "domain": contents.domain.as_dict(),
        "n_max": contents.n_max,
        "own_max": contents.own_max,
        "promised": contents.promised,
        "missing": None if contents.missing is None else str(contents.missing),
        "dropped": contents.dropped,
        "n": bounds.n,
        "points": int(bounds.cells.size),
        **({} if contents.protects == "record" else {"protects": contents.protects}),
    }
    text = json.dumps(header, sort_keys=True).encode()
    arrays = np.concatenate([bounds.cells, bounds.most_below, bounds.least_through]).astype("<i8").tobytes()
    body = MARK + len(text).to_bytes(_SIZE_BYTES, "little") + text + arrays
    return body + sha256(body).digest()


def unpack(data: bytes, width_of: Callable[[Contents], int]) -> Contents:
    """Return what `pack` wrote, checked; `width_of` says how wide its bounds may be. Raises DataError."""
    start = len(MARK) + _SIZE_BYTES
    if not isinstance(data, bytes | bytearray | memoryview) or bytes(data[: len(MARK)]) != MARK:
        raise DataError("these bytes are no sketch of this version.")
    body, check = bytes(data[:-_CHECK_BYTES]), bytes(data[-_CHECK_BYTES:])
    if sha256(body).digest() != check:
        raise DataError("the bytes of the sketch are cut off or altered.")
    end = start + int.from_bytes(body[len(MARK) : start], "little")
    try:
        contents = _contents(json.loads(body[start:end]), body[end:])
        sound = contents.bounds.is_consistent(contents.domain.cells, width_of(contents))
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
        raise DataError("the bytes of the sketch are not what a sketch writes.") from None
    if not sound:
        raise DataError("the bytes of the sketch contradict each other.")
    return contents


def _contents(header: dict[str, Any], arrays: bytes) -> Contents:
    """Return the parts of a header and its arrays. Raises ValueError, TypeError or KeyError for what cannot be."""
    counts = [header[name] for name in _COUNTS]
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("counts are whole numbers")
    n_max, promised, dropped, n, points = counts
    cells, below, through = np.frombuffer(arrays, "<i8").astype(np.int64).reshape(3, points)
    own_max = header["own_max"]
    if not (own_max or 0) <= promised <= n_max:
        raise ValueError("parts promise no more than the whole")
    protects = header.get("protects", "record")
    if protects not in get_args(Protects):
        raise ValueError("a record or a person is protected")
    return Contents(
        alpha=float(header["alpha"]),
        domain=Domain.from_dict(header["domain"]),
        n_max=n_max,
        own_max=own_max,
        promised=promised,
        missing=None if header["missing"] is None else Fraction(header["missing"]),
        dropped=dropped,
        protects=protects,
        bounds=RankBounds(cells, below, through, n),
    )
