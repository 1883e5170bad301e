"""Cells of ids and of names as Arrow has them, and ids as numbers: one rule for files, databases, frames and clusters.

Claim. Of a column of one type two rows get one number exactly where `identity.id_of` gives their cells one identity,
for any other cells: `coded` looks at types and texts cell by cell, and `joined` compares what it made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import DataError, Disclosure
from ..texts import name_in_file
from ..values import DIGITS, refuse_rounded, shortest_decimals
from .identity import NO_ID, not_compared

MOST_DIGITS = 15
"""Of a text that is taken for a whole number."""
ODD_NAME = r"^$|^\s|\s$|\s\s|[\x00-\x1f]|^-?\d+\.0+$|^(?i:true|false)$|^\d{4}-\d\d-\d\d[T ]"
"""Names of ASCII that `name_in_file` may change."""


def is_text(kind: pa.DataType) -> bool:
    """Return whether cells of a type are text or plain bytes."""
    return str(kind.value_type if pa.types.is_dictionary(kind) else kind) in TEXTS


TEXTS = frozenset(["string", "large_string", "string_view", "binary", "large_binary", "binary_view"])


def as_text(fields: pa.Array) -> pa.Array:
    """Return text cells as UTF-8. Raises DataError for other bytes: replaced, two cells could become one."""
    raw = fields.cast(pa.binary())
    try:
        return raw.cast(pa.string())
    except pa.ArrowInvalid:
        pass
    raise DataError("The column holds bytes that are not UTF-8 text; save it as text.", discloses=Disclosure.FORMAT)


def cleaned(cells: pa.Array) -> pa.Array:
    """Return texts as `texts.name_in_file` has them, other cells as they are, and null for what is no id or name."""
    if is_text(cells.type):
        texts = as_text(cells)  # most are called as they are, which is quicker to see for all at once
        odd = pc.or_(pc.invert(pc.string_is_ascii(texts)), pc.match_substring_regex(texts, ODD_NAME)).fill_null(False)
        names = [name_in_file(text) for text in texts.filter(odd).to_pylist()]
        return pc.replace_with_mask(texts, odd, pa.array(names, pa.string()))
    if pa.types.is_floating(cells.type):
        held = cells.to_numpy(zero_copy_only=False)
        refuse_rounded(held)
        numbers = pc.add(pa.array(shortest_decimals(held) if held.dtype in DIGITS else held), 0.0)  # -0 is 0
        return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    return cells.cast(pa.string()) if pa.types.is_null(cells.type) else cells


def without(texts: pa.Array, words: Sequence[str]) -> pa.Array:
    """Return the same with null for cells that hold one of the words, in letters of any case."""
    return pc.if_else(pc.is_in(pc.utf8_lower(texts), pa.array(words)), pa.scalar(None, pa.string()), texts)


def coded(cells: pa.Array) -> pa.Array:
    """Return ids as whole numbers, or as places in a dictionary of different ids; null where one is missing.

    Bytes are compared byte by byte. Raises DataError.
    """
    kind, types = cells.type, pa.types
    if types.is_dictionary(kind):
        return coded(cells.dictionary).take(cells.indices)
    if types.is_integer(kind) and kind != pa.uint64():
        return cells.cast(pa.int64())
    if is_text(kind) and "binary" not in str(kind):
        cells = as_text(cells)
        length = pc.binary_length(cells)  # whole numbers, each in the one form that is its own?
        is_own = pc.and_(
            pc.less_equal(length, MOST_DIGITS), pc.or_(pc.equal(length, 1), pc.invert(pc.starts_with(cells, "0")))
        )
        if bool(pc.all(pc.and_(pc.ascii_is_decimal(cells), is_own)).as_py()):
            return cells.cast(pa.int64())
        cells = without(cleaned(cells), NO_ID)
    elif is_text(kind):
        cells = cells.cast(pa.large_binary())
        cells = pc.if_else(pc.match_substring_regex(cells, r"^\s*$"), pa.scalar(None, cells.type), cells)
    else:
        cells = _in_microseconds(cells) if types.is_time64(kind) else cleaned(cells)
    try:
        if types.is_floating(kind) and pc.all(pc.equal(cells, pc.round(cells))).as_py():
            return cells.cast(pa.int64())
    except pa.ArrowException:  # too large, or infinite
        pass
    try:
        if not types.is_fixed_size_binary(kind):  # which polars makes of places of objects in memory
            return cells.dictionary_encode()
    except pa.ArrowException:
        pass
    raise not_compared()


def _in_microseconds(times: pa.Array) -> pa.Array:
    """Return times of day as Python can hold them. Raises DataError for finer ones, which would become one."""
    try:
        return times.cast(pa.time64("us"))
    except pa.ArrowInvalid:
        pass
    raise DataError("ids must not be times finer than a microsecond: turn them into texts first.")


def joined(parts: Iterable[pa.Array]) -> pa.ChunkedArray:
    """Return what `coded` made of the parts of a column as whole numbers, or as places in one dictionary."""
    known = list(parts)
    kind = next((each.type.value_type for each in known if pa.types.is_dictionary(each.type)), None)
    if kind is None:
        return pa.chunked_array(known, pa.int64())
    coded_alike = (each if pa.types.is_dictionary(each.type) else each.cast(kind).dictionary_encode() for each in known)
    return pa.chunked_array(coded_alike).unify_dictionaries()


def in_numbers(parts: Iterable[pa.Array]) -> pa.ChunkedArray:
    """Return what `coded` made of the parts of a column as whole numbers, equal for equal ids."""
    found = joined(parts)
    if not pa.types.is_dictionary(found.type):
        return found
    return pa.chunked_array([each.indices.cast(pa.int64()) for each in found.chunks], pa.int64())
