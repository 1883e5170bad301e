"""A table of Parquet files that the cluster reads: which columns, whose rows, and which groups there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from dpq_core.cluster.files import kinds_of
from dpq_core.errors import ParameterError
from dpq_core.groups.cells import ANY_NAME
from dpq_core.results.data_set import DataSet
from dpq_core.results.persons import PersonChoice
from dpq_core.results.tables.kinds import TableReading
from dpq_core.results.wording import count_in_words, plural_of

from .. import keys
from ..files.key_columns import choose_columns_of_groups, keep_group
from ..form.people import choose_take
from ..frame import fields
from ..frame.header import complain, sentence_of, term
from ..frame.state import ChosenTable
from ..settings import check, said

KEPT = 10.0
"""Seconds for which the types of the columns are not read again."""
EVERY_ROW = "Every row is another person’s"
MOST_COLUMNS = 12
NO_COLUMN = "The files have no column of numbers or dates."
NONE_CHOSEN = "Choose the columns whose quantiles you want."


@dataclass(frozen=True, kw_only=True)
class SpreadTable:
    """A table on the cluster, by its public facts."""

    path: Path = field(repr=False)
    """A file or folder that all workers can open."""
    scheduler: str = field(repr=False)
    is_public: bool
    chosen: ChosenTable | None
    """The columns to ask about; None while there are none, or something about their persons is missing."""


def choose_table(path: Path, name: str, scheduler: str, *, is_public: bool) -> SpreadTable:
    """Ask which columns of the files are answered, and to whom rows belong; `name`: what the page calls the files."""
    chosen = _choose(path, name)
    return SpreadTable(path=path, scheduler=scheduler, is_public=is_public, chosen=chosen)


def _choose(path: Path, name: str) -> ChosenTable | None:
    try:
        kinds = _kinds_of(str(path))
    except ValueError as error:
        complain(sentence_of(error) if isinstance(error, ParameterError) else str(error))
        return None
    able = [column for column, kind in kinds.items() if kind != "other"]
    if not able:
        complain(NO_COLUMN)
        return None
    columns = st.multiselect(
        "Columns", able, key=keys.widget("stream_columns", name), max_selections=MOST_COLUMNS, persist_state="session"
    )
    ids = st.selectbox(
        "One person is", ["", *(each for each in kinds if each not in columns)], key=keys.widget("stream_person", name),
        format_func=lambda column: f"All rows with the same {column}" if column else EVERY_ROW, help=term("one person"),
        persist_state="session",
    )  # fmt: skip
    others = [each for each in kinds if each not in {*columns, ids}]
    by = tuple(choose_columns_of_groups(keys.widget("stream_by", name), others))
    _keep_said(f"server:{name}:{ids}:{'+'.join(by)}", by)
    if not columns:
        st.caption(NONE_CHOSEN)
        return None
    one = fields.text_input("one", placeholder="person", max_chars=check.LONGEST_WORD) or ("person" if ids else "row")
    choice = choose_take(ids, one) if ids else None
    if ids and choice is None:
        return None
    facts = tuple(_facts(name, column, kinds[column], one, choice, by) for column in columns)
    about = f"{count_in_words(len(columns), 'column')} of {name} on the server"
    return ChosenTable(
        identity=f"server:{name}:{'+'.join(columns)}", about=about, one=facts[0].one, columns=facts,
        reading=_reading(name, [*columns, *by, *([ids] if ids else [])]),
    )  # fmt: skip


def _keep_said(identity: str, by: tuple[str, ...]) -> None:
    """Forget what was said of other groups or persons; groups that were just chosen are answered."""
    if said.present() != identity:
        said.keep_for(identity)
        keep_group(by[0] if by else "")


def _facts(name: str, column: str, kind: str, one: str, choice: PersonChoice | None, by: tuple[str, ...]) -> DataSet:
    row = one if choice is None or choice.most_rows is None else "row"
    return DataSet(
        identity=f"server:{name}", name=column, kind=kind, unit="", one=row, many=plural_of(row),
        about=f"{column} from {name} on the server", source="", is_example=False, person=choice,
        group=by[0] if by else "", more_groups=tuple((each, ANY_NAME) for each in by[1:]),
    )  # fmt: skip


def _reading(name: str, columns: list[str]) -> TableReading:
    """Return Python that opens the same table on a cluster; where this server's cluster is, is on no screen."""
    opened = (
        'client = Client("tcp://scheduler:8786")  # the address of your cluster\n'
        f"frame = read_files({Path(name).name!r}, {columns!r})"
    )
    imports = ("from distributed import Client", "from dpq_core.cluster.files import read_files")
    return TableReading(imports, opened=opened)


@st.cache_data(ttl=KEPT, max_entries=4, show_spinner=False)
def _kinds_of(path: str) -> dict[str, str]:
    """Read the types of the columns, once for all runs of the page."""
    return dict(kinds_of(path))
