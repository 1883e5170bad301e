"""Several columns of a file are read as one by one, those of a text in one pass."""

from __future__ import annotations

import gzip
import io
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpq_core.errors import DataError
from dpq_core.sources import files
from dpq_core.sources.column import Column
from dpq_core.sources.text import delimited

ROWS = [("age", "pay", "name", "day"), ("31", "1,5", "Ann", "2024-01-31"), ("", "2,5", "Bo", "2024-02-01")] + [
    ("40", "7,25", "Cy", "2023-12-24")
] * 50
TEXT = "\n".join(";".join(row) for row in ROWS).encode()
TABLE = pa.table({"age": [31.0, None, 40.0], "name": ["Ann", "Bo", "Cy"], "n": [1, 2, 3]})


def parquet():
    file = io.BytesIO()
    pq.write_table(TABLE, file)
    return file.getvalue()


@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT), parquet()], ids=["text", "packed", "parquet"])
def test_each_column_is_what_it_is_alone(content):
    layout = files.find_layout(content)
    found = files.read_columns(content, layout.names, layout)
    for name, column in zip(layout.names, found, strict=True):
        if name == "name":
            assert isinstance(column, DataError)
            with pytest.raises(DataError, match=re.escape(str(column))):
                files.read_column(content, name)
            continue
        alone = files.read_column(content, name)
        assert isinstance(column, Column)
        assert (column.name, column.kind, column.unit, column.missing) == (
            alone.name,
            alone.kind,
            alone.unit,
            alone.missing,
        )
        assert np.array_equal(column.values, alone.values, equal_nan=True)


def test_a_text_is_passed_over_once(monkeypatch):
    passes = []
    original = delimited._batches

    def counted(*given):
        passes.append(1)
        return original(*given)

    monkeypatch.setattr(delimited, "_batches", counted)
    layout = files.find_layout(TEXT)
    shares: list[float] = []
    found = files.read_columns(TEXT, layout.names, layout, shares.append)
    assert len(found) == 4
    assert passes == [1]
    assert 0 < max(shares) <= 1


def test_a_row_that_is_too_short_is_told_for_each():
    broken = TEXT + b"\n1;2"
    layout = files.find_layout(TEXT)
    found = files.read_columns(broken, layout.names, layout)
    assert {str(each) for each in found} == {str(found[0])}
    assert "does not have as many cells" in str(found[0])
