"""People: ids of any type, compared exactly, and gone once they are codes."""

import logging
import pickle
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Column, DataError, Domain, People
from dpq_core.people.identity import NO_ID

SECRET = "Ada Lovelace, 10 December 1815"
ANY_ID = st.one_of(
    st.integers(), st.floats(), st.text(max_size=3), st.none(), st.booleans(), st.decimals(allow_nan=False)
)

WHOLE = re.compile(r"0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)[.]0+").fullmatch
"""Of the text of a whole number, which is that number."""


def partition(codes):
    """Which rows share a person; rows of nobody are alone."""
    return [[other == code and code >= 0 for other in codes] for code in codes]


def same(one, other):
    one, other = (each.strip() if isinstance(each, str) else each for each in (one, other))
    one, other = (int(float(each)) if isinstance(each, str) and WHOLE(each) else each for each in (one, other))
    return one == other and (one.lower() not in ("", *NO_ID) if isinstance(one, str) else one is not None)


@given(st.lists(ANY_ID, max_size=12))
def test_rows_share_a_person_where_python_says_that_ids_are_equal(ids):
    codes = People.of(ids).codes.tolist()
    assert partition(codes) == [[same(one, other) for other in ids] for one in ids]


@given(st.lists(st.integers(0, 2**64 - 1), max_size=12), st.sampled_from([np.int64, np.uint64, np.int16, object]))
def test_integers_are_compared_exactly_in_every_type(ids, dtype):
    numbers = [each >> 48 if dtype is np.int16 else each for each in ids]
    column = np.array(numbers, object if dtype is object else np.uint64).astype(dtype)
    people = People.of(column)
    assert partition(people.codes.tolist()) == [[one == other for other in column] for one in column.tolist()]
    assert people.count == len(set(column.tolist()))


@pytest.mark.parametrize(("ids", "rows_of_persons"), [
    ([2**53, 2**53 + 1, 2**53], [[0, 2], [1]]), (np.array([2**60, 2**60 + 1, -(2**62)]), [[0], [1], [2]]),
    ([1, 1.0, "1", " 1 ", Decimal(1), "01"], [[0, 1, 2, 3, 4], [5]]),
    (np.array([1.5, 1.5, np.nan, 2.0]), [[0, 1], [3]]), (np.array([3.0, -0.0, 0.0, np.nan]), [[0], [1, 2]]),
    (np.array([0.1, 1e300, np.inf, np.inf]), [[0], [1], [2, 3]]), (np.array(["a", " a", "b", " "]), [[0, 1], [2]]),
    (np.array([b"a ", b"a"]), [[0], [1]]), (pd.Series(["x", None, "x\n"], dtype="string"), [[0, 2]]),
    (pd.Series([7, None, 7], dtype="Int64"), [[0, 2]]), (pd.Series(["u", "v", "u"], dtype="category"), [[0, 2], [1]]),
    (np.ma.masked_array([5, 5, 5], mask=[False, True, False]), [[0, 2]]),
    (np.array(["2020-01-01", "NaT", "2020-01-01"], "M8[D]"), [[0, 2]]), (np.array([True, False, True]), [[0, 2], [1]]),
    ([("a", 1), ("a", 1), None], [[0, 1]]), ([], []), ([None, np.nan, ""], []),
])  # fmt: skip
def test_ids_of_any_type(ids, rows_of_persons):
    people = People.of(ids)
    found = [np.flatnonzero(people.codes == code).tolist() for code in range(people.count)]
    assert sorted(found) == rows_of_persons
    assert people.nobodys == len(people.codes) - sum(map(len, rows_of_persons))


@pytest.mark.parametrize("ids", [["a", None, "a", None], [1, None, 1, np.nan], np.array([1.0, np.nan, 1.0, np.nan])])
def test_a_missing_id_is_somebody_only_where_it_is_said(ids):
    assert People.of(ids).codes.tolist() == [0, -1, 0, -1]
    own = People.of(ids, missing_is_person=True)
    assert (own.codes.tolist(), own.count, own.nobodys) == ([0, 1, 0, 2], 3, 0)


@pytest.mark.parametrize("ids", ["abc", 5, None, [[1, 2], [3, 4]], np.zeros((2, 2)), [["a"], ["b"]], [{}, {}]])
def test_what_is_no_column_of_ids_is_refused(ids):
    with pytest.raises(DataError, match="the ids must be"):
        People.of(ids)


def test_ids_are_neither_kept_nor_told(caplog):
    ids = [SECRET, 18151210, SECRET]
    with caplog.at_level(logging.DEBUG):
        people = People.of(ids)
        column = Column.from_values([1.0, 2.0, 3.0], Domain(0, 9, 1), people=people, per_person="last")
        with pytest.raises(DataError) as refused:
            People.of([SECRET, [SECRET]])
        with pytest.raises(DataError) as short:
            Column.from_values([1.0], Domain(0, 9, 1), people=people, per_person="last")
    said = [repr(people), str(people), repr(column), caplog.text, str(refused.value), repr(refused.value.__context__)]
    stored = pickle.dumps(people) + pickle.dumps(column) + "".join([*said, str(short.value)]).encode()
    assert set(vars(people)) == {"codes", "count", "ordered", "whose"}
    for piece in (b"Ada", b"Lovelace", b"18151210", (18151210).to_bytes(4, "little")):
        assert piece not in stored
    again = pickle.loads(pickle.dumps(people))
    assert (again.codes.tolist(), again.count) == ([0, 1, 0], 2)
    assert "2" not in repr(people)
