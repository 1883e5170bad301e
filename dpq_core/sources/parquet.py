"""Reader of Parquet files: one column, batch by batch, whose type decides what the cells mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import DataError, Disclosure
from ..people.coded import is_text
from .column import Progress, label_columns
from .formats.reader import FileColumn, FileTable, Layout, Opener, Opening, Place, column_of_type
from .header import public_names

BATCH = 1 << 18  # rows
BUFFER = 1 << 20  # bytes read ahead; Arrow would else hold the column of a whole row group, however large
MARK, KEY, END = b"PAR1", b"ARROW:schema", 8
"""The start of a file; where Arrow keeps types of its own in the footer; bytes behind that: its length and a mark."""
LONGEST_CELL = 400  # bytes of a dictionary entry that are kept: more is no number


class ParquetTable(FileTable):
    """Columns that lie apart from each other, each with its type."""

    def __init__(self, open_file: Opener, layout: Layout) -> None:
        self._open = open_file

    @classmethod
    def find_layout(cls, open_file: Opener, said: Opening, *, whole: bool = True) -> Layout:
        """Find the columns."""
        with open_file() as file:
            return Layout(label_columns(open_parquet(file).schema_arrow.names), module="parquet")

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
        return column_of_type(held, metadata.num_rows)

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells, text of values as plain bytes; memory does not grow with the file.

        Raises DataError where an id or a name is a time of 96 bits that is finer than a microsecond: two could be one.
        """
        with self._open() as file:
            reader = open_parquet(file)
            schema, stored = reader.schema_arrow, reader.metadata.schema
        keys = [number for number, each in enumerate(places) if each.use != "values"]
        keys = [k for k in keys if stored.column(_first_leaf(schema, places[k].at)).physical_type == "INT96"]
        fine = self._batches([places[k] for k in keys], None, "ns") if keys else iter(())
        for batch in self._batches(places, progress):
            for number, cells in zip(keys, next(fine, ()), strict=True):
                _refuse_cut(batch[number], cells)
            is_short = [each.use == "values" and is_text(cells.type) for each, cells in zip(places, batch, strict=True)]
            yield [_short_text(cells) if short else cells for short, cells in zip(is_short, batch, strict=True)]

    def _batches(
        self, places: Sequence[Place], progress: Progress | None, unit: str = "us"
    ) -> Iterator[list[pa.Array]]:
        """Yield the cells batch by batch, text as entries of a dictionary.

        A column is found by its place: its name may be that of another one, or the path to a part of another one.
        """
        done = 0
        with self._open() as file:
            schema = open_parquet(file).schema_arrow
            texts = [schema.names[each.at] for each in places if is_text(schema.types[each.at])]
            leaves = [_first_leaf(schema, each.at) for each in places]
            reader = open_parquet(file, texts, unit)
            rows, groups, read = reader.metadata.num_rows, list(range(reader.num_row_groups)), sorted(set(leaves))
            for batch in reader.reader.iter_batches(BATCH, groups, column_indices=read, use_threads=True):
                done += len(batch)
                if progress is not None:
                    progress(done / rows)
                yield [batch.column(read.index(leaf)) for leaf in leaves]


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


def _refuse_cut(cut: pa.Array, fine: pa.Array) -> None:
    """Raise DataError where a time in microseconds is not the one in nanoseconds."""
    micro, nano = (each.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False) for each in (cut, fine))
    if np.any(micro * 1_000 != nano):
        raise DataError(
            "The column holds times finer than a microsecond in 96 bits; save it as a timestamp of 64 bits or as text.",
            discloses=Disclosure.KIND,
        )


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
