"""What a release from the command line reads: columns of a file, or a column of a table or a query of a database."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from hashlib import file_digest
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import DataError, Disclosure, Name, ParameterError
from ..progress import Progress
from ..question import Asked, Question
from ..release import DATE
from ..sources.column import NumberColumn
from ..sources.forms import from_typed
from ..sources.header import could_be_values, find_column
from ..sources.reading import Opening, Reading
from ..table import Table
from .texts import about, progress_of

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..ledger.accounts import Account
    from ..sources.databases import Database
    from ..sources.rows import Rows

URL = "DPQ_DATABASE_URL"
FLAGS = {
    "decimal": "--decimal", "dates": "--dates", "durations": "--durations", "missing": "--missing-texts",
    "zero": "--zero", "missing_codes": "--missing-codes", "percent": "--percent", "unit": "--unit",
}  # fmt: skip
"""The settings of a `Reading`, as they are typed."""
OF_FILE = ("encoding", "sheet", "separator", "fill_down", "totals")
ASKED = {"encoding": "`--encoding NAME`", "fill_down": "`--fill-down` or `--no-fill-down`", "totals": "`--no-totals`"}


def reading_of(chosen: argparse.Namespace) -> Reading:
    """Return how the cells are written, from the arguments. Raises ParameterError."""
    try:
        return from_typed(
            decimal=chosen.decimal or "", dates=(chosen.dates or "").replace("-", " "),
            durations=chosen.durations or "", missing=_text_of(chosen.missing_texts), zero=_text_of(chosen.zero),
            missing_codes=chosen.missing_codes or "", percent=chosen.percent, unit=chosen.unit or "",
        )  # fmt: skip
    except ParameterError as error:
        raise error.reworded(FLAGS[error.name]) from None


def _text_of(typed: str | list[str] | None) -> str:
    """Return what was typed; "--" is an empty list where argparse takes it for the end of the options."""
    return "--" if typed == [] else str(typed or "")


def flags_that_decide(error: DataError) -> str:
    """Return the sentence that names the flags with which the column may be read; "" where there is none."""
    for way in error.remedies:
        if way.name in ASKED:
            return f" Use {ASKED[way.name]}."
    ways = [(way.name, str(way.value)) for way in error.remedies if way.name in (*FLAGS, "separator")]
    said = [(name, value.replace(" ", "-") if name == "dates" else value) for name, value in ways]
    flags = [f"`{FLAGS.get(name, '--separator')}={shlex.quote(value)}`" for name, value in said]
    return f" It may be read with {' or '.join(flags)}." if flags else ""


def database_of(chosen: argparse.Namespace) -> Database | None:
    """Return the database that the arguments say, None where they say a file. Raises ParameterError."""
    for name in OF_FILE:
        if vars(chosen)[name] not in (None, "") and (chosen.file is None or chosen.cluster is not None):
            raise ParameterError(f"--{name.replace('_', '-')}", "must go with one file, which no cluster reads.")
    if chosen.file is not None:
        for name in ("database", "table", "query"):
            if vars(chosen)[name] is not None:
                raise ParameterError(f"--{name}", "must not be given with a file: give one of both.")
        return None
    if chosen.table is None and chosen.query is None:
        way = (Name("--table"), " or ", Name("--query"), " of a ", Name("--database"), ".")
        raise ParameterError("file", ("must be given, or ", *way))
    url = chosen.database or os.environ.get(URL)
    if url is None:
        raise ParameterError("--database", f"must be given, or {URL}.")
    if chosen.table is not None and chosen.query is not None:
        raise ParameterError("--query", ("must not be given with ", Name("--table"), ": give one of both."))
    from ..sources.databases import Database

    return Database(url, table=chosen.table, query=chosen.query)


@contextmanager
def cluster_of(chosen: argparse.Namespace) -> Iterator[None]:
    """Connect with the cluster that the arguments name, if they do. Raises ParameterError."""
    if chosen.cluster is None:
        yield
        return
    if chosen.file is None:
        raise ParameterError("--cluster", "must go with files.")
    from ..cluster.shuffle import connected

    with connected(chosen.cluster):
        yield


def table_of(
    database: Database | None, chosen: argparse.Namespace, question: Question
) -> tuple[Table, dict[str, NumberColumn]]:
    """Return the columns ready for their release, and as they were read. Raises ParameterError, DataError, OSError."""
    with progress_of(chosen, f"Reading {chosen.file or 'the database'}") as heard:
        if chosen.cluster is not None:
            return _on_cluster(chosen, question, heard)
        with about(chosen.file):
            rows = _rows_of_file(chosen, question, heard) if database is None else _rows_of(database, question)
            read = {name: each for name, each in zip(question.columns, rows.columns, strict=True)}
            check_kinds(question.columns, read)
        keys: dict[str, Any] = dict(zip(question.groups.by if question.groups else (), rows.groups, strict=True))
        if question.persons is not None:
            keys[question.persons.column] = rows.people
        return Table.of({name: each.values for name, each in read.items()} | keys, question), read


def _on_cluster(
    chosen: argparse.Namespace, question: Question, heard: Progress
) -> tuple[Table, dict[str, NumberColumn]]:
    """Return the columns of Parquet files on the workers of a cluster."""
    from ..cluster.reading import read_files

    with about(chosen.file):
        table = Table.of(read_files(chosen.file, list(question.names)), question, progress=heard)
        read = {name: NumberColumn(name, np.empty(0), "number", "") for name in question.columns}
        read |= {name: NumberColumn(name, np.empty(0), "date", "date") for name in table.dates}
        check_kinds(question.columns, read)
    return table, read


def _rows_of_file(chosen: argparse.Namespace, question: Question, heard: Progress) -> Rows[NumberColumn]:
    """Read columns of a file, and those of persons and groups, in processes of their own."""
    from ..jobs.children import report
    from ..jobs.queue import read_apart
    from ..sources.files import find_layout, read_rows

    layout = read_apart(find_layout, chosen.file, **(question.file or Opening()).as_dict())
    person, names = question.persons.column if question.persons else "", list(question.columns)
    lists = question.groups.lists if question.groups else {}
    if person:
        find_column(person, layout.names, "--person")
    for option, columns in {"--column": names, "--by": list(lists)}.items():
        for name in columns:
            _refuse_value(option, name, find_column(name, layout.names, option)[1])
    wanted = names, layout, person, lists, {name: each.reading for name, each in question.columns.items()}
    rows: Rows[Any] = read_apart(read_rows, chosen.file, *wanted, look=lambda job: heard(job.share), progress=report)
    return rows.readable()


def _refuse_value(option: str, name: str, public: str) -> None:
    """Raise ParameterError for the name of a column that could be a value: it is released with the answers."""
    if could_be_values([name])[0]:
        must = f"must call this column {public!r}, after its place: its own name could be a value, and is not released."
        raise ParameterError(option, must)


def _rows_of(database: Database, question: Question) -> Rows[NumberColumn]:
    """Read columns of a database, with those of persons and of groups, if they are asked for."""
    by, person, names = question.groups.by if question.groups else (), question.persons, list(question.columns)
    if person is not None and person.per_person in {"first", "last"}:
        raise ParameterError("--per-person", "must not be first or last: rows of a database have no order.")
    readings = {name: each.reading for name, each in question.columns.items()}
    rows = database.rows(names, person=person.column if person else None, by=by, readings=readings)
    for name, column in zip(names, rows.columns, strict=True):
        _refuse_value("--column", name, column.name)
    return rows


def mark_of(account: Account, database: Database | None, chosen: argparse.Namespace) -> str:
    """Return the fingerprint of a file by its bytes, or of a table by its name: its rows may change."""
    from ..ledger.files import fingerprint_by_digest

    where = "" if database is None else database.identity()
    if chosen.cluster is not None:  # too much to read for a mark: a table by its name
        where = os.path.abspath(chosen.file)
    with nullcontext(BytesIO(where.encode())) if where else open(chosen.file, "rb") as content:
        return fingerprint_by_digest(account.ledger, file_digest(content, "sha256").digest())


def check_kinds(columns: Mapping[str, Asked], read: Mapping[str, NumberColumn]) -> None:
    """Raise DataError where dates were said for a column that holds none, or numbers for one of dates."""
    for name, column in read.items():
        asked, dates = columns[name], column.kind == DATE
        either = isinstance(asked.possible, FindBounds) and asked.missing is None and asked.words.kind != DATE
        if not either and (asked.words.kind == DATE) is not dates:
            held, write = ("dates", "dates such as 2024-01-31") if dates else ("no dates", "numbers")
            what = "bounds" if isinstance(asked.possible, Domain) else "`--missing`"
            told = f"The column {name!r} holds {held}: write its {what} as {write}."
            raise DataError(told, discloses=Disclosure.KIND)
