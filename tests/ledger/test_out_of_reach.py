"""A ledger that cannot be reached: one sentence within five seconds, which says truly what was charged."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import event

from dpq_core import LedgerError, Plan, PureDP, release
from dpq_core.calibrations import calibrate
from dpq_core.ledger import charging, verifying
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_answer, charged_release
from dpq_core.ledger.checking import State
from dpq_core.ledger.history.entries import standing, stored_releases, sums
from dpq_core.ledger.history.statement import history_as_csv, history_as_json
from dpq_core.ledger.store import database
from dpq_core.ledger.store.database import NOT_REACHED
from tests.ledger.clients import JOINS, never, open_one, plan, request, sample

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 5
"""After which a person who waits has been told."""


def test_waits_add_up_to_less_than_a_person_waits():
    waits = database.WAIT_SECONDS, database.CONNECT_SECONDS + database.SILENT_SECONDS
    assert max(waits) < MOST_SECONDS


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """A ledger whose clients do not wait for a lock."""
    monkeypatch.setattr(database, "WAIT_SECONDS", 0)
    opened = Ledger.at(tmp_path / "ledger.sqlite")
    yield opened
    opened.engine.dispose()


def refused(work):
    """Return what was said."""
    with pytest.raises(LedgerError) as caught:
        work()
    return str(caught.value)


def spend(account, **named):
    return charged_release(sample(), plan(0.25), account, **named)


@contextmanager
def held(ledger, how="BEGIN EXCLUSIVE"):
    """Somebody else has the lock for writing, and does not give it back."""
    with closing(sqlite3.connect(ledger.engine.url.database, isolation_level=None)) as other:
        other.execute(how)
        yield


def test_a_locked_file_is_a_sentence_and_nothing_is_charged(ledger):
    account = open_one(ledger)
    with held(ledger):
        assert refused(lambda: spend(account)) == NOT_REACHED
        assert refused(lambda: open_one(ledger, "b")) == NOT_REACHED
    assert standing(account).entries == ()
    spend(account)


def test_as_long_as_others_come_and_go_a_client_waits(ledger):
    """One of them has the lock whenever it looks, and each of them commits."""
    account = open_one(ledger)
    tries: list[object] = []
    with closing(sqlite3.connect(ledger.engine.url.database, isolation_level=None)) as other:

        def come_and_go(connection, cursor, statement, *_):
            if statement == "BEGIN IMMEDIATE" and len(tries) < 5:
                if other.in_transaction:
                    other.execute("COMMIT")
                tries.append(other.execute("BEGIN IMMEDIATE"))
                other.execute("INSERT INTO dpq_comparisons (account, compared) VALUES (1, 'now')")
            elif other.in_transaction:
                other.execute("COMMIT")

        event.listen(ledger.engine, "before_cursor_execute", come_and_go)
        spend(account)
        event.remove(ledger.engine, "before_cursor_execute", come_and_go)
    assert len(tries) == 5
    assert len(standing(account).entries) == 1


@pytest.mark.slow
def test_a_full_disk_charges_nothing_and_says_so(ledger):
    account = open_one(ledger)

    @event.listens_for(ledger.engine, "checkout")
    def no_page_more(connection, *_):
        connection.execute("PRAGMA max_page_count = 1")  # as many as there are

    many = Plan([Fraction(k, 1000) for k in range(1000)], "aq", PureDP(0.25), JOINS)  # more than a page holds
    assert refused(lambda: charged_release(sample(), many, account)) == NOT_REACHED
    assert standing(account).entries == ()
    event.remove(ledger.engine, "checkout", no_page_more)


def test_an_answer_that_cannot_be_kept_is_not_given_and_its_charge_stays(ledger):
    account = open_one(ledger)
    other = sqlite3.connect(ledger.engine.url.database, isolation_level=None, check_same_thread=False)

    def draw():
        other.execute("BEGIN EXCLUSIVE")
        return release(sample(), plan(0.25))

    said = refused(lambda: charged_answer(account, request(), draw))
    assert said.startswith("The ledger can no longer be reached. The charge stays")
    other.close()
    (entry,) = standing(account).entries
    assert entry.state is State.CHARGED
    assert sums(account).balance.left == 0.75


def test_an_answer_that_is_waited_for_and_can_no_longer_be_read_was_charged_before(ledger, monkeypatch):
    account, file = open_one(ledger), Path(ledger.engine.url.database)
    account.ledger.write(lambda connection: charging._charge(connection, account, request()))
    monkeypatch.setattr("dpq_core.ledger.charging.time.sleep", lambda _: file.unlink(missing_ok=True))
    assert refused(lambda: charged_answer(account, request(), never)) == charging.NOT_FETCHED


def test_a_ledger_is_opened_and_read_while_somebody_writes(ledger, tmp_path):
    """BEGIN IMMEDIATE, as every charge begins: nothing that only reads waits for it."""
    file = ledger.engine.url.database
    spend(open_one(ledger), release_id="one")
    with held(ledger, "BEGIN IMMEDIATE"):
        opened = Ledger.at(file, heads=tmp_path / "heads")
        (account,) = opened.accounts()
        told = standing(account)
        assert [line.entry.release_id for line in told.lines] == ["one"]
        assert sums(account).balance == told.balance
        assert "one" in history_as_csv(told)
        assert "one" in history_as_json(told)
        assert [kept.release.id for kept in stored_releases(opened)] == ["one"]
        assert account.refusal(calibrate(plan(1.0)).guarantee) is not None
        assert [each.charges for each in verifying.verify(opened)] == [1]
        opened.reach()
        opened.engine.dispose()


def test_a_place_where_no_file_can_be_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    assert refused(lambda: Ledger.at(tmp_path / "file" / "ledger.sqlite")) == NOT_REACHED


def test_a_folder_that_goes_while_the_ledger_is_open_is_one_sentence(tmp_path):
    opened = Ledger.at(tmp_path / "folder" / "ledger.sqlite")
    account = open_one(opened)
    shutil.rmtree(tmp_path / "folder")
    for work in (lambda: spend(account), lambda: standing(account)):
        assert refused(work) == database.REPLACED
    opened.engine.dispose()
    assert refused(lambda: standing(account)) == NOT_REACHED, "a new connection finds no file"


ON_A_SMALL_DISK = """
mount -t tmpfs -o size=600k tmpfs disk && cd disk && cp ../people.csv . || exit 77
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
    (tmp_path / "people.csv").write_text("age\n31\n47\n")
    (tmp_path / "disk").mkdir()
    asked = "--column age=0:120:1 --quantiles median --epsilon 0.25 --header --account people"
    release = f"{sys.executable} -m dpq_core release people.csv {asked}"
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
    assert done.stderr.splitlines()[-1].endswith(f"error: {NOT_REACHED}")
    assert done.stdout.splitlines() == ["code 1", "people: 1 charge verified.", "Nothing is missing."]
