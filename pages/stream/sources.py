"""What streams in: made-up records, the column of an example or an own one, or a file on the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.domain.numbers import typed_number
from dpq_core.errors import DataError, ParameterError
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.wording import parse_date
from dpq_core.sources.files import Layout
from dpq_core.sources.header import find_column
from dpq_core.sources.reading import AS_WRITTEN
from dpq_core.sources.streams.batches import find_first_layout
from dpq_core.studies.streams.feeds import PATTERNS, Feed, Files, Generated, Given

from .. import keys
from ..files.layouts import ask_encoding, ask_header, encoding_in_doubt, in_script, said_of_header
from ..form.bounds import choose_digits, choose_domain, choose_way
from ..form.data import choose_data, mode_to_come
from ..frame import fields
from ..frame.header import NARROWEST, complain, sentence_of, term
from ..frame.state import Mode, may_explore
from ..settings import said, table
from ..settings.table import key, text
from . import files, written
from .spread import SpreadTable, choose_table

LABELS = {"made": "Made up", "data": "A column", "server": "On the server"}
WHERE_LABELS = {"here": "This machine", "cluster": "The cluster"}
STREAMED_LABELS = {"column": "One column", "table": "A table, on the cluster"}
NAMES_KEPT = 10.0
"""Seconds for which the list of files is not asked for again."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A column that could be read as a stream, by its public facts: all that there is of a private one."""

    data: DataSet
    domain: Domain | None
    code: str
    """Python that opens it."""
    fill: str
    """Python that then reads it into `sketch`."""


@dataclass(frozen=True, kw_only=True)
class PublicSource(Source):
    """A column that is read as a stream on this page, beside its truth."""

    feed: Feed
    n: int | None
    """The number of records; None where it is known only after reading."""
    scheduler: str = field(default="", repr=False)
    """Of the cluster that is to read it, if any."""


def mode_of(source: Source | SpreadTable | None) -> Mode:
    """Return what the screen may show; before there is a source, by its settings."""
    if isinstance(source, SpreadTable):
        return Mode.EXPLORE if source.is_public else Mode.RELEASE
    if source is None:
        return Mode.RELEASE if text("stream") == "server" else mode_to_come()
    return Mode.EXPLORE if isinstance(source, PublicSource) else Mode.RELEASE


def choose_source() -> Source | SpreadTable | None:
    """Ask for the source, and return it; None while there is none yet."""
    offered = [name for name in table.STREAMS if name != "server" or files.folder()]
    if text("stream") not in offered:
        st.session_state[key("stream")] = table.STREAMS[0]
    match fields.segmented_control("stream", offered, LABELS.__getitem__, help=term("stream")):
        case "made":
            return _made_up()
        case "data":
            return _column()
        case _:
            return _on_the_server()


def _made_up() -> PublicSource:
    pattern = PATTERNS[fields.selectbox("pattern", list(PATTERNS), lambda name: PATTERNS[name].label)]
    n = int(fields.select_slider("length", table.LENGTHS, lambda length: f"{int(length):,}"))
    said.keep_for_stream(said.MADE)
    data = _facts(f"made:{pattern.key}:{n}", f"{n:,} made-up records. {pattern.label}", is_example=True)
    code = f"from dpq_core.studies.streams.feeds import Generated\n\nstream = Generated({pattern.key!r}, {n})"
    fill = f"for _, values in stream.batches({text('batch')}):\n    sketch.update(values)"
    return PublicSource(data=data, domain=pattern.domain, feed=Generated(pattern.key, n), n=n, code=code, fill=fill)


def _column() -> Source | None:
    """Draw the same controls as on the other pages."""
    data = choose_data(of_people=False)
    said.keep_for_stream(said.present() if data else said.COMING)
    domain = choose_domain(data)
    if data is None:
        return None
    source = Source(data=data, domain=domain, code=data.reading.as_values, fill="sketch.update(values)")
    if not isinstance(data, PublicData):
        return source
    return PublicSource(**vars(source), feed=Given(data.values), n=data.public_count)


def _on_the_server() -> Source | SpreadTable | None:
    root = files.folder()
    names = _names(str(root))
    if root is None or not names:
        complain("The server's folder holds no file that can be read.")
        return None
    name = st.selectbox("File or folder", names, key=keys.widget("stream_file"), persist_state="session")
    path = files.find(root, name)
    if path is None:
        complain("Choose a file from the list.")
        return None
    is_public = may_explore(declared_public=files.is_public())
    scheduler = files.scheduler() if files.is_typed(path) else ""
    if scheduler and _asks_table():
        return choose_table(path, name, scheduler, is_public=is_public)
    chosen = _column_of(path, name)
    if chosen is None:
        return None
    column, header, encoding, layout = chosen
    called = find_column(column, layout.names)[1]
    reading = written.said_of(path, name, column, header, encoding) if is_public else AS_WRITTEN
    if not is_public:
        st.caption(f":material/visibility_off: {written.PRIVATE}")
    address = scheduler if scheduler and _on_a_cluster() else ""
    data = _facts(f"server:{name}:{column}:{header}{encoding}", f"{called} from {name} on the server", name=called)
    said.keep_for_stream(data.identity)
    domain = _server_domain()
    if reading is None:
        return None
    file = Path(name).name
    layout_said = f", layout=find_first_layout({file!r}{said_of_header(header)}, encoding={encoding!r})"
    settings = f"{layout_said if encoding else said_of_header(header)}{in_script(reading)}"
    opened = f"stream = stream_column({file!r}, {called!r}{settings})"
    imports = "" if reading == AS_WRITTEN else "from dpq_core.sources.reading import Reading\n"
    find = "find_first_layout, " if encoding else ""
    source = Source(
        data=data, domain=domain, fill="fill(sketch, stream)",
        code=f"{imports}from dpq_core.sources.streams.batches import fill, {find}stream_column\n\n{opened}",
    )  # fmt: skip
    if not is_public:
        return source
    feed = Files(path, column, header, layout, reading)
    return PublicSource(**vars(source), feed=feed, n=None, scheduler=address)


def _asks_table() -> bool:
    """Ask whether one column is read, by a sketch, or several, whose rows may be persons', on the cluster."""
    return fields.segmented_control("stream_what", table.STREAMED, STREAMED_LABELS.__getitem__) == "table"


def _column_of(path: Path, name: str) -> tuple[str, bool | None, str, Layout] | None:
    """Ask for the column; return it, the header and the encoding as far as these were asked for, and the layout."""
    header: bool | None = None
    layout, encoding = _encoded_layout(path, name, header, "")
    if isinstance(layout, ParameterError):
        header = ask_header(keys.widget("stream_header", name))
        if header is None:
            return None
        layout, encoding = _encoded_layout(path, name, header, encoding)
    if isinstance(layout, ValueError):
        complain(str(layout))
        return None
    column = str(st.selectbox("Column", layout.names, key=keys.widget("stream_column"), persist_state="session"))
    return column, header, encoding, layout


def _encoded_layout(path: Path, name: str, header: bool | None, encoding: str) -> tuple[Layout | ValueError, str]:
    """Return where the columns are, or why they are not known, and the encoding, which is asked for where in doubt."""
    layout = _layout_of(str(path), header, encoding)
    if not encoding and (guessed := encoding_in_doubt(layout)) is not None:
        encoding = ask_encoding(keys.widget("stream_encoding", name), guessed)
        layout = _layout_of(str(path), header, encoding)
    return layout, encoding


@st.cache_data(ttl=NAMES_KEPT, max_entries=4, show_spinner=False)
def _layout_of(path: str, header: bool | None, encoding: str) -> Layout | ValueError:
    """Find where the columns of the first file are, once for all runs of the page."""
    try:
        return find_first_layout(path, header=header, encoding=encoding)
    except (ParameterError, DataError) as error:
        return error


@st.cache_data(ttl=NAMES_KEPT, max_entries=4, show_spinner=False)
def _names(root: str) -> list[str]:
    """List the files, not anew for each run: looking through large folders takes time."""
    return files.list_names(Path(root))


def _on_a_cluster() -> bool:
    """Ask who reads."""
    return fields.segmented_control("where", table.WHERE, WHERE_LABELS.__getitem__) == "cluster"


def _server_domain() -> Domain | None:
    """Ask for the bounds of a column that no form has read, numbers or dates, or for significant digits."""
    if choose_way(may_find=False) == "digits":
        return choose_digits()
    with st.grid(3, min_column_width=NARROWEST, gap="small"):
        ends = [
            fields.text_input("stream_lower", help=term("domain")).strip(),
            fields.text_input("stream_upper").strip(),
        ]
        step = fields.text_input("stream_step", placeholder="finest").strip()
    if not all(ends):
        st.caption("Say its lowest and its highest value from what everybody knows.")
        return None
    try:
        lower, upper = (
            typed_number(typed, name) if (day := parse_date(typed)) is None else day
            for typed, name in zip(ends, ("lower", "upper"), strict=True)
        )
        return Domain(lower, upper, typed_number(step, "step") or None)
    except ParameterError as error:
        complain(sentence_of(error))
    return None


def _facts(identity: str, about: str, *, name: str = "value", is_example: bool = False) -> DataSet:
    """Return public facts of a column whose values are not in memory."""
    return DataSet(
        identity=identity, name=name, kind="number", unit="", one="record", many="records", about=about, source="",
        is_example=is_example,
    )  # fmt: skip
