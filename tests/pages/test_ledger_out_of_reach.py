"""A ledger that cannot be reached, on every page that asks it: one sentence in time, and nothing charged."""

import csv
import io
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event, text
from streamlit.testing.v1 import AppTest

from dpq_core import LedgerError, Release
from dpq_core.ledger import charging
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.history.statement import history_as_csv
from dpq_core.ledger.store import database
from dpq_core.ledger.store.database import NOT_REACHED
from dpq_core.schedule import draw
from pages.keys import PREFIX
from pages.payment import ledger as budget
from pages.server import signin
from pages.shell import presses
from tests.ledger.server import server, skip_without_postgres
from tests.pages.driving import charged, csv_of, open_page, own, press, run, said, sheet, turn_to
from tests.pages.shapes import SHAPES

AGES = np.random.default_rng(8).integers(18, 91, size=700)
SOON = 20.0
"""Seconds: far more than the waits add up to on a busy machine, far less than an operating system's own minutes."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server whose wait is shorter than usual, so that a slow machine makes no difference."""
    monkeypatch.setattr(database, "WAIT_SECONDS", 1)


LINKS: list[tuple[str, dict[str, str]]] = [("release", {}), ("releases", {}), ("releases", {"answer": "b" * 32})]


def ready(**link: Any) -> AppTest:
    return own(csv_of(AGES), "patients.csv", **{"mechanism": "aq"} | link)


def account(file: Path) -> Account:
    (found,) = Ledger.at(file).accounts()
    return found


@contextmanager
def held(file: Path) -> Iterator[None]:
    """Somebody has the lock for writing, and does not give it back."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.close()


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ["add_remove", "replace_one"])
def test_a_press_while_the_ledger_is_locked(own_ledger: Path, adjacency: str) -> None:
    visit = press(ready(adjacency=adjacency))
    with held(own_ledger):
        press(visit)
        assert NOT_REACHED in said(visit)
    assert charged(own_ledger) == 1
    press(visit)
    assert NOT_REACHED not in said(visit)
    assert charged(own_ledger) == 2


@pytest.mark.slow
def test_a_press_on_a_full_disk(own_ledger: Path) -> None:
    visit = ready(quantiles="even", even="2000")
    ledger = budget.open_ledger()

    @event.listens_for(ledger.engine, "checkout")
    def no_page_more(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    press(visit)
    event.remove(ledger.engine, "checkout", no_page_more)
    assert NOT_REACHED in said(visit)
    assert standing(account(own_ledger)).entries == ()


@pytest.mark.slow
def test_a_press_whose_answer_cannot_be_kept(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = []

    def lock_up(*given: Any) -> Release:
        other.append(sqlite3.connect(own_ledger, isolation_level=None, check_same_thread=False))
        other[0].execute("BEGIN EXCLUSIVE")
        return draw(*given)

    monkeypatch.setattr(charging, "draw", lock_up)
    visit = press(ready())
    assert "The charge stays" in said(visit)
    assert NOT_REACHED not in said(visit)
    other[0].close()
    (entry,) = standing(account(own_ledger)).entries
    assert entry.state == "charged"


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_a_server_that_is_down(page: str, link: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg", reason="the extra [postgres] is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and nobody listens
        monkeypatch.setenv("DPQ_LEDGER_URL", f"postgresql://me:secret@127.0.0.1:{free.getsockname()[1]}/db")
        visit = ready() if page == "release" else open_page(page, **link)
    assert NOT_REACHED in said(visit)
    assert "secret" not in said(visit)
    assert "not in the ledger" not in said(visit), "nobody knows"


@pytest.mark.slow
def test_a_ledger_that_is_deleted_under_the_server(own_ledger: Path) -> None:
    visit = press(ready())
    own_ledger.unlink()
    assert "was removed or replaced" in said(run(visit))
    assert "was removed or replaced" in said(turn_to(visit, "releases"))
    assert not own_ledger.exists()


@pytest.mark.slow
def test_an_older_ledger_is_one_sentence(own_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPQ_LEDGER_HEADS", str(tmp_path / "heads"))
    press(ready())
    budget._ledger.cache_clear()  # the server starts again
    for file in own_ledger.parent.glob("ledger.sqlite*"):
        file.unlink()
    visit = ready()
    assert "This ledger is older than what was charged to it, or another one" in said(visit)
    assert "(dpq ledger accept)" in said(open_page("releases"))


@pytest.mark.slow
def test_who_is_signed_in_stands_in_the_history(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    press(ready())
    assert "by" not in open_page("releases").dataframe[0].value.columns
    monkeypatch.setattr(signin, "who", lambda: "ada@example.org")
    press(ready())
    press(ready())
    found = standing(account(own_ledger))
    assert [entry.who for entry in found.entries] == ["", "ada@example.org", "ada@example.org"]
    table = open_page("releases").dataframe[0].value
    assert list(table["by"]) == ["ada@example.org", "ada@example.org", "–"]
    assert [row["who"] for row in csv.DictReader(io.StringIO(history_as_csv(found)))] == [
        each.who for each in found.entries
    ]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_an_interrupted_press_may_be_charged(shape: str, own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is charged and kept, and the run ended before the page had it; then somebody holds the lock."""
    kept: list[presses.ReleaseRequest] = []
    begin = presses.begin

    def keep(wanted: presses.ReleaseRequest) -> tuple[presses.ReleaseRequest, bool]:
        press, again = begin(wanted)
        kept.append(press)
        return press, again

    monkeypatch.setattr(presses, "begin", keep)
    visit = SHAPES[shape].drawn()
    visit.session_state[presses._open(kept[0].identity)] = kept[0]
    with held(own_ledger):
        run(visit)
        assert "whether the interrupted release was charged" in said(visit)
        assert NOT_REACHED not in said(visit)
    visit.session_state[presses._open(kept[0].identity)] = kept[0]
    monkeypatch.setattr(Ledger, "reach", raise_out_of_reach)
    run(visit)
    assert "whether the interrupted release was charged" in said(visit)
    assert NOT_REACHED not in said(visit)


def raise_out_of_reach(*_: object) -> None:
    raise LedgerError(NOT_REACHED)


@pytest.mark.slow
def test_a_ledger_that_goes_in_the_middle_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    visit = press(ready())
    with monkeypatch.context() as patch:
        patch.setattr("dpq_core.ledger.history.entries.limits_and_spent", raise_out_of_reach)
        for found in (turn_to(visit, "releases"), run(visit)):
            assert NOT_REACHED in said(found)
    released = visit.session_state[f"{PREFIX}:outcome:release"].release.id
    monkeypatch.setattr(Ledger, "reach", raise_out_of_reach)
    visit = open_page("releases", answer=released)
    assert NOT_REACHED in said(visit)
    assert sheet(visit) == "", "no example stands for an answer"
    monkeypatch.undo()


@pytest.mark.slow
@pytest.mark.parametrize("table", ["dpq_accounts", "dpq_releases"])
def test_a_page_waits_once_for_a_held_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """A wait takes three seconds, so that a page answers within eight."""
    skip_without_postgres()
    with server(tmp_path) as running:
        monkeypatch.setenv("DPQ_LEDGER_URL", running.url)
        visit = press(ready())
        ledger = budget.open_ledger()
        waits: list[object] = []
        event.listen(ledger.engine, "handle_error", lambda context: waits.append(context.original_exception))
        monkeypatch.setattr(database, "REST_SECONDS", SOON)
        with ledger.engine.connect() as other:
            other.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
            for turn in (press, run):
                waits.clear()
                database._waited_in_vain.clear()
                assert NOT_REACHED in said(turn(visit))
                assert len(waits) == 1
            other.rollback()
        database._waited_in_vain.clear()
        assert NOT_REACHED not in said(run(visit))
        ledger.engine.dispose()
        budget._ledger.cache_clear()


@pytest.mark.slow
def test_a_server_that_goes_down_between_presses_or_in_a_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without_postgres()
    with server(tmp_path) as running:
        monkeypatch.setenv("DPQ_LEDGER_URL", running.url)
        visit = press(ready())
        running.stop()
        press(visit)
        assert NOT_REACHED in said(visit)
        assert NOT_REACHED in said(turn_to(visit, "releases"))
        running.start()
        database._waited_in_vain.clear()
        run(visit)

        def stop_while_drawing(*given: Any) -> Release:
            running.stop()
            return draw(*given)

        monkeypatch.setattr(charging, "draw", stop_while_drawing)
        press(visit)
        assert "The charge stays" in said(visit)
        assert NOT_REACHED not in said(visit), "it was"
        running.start()
        ledger = Ledger.at(running.url)
        (found,) = ledger.accounts()
        assert [entry.state.value for entry in standing(found).entries] == ["answered", "charged"]
        ledger.engine.dispose()
        budget._ledger.cache_clear()
