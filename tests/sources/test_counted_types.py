"""Which types a database counts: those whose equal cells are read alike, written in whatever way and in either order.

Each type has cells that its database takes for equal although they are written differently, and others beside them. In
either order counts and groups must be those of reading row by row, which a type that is not on the list is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import sqlalchemy as sql
from sqlalchemy.dialects import mysql, postgresql

from dpq_core import DataError, Domain, Plan, PureDP, Sample, calibrate
from dpq_core.audit.losses import all_outputs, loss_between
from dpq_core.mechanisms import indexp
from dpq_core.sources.databases import Database, reading
from dpq_core.sources.databases.codes import group_name
from dpq_core.sources.databases.counting import POSTGRESQL_TEXTS, POSTGRESQL_TYPES, count_keys
from tests.every_run import kept

Made = Callable[[Database], Any]

MADE = """
CREATE EXTENSION citext;
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION "C" (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN minutes AS integer CHECK (value >= 0);
CREATE DOMAIN spent AS interval;
CREATE DOMAIN spent_again AS spent;
CREATE DOMAIN ward AS citext;
CREATE DOMAIN loose AS text COLLATE nocase;
CREATE TYPE shift AS ENUM ('late', 'early');
CREATE TYPE stay AS (days numeric, ward citext);
"""
LISTED: dict[str, tuple[list[str], list[str]]] = {
    "bool": (["t", "yes"], ["f"]),
    "int2": (["1", "+1"], ["-2"]),
    "int4": (["1", "01"], ["2147483647"]),
    "int8": (["9007199254740993", "+9007199254740993"], ["9007199254740992"]),
    "float4": (["0", "-0"], ["NaN", "0.1", "-Infinity"]),
    "float8": (["-0.0", "0"], ["NaN", "1e308", "Infinity", "0.1"]),
    "numeric": (["1.0", "1.00", "1"], ["NaN", "Infinity", "1.0000000000000000000000000000000001", "1e400"]),
    "numeric(12, 4)": (["2.5", "2.5000"], ["-2.5"]),
    "date": (["2024-01-31", "January 31, 2024"], ["1969-12-31"]),
    "time": (["12:00", "12:00:00.000"], ["23:59:59.999999"]),
    "timestamp": (["2024-01-31 12:00", "2024-01-31T12:00:00.0"], ["2024-01-31 12:00:00.000001"]),
    "timestamptz": (["2024-10-27 00:30+00", "2024-10-27 02:30+02"], ["2024-10-27 02:30+01"]),
    "uuid": (["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC999C0B4EF8BB6D6BB9BD380A11"], [f"{1:032x}"]),
    "text": (["7"], ["7 ", "7.0"]),
    "varchar(9)": (["A"], ["a", "A "]),
    "text COLLATE nocase": (["A"], ["a"]),
    "minutes": (["5", "05"], ["7"]),
    "loose": (["A"], ["a"]),
}
ROW_BY_ROW: dict[str, tuple[list[str], list[str]]] = {
    "interval": (["1 year", "360 days", "12 months", "8640 hours"], ["1 second"]),
    "spent": (["1 mon", "30 days"], ["1 day"]),
    "spent_again": (["24 hours", "1 day"], ["1 year"]),
    "citext": (["a", "A"], ["b"]),
    "ward": (["a", "A"], ["b"]),
    "bpchar": (["7", "7 "], ["8"]),
    "char(3)": (["A", "A "], ["a"]),
    "shift": (["late"], ["early"]),
    "timetz": (["12:00+02"], ["10:00+00"]),
    "money": (["1", "$1.00"], ["2"]),
    "oid": (["7", "07"], ["8"]),
    "name": (["7"], ["8"]),
    '"char"': (["7"], ["8"]),
    "bit(3)": (["101"], ["100"]),
    "varbit": (["101"], ["1010"]),
    "bytea": (["\\x41", "A"], ["B"]),
    "json": (["1"], ["1.0"]),
    "jsonb": (["1", "1.0", "1.00"], ["2"]),
    "jsonb ": (['{"a": 1.0}', '{"a": 1}'], ["true"]),
    "int4[]": (["{1,2}", "[1:2]={1,2}"], ["{1}"]),
    "numeric[]": (["{1.0}", "{1}"], ["{2}"]),
    "interval[]": (["{1 year}", "{360 days}"], ["{}"]),
    "int4range": (["[1,2]", "[1,3)"], ["empty"]),
    "numrange": (["[1.0,2]", "[1,2.00]"], ["(1,2)"]),
    "nummultirange": (["{[1.0,2]}", "{[1,2.00]}"], ["{}"]),
    "stay": (["(1.0,a)", "(1.00,A)"], ["(2,b)"]),
    "inet": (["10.0.0.1", "10.0.0.1/32"], ["10.0.0.2"]),
    "macaddr": (["08:00:2b:01:02:03", "08002b010203"], ["08:00:2b:01:02:04"]),
    "tsvector": (["a b", "b a"], ["c"]),
    "point": (["(1,2)", "1,2"], ["(2,1)"]),
    "xml": (["<a/>"], ["<b/>"]),
}
SQLITE: dict[str, tuple[list[Any], list[Any]]] = {
    "": ([1, 1.0, True], ["1", b"1", "1.0", 2.5]),
    "INTEGER": ([1, 1.0, "1", "1.0", True], [2.5, "2 ", 3]),
    "REAL": ([1, 1.0, "1"], [0.1, 2**53 + 1]),
    "NUMERIC": ([1, "1.00", 1.0], [0.1, 1e300]),
    "TEXT": (["1", 1], ["1.0", " 1"]),
    "TEXT COLLATE NOCASE": (["A"], ["a", "A "]),
    "VARCHAR COLLATE RTRIM": (["7"], ["7 "]),
    "BLOB": ([b"1"], [b"2"]),
    "zeros": ([0.0, -0.0, 0, False], [5e-324]),
    "whole numbers near 2^53": ([2**53, float(2**53)], [2**53 + 1, 2**53 - 1, float(2**53 + 2)]),
    "whole numbers near 2^63": ([-(2**63), float(-(2**63))], [2**63 - 1, 2**63 - 1024, float(2**63), 1e300]),
    "infinities": ([float("inf"), 9e999], [float("-inf"), None]),
    "texts": (["A"], ["a", "A\0", "A ", "Ä", "A\u0308"]),
    "blobs": ([b"A"], ["A", b"a"]),
}


def as_read(database: Database, how: str, monkeypatch: pytest.MonkeyPatch, row_by_row: bool = False) -> Any:
    """What is read of column x, in no order; or how it is refused."""
    with monkeypatch.context() as patch:
        if row_by_row:
            patch.setattr(reading, "count_keys", lambda *_: None)
        try:
            if how == "counts":
                counted = database.counts("x")
                pairs = zip(map(repr, counted.values.tolist()), counted.counts.tolist(), strict=True)
                return sorted((value, n) for value, n in pairs if n)
            groups = database.rows("v", group="x").groups
            assert groups is not None
            return Counter(str([*groups.found, None][code]) for code in groups.codes)
        except DataError as error:
            return str(error)


READINGS = ("counts", "groups")


def counted(database: Database) -> bool:
    """Whether the database counts column x."""
    with database._reading() as connection:
        return count_keys(connection, database._source(), [sql.column("x")]) is not None


def check(database: Callable[[list[Any]], Database], cells: list[Any], listed: bool, monkeypatch: Any) -> None:
    """Whichever of the first three cells comes first, what is read is the same, and that of row by row."""
    expected: list[Any] = []
    for first in range(len(cells[:3])):
        made = database([cells[first], *cells[:first], *cells[first + 1 :]])
        expected = expected or [as_read(made, how, monkeypatch, row_by_row=True) for how in READINGS]
        assert [as_read(made, how, monkeypatch) for how in READINGS] == expected
    assert counted(made) is listed


@pytest.mark.parametrize("declared", SQLITE)
def test_what_sqlite_takes_for_equal_is_read_alike(declared, tmp_path, monkeypatch):
    equal, others = SQLITE[declared]
    path = tmp_path / "cells.db"
    engine = sql.create_engine(f"sqlite:///{path}")
    sql.event.listen(engine, "connect", lambda made, _: made.execute("PRAGMA synchronous = OFF"))
    kind = declared if declared.isupper() else ""

    def database(cells: list[Any]) -> Database:
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE IF EXISTS cells")
            connection.exec_driver_sql(f"CREATE TABLE cells (v INTEGER, x {kind})")
            connection.exec_driver_sql("INSERT INTO cells VALUES (1, ?)", [(cell,) for cell in cells])
        return Database(f"sqlite:///{path}", table="cells")

    database(equal)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(DISTINCT x COLLATE BINARY) FROM cells").scalar() == 1
    of_query = Database(f"sqlite:///{path}", query="SELECT v, x AS x FROM cells WHERE v > 0")
    check(lambda cells: database(cells) and of_query, equal, True, monkeypatch)
    check(database, equal + others, True, monkeypatch)
    engine.dispose()


def writing(url: str) -> sql.Connection:
    """A connection that writes at once, and prepares no statement, since types of columns change."""
    settings: Any = {"poolclass": sql.NullPool, "connect_args": {"prepare_threshold": None}}
    return sql.create_engine(url.replace(":", "+psycopg:", 1), isolation_level="AUTOCOMMIT", **settings).connect()


@pytest.fixture(scope="module")
def types(postgres_url: str) -> Iterator[tuple[str, sql.Connection]]:
    """A database of its own with the types above, whose sessions are in Berlin, and a connection that may write."""
    url = postgres_url.rpartition("/")[0] + "/types"
    with writing(postgres_url) as to:
        to.exec_driver_sql("CREATE DATABASE types")
        to.exec_driver_sql("ALTER DATABASE types SET search_path = public, pg_catalog")
        to.exec_driver_sql("ALTER DATABASE types SET timezone = 'Europe/Berlin'")
    with writing(url) as connection:
        for statement in MADE.strip().split(";\n"):
            connection.exec_driver_sql(statement.rstrip(";\n"))
        yield url, connection


def table_of(types: tuple[str, sql.Connection], declared: str) -> Callable[[list[Any]], Database]:
    url, connection = types

    def database(cells: list[Any]) -> Database:
        connection.exec_driver_sql("DROP TABLE IF EXISTS cells CASCADE")
        connection.exec_driver_sql(f"CREATE TABLE cells (v integer, x {declared})")
        for cell in cells:
            connection.exec_driver_sql("INSERT INTO cells VALUES (1, %s)", (cell,))
        connection.exec_driver_sql("CREATE VIEW seen AS SELECT v, x FROM cells WHERE v = 1")
        return Database(url, table="cells")

    return database


@pytest.mark.slow
@pytest.mark.parametrize(
    "declared", kept([*LISTED, *ROW_BY_ROW], *LISTED, "interval", "citext", "char(3)", "timetz", "money")
)
def test_what_postgresql_takes_for_equal_is_read_alike(declared, types, monkeypatch):
    equal, others = {**LISTED, **ROW_BY_ROW}[declared]
    database = table_of(types, declared)
    check(database, equal + others, declared in LISTED, monkeypatch)
    for asked in ({"table": "seen"}, {"query": "SELECT (SELECT x) AS x FROM cells"}, {"table": "public.cells"}):
        assert counted(Database(types[0], **asked)) is (declared in LISTED)


@pytest.mark.slow
def test_intervals_lose_what_is_claimed(types):
    """1,000 people of 360 days, and one more of '1 year': counted by the database, everybody would have 365 days.

    The exact loss is 0.44 of the claimed 1; where everybody moves it is 60.9.
    """
    domain, plan = Domain(0, 400, 1), Plan(["19/20"], "indexp", PureDP(1.0))
    people, one_more = ["360 days"] * 1000, ["1 year", *["360 days"] * 1000]
    read = []
    for cells in (people, one_more):
        found, rows = table_of(types, "interval")(cells).counts("x"), Database(types[0], table="cells").rows("x")
        assert np.array_equal(rows.column.values, np.repeat(found.values, found.counts))
        read.append((found.values / 86400, found.counts))
    outputs = all_outputs(domain.cells, 1)

    parameters: Any = calibrate(plan)

    def loss(one: Any, other: Any) -> float:
        samples = [Sample.from_counts(each[0], each[1], domain, jitter_bits=0) for each in (one, other)]
        laws = [indexp.mechanism.log_law(outputs, each.cells, parameters, domain.cells) for each in samples]
        return loss_between(laws[0], laws[1], 1.0).epsilon

    assert 0.4 < loss(*read) <= parameters.guarantee.epsilon == 1.0
    assert loss(read[0], ([365], [1001])) > 60


NUMBERS_OF_TYPES = {**POSTGRESQL_TYPES, **POSTGRESQL_TEXTS}


def asked_of(dialect: sql.Dialect, *held: Any) -> list[str] | None:
    """How columns of these types, as a driver reports them, would be counted; no row may be asked for."""
    columns: list[sql.ColumnClause[Any]] = [sql.column(f"x{place}") for place in range(len(held))]
    described = [(column.name, each) for column, each in zip(columns, held, strict=True)]
    result = SimpleNamespace(cursor=SimpleNamespace(description=described))
    connection: Any = SimpleNamespace(dialect=dialect, execute=Mock(return_value=result))
    keys = count_keys(connection, sql.table("t"), columns)
    for call in connection.execute.call_args_list:
        assert str(call.args[0]).endswith("WHERE 1 = 0")
    return None if keys is None else [str(key.compile(dialect=dialect)) for key in keys]


@pytest.mark.parametrize("name", ["interval", "bpchar", "timetz", "jsonb", "numrange", "money", "oid", "record"])
def test_types_that_are_not_listed_are_read_row_by_row(name):
    from psycopg import adapters

    dialect = postgresql.psycopg.dialect()
    assert asked_of(dialect, adapters.types[name].oid) is None
    assert asked_of(dialect, NUMBERS_OF_TYPES["int4"], adapters.types[name].oid) is None


def test_the_list_of_postgresql():
    """No other number counts: not those of the driver's other types, of their arrays, of extensions, nor none."""
    from psycopg import adapters

    dialect = postgresql.psycopg.dialect()
    known = {number: each.name for each in adapters.types for number in (each.oid, each.array_oid)}
    counted_there = {number for number in [*known, 0, 16384, 70000] if asked_of(dialect, number) is not None}
    assert counted_there == set(NUMBERS_OF_TYPES.values())
    assert {name: adapters.types[name].oid for name in NUMBERS_OF_TYPES} == NUMBERS_OF_TYPES
    assert {name.split("(")[0].split(" ")[0] for name in LISTED} == {*NUMBERS_OF_TYPES, "minutes", "loose"}
    assert asked_of(dialect, 23, 25) == ["x0", 'x1 COLLATE pg_catalog."C"']


@pytest.mark.parametrize(
    "dialect",
    [mysql.pymysql.dialect(), postgresql.psycopg2.dialect(), postgresql.asyncpg.dialect()],
    ids=["pymysql", "psycopg2", "asyncpg"],
)
def test_other_databases_and_drivers_count_nothing(dialect):
    assert asked_of(dialect, NUMBERS_OF_TYPES["int4"]) is None
    other: Any = SimpleNamespace(name="duckdb", driver="duckdb_engine")
    assert asked_of(other, "NUMBER") is None


def test_names_of_decimals_are_exact():
    assert [group_name(Decimal(each)) for each in ("2.50", "-0", "1e3", "0.1000000000000000000000000000000010")] == [
        "2.5", "0", "1000", "0.100000000000000000000000000000001",
    ]  # fmt: skip
