"""Where the columns of a file are: its sheet, its header, and further answers without which it cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.errors import DataError, ParameterError, Remedy
from dpq_core.jobs.line import Job, asked_by
from dpq_core.jobs.untrusted_files import layout_of, read_apart, sheets_of
from dpq_core.sources.formats.encodings import USUAL
from dpq_core.sources.formats.known import BYTES_OF_START, format_of
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.sources.readings.forms import in_python

from .. import keys
from ..frame.header import complain, escape
from ..frame.waiting import in_line
from ..server import turns, work
from .written import OFFERED, in_words, label_of_way, with_remedy

if TYPE_CHECKING:
    from dpq_core.sources.files import Layout

_LAYOUTS = keys.state("layouts")
_REPAIRS = keys.state("repairs")
_REPAIRED = keys.state("repaired")
_READINGS = keys.state("readings")
HEADER_ANSWERS = {"Yes, it holds the names of the columns": True, "No, it is the first record": False}
NOBODYS = "Only for rows of no person, such as a total: the guarantee compares files that all end with them."
REPAIRS = ("left_out", "unit", "quoting")
"""Settings of a layout that a refusal may offer."""


@dataclass(frozen=True)
class SaidOfFile:
    """What the visitor answered about a file, where the page had to ask."""

    header: bool | None = None
    """Whether the first row holds names."""
    sheet: str = ""
    """The name of one; empty for the first that is not hidden."""
    left_out: int = 0
    """Rows at the end that are no records."""
    unit: str = ""
    """Of all amounts."""
    quoting: bool | None = None
    """Whether quotes hold cells."""
    encoding: str = ""
    """Of a text file."""
    reading: Reading = AS_WRITTEN
    """How the cells of the column are written."""

    @property
    def settings(self) -> dict[str, Any]:
        """Return the arguments of `find_layout`."""
        usual = vars(SaidOfFile())
        return {name: value for name, value in vars(self).items() if value != usual[name] and name != "reading"}

    @property
    def repairs(self) -> tuple[str, ...]:
        """Return in words what is read differently from how the file has it, and the answers about its cells."""
        return (*self.repairs_of_layout, *in_words(self.reading))

    @property
    def repairs_of_layout(self) -> tuple[str, ...]:
        """Return in words what is read differently from how the file has it."""
        rows = "row" if self.left_out == 1 else f"{self.left_out} rows"
        left_out = (f"without the last {rows}",) if self.left_out else ()
        unit = (f"all amounts in {self.unit}",) if self.unit else ()
        quoting = (
            () if self.quoting is None else (f"with quotes {'around cells' if self.quoting else 'as they stand'}",)
        )
        return (*left_out, *unit, *quoting)


NOTHING_SAID = SaidOfFile()


def find_columns(file: Any, of_file: str) -> tuple[Layout, SaidOfFile] | None:
    """Return where the columns are, and what had to be said for that; None, with a message, where that is not known.

    `of_file`: ends the keys of the widgets.
    """
    sheet = _choose_sheet(file, of_file)
    if sheet is None:
        return None
    header: bool | None = None
    layout, encoding = _encoded_layout(file, header, sheet, of_file, "")
    if layout is None:
        header = ask_header(keys.widget("header", of_file, sheet))
        if header is None:
            return None
        layout, encoding = _encoded_layout(file, header, sheet, of_file, encoding)
    if layout is None or isinstance(layout, ValueError):
        complain(str(layout or ""))
        return None
    return layout, SaidOfFile(header, sheet, encoding=encoding)


def _encoded_layout(
    file: Any, header: bool | None, sheet: str, of_file: str, encoding: str
) -> tuple[Layout | ValueError | None, str]:
    """Return where the columns are, as `_layout_of`, and the encoding, which is asked for where it is in doubt."""
    layout = _layout_of(file, header, sheet, encoding)
    if not encoding and (guessed := encoding_in_doubt(layout)) is not None:
        encoding = ask_encoding(keys.widget("encoding", of_file), guessed)
        layout = _layout_of(file, header, sheet, encoding)
    return layout, encoding


def encoding_in_doubt(found: object) -> str | None:
    """Return what a text file that is not UTF-8 was read as, "" where it was refused; None where there is no doubt."""
    if isinstance(found, DataError):
        return "" if any(way.name == "encoding" for way in found.remedies) else None
    return str(getattr(found, "read_as", "")) if getattr(found, "guessed", False) else None


def ask_encoding(widget: str, guessed: str) -> str:
    """Ask which encoding a text file has; "" where it stays the one that was guessed, or before the answer."""
    choices = {f"Not UTF-8: read as {guessed}": ""} if guessed else {}
    choices |= USUAL
    chosen = st.selectbox(
        "Encoding", list(choices), index=0 if guessed else None, key=widget, placeholder="Choose the encoding",
        persist_state="session",
        help="Which characters the bytes of the file are. The program that wrote the file can tell. With a wrong "
        "encoding, names of groups do not match.",
    )  # fmt: skip
    return choices.get(chosen or "", "")


def _choose_sheet(file: Any, of_file: str) -> str | None:
    """Ask for the sheet of a workbook that has several; "" for any other file, None where they cannot be read."""
    try:
        kind = format_of(file.getvalue()[:BYTES_OF_START])
    except DataError as error:
        complain(str(error))
        return None
    if "sheet" not in kind.settings:
        return ""
    names = _found(file, ("sheets",), sheets_of)
    if not isinstance(names, tuple):
        complain(str(names or ""))
        return None
    if len(names) < 2:
        return ""
    chosen = str(st.selectbox("Sheet", names, key=keys.widget("sheet", of_file), persist_state="session"))
    return "" if chosen == names[0] else chosen


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


def said_in_script(file: str, said: SaidOfFile) -> str:
    """Return the argument of a script for all that had to be said of a file; empty where nothing had to be."""
    if said.settings.keys() <= {"header"}:
        return said_of_header(said.header)
    settings = ", ".join(f"{name}={value!r}" for name, value in said.settings.items())
    return f", layout=find_layout({file!r}, {settings})"


def in_script(reading: Reading) -> str:
    """Return the argument of a script for what was said of how cells are written; empty where nothing was."""
    return "" if reading == AS_WRITTEN else f", reading={in_python(reading)}"


def _layout_of(file: Any, header: bool | None, sheet: str, encoding: str) -> Layout | ValueError | None:
    """Return where the columns are, or why there are none; None where the header has to be asked for."""
    answers = (header, sheet, encoding)
    found: Layout | ValueError | None = _found(file, ("layout", *answers), layout_of, *answers)
    return found


def _found(file: Any, name: tuple[object, ...], look: Callable[..., Any], *arguments: object) -> Any:
    """Return what a look into the file finds, or why it finds nothing; None where a setting is missing.

    It is looked for once for each file and answer.
    """
    stored: tuple[str, dict[tuple[object, ...], Any]] | None = st.session_state.get(_LAYOUTS)
    if stored is None or stored[0] != file.file_id:
        stored = st.session_state[_LAYOUTS] = (file.file_id, {})
    if name not in stored[1]:
        try:
            with st.spinner("Looking into the file …"), asked_by(turns.asker()), turns.waiting():
                stored[1][name] = read_apart(look, file.getvalue(), *arguments, look=_say_place(st.empty()))
        except ParameterError:
            stored[1][name] = None
        except ValueError as error:
            stored[1][name] = error
    return stored[1][name]


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
    for name in (_LAYOUTS, _REPAIRS, _REPAIRED, _READINGS):
        st.session_state.pop(name, None)


def readings() -> dict[str, Reading]:
    """Return what was said of how columns of this upload are written, by their names in the file."""
    said: dict[str, Reading] = st.session_state.get(_READINGS, {})
    return said


def keep_readings(said: dict[str, Reading]) -> None:
    """Keep how columns are written, until it is taken back or the file is forgotten."""
    st.session_state[_READINGS] = readings() | said


def keep_reading(said: Reading, column: str, sheet: str) -> None:
    """Keep how one column is written; its unit takes the place of one that was said of the sheet."""
    keep_readings({column: said})
    _repairs(sheet).pop("unit", None)


def _repairs(sheet: str) -> dict[str, Any]:
    """Return what was said of the rows at the end, of the unit and of quotes on a sheet of this upload."""
    repairs: dict[str, Any] = st.session_state.setdefault(_REPAIRS, {}).setdefault(sheet, {})
    return repairs


def show_repairs(said: SaidOfFile, columns: tuple[str, ...]) -> SaidOfFile:
    """Show what is read differently from how the file has it, with a button to undo it; return what holds.

    `columns`: those that are chosen; what is returned has the reading of the first one.
    """
    said = replace(said, reading=readings().get(columns[0], AS_WRITTEN), **_repairs(said.sheet))
    alone = len(columns) == 1
    words = [*said.repairs] if alone else [*said.repairs_of_layout]
    for name in () if alone else columns:
        own = in_words(readings().get(name, AS_WRITTEN))
        words += [f"{name} {', '.join(own)}"] if own else []
    if words:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f":material/build: It is read {escape(', '.join(words))}.", width="content")
            st.button(
                "Undo", key=keys.widget("undo_repairs"), type="tertiary", on_click=_undo, args=(said.sheet, columns)
            )
    return said


def _undo(sheet: str, columns: tuple[str, ...]) -> None:
    _repairs(sheet).clear()
    for name in columns:
        readings().pop(name, None)


def repaired(layout: Layout, said: SaidOfFile) -> Layout:
    """Return a layout with what was said of the rows at the end, of the unit and of quotes."""
    return replace(layout, **{name: said.settings[name] for name in REPAIRS if name in said.settings})


def offer_repairs(said: SaidOfFile, column: str, error: ValueError | None) -> None:
    """Offer what would let a column be read that could not be, each by one click."""
    for way in error.remedies if isinstance(error, DataError) else ():
        if way.name not in (*REPAIRS, *OFFERED):
            continue
        name = keys.widget("repair", way.name, way.value)
        answer = partial(_say, said, column, way)
        st.button(escape(_label(way)), key=name, icon=":material/build:", on_click=answer)
        if way.name == "left_out":
            st.caption(NOBODYS)


def take_repaired() -> bool:
    """Return whether a repair was pressed just now, so that the column is to be read once more."""
    return bool(st.session_state.pop(_REPAIRED, False))


def read_at_once() -> None:
    """Have what is chosen read in the next run of the page."""
    st.session_state[_REPAIRED] = True


def _say(said: SaidOfFile, column: str, way: Remedy) -> None:
    """Keep the answer that a remedy gives about a column or its file, and read the column again."""
    if way.name in REPAIRS:
        _repairs(said.sheet)[way.name] = way.value
    else:
        keep_readings({column: with_remedy(said.reading, way)})
    read_at_once()


def _label(way: Remedy) -> str:
    """Return what a repair does: `Leave out the last row`, `All amounts are in €`."""
    if way.name == "left_out":
        return "Leave out the last row" if way.value == 1 else f"Leave out the last {way.value} rows"
    if way.name == "quoting":
        return "Quotes hold cells" if way.value else "Quotes are ordinary characters"
    if way.name == "unit":
        return f"All amounts are in {way.value}"
    return label_of_way(way.name, way.value)
