"""The one form in which ids are compared: whatever library made them, in whatever order, among whatever others."""

import datetime
import enum
import itertools
import uuid
from decimal import Decimal
from fractions import Fraction
from ipaddress import ip_address
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Column, DataError, People
from dpq_core.domain.domain import Domain
from dpq_core.errors import Disclosure
from dpq_core.groups.names import GroupName
from dpq_core.people.identity import identity

BIG, DAY = 2**53, datetime.date(2020, 2, 29)
NOON = datetime.datetime(2020, 2, 29, 12)
ROME = datetime.timezone(datetime.timedelta(hours=1))
AN_ID = uuid.UUID(int=7)


class Text(enum.StrEnum):
    X = "x"


class OldText(str, enum.Enum):  # noqa: UP042 (its hash is that of its name)
    X = "x"


class Number(enum.IntEnum):
    ONE = 1


class Colour(enum.Enum):
    ONE, RED = 1, 2


SAME: list[list[Any]] = [
    [1, True, 1.0, np.bool_(True), np.int8(1), np.int16(1), np.int32(1), np.int64(1), np.uint8(1), np.uint64(1),
    np.float16(1), np.float32(1), np.float64(1), np.longdouble(1), Decimal(1), Decimal("1.00"), Fraction(1),
    Number.ONE],
    [0, -0.0, False, np.float32(-0.0), Decimal("-0")],
    [BIG, float(BIG), np.float64(BIG), np.int64(BIG), np.uint64(BIG), Decimal(BIG), Fraction(BIG), np.float32(BIG)],
    [BIG + 1, np.int64(BIG + 1), np.uint64(BIG + 1), Decimal(BIG + 1), Fraction(BIG + 1)],
    [2**64, float(2**64), Decimal(2**64), np.float32(2**64)], [2**64 - 1, np.uint64(2**64 - 1), Decimal(2**64 - 1)],
    [-1, np.int8(-1), Decimal(-1), np.float16(-1)],
    [0.1, np.float64(0.1), Fraction(0.1), Decimal.from_float(0.1), np.longdouble(0.1)],
    [np.float32(0.1), float(np.float32(0.1)), Fraction(float(np.float32(0.1)))],
    [np.float16(0.1), float(np.float16(0.1))], [Decimal("0.1"), Decimal("0.10"), Fraction(1, 10)],
    [float("inf"), np.float16("inf"), np.longdouble("inf"), Decimal("Infinity")], [Decimal("1E+400")],
    ["x", " x", np.str_("x "), Text.X, OldText.X], ["01", np.str_("01")], ["X"], ["2020-02-29"],
    [b"x", np.bytes_(b"x"), bytearray(b"x"), memoryview(b"x")], [b" x ", np.bytes_(b" x ")], [b"x "],
    [DAY, datetime.datetime(2020, 2, 29), pd.Timestamp(2020, 2, 29), pd.Timestamp(2020, 2, 29).as_unit("ns"),
    *(np.datetime64("2020-02-29").astype(f"M8[{unit}]") for unit in ("D", "h", "m", "s", "ms", "us", "ns"))],
    [datetime.date(1970, 1, 1), np.datetime64(0, "Y"), np.datetime64(0, "M"), np.datetime64(0, "W"),
    np.datetime64(0, "D"), np.datetime64(0, "ps"), np.datetime64(0, "fs"), np.datetime64(0, "as"),
    np.datetime64(0, ("D", 10))],
    [datetime.date(1970, 1, 11), np.datetime64(1, ("D", 10))],
    [datetime.timedelta(days=10), np.timedelta64(1, ("D", 10))],
    [datetime.date(1900, 3, 1), np.datetime64("1900-03", "M"), np.datetime64("1900-03-01", "D")],
    [np.datetime64(10**15, "Y"), np.datetime64(12 * 10**15, "M")],
    [NOON, pd.Timestamp(NOON), np.datetime64("2020-02-29T12", "h"), np.datetime64("2020-02-29T12", "ns")],
    [NOON.replace(tzinfo=datetime.UTC), NOON.replace(hour=13, tzinfo=ROME), pd.Timestamp(NOON, tz="UTC"),
    pd.Timestamp(NOON, tz="UTC").tz_convert("Asia/Tokyo").as_unit("ns")],
    [pd.Timestamp("2020-02-29T12:00:00.000000001"), np.datetime64("2020-02-29T12:00:00.000000001")],
    [datetime.timedelta(days=1), np.timedelta64(1, "D"), np.timedelta64(24, "h"), np.timedelta64(86_400 * 10**9, "ns"),
    pd.Timedelta(days=1), pd.Timedelta(days=1).as_unit("ns")],
    [datetime.timedelta(microseconds=1), np.timedelta64(1, "us"), np.timedelta64(10**12, "as")],
    [np.timedelta64(1, "ns"), pd.Timedelta(1, "ns")], [np.timedelta64(1, "Y"), np.timedelta64(12, "M")],
    [datetime.time(12), datetime.time(12, 0)], [AN_ID, uuid.UUID(str(AN_ID))], [str(AN_ID)], [Colour.ONE], [Colour.RED],
    [ip_address("127.0.0.1")], [(1, "x"), (np.int8(1), " x "), (Decimal(1), Text.X), (True, np.str_("x"))],
    [(1, None), (1.0, float("nan")), (np.uint8(1), pd.NA)], [(DAY, 1), (np.datetime64(DAY), 1.0)], [("bytes", b"x")],
    [("moment", 0)],
]  # fmt: skip
"""A person each: ids that mean the same, as Python, numpy, pandas and their likes hand them in."""
MISSING: list[Any] = [
    None, float("nan"), np.float16("nan"), np.longdouble("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT,
    np.datetime64("NaT"), np.datetime64("NaT", "D"), np.timedelta64("NaT", "s"), "", " ", b" ", np.str_("\t"),
]  # fmt: skip
CELLS = [(cell, person) for person, cells in enumerate(SAME) for cell in cells] + [(cell, -1) for cell in MISSING]
FOREIGN: list[Any] = [[1], {}, {1}, frozenset([1]), 1j, slice(1), object(), np.timedelta64(5), (1, [2]), np.array(5),
                      pd.Interval(0, 1), pd.Period("2020")]  # fmt: skip


def partition(codes: list[int]) -> list[list[bool]]:
    """Which rows share a person; rows of nobody share nothing."""
    return [[other == code and code >= 0 for other in codes] for code in codes]


def objects(cells: list[Any]) -> Any:
    """A column of these cells as they are."""
    column = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        column[place] = cell
    return column


def test_two_cells_are_one_id_where_they_mean_the_same_in_both_orders() -> None:
    """All ordered pairs; equal identities have equal hashes."""
    found = [(identity(cell), person) for cell, person in CELLS]
    for (one, first), (other, second) in itertools.product(found, repeat=2):
        assert (one is None, other is None) == (first < 0, second < 0)
        if one is not None and other is not None:
            assert (one == other) == (first == second), (one, other)
            assert one != other or hash(one) == hash(other)


def test_pairs_of_rows_share_a_person_where_they_mean_the_same() -> None:
    """A sample of the pairs of meanings, all within one."""
    few = [cells[0] for cells in SAME]
    pairs = [*itertools.permutations(few, 2)] + [pair for cells in SAME for pair in itertools.permutations(cells, 2)]
    for pair in pairs:
        shared = identity(pair[0]) == identity(pair[1])
        codes = People.of(objects(list(pair))).codes.tolist()
        assert (codes[0] == codes[1]) is shared, pair


@given(st.lists(st.sampled_from(CELLS), max_size=14), st.randoms())
def test_who_shares_a_person_depends_on_no_order_and_on_no_other_row(rows: Any, order: Any) -> None:
    meant = [person for _, person in rows]
    ids = [cell for cell, _ in rows]
    assert partition(People.of(objects(ids)).codes.tolist()) == partition(meant)
    order.shuffle(rows)
    assert partition(People.of(objects([cell for cell, _ in rows])).codes.tolist()) == partition([p for _, p in rows])


@given(
    st.lists(st.integers(BIG - 2, BIG + 2), min_size=1, max_size=4), st.lists(st.integers(BIG - 2, BIG + 2), max_size=4)
)
def test_numbers_that_floats_cannot_tell_apart_stay_apart(whole: list[int], rounded: list[int]) -> None:
    kinds = [np.int64, np.uint64, int, Decimal]
    ids = [kinds[at % 4](number) for at, number in enumerate(whole)] + [float(number) for number in rounded]
    exact = [*whole, *(int(float(number)) for number in rounded)]
    for way in (ids, ids[::-1]):
        numbers = exact if way is ids else exact[::-1]
        assert partition(People.of(objects(way)).codes.tolist()) == partition(numbers)


@pytest.mark.parametrize("columns", [
    [*(np.array(["2020-02-29", "NaT"], f"M8[{unit}]") for unit in ("D", "s", "ns", "h")), np.array([DAY, None]),
    pa.array([DAY, None]), pa.array([DAY, None], pa.date64()),
    pd.Series([pd.Timestamp(DAY), None])],
    [pd.Series([pd.Timestamp(NOON, tz="UTC"), None]), pa.array([NOON.replace(tzinfo=datetime.UTC), None])],
    [np.array([1, "NaT"], "m8[D]"), np.array([24, "NaT"], "m8[h]"), np.array([86_400 * 10**9, "NaT"], "m8[ns]"),
    pd.Series([pd.Timedelta(days=1), None]), pa.array([datetime.timedelta(days=1), None])],
    [*(np.array([1.0, np.nan], kind) for kind in (np.float16, np.float32, np.float64, np.longdouble)),
    pd.Series([1, None], dtype="Int8"), pd.Series([True, None], dtype="boolean"),
    pa.array([1, None], pa.uint64()), pa.array([Decimal(1), None]), pd.Series([1.0, None], dtype="category")],
    [*(pd.Series(["x", None], dtype=kind) for kind in ("string", "object", "category")),
    pa.array([" x", None]), np.array(["x", ""]),
    pa.array(["x", None]).dictionary_encode(), np.ma.masked_array(["x", "y"], [False, True])],
], ids=["dates", "instants", "durations", "numbers", "texts"])  # fmt: skip
def test_columns_of_all_libraries_hold_the_same_person(columns: list[Any]) -> None:
    same_person(columns)


@pytest.mark.parametrize(("cells", "column"), [
    ([DAY, datetime.datetime(2020, 2, 29)], pa.array([DAY, None])),
    ([NOON.replace(tzinfo=datetime.UTC)], pd.Series([pd.Timestamp(NOON, tz="UTC"), None])),
    ([datetime.timedelta(days=1)], np.array([24, "NaT"], "m8[h]")),
    ([Decimal(1), 1, 1.0, True], np.array([1.0, np.nan])), (["x"], np.array(["x", ""])),
], ids=["dates", "instants", "durations", "numbers", "texts"])  # fmt: skip
def test_columns_of_polars_hold_the_same_person_as_others(cells: list[Any], column: Any) -> None:
    polars = pytest.importorskip("polars")
    words = [polars.Series(["x", None], dtype=polars.Categorical)] if "x" in cells else []
    same_person([column, *(polars.Series([cell, None]) for cell in cells), *words])


def same_person(columns: list[Any]) -> None:
    assert all(People.of(column).codes.tolist() == [0, -1] for column in columns)


def test_moments_far_away_are_told_apart() -> None:
    for unit in ("Y", "M", "W", "D", "h", "s", "as"):
        counts = [-(2**62), -1, 0, 1, 2**62]
        column = np.array(counts, np.int64).view(f"M8[{unit}]")
        assert People.of(column).codes.tolist() == [0, 1, 2, 3, 4]
    days = range(-800_000, 800_000, 997)
    months = {np.datetime64(day, "D").astype("M8[M]") for day in days if day > -719_000}
    assert all(identity(month) == identity(month.astype("M8[D]")) for month in months)


@pytest.mark.parametrize("cell", FOREIGN, ids=lambda cell: type(cell).__name__)
def test_what_has_no_one_form_is_refused_wherever_it_stands(cell: Any) -> None:
    for ids in ([cell], [1, cell], ["x", cell, "x"]):
        with pytest.raises(DataError, match="turn others into texts") as error:
            People.of(objects(ids))
        assert error.value.discloses is Disclosure.KIND
        assert error.value.__cause__ is None
        assert error.value.__suppress_context__ or error.value.__context__ is None


@given(
    st.lists(st.sampled_from([pair for pair in CELLS if pair[0] is not None]), min_size=1, max_size=10), st.randoms()
)
def test_groups_are_compared_as_ids_are(rows: Any, order: Any) -> None:
    """A row reaches the group of its own cell, whatever stands before it."""
    names: list[GroupName] = [1, BIG, BIG + 1, 0, "x", "01", 2**64]
    persons = [next(person for cell, person in CELLS if type(cell) is type(name) and cell == name) for name in names]

    def groups_of(pairs: Any) -> list[list[int]]:
        values = np.arange(float(len(pairs)))
        made = Column.from_values(
            values, Domain(0, 99, 1), groups=objects([cell for cell, _ in pairs]), names=names, seed=0
        )
        return [made.values_of(made.column(at).cells).astype(int).tolist() for at in range(len(names))]

    for _ in range(2):
        assert groups_of(rows) == [[at for at, (_, person) in enumerate(rows) if person == own] for own in persons]
        order.shuffle(rows)
