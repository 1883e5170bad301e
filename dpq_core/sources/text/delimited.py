"""Reader of delimited text (CSV, TSV): streams one column as text, laid out as layout.py finds it.

Compressed text is unpacked. A blank line above a record is a record whose answer is missing, as is a row of separators
alone: a person who leaves the only answer blank makes a blank line, and n may be public. Blank lines below the last
record are no rows. A line of spaces among several columns is refused, as are a total at the end (margins.py) and a
quote that may swallow rows (quotes.py).
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

import pyarrow as pa
import pyarrow.csv as pa_csv

from ...errors import DataError, Disclosure
from ...groups.cells import PossibleNames
from ..column import Progress
from ..formats.reader import Place, RawCells, Reader, SaidOfLayout, SharedPass
from ..found import FileColumn, Opener
from ..margins import check_no_total
from ..reading import AS_WRITTEN, in_unit
from .characters import Characters, in_utf_8, refuse_hard_blanks
from .layout import TextLayout, dialect, find_layout, records_of
from .quotes import wrong_quote
from .unpacking import TAIL, Watched, text_stream

BLOCK = 1 << 22  # bytes of text per batch; a longer row is refused
BLANK = " \t\r\n"
WIDEST = 4  # bytes of a character of a fixed width: a text is cut between characters


class TextReader(Reader[TextLayout]):
    """Text whose rows are lines, with separators between the cells."""

    def find_layout(self, open_file: Opener, said: SaidOfLayout) -> TextLayout:
        """Find encoding, separator and names."""
        return find_layout(open_file, said)

    def find_column(self, open_file: Opener, layout: TextLayout, place: Place) -> FileColumn:
        """Find a column by its place. Raises DataError where a total stands below its records."""
        _check_end(open_file, layout, place.at)
        return FileColumn(
            label=place.label, read=partial(_text_fields, open_file, layout, place.at), first_row=layout.first_row,
            semicolon=layout.separator == ";", decimal=layout.decimal, reading=in_unit(place.reading, layout.unit),
            encoding=layout.read_as,
        )  # fmt: skip

    def find_columns(
        self, open_file: Opener, layout: TextLayout, places: Sequence[Place]
    ) -> list[Callable[[], FileColumn]]:
        """Return how to find each of several columns, which share one pass."""
        indices = tuple(place.at for place in places)

        def read(progress: Progress | None) -> dict[int, list[pa.Array]]:
            batches = list(_text_batches(open_file, layout, indices, progress))
            return {index: [batch[at] for batch in batches] for at, index in enumerate(indices)}

        def find(place: Place) -> FileColumn:
            return replace(self.find_column(open_file, layout, place), read=partial(shared.cells, place.at))

        shared = SharedPass(read)
        return [partial(find, place) for place in places]

    def raw_cells(
        self, open_file: Opener, layout: TextLayout, index: int, progress: Progress | None, *, labelled: bool
    ) -> RawCells:
        """Return the cells of a column as they are written."""
        cells = self.find_column(open_file, layout, Place(index, "", AS_WRITTEN)).fields(progress)
        possible = PossibleNames(encoding=layout.read_as)
        return RawCells(refuse_hard_blanks(cells, layout.first_row) if layout.guessed else cells, possible)


READER = TextReader()


def _check_end(open_file: Opener, layout: TextLayout, index: int) -> None:
    """Raise DataError where a total is below the records of a column; compressed text is checked as it is read."""
    with open_file() as file:
        if text_stream(file) is not file:
            return
        start = max(file.size() - TAIL, 0) // WIDEST * WIDEST
        file.seek(start)
        tail = bytes(file.read())
    _check_tail(tail.decode(layout.encoding, "replace"), start, layout, index)


def _check_tail(tail: str, start: int, layout: TextLayout, index: int) -> None:
    """Raise DataError where the tail of a text ends in a total; `start` is how much of the text comes before."""
    lines = io.StringIO(tail, newline="").readlines()
    text = "".join(lines[1 if start else layout.skip :])
    rows = records_of(text, layout.separator, len(lines), layout.quoting)
    while rows and not "".join(rows[-1]).strip(BLANK) and len(rows[-1]) < 2:
        rows.pop()
    rows = rows[: max(len(rows) - layout.left_out, 0)]
    check_no_total(rows[1:] if layout.header and not start else rows, index)


def _text_fields(open_file: Opener, layout: TextLayout, index: int, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield the cells of one column as bytes, without the header, batch by batch; memory does not grow with the file.

    Raises DataError; at the end, if only the end shows that something is wrong.
    """
    for (fields,) in _text_batches(open_file, layout, (index,), progress):
        yield fields


def _text_batches(
    open_file: Opener, layout: TextLayout, indices: tuple[int, ...], progress: Progress | None
) -> Iterator[list[pa.Array]]:
    """Yield the cells of some columns, batch by batch, in the order in which they are requested."""
    try:
        yield from _without_last(_even_batches(open_file, layout, indices, progress), layout.left_out)
    except pa.ArrowInvalid:
        raise (
            _wrong_quote(open_file, layout)
            or _uneven_row(open_file, layout)
            or DataError("The file cannot be split into rows; save it anew as UTF-8 CSV.", discloses=Disclosure.SHAPE)
        ) from None


def _without_last(batches: Iterator[list[pa.Array]], count: int) -> Iterator[list[pa.Array]]:
    """Yield the same rows but for the last ones, holding back as few batches as can have these."""
    held: deque[list[pa.Array]] = deque()
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += len(batch[0])
        while held and rows - len(held[0][0]) >= count:
            rows -= len(held[0][0])
            yield held.popleft()
    for batch in held:
        kept = min(max(rows - count, 0), len(batch[0]))
        rows -= len(batch[0])
        yield [fields.slice(0, kept) for fields in batch]


def _even_batches(
    open_file: Opener, layout: TextLayout, indices: tuple[int, ...], progress: Progress | None
) -> Iterator[list[pa.Array]]:
    """Yield the cells, and raise ArrowInvalid where rows differ in length."""
    with open_file() as file:
        size = max(file.size(), 1)
        stream = text_stream(file)
        packed = stream is not file
        watched = Watched(Characters(stream, layout.encoding), layout.separator)
        header = layout.header
        for batch in _batches(watched, layout, indices):
            if progress is not None:
                progress(min(file.tell() / size, 1.0))
            cut = header and batch.num_rows > 0
            yield [fields.slice(1) if cut else fields for fields in batch.columns]
            header = header and not cut
    in_doubt = watched.quotes.count % 2 or (watched.quotes.doubtful and layout.quoting is None)
    if in_doubt and (error := _wrong_quote(open_file, layout)):
        raise error
    if packed:
        for index in indices:
            _check_tail(watched.tail.decode("utf-8", "replace"), watched.before, layout, index)


def _batches(text: Watched, layout: TextLayout, indices: tuple[int, ...]) -> pa_csv.CSVStreamingReader:
    """Return the columns as Arrow reads it from UTF-8, header first."""
    names = [f"c{k}" for k in range(len(layout.names))]
    return pa_csv.open_csv(
        pa.PythonFile(text, "r"),
        read_options=pa_csv.ReadOptions(column_names=names, block_size=BLOCK, skip_rows=layout.skip),
        parse_options=pa_csv.ParseOptions(
            delimiter=layout.separator,
            newlines_in_values=True,
            ignore_empty_lines=False,
            quote_char=False if layout.quoting is False else '"',
        ),
        convert_options=pa_csv.ConvertOptions(
            include_columns=[names[index] for index in indices],
            column_types={names[index]: pa.binary() for index in indices},
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _lines(file: pa.NativeFile, layout: TextLayout) -> Iterator[str]:
    """Yield the lines of the table, from its first row on."""
    return islice(io.TextIOWrapper(in_utf_8(file, layout.encoding), "utf-8-sig", newline=""), layout.skip, None)


def _wrong_quote(open_file: Opener, layout: TextLayout) -> DataError | None:
    """Return the error of the first quote that may hold no cell, if quotes may hold some. Slow."""
    if layout.quoting is False:
        return None
    first_row = layout.first_row - layout.header
    with open_file() as file:
        lines, certain = _lines(file, layout), layout.quoting is not None
        return wrong_quote(lines, layout.separator, len(layout.names), first_row, certain=certain)


def _uneven_row(open_file: Opener, layout: TextLayout) -> DataError | None:
    """Return the error of the first row that has too few or too many cells, if there is one. Slow."""
    width = len(layout.names)
    with open_file() as file, suppress(csv.Error):
        reader = csv.reader(_lines(file, layout), **dialect(layout.separator, layout.quoting))
        for number, record in enumerate(reader, start=layout.first_row - layout.header):
            if record and len(record) != width:
                return DataError(
                    f"A row does not have as many cells as the first row; {_cure(record, width)}.",
                    discloses=Disclosure.SHAPE,
                    row=number,
                )
    return None


def _cure(record: list[str], width: int) -> str:
    """Return what to do about a row that has too few or too many cells."""
    if not "".join(record).strip(BLANK):
        return "delete lines of nothing but spaces, or fill them up with separators"
    if len(record) == 1:
        return "delete titles and notes that are not part of the table, and use one separator everywhere"
    if len(record) > width and not any(field.strip(BLANK) for field in record[width:]):
        return "delete the separators at the ends of rows, or let the first row end with them too"
    return "put cells that contain the separator in quotes and fill up short rows"
