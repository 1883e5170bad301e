"""Columns of ids and of groups, read beside a column of values: no id is kept, and no name but those of a list."""

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from dpq_core import Column, Domain
from dpq_core.errors import DataError, ParameterError
from dpq_core.groups.names import GroupColumn
from dpq_core.sources import parquet as parquet_module
from dpq_core.sources.column import NumberColumn
from dpq_core.sources.files import find_layout, read_column, read_groups, read_people, read_rows
from dpq_core.sources.header import likely_person
from dpq_core.sources.text import delimited
from tests.sources.made import parquet

CSV = b"visit,patient,department,minutes\n1,QX81, north ,5\n2,b,south,7\n3,QX81,north,9\n4,,,1\n\n6,B,07,2\n"


@pytest.mark.parametrize("block", [16, 1 << 22])
def test_rows_stand_beside_those_of_the_other_column(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In however many batches they come."""
    monkeypatch.setattr(delimited, "BLOCK", block)
    content = b"at,v\n" + b"".join(b"G%d,%d\n" % (k % 7, k) for k in range(60)) + b"\n\n"
    values, people, groups = read_column(content, "v"), read_people(content, "at"), read_groups(content, "at")
    assert [groups.found[code] for code in groups.codes] == [f"G{int(value) % 7}" for value in values.values]
    assert people.codes.tolist() == [int(value) % 7 for value in values.values]
    assert people.count == 7


def test_two_columns_are_read_and_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []

    def opened_parquet(*arguments: Any) -> Any:
        found = open_parquet(*arguments)

        def batches(*parts: Any, column_indices: list[int], **settings: Any) -> Any:
            read.extend(column_indices)
            return found.reader.iter_batches(*parts, column_indices=column_indices, **settings)

        facts = {name: getattr(found, name) for name in ("schema_arrow", "metadata", "num_row_groups")}
        return SimpleNamespace(**facts, reader=SimpleNamespace(iter_batches=batches))

    def opened(*arguments: Any, convert_options: pyarrow.csv.ConvertOptions, **settings: Any) -> Any:
        read.extend(convert_options.include_columns)
        return open_csv(*arguments, convert_options=convert_options, **settings)

    open_parquet, open_csv = parquet_module.open_parquet, pyarrow.csv.open_csv
    monkeypatch.setattr(parquet_module, "open_parquet", opened_parquet)
    monkeypatch.setattr(pyarrow.csv, "open_csv", opened)
    content = parquet({"a": pa.array([1, 2]), "b": pa.array(["x", "y"]), "c": pa.array([3, 4]), "d": pa.array([5, 6])})
    layout = find_layout(content)
    (column,), people, _ = read_rows(content, ["c"], layout, "b")
    assert isinstance(column, NumberColumn)
    assert (column.values.tolist(), people.codes.tolist() if people else None) == ([3, 4], [0, 1])
    assert set(read) == {1, 2}
    read.clear()
    read_rows(CSV, ["minutes"], find_layout(CSV), "patient")
    assert set(read) == {"c1", "c3"}


def test_a_column_that_is_not_there_and_one_of_no_use_are_refused() -> None:
    for read in (read_people, read_groups):
        with pytest.raises(ParameterError, match="must be one of the column names"):
            read(CSV, "customer")
        with pytest.raises(DataError, match="holds values of the type"):
            read(parquet({"at": pa.array([[1], [2]])}), "at")


@pytest.mark.parametrize(("names", "likely"), [
    (["visit_id", "PatientID", "age"], "PatientID"), (["id", "customer", "age"], "customer"), (["ID", "age"], "ID"),
    (["hhid", "size", "household_income"], "hhid"), (["Alter", "Kundennummer", "Datum"], "Kundennummer"),
    (["order_id", "visitId", "age"], ""), (["paid", "idea", "width"], ""),
])  # fmt: skip
def test_a_column_of_persons_is_known_by_its_name(names: list[str], likely: str) -> None:
    assert likely_person(names) == likely


def test_no_id_and_no_name_but_those_of_the_list_leaves_the_child() -> None:
    """And a typed number finds what the file holds as text."""
    names: list[str | int] = ["south ", 7, "07"]
    told: list[float] = []
    (column,), people, (groups,) = read_rows(
        CSV, ["minutes"], find_layout(CSV), "patient", {"department": names}, progress=told.append
    )
    assert isinstance(column, NumberColumn)
    assert people is not None
    assert column.rows == people.codes.size == groups.codes.size == 6
    assert people.codes.tolist() == [0, 1, 0, -1, -1, 2]
    assert groups.codes.tolist() == [-1, 0, -1, -1, -1, 2]
    assert groups.found == tuple(names)
    assert b"QX81" not in pickle.dumps(people)
    assert not [name for name, part in vars(people).items() if "QX81" in repr(part)]
    assert b"north" not in pickle.dumps(groups)
    assert "south" not in repr(groups)
    assert told == sorted(told)


@pytest.mark.parametrize("listed", [False, True])
def test_groups_are_made_of_it(listed: bool) -> None:
    names = ["south", "north", "west"]
    column = read_groups(CSV, "department", names=names if listed else None)
    groups = Column.from_values(
        read_column(CSV, "minutes").values, Domain(0, 10), groups=column, names=names, other="elsewhere"
    )
    assert groups.names == ("south", "north", "west", "elsewhere")
    assert groups.sizes.tolist() == [1, 2, 0, 2]  # of those without a group, one has no value


def test_found_groups_are_those_of_its_rows() -> None:
    column = GroupColumn(np.array([0, 2, -1, 2, 3], np.int32), ("b", "nobody", " a", "a", ""))
    groups = Column.from_values([1, 2, 3, 4, 5], Domain(0, 10), groups=column, names=None)
    assert groups.names == ("a", "b")
    assert groups.sizes.tolist() == [3, 1]


def test_ids_of_digits_and_of_letters_are_told_apart_by_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of whole numbers are compared as numbers, until one has another id."""
    monkeypatch.setattr(delimited, "BLOCK", 64)
    ids = [*map(str, range(40)), "007", "7", "NA", "0", "-7", "", "7.0", "1" * 20, "x", "7"]
    people = read_people("\n".join(["id,v", *(f"{each},1" for each in ids), ""]).encode(), "id")
    same = [None if each in ("NA", "") else "7" if each == "7.0" else each for each in ids]
    codes = {each: code for each, code in zip(same, people.codes.tolist(), strict=True)}
    assert [codes[each] for each in same] == people.codes.tolist()
    assert len({code for each, code in codes.items() if each}) == len(set(same) - {None}) == people.count
    assert codes[None] == -1
