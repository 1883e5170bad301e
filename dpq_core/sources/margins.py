"""Find what a spreadsheet or a bank puts around a table, and what its other cells say about the decimal mark.

Titles above the header are passed over. A total below the records would be one record more, and a wrong one: it is
refused, since only a person knows whether it is one. Rows are lists of text cells, as they are in the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import DataError, Disclosure
from .numbers import MARKS, are_values, value_flags
from .reading import CURRENCIES

Row = Sequence[str]
Rows = Sequence[Row]

MOST_TITLES = 50  # rows above a header, blank ones included
MOST_NOTES = 5  # rows below a total
FEWEST_ROWS_OF_A_TOTAL = 8  # fewer rows do not tell that a lonely cell is a total
MOST_TOLD = 2_000  # cells that are asked for the decimal mark
SEVERAL = 2  # this many amounts prove a decimal mark
TOTAL = re.compile(
    r"((grand |sub-?)?total(s|e|en)?|(gesamt|end|zwischen)?summen?|(ins)?gesamt|somme|totaal|mittelwert|durchschnitt)\b"
    r"|(sums?|suma|average|mean|moyenne)(?=\W*$|:| of\b)",
    re.IGNORECASE,
)
FOOTER = "A row at the end looks like a total or a note below the records; delete it, since it would count as a record."

# A number that fits one decimal mark only: other than three digits after the mark, or groups of thousands before it.
_ONE_WAY = r"(?:\d+{0}(?:\d{{1,2}}|\d{{4,}})|0\d*{0}\d+|\d{{4,}}{0}\d+|\d{{1,3}}(?:{1}\d{{3}})+{0}\d*)"
_SIGN = r"[-+(−–]?\s*"
_ANY = r"(?:\d+(?:{0}\d*)?|\d{{1,3}}(?:{1}\d{{3}})+(?:{0}\d*)?)"
_UNIT = f"(?:{'|'.join(CURRENCIES.values())}|%)"
_AMOUNT = r"{sign}(?:{unit}\s*{sign}{one_way}|{one_way}\s*{unit}|\d{{1,3}}(?:{group}\d{{3}})+{mark}\d+)\s*\)?"


def _pattern(of: str, mark: str) -> re.Pattern[str]:
    """Return a pattern of cells by what they show of this decimal mark."""
    group = MARKS.replace(mark, "")
    one_way = _ONE_WAY.format(f"[{mark}]", f"[{group}]")
    parts = {"sign": _SIGN, "unit": _UNIT, "one_way": one_way, "group": f"[{group}]", "mark": f"[{mark}]"}
    return re.compile(of.format(**parts), re.IGNORECASE)


_AMOUNTS = {mark: _pattern(_AMOUNT, mark) for mark in MARKS}
"""Amounts that cannot be read otherwise: with a unit, or with both marks. A bare 8.30 can be a time or a code."""
_SPACED_NUMBER = re.compile(r"[-+\d., ]+")
_DECIMAL_COMMA = _pattern(_SIGN + "{one_way}", ",")
_COMMA_NUMBER = re.compile(_SIGN + _ANY.format("[,]", "[.]"))


def rows_above(rows: Rows) -> int:
    """Return how many rows are above the header: titles, notes and blank rows; 0 where the first row is the header.

    A header below titles has at least twice as many filled cells as each of them, none of them a value, and rows of
    its own length with values below it.
    """
    most = 0
    for number, row in enumerate(rows[:MOST_TITLES]):
        fields = _filled(row)
        if number > 0 and len(fields) >= max(2 * most, 2) and not any(are_values(fields)):
            below = [other for other in rows[number + 1 :] if _filled(other)]
            alike = [other for other in below if len(other) == len(row)]
            if 10 * len(alike) > 9 * len(below) and any(any(are_values(other)) for other in alike[:20]):
                return number
        most = max(most, len(fields))
    return 0


def parted_by_spaces(lines: Row) -> bool:
    """Return whether spaces part the same number of cells on nearly all lines, of which one column holds numbers.

    Dates with a time and amounts with a unit are single values, as are thousands below a name of one word.
    """
    rows = [line.split() for line in lines if line.strip()]
    width = len(rows[0]) if rows else 0
    alike = [at for at, row in enumerate(rows) if len(row) == width]
    if width < 2 or 10 * len(alike) <= 9 * len(rows):
        return False
    below = [rows[at] for at in alike[1:] or alike]
    if not any(all(are_values(column)) and are_values(column) for column in map(list, zip(*below, strict=True))):
        return False
    whole = [" ".join(row) for row in below]
    return not all(
        flag and not _SPACED_NUMBER.fullmatch(each) for flag, each in zip(value_flags(whole), whole, strict=True)
    )


def check_no_total(rows: Rows, column: int) -> None:
    """Raise DataError where the last of these rows with a cell in the column, as long as the others, is no record.

    That is so where it begins with a word for a total that no other row has there, where it holds nothing else and all
    others do, or where it stands below a blank row and begins with text, as no other row does. Up to MOST_NOTES rows
    without a cell in the column may follow it.
    """
    filled = [number for number, row in enumerate(rows) if _filled(row)]
    for end in range(len(filled) - 1, max(len(filled) - 2 - MOST_NOTES, 1), -1):
        last, others = rows[filled[end]], [rows[number] for number in filled[:end]]
        if len(last) != len(others[-1]):
            return
        if last[column].strip():
            if _is_below_the_records(last, others, column, blank_before=filled[end] - filled[end - 1] > 1):
                raise DataError(FOOTER, discloses=Disclosure.TOTAL)
            return


def _is_below_the_records(last: Row, others: Rows, column: int, *, blank_before: bool) -> bool:
    place = next(k for k, field in enumerate(last) if field.strip())
    start = last[place].strip()
    starts = [row[place].strip() for row in others if len(row) > place]
    is_total = place != column and TOTAL.match(start) is not None and start not in starts
    is_note = blank_before and not any(are_values([start])) and all(are_values([field for field in starts if field]))
    is_alone = (
        len(others) >= FEWEST_ROWS_OF_A_TOTAL
        and len(_filled(last)) == 1
        and all(len(_filled(row)) > 1 for row in others)
    )
    return is_total or is_note or is_alone


def decimal_mark(rows: Rows, *, comma_separated: bool) -> str:
    """Return the decimal mark of cells with two readings, "" if a person has to say it.

    That of several amounts in the file which can be read in one way only decides. Else a file with commas between its
    columns has points, unless a whole column of it is written with decimal commas; of any other file nothing is known.
    """
    fields = [field.strip() for row in rows for field in row][:MOST_TOLD]
    counts = {mark: sum(amount.fullmatch(field) is not None for field in fields) for mark, amount in _AMOUNTS.items()}
    proved = [mark for mark, count in counts.items() if count]
    if proved:
        return proved[0] if len(proved) == 1 and counts[proved[0]] >= SEVERAL else ""
    return "." if comma_separated and not any(map(_has_decimal_commas, _columns(rows))) else ""


def _columns(rows: Rows) -> list[list[str]]:
    """Return the filled cells of each column."""
    width = max(map(len, rows), default=0)
    return [[row[at].strip() for row in rows[:MOST_TOLD] if len(row) > at and row[at].strip()] for at in range(width)]


def _has_decimal_commas(fields: Row) -> bool:
    """Return whether all cells of a column are numbers with a decimal comma, of which one cannot be read otherwise."""
    numbers = all(_COMMA_NUMBER.fullmatch(field) for field in fields)
    return numbers and any(_DECIMAL_COMMA.fullmatch(field) for field in fields)


def _filled(row: Row) -> list[str]:
    return [field for field in row if field.strip()]
