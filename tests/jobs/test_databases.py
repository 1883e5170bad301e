"""A database that does not answer: its statement ends, its reading can be cancelled, and nobody else waits for it."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from dpq_core.errors import DataError
from dpq_core.jobs.databases import DatabaseJob
from dpq_core.jobs.line import Job, Stage
from dpq_core.sources.databases import reading
from dpq_core.sources.databases.reading import Database
from dpq_core.sources.reading import Reading
from pages.files.reading import PasteJob, _read_text
from tests.jobs.test_line import wait
from tests.jobs.test_processes import child_of, gives_way

ENDLESS = "WITH RECURSIVE endless(x) AS (SELECT 1 UNION ALL SELECT x FROM endless) SELECT x FROM endless"


@pytest.fixture
def url(tmp_path: Path) -> str:
    sqlite3.connect(tmp_path / "some.sqlite").execute("CREATE TABLE some (x)").connection.close()
    return f"sqlite:///{tmp_path / 'some.sqlite'}"


def test_a_statement_that_does_not_end_is_ended(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_SECONDS", 0.05)
    with pytest.raises(DataError, match="takes longer than"):
        Database(url, query=ENDLESS).rows("x")


@pytest.mark.slow
def test_it_gives_way_cancel_ends_it_and_pasting_does_not_wait(url: str) -> None:
    endless = [DatabaseJob(Database(url, query=ENDLESS), "x", "", "") for _ in range((os.cpu_count() or 1) + 1)]
    try:
        wait(lambda: endless[0].stage is Stage.RUNNING and endless[0]._child is not None)
        wait(lambda: gives_way(child_of(endless[0])))  # else as many as there are cores leave the pages a part of one
        pasted = PasteJob(partial(_read_text, "1 2 3", Reading()))
        study = Job(lambda progress, cancelled: "done")
        wait(lambda: pasted.finished and study.finished)
        assert (pasted.stage, study.stage) == (Stage.DONE, Stage.DONE)
        assert endless[-1].stage is Stage.WAITING, "only those of databases wait for each other"
    finally:
        for job in endless:
            job.cancel()
    child = endless[0]._child
    assert child is not None
    wait(lambda: not child.is_alive)
    after = DatabaseJob(Database(url, table="some"), "x", "", "")
    wait(lambda: after.finished)
    assert after.stage is Stage.DONE, "there is room for the next one"


@pytest.mark.slow
def test_the_child_reads_what_the_server_would(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "some.sqlite") as connection:
        connection.execute("CREATE TABLE some (x, person, ward)")
        rows = [(3, "a", "north"), (1, "b", "south"), (2, "a", "north")]
        connection.executemany("INSERT INTO some VALUES (?, ?, ?)", rows)
    connection.close()
    database = Database(f"sqlite:///{tmp_path / 'some.sqlite'}", table="some")
    job = DatabaseJob(database, "x", "person", "ward")
    wait(lambda: job.finished)
    column, people, groups = job.result
    here = database.rows("x", person="person", group="ward")
    assert column.values.tolist() == here.column.values.tolist() == [1, 2, 3]
    assert here.people is not None
    assert here.groups is not None
    assert people.codes.tolist() == here.people.codes.tolist()
    assert groups.codes.tolist() == here.groups.codes.tolist()
