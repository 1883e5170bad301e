"""The workbook beside a CSV: the same rows, numbers as numbers, and nothing that a spreadsheet would compute."""

from __future__ import annotations

import io

import openpyxl
import pytest

from dpq_core.results.exports import as_xlsx
from pages.server import downloads

TABLE = 'level,private,label,release_id\n0.5,-38,"=HYPERLINK(""x"")",007\n1/3,1e5,"a, b",12345678901234567\n'


def sheet(content: bytes) -> openpyxl.worksheet.worksheet.Worksheet:
    return openpyxl.load_workbook(io.BytesIO(content)).active


def test_numbers_are_numbers_and_all_else_is_text() -> None:
    rows = [[cell.value for cell in row] for row in sheet(as_xlsx(TABLE, "ages")).iter_rows()]
    assert rows == [
        ["level", "private", "label", "release_id"],
        [0.5, -38, '=HYPERLINK("x")', "007"],
        ["1/3", 100_000, "a, b", "12345678901234567"],
    ]


def test_nothing_is_a_formula() -> None:
    cells = [cell for row in sheet(as_xlsx(TABLE, "ages")).iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} == {"n", "s"}


@pytest.mark.parametrize(
    ("name", "kept"),
    [("ages", "ages"), ("a/b[1]:c*?\\", "a b 1  c"), ("'", "table"), ("x" * 40, "x" * 31), ("", "table")],
)
def test_a_sheet_has_a_name_that_excel_takes(name: str, kept: str) -> None:
    assert sheet(as_xlsx("a\n1\n", name)).title == kept


def test_a_workbook_stands_beside_a_csv() -> None:
    files = downloads.with_workbook({"CSV": lambda: TABLE, "JSON": lambda: "{}"}, "ages")
    assert list(files) == ["CSV", "Excel", "JSON"]
    made = files["Excel"]()
    assert isinstance(made, bytes)
    assert sheet(made)["B2"].value == -38
    assert list(downloads.with_workbook({"JSON": lambda: "{}"}, "ages")) == ["JSON"]


@pytest.mark.parametrize(
    ("of", "name"),
    [
        ("salaries 2026", "release-salaries-2026-2026-11-26.csv"),
        ("Gehälter/München", "release-Gehälter-München-2026-11-26.csv"),
        ("../../etc", "release-etc-2026-11-26.csv"),
        ("", "release-2026-11-26.csv"),
        ("x" * 90, f"release-{'x' * 60}-2026-11-26.csv"),
    ],
)
def test_a_file_is_called_by_its_data_and_its_day(of: str, name: str) -> None:
    assert downloads.file_name("release", of, "2026-11-26T10:00:00+00:00", "csv") == name
