"""Text cells to float64: the ways to write values, one of which fits a whole column (notation.py).

A notation is a way to write values: "1,234.5" and "1.234,5" are two, "5 €", "5 %", dates and durations others. Errors
carry a position, never a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import Flags, Floats
from ..people.coded import as_text, without
from ..texts import IN_ASCII, MISSING, ZERO_OR_MISSING
from . import dates
from .column import Kind
from .reading import AS_WRITTEN, CURRENCIES, DASH, Reading

FOREIGN = f"[{''.join(map(chr, IN_ASCII))}]"
CELLS_TRIED_FIRST = 1_000  # cells that are tried before the rest of a chunk, since most attempts fail at once
MARKS = ".,"  # decimal marks; the other one of the two groups the thousands

NOT_A_VALUE = (
    "is not a number, a date (like 2024-01-31) or a duration (like 1:30:00); remove words and units, leave the cell "
    "empty or say that its text means a missing value (`missing`), and delete titles and totals"
)
TOO_LARGE = "is a number too large to be read; correct it or leave the cell empty"
ODD_ONE = "is written differently from the rows above it; use one unit, decimal mark or date format in the whole column"


class BadField(Exception):
    """A cell that cannot be used: its position in the column (from 0) and the end of a sentence about it."""

    def __init__(self, index: int, problem: str) -> None:
        super().__init__(problem)
        self.index, self.problem = index, problem


@dataclass(frozen=True)
class Notation:
    """One way to write values: a pattern (RE2) for the whole cell, and the values of cells that match it."""

    kind: Kind
    unit: str
    pattern: str
    decimal: str = "."
    order: str = ""
    """What a person may say about dates or durations of this pattern, if another one fits the same cells."""

    def fits(self, fields: pa.Array) -> pa.Array:
        """Return whether each cell matches; null for missing cells."""
        return pc.match_substring_regex(fields, self.pattern)

    def first_misfit(self, fields: pa.Array) -> int:
        """Return the position of the first cell that does not match, -1 if there is none."""
        return int(pc.index(self.fits(fields), False).as_py())

    def values(self, fields: pa.Array) -> Floats:
        """Return the numbers of tidy cells, NaN for missing ones; raises BadCell at the first that is none."""
        misfit = self.first_misfit(fields)
        fitting = fields if misfit < 0 else fields[:misfit]
        numbers = self._numbers(fitting)
        if (too_large := first_too_large(fitting, numbers)) >= 0:
            raise BadField(too_large, TOO_LARGE)
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
    """Return the pattern of unsigned numbers with this decimal mark, thousands in groups of three, or of two
    above the first three as in India, and an exponent.
    """
    point, comma = f"[{decimal}]", f"[{MARKS.replace(decimal, '')}]"
    lakh = [r"[1-9]\d?(?:,\d\d)+,\d{3}"] if decimal == "." else []  # as in India: 12,34,567
    grouped = "|".join([*(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+" for mark in (comma, " ", "'")), *lakh])
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
    found += [Notation("date", "date", pattern, order=order) for pattern, order in dates.DATES.items()]
    found += [Notation("duration", "seconds", pattern, order=order) for pattern, order in dates.DURATIONS.items()]
    return tuple(found)


NOTATIONS = _notations()  # in order of preference


def notations_of(reading: Reading) -> tuple[Notation, ...]:
    """Return the notations that are left by what was said."""
    said = {"date": reading.dates, "duration": reading.durations}
    return tuple(
        each
        for each in NOTATIONS
        if (each.order in ("", said[each.kind] or each.order) if each.kind in said
            else each.decimal == (reading.decimal or each.decimal))
    )  # fmt: skip


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


def marks_of(fields: Sequence[str]) -> list[tuple[str, bool]]:
    """Return for each cell the decimal marks with which it is a number or an amount, and whether it has a unit."""
    texts, found = tidy(pa.array(fields, pa.string())), [("", False)] * len(fields)
    for notation in NOTATIONS if fields else ():
        if notation.kind in ("number", "money", "percent"):
            fits = notation.fits(texts).fill_null(False).to_numpy(zero_copy_only=False)
            for at in np.flatnonzero(fits).tolist():
                found[at] = found[at][0] + notation.decimal, bool(notation.unit)
    return found


def plain_numbers(fields: pa.Array, mark: str, reading: Reading = AS_WRITTEN) -> Floats | None:
    """Return the numbers of cells without units, dates or groups of thousands; None if a cell is not such a number."""
    text = as_text(fields)
    if mark == ",":
        if contains(text, "."):
            return None
        text = pc.replace_substring(text, ",", ".")
    if not (reading.missing or reading.zero) and (numbers := _cast(text)) is not None:
        return numbers
    trimmed = _trimmed(text)
    missing = [each for each in (*MISSING, *reading.missing) if each not in reading.zero]
    text = pc.if_else(pa.array(are_texts(trimmed, reading.zero)), "0", without(trimmed, missing))
    return _cast(text)


def contains(fields: pa.Array, mark: str) -> bool:
    """Return whether some text cell contains the mark."""
    return bool(pc.any(pc.match_substring(fields, mark)).as_py())


def tidy(fields: pa.Array, reading: Reading = AS_WRITTEN) -> pa.Array:
    """Return trimmed text with ASCII signs, spaces and apostrophes; null for what means missing, zero, or either."""
    return without(_trimmed(fields), [*MISSING, *ZERO_OR_MISSING, *reading.missing, *reading.zero])


def first_open(fields: pa.Array, reading: Reading) -> tuple[int, str]:
    """Return where the first cell is that can mean zero or missing and was not spoken of, and its text; -1 and ""."""
    said = {*reading.zero, *reading.missing}
    at = np.flatnonzero(are_texts(fields, [text for text in ZERO_OR_MISSING if text not in said]))
    if not at.size:
        return -1, ""
    first = int(at[0])
    return first, str(pc.utf8_lower(_trimmed(fields.slice(first, 1)))[0].as_py())


def are_texts(fields: pa.Array, texts: Sequence[str]) -> Flags:
    """Return which cells hold one of the texts."""
    if not texts:
        return np.zeros(len(fields), np.bool_)
    found = pc.is_in(pc.utf8_lower(_trimmed(fields)), pa.array(texts, pa.string()))
    flags: Flags = found.to_numpy(zero_copy_only=False)
    return flags


def _trimmed(fields: pa.Array) -> pa.Array:
    """Return trimmed text with ASCII signs, spaces and apostrophes, and a dash without a unit."""
    text = pc.utf8_trim_whitespace(as_text(fields))
    if not pc.all(pc.string_is_ascii(text)).as_py() and pc.any(pc.match_substring_regex(text, FOREIGN)).as_py():
        odd = pc.match_substring_regex(text, FOREIGN).fill_null(False)
        plain = [each.translate(IN_ASCII) for each in text.filter(odd).to_pylist()]
        text = pc.utf8_trim_whitespace(pc.replace_with_mask(text, odd, pa.array(plain, pa.string())))
    return pc.replace_substring_regex(text, DASH, r"\1") if contains(text, "-") else text


def _numbers(fields: pa.Array, decimal: str) -> Floats:
    """Return the numbers of cells that match a number, percent or money pattern with this decimal mark."""
    units = "|".join(CURRENCIES.values())
    group = MARKS.replace(decimal, "")
    text = pc.replace_substring_regex(fields, rf"(?i:{units})|[ ')+%{group}]", "")
    text = pc.replace_substring(text, "(", "-")
    text = pc.replace_substring(text, ",", ".")
    numbers: Floats = text.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers


def _cast(text: pa.Array) -> Floats | None:
    """Return text as float64, NaN for null; None if a cell is not a plain number."""
    try:
        text[:CELLS_TRIED_FIRST].cast(pa.float64())  # a cast that fails takes twenty times as long as one that works
        cast = text.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    numbers: Floats = cast.to_numpy(zero_copy_only=False)
    # Arrow reads "nan(3)" and "-nan", too, which no notation does, and 1e400 as infinite.
    as_written = np.count_nonzero(np.isnan(numbers)) == cast.null_count and first_too_large(text, numbers) < 0
    return numbers if as_written else None


def first_too_large(text: pa.Array, numbers: Floats) -> int:
    """Return the position of the first cell whose digits are beyond all float64; -1 where there is none."""
    infinite = np.flatnonzero(np.isinf(numbers))
    digits = pc.match_substring_regex(text.take(pa.array(infinite)), r"\d").to_numpy(zero_copy_only=False)
    return int(infinite[digits.argmax()]) if digits.any() else -1
