"""How a column was read, in one sentence: the notation of every kind, in invented examples, and no cell."""

import io
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from dpq_core.sources.files import read_column
from dpq_core.sources.forms import as_dict, describe, in_python
from dpq_core.sources.pasted import read_pasted
from dpq_core.sources.reading import AS_WRITTEN, Reading

USUAL = "missing: blank cells, and texts such as NA, null or ?"
POINT = "point as decimal mark, comma between thousands (so 45,000.5 would be forty-five thousand and a half)"
COMMA = "comma as decimal mark, point between thousands (so 45.000,5 would be forty-five thousand and a half)"
DAY_FIRST = "dates, day before month (so 03/04/2024 would be 3 April 2024), time zones passed over"
MONTH_FIRST = "dates, month before day (so 03/04/2024 would be 4 March 2024), time zones passed over"


def sentence(cells, separator="\t", reading=AS_WRITTEN):
    rows = "".join(f"{cell}{separator}x\n" for cell in cells)
    content = f"it{separator}other\n{rows}".encode()
    said = describe(read_column(content, "it", header=True, reading=reading))
    assert said.startswith("it: ")
    assert ("bounds and answers are in" in said) == said.startswith(("it: percentages", "it: durations"))
    return re.sub("; bounds and answers are in (%|seconds)", "", said).removeprefix("it: ").removesuffix(f"; {USUAL}")


@pytest.mark.parametrize(("cells", "found"), [
    (["17", "23"], f"numbers, {POINT}"), (["17.5", "23"], f"numbers, {POINT}"), (["17,5", "23"], f"numbers, {COMMA}"),
    (["1.117,5", "23"], f"numbers, {COMMA}"), (["1,117.5", "23"], f"numbers, {POINT}"),
    (["17 €", "2,50 €"], f"amounts in €, {COMMA.replace('5 would', '5 € would')}"),
    (["17.5 %"], f"percentages, {POINT.replace('5 would', '5 % would')}"),
    (["2021-11-17"], "dates (so 2024-03-04 would be 4 March 2024), time zones passed over"),
    (["2021-11-17T10:00+02:00"], "dates (so 2024-03-04 would be 4 March 2024), time zones passed over"),
    (["17.11.2021"], DAY_FIRST), (["17/11/2021", "1/2/2021"], DAY_FIRST), (["11/17/2021"], MONTH_FIRST),
    (["2:22:30"], "durations, hours:minutes:seconds (so 1:30:00 would be an hour and a half)"),
    (["2:22.5"], "durations, minutes:seconds (so 3:45 would be three minutes and three quarters)"),
])  # fmt: skip
def test_the_notation_that_the_cells_decide(cells, found):
    assert sentence(cells) == found


@pytest.mark.parametrize(("cells", "reading", "found"), [
    (["1.117", "2.222"], Reading(decimal=","), f"numbers, {COMMA}"),
    (["1.117", "2.222"], Reading(decimal="."), f"numbers, {POINT}"),
    (["1/2/2021"], Reading(dates="day first"), DAY_FIRST), (["1/2/2021"], Reading(dates="month first"), MONTH_FIRST),
    (["2:22"], Reading(durations="h:mm"), "durations, hours:minutes (so 3:45 would be three hours and three quarters)"),
    (["2:22"], Reading(durations="m:ss"),
    "durations, minutes:seconds (so 3:45 would be three minutes and three quarters)"),
    (["17", "-"], Reading(zero=("-",)), f'numbers, {POINT}; zero: "-"'),
    (["17"], Reading(unit="€"),
    f"amounts in €, {POINT.replace('5 would', '5 € would')}; numbers without a unit are in €"),
    (["0.17"], Reading(percent=True),
    f"percentages, {POINT.replace('5 would', '5 % would')}; numbers without a sign are shares of one, so that "
    "0.125 would be 12.5 %"),
    (["17 %"], Reading(percent=False),
    f"numbers, {POINT}; percentages are shares of one, so that 12.5 % would be 0.125"),
    (["17", "gone"], Reading(missing=("gone", "lost",)), f'numbers, {POINT}; {USUAL}, and "gone" and "lost"'),
    (["17"], Reading(missing_codes=(-99, 9_999_999, .5,)), f"numbers, {POINT}; {USUAL}, and -99, 9999999 and 0.5"),
])  # fmt: skip
def test_what_was_said_is_in_the_sentence(cells, reading, found):
    assert sentence(cells, reading=reading) == found


def test_the_mark_of_the_file_is_that_of_whole_numbers_too():
    content = b"it;pay\n17;1.234,50 EUR\n23;2.234,50 EUR\n"
    assert COMMA in describe(read_column(content, "it"))


@pytest.mark.parametrize("cells", [["17", "23"], ["17.5", "NA", "23.25"], ["3117", "99", ""], ["1,117.5"]])
def test_columns_of_one_notation_have_one_sentence(cells):
    """Neither digits, nor how many there are, nor which texts for missing occurred can be seen in it."""
    assert sentence(cells) == f"numbers, {POINT}"


def test_typed_cells_have_no_mark():
    buffer = io.BytesIO()
    pq.write_table(pa.table({"it": [17.5, 2.0]}), buffer)
    assert describe(read_column(buffer.getvalue(), "it")) == f"it: numbers, by the types of the cells; {USUAL}"
    book = Workbook()
    for row in (["it", "text"], [17, "17,5"], [2, "2,25"]):
        book.active.append(row)
    book.save(buffer := io.BytesIO())
    assert describe(read_column(buffer.getvalue(), "it")) == f"it: numbers, by the types of the cells; {USUAL}"
    assert describe(read_column(buffer.getvalue(), "text")) == f"text: numbers, {COMMA}; {USUAL}"


def test_pasted_values_say_it_too():
    assert describe(read_pasted("17.5\n23")) == f"pasted: numbers, {POINT}; {USUAL}"


EVERYTHING = Reading(
    decimal=",", dates="day first", durations="m:ss", missing=("gone",), zero=("-",), percent=False, unit="€",
    missing_codes=(-99, "9999-12-31",),
)  # fmt: skip


@pytest.mark.parametrize("reading", [AS_WRITTEN, EVERYTHING, Reading(percent=True), Reading(missing_codes=("inf",))])
def test_a_reading_comes_back_from_python(reading):
    assert Reading(**json.loads(json.dumps(as_dict(reading), allow_nan=False))) == reading
    assert eval(in_python(reading), {"Reading": Reading}) == reading
