"""Where the columns of a file are is found once, and reading goes by it, in any process."""

from __future__ import annotations

import gzip
import io
import pickle
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter

from dpq_core.sources.files import find_layout, read_column
from dpq_core.sources.formats.known import FORMATS
from dpq_core.sources.streams import find_first_layout, stream_column

CSV = b"A title\n\nage;size\n34;1,5\n;2,5\n"


def workbook() -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate([["A title"], [], ["age", "size"], [34, 1.5], [None, 2.5]]):
            sheet.write_row(at, 0, row)
    return file.getvalue()


def columns() -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table({"age": [34, None], "size": [1.5, 2.5]}), file)
    return file.getvalue()


def survey() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        pyreadstat.write_sav(pd.DataFrame({"age": [34, None], "size": [1.5, 2.5]}), Path(folder) / "a.sav")
        return (Path(folder) / "a.sav").read_bytes()


def never(*_: object) -> None:
    raise AssertionError("the layout is known")


FILES = [CSV, CSV.decode().encode("utf-16"), gzip.compress(CSV), workbook(), columns(), survey()]


@pytest.mark.parametrize("content", FILES, ids=["utf-8", "utf-16", "gzip", "excel", "parquet", "spss"])
def test_a_layout_is_found_once_for_every_reading(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = pickle.loads(pickle.dumps(find_layout(content)))
    assert layout == find_first_layout([content])
    assert layout.names == ("age", "size")
    for each in FORMATS:
        monkeypatch.setattr(type(each.reader()), "find_layout", never)
    assert read_column(content, "size", layout=layout).values.tolist() == [1.5, 2.5]
    assert [batch.tolist() for batch in stream_column(content, "size", layout=layout)] == [[1.5, 2.5]]


def test_a_later_file_has_a_layout_of_its_own() -> None:
    other = b"size;age\n3,5;7\n"
    batches = list(stream_column([CSV, other], "size", layout=find_layout(CSV)))
    assert [batch.tolist() for batch in batches] == [[1.5, 2.5], [3.5]]
