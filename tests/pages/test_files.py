"""How a page reads what is brought: header, marks, hostile names; nothing is told too early."""

import csv
import io
import logging
import re
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency
from dpq_core.results import exports
from dpq_core.results.chosen import TableReading
from dpq_core.results.exports import as_script
from dpq_core.results.sealed import values_to_explore
from dpq_core.sources.files import read_column, read_rows
from pages.files import reading
from pages.files.content import OwnTable
from pages.files.layouts import HEADER_ANSWERS
from pages.form import data
from pages.form.table import key
from pages.keys import PREFIX
from pages.server import uploads
from pages.shell import pieces
from pages.stream import sources as stream_sources
from tests.jobs.test_queue import wait
from tests.narrowing import present
from tests.pages import driving
from tests.pages.driving import all_named, keys, named, open_page, press, read_so, run, said, upload, words, written

BROUGHT, READING = f"{PREFIX}:upload:brought:sealed", f"{PREFIX}:upload:reading:sealed"
YES, NO = HEADER_ANSWERS
PERSON, ANSWER = "zq7ada", "47.109375"
FIRST = f"{PERSON},{ANSWER}\n".encode()
PERSONS = FIRST + b"".join(b"p%d,%d\n" % (k, 20 + k % 50) for k in range(300))


def bring_csv(content: bytes, page: str = "release", /, **link: str) -> AppTest:
    return upload(open_page(page, data="file", **link), "own.csv", content)


def offered(visit: AppTest) -> list[str] | None:
    """The names in the list of columns, None before there is one."""
    found = [widget.options for widget in all_named(visit.selectbox, "(stream_)?column")]
    return list(found[0]) if found else None


def read_column_of(visit: AppTest, column: str) -> AppTest:
    run(named(visit.selectbox, "column").set_value(column))
    return driving.read(visit)


@pytest.mark.slow
def test_the_column_list_waits_for_an_answer_and_nothing_is_chosen() -> None:
    visit = bring_csv(PERSONS)
    for content in (PERSONS, PERSONS.replace(b"zq7ada", b"zq7ben")):
        upload(visit, "other.csv", content)
        assert visit.radio[0].value is None, "another file is asked about anew"
        assert offered(visit) is None
        assert f"{PREFIX}_read" not in keys(visit)
        assert PERSON not in words(visit)
        assert ANSWER not in words(visit)
        assert offered(run(visit.radio[0].set_value(NO))) == ["column 1", "column 2"]
    assert offered(run(visit.radio[0].set_value(YES))) == ["zq7ben", ANSWER]


@pytest.mark.parametrize("content", [b"age,city\n34,York\n", b"34,5\n35,6\n"])
def test_what_is_certain_is_not_asked(content: bytes) -> None:
    visit = bring_csv(content)
    assert not visit.radio
    assert offered(visit) is not None


@pytest.mark.slow
@pytest.mark.parametrize("answer", [NO, YES], ids=["no", "yes"])
def test_a_release_holds_no_cell_of_the_first_row(answer: str, own_ledger: Path, tmp_path: Path) -> None:
    """Not even where a person's row is called the header by mistake."""
    visit = bring_csv(PERSONS, quantiles="median", mechanism="aq")
    run(visit.radio[0].set_value(answer))
    read_column_of(visit, "column 2" if answer == NO else ANSWER)
    outcome = press(driving.set_bounds(visit, "0", "100", "1")).session_state[f"{PREFIX}:outcome:release"]
    made = [as_file(outcome) for as_file in (exports.as_json, exports.as_plan, as_script)]
    made.append(outcome.release.to_csv())
    told = ["".join(made), words(visit), str(dict(visit.query_params))]
    told += [file.read_bytes().decode("latin-1") for file in own_ledger.parent.glob(f"{own_ledger.name}*")]
    for cell in (PERSON, ANSWER):
        assert not [text for text in told if cell in text]
    assert "column 2" in exports.as_json(outcome)
    assert f"read_column('own.csv', 'column 2', header={answer == YES}).values" in as_script(outcome)
    file = tmp_path / "own.csv"
    file.write_bytes(PERSONS)
    assert read_column(file, "column 2", header=answer == YES).rows == (301 if answer == NO else 300)


@pytest.mark.slow
def test_an_encoding_is_asked_for_where_bytes_are_no_text_and_offered_where_it_was_guessed() -> None:
    visit = bring_csv(PERSONS.replace(b"p1,", "ア,".encode("cp932") + b"1\n\x81\x41,"))
    assert offered(visit) is None
    run(named(visit.selectbox, "encoding_.*").set_value("Shift-JIS, Japanese"))
    run(visit.radio[0].set_value(NO))
    assert offered(visit) == ["column 1", "column 2"]
    assert "cp932" in said(read_column_of(visit, "column 2"))
    guessed = bring_csv("name,age\nJosé,34\nAnn,35\n".encode("cp1252"))
    assert named(guessed.selectbox, "encoding_.*").value == "Not UTF-8: read as Windows-1252"
    assert "Windows-1252" in said(read_column_of(guessed, "age"))
    assert not all_named(bring_csv("name,age\nJosé,34\n".encode()).selectbox, "encoding_.*")


@pytest.mark.slow
def test_how_a_file_on_the_server_is_read_can_be_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stream_sources.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_sources.PUBLIC, "yes")
    (tmp_path / "own.csv").write_bytes("ж;place\n1,250;я\n12,125;я\n".encode("cp1251"))
    visit = open_page("stream", stream="server")
    assert "decimal mark" in said(visit)
    run(named(visit.selectbox, "reading_encoding.*").set_value("cp1251"))
    run(named(visit.selectbox, "stream_column").set_value("ж"))
    for mark, shown in ((".", "point as decimal mark"), (",", "comma as decimal mark")):
        run(named(visit.selectbox, "reading_decimal.*").set_value(mark))
        assert shown in said(visit)
    driving.streamed(driving.set_bounds(visit, "0", "100", "1"))
    assert "reading=Reading(decimal=','))" in visit.code[-1].value
    monkeypatch.chdir(tmp_path)
    exec(visit.code[-1].value, {})


@pytest.mark.slow
def test_a_file_on_the_server_is_asked_about_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stream_sources.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_sources.PUBLIC, "yes")
    (tmp_path / "own.csv").write_bytes(PERSONS)
    visit = open_page("stream", stream="server")
    assert visit.radio[0].value is None
    assert offered(visit) is None
    run(visit.radio[0].set_value(NO))
    run(named(visit.selectbox, "stream_column").set_value("column 2"))
    driving.streamed(driving.set_bounds(visit, "0", "100", "1"))
    assert "301 people read" in said(visit)
    assert "stream_column('own.csv', 'column 2', header=False)" in visit.code[-1].value
    assert ANSWER not in visit.code[-1].value


READ = f"{PREFIX}_read"
OPEN = b"it\tother\n" + b"1.117\tx\n2.222\ty\n" * 40
CODES = "“Codes that mean a missing value” must be"
COMMA = "comma as decimal mark, point between thousands"
POINT = "point as decimal mark, comma between thousands"


def test_a_file_of_a_survey_is_read_with_what_it_declares_and_its_labels_are_a_list_of_groups(tmp_path: Path) -> None:
    table = pd.DataFrame({"age": [23.0, 977.0, 31.0] * 20, "region": [1.0, 2.0, 1.0] * 20})
    labels = {"region": {1.0: "north", 2.0: "south", 3.0: "nobody here"}}
    pyreadstat.write_sav(
        table, tmp_path / "own.sav", missing_ranges={"age": [977]}, variable_value_labels=labels
    )  # fmt: skip
    visit = upload(open_page(data="file"), "own.sav", (tmp_path / "own.sav").read_bytes())
    run(named(visit.multiselect, "group_columns").set_value(["region"]))
    visit = driving.read(visit)
    assert "values that the file declares to be missing" in said(visit)
    assert "977" not in said(visit)
    run(visit.button(key=f"{PREFIX}_labels_group_names").click())
    assert visit.text_area(key=key("group_names")).value == "nobody here\nnorth\nsouth"
    assert "3 groups." in said(visit)


def test_a_refusal_names_the_field_and_a_script_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = driving.read(upload(open_page(data="file"), "own.tsv", OPEN))
    assert "say which is the decimal mark (“Decimal mark”)" in said(visit)
    written(visit, decimal=",")
    assert "Decimal mark: Comma" in said(visit), "before it is read"
    driving.read(visit)
    assert f"it: numbers, {COMMA}" in said(visit)
    assert not re.search("1.117|2222", said(visit))
    monkeypatch.chdir(tmp_path)
    Path("own.tsv").write_bytes(OPEN)
    script = reading_again(visit)
    found: dict[str, Any] = {}
    exec(script.as_values, found)
    assert set(found["values"]) == {1117, 2222}


@pytest.mark.slow
def test_a_reading_is_changed_and_codes_of_another_kind_are_refused() -> None:
    visit = driving.read(upload(open_page(data="file"), "own.tsv", b"it\tother\n" + b"17\tx\n-99\ty\n" * 40))
    assert f"it: numbers, {POINT}" in said(visit)
    assert CODES in said(written(visit, missing_codes="x"))
    before = visit.session_state[BROUGHT]
    driving.settled(read_so(visit, missing_codes="-99, 12"))
    assert visit.session_state[BROUGHT] is not before, "read once more, without another press"
    assert "-99 and 12" in said(visit)
    read_so(visit, missing_codes="9999-12-31")
    driving.until(visit, lambda: f"{CODES} numbers" in said(visit))
    assert "missing_codes`" not in said(visit)


def reading_again(visit: AppTest) -> TableReading:
    """How the column that was brought is read again."""
    own: OwnTable = visit.session_state[BROUGHT]
    return data.reading_again(own, own.columns, of_people=False)


@pytest.mark.slow
def test_header_quotes_and_encoding_are_said_in_the_popover(tmp_path: Path) -> None:
    visit = driving.read(upload(open_page(data="file"), "own.tsv", b"it\tother\n17\tx\n23\ty\n"))
    assert READ not in keys(read_so(visit, header=False)) or offered(visit) == ["column 1", "column 2"]
    assert "First row: Is the first record" in said(visit)
    run(next(each for each in visit.selectbox if each.label == "First row").select_index(0))
    written(visit, encoding="cp1251", quoting=False)
    assert "Encoding: Windows-1251, Cyrillic · Quotes: Are ordinary characters" in said(visit)
    script = reading_again(driving.read(visit))
    assert "find_layout('own.tsv', quoting=False, encoding='cp1251')" in script.as_values


@pytest.mark.slow
def test_pasted_values_are_read_as_is_said() -> None:
    visit = open_page(data="paste")
    visit.text_area[0].set_value("17\n-\n23")
    driving.read(visit)
    driving.read(written(visit, zero="-"))
    driving.settled(read_so(visit, missing_codes="23"))
    assert 'zero: "-"' in said(visit)
    assert "and 23" in said(visit), "the values are still there to be read"
    pasted = visit.session_state[BROUGHT].columns[0].column
    assert set(values_to_explore(pasted)[0][[0, 1]]) == {17, 0}
    run(visit.button(key=f"{PREFIX}_change").click())
    assert visit.text_area[0].value == "", "forgotten with the data"
    assert not [name for name, value in visit.session_state._state.filtered_state.items() if value == "17\n-\n23"]


TWO = b"pay\tage\tother\n" + b"1.117\t17\tx\n2.222\t-99\ty\n" * 40


@pytest.mark.slow
def test_each_of_several_columns_says_how_it_was_read_and_can_be_read_otherwise() -> None:
    visit = driving.read_several(open_page(data="file"), TWO.decode(), ["age"], name="own.tsv")
    assert f"age: numbers, {POINT}" in said(visit)
    assert "pay: numbers" not in said(visit)
    driving.settled(read_so(visit, decimal=","))
    assert f"pay: numbers, {COMMA}" in said(visit)
    run(named(visit.selectbox, "change_which").set_value("age"))
    driving.settled(read_so(visit, missing_codes="-99"))
    assert f"pay: numbers, {COMMA}" in said(visit), "what was said of another column stays"
    assert "age: numbers" in said(visit)
    assert "null or ?, and -99" in said(visit)
    own = visit.session_state[BROUGHT]
    values = {each.name: values_to_explore(each.column)[0] for each in own.columns}
    assert {name: set(found[~np.isnan(found)]) for name, found in values.items()} == {"pay": {1117, 2222}, "age": {17}}


@pytest.mark.slow
def test_how_a_column_is_read_stays_with_the_upload_and_can_be_taken_back() -> None:
    visit, content = open_page(data="file"), b"it\tother\n" + b"17\tx\n-99\ty\n" * 40
    driving.read(upload(visit, "own.tsv", content))
    driving.settled(read_so(visit, missing_codes="-99, 12"))
    run(visit.button(key=f"{PREFIX}_another_column").click())
    assert "Codes that mean a missing value: -99, 12" in said(visit)
    assert "value: -99" not in said(written(visit, missing_codes=""))
    driving.read(written(visit, missing_codes="-99, 12"))
    run(visit.button(key=f"{PREFIX}_another_column").click())
    run(visit.button(key=f"{PREFIX}_another_file").click())
    driving.read(upload(visit, "own.tsv", content))
    assert "value: -99" not in said(visit), "another upload is another question"


def test_a_column_that_is_ready_a_moment_after_the_first_look_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    look, read, looked = reading.brought, read_rows, Event()

    def look_a_moment_too_early(way: str) -> OwnTable | None:
        seen = look(way)
        going = st.session_state.get(READING)
        looked.set() if going is not None else None
        wait(lambda: going is None or going.job.finished)
        return seen

    monkeypatch.setattr(reading, "brought", look_a_moment_too_early)
    monkeypatch.setattr(reading, "read_rows", lambda *at, **more: looked.wait(60) and read(*at, **more))
    visit = upload(open_page(data="file"), "own.csv", b"x\n1\n2\n3\n")
    run(visit.button(key=f"{PREFIX}_read").click())
    assert f"{PREFIX}_change" in keys(visit)


@pytest.mark.slow
def test_a_column_for_which_there_is_no_room_is_let_go_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    counted, room = list[int](), list[bool]()

    def count(size: int) -> bool:
        counted.append(size)
        return bool(room) or not size

    monkeypatch.setattr(uploads, "count_columns", count)
    visit = open_page(data="paste")
    visit.text_area[0].set_value("1 2 3")
    run(visit.button(key=f"{PREFIX}_read").click())
    wait(lambda: visit.session_state[READING].job.finished)
    run(visit)
    assert uploads.NO_ROOM.partition(".")[0] in words(visit)
    assert visit.session_state[READING].job.parts == []
    assert counted[-1] > 3 * 8
    room.append(True)
    run(visit.button(key=f"{PREFIX}_read").click())
    while f"{PREFIX}_change" not in {button.key for button in visit.button}:
        run(visit)
    assert uploads.NO_ROOM.partition(".")[0] not in words(visit)
    run(visit.button(key=f"{PREFIX}_change").click())
    assert counted[-1] == 0, "what is forgotten is not counted"


EVIL = '<img src="http://example.org" onerror="alert(1)">![x](http://example.org/y)[a](javascript:alert(1)) $x$ :red[b]'
FILE = f"../../{EVIL}.csv"
CONTENT = f'"{EVIL.replace(chr(34), chr(34) * 2)}"\n'.encode() + b"\n".join(b"%d" % (k % 97) for k in range(2_000))
LIVE = re.compile(r"<\w|\]\(|\$x\$|:red\[")
"""What Markdown would make something of."""


def live(text: str) -> list[str]:
    """What is left when every escaped character is taken away."""
    return LIVE.findall(re.sub(r"\\[^\w\s]", "", text))


@pytest.mark.slow
@pytest.mark.parametrize("public", [True, False])
def test_a_hostile_header_and_file_name_stay_text(public: bool) -> None:
    visit = press(
        driving.set_bounds(
            driving.bring(open_page(data="file", mechanism="aq"), CONTENT, FILE, public=public), "0", "100", "1"
        )
    )
    assert visit.metric, "there is a result"
    written = [element.value for element in (*visit.markdown, *visit.caption)]
    quoting = [text for text in written if "example" in text]
    assert len(quoting) >= 2
    assert not [text for text in quoting if live(text)]
    assert live(EVIL), "the search works"
    axes = [figure["layout"]["xaxis"]["title"]["text"] for figure in driving.figures(visit)]
    assert any("example" in title for title in axes)
    assert not [title for title in axes if "<" in title]


@pytest.mark.slow
def test_a_release_of_such_a_file_has_an_account_that_no_spreadsheet_computes() -> None:
    visit = driving.set_bounds(driving.bring(open_page(data="file"), CONTENT, '=cmd|"x".csv'), "0", "100", "1")
    assert not visit.button(key=f"{PREFIX}_run").disabled
    name = named(visit.text_input, "account").value
    assert present(name)[0].isalnum()
    outcome = press(visit).session_state[f"{PREFIX}:outcome:release"]
    cells = [cell for row in csv.reader(io.StringIO(outcome.release.to_csv())) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "|", "-"))]


ROWS = 4_611
AGES = [b"%d" % (20 + 7 * k % 50) for k in range(ROWS)]
NEAR = re.compile(r"(?<![\d.])4,?6(0[89]|1[0-5])(?!\d)")
"""The number of rows, or one near it."""


def column(cells: list[bytes]) -> bytes:
    return b"\n".join([b"age", *cells, b""])


BAD = {
    "word": column([*AGES, b"zq7word"]), "unit": column([*AGES, b"5 %"]),
    "date": column([b"2024-01-31"] * ROWS + [b"2024-02-31"]), "uneven": b"age,more\n" + b"1,2\n" * ROWS + b"1,2,3\n",
    "quote": b"age,more\n" + b"1,2\n" * ROWS + b'1,"2\n',
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("bad", BAD)
def test_a_row_is_shown_after_a_press_and_never_before(bad: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        visit = driving.read(bring_csv(BAD[bad]))
        assert any(":material/error:" in element.value for element in visit.markdown)
        assert not NEAR.search(words(visit))
        (show,) = all_named(visit.button, "show_where")
        run(show.click())
        assert [f"Row {ROWS + 2:,}." in element.value for element in visit.caption].count(True) == 1
        assert not all_named(visit.button, "show_where")
    assert not NEAR.search(str(dict(visit.query_params)))
    assert not NEAR.search(caplog.text)
    assert not all_named(driving.read(bring_csv(b"day\n01/02/2024\n")).button, "show_where"), "a message without a row"


def shown_words(visit: AppTest) -> str:
    """What is on the page, without the names of this session's widgets."""
    return re.sub(r"[0-9a-f]{8,}|\b\d+-", "", words(visit))


NEIGHBOURS = {
    "one more": column([*AGES, b"33"]), "replaced": column([*AGES[:-1], b"99"]),
    "blank": column([*AGES[:2_000], b"", *AGES[2_001:]]), "missing": column([*AGES[:2_000], b"NA", *AGES[2_001:]]),
}  # fmt: skip


@pytest.mark.slow(keep="blank-replace_one")
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("other", NEIGHBOURS)
def test_nothing_tells_two_neighbouring_files_apart(other: str, adjacency: Adjacency) -> None:
    one, two = (
        shown_words(driving.set_bounds(driving.read(bring_csv(content, adjacency=adjacency.value)), "0", "120", "1"))
        for content in (column(AGES), NEIGHBOURS[other])
    )
    assert one == two
    assert pieces.PRIVATE_ONLY in one
    assert adjacency.in_words.split(" ", 2)[2] in one
    if other == "one more":
        files = (column([*AGES[:at], b"a word", *AGES[at:]]) for at in (4_000, 4_321))
        bad = [shown_words(driving.read(bring_csv(content))) for content in files]
        assert bad[0] == bad[1], "a bad cell in another row"
