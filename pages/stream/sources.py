"""What streams in: made-up records, the column of an example or an own one, or a public file on the server.

DPQ_STREAM_DIR      a folder on the server; a visitor picks a name below it from a list and never sends a path
DPQ_STREAM_PUBLIC   "yes" where everything in it is public or synthetic; without it the page offers no file
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.errors import DataError, ParameterError
from dpq_core.results.chosen import TableReading
from dpq_core.results.data_set import DataSet
from dpq_core.results.wording import plural_of
from dpq_core.sources.files import Layout, find_first_layout, list_sources
from dpq_core.sources.forms import describe
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.studies.streams import PATTERNS, Feed, Files, Generated, Given

from .. import keys
from ..files.layouts import CHANGE_FIRST, ask_header, ask_settings, in_script, said_of_header
from ..form import said
from ..form.bounds import choose_domain
from ..form.data import choose_data, one_to_come
from ..form.table import SETTINGS, key, text
from ..shell import fields
from ..shell.header import complain, escape, sentence_of, term
from ..shell.state import may_explore

T = TypeVar("T")
FOLDER, PUBLIC = "DPQ_STREAM_DIR", "DPQ_STREAM_PUBLIC"
MOST_NAMES = 500
KEPT_SECONDS = 10.0
"""How long a look at the folder or at the first cells of a file is kept, for all visitors."""
BATCH_BY_BATCH = "for batch in values:\n    sketch.update(batch)"
IMPORTS = ("from dpq_core.sources.files import stream_column",)


@dataclass(frozen=True, kw_only=True)
class PublicSource:
    """A column that this page reads as a stream and shows beside its truth."""

    data: DataSet
    domain: Domain | None
    fill: str = "sketch.update(values)"
    """Python that reads the column into a sketch, after that of `data.reading`."""
    feed: Feed
    n: int | None
    """The number of records; None where only reading tells."""


def choose_source() -> PublicSource | None:
    """Ask for the source, and return it; None while something about it is missing."""
    root = public_folder()
    offered = [name for name in SETTINGS["stream"].choices if name != "server" or root]
    if text("stream") not in offered:
        st.session_state[key("stream")] = "made"
    chosen = fields.segmented_control("stream", offered, help=term("stream"))
    if chosen == "server" and root:
        return _on_the_server(root)
    return _made_up() if chosen == "made" else _column()


def _made_up() -> PublicSource:
    pattern = PATTERNS[fields.selectbox("pattern")]
    n = int(fields.select_slider("length"))
    data = DataSet(
        identity=f"made:{pattern.key}:{n}", name="value", kind="number", unit="", one="record", many="records",
        about=f"{n:,} made-up records. {pattern.label}", source="", is_example=True,
        reading=TableReading(IMPORTS, (("value", "stream_column('your-file.csv', 'value')"),)),
    )  # fmt: skip
    return PublicSource(data=data, domain=pattern.domain, feed=Generated(pattern.key, n), n=n, fill=BATCH_BY_BATCH)


def _column() -> PublicSource | None:
    """Ask for an example or an own public column as the other pages do."""
    table = choose_data()
    data = table.explored[0] if table else None
    domain = choose_domain(data)
    if data is None or domain is None:
        return None
    return PublicSource(data=data, domain=domain, feed=Given(data.values), n=data.public_count)


def _on_the_server(root: Path) -> PublicSource | None:
    """Ask for a file, a column of it and what values it can have."""
    names = list_names(str(root))
    name = st.selectbox("File or folder", names, key=keys.widget("stream_file"), persist_state="session")
    if name not in names:
        complain("Choose a file from the list." if names else "The server's folder holds no file that can be read.")
        return None
    place = st.container()
    try:
        with st.popover(CHANGE_FIRST, key=keys.widget("stream_reading"), type="tertiary"):
            of_file, reading = ask_settings({}, ["encoding"], AS_WRITTEN, f"stream:{name}", f"stream:{name}")
        with place:
            found = _column_of(root / name, name, of_file["encoding"], reading)
    except ValueError as error:
        complain(sentence_of(error))
        return None
    if found is None:
        return None
    return PublicSource(data=found[0], domain=choose_domain(found[0]), feed=found[1], n=None, fill=BATCH_BY_BATCH)


def _column_of(path: Path, name: str, encoding: str, reading: Reading) -> tuple[DataSet, Files] | None:
    """Ask for a column of a file; return its public facts, and what reads it. Raises DataError, ParameterError."""

    def layout_with(header: bool | None) -> Layout:
        look = partial(find_first_layout, path, header=header, encoding=encoding)
        return _seen(f"{path}:{encoding}:{header}", look)

    header = None
    try:
        layout = layout_with(None)
    except ParameterError:
        header = ask_header(keys.widget("stream_header", name))
        if header is None:
            return None
        layout = layout_with(header)
    chosen = str(st.selectbox("Column", layout.names, key=keys.widget("stream_column"), persist_state="session"))
    said.keep_for(identity := f"server:{name}:{chosen}:{header}:{encoding}:{reading}")
    feed = Files(path, chosen, header, layout, reading)
    column = _seen(f"{path}:{identity}", lambda: feed.stream().without_values())
    st.caption(f":material/visibility: {escape(f'By its first cells, {describe(column)}')}")
    words = said_of_header(header) + f", encoding={encoding!r}" * bool(encoding) + in_script(reading)
    opened = TableReading(
        (*IMPORTS, *["from dpq_core.sources.reading import Reading"] * (reading != AS_WRITTEN)),
        ((column.name, f"stream_column({Path(name).name!r}, {column.name!r}{words})"),),
    )
    facts = DataSet(
        identity=identity, name=column.name, kind=column.kind, unit=text("column_unit") or column.unit,
        one=one_to_come(), many=plural_of(one_to_come()), about=f"{column.name} from {name} on the server", source="",
        is_example=False, reading=opened,
    )  # fmt: skip
    return facts, feed


@st.cache_data(ttl=KEPT_SECONDS, max_entries=8, show_spinner=False)
def _seen(what: str, _look: Callable[[], T]) -> T:
    """Return what a look at the first cells of a file finds."""
    return _look()


def public_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder with all links followed; None where there is none, or where its files may not be shown."""
    named = environment.get(FOLDER, "").strip()
    declared = environment.get(PUBLIC, "").strip().lower() == "yes"
    path = Path(named).resolve()
    return path if named and path.is_dir() and may_explore(declared_public=declared, environment=environment) else None


@st.cache_data(ttl=KEPT_SECONDS, max_entries=4, show_spinner=False)
def list_names(root: str) -> list[str]:
    """List files below the folder, and folders that hold some, by their paths from it; at most 500.

    A link out of the folder is left out, and so is every folder that holds one: it would be read with the others.
    """
    try:
        found = [Path(str(each)) for each in list_sources(root)]
    except DataError:
        return []
    inside = {path.relative_to(root) for path in found if path.resolve().is_relative_to(root)}
    leaving = {path.relative_to(root) for path in found} - inside
    folders = {parent for path in inside for parent in path.parents} - {Path()}
    unsafe = {parent for path in leaving for parent in path.parents}
    return sorted(path.as_posix() for path in {*inside, *(folders - unsafe)})[:MOST_NAMES]
