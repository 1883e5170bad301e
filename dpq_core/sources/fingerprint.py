"""The digest of the columns of a data frame that a question reads: whether a second frame holds the same rows.

It goes by what the columns hold, not by how: chunks, slices, and what lies under a missing value make no difference.
A release id is bound to it, under the ledger's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..groups.names import GroupColumn
from ..people.ids import People
from ..values import as_arrow, is_arrow
from .frames import Frame


def digest_of_columns(read: Frame, names: Iterable[str]) -> bytes:
    """Return the digest of columns, in this order. O(rows), a gigabyte a second. Raises ParameterError, DataError."""
    found = hashlib.sha256()
    for name in names:
        held = read.column(name, "by")
        if isinstance(held, People | GroupColumn):
            found.update(b"codes" + np.ascontiguousarray(held.codes).tobytes())
        else:
            _add(found, held, name)
    return found.digest()


def _add(found: Any, held: Any, name: str) -> None:
    import pyarrow as pa

    try:
        array = as_arrow(held)
        array = array if is_arrow(array) else pa.array(array, from_pandas=True)
        array = pa.chunked_array(array).combine_chunks() if not isinstance(array, pa.Array) else array
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if not (pa.types.is_primitive(array.type) or pa.types.is_null(array.type)):
            array = array.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, OverflowError):
        array = None
    if array is None:
        raise ParameterError(
            "release_id",
            f"must be left out: the column {name!r} holds values that cannot be compared with those of an earlier "
            "request. Turn them into numbers or texts first.",
        )
    found.update(f"{array.type} {len(array)} ".encode())
    found.update(np.packbits(array.is_null().to_numpy(zero_copy_only=False)).tobytes())
    known = array.drop_null()
    if pa.types.is_large_string(known.type):
        _, ends, text = known.buffers()
        places = np.frombuffer(ends or b"", np.int64)[known.offset : known.offset + len(known) + 1]
        found.update(np.diff(places).tobytes())
        if len(known):
            found.update(memoryview(text)[places[0] : places[-1]])
    else:
        found.update(np.ascontiguousarray(known.to_numpy(zero_copy_only=False)).tobytes())
