"""Files of every kind that is accepted: the right values, persons and groups, or a refusal that quotes no cell.

Each sample is read in several ways, and all give the same.
"""

import gzip
import io
import os
import pickle
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core.errors import DataError
from dpq_core.sources.column import NumberColumn
from dpq_core.sources.files import Layout, find_layout, read_column, read_rows, stream_column
from dpq_core.sources.reading import AS_WRITTEN, Reading
from tests.sources import samples
from tests.sources.samples import (
    FILES,
    NAMES,
    approved,
    content_of,
    outcome,
    read,
    with_words,  # fmt: skip
)

MESSY = Path(__file__).parents[3] / "shared" / "data" / "messy"
TEXTS = (".csv", ".tsv", ".txt")
IN_EVERY_WAY = (
    "blank_lines_first", "row_too_long", "parquet_names", "spss_labels", "stata_declared_missing", "total_and_source",
    "utf_16",
)  # fmt: skip
IN_OTHER_BYTES = ("quotes_hold_cells_1", "total_and_source")


@pytest.mark.slow(one_in=19)
@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_read_or_refused_as_approved(name: str) -> None:
    content, known = content_of(name), approved(name)
    by_hand = [{"said": {}} | {name: case[name] for name in ("said", "wrong") if name in case} for case in known]
    found = [case | read(content, case["said"]) for case in by_hand]
    if os.environ.get("APPROVE"):
        samples.approve(name, with_words(found, known))
    assert with_words(found, known) == approved(name)


@pytest.mark.slow(keep=IN_EVERY_WAY)
@pytest.mark.parametrize("name", NAMES)
def test_a_sample_means_the_same_in_every_way_of_reading(name: str, tmp_path: Path) -> None:
    """From bytes and from a path, in one piece and in blocks as small as rows allow; all columns and each alone."""
    content, path = content_of(name), FILES.get(name, tmp_path / "no ending")
    if name not in FILES:
        path.write_bytes(content)
    for said in (case["said"] for case in approved(name)):
        found = read(content, said)
        columns = without_ids(found)
        assert without_ids(read(path, said | {"values_only": True})) == columns
        with samples.blocks(content):
            assert read(io.BytesIO(content), said) == found
            if columns:
                streams, together = streamed_and_together(content, said)
                assert together == columns
                assert by_row(streams) == by_row(columns)
                assert as_found(content, said, columns) == columns


def without_ids(found: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {key: value for key, value in each.items() if key not in ("persons", "groups")}
        for name, each in found.get("columns", {}).items()
    }


def as_found(content: bytes, said: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    """What is read of the columns where somebody says what was found of their notation."""
    told = {name: each["reading"] for name, each in columns.items() if "reading" in each}
    return columns | without_ids(read(content, said | {"readings": told, "values_only": True})) if told else columns


def by_row(columns: dict[str, Any]) -> dict[str, Any]:
    """What is read, and of refusals their row: of two faults of a row a stream may name the other."""
    return {name: each["refused"].get("row") if "refused" in each else each for name, each in columns.items()}


def streamed_and_together(content: bytes, said: dict[str, Any]) -> list[dict[str, Any]]:
    """What is read of all columns, each as a stream, and all in one pass."""
    layout = find_layout(content, **samples.of_layout(said))
    layout, readings = pickle.loads(pickle.dumps(layout)), samples.readings_of(said)
    together: Sequence[NumberColumn | DataError]
    try:
        together = read_rows(content, layout.names, layout, readings=readings).columns
    except DataError as error:  # of the only column
        together = [error] * len(layout.names)
    return [
        {name: outcome(partial(streamed, content, name, layout, readings), name) for name in layout.names},
        {name: outcome(lambda each=each: each, name) for name, each in zip(layout.names, together, strict=True)},  # type: ignore[misc]
    ]


def streamed(content: bytes, name: str, layout: Layout, readings: dict[str, Reading]) -> NumberColumn:
    stream = stream_column(content, name, layout=layout, reading=readings.get(name, AS_WRITTEN))
    values = np.concatenate([np.empty(0), *stream])
    if not values.size:  # of several files one may have no rows
        return read_column(content, name, layout=layout)
    return replace(stream.without_values(), values=values)


@pytest.mark.slow(keep=IN_OTHER_BYTES)
@pytest.mark.parametrize("name", sorted(name for name in FILES if FILES[name].suffix in TEXTS))
def test_a_text_means_the_same_in_other_encodings_line_ends_and_packings(name: str) -> None:
    content = content_of(name)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pytest.skip("of bytes that are no UTF-8")
    for case in approved(name):
        found = in_words(read(content, case["said"]))
        ways = [text.encode("utf-8-sig"), text.encode("utf-16"), gzip.compress(content, mtime=0)]
        if "\r" not in text:
            ways += [text.replace("\n", end).encode() for end in ("\r\n", "\r")]
        for way in ways:
            assert in_words(read(way, case["said"])) == found


def in_words(found: Any) -> Any:
    """What was found without the encoding, and without the place of a byte in it."""
    if isinstance(found, dict):
        return {name: in_words(each) for name, each in found.items() if name not in ("encoding", "byte")}
    return found


@pytest.mark.skipif(not MESSY.exists(), reason="the folder of files that users found is not on this machine")
def test_files_that_users_found_are_among_the_samples() -> None:
    known = {path.read_bytes() for path in FILES.values()}
    assert [path.name for path in MESSY.iterdir() if path.suffix != ".py" and path.read_bytes() not in known] == []
