"""Where the columns of a file are, and how it is read: what the page asks at once, and the popover with all else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.errors import DataError, ParameterError
from dpq_core.jobs.queue import Job, read_apart
from dpq_core.results.chosen import TableReading
from dpq_core.sources.files import Layout, find_layout, list_sheets
from dpq_core.sources.formats.known import BYTES_OF_START, USUAL, format_of
from dpq_core.sources.forms import facts_of, from_typed, in_python
from dpq_core.sources.reading import AS_WRITTEN, CHOICES, Opening, Reading

from .. import keys
from ..server import runs, scripts, work
from ..shell.header import FILE_LABELS, complain, escape, sentence_of
from ..shell.waiting import in_line
from . import content

HEADER_ANSWERS = {"Yes, it holds the names of the columns": True, "No, it is the first record": False}
AGAIN = "The page reads the same columns again. What you said of persons, groups and bounds stays."
FEW_COLUMNS = 3
"""The most columns that show at once how they were read."""


def find_columns(file: Any, of_file: str) -> tuple[Layout, Opening, set[str]] | None:
    """Return where the columns are, what had to be said for that, and the settings that may still be said.

    None, with a message, where the columns are not known. `of_file`: ends the keys of the widgets.
    """
    try:
        settings = settings_of(file)
        names = _found(file, ("sheets",), list_sheets) if "sheet" in settings else ()
    except DataError as error:
        names = error
    if not isinstance(names, tuple):
        complain(str(names or ""))
        return None
    sheet = ""
    if len(names) > 1:
        sheet = str(st.selectbox("Sheet", names, key=keys.widget("sheet", of_file), persist_state="session"))
        sheet = "" if sheet == names[0] else sheet
    said = Opening(sheet=sheet, **_said_of(sheet))
    layout, said = _decoded_layout(file, said, of_file)
    if layout is None:
        said = replace(said, header=ask_header(keys.widget("header", of_file, sheet)))
        if said.header is None:
            return None
        layout, said = _decoded_layout(file, said, of_file)
    settings -= {name for name, value in said.as_dict().items() if name not in _said_of(sheet)}
    if isinstance(layout, ValueError):
        complain(sentence_of(layout))
        _offer_change({}, said, settings, of_file, None)
        return None
    return None if layout is None else (layout, said, settings)


def settings_of(file: Any) -> set[str]:
    """Return the settings that files of this format have; none without a file. Raises DataError."""
    return set() if file is None else set(format_of(file.getvalue()[:BYTES_OF_START]).settings)


def _decoded_layout(file: Any, said: Opening, of_file: str) -> tuple[Layout | ValueError | None, Opening]:
    """Return where the columns are, as `_layout_of`, and the encoding, which is asked for where it is in doubt."""
    layout = _layout_of(file, said)
    if not said.encoding and (guessed := encoding_in_doubt(layout)) is not None:
        widget = keys.widget("encoding", of_file)
        choices = {f"Not UTF-8: read as {guessed}": ""} if guessed else {}
        choices |= USUAL
        chosen = st.selectbox(
            "Encoding", list(choices), index=0 if guessed else None, key=widget, placeholder="Choose the encoding",
            persist_state="session",
            help="Which characters the bytes of the file are. The program that wrote the file can tell. With a wrong "
            "encoding, names of groups do not match.",
        )  # fmt: skip
        said = replace(said, encoding=choices.get(chosen or "", ""))
        layout = _layout_of(file, said)
    return layout, said


def encoding_in_doubt(found: object) -> str | None:
    """Return what a text file that is not UTF-8 was read as, "" where it was refused; None where there is no doubt."""
    if isinstance(found, DataError):
        return "" if any(way.name == "encoding" for way in found.remedies) else None
    return str(getattr(found, "read_as", "")) if getattr(found, "guessed", False) else None


def ask_header(widget: str) -> bool | None:
    """Ask whether the first row of a file is a header, where its cells do not tell; None before the answer."""
    answer = st.radio(
        "Is the first row a header?", list(HEADER_ANSWERS), index=None, key=widget, persist_state="session",
        help="By its cells it can hold the names of the columns or the first record. The columns of a file without a "
        "header are numbered, so that no record becomes a name.",
    )  # fmt: skip
    return None if answer is None else HEADER_ANSWERS[answer]


def said_of_header(header: bool | None) -> str:
    """Return the argument of a script for what was answered; empty where nothing had to be asked."""
    return "" if header is None else f", header={header}"


def said_in_script(file: str, said: Opening) -> str:
    """Return the argument of a script for all that had to be said of a file; empty where nothing had to be."""
    if said.as_dict().keys() <= {"header"}:
        return said_of_header(said.header)
    settings = ", ".join(f"{name}={value!r}" for name, value in said.as_dict().items())
    return f", layout=find_layout({file!r}, {settings})"


def in_script(reading: Reading) -> str:
    """Return the argument of a script for what was said of how cells are written; empty where nothing was."""
    return "" if reading == AS_WRITTEN else f", reading={in_python(reading)}"


def reading_of(
    file: str, said: Opening, columns: Mapping[str, Reading], by: Iterable[str] = (), person: str = ""
) -> TableReading:
    """Return how columns of a file are read again, those of groups, and the persons where they are asked.

    `columns`: by the name of each what was said of its cells.
    """
    of_file = said_in_script(file, said)
    calls = [
        (name, f"read_column({file!r}, {name!r}{of_file}{in_script(own)}).values") for name, own in columns.items()
    ]
    calls += [(name, f"read_groups({file!r}, {name!r}{of_file})") for name in by]
    written = "".join(call for _, call in calls)
    called = ("find_layout", "layout=find_layout" in written), ("read_column", True), ("read_groups", bool(by))
    used = [name for name, is_used in (*called, ("read_people", bool(person))) if is_used]
    imports = [f"from dpq_core.sources.files import {', '.join(used)}"]
    imports += ["from dpq_core.sources.reading import Reading"] if "reading=Reading(" in written else []
    people = f"read_people({file!r}, {person!r}{of_file})" if person else ""
    return TableReading(tuple(imports), tuple(calls), people, file, said=facts_of(said, columns))


def _layout_of(file: Any, said: Opening) -> Layout | ValueError | None:
    """Return where the columns are, or why there are none; None where the header has to be asked for."""
    found: Layout | ValueError | None = _found(file, ("layout", *said.as_dict().items()), find_layout, **said.as_dict())
    return found


def _found(file: Any, name: tuple[object, ...], look: Callable[..., Any], **settings: Any) -> Any:
    """Return what a look into the file finds, or why it finds nothing; None where a setting is missing.

    It is looked for once for each upload and answer.
    """
    stored: dict[tuple[object, ...], Any] = st.session_state.setdefault(content.place("layouts"), {})
    if name not in stored:
        try:
            with st.spinner("Looking into the file …"), runs.waiting():
                say = _say_place(st.empty())
                stored[name] = read_apart(look, file.getvalue(), asker=runs.asker(), look=say, **settings)
        except ParameterError:
            stored[name] = None
        except ValueError as error:
            stored[name] = error
    return stored[name]


def _say_place(place: DeltaGenerator) -> Callable[[Job], None]:
    """Return what says the place in line while it changes, and ends the wait of a visitor who has left."""
    said = [""]

    def say(job: Job) -> None:
        work.look()
        if (words := in_line(job)) != said[0]:
            said[0] = words
            place.caption(words) if words else place.empty()

    return say


def forget() -> None:
    """Forget what was found and said of a file."""
    for name in (content.place("layouts"), content.place("said"), content.place("readings"), content.place("at_once")):
        st.session_state.pop(name, None)


def readings() -> dict[str, Reading]:
    """Return what was said of how columns of this upload are written, by their names in the file."""
    said: dict[str, Reading] = st.session_state.setdefault(content.place("readings"), {})
    return said


def _said_of(sheet: str) -> dict[str, Any]:
    """Return what was said of a sheet of this upload in the popover."""
    said: dict[str, Any] = st.session_state.setdefault(content.place("said"), {}).setdefault(sheet, {})
    return said


def take_at_once() -> bool:
    """Return whether what is chosen is to be read without a press, since how it is read was changed."""
    return bool(st.session_state.pop(content.place("at_once"), False))


def show_said(columns: Mapping[str, object], said: Opening, settings: Collection[str], of_file: str) -> None:
    """Show how columns will be read, and what changes that at once.

    `columns`: the chosen ones, each with what ends the keys of its fields; the rest as in `show_read`.
    """
    words = in_words(said.as_dict())
    for name in columns:
        own = in_words(vars(readings().get(name, AS_WRITTEN)))
        words += own if len(columns) == 1 else [f"{name}: {', '.join(own)}"] * bool(own)
    show_read([" · ".join(words) or "It is read as its cells say"], columns, said, settings, of_file, None)


def show_read(
    sentences: Sequence[str], columns: Mapping[str, object], said: Opening, settings: Collection[str], of_file: str,
    read_again: Callable[[], None] | None, to_see: str = "",
) -> None:  # fmt: skip
    """Show how columns were read, and the popover that changes it.

    `settings`: those of the file that may be said; `of_file` ends the keys; `read_again` comes after a press in the
    popover, None: fields there count at once. `to_see` names the reading that is brought into view once.
    """
    alone = len(sentences) == 1
    with st.container(horizontal=alone, vertical_alignment="center", gap="small", key=keys.widget("how_it_was_read")):
        if alone:
            st.caption(f":material/visibility: {escape(sentences[0])}", width="stretch")
        elif sentences:
            with st.expander("How the columns were read", expanded=len(sentences) <= FEW_COLUMNS):
                for sentence in sentences:
                    st.caption(escape(sentence))
        _offer_change(columns, said, settings, of_file, read_again)
        if to_see:
            scripts.run(scripts.TO_THE_READING, to_see)


def _offer_change(
    columns: Mapping[str, object], said: Opening, settings: Collection[str], of_file: str,
    read_again: Callable[[], None] | None,
) -> None:  # fmt: skip
    """Draw the popover, and keep what the visitor says in it."""
    names = list(columns)
    label = CHANGE_FIRST if read_again is None else CHANGE
    with st.popover(label, key=keys.widget("change_reading"), type="tertiary"):
        which = keys.widget("change_which", of_file)
        column = st.selectbox("Column", names, key=which) if len(names) > 1 else "".join(names)
        held = readings().get(column, AS_WRITTEN) if names else None
        of_column = f"{of_file}:{columns.get(column)}"
        try:
            file, cells = ask_settings(vars(said), settings, held, of_file, of_column)
        except ParameterError as error:
            complain(sentence_of(error))
            return
        changed = {name: value for name, value in file.items() if value != getattr(said, name)}
        other = bool(changed) or (held is not None and cells != held)
        if read_again is not None:
            st.caption(AGAIN)
            other = st.button("Read again", key=keys.widget("read_so"), icon=":material/table_view:")
    if not other:
        return
    _said_of(said.sheet).update(changed)
    if held is not None:
        readings()[column] = cells
    if read_again is not None:
        read_again()
        st.session_state[content.place("at_once")] = True
    st.rerun()


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


def ask_settings(
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
        return st.text_input(label, _typed(value), key=widget, placeholder=EXAMPLES[name], max_chars=200)
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
