"""The list of formats: what pages, the shell, documents and refusals say of formats comes from it."""

import ast
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pandas as pd
import pyarrow as pa
import pytest

from dpq_core.__main__ import main
from dpq_core.errors import DataError, ParameterError
from dpq_core.sources.column import Progress
from dpq_core.sources.excel.formulas import adds_up_others
from dpq_core.sources.files import find_layout, read_column, read_groups, read_people
from dpq_core.sources.formats import known
from dpq_core.sources.formats.known import FORMATS, SUFFIXES, Format, listed
from dpq_core.sources.formats.reader import FileColumn, FileTable, Layout, Opener, Opening, Place
from tests.pages.driving import open_page
from tests.sources.names import list_columns

ROOT = Path(__file__).parents[2]
CORE = ROOT / "dpq_core"
TABLE = pd.DataFrame({"age": [23.0, 31.0], "size": [1.5, 2.5]})


def parquet() -> bytes:
    content = io.BytesIO()
    TABLE.to_parquet(content)
    return content.getvalue()


class ToyTable(FileTable):
    def __init__(self, open_file: Opener, layout: Layout) -> None:
        self._open = open_file

    @classmethod
    def find_layout(cls, open_file: Opener, said: Opening, *, whole: bool = True) -> Layout:
        return Layout(("toys",), module="toy")

    def find_column(self, place: Place) -> FileColumn:
        return FileColumn()

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        yield [pa.array(bytes(self._open().read()).decode().split()[1:], pa.string()) for _ in places]


def test_a_format_is_one_module_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("dpq_core.sources.toy")
    module.TABLE = ToyTable  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    line = Format(names=("Toy (.toy)",), suffixes=(".toy",), begins=b"TOY!", module="toy", reader_in="toy")
    monkeypatch.setattr(known, "FORMATS", (*FORMATS, line))
    content = b"TOY! 5 7 5"
    assert list_columns(content) == ("toys",)
    assert read_column(content, "toys").values.tolist() == [5, 7, 5]
    assert read_groups(content, "toys").codes.tolist() == [0, 1, 0]
    assert read_people(content, "toys").codes.tolist() == [0, 1, 0]
    assert listed().endswith("or Toy (.toy)")


def test_nobody_but_the_list_knows_a_reader_or_an_ending() -> None:
    packages = {each.module.partition(".")[0] for each in FORMATS}
    rooms = {CORE / "sources" / name for name in packages}
    files = [path for folder in ("sources", "ui/files", "jobs") for path in (CORE / folder).rglob("*.py")]
    found = []
    for path in files:
        if rooms & {path, *path.parents} or path.name == "known.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [*(node.module or "").split("."), *(each.name for each in node.names if node.module is None)]
                found += [f"{path.name}: {name}" for name in names if name in packages]
            elif isinstance(node, ast.Constant) and node.value in SUFFIXES:
                found.append(f"{path.name}: {node.value}")
    assert packages
    assert found == []


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.names[0])
def test_every_format_has_a_reader_and_endings_of_its_own(each: Format) -> None:
    assert FileTable in each.table().__mro__
    others = [suffix for other in FORMATS if other is not each for suffix in other.suffixes]
    assert each.suffixes
    assert not set(each.suffixes) & set(others)


def test_every_place_names_all_formats(capsys: pytest.CaptureFixture[str]) -> None:
    names = [name for each in FORMATS for name in each.names]
    assert listed() == f"{', '.join(names[:-1])} or {names[-1]}"
    with pytest.raises(SystemExit):
        main(["release", "--help"])
    assert listed() in " ".join(capsys.readouterr().out.split())
    with pytest.raises(DataError) as caught:
        list_columns(b"\x00\x01\x02")
    assert listed() in str(caught.value)
    document = " ".join((ROOT / "docs" / "files.md").read_text(encoding="utf-8").split())
    assert f"# Files, data frames and databases This project reads {listed('and')}. It recognises" in document
    for each in FORMATS:
        assert not each.extra or f"extra `[{each.extra}]`" in document


@pytest.mark.slow
def test_the_page_takes_every_ending_and_names_every_format() -> None:
    upload = open_page("release").file_uploader[0]
    assert set(upload.proto.type) >= set(SUFFIXES)
    assert listed() in upload.proto.help


@pytest.mark.parametrize(
    ("content", "said"),
    [(parquet(), {"fill_down": True}), (parquet(), {"sheet": "a"}),
     (parquet(), {"quoting": True}), (b"a\n1\n", {"sheet": "a"})],
)  # fmt: skip
def test_what_cannot_be_said_of_a_format_is_refused(content: bytes, said: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="does not apply") as caught:
        find_layout(content, **said)  # type: ignore[arg-type]
    assert [caught.value.name] == list(said)


@pytest.mark.parametrize(("formula", "adds_up"), [
    ("STDEV(B2:B10)", True), ("SUMIF(A2:A10,\"p*\",B2:B10)", True), ("B2+B3+$B$4", True), ("SUM(B:B)", True),
    ("SUMME(A2:C10)", True), ("QUARTILE($B$2:$B10,1)", True), ("SUM(A2,C2)", False), ("B9+A10", False),
    ("B9+B8", False), ('CONCAT("B2:B9",A2)', False), ("SUM(Other!B2:B9)", False), ("RANK(A2,A$2:A$9)", False),
    ("ATAN2(A1,C1)+LOG10(A2)+BAB12", False),
])  # fmt: skip
def test_a_formula_of_several_cells_of_its_own_column_is_a_total(formula: str, adds_up: bool) -> None:
    assert adds_up_others(formula, 1) is adds_up
