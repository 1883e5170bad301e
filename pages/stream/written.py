"""How the cells of a public file on the server are read: the line that says so by its first cells, and what changes it.

Nothing of a private file is looked at here, since this page does not read it.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dpq_core.errors import ParameterError
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.sources.readings.forms import describe
from dpq_core.sources.streams.batches import find_first_layout, stream_column

from .. import keys
from ..files.written import CHANGE_FIRST, ask
from ..frame.header import complain, escape, sentence_of

KEPT = 10.0
"""Seconds for which the first cells are not looked at again."""
UNREADABLE = "This column cannot be read."
PRIVATE = "This page does not look at the cells of a private file. The page Quantiles shows how it is read."
_SAID = keys.state("stream_written")
Place = tuple[str, str, bool | None, str]
"""A file or a folder, a column, and the settings for its header and its encoding."""


def said_of(path: Path, name: str, column: str, header: bool | None, encoding: str) -> Reading | None:
    """Show how a column is read, and return that setting; None, with a message, where it cannot be read so.

    `name`: what the list of files calls the path, which itself is on no screen, nor in the key of a widget.
    """
    place: Place = (str(path), column, header, encoding)
    stored: tuple[Place, Reading] | None = st.session_state.get(_SAID)
    said = stored[1] if stored is not None and stored[0] == place else AS_WRITTEN
    sentence = UNREADABLE
    try:
        sentence = _first_cells(place, said)
    except ValueError as error:
        complain(sentence_of(error))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/visibility: {escape(sentence)}", width="stretch")
        with st.popover(CHANGE_FIRST, key=keys.widget("change_stream_reading"), type="tertiary"):
            try:
                reading = ask({}, (), said, "", f"{name}_{column}_{header}{encoding}")[1]
            except ParameterError as error:
                complain(sentence_of(error))
                return None
    if reading != said:
        st.session_state[_SAID] = (place, reading)
        st.rerun()
    return None if sentence == UNREADABLE else said


@st.cache_data(ttl=KEPT, max_entries=8, show_spinner=False)
def _first_cells(place: Place, said: Reading) -> str:
    """Return how a column is read, in a sentence. Raises DataError, ParameterError.

    All runs of the page share one look.
    """
    path, column, header, encoding = place
    layout = find_first_layout(path, header=header, encoding=encoding)
    found = stream_column(path, column, header=header, layout=layout, reading=said).without_values()
    said.values(found.values, found.kind)  # raises for codes of another kind
    return f"By its first cells, {describe(found)}"
