"""How a file is read: the fields that say so, in one popover, and what was said, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from dpq_core.sources.formats.encodings import USUAL
from dpq_core.sources.forms import from_typed
from dpq_core.sources.reading import CHOICES, Reading

from .. import keys
from ..shell.header import FILE_LABELS

CHANGE, CHANGE_FIRST = "How it was read: change", "How it is read: change"
"""What the popover is called, and before anything was read."""
OF_FILE: dict[str, dict[Any, str]] = {
    "header": {None: "", True: "Holds the names of the columns", False: "Is the first record"},
    "encoding": {"": "", **{encoding: label for label, encoding in USUAL.items()}},
    "separator": {"": "", **{each: each for each in "^~¦§:_"}},
    "fill_down": {None: "", True: "Are those of the row above", False: "Belong to nobody"},
    "totals": {None: "", False: "Are records"},
    "quoting": {None: "", True: "Hold cells", False: "Are ordinary characters"},
}
"""The choices for a whole file; the first one of each is what the file says."""
OF_CELLS: dict[str, dict[Any, str]] = {
    "decimal": {"": "", ".": "Point: 1,234.5", ",": "Comma: 1.234,5"},
    "dates": {"": "", "day first": "Day before month", "month first": "Month before day"},
    "durations": {"": "", "h:mm": "Hours and minutes", "m:ss": "Minutes and seconds"},
    "missing": {},
    "missing_codes": {},
    "zero": {},
    "unit": {"": "", **{unit: unit for unit in CHOICES["unit"]}},
    "percent": {None: "", True: "0.125 is 12.5 %", False: "12.5 % is 0.125"},
}
"""The same for the cells of a column; what has no choices is typed."""
EXAMPLES = {"missing": "gone, refused", "missing_codes": "9999999, -99, 9999-12-31", "zero": "-"}
UNDECIDED = "As the file says"
WIDTH, NARROWEST_FIELD = 560, 220
"""Pixels of all fields, where there is room for them, and of one: its label is read in one line."""
LONGEST = 200
"""Characters of a list that is typed."""


def ask(
    said: Mapping[str, Any], settings: Collection[str], reading: Reading | None, of_file: str, of_column: str
) -> tuple[dict[str, Any], Reading]:
    """Draw the fields; return what they say of the file, as far as it has these settings, and of a column.

    They hold `said` and `reading` at first; without a reading there are fields of the file alone. `of_file`,
    `of_column`: end the keys of the fields. Raises ParameterError for a reading that cannot be.
    """
    with st.container(width=WIDTH), st.grid(2, min_column_width=NARROWEST_FIELD, gap="small"):
        file = {
            name: _field(name, choices, said.get(name, next(iter(choices))), of_file)
            for name, choices in OF_FILE.items()
            if name in settings
        }
        of_cells = {} if reading is None else OF_CELLS
        cells = {name: _field(name, choices, getattr(reading, name), of_column) for name, choices in of_cells.items()}
    return file, from_typed(**cells)


def _field(name: str, choices: dict[Any, str], value: Any, of: str) -> Any:
    """Draw the field of one setting, and return what it holds."""
    widget, label = keys.widget("reading", name, of), FILE_LABELS[name]
    if not choices:
        return st.text_input(label, _typed(value), key=widget, placeholder=EXAMPLES[name], max_chars=LONGEST)
    first, *others = choices
    options = ["", *others]  # Streamlit takes None for a field without a choice
    at = 0 if value == first else options.index(value)
    chosen = st.selectbox(label, options, at, key=widget, format_func=lambda option: choices.get(option) or UNDECIDED)
    return first if chosen == "" else chosen


def _typed(listed: tuple[float | str, ...]) -> str:
    return ", ".join(part if isinstance(part, str) else f"{part:.15g}" for part in listed)


def in_words(said: Mapping[str, Any]) -> list[str]:
    """Return what was said of a file, or of the cells of a column: `Decimal mark: Comma`."""
    found = []
    for name, choices in (OF_FILE | OF_CELLS).items():
        value = said.get(name)
        if value not in (None, "", ()):
            words = choices[value].partition(":")[0] if choices else _typed(value)
            found.append(f"{FILE_LABELS[name]}: {words}")
    return found
