"""Reader of the files of statistics programs by pyreadstat: one variable, as many of its rows at a time as fit.

What the file declares to be missing is missing: discrete values, ranges, and Stata's .a to .z. Groups are called by the
labels of their values. The library is imported where a file is opened. `Meaning` says what numbers are by their format.
"""

from __future__ import annotations

import io
import re
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ...arrays import Floats
from ...errors import DataError, Disclosure, ParameterError, Remedy
from ...groups.cells import MOST_LABELS, PossibleNames, holds_of
from ...texts import name_in_file
from ...values import shortest_decimals
from ..column import DAMAGED, Kind, Progress, label_columns
from ..dates import duration_text
from ..formats.known import GUESSED, UTF_8, named
from ..formats.reader import FileColumn, FileTable, Layout, Opener, Opening, Place, Typed
from ..reading import NO_CODE


def as_days(numbers: Floats, *, per_day: int, before: int) -> Floats:
    """Return days since 1970-01-01 of numbers that count parts of a day, from `before` days before that date."""
    return (numbers - before * per_day) / per_day


@dataclass(frozen=True)
class Meaning:
    """Kind and unit of numbers, and what makes values of them, NaN for NaN; it can be pickled."""

    kind: Kind = "number"
    unit: str = ""
    convert: Callable[[Floats], Floats] = np.asarray
    period: str = ""
    """Of which each value is the first day: week, month, quarter, half-year."""


ROWS_AT_ONCE = 1 << 20
BYTES_AT_ONCE = 1 << 28
"""Of the cells that are in memory at once, as Python holds them."""
BYTES_OF_CELL = 80
"""That Python takes for one, beside the characters of a text."""
LARGEST_MOMENT = 1 << 53
"""Milliseconds before or after 1970."""
LONG_TEXT = 4_096
"""Bytes of a text whose length the file does not bound."""
TWICE = "Two variables of the file have this name; rename one of them."
BUFFER = 1 << 20
"""Bytes that are read ahead."""
PACKED = slice(72, 76)
"""Where a file of SPSS says how its rows are compressed: 0 for not at all."""
MAP, MAP_BEGINS, STRLS = b"<map>", 4_096, 10
"""Of the parts of a file of Stata: how it begins, in how many bytes of the file, and the place of long texts in it."""
PLAIN = 130
"""The type of long texts that end in a byte 0."""
TEXT = pa.string()
TYPES = {
    "string": TEXT, "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "float": pa.float32(),
    "double": pa.float64(),
}  # fmt: skip

_NO_ANSWER = re.compile(
    r"refus|do(n.?t| not) know|no (answer|response|opinion)|not (available|applicable|asked|stated|known|in universe)|"
    r"missing|unknown|declined|prefer not|inapplicable|skip|\b(n/?a|dk|nr|rf|ns|k\.? ?a\.?)\b|keine ang|"
    r"weiß (es )?nicht|verweiger|trifft nicht zu|inconnu|ne sai[st] pas|sans réponse|no sabe|no contest|non so|"
    r"onbekend|weet niet|geen antwoord|não sabe|nie wiem|vet ej",
    re.IGNORECASE,
)
"""What labels of values say that are no answers."""
_COPY = re.compile(r"_duplicated\d+$")
"""What the library adds to the name of a second variable of one name."""


@dataclass(frozen=True)
class Variable:
    """What a file says about one of its columns."""

    name: str
    held: pa.DataType
    meaning: Meaning
    labels: dict[float | str, str]
    width: int
    """Bytes of a text."""
    rows: int | None
    """None where it is known only after reading."""
    encoding: str | None = None
    """Of its texts, where the file does not say the right one."""
    missing: tuple[tuple[Any, Any], ...] = ()
    """The lowest and the highest of values that the file declares to be missing."""

    def array(self, cells: list[Any]) -> pa.Array:
        """Return cells as an array, without the blanks behind a text."""
        if self.held == TEXT:
            cells = [cell and cell.rstrip(" ") for cell in cells]
        return pa.array(cells, self.held)

    def numbers(self, cells: pa.Array) -> Floats:
        """Return the values of cells that are numbers, NaN where one is missing."""
        stored = cells.to_numpy(zero_copy_only=False)
        short = cells.type == pa.float32()
        return self.meaning.convert(shortest_decimals(stored) if short else stored.astype(np.float64))

    @property
    def possible(self) -> PossibleNames:
        """Return the names that cells can have as groups, by their type, their labels and what is declared missing."""
        text = self.held == TEXT or self.meaning.kind == "duration"
        holds = "" if text else "dates and times" if self.meaning.kind == "date" else holds_of(self.held)
        there = _texts(label for value, label in self.labels.items() if not self._is_missing(value))
        missing = _texts(name for each in self.labels.items() if self._is_missing(each[0]) for name in each)
        missing |= _texts(low for low, high in self.missing if low == high)
        return PossibleNames(holds, there, _texts(self.labels) - missing, missing - there, self.encoding or "")

    def _is_missing(self, value: Any) -> bool:
        """Return whether a value with a label is declared to be missing, as are all letters among numbers."""
        if isinstance(value, str) and self.held != TEXT:
            return True
        return any(type(low) is type(value) and low <= value <= high for low, high in self.missing)

    def labels_that_count(self, codes: Sequence[float | str]) -> dict[float, str]:
        """Return the labels of numbers that are neither declared missing nor among these codes."""
        return {
            value: " ".join(label.split())
            for value, label in self.labels.items()
            if not isinstance(value, str) and not self._is_missing(value) and value not in codes
        }

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
            return pa.array([None if np.isnan(each) else duration_text(each) for each in values.tolist()], TEXT)
        milliseconds, missing = np.rint(values * 86_400_000), np.isnan(values)
        if np.any(np.abs(milliseconds[~missing]) > LARGEST_MOMENT):
            raise DataError("A cell of this column is no date.", discloses=Disclosure.CELL)
        whole = np.where(missing, 0, milliseconds).astype(np.int64)
        return pa.array(whole, mask=missing).cast(pa.timestamp("ms"))


class SurveyTable(FileTable):
    """The variables of a file that one function of the library reads, all in one pass."""

    function: ClassVar[str]
    module: ClassVar[str]
    """As layouts name the format."""
    meaning_of: ClassVar[Callable[[str], Meaning]]
    """Return what numbers are that are shown in a format. Raises DataError."""

    def __init__(self, open_file: Opener, layout: Layout) -> None:
        self._open = open_file
        self._about, self._encoding = self.about(open_file, layout.said.encoding)

    @classmethod
    def find_layout(cls, open_file: Opener, said: Opening, *, whole: bool = True) -> Layout:
        """Find the variables. Raises ParameterError for an encoding that the library does not know."""
        return Layout(label_columns(cls.about(open_file, said.encoding)[0].column_names), module=cls.module, said=said)

    def find_column(self, place: Place) -> FileColumn:
        """Find a variable by its place.

        Raises DataError where a label may say that a value is missing, and for ids and names that the library would
        cut, so that two could become one.
        """
        found = self._variable(place.at)
        if place.use == "values":
            return _column(found, place)
        if found.held == TEXT and found.width == LONG_TEXT and _holds_zeros(self._open):
            raise DataError(
                "The file holds texts with a byte 0, behind which they would be cut; save the column as plain text.",
                discloses=Disclosure.CELL,
            )
        return FileColumn(possible=found.possible)

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells of variables, names by their labels, batch by batch; memory does not grow with the file."""
        found = [self._variable(each.at) for each in places]
        for batch in self._batches(found, progress):
            named = zip(found, places, batch, strict=True)
            yield [each.names(cells) if place.use == "names" else cells for each, place, cells in named]

    @classmethod
    def about(cls, open_file: Opener, encoding: str = "") -> tuple[Any, str | None]:
        """Return what the file says about its variables, and its encoding if that is not the one that it declares."""
        import pyreadstat

        try:
            return cls._read(open_file, metadataonly=True, user_missing=True, encoding=encoding)[1], encoding or None
        except pyreadstat.ReadstatError:
            if encoding:
                raise ParameterError("encoding", "must be one that this file can be read in.") from None
            return cls._read(open_file, metadataonly=True, user_missing=True, encoding=GUESSED)[1], GUESSED

    def _variable(self, at: int) -> Variable:
        """Return what the file says about a variable. Raises DataError for one that cannot be used."""
        about = self._about
        name = about.column_names[at]
        if any(_COPY.sub("", other) == _COPY.sub("", name) for other in about.column_names if other != name):
            raise DataError(TWICE, discloses=Disclosure.NAMES)
        held = TYPES[about.readstat_variable_types[name]]
        meaning = Meaning() if held == TEXT else type(self).meaning_of(about.original_variable_types[name] or "")
        labels = {
            value.rstrip(" ") if isinstance(value, str) else value: label
            for value, label in about.variable_value_labels.get(name, {}).items()
            if label.strip()
        }
        width = about.variable_storage_width[name] or LONG_TEXT
        missing = tuple((each["lo"], each["hi"]) for each in about.missing_ranges.get(name, ()))
        return Variable(name, held, meaning, labels, width, about.number_rows, self._encoding, missing)

    def _batches(self, variables: Sequence[Variable], progress: Progress | None) -> Iterator[list[pa.Array]]:
        """Yield the cells of variables batch by batch, in one pass."""
        most = max(min(ROWS_AT_ONCE, BYTES_AT_ONCE // sum(BYTES_OF_CELL + each.width for each in variables)), 1)
        names, rows = list({each.name: None for each in variables}), variables[0].rows
        done = 0
        while rows is None or done < rows:
            read, about = self._read(
                self._open, watched=rows is None, usecols=names, row_offset=done, row_limit=most,
                encoding=self._encoding,
            )  # fmt: skip
            count = len(read[names[0]])
            done += count
            if rows is not None and count != min(most, rows - done + count):
                raise DataError(DAMAGED, discloses=Disclosure.FORMAT)
            if progress is not None and rows:
                progress(done / rows)
            yield [each.array(read[each.name]) for each in variables]
            if rows is None and count < most:
                if about.cut and not _is_packed(self._open):
                    raise DataError(DAMAGED, discloses=Disclosure.FORMAT)
                return

    @classmethod
    def _read(cls, open_file: Opener, *, watched: bool = False, **settings: Any) -> tuple[dict[str, list[Any]], Any]:
        """Return columns, and what the file says about them; with `watched`, also in `cut` whether it ends within a
        row.

        Plain rows are requested one by one, so they are read ahead. Warnings would quote names, so they are dropped.
        """
        import pyreadstat

        if encoding := settings.pop("encoding", None):
            settings["encoding"] = "MACINTOSH" if encoding == "mac-roman" else encoding.replace("_", "-")
        with open_file() as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ahead = (WatchedFile if watched else io.BufferedReader)(file, BUFFER)
            read, about = getattr(pyreadstat, cls.function)(
                ahead, output_format="dict", disable_datetime_conversion=True, **settings
            )
            about.cut = isinstance(ahead, WatchedFile) and ahead.cut
        return read, about


class WatchedFile(io.BufferedReader):
    """A file that remembers whether it ended within the last thing that was asked for: within a row, of plain rows."""

    cut = False

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        found = super().read(size)
        self.cut = 0 < len(found) < (size or 0)
        return found


def _is_packed(open_file: Opener) -> bool:
    """Return whether the rows of a file of SPSS, which alone may not say how many there are, are compressed."""
    with open_file() as file:
        return any(bytes(file.read(PACKED.stop))[PACKED])


def _holds_zeros(open_file: Opener) -> bool:
    """Return whether a file of Stata has a long text (strL) with a byte 0 in it, where the library would cut it.

    Stata's format 117 and later has a map of its parts. Each long text is `GSO`, two numbers that say which it is, its
    type, its length and its bytes; plain text ends in a byte 0 that is no part of it.
    """
    with open_file() as file:
        head = bytes(file.read(MAP_BEGINS))
        at = head.find(MAP) + len(MAP)
        if at < len(MAP):
            return False
        order = ">" if b"MSF" in head[:at] else "<"
        which = 4 if b"<release>117" in head[:at] else 8  # bytes of the second number
        (place,) = struct.unpack_from(f"{order}q", head, at + 8 * STRLS)
        file.seek(place + len(b"<strls>"))
        while bytes(file.read(3)) == b"GSO":
            kind, length = struct.unpack(f"{order}{4 + which}xBI", bytes(file.read(9 + which)))
            text = bytes(file.read(length))
            if b"\0" in (text[:-1] if kind == PLAIN else text):
                return True
    return False


def _column(found: Variable, place: Place) -> FileColumn:
    """Return what is known of a variable. Raises DataError where a label may say that a value is missing."""
    typed = None if found.held == TEXT else Typed(found.meaning.kind, found.meaning.unit, found.numbers)
    notes = [f"each {found.meaning.period} of the file is its first day"] if found.meaning.period else []
    labels = {} if typed is None else found.labels_that_count(place.reading.missing_codes)
    shown = ", ".join(f"{value:.15g} {label}" for value, label in list(labels.items())[:MOST_LABELS])
    no_answers = [f"{value:.15g}" for value, label in labels.items() if _NO_ANSWER.search(label)]
    if no_answers and not place.reading.missing_codes:
        ways = (Remedy("missing_codes", ",".join(no_answers)), Remedy("missing_codes", NO_CODE))
        raise DataError(
            f"The file has labels for values ({shown}); say which of them mean a missing value (`missing_codes`).",
            discloses=Disclosure.NOTATION, remedies=ways,
        )  # fmt: skip
    if labels:
        notes.append(f"values with labels count ({shown}{', ...' if len(labels) > MOST_LABELS else ''})")
    return FileColumn(
        typed=typed, rows=found.rows, declares=True, notes=tuple(notes),
        encoding="" if found.encoding == UTF_8 else named(found.encoding or ""),
    )  # fmt: skip


def _texts(names: Iterable[object]) -> frozenset[str]:
    """Return names as groups have them."""
    return frozenset(name for each in names if (name := name_in_file(str(each))) is not None)
