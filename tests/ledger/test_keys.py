"""A ledger keeps to one key: another one, or none, charges nothing; a change of the key links all charges anew."""

import hashlib
import hmac
import json
import os
import runpy
import sqlite3
import stat
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import event, select

from dpq_core import Column, Domain, LedgerError, ParameterError, PureDP, release
from dpq_core.ledger import accounts, verifying
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_answer, charged_release
from dpq_core.ledger.checking import State
from dpq_core.ledger.files import compare_files
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.store.chain import KEY_BITS, checked_key, stored_key
from dpq_core.ledger.store.schema import VERSION, releases
from tests.documents import ROOT
from tests.ledger import clients
from tests.ledger.clients import KEY, OTHER, THIRD, changed, each_crash, histories, open_one, plan, sample, version_of
from tests.ledger.conftest import on_sqlite
from tests.narrowing import present

LEAST_STEPS = {"open": 20, "rekey": 30}
"""Statements before and after, and commits, of a program that brings a ledger up to date, or changes its key."""


def links(ledger):
    chosen = select(releases.c.link).order_by(releases.c.account, releases.c.place)
    return ledger.read(lambda connection: connection.execute(chosen).scalars().all())


BUDGET = PureDP(3.0)


def test_another_key_is_refused_before_anything_is_charged(opened):
    ledger = opened()
    charged_release(sample(), plan(0.5), open_one(ledger, budget=BUDGET), release_id="one")
    before = histories(ledger)
    with pytest.raises(LedgerError, match=r"has another key.*nothing was charged.*dpq ledger rekey"):
        opened(OTHER)
    without = opened(None)
    account = without.account("people")
    for release_id in ("one", "two"):
        with pytest.raises(LedgerError, match="no key was given, so nothing was charged"):
            charged_release(sample(), plan(0.5), account, release_id=release_id)
    with pytest.raises(LedgerError, match="no key was given"):
        open_one(without, "more")
    assert histories(without) == before, "it can be read without the key"
    assert [each.problem for each in verifying.verify(opened())] == [""]
    with pytest.raises(LedgerError, match="no key was given"):
        account.close()


def test_the_check_of_a_key_is_made_with_the_ledger_and_for_its_own_purpose(opened):
    ledger = opened()
    row = version_of(ledger)
    signed = json.dumps(["dpq ledger key 1", row.ledger]).encode()
    assert row.key_check == "keyed:" + hmac.new(KEY.encode(), signed, hashlib.sha256).hexdigest()
    with pytest.raises(LedgerError, match="has another key"):
        opened(OTHER)
    assert version_of(ledger) == row


@on_sqlite
def test_a_script_that_knows_nothing_of_this_project_checks_a_ledger(opened, where):
    """With the page of the ledger and HMAC alone; a changed cost, and an entry that is gone, are named."""
    check = runpy.run_path(str(ROOT / "docs/static/check_ledger.py"))["check"]
    ledger = opened(charges=2)
    ledger.accounts()[0].close()
    assert check(str(where), KEY.encode())[0].startswith("people: 6 entries hold; epsilon adds up to ")
    with pytest.raises(ValueError, match="entry 0 is missing or was changed"):
        check(str(where), OTHER.encode())
    for place, change in ((3, "UPDATE dpq_releases SET epsilon = '0.001'"), (1, "DELETE FROM dpq_releases")):
        changed(ledger, f"{change} WHERE place = {place}")
        with pytest.raises(ValueError, match=f"entry {place} is missing or was changed"):
            check(str(where), KEY.encode())


def test_a_program_that_runs_is_refused_as_soon_as_the_key_is_another_one(opened):
    ledger = opened()
    account = open_one(ledger)
    charged_release(sample(), plan(0.5), account)
    verifying.rekey(opened(None), KEY, OTHER)
    with pytest.raises(LedgerError, match="has another key"):
        charged_release(sample(), plan(0.5), account)
    with pytest.raises(LedgerError, match="has another key"):
        open_one(ledger, "more")
    now = opened(OTHER)
    assert standing(now.account("people")).total.epsilon == Decimal("0.5")
    assert [each.name for each in now.accounts()] == ["people"]


def test_a_key_that_changes_while_it_is_drawn_leaves_a_charge_without_an_answer(opened):
    account = open_one(opened(), budget=BUDGET)

    def draw():
        verifying.rekey(opened(None), KEY, OTHER)
        return release(sample(), plan(0.5))

    with pytest.raises(LedgerError, match=r"The charge stays\. The answer could not be kept"):
        charged_answer(account, clients.request(0.5), draw)
    now = opened(OTHER)
    assert verifying.verify(now) == (verifying.Verified("people", 1, 0, ""),)
    assert [entry.state for entry in standing(now.account("people")).entries] == [State.CHARGED]


@pytest.fixture
def own_machine(tmp_path, monkeypatch):
    """A machine whose ledger and key are files."""
    monkeypatch.setenv("DPQ_LEDGER_URL", str(tmp_path / "ledger.sqlite"))
    for name in ("DPQ_LEDGER_KEY", "DPQ_LEDGER_HEADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(accounts, "DEFAULT_KEY_FILE", tmp_path / "home" / "key")
    return tmp_path / "home" / "key"


@pytest.mark.parametrize("charged", [False, True])
def test_a_key_that_is_gone_is_not_made_anew(own_machine, charged):
    ledger = Ledger.from_environment(make_key=True)
    account = open_one(ledger)
    if charged:
        charged_release(sample(), plan(0.5), account)
    content = own_machine.read_text()
    own_machine.unlink()
    with pytest.raises(LedgerError, match=r"file .*key is gone. Nothing was charged, and no new key was made"):
        Ledger.from_environment(make_key=True)
    assert not own_machine.exists()
    own_machine.write_text(content)
    again = Ledger.from_environment(make_key=True)
    charged_release(sample(), plan(0.5), again.account("people"))
    for each in (ledger, again):
        each.engine.dispose()


def filled(ledger):
    """Two accounts, one with plain links before keyed ones; what they say, and an answer."""
    people, visits = open_one(ledger, budget=BUDGET), open_one(ledger, "visits", BUDGET)
    mark = clients.fingerprint_of(people, b"a file")
    answer = charged_release(sample(), plan(0.5), people, release_id="one", file=mark, who="ada")
    charged_release(sample(), plan(0.25), people)
    charged_release(sample(), plan(0.25), visits)
    assert compare_files(people, mark) == ()
    return answer


def test_rekey_signs_every_entry_anew_and_keeps_all_else(opened):
    without = opened(None)
    charged_release(sample(), plan(0.125), open_one(without, "plain"))
    ledger = opened()
    answer, before, at_first = filled(ledger), histories(ledger), links(ledger)
    kept = verifying.heads_as_json(ledger)
    for old, new in ((KEY, OTHER), (OTHER, THIRD)):
        verifying.rekey(opened(None), old, new)
    with pytest.raises(LedgerError, match="has another key"):
        opened()
    now = opened(THIRD)
    assert histories(now) == before
    assert [(each.charges, each.without_key, each.problem) for each in verifying.verify(now)] == [
        (1, 1, ""), (2, 0, ""), (1, 0, ""),
    ]  # fmt: skip
    assert not set(links(now)) & set(at_first)
    assert verifying.entries_lost(now) == verifying.entries_lost_since(now, kept) == 0, "older heads know the ledger"
    people = now.account("people")
    mark = clients.fingerprint_of(people, b"a file")
    assert charged_release(sample(), plan(0.5), people, release_id="one", file=mark) == answer, "files are forgotten"
    with pytest.raises(ParameterError, match="with other bounds"):
        charged_release(Column.from_values([1], Domain(0, 50, 1)), plan(0.5), people, release_id="one")
    charged_release(sample(), plan(2.25), people, file=mark)
    assert compare_files(people, mark) == (), "no file of before is taken for another one"
    assert verifying.entries_lost_since(now, kept) == 0
    changed(
        ledger, "UPDATE dpq_releases SET earlier_links = replace(earlier_links, 'keyed', 'other') WHERE account = 2"
    )
    assert verifying.verify(now)[1].problem == "charge 1 is missing or was changed"


def test_rekey_without_the_old_key_says_of_how_many_charges_nobody_knows_who_wrote_them(opened):
    answer = filled(opened())
    verifying.rekey(opened(None), None, OTHER)
    now = opened(OTHER)
    assert verifying.verify(now) == (verifying.Verified("people", 2, 2, ""), verifying.Verified("visits", 1, 1, ""))
    people = now.account("people")
    assert charged_release(sample(), plan(0.5), people, release_id="one") == answer
    charged_release(sample(), plan(0.5), people)
    assert verifying.verify(now)[0] == verifying.Verified("people", 3, 2, "")


def refused(opened, error, match, old, new):
    ledger = opened()
    before = histories(ledger), links(ledger), version_of(ledger)
    with pytest.raises(error, match=match):
        verifying.rekey(opened(None), old, new)
    assert (histories(ledger), links(ledger), version_of(ledger)) == before


@pytest.mark.slow
def test_rekey_needs_the_old_key_and_charges_that_verify_with_it(opened):
    ledger = opened()
    filled(ledger)
    refused(opened, LedgerError, "has another key", OTHER, THIRD)
    refused(opened, ParameterError, "`new` must be another key", KEY, KEY)
    refused(opened, ParameterError, "`old` must be a text of at least 16", "short", OTHER)
    refused(opened, ParameterError, "`new` must be a text of at least 16", KEY, "short")
    changed(ledger, "UPDATE dpq_releases SET epsilon = '0.01' WHERE account = 2")
    refused(opened, LedgerError, "record of visits was changed.*The key was not changed", KEY, OTHER)


def test_rekey_holds_the_ledger_and_every_account(opened):
    """On SQLite the whole file, elsewhere its row and those of all accounts: so that no charge comes in between."""
    from sqlalchemy.dialects import postgresql

    filled(opened())
    without, asked = opened(None), []
    event.listen(without.engine, "before_execute", lambda _, statement, *__: asked.append(statement))
    verifying.rekey(without, KEY, OTHER)
    first, second = (str(each.compile(dialect=postgresql.dialect())) for each in asked[:2])
    assert first.endswith("FOR UPDATE")
    assert "FROM dpq_version" in first
    assert second.endswith("FOR UPDATE")
    assert "FROM dpq_accounts" in second


def test_opening_an_account_waits_for_a_key_that_changes(opened):
    from sqlalchemy.dialects import postgresql

    ledger, asked = opened(), []
    event.listen(ledger.engine, "before_execute", lambda _, statement, *__: asked.append(statement))
    open_one(ledger)
    assert str(asked[0].compile(dialect=postgresql.dialect())).endswith("FOR SHARE")


@on_sqlite
@pytest.mark.slow
def test_a_crash_while_it_is_brought_up_to_date_leaves_the_old_ledger_or_the_new_one(tmp_path, opened):
    """Each is killed one step later than the one before."""
    place = str(tmp_path / "old.sqlite")
    clients.written_by_1_1(place).dispose()
    seen, last, before = [], 0, Path(place).read_bytes()
    for step, ended in each_crash(clients.open_and_die, place, KEY):
        with closing(sqlite3.connect(place)) as connection:
            (version,) = connection.execute("SELECT version FROM dpq_version").fetchone()
            columns = {row[1] for row in connection.execute("PRAGMA table_info(dpq_releases)")}
        new = version == VERSION
        assert ("counts" in columns) is ("end_link" in columns) is ("request_mark" not in columns) is new
        seen.append(version)
        if new:
            ledger = opened(KEY, place, None)
            assert {each.problem for each in verifying.verify(ledger)} == {""}
            ledger.engine.dispose()
            with pytest.raises(LedgerError, match="another key"):
                Ledger.at(place, key=OTHER)
        last = step
        if not ended:
            for end in ("-wal", "-shm"):
                Path(place + end).unlink(missing_ok=True)
            Path(place).write_bytes(before)
    assert last >= LEAST_STEPS["open"]
    assert seen == sorted(seen)
    assert set(seen) == {7, VERSION}


@on_sqlite
@pytest.mark.slow
def test_a_crash_while_the_key_is_changed_leaves_the_old_one_or_the_new_one(opened, where, tmp_path):
    heads, ledger = tmp_path / "heads", opened()
    filled(ledger)
    before, seen, last = histories(ledger), [], 0
    for step, ended in each_crash(clients.rekey_and_die, where, KEY, OTHER):
        found = []
        for key in (KEY, OTHER):
            try:
                now = Ledger.at(where, key=key, heads=heads)
            except LedgerError:
                continue
            found.append(key)
            assert {each.problem for each in verifying.verify(now)} == {""}
            assert histories(now) == before
            now.engine.dispose()
        (key,) = found
        seen.append(key)
        last = step
        if key == OTHER and not ended:
            verifying.rekey(opened(None), OTHER, KEY)
    assert last >= LEAST_STEPS["rekey"]
    assert set(seen) == {KEY, OTHER}
    assert seen.index(OTHER) > LEAST_STEPS["rekey"] / 2
    assert ledger.watch.known().heads


# ── the key that a ledger makes for itself ───────────────────────────────────────────────────────────────────────────


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path):
    file = tmp_path / "below" / "key"
    key = stored_key(file)
    assert int(key, 16) < 2**KEY_BITS
    assert len(present(checked_key(key))) == KEY_BITS // 4
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stored_key(file) == file.read_text() == key
    assert stored_key(tmp_path / "another") != key
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "another", tmp_path / "below", file]  # no draft stays


def test_of_two_that_make_a_key_at_once_both_use_the_first(tmp_path, monkeypatch):
    file, link = tmp_path / "key", os.link

    def another_was_first(draft, target):
        target.write_text("the first one's key")
        link(draft, target)

    monkeypatch.setattr(os, "link", another_was_first)
    assert stored_key(file) == "the first one's key"
    assert list(tmp_path.iterdir()) == [file]
