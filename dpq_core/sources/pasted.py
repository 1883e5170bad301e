"""Values typed or pasted as text: one per line, or in lists."""

from __future__ import annotations

import re

import pyarrow as pa

from ..errors import DataError, Disclosure
from .column import NumberColumn, label_columns, only_clear_errors
from .formats.reader import clear_fields
from .header import could_be_values
from .notation import parse_fields
from .numbers import are_values, marks_of
from .reading import AS_WRITTEN, Reading

MOST_SEEN = 200  # pasted values that tell that the line above them is a heading


@only_clear_errors
def read_pasted(pasted: str, *, reading: Reading = AS_WRITTEN) -> NumberColumn:
    """Read values typed or pasted: one per line, written as in a file, or lists with space, tab, ";" or comma between.

    A first line of text with values below it is a heading. A blank line above a value is a missing value, blank lines
    at the end are none. In lists an empty place between two separators is a missing value and a blank line is none.
    Spaces always part values here, so thousands need another mark; commas do so in "1,2,3". A single line with several
    commas that can part values or thousands, such as "1,234,567", is refused.
    Raises DataError; its row counts lines, or the values of a list.
    """
    lines = [(number, line.strip(" ")) for number, line in enumerate(pasted.lstrip("\ufeff").splitlines(), start=1)]
    filled = [at for at, (_, line) in enumerate(lines) if line.strip()]
    if not filled:
        raise DataError("There is nothing to read; type or paste numbers, one per line.", discloses=Disclosure.EMPTY)
    lines = lines[: filled[-1] + 1]
    name, rows, heading = "pasted", _pasted_rows(lines), lines[filled[0]][1].strip()
    if not could_be_values([heading])[0]:
        below = _pasted_rows(lines[filled[0] + 1 :])
        if any(are_values([field for _, field in below[:MOST_SEEN]])):
            name, rows = label_columns([heading])[0], below
    fields = pa.array([field for _, field in rows], pa.string())
    with clear_fields(lambda at: rows[at][0]):
        return NumberColumn(name, *parse_fields(fields, decimal="" if ";" in pasted else ".", reading=reading))


def _pasted_rows(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the lines of pasted text as cells with their numbers, or the values of its lists, counted anew."""
    cut = _list_cut([line.strip() for _, line in lines])
    if not cut:
        return lines
    fields = [field for _, line in lines if line.strip() for field in re.split(cut, line.strip(" ,;"))]
    return list(enumerate(fields, start=1))


def _list_cut(lines: list[str]) -> str:
    """Return the pattern at which to cut pasted lines that hold several values; "" for one value per line."""
    if any(re.search(r"[\d.%],?[;\t ][\s;,]*[-+−.\d]", line) and ":" not in line for line in lines):
        return r" *[;\t] *| *, +| +"
    with_commas = [line for line in lines if line.count(",") > 1]
    if not all("." in marks for marks, _ in marks_of(with_commas)):  # as in 1,234,567 or, in India, 12,34,567
        return ","
    if with_commas and len(list(filter(None, lines))) == 1:
        raise DataError(
            "The commas can separate values or thousands; put a space after each comma between values, or leave out "
            "the commas between thousands.",
            discloses=Disclosure.NOTATION,
        )
    return ""
