"""What a cell of a workbook says beside its number counts: its format, its range, its formula, the calendar."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import openpyxl
import pytest
import xlsxwriter

from dpq_core.errors import DataError
from dpq_core.sources.excel.formats import Format, format_of
from dpq_core.sources.files import find_layout, read_column
from dpq_core.sources.groups import read_groups
from dpq_core.sources.people import read_people
from dpq_core.sources.reading import Reading
from dpq_core.sources.repairs import read_or_offer
from tests.sources.refusals import refused

EURO, DOLLAR = "#,##0.00 [$€-407]", "[$$-409]#,##0.00"
DAY = 86_400


def sheet(*cells: Any, **options: Any) -> bytes:
    """One column "v" beside names; a cell is a value, or a value with its number format."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, options) as book:
        page = book.add_worksheet()
        page.write_row(0, 0, ["name", "v"])
        for row, cell in enumerate(cells, start=1):
            value, code = cell if isinstance(cell, tuple) else (cell, None)
            page.write(row, 0, f"p{row}")
            page.write(row, 1, value, None if code is None else book.add_format({"num_format": code}))
    return file.getvalue()


@pytest.mark.parametrize(
    ("cells", "kind", "unit", "values"),
    [
        ([(0.12, "0%"), (0.07, "0.0 %"), (0.345, 10)], "percent", "%", [12, 7, 34.5]),
        ([(0.12, "0%"), "34,5 %", None], "percent", "%", [12, 34.5, np.nan]),
        ([(1200, EURO), (1500.5, "#,##0 €")], "money", "€", [1200, 1500.5]),
        ([(1200, DOLLAR), ("$7", None), (3, 44)], "money", "$", [1200, 7, 3]),
        ([(5, '0 "kg"'), (7, "#,##0.00;[Red]-#,##0.00"), 3], "number", "", [5, 7, 3]),
        ([(1.5, "h:mm"), (0.25, "h:mm"), (2, "h:mm")], "duration", "seconds", [1.5 * DAY, DAY / 4, 2 * DAY]),
        ([(1.5, "[h]:mm"), (61.5, "hh:mm:ss"), (0.0025, "mm:ss")], "duration", "seconds", [1.5 * DAY, 61.5 * DAY, 216]),
        ([(45000.25, "yyyy-mm-dd hh:mm"), (45001, "d. mmmm yyyy")], "date", "date", [19431.25, 19432]),
        ([(45000.25, "h:mm")], "date", "date", [19431.25]),
    ],
)  # fmt: skip
def test_a_format_says_what_a_number_is(cells: list[Any], kind: str, unit: str, values: list[float]) -> None:
    column = read_column(sheet(*cells), "v", header=True)
    assert (column.kind, column.unit) == (kind, unit)
    np.testing.assert_allclose(column.values, values, rtol=0, atol=1e-9)
    if kind == "percent":
        np.testing.assert_array_equal(column.values, values)


def test_dates_and_durations_of_the_calendar_of_1904() -> None:
    options = {"date_1904": True}
    dates = read_column(sheet((43538.25, "yyyy-mm-dd hh:mm"), **options), "v", header=True)
    assert (dates.kind, dates.values.tolist()) == ("date", [19431.25])
    hours = read_column(sheet((1.5, "h:mm"), (0.5, "h:mm"), (40.25, "h:mm"), **options), "v", header=True)
    assert (hours.kind, hours.values.tolist()) == ("duration", [1.5 * DAY, 0.5 * DAY, 40.25 * DAY])


@pytest.mark.parametrize(
    "cells",
    [
        [(1200, EURO), (1500, DOLLAR)], [(0.12, "0%"), 0.3], [0.3, (0.12, "0%")], [(12, EURO), "7 $"],
        [(1.5, "h:mm"), 3], [(1.5, "h:mm"), (45000, "yyyy-mm-dd")], [(5, EURO), (0.5, "0%")],
    ],
)  # fmt: skip
def test_formats_that_do_not_go_together_are_refused(cells: list[Any]) -> None:
    with refused("Row 3. A cell is written differently"):
        read_column(sheet(*cells), "v", header=True)


def test_a_repair_is_offered_only_where_it_is_right() -> None:
    mixed = sheet((0.12, "0%"), 0.3)
    with pytest.raises(DataError) as caught:
        read_or_offer(mixed, "v", find_layout(mixed, header=True))
    assert caught.value.remedies == ()
    said = read_column(mixed, "v", header=True, reading=Reading(percent=True))
    assert (said.kind, said.values.tolist()) == ("percent", [12, 30])
    assert read_column(mixed, "v", header=True, reading=Reading(unit="%")).values.tolist() == [12, 0.3]
    shares = read_column(sheet((0.12, "0%")), "v", header=True, reading=Reading(percent=False))
    assert (shares.kind, shares.values.tolist()) == ("number", [0.12])
    codes = read_column(sheet(5, -99, "7"), "v", header=True, reading=Reading(missing_codes=(-99,)))
    np.testing.assert_array_equal(codes.values, [5, np.nan, 7])


def merged(*ranges: str, rows: int = 6) -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.append(["ward", "days", "n"])
    for row in range(rows):
        page.append([f"w{row}", row, row])
    for each in ranges:
        page.merge_cells(each)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_merged_cells_all_hold_the_value_of_their_range() -> None:
    content = merged("A2:A4", "A5:A7", "B2:B3")
    assert read_column(content, "days", header=True).values.tolist() == [0, 0, 2, 3, 4, 5]
    groups = read_groups(content, "ward", names=["w0", "w3"], header=True)
    assert groups.codes.tolist() == [0, 0, 0, 1, 1, 1]
    assert read_people(content, "ward", header=True).codes.tolist() == [0, 0, 0, 1, 1, 1]
    assert read_people(content, "ward", header=True).count == 2


def test_cells_merged_across_columns_are_refused_where_they_are_read() -> None:
    content = merged("A4:B4")
    assert read_people(content, "ward", header=True).count == 6
    for read in (read_column, read_groups):
        with refused("Row 4. A cell of this column is merged with one of another column"):
            read(content, "days", header=True)
    assert read_column(content, "n", header=True).values.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_title_merged_above_the_table_stays_a_title() -> None:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in (["Wards of 2024"], ["ward", "days", "n"], ["a", 1, 2], ["b", 3, 4]):
        page.append(row)
    page.merge_cells("A1:C1")
    file = io.BytesIO()
    book.save(file)
    assert read_column(file.getvalue(), "days").values.tolist() == [1, 3]


def formulas(*cells: tuple[str, str], on_load: bool = False) -> bytes:
    """A column of formulas with what is stored as their values, written as it would lie in the archive."""
    content = io.BytesIO(sheet(*[1] * len(cells)))
    written = io.BytesIO()
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(written, "w") as new:
        for part in old.namelist():
            text = old.read(part).decode()
            if not on_load:
                text = text.replace(' fullCalcOnLoad="1"', "")
            for row, (formula, stored) in enumerate(cells, start=2):
                text = text.replace(f'<c r="B{row}"><v>1</v></c>', f'<c r="B{row}">{formula}{stored}</c>')
            new.writestr(part, text)
    return written.getvalue()


F = "<f>1+1</f>"


@pytest.mark.parametrize(
    "content",
    [
        formulas(("", "<v>3</v>"), (F, "")),
        formulas(("", "<v>3</v>"), (F, "<v/>")),
        formulas(("", "<v>3</v>"), (F, "<v></v>")),
        formulas(("", "<v>3</v>"), (F, "<v>0</v>"), (F, "<v>0.0</v>")),
        formulas((F, "<v>3</v>"), (F, "<v>0</v>"), on_load=True),
    ],
)
def test_formulas_without_values_are_refused(content: bytes) -> None:
    for read in (read_column, read_groups, read_people):
        with refused("Row [23]. A cell holds a formula without its value"):
            read(content, "v", header=True)
    assert read_people(content, "name", header=True).count > 1


def test_formulas_with_values_are_read() -> None:
    content = formulas((F, "<v>2</v>"), (F, "<v>0</v>"), ("", "<v>0</v>"), (F, "<v>5.5</v>"))
    assert read_column(content, "v", header=True).values.tolist() == [2, 0, 0, 5.5]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("General", ("number", "")), ("0.00E+00", ("number", "")), ("#,##0.00", ("number", "")), ("@", ("number", "")),
        ('0.0" %"', ("number", "")), ("0\\%", ("number", "")), ("0.0%;[Red]-0.0%", ("percent", "%")),
        ('_("$"* #,##0.00_);_("$"* "-"??_)', ("money", "$")), ("[$$-409]#,##0.00", ("money", "$")),
        ("[$CHF-807] #,##0.00", ("money", "CHF")),
        ('#,##0 "EUR"', ("money", "€")), ("[$£-809]#,##0", ("money", "£")), ("[h]:mm", ("duration", "seconds")),
        ("[mm]:ss.0", ("duration", "seconds")), ("h:mm AM/PM", ("duration", "seconds")), ("dd.mm.yyyy", ("number", "")),
        ("yyyy-mm-dd hh:mm:ss", ("number", "")), ("mmm hh", ("number", "")), ("[Red]0", ("number", "")),
        ("[>100]0.0;0", ("number", "")), ('0 "days"', ("number", "")), ("", ("number", "")),
    ],
)  # fmt: skip
def test_codes_of_formats(code: str, found: tuple[str, str]) -> None:
    assert format_of(code) == Format(*found)  # type: ignore[arg-type]
