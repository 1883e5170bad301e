"""Reader of the files of statistics programs by pyreadstat: one variable, as many of its rows at a time as fit.

What the file declares to be missing is missing: discrete values, ranges, and Stata's .a to .z. Numbers are read as
numbers, whatever they are labelled; groups are called by the labels of their values, where they have some. The library
is imported where a file is opened, by the process that opens files, and nowhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from ...arrays import Floats
from ...errors import DataError, Disclosure
from ...groups import Holds
from ..column import DAMAGED, Progress, label_columns
from ..formats.reader import Layout, Place, RawCells, Reader, SaidOfLayout, holds_of
from ..found import FileColumn, Opener, Typed
from ..single import shortest_decimals
from .meaning import Meaning

ROWS_AT_ONCE = 1 << 20
BYTES_AT_ONCE = 1 << 28
"""Of the cells that are in memory at once, as Python holds them."""
BYTES_OF_CELL = 80
"""That Python takes for one, beside the characters of a text."""
LARGEST_MOMENT = 1 << 53
"""Milliseconds before or after 1970."""
TEXT = pa.string()
TYPES = {
    "string": TEXT, "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "float": pa.float32(),
    "double": pa.float64(),
}  # fmt: skip


@dataclass(frozen=True)
class SurveyLayout(Layout):
    """The names of the variables of a file."""


L = TypeVar("L", bound=SurveyLayout)


@dataclass(frozen=True)
class Variable:
    """What a file says of one of its columns."""

    name: str
    held: pa.DataType
    meaning: Meaning
    labels: dict[float | str, str]
    width: int
    """Bytes of a text."""
    rows: int | None
    """None where only reading tells."""

    def numbers(self, cells: pa.Array) -> Floats:
        """Return the values of cells that are numbers, NaN where one is missing."""
        stored = cells.to_numpy(zero_copy_only=False)
        short = cells.type == pa.float32()
        return self.meaning.convert(shortest_decimals(stored) if short else stored.astype(np.float64))

    @property
    def holds(self) -> Holds:
        """Return what cells are as groups; a label may be any text."""
        if self.labels or self.held == TEXT or self.meaning.kind == "duration":
            return ""
        return "dates and times" if self.meaning.kind == "date" else holds_of(self.held)

    def names(self, cells: pa.Array) -> pa.Array:
        """Return what cells are called as groups: by their labels, else as they are shown."""
        if not self.labels:
            return self._shown(cells)
        coded = cells.dictionary_encode()
        held = zip(coded.dictionary.to_pylist(), self._shown(coded.dictionary).cast(TEXT).to_pylist(), strict=True)
        return pa.DictionaryArray.from_arrays(
            coded.indices, pa.array([self.labels.get(cell, shown) for cell, shown in held], TEXT)
        )

    def _shown(self, cells: pa.Array) -> pa.Array:
        """Return dates as moments, durations as texts, and others as they are. Raises DataError."""
        if self.held == TEXT or self.meaning.kind not in ("date", "duration"):
            return cells
        values = self.numbers(cells)
        if self.meaning.kind == "duration":
            return pa.array([None if np.isnan(each) else _clock(each) for each in values.tolist()], TEXT)
        milliseconds, missing = np.rint(values * 86_400_000), np.isnan(values)
        if np.any(np.abs(milliseconds[~missing]) > LARGEST_MOMENT):
            raise DataError("A cell of this column is no date.", discloses=Disclosure.CELL)
        whole = np.where(missing, 0, milliseconds).astype(np.int64)
        return pa.array(whole, mask=missing).cast(pa.timestamp("ms"))


class SurveyReader(Reader[L], Generic[L]):
    """Files that one function of the library reads; `meaning_of` says what a format of numbers means."""

    def __init__(
        self, function: str, layout: Callable[[tuple[str, ...]], L], meaning_of: Callable[[str], Meaning]
    ) -> None:
        self._function, self._layout, self._meaning_of = function, layout, meaning_of

    def find_layout(self, open_file: Opener, said: SaidOfLayout) -> L:
        """Find the variables."""
        _, about = self._read(open_file, metadataonly=True)
        return self._layout(label_columns(about.column_names))

    def find_column(self, open_file: Opener, layout: L, place: Place) -> FileColumn:
        """Find a variable by its place."""
        found = self._variable(open_file, place.at)
        kind, unit = found.meaning.kind, found.meaning.unit
        return FileColumn(
            label=place.label, read=partial(self._cells, open_file, found), rows=found.rows, reading=place.reading,
            typed=None if found.held == TEXT else Typed(kind, unit, found.numbers), declares=True,
            period=found.meaning.period,
        )  # fmt: skip

    def raw_cells(
        self, open_file: Opener, layout: L, index: int, progress: Progress | None, *, labelled: bool
    ) -> RawCells:
        """Return the cells of a variable as the file holds them, or by the labels of their values."""
        found = self._variable(open_file, index)
        cells = self._cells(open_file, found, progress)
        return RawCells(map(found.names, cells), found.holds) if labelled else RawCells(cells)

    def _variable(self, open_file: Opener, index: int) -> Variable:
        """Return what the file says of a variable. Raises DataError for one of no use."""
        _, about = self._read(open_file, metadataonly=True)
        name = about.column_names[index]
        held = TYPES[about.readstat_variable_types[name]]
        meaning = Meaning() if held == TEXT else self._meaning_of(about.original_variable_types[name] or "")
        labels = {
            value.rstrip(" ") if isinstance(value, str) else value: label
            for value, label in about.variable_value_labels.get(name, {}).items()
            if label.strip()
        }
        return Variable(name, held, meaning, labels, about.variable_storage_width[name], about.number_rows)

    def _cells(self, open_file: Opener, variable: Variable, progress: Progress | None) -> Iterator[pa.Array]:
        """Yield the cells batch by batch; memory does not grow with the file."""
        most = max(min(ROWS_AT_ONCE, BYTES_AT_ONCE // (BYTES_OF_CELL + variable.width)), 1)
        done, rows = 0, variable.rows
        while rows is None or done < rows:
            read, _ = self._read(open_file, usecols=[variable.name], row_offset=done, row_limit=most)
            if list(read) != [variable.name]:  # two variables have this name
                raise DataError(DAMAGED, discloses=Disclosure.FORMAT)
            cells = read[variable.name]
            done += len(cells)
            if rows is not None and len(cells) != min(most, rows - done + len(cells)):
                raise DataError(DAMAGED, discloses=Disclosure.FORMAT)
            if progress is not None and rows:
                progress(done / rows)
            if variable.held == TEXT:
                cells = [cell and cell.rstrip(" ") for cell in cells]
            yield pa.array(cells, variable.held)
            if rows is None and len(cells) < most:
                return

    def _read(self, open_file: Opener, **settings: Any) -> tuple[dict[str, list[Any]], Any]:
        """Return columns, and what the file says of them. Its own warnings would quote names, so they are dropped."""
        import pyreadstat

        with open_file() as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read: tuple[dict[str, list[Any]], Any] = getattr(pyreadstat, self._function)(
                file, output_format="dict", disable_datetime_conversion=True, **settings
            )
        return read


def _clock(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds."""
    minutes, rest = divmod(round(abs(seconds), 3), 60)
    hours, minutes = divmod(minutes, 60)
    shown = f"{rest:06.3f}".rstrip("0").rstrip(".")
    return f"{'-' * (seconds < 0)}{hours:02.0f}:{minutes:02.0f}:{shown}"
