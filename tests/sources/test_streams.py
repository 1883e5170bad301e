"""Streams: the same numbers as the whole-file readers, in little memory, or one clear sentence and no half result."""

import bz2
import gzip
import io
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpq_core import Column, DataError, Domain, ParameterError
from dpq_core.sources import parquet as parquet_module
from dpq_core.sources.files import find_first_layout, find_layout, read_column, stream_column
from dpq_core.sources.reading import Reading
from dpq_core.sources.text import delimited, unpacking
from tests.sources.made import parquet, workbook
from tests.sources.names import list_columns
from tests.sources.refusals import refused

CANARY = "zq7canary"


def streamed(source: Any, column: str = "x", **said: Any) -> list[float]:
    """What a stream of the column yields, in one list."""
    return list(map(float, np.concatenate([np.empty(0), *stream_column(source, column, **said)])))


def pack(content: bytes, codec: str) -> bytes:
    if codec in ("gzip", "bz2"):
        return gzip.compress(content, mtime=0) if codec == "gzip" else bz2.compress(content)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(content)
    return bytes(sink.getvalue())


def rows_of(cells: list[str], header: str = "x,y", tail: str = ",1") -> bytes:
    return "\n".join([header, *(cell + tail for cell in cells), ""]).encode()


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "BLOCK", 64)
    monkeypatch.setattr(parquet_module, "BATCH", 7)


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd", "lz4"])
def test_compressed_text(codec: str) -> None:
    content = rows_of([str(k) for k in range(5000)])
    packed = pack(content, codec)
    assert list_columns(packed) == ("x", "y")
    assert read_column(packed, "x").values.tolist() == list(range(5000))
    assert streamed(packed) == list(range(5000))


def test_folders_and_lists_are_one_column(tmp_path: Path) -> None:
    """A partitioned folder in the order of its paths, and a list of files of different formats in its own order."""
    for year, start in (("2023", 0), ("2024", 10)):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(pa.table({"x": range(start, start + 10)}), tmp_path / f"year={year}" / "part-0.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "_metadata.parquet").write_bytes(b"no data")
    (tmp_path / "notes.pdf").write_bytes(b"no data")
    shares: list[float] = []
    stream = stream_column(tmp_path, "x", progress=shares.append)
    assert find_first_layout(tmp_path).names == ("x",)
    assert stream.rows == 20
    assert np.concatenate(list(stream)).tolist() == list(range(20))
    assert shares == sorted(shares)
    assert shares[-1] == 1
    mixed: list[bytes | Path] = [rows_of(["1", "2"]), tmp_path, pack(rows_of(["3"]), "zstd")]
    assert streamed(mixed) == [1, 2, *range(20), 3]


def test_a_file_or_a_row_group_without_rows_ends_no_stream(tmp_path: Path) -> None:
    """Rows below it would be missing from the number of records."""
    schema = pa.schema({"x": pa.int64()})
    for number, groups in enumerate([[1], [], [0, 2, 0, 3]]):
        with pq.ParquetWriter(tmp_path / f"{number}.parquet", schema) as writer:
            for rows in groups:
                writer.write_table(pa.table({"x": pa.array([number] * rows, pa.int64())}))
    assert streamed(tmp_path) == [0, 2, 2, 2, 2, 2]
    texts = [rows_of(["1"]), b"x,y\n", rows_of(["2", "3"])]
    assert streamed(texts, header=True) == [1, 2, 3]


def test_a_later_file_has_a_layout_of_its_own() -> None:
    first, later = b"A title\n\nage;size\n34;1,5\n;2,5\n", b"size;age\n3,5;7\n"
    batches = list(stream_column([first, later], "size", layout=find_first_layout(first)))
    assert [batch.tolist() for batch in batches] == [[1.5, 2.5], [3.5]]


def test_what_was_said_of_the_first_file_holds_for_the_others() -> None:
    """There is nowhere else to say it; of other formats as far as they have it."""
    texts = [b"x^y\n%d^1\n" % number for number in (3, 4)]
    sheets = [workbook([["x"], [9]], [["x"], [number]]) for number in (5, 6)]
    assert streamed(texts, layout=find_layout(texts[0], separator="^")) == [3, 4]
    assert streamed([*sheets, rows_of(["7"])], layout=find_layout(sheets[0], sheet="Sheet2")) == [5, 6, 7]


def test_how_cells_are_written_is_said_of_files_of_every_format_once() -> None:
    """A code for missing is one among the numbers of the file, not among the percentages that they become."""
    files = [workbook([["x"], [7], [0.5]]), rows_of(["7", "0.5"]), parquet({"x": pa.array([7, 0.5])})]
    for order in permutations(files):
        found = streamed(list(order), reading=Reading(percent=True, missing_codes=(7, 50)))
        assert np.array_equal(found, [np.nan, 50] * 3, equal_nan=True)


@pytest.mark.slow
def test_a_sample_of_a_stream_is_the_sample_of_the_column(tmp_path: Path) -> None:
    domain = Domain(0, 100, "0.5")
    path = tmp_path / "x.csv"
    path.write_bytes(rows_of([*(f"{k / 7:.2f}" for k in range(300_000)), "", "NA"]))
    whole = Column.from_values(read_column(path, "x").values, domain, seed=5)
    streamed = Column.from_values(iter(stream_column(path, "x")), domain, seed=5)
    np.testing.assert_array_equal(streamed.cells, whole.cells)
    assert streamed.dropped == whole.dropped == 2


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(("content", "sentence"), [
    (rows_of([*["1"] * 100, CANARY]), r"Row 102\. A cell is not a number"),
    (rows_of([*["1"] * 100, "5 %"]), "is written differently"),
    (rows_of([*["1.5"] * 100, "2024-01-31"]), "is written differently"),
    (rows_of([*["1.5"] * 100, "3,14"], "x;y", ";1"), "is written differently"),
    (rows_of([*["1.234"] * 100, "7"], "x;y", ";1"), "thousands or decimals"),
    (rows_of([*["5 €"] * 100, "1.234 €"], "x;y", ";1"), "thousands or decimals"),
    (rows_of([*["2024-01-31"] * 100, "2024-02-30"]), "is a date that does not exist"),
    (rows_of(["01/02/2024"] * 100), "day first or month first"),
    (rows_of(["1"] * 100)[:-3], r"Row 101\. A row does not have as many cells"),
    (rows_of([*["1"] * 100, f'"{CANARY}']), r"Row 102\. A row opens a quote that is never closed"),
])  # fmt: skip
def test_text_that_changes_on_the_way_is_refused(content: bytes, sentence: str) -> None:
    with refused(sentence) as caught:
        streamed(content)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd", "lz4"])
def test_a_compressed_file_cut_off_anywhere_is_refused(codec: str) -> None:
    rng = np.random.default_rng(0)
    packed = pack(rows_of([str(value) for value in rng.integers(0, 10**6, 20_000)]), codec)
    for cut in (30, len(packed) // 2, len(packed) - 9, len(packed) - 1):
        with pytest.raises(DataError):
            streamed(packed[:cut])


def test_a_parquet_file_cut_off_is_refused_before_the_first_batch(tmp_path: Path) -> None:
    whole = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": range(10_000)}), whole)
    cut = tmp_path / "b.parquet"
    cut.write_bytes(whole.read_bytes()[:-100])
    with refused(r"File 2 of 2: The file cannot be read: it is damaged, cut short"):
        stream_column([whole, cut], "x")


def test_files_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    number, date = rows_of(["1"]), rows_of(["2024-01-31"])
    with refused(r"^Row 2\. File 2 of 2: A cell is written differently"):
        streamed([number, date])
    file = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array([0], pa.date32())}), file)
    with refused("same kind of values"):
        stream_column([number, file], "x")
    with refused("semicolon"):
        stream_column([number, rows_of(["1"], "x;y", ";1")], "x")
    with refused("File 2 of 2: It has no column"):
        stream_column([number, rows_of(["1"], "z,y")], "x")
    with pytest.raises(ParameterError, match="column"):
        stream_column(number, "z")
    with refused("no file to read"):
        stream_column(tmp_path, "x")


@pytest.mark.slow
def test_a_file_that_unpacks_to_far_more_than_its_size_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "ALWAYS_UNPACKED", 1 << 20)
    for codec in ("gzip", "bz2", "zstd"):
        bomb = pack(rows_of(["1"] * 800_000), codec)
        with refused("unpacks to more than 200 times its size"):
            streamed(bomb)


MEASURE = """
import sys
from dpq_core import Domain, GKSketch
from dpq_core.sources.files import stream_column
def most():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
path, times = sys.argv[1], int(sys.argv[2])
sketch = GKSketch(0.001, Domain(-10, 10, "0.001"), 10**9)
start = most()
for batch in stream_column([path] * times, "x"):
    sketch.update(batch)
print(sketch.n, (most() - start) // 1024)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Forty million rows, twice one row group of 160 MB of cells."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not say how much memory was used")
    path, values = tmp_path / "one_group.parquet", np.random.default_rng(0).normal(size=1_000_000)
    pq.write_table(pa.table({"x": np.tile(values, 20)}), path, row_group_size=20_000_000)
    command = [sys.executable, "-c", MEASURE, str(path), "2"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    rows, added = map(int, found)
    assert rows == 40_000_000
    assert added < 120  # where a row group is held, 210
