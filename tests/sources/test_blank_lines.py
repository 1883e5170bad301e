"""Blank lines of a text, cut into blocks anywhere: the same lines as of the whole, without those at the end."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core.sources.text.blank_lines import InnerLines

PIECES = st.sampled_from(["5", ",", '"', "\n", "\n", "\r", "\r\n", " ", "\t", " \n", "\n\n"])


def handed_out(text: bytes, separator: str, size: int) -> bytes:
    lines = InnerLines(pa.PythonFile(io.BytesIO(text), "r"), separator)
    blocks = list(iter(lambda: lines.read(size), b""))
    assert all(len(block) <= size for block in blocks)
    return b"".join(blocks)


def lines_of(text: bytes, spaces: bytes) -> list[bytes]:
    """The lines as they are for a reader of cells, the blank ones at the end left out."""
    lines = [line.strip(spaces) for line in text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


@given(
    st.lists(PIECES, max_size=16).map(lambda pieces: "".join(pieces).encode()),
    st.sampled_from(",\t"),
    st.integers(1, 9),
)
def test_blocks_of_any_size_hold_the_lines_of_the_whole(text: bytes, separator: str, size: int) -> None:
    spaces = b" " if separator == "\t" else b" \t"
    found = handed_out(text, separator, size)
    assert lines_of(found, spaces) == lines_of(text, spaces)
    ends = found.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert not ends.endswith(b"\n\n")
    assert not any(line and not line.strip(spaces) for line in ends.split(b"\n")), "a blank line is empty"


@pytest.mark.parametrize("text", [b"a\n1\n\n2\n", b"a,b\r\n1, 2\r\n", b" a\t b\n x\ty", b"\n\na\n"])
def test_what_holds_no_line_of_spaces_is_not_changed(text: bytes) -> None:
    assert handed_out(text, "\t" if b"\t" in text else ",", 100) == text
