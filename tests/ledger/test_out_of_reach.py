"""A ledger that cannot be reached: one sentence within five seconds, which says truly what was charged."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from weakref import WeakKeyDictionary

import pytest
from sqlalchemy import event, text

from dpq_core import LedgerError, Plan, PureDP, QuantileRelease, calibrate, release
from dpq_core.ledger import (
    Ledger,
    Request,
    State,
    charged_answer,
    charged_release,
    history_as_csv,
    history_as_json,
    standing,
    statement,
    sums,
    upkeep,
)
from dpq_core.ledger.history.answers import answered_at, stored_releases
from dpq_core.ledger.store import database
from tests.jobs.test_line import wait
from tests.ledger.clients import JOINS, plan, sample
from tests.ledger.conftest import fresh_database, skip_without_postgres
from tests.ledger.server import server

ROOT = Path(__file__).parents[2]
SOON = 20.0
"""Seconds: far more than the waits add up to on a busy machine, far less than an operating system's own minutes."""
NOTHING = "The ledger cannot be reached; nothing was charged."


@pytest.fixture
def ledger(tmp_path):
    opened = Ledger.at(tmp_path / "ledger.sqlite")
    yield opened
    opened.engine.dispose()


def open_one(ledger):
    return ledger.open_account("people", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")


def refused(work):
    """What was said, and that it was said in time."""
    start = time.monotonic()
    with pytest.raises(LedgerError) as caught:
        work()
    assert time.monotonic() - start < SOON
    return str(caught.value)


def is_at_work(ledger, process):
    """Whether PostgreSQL still has this process for a client."""
    with ledger.engine.connect() as connection:
        found = connection.execute(text(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {process}"))
        return found.scalar_one() > 0


def never_drawn() -> QuantileRelease:
    pytest.fail("nothing may be drawn")


def spend(account, **named):
    return charged_release(sample(), plan(0.25), account, **named)


@contextmanager
def held(ledger):
    """Somebody else has the lock for writing, and does not give it back."""
    other = sqlite3.connect(ledger.engine.url.database, isolation_level=None)
    try:
        other.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        other.close()


def test_a_locked_file_is_a_sentence_and_nothing_is_charged(ledger):
    account = open_one(ledger)
    with held(ledger):
        assert refused(lambda: spend(account)) == NOTHING
        assert refused(lambda: ledger.open_account("b", budget=PureDP(1.0), adjacency=JOINS, one_row_is="p")) == NOTHING
    assert standing(account).entries == ()
    spend(account)


def test_whoever_looks_needs_no_lock(ledger):
    account = open_one(ledger)
    spend(account, release_id="one")
    with held(ledger):
        start = time.monotonic()
        assert len(standing(account).entries) == 1
        assert sums(account).remaining == 0.75
        assert [each.name for each in ledger.accounts()] == ["people"]
        assert account.refusal(calibrate(plan(1.0)).guarantee) is not None
        ledger.reach()
        assert time.monotonic() - start < database.WAIT_SECONDS


def test_as_long_as_others_come_and_go_a_client_waits(ledger, monkeypatch):
    """Each of them holds the lock for less than the time after which a client gives up, all of them for more."""
    account = open_one(ledger)
    monkeypatch.setattr(database, "MOST_SECONDS", 30)
    ready, done = threading.Event(), threading.Event()

    def come_and_go():
        other = sqlite3.connect(ledger.engine.url.database, isolation_level=None, timeout=60)
        for _ in range(5):
            other.execute("BEGIN IMMEDIATE")
            other.execute("INSERT INTO dpq_comparisons (account, compared) VALUES (1, 'now')")
            ready.set()
            done.wait(database.WAIT_SECONDS * 0.8)
            other.execute("COMMIT")
            other.execute("BEGIN IMMEDIATE")  # nearly always quicker than the one that sleeps between two looks
            other.execute("COMMIT")
        other.close()

    others = threading.Thread(target=come_and_go)
    others.start()
    assert ready.wait(60)
    try:
        spend(account)
    finally:
        done.set()
        others.join()
    assert len(standing(account).entries) == 1


def test_a_full_disk_charges_nothing_and_says_so(ledger):
    account = open_one(ledger)

    @event.listens_for(ledger.engine, "checkout")
    def no_page_more(connection, *_):
        connection.execute("PRAGMA max_page_count = 1")  # as many as there are

    many = Plan([Fraction(k, 1000) for k in range(1000)], "aq", PureDP(0.25), JOINS)  # more than a page holds
    assert refused(lambda: charged_release(sample(), many, account)) == NOTHING
    assert standing(account).entries == ()
    event.remove(ledger.engine, "checkout", no_page_more)


def test_an_answer_that_cannot_be_kept_is_not_given_and_its_charge_stays(ledger):
    account = open_one(ledger)
    other = sqlite3.connect(ledger.engine.url.database, isolation_level=None, check_same_thread=False)

    def draw():
        other.execute("BEGIN EXCLUSIVE")
        return release(sample(), plan(0.25))

    request = Request(plan=plan(0.25), guarantee=calibrate(plan(0.25)).guarantee, release_id="one")
    said = refused(lambda: charged_answer(account, request, draw))
    assert said.startswith("The ledger can no longer be reached. The charge stays")
    other.close()
    (entry,) = standing(account).entries
    assert entry.state is State.CHARGED
    assert sums(account).remaining == 0.75


@pytest.mark.slow
def test_a_server_that_is_down_is_a_sentence_in_time(tmp_path):
    skip_without_postgres()
    with server(tmp_path) as running:
        ledger = Ledger.at(running.url)
        account = open_one(ledger)
        running.stop()
        for work in (ledger.accounts, lambda: spend(account), lambda: Ledger.at(running.url)):
            assert refused(work) == NOTHING
        running.start()
        spend(account)
        assert len(standing(account).entries) == 1
        ledger.engine.dispose()


@pytest.mark.slow
def test_an_account_that_another_one_holds_is_a_sentence_in_time(postgres):
    ledger = Ledger.at(fresh_database(postgres))
    account = open_one(ledger)
    with ledger.engine.connect() as other:
        other.execute(text("SELECT * FROM dpq_accounts FOR UPDATE"))
        assert refused(lambda: spend(account)) == NOTHING
        assert standing(account).entries == ()
        other.rollback()
    spend(account)
    ledger.engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("deferred", [False, True], ids=["before the commit", "in the commit"])
def test_a_connection_that_breaks_at_the_commit_says_that_nobody_knows(postgres, deferred):
    """The server ends the client's process: what it says of the commit nobody hears."""
    where = fresh_database(postgres)
    ledger, other = Ledger.at(where), Ledger.at(where)
    account = open_one(ledger)
    cuts: list[int] = []

    def break_off(connection):
        if cuts:
            return
        cuts.append(1)
        process = connection.connection.driver_connection.info.backend_pid
        with other.engine.begin() as elsewhere:
            elsewhere.execute(text(f"SELECT pg_terminate_backend({process})"))
        wait(lambda: not is_at_work(other, process))  # it was only told to end

    event.listen(ledger.engine, "commit" if deferred else "after_cursor_execute", lambda one, *_: break_off(one))
    request = Request(plan=plan(0.25), guarantee=calibrate(plan(0.25)).guarantee, release_id="one")
    said = refused(lambda: charged_answer(account, request, never_drawn))
    assert said == (database.BROKEN_OFF if deferred else NOTHING)
    assert len(standing(account).entries) <= (1 if deferred else 0)
    ledger.engine.dispose()
    other.engine.dispose()


@pytest.mark.slow
def test_a_table_that_another_one_holds_is_a_sentence_in_time_for_whoever_looks(postgres):
    ledger = Ledger.at(fresh_database(postgres))
    account = open_one(ledger)
    with ledger.engine.connect() as other:
        other.execute(text("LOCK TABLE dpq_releases IN ACCESS EXCLUSIVE MODE"))
        assert refused(lambda: standing(account)) == NOTHING
        other.rollback()
    ledger.engine.dispose()


@pytest.mark.slow
def test_whoever_looks_again_and_again_waits_once_for_a_table_that_another_one_holds(postgres, monkeypatch):
    """The wait is over for all who only look; whoever charges tries, since an answer must not be lost to that."""
    ledger = Ledger.at(fresh_database(postgres))
    account, waits = open_one(ledger), []
    event.listen(ledger.engine, "handle_error", lambda context: waits.append(context.original_exception.sqlstate))
    monkeypatch.setattr(database, "REST_SECONDS", SOON)
    with ledger.engine.connect() as other:
        other.execute(text("LOCK TABLE dpq_releases IN ACCESS EXCLUSIVE MODE"))
        for _ in range(5):
            assert refused(lambda: standing(account)) == NOTHING
            assert refused(ledger.accounts) == NOTHING
        assert waits == ["55P03"], "lock_timeout, once"
        assert refused(lambda: spend(account)) == NOTHING
        assert waits == ["55P03"] * 2
        other.rollback()
    spend(account)
    monkeypatch.setattr(database, "_waited_in_vain", WeakKeyDictionary())
    assert len(standing(account).entries) == 1
    ledger.engine.dispose()


def test_a_ledger_is_opened_and_read_while_somebody_writes(ledger, tmp_path):
    """BEGIN IMMEDIATE, as every charge begins: nothing that only reads waits for it."""
    file = ledger.engine.url.database
    spend(open_one(ledger), release_id="one")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    opened = Ledger.at(file, heads=tmp_path / "heads")
    (account,) = opened.accounts()
    told = statement(standing(account))
    assert [line.entry.release_id for line in told.lines] == ["one"]
    assert sums(account).balance == told.balance
    assert "one" in history_as_csv(told.found)
    assert "one" in history_as_json(told.found)
    assert [kept.release_id for kept in stored_releases(opened)] == ["one"]
    assert answered_at(account, "one") == told.lines[0].entry.finished
    assert [each.charges for each in upkeep.verify(opened)] == [1]
    upkeep.backup(opened, tmp_path / "copy.sqlite")
    assert time.monotonic() - start < database.WAIT_SECONDS
    other.close()
    opened.engine.dispose()


def test_a_place_where_no_file_can_be_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    assert refused(lambda: Ledger.at(tmp_path / "file" / "ledger.sqlite")) == NOTHING


def test_a_folder_that_goes_while_the_ledger_is_open_is_one_sentence(tmp_path):
    opened = Ledger.at(tmp_path / "folder" / "ledger.sqlite")
    account = open_one(opened)
    shutil.rmtree(tmp_path / "folder")
    for work in (lambda: spend(account), lambda: standing(account)):
        assert refused(work) == database.REPLACED
    opened.engine.dispose()
    assert refused(lambda: standing(account)) == NOTHING, "a new connection finds no file"


ON_A_SMALL_DISK = """
mount -t tmpfs -o size=600k tmpfs disk && cd disk && cp ../plan.json ../people.csv . || exit 77
{release} --total-epsilon 3 >first.json || exit 78
{before}
{release}; echo "code $?"
{after}
{python} -m dpq_core ledger verify
"""
DISKS = {
    "full": ("dd if=/dev/zero of=rest bs=1k 2>rest.txt", "rm rest"),
    "read-only": ("mount -o remount,ro .", "mount -o remount,rw ."),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", DISKS)
def test_the_command_on_a_disk_that_takes_nothing(tmp_path, kind):
    """A real file system of its own, which Linux lets anybody mount in a namespace of their own."""
    before, after = DISKS[kind]
    (tmp_path / "plan.json").write_text(plan(0.25).to_json())
    (tmp_path / "people.csv").write_text("age\n31\n47\n")
    (tmp_path / "disk").mkdir()
    bounds = "--lower 0 --upper 120 --step 1 --header --account people"
    release = f"{sys.executable} -m dpq_core release plan.json people.csv {bounds}"
    script = ON_A_SMALL_DISK.format(release=release, before=before, after=after, python=sys.executable)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DPQ_LEDGER_URL": "ledger.sqlite"}
    environment |= {"DPQ_LEDGER_HEADS": "heads", "DPQ_LEDGER_KEY": "a key for the tests"}
    environment |= {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("DPQ_MODE", None)
    command = ["unshare", "-rm", "sh", "-c", script]
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("this system lets nobody mount a small file system: unshare -rm")
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].endswith(f"error: {NOTHING}")
    assert done.stdout.splitlines() == ["code 1", "people: 1 charge verified.", "Nothing is missing."]
