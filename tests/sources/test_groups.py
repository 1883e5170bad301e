"""The column of groups: texts in every format, and of a listed file no other name than those."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pyarrow as pa
import pytest

from dpq_core import Domain, Groups
from dpq_core.errors import DataError, ParameterError
from dpq_core.groups import GroupColumn
from dpq_core.jobs.untrusted_files import grouped_table_of
from dpq_core.sources import text
from dpq_core.sources.files import read_column
from dpq_core.sources.groups import read_groups
from tests.sources.test_files import excel, parquet

CSV = b"pay,department\n1, north \n2,south\n3,north\n4,\n\n6,07\n"


def said(groups: GroupColumn) -> list[object]:
    return [groups.found[code] if code >= 0 else None for code in groups.codes.tolist()]


def test_a_text_file() -> None:
    assert said(read_groups(CSV, "department")) == ["north", "south", "north", None, None, "07"]


@pytest.mark.parametrize("block", [16, 1 << 22])
def test_rows_stand_beside_those_of_the_other_column(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In however many batches they come."""
    monkeypatch.setattr(text.delimited, "BLOCK", block)
    content = b"at,v\n" + b"".join(b"G%d,%d\n" % (k % 7, k) for k in range(60)) + b"\n\n"
    values = read_column(content, "v").values
    assert said(read_groups(content, "at")) == [None if np.isnan(v) else f"G{int(v) % 7}" for v in values]


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (pa.array([2**60, None, 1]), [str(2**60), None, "1"]),
        (pa.array([1.0, -0.0, float("nan"), 1.5]), ["1", "0", None, "1.5"]),
        (pa.array(["a", " a", "", None]), ["a", "a", None, None]),
        (pa.array(["a", " a", "a", None]).dictionary_encode(), ["a", "a", "a", None]),
        (pa.array([0, None], pa.date32()), ["1970-01-01", None]),
    ],
    ids=["whole numbers", "floats", "texts", "a dictionary", "dates"],
)
def test_a_parquet_file(cells: pa.Array, texts: list[object]) -> None:
    assert said(read_groups(parquet(at=cells, v=pa.array(range(len(cells)))), "at")) == texts


def test_a_sheet() -> None:
    content = excel([["at", "pay"], ["a ", 1], [7, 2], ["7", 3], ["", 5]])
    assert said(read_groups(content, "at")) == ["a", "7", "7", None]


def test_no_name_but_those_of_the_list_leaves_the_child() -> None:
    """And a typed number finds what the file holds as text."""
    names: list[str | int] = ["south ", 7, "07"]
    found = grouped_table_of(CSV, "pay", "", "department", None, names=names, progress=lambda share: None)[2]
    assert found is not None
    assert found.codes.tolist() == [-1, 0, -1, -1, -1, 2]
    assert b"north" not in pickle.dumps(found)
    assert "south" not in repr(found)


@pytest.mark.parametrize("listed", [False, True])
def test_groups_are_made_of_it(listed: bool) -> None:
    names = ["south", "north", "west"]
    column = read_groups(CSV, "department", names=names if listed else None)
    values = read_column(CSV, "pay").values
    groups = Groups.from_values(values, column, Domain(0, 10), names=names, other="elsewhere")
    assert groups.names == ("south", "north", "west", "elsewhere")
    assert groups.sizes.tolist() == [1, 2, 0, 2]  # of those without a group, one has no value


def test_found_groups_are_those_of_its_rows() -> None:
    column = GroupColumn(np.array([0, 2, -1, 2, 3], np.int32), ("b", "nobody", " a", "a", ""))
    groups = Groups.from_values([1, 2, 3, 4, 5], column, Domain(0, 10), names=None)
    assert groups.names == ("a", "b")
    assert groups.sizes.tolist() == [3, 1]


def test_two_columns_and_persons_are_read_together() -> None:
    told: list[float] = []
    read = grouped_table_of(io.BytesIO(CSV), "pay", "pay", "department", None, names=["south"], progress=told.append)
    column, people, groups = read
    assert groups is not None
    assert people is not None
    assert column.rows == people.codes.size == groups.codes.size == 6
    assert groups.found == ("south",)
    assert told == sorted(told)
    assert told[-1] == 1


def test_what_cannot_be_read_is_a_sentence() -> None:
    with pytest.raises(ParameterError, match="must be one of the column names"):
        read_groups(CSV, "region")
    with pytest.raises(DataError, match="holds values of the type"):
        read_groups(parquet(at=pa.array([[1], [2]])), "at")
