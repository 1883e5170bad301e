"""Columns of a database, row by row with persons and groups; on SQLite and on PostgreSQL."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pytest
import sqlalchemy as sql

from dpq_core import DataError, Domain, Groups, ParameterError, People, Sample
from dpq_core.sources.databases.codes import Codes, group_name, person_id, read_cells
from dpq_core.sources.databases.reading import Database

DOMAIN = Domain(0, 200, "0.1")
ODD = 'min"utes; --:x'
VISITS = [
    (10.5, "ada", "north", 1, "2024-01-31"), (10.5, " ada", "south", 2, "2024-02-01"), (None, "bob", "north", 2, None),
    (30.25, None, None, 3, "2024-02-01"), (2.5, "bob", "north", 1, "2023-12-24"),
]  # fmt: skip


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def url(request, tmp_path_factory):
    """A database with a table of odd names, as a URL."""
    found = f"sqlite:///{tmp_path_factory.mktemp('sqlite') / 'visits.db'}"
    if request.param == "postgres":
        found = request.getfixturevalue("postgres_url")
    engine = sql.create_engine(found.replace("postgresql:", "postgresql+psycopg:"))
    visits = sql.Table(
        "the visits", sql.MetaData(), sql.Column(ODD, sql.Float), sql.Column("who", sql.String),
        sql.Column("ward", sql.String), sql.Column("rooms", sql.Integer), sql.Column("day", sql.String),
        sql.Column("paid", sql.Numeric(10, 2, asdecimal=True)), sql.Column("on", sql.Date),
    )  # fmt: skip
    visits.create(engine)
    with engine.begin() as connection:
        for k, row in enumerate(VISITS):
            values = dict(zip((ODD, "who", "ward", "rooms", "day"), row, strict=True))
            more = {"paid": Decimal("0.07") * k, "on": datetime.date(1970, 1, 1 + k)}
            connection.execute(visits.insert().values(values | more))
    engine.dispose()
    return found


def test_a_column_is_read_row_by_row(url):
    database = Database(url, table="the visits")
    assert database.columns() == (ODD, "who", "ward", "rooms", "day", "paid", "on")
    found = database.rows(ODD)
    assert (found.people, found.groups) == (None, None)
    assert found.column.values.tolist()[:4] == [2.5, 10.5, 10.5, 30.25]
    sample = Sample.from_values(found.column.values, DOMAIN, seed=1)
    assert sorted(sample.cells >> sample.jitter_bits) == [25, 105, 105, 302]
    assert sample.dropped == 1


def test_rows_come_with_persons_and_groups(url):
    found = Database(url, table="the visits").rows(ODD, person="who", group="ward")
    assert found.column.values.tolist()[:4] == [2.5, 10.5, 10.5, 30.25]
    assert found.people is not None
    assert found.groups is not None
    assert found.people.count == 2
    assert found.people.nobodys == 1
    assert sorted(held_by(found.groups)) == ["None", "north", "north", "north", "south"]
    people = Sample.from_values(found.column.values, DOMAIN, people=found.people, take="max")
    assert sorted(people.cells >> people.jitter_bits) == [25, 105]
    groups = Groups.from_values(found.column.values, found.groups, DOMAIN, names=["north", "south"])
    assert groups.sizes.tolist() == [2, 1]
    rows = Database(url, table="the visits").rows("rooms", person="rooms")
    assert rows.people is not None
    assert rows.people.codes.tolist() == People.of([1, 1, 2, 2, 3]).codes.tolist()
    assert rows.groups is None


def held_by(groups):
    """The name of each row's group."""
    return [str([*groups.found, None][code]) for code in groups.codes]


def test_groups_are_texts_as_those_of_files(url):
    database = Database(url, table="the visits")
    found = database.rows(ODD, group="rooms")
    assert found.column.values.tolist()[:4] == [2.5, 10.5, 10.5, 30.25]
    assert sorted(held_by(found.groups)[:4]) == ["1", "1", "2", "3"]
    assert found.groups is not None
    assert Groups.from_values(found.column.values, found.groups, DOMAIN, names=["1", "3"]).sizes.tolist() == [2, 1]
    for group, names in (("paid", ["0", "0.07", "0.14", "0.21", "0.28"]), ("on", ["1970-01-01", "1970-01-05"])):
        assert set(names) <= set(held_by(database.rows(ODD, group=group).groups))
    assert database.rows(ODD).column.values.tolist()[:4] == found.column.values.tolist()[:4]


def test_names_that_a_collation_takes_for_equal_are_not(url):
    lite = url.startswith("sqlite")
    engine = sql.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        if not lite:
            made = "provider = icu, locale = 'und-u-ks-level2', deterministic = false"
            connection.execute(sql.text(f"CREATE COLLATION nocase ({made})"))
        connection.execute(sql.text("CREATE TABLE mixed (value INTEGER, ward VARCHAR COLLATE nocase, fit BOOLEAN)"))
        connection.execute(sql.text("INSERT INTO mixed VALUES (1, 'A', true), (1, 'a', true), (1, 'a ', false)"))
    engine.dispose()
    assert sorted(held_by(Database(url, table="mixed").rows("value", group="ward").groups)) == ["A", "a", "a"]
    fit = ["0", "1", "1"] if lite else ["false", "true", "true"]
    assert sorted(held_by(Database(url, table="mixed").rows("value", group="fit").groups)) == fit


@pytest.mark.parametrize("cell", [b"A", ["A"], {"a": 1}], ids=repr)
def test_what_is_no_group_is_refused(cell):
    with pytest.raises(DataError, match="neither texts nor numbers nor dates"):
        group_name(cell)


@pytest.mark.parametrize("cell", [None, " ", float("nan"), Decimal("nan")], ids=repr)
def test_missing_groups(cell):
    assert group_name(cell) is None


def test_a_query_stands_for_a_table(url):
    where = "SELECT rooms, who AS \"a:b\" FROM \"the visits\" WHERE who LIKE '%a%' OR ward = ':x' -- only one"
    database = Database(url, query=f"{where};")
    assert database.columns() == ("rooms", "a:b")
    assert database.rows("rooms").column.values.tolist() == [1.0, 2.0]


def test_values_are_encoded_as_those_of_files(url):
    database = Database(url, table="the visits")
    days = database.rows("day").column
    assert (days.kind, days.unit) == ("date", "date")
    assert 19753.0 in days.values
    assert database.rows("on").column.values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert database.rows("on").column.kind == "date"
    assert database.rows("paid").column.values.tolist() == [0.0, 0.07, 0.14, 0.21, 0.28]


def test_nothing_is_written(url):
    before = Database(url, table="the visits").rows("rooms").column.values.size
    for query in (
        'DELETE FROM "the visits" RETURNING rooms', "SELECT 1 AS rooms) AS x; DELETE FROM \"the visits\"; --",
        'WITH gone AS (DELETE FROM "the visits" RETURNING rooms) SELECT rooms FROM gone',
    ):  # fmt: skip
        with pytest.raises((DataError, ParameterError)):
            Database(url, query=query).rows("rooms")
    for name in ('rooms" FROM "the visits"; DELETE FROM "the visits"; --', "1", "*"):
        with pytest.raises(ParameterError, match="column"):
            Database(url, table="the visits").rows(name)
    with pytest.raises(DataError):
        Database(url, table='the visits"; DELETE FROM "the visits"; --').rows("rooms")
    assert Database(url, table="the visits").rows("rooms").column.values.size == before == 5


def test_a_connection_only_reads(url):
    database = Database(url, table="the visits")
    with pytest.raises(sql.exc.DBAPIError), database._reading() as connection:
        connection.execute(sql.text('DELETE FROM "the visits"'))


def test_errors_name_neither_the_address_nor_a_value(url, tmp_path):
    unread = tmp_path / "none.db"
    refused = [
        Database("postgresql://ada:secret@127.0.0.1:1/clinic", table="t"), Database("nodb://ada:secret@h/x", table="t"),
        Database(f"sqlite:///{unread}", table="t"), Database(url, table="no such table"),
        Database(url, query="SELECT CAST('geheim' AS INTEGER) / 0 AS x, nothing FROM nowhere"),
    ]  # fmt: skip
    for database in refused:
        with pytest.raises(DataError) as error:
            database.rows("x")
        told = f"{error.value} {error.value.__cause__} {error.value.__context__}"
        assert not any(word in told for word in ("secret", "ada", "127.0.0.1", "none.db", "geheim", "sqlite:"))
        assert "secret" not in repr(database)
    assert not unread.exists()
    assert "secret" not in refused[0].identity()
    with pytest.raises(DataError, match=r"^The column holds neither|^A cell") as error:
        Database(url, table="the visits").rows("who")
    assert "ada" not in str(error.value)


def test_a_table_or_a_query():
    for settings in ({}, {"table": "t", "query": "SELECT 1"}):
        with pytest.raises(ParameterError, match="table"):
            Database("sqlite://", **settings)


@pytest.mark.parametrize(
    ("cells", "expected", "kind"),
    [
        ([True, 2, None, Decimal("0.07"), 10**400], [1.0, 2.0, np.nan, 0.07, np.inf], "number"),
        ([datetime.datetime(1970, 1, 2, 12), datetime.date(1970, 1, 3)], [1.5, 2.0], "date"),
        (
            [datetime.datetime(1970, 1, 2, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))],
            [1 + 1 / 24],
            "date",
        ),
        ([datetime.timedelta(minutes=1), datetime.time(0, 0, 2)], [60.0, 2.0], "duration"),
        (["1,234.5", None, "7"], [1234.5, np.nan, 7.0], "number"),
        ([None], [np.nan], "number"),
        ([], [], "number"),
    ],
    ids=["numbers", "dates", "zones", "durations", "text", "nothing", "none"],
)
def test_cells_are_read_exactly(cells, expected, kind):
    found = read_cells([cells])
    assert np.array_equal(found.numbers, expected, equal_nan=True)
    assert found.kind == kind


def test_zeros_have_one_sign():
    assert [str(zero) for zero in read_cells([[-0.0, 0, Decimal("-0")]]).numbers] == ["0.0"] * 3


def test_persons_are_no_lists():
    ids = Codes(person_id)
    ids.add(["a", None, b"a", datetime.date(2024, 1, 31)])
    for cell in ([1], {"a": 1}):
        with pytest.raises(DataError, match=r"^the ids must be texts"):
            ids.add(["a", cell])


@pytest.mark.parametrize("cells", [[1, "1"], [1, datetime.date(1970, 1, 3)], [b"1"], [[1]]], ids=repr)
def test_columns_of_several_kinds_are_refused(cells):
    with pytest.raises(DataError, match="neither numbers nor dates nor text"):
        read_cells([cells])
