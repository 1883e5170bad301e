"""The first row: a header where that is certain, else somebody says it; no cell becomes the name of what is read."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from dpq_core.errors import ParameterError
from dpq_core.sources.files import list_columns, read_column, read_pasted
from dpq_core.sources.header import has_header, public_names
from dpq_core.sources.streams.batches import find_first_layout, stream_column


@pytest.mark.parametrize(
    ("rows", "certain"),
    [
        (["age,city", "34,York", "35,Bath"], True),
        (["age", "34"], True),
        (["age", "NA", "", "34"], True),
        ([",age", "1,34"], True),
        (["Größe in cm;x", "180;a"], True),
        (["day,what", "2024-01-31,a"], True),
        (["34", "35"], False),
        (["34,", "35,2"], False),
        (["2023,2024", "5,6"], False),  # years are values
        (["34,York", "35,Bath"], None),  # a person's row
        (["id,2023,2024", "1,5,6"], None),
        (["Ada,London", "Alan,York"], None),  # nothing below is a value
        (["age", "thirty", "34"], None),
        (["age,b"], None),
        (["York,refused", "Bath,34", "Ely,35"], None),
        (["York,34 or so", "Bath,34", "Ely,35"], None),
        (["York,n/a", "Bath,34", "Ely,35"], None),
        (["York,yes,many", "Bath,no,1", "York,no,2"], None),  # York comes again
        (["age,city", "34,York", "age,city", "35,Bath"], None),
    ],
)
def test_what_is_certain(rows: list[str], certain: bool | None) -> None:
    separator = ";" if ";" in rows[0] else ","
    first, *below = [row.split(separator) for row in rows]
    assert has_header(first, below) is certain


def sheet(rows: list[list[object]]) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        page = book.add_worksheet()
        for number, row in enumerate(rows):
            page.write_row(number, 0, row)
    return file.getvalue()


PERSONS = b"Ada,36\nAlan,41\nGrace,85\n"
SHEET = sheet([["Ada", 36], ["Alan", 41], ["Grace", 85]])


CONTENTS = [PERSONS, gzip.compress(PERSONS), PERSONS.decode().encode("utf-16"), SHEET]
each_content = pytest.mark.parametrize("content", CONTENTS, ids=["plain", "packed", "utf-16", "sheet"])


@each_content
def test_where_it_is_not_certain_it_has_to_be_said(content: bytes) -> None:
    calls: list[Callable[[], object]] = [
        lambda: list_columns(content),
        lambda: find_first_layout(content),
        lambda: read_column(content, "column 2"),
        lambda: read_column(content, "36"),
        lambda: stream_column(content, "column 2"),
    ]
    for call in calls:
        with pytest.raises(ParameterError, match="`header` must be given for this file") as caught:
            call()
        assert caught.value.name == "header"
        assert caught.value.__context__ is None
        assert not any(cell in str(caught.value) for cell in ("Ada", "36"))
    assert find_first_layout(content, header=False).names == list_columns(content, header=False)
    assert list_columns(content, header=False) == ("column 1", "column 2")
    assert read_column(content, "column 2", header=False).values.tolist() == [36, 41, 85]
    stream = stream_column(content, "column 2", header=False)
    assert (stream.name, np.concatenate(list(stream)).tolist()) == ("column 2", [36, 41, 85])


@each_content
def test_a_name_that_could_be_a_value_is_found_by_it_and_never_told(content: bytes) -> None:
    """Even where somebody says by mistake that a person's row is the header."""
    assert list_columns(content, header=True) == ("Ada", "36")
    for name in ("36", "column 2"):
        assert read_column(content, name, header=True).name == "column 2"
        assert stream_column(content, name, header=True).name == "column 2"
    assert read_column(b"id,2023,2024\n1,5,6\n2,7,8\n", "2023", header=True).values.tolist() == [5, 7]


def test_what_was_said_holds_against_the_cells() -> None:
    assert list_columns(b"2023,2024\n5,6\n", header=True) == ("2023", "2024")
    assert read_column(b"2023,2024\n5,6\n", "2023", header=True).values.tolist() == [5]
    assert list_columns(b"age,b\n5,6\n", header=False) == ("column 1", "column 2")
    assert list_columns(b"A title\n\nage,b\n5,6\n", header=True) == ("age", "b")
    for wrong in ("yes", 1, np.True_):
        with pytest.raises(ParameterError, match="`header` must be True, False or None, got a"):
            list_columns(b"age,b\n5,6\n", header=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    ["36", "1,234.5", "5 %", "12 €", "(3)", "2024-01-31", "1:30", "-3e5", "NA", "?", "inf", "12 kg", "refused", "#3"],
)
def test_names_that_could_be_values(name: str) -> None:
    assert public_names(["age", name, "city"]) == ("age", "column 2", "city")


def test_all_other_names_stay_as_they_are() -> None:
    names = ("age", "Größe in cm", "Q1 2024", "x²", "# of rooms", "%", "_id", "e5", "Info", "column 9", "<b>")
    assert public_names(names) == names
    assert public_names(["column 2", "36", "column 2 (2)"]) == ("column 2", "column 2 (3)", "column 2 (2)")


def test_names_of_a_parquet_file_are_its_own_and_told_by_the_same_rule() -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"Ada": ["Alan"], "36": [41], "age": [5]}), file)
    assert list_columns(file) == list_columns(file, header=False) == ("Ada", "36", "age")
    assert [read_column(file, name).name for name in ("36", "column 2", "age")] == ["column 2", "column 2", "age"]
    assert stream_column(file, "36").name == "column 2"


def test_a_later_file_that_begins_with_the_names_of_the_first_has_a_header_too(tmp_path: Path) -> None:
    """As parts without rows, or without a value at their start, have."""
    parts = [b"age,city\n34,York\n", b"age,city\n", b"age,city\nNA,York\n,Bath\n"]
    for number, part in enumerate(parts):
        (tmp_path / f"{number}.csv").write_bytes(part)
    values = np.concatenate(list(stream_column(tmp_path, "age")))
    np.testing.assert_array_equal(values, [34, np.nan, np.nan])
    for other in (PERSONS, b"age,town\nNA,York\n"):
        with pytest.raises(ParameterError) as caught:
            stream_column([parts[0], other], "age")
        assert caught.value.name == "header"


def test_a_pasted_line_of_text_above_values_is_a_heading_and_nothing_else_is() -> None:
    for text in ("age\n34\n35", "age\n34 35\n36", "\nage\n\n34"):
        assert read_pasted(text).name == "age"
    for text in ("34\n35", "NA\n34", "?\n34", "5 kg\n34".replace(" kg", "")):
        assert read_pasted(text).name == "pasted"
