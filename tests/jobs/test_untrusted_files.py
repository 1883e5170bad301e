"""Files that end their reader: the child is gone, the server is not, and one sentence says so."""

import io
import pickle
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpq_core.errors import DataError
from dpq_core.jobs import queue as module
from dpq_core.jobs.children import report
from dpq_core.jobs.queue import LARGE, NO_USE, POOL, SMALL, SMALL_BYTES, Job, begin_reading, read_apart
from dpq_core.sources.column import NumberColumn
from dpq_core.sources.files import find_layout, read_column, read_rows
from dpq_core.sources.formats.reader import Layout
from tests.jobs.test_queue import wait
from tests.pages.driving import open_page, run, words
from tests.sources.names import list_columns

ABORTS = Path(__file__).with_name("aborts_pyarrow.parquet")
"""491 bytes, made by mutation: asking for the metadata of its column aborts pyarrow 22 to 26."""
ABORTS_SPSS = Path(__file__).with_name("aborts_readstat.sav")
"""971 bytes, made by mutation: looking for its variables aborts pyreadstat 1.3.7."""
TEXT = b"age,size\n23,1\n31,2\nx,3\n"


def compute(source: Any) -> int:
    return sum(1 for _ in range(10**12))


def fill(source: Any) -> int:
    return len(bytearray(4 << 30))


def ended(job: Job) -> Job:
    """A job that was waited for as a page does, however long: it gives way to all else on a machine that is busy."""
    with suppress(ValueError):
        job.wait()
    return job


@pytest.mark.slow
def test_what_is_read_in_a_child_is_what_is_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"age,size\n23,1\n31,2\n,3\n"
    (apart,), *_ = read_apart(read_rows, content, ["age"], find_layout(content))
    here = read_column(content, "age")
    assert isinstance(apart, NumberColumn)
    assert np.array_equal(apart.values, here.values, equal_nan=True)
    (tmp_path / "own.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert read_apart(find_layout, "own.csv").names == list_columns(content) == ("age", "size")


def test_an_error_comes_back_with_all_that_it_carries() -> None:
    (bad, _), *_ = read_apart(read_rows, TEXT, ["age", "size"], find_layout(TEXT))
    with pytest.raises(DataError) as alone:
        read_apart(read_rows, TEXT, ["age"], find_layout(TEXT))
    assert isinstance(bad, DataError)
    assert bad.row == alone.value.row == 4


@pytest.mark.slow(keep="a survey")
@pytest.mark.parametrize("read", [
    (read_rows, ABORTS, ["c0"], Layout(("c0",), module="parquet")), (find_layout, ABORTS_SPSS),
], ids=["Parquet", "a survey"])  # fmt: skip
def test_a_file_that_aborts_its_reader_ends_the_child_alone(read: Any) -> None:
    steps, path, *others = read
    with pytest.raises(ValueError, match="breaks the reader") as dead:
        read_apart(steps, path.read_bytes(), *others)
    assert str(dead.value) == NO_USE


def tell(source: Any, *, progress: Callable[[float], object]) -> None:
    progress(0.25)
    compute(source)


def test_a_look_tells_its_progress_before_its_end() -> None:
    job = begin_reading(tell, b"", progress=report)
    wait(lambda: job.share == 0.25)
    job.cancel()
    report(0.5)  # in no child: nothing happens
    assert job.parts == []


@pytest.mark.slow(keep="time")
@pytest.mark.parametrize(("seconds", "work"), [(0.2, compute), (600, fill)], ids=["time", "memory"])
def test_a_look_is_bounded_in_time(monkeypatch: pytest.MonkeyPatch, seconds: float, work: Callable[..., Any]) -> None:
    monkeypatch.setattr(module, "SMALL", replace(SMALL, seconds=seconds))
    monkeypatch.setattr(POOL.nursery, "memory", 2 << 30)
    assert ended(begin_reading(work, b"")).problem == NO_USE


@pytest.mark.slow
def test_on_the_page_it_is_one_sentence_and_another_file_can_be_brought() -> None:
    visit = open_page(data="file")
    visit.file_uploader[0].upload("broken.parquet", ABORTS.read_bytes())
    run(visit)
    run(visit.button(key="dpq_read").click())
    wait(lambda: "breaks the reader" in words(run(visit)))
    assert "Read this column" in [button.label for button in visit.button]


def parquet(rng: random.Random) -> bytes:
    file = io.BytesIO()
    table = pa.table({"c0": [str(k) for k in range(9)], "c1": list(range(9))})
    pq.write_table(table, file, compression=rng.choice(["none", "snappy", "zstd"]))
    return file.getvalue()


def workbook(rng: random.Random) -> bytes:
    file, book = io.BytesIO(), openpyxl.Workbook()
    for row in (["c0", "c1"], *([k, str(k)] for k in range(9))):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def text(rng: random.Random) -> bytes:
    return rng.choice([TEXT, b"c0;c1\n1,5;2\n" * 5, "größe\n1\n2\n".encode("utf-16"), b"1\n2\n\n3\n"])


def mutated(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        place = rng.randrange(len(changed))
        match rng.randrange(4):
            case 0:
                changed[place] ^= 1 << rng.randrange(8)
            case 1:
                changed[place] = rng.randrange(256)
            case 2:
                del changed[place : place + rng.randrange(1, 9)]
            case _:
                changed[place:place] = rng.randbytes(rng.randrange(1, 9))
        if not changed:
            break
    return bytes(changed)


def read_all(source: io.BytesIO) -> int:
    """How many of many files end in anything but a column or a documented error."""
    unexpected = 0
    for content in pickle.load(source):
        try:
            for header in (None, True):
                for name in list_columns(content, header=header):
                    read_column(content, name, header=header)
        except ValueError:
            continue
        except Exception:
            unexpected += 1
    return unexpected


@pytest.mark.slow
@pytest.mark.parametrize(("make", "batches"), [(parquet, 20), (workbook, 10), (text, 10)])
def test_mutated_files_end_a_child_at_the_most(make: Callable[[random.Random], bytes], batches: int, day: int) -> None:
    """Others each day."""
    rng = random.Random(day)
    for _ in range(batches):
        files = [mutated(make(rng), rng) for _ in range(50)]
        job = ended(begin_reading(read_all, pickle.dumps(files)))
        assert job.result == 0 or job.problem == NO_USE, job.problem


@pytest.mark.slow
def test_of_listed_groups_no_other_name_leaves_the_child() -> None:
    content = b"id,pay,office,sex\nA7,10,north,f\nA7,20,harbour 17,m\nB9,30,south,f\n"
    layout = read_apart(find_layout, content, header=True)
    by = {"office": ["south", "north"], "sex": None}
    _, people, (office, sex) = read_apart(read_rows, content, ["pay"], layout, "id", by)
    assert people is not None
    assert people.codes.tolist() == [0, 0, 1]
    assert (office.found, office.codes.tolist()) == (("south", "north"), [1, -1, 0])
    assert (sex.found, sex.codes.tolist()) == (("f", "m"), [0, 1, 0])


@pytest.mark.parametrize(("bytes_more", "small"), [(0, True), (1, False)])
def test_a_file_is_small_by_its_bytes(bytes_more: int, small: bool, read_in_place: None) -> None:
    content = b"a\n1\n"
    job = begin_reading(find_layout, content.ljust(SMALL_BYTES + bytes_more, b"\n"))
    assert job.kind == (SMALL if small else LARGE)
    wait(lambda: job.finished)
