"""A `Reading` in one line for the person who brings a file, out of what is typed, as JSON holds it, and as Python.

The line has no cell, and nothing counted of them. Typed lists are texts separated by commas. What is stored is what was
said, and nothing that was not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..texts import listed
from .column import NumberColumn
from .reading import AS_WRITTEN, NO_CODE, Kind, Opening, Reading

MARK_NAMES = {".": "point", ",": "comma"}
KIND_NAMES: dict[Kind, str] = {
    "number": "numbers", "money": "amounts", "percent": "percentages", "date": "dates", "duration": "durations"
}  # fmt: skip
DATES = {
    "": "(so 2024-03-04 would be 4 March 2024)",
    "day first": "day before month (so 03/04/2024 would be 3 April 2024)",
    "month first": "month before day (so 03/04/2024 would be 4 March 2024)",
}
DURATIONS = {
    "": "hours:minutes:seconds (so 1:30:00 would be an hour and a half)",
    "h:mm": "hours:minutes (so 3:45 would be three hours and three quarters)",
    "m:ss": "minutes:seconds (so 3:45 would be three minutes and three quarters)",
}
ZONES = "time zones passed over"
DECLARED_MISSING = "values that the file declares to be missing"
USUAL_MISSING = "blank cells, and texts such as NA, null or ?"


def describe(column: NumberColumn) -> str:
    """Return the sentence, without a full stop at its end: it may be the middle of a line."""
    parts = [_notation(column.kind, column.unit, column.reading), *_changes(column.kind, column.reading)]
    if column.unit in ("%", "seconds"):
        parts.append(f"bounds and answers are in {column.unit}")
    parts += column.notes
    if column.encoding:
        parts.append(f"not UTF-8: read as {column.encoding}")
    return f"{column.name}: {'; '.join([*parts, _missing(column.reading, declares=column.declares)])}"


def _notation(kind: Kind, unit: str, reading: Reading) -> str:
    name = KIND_NAMES[kind]
    if kind == "date":
        order = DATES[reading.dates]
        return f"{name} {order}, {ZONES}" if not reading.dates else f"{name}, {order}, {ZONES}"
    if kind == "duration":
        return f"{name}, {DURATIONS[reading.durations]}"
    named = f"{name} in {unit}" if kind == "money" else name
    if not reading.decimal:
        return f"{named}, by the types of the cells"
    point, comma = reading.decimal, "," if reading.decimal == "." else "."
    marks = f"{MARK_NAMES[point]} as decimal mark, {MARK_NAMES[comma]} between thousands"
    behind = f" {unit}" if unit else ""
    return f"{named}, {marks} (so 45{comma}000{point}5{behind} would be forty-five thousand and a half)"


def _changes(kind: Kind, reading: Reading) -> list[str]:
    """Return the settings for the meaning of numbers, in words."""
    found = []
    if reading.unit and reading.unit != "%":
        found.append(f"numbers without a unit are in {reading.unit}")
    if reading.unit == "%":
        found.append("numbers without a sign are in %")
    if reading.percent is True and reading.unit != "%":
        found.append("numbers without a sign are shares of one, so that 0.125 would be 12.5 %")
    if reading.percent is False and kind == "number":
        found.append("percentages are shares of one, so that 12.5 % would be 0.125")
    if reading.zero:
        found.append(f"zero: {listed(_quoted(reading.zero), len(reading.zero))}")
    return found


def _missing(reading: Reading, *, declares: bool) -> str:
    """Return which cells are missing, by the rule and by the settings; values that a file declares are not named."""
    said = _quoted(reading.missing) + [
        (code if isinstance(code, str) else f"{code:.15g}") for code in reading.missing_codes if code != NO_CODE
    ]
    declared = f", and {DECLARED_MISSING}" if declares else ""
    return f"missing: {USUAL_MISSING}{declared}" + (f", and {listed(said, len(said))}" if said else "")


def _quoted(texts: Sequence[str]) -> list[str]:
    return [f'"{text}"' for text in texts]


def from_typed(*, missing: str = "", zero: str = "", missing_codes: str = "", **others: Any) -> Reading:
    """Return the reading; what is left empty the cells decide. Raises ParameterError (the name of a setting)."""
    return Reading(missing=split(missing), zero=split(zero), missing_codes=split(missing_codes), **others)


def split(typed: str) -> tuple[str, ...]:
    """Return the parts of a typed list, without blanks around them and without empty ones."""
    return tuple(part.strip() for part in typed.split(",") if part.strip())


def as_dict(reading: Reading) -> dict[str, Any]:
    """Return the settings that were said, as JSON holds them; empty where none was."""
    said = {name: value for name, value in vars(reading).items() if value != getattr(AS_WRITTEN, name)}
    return {name: list(map(_plain, value)) if isinstance(value, tuple) else value for name, value in said.items()}


def facts_of(of_file: Opening, columns: Mapping[str, Reading]) -> dict[str, Any]:
    """Return what was said of a file and of the cells of its columns, as plain values; what nobody said is left out."""
    said = {name: as_dict(reading) for name, reading in columns.items() if reading != AS_WRITTEN}
    return of_file.as_dict() | ({"columns": said} if said else {})


def in_python(reading: Reading) -> str:
    """Return the call that makes the reading, with the settings that were said."""
    said = {name: tuple(value) if isinstance(value, list) else value for name, value in as_dict(reading).items()}
    return f"Reading({', '.join(f'{name}={value!r}' for name, value in said.items())})"


def _plain(value: float | str) -> float | str:
    """Return a value as JSON and Python can write it: "inf" as the text that `Reading` takes for it."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value
