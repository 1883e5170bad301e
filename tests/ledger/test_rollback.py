"""A ledger that was rolled back, replaced or changed is noticed; one that a crash left behind its head goes on."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from dpq_core import Adjacency, LedgerError, ParameterError
from dpq_core.ledger import verifying
from dpq_core.ledger.charging import charged_answer, charged_release
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.store.chain import End, check_of, sign_anew
from dpq_core.ledger.store.rollback import Heads
from dpq_core.ledger.store.schema import releases
from tests.ledger import clients
from tests.ledger.clients import KEY, changed, open_one, plan, sample, spend, version_of
from tests.ledger.conftest import fresh_database, on_sqlite

ENDED = "ended is missing or was changed"
NOT_ENDED = "finished = NULL, answer = NULL, end_place = NULL, end_link = NULL"
LACKS = "an entry after"
ACCOUNT = "its name, its budget or what it protects"


@pytest.fixture
def heads(tmp_path):
    return tmp_path / "heads"


def files_of(where):
    return [Path(where + end) for end in ("", "-wal", "-shm")]


@on_sqlite
def test_a_file_that_was_copied_without_its_wal_is_refused(where, opened):
    ledger = opened(charges=10)
    copied = Path(where).read_bytes()  # while it is in use: what was charged stands in the -wal
    ledger.engine.dispose()
    for file in files_of(where):
        file.unlink(missing_ok=True)
    Path(where).write_bytes(copied)
    with pytest.raises(LedgerError, match="older than what was charged to it"):
        opened()


def test_a_copy_that_was_put_back_is_refused_until_a_curator_accepts_it(opened):
    ledger = opened(charges=4)
    copy = clients.rows_of(ledger)
    spend(ledger, 6)
    clients.put_back(ledger.engine, copy)
    with pytest.raises(LedgerError, match="older than what was charged"):
        spend(ledger, 1)
    for _ in range(2):  # a second start does not forget
        with pytest.raises(LedgerError, match="nothing was charged"):
            opened()
    older = opened(checked=False)
    assert verifying.entries_lost(older) == 11, "charges 5 to 9, how they ended, and charge 10"
    with pytest.raises(LedgerError, match="nothing was charged"):
        spend(older, 1)
    with pytest.raises(ParameterError, match="must be the number of entries"):
        verifying.accept(older, 10)
    verifying.accept(older, 11)
    assert verifying.entries_lost(older) == 0
    spend(opened(), 6)


@on_sqlite
def test_a_copy_by_sqlite_is_one_file_that_verifies_and_goes_on_elsewhere(where, opened, tmp_path):
    ledger, elsewhere = opened(), str(tmp_path / "elsewhere.sqlite")
    open_one(ledger)
    spend(ledger, 2)
    with closing(sqlite3.connect(where)) as source, closing(sqlite3.connect(elsewhere)) as target:
        source.backup(target)
    copy = opened(place=elsewhere)
    assert verifying.verify(copy) == verifying.verify(ledger)
    spend(copy, 2)
    with pytest.raises(LedgerError, match="older than what was charged"):
        spend(ledger, 1)


@on_sqlite
def test_another_ledger_at_the_same_place_is_refused(where, opened):
    ledger = opened(charges=2)
    ledger.engine.dispose()
    for file in files_of(where):
        file.unlink(missing_ok=True)
    with pytest.raises(LedgerError, match="or another one"):
        opened()
    assert verifying.entries_lost(opened(checked=False)) == 3


@on_sqlite
@pytest.mark.parametrize("how", ["deleted", "replaced", "moved"])
def test_a_file_that_is_gone_under_a_running_server_answers_nothing_more(where, opened, tmp_path, how):
    ledger = opened()
    account = open_one(ledger)
    spend(ledger, 1)
    moved = tmp_path / "moved"
    if how == "moved":
        os.rename(where, moved)
    elif how == "deleted":
        Path(where).unlink()
    else:
        shutil.copyfile(where, moved)
        os.replace(moved, where)
    for work in (lambda: spend(ledger, 1), lambda: standing(account), ledger.accounts):
        with pytest.raises(LedgerError, match="was removed or replaced while it was open; nothing was charged"):
            work()
    assert how == "replaced" or not Path(where).exists(), "nothing makes it anew"
    if how == "moved":
        os.rename(moved, where)
        spend(ledger, 9)


def test_a_program_that_runs_notices_its_own_charge_that_is_gone_also_without_heads(opened):
    ledger = opened(heads=None, charges=3)
    changed(ledger, "DELETE FROM dpq_releases WHERE place = 5")
    with pytest.raises(LedgerError, match="older than what was charged"):
        spend(ledger, 1)
    assert verifying.verify(ledger)[0].problem == "", "only who charged it knows of it"


def test_an_older_ledger_is_said_before_what_is_wrong_with_a_request(opened):
    ledger = opened(heads=None)
    replaced = Adjacency.REPLACE_ONE
    account = open_one(ledger, adjacency=replaced)
    charged_release(sample(), plan(0.1, replaced), account)
    changed(ledger, "DELETE FROM dpq_releases")
    with pytest.raises(LedgerError, match="older than what was charged"):
        charged_answer(account, clients.request(), clients.never)


def test_another_charge_in_the_place_of_one_is_noticed(opened):
    ledger = opened(charges=3)
    changed(ledger, "UPDATE dpq_releases SET link = 'keyed:0' WHERE place = 5")
    with pytest.raises(LedgerError, match="nothing was charged"):
        opened()
    assert verifying.entries_lost(opened(checked=False)) == 1


@pytest.mark.parametrize(("statement", "problem"), [
    ("DELETE FROM dpq_releases WHERE place = 3", f"{LACKS} charge 1 is missing"),
    ("UPDATE dpq_releases SET epsilon = '0.01' WHERE place = 3", "charge 2 is missing or was changed"),
    ("UPDATE dpq_releases SET state = 'cancelled' WHERE place = 1", f"how charge 1 {ENDED}"),
    (f"UPDATE dpq_releases SET state = 'charged', {NOT_ENDED} WHERE place = 1", f"{LACKS} charge 1 is missing"),
    ("UPDATE dpq_accounts SET budget = replace(budget, '1.0', '21.0')", f"{ACCOUNT} is missing or was changed"),
    ("UPDATE dpq_accounts SET closed = opened", f"{LACKS} charge 3 is missing"),
])  # fmt: skip
def test_verify_finds_what_was_changed(opened, statement, problem):
    ledger = opened()
    account = open_one(ledger)
    spend(ledger, 3)
    changed(ledger, statement)
    (found,) = verifying.verify(ledger)
    assert (found.account, found.problem) == (account.name, problem)
    with pytest.raises(LedgerError, match=f"record of people was changed: {problem}. .*nothing was charged"):
        charged_release(sample(), plan(0.1), account)


def test_a_charge_of_another_history_does_not_fit_in(opened):
    """One that was signed at the same place, before the ledger was rolled back to what was there before it."""
    ledger = opened(heads=None)
    account = open_one(ledger)
    charged_release(sample(), plan(0.1), account, release_id="cheap")
    (cheap,) = ledger.read(lambda connection: connection.execute(select(releases)).mappings().all())
    changed(ledger, "DELETE FROM dpq_releases")
    ledger.own.clear()  # as in another program
    charged_release(sample(), plan(0.5), account, release_id="dear")
    charged_release(sample(), plan(0.1), account)
    assert verifying.verify(ledger)[0].problem == ""
    changed(ledger, "DELETE FROM dpq_releases WHERE release_id = 'dear'")
    ledger.write(lambda connection: connection.execute(releases.insert().values(dict(cheap) | {"number": 9})))
    assert verifying.verify(ledger)[0].problem == "charge 2 is missing or was changed"


def test_a_head_moves_forward_only(heads):
    """Two servers may write the heads of their charges in another order than the charges were made in."""
    kept = Heads(heads, "here", "a ledger")
    for place in (2, 5, 3):
        kept.keep({1: End(place, f"link {place}")})
    assert kept.known().heads == {1: End(5, "link 5")}


def test_who_has_no_key_cannot_take_the_ledgers_key_away(opened):
    """Whoever can write to the database can remove the check of the key, or put that of another key there."""
    ledger = opened()
    account = open_one(ledger)
    spend(ledger, 1)
    row, other = version_of(ledger), clients.OTHER
    for check, keys in ((None, (None, KEY, other)), (check_of(row.ledger, other.encode()), (other,))):
        changed(ledger, "UPDATE dpq_version SET key_check = :check", check=check)
        for key in keys:
            with pytest.raises(LedgerError, match=r"record of people was changed"):
                charged_release(sample(), plan(0.1), opened(key=key).account("people"))
        with pytest.raises(LedgerError, match="has another key"):
            charged_release(sample(), plan(0.1), account)
    changed(ledger, "UPDATE dpq_version SET key_check = :check", check=check_of(row.ledger, KEY.encode()))
    assert verifying.verify(opened()) == (verifying.Verified("people", 1, 0, ""),)
    spend(ledger, 1)


def test_who_signs_a_ledger_anew_without_a_key_is_noticed_by_its_head(opened):
    """A ledger that never had a key is signed by anybody, and taken as it is by the first program that has one."""
    ledger = opened(charges=2)
    changed(ledger, "UPDATE dpq_version SET key_check = NULL")
    changed(ledger, "UPDATE dpq_accounts SET budget = replace(budget, '1.0', '21.0')")
    ledger.write(lambda connection: sign_anew(connection, 1, None))
    with pytest.raises(LedgerError, match="older than what was charged to it, or another one"):
        opened()
    assert version_of(ledger).key_check is None, "nothing was signed"


def test_a_head_that_a_crash_left_behind_locks_nobody_out(opened, monkeypatch):
    ledger = opened(charges=2)
    with monkeypatch.context() as patch:
        patch.setattr(Heads, "keep", lambda *_: None)  # as if the process died after the charge was on disk
        spend(ledger, 3)
    assert ledger.watch.known().heads[1].place == 3, "the second charge"
    spend(opened(), 1)
    assert ledger.watch.known().heads[1].place == 11


def test_a_head_that_cannot_be_written_is_logged_and_charging_goes_on(opened, heads, caplog):
    heads.write_text("a file where the folder should be")
    opened(charges=1)
    assert "The head of the ledger was not kept: FileExistsError." in caplog.messages


def test_a_head_that_cannot_be_read_is_one_sentence(opened, heads):
    ledger = opened(charges=1)
    (heads / "heads").write_bytes(b"no database" * 100)
    for work in (opened, lambda: spend(ledger, 1)):
        with pytest.raises(LedgerError, match="heads cannot be read"):
            work()
    (heads / "heads").unlink()
    spend(opened(), 1)


def test_heads_that_were_kept_elsewhere_tell_what_is_missing(opened, tmp_path):
    """Where the whole machine was rolled back its own heads were, too."""
    ledger = opened()
    account = open_one(ledger)
    spend(ledger, 1)
    open_one(ledger, "visits").close()
    kept = verifying.heads_as_json(ledger)
    assert verifying.entries_lost_since(ledger, kept) == 0
    charged_release(sample(), plan(0.25), account, who="grace")
    assert verifying.entries_lost_since(ledger, kept) == 0
    changed(ledger, "DELETE FROM dpq_releases WHERE account = 1")
    assert verifying.entries_lost_since(ledger, kept) == 2, "the charge, and how it ended"
    other = opened(place=str(tmp_path / "other.sqlite"))
    assert verifying.entries_lost_since(other, kept) == 3, "another ledger lacks all"
    for wrong in ("", "[]", "{}", '{"ledger": 1, "heads": {"a": [1, ""]}}', '{"ledger": 1, "heads": []}'):
        with pytest.raises(ParameterError, match="must be what the command ledger heads wrote"):
            verifying.entries_lost_since(ledger, wrong)
    assert not [name for name in ("people", "visits", "grace") if name in kept]


@on_sqlite
def test_a_damaged_file_is_a_sentence(where, opened):
    ledger = opened(charges=5)
    ledger.engine.dispose()
    content = bytearray(Path(where).read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xff" * 4096
    Path(where).write_bytes(content)
    with pytest.raises(LedgerError):
        verifying.verify(opened())


@pytest.mark.slow
@pytest.mark.parametrize("where", ["postgres"], indirect=True)
def test_a_copy_by_pg_dump_verifies_and_goes_on(where, opened, postgres_server):
    ledger, elsewhere = opened(), fresh_database(postgres_server.url)
    open_one(ledger)
    spend(ledger, 2)
    dumped = subprocess.run(["pg_dump", where], capture_output=True, check=True).stdout
    subprocess.run(
        ["psql", "--quiet", "-v", "ON_ERROR_STOP=1", elsewhere], input=dumped, check=True, capture_output=True
    )
    copy = opened(place=elsewhere)
    assert verifying.verify(copy) == verifying.verify(ledger)
    spend(copy, 1)
    open_one(copy, "more")
    assert [each.charges for each in verifying.verify(copy)] == [3, 0]
