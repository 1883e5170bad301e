"""Files of every kind the door accepts: the right floats, or one clear sentence that quotes no cell."""

from __future__ import annotations

import base64
import datetime as dt
import gzip
import io
import math
import random
import re
import zipfile
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from dpq_core import Adjacency, Domain, Plan, Sample, release
from dpq_core.errors import DataError, ParameterError
from dpq_core.frames import iso_date
from dpq_core.sources import column as column_module
from dpq_core.sources.excel import workbooks
from dpq_core.sources.files import Source, find_layout, list_columns, read_column, read_pasted
from dpq_core.sources.parquet import column as parquet_module
from dpq_core.sources.people import read_people
from dpq_core.sources.streams.batches import stream_column
from dpq_core.sources.text import delimited
from tests.sources.refusals import refused

CANARY = "zq7canary"
DURATION = 18
"""The number of that type in a schema of Arrow's."""


def read(source: Source, name: str | None = None, header: bool | None = None) -> list[float]:
    """The values of a column, the first one unless named."""
    column = list_columns(source, header=header)[0] if name is None else name
    values: list[float] = read_column(source, column, header=header).values.tolist()
    return values


def excel(rows: list[list[object]], formats: dict[type, str] | None = None) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        styles = {kind: book.add_format({"num_format": style}) for kind, style in (formats or {}).items()}
        for r, row in enumerate(rows):
            for c, cell in enumerate(row):
                sheet.write(r, c, cell, styles.get(type(cell)))
    return file.getvalue()


def parquet(**columns: pa.Array) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


# Text files that read


@pytest.mark.parametrize(
    ("content", "names", "values"),
    [
        (b"age,b\n1,2\n3,4\n", ("age", "b"), [1, 3]),
        (b"age\tb\n1\t2\n", ("age", "b"), [1]),
        (b"age|b\n1|2\n", ("age", "b"), [1]),
        (b"age;b\n3,14;2\n2,5;1\n", ("age", "b"), [3.14, 2.5]),
        (b"age;b\n1,23;2\n", ("age", "b"), [1.23]),
        (b'age,b\n"3,14",2\n', ("age", "b"), [3.14]),
        (b'age,b\n"1,234",2\n', ("age", "b"), [1234]),
        (b'"age","b"\n"1","2"\n', ("age", "b"), [1]),
        (b"sep=;\na;b\n1,5;2\n", ("a", "b"), [1.5]),
        (b"\xef\xbb\xbfage,b\n1,2\n", ("age", "b"), [1]),
        (b'\xef\xbb\xbf"age"\n1\n', ("age",), [1]),
        (b"\xef\xbb\xbf1\n2\n", ("column 1",), [1, 2]),
        ("größe;b\n1,5;2\n".encode("cp1252"), ("größe", "b"), [1.5]),
        ("größe;b\n1,5;2\n".encode("utf-16"), ("größe", "b"), [1.5]),
        (b"\xfe\xff" + "größe;b\n1,5;2\n".encode("utf-16-be"), ("größe", "b"), [1.5]),
        (b"age,b\r\n1,2\r\n", ("age", "b"), [1]),
        (b"age,b\r1,2\r3,4", ("age", "b"), [1, 3]),
        (b"\n \n\nage,b\n1,2\n3,4\n\n\n", ("age", "b"), [1, 3]),
        (b"1,2\n3,4\n", ("column 1", "column 2"), [1, 3]),
        (b"7", ("column 1",), [7]),
        (b"x\n3,14\n2,7\n", ("x",), [3.14, 2.7]),
        (b"age,age,,age (2)\n1,2,3,4\n", ("age (1)", "age (3)", "column 3", "age (2)"), [1]),
        (b'"my\nage",b\n1,"a\nb"\n2,c\n', ("my age", "b"), [1, 2]),
        (b"a,b\n9223372036854775808,1\n18446744073709551616,1\n", ("a", "b"), [2.0**63, 2.0**64]),
        (b"a,b\n2024-01-31,1\n", ("a", "b"), [19753]),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), ("a", "b"), [1]),
    ],
)
def test_a_text_file(content: bytes, names: tuple[str, ...], values: list[float]) -> None:
    assert list_columns(content) == names
    assert read(content) == values


def test_missing_and_infinite_values_are_counted() -> None:
    column = read_column(b"a,b\n1,x\nNA,x\n,x\n?,x\ninf,x\n2.5,x\nNaN,x\n", "a")
    np.testing.assert_array_equal(column.values, [1, math.nan, math.nan, math.nan, math.inf, 2.5, math.nan])
    assert (column.rows, column.missing, column.kind, column.unit, column.origin) == (7, 5, "number", "", "")
    assert not column.values.flags.writeable


BLANK_LINES = [
    ("age\n34\n\n35\n", [34, math.nan, 35]),
    ("age\n\n34\n \t\n35\n\n \n", [math.nan, 34, math.nan, 35]),
    ("age,b\n34,1\n\n  \n35,1\n\n\n", [34, math.nan, math.nan, 35]),
    ("age;b\n,5;1\n \n0,7;1\n\n", [0.5, math.nan, 0.7]),
    ("age\tb\n34\t1\n \n\n\t\n35\t1\n\n", [34, math.nan, math.nan, math.nan, 35]),
    ('age,b\n34,"two\n\n \nlines"\n\n35,1\n', [34, math.nan, 35]),
    ('\n\nage\n34\n\n""\n\n', [34, math.nan, math.nan]),
    ("age\n34\n\nNA\n\n", [34, math.nan, math.nan]),
    ("34\n\n35\n\n", [34, math.nan, 35]),
    ("\n34\n35", [math.nan, 34, 35]),
    ("A title\n\nage,b\n34,1\n\n35,1\n", [34, math.nan, 35]),
]


@pytest.mark.covering(1)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("text", "values"), BLANK_LINES)
@pytest.mark.parametrize("block", [32, delimited.BLOCK])
def test_a_blank_line_above_a_record_is_a_missing_value_and_below_the_last_none(
    text: str, values: list[float], line_end: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of columns, the encoding and the packing, and whether the column is read whole or not."""
    monkeypatch.setattr(delimited, "BLOCK", block)
    text = text.replace("\n", line_end)
    for content in (text.encode(), text.encode("utf-16"), gzip.compress(text.encode())):
        name = list_columns(content)[0]
        np.testing.assert_array_equal(read_column(content, name).values, values)
        np.testing.assert_array_equal(np.concatenate(list(stream_column(content, name))), values)


def test_the_number_of_records_stays_where_an_answer_is_left_blank() -> None:
    """One person replaced by another: both files have the same public n, so the value for missing ones is used."""
    domain, plan = Domain(0, 120, 1), Plan(["1/2"], adjacency=Adjacency.SUBSTITUTE)
    for read_it in (lambda content: read_column(content, "age"), lambda content: read_pasted(content.decode())):
        found = []
        for answer in (b"41", b"", b"  "):
            column = read_it(b"age\n" + b"30\n" * 50 + answer + b"\n" + b"50\n" * 49)
            found.append(Sample.from_values(column.values, domain, missing=0).n)
            if answer != b"41":
                with refused("choose a value for `missing`"):
                    release(Sample.from_values(column.values, domain), plan)
        assert found == [100, 100, 100]


def test_a_long_run_of_blank_lines_takes_no_memory_and_stops_at_the_most_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    blank = gzip.compress(b"age\n1\n" + b" \n" * 20_000_000)
    before = pa.total_allocated_bytes()
    assert read(blank) == [1]
    assert pa.total_allocated_bytes() - before < 1_000_000
    monkeypatch.setattr(column_module, "MAX_ROWS", 1_000_000)
    with refused("more than 1,000,000 rows"):
        read(gzip.compress(b"age\n1\n" + b" \n" * 2_000_000 + b"2\n"))


def test_only_the_chosen_column_has_to_be_numbers() -> None:
    assert read(b"name,age\nAda,36\nAlan,41\n", "age") == [36, 41]
    assert read("name;preis\nÄ;5,50 €\nB;1.000,00 €\n".encode("cp1252"), "preis") == [5.5, 1000]
    assert read(b'a,b\n1,"quoted, with comma"\n2,"a ""word"""\n') == [1, 2]


def test_dates_say_what_zero_stands_for() -> None:
    column = read_column(b"d\n1970-01-01\n2024-01-31\n", "d")
    assert (column.kind, column.unit, column.origin) == ("date", "date", "1970-01-01")
    assert [iso_date(day) for day in column.values] == ["1970-01-01", "2024-01-31"]


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, io.BytesIO])
def test_a_source_may_be_bytes_or_a_file(wrap: Callable[[bytes], Source], tmp_path: Path) -> None:
    content = b"a,b\n1,2\n"
    path = tmp_path / "no extension"
    path.write_bytes(content)
    with path.open("rb") as file:
        assert read(wrap(content)) == read(path) == read(str(path)) == read(file) == [1]


# Text files that do not read: one sentence, the row as a person counts it, no cell


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,2\n\nzq7canary,4\n", "Row 4. A cell is not a number"),
        (b"\n\na,b\n1,2\nzq7canary,4\n", "Row 5. A cell is not a number"),
        (b'a,b\n1,"two\nlines"\nzq7canary,4\n', "Row 3. A cell is not a number"),
        (b"a\n1\n12 zq7canary\n", "Row 3. A cell is not a number"),
        (b"1\n2\nzq7canary\n", "Row 3. A cell is not a number"),
        ("a;b\n1;2\nzq7canary;ü\n".encode("utf-16"), "Row 3. A cell is not a number"),
        (gzip.compress(b"a\n1\nzq7canary\n", mtime=0), "Row 3. A cell is not a number"),
        (b"a,b\n1,2\nzq7canary\n3,4\n", "Row 3. A row does not have as many cells"),
        (b"a,b\n1,2\n\n3,4,zq7canary\n", "Row 4. A row does not have as many cells"),
        (b'a,b\n"zq7canary,2\n3,4\n', "Row 2. A row opens a quote that is never closed"),
        (b'a,b\n1,2\n3,"zq7canary\n5,6\n', "Row 3. A row opens a quote that is never closed"),
        (b'a,b,c\n1,"2,zq7canary\n3,4,5\n', "Row 2. A row opens a quote that is never closed"),
        (b'a\n1\n"2\n3\n', "Row 3. A row opens a quote that is never closed"),
        (b"a\n$5\n7\n", "Row 3. A cell is written differently"),
        (b"a\n31.01.2024\n31.02.2024\n", "Row 3. A cell is a date that does not exist"),
        (b"a\n01/02/2024\n", "day first or month first"),
        (b"a,b\n", "no rows below"),
        (b"zq7canary", "no rows below"),
        (b"", "is empty"),
        (b"\xef\xbb\xbf\n \r\n", "is empty"),
        (b"\x00\x01\x02zq7canary", "not CSV, TSV, Parquet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "password"),
        (b"PAR1zq7canary", "damaged"),
        (b"PAREzq7canary", "encrypted"),
        (b"PK\x03\x04zq7canary", "damaged"),
        (gzip.compress(b"a\n1\n2\n" * 100, mtime=0)[:-12], "damaged"),
    ],
)
def test_a_bad_text_file_is_one_sentence(content: bytes, sentence: str) -> None:
    with refused(sentence) as caught:
        read(content, header=True)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize("below", [1, 50_000])
def test_a_quote_that_is_never_closed_swallows_no_rows(below: int) -> None:
    content = b'a,b\n1,2\n3,"4\n' + below * b"5,6\n"
    for packed in (content, gzip.compress(content), content.decode().encode("utf-16")):
        with refused("Row 3. A row opens a quote that is never closed; close or delete it"):
            read_column(packed, "a")
    closed = content + b'7,8"'  # at last: a cell of many lines, each of which could be a row
    with refused("Row 3. A quote opens a cell" if below == 1 else "Row 3. Text follows the quote"):
        read_column(closed, "a")
    assert read_column(closed, "a", layout=find_layout(closed, quoting=True)).rows == 2


def test_an_unknown_column_and_a_missing_file_are_sentences(tmp_path: Path) -> None:
    for content in (b"a\n1\n", excel([["a"], [1]]), parquet(a=pa.array([1]))):
        with pytest.raises(ParameterError, match="`column` must be") as caught:
            read_column(content, "b")
        assert caught.value.name == "column"
    with refused("cannot be opened"):
        list_columns(tmp_path / "nothing.csv")
    with pytest.raises(DataError):
        list_columns(tmp_path)


def test_progress_between_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "BLOCK", 1 << 10)
    content = b"a,b\n" + b"1,2\n" * 10_000
    shares: list[float] = []
    assert read_column(content, "a", progress=shares.append).rows == 10_000
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


def test_a_late_surprise_is_found_across_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "BLOCK", 1 << 10)
    column = read_column(b"a;b\n" + b"1.234;x\n" * 2_000 + b"0,5;x\n", "a")
    assert column.values[[0, -2, -1]].tolist() == [1234, 1234, 0.5]
    with refused("Row 2,002. A cell is not a number"):
        read(b"a;b\n" + b"1.234;x\n" * 2_000 + b"?!;x\n")
    late = read_column(b"a;b\n" + b"5;x\n" * 2_000 + b"1\xa0000;\xe4\n", "a")
    assert late.values[-1] == 1000


def test_too_many_rows_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_module, "MAX_ROWS", 10)
    for content in (b"1\n" * 20, parquet(a=pa.array(range(20)))):
        with refused("more than 10 rows"):
            read(content)


# Parquet


@pytest.mark.parametrize(
    ("cells", "values", "kind"),
    [
        (pa.array([1, None, 2**62]), [1, math.nan, 2.0**62], "number"),
        (pa.array([2**64 - 1], pa.uint64()), [2.0**64], "number"),
        (pa.array([1.5, None, math.nan, math.inf]), [1.5, math.nan, math.nan, math.inf], "number"),
        (pa.array([0.5], pa.float32()), [0.5], "number"),
        (pa.array([Decimal("1.25"), None]), [1.25, math.nan], "number"),
        (pa.array([True, False, None]), [1, 0, math.nan], "number"),
        (pa.array([None, None]), [math.nan, math.nan], "number"),
        (pa.array(["1,5", None, "NA", "2"]), [1.5, math.nan, math.nan, 2], "number"),
        (pa.array(["1", "2"], pa.large_string()), [1, 2], "number"),
        (pa.array(["1", "2"], pa.string_view()), [1, 2], "number"),
        (pa.array([b"1", b"2"]), [1, 2], "number"),
        (pa.array(["5 %", "6 %", "5 %"]).dictionary_encode(), [5, 6, 5], "percent"),
        (pa.array([7, 8, 7]).dictionary_encode(), [7, 8, 7], "number"),
        (pa.array([dt.date(2024, 1, 31), None]), [19753, math.nan], "date"),
        (pa.array([dt.date(1969, 12, 31)], pa.date64()), [-1], "date"),
        (pa.array([dt.datetime(2024, 1, 31, 12)], pa.timestamp("ms")), [19753.5], "date"),
        (pa.array([dt.datetime(2024, 1, 31, 12)], pa.timestamp("ns", "UTC")), [19753.5], "date"),
        (
            pa.array([dt.datetime(2024, 2, 1, 4, 30)], pa.timestamp("us", "America/New_York")),
            [19753 + 23.5 / 24],
            "date",
        ),
        (pa.array([dt.datetime(2024, 1, 31, 20)], pa.timestamp("s", "+05:30")), [19754 + 1.5 / 24], "date"),
        (pa.array([0.1, 1.5, 65504], pa.float16()), [0.1, 1.5, 65504], "number"),
        (pa.array([Decimal("0.07")], pa.decimal256(50, 2)), [0.07], "number"),
        (pa.array([2**63, None], pa.uint64()), [2.0**63, math.nan], "number"),
        (pa.array([dt.timedelta(hours=1, milliseconds=500)]), [3600.5], "duration"),
        (pa.array([dt.time(1, 30)], pa.time32("ms")), [5400], "duration"),
        (pa.array([dt.time(1, 30)], pa.time64("us")), [5400], "duration"),
    ],
)
def test_a_parquet_column(cells: pa.Array, values: list[float], kind: str) -> None:
    column = read_column(parquet(other=pa.array(["x"] * len(cells)), wanted=cells), "wanted")
    np.testing.assert_array_equal(column.values, values)
    assert column.kind == kind


def test_parquet_in_several_row_groups_and_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_module, "BATCH", 7)
    file = io.BytesIO()
    pq.write_table(pa.table({"a": range(100), "t": [f"{k},5" for k in range(100)]}), file, row_group_size=30)
    shares: list[float] = []
    assert read_column(file, "a", progress=shares.append).values.tolist() == list(range(100))
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert read(file, "t") == [k + 0.5 for k in range(100)]


def test_parquet_columns_with_the_same_name_or_a_dot() -> None:
    file = io.BytesIO()
    table = pa.Table.from_arrays([pa.array([1]), pa.array(["2"]), pa.array([3]), pa.array([4])], ["a.b", "x", "x", ""])
    pq.write_table(table, file)
    assert list_columns(file) == ("a.b", "x (1)", "x (2)", "column 4")
    assert [read(file, name) for name in list_columns(file)] == [[1], [2], [3], [4]]
    with pytest.raises(ParameterError, match=r"one of the column names of this file\. Did you mean 'x \(1\)'\?"):
        read(file, "X (1)")
    with pytest.raises(ParameterError, match=r"of this file\. Did you mean 'x \(1\)' or 'x \(2\)'\?"):
        read(file, "x")
    with pytest.raises(ParameterError, match=r"one of the column names of this file\.$"):
        read(file, "q")


def test_a_column_that_cannot_be_read_condemns_no_other() -> None:
    file = io.BytesIO()
    inner = pa.array([{"b": 1, "c": [1]}, {"b": 2, "c": []}])
    table = pa.Table.from_arrays(
        [inner, pa.array([10, 20]), pa.array([[1], [2]]), pa.array(["x", "7"]), pa.array([5, 6])],
        ["a", "a.b", "list", "a.c.list", "last"],
    )
    pq.write_table(table, file)
    assert read(file, "a.b") == [10, 20]
    assert read(file, "last") == [5, 6]
    assert read_people(file.getvalue(), "a.c.list").codes.tolist() == [0, 1]
    for name, held in (("a", "struct"), ("list", "list")):
        with refused(f"holds values of the type {held}, not numbers, dates or text"):
            read(file, name)


def test_timestamps_of_96_bits_hold_all_years() -> None:
    file = io.BytesIO()
    days = [dt.datetime(1600, 1, 1), dt.datetime(9999, 12, 31), dt.datetime(2021, 5, 1)]
    pq.write_table(pa.table({"end": pa.array(days, pa.timestamp("us"))}), file, use_deprecated_int96_timestamps=True)
    assert read(file) == [(day - dt.datetime(1970, 1, 1)).days for day in days]


def test_integers_of_128_bits_are_refused_by_themselves() -> None:
    pl, file = pytest.importorskip("polars"), io.BytesIO()
    frame = pl.DataFrame({"age": [34, 45], "wide": pl.Series([1, 2], dtype=pl.Int128), "sick": [dt.timedelta(1), None]})
    frame.write_parquet(file)
    assert list_columns(file) == ("age", "wide", "sick")
    assert read(file, "age") == [34, 45]
    sick = read_column(file, "sick")
    np.testing.assert_array_equal(sick.values, [86400, math.nan])
    assert sick.kind == "duration"
    with refused("holds values of the type int128,"):
        read(file, "wide")


@pytest.mark.parametrize("nested", [False, True])
def test_a_type_that_arrow_does_not_know_condemns_no_other_column(nested: bool) -> None:
    """The schema of Arrow's in a footer is changed so that it has a type of another version of Arrow's."""
    file, span = io.BytesIO(), pa.duration("s")
    berlin = pa.array([dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)], pa.timestamp("us", "Europe/Berlin"))
    odd = pa.array([{"x": 7}], pa.struct([("x", span)])) if nested else pa.array([7], span)
    pq.write_table(pa.table({"age": [34], "odd": odd, "at": berlin}), file)
    content = file.getvalue()
    schema = next(each for each in re.findall(rb"[A-Za-z0-9+/]{64,}={0,2}", content) if each.startswith(b"/////"))
    changed = bytearray(base64.b64decode(schema))
    assert changed.count(DURATION) == 1
    changed[changed.index(DURATION)] = 27
    content = content.replace(schema, base64.b64encode(bytes(changed)))
    assert list_columns(content) == ("age", "odd", "at")
    assert read(content, "age") == [34]
    assert read(content, "at") == [(dt.datetime(2024, 1, 1, 13) - dt.datetime(1970, 1, 1)) / dt.timedelta(1)]
    with refused("holds values of the type number 27 of Arrow's,"):
        read(content, "odd")
    with refused("holds values of the type number 27 of Arrow's,"):
        read_people(content, "odd")


def test_a_bad_parquet_column_is_one_sentence() -> None:
    with refused("Row 2. A cell is not a number") as caught:
        read(parquet(a=pa.array(["1", CANARY])))
    assert CANARY not in str(caught.value)
    for nested in (pa.array([[1], [2]]), pa.array([{"x": 1}])):
        with refused("holds values of the type (list|struct), not numbers"):
            read(parquet(a=nested))
    whole = parquet(a=pa.array(np.random.default_rng(0).normal(size=1000)))
    for cut in (5, 100, len(whole) - 10):
        with refused("damaged"):
            read(whole[:cut])


def test_a_parquet_of_long_texts_is_refused_before_it_is_unpacked() -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"a": ["1" * 1_000_000] * 50}), file, use_dictionary=False, compression="zstd")
    assert file.tell() < 1_000_000
    with refused("long texts"):
        read(file)


def test_a_parquet_of_long_repeated_text_stays_small() -> None:
    content = parquet(a=pa.array(["1" * 1_000_000]).dictionary_encode().take(pa.array([0] * 100_000)))
    assert len(content) < 2_000_000
    before = pa.total_allocated_bytes()
    assert read_column(content, "a").missing == 100_000  # too large for a float: infinite
    assert pa.total_allocated_bytes() - before < 100_000_000


# Excel


def test_an_excel_sheet() -> None:
    rows: list[list[object]] = [
        [],
        ["x", "who", "x"],
        [1, "a", "1,5"],
        [],
        [2.5, "b", "NA"],
        ["NA", "c", 3.25],
        [True, "d", None],
    ]
    content = excel(rows)
    assert list_columns(content) == ("x (1)", "who", "x (2)")
    np.testing.assert_array_equal(read(content, "x (1)"), [1, math.nan, 2.5, math.nan, 1])
    np.testing.assert_array_equal(read(content, "x (2)"), [1.5, math.nan, math.nan, 3.25, math.nan])
    with refused("Row 3. A cell is not a number"):
        read(content, "who")
    assert read(excel([[1, 2], [3, 4]]), "column 2") == [2, 4]
    with refused("Row 3. A cell is written differently"):
        read(excel([["x"], ["5 €"], [7]]))


def test_a_blank_row_of_a_sheet_is_a_missing_value_above_a_record_and_none_below_the_last() -> None:
    rows: list[list[object]] = [[], ["age"], [], [34], [], [" "], ["35"], [], [""], []]
    np.testing.assert_array_equal(read(excel(rows)), [math.nan, 34, math.nan, math.nan, 35])
    np.testing.assert_array_equal(read(excel([[], [34], [], [35], []])), [34, math.nan, 35])
    wide: list[list[object]] = [["age", "b"], [34, "x"], [], ["", "y"], [35, "x"], ["", ""]]
    np.testing.assert_array_equal(read(excel(wide)), [34, math.nan, math.nan, 35])


def test_excel_dates_and_times() -> None:
    formats = {dt.date: "yyyy-mm-dd", dt.datetime: "yyyy-mm-dd hh:mm", dt.time: "hh:mm:ss", dt.timedelta: "[h]:mm:ss"}
    rows: list[list[object]] = [
        ["day", "moment", "clock", "span"],
        [dt.date(2024, 1, 31), dt.datetime(2024, 1, 31, 12), dt.time(1, 30), dt.timedelta(hours=30)],
    ]
    content = excel(rows, formats)
    columns = [read_column(content, name) for name in list_columns(content)]
    assert [(column.kind, *column.values) for column in columns] == [
        ("date", 19753), ("date", 19753.5), ("duration", 5400), ("duration", 108000)
    ]  # fmt: skip


def test_excel_files_that_cannot_be_read_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    content = excel([["x"], [1], [2]])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as plain:
        plain.writestr("data.csv", "a\n1\n")
    open_document = io.BytesIO()
    with zipfile.ZipFile(open_document, "w") as plain:
        plain.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        plain.writestr("content.xml", "<x/>")
    far = io.BytesIO()
    with xlsxwriter.Workbook(far) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, 1)
        sheet.write(1_048_575, 16_383, 1)
    for bad, sentence in [
        (content[: len(content) // 2], "damaged"),
        (archive.getvalue(), "zip archive"),
        (open_document.getvalue(), r"OpenDocument sheet \(\.ods\); save it as \.xlsx"),
        (far.getvalue(), "too large"),
        (excel([]), "is empty"),
        (excel([["x"]]), "no rows below"),
        (excel([["x"], [1], [f"{CANARY} kg"]]), "Row 3. A cell is not a number"),
    ]:
        with refused(sentence) as caught:
            read(bad, header=True)
        assert CANARY not in str(caught.value)
    monkeypatch.setattr(workbooks, "MAX_EXCEL_BYTES", 1000)
    with refused("unpacks to more than"):
        read(content)


# Pasted text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1\n2\n3", [1, 2, 3]),
        ("1, 2, 3", [1, 2, 3]),
        ("1,2,3", [1, 2, 3]),
        ("1 2 3\n4 5 6", [1, 2, 3, 4, 5, 6]),
        ("100 200 300", [100, 200, 300]),
        ("1\t2\r\n3\t4", [1, 2, 3, 4]),
        ("1,5; 2,5", [1.5, 2.5]),
        ("1,5 2,5", [1.5, 2.5]),
        ("1,5", [1.5]),
        ("1,234\n2,345", [1234, 2345]),
        ("1,234,567\n2,345,678", [1234567, 2345678]),
        ("1,2,3\n4,5,6", [1, 2, 3, 4, 5, 6]),
        ("1,23,456\n12,34,567\n95,000", [123456, 1234567, 95000]),
        ("1, 23, 456", [1, 23, 456]),
        ("NA\n3\n", [math.nan, 3]),
        ("5 €\n6 €", [5, 6]),
        ("2024-01-31 12:00\n2024-02-01 12:00", [19753.5, 19754.5]),
        ("0:01:30\n2:00:00", [90, 7200]),
        ("\ufeff−5 +4", [-5, 4]),
        ("1\n\n2\n \n\n", [1, math.nan, 2]),
        ("\n1\r\n \t\r\n2", [math.nan, 1, math.nan, 2]),
        ("1;;3", [1, math.nan, 3]),
        ("1, , 3,\n\n4, 5;", [1, math.nan, 3, 4, 5]),
        ("1,,3", [1, math.nan, 3]),
        ("1\t\t3\n4\t5\t", [1, math.nan, 3, 4, 5, math.nan]),
        ("34\t\n35\t", [34, 35]),
        ("1 2 3\n\n4 5 6", [1, 2, 3, 4, 5, 6]),
    ],
)
def test_pasted_values(text: str, values: list[float]) -> None:
    column = read_pasted(text)
    np.testing.assert_array_equal(column.values, values)
    assert column.name == "pasted"


def test_pasted_text_may_have_a_heading_and_names_the_bad_line() -> None:
    assert read_pasted("age\n34\n35").name == "age"
    assert read_pasted("age\n34\n35").rows == 2
    assert read_pasted("\nage\n\n34\n35\n").rows == 3
    for text, sentence in [
        ("3\n\n12 zq7canary", "Row 3. A cell is not a number"),
        ("12 zq7canary\n3", "Row 1. A cell is not a number"),
        ("1.5\n2,5", "Row 2. A cell is written differently"),
        ("1,23,456", "The commas can separate values or thousands"),
        ("1,234,567\n", "The commas can separate values or thousands"),
        ("100,200,300", "The commas can separate values or thousands"),
        ("5\n-\n", "zero or a missing value"),
        ("3:45\n4:10", "hours and minutes or minutes and seconds"),
        ("", "nothing to read"),
        (" \n", "nothing to read"),
    ]:
        with refused(sentence) as caught:
            read_pasted(text)
        assert CANARY not in str(caught.value)


# Generated files


@st.composite
def text_files(draw: st.DrawFn) -> tuple[bytes, str, list[float]]:
    """A CSV file in some style, the name of one of its columns, and that column's numbers."""
    separator = draw(st.sampled_from([",", ";", "\t", "|"]))
    decimal = draw(st.sampled_from([".", ","]))
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    number = st.none() | st.integers(-(2**70), 2**70) | st.floats(-1e12, 1e12).map(lambda x: round(x, 4))
    columns = draw(st.lists(st.lists(number, min_size=6, max_size=6), min_size=1, max_size=4))
    header = draw(st.booleans())
    quoted = draw(st.booleans())
    blank_lines = draw(st.lists(st.integers(0, 6), max_size=3))
    names = [f"größe {k}" if header else f"column {k}" for k in range(1, len(columns) + 1)]
    columns[0][0] = columns[0][0] if columns[0][0] is not None else 0

    def cell(value: float | None) -> str:
        text = "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        text = text.replace(".", decimal)
        needs_quotes = quoted or separator in text or (len(columns) == 1 and (text == "" or decimal == ","))
        return f'"{text}"' if needs_quotes else text

    wanted = draw(st.integers(0, len(columns) - 1))
    numbers = [math.nan if value is None else float(value) for value in columns[wanted]]
    lines = [separator.join(cell(column[row]) for column in columns) for row in range(6)]
    for place in sorted(blank_lines, reverse=True):
        lines.insert(place, "")
        if place < len(numbers):
            numbers.insert(place, math.nan)
    lines = [*[""] * draw(st.integers(0, 2)), separator.join(names), *lines] if header else lines
    return line_end.join(lines).encode(encoding), names[wanted], numbers


@given(text_files())
@settings(max_examples=200, deadline=None)
def test_a_generated_file_comes_back(generated: tuple[bytes, str, list[float]]) -> None:
    content, name, numbers = generated
    np.testing.assert_array_equal(read_column(content, name).values, numbers)


def clear_error(read_it: Callable[[], object]) -> ValueError | None:
    """The error of a call, if it is one of the two kinds that may leave the readers; any other one fails the test."""
    try:
        read_it()
    except (DataError, ParameterError) as error:
        return error
    return None


def check_never_anything_else(content: bytes) -> None:
    """Either columns or a clear error; the canary is at most the name of a column."""
    error = clear_error(lambda: list_columns(content))
    names = list_columns(content)[:2] if error is None else ()
    for found in [error, *(clear_error(partial(read_column, content, name)) for name in names)]:
        assert CANARY not in str(found)
        assert found is None or found.__context__ is None


PIECES = [
    "1", "2,5", "3.5", "1.234.567,8", "NA", "", '"', '"a,b"', ",", ";", "\t", "|", "\n", "\r\n", "\n\n", " ", "€",
    "5 %", "2024-01-31", "31/12/2024", "02/30/2024", "1:30", "-", "(", ")", "e5", "inf", "\x1f", "\u00a0", "\x00",
    CANARY, f"12 {CANARY}",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.sampled_from(["utf-8", "utf-16", "cp1252"]))
@settings(max_examples=120, deadline=None)
def test_any_text_is_a_column_or_a_clear_error(text: str, encoding: str) -> None:
    check_never_anything_else(text.encode(encoding))
    assert CANARY not in str(clear_error(lambda: read_pasted(text)))


@given(st.sampled_from([b"", b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"\xff\xfe", b"a,b\n1,2\n"]), st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_column_or_a_clear_error(start: bytes, rest: bytes) -> None:
    check_never_anything_else(start + rest)


SEEDS = [
    excel([["x", "y"], [1, CANARY], [2.5, "b"]]),
    parquet(x=pa.array([1.5, 2.5, None]), y=pa.array([CANARY, "1", "2"])),
    gzip.compress(b"x,y\n1,zq7canary\n2,b\n", mtime=0),
]


@pytest.mark.parametrize("kind", range(len(SEEDS)))
def test_damaged_files_are_a_column_or_a_clear_error(kind: int) -> None:
    rng = random.Random(kind)
    for _ in range(150):
        damaged = bytearray(SEEDS[kind])
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(4, len(damaged))] = rng.randrange(256)
        check_never_anything_else(bytes(damaged[: rng.choice([len(damaged), rng.randrange(4, len(damaged))])]))


@pytest.mark.very_slow
def test_a_file_of_200_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    block = "".join(f"{k},some text to fill the row,{k / 8},{'NA' if k % 10 == 0 else k}\n" for k in range(100_000))
    repeats = 200_000_000 // len(block) + 1
    with path.open("w") as file:
        file.write("id,text,eighth,gaps\n")
        for _ in range(repeats):
            file.write(block)
    try:
        column = read_column(path, "eighth")
        assert column.rows == 100_000 * repeats
        np.testing.assert_array_equal(column.values.reshape(repeats, -1), np.tile(np.arange(100_000) / 8, (repeats, 1)))
        assert read_column(path, "gaps").missing == 10_000 * repeats
        with refused("Row 2. A cell is not a number"):
            read_column(path, "text")
        with path.open("a") as file:
            file.write(f"1,x,{CANARY},2\n")
        with refused(f"Row {100_000 * repeats + 2:,}. A cell is not a number"):
            read_column(path, "eighth")
    finally:
        path.unlink()
