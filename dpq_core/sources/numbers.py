"""Text cells to float64: the ways to write values, one of which fits a whole column (notation.py).

A notation is a way to write values: "1,234.5" and "1.234,5" are two of them, "5 €", "5 %", dates and durations are
others. Cells are pyarrow text arrays. Errors carry a position, never a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import Floats
from ..errors import DataError, Disclosure
from . import dates
from .column import Kind

MISSING = (
    "", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "nat", "null", "none", "nil", "missing", "?", "-", "--", ".",
    "..", "k.a.", "k. a.", "keine angabe", "#div/0!", "#value!", "#wert!", "#num!", "#zahl!", "#ref!", "#bezug!",
)  # fmt: skip
CURRENCIES = {"€": "€|EUR", "$": r"(?:US)?\$|USD", "£": "£|GBP", "¥": "¥|JPY", "CHF": "CHF"}
LOOKALIKES = {"−–—﹣－": "-", "\u00a0\u2007\u2009\u202f": " ", "’ʼ´`": "'"}  # and the ASCII that is meant
FOREIGN = f"[{''.join(LOOKALIKES)}]"
FEW = 1_000  # cells that are tried before the rest of a chunk, since most attempts fail at once
MARKS = ".,"  # decimal marks; the other one of the two groups the thousands

NOT_A_VALUE = (
    "is not a number, a date (like 2024-01-31) or a duration (like 1:30:00); remove words and units or leave the cell "
    "empty, and delete titles and totals"
)
ODD_ONE = "is written differently from the rows above it; use one unit, decimal mark or date format in the whole column"


class BadField(Exception):
    """A cell that cannot be used: its position in the column (from 0) and the end of a sentence about it."""

    def __init__(self, index: int, problem: str) -> None:
        super().__init__(problem)
        self.index = index
        self.problem = problem

    def clear(self, row: int) -> DataError:
        """Return the same for people; `row` is what a person calls the row of this cell."""
        return DataError(f"A cell {self.problem}.", discloses=Disclosure.CELL, row=row)


class Ambiguous(Exception):
    """Every cell of the column can be read in two ways; the message is the sentence that says so."""

    def clear(self) -> DataError:
        """Return the same for people."""
        return DataError(str(self), discloses=Disclosure.NOTATION)


@dataclass(frozen=True)
class Notation:
    """One way to write values: a pattern (RE2) for the whole cell, and the values of cells that match it."""

    kind: Kind
    unit: str
    pattern: str
    decimal: str = "."

    def fits(self, fields: pa.Array) -> pa.Array:
        """Return whether each cell matches; null for missing cells."""
        return pc.match_substring_regex(fields, self.pattern)

    def first_misfit(self, fields: pa.Array) -> int:
        """Return the position of the first cell that does not match, -1 if there is none."""
        return int(pc.index(self.fits(fields), False).as_py())

    def values(self, fields: pa.Array) -> Floats:
        """Return the numbers of tidy cells, NaN for missing ones; raises BadCell at the first that is none."""
        misfit = self.first_misfit(fields)
        numbers = self._numbers(fields if misfit < 0 else fields[:misfit])
        if misfit >= 0:
            field = fields.slice(misfit, 1)
            known = any(notation.first_misfit(field) < 0 for notation in NOTATIONS)
            raise BadField(misfit, ODD_ONE if known else NOT_A_VALUE)
        return numbers

    def _numbers(self, fields: pa.Array) -> Floats:
        """Return the numbers of matching cells; raises BadCell for a date that does not exist."""
        if self.kind == "duration":
            return dates.seconds(fields, self.pattern)
        if self.kind == "date":
            days, wrong = dates.days_since_epoch(fields, self.pattern)
            if wrong >= 0:
                raise BadField(wrong, "is a date that does not exist; correct it or leave the cell empty")
            return days
        return _numbers(fields, self.decimal)


def _number_pattern(decimal: str) -> str:
    """Return the pattern of unsigned numbers with this decimal mark, thousands in groups of three and an exponent."""
    point, comma = f"[{decimal}]", f"[{MARKS.replace(decimal, '')}]"
    grouped = "|".join(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+" for mark in (comma, " ", "'"))
    return rf"(?:(?:{grouped}|\d+)(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?"


def _notations() -> tuple[Notation, ...]:
    found = []
    for mark in MARKS:
        number = _number_pattern(mark)
        plain = rf"^(?:[+-]? ?{number}|\({number}\)|[+-]?(?i:inf|infinity))$"
        found.append(Notation("number", "", plain, mark))
        found.append(Notation("percent", "%", rf"^(?:[+-]? ?{number} ?%|\({number} ?%\))$", mark))
        for symbol, names in CURRENCIES.items():
            unit = f"(?i:{names})"
            before, after = rf"{unit} ?{number}", rf"{number} ?{unit}"
            signed = rf"[+-]? ?(?:{before}|{after})|{unit} ?[+-]{number}|\((?:{before}|{after})\)"
            found.append(Notation("money", symbol, f"^(?:{signed})$", mark))
    found += [Notation("date", "date", pattern) for pattern in dates.DATES]
    found += [Notation("duration", "seconds", pattern) for pattern in dates.DURATIONS]
    return tuple(found)


NOTATIONS = _notations()  # in order of preference


def all_values(fields: Sequence[str]) -> bool:
    """Return whether the cells of a first row are values (missing ones aside): then the row is no header."""
    flags = are_values(fields)
    return len(flags) > 0 and all(flags)


def are_values(fields: Sequence[str]) -> list[bool]:
    """Return whether each cell is a number, a date or a duration; missing ones are left out."""
    return [flag for flag in value_flags(fields) if flag is not None]


def value_flags(fields: Sequence[str]) -> list[bool | None]:
    """Return for each cell whether it is a number, a date or a duration; None for a missing one."""
    texts = tidy(pa.array(fields, pa.string()))
    is_value = np.zeros(len(texts), bool)
    for notation in NOTATIONS:
        is_value |= notation.fits(texts).fill_null(False).to_numpy(zero_copy_only=False)
    present = texts.is_valid().to_numpy(zero_copy_only=False)
    return [bool(flag) if there else None for flag, there in zip(is_value, present, strict=True)]


def plain_numbers(fields: pa.Array, mark: str) -> Floats | None:
    """Return the numbers of cells without units, dates or groups of thousands; None if a cell is not such a number."""
    text = as_text(fields)
    if mark == ",":
        if contains(text, "."):
            return None
        text = pc.replace_substring(text, ",", ".")
    numbers = _cast(text)
    return _cast(tidy(text)) if numbers is None else numbers


def contains(fields: pa.Array, mark: str) -> bool:
    """Return whether some text cell contains the mark."""
    return bool(pc.any(pc.match_substring(fields, mark)).as_py())


def as_text(fields: pa.Array) -> pa.Array:
    """Return valid UTF-8 text; a cell that is not UTF-8 is read as Windows-1252."""
    raw = fields.cast(pa.binary())
    try:
        return raw.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([None if field is None else _decoded(field) for field in raw.to_pylist()], pa.string())


def _decoded(field: bytes) -> str:
    try:
        return field.decode()
    except UnicodeDecodeError:
        return field.decode("cp1252", "replace")


def tidy(fields: pa.Array) -> pa.Array:
    """Return trimmed text with ASCII signs, spaces and apostrophes; null where the cell says that it is missing."""
    text = pc.utf8_trim_whitespace(as_text(fields))
    if not pc.all(pc.string_is_ascii(text)).as_py() and pc.any(pc.match_substring_regex(text, FOREIGN)).as_py():
        for signs, plain in LOOKALIKES.items():
            text = pc.replace_substring_regex(text, f"[{signs}]", plain)
    missing = pc.is_in(pc.ascii_lower(text), pa.array(MISSING))
    return pc.if_else(missing, pa.scalar(None, pa.string()), text)


def _numbers(fields: pa.Array, decimal: str) -> Floats:
    """Return the numbers of cells that match a number, percent or money pattern with this decimal mark."""
    units = "|".join(CURRENCIES.values())
    group = MARKS.replace(decimal, "")
    text = pc.replace_substring_regex(fields, rf"(?i:{units})|[ ')+%{group}]", "")
    text = pc.replace_substring(text, "(", "-")
    text = pc.replace_substring(text, ",", ".")
    numbers = _cast(text)
    assert numbers is not None, "a cell that fits a number pattern casts to float64"
    return numbers


def _cast(text: pa.Array) -> Floats | None:
    """Return text as float64, NaN for null; None if a cell is not a plain number."""
    try:
        text[:FEW].cast(pa.float64())  # a cast that fails takes twenty times as long as one that works
        cast = text.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    numbers: Floats = cast.to_numpy(zero_copy_only=False)
    # Arrow reads "nan(3)" and "-nan", too, which no notation does.
    return numbers if np.count_nonzero(np.isnan(numbers)) == cast.null_count else None
