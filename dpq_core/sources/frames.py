"""Columns by name of any kind of table: pandas, polars, pyarrow, duckdb, or a dict of arrays, as Arrow or numpy.

How a column is read hangs on its type, which is public; a refusal names the column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from typing import Any

import numpy as np

from ..errors import DataError, Disclosure, ParameterError, beginning, shown
from ..groups.names import GroupColumn, names_of
from ..people.ids import People
from ..texts import plain_text
from ..values import arrow_type, as_arrow, converter, is_arrow, numeric_column


def values_in(column: Any, name: str) -> Any:
    """Return a column of values as Arrow has it, or as numbers of numpy. Raises DataError for one that is none."""
    with beginning(f"the column {name!r} cannot be read: "):
        found = as_arrow(column)
        if not is_arrow(found):
            return numeric_column(found)
    kind, held = None, str(getattr(column, "dtype", "extension"))
    with suppress(DataError):  # where it cannot be handed over
        kind = arrow_type(found)
        kind = kind.value_type if str(kind).startswith("dictionary") else kind
        held = str(kind).partition("<")[0].replace("extension", held)
    if kind is None or converter(kind) is None:
        raise DataError(
            f"the column {name!r} holds values of the type {held}, which cannot be read as numbers, dates or "
            "durations: choose another one, or convert it first.",
            discloses=Disclosure.KIND,
        )
    return found


_NO_FRAME = "must be a pandas, polars, pyarrow or duckdb table, or a dict of arrays, as in {'age': ages}."


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """The columns of a table by name. Private."""

    names: tuple[str, ...]
    _column: Callable[[str], Any]
    _groups: dict[str, GroupColumn] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Frame(names={self.names!r})"

    def column(self, name: object, setting: str) -> Any:
        """Return the column of this name as it is held. Raises ParameterError for `setting`, with the nearest name."""
        if isinstance(name, str) and name not in self.names:  # accents and blanks may be other characters
            name = next((each for each in self.names if plain_text(each) == plain_text(name)), name)
        if not isinstance(name, str) or name not in self.names:
            near = get_close_matches(name, self.names, n=1) if isinstance(name, str) else []
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(setting, f"must name columns of the table; it has no column {shown(name)}.{meant}")
        if self.names.count(name) > 1:
            named = f"the table has more than one column named {name!r}: rename one of them."
            raise DataError(named, discloses=Disclosure.NAMES)
        return values_in(self._column(name), name) if setting == "columns" else self._column(name)

    def groups(self, name: str) -> GroupColumn:
        """Return a column of groups, which is read once. Raises as `column`."""
        if name not in self._groups:
            column = self.column(name, "by")
            with beginning(f"the column {name!r} cannot be read: "):
                self._groups[name] = names_of(column)
        return self._groups[name]

    def people(self, name: str, *, missing_is_person: bool) -> People:
        """Return whose row each is, by a column of ids. Raises as `column`."""
        ids = self.column(name, "person")
        with beginning(f"the column {name!r} cannot be read: "):
            found = ids if isinstance(ids, People) else People.of(ids, missing_is_person=missing_is_person)
        return found if found.whose.column else found.of_column(name)

    def digest(self, names: Iterable[str]) -> bytes:
        """Return the digest of what columns hold, in this order: a second frame with the same rows has the same one.

        Chunks, slices, and what lies under a missing value make no difference. A release id is bound to it, under the
        ledger's key. O(rows), a gigabyte a second. Raises as `column`, and ParameterError for `release_id`.
        """
        found = sha256()
        for name in names:
            held = self.column(name, "by")
            if isinstance(held, People | GroupColumn):
                found.update(b"codes" + np.ascontiguousarray(held.codes).tobytes())
            else:
                _add(found, held, name)
        return found.digest()

    def is_dated(self, name: str) -> bool:
        """Return whether a column is one of dates or moments, by its type alone."""
        if self.names.count(name) != 1:
            return False
        held = self._column(name)
        kind = str(getattr(held, "dtype", getattr(held, "type", ""))).lower()
        return kind.startswith(("date", "timestamp"))


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


def is_frame(data: object) -> bool:
    """Return whether `read_frame` would read this as a data frame; a dict, which may hold anything, does not count."""
    named = hasattr(data, "columns") or hasattr(data, "column_names")
    return named and (hasattr(data, "iloc") or hasattr(data, "__arrow_c_stream__") or _is_lazy(data))


def read_frame(frame: object) -> Frame:
    """Return the columns of a table; those that were read already as they are.

    A duckdb relation is evaluated once, so that its rows keep one order, and a stream can be read only once. Raises
    ParameterError, DataError.
    """
    if isinstance(frame, Frame):
        return frame
    if isinstance(frame, Mapping):
        lengths = {len(column) for column in frame.values() if hasattr(column, "__len__")}
        if len(lengths) > 1:
            raise DataError("the columns of a table must have the same number of rows.", discloses=Disclosure.SHAPE)
        return Frame(tuple(map(str, frame)), {str(name): column for name, column in frame.items()}.__getitem__)
    if _is_lazy(frame):
        raise ParameterError("frame", "must be evaluated first: call .collect().")
    held: Any = frame
    if hasattr(held, "execute") and hasattr(held, "sql"):
        raise ParameterError("frame", "must be a table of this connection, as in connection.table('visits').")
    if hasattr(held, "columns") and (hasattr(held, "iloc") or hasattr(held, "get_column")):
        own = {str(name): name for name in held.columns}  # which may be numbers
        return Frame(tuple(map(str, held.columns)), lambda name: held[own[name]])
    if (not hasattr(held, "columns") and (hasattr(held, "dtype") or hasattr(held, "type"))) or not hasattr(
        held, "__arrow_c_stream__"
    ):
        raise ParameterError("frame", _NO_FRAME)
    import pyarrow as pa

    try:
        table = held if isinstance(held, pa.Table) else pa.table(held)
    except Exception:  # of other hands, and may quote values
        table = None
    if table is None:
        raise DataError("the table cannot be read: its Arrow stream ended in an error.", discloses=Disclosure.FORMAT)
    return Frame(tuple(table.column_names), table.column)


def _is_lazy(frame: object) -> bool:
    return hasattr(frame, "collect") and not hasattr(frame, "get_column") and not isinstance(frame, Mapping)
