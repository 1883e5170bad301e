"""Files made to do harm: the server stays up, nothing leaves the file, and the answer is one sentence."""

import io
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
import xlsxwriter

from dpq_core.errors import DataError
from dpq_core.sources.column import MAX_COLUMNS, label_columns
from dpq_core.sources.excel import workbooks
from dpq_core.sources.files import read_column
from tests.sources.made import archive, document, of_document
from tests.sources.names import list_columns
from tests.sources.refusals import refused

XML = '<?xml version="1.0"?>'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SECRET = "zq7secret"
NAMED = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
LONG_CELL = f"<table:table-cell><text:p>{'x' * 50_000}</text:p></table:table-cell>"
TOO_LARGE, DAMAGED, TOO_LONG, TOO_MUCH = "used area", "damaged", "too long for a cell", "too much text"


def workbook(
    rows: str, texts: str = "<si><t>age</t></si>", *, before: str = "", sheet: str = "worksheets/a.xml"
) -> bytes:
    """The parts of a workbook, written by hand as no spreadsheet program would."""
    relation = f'<Relationship Id="%s" Type="{OFFICE}/%s" Target="%s"/>'
    relations = f'{XML}<Relationships xmlns="{PACKAGE}/relationships">%s</Relationships>'
    parts = {
        "[Content_Types].xml": f'{XML}<Types xmlns="{PACKAGE}/content-types"/>',
        "_rels/.rels": relations % (relation % ("a", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'{XML}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="a" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations
        % (relation % ("a", "worksheet", sheet) + relation % ("b", "sharedStrings", "sharedStrings.xml")),
        f"xl/{sheet}": f'{XML}{before}<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'{XML}{before}<sst xmlns="{MAIN}">{texts}</sst>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def text_cell(row: int, text: str) -> str:
    return f'<row r="{row}"><c r="A{row}" t="inlineStr"><is><t>{text}</t></is></c></row>'


def laughing() -> bytes:
    """Ten entities, each ten times the one before: ten billion characters."""
    entities = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 11))
    return workbook(NAMED + text_cell(2, "&e10;"), before=f'<!DOCTYPE x [<!ENTITY e0 "1">{entities}]>')


def lying() -> bytes:
    """A part of 100 MB that says it has 100 bytes, with the check sum of those."""
    content = workbook(NAMED, f"<si><t>{'1' * 100_000_000}</t></si>")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        part = archive.getinfo("xl/sharedStrings.xml")
        with archive.open(part) as start:
            claimed = zlib.crc32(start.read(100))
    said = struct.pack("<LLL", part.CRC, part.compress_size, part.file_size)
    return content.replace(said, struct.pack("<LLL", claimed, part.compress_size, 100))


def repeated(times: int, cell: str) -> str:
    return f'<table:table-row table:number-rows-repeated="{times}">{cell}</table:table-row>'


def laughing_document() -> bytes:
    with zipfile.ZipFile(io.BytesIO(document(["a"], [5]))) as plain:
        parts = {name: plain.read(name).decode() for name in plain.namelist()}
    return archive(**parts | {"content.xml": '<!DOCTYPE x [<!ENTITY e "1">]>' + parts["content.xml"]})


def test_a_workbook_written_by_hand_reads() -> None:
    for rows in (
        NAMED + '<row r="2"><c r="A2"><v>5</v></c></row>',
        "<row><c t='s'><v>0</v></c></row><row><c><v>5</v></c></row>",
    ):
        content = workbook(rows)
        assert list_columns(content) == ("age",)
        assert read_column(content, "age").values.tolist() == [5]


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: workbook(f'{NAMED}<row r="1048576"><c r="XFD1048576"/></row>', sheet="elsewhere.bin"), TOO_LARGE),
        (lambda: workbook(f'<row r="1">{"<c/>" * 200_000}</row><row r="1048576"><c/></row>'), TOO_LARGE),
        (lambda: workbook(f'{NAMED}{" " * ((1 << 22) - 500)}<row><c r={" " * 900}"XFD1048576"/></row>'), TOO_LARGE),
        (lambda: workbook(NAMED * 2_000, f"<si><t>{'1' * 1_000_000}</t></si>"), TOO_MUCH),
        (lambda: workbook(NAMED.replace("0<", "&#48;<") * 2_000, f"<si><t>{'1' * 1_000_000}</t></si>"), TOO_MUCH),
        (lambda: workbook(f'{NAMED}<row r="50000"><c r="AAA50000"/></row>'), TOO_LARGE),
        (laughing, DAMAGED),
        (lying, TOO_LONG),
        (lambda: document(["a"], repeated(10_000_000, of_document("", 5))), TOO_LARGE),
        (lambda: document(["a"], repeated(10_000_000, of_document("")), [5]), TOO_LARGE),
        (lambda: document(["a"], [of_document('table:number-columns-repeated="9000000"', 5)]), TOO_LARGE),
        (lambda: document(["a"], repeated(100_000, LONG_CELL)), TOO_MUCH),
        (lambda: laughing_document(), DAMAGED),
    ],
    ids=[
        "sheet elsewhere", "no addresses", "torn address", "shared text", "disguised index", "empty rectangle",
        "laughs", "lie", "document rows", "document blank rows", "document columns", "document text", "document laughs",
    ],
)  # fmt: skip
def test_a_small_workbook_that_would_be_huge_is_refused_at_once(made: Callable[[], bytes], sentence: str) -> None:
    content = made()
    assert len(content) < 200_000
    start = time.process_time()
    for read in (list_columns, lambda file: read_column(file, "age")):
        with refused(sentence):
            read(content)
    assert time.process_time() - start < 10


def test_a_wide_and_a_long_sheet_are_no_attack() -> None:
    row = "".join(f'<c r="{letter}{{0}}"><v>{{0}}</v></c>' for letter in ("A", "B", "Z"))
    content = workbook(NAMED + "".join(f'<row r="{k}">{row.format(k)}</row>' for k in range(2, 5_000)))
    assert read_column(content, "age").values.size == 4_998


def test_an_archive_of_many_parts_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO(workbook(NAMED + '<row r="2"><c r="A2"><v>5</v></c></row>'))
    with zipfile.ZipFile(file, "a") as archive:
        for number in range(50):
            archive.writestr(f"part{number}", "x")
    measure = Mock(wraps=workbooks._measure)
    monkeypatch.setattr(workbooks, "_measure", measure)
    assert read_column(file.getvalue(), "age").values.tolist() == [5]
    assert measure.call_count > 50
    measure.reset_mock()
    monkeypatch.setattr(workbooks, "MAX_PARTS", 50)
    with pytest.raises(DataError, match="too many parts"):
        list_columns(file.getvalue())
    measure.assert_not_called()


def test_too_many_texts_and_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = workbook(NAMED, "<si><t>age</t></si>" * 1_000)
    monkeypatch.setattr(workbooks, "MAX_SHARED_TEXTS", 999)
    with refused("more than 999 texts"):
        list_columns(content)
    monkeypatch.setattr(workbooks, "MAX_EXCEL_BYTES", 10_000)
    with refused("unpacks to more than 10,000 bytes"):
        list_columns(content)


def test_long_comments_beside_many_numbers_are_no_attack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "MAX_TEXT_BYTES", 100_000)
    rows = NAMED + "".join(f'<row r="{k}"><c r="A{k}"><v>{k}.5</v></c></row>' for k in range(2, 500))
    comment = '<row r="500"><c r="B500" t="s"><v>1</v></c></row>'
    content = workbook(rows + comment, f"<si><t>age</t></si><si><t>{'long ' * 6_000}</t></si>")
    assert read_column(content, "age").values[0] == 2.5


def test_a_workbook_cannot_bring_another_file(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text(SECRET)
    with refused(DAMAGED) as caught:
        entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{other.as_uri()}">]>'
        list_columns(workbook(NAMED + text_cell(2, "&e;"), before=entity))
    assert SECRET not in str(caught.value)


def test_names_that_climb_out_of_the_archive_write_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    monkeypatch.chdir(folder)
    file = io.BytesIO(workbook(NAMED + '<row r="2"><c r="A2"><v>5</v></c></row>'))
    with zipfile.ZipFile(file, "a") as archive:
        for name in ("../climbed", str(tmp_path / "absolute"), "xl/../../climbed.xml"):
            archive.writestr(name, "x")
    assert read_column(file.getvalue(), "age").values.tolist() == [5]
    assert [path.name for path in tmp_path.rglob("*")] == ["inner"]


def test_a_formula_is_its_stored_value_and_never_computed() -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write_string(0, 0, '=HYPERLINK("http://example.org","x")')
        sheet.write_formula(1, 0, "=1+1", value=7)
        sheet.write_formula(2, 0, '=WEBSERVICE("http://example.org")', value=8)
    (name,) = list_columns(file)
    assert name == '=HYPERLINK("http://example.org","x")'
    assert read_column(file, name).values.tolist() == [7, 8]
    with refused("Row 3. A cell is not a number") as caught:
        read_column(b"age\n1\n=1+1\n", "age", header=True)
    assert "1+1" not in str(caught.value)


def test_names_of_columns_are_limited_and_take_no_time() -> None:
    start = time.process_time()
    assert label_columns(["a"] * MAX_COLUMNS)[-1] == f"a ({MAX_COLUMNS})"
    assert time.process_time() - start < 2
    with refused("more than 20,000 columns"):
        list_columns(b"," * 500_000 + b"\n")
