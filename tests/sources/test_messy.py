"""Files as real systems write them: the right numbers, or one sentence that says what to do; never a wrong number."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xlsxwriter

from dpq_core.sources.files import list_columns, read_column
from dpq_core.sources.streams.batches import stream_column
from tests.sources.refusals import refused

NAN = float("nan")
BANK = (
    'Kontonummer:;"DE12 / Giro"\n\nVon:;01.01.2024\nKontostand:;"1.234,56 EUR"\n\n'
    '"Tag";"Empfänger";"Zweck";"Betrag (EUR)"\n'
    '"31.01.2024";"Markt";"Kauf; bar";"-12,34"\n"30.01.2024";"Amt";"Lohn";"2.500,00"\n'
)
TITLED = "Station;;\r\n;;\r\nid;age;weight\r\n1;34;70,5\r\n2;;80,1\r\n"


@pytest.mark.parametrize(
    ("text", "encoding", "column", "values"),
    [
        ("Name;Betrag\r\nMüller;1.234,50\r\nMeier;99,00\r\n", "utf-8-sig", "Betrag", [1234.5, 99]),
        ("Name;Größe\r\nMüller;1,80\r\nMeier;1,65\r\n", "cp1252", "Größe", [1.8, 1.65]),
        ("id\tGröße\r\n1\t1,80\r\n2\t1,65\r\n", "utf-16", "Größe", [1.8, 1.65]),
        (BANK, "cp1252", "Betrag (EUR)", [-12.34, 2500]),
        (BANK, "utf-16", "Betrag (EUR)", [-12.34, 2500]),
        (BANK.replace("\n", "\r"), "utf-8", "Betrag (EUR)", [-12.34, 2500]),
        (TITLED, "utf-8-sig", "age", [34, NAN]),
        ("# made by x\n# on Monday\nid,age\n1,34\n2,45\n", "utf-8", "age", [34, 45]),
        ('"two\nlines"\nid,age\n1,34\n2,45\n', "utf-8", "age", [34, 45]),
        ("id;price;count\n1;3,50 €;1.234\n2;4,25 €;12.000\n", "utf-8", "count", [1234, 12000]),  # several amounts tell
        ("id\tprice\tcount\n1\t1.003,5\t1.234\n2\t1.003,5\t12\n", "utf-8", "count", [1234, 12]),
        ("id;price;count\n1;$0.5;1,234\n2;$0.5;1,234\n", "utf-8", "count", [1234, 1234]),
        ('id,choices,pay\n1,"1,3","45,000"\n2,"1,2,4","52,000"\n', "utf-8", "pay", [45000, 52000]),
        ('id,size,pay\n1,62.01,"45,000"\n2,1.2.3,"52,000"\n', "utf-8", "pay", [45000, 52000]),
        ("id,v\n1,3.512\n2,2.800\n", "utf-8", "v", [3.512, 2.8]),
        ("income\n34 500\n45 620\n", "utf-8", "income", [34500, 45620]),
        ("income in eur\n1 234 567\n950\n", "utf-8", "income in eur", [1234567, 950]),
        ("share pct\n12 %\n13 %\n", "utf-8", "share pct", [12, 13]),
        ("admitted at\n2024-01-31 06:00\n2024-02-01 12:00\n", "utf-8", "admitted at", [19753.25, 19754.5]),
        ('name,v\nA,"1,23,456"\nB,"12,34,567"\nC,"95,000"\n', "utf-8", "v", [123456, 1234567, 95000]),
        ("id;v\n1;1'234.50\n2;99\n", "utf-8", "v", [1234.5, 99]),
        ("id;v\n1;1\u202f234,50\n2;1\u2009000,00\n", "utf-8", "v", [1234.5, 1000]),
        ('id,v\n1,"(1,234.00)"\n2,−5\n3,\n', "utf-8", "v", [-1234, -5, NAN]),
        ("id,v\n1,#DIV/0!\n2,k.A.\n3,keine Angabe\n4,k. A.\n5,5\n", "utf-8", "v", [NAN] * 4 + [5]),
        ("name,v\nTotal,5\nb,6\nTotal,7\n", "utf-8", "v", [5, 6, 7]),  # a name, since it comes again
        ("name,v\na,5\nb,6\nSum Wong,7\n", "utf-8", "v", [5, 6, 7]),
        ("name,v,w\na,5,1\nb,6,2\nTotal,,3\n", "utf-8", "v", [5, 6, NAN]),
        ('name,v\n5" pipe,5\nb,6\n', "utf-8", "v", [5, 6]),  # no quote opens inside a cell
    ],
)  # fmt: skip
def test_it_gets_through(text: str, encoding: str, column: str, values: list[float]) -> None:
    content = text.encode(encoding)
    np.testing.assert_array_equal(read_column(content, column).values, values)
    np.testing.assert_array_equal(np.concatenate(list(stream_column(content, column))), values)


UNIT = "Row 2. A cell is not a number, .* remove words and units"
TOTAL = "row at the end looks like a total"


@pytest.mark.parametrize(
    ("text", "column", "sentence"),
    [
        ("name;v\na;5\nb;6\nSumme;11\n", "v", TOTAL),
        ("name;v\na;5\nb;6\nGrand total:;11\n;\n\n", "v", TOTAL),
        ("id,v\n1,5\n2,6\n\nSource: the office, 2024\n", "v", TOTAL),
        ("name,v\na,5\nb,6\nTotal,11\n,\nSource: ministry,\n", "v", TOTAL),
        ("name,v\na,5\nb,6\nTotal,11\n\nNote: preliminary,\nSource: ministry,\n", "v", TOTAL),
        ('name;w;v\na;1;5\nb;2;6\nSumme;;11\n"Stand: Mai; vorläufig";;\n', "v", TOTAL),
        ("name,v,w\na,5,1\nb,6,2\nTotal,11,\nTotal,,3\n", "v", TOTAL),
        ("id,v\n" + "".join(f"{k},{k}\n" for k in range(9)) + ",36\n", "v", TOTAL),
        ("id,v\n" + "1234567,1\n" * 9_999 + "Average,1\n", "v", TOTAL),
        ("id,v\n1,5\n2,6\n(2 rows)\n", "v", "Row 4. .* delete titles and notes"),
        ("id,v\n1,5,\n2,6,\n", "v", "Row 2. .* delete the separators at the ends of rows"),
        ("id,v\n1,3,5\n2,4,5\n", "v", "Row 2. .* put cells that contain the separator in quotes"),
        ("id,v,w\n1,5,1\n2,6\n3,7,1,1\n", "v", "Row 3. .* fill up short rows"),
        ("name,v\nx,3,5\ny,4,5\n", "v", "Row 2. .* put cells"),  # no titles above a header: "x,3,5" is none
        ("id;v\n1;1.234\n2;12.000\n", "v", "thousands or decimals"),
        ("a;b;v\n0.5 €;0,5 €;1.234\n0.5 €;0,5 €;12.000\n", "v", "thousands or decimals"),  # either mark is proved
        ("a;b;v\n1;0,5 €;1.234\n1;1;12.000\n", "v", "thousands or decimals"),  # one amount is no proof
        ("id;code;v\n1;62.01;3.500\n2;47.91;2.800\n", "v", "thousands or decimals"),
        ("id;day;v\n1;24.12;3.500\n2;01.05;2.800\n", "v", "thousands or decimals"),
        ("id;v;grade\n1;3.500;1,3\n2;2.800;2,7\n", "v", "thousands or decimals"),
        ("id;v;choices\n1;45,000;1,3\n2;52,000;2,4\n", "v", "thousands or decimals"),
        ("id\tfeet\tv\n1\t5,11\t45,000\n2\t6,1\t52,000\n", "v", "thousands or decimals"),
        ('id,place,v\n1,"52,5200","45,000"\n2,"48,1374","52,000"\n', "v", "thousands or decimals"),
        ("v\n3.500\n2.800\n", "v", "thousands or decimals"),
        ("id,v\n1,5\n2,-\n", "v", "zero or a missing value"),
        ('id,v\n1," 1,200.00 "\n2," -   "\n', "v", "zero or a missing value"),
        ('id,v\n1," $ 5.00 "\n2," $ -   "\n', "v", "zero or a missing value"),
        ("id,v\n1,5\n2,–\n", "v", "zero or a missing value"),
        ("id,v\n1,5\n2,nil\n", "v", "zero or a missing value"),
        ("id,v\n1,5 €\n2,None\n", "v", "zero or a missing value"),
        ("age income\n34 500\n45 620\n52 710\n", "age income", "Only spaces separate the columns"),
        ("age  income\n34    500.5\n45    62\n", "age income", "Only spaces separate the columns"),
        ("name age\nAnna 34\nBob 45\n", "name age", "Only spaces separate the columns"),
        ("34 500\n45 620\n", "column 1", "Only spaces separate the columns"),
        ("id,v\n1,3:45\n2,12:30\n", "v", "hours and minutes or minutes and seconds"),
        ("id,v\n1,12 kg\n2,70.5 kg\n", "v", UNIT),
        ("id,v\n1,37.5 °C\n", "v", UNIT),
        ("id,v\n1,3h 20m\n", "v", UNIT),
        ("id,v\n1,31-Jan-2024\n", "v", "Row 2. .* a date .like 2024-01-31."),
        ("id,v\n1,12 €\n2,9 $\n", "v", "Row 3. A cell is written differently .* use one unit"),
        ("id,v\n1,5\n2,6\nid,v\n3,7\n", "v", "Row 4. A cell is not a number"),
        ("id,v\n", "v", "no rows below"),
        ('[{"age": 3}, {"age": 4}]', "", "is JSON, not a table"),
        ('[\n {\n  "age": 3\n }\n]', "", "is JSON, not a table"),
        ('{"age": 3}\n{"age": 4}\n', "", "is JSON, not a table"),
        ("<!DOCTYPE html>\n<html>\n", "", "web page or XML"),
        ('<?xml version="1.0"?>\n<r/>\n', "", "web page or XML"),
        ("%PDF-1.4\n", "", "a PDF"),
    ],
)
def test_or_a_sentence_says_what_to_do(text: str, column: str, sentence: str) -> None:
    for encoding in ("utf-8", "utf-16"):
        content = text.encode(encoding)
        with refused(sentence):
            read_column(content, column or list_columns(content, header=True)[0], header=True)


def workbook(*sheets: list[list[Any]], hidden: int = 0) -> bytes:
    """Sheets of cells, the first ones of them hidden."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        for number, rows in enumerate(sheets):
            sheet = book.add_worksheet()
            for r, row in enumerate(rows):
                sheet.write_row(r, 0, row)
            if number < hidden:
                sheet.hide()
            if number == hidden:
                sheet.activate()
    return file.getvalue()


TABLE: list[list[Any]] = [["name", "age"], ["a", 5], ["b", "6,5"]]


@pytest.mark.parametrize("above", [0, 1, 3])
def test_titles_above_a_sheet_and_hidden_sheets_are_passed_over(above: int) -> None:
    titles: list[list[Any]] = [["Report", None], [], ["as of today"]]
    content = workbook([["age"], [1]], titles[:above] + TABLE, hidden=1)
    assert list_columns(content) == ("name", "age")
    assert read_column(content, "age").values.tolist() == [5, 6.5]
    with refused(f"Row {above + 2}. A cell is not a number"):
        read_column(content, "name")


def test_several_amounts_elsewhere_in_a_sheet_settle_the_decimal_mark() -> None:
    content = workbook([["a", "b"], ["1.234", "0,5 €"], ["5", "1,5 €"]])
    assert read_column(content, "a").values.tolist() == [1234, 5]
    for other in (0.5, "0,5", "0,5 €"):
        with refused("thousands or decimals"):
            read_column(workbook([["a", "b"], ["1.234", other]]), "a", header=True)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: workbook([*TABLE, ["Total", 11.5]]), TOTAL),
        (lambda: workbook([["id", "age"], [1, 5], [2, 6], [], ["Source: office", 2024]]), TOTAL),
        (lambda: workbook([*TABLE, ["Total", 11.5], [], ["Source: ministry", None]]), TOTAL),
        (lambda: workbook([["Read me"], ["Some words"]], TABLE), "This sheet .* holds no numbers; choose another one"),
        (lambda: workbook([], TABLE), "This sheet .* is empty; choose another one"),
        (lambda: workbook([["id", "age"], [1, None], [2, None]]), "column is empty; if it holds formulas"),
    ],
)
def test_what_else_a_workbook_holds_is_a_sentence(make: Callable[[], bytes], sentence: str) -> None:
    content = make()
    with refused(sentence):
        read_column(content, list_columns(content)[-1])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("rows", [3, 50_000])
def test_a_total_at_the_end_of_packed_text_is_refused(encoding: str, rows: int) -> None:
    packed = gzip.compress(("name,v\n" + "a,5\n" * rows + "Total,15\n").encode(encoding))
    for read in (read_column, lambda content, column: list(stream_column(content, column))):
        with refused(TOTAL):
            read(packed, "v")
    assert read_column(gzip.compress(("name,v\n" + "a,5\n" * rows).encode(encoding)), "v").rows == rows
