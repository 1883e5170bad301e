"""The bytes of an uploaded file, how long the server holds them, and the columns that were read: one or several.

After a column was read the session keeps the file, so that its visitor can choose another column, until the visitor
forgets the data, chooses another file or closes the tab.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import streamlit as st
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpq_core.groups.cells import PossibleNames
from dpq_core.results.sealed import SealedColumn
from dpq_core.sources.column import Kind, NumberColumn
from dpq_core.sources.forms import describe
from dpq_core.sources.reading import Opening, Reading

from .. import keys
from ..server import uploads
from ..shell import links
from ..shell.header import sentence_of


def place(what: str, slot: str = "") -> str:
    """Return the key of what is kept of an upload: of that of this page, or of the one in a `slot`."""
    return keys.state("upload", what, slot or links.slot())


@dataclass(frozen=True)
class KeptFile:
    """A file that a column was read from, with what a page asks of an upload."""

    name: str
    file_id: str
    content: bytes = field(repr=False)
    widgets: str
    """Ends the keys of the widgets that asked about it, which keep their answers."""
    columns: tuple[str, ...] = ()
    """Those that were read, which are chosen at first for the next reading."""

    @classmethod
    def of(cls, file: Any, widgets: str, columns: tuple[str, ...]) -> KeptFile:
        """Return an upload, or a file that is kept already, as one whose columns are read now."""
        return cls(file.name, file.file_id, file.getvalue(), widgets, columns)

    def getvalue(self) -> bytes:
        """Return its bytes, as an upload does."""
        return self.content


def keep(file: KeptFile | None) -> None:
    """Keep a file in place of the one before; None keeps none."""
    st.session_state.pop(place("file"), None)
    if file is not None:
        st.session_state[place("file")] = file
    found = [st.session_state.get(place("file", slot)) for slot in links.SLOTS]
    uploads.count_kept(sum(len(each.content) for each in found if each is not None))


def count_columns(size: int) -> bool:
    """Count the bytes of the columns that this page holds now, in place of others; return whether there is room."""
    sizes = {slot: st.session_state.get(place("size", slot), 0) for slot in links.SLOTS} | {links.slot(): size}
    if not uploads.count_columns(sum(sizes.values())):
        return False
    st.session_state[place("size")] = size
    return True


def bytes_of(found: object) -> int:
    """Return how many bytes something holds: those of its arrays, and of the rest as it is pickled."""
    sizes: list[int] = []
    count = SimpleNamespace(write=lambda part: sizes.append(len(part)))
    pickle.Pickler(count, 5, buffer_callback=lambda array: sizes.append(array.raw().nbytes)).dump(found)
    return sum(sizes)


def kept() -> KeptFile | None:
    """Return the file that this session keeps."""
    return cast("KeptFile | None", st.session_state.get(place("file")))


def let_go(file_id: str) -> None:
    """Free the bytes of an upload that was read; Streamlit itself would keep them until the tab is closed."""
    context = get_script_run_ctx()
    if file_id and context is not None and runtime.exists():
        manager = runtime.get_instance().uploaded_file_mgr
        if isinstance(manager, MemoryUploadedFileManager):
            manager.remove_file(context.session_id, file_id)


# ── the columns that were read from it ────────────────────────────────────────────────────────────────────────────────

MOST_COLUMNS = 200
"""Columns that are read and released in one go on the page."""
MORE_HELP = (
    "All columns share one budget, and you say what values are possible in each. Which columns the file has and what "
    "they hold (numbers, dates, money) is taken as public."
)


@dataclass(frozen=True)
class ReadRequest:
    """What is to be read: columns of a file, or a pasted text (then `file` is empty)."""

    file: str
    columns: Mapping[str, Reading]
    """The names of the columns in the file, each with what was said of how it is written."""
    file_id: str = ""
    said: Opening = field(default_factory=Opening)
    """The answers without which it could not be read."""
    person: str = ""
    """The name of the column of ids, as it may be shown; empty where every row is a different person."""
    by: tuple[str, ...] = ()
    """The names, as they may be told, of the columns of groups."""
    pasted: str = field(default="", repr=False)


@dataclass(frozen=True)
class OwnColumn:
    """A column that was read: public facts, and its values sealed."""

    name: str
    kind: Kind
    unit: str
    column: SealedColumn = field(repr=False)
    in_file: str
    """Its name in the list of columns."""
    written: str
    """How its cells were read, in a sentence."""
    said: Reading
    """What was said of how they are written."""


@dataclass(frozen=True)
class OwnTable:
    """The columns of a visitor's own file, or pasted values, which have no file."""

    file: str
    said: Opening
    """What had to be said so that it could be read."""
    columns: tuple[OwnColumn, ...]
    left_out: tuple[str, ...]
    """Sentences on columns that could not be read."""
    asked: tuple[str, ...]
    """The names of all that were asked for in the list of columns."""
    person: str = ""
    """As in `ReadRequest`."""
    by: tuple[tuple[str, PossibleNames], ...] = ()
    """The names, as they may be told, of the columns of groups, and what their cells are by their types."""

    @property
    def several(self) -> bool:
        """Return whether several columns were asked for."""
        return len(self.asked) > 1


def own_table(request: ReadRequest, result: Any, digest: bytes) -> OwnTable:
    """Return the columns that a job has read, and why some could not be."""
    found, people, groups = result
    own, left_out = list[OwnColumn](), list[str]()
    for (name, said), each in zip(request.columns.items(), found, strict=True):
        if isinstance(each, NumberColumn):
            column = SealedColumn(each.values, digest, people, groups)
            own.append(OwnColumn(each.name, each.kind, each.unit, column, name, describe(each), said))
        else:
            left_out.append(f"{name} is left out: {sentence_of(each)}")
    by = tuple((name, each.possible) for name, each in zip(request.by, groups, strict=True))
    asked = tuple(request.columns)
    return OwnTable(request.file, request.said, tuple(own), tuple(left_out), asked, request.person, by)


def ask_more(widget: str, others: Sequence[str], before: Sequence[str] = ()) -> tuple[str, ...]:
    """Ask which columns are answered besides the first one; at first those that were `before`."""
    if not others:
        return ()
    held = st.session_state.get(widget, before)
    st.session_state[widget] = [name for name in held if name in others]
    chosen: list[str] = st.multiselect(
        "More columns", others, key=widget, max_selections=MOST_COLUMNS - 1, placeholder="None", help=MORE_HELP
    )
    return tuple(chosen)
