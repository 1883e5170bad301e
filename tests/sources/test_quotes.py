"""Quotes that join rows are refused, with what to say; quotes that hold cells are read, however the text is cut."""

import csv
import io
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core.errors import DataError
from dpq_core.sources.files import read_column
from dpq_core.sources.text import unpacking
from dpq_core.sources.text.unpacking import TextFile, Watched
from tests.sources.refusals import refused

CELLS = st.text(alphabet='a,"\n ', max_size=4)


@pytest.mark.slow
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.integers(1, 9))
def test_what_a_writer_quotes_is_never_doubted_for_text_behind_it(rows: list[tuple[str, str]], size: int) -> None:
    """However the bytes come, every row that comes back is one that was written, or the file is refused."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("n", "x", "y"), *((1, *row) for row in rows)])
    content = written.getvalue().encode()
    watch = unpacking.QuoteWatch(",")
    for start in range(0, len(content), size):
        watch.see(content[start : start + size])
    watch.see(b"\n")
    assert watch.count == content.count(b'"')
    assert watch.doubtful is any("\n" in cell for row in rows for cell in row)
    with suppress(DataError):
        assert np.array_equal(read_column(content, "n", header=True).values, np.ones(len(rows)))


@given(st.text(alphabet='a,"\n', min_size=1, max_size=24), st.integers(1, 9))
def test_whatever_the_standard_reader_refuses_is_looked_at_twice(text: str, size: int) -> None:
    content, watch = text.encode(), unpacking.QuoteWatch(",")
    for start in range(0, len(content), size):
        watch.see(content[start : start + size])
    watch.see(b"\n")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        assert watch.doubtful or watch.count % 2
        return
    joined = any("\n" in cell for row in rows for cell in row)
    assert watch.doubtful or watch.count % 2 or not joined


def test_a_cell_that_goes_on_for_longer_than_any_is_no_cell() -> None:
    content = b'id,note\n1,"5 in\n' + b"2,b\n" * 40_000 + b'3,"\n' + b"4,c\n" * 9
    with refused("Row 2. A quote opens a cell that is longer"):
        read_column(content, "id", header=True)


@given(
    st.lists(st.sampled_from(["5", ",", '"', "\n", "\r", "\r\n", " ", "\t"]), max_size=16).map("".join),
    st.sampled_from(",\t"), st.integers(1, 9), st.integers(1, 9),
)  # fmt: skip
def test_blocks_hold_all_but_the_blank_lines_at_the_end(text: str, separator: str, held: int, size: int) -> None:
    given = (text[at : at + held].encode() for at in range(0, len(text), held))
    file = TextFile(Watched(given, separator))
    blocks = list(iter(lambda: file.read(size), b""))
    assert b"".join(blocks) == text.rstrip(" \r\n" if separator == "\t" else " \t\r\n").encode()
    assert all(len(block) <= size for block in blocks)
    assert size == 1 or not any(one.endswith(b"\r") and other.startswith(b"\n") for one, other in pairwise(blocks))
