"""Columns of a database, row by row with persons and groups; on SQLite and on PostgreSQL."""

import datetime
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest
import sqlalchemy as sql

from dpq_core import Column, DataError, Domain, ParameterError, People
from dpq_core.sources.column import NumberColumn
from dpq_core.sources.databases import Database, as_table
from dpq_core.sources.formats.reader import ArrowTable, Layout, Opening
from dpq_core.sources.rows import rows_of

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
    found = database.rows([ODD])
    assert (found.people, found.groups) == (None, [])
    assert found.columns[0].values.tolist()[:4] == [2.5, 10.5, 10.5, 30.25]
    column = Column.from_values(found.columns[0].values, DOMAIN, seed=1)
    assert sorted(column.cells >> column.tie_bits) == [25, 105, 105, 302]
    assert column.dropped == 1


def test_rows_come_with_persons_and_groups(url):
    found = Database(url, table="the visits").rows([ODD], person="who", by=["ward"])
    assert found.columns[0].values.tolist()[:4] == [2.5, 10.5, 10.5, 30.25]
    assert found.people is not None
    assert found.people.count == 2
    assert found.people.nobodys == 1
    assert sorted(held_by(found.groups[0])) == ["None", "north", "north", "north", "south"]
    people = Column.from_values(found.columns[0].values, DOMAIN, people=found.people, per_person="max")
    assert sorted(people.cells >> people.tie_bits) == [25, 105]
    groups = Column.from_values(found.columns[0].values, DOMAIN, groups=found.groups[0], names=["north", "south"])
    assert groups.sizes.tolist() == [2, 1]
    rows = Database(url, table="the visits").rows(["rooms"], person="rooms")
    assert rows.people is not None
    assert rows.people.codes.tolist() == People.of([1, 1, 2, 2, 3]).codes.tolist()
    assert rows.groups == []


def held_by(groups):
    """The name of each row's group."""
    return [str([*groups.found, None][code]) for code in groups.codes]


def test_groups_are_texts_as_those_of_files(url):
    database = Database(url, table="the visits")
    found = database.rows([ODD], by=["rooms"])
    assert found.columns[0].values.tolist()[:4] == [2.5, 10.5, 10.5, 30.25]
    assert sorted(held_by(found.groups[0])[:4]) == ["1", "1", "2", "3"]
    assert Column.from_values(
        found.columns[0].values, DOMAIN, groups=found.groups[0], names=["1", "3"]
    ).sizes.tolist() == [2, 1]
    for group, names in (("paid", ["0", "0.07", "0.14", "0.21", "0.28"]), ("on", ["1970-01-01", "1970-01-05"])):
        assert set(names) <= set(held_by(database.rows([ODD], by=[group]).groups[0]))
    assert database.rows([ODD]).columns[0].values.tolist()[:4] == found.columns[0].values.tolist()[:4]


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
    assert sorted(held_by(Database(url, table="mixed").rows(["value"], by=["ward"]).groups[0])) == ["A", "a", "a"]
    fit = ["0", "1", "1"] if lite else ["false", "true", "true"]
    assert sorted(held_by(Database(url, table="mixed").rows(["value"], by=["fit"]).groups[0])) == fit


def test_a_query_stands_for_a_table(url):
    where = "SELECT rooms, who AS \"a:b\" FROM \"the visits\" WHERE who LIKE '%a%' OR ward = ':x' -- only one"
    database = Database(url, query=f"{where};")
    found = database.rows(["rooms"], person="a:b")
    assert found.columns[0].values.tolist() == [1.0, 2.0]
    assert found.people is not None


def test_values_are_encoded_as_those_of_files(url):
    database = Database(url, table="the visits")
    days = database.rows(["day"]).columns[0]
    assert (days.kind, days.unit) == ("date", "date")
    assert 19753.0 in days.values
    assert database.rows(["on"]).columns[0].values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert database.rows(["on"]).columns[0].kind == "date"
    assert database.rows(["paid"]).columns[0].values.tolist() == [0.0, 0.07, 0.14, 0.21, 0.28]


def test_nothing_is_written(url):
    before = Database(url, table="the visits").rows(["rooms"]).columns[0].values.size
    for query in (
        'DELETE FROM "the visits" RETURNING rooms', "SELECT 1 AS rooms) AS x; DELETE FROM \"the visits\"; --",
        'WITH gone AS (DELETE FROM "the visits" RETURNING rooms) SELECT rooms FROM gone',
    ):  # fmt: skip
        with pytest.raises((DataError, ParameterError)):
            Database(url, query=query).rows(["rooms"])
    for name in ('rooms" FROM "the visits"; DELETE FROM "the visits"; --', "1", "*"):
        with pytest.raises(ParameterError, match="column"):
            Database(url, table="the visits").rows([name])
    with pytest.raises(DataError):
        Database(url, table='the visits"; DELETE FROM "the visits"; --').rows(["rooms"])
    assert Database(url, table="the visits").rows(["rooms"]).columns[0].values.size == before == 5


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
            database.rows(["x"])
        told = f"{error.value} {error.value.__cause__} {error.value.__context__}"
        assert not any(word in told for word in ("secret", "ada", "127.0.0.1", "none.db", "geheim", "sqlite:"))
        assert "secret" not in repr(database)
    assert not unread.exists()
    assert refused[0].identity() == Database("postgres://127.0.0.1:1/clinic", table="t").identity()
    assert "secret" not in refused[0].identity()
    with pytest.raises(DataError, match=r"^The column holds neither|^A cell") as error:
        Database(url, table="the visits").rows(["who"])
    assert "ada" not in str(error.value)


def test_a_table_or_a_query():
    for settings in ({}, {"table": "t", "query": "SELECT 1"}):
        with pytest.raises(ParameterError, match="table"):
            Database("sqlite://", **settings)


def test_several_columns_come_with_groups_by_several(url):
    found = Database(url, table="the visits").rows(["rooms", "paid"], person="who", by=["ward", "day"])
    assert [each.name for each in found.columns] == ["rooms", "paid"]
    assert [each.values.tolist() for each in found.columns] == [[1, 1, 2, 2, 3], [0, 0.28, 0.07, 0.14, 0.21]]
    assert [held_by(each) for each in found.groups] == [
        ["north", "north", "south", "north", "None"],
        ["2024-01-31", "2023-12-24", "2024-02-01", "None", "2024-02-01"],
    ]
    assert found.people is not None
    assert (found.people.codes[0], found.people.nobodys) == (found.people.codes[2], 1)


def read(*cells, use="values"):
    """A column of one batch as numbers with their kind, as the names of its groups, or as codes of persons."""
    return read_batches([[(cell,) for cell in cells]], use)


def read_batches(batches, use="values"):
    table, layout = ArrowTable(as_table(batches, [0])), Layout(("a",), said=Opening(fill_down=False))
    found = rows_of(
        table, ["a"] * (use == "values"), layout, "a" * (use == "ids"), {"a": None} if use == "names" else {}, {}
    )
    if use == "values":
        (column,) = found.columns
        assert isinstance(column, NumberColumn), column
        return column.values.tolist(), column.kind
    return held_by(found.groups[0]) if use == "names" else getattr(found.people, "codes", np.empty(0)).tolist()


DAY, MOMENT = datetime.date(1970, 1, 3), datetime.datetime(1970, 1, 2, 1, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(("cells", "numbers", "kind", "names"), [
    ([2, None, 0.25, -np.inf], [2.0, None, 0.25, -np.inf], "number", ["2", "None", "0.25", "-inf"]),
    ([Decimal(1), Decimal("0.070"), Decimal("nan")], [1.0, 0.07, None], "number", ["1", "0.07", "None"]),
    ([True, False], [1.0, 0.0], "number", ["true", "false"]), ([DAY], [2.0], "date", ["1970-01-03"]),
    ([datetime.datetime(1970, 1, 2, 12)], [1.5], "date", ["1970-01-02 12:00"]),
    ([MOMENT], [1 + 1 / 24], "date", ["1970-01-02 01:00"]), ([datetime.timedelta(minutes=1)], [60.0], "duration", None),
    (["1,234.5", " ", "7"], [1234.5, None, 7.0], "number", ["1,234.5", "None", "7"]),
    ([None], [None], "number", ["None"]),
], ids=["numbers", "decimals", "truths", "days", "moments", "zones", "durations", "text", "nothing"])  # fmt: skip
def test_cells_mean_what_those_of_files_mean(cells, numbers, kind, names):
    expected = [np.nan if each is None else each for each in numbers]
    found = read(*cells)
    assert np.array_equal(found[0], expected, equal_nan=True)
    assert found[1] == kind
    if names is None:
        with pytest.raises(DataError, match="no names of groups"):
            read(*cells, use="names")
    else:
        assert read(*cells, use="names") == names


def test_batches_become_one_column():
    for cells in ([1, None, 0.5], [Decimal("1.5"), Decimal("nan"), Decimal("0.070")], ["a", None, "b"]):
        for use in ("names", "ids"):
            assert read_batches([[(cell,)] for cell in cells], use) == read(*cells, use=use)


def test_ids_of_other_types_are_told_apart():
    assert read(b"a", None, b"a ", b"a", b"\x81", use="ids") == [0, -1, 1, 0, 2]
    assert read(UUID(int=1), UUID(int=2), UUID(int=1), use="ids") == [0, 1, 0]
    for cells in ([2**53 + 1, 2**53], [0.1 + 0.2, 0.3, 1.0], ["a", "A", "ß", "ss", "01", "1", "1.5", "1.50"]):
        assert len(set(read(*cells, use="ids"))) == len(set(read(*cells, use="names"))) == len(cells)


@pytest.mark.parametrize("cells", [
    [1, "1"], ["1", b"1"], [1, DAY], [DAY, MOMENT.replace(tzinfo=None)], [MOMENT, MOMENT.astimezone(datetime.UTC)],
    [2**53 + 1, 0.5], [1, 10**400], [Decimal("1e400"), 1], [b"1", UUID(int=1)], [["A"]], [{"a": 1}],
], ids=repr)  # fmt: skip
def test_cells_of_several_kinds_are_refused(cells):
    """Also where they come in several batches."""
    for batches in ([[(cell,) for cell in cells]], [[(cell,)] for cell in cells]):
        for use in ("values", "names", "ids"):
            with pytest.raises(
                DataError, match="lists, cells of several kinds or time zones, or numbers of too many digits"
            ):
                read_batches(batches, use)
