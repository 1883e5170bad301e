"""What a release from the command line reads: columns of a file, or a column of a table or a query of a database."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, Name, ParameterError
from ..groups.names import GroupColumn
from ..people.ids import People
from ..progress import Progress
from ..sources.column import Column, Values, make_column
from ..sources.header import find_column, public_names
from ..sources.reading import CHOICES, UNITS, Reading
from ..sources.readings.forms import facts_of, from_typed
from ..tables.grouping import FindGroups
from ..tables.table import Table
from .columns import check_kinds
from .texts import about, progress_of
from .words import Asked

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..ledger.accounts import Account
    from ..sources.databases.reading import Database
    from ..sources.files import Layout

URL = "DPQ_DATABASE_URL"
FLAGS = {
    "decimal": "--decimal", "dates": "--dates", "durations": "--durations", "missing": "--missing-texts",
    "zero": "--zero", "missing_codes": "--missing-codes", "percent": "--percent", "unit": "--unit",
}  # fmt: skip
"""The settings of a `Reading`, as they are typed."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("data")
    where = f"instead of a file: the address of a database, as SQLAlchemy writes it; or set {URL}, which no list of "
    options.add_argument("--database", metavar="URL", help=f"{where}processes shows")
    options.add_argument("--table", metavar="NAME", help="its table, or schema.table; the command only reads it")
    options.add_argument("--query", metavar="SELECT", help="one SELECT instead of a table")
    where = "read Parquet files (FILE is one, a folder, or a pattern in quotes) on the workers of a Dask cluster; they "
    options.add_argument("--cluster", metavar="tcp://HOST:PORT", help=f"{where}must find them at the same path")
    header = "whether the first row of a file has the names of the columns; needed if its cells do not show it"
    options.add_argument("--header", action=argparse.BooleanOptionalAction, help=header)
    encoding = "the encoding of a text file, such as shift-jis, if not UTF-8, UTF-16 with its mark or Windows-1252"
    options.add_argument("--encoding", metavar="NAME", default="", help=encoding)
    where = "name the row of a cell that cannot be read; it reveals how many rows there are at least: only for you"
    options.add_argument("--show-where", action="store_true", help=where)


def add_reading(command: argparse.ArgumentParser) -> None:
    """Add the arguments that say how the cells are written."""
    note = "how the cells are written: without an option the cells decide, and a refusal names the options that would"
    options = command.add_argument_group("reading", note)
    options.add_argument(FLAGS["decimal"], choices=CHOICES["decimal"], metavar=".|,", help="the decimal mark")
    orders = [order.replace(" ", "-") for order in CHOICES["dates"]]
    options.add_argument(FLAGS["dates"], choices=orders, help="the order of dates such as 03/04/2024")
    options.add_argument(FLAGS["durations"], choices=CHOICES["durations"], help="what a duration such as 3:45 means")
    texts = "texts that mean a missing value, besides blank cells and the usual ones, separated by commas"
    options.add_argument(FLAGS["missing"], metavar="TEXTS", help=texts)
    codes = "numbers, or dates, that mean a missing value, separated by commas: 9999999,-99 or 9999-12-31"
    options.add_argument(FLAGS["missing_codes"], metavar="CODES", help=codes)
    options.add_argument(FLAGS["zero"], metavar="TEXTS", help='texts that mean zero, separated by commas, such as "-"')
    options.add_argument(FLAGS["unit"], choices=UNITS, help="the unit of all numbers written without one")
    percent = "read numbers without a sign as shares of one, so that 0.125 is 12.5 %%; or read 12.5 %% as 0.125"
    options.add_argument(FLAGS["percent"], action=argparse.BooleanOptionalAction, help=percent)


def reading_of(chosen: argparse.Namespace) -> Reading:
    """Return how the cells are written, from the arguments. Raises ParameterError."""
    try:
        return from_typed(
            decimal=chosen.decimal or "", dates=(chosen.dates or "").replace("-", " "),
            durations=chosen.durations or "", missing=_text_of(chosen.missing_texts), zero=_text_of(chosen.zero),
            missing_codes=chosen.missing_codes or "", percent=chosen.percent, unit=chosen.unit or "",
        )  # fmt: skip
    except ParameterError as error:
        raise ParameterError(FLAGS[error.name], error.words[2:], error.remedies) from None


def _text_of(typed: str | list[str] | None) -> str:
    """Return what was typed; "--" is an empty list where argparse takes it for the end of the options."""
    return "--" if typed == [] else str(typed or "")


def flags_that_decide(error: DataError) -> str:
    """Return the sentence that names the flags with which the column may be read; "" where there is none."""
    if any(way.name == "encoding" for way in error.remedies):
        return " Use `--encoding NAME`."
    ways = [(way.name, str(way.value)) for way in error.remedies if way.name in FLAGS]
    said = [(FLAGS[name], value.replace(" ", "-") if name == "dates" else value) for name, value in ways]
    flags = [f"`{flag}={shlex.quote(value)}`" for flag, value in said]
    return f" It may be read with {' or '.join(flags)}." if flags else ""


def database_of(chosen: argparse.Namespace) -> Database | None:
    """Return the database that the arguments say, None where they say a file. Raises ParameterError."""
    if chosen.encoding and (chosen.file is None or chosen.cluster is not None):
        raise ParameterError("--encoding", "must go with a file of text, which no cluster reads.")
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
    from ..sources.databases.reading import Database

    return Database(url, table=chosen.table, query=chosen.query)


def only_column(database: Database | None, chosen: argparse.Namespace) -> str:
    """Return the name of the only column of the data. Raises ParameterError, DataError, OSError."""
    if chosen.cluster is not None:
        raise ParameterError("--column", ("must be given with ", Name("--cluster"), "."))
    with about(chosen.file):
        there = _layout_of(chosen).names if database is None else database.columns()
        if len(there) != 1:
            what = "table" if chosen.file is None else "file"
            raise ParameterError("--column", f"must be given: the {what} has {len(there)} columns.")
        return public_names(there)[0]


def _layout_of(chosen: argparse.Namespace) -> Layout:
    """Return where the columns of a file are, from a process of its own, once. Raises ParameterError."""
    from ..jobs.untrusted_files import layout_of, read_apart

    if chosen.layout is None:
        chosen.layout = read_apart(layout_of, chosen.file, chosen.header, encoding=chosen.encoding)
    layout: Layout = chosen.layout
    return layout


@contextmanager
def cluster_of(chosen: argparse.Namespace) -> Iterator[None]:
    """Connect with the cluster that the arguments name, if they do. Raises ParameterError."""
    if chosen.cluster is None:
        yield
        return
    if chosen.file is None:
        raise ParameterError("--cluster", "must go with files.")
    from ..cluster.grid import connected

    with connected(chosen.cluster):
        yield


def table_of(
    database: Database | None, chosen: argparse.Namespace, asked: Asked
) -> tuple[Table[Any], dict[str, Column]]:
    """Return the columns ready for their release, and as they were read. Raises ParameterError, DataError, OSError."""
    with progress_of(chosen, f"Reading {chosen.file or 'the database'}") as heard:
        if chosen.cluster is not None:
            return _on_cluster(chosen, asked, heard)
        with about(chosen.file):
            read, people, groups = (
                _columns_of_file(chosen, asked, heard) if database is None else _column_of_rows(database, asked, chosen)
            )
            check_kinds(asked.columns, asked.missing, read)
        frame: dict[str, Any] = {name: column.values for name, column in read.items()} | groups
        return asked.table(frame | ({asked.person.column: people} if asked.person else {})), read


def _on_cluster(chosen: argparse.Namespace, asked: Asked, heard: Progress) -> tuple[Table[Any], dict[str, Column]]:
    """Return the columns of Parquet files on the workers of a cluster."""
    from ..cluster.files import read_files

    with about(chosen.file):
        frame = read_files(chosen.file, [*asked.columns, *asked.by, *([asked.person.column] if asked.person else [])])
        table = asked.table(frame, progress=heard)
        days, numbers = Values(np.empty(0), "date", "date"), Values(np.empty(0), "number", "")
        read = {name: make_column(name, days if name in table.dates else numbers) for name in asked.columns}
        check_kinds(asked.columns, asked.missing, read)
    return table, read


def _columns_of_file(
    chosen: argparse.Namespace, asked: Asked, heard: Progress
) -> tuple[dict[str, Column], People | None, dict[str, GroupColumn]]:
    """Read columns of a file, and those of persons and groups, in a process of their own."""
    from ..jobs.untrusted_files import columns_and_groups_of, read_apart

    layout, person, names = _layout_of(chosen), asked.person.column if asked.person else "", list(asked.columns)
    if person:
        find_column(person, layout.names, "--person")
    for option, columns in {"--column": names, "--by": list(asked.by)}.items():
        for name in columns:
            _refuse_value(option, name, find_column(name, layout.names, option)[1])
    listed = {name: None if isinstance(each, FindGroups) else each for name, each in asked.by.items()}
    readings = dict.fromkeys(names, reading_of(chosen))
    found, people, groups = read_apart(
        columns_and_groups_of, chosen.file, names, person, listed, layout, readings, look=lambda job: heard(job.share)
    )
    for each in found:
        if isinstance(each, ValueError):
            raise each
    read = {name: each for name, each in zip(names, found, strict=True) if isinstance(each, Column)}
    return read, people, dict(zip(asked.by, groups, strict=True))


def _refuse_value(option: str, name: str, public: str) -> None:
    """Raise ParameterError for the name of a column that could be a value: it is released with the answers."""
    if public != name:
        must = f"must call this column {public!r}, after its place: its own name could be a value, and is not released."
        raise ParameterError(option, must)


def _column_of_rows(
    database: Database, asked: Asked, chosen: argparse.Namespace
) -> tuple[dict[str, Column], People | None, dict[str, GroupColumn]]:
    """Read one column of a database, with persons and one column of groups where they were asked for."""
    for option, columns in {"--column": list(asked.columns), "--by": list(asked.by)}.items():
        if len(columns) > 1:
            raise ParameterError(option, "must be given once for a database, which is read one column at a time.")
    person, (name,) = asked.person, asked.columns
    if person is not None and person.take in {"first", "last"}:
        raise ParameterError("--take", "must not be first or last: rows of a database have no order.")
    ids = None if person is None else person.column
    rows = database.rows(name, person=ids, group=next(iter(asked.by), None), reading=reading_of(chosen))
    _refuse_value("--column", name, rows.column.name)
    groups = {} if rows.groups is None else dict.fromkeys(asked.by, rows.groups)
    return {name: rows.column}, rows.people, groups


def read_as(chosen: argparse.Namespace, columns: Iterable[str]) -> dict[str, Any]:
    """Return what the arguments say about reading, as a page says it, for the request that an id belongs to."""
    return facts_of({"header": chosen.header, "encoding": chosen.encoding}, dict.fromkeys(columns, reading_of(chosen)))


def mark_of(account: Account, database: Database | None, chosen: argparse.Namespace) -> str:
    """Return the fingerprint of a file by its bytes, or of a table by its name: its rows may change."""
    from ..ledger.files import fingerprint_by_digest
    from ..ledger.fingerprints import digest_of, digest_of_file

    where = "" if database is None else database.identity()
    if chosen.cluster is not None:  # too much to read for a mark: a table by its name
        where = os.path.abspath(chosen.file)
    return fingerprint_by_digest(account.ledger, digest_of(where.encode()) if where else digest_of_file(chosen.file))
