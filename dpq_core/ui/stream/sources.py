"""What streams in: made-up records, the column of an example or an own one, or a file on the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import streamlit as st

from ...domain import Domain
from ...errors import DataError, ParameterError
from ...results import DataSet, parse_date
from ...sources.files import Layout
from ...sources.header import find_column
from ...sources.streams import find_first_layout
from ...studies.streams import PATTERNS, Feed, Files, Generated, Given
from ..budget import public_count
from ..files import ask_header, said_of_header
from ..forms import choose_data, choose_domain
from ..settings import LENGTHS, LONGEST_LINE, STREAMS, WHERE, key, said, text
from ..shell import NARROWEST, complain, decide_mode, sentence_of, term
from . import files

LABELS = {"made": "Made up", "data": "A column", "server": "On the server"}
WHERE_LABELS = {"here": "This machine", "cluster": "The cluster"}
BOUNDS = {"lower": "Lowest", "upper": "Highest", "step": "Step"}
NAMES_KEPT = 10.0
"""Seconds for which the list of files is not asked for again."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A column to be read as a stream. `data` has its public facts; its values are there only if in memory."""

    data: DataSet
    domain: Domain | None
    feed: Feed
    n: int | None
    """How many records there are; None where only reading tells, or where the screen may not know it."""
    code: str
    """Python that opens it."""
    fill: str
    """Python that then reads it into `sketch`."""
    scheduler: str = field(default="", repr=False)
    """Of the cluster that is to read it, if any."""


def choose_source() -> Source | None:
    """The chosen source, or None while there is none yet."""
    offered = [name for name in STREAMS if name != "server" or files.folder()]
    if text("stream") not in offered:
        st.session_state[key("stream")] = STREAMS[0]
    st.segmented_control(
        "What streams in", offered, format_func=LABELS.__getitem__, key=key("stream"), required=True,
        help=term("stream"), persist_state="session",
    )  # fmt: skip
    match text("stream"):
        case "made":
            return _made_up()
        case "data":
            return _column()
        case _:
            return _on_the_server()


def _made_up() -> Source:
    st.selectbox(
        "Order and shape", list(PATTERNS), format_func=lambda name: PATTERNS[name].label, key=key("pattern"),
        persist_state="session", filter_mode=None,
    )  # fmt: skip
    st.select_slider(
        "Records", LENGTHS, format_func=lambda length: f"{int(length):,}", key=key("length"), persist_state="session"
    )
    said.keep_for_stream(said.MADE)
    pattern, n = PATTERNS[text("pattern")], int(text("length"))
    data = _facts(f"made:{pattern.key}:{n}", f"{n:,} made-up records. {pattern.label}", is_example=True, public=True)
    code = f"from dpq_core.studies.streams.feeds import Generated\n\nstream = Generated({pattern.key!r}, {n})"
    fill = f"for _, values in stream.batches({text('batch')}):\n    sketch.update(values)"
    return Source(data=data, domain=pattern.domain, feed=Generated(pattern.key, n), n=n, code=code, fill=fill)


def _column() -> Source | None:
    """The same form as on the other pages."""
    data = choose_data()
    said.keep_for_stream(data.identity if data else said.COMING)
    domain = choose_domain(data)
    if data is None:
        return None
    feed, n = Given(data.values), public_count(data, decide_mode(data))
    return Source(data=data, domain=domain, feed=feed, n=n, code=data.reading, fill="sketch.update(values)")


def _on_the_server() -> Source | None:
    root = files.folder()
    names = _names(str(root))
    if root is None or not names:
        complain("The server's folder holds no file that can be read.")
        return None
    name = st.selectbox("File or folder", names, key=key("stream_file"), persist_state="session")
    path = files.find(root, name)
    if path is None:
        complain("Choose a file from the list.")
        return None
    chosen = _column_of(path, name)
    if chosen is None:
        return None
    column, header, layout = chosen
    called = find_column(column, layout.names)[1]
    address = _where()
    data = _facts(
        f"server:{name}:{column}:{header}", f"{called} from {name} on the server", name=called,
        public=files.is_public(),
    )  # fmt: skip
    said.keep_for_stream(data.identity)
    opened = f"stream = stream_column({Path(name).name!r}, {called!r}{said_of_header(header)})"
    return Source(
        data=data, domain=_server_domain(), feed=Files(path, column, header, layout), n=None, scheduler=address,
        code=f"from dpq_core.sources.streams import fill, stream_column\n\n{opened}", fill="fill(sketch, stream)",
    )  # fmt: skip


def _column_of(path: Path, name: str) -> tuple[str, bool | None, Layout] | None:
    """Return the chosen column, whether the first row is a header where that had to be asked, and the layout."""
    header: bool | None = None
    try:
        try:
            layout = _layout_of(str(path), header)
        except ParameterError:
            header = ask_header(key(f"stream_header_{name}"))
            if header is None:
                return None
            layout = _layout_of(str(path), header)
    except DataError as error:
        complain(str(error))
        return None
    return str(st.selectbox("Column", layout.names, key=key("stream_column"), persist_state="session")), header, layout


@st.cache_data(ttl=NAMES_KEPT, max_entries=4, show_spinner=False)
def _layout_of(path: str, header: bool | None) -> Layout:
    """Find where the columns of the first file are, once for all runs of the page."""
    return find_first_layout(path, header=header)


@st.cache_data(ttl=NAMES_KEPT, max_entries=4, show_spinner=False)
def _names(root: str) -> list[str]:
    """Looking through large folders takes time."""
    return files.list_names(Path(root))


def _where() -> str:
    """The scheduler's address where the cluster is to read; only asked where there is one."""
    address = files.scheduler()
    if not address:
        return ""
    st.segmented_control(
        "Read it on", WHERE, format_func=WHERE_LABELS.__getitem__, key=key("where"), required=True,
        persist_state="session",
    )  # fmt: skip
    return address if text("where") == "cluster" else ""


def _server_domain() -> Domain | None:
    """Bounds of a column that no form has read: numbers or dates."""
    cells = st.grid(3, min_column_width=NARROWEST, gap="small")
    for name, label in BOUNDS.items():
        cells.text_input(
            label, key=key(f"stream_{name}"), persist_state="session", placeholder="finest" if name == "step" else "",
            help=term("domain") if name == "lower" else None, max_chars=LONGEST_LINE,
        )  # fmt: skip
    typed = {name: text(f"stream_{name}").strip() for name in BOUNDS}
    if not typed["lower"] or not typed["upper"]:
        st.caption("Say its lowest and its highest value from what everybody knows.")
        return None
    days = [parse_date(typed[name]) for name in ("lower", "upper")]
    lower, upper = (typed[name] if day is None else day for name, day in zip(("lower", "upper"), days, strict=True))
    try:
        return Domain(lower, upper, typed["step"] or None)
    except ParameterError as error:
        complain(sentence_of(error))
    return None


def _facts(identity: str, about: str, *, public: bool, name: str = "value", is_example: bool = False) -> DataSet:
    """Public facts of a column whose values are not in memory."""
    return DataSet(
        identity=identity, name=name, kind="number", unit="", one="record", many="records", about=about, source="",
        is_example=is_example, public=public, reading="", values=np.empty(0),
    )  # fmt: skip
