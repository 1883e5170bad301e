"""Reader of Parquet files: one column, batch by batch, whose type decides what the cells mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import DataError, Disclosure
from ...groups.cells import PossibleNames, holds_of
from ...people.coded import is_text
from ..column import Progress, label_columns
from ..formats.reader import FileTable, Layout, Place, SaidOfLayout
from ..found import FileColumn, Opener, typed_of
from ..header import public_names

BATCH = 1 << 18  # rows
BUFFER = 1 << 20  # bytes read ahead; Arrow would else hold the column of a whole row group, however large
MARK, KEY, END = b"PAR1", b"ARROW:schema", 8
"""The start of a file; where Arrow keeps types of its own in the footer; bytes behind that: its length and a mark."""
LONGEST_CELL = 400  # bytes of a dictionary entry that are kept: more is no number


@dataclass(frozen=True)
class ParquetLayout(Layout):
    """The labels of the top-level columns."""

    module = "parquet"


class ParquetTable(FileTable[ParquetLayout]):
    """Columns that lie apart from each other, each with its type."""

    def __init__(self, open_file: Opener, layout: ParquetLayout) -> None:
        self._open = open_file

    @classmethod
    def find_layout(cls, open_file: Opener, said: SaidOfLayout) -> ParquetLayout:
        """Find the columns."""
        with open_file() as file:
            return ParquetLayout(label_columns(open_parquet(file).schema_arrow.names))

    def find_column(self, place: Place) -> FileColumn:
        """Find a column by its place. Raises DataError for one of no use."""
        with self._open() as file:
            reader = open_parquet(file)
            schema, metadata = reader.schema_arrow, reader.metadata
        held, leaf = schema.types[place.at], _first_leaf(schema, place.at)
        unpacked = sum(
            metadata.row_group(k).column(leaf).total_uncompressed_size for k in range(metadata.num_row_groups)
        )
        if is_text(held) and unpacked > LONGEST_CELL * metadata.num_rows + BUFFER:
            raise DataError(
                "The column holds long texts, not numbers; choose another column.", discloses=Disclosure.KIND
            )
        cells = _of_96_bits if metadata.schema.column(leaf).physical_type == "INT96" else _batches
        return FileColumn(
            label=place.label, read=partial(_cells if place.use == "values" else cells, self._open, place.at),
            typed=None if is_text(held) else typed_of(held), rows=metadata.num_rows, reading=place.reading,
            possible=PossibleNames(holds_of(held)),
        )  # fmt: skip


TABLE = ParquetTable


def open_parquet(file: pa.NativeFile, dictionary: Sequence[str] = (), unit: str = "us") -> pq.ParquetFile:
    """Return a reader of the file. Raises DataError where it holds a type that Arrow does not know.

    `unit`: of timestamps of 96 bits; in microseconds they hold all years.
    """
    try:
        return pq.ParquetFile(
            file, read_dictionary=list(dictionary), buffer_size=BUFFER, pre_buffer=False,
            coerce_int96_timestamp_unit=unit,
        )  # fmt: skip
    except pa.ArrowException:
        file.seek(file.size() - END)
        length = int.from_bytes(bytes(file.read(4)), "little")
        file.seek(file.size() - END - length)
        footer = bytes(file.read()).replace(KEY, bytes(len(KEY)))
    schema = pq.read_schema(pa.BufferReader(MARK + footer))  # of Parquet's own types; or the file is damaged
    names = public_names(label_columns(schema.names))
    fixed = [at for at, kind in enumerate(schema.types) if pa.types.is_fixed_size_binary(kind)]
    held = ": " * bool(fixed) + " or ".join(f"{schema.types[at]} in the column {names[at]!r}" for at in fixed)
    raise DataError(
        f"The file holds a type that cannot be read{held}; save such a column as numbers of 64 bits, as decimals or "
        "as text, or leave it out.",
        discloses=Disclosure.KIND,
    )


def _cells(open_file: Opener, index: int, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield the cells batch by batch, text as plain bytes; memory does not grow with the file."""
    for cells in _batches(open_file, index, progress):
        yield _short_text(cells) if is_text(cells.type) else cells


def _of_96_bits(open_file: Opener, index: int, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield timestamps of 96 bits in microseconds. Raises DataError where one is finer, and two could become one."""
    both = _batches(open_file, index, progress), _batches(open_file, index, None, "ns")
    for cut, fine in zip(*both, strict=True):
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
        schema = open_parquet(file).schema_arrow
        name, leaf = schema.names[index], _first_leaf(schema, index)
        reader = open_parquet(file, [name] if is_text(schema.types[index]) else [], unit)
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


def _short_text(cells: pa.Array) -> pa.Array:
    """Return text cells as plain bytes; entries of a dictionary are cut, since each may belong to many rows."""
    if not pa.types.is_dictionary(cells.type):
        return cells.cast(pa.binary())
    short = [entry and entry[:LONGEST_CELL] for entry in cells.dictionary.cast(pa.binary()).to_pylist()]
    return pa.array(short, pa.binary()).take(cells.indices)
