"""A ledger that was rolled back, replaced or changed is noticed; one that a crash left behind its head goes on."""

import os
import shutil
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import select, text

from dpq_core import LedgerError, ParameterError, PureDP
from dpq_core.ledger import Ledger, charged_release, standing, upkeep
from dpq_core.ledger.store import End, chain, check_of, releases, sign_anew, versions
from dpq_core.ledger.store.continuity import Heads
from tests.ledger.clients import JOINS, plan, sample

KEY = "a key for the tests"
ENDED = "ended is missing or was changed"
NOT_ENDED = "finished = NULL, answer = NULL, end_place = NULL, end_link = NULL"
LACKS = "an entry after"
ACCOUNT = "its name, its budget or what it protects"


@pytest.fixture
def heads(tmp_path):
    return tmp_path / "beside the key"


@pytest.fixture
def opened(where, heads):
    """What opens the ledger again, as a server that starts does."""
    ledgers = []

    def again(**named):
        ledgers.append(Ledger.at(where, **{"key": KEY, "heads": heads} | named))
        return ledgers[-1]

    yield again
    for ledger in ledgers:
        ledger.engine.dispose()


def open_one(ledger, name="people"):
    return ledger.open_account(name, budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")


def spend(ledger, times, name="people"):
    for _ in range(times):
        charged_release(sample(), plan(0.1), ledger.account(name))


def files_of(where):
    return [Path(where + end) for end in ("", "-wal", "-shm")]


def put(where, *, content):
    """The file as it was copied once, without what lay beside it."""
    for file in files_of(where):
        file.unlink(missing_ok=True)
    Path(where).write_bytes(content)


def changed(ledger, statement, **values):
    with ledger.engine.begin() as connection:
        connection.execute(text(statement), values)


on_sqlite = pytest.mark.parametrize("where", ["sqlite"], indirect=True)


@on_sqlite
def test_a_file_that_was_copied_without_its_wal_is_refused(where, opened):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 10)
    copied = Path(where).read_bytes()  # while it is in use: what was charged stands in the -wal
    ledger.engine.dispose()
    put(where, content=copied)
    with pytest.raises(LedgerError, match="older than what was charged to it"):
        opened()


@on_sqlite
def test_a_backup_that_was_put_back_is_refused_until_a_curator_accepts_it(where, opened, tmp_path):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 4)
    upkeep.backup(ledger, tmp_path / "copy")
    spend(ledger, 6)
    ledger.engine.dispose()
    put(where, content=(tmp_path / "copy").read_bytes())
    for _ in range(2):  # a second start does not forget
        with pytest.raises(LedgerError, match="nothing was charged"):
            opened()
    older = opened(checked=False)
    assert upkeep.entries_lost(older) == 11, "charges 5 to 9, how they ended, and charge 10"
    with pytest.raises(LedgerError, match="nothing was charged"):
        spend(older, 1)
    with pytest.raises(ParameterError, match="must be the number of entries"):
        upkeep.accept(older, 10)
    upkeep.accept(older, 11)
    assert upkeep.entries_lost(older) == 0
    spend(opened(), 6)


@on_sqlite
def test_another_ledger_at_the_same_place_is_refused(where, opened):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 2)
    ledger.engine.dispose()
    for file in files_of(where):
        file.unlink(missing_ok=True)
    with pytest.raises(LedgerError, match="or another one"):
        opened()
    assert upkeep.entries_lost(opened(checked=False)) == 3


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


@on_sqlite
def test_an_older_state_that_is_written_into_the_open_file_is_refused_at_the_next_charge(where, opened, tmp_path):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 4)
    upkeep.backup(ledger, tmp_path / "copy")
    spend(ledger, 6)
    with sqlite3.connect(tmp_path / "copy") as older, sqlite3.connect(where) as now:
        older.backup(now)
    with pytest.raises(LedgerError, match="older than what was charged"):
        spend(ledger, 1)
    assert standing(ledger.account("people")).total.epsilon == Decimal("0.4")


def test_charges_that_were_taken_out_are_noticed_by_a_server_that_runs_and_by_one_that_starts(opened):
    ledger = opened()
    account = open_one(ledger)
    open_one(ledger, "others")
    spend(ledger, 3)
    spend(ledger, 1, "others")
    changed(ledger, "DELETE FROM dpq_releases WHERE account = :number AND place = 5", number=account.number)
    with pytest.raises(LedgerError, match="nothing was charged"):
        spend(ledger, 1)
    spend(ledger, 1, "others")
    with pytest.raises(LedgerError, match="nothing was charged"):
        opened()
    assert upkeep.entries_lost(opened(checked=False)) == 1
    assert [each.problem for each in upkeep.verify(ledger)] == ["", ""], "only the head knows of the last one"


def test_a_program_that_runs_notices_its_own_charge_that_is_gone_also_without_heads(where):
    ledger = Ledger.at(where, key=KEY)
    open_one(ledger)
    spend(ledger, 3)
    changed(ledger, "DELETE FROM dpq_releases WHERE place = 5")
    with pytest.raises(LedgerError, match="older than what was charged"):
        spend(ledger, 1)
    assert upkeep.verify(ledger)[0].problem == "", "only who charged it knows of it"
    ledger.engine.dispose()


def test_another_charge_in_the_place_of_one_is_noticed(opened):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 3)
    changed(ledger, "UPDATE dpq_releases SET link = 'keyed:0' WHERE place = 5")
    with pytest.raises(LedgerError, match="nothing was charged"):
        opened()
    assert upkeep.entries_lost(opened(checked=False)) == 1


@pytest.mark.covering(1)
@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM dpq_releases WHERE place = 3", f"{LACKS} charge 1 is missing"),
        ("UPDATE dpq_releases SET epsilon = '0.01' WHERE place = 3", "charge 2 is missing or was changed"),
        ("UPDATE dpq_releases SET who = 'somebody else' WHERE place = 5", "charge 3 is missing or was changed"),
        ("UPDATE dpq_releases SET rho = '9' WHERE place = 5", "charge 3 is missing or was changed"),
        ("UPDATE dpq_releases SET protects = 'person' WHERE place = 5", "charge 3 is missing or was changed"),
        ("UPDATE dpq_releases SET counts = 'by rho alone' WHERE place = 1", "charge 1 is missing or was changed"),
        ("UPDATE dpq_releases SET state = 'cancelled' WHERE place = 1", f"how charge 1 {ENDED}"),
        ("UPDATE dpq_releases SET refused_epsilon = '0' WHERE place = 3", f"how charge 2 {ENDED}"),
        ("UPDATE dpq_releases SET answer = replace(answer, '[', '[9')", f"how charge 1 {ENDED}"),
        (
            f"UPDATE dpq_releases SET state = 'charged', {NOT_ENDED} WHERE place = 1",
            "an entry after charge 1 is missing",
        ),
        ("UPDATE dpq_accounts SET budget = replace(budget, '1.0', '21.0')", f"{ACCOUNT} is missing or was changed"),
        ("UPDATE dpq_accounts SET budget = '{}'", f"{ACCOUNT} is missing or was changed"),
        ("UPDATE dpq_accounts SET closed = opened", f"{LACKS} charge 3 is missing"),
    ],
)
def test_verify_finds_what_was_changed(opened, statement, problem):
    ledger = opened()
    account = open_one(ledger)
    spend(ledger, 3)
    assert upkeep.verify(ledger) == (upkeep.Verified("people", 3, 0, ""),)
    changed(ledger, statement)
    (found,) = upkeep.verify(ledger)
    assert (found.account, found.problem) == (account.name, problem)
    with pytest.raises(LedgerError, match=f"record of people was changed: {problem}. .*nothing was charged"):
        charged_release(sample(), plan(0.1), account)
    charges = ledger.read(lambda connection: connection.execute(select(releases)).all())
    assert len(charges) == 3 - statement.startswith("DELETE")


def test_a_charge_of_another_history_does_not_fit_in(where):
    """One that was signed at the same place, before the ledger was rolled back to what was there before it."""
    ledger = Ledger.at(where, key=KEY)
    account = open_one(ledger)
    charged_release(sample(), plan(0.1), account, release_id="cheap")
    (cheap,) = ledger.read(lambda connection: connection.execute(select(releases)).mappings().all())
    changed(ledger, "DELETE FROM dpq_releases")
    ledger.own.clear()  # as in another program
    charged_release(sample(), plan(0.5), account, release_id="dear")
    charged_release(sample(), plan(0.1), account)
    assert upkeep.verify(ledger)[0].problem == ""
    changed(ledger, "DELETE FROM dpq_releases WHERE release_id = 'dear'")
    ledger.write(lambda connection: connection.execute(releases.insert().values(dict(cheap) | {"number": 9})))
    assert upkeep.verify(ledger)[0].problem == "charge 2 is missing or was changed"
    ledger.engine.dispose()


def test_few_digests_are_remembered_and_all_are_right(opened, monkeypatch):
    monkeypatch.setattr(chain, "MOST_DIGESTS", 2)
    monkeypatch.setattr(chain, "_digests", {})
    ledger = opened()
    open_one(ledger)
    spend(ledger, 4)
    assert upkeep.verify(ledger) == (upkeep.Verified("people", 4, 0, ""),)
    assert len(chain._digests) <= 2


def test_a_head_moves_forward_only(heads):
    """Two servers may write the heads of their charges in another order than the charges were made in."""
    kept = Heads(heads)
    for place in (2, 5, 3):
        kept.keep("here", "a ledger", {1: End(place, f"link {place}")})
    assert kept.of("a ledger") == {1: End(5, "link 5")}


def test_who_has_no_key_cannot_take_the_ledgers_key_away(opened):
    """Whoever can write to the database can remove the check of the key, or put that of another key there."""
    ledger = opened()
    account = open_one(ledger)
    spend(ledger, 1)
    row, other = version_of(ledger), "another key of that length"
    for check, keys in ((None, (None, KEY, other)), (check_of(row.ledger, other.encode()), (other,))):
        changed(ledger, "UPDATE dpq_version SET key_check = :check", check=check)
        for key in keys:
            with pytest.raises(LedgerError, match=r"record of people was changed"):
                charged_release(sample(), plan(0.1), opened(key=key).account("people"))
        with pytest.raises(LedgerError, match="has another key"):
            charged_release(sample(), plan(0.1), account)
    changed(ledger, "UPDATE dpq_version SET key_check = :check", check=check_of(row.ledger, KEY.encode()))
    assert upkeep.verify(opened()) == (upkeep.Verified("people", 1, 0, ""),)
    spend(ledger, 1)


def test_who_signs_a_ledger_anew_without_a_key_is_noticed_by_its_head(opened):
    """A ledger that never had a key is signed by anybody, and taken as it is by the first program that has one."""
    ledger = opened()
    open_one(ledger)
    spend(ledger, 2)
    changed(ledger, "UPDATE dpq_version SET key_check = NULL")
    changed(ledger, "UPDATE dpq_accounts SET budget = replace(budget, '1.0', '21.0')")
    ledger.write(lambda connection: sign_anew(connection, 1, None))
    with pytest.raises(LedgerError, match="older than what was charged to it, or another one"):
        opened()
    assert version_of(ledger).key_check is None, "nothing was signed"


def version_of(ledger):
    return ledger.read(lambda connection: connection.execute(select(versions)).one())


def test_a_head_that_a_crash_left_behind_locks_nobody_out(opened, monkeypatch):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 2)
    with monkeypatch.context() as patch:
        patch.setattr(Heads, "keep", lambda *_: None)  # as if the process died after the charge was on disk
        spend(ledger, 3)
    assert ledger.watch.known().heads[1].place == 3, "the second charge"
    spend(opened(), 1)
    assert ledger.watch.known().heads[1].place == 11


def test_a_head_that_cannot_be_written_is_logged_and_charging_goes_on(opened, heads, caplog):
    heads.write_text("a file where the folder should be")
    ledger = opened()
    open_one(ledger)
    spend(ledger, 1)
    assert "The head of the ledger was not kept: FileExistsError." in caplog.messages


def test_a_head_that_cannot_be_read_is_one_sentence(opened, heads):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 1)
    (heads / "heads").write_bytes(b"no database" * 100)
    for work in (opened, lambda: spend(ledger, 1)):
        with pytest.raises(LedgerError, match="heads cannot be read"):
            work()
    (heads / "heads").unlink()
    spend(opened(), 1)


def test_a_copy_of_a_ledger_that_goes_on_elsewhere_leaves_the_first_one_behind(opened, heads, tmp_path, where):
    if "://" in where:
        pytest.skip("a server's database is not copied as a file")
    ledger = opened()
    open_one(ledger)
    upkeep.backup(ledger, tmp_path / "elsewhere")
    elsewhere = Ledger.at(tmp_path / "elsewhere", key=KEY, heads=heads)
    spend(elsewhere, 2)
    elsewhere.engine.dispose()
    with pytest.raises(LedgerError, match="older than what was charged"):
        spend(ledger, 1)


def test_a_backup_is_one_file_of_its_own_that_verifies(opened, tmp_path):
    ledger, target = opened(), tmp_path / "backup"
    open_one(ledger)
    spend(ledger, 3)
    upkeep.backup(ledger, target)
    assert target.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        upkeep.backup(ledger, target)
    copy = Ledger.at(target, key=KEY)
    assert upkeep.verify(copy) == upkeep.verify(ledger) == (upkeep.Verified("people", 3, 0, ""),)
    copy.engine.dispose()
    assert sorted(file.name for file in tmp_path.glob("backup*")) == ["backup"]


@on_sqlite
def test_a_damaged_file_is_a_sentence(where, opened, tmp_path):
    ledger = opened()
    open_one(ledger)
    spend(ledger, 5)
    upkeep.backup(ledger, tmp_path / "copy")
    content = bytearray((tmp_path / "copy").read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xff" * 4096
    (tmp_path / "copy").write_bytes(content)
    with pytest.raises(LedgerError):
        upkeep.verify(Ledger.at(tmp_path / "copy", key=KEY))
