"""A column means the same however it is cut: whole, in batches or in files."""

import io
import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpq_core.errors import DataError
from dpq_core.sources import parquet as parquet_module
from dpq_core.sources.files import read_column, stream_column
from dpq_core.sources.text import delimited

FAMILIES = [
    ["1", "12", "007", "-3", "1e3", "inf", "+4"], ["1.5", "0.25", ".5", "-2.75"], ["1,5", "0,25", ",5", "-2,75"],
    ["1.234", "12.345", "-1.000"], ["1,234", "12,345", "-1,000"], ["1,234.5", "1'234.5", "1 234"],
    ["1.234,5", "1.234.567", "(3)"], ["5 €", "€7", "1.234 €", "1,234 €", "2,50 €", "2.50 €"],
    ["$5", "CHF 7", "5 %", "1.234 %", "7,5 %"], ["01/02/2024", "3-4-2023", "12/12/2020"],
    ["13/02/2024", "31/12/2023", "30/02/2024"], ["02/13/2024", "12/31/2023"],
    ["2024-01-31", "2024-02-30", "31.01.2024", "2024-01-31 06:00"], ["1:30", "1:30:00", "2 days 01:00:00"],
    ["1:30", "26:00", "3:45.5"], ["5", "-", "–", "nil", "None"],
    ["nan(3)", "-nan", "0x10", "--5", "12 kg", "seven", "1 2", "\x80", "ü"],
]  # fmt: skip
MISSING = ["", "NA", "n/a", None]
REFUSED = 2  # parts of an outcome
CELLS = st.sampled_from(FAMILIES).flatmap(st.sampled_from)


@st.composite
def columns(draw: st.DrawFn) -> list[bytes | None]:
    """Cells of one or two families, with missing and now and then odd ones, all in UTF-8 or all in Windows-1252."""
    usual = st.sampled_from([*draw(st.sampled_from(FAMILIES)), *draw(st.sampled_from([[], *FAMILIES]))])
    odd = draw(st.sampled_from([st.nothing(), CELLS]))
    cells = draw(st.lists(st.one_of(usual, usual, usual, st.sampled_from(MISSING), odd), min_size=1, max_size=25))
    encoding = draw(st.sampled_from(["utf-8", "cp1252"]))
    return [None if cell is None else cell.encode(encoding, "replace") for cell in cells]


def outcome(read: Callable[[], tuple[np.ndarray, str, str]]) -> tuple[object, ...]:
    """Values, kind and unit, or the sentence of the refusal without the number of the file."""
    try:
        values, kind, unit = read()
    except DataError as error:
        return re.sub(r"^File \d+ of \d+: ", "", str(error)), error.discloses
    return values.tobytes(), kind, unit


def whole(source: bytes) -> tuple[np.ndarray, str, str]:
    column = read_column(source, "x", header=True)
    return column.values, column.kind, column.unit


def streamed(source: bytes | list[bytes]) -> tuple[np.ndarray, str, str]:
    stream = stream_column(source, "x", header=True)
    return np.concatenate([np.empty(0), *stream]), stream.kind, stream.unit


def parquet(cells: list[bytes | None]) -> bytes:
    texts = [None if cell is None else _in_utf_8(cell) for cell in cells]  # other bytes are refused
    file = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array(texts, pa.binary())}), file)
    return file.getvalue()


def _in_utf_8(cell: bytes) -> bytes:
    try:
        return cell.decode().encode()
    except UnicodeDecodeError:
        return cell.decode("cp1252").encode()


def csv(cells: list[bytes | None]) -> bytes:
    """A file with ";" between its columns, so that the decimal mark may stay open."""
    return b"x;y\n" + b"".join(b'"%b";a\n' % (cell or b"") for cell in cells)


def as_bytes(*cells: str) -> list[bytes | None]:
    return [cell.encode() for cell in cells]


@pytest.mark.slow
@pytest.mark.parametrize("write", [parquet, csv])
@given(columns(), st.integers(1, 10), st.lists(st.integers(0, 25), max_size=3))
@example(as_bytes("1,234", "3,14"), 1, [])
@example(as_bytes("01/02/2024", "13/02/2024"), 1, [])
@example(as_bytes("nan(3)", "1 234"), 1, [])
@example([b"5 \x80", b"7 \x80"], 1, [])
@example(as_bytes("1", "1.5", "1,5"), 1, [1, 2])
def test_any_cut_gives_the_same_values_or_the_same_refusal(
    write: Callable[[list[bytes | None]], bytes], cells: list[bytes | None], batch: int, cuts: list[int]
) -> None:
    places = [0, *sorted(min(cut, len(cells)) for cut in cuts), len(cells)]
    files = [write(cells[start:end]) for start, end in pairwise(places)]
    with pytest.MonkeyPatch.context() as patch:
        one_batch = outcome(partial(whole, write(cells)))
        patch.setattr(parquet_module, "BATCH", batch)
        patch.setattr(delimited, "BLOCK", 64 + 16 * batch)
        for read in (whole, streamed):
            found = outcome(partial(read, write(cells)))
            assert found == one_batch or (write is csv and len(found) == len(one_batch) == REFUSED)  # of two faults
        if write is parquet:  # in files of text, each has to look like the others first
            assert outcome(partial(streamed, files)) == one_batch
