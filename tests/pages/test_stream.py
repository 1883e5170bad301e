"""The Stream page without a browser: the first picture, what a press reads, and nothing of private data."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Domain, PureDP
from dpq_core.jobs.line import Stage
from pages.frame import escape
from pages.keys import PREFIX
from pages.stream import files as stream_files
from pages.stream import results as stream_results
from pages.stream import view as stream
from pages.stream import written as stream_written
from tests.jobs.test_line import wait
from tests.pages.driving import bring, csv_of, metrics, open_page, run, said, set_bounds, widget, words

JOB, RUN = f"{PREFIX}:job:{stream.JOB}", f"{PREFIX}:stream:run"


open_stream = partial(open_page, "stream")


def start(visit: AppTest) -> AppTest:
    run(visit.button(key=f"{PREFIX}_run_stream").click())
    wait(lambda: visit.session_state[JOB].finished)
    return run(visit)


SAID_OF_SERVER_FILE = {f"{PREFIX}_{name}" for name in ("stream_lower", "stream_upper", "stream_step", "n_max")}


def say_of_server_file(visit: AppTest, *, n_max: str = "", **bounds: str) -> AppTest:
    said = {f"stream_{name}": value for name, value in bounds.items()} | {"n_max": n_max}
    for name, value in said.items():
        visit.text_input(key=f"{PREFIX}_{name}").set_value(value)
    return run(visit)


def test_the_page_opens_with_a_stream_that_was_read() -> None:
    visit = open_stream()
    assert metrics(visit)["Read"] == "100,000"
    assert len(visit.get("plotly_chart")) == 2
    assert "Explore: not private" in words(visit)
    table = visit.dataframe[0].value
    assert list(table.columns)[1:] == ["true", "sketch alone", "private, from the sketch", "private, from all"]
    last = visit.session_state[JOB].parts[-1]
    assert last.saving > 40
    wording = visit.session_state[RUN].wording
    assert f"**{escape(stream_results.finding(last, wording))}**" in [each.value for each in visit.markdown]
    assert "saves no memory" in stream_results.finding(replace(last, sketch_bytes=last.full_bytes), wording)
    assert "instead" not in stream_results.finding(replace(last, exact=False), wording)
    assert stream_results.finding(replace(last, full=last.gk), wording).endswith(" off, with the sketch or without.")
    assert visit.session_state[RUN].settings.seed == stream.FIRST_SEED
    before = visit.session_state[JOB]
    assert run(visit).session_state[JOB] is before  # a rerun reads and draws nothing


def test_a_press_reads_what_was_chosen_and_the_link_says_it() -> None:
    visit = open_stream(pattern="zigzag", length="10000", stream_quantiles="quartiles", alpha="0.01", n_max="20000")
    settings = visit.session_state[RUN].settings
    assert (settings.alpha, settings.n_max, len(settings.quantiles)) == (0.01, 20_000, 3)
    run(visit.text_input(key=f"{PREFIX}_n_max").set_value("15000"))
    assert "Settings changed: press Start" in words(visit)
    assert visit.query_params["n_max"] == "15000"
    start(visit)
    assert "Settings changed" not in words(visit)
    assert visit.session_state[RUN].settings.n_max == 15_000
    assert visit.session_state[RUN].settings.seed == 1
    assert len(visit.dataframe[0].value) == 3


@pytest.mark.parametrize("wrong", ["0", "many", "-3", "1" * 20])
def test_a_wrong_bound_is_said_beside_its_field(wrong: str) -> None:
    visit = open_stream(length="10000")
    run(visit.text_input(key=f"{PREFIX}_n_max").set_value(wrong))
    assert "The maximum number of records must be a whole number" in words(visit)
    assert visit.button(key=f"{PREFIX}_run_stream").disabled


def test_an_example_column_streams_too() -> None:
    visit = open_stream(stream="data", data="adult-age-full", batch="10000")
    assert metrics(visit)["Read"] == f"{visit.session_state[JOB].parts[-1].n:,}"
    assert visit.session_state[RUN].settings.n_max >= visit.session_state[JOB].parts[-1].n
    assert "true (years)" in visit.dataframe[0].value


def test_an_upload_not_declared_public_shows_nothing_but_python() -> None:
    values = np.full(40, 4711.0)
    visit = open_stream(stream="data", length="10000")
    bring(visit, csv_of(values))
    set_bounds(visit, "0", "9000", "1")
    shown = words(visit)
    assert "even the size of a sketch depends on the data" in shown
    assert visit.button(key=f"{PREFIX}_run_stream").disabled
    assert not visit.get("plotly_chart")
    assert not visit.metric
    assert "4711" not in shown
    assert not re.search(r"\b40\b", "".join(code.value for code in visit.code))
    assert "dpq.release(sketch, plan)" in visit.code[-1].value


def test_what_was_seen_goes_when_data_is_not_public_any_more() -> None:
    visit = open_stream(stream="data")
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))
    assert "Release: private" in words(visit)
    run(visit.checkbox[0].check())
    assert "Explore: not private" in words(visit), "before it is read"
    bring(visit, csv_of(np.arange(100.0)), public=True)
    set_bounds(visit, "0", "100", "1")
    start(visit)
    assert metrics(visit)["Read"] == "100"
    run(visit.checkbox[0].uncheck())
    assert not visit.metric
    assert JOB not in visit.session_state
    assert RUN not in visit.session_state


def test_a_longer_stream_is_read_in_a_process_and_can_be_cancelled() -> None:
    visit = open_stream(length="10000")
    run(visit.select_slider(key=f"{PREFIX}_length").set_value("10000000"))
    run(visit.button(key=f"{PREFIX}_run_stream").click())
    job = visit.session_state[JOB]
    wait(lambda: job.stage is Stage.RUNNING)
    run(visit.button(key=f"{PREFIX}_job_cancel_{stream.JOB}").click())
    assert job.stage is Stage.CANCELLED


def test_a_file_on_the_server_is_read_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    (tmp_path / "own.csv").write_bytes(csv_of(np.arange(500)))
    visit = open_stream(stream="server")
    say_of_server_file(visit, lower="0", upper="1000", step="1")
    assert "even the size of a sketch depends on the data" in words(visit)
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    start(run(visit))
    assert metrics(visit)["Read"] == "500"
    assert "stream_column('own.csv', 'age')" in visit.code[-1].value
    monkeypatch.setenv("DPQ_MODE", "release")
    assert not run(visit).metric


def test_a_file_on_the_server_needs_no_bounds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    (tmp_path / "own.csv").write_bytes(csv_of(np.arange(500)))
    visit = open_stream(stream="server", bounds="digits")
    start(visit)
    assert visit.session_state[RUN].settings.domain == Domain.significant(2)
    assert metrics(visit)["Read"] == "500"
    assert "Domain.significant" in visit.code[-1].value


def test_what_was_said_of_a_file_on_the_server_is_forgotten_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    (tmp_path / "one.csv").write_bytes(b"age,income\n" + b"30,4000\n" * 50)
    (tmp_path / "two.csv").write_bytes(csv_of(np.arange(500)))
    visit = say_of_server_file(open_stream(stream="server"), lower="0", upper="1011", step="1", n_max="2022")

    def starts_empty() -> None:
        assert not [field.value for field in visit.text_input if field.key in SAID_OF_SERVER_FILE and field.value]
        assert visit.button(key=f"{PREFIX}_run_stream").disabled
        assert not re.search("1011|2022", words(visit))

    run(visit.selectbox(key=f"{PREFIX}_stream_column").set_value("income"))
    starts_empty()
    say_of_server_file(visit, lower="0", upper="1011", step="1", n_max="2022")
    run(visit.selectbox(key=f"{PREFIX}_stream_file").set_value("two.csv"))
    starts_empty()
    say_of_server_file(visit, lower="0", upper="1011", step="1", n_max="2022")
    run(widget(visit, f"{PREFIX}_stream").set_value("made"))
    assert visit.text_input(key=f"{PREFIX}_n_max").value == ""
    assert "1011" not in str(visit.query_params)


def test_only_what_is_below_the_folder_is_found(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "part").mkdir(parents=True)
    (tmp_path / "secret.csv").write_text("x\n1\n")
    for path in (root / "a.csv", root / "part" / "b.csv", root / ".hidden.csv", root / "notes.md"):
        path.write_text("x\n1\n")
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")
    (root / "mixed").mkdir()
    (root / "mixed" / "c.csv").write_text("x\n1\n")
    (root / "mixed" / "link.csv").symlink_to(tmp_path / "secret.csv")
    root = root.resolve()
    assert stream_files.find(root, "mixed") is None
    assert stream_files.find(root, "mixed/c.csv") == root / "mixed/c.csv"
    (root / "mixed" / "c.csv").unlink()
    assert stream_files.list_names(root) == ["a.csv", "part", "part/b.csv"]
    assert stream_files.find(root, "part/b.csv") == root / "part/b.csv"
    for trick in ("../secret.csv", str(tmp_path / "secret.csv"), "link.csv", "", ".", "part/../a.csv"):
        assert stream_files.find(root, trick) is None
    assert stream_files.folder({}) is None
    assert stream_files.folder({stream_files.FOLDER: str(root / "none")}) is None
    assert not stream_files.is_public({})


def test_a_bound_beyond_all_records_is_none() -> None:
    known = open_stream(length="10000").session_state[RUN]
    assert "1,200 from the noise" in stream_results.proved(known)
    strict = replace(known, settings=replace(known.settings, privacy=PureDP(0.05)))
    assert stream_results.proved(strict) == (
        "Nothing is proved in advance: the bound for 95 of 100 runs lies beyond all 10,000 records."
    )


def test_the_table_for_download_has_every_look_and_says_what_it_is() -> None:
    visit = open_stream(length="10000")
    steps = visit.session_state[JOB].parts
    rows = list(csv.DictReader(io.StringIO(stream_results.as_csv(visit.session_state[RUN], steps))))
    assert [int(row["n"]) for row in rows] == [step.n for step in steps]
    assert float(rows[-1]["gk_mean"]) == steps[-1].gk.mean
    assert all(row["label"].startswith("Simulation, not private") for row in rows)
    run_shown = visit.session_state[RUN]
    assert {(row["data_set"], row["date"], row["seed"]) for row in rows} == {(run_shown.about, run_shown.made, "0")}
    assert datetime.fromisoformat(run_shown.made).tzinfo is UTC


def test_the_python_on_the_page_releases(capsys: pytest.CaptureFixture[str]) -> None:
    visit = open_stream(length="10000", stream_quantiles="quartiles")
    exec(visit.code[-1].value, {})
    first, _, last = map(float, capsys.readouterr().out.strip("()\n").split(","))
    assert -100 <= first <= last <= 100


def test_numbers_in_words() -> None:
    assert [stream_results.saving_in_words(saving) for saving in (0.4, 1.04, 45.3)] == [
        "no less", "no less", "45 times less"
    ]  # fmt: skip
    assert [stream_results.bytes_in_words(count) for count in (640, 17_700, 8e7, 1.6e9)] == [
        "640 B", "17.7 kB", "80 MB", "1.6 GB"
    ]  # fmt: skip


SERVER_FILE = b"it\tother\n" + b"1.117\tx\n2.222\ty\n" * 40


def test_a_file_on_the_server_says_how_it_is_read_and_is_read_as_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    (tmp_path / "own.tsv").write_bytes(SERVER_FILE)
    visit = open_stream(stream="server")
    assert "By its first cells, it: numbers, point as decimal mark" in said(visit)
    run(next(box for box in visit.selectbox if "_reading_decimal:" in str(box.key)).set_value(","))
    run(next(button for button in visit.button if "_read_so_" in str(button.key)).click())
    assert "By its first cells, it: numbers, comma as decimal mark, point between thousands" in said(visit)
    start(say_of_server_file(visit, lower="0", upper="9000", step="1"))
    assert min(visit.session_state[JOB].parts[-1].true_values) >= 1117
    assert "stream_column('own.tsv', 'it', reading=Reading(decimal=','))" in visit.code[-1].value
    assert str(tmp_path) not in words(visit)
    run(next(box for box in visit.selectbox if "_reading_decimal:" in str(box.key)).set_value("."))
    run(next(button for button in visit.button if "_read_so_" in str(button.key)).click())
    assert "Settings changed: press Start" in said(visit)
    run(visit.selectbox(key=f"{PREFIX}_stream_column").set_value("other"))
    assert "comma as decimal mark" not in said(visit)


@pytest.mark.very_slow
def test_what_is_said_wrongly_of_a_file_on_the_server_is_told_at_once_and_can_be_taken_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    table = {"list": [[1], [2]], "it": [17, 18]}
    pq.write_table(pa.table(table), tmp_path / "own.parquet")
    visit = say_of_server_file(open_stream(stream="server"), lower="0", upper="9000", step="1")
    assert "The column holds values of the type list" in said(visit)
    assert visit.button(key=f"{PREFIX}_run_stream").disabled
    run(visit.selectbox(key=f"{PREFIX}_stream_column").set_value("it"))
    assert "By its first cells, it: numbers, by the types of the cells" in said(visit)
    say_codes(visit, "9999-12-31")
    assert "“Codes that mean a missing value” must be numbers" in said(visit)
    assert "By its first cells" not in said(visit)
    say_codes(visit, "17")
    assert "null or ?, and 17" in said(visit)
    start(say_of_server_file(visit, lower="0", upper="9000", step="1"))
    assert set(visit.session_state[JOB].parts[-1].true_values) == {18}


def say_codes(visit: AppTest, codes: str) -> AppTest:
    """Say by Change which codes mean missing."""
    next(box for box in visit.text_input if "_reading_missing_codes:" in str(box.key)).set_value(codes)
    return run(next(button for button in visit.button if "_read_so_" in str(button.key)).click())


def test_a_private_file_on_the_server_is_not_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    (tmp_path / "own.tsv").write_bytes(SERVER_FILE)
    visit = open_stream(stream="server")
    assert stream_written.PRIVATE in said(visit)
    assert "decimal mark" not in said(visit)
    assert not [each for each in visit.get("popover") if each.proto.popover.label == "Change"]
