"""The page asks whether the first row is a header where it is not certain; no cell gets into what leaves it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.results import exports
from dpq_core.results.scripts import as_script
from dpq_core.sources.files import read_column
from pages.files.layouts import HEADER_ANSWERS
from pages.keys import PREFIX
from pages.stream import files as stream_files
from tests.pages.driving import all_named, named, open_page, press, run, set_bounds, words

YES, NO = HEADER_ANSWERS
PERSON, ANSWER = "zq7ada", "47.109375"
FIRST = f"{PERSON},{ANSWER}\n".encode()
PERSONS = FIRST + b"".join(b"p%d,%d\n" % (k, 20 + k % 50) for k in range(300))


def upload(content: bytes, page: str = "quantiles", /, **link: str) -> AppTest:
    visit = open_page(page, **link)
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))
    visit.file_uploader[0].upload("own.csv", content)
    return run(visit)


def asked(visit: AppTest) -> list[str]:
    return [widget.label for widget in visit.radio]


def offered(visit: AppTest) -> list[str] | None:
    """The names in the list of columns, None before there is one."""
    found = [widget.options for widget in all_named(visit.selectbox, "(stream_)?column")]
    return list(found[0]) if found else None


def read(visit: AppTest, column: str) -> AppTest:
    run(named(visit.selectbox, "column").set_value(column))
    run(visit.button(key=f"{PREFIX}_read").click())
    deadline = time.monotonic() + 60
    while f"{PREFIX}_change" not in {button.key for button in visit.button}:
        assert time.monotonic() < deadline
        run(visit)
    return visit


def test_the_column_list_waits_for_an_answer_and_nothing_is_chosen() -> None:
    visit = upload(PERSONS)
    assert asked(visit) == ["Is the first row a header?"]
    assert visit.radio[0].value is None
    assert offered(visit) is None
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}
    assert PERSON not in words(visit)
    assert ANSWER not in words(visit)
    assert offered(run(visit.radio[0].set_value(NO))) == ["column 1", "column 2"]
    assert offered(run(visit.radio[0].set_value(YES))) == [PERSON, ANSWER]


@pytest.mark.parametrize("content", [b"age,city\n34,York\n", b"34,5\n35,6\n"])
def test_what_is_certain_is_not_asked(content: bytes) -> None:
    visit = upload(content)
    assert asked(visit) == []
    assert offered(visit) is not None


def test_another_file_is_asked_about_anew() -> None:
    visit = upload(PERSONS)
    run(visit.radio[0].set_value(NO))
    visit.file_uploader[0].upload("other.csv", PERSONS.replace(b"zq7ada", b"b"))
    run(visit)
    assert asked(visit)
    assert visit.radio[0].value is None
    assert offered(visit) is None


@pytest.mark.parametrize("answer", [NO, YES])
def test_a_release_holds_no_cell_of_the_first_row(answer: str, own_ledger: Path, tmp_path: Path) -> None:
    """Not even where a person's row is called the header by mistake."""
    visit = upload(PERSONS, quantiles="median")
    run(visit.radio[0].set_value(answer))
    read(visit, "column 2" if answer == NO else ANSWER)
    press(set_bounds(visit, "0", "100", "1"))
    assert visit.metric[0].label == "Private median"
    outcome = visit.session_state[f"{PREFIX}:outcome:release"]
    made = [as_file(outcome) for as_file in (exports.as_csv, exports.as_json, exports.as_plan, as_script)]
    told = ["".join(made), words(visit), str(dict(visit.query_params))]
    told += [file.read_bytes().decode("latin-1") for file in own_ledger.parent.glob(f"{own_ledger.name}*")]
    for cell in (PERSON, ANSWER):
        assert not [text for text in told if cell in text]
    assert "column 2" in exports.as_json(outcome)
    call = f"values = read_column('own.csv', 'column 2', header={answer == YES}).values"
    assert call in as_script(outcome)
    file = tmp_path / "own.csv"
    file.write_bytes(PERSONS)
    assert read_column(file, "column 2", header=answer == YES).rows == (301 if answer == NO else 300)


def test_an_encoding_is_asked_for_where_bytes_are_no_text_and_offered_where_it_was_guessed() -> None:
    visit = upload(PERSONS.replace(b"p1,", "ア,".encode("cp932") + b"1\n\x81\x41,"))
    assert "not UTF-8 or Windows-1252" in words(visit).replace("\\", "")
    assert offered(visit) is None
    run(named(visit.selectbox, "encoding_.*").set_value("Shift-JIS, Japanese"))
    run(visit.radio[0].set_value(NO))
    assert offered(visit) == ["column 1", "column 2"]
    read(visit, "column 2")
    assert "not UTF-8: read as cp932" in words(visit).replace("\\", "")
    guessed = upload("name,age\nJosé,34\nAnn,35\n".encode("cp1252"))
    assert named(guessed.selectbox, "encoding_.*").value == "Not UTF-8: read as Windows-1252"
    assert "not UTF-8: read as Windows-1252" in words(read(guessed, "age")).replace("\\", "")
    assert not all_named(upload("name,age\nJosé,34\n".encode()).selectbox, "encoding_.*")


def test_a_file_on_the_server_is_asked_about_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    (tmp_path / "own.csv").write_bytes(PERSONS)
    visit = open_page("stream", stream="server")
    assert asked(visit) == ["Is the first row a header?"]
    assert offered(visit) is None
    run(visit.radio[0].set_value(NO))
    run(named(visit.selectbox, "stream_column").set_value("column 2"))
    for name, value in (("lower", "0"), ("upper", "100"), ("step", "1")):
        run(visit.text_input(key=f"{PREFIX}_stream_{name}").set_value(value))
    run(visit.button(key=f"{PREFIX}_run_stream").click())
    job = visit.session_state[f"{PREFIX}:job:stream"]
    deadline = time.monotonic() + 60
    while not job.finished:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert [metric.value for metric in run(visit).metric if metric.label == "Read"] == ["301"]
    assert "stream_column('own.csv', 'column 2', header=False)" in visit.code[-1].value
    assert ANSWER not in visit.code[-1].value
