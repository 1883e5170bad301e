"""Reader of Parquet files: one column, batch by batch, whose type decides what the cells mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import DataError, Disclosure
from ...groups.cells import PossibleNames, holds_of
from ...values import converter
from ..column import Progress, label_columns
from ..formats.reader import Layout, Place, RawCells, Reader, SaidOfLayout
from ..found import FileColumn, Opener, Typed, is_text
from ..reading import AS_WRITTEN, Reading
from ..single import shortest_decimals
from .unknown_types import WithoutUnknownTypes

BATCH = 1 << 18  # rows
BUFFER = 1 << 20  # bytes read ahead; Arrow would else hold the column of a whole row group, however large
LONGEST_CELL = 400  # bytes of a dictionary entry that are kept: more is no number


@dataclass(frozen=True)
class ParquetLayout(Layout):
    """The labels of the top-level columns."""

    module = "parquet"


class ParquetReader(Reader[ParquetLayout]):
    """Files whose columns lie apart from each other, each with its type."""

    def find_layout(self, open_file: Opener, said: SaidOfLayout) -> ParquetLayout:
        """Find the columns."""
        with open_file() as file:
            return ParquetLayout(label_columns(open_parquet(file)[0].schema_arrow.names))

    def find_column(self, open_file: Opener, layout: ParquetLayout, place: Place) -> FileColumn:
        """Find a column by its place. Raises DataError for one of no use."""
        return _column(open_file, *place)

    def raw_cells(
        self, open_file: Opener, layout: ParquetLayout, index: int, progress: Progress | None, *, labelled: bool
    ) -> RawCells:
        """Return the cells of a column as the file holds them, none of them cut. Raises DataError for one of no use."""
        _column(open_file, index)
        with open_file() as file:
            reader = open_parquet(file)[0]
            held, leaf = reader.schema_arrow.types[index], _first_leaf(reader.schema_arrow, index)
            cut = reader.metadata.schema.column(leaf).physical_type == "INT96"
        cells = _batches(open_file, index, progress)
        return RawCells(_of_96_bits(open_file, index, cells) if cut else cells, PossibleNames(holds_of(held)))


READER = ParquetReader()


def _column(open_file: Opener, index: int, label: str = "", reading: Reading = AS_WRITTEN) -> FileColumn:
    with open_file() as file:
        reader, unknown = open_parquet(file)
        schema, metadata = reader.schema_arrow, reader.metadata
    if index in unknown:
        raise _no_use(unknown[index])
    field, leaf = schema.field(index), _first_leaf(schema, index)
    text = is_text(field.type)
    if text and _bytes_unpacked(metadata, leaf) > LONGEST_CELL * metadata.num_rows + BUFFER:
        raise DataError("The column holds long texts, not numbers; choose another column.", discloses=Disclosure.KIND)
    typed = None if text else _typed(field.type)
    read = partial(_cells, open_file, index)
    return FileColumn(label=label, read=read, typed=typed, rows=metadata.num_rows, reading=reading)


def open_parquet(
    file: pa.NativeFile, dictionary: Sequence[str] = (), unit: str = "us"
) -> tuple[pq.ParquetFile, dict[int, str]]:
    """Return a reader of the file, and by their places the columns whose type Arrow does not know, with that type.

    `unit`: of timestamps of 96 bits; in microseconds they hold all years.
    """
    settings: dict[str, Any] = {
        "read_dictionary": list(dictionary), "buffer_size": BUFFER, "pre_buffer": False,
        "coerce_int96_timestamp_unit": unit,
    }  # fmt: skip
    try:
        return pq.ParquetFile(file, **settings), {}
    except pa.ArrowException:
        known = WithoutUnknownTypes(file)
        if not known.unknown:
            raise
    return pq.ParquetFile(pa.PythonFile(known, "r"), **settings), known.unknown


def _cells(open_file: Opener, index: int, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield the cells batch by batch, text as plain bytes; memory does not grow with the file."""
    for cells in _batches(open_file, index, progress):
        yield _short_text(cells) if is_text(cells.type) else cells


def _of_96_bits(open_file: Opener, index: int, cells: Iterator[pa.Array]) -> Iterator[pa.Array]:
    """Yield timestamps of 96 bits in microseconds. Raises DataError where one is finer, and two could become one."""
    for cut, fine in zip(cells, _batches(open_file, index, None, "ns"), strict=True):
        micro, nano = (each.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False) for each in (cut, fine))
        if np.any(micro * 1_000 != nano):
            raise DataError(
                "The column holds times finer than a microsecond in 96 bits; save it as a timestamp of 64 bits or as "
                "text.",
                discloses=Disclosure.KIND,
            )
        yield cut


def _batches(open_file: Opener, index: int, progress: Progress | None, unit: str = "us") -> Iterator[pa.Array]:
    """Yield the cells batch by batch, text as entries of a dictionary.

    A column is found by its place: its name may be that of another one, or the path to a part of another one.
    """
    done = 0
    with open_file() as file:
        schema = open_parquet(file)[0].schema_arrow
        name, leaf = schema.names[index], _first_leaf(schema, index)
        reader, _ = open_parquet(file, [name] if is_text(schema.types[index]) else [], unit)
        rows, groups = reader.metadata.num_rows, list(range(reader.num_row_groups))
        for batch in reader.reader.iter_batches(BATCH, groups, column_indices=[leaf], use_threads=True):
            done += len(batch)
            if progress is not None:
                progress(done / rows)
            yield batch.column(0)


def _first_leaf(schema: pa.Schema, index: int) -> int:
    """Return the place of a column among the stored ones, of which a nested column has several."""
    return sum(_leaves(kind) for kind in schema.types[:index])


def _leaves(kind: pa.DataType) -> int:
    if isinstance(kind, pa.BaseExtensionType):
        return _leaves(kind.storage_type)
    if pa.types.is_nested(kind):
        return sum(_leaves(kind.field(at).type) for at in range(kind.num_fields))
    return 1


def _bytes_unpacked(metadata: pq.FileMetaData, leaf: int) -> int:
    """Return the size of a column's cells before compression, as the file states it."""
    return sum(metadata.row_group(k).column(leaf).total_uncompressed_size for k in range(metadata.num_row_groups))


def _short_text(cells: pa.Array) -> pa.Array:
    """Return text cells as plain bytes; entries of a dictionary are cut, since each may belong to many rows."""
    if not pa.types.is_dictionary(cells.type):
        return cells.cast(pa.binary())
    short = [entry and entry[:LONGEST_CELL] for entry in cells.dictionary.cast(pa.binary()).to_pylist()]
    return pa.array(short, pa.binary()).take(cells.indices)


def _typed(kind: pa.DataType) -> Typed:
    """Return kind, unit and conversion to float64 (NaN for null) of an Arrow type that is not text."""
    types, convert = pa.types, converter(kind)
    if convert is None:
        raise _no_use(str(kind).partition("<")[0])
    if types.is_date(kind) or types.is_timestamp(kind):
        return Typed("date", "date", convert)
    if types.is_duration(kind) or types.is_time(kind):
        return Typed("duration", "seconds", convert)
    if types.is_float32(kind) or types.is_float16(kind):
        return Typed("number", "", lambda cells: shortest_decimals(cells.to_numpy(zero_copy_only=False)))
    return Typed("number", "", convert)


def _no_use(held: str) -> DataError:
    """Return the refusal of a column of a type that is no number, date or text."""
    return DataError(
        f"The column holds values of the type {held}, not numbers, dates or text; choose another column.",
        discloses=Disclosure.KIND,
    )
