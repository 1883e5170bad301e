"""The rows of a query as Arrow, so that what takes the cells of files takes these.

All cells of a column are of one kind, as databases with types have it; other columns, which SQLite may hold, are
refused: Arrow takes a text and the same bytes for one cell, and cuts a moment to its day.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from types import NoneType
from typing import Any
from uuid import UUID

import pyarrow as pa

from ...errors import DataError, Disclosure
from ...groups.cells import PossibleNames, holds_of, is_text
from ..column import Progress, check_rows
from ..formats.reader import CellTable, Place
from ..found import FileColumn, typed_of

SEVERAL = (
    "The column holds cells of several kinds or time zones, or numbers of too many digits; choose another column, or "
    "cast it in a query."
)


class RowTable(CellTable):
    """Columns that are in memory, called by their places."""

    def __init__(self, rows: pa.Table) -> None:
        self.rows = rows

    def find_column(self, place: Place) -> FileColumn:
        """Find a column by its place; its type decides what the cells mean."""
        held = self.rows.schema.field(str(place.at)).type
        return FileColumn(
            label=place.label, read=partial(self.alone, place), typed=None if is_text(held) else typed_of(held),
            rows=self.rows.num_rows, reading=place.reading, possible=PossibleNames(holds_of(held)),
        )  # fmt: skip

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells as they were fetched."""
        for batch in self.rows.to_batches():
            yield [batch.column(str(place.at)) for place in places]


def as_arrow(batches: Iterable[Sequence[Sequence[Any]]], places: Collection[int]) -> pa.Table:
    """Return batches of rows as a table whose columns are called by their places. Raises DataError."""
    kinds = [set[object]() for _ in places]
    parts = [[pa.nulls(0)] for _ in places]
    rows = 0
    for batch in batches:
        rows += len(batch)
        check_rows(rows)
        for held, part, cells in zip(kinds, parts, zip(*batch, strict=True), strict=True):
            held.update(map(_kind, cells))
            part.append(_array(cells))
    for held in kinds:
        held.discard(NoneType)
        if len(held) > 1 and held != {int, float}:
            raise DataError(SEVERAL, discloses=Disclosure.KIND)
    return pa.table(dict(zip(map(str, places), map(_whole, parts), strict=True)))


def _kind(cell: object) -> object:
    """Return the type of a cell, of one with a time zone the name of the zone."""
    zone = getattr(cell, "tzinfo", None)
    return type(cell) if zone is None else str(zone)


def _array(cells: Sequence[Any]) -> pa.Array:
    """Return cells as Arrow; UUIDs and bytes as texts, which are as many."""
    first = next((cell for cell in cells if cell is not None), None)
    try:
        if isinstance(first, UUID):
            cells = [cell and str(cell) for cell in cells]
        elif isinstance(first, bytes):
            cells = [f"0x{cell.hex()}" if cell else None for cell in cells]
        return pa.array(cells, from_pandas=True)  # NaN is missing
    except (pa.ArrowException, AttributeError, TypeError, ValueError, OverflowError):
        pass
    raise DataError(SEVERAL, discloses=Disclosure.KIND)


def _whole(parts: Sequence[pa.Array]) -> pa.ChunkedArray:
    """Return the parts of a column in one type. Raises DataError where a number would be rounded."""
    try:
        tables = [pa.table({"": part}) for part in parts]
        return pa.concat_tables(tables, promote_options="permissive").column(0)
    except pa.ArrowException:
        pass
    raise DataError(SEVERAL, discloses=Disclosure.KIND)
