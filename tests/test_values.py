"""Columns from where they lie: Arrow streams of pyarrow, pandas, polars and duckdb give what plain lists give."""

import datetime
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dpq_core import BinCounts, Column, DataError, Domain, GKSketch, People
from dpq_core.values import number_batches, numeric_column

DOMAIN = Domain(0, 100, 1)
AGES = [17, None, 40, 3, 17]
NAMES: list[Any] = ["ada", None, " bob", "ada ", ""]


class Stream:
    """What has nothing but a stream, as a cursor of a database has."""

    def __init__(self, held: pa.Table | pa.RecordBatchReader) -> None:
        self.held = held

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.held.__arrow_c_stream__(requested_schema)


def forms_of(name: str, values: Sequence[object], kind: pa.DataType) -> dict[str, Any]:
    array = pa.array(values, kind)
    chunked = pa.chunked_array([array[:2], array[2:2], array[2:]])
    return {
        "array": array, "chunked": chunked,
        "dictionary": pa.chunked_array([array[:3].dictionary_encode(), array[3:].dictionary_encode()]),
        "table": pa.table({name: chunked}), "batch": pa.record_batch({name: array}),
        "stream": Stream(pa.table({name: chunked})), "pandas": pd.Series(values, dtype=pd.ArrowDtype(kind)),
        "frame": pd.DataFrame({name: pd.Series(values, dtype=pd.ArrowDtype(kind))}),
    }  # fmt: skip


FORMS = tuple(forms_of("x", [1, 2], pa.int64()))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.float32(), pa.float64()], ids=str)
def test_a_column_of_arrow_gives_the_sample_of_a_list(form, kind):
    column = forms_of("age", AGES, kind)[form]
    expected, sample = Column.from_values(AGES, DOMAIN, seed=1), Column.from_values(column, DOMAIN, seed=1)
    assert sample.cells.tolist() == expected.cells.tolist()
    assert sample.dropped == expected.dropped == 1
    sketch, counts = GKSketch(0.1, DOMAIN, 100), BinCounts(DOMAIN, 10)
    for target in (sketch, counts):
        target.update(column)
    assert sketch.n == counts.n == 4
    assert np.array_equal(numeric_column(column), [np.nan if age is None else age for age in AGES], equal_nan=True)


@pytest.mark.parametrize("form", FORMS)
def test_ids_and_groups_of_arrow_are_those_of_lists(form):
    ids = forms_of("who", NAMES, pa.string())[form]
    people, expected = People.of(ids), People.of(NAMES)
    assert people.codes.tolist() == expected.codes.tolist()
    groups = Column.from_values(AGES, DOMAIN, groups=ids, names=["bob", "ada"], seed=2)
    listed = Column.from_values(AGES, DOMAIN, groups=NAMES, names=["bob", "ada"], seed=2)
    assert groups.sizes.tolist() == listed.sizes.tolist() == [1, 2]
    assert groups.cells.tolist() == listed.cells.tolist()


@pytest.mark.parametrize(("values", "expected"), [
    (pa.array([datetime.date(1970, 1, 3), None]), [2.0, np.nan]),
    (pa.array([datetime.datetime(1970, 1, 2, 12)], pa.timestamp("us", "UTC")), [1.5]),
    (pa.array([datetime.datetime(1970, 1, 2, 2)], pa.timestamp("us", "America/New_York")), [21 / 24]),
    (pa.array([datetime.timedelta(minutes=1)], pa.duration("ms")), [60.0]),
    (pa.array([datetime.time(1, 0, 1)]), [3601.0]), (pa.array([True, None]), [1.0, np.nan]),
    (pa.array([Decimal("1.25"), None]), [1.25, np.nan]), (pa.nulls(2), [np.nan, np.nan]),
    (pa.chunked_array([], pa.int8()), []),
], ids=lambda each: "")  # fmt: skip
def test_types_mean_what_they_mean_in_parquet(values, expected):
    assert np.array_equal(numeric_column(values), expected, equal_nan=True)


def test_a_stream_is_read_chunk_by_chunk():
    read: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, 40, 10):
            read.append(start)
            yield pa.record_batch({"x": list(range(start, start + 10))})

    schema = pa.schema({"x": pa.int64()})
    found = number_batches(Stream(pa.RecordBatchReader.from_batches(schema, batches())))
    assert next(found).tolist() == list(range(10))
    assert read == [0]
    assert [batch[0] for batch in found] == [10.0, 20.0, 30.0]


def test_what_cannot_be_read_is_refused_without_a_value():
    def failing() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"x": [1]})
        raise ValueError("4711 is no date")

    refused = {
        "text": pa.array(["4711"]), "a table": pa.table({"x": [4711], "y": [1]}),
        "structs": pa.array([{"x": 4711, "y": 1}]), "lists": pa.array([[4711]]),
        "an error": Stream(pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), failing())),
    }  # fmt: skip
    for what, values in refused.items():
        with pytest.raises(DataError) as error:
            Column.from_values(values, DOMAIN)
        assert "4711" not in str(error.value), what
        assert error.value.__cause__ is error.value.__context__ is None, what
    for read in (People.of, lambda ids: Column.from_values([1], DOMAIN, groups=ids, names=["a"])):
        with pytest.raises(DataError):
            read(pa.table({"x": [4711], "y": [1]}))
        with pytest.raises(DataError):
            read(pa.array([[4711]]))


def test_what_numpy_holds_is_read_as_before():
    whole = pd.Series([1, 2, 3])
    assert numeric_column(whole).dtype == np.int64
    with pytest.raises(DataError, match="datetime64"):
        numeric_column(pd.Series(pd.to_datetime(["2024-01-31"])))
    assert People.of(pd.Series([1, "01", None], dtype=object)).count == 2


def test_polars():
    pl = pytest.importorskip("polars", reason="polars comes with the extra [dev-all]")
    frame = pl.DataFrame({"age": AGES, "who": NAMES}).with_columns(kind=pl.col("who").cast(pl.Categorical))
    expected = Column.from_values(AGES, DOMAIN, seed=1).cells.tolist()
    assert Column.from_values(frame["age"], DOMAIN, seed=1).cells.tolist() == expected
    assert Column.from_values(frame.select("age"), DOMAIN, seed=1).cells.tolist() == expected
    for ids in (frame["who"], frame["kind"], frame.select("who")):
        assert People.of(ids).codes.tolist() == People.of(NAMES).codes.tolist()
        assert Column.from_values(AGES, DOMAIN, groups=ids, names=["ada", "bob"]).sizes.tolist() == [2, 1]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb comes with the extra [dev-all]")
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT (range % 101)::INT AS age, 'p' || range % 7 AS who FROM range(300000)")
        column = Column.from_values(relation.select("age"), DOMAIN, seed=1)
        people = People.of(relation.select("who"))
        with pytest.raises(DataError) as error:
            Column.from_values(connection.sql("SELECT ('geheim' || range)::INT FROM range(3)"), DOMAIN)
    ages = np.arange(300_000) % 101
    assert np.array_equal(column.cells, Column.from_values(ages, DOMAIN, seed=1).cells)
    assert people.count == 7
    assert "geheim" not in str(error.value)
