"""Files from anywhere, large ones and damaged ones, and pasted text; what cells mean is in test_samples.py."""

import datetime as dt
import gzip
import io
import math
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Adjacency, Column, Domain, Plan, release
from dpq_core.errors import DataError, ParameterError
from dpq_core.sources import column as column_module
from dpq_core.sources import parquet as parquet_module
from dpq_core.sources.files import Source, find_layout, read_column, read_rows, stream_column
from dpq_core.sources.pasted import read_pasted
from dpq_core.sources.text import delimited
from tests.sources.made import MADE, parquet, workbook
from tests.sources.names import list_columns
from tests.sources.refusals import refused

CANARY = "zq7canary"


def read(source: Source, name: str | None = None, header: bool | None = None) -> list[float]:
    """The values of a column, the first one unless named."""
    column = list_columns(source, header=header)[0] if name is None else name
    values: list[float] = read_column(source, column, header=header).values.tolist()
    return values


def test_the_number_of_records_stays_where_an_answer_is_left_blank() -> None:
    """One person replaced by another: both files have the same public n, so the value for missing ones is used."""
    domain, plan = Domain(0, 120, 1), Plan(["1/2"], adjacency=Adjacency.REPLACE_ONE)
    for read_it in (lambda content: read_column(content, "age"), lambda content: read_pasted(content.decode())):
        found = []
        for answer in (b"41", b"", b"  "):
            column = read_it(b"age\n" + b"30\n" * 50 + answer + b"\n" + b"50\n" * 49)
            found.append(Column.from_values(column.values, domain, missing=0).n)
            if answer != b"41":
                with refused("choose a value for `missing`"):
                    release(Column.from_values(column.values, domain), plan)
        assert found == [100, 100, 100]


@pytest.mark.slow
def test_a_long_run_of_blank_lines_takes_no_memory_and_stops_at_the_most_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    blank = gzip.compress(b"age\n1\n" + b" \n" * 20_000_000)
    before = pa.total_allocated_bytes()
    with refused("very long run of blank lines"):
        read(blank)
    assert pa.total_allocated_bytes() - before < 1_000_000
    monkeypatch.setattr(column_module, "MAX_ROWS", 1_000_000)
    with refused("more than 1,000,000 rows"):
        read(gzip.compress(b"age\n1\n" + b" \n" * 2_000_000 + b"2\n"))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, io.BytesIO])
def test_a_source_may_be_bytes_or_a_file(wrap: Callable[[bytes], Source], tmp_path: Path) -> None:
    content = b"a,b\n1,2\n"
    path = tmp_path / "no extension"
    path.write_bytes(content)
    with path.open("rb") as file:
        assert read(wrap(content)) == read(path) == read(str(path)) == read(file) == [1]


@pytest.mark.parametrize("below", [1, pytest.param(50_000, marks=pytest.mark.slow)])
def test_a_quote_that_is_never_closed_swallows_no_rows(below: int) -> None:
    content = b'a,b\n1,2\n3,"4\n' + below * b"5,6\n"
    for packed in (content, gzip.compress(content), content.decode().encode("utf-16")):
        with refused(f"Row 3. A {'row opens a quote that is never closed' if below == 1 else 'quote opens a cell'}"):
            read_column(packed, "a")
    closed = content + b'7,8"'  # at last: a cell of many lines, each of which could be a row
    with refused("Row 3. A quote opens a cell"):
        read_column(closed, "a")
    assert read_column(closed, "a", layout=find_layout(closed, quoting=True)).rows == 2


def test_an_unknown_column_and_a_missing_file_are_sentences(tmp_path: Path) -> None:
    for content in (b"a\n1\n", workbook([["a"], [1]]), parquet({"a": pa.array([1])})):
        with pytest.raises(ParameterError, match="`column` must be") as caught:
            read_column(content, "b")
        assert caught.value.name == "column"
    with refused("cannot be opened"):
        list_columns(tmp_path / "nothing.csv")
    with pytest.raises(DataError):
        list_columns(tmp_path)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("rows", [3, 10_000])
def test_a_total_below_many_rows_is_refused(encoding: str, rows: int) -> None:
    text = "name,v\n" + "a,5\n" * rows
    for pack in (bytes, gzip.compress):
        for read_it in (read_column, lambda content, column: list(stream_column(content, column))):
            with refused("row at the end looks like a total"):
                read_it(pack((text + "Total,15\n").encode(encoding)), "v")
    assert read_column(gzip.compress(text.encode(encoding)), "v").rows == rows


def test_several_columns_of_a_text_are_read_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = Mock(wraps=delimited._batches)
    monkeypatch.setattr(delimited, "_batches", batches)
    content, shares = b"age;pay;name\n" + b"31;1,5;Ann\n" * 50, list[float]()
    layout = find_layout(content)
    found = read_rows(content, ["age", "pay"], layout, person="name", by={"age": None}, progress=shares.append)
    assert [type(each).__name__ for each in found.columns] == ["NumberColumn", "NumberColumn"]
    assert found.people is not None
    assert (found.people.count, found.groups[0].found) == (1, ("31",))
    assert batches.call_count == 1
    assert 0 < max(shares) <= 1


def test_progress_between_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "BLOCK", 1 << 10)
    monkeypatch.setattr(parquet_module, "BATCH", 700)
    for content in (b"a,b\n" + b"1,2\n" * 10_000, parquet({"a": pa.array(range(10_000))}, row_group_size=3_000)):
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
    for content in (b"1\n" * 20, parquet({"a": pa.array(range(20))})):
        with refused("more than 10 rows"):
            read(content)


# Parquet


def test_parquet_columns_with_the_same_name_or_a_dot() -> None:
    file = MADE["parquet_names"]()
    assert [read(file, name) for name in list_columns(file)] == [[1], [2], [3], [4]]
    with pytest.raises(ParameterError, match=r"one of the column names of this file\. Did you mean 'x \(1\)'\?"):
        read(file, "X (1)")
    with pytest.raises(ParameterError, match=r"of this file\. Did you mean 'x \(1\)' or 'x \(2\)'\?"):
        read(file, "x")
    with pytest.raises(ParameterError, match=r"one of the column names of this file\.$"):
        read(file, "q")


def test_integers_of_128_bits_are_refused_by_name_and_type() -> None:
    pl, file = pytest.importorskip("polars"), io.BytesIO()
    frame = pl.DataFrame({"age": [34, 45], "wide": pl.Series([1, 2], dtype=pl.Int128), "sick": [dt.timedelta(1), None]})
    frame.write_parquet(file)
    with refused(r"type that cannot be read: fixed_size_binary\[16\] in the column 'wide'; save such a column"):
        list_columns(file)


@pytest.mark.slow
def test_a_parquet_of_long_repeated_text_stays_small() -> None:
    content = parquet({"a": pa.array(["0" * 1_000_000]).dictionary_encode().take(pa.array([0] * 100_000))})
    assert len(content) < 2_000_000
    before = pa.total_allocated_bytes()
    assert not read_column(content, "a").values.any()
    assert pa.total_allocated_bytes() - before < 100_000_000


# Pasted text


@pytest.mark.parametrize(("text", "values"), [
    ("1\n2\n3", [1, 2, 3]), ("1, 2, 3", [1, 2, 3]), ("1,2,3", [1, 2, 3]), ("1 2 3\n4 5 6", [1, 2, 3, 4, 5, 6]),
    ("100 200 300", [100, 200, 300]), ("1\t2\r\n3\t4", [1, 2, 3, 4]), ("1,5; 2,5", [1.5, 2.5]), ("1,5 2,5", [1.5, 2.5]),
    ("1,5", [1.5]), ("1,234\n2,345", [1234, 2345]), ("1,234,567\n2,345,678", [1234567, 2345678]),
    ("1,2,3\n4,5,6", [1, 2, 3, 4, 5, 6]), ("1,23,456\n12,34,567\n95,000", [123456, 1234567, 95000]),
    ("1, 23, 456", [1, 23, 456]), ("NA\n3\n", [math.nan, 3]), ("5 €\n6 €", [5, 6]),
    ("2024-01-31 12:00\n2024-02-01 12:00", [19753.5, 19754.5]), ("0:01:30\n2:00:00", [90, 7200]),
    ("\ufeff−5 +4", [-5, 4]), ("1\n\n2\n \n\n", [1, math.nan, 2]), ("\n1\r\n \t\r\n2", [math.nan, 1, math.nan, 2]),
    ("1;;3", [1, math.nan, 3]), ("1, , 3,\n\n4, 5;", [1, math.nan, 3, 4, 5]), ("1,,3", [1, math.nan, 3]),
    ("1\t\t3\n4\t5\t", [1, math.nan, 3, 4, 5, math.nan]), ("34\t\n35\t", [34, 35]),
    ("1 2 3\n\n4 5 6", [1, 2, 3, 4, 5, 6]),
])  # fmt: skip
def test_pasted_values(text: str, values: list[float]) -> None:
    column = read_pasted(text)
    np.testing.assert_array_equal(column.values, values)
    assert column.name == "pasted"


def test_pasted_text_may_have_a_heading_and_names_the_bad_line() -> None:
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


@pytest.mark.slow
@given(text_files())
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


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.sampled_from(["utf-8", "utf-16", "cp1252"]))
def test_any_text_is_a_column_or_a_clear_error(text: str, encoding: str) -> None:
    check_never_anything_else(text.encode(encoding))
    assert CANARY not in str(clear_error(lambda: read_pasted(text)))


@pytest.mark.slow
@given(st.sampled_from([b"", b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"\xff\xfe", b"a,b\n1,2\n"]), st.binary(max_size=200))
def test_any_bytes_are_a_column_or_a_clear_error(start: bytes, rest: bytes) -> None:
    check_never_anything_else(start + rest)


SEEDS = [
    workbook([["x", "y"], [1, CANARY], [2.5, "b"]]),
    parquet({"x": pa.array([1.5, 2.5, None]), "y": pa.array([CANARY, "1", "2"])}),
    gzip.compress(b"x,y\n1,zq7canary\n2,b\n", mtime=0),
]


@pytest.mark.slow(keep=("0", "2"))
@pytest.mark.parametrize("kind", range(len(SEEDS)))
def test_damaged_files_are_a_column_or_a_clear_error(kind: int) -> None:
    rng = random.Random(kind)
    for _ in range(150):
        damaged = bytearray(SEEDS[kind])
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(4, len(damaged))] = rng.randrange(256)
        check_never_anything_else(bytes(damaged[: rng.choice([len(damaged), rng.randrange(4, len(damaged))])]))
