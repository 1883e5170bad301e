"""How the cells of a column were read, in one line, and the settings with which they are read otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dpq_core.errors import ParameterError, Remedy
from dpq_core.sources.column import Column, Kind
from dpq_core.sources.reading import AS_WRITTEN, CHOICES, Reading
from dpq_core.sources.readings.forms import from_typed

from .. import keys
from ..frame.header import complain, escape
from ..server import scripts
from ..server.scripts import READING

LABELS = {
    "decimal": "Decimal mark", "dates": "Order of dates", "durations": "Durations such as 3:45",
    "missing": "Texts that mean a missing value", "missing_codes": "Codes that mean a missing value",
    "zero": "Texts that mean zero", "unit": "Numbers without a unit are in", "percent": "Percentages",
}  # fmt: skip
OPTIONS: dict[str, dict[Any, str]] = {
    "decimal": {".": "Point: 1,234.5", ",": "Comma: 1.234,5"},
    "dates": {"day first": "Day before month", "month first": "Month before day"},
    "durations": {"h:mm": "Hours and minutes", "m:ss": "Minutes and seconds"},
    "unit": {unit: unit for unit in CHOICES["unit"]},
    "percent": {True: "0.125 is 12.5 %", False: "12.5 % is 0.125"},
}
EXAMPLES = {"missing": "gone, refused", "missing_codes": "9999999, -99, 9999-12-31", "zero": "-"}
OFFERED = ("decimal", "dates", "durations", "missing", "zero")
"""Settings that a refusal may offer; the unit of a column is one of its file."""
UNDECIDED = "As the cells say"
WIDTH, NARROWEST_FIELD = 560, 220
"""Pixels of all fields, where there is room for them, and of one: its label is read in one line."""
LONGEST = 200
"""Characters of a list that is typed."""
AGAIN = "The same columns are read once more; what you said of persons, groups and bounds stays."


def applicable(column: Column) -> tuple[str, ...]:
    """Return the settings that can change how a column of this kind and notation is read."""
    found, kind = column.reading, column.kind
    orders = {"decimal": found.decimal, "dates": found.dates, "durations": found.durations}
    open_ones = tuple(name for name, value in orders.items() if value)
    dates: tuple[Kind, ...] = ("date",)
    amounts: tuple[Kind, ...] = ("number", "money", "percent")
    return (
        *open_ones,
        "missing",
        "missing_codes",
        *(() if kind in dates else ("zero",)),
        *(("unit", "percent") if kind in amounts else ()),
    )


def show_written(
    sentence: str,
    names: tuple[str, ...],
    said: Reading,
    read_again: Callable[[Reading], None],
    of_column: str = "",
    note: str = AGAIN,
    to_see: str = "",
) -> None:
    """Show how a column was read, with controls to change that; `read_again` gets the new setting.

    `of_column` ends the keys of the widgets; `note` says what comes next; `to_see` names the reading whose line is
    brought into view once.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=READING):
        st.caption(f":material/visibility: {escape(sentence)}", width="stretch")
        with st.popover("Change", key=keys.widget("change_reading"), type="tertiary"):
            ask_reading(names, said, read_again, of_column, note)
        if to_see:
            scripts.run(scripts.TO_THE_READING, to_see)


def ask_reading(
    names: tuple[str, ...],
    said: Reading,
    read_again: Callable[[Reading], None],
    of_column: str = "",
    note: str = AGAIN,
) -> None:
    """Draw the settings and the button that takes them; the rest as in `show_written`."""
    with st.container(width=WIDTH), st.grid(2, min_column_width=NARROWEST_FIELD, gap="small"):
        typed = {name: _field(name, getattr(said, name), of_column) for name in names}
    if note:
        st.caption(note)
    if not st.button(
        "Read it so", key=keys.widget("read_so", *filter(None, [of_column])), icon=":material/table_view:"
    ):
        return
    try:
        reading = from_typed(**typed)
    except ParameterError as error:
        complain(error.sentence(lambda name: f"“{LABELS[name]}”"))
        return
    read_again(reading)


def _field(name: str, value: Any, of_column: str) -> Any:
    """Draw the field of one setting, and return what it holds."""
    widget = keys.widget("reading", name, *filter(None, [of_column]))
    if name in EXAMPLES:
        held = ", ".join(f"{part:.15g}" if isinstance(part, float) else part for part in value)
        return st.text_input(LABELS[name], value=held, key=widget, placeholder=EXAMPLES[name], max_chars=LONGEST)
    options = [getattr(AS_WRITTEN, name), *OPTIONS[name]]
    return st.selectbox(
        LABELS[name], options, options.index(value), key=widget,
        format_func=lambda option: OPTIONS[name].get(option, UNDECIDED),
    )  # fmt: skip


def in_words(reading: Reading) -> tuple[str, ...]:
    """Return what was said, in words that go on after "It is read"."""
    orders: dict[str, dict[Any, str]] = {
        "decimal": {".": "with points as decimal marks", ",": "with commas as decimal marks"},
        "dates": {"day first": "with day before month", "month first": "with month before day"},
        "durations": {"h:mm": "in hours and minutes", "m:ss": "in minutes and seconds"},
        "percent": {True: "with numbers as shares of one", False: "with percentages as shares of one"},
    }
    found = [words[getattr(reading, name)] for name, words in orders.items() if getattr(reading, name) in words]
    if reading.unit:
        found.append(f"with numbers in {reading.unit}")
    quoted = {name: [f"“{text}”" for text in getattr(reading, name)] for name in ("zero", "missing")}
    meant = {"zero": quoted["zero"], "missing": [*quoted["missing"], *map(_code, reading.missing_codes)]}
    found += [f"with {_listed(texts)} as {meaning}" for meaning, texts in meant.items() if texts]
    return tuple(found)


def _listed(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def with_remedy(reading: Reading, way: Remedy) -> Reading:
    """Return the reading that a refusal offers: a text comes beside those that were said before."""
    texts = way.name in ("missing", "zero")
    value: Any = (*getattr(reading, way.name), str(way.value)) if texts else way.value
    return replace(reading, **{way.name: value})


def label_of_way(name: str, value: Any) -> str:
    """Return what a button does that says this setting."""
    labels = {
        "decimal": {".": "Points are decimal marks", ",": "Commas are decimal marks"},
        "dates": OPTIONS["dates"],
        "durations": OPTIONS["durations"],
    }
    if name in labels:
        return labels[name][value]
    return f"“{value}” is {'zero' if name == 'zero' else 'a missing value'}"


def _code(code: float | str) -> str:
    return code if isinstance(code, str) else f"{code:.15g}"
