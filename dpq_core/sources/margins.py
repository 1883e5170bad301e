"""Find what a spreadsheet or a bank puts around a table, and what its other cells say about the decimal mark.

Titles above the header are passed over. A total would be one record more, and a wrong one: it is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..errors import DataError, Disclosure, Remedy
from .numbers import MARKS, are_values, marks_of, value_flags

Row = Sequence[str]
Rows = Sequence[Row]

YEAR = re.compile(r"(1[6-9]|20)\d\d")
MOST_TITLES = 50  # rows above a header, blank ones included
MOST_NOTES = 5  # rows below a total
FEWEST_ROWS_OF_A_TOTAL = 8  # fewer rows do not tell that a lonely cell is a total
MOST_TOLD = 2_000  # cells that are asked for the decimal mark
SEVERAL = 2  # this many amounts prove a decimal mark
BARE = "+-0123456789., "  # of cells without a unit, which may be times or codes: 8.30
_TOTAL = (
    r"totals?|totale[ns]?|totali|totais|totaux|totaal|totalt|(gesamt|end)?summen?|(ins)?gesamt|gesamtergebnis|somme|"
    "mittelwert|durchschnitt|gemiddelde|promedio|razem|ogółem|łącznie|celkem|összesen|yhteensä|σύνολο|toplam|"
    'ukupno|összes|kokku|spolu|общо|tổng cộng|jumlah|samtals|iš viso|разом|รวม|סה"כ|कुल|Σ|'
    "итого|всего|合計額?|総計|合计|总计|總計|합계|총계|المجموع|الإجمالي"
)
_PART = (
    "(grand|ara|genel|общий) (total|toplam|итог)|(sub|sous|sotto)[- ]?tota(l|ls|le|les|li|is|al|ux)|zwischensummen?|"
    "teilergebnis|小計|小计|소계"
)
_SUM = "overall|sums?|summ?a|somm?a|som|average|mean|moyenne|m[ée]dia|ergebnis|result|count|ensemble|i alt|平均|[计計]"
TOTAL = re.compile(
    rf"\W*+(({_PART}|{_TOTAL})(?!\w).*|({_SUM})(\W*$|:.*| of\b.*)|(\S++\s){{1,2}}({_PART}|{_TOTAL})\W*)",
    re.IGNORECASE | re.DOTALL,
)
"""Labels of rows that add up others: they begin or, within three words, end so. Of some words nothing may follow."""
ALONE = re.compile(rf"\W*+({_PART}|{_TOTAL}|{_SUM})\W*", re.IGNORECASE)
"""Labels that are nothing else."""
PART = re.compile(rf"\W*+({_PART})\W*", re.IGNORECASE)
"""Those that no record has, however often they come."""
NOTE = re.compile(r"\W*\w+( \w+)?:|[*†‡§¹²]|\W*\w\S*\s+\S+\s+\S")
"""How a note below a table begins: with a word and a colon, a sign of footnotes, or three words."""
LONGEST_LABEL = 60
FOOTER = (
    "A row at the end looks like a total or a note below the records; delete it, since it would count as a record, or "
    "say that no row is a total (`totals`)."
)
WITHIN = (
    "A row looks like a total of those around it; delete such rows, since each would count as a record, or say that no "
    "row is a total (`totals`)."
)
RECORDS = (Remedy("totals", False),)

_SPACED_NUMBER = re.compile(r"[-+\d., ]+")


def rows_above(rows: Rows) -> int:
    """Return how many rows are above the header: titles, notes and blank rows; 0 where the first row is the header.

    A header below titles has at least twice as many filled cells as each of them, or more below a blank row, none of
    them a value but for years, and rows of its own length with values below it, which fill no more cells.
    """
    most = 0
    for number, row in enumerate(rows[:MOST_TITLES]):
        fields = _filled(row)
        named = [field for field in fields if not YEAR.fullmatch(field.strip())]
        least = most + 1 if number and not _filled(rows[number - 1]) else 2 * most
        if number > 0 and len(fields) >= max(least, 2) and named and not any(are_values(named)):
            below = [other for other in rows[number + 1 :] if _filled(other)]
            alike = [other for other in below if len(other) == len(row)]
            usual = sorted(len(_filled(other)) for other in below)[(len(below) - 1) // 2] if below else 0
            has_values = any(any(are_values(other)) for other in alike[:20])
            if has_values and 10 * len(alike) > 9 * len(below) and len(fields) + (not row[0].strip()) >= usual:
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


class Ending:
    """The last rows of a table, which may hold a total or a note."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self._filled = rows, [number for number, row in enumerate(rows) if any(map(str.strip, row))]
        words = {text for text in {field.strip() for row in rows for field in row} if ALONE.fullmatch(text)}
        cells = ((at, field.strip()) for row in rows if words for at, field in enumerate(row))
        seen = Counter(cell for cell in cells if cell[1] in words)
        self._alone = {cell for cell, times in seen.items() if times == 1 or PART.fullmatch(cell[1])}
        last, others = self._row_and_above(-1) if self._filled else ([], [])
        self._has_note = bool(others) and len(last) == len(others[-1]) and _is_note(last, others)

    def _row_and_above(self, end: int) -> tuple[Row, Rows]:
        """Return a row that holds something, and those above it, by its place among these."""
        return self._rows[self._filled[end]], [self._rows[number] for number in self._filled[:end]]

    def check_no_total(self, column: int) -> None:
        """Raise DataError where the last row with a cell in the column, as long as the others, is no record.

        That is so where it has a word for a total that no other row has there, where it holds nothing else and all
        others do, or where it stands below a blank row and begins with text, as no other row does. Up to MOST_NOTES
        rows without a cell in the column may follow it. Rows above it are refused, too, for such a word alone, or one
        for a subtotal. A note at the very end is refused, in any column.
        """
        filled = self._filled
        if self._has_note:
            raise DataError(FOOTER, discloses=Disclosure.TOTAL, remedies=RECORDS)
        alone = {cell for cell in self._alone if cell[0] != column}
        for row in (self._rows[number] for number in filled[:-1] if alone):
            if len(row) > column and row[column].strip() and not alone.isdisjoint(enumerate(map(str.strip, row))):
                raise DataError(WITHIN, discloses=Disclosure.TOTAL, remedies=RECORDS)
        for end in range(len(filled) - 1, max(len(filled) - 2 - MOST_NOTES, 1), -1):
            last, others = self._row_and_above(end)
            if len(last) != len(others[-1]):
                return
            if last[column].strip():
                totals = [at for at, field in enumerate(last) if len(field) < LONGEST_LABEL and TOTAL.fullmatch(field)]
                above = {(at, row[at].strip()) for row in others for at in totals if at < len(row)}
                is_total = any(at != column and (at, last[at].strip()) not in above for at in totals)
                if is_total or _is_below_the_records(last, others, blank_before=filled[end] - filled[end - 1] > 1):
                    raise DataError(FOOTER, discloses=Disclosure.TOTAL, remedies=RECORDS)
                return


def _is_note(last: Row, others: Rows) -> bool:
    """Return whether a row holds one text alone that begins as no other cell of its column; most rows hold more."""
    place = next(k for k, field in enumerate(last) if field.strip())
    records = [row for row in others if len(_filled(row)) > 1]
    if len(_filled(last)) > 1 or not NOTE.match(last[place].strip()) or 3 * len(records) <= 2 * len(others):
        return False
    return not any(NOTE.match(row[place].strip()) for row in records if len(row) > place)


def _is_below_the_records(last: Row, others: Rows, *, blank_before: bool) -> bool:
    place = next(k for k, field in enumerate(last) if field.strip())
    starts = [row[place].strip() for row in others if len(row) > place]
    is_note = blank_before and not any(are_values([last[place]])) and all(are_values([each for each in starts if each]))
    is_alone = (
        len(others) >= FEWEST_ROWS_OF_A_TOTAL
        and len(_filled(last)) == 1
        and all(len(_filled(row)) > 1 for row in others)
    )
    return is_note or is_alone


def decimal_mark(rows: Rows, *, comma_separated: bool) -> str:
    """Return the decimal mark of cells with two readings, "" if a person has to say it.

    That of several amounts in the file which can be read in one way only decides. Else a file with commas between its
    columns has points, unless a whole column of it is written with decimal commas; of any other file nothing is known.
    """
    fields = [field for row in rows for field in row if not {*MARKS}.isdisjoint(field)][:MOST_TOLD]
    odd = [field for field in fields if field.strip(BARE) or {*MARKS} <= {*field}]
    amounts = (
        marks
        for field, (marks, has_unit) in zip(odd, marks_of(odd), strict=True)
        if len(marks) == 1 and (has_unit or {*MARKS} <= {*field})
    )
    (proved, count), *others = Counter(amounts).most_common() or [("", 0)]
    if proved:
        return proved if count >= SEVERAL and not others else ""
    of_columns = ([marks for marks, _ in marks_of(each)] for each in _columns(rows) if "," in "".join(each))
    with_commas = ("," in marks and all("," in each for each in marks) for marks in of_columns)
    return "." if comma_separated and not any(with_commas) else ""


def _columns(rows: Rows) -> list[list[str]]:
    """Return the filled cells of each column."""
    width = max(map(len, rows), default=0)
    return [[row[at].strip() for row in rows[:MOST_TOLD] if len(row) > at and row[at].strip()] for at in range(width)]


def _filled(row: Row) -> list[str]:
    return [field for field in row if field.strip()]
