"""The Stream page: the first picture, what a press reads, files on the server, tables on a cluster."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Domain, PureDP
from dpq_core.errors import ParameterError
from dpq_core.jobs.line import Stage
from dpq_core.results import exports
from dpq_core.results.kinds import Simulated
from pages.frame import pieces
from pages.frame.header import escape
from pages.keys import PREFIX
from pages.stream import asked as stream_asked
from pages.stream import files as stream_files
from pages.stream import results as stream_results
from pages.stream import view as stream
from pages.stream import written as stream_written
from tests.jobs.test_line import wait
from tests.pages.driving import csv_of, is_disabled, link_of, metrics, open_page, own, run, said, widget, words, written

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
    table = visit.dataframe[0].value
    assert list(table.columns)[1:] == ["true", "sketch alone", "private, from the sketch", "private, from all"]
    shown, last = visit.session_state[RUN], visit.session_state[JOB].parts[-1]
    assert last.saving > 40
    assert f"**{escape(stream_results.finding(last, shown.wording))}**" in [each.value for each in visit.markdown]
    assert "saves no memory" in stream_results.finding(replace(last, sketch_bytes=last.full_bytes), shown.wording)
    assert "instead" not in stream_results.finding(replace(last, exact=False), shown.wording)
    assert shown.settings.seed == stream.FIRST_SEED
    before = visit.session_state[JOB]
    assert run(visit).session_state[JOB] is before, "a rerun reads and draws nothing"
    strict = replace(shown, settings=replace(shown.settings, privacy=PureDP(0.005)))
    assert "lies beyond all 100,000 records" in stream_results.proved(strict)
    rows = list(csv.DictReader(io.StringIO(stream_results.as_csv(shown, before.parts))))
    assert [int(row["n"]) for row in rows] == [step.n for step in before.parts]
    assert float(rows[-1]["gk_mean"]) == last.gk.mean
    assert {(row["data_set"], row["date"], row["seed"]) for row in rows} == {(shown.about, shown.made, "0")}
    assert datetime.fromisoformat(shown.made).tzinfo is UTC


@pytest.mark.slow(keep="made")
@pytest.mark.parametrize(
    "link",
    [
        {"pattern": "zigzag", "length": "10000", "stream_quantiles": "quartiles", "alpha": "0.01", "n_max": "20000"},
        {"stream": "data", "data": "adult-age-full", "batch": "10000", "n_max": "100000"},
    ],
    ids=["made", "example"],
)
def test_a_press_reads_what_was_chosen_and_the_link_says_it(link: dict[str, str]) -> None:
    visit = open_stream(**link)
    settings = visit.session_state[RUN].settings
    assert settings.n_max == int(link["n_max"]) >= visit.session_state[JOB].parts[-1].n
    assert len(visit.dataframe[0].value) == len(settings.quantiles) == (3 if "alpha" in link else 1)
    run(visit.text_input(key=f"{PREFIX}_n_max").set_value("150000"))
    assert "Settings changed: press Start" in words(visit)
    assert link_of(visit) == link | {"n_max": "150000"}
    start(visit)
    assert "Settings changed" not in words(visit)
    assert (visit.session_state[RUN].settings.n_max, visit.session_state[RUN].settings.seed) == (150_000, 1)


def test_an_upload_shows_nothing_but_python_while_it_is_not_declared_public() -> None:
    visit = own(csv_of(np.full(40, 47.0)), public=True, page="stream", stream="data")
    start(visit)
    assert metrics(visit)["Read"] == "40"
    run(visit.checkbox[0].uncheck())
    assert not {JOB, RUN} & visit.session_state._state.filtered_state.keys()
    assert pieces.PRIVATE_ONLY in words(visit)
    assert is_disabled(visit, "run_stream")
    assert not [*visit.get("plotly_chart"), *visit.metric]
    assert not re.search(r"\b4[07]\b", "".join(code.value for code in visit.code))
    assert "dpq.release(sketch, plan)" in visit.code[-1].value


def test_a_longer_stream_is_read_in_a_process_and_can_be_cancelled() -> None:
    visit = open_stream(length="10000")
    run(visit.select_slider(key=f"{PREFIX}_length").set_value("10000000"))
    run(visit.button(key=f"{PREFIX}_run_stream").click())
    job = visit.session_state[JOB]
    wait(lambda: job.stage is Stage.RUNNING)
    run(visit.button(key=f"{PREFIX}_job_cancel_{stream.JOB}").click())
    assert job.stage is Stage.CANCELLED


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of files on the server, which its operator calls public."""
    monkeypatch.setenv(stream_files.FOLDER, str(tmp_path))
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    (tmp_path / "own.csv").write_bytes(csv_of(np.arange(500)))
    return tmp_path


@pytest.mark.slow
def test_a_file_on_the_server_is_read_by_its_name_with_bounds_or_without(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(stream_files.PUBLIC)
    visit = say_of_server_file(open_stream(stream="server"), lower="0", upper="1000", step="1")
    assert is_disabled(visit, "run_stream"), "private files are not read"
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    start(run(visit))
    assert metrics(visit)["Read"] == "500"
    assert "stream_column('own.csv', 'age')" in visit.code[-1].value
    monkeypatch.setenv("DPQ_MODE", "release")
    assert not run(visit).metric
    monkeypatch.delenv("DPQ_MODE")
    digits = start(open_stream(stream="server", bounds="digits"))
    assert digits.session_state[RUN].settings.domain == Domain.significant(2)
    assert "Domain.significant" in digits.code[-1].value


@pytest.mark.slow
def test_what_was_said_of_a_file_on_the_server_is_forgotten_with_it(served: Path) -> None:
    (served / "one.csv").write_bytes(b"age,income\n" + b"30,4000\n" * 50)
    visit = open_stream(stream="server")
    for setting, other in (("stream_column", "income"), ("stream_file", "own.csv")):
        say_of_server_file(visit, lower="0", upper="1011", step="1", n_max="2022")
        run(visit.selectbox(key=f"{PREFIX}_{setting}").set_value(other))
        assert not [field.value for field in visit.text_input if field.key in SAID_OF_SERVER_FILE and field.value]
        assert is_disabled(visit, "run_stream")
        assert not re.search("1011|2022", words(visit))
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


def test_the_python_on_the_page_releases(capsys: pytest.CaptureFixture[str]) -> None:
    visit = open_stream(length="10000", stream_quantiles="quartiles")
    exec(visit.code[-1].value, {})
    first, _, last = map(float, capsys.readouterr().out.strip("()\n").split(","))
    assert -100 <= first <= last <= 100


SERVER_FILE = b"it\tother\n" + b"1.117\tx\n2.222\ty\n" * 40


@pytest.mark.slow
def test_a_file_on_the_server_says_how_it_is_read_and_is_read_as_is_said(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (served / "own.csv").unlink()
    (served / "own.tsv").write_bytes(SERVER_FILE)
    monkeypatch.delenv(stream_files.PUBLIC)
    visit = open_stream(stream="server")
    assert stream_written.PRIVATE in said(visit)
    assert "decimal mark" not in said(visit), "a private file is not looked at"
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    assert "point as decimal mark" in said(run(visit))
    written(visit, decimal=",")
    assert "comma as decimal mark, point between thousands" in said(visit)
    start(say_of_server_file(visit, lower="0", upper="9000", step="1"))
    assert min(visit.session_state[JOB].parts[-1].true_values) >= 1117
    assert "stream_column('own.tsv', 'it', reading=Reading(decimal=','))" in visit.code[-1].value
    assert str(served) not in words(visit)
    written(visit, decimal=".")
    assert "Settings changed: press Start" in said(visit)
    run(visit.selectbox(key=f"{PREFIX}_stream_column").set_value("other"))
    assert "comma as decimal mark" not in said(visit)


@pytest.mark.slow
def test_what_is_said_wrongly_of_a_file_on_the_server_is_told_at_once_and_can_be_taken_back(served: Path) -> None:
    (served / "own.csv").unlink()
    pq.write_table(pa.table({"list": [[1], [2]], "it": [17, 18]}), served / "own.parquet")
    visit = say_of_server_file(open_stream(stream="server"), lower="0", upper="9000", step="1")
    assert is_disabled(visit, "run_stream"), "lists are no numbers"
    run(visit.selectbox(key=f"{PREFIX}_stream_column").set_value("it"))
    written(visit, missing_codes="9999-12-31")
    assert "“Codes that mean a missing value” must be numbers" in said(visit)
    written(visit, missing_codes="17")
    start(say_of_server_file(visit, lower="0", upper="9000", step="1"))
    assert set(visit.session_state[JOB].parts[-1].true_values) == {18}


def on_a_cluster(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that starts a cluster, which takes seconds, and may leave sockets to the collector."""
    for warning in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
        test = pytest.mark.filterwarnings(f"ignore::{warning}")(test)
    marked: Callable[..., None] = pytest.mark.slow(test)
    return marked


TABLE_JOB = f"{PREFIX}:job:{stream_asked.JOB}"
NAME = "people"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
    pytest.importorskip("dask.dataframe", reason="dask has no data frames here")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started:
        yield started.scheduler_address


@pytest.fixture
def cluster_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> Path:
    rng = np.random.default_rng(8)
    (tmp_path / NAME).mkdir()
    for at in range(2):
        frame = pd.DataFrame(
            {
                "id": [f"secret-{each}" for each in rng.integers(0, 600, 3000)],
                "pay": rng.normal(4711, 90, 3000).round(1),
                "age": rng.integers(18, 90, 3000),
                "ward": rng.choice(["north", "south", "hiddenward"], 3000),
            }
        )
        frame.to_parquet(tmp_path / NAME / f"{at}.parquet")
    (tmp_path / "own.csv").write_text("x\n1\n2\n")
    for name, value in ((stream_files.FOLDER, str(tmp_path)), (stream_files.SCHEDULER, address)):
        monkeypatch.setenv(name, value)
    return tmp_path


def open_table(**more: str) -> AppTest:
    visit = open_page("stream", stream="server", stream_what="table", **more)
    return run(visit.selectbox(key=f"{PREFIX}_stream_file").set_value(NAME))


def choose(visit: AppTest, columns: list[str], person: str = "", by: tuple[str, ...] = ()) -> AppTest:
    run(visit.multiselect(key=f"{PREFIX}_stream_columns_{NAME}").set_value(columns))
    run(visit.selectbox(key=f"{PREFIX}_stream_person_{NAME}").set_value(person))
    return run(visit.multiselect(key=f"{PREFIX}_stream_by_{NAME}").set_value(list(by)))


def start_table(visit: AppTest) -> Simulated:
    run(visit.button(key=f"{PREFIX}_run_stream_table").click())
    wait(lambda: visit.session_state[TABLE_JOB].finished)
    run(visit)
    found: Any = visit.session_state[TABLE_JOB].parts[-1]
    assert isinstance(found, Simulated), visit.session_state[TABLE_JOB].problem
    return found


@on_a_cluster
def test_several_columns_of_persons_are_simulated_on_the_cluster(
    cluster_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    visit = choose(open_table(epsilon="4"), ["pay", "age"], "id")
    run(widget(visit, f"{PREFIX}_take").set_value("mean"))
    assert "Explore: not private" in words(visit)
    found = start_table(visit)
    assert [each.wording.name for each in found.answers] == ["pay", "age"]
    assert found.request.person is not None
    assert (found.request.person.column, found.request.person.take) == ("id", "mean")
    parts = visit.session_state[TABLE_JOB].parts
    assert len(parts) > 3
    assert set(parts[:-1]) == {None}  # what came before was progress
    shown = words(visit)
    assert exports.kind_in_words(found) in shown
    assert "secret-" not in shown
    assert str(cluster_folder) not in shown
    frame = pd.concat([pd.read_parquet(path) for path in (cluster_folder / NAME).glob("*.parquet")])
    middle = frame.groupby("id")["age"].mean().median()
    assert abs(found.answers[1].true_values[2] - middle) < 1  # of 2 digits
    run(widget(visit, f"{PREFIX}_epsilon").set_value("3"))
    assert "Settings changed: press Start" in words(visit)


@on_a_cluster
def test_listed_groups_are_answered_each(cluster_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    visit = choose(open_table(epsilon="9"), ["age"], by=("ward",))
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled
    run(visit.text_area(key=f"{PREFIX}_group_names").set_value("south\nnorth"))
    found = start_table(visit)
    assert [each.group for each in found.answers] == ["south", "north"]
    assert found.request.groups is not None
    assert found.request.groups.names == ("south", "north")
    assert "hiddenward" not in words(visit)
    run(visit.multiselect(key=f"{PREFIX}_stream_by_{NAME}").set_value([]))
    run(visit.multiselect(key=f"{PREFIX}_stream_by_{NAME}").set_value(["id"]))
    assert visit.text_area(key=f"{PREFIX}_group_names").value == ""  # of other groups


@on_a_cluster
def test_groups_to_be_found_are_refused_before_anything_is_read(
    cluster_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    visit = choose(open_table(budget="approximate"), ["age"], by=("ward",))
    run(widget(visit, f"{PREFIX}_group_way").set_value("found"))
    assert "must list the groups of a table on a cluster" in words(visit)
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled


@on_a_cluster
def test_no_python_releases_what_a_cluster_refuses(cluster_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ParameterError("mechanism", "must draw one quantile at a time.")
    monkeypatch.setattr(stream_asked, "refusal_on_cluster", lambda _, simulated: None if simulated else refused)
    visit = choose(open_table(), ["age"], "id")
    assert "must draw one quantile at a time" in words(visit)
    assert not [code for code in visit.code if "release" in code.value]


def run_python(visit: AppTest, address: str, cluster_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the last code that the page shows, where the files are."""
    monkeypatch.chdir(cluster_folder)
    scope: dict[str, Any] = {}
    try:
        exec(visit.code[-1].value.replace("tcp://scheduler:8786", address), scope)
    finally:
        scope["client"].close()


@on_a_cluster
def test_python_finds_the_groups_of_a_private_table(
    cluster_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    visit = choose(open_table(budget="approximate", epsilon="9"), ["age"], by=("ward",))
    run(widget(visit, f"{PREFIX}_group_way").set_value("found"))
    assert "must list the groups" not in words(visit)
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled
    run_python(visit, address, cluster_folder, monkeypatch)
    out = capsys.readouterr().out
    assert all(ward in out for ward in ("north", "south", "hiddenward"))


@on_a_cluster
def test_a_private_table_is_not_read_and_python_releases_it(
    cluster_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    visit = choose(open_table(), ["pay"], "id")
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled
    assert TABLE_JOB not in visit.session_state
    shown = words(visit)
    assert "reads public tables only" in shown
    assert not any(hidden in shown for hidden in ("secret-", "4711", address, str(cluster_folder)))
    run_python(visit, address, cluster_folder, monkeypatch)
    assert "pay" in capsys.readouterr().out
