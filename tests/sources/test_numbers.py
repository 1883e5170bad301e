"""Text cells to numbers: what each notation reads as, and which cell is blamed when none fits."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpq_core.errors import DataError, ParameterError, Remedy
from dpq_core.frames import iso_date
from dpq_core.sources.column import Values, label_columns
from dpq_core.sources.notation import parse_fields
from dpq_core.sources.numbers import CELLS_TRIED_FIRST, MISSING, NOTATIONS, NOTHING, Ambiguous, BadField, all_values
from dpq_core.sources.reading import AS_WRITTEN, Reading


def parse(*cells: str | None, decimal: str = ".", reading: Reading = AS_WRITTEN) -> Values:
    return parse_fields(lambda: [pa.array(cells, pa.string())], decimal=decimal, reading=reading)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1", " 2.5 ", "-3", "+4", ".5", "6."], [1, 2.5, -3, 4, 0.5, 6]),
        (["1e3", "2E-2", "1.5e+2"], [1000, 0.02, 150]),
        (["3,14", "2", ",5"], [3.14, 2, 0.5]),
        (["1,234,567.89", "12"], [1234567.89, 12]),
        (["1.234.567,89", "12"], [1234567.89, 12]),
        (["1 234 567", "12"], [1234567, 12]),
        (["1\u00a0234,5", "1\u202f000", "1\u2009000"], [1234.5, 1000, 1000]),
        (["1'234.5", "1’000"], [1234.5, 1000]),
        (["−5", "–6", "- 7"], [-5, -6, -7]),
        (["(123)", "(1,234.5)"], [-123, -1234.5]),
        (["9223372036854775807", "9223372036854775808", "1" + "0" * 40], [2.0**63, 2.0**63, 1e40]),
        (["0,123", "0,456"], [0.123, 0.456]),  # no thousands start with 0
        (["1,234", "0.5"], [1234, 0.5]),
        (["1.234", "0,5"], [1234, 0.5]),
        (["1.234", "1.234.567"], [1234, 1234567]),
        (["007", "0.1"], [7, 0.1]),
    ],
)
def test_a_column_of_numbers(cells: list[str], numbers: list[float]) -> None:
    values = parse(*cells)
    assert values.numbers.tolist() == numbers
    assert (values.kind, values.unit) == ("number", "")


@pytest.mark.parametrize(
    ("cells", "decimal", "numbers"),
    [
        (["1,234"], ".", [1234]),
        (["1,234", "12,345"], ".", [1234, 12345]),
        (["1,234"], ",", [1.234]),
        (["1.234"], ".", [1.234]),
        (["1.234"], ",", [1234]),
        (["1.234", "5,67"], "", [1234, 5.67]),
        (["1.234", "0.5"], "", [1.234, 0.5]),
        (["1.234", "0.5"], ",", [1.234, 0.5]),
        (["1,234", "5,67"], ".", [1.234, 5.67]),
        (["1234", "5"], "", [1234, 5]),
    ],
)
def test_the_mark_of_the_file_decides_in_doubt_only(cells: list[str], decimal: str, numbers: list[float]) -> None:
    assert parse(*cells, decimal=decimal).numbers.tolist() == numbers


@pytest.mark.parametrize("above", [[], ["1,234"]])
@pytest.mark.parametrize(("last", "first"), [("5,67", 1.234), ("5.67", 1234)])
def test_one_cell_after_many_decides_for_all(above: list[str], last: str, first: float) -> None:
    batches = [pa.array(cells, pa.string()) for cells in (above, [*["1,234"] * (CELLS_TRIED_FIRST + 100), last])]
    assert set(parse_fields(lambda: batches).numbers.tolist()) == {first, 5.67}


def test_marks_that_can_be_read_both_ways_are_refused_where_the_file_leaves_them_open() -> None:
    for cells in (["1.234", "7"], ["1.234 €"], ["12.345 %"], ["1,234"], ["7 €", "1,234 €"], ["1,234", "1.234"]):
        with pytest.raises(Ambiguous, match="thousands or decimals") as caught:
            parse(*cells, decimal="")
        assert caught.value.remedies == (Remedy("decimal", "."), Remedy("decimal", ","))


@pytest.mark.parametrize(
    ("cells", "said", "numbers", "kind"),
    [
        (["1.234", "7"], {"decimal": "."}, [1.234, 7], "number"),
        (["1.234", "7"], {"decimal": ","}, [1234, 7], "number"),
        (["1,234 €"], {"decimal": ","}, [1.234], "money"),
        (["01/02/2024"], {"dates": "day first"}, [19754], "date"),
        (["01/02/2024"], {"dates": "month first"}, [19724], "date"),
        (["3:45", "-12:30"], {"durations": "h:mm"}, [13500, -45000], "duration"),
        (["3:45", "-12:30"], {"durations": "m:ss"}, [225, -750], "duration"),
        (["3:45.5", "75:00"], {}, [225.5, 4500], "duration"),
        (["5", "-", "–"], {"zero": ["-"]}, [5, 0, 0], "number"),
        (["5", "-", "—"], {"missing": ["-"]}, [5, math.nan, math.nan], "number"),
        (["5 €", "- €", "7 €"], {"zero": ["-"]}, [5, 0, 7], "money"),
        (["$5", "$ -   ", "$7"], {"zero": [" $ - "]}, [5, 0, 7], "money"),
        (["5", "NA", "None"], {"zero": ["NA"], "missing": ["none"]}, [5, 0, math.nan], "number"),
        (["5", "refused", "99"], {"missing": ["Refused", "99"]}, [5, math.nan, math.nan], "number"),
        (["1:00:00", "-"], {"zero": ["-"]}, [3600, 0], "duration"),
        (["5", "-99", "9999999", "NA"], {"missing_codes": [-99, 9999999]}, [5, *[math.nan] * 3], "number"),
        (["2024-01-31", "9999-12-31"], {"missing_codes": ["9999-12-31"]}, [19753, math.nan], "date"),
        (["0.12", "0.5"], {"percent": True}, [12, 50], "percent"),
        (["12 %", "50 %"], {"percent": False}, [0.12, 0.5], "number"),
        (["12", "50 %"], {"unit": "%"}, [12, 50], "percent"),
        (["12", "5 €"], {"unit": "€"}, [12, 5], "money"),
        (["12", "5"], {"unit": "€"}, [12, 5], "money"),
    ],
)  # fmt: skip
def test_what_somebody_says_decides(cells: list[str], said: dict[str, Any], numbers: list[float], kind: str) -> None:
    values = parse(*cells, decimal="", reading=Reading(**said))
    np.testing.assert_array_equal(values.numbers, numbers)
    assert values.kind == kind


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("decimal", ";"), ("dates", "year first"), ("durations", "h"), ("unit", "zloty"), ("missing", "-"),
        ("missing", [1]), ("zero", 0), ("missing_codes", "x"), ("missing_codes", ["x"]), ("missing_codes", [math.nan]),
        ("missing_codes", [True]), ("percent", "yes"),
    ],
)  # fmt: skip
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
    assert parse("1,5", "inf", "-INF", "Infinity", "1e999").numbers.tolist() == [
        1.5,
        math.inf,
        -math.inf,
        *2 * [math.inf],
    ]
    assert parse("NA", "", None).kind == "number"
    for nothing in NOTHING:
        with pytest.raises(Ambiguous, match="zero or a missing value") as caught:
            parse("1", nothing.upper())
        assert caught.value.remedies == (Remedy("zero", nothing), Remedy("missing", nothing))
    assert len(parse().numbers) == 0


@pytest.mark.parametrize(
    ("cells", "numbers", "kind", "unit"),
    [
        (["€5", "€ 1,234.50", "-€2", "7 EUR", "eur 8"], [5, 1234.5, -2, 7, 8], "money", "€"),
        (["1.234,50 €", "2 €", "NA"], [1234.5, 2, math.nan], "money", "€"),
        (["$5", "US$6", "($7.00)", "8 USD"], [5, 6, -7, 8], "money", "$"),
        (["£5"], [5], "money", "£"),
        (["¥500", "JPY 600"], [500, 600], "money", "¥"),
        (["12%", "-3.5 %"], [12, -3.5], "percent", "%"),
    ],
)
def test_a_unit_is_stripped_when_the_whole_column_has_it(
    cells: list[str], numbers: list[float], kind: str, unit: str
) -> None:
    values = parse(*cells)
    np.testing.assert_array_equal(values.numbers, numbers)
    assert (values.kind, values.unit) == (kind, unit)


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["1970-01-01", "1970-01-02", "1969-12-31"], [0, 1, -1]),
        (["2024-02-29", "2024/03/01"][:1], [19782]),
        (["2024/1/31", None], [19753, math.nan]),
        (["31.01.2024", "1.2.2024"], [19753, 19754]),
        (["31/01/2024", "01/02/2024"], [19753, 19754]),
        (["02/01/2024", "01/31/2024"], [19754, 19753]),
        (["31-01-2024"], [19753]),
        (["2024-01-31T12:00", "2024-01-31 18:00:00.000"], [19753.5, 19753.75]),
        (["2024-01-31T12:00:00Z", "2024-01-31T18:00:00+06:00"], [19753.5, 19753.75]),
        (["31.01.2024 06:00"], [19753.25]),
        (
            ["2024-01-31 23:30-05:00", "2024-02-01 00:00-0500", "2024-01-31 12:00+14"],
            [19753 + 23.5 / 24, 19754, 19753.5],
        ),
    ],
)
def test_dates_are_days_since_1970(cells: list[str | None], days: list[float]) -> None:
    values = parse(*cells)
    np.testing.assert_allclose(values.numbers, days, rtol=0, atol=1e-9)
    assert (values.kind, values.unit) == ("date", "date")


@given(
    st.dates(), st.sampled_from(["{0:04}-{1:02}-{2:02}", "{0:04}/{1}/{2}", "{2:02}.{1:02}.{0:04}", "{2}.{1}.{0:04}"])
)
@settings(max_examples=50, deadline=None)
def test_a_date_comes_back(day: dt.date, style: str) -> None:
    text = style.format(day.year, day.month, day.day)
    assert iso_date(parse(text).numbers[0]) == day.isoformat()


def test_dates_that_can_be_read_both_ways_ask_for_iso_dates() -> None:
    with pytest.raises(Ambiguous):
        parse("01/02/2024", "03/04/2024")


@pytest.mark.parametrize(
    ("good", "bad"), [("2023-02-01", "2023-02-29"), ("01.04.2024", "31.04.2024"), ("13/02/2024", "30/02/2024")]
)
def test_a_date_that_does_not_exist_is_named(good: str, bad: str) -> None:
    with pytest.raises(BadField, match="does not exist") as caught:
        parse_fields(lambda: [pa.array(["", good]), pa.array([None, bad])])
    assert caught.value.index == 3


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        (["01:30:00", "0:00:01.5", "-0:01:00", "30:00:00"], [5400, 1.5, -60, 108000]),
        (["0 days 00:00:01", "2 days 01:00:00", "1 day, 0:00:00"], [1, 176400, 86400]),
    ],
)
def test_durations_are_seconds(cells: list[str], seconds: list[float]) -> None:
    values = parse(*cells)
    assert values.numbers.tolist() == seconds
    assert (values.kind, values.unit) == ("duration", "seconds")


@pytest.mark.parametrize(
    ("cells", "index", "problem"),
    [
        (["12 kg"], 0, "not a number"),
        (["1", "", "12 kg", "x"], 2, "not a number"),
        (["€5", "€6", "7"], 2, "differently"),
        (["7", "€5"], 1, "differently"),
        (["$5", "€5"], 1, "differently"),
        (["5%", "5"], 1, "differently"),
        (["1.5", "2.5", "3,5"], 2, "differently"),
        (["1,5", "2.5"], 1, "differently"),
        (["01/31/2024", "31/01/2024"], 1, "differently"),
        (["2024-01-31", "7"], 1, "differently"),
        (["1:30", "0:01:30"], 1, "differently"),
        (["1", "0x10"], 1, "not a number"),
        (["1", "1_000"], 1, "not a number"),
        (["1", "nan(3)"], 1, "not a number"),
        (["1", "-nan"], 1, "not a number"),
        (["12,34,56"], 0, "not a number"),
        (["1", "1 2"], 1, "not a number"),
        (["--5"], 0, "not a number"),
        (["2024-13-01"], 0, "not a number"),
        (["1/2"], 0, "not a number"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_the_bad_cell_is_named_in_whatever_chunks_it_comes(
    cells: list[str], index: int, problem: str, size: int
) -> None:
    def chunks() -> list[pa.Array]:
        return [pa.array(cells[k : k + size], pa.string()) for k in range(0, len(cells), size)]

    with pytest.raises(BadField, match=problem) as caught:
        parse_fields(chunks)
    assert caught.value.index == index
    assert cells[index] not in str(caught.value)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(DataError, match="bytes that are not UTF-8"):
        parse_fields(lambda: [pa.array([b"5", b"6 \x80"], pa.binary())])


def test_no_two_notations_share_a_pattern() -> None:
    patterns = [notation.pattern for notation in NOTATIONS]
    assert len(set(patterns)) == len(patterns)


def test_a_first_row_of_values_is_no_header() -> None:
    assert all_values(["1", "2,5", "", "2024-01-31", "5 €"])
    assert not all_values(["age"])
    assert not all_values(["1", "name"])
    assert not all_values(["", ""])


def test_labels_are_unique_and_never_empty() -> None:
    assert label_columns(["age", "age", "", "age (2)", " a \n b "]) == (
        "age (1)",
        "age (3)",
        "column 3",
        "age (2)",
        "a b",
    )
    assert label_columns(["", "column 1", "x"])[:2] == ("column 1 (1)", "column 1 (2)")
    assert label_columns(["a", "a (1)", "a"]) == ("a (2)", "a (1)", "a (3)")


NUMBERS = st.decimals(min_value=-(10**9), max_value=10**9, places=2)
GROUPS = {".": [",", "'", " ", "\u202f"], ",": [".", "'", " ", "\u00a0"]}


@given(st.lists(NUMBERS, min_size=1, max_size=20), st.sampled_from(".,"), st.data())
@settings(max_examples=100, deadline=None)
def test_grouped_numbers_come_back_in_either_decimal_mark(
    numbers: list[Decimal], decimal: str, data: st.DataObject
) -> None:
    group = data.draw(st.sampled_from(GROUPS[decimal]))
    cells = [f"{number:,.2f}".replace(",", "_").replace(".", decimal).replace("_", group) for number in numbers]
    assert parse(*cells).numbers.tolist() == [float(number) for number in numbers]
