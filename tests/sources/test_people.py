"""The column of ids: persons behind rows, in every format, with no other column read and no id kept."""

from __future__ import annotations

import io
import pickle
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

from dpq_core.errors import DataError, ParameterError
from dpq_core.jobs.untrusted_files import table_of
from dpq_core.people import People
from dpq_core.sources import text
from dpq_core.sources.files import read_column
from dpq_core.sources.parquet import column as parquet_module
from dpq_core.sources.people import likely_person, read_people
from tests.sources.test_files import excel, parquet

CSV = b"visit,patient,minutes\n1, a ,5\n2,b,7\n3,a,9\n4,,1\n\n6,B,2\n"


def same(people: People, ids: list[object]) -> bool:
    """Whether two rows share a person where they share one of these ids, None being nobody's."""
    codes = people.codes.tolist()
    alike = [[one is not None and one == other for other in ids] for one in ids]
    return alike == [[one >= 0 and one == other for other in codes] for one in codes]


def test_a_text_file() -> None:
    assert same(read_people(CSV, "patient"), ["a", "b", "a", None, None, "B"])


@pytest.mark.parametrize("block", [16, 1 << 22])
def test_rows_stand_beside_those_of_the_other_column(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In however many batches they come."""
    monkeypatch.setattr(text.delimited, "BLOCK", block)
    rows = [(k % 7, k) for k in range(60)]
    content = b"patient,minutes\n" + b"".join(b"P%d,%d\n" % row for row in rows) + b"\n\n"
    people, values = read_people(content, "patient"), read_column(content, "minutes").values
    assert same(people, [int(value) % 7 for value in values])
    assert people.count == 7


@pytest.mark.parametrize(
    ("cells", "ids"),
    [
        (pa.array([2**60, 2**60 + 1, None, 2**60]), [1, 2, None, 1]),
        (pa.array([0.0, -0.0, float("nan"), 1.5]), [0, 0, None, 1.5]),
        (pa.array(["a", " a", "", "A"]), ["a", "a", None, "A"]),
        (pa.array(["a", " a", "a", None]).dictionary_encode(), ["a", "a", "a", None]),
        (pa.array(["x" * 500 + "1", "x" * 500 + "2"]), [1, 2]),
        (pa.array([1, None, 1], pa.date32()), [1, None, 1]),
    ],
    ids=["large numbers", "floats", "texts", "a dictionary", "long texts", "dates"],
)
def test_a_parquet_file_compares_as_it_holds_them(cells: pa.Array, ids: list[object]) -> None:
    content = parquet(patient=cells, many=pa.array(range(len(cells))))
    if len(cells) == 2:  # a long text alone would be refused as no column of ids
        content = parquet(patient=pa.concat_arrays([cells, pa.array(["y"] * 8)]), many=pa.array(range(10)))
        ids = [*ids, *["y"] * 8]
    assert same(read_people(content, "patient"), ids)


def test_a_sheet() -> None:
    content = excel([["patient", "minutes"], ["a ", 1], [7, 2], ["7", 3], ["a", 4], ["", 5]])
    assert same(read_people(content, "patient"), ["a", 7, 7, "a", None])


def test_two_columns_are_read_and_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []

    def opened_parquet(*arguments: Any) -> Any:
        found, unknown = open_parquet(*arguments)

        def batches(*parts: Any, column_indices: list[int], **settings: Any) -> Any:
            read.extend(column_indices)
            return found.reader.iter_batches(*parts, column_indices=column_indices, **settings)

        facts = {name: getattr(found, name) for name in ("schema_arrow", "metadata", "num_row_groups")}
        return SimpleNamespace(**facts, reader=SimpleNamespace(iter_batches=batches)), unknown

    def opened(*arguments: Any, convert_options: pyarrow.csv.ConvertOptions, **settings: Any) -> Any:
        read.extend(convert_options.include_columns)
        return open_csv(*arguments, convert_options=convert_options, **settings)

    open_parquet, open_csv = parquet_module.open_parquet, pyarrow.csv.open_csv
    monkeypatch.setattr(parquet_module, "open_parquet", opened_parquet)
    monkeypatch.setattr(pyarrow.csv, "open_csv", opened)
    content = parquet(a=pa.array([1, 2]), b=pa.array(["x", "y"]), c=pa.array([3, 4]), d=pa.array([5, 6]))
    column, people = table_of(io.BytesIO(content), "c", "b", None, progress=lambda share: None)
    assert (column.values.tolist(), people.codes.tolist() if people else None) == ([3, 4], [0, 1])
    assert set(read) == {1, 2}
    read.clear()
    table_of(io.BytesIO(CSV), "minutes", "patient", None, progress=lambda share: None)
    assert set(read) == {"c1", "c2"}


def test_what_cannot_be_read_is_a_sentence_without_an_id() -> None:
    with pytest.raises(ParameterError, match="must be one of the column names"):
        read_people(CSV, "customer")
    with pytest.raises(DataError, match="holds values of the type"):
        read_people(parquet(patient=pa.array([[1], [2]])), "patient")


def test_progress_rises_over_both_columns() -> None:
    told: list[float] = []
    table_of(io.BytesIO(CSV), "minutes", "patient", None, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1


@pytest.mark.parametrize(
    ("names", "likely"),
    [
        (["visit_id", "PatientID", "age"], "PatientID"),
        (["id", "customer", "age"], "customer"),
        (["ID", "age"], "ID"),
        (["Alter", "Kundennummer", "Datum"], "Kundennummer"),
        (["order_id", "visitId", "age"], ""),
        (["paid", "idea", "width"], ""),
    ],
)
def test_a_column_of_persons_is_known_by_its_name(names: list[str], likely: str) -> None:
    assert likely_person(names) == likely


def test_no_id_is_kept() -> None:
    people = read_people(CSV.replace(b" a ", b"QX81").replace(b",a,", b",QX81,"), "patient")
    assert same(people, ["QX81", "b", "QX81", None, None, "B"])
    assert b"QX81" not in pickle.dumps(people)
    assert not [name for name, part in vars(people).items() if "QX81" in repr(part)]
