"""Reader of Parquet files: one column, batch by batch, whose type decides what the cells mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import DataError, Disclosure
from ..values import converter
from .column import Progress, label_columns
from .found import FileColumn, Opener, Typed
from .reading import AS_WRITTEN, Reading
from .single import shortest_decimals

BATCH = 1 << 18  # rows
BUFFER = 1 << 20  # bytes read ahead; Arrow would else hold the column of a whole row group, however large
LONGEST_CELL = 400  # bytes of a dictionary entry that are kept: more is no number


@dataclass(frozen=True)
class ParquetLayout:
    """The labels of the top-level columns."""

    names: tuple[str, ...]


def find_layout(file: pa.NativeFile) -> ParquetLayout:
    """Find the columns of a Parquet file."""
    return ParquetLayout(label_columns(pq.ParquetFile(file).schema_arrow.names))


def parquet_column(open_file: Opener, index: int, label: str, reading: Reading = AS_WRITTEN) -> FileColumn:
    """Find a column by its place. Raises DataError for one of no use."""
    with open_file() as file:
        reader = pq.ParquetFile(file)
        names, metadata = reader.schema_arrow.names, reader.metadata
        field = reader.schema_arrow.field(index)
    text = is_text(field.type)
    if text and _bytes_unpacked(metadata, field.name) > LONGEST_CELL * metadata.num_rows + BUFFER:
        raise DataError("The column holds long texts, not numbers; choose another column.", discloses=Disclosure.KIND)
    typed = None if text else _typed(field.type)
    read = partial(_cells, open_file, field.name, names[:index].count(field.name), text)
    return FileColumn(label=label, read=read, typed=typed, rows=metadata.num_rows, reading=reading)


def raw_cells(open_file: Opener, index: int, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield the cells of a column as the file holds them, none of them cut. Raises DataError for one of no use."""
    parquet_column(open_file, index, "")
    with open_file() as file:
        schema = pq.ParquetFile(file).schema_arrow
    name = schema.names[index]
    yield from _batches(open_file, name, schema.names[:index].count(name), is_text(schema.types[index]), progress)


def _cells(open_file: Opener, name: str, twin: int, text: bool, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield the cells batch by batch, text as plain bytes; memory does not grow with the file."""
    for cells in _batches(open_file, name, twin, text, progress):
        yield _short_text(cells) if text else cells


def _batches(open_file: Opener, name: str, twin: int, text: bool, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield the cells batch by batch, text as entries of a dictionary.

    twin: which of the columns of the same name, since these are read together.
    """
    done = 0
    with open_file() as file:
        reader = pq.ParquetFile(file, read_dictionary=[name] if text else None, buffer_size=BUFFER, pre_buffer=False)
        for batch in reader.iter_batches(batch_size=BATCH, columns=[name]):
            done += len(batch)
            if progress is not None:
                progress(done / reader.metadata.num_rows)
            yield batch.column(twin)


def is_text(kind: pa.DataType) -> bool:
    """Return whether cells of a type are text or plain bytes."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return str(kind) in {"string", "large_string", "string_view", "binary", "large_binary", "binary_view"}


def _bytes_unpacked(metadata: pq.FileMetaData, name: str) -> int:
    """Return the size of a column's cells before compression, as the file states it."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    parts = [group.column(k) for group in groups for k in range(group.num_columns)]
    return sum(part.total_uncompressed_size for part in parts if part.path_in_schema == name)


def _short_text(cells: pa.Array) -> pa.Array:
    """Return text cells as plain bytes; entries of a dictionary are cut, since each may stand for many rows."""
    if not pa.types.is_dictionary(cells.type):
        return cells.cast(pa.binary())
    short = [entry and entry[:LONGEST_CELL] for entry in cells.dictionary.cast(pa.binary()).to_pylist()]
    return pa.array(short, pa.binary()).take(cells.indices)


def _typed(kind: pa.DataType) -> Typed:
    """Return kind, unit and conversion to float64 (NaN for null) of an Arrow type that is not text."""
    types, convert = pa.types, converter(kind)
    if convert is None:
        raise DataError(
            "The column holds neither numbers nor dates nor text; choose another column.", discloses=Disclosure.KIND
        )
    if types.is_date(kind) or types.is_timestamp(kind):
        return Typed("date", "date", convert)
    if types.is_duration(kind) or types.is_time(kind):
        return Typed("duration", "seconds", convert)
    if types.is_float32(kind):
        return Typed("number", "", lambda cells: shortest_decimals(cells.to_numpy(zero_copy_only=False)))
    return Typed("number", "", convert)
