"""Reader of delimited text (CSV, TSV): streams one column as text, laid out as layout.py finds it.

A blank line above a record is a record whose answer is missing: a person who leaves the only answer blank makes one,
and n may be public. Blank lines below the last record are no rows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import pyarrow as pa
import pyarrow.csv as pa_csv

from ...errors import DataError, Disclosure
from ...groups.cells import PossibleNames
from ..column import Progress
from ..formats.reader import FileColumn, FileTable, Opener, Opening, Place
from ..margins import Ending
from .characters import in_utf_8, refuse_hard_blanks
from .layout import TextLayout, find_layout, records_of
from .unpacking import TAIL, TextFile, Watched, first_fault, unpacker_of

BLOCK = 1 << 22  # bytes of text per batch; a longer row is refused
BLANK = " \t\r\n"
UNEVEN = "The file cannot be split into rows; save it anew as UTF-8 CSV."
WIDEST = 4  # bytes of a character of a fixed width: a text is cut between characters


class TextTable(FileTable):
    """Text whose rows are lines, with separators between the cells: all columns are read in one pass."""

    def __init__(self, open_file: Opener, layout: TextLayout) -> None:
        self._open, self._layout = open_file, layout

    @cached_property
    def _end(self) -> Ending | None:
        with self._open() as file:
            if unpacker_of(file):
                return None
            start = max(file.size() - TAIL, 0) // WIDEST * WIDEST
            file.seek(start)
            tail = bytes(file.read())
        text = tail.decode(self._layout.encoding, "replace")
        if self._layout.said.separator:
            text = text.replace(self._layout.said.separator, self._layout.separator)
        return _ending(text, start, self._layout)

    @classmethod
    def find_layout(cls, open_file: Opener, said: Opening, *, whole: bool = True) -> TextLayout:
        """Find encoding, separator and names."""
        return find_layout(open_file, said, whole=whole)

    def find_column(self, place: Place) -> FileColumn:
        """Find a column by its place. Raises DataError where a total stands below its records."""
        layout = self._layout
        if self._end is not None:
            self._end.check_no_total(place.at)
        return FileColumn(
            first_row=layout.first_row, semicolon=layout.separator == ";", decimal=layout.decimal,
            encoding=layout.read_as, possible=PossibleNames(encoding=layout.read_as),
        )  # fmt: skip

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells as bytes, without the header, batch by batch; memory does not grow with the file.

        Raises DataError; at the end, if only the end shows that something is wrong.
        """
        layout, row = self._layout, self._layout.first_row
        guessed = [number for number, each in enumerate(places) if layout.guessed and each.use != "values"]
        try:
            for batch in _even_batches(self._open, layout, [each.at for each in places], progress):
                for number in guessed:
                    refuse_hard_blanks(batch[number], row)
                row += len(batch[0])
                yield batch
        except pa.ArrowInvalid:
            fault = _fault(self._open, layout, are_even=False)
            raise fault or DataError(UNEVEN, discloses=Disclosure.SHAPE) from None


TABLE = TextTable


def _ending(tail: str, start: int, layout: TextLayout) -> Ending | None:
    """Return the rows at the tail of a text, None where no row is a total; `start`: how much of it comes before."""
    if layout.said.totals is False:
        return None
    lines = io.StringIO(tail, newline="").readlines()
    text = "".join(lines[1 if start else layout.skip :])
    rows = records_of(text, layout.separator, len(lines), layout.said.quoting)
    while rows and not "".join(rows[-1]).strip(BLANK) and len(rows[-1]) < 2:
        rows.pop()
    return Ending(rows[1:] if layout.header and not start else rows)


def _even_batches(
    open_file: Opener, layout: TextLayout, indices: Sequence[int], progress: Progress | None
) -> Iterator[list[pa.Array]]:
    """Yield the cells, and raise ArrowInvalid where rows differ in length."""
    with open_file() as file:
        size = max(file.size(), 1)
        packed = unpacker_of(file) is not None
        text = in_utf_8(file, layout.encoding, layout.said.separator, again=open_file)
        watched = Watched(text, layout.separator)
        header = layout.header
        for batch in _batches(watched, layout, indices):
            if progress is not None:
                progress(1.0 if file.closed else min(file.tell() / size, 1.0))  # what unpacks a file closes it
            cut = header and batch.num_rows > 0
            columns = [batch.column(f"c{index}") for index in indices]
            yield [fields.slice(1) if cut else fields for fields in columns]
            header = header and not cut
    quoting, quotes = layout.said.quoting, watched.quotes
    in_doubt = quoting is not False and (quotes.count % 2 or (quotes.doubtful and quoting is None))
    if in_doubt and (fault := _fault(open_file, layout, are_even=True)):
        raise fault
    if packed and (end := _ending(watched.tail.decode("utf-8", "replace"), watched.before, layout)):
        for index in indices:
            end.check_no_total(index)


def _batches(text: Watched, layout: TextLayout, indices: Sequence[int]) -> pa_csv.CSVStreamingReader:
    """Return the columns as Arrow reads it from UTF-8, header first."""
    names = [f"c{k}" for k in range(len(layout.names))]
    return pa_csv.open_csv(
        pa.PythonFile(TextFile(text), "r"),
        read_options=pa_csv.ReadOptions(column_names=names, block_size=BLOCK, skip_rows=layout.skip),
        parse_options=pa_csv.ParseOptions(
            delimiter=layout.separator,
            newlines_in_values=True,
            ignore_empty_lines=False,
            quote_char=False if layout.said.quoting is False else '"',
        ),
        convert_options=pa_csv.ConvertOptions(
            include_columns=[names[index] for index in dict.fromkeys(indices)],
            column_types={names[index]: pa.string() for index in indices},
            null_values=[""],
            strings_can_be_null=True,
            check_utf8=False,  # all bytes were decoded
        ),
    )


def _fault(open_file: Opener, layout: TextLayout, *, are_even: bool) -> DataError | None:
    """Return the error of the first quote or row that is wrong, as `first_fault`. Slow."""
    with open_file() as file:
        text = pa.PythonFile(TextFile(in_utf_8(file, layout.encoding, layout.said.separator)), "r")
        lines = islice(io.TextIOWrapper(text, "utf-8-sig", newline=""), layout.skip, None)
        first_row, width = layout.first_row - layout.header, len(layout.names)
        return first_fault(lines, layout.separator, width, first_row, layout.said.quoting, are_even=are_even)
