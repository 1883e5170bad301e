"""Names of groups in data frames match as those of files, and found ones are published as those of files."""

import datetime as dt
import enum
import io
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpq_core as dpq
from dpq_core import DataError, Domain, FindGroups
from dpq_core.errors import ParameterError
from dpq_core.sources.files import read_groups
from tests.harness import Column, names_in, usual_groups


def of_polars(values: list[Any], kind: str | None = None) -> Any:
    polars = pytest.importorskip("polars")
    return polars.Series(values, dtype=kind and getattr(polars, kind))


DAYS = [dt.date(2024, 1, 31), dt.date(2024, 2, 1)]
MOMENTS = [dt.datetime(2024, 1, 31), dt.datetime(2024, 2, 1, 9, 30)]
BERLIN = [1_706_655_600, 1_706_776_200]
MATCHING: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "whole numbers of polars": (lambda: of_polars([1, 2]), ["1", "2"]),
    "whole numbers of numpy": (lambda: np.array([1, 2], np.int16), ["1", "2.0"]),
    "large whole numbers": (lambda: np.array([2**64 - 1, 5], np.uint64), [str(2**64 - 1), "5"]),
    "texts of polars": (lambda: of_polars(["1", "2"]), [1, 2]),
    "texts as people type them": (lambda: pd.Series(["TRUE", "1.0"]), ["true", "1"]),
    "floats because of NaN": (lambda: pd.Series([1, 2, None]), ["1", 2]),
    "floats": (lambda: pd.Series([1.5, 0.1]), ["1.50", 0.1]),
    "floats of 32 bits": (lambda: np.array([0.1, 0.7], np.float32), ["0.1", 0.7]),
    "numbers that may be missing": (lambda: pd.Series([1, 2, None], dtype="Int64"), ["1", "2"]),
    "categories of numbers": (lambda: pd.Series(pd.Categorical([1, 2])), ["1", "2"]),
    "categories of polars": (lambda: of_polars(["a", "b"], "Categorical"), ["a", "b"]),
    "decimals": (lambda: pa.array([Decimal("1.50"), Decimal(2)]), ["1.5", "2"]),
    "objects": (lambda: pd.Series([1, Decimal("1.5")], dtype=object), ["1", "1.5"]),
    "dates of Python": (lambda: pd.Series(DAYS, dtype=object), ["2024-01-31", DAYS[1]]),
    "dates of polars": (lambda: of_polars(DAYS), ["2024-01-31", "2024-02-01"]),
    "moments of pandas": (lambda: pd.Series(MOMENTS), ["2024-01-31", "2024-02-01 09:30"]),
    "moments of numpy": (lambda: np.array(MOMENTS, "M8[s]"), ["2024-01-31 00:00", MOMENTS[1]]),
    "moments of a zone": (lambda: pa.array(BERLIN, pa.timestamp("s", "Europe/Berlin")),
                          ["2024-01-31", "2024-02-01 09:30"]),
    "truth values of polars": (lambda: of_polars([True, False]), ["TRUE", "false"]),
    "truth values of numpy": (lambda: np.array([True, False]), [True, False]),
    "truth values of Python": (lambda: [True, False], ["TRUE", "false"]),
    "categories without a series": (lambda: pd.Categorical([1, 2]), ["1", "2"]),
    "bytes": (lambda: np.array([b"a", b"b"]), ["a", "b"]),
    "UUIDs": (lambda: pd.Series([uuid.UUID(int=1), uuid.UUID(int=2)]), [str(uuid.UUID(int=1)), str(uuid.UUID(int=2))]),
}  # fmt: skip


@pytest.mark.parametrize("kind", MATCHING)
def test_a_list_finds_its_groups(kind: str) -> None:
    make, names = MATCHING[kind]
    column = make()
    values = np.arange(float(len(column)))
    groups = usual_groups(values, column, Domain(0, 9, 1), names=names)
    assert [groups.values_of(groups.column(at).cells).tolist() for at in (0, 1)] == [[0], [1]]
    frame = {"v": values, "g": column, "h": ["x"] * len(values)}
    table = dpq.Table.from_frame(frame, {"v": (0, 9, 1)}, by={"g": names, "h": ["x"]})["v"]
    assert isinstance(table, Column)
    assert table.sizes.tolist() == [1, 1]


REFUSED: dict[str, tuple[Any, list[Any], str]] = {
    "a word among numbers": (pa.array([1, 2]), ["north"], "whole numbers, so no row can be in north"),
    "a number with a zero before it": (np.array([1, 2]), ["01"], "whole numbers, so no row can be in 01"),
    "a fraction among whole numbers": (pd.Series([1, 2], dtype="Int64"), [1, 1.5], "no row can be in 1.5"),
    "a word among floats": (np.array([1.5]), ["1.5", "x"], "numbers, so no row can be in x"),
    "a date that does not exist": (pa.array(DAYS), ["2024-02-31"], "dates, so no row can be in 2024-02-31"),
    "a word among moments": (pd.Series(MOMENTS), ["May"], "dates and times, so no row can be in May"),
    "a number among truth values": (pa.array([True]), ["1"], "truth values, so no row can be in 1"),
    "a duration": (pa.array([dt.timedelta(1)]), ["24:00:00"], "durations, so no row can be in 24:00:00"),
    "one name twice": (np.array([1, 2]), [1, "1.0"], "different from each other among whole numbers"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_name_that_no_row_can_have_is_refused_before_a_release_and_a_simulation(kind: str) -> None:
    column, names, told = REFUSED[kind]
    with pytest.raises(ParameterError, match=told):
        usual_groups(np.ones(len(column)), column, Domain(0, 9, 1), names=names)
    frame = {"v": np.ones(len(column)), "g": column, "h": ["x"] * len(column)}
    for bounds in ((0, 9, 1), dpq.FindBounds()):
        for by in ({"g": names}, {"h": ["x"], "g": names}):
            with pytest.raises(ParameterError, match=f"`by` of 'g': the names must .*{told}"):
                dpq.Table.from_frame(frame, {"v": bounds}, by=by)


class Colour(enum.Enum):
    RED, BLUE = 1, 2


FOUND: dict[str, tuple[Any, list[Any] | None]] = {
    "dates": (pd.Series(DAYS, dtype=object), ["2024-01-31", "2024-02-01"]),
    "dates of polars": (lambda: of_polars(DAYS), ["2024-01-31", "2024-02-01"]),
    "moments": (pd.Series(MOMENTS), ["2024-01-31", "2024-02-01 09:30"]),
    "moments of a zone": (pa.array(BERLIN, pa.timestamp("s", "Europe/Berlin")), ["2024-01-31", "2024-02-01 09:30"]),
    "moments of nanoseconds": (pa.array([1, 2], pa.timestamp("ns")),
                               ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000000002"]),
    "fractions": (pd.Series([1.5, 2.0]), [2, "1.5"]),
    "fractions of 32 bits": (np.array([0.1, 2.0], np.float32), [2, "0.1"]),
    "decimals": (pd.Series([Decimal("1.50"), Decimal("1E+3")], dtype=object), [1000, "1.5"]),
    "truth values": (pa.array([True, False]), ["false", "true"]),
    "times of day": (pa.array([dt.time(9), dt.time(10, 30)], pa.time64("ns")), ["09:00:00", "10:30:00"]),
    "UUIDs": (pd.Series([uuid.UUID(int=1)]), [str(uuid.UUID(int=1))]),
    "durations": (pa.array([dt.timedelta(hours=1)]), None),
    "durations as objects": (pd.Series([dt.timedelta(hours=1)], dtype=object), None),
    "durations of numpy": (np.array([1], "m8[s]"), None),
    "bytes": (pa.array([b"a", b"b"]), ["a", "b"]),
    "truth values, of which one is missing": (pa.array([True, None, False]), ["false", "true"]),
    "truth values as objects": (pd.Series([True, None, False], dtype=object), [0, 1]),
    "enums": (pd.Series([Colour.RED, Colour.BLUE], dtype=object), None),
    "tuples": (pd.Series([(1, "x"), (2, "x")], dtype=object), None),
    "a number and its text": (pd.Series([1.5, "1.5"], dtype=object), None),
    "a date and its text": (pd.Series([DAYS[0], "2024-01-31"], dtype=object), None),
}  # fmt: skip


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", FOUND)
def test_found_groups_are_called_as_people_type_them_or_refused_before_a_release(kind: str) -> None:
    column, names = FOUND[kind]
    column = column() if callable(column) else column
    frame = {"v": np.ones(600 * len(column)), "g": _repeated(column, 600)}
    if names is None:
        with pytest.raises(DataError, match=r"groups that are found must be|groups must be one column"):
            dpq.Table.from_frame(frame, {"v": (0, 9, 1)}, by={"g": FindGroups()})
        return
    assert list(names_in(column)) == names
    found = dpq.quantiles(frame, {"v": (0, 9, 1)}, "median", epsilon=10, delta=1e-6, by={"g": FindGroups()})
    assert sorted(map(str, found.values["v"])) == sorted(map(str, names))


def _repeated(column: Any, times: int) -> Any:
    if isinstance(column, pa.Array):
        return pa.chunked_array([column] * times).combine_chunks()
    if hasattr(column, "to_arrow"):
        return pytest.importorskip("polars").concat([column] * times)
    return pd.concat([column] * times) if isinstance(column, pd.Series) else np.tile(column, times)


@pytest.mark.parametrize("kind", ["dates of polars", "moments of nanoseconds", "moments of a zone", "times of day"])
def test_a_frame_and_a_file_call_groups_alike(kind: str) -> None:
    column, file = FOUND[kind][0], io.BytesIO()
    column = column().to_arrow() if callable(column) else column
    pq.write_table(pa.table({"g": column}), file)
    found = [name.removesuffix(".000000000") for name in map(str, read_groups(file.getvalue(), "g").found)]
    assert found == list(map(str, names_in(column)))
