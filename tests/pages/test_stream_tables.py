"""A table on a cluster on the Stream page: the controls of several columns, progress, and nothing of private files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.errors import ParameterError
from dpq_core.results import ColumnsSimulation, exports
from pages.keys import PREFIX
from pages.stream import asked as stream_asked
from pages.stream import files as stream_files
from tests.jobs.test_line import wait
from tests.pages.driving import open_page, run, said, widget, words

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]
distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
pytest.importorskip("dask.dataframe", reason="dask has no data frames here")

JOB = f"{PREFIX}:job:{stream_asked.JOB}"
NAME = "people"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started:
        yield started.scheduler_address


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> Path:
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


def start(visit: AppTest) -> ColumnsSimulation:
    run(visit.button(key=f"{PREFIX}_run_stream_table").click())
    wait(lambda: visit.session_state[JOB].finished)
    run(visit)
    found: Any = visit.session_state[JOB].parts[-1]
    assert isinstance(found, ColumnsSimulation), visit.session_state[JOB].problem
    return found


@pytest.mark.very_slow
def test_several_columns_of_persons_are_simulated_on_the_cluster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    visit = choose(open_table(epsilon="4"), ["pay", "age"], "id")
    run(widget(visit, f"{PREFIX}_take").set_value("mean"))
    assert "Explore: not private" in words(visit)
    found = start(visit)
    assert [each.wording.name for each in found.answers] == ["pay", "age"]
    assert found.request.person is not None
    assert (found.request.person.column, found.request.person.take) == ("id", "mean")
    parts = visit.session_state[JOB].parts
    assert len(parts) > 3
    assert set(parts[:-1]) == {None}  # what came before was progress
    shown = words(visit)
    assert exports.kind_in_words(found) in shown
    assert "secret-" not in shown
    assert str(folder) not in shown
    frame = pd.concat([pd.read_parquet(path) for path in (folder / NAME).glob("*.parquet")])
    middle = frame.groupby("id")["age"].mean().median()
    assert abs(found.answers[1].true_values[2] - middle) < 1  # of 2 digits
    run(widget(visit, f"{PREFIX}_epsilon").set_value("3"))
    assert "Settings changed: press Start" in words(visit)


def test_listed_groups_are_answered_each(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    visit = choose(open_table(epsilon="9"), ["age"], by=("ward",))
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled
    run(visit.text_area(key=f"{PREFIX}_group_names").set_value("south\nnorth"))
    found = start(visit)
    assert [each.group for each in found.answers] == ["south", "north"]
    assert found.request.groups is not None
    assert found.request.groups.names == ("south", "north")
    assert "hiddenward" not in words(visit)
    run(visit.multiselect(key=f"{PREFIX}_stream_by_{NAME}").set_value([]))
    run(visit.multiselect(key=f"{PREFIX}_stream_by_{NAME}").set_value(["id"]))
    assert visit.text_area(key=f"{PREFIX}_group_names").value == ""  # of other groups


def test_groups_to_be_found_are_refused_before_anything_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(stream_files.PUBLIC, "yes")
    visit = choose(open_table(budget="approximate"), ["age"], by=("ward",))
    run(widget(visit, f"{PREFIX}_group_way").set_value("found"))
    assert "must list the groups of a table on a cluster" in words(visit)
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled


def test_no_python_releases_what_a_cluster_refuses(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ParameterError("mechanism", "must draw one quantile at a time.")
    monkeypatch.setattr(stream_asked, "refusal_on_cluster", lambda _, simulated: None if simulated else refused)
    visit = choose(open_table(), ["age"], "id")
    assert "must draw one quantile at a time" in words(visit)
    assert not [code for code in visit.code if "release" in code.value]


def run_python(visit: AppTest, address: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the last code that the page shows, where the files are."""
    monkeypatch.chdir(folder)
    scope: dict[str, Any] = {}
    try:
        exec(visit.code[-1].value.replace("tcp://scheduler:8786", address), scope)
    finally:
        scope["client"].close()


def test_python_finds_the_groups_of_a_private_table(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    visit = choose(open_table(budget="approximate", epsilon="9"), ["age"], by=("ward",))
    run(widget(visit, f"{PREFIX}_group_way").set_value("found"))
    assert "must list the groups" not in words(visit)
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled
    run_python(visit, address, folder, monkeypatch)
    out = capsys.readouterr().out
    assert all(ward in out for ward in ("north", "south", "hiddenward"))


def test_a_private_table_is_not_read_and_python_releases_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    visit = choose(open_table(), ["pay"], "id")
    assert visit.button(key=f"{PREFIX}_run_stream_table").disabled
    assert JOB not in visit.session_state
    shown = words(visit)
    assert "reads public tables only" in shown
    assert not any(hidden in shown for hidden in ("secret-", "4711", address, str(folder)))
    run_python(visit, address, folder, monkeypatch)
    assert "pay" in capsys.readouterr().out


def test_only_typed_files_are_tables(folder: Path) -> None:
    visit = open_page("stream", stream="server", stream_what="table")
    run(visit.selectbox(key=f"{PREFIX}_stream_file").set_value("own.csv"))
    assert not [each for each in visit.multiselect if "stream_columns" in str(each.key)]
    assert "What is read" not in said(visit)
