"""Two cells are one person, or one group, only where the file or the frame says that they are equal.

Each format and each kind of frame gets cells that all differ, and has to tell all of them apart, or to refuse them.
"""

import datetime as dt
import io
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import DataError, People
from dpq_core.cluster.ids import by_words, words_of
from dpq_core.groups.names import names_in
from dpq_core.noise.tie_breaking import Key
from dpq_core.sources.files import find_layout, read_column, read_groups, read_people
from dpq_core.sources.text import unpacking
from dpq_core.sources.text.characters import in_utf_8
from dpq_core.texts import name_in_file
from tests.sources.made import parquet

BIG, DAY = 2**53, dt.date(2024, 1, 31)
NOON = dt.datetime(2024, 1, 31, 12)
LETTERS = "aAbß1é０.,-_'()\u3042ﾊｱ日本語\u212bЖ"
TEXTS = st.lists(
    st.text(LETTERS, min_size=1, max_size=6).map(name_in_file).filter(bool), min_size=2, max_size=30, unique=True
)
"""Texts that the documented rule for names leaves as they are: they differ by more than blanks, accents and zeros."""


def lines(cells: list[str], encoding: str) -> bytes:
    """A file of text with one cell in each row, in quotes."""
    return ("id,v\n" + "".join(f'"{cell}",{row}\n' for row, cell in enumerate(cells))).encode(encoding)


def persons_and_groups(content: bytes, **said: Any) -> tuple[int, int]:
    """How many persons and groups a file has."""
    layout = find_layout(content, **said)
    groups = read_groups(content, "id", layout=layout)
    return read_people(content, "id", layout=layout).count, len(set(groups.codes.tolist()) - {-1})


def sheet(cells: list[Any]) -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in (["id", "v"], *([cell, 1] for cell in cells)):
        page.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp932", "shift_jis", "euc_jp", "gb18030", "cp1250",
             "cp1251", "cp1252", "cp850", "cp949", "big5hkscs", "iso2022_jp", "mac-roman", "koi8-r"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
@given(TEXTS)
def test_an_encoding_that_is_said_tells_all_texts_apart_that_it_has(encoding: str, cells: list[str]) -> None:
    own = [cell for cell in cells if cell.encode(encoding, "ignore").decode(encoding) == cell]
    for cells_there in (own, own + own):
        if own:
            found = persons_and_groups(lines(cells_there, encoding), header=True, encoding=encoding, fill_down=False)
            assert found == (len(_persons(own)), len(own))


def _persons(cells: list[str]) -> list[str]:
    """Those that are ids: a word or sign for a missing value is none."""
    return [cell for cell in cells if cell.lower() not in {"-", "--", ".", ".."}]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
@given(TEXTS)
def test_an_encoding_that_nobody_says_makes_no_two_texts_one(encoding: str, cells: list[str]) -> None:
    """Whatever the bytes are: all are told apart, or the file is refused."""
    own = [cell for cell in cells if cell.encode(encoding, "ignore").decode(encoding) == cell]
    try:
        found = persons_and_groups(lines(own, encoding), header=True)
    except DataError:
        return
    assert found[1] >= len(own)
    assert found[0] >= len(_persons(own))


@pytest.mark.slow
@given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=12, unique=True))
def test_bytes_that_differ_are_told_apart_or_refused(ids: list[bytes]) -> None:
    """Any bytes but those of the layout and of blanks of ASCII."""
    own = list(dict.fromkeys(each.translate(None, bytes(range(0x21)) + b'",;|-.?0\x7f') for each in ids))
    own = [each for each in own if each and each.lower() not in {b"na", b"nil"}]
    content = b"id,v\n" + b"".join(b'"%b",1\n' % each for each in own)
    try:
        texts = content.decode()
    except UnicodeDecodeError:
        texts = ""
    names = {name_in_file(line.partition('"')[2].rpartition('"')[0]) for line in texts.splitlines()[1:]}
    try:
        found = persons_and_groups(content, header=True)
    except DataError:
        return
    assert found == (len(names - {None}),) * 2 if texts else found == (len(own), len(own))


def test_a_file_of_shift_jis_is_refused_with_its_row_and_byte_and_read_where_that_is_said() -> None:
    ids = [chr(0x30A2 + at % 60) + chr(0x4E00 + at) for at in range(60)]
    ids = [cell for cell in ids if cell.encode("shift_jis", "ignore").decode("shift_jis") == cell]
    content = lines(ids, "shift_jis")
    undefined = next(at for at, byte in enumerate(content) if byte in b"\x81\x8d\x8f\x90\x9d")
    with pytest.raises(DataError, match="not UTF-8 or Windows-1252") as refused:
        find_layout(content, header=True)
    assert refused.value.byte == undefined + 1
    assert refused.value.row == content[:undefined].count(b"\n") + 1
    assert refused.value.where == f"Row {refused.value.row:,}, byte {undefined + 1:,} of the file."
    assert [way.name for way in refused.value.remedies] == ["encoding"]
    assert str(refused.value.row) not in str(refused.value)
    assert persons_and_groups(content, header=True, encoding="shift-jis") == (len(ids), len(ids))
    with pytest.raises(DataError, match="not Windows-1250"):
        find_layout(content + b"\x81\x81\n", header=True, encoding="cp1250")


def test_a_byte_without_a_character_is_refused_far_below_what_is_looked_at_for_the_separator() -> None:
    with pytest.raises(DataError, match="no character") as refused:
        find_layout(b"id\n" + b"x\n" * 1_000_000 + b"\x81\n", header=True)
    assert refused.value.byte == 2_000_004


def test_a_windows_file_is_said_to_be_one_and_a_letter_far_below_counts() -> None:
    content = b"id,v\n" + b"x,1\n" * 1_000_000 + "Müller,2\n".encode("cp1252")
    layout = find_layout(content)
    column = read_column(content, "v", layout=layout)
    assert column.encoding == "Windows-1252"
    assert read_groups(content, "id", layout=layout).found == ("x", "Müller")
    assert read_column(content.replace(b"\xfc", b"u"), "v").encoding == ""


def test_later_files_are_read_in_the_encoding_that_was_said_of_the_first(tmp_path: Path) -> None:
    for at, cells in enumerate((["Ж"], ["Я"])):
        (tmp_path / f"{at}.csv").write_bytes(lines(cells, "cp1251"))
    first = find_layout(tmp_path / "0.csv", header=True, encoding="cp1251")
    assert read_groups(tmp_path, "id", header=True, layout=first).found == ("Ж", "Я")


def test_a_character_that_is_cut_by_a_block_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "ab€é".encode() + b"\xe2" + b"cd"
    for size in range(1, len(content) + 1):
        monkeypatch.setattr(unpacking, "BLOCK", size)
        with pytest.raises(DataError) as refused:
            list(in_utf_8(pa.BufferReader(content), "utf-8"))
        assert refused.value.byte == 8
        for encoding in ("utf-8", "cp932", "utf-16-le"):
            text = in_utf_8(pa.BufferReader("aあЖ\nｱ".encode(encoding)), encoding)
            assert b"".join(text) == "aあЖ\nｱ".encode()


@pytest.mark.parametrize("cells", [np.array([1.0, BIG]), np.array([1, 2**24], np.float32), np.array([2048.0], "e")])
def test_whole_numbers_that_were_rounded_are_refused(cells: Any) -> None:
    frames = (cells, pd.Series(cells), pa.array(cells))
    for frame in frames:
        for read in (People.of, names_in, lambda ids: words_of(ids, 1, Key(), whole=False)):
            with pytest.raises(DataError, match="rounded"):
                read(frame)
    assert People.of(cells / 2).count == cells.size


MOMENTS = [1, 2, 1_001, 1_698_534_000 * 10**9, 1_698_537_600 * 10**9, 1_698_541_200 * 10**9, 1_698_544_800 * 10**9]
"""Nanoseconds; the last ones around the end of summer time in Berlin."""
ARROW: dict[str, Callable[[], pa.Array]] = {
    "whole numbers": lambda: pa.array([BIG, BIG + 1, -BIG, 2**63 - 1, None], pa.int64()),
    "large whole numbers": lambda: pa.array([2**64 - 1, 2**64 - 2, BIG + 1, BIG, None], pa.uint64()),
    "floats": lambda: pa.array([0.1 + 0.2, 0.3, 1e-7, 1e-300, 0.1, 1.5, 2.0, 5e-324, -1.0]),
    "whole floats that were rounded": lambda: pa.array([float(BIG), 1.0]),
    "floats of 32 bits": lambda: pa.array([0.1, 0.2, 3.0, 16_777_215.0], pa.float32()),
    "rounded floats of 32 bits": lambda: pa.array([16_777_216.0, 1.0], pa.float32()),
    "decimals": lambda: pa.array([Decimal("0.1"), Decimal("0.10000000000000000000000000001"), Decimal(1)]),
    "wide decimals": lambda: pa.array([Decimal(2**200), Decimal(2**200 + 1)], pa.decimal256(70)),
    "truth values": lambda: pa.array([True, False, None]),
    "texts": lambda: pa.array(["a\0b", "a\0c", "a", "A", "ｱ", "ア", "1", "01", "1.5", "1.50", "ß", "ss", "I"]),
    "texts of a dictionary": lambda: pa.array(["a", "A", "b", "a\0"]).dictionary_encode(),
    "numbers of a dictionary": lambda: pa.array([BIG, BIG + 1, 3]).dictionary_encode(),
    "days": lambda: pa.array([0, 1, -700_000], pa.int32()).cast(pa.date32()),
    "moments": lambda: pa.array(MOMENTS, pa.timestamp("ns")),
    "moments of a zone": lambda: pa.array(MOMENTS, pa.timestamp("ns", "Europe/Berlin")),
    "durations": lambda: pa.array([1, 2, 1_001, 10**9], pa.duration("ns")),
    "times of day": lambda: pa.array([1_000, 2_000, 10**9], pa.time64("ns")),
    "fine times of day": lambda: pa.array([1, 2, 1_001], pa.time64("ns")),
    "bytes": lambda: pa.array([b"a ", b" a", b"a", b"\x81", b"\x8d", b"a\0", b"a\0\0"]),
    "bytes of one length": lambda: pa.array([b"a ", b" a", b"\x81\x81", b"\xff\xff"], pa.binary(2)),
    "UUIDs": lambda: pa.array([uuid.UUID(int=at).bytes for at in (1, 2)], pa.uuid()),
}  # fmt: skip


def of_polars(values: list[Any], kind: str | None = None) -> Any:
    polars = pytest.importorskip("polars")
    return polars.Series(values, dtype=kind and getattr(polars, kind))


FRAMES: dict[str, Callable[[], Any]] = {
    **ARROW,
    "times of polars": lambda: of_polars([1, 2, 1_001], "Int64").cast(of_polars([], "Time").dtype),
    "large numbers of polars": lambda: of_polars([BIG, BIG + 1], "Int128"),
    "objects of polars": lambda: of_polars([(1,), (2,)], "Object"),
    "bytes of polars": lambda: of_polars([b"a ", b" a", b"a"]),
    "categories of polars": lambda: of_polars(["a", "A", "a\0"], "Categorical"),
    "numbers that may be missing": lambda: pd.Series([BIG, BIG + 1, None], dtype="Int64"),
    "numbers that became floats": lambda: pd.Series([BIG, BIG + 1, None]),
    "objects": lambda: pd.Series([1, "01", 1.5, Decimal("1.50000000000000000001"), b"1", (1,), DAY, str(DAY),
                                  uuid.UUID(int=1), 1 << 64, (1 << 64) + 1, "\ud800", "\ud801"], dtype=object),
    "categories": lambda: pd.Series(pd.Categorical([1, "1", "a", "A"])),
    "moments of pandas": lambda: pd.Series(np.array([1, 2, 1_001], "M8[ns]")),
    "moments of a zone of pandas": lambda: pd.Series(np.array(MOMENTS, "M8[ns]")).dt.tz_localize("UTC"),
    "periods": lambda: pd.Series(pd.period_range("2024-01", periods=3, freq="M")),
    "texts of a fixed length": lambda: np.array(["a", "A", "ab"]),
    "bytes of a fixed length": lambda: np.array([b"a ", b" a", b"a"]),
    "numbers of 128 bits": lambda: np.array([BIG, BIG + 1], np.longdouble),
}  # fmt: skip


REFUSED = {
    "whole floats that were rounded", "rounded floats of 32 bits", "fine times of day", "bytes", "bytes of one length",
    "UUIDs", "durations", "categories", "times of polars", "large numbers of polars", "numbers that became floats",
    "periods", "objects of polars",
}  # fmt: skip
"""Kinds of cells that may be refused."""


@pytest.mark.parametrize("kind", FRAMES)
def test_the_cells_of_a_frame_are_as_many_persons(kind: str) -> None:
    column = FRAMES[kind]()
    count = sum(1 for cell in (column.to_pylist() if hasattr(column, "to_pylist") else list(column)) if not _none(cell))
    try:
        people = People.of(column)
    except DataError:
        assert kind in REFUSED
        with pytest.raises(DataError):
            words_of(column, 1, Key(), whole=False)
        return
    assert people.count == count
    assert len(by_words(words_of(column, 1, Key(), whole=False))[1]) == people.codes.size


def _none(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell != cell


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("kind", ARROW)
def test_the_cells_of_a_parquet_file_are_as_many_persons_and_groups(kind: str) -> None:
    column = ARROW[kind]()
    count = len(column) - column.null_count
    for settings_of_file in ({}, {"use_deprecated_int96_timestamps": True}):
        content = parquet({"id": column, "v": pa.array([1.0] * len(column))}, **settings_of_file)
        try:
            found = persons_and_groups(content)
        except DataError:
            assert kind in REFUSED or settings_of_file, kind
            continue
        assert found == (count, count), settings_of_file


@pytest.mark.parametrize("cells", [
    ["a", "A", "ｱ", "ア", "01", "1", "1.50", "1.5", "ß", "ss"], [0.25, 0.3, 1, 1.5, 1e-7], [BIG + 1, BIG],
    [12345678901234567, 1], [DAY, NOON, dt.datetime(2024, 1, 31, 12, 0, 0, 1_000)],
    [dt.time(12), dt.time(12, 0, 0, 1_000)], [True, False, 1, "1 "],
], ids=str)  # fmt: skip
def test_the_cells_of_a_sheet_are_as_many_persons_and_groups(cells: list[Any]) -> None:
    names = {name_in_file(str(cell)) for cell in cells}
    try:
        found = persons_and_groups(sheet(cells), header=True)
    except DataError:
        return
    assert found == (len(names), len(names))


@pytest.mark.parametrize(("column", "count"), [
    (["a", "A", "ab", "é"], 4), (np.array([0.1, 0.3, 1.5]), 3), (np.array([BIG, 1.0]), 0),
    (np.array([16_777_216, 1], np.float32), 0), (np.array([0.1, 0.2], np.float32), 2), (["x\0b", "x\0c"], 0),
])  # fmt: skip
def test_the_cells_of_a_file_of_stata_are_as_many_persons_and_groups(column: Any, count: int, tmp_path: Path) -> None:
    """Texts with a byte 0 are of the type strL."""
    path, long = tmp_path / "a.dta", ["id"] if count == 0 and isinstance(column, list) else []
    frame = pd.DataFrame({"id": column, "v": [1.0] * len(column)})
    frame.to_stata(path, version=118, convert_strl=long, write_index=False)
    if count:
        assert persons_and_groups(path.read_bytes()) == (count, count)
        return
    with pytest.raises(DataError, match=r"rounded|byte 0"):
        persons_and_groups(path.read_bytes())


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_bytes_that_a_survey_cannot_have_are_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    frame = pd.DataFrame({"id": ["xAb", "xBc"], "v": [1.0, 2.0]})
    pyreadstat.write_sav(frame, path) if suffix == ".sav" else frame.to_stata(path, version=114, write_index=False)
    content = path.read_bytes()
    assert persons_and_groups(content) == (2, 2)
    with pytest.raises(DataError):
        persons_and_groups(content.replace(b"xAb", b"x\x81b").replace(b"xBc", b"x\x8dc"))


def test_names_of_numbers_and_texts_in_a_frame_are_told_apart() -> None:
    assert len(names_in(pd.Series([1, 2, BIG + 1, BIG, "a", "A"], dtype=object))) == 6
