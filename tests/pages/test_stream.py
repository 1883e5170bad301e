"""The Stream page: the first picture, what a press reads, own data, and public files on the server."""

import csv
import io
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
from dpq_core.jobs.queue import Stage
from pages.keys import PREFIX
from pages.stream import run as stream
from pages.stream import sources
from tests.jobs.test_queue import wait
from tests.pages.driving import (
    csv_of,
    is_disabled,
    link_of,
    open_page,
    own,
    run,
    said,
    set_bounds,
    streamed,
    widget,
    words,
)

JOB, RUN = f"{PREFIX}:job:{stream.JOB}", f"{PREFIX}:stream:run"
open_stream = partial(open_page, "stream")


def say_of_server_file(visit: AppTest, upper: str, n_max: str = "10000") -> AppTest:
    visit.select_slider(key=f"{PREFIX}_n_max").set_value(n_max)
    return set_bounds(visit, "0", upper, "1")


def test_the_page_opens_with_a_stream_that_was_read() -> None:
    visit = open_stream()
    assert "100,000 records read. The sketch keeps" in said(visit)
    table = visit.dataframe[0].value
    assert list(table.columns)[1:] == ["true", "sketch alone", "private, from the sketch", "private, from all"]
    shown, before = visit.session_state[RUN], visit.session_state[JOB]
    last = before.parts[-1]
    assert last.saving > 40
    assert "without the sketch" in stream.finding(last, shown.wording)
    assert "so few need no sketch" in stream.finding(replace(last, sketch_bytes=last.full_bytes), shown.wording)
    assert "without the sketch" not in stream.finding(replace(last, exact=False), shown.wording)
    assert run(visit).session_state[JOB] is before, "a rerun reads and draws nothing"
    rows = list(csv.DictReader(io.StringIO(stream.as_csv(shown, before.parts))))
    assert [int(row["n"]) for row in rows] == [step.n for step in before.parts]
    assert float(rows[-1]["gk_mean"]) == last.gk.mean
    assert {(row["data_set"], row["date"], row["seed"]) for row in rows} == {(shown.about, shown.made, "1")}
    assert datetime.fromisoformat(shown.made).tzinfo is UTC


def test_the_form_says_what_is_proved_before_anything_is_read() -> None:
    assert "Proved in advance for 95 of 100 runs: at most 200 records off because of the sketch" in said(open_stream())
    assert "is larger than all 100,000 records" in said(open_stream(epsilon="0.005"))


@pytest.mark.slow(keep="made")
@pytest.mark.parametrize("link", [
    {"pattern": "zigzag", "length": "10000", "stream_quantiles": "quartiles", "alpha": "0.01"},
    {"stream": "data", "data": "adult-age-full"},
], ids=["made", "example"])  # fmt: skip
def test_a_press_reads_what_was_chosen_and_the_link_says_it(link: dict[str, str]) -> None:
    visit = open_stream(**link)
    settings = visit.session_state[RUN].settings
    assert settings.n_max == visit.session_state[JOB].parts[-1].n
    assert len(visit.dataframe[0].value) == len(settings.quantiles) == (3 if "alpha" in link else 1)
    run(widget(visit, f"{PREFIX}_epsilon").set_value("2"))
    assert "Settings changed: press Start" in words(visit)
    assert link_of(visit) == link | {"epsilon": "2"}
    streamed(visit)
    assert "Settings changed" not in words(visit)
    assert (visit.session_state[RUN].settings.privacy, visit.session_state[RUN].settings.seed) == (PureDP(2), 2)


@pytest.mark.slow
def test_an_upload_is_forgotten_with_its_stream_where_it_is_not_declared_public_any_more() -> None:
    visit = streamed(own(csv_of(np.full(40, 47.0)), public=True, page="stream", stream="data"))
    assert "40 people read" in said(visit)
    assert len(visit.session_state[JOB].parts) > 5, "a short stream, too, is seen to grow"
    run(visit.checkbox[0].uncheck())
    assert not {JOB, RUN} & visit.session_state._state.filtered_state.keys()
    assert is_disabled(visit, "run_stream")
    assert not [*visit.get("plotly_chart"), *visit.dataframe]


@pytest.mark.slow
def test_a_longer_stream_is_read_in_a_process_and_can_be_cancelled() -> None:
    visit = open_stream(length="10000")
    run(visit.select_slider(key=f"{PREFIX}_length").set_value("10000000"))
    run(visit.button(key=f"{PREFIX}_run_stream").click())
    job = visit.session_state[JOB]
    wait(lambda: job.stage is Stage.RUNNING)
    run(visit.button(key=f"{PREFIX}_job_cancel_{stream.JOB}").click())
    assert job.stage is Stage.CANCELLED
    run(visit.button(key=f"{PREFIX}_run_stream").click())
    again = visit.session_state[JOB]
    assert again is not job, "what was cancelled is started anew"
    wait(lambda: again.stage is Stage.RUNNING)
    again.cancel()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of files on the server, which its operator calls public."""
    monkeypatch.setenv(sources.FOLDER, str(tmp_path))
    monkeypatch.setenv(sources.PUBLIC, "yes")
    (tmp_path / "own.csv").write_bytes(csv_of(np.arange(500)))
    return tmp_path


@pytest.mark.slow
def test_a_file_on_the_server_is_read_by_its_name_with_bounds_or_without(
    served: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    visit = open_stream(stream="server")
    assert "By its first cells, age: numbers" in said(visit)
    streamed(say_of_server_file(visit, "1000"))
    assert visit.session_state[RUN].settings.n_max == 10_000
    assert "500 people read" in said(visit)
    assert str(served) not in words(visit)
    monkeypatch.chdir(served)
    exec(visit.code[-1].value, {})
    assert 0 <= float(capsys.readouterr().out.strip("(,)\n")) <= 1000
    assert not {"lower", "upper", "step", "n_max"} & link_of(visit).keys(), "no link says what is of this file"
    digits = streamed(run(widget(visit, f"{PREFIX}_bounds").set_value("digits")))
    assert digits.session_state[RUN].settings.domain == Domain.significant(2)
    monkeypatch.setenv("DPQ_MODE", "release")
    assert "own.csv" not in words(run(visit))


@pytest.mark.slow
def test_what_was_said_of_a_file_on_the_server_is_forgotten_with_it(served: Path) -> None:
    (served / "one.csv").write_bytes(b"age,income\n" + b"30,4000\n" * 50)
    visit = open_stream(stream="server")
    for setting, other in (("stream_column", "income"), ("stream_file", "own.csv")):
        say_of_server_file(visit, "1011", "1000000")
        run(visit.selectbox(key=f"{PREFIX}_{setting}").set_value(other))
        assert is_disabled(visit, "run_stream")
        assert visit.select_slider(key=f"{PREFIX}_n_max").value == "10000000"
        assert "1011" not in words(visit)
    say_of_server_file(visit, "1011")
    run(widget(visit, f"{PREFIX}_stream").set_value("made"))
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
    assert sources.list_names(str(root)) == ["a.csv", "mixed/c.csv", "part", "part/b.csv"]
    public = {sources.FOLDER: str(root), sources.PUBLIC: "yes"}
    assert sources.public_folder(public) == root
    for other in ({}, {sources.PUBLIC: "no"}, {sources.FOLDER: str(root / "none")}, {"DPQ_MODE": "release"}):
        assert sources.public_folder((public if other else {}) | other) is None


@pytest.mark.slow
def test_a_file_on_the_server_that_cannot_be_read_says_why(served: Path) -> None:
    (served / "own.csv").unlink()
    assert "holds no file that can be read" in said(open_stream(stream="server"))
    pq.write_table(pa.table({"list": [[1], [2]], "it": [17, 18]}), served / "own.parquet")
    sources.list_names.clear()
    visit = open_stream(stream="server")
    assert ":material/error:" in said(visit), "lists are no numbers"
    assert is_disabled(visit, "run_stream")
    run(visit.selectbox(key=f"{PREFIX}_stream_column").set_value("it"))
    streamed(say_of_server_file(visit, "9000"))
    assert set(visit.session_state[JOB].parts[-1].true_values) <= {17, 18}
