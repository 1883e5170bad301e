"""The bytes of an uploaded file: their digest, and how long the server holds them.

After a column was read the session keeps the file, so that its visitor can choose another column, until the visitor
forgets the data, chooses another file or closes the tab.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import streamlit as st
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from .. import keys
from ..server import uploads
from ..shell import links


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
