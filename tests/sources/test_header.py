"""The first row: a header where that is certain, else somebody says it; no cell becomes the name of what is read."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dpq_core.errors import ParameterError
from dpq_core.sources.files import find_first_layout, read_column, stream_column
from dpq_core.sources.header import has_header, public_names
from dpq_core.sources.pasted import read_pasted
from tests.sources.names import list_columns


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


PERSONS = b"Ada,36\nAlan,41\nGrace,85\n"
CALLS: list[Callable[..., object]] = [
    list_columns, find_first_layout, lambda content: read_column(content, "column 2"),
    lambda content: read_column(content, "36"), lambda content: stream_column(content, "column 2"),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_where_it_is_not_certain_it_has_to_be_said(call: Callable[..., object]) -> None:
    with pytest.raises(ParameterError, match="`header` must be given for this file") as caught:
        call(PERSONS)
    assert caught.value.name == "header"
    assert caught.value.__context__ is None
    assert not any(cell in str(caught.value) for cell in ("Ada", "36"))


@pytest.mark.parametrize("first", [b'1,"5 in\n', b"1," + b"x" * 150_000 + b"\n", b"1," + b"x" * 2_000_000 + b"\n"])
def test_rows_that_cannot_be_seen_are_not_said_to_be_none(first: bytes) -> None:
    """Behind a cell that is longer than any, such as one that a stray quote opens."""
    with pytest.raises(ParameterError, match="`header` must be given for this file"):
        read_column(b"id,note\n" + first + b"2,b\n" * 100_000, "id")


def test_a_name_that_could_be_a_value_is_found_by_it_and_never_told() -> None:
    """Even where somebody says by mistake that a person's row is the header."""
    for name in ("36", "column 2"):
        assert read_column(PERSONS, name, header=True).name == "column 2"
        assert stream_column(PERSONS, name, header=True).name == "column 2"


def test_what_was_said_holds_against_the_cells() -> None:
    assert read_column(b"2023,2024\n5,6\n", "2023", header=True).values.tolist() == [5]
    assert list_columns(b"age,b\n5,6\n", header=False) == ("column 1", "column 2")
    for wrong in ("yes", 1, np.True_):
        with pytest.raises(ParameterError, match="`header` must be true or false, got"):
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
