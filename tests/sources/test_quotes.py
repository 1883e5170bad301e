"""Quotes that join rows are refused, with what to say; quotes that hold cells are read, however the text is cut."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core.errors import DataError, ParameterError
from dpq_core.sources.files import find_layout, read_column
from dpq_core.sources.text import second_look
from dpq_core.sources.text.second_look import look_again


def test_quoting_is_said_of_texts_only(tmp_path: object) -> None:
    with pytest.raises(ParameterError) as caught:
        find_layout(b"id,n\n1,2\n", quoting="no")  # type: ignore[arg-type]
    assert caught.value.name == "quoting"


CELLS = st.text(alphabet='a,"\n ', max_size=4)


@pytest.mark.slow
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.integers(1, 9), st.integers(2, 7))
def test_what_a_writer_quotes_is_never_doubted_for_text_behind_it(
    rows: list[tuple[str, str]], size: int, piece: int
) -> None:
    """However the bytes come, every row that comes back is one that was written, or the file is refused."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("n", "x", "y"), *((1, *row) for row in rows)])
    content = written.getvalue().encode()
    watch = second_look.QuoteWatch(",")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_look, "PIECE", piece)
        for start in range(0, len(content), size):
            watch.see(content[start : start + size])
        watch.end()
    assert watch.count == content.count(b'"')
    assert watch.doubtful is any("\n" in cell for row in rows for cell in row)
    with suppress(DataError):
        assert np.array_equal(read_column(content, "n", header=True).values, np.ones(len(rows)))


@given(st.text(alphabet='a,"\n', min_size=1, max_size=24), st.integers(1, 9))
def test_whatever_the_standard_reader_refuses_is_looked_at_twice(text: str, size: int) -> None:
    content, watch = text.encode(), second_look.QuoteWatch(",")
    for start in range(0, len(content), size):
        watch.see(content[start : start + size])
    watch.end()
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        assert watch.doubtful or watch.count % 2
        return
    joined = any("\n" in cell for row in rows for cell in row)
    assert watch.doubtful or watch.count % 2 or not joined


def by_the_standard_reader(text: str, width: int) -> tuple[str, int]:
    """What `csv` finds of the quotes, row by row: nothing, or what is wrong, and in which row."""
    used: list[str] = []

    def noted() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            used.append(line)
            yield line

    row = 1
    try:
        for _ in csv.reader(noted(), strict=True):
            if len(used) > 1 and width > 1 and all(line.count(",") == width - 1 for line in used):
                return second_look.SWALLOWED, row
            used.clear()
            row += 1
    except csv.Error as error:
        return ("open", 0) if "unexpected end" in str(error) else (second_look.BEHIND, row)
    return "", 0


@given(st.text(alphabet='aé,"\n\r', min_size=1, max_size=40), st.integers(1, 3), st.integers(1, 9))
def test_a_second_look_finds_what_the_standard_reader_finds_row_by_row(text: str, width: int, size: int) -> None:
    content = text.encode()
    blocks = [content[start : start + size] for start in range(0, len(content), size)]
    look = look_again(blocks, ",", width, first_row=1)
    found = (str(look.error), look.error.row) if look.error else ("open", 0) if look.may_be_open else ("", 0)
    assert found == by_the_standard_reader(text, width)


def test_a_cell_that_goes_on_for_longer_than_any_is_no_cell() -> None:
    content = b'id,note\n1,"5 in\n' + b"2,b\n" * 40_000 + b'3,"\n'
    look = look_again([content], ",", 3, first_row=1)
    assert look.error is not None
    assert (str(look.error), look.error.row) == (second_look.BEHIND, 2)
