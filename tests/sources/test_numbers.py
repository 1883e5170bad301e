"""Text cells to numbers: what each notation reads as, and which cell is blamed when none fits."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dpq_core.errors import DataError, ParameterError, Remedy
from dpq_core.sources.column import Values, label_columns
from dpq_core.sources.notation import TextColumn, parse_fields
from dpq_core.sources.numbers import CELLS_TRIED_FIRST
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.texts import MISSING, ZERO_OR_MISSING


def parse(*cells: str | None, decimal: str = ".", reading: Reading = AS_WRITTEN) -> Values:
    return parse_fields(pa.array(cells, pa.string()), decimal=decimal, reading=reading)


@pytest.mark.parametrize(("cells", "decimal", "numbers"), [
    (["1,234"], ".", [1234]), (["1,234", "12,345"], ".", [1234, 12345]), (["1,234"], ",", [1.234]),
    (["1.234"], ".", [1.234]), (["1.234"], ",", [1234]), (["1.234", "5,67"], "", [1234, 5.67]),
    (["1.234", "0.5"], "", [1.234, 0.5]), (["1.234", "0.5"], ",", [1.234, 0.5]),
    (["1,234", "5,67"], ".", [1.234, 5.67]), (["1234", "5"], "", [1234, 5]),
])  # fmt: skip
def test_the_mark_of_the_file_decides_in_doubt_only(cells: list[str], decimal: str, numbers: list[float]) -> None:
    assert parse(*cells, decimal=decimal).numbers.tolist() == numbers


@pytest.mark.parametrize("above", [[], ["1,234"]])
@pytest.mark.parametrize(("last", "first"), [("5,67", 1.234), ("5.67", 1234)])
def test_one_cell_after_many_decides_for_all(above: list[str], last: str, first: float) -> None:
    batches = [pa.array(cells, pa.string()) for cells in (above, [*["1,234"] * (CELLS_TRIED_FIRST + 100), last])]
    column = TextColumn(lambda: batches)
    assert {each for batch in batches for each in column.numbers(batch).tolist()} == {first, 5.67}


def test_marks_that_can_be_read_both_ways_are_refused_where_the_file_leaves_them_open() -> None:
    for cells in (["1.234", "7"], ["1.234 €"], ["12.345 %"], ["1,234"], ["7 €", "1,234 €"], ["1,234", "1.234"]):
        with pytest.raises(DataError, match="thousands or decimals") as caught:
            parse(*cells, decimal="")
        assert caught.value.remedies == (Remedy("decimal", "."), Remedy("decimal", ","))


@pytest.mark.parametrize(("name", "value"), [
    ("decimal", ";"), ("dates", "year first"), ("durations", "h"), ("unit", "zloty"), ("missing", "-"),
    ("missing", [1]), ("zero", 0), ("missing_codes", "x"), ("missing_codes", ["x"]), ("missing_codes", [math.nan]),
    ("missing_codes", [True]), ("percent", "yes"),
])  # fmt: skip
def test_what_cannot_be_said_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        Reading(**{name: value})
    assert caught.value.name == name


def test_what_is_said_fits_the_column() -> None:
    for cells, codes in ((["5"], ["9999-12-31"]), (["2024-01-31"], [99])):
        with pytest.raises(ParameterError, match="missing_codes"):
            parse(*cells, reading=Reading(missing_codes=tuple(codes)))
    with pytest.raises(DataError, match="no text can mean zero"):
        parse("2024-01-31", "-", reading=Reading(zero=("-",)))
    assert math.isnan(parse("2024-01-31", "-").numbers[1]), "a date is never zero"


def test_words_for_missing_become_nan_and_infinities_stay() -> None:
    spellings = [spell(word) for word in MISSING for spell in (str, str.upper, str.title)]
    assert np.isnan(parse("1", None, *spellings).numbers[1:]).all()
    assert parse("1,5", "inf", "-INF", "Infinity").numbers.tolist() == [1.5, math.inf, -math.inf, math.inf]
    assert parse("NA", "", None).kind == "number"
    for nothing in ZERO_OR_MISSING:
        with pytest.raises(DataError, match="zero or a missing value") as caught:
            parse("1", nothing.upper())
        assert caught.value.remedies == (Remedy("zero", nothing), Remedy("missing", nothing))
    assert len(parse().numbers) == 0


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(DataError, match="bytes that are not UTF-8"):
        parse_fields(pa.array([b"5", b"6 \x80"], pa.binary()))


def test_labels_are_unique_and_never_empty() -> None:
    assert label_columns(["age", "age", "", "age (2)", " a \n b "]) == (
        "age (1)", "age (3)", "column 3", "age (2)", "a b",
    )  # fmt: skip
    assert label_columns(["", "column 1", "x"])[:2] == ("column 1 (1)", "column 1 (2)")
    assert label_columns(["a", "a (1)", "a"]) == ("a (2)", "a (1)", "a (3)")
