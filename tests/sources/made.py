"""The bytes of samples that would be opaque as files: workbooks, Parquet, SPSS, Stata, and archives of parts."""

import base64
import datetime as dt
import gzip
import io
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import xlsxwriter

NAN = float("nan")
CANARY = "zq7canary"
EURO, DOLLAR = "#,##0.00 [$€-407]", "[$$-409]#,##0.00"
Rows = list[list[Any]]


def workbook(*sheets: Rows, hidden: int = 0, **options: Any) -> bytes:
    """Return sheets of cells, of which the first ones are hidden; a cell is a value, or one with its number format."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, options) as book:
        for number, rows in enumerate(sheets):
            sheet = book.add_worksheet()
            for r, row in enumerate(rows):
                for c, cell in enumerate(row):
                    value, code = cell if isinstance(cell, tuple) else (cell, None)
                    sheet.write(r, c, value, None if code is None else book.add_format({"num_format": code}))
            if number < hidden:
                sheet.hide()
            if number == hidden:
                sheet.activate()
    return file.getvalue()


def sheet_of(columns: dict[str, list[Any]], **options: Any) -> bytes:
    """Return a workbook of one sheet with these columns, of which the shorter ones end blank."""
    return workbook([list(columns), *map(list, zip_longest(*columns.values()))], **options)


def merged(*ranges: str, above: Rows | None = None) -> bytes:
    """Return a sheet of six rows in which ranges of cells are merged."""
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in (*(above or []), ["ward", "days", "n"], *([f"w{row}", row, row] for row in range(6))):
        page.append(row)
    for each in ranges:
        page.merge_cells(each)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def formulas(*cells: tuple[str, str], on_load: bool = False) -> bytes:
    """Return a column of formulas with what is stored as their values, written as they lie in the archive."""
    content = io.BytesIO(workbook([["name", "v"], *([f"p{row}", 1] for row in range(1, len(cells) + 1))]))
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


def archive(**parts: str) -> bytes:
    """Return a zip archive that is no workbook."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, text in parts.items():
            made.writestr(name, text)
    return file.getvalue()


def document(*rows: list[Any] | str) -> bytes:
    """Return an OpenDocument sheet; a cell is a value, one with its type, or XML, as a row may be."""
    names = ("office", "table", "text")
    spaces = "".join(f' xmlns:{each}="urn:oasis:names:tc:opendocument:xmlns:{each}:1.0"' for each in names)

    def cell(value: Any) -> str:
        if value is None or str(value).startswith("<"):
            return str(value or "<table:table-cell/>")
        usual = "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "float"
        kind, held = value if isinstance(value, tuple) else (usual, str(value).lower())
        name = f"{kind}-value" if kind in ("boolean", "date", "time") else "value"
        stored = "" if kind == "string" else f' office:{name}="{held}"'
        return f'<table:table-cell office:value-type="{kind}"{stored}><text:p>{held}</text:p></table:table-cell>'

    lines = [
        row if isinstance(row, str) else f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows
    ]
    content = (
        f"<office:document-content{spaces}><office:body><office:spreadsheet><table:table table:name='Sheet1'>"
        f"{''.join(lines)}</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    named = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    return archive(mimetype=kind, **{"content.xml": content, "META-INF/manifest.xml": named})


def of_document(attributes: str, value: object = None) -> str:
    """Return a cell of an OpenDocument sheet with these attributes; without a value where none is given."""
    held = "" if value is None else f' office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {attributes}{held}/>"


def parquet(columns: dict[str, pa.Array] | pa.Table, **settings: Any) -> bytes:
    """Return a file of these columns, of which the shorter ones end in missing cells."""
    if isinstance(columns, dict):
        rows = max(map(len, columns.values()))
        padded = {
            name: pa.concat_arrays([each, pa.nulls(rows - len(each), each.type)]) for name, each in columns.items()
        }
        columns = pa.table(padded)
    file = io.BytesIO()
    pq.write_table(columns, file, **settings)
    return file.getvalue()


TYPES = {
    "whole": pa.array([1, None, 2**62]), "of 64 bits": pa.array([2**64 - 1, 2**63], pa.uint64()),
    "fractions": pa.array([1.5, None, NAN, float("inf")]), "of 32 bits": pa.array([0.5, 0.7], pa.float32()),
    "of 16 bits": pa.array(np.array([0.1, 1.5, 65504], np.float16)), "decimals": pa.array([Decimal("1.25"), None]),
    "wide decimals": pa.array([Decimal("0.07")], pa.decimal256(50, 2)), "truth": pa.array([True, False, None]),
    "nothing": pa.array([None, None]), "texts": pa.array(["1,5", None, "NA", "2"]), "bytes": pa.array([b"1", b"2"]),
    "large texts": pa.array(["1", "2"], pa.large_string()), "day texts": pa.array(["2024-01-31"]),
    "shares": pa.array(["5 %", "6 %", "5 %"]).dictionary_encode(), "entries": pa.array([7, 8, 7]).dictionary_encode(),
    "days": pa.array([dt.date(2024, 1, 31), None]), "days of 64 bits": pa.array([dt.date(1969, 12, 31)], pa.date64()),
    "moments": pa.array([dt.datetime(2024, 1, 31, 12)], pa.timestamp("ms")),
    "moments of UTC": pa.array([dt.datetime(2024, 1, 31, 12)], pa.timestamp("ns", "UTC")),
    "moments of a city": pa.array([dt.datetime(2024, 2, 1, 4, 30)], pa.timestamp("us", "America/New_York")),
    "moments of a zone": pa.array([dt.datetime(2024, 1, 31, 20)], pa.timestamp("s", "+05:30")),
    "durations": pa.array([dt.timedelta(hours=1, milliseconds=500)]), "lists": pa.array([[1], [2]]),
    "times": pa.array([dt.time(1, 30)], pa.time32("ms")), "fine times": pa.array([dt.time(1, 30)], pa.time64("us")),
    "who": pa.array(["1", CANARY, None, " a", "a", "A"]), "structs": pa.array([{"x": 1}]),
    "large ids": pa.array([2**60, 2**60 + 1, None, 2**60]),
    "zeros": pa.array([0.0, -0.0, NAN, 1.5]), "text entries": pa.array(["a", " a", "a", None]).dictionary_encode(),
    "long ids": pa.array(["x" * 500 + "1", "x" * 500 + "2", *["y"] * 8]),
}  # fmt: skip
"""Columns of all types; those of Arrow's views are read as others are."""


def odd_type() -> bytes:
    """Return a file whose schema, as Arrow keeps it in the footer, has a type of another version of Arrow's."""
    span, duration = pa.duration("s"), 18  # the number of that type
    berlin = pa.array([dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)], pa.timestamp("us", "Europe/Berlin"))
    content = parquet({"age": pa.array([34]), "odd": pa.array([7], span), "at": berlin})
    schema = next(each for each in re.findall(rb"[A-Za-z0-9+/]{64,}={0,2}", content) if each.startswith(b"/////"))
    changed = bytearray(base64.b64decode(schema))
    assert changed.count(duration) == 1
    changed[changed.index(duration)] = 27
    return content.replace(schema, base64.b64encode(bytes(changed)))


def survey(suffix: str, columns: dict[str, Any], **settings: Any) -> bytes:
    """Return a file of SPSS or Stata, written by the library that reads it."""
    columns = {
        name: pd.Series(each, dtype=getattr(each, "dtype", None) or (float if isinstance(each[0], float) else object))
        for name, each in columns.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        write = pyreadstat.write_dta if suffix == ".dta" else pyreadstat.write_sav
        write(pd.DataFrame(columns), path, **settings)
        return path.read_bytes()


SPSS_SECONDS = 141_428 * 86_400
"""From 1582-10-14 to 1970-01-01."""
DAY = 19_753.0  # 2024-01-31
SPSS_DATES = ("DATE11", "ADATE10", "EDATE10", "SDATE10", "JDATE7", "MOYR8", "QYR8", "WKYR10", "DATETIME20")
SPSS_FORMATS = {
    **{shown: [SPSS_SECONDS + DAY * 86_400, NAN, SPSS_SECONDS] for shown in SPSS_DATES},
    "DATETIME23.2": [SPSS_SECONDS + DAY * 86_400 + 43_200.5], "TIME8": [5_400.0, 90_000.5],
    "DTIME11": [-60.0, 86_400.0], "DOLLAR8.2": [2.5], "PCT8.2": [12.5], "F8.2": [12.5], "COMMA8.2": [1_234.5],
    "WKDAY3": [1.0, 7.0],
}  # fmt: skip
STATA_FORMATS = {
    **{shown: [DAY + 3_653] for shown in ("%td", "%d", "%-tdD_m_Y")}, "%tdCCYY-NN-DD": [-1.0],
    **{shown: [(DAY + 3_653) * 86_400_000] for shown in ("%tc", "%tcNN/DD/CCYY_HH:MM")}, "%tm": [769.0, -1.0],
    "%tmMon_CCYY": [769.0], "%tq": [257.0, -1.0], "%th": [129.0], "%tw": [3_328.0, 3_329.0, -1.0],
    "%tcHH:MM:SS": [5_400_000.0], "%ty": [2_024.0, 1.0], "%9.0g": [0.5], "%tC": [1.0, 2.0], "%tm ": [3.0, 1e9],
}  # fmt: skip


def in_formats(suffix: str, formats: dict[str, list[float]]) -> bytes:
    """Return a variable for each format, called v1, v2 ..., with missing values at its end."""
    columns = {f"v{at}": [*each, *[NAN] * (4 - len(each))] for at, each in enumerate(formats.values(), start=1)}
    shown = {name: each.strip() for name, each in zip(columns, formats, strict=True)}
    return survey(suffix, columns, variable_format=shown)


LABELS = {"region": {1: "  North  East ", 2: "South", 3: "South", 8: " "}}
LABELLED = {"region": [1.0, 2.0, 3.0, 7.0, 2.0, 1.0, 8.0], "half": [0.5, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0]}
ANSWERS = {"pay": [1200.0, -9.0, 1600.0, -8.0], "mood": [1.0, 5.0, 3.0, 2.0], "kids": [0.0, 2.0, 97.0, 1.0]}
NO_ANSWERS = {"pay": {-9: "Refused", -8: "Don't know"}, "mood": {1: "bad", 3: "so so", 5: "good"}, "kids": {97: "k.A."}}
WHOLE = {"region": np.array(LABELLED["region"], np.int32), "half": LABELLED["half"]}
TEXTS = {"city": ["Bath", "York      ", " Bath", "  "], "n": ["1", "2  ", " 3", ""]}
LONG = {"answer": ["x" * 300 + " a", "b", "x" * 300 + " a", "c" * 3_000], "n": [1.0, 2.0, 3.0, 4.0]}
DECLARED = {
    "codes": [5.0, -99.0, -98.0, 7.0, NAN], "high": [5.0, 900.0, 1e9, 899.0, 901.5],
    "low": [5.0, -1.0, -1e300, 0.0, 97.0], "sex": [1.0, 2.0, 9.0, 1.0, 9.0], "text": ["a", "b", "zz", "a", ""],
    "person": [1.0, 2.0, 99.0, 1.0, 99.0],
}  # fmt: skip
RANGES = {
    "codes": [-99, -98], "high": [{"lo": 900, "hi": np.inf}], "low": [{"lo": -np.inf, "hi": -1}, 97], "sex": [9],
    "text": ["zz"], "person": [99],
}  # fmt: skip
SEX = {"sex": {1: "male", 2: "female", 9: "refused"}}
LETTERS = {"score": [1, "a", 3, "z", None, 6], "age": [1.0, 2.0, NAN, 4.0, 5.0, 6.0]}
LETTER_LABELS = {"score": {1: "low", 3: "high", "a": "refused"}}
WESTERN = {"city": ["Zxrich", "Bath"], "region": np.array([1, 2], np.int32)}


def western(suffix: str, **settings: Any) -> bytes:
    """Return a file whose texts and labels are in Windows-1252, which it does not say."""
    content = survey(suffix, WESTERN, variable_value_labels={"region": {1: "Gxnf"}}, **settings)
    return content.replace(b"Zxrich", b"Z\xfcrich").replace(b"Gxnf", b"G\xfcnf")


TABLE: Rows = [["name", "age"], ["a", 5], ["b", "6,5"]]
F = "<f>1+1</f>"
FORMATS: dict[str, list[Any]] = {
    "shares": [(0.12, "0%"), (0.07, "0.0 %"), 0.345], "share and text": [(0.12, "0%"), "34,5 %"],
    "amounts": [(1200, EURO), (1500.5, DOLLAR), (5, '0 "kg"')], "dollars and text": [(1200, DOLLAR), "$7"],
    "hours": [(1.5, "h:mm"), (0.25, "h:mm"), (2, "h:mm")],
    "long hours": [(1.5, "[h]:mm"), (61.5, "hh:mm:ss"), (0.0025, "mm:ss")], "an hour": [(45000.25, "h:mm")],
    "days": [(45000.25, "yyyy-mm-dd hh:mm"), (45001, "d. mmmm yyyy")], "spans": [(dt.timedelta(hours=30), "[h]:mm:ss")],
    "clocks": [(dt.time(1, 30), "hh:mm:ss")], "moments": [(dt.datetime(2024, 1, 31, 12), "yyyy-mm-dd hh:mm")],
    "hours and number": [(0.5, "h:mm"), 3], "hours and day": [(0.5, "h:mm"), (45000, "yyyy-mm-dd")],
}  # fmt: skip

MADE: dict[str, Callable[[], bytes]] = {
    "workbook_formats": lambda: sheet_of(FORMATS | {"last": ["x"] * 3}),
    "workbook_calendar_of_1904": lambda: sheet_of(
        {"day": [(43538.25, "yyyy-mm-dd hh:mm")], "hours": [(1.5, "h:mm"), (0.5, "h:mm"), (40.25, "h:mm")]},
        date_1904=True,
    ),
    "workbook_cells": lambda: workbook(
        [[], ["x", "who", "x"], [1, "a", "1,5"], [], [2.5, "b", "NA"], ["NA", "c", 3.25], [True, "d", None]]
    ),
    "workbook_without_header": lambda: workbook([[1, 2], [3, 4]]),
    "workbook_of_persons": lambda: workbook([["Ada", 36], ["Alan", 41], ["Grace", 85]]),
    "workbook_ids": lambda: workbook([["at", "pay"], ["a ", 1], [7, 2], ["7", 3], ["a", 4], ["", 5]]),
    "workbook_blank_rows": lambda: workbook([[], ["age"], [], [34], [], [" "], ["35"], [], [""], []]),
    "workbook_blank_rows_without_header": lambda: workbook([[], [34], [], [35], []]),
    "workbook_blank_rows_of_two_columns": lambda: workbook(
        [["age", "b"], [34, "x"], [], ["", "y"], [35, "x"], ["", ""]]
    ),
    "workbook_titles": lambda: workbook([["age"], [1]], [["Report", None], [], ["as of today"], *TABLE], hidden=1),
    "workbook_of_amounts": lambda: workbook([["a", "b"], ["1.234", "0,5 €"], ["5", "1,5 €"]]),
    "workbook_of_one_amount": lambda: workbook([["a", "b"], ["1.234", 0.5]]),
    "workbook_of_one_amount_as_text": lambda: workbook([["a", "b"], ["1.234", "0,5"]]),
    "workbook_of_one_amount_in_euros": lambda: workbook([["a", "b"], ["1.234", "0,5 €"]]),
    "workbook_total": lambda: workbook([*TABLE, ["Total", 11.5]]),
    "workbook_total_and_source": lambda: workbook([*TABLE, ["Total", 11.5], [], ["Source: ministry", None]]),
    "workbook_source": lambda: workbook([["id", "age"], [1, 5], [2, 6], [], ["Source: office", 2024]]),
    "workbook_of_notes": lambda: workbook([["Read me"], ["Some words"]], TABLE),
    "workbook_of_an_empty_sheet": lambda: workbook([], TABLE),
    "workbook_of_an_empty_column": lambda: workbook([["id", "age"], [1, None], [2, None]]),
    "workbook_without_rows": lambda: workbook([["x"]]),
    "workbook_of_a_word": lambda: workbook([["x"], [1], [f"{CANARY} kg"]]),
    "workbook_of_a_unit": lambda: workbook([["x"], ["5 €"], [7]]),
    "workbook_cut_short": lambda: workbook([["x"], [1], [2]])[:2000], "workbook_far_cell": lambda: far_cell(),
    "workbook_merged": lambda: merged("A2:A4", "A5:A7", "B2:B3"), "workbook_merged_across": lambda: merged("A4:B4"),
    "workbook_merged_title": lambda: merged("A1:C1", above=[["Wards of 2024"]]),
    "workbook_formula_without_value": lambda: formulas(("", "<v>3</v>"), (F, "")),
    "workbook_formula_of_an_empty_value": lambda: formulas(("", "<v>3</v>"), (F, "<v/>")),
    "workbook_formula_of_no_text": lambda: formulas(("", "<v>3</v>"), (F, "<v></v>")),
    "workbook_formulas_of_zero": lambda: formulas(("", "<v>3</v>"), (F, "<v>0</v>"), (F, "<v>0.0</v>")),
    "workbook_formulas_not_computed": lambda: formulas((F, "<v>3</v>"), (F, "<v>0</v>"), on_load=True),
    "workbook_formulas": lambda: formulas((F, "<v>2</v>"), (F, "<v>0</v>"), ("", "<v>0</v>"), (F, "<v>5.5</v>")),
    "workbook_subtotal_in_a_column": lambda: formulas(("", "<v>3</v>"), ("<f>SUBTOTAL(9,B2:B2)</f>", "<v>3</v>")),
    "workbook_sum_of_its_own_column": lambda: formulas(
        ("", "<v>3</v>"), ("", "<v>4</v>"), ("<f>SUM(B2:B3)</f>", "<v>7</v>")
    ),
    "workbook_sum_of_other_columns": lambda: formulas(
        ("<f>SUM(C2:D2)</f>", "<v>3</v>"), ("<f>SUM(C3:D3)</f>", "<v>4</v>")
    ),
    "workbook_sums_that_share_a_formula": lambda: formulas(
        ("", "<v>3</v>"), ('<f t="shared" ref="B3:C3" si="0">AVERAGE(B2:B2)</f>', "<v>3</v>")
    ),
    "workbook_of_blocks": lambda: workbook([["ward", "n"], *([None if k % 9 else "ab"[k // 9], k] for k in range(18))]),
    "workbook_truths_and_numbers": lambda: workbook([["v", "w"], [True, 1], [2, True], [False, 3]]),
    "workbook_truths_and_texts": lambda: workbook([["v", "n"], [True, 1], ["yes", 2]]),
    "workbook_number_beyond_floats": lambda: workbook([["v", "n"], ["1e999", 1], ["2", 2]]),
    "workbook_header_nfd": lambda: workbook([["pre\u0301nom", "a\u0302\u200bge"], ["x", 34], ["y", 35]]),
    "workbook_note_below": lambda: workbook(
        [["id", "v"], *([f"p{k}", k] for k in range(9)), [], ["* provisional"], ["Source: national office, 2024"]]
    ),
    "workbook_no_note_below": lambda: workbook([["id", "v"], *([f"p{k}", k] for k in range(9)), [], ["p9"]]),
    "workbook_formula_below_without_a_value": lambda: formulas(("", "<v>3</v>"), ("<f>B2*2</f>", "")),
    "workbook_total_first": lambda: workbook([["name", "v"], ["Total", 11], ["a", 5], ["b", 6]]),
    "workbook_years_below_titles": lambda: workbook(
        [["Table 1"], [], ["region", 2023, 2024], ["n", 1.5, 2.5], ["s", 3, 4]]
    ),
    "workbook_of_three_sheets": lambda: workbook([["x"], [0]], [["x"], [1], [2]], [["x"], [3]], hidden=1),
    "archive": lambda: archive(**{"data.csv": "a\n1\n"}),
    "open_document": lambda: document(
        ["Table 1"], [],
        ["ward", "age", "share", "paid", "day", "wait", "truth", "text"],
        [of_document('table:number-rows-spanned="2"', 7), 34.5, ("percentage", 0.12), ("currency", 3),
         ("date", "2024-01-31"), ("time", "PT01H30M00S"), True, "1,5"],
        ["<table:covered-table-cell/>", 35, ("percentage", 0.5), ("currency", 4.5), ("date", "2024-02-01T12:00:00"),
         ("time", "PT26H00M01.5S"), False, "2"],
        '<table:table-row table:visibility="filter" table:number-rows-repeated="2">'
        f'{of_document("", 8)}{of_document("", 36)}<table:table-cell table:number-columns-repeated="1020"/>'
        "</table:table-row>",
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/>'
        "</table:table-row>",
    ),
    "open_document_total": lambda: document(
        ["name", "v", "w"], ["a", 5, 1], ["b", 6, 2],
        ["c", of_document('table:formula="of:=SUM([.B2:.B3])"', 11), of_document('table:formula="of:=[.C2]*2"', 2)],
    ),
    "open_document_subtotal": lambda: document(
        ["v"], [5], [of_document('table:formula="of:=SUBTOTAL(9;[.A2:.A2])"', 5)], [6]
    ),
    "open_document_without_a_value": lambda: document(
        ["v", "n"], [5, 1], [of_document('table:formula="of:=[.B3]*2"'), 2]
    ),
    "open_document_mixed": lambda: document(["v", "n"], [5, 1], [True, 2]),
    "open_document_damaged": lambda: document(["v"], [5], "<table:table-row>"), "parquet_types": lambda: parquet(TYPES),
    "parquet_names": lambda: parquet(
        pa.Table.from_arrays([pa.array([1]), pa.array(["2"]), pa.array([3]), pa.array([4])], ["a.b", "x", "x", ""])
    ),
    "parquet_names_that_could_be_values": lambda: parquet({"Ada": pa.array(["Alan"]), "36": pa.array([41])}),
    "parquet_nested": lambda: parquet(
        pa.Table.from_arrays(
            [pa.array([{"b": 1, "c": [1]}, {"b": 2, "c": []}]), pa.array([10, 20]), pa.array([[1], [2]]),
             pa.array(["x", "7"]), pa.array([5, 6])],
            ["a", "a.b", "list", "a.c.list", "last"],
        )
    ),
    "parquet_moments_of_96_bits": lambda: parquet(
        {"end": pa.array([dt.datetime(1600, 1, 1), dt.datetime(9999, 12, 31)], pa.timestamp("us"))},
        use_deprecated_int96_timestamps=True,
    ),
    "parquet_odd_type": lambda: odd_type(),
    "parquet_row_groups": lambda: parquet(
        {"a": pa.array(range(100)), "t": pa.array([f"{k},5" for k in range(100)])}, row_group_size=30
    ),
    "parquet_cut_short": lambda: parquet({"a": pa.array([1.5, 2.5])})[:-10],
    "parquet_damaged": lambda: b"PAR1" + CANARY.encode(), "parquet_encrypted": lambda: b"PARE" + CANARY.encode(),
    "parquet_of_long_texts": lambda: parquet(
        {"a": pa.array(["1" * 1_000_000] * 50)}, use_dictionary=False, compression="zstd"
    ),
    "spss_formats": lambda: in_formats(".sav", SPSS_FORMATS),
    "stata_formats": lambda: in_formats(".dta", STATA_FORMATS),
    "spss_declared_missing": lambda: survey(".sav", DECLARED, missing_ranges=RANGES, variable_value_labels=SEX),
    "stata_declared_missing": lambda: survey(
        ".dta", LETTERS, missing_user_values={"score": ["a", "z"]}, variable_value_labels=LETTER_LABELS
    ),
    "spss_labels": lambda: survey(".sav", LABELLED, variable_value_labels=LABELS),
    "stata_labels": lambda: survey(".dta", WHOLE, variable_value_labels=LABELS),
    "spss_labels_of_no_answers": lambda: survey(".sav", ANSWERS, variable_value_labels=NO_ANSWERS),
    "stata_labels_of_no_answers": lambda: survey(".dta", ANSWERS, variable_value_labels=NO_ANSWERS),
    "parquet_header_nfd": lambda: parquet(
        {"pre\u0301nom": pa.array(["x", "y"]), "a\u0302\u200bge": pa.array([34, 35])}
    ),
    "parquet_text_beyond_floats": lambda: parquet(
        {"v": pa.array(["1e999", "2"]), "w": pa.array([float("inf"), 1e308])}
    ),
    "spss_texts": lambda: survey(".sav", TEXTS), "stata_texts": lambda: survey(".dta", TEXTS),
    "spss_long_texts": lambda: survey(".sav", LONG), "stata_long_texts": lambda: survey(".dta", LONG),
    "spss_windows_1252": lambda: western(".sav"), "stata_windows_1252": lambda: western(".dta", version=12),
    "stata_of_32_bits": lambda: survey(".dta", {"share": np.array([0.5, 0.25], np.float32)}),
    "stata_names_twice": lambda: survey(".dta", {"aa": [1.0, 2.0], "ab": [3.0, 4.0], "b": [5.0, 6.0]}).replace(
        b"ab\0", b"aa\0"
    ),
    "spss_without_a_number_of_rows": lambda: claiming(-1), "spss_that_claims_more_rows": lambda: claiming(11),
    "spss_with_a_password": lambda: b"\x1c" + bytes(7) + b"ENCRYPTEDSAV" + bytes(100),
    "gzip": lambda: gzip.compress(b"a,b\n1,2\n", mtime=0),
    "gzip_of_a_word": lambda: gzip.compress(b"a\n1\nzq7canary\n", mtime=0),
    "gzip_cut_short": lambda: gzip.compress(b"a\n1\n2\n" * 100, mtime=0)[:-12],
    "old_workbook_with_a_password": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "archive_damaged": lambda: b"PK\x03\x04" + CANARY.encode(), "no_table": lambda: b"\x00\x01\x02" + CANARY.encode(),
}  # fmt: skip
"""The bytes of each sample without a file of its own, by its name."""


def far_cell() -> bytes:
    """Return a workbook with a cell in the last row and column."""
    far = io.BytesIO()
    with xlsxwriter.Workbook(far) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, 1)
        sheet.write(1_048_575, 16_383, 1)
    return far.getvalue()


def claiming(rows: int) -> bytes:
    """Return a file of SPSS of ten rows that claims to have another number of them."""
    content = bytearray(survey(".sav", {"age": [float(k) for k in range(10)]}))
    content[80:84] = struct.pack("<i", rows)
    return bytes(content)
