"""Accounts: what a curator fixes when one is opened, and where ledgers live."""

import os
import pickle
import socket
import stat

import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, LedgerError, ParameterError, Plan, PureDP
from dpq_core.calibrations import calibrate
from dpq_core.ledger import accounts
from dpq_core.ledger.accounts import Ledger, refusal_when_new
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.store.chain import stored_key
from dpq_core.ledger.store.database import make_private, open_database
from dpq_core.ledger.store.rollback import Heads
from tests.ledger.clients import JOINS, fingerprint_of, open_one, plan, sample


@pytest.mark.parametrize("budget", [PureDP(1.5), ApproxDP(1.0, 1e-6), ZCDP(0.1)])
def test_an_account_is_found_again_by_another_client(ledger, where, budget):
    opened = open_one(ledger, budget=budget)
    other = Ledger.at(where)
    found = other.account("people")
    other.engine.dispose()
    assert (found.budget, found.adjacency, found.one_row_is, found.closed) == (budget, JOINS, "person", None)
    assert found.opened == opened.opened


def test_a_closed_account_is_charged_no_more_and_still_gives_its_answers(ledger):
    account = open_one(ledger)
    first = charged_release(sample(), plan(0.5), account, release_id="first")
    closed = account.close()
    assert closed.close() == closed
    assert closed.closed is not None
    with pytest.raises(ParameterError, match="`account` must be open"):
        charged_release(sample(), plan(0.1), account)
    assert charged_release(sample(), plan(0.5), account, release_id="first") == first


@pytest.mark.parametrize(("name", "changed"), [
    ("name", {"name": ""}), ("name", {"name": "=HYPERLINK(1)"}), ("name", {"name": "two\nlines"}),
    ("one_row_is", {"one_row_is": "x" * 201}), ("budget", {"budget": 1.0}), ("adjacency", {"adjacency": "add_remove!"}),
])  # fmt: skip
def test_what_cannot_be_an_account_is_refused(tmp_path, name, changed):
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    usual = {"name": "people", "budget": PureDP(1.0), "adjacency": JOINS, "one_row_is": "person"}
    with pytest.raises(ParameterError) as caught:
        ledger.open_account(**usual | changed)
    assert caught.value.name == name
    assert ledger.accounts() == ()
    ledger.engine.dispose()


@pytest.mark.parametrize("name", ["Café  de nuit", "cafe\u0301 de nuit", "café de nuit ", "ｃafé de nuit"])
def test_a_name_that_nobody_can_tell_from_another_opens_no_second_budget(ledger, name):
    open_one(ledger, "café de nuit").close()
    with pytest.raises(ParameterError, match="be written as the data set 'café de nuit' is"):
        open_one(ledger, name)
    assert len(ledger.accounts()) == 1


def test_a_plan_for_another_adjacency_is_refused_before_the_number_of_people_decides_anything(ledger):
    account = open_one(ledger)
    close = Plan(["1/2", "0.51"], "slice", PureDP(0.5), Adjacency.REPLACE_ONE)  # not for 50 people
    with pytest.raises(ParameterError, match="`adjacency` must be that of the account"):
        charged_release(sample(), close, account)


def test_the_environment_names_ledger_and_key(tmp_path, monkeypatch):
    file = tmp_path / "below" / "ledger.sqlite"
    monkeypatch.setenv("DPQ_LEDGER_URL", str(file))
    monkeypatch.delenv("DPQ_LEDGER_KEY", raising=False)
    with pytest.raises(ParameterError, match="`DPQ_LEDGER_KEY` must be set"):
        Ledger.from_environment()
    assert not file.exists()
    monkeypatch.setenv("DPQ_LEDGER_KEY", "too short")
    with pytest.raises(ParameterError, match="`DPQ_LEDGER_KEY` must be a text of at least 16"):
        Ledger.from_environment()
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a secret of some length")
    ledger = Ledger.from_environment()
    assert open_one(ledger).number == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "secret" not in repr(ledger)
    ledger.engine.dispose()


def test_a_key_is_made_where_none_is_set(tmp_path, monkeypatch):
    monkeypatch.setenv("DPQ_LEDGER_URL", str(tmp_path / "ledger.sqlite"))
    monkeypatch.delenv("DPQ_LEDGER_KEY", raising=False)
    monkeypatch.setattr(accounts, "DEFAULT_KEY_FILE", tmp_path / "key")
    for _ in range(2):
        ledger = Ledger.from_environment(make_key=True)
        assert ledger.key == (tmp_path / "key").read_bytes()
        ledger.engine.dispose()
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a secret of some length")
    monkeypatch.setenv("DPQ_LEDGER_URL", str(tmp_path / "another.sqlite"))
    chosen = Ledger.from_environment(make_key=True)
    assert chosen.key == b"a secret of some length"
    chosen.engine.dispose()


@pytest.mark.parametrize("where", [
    "mysql://me:secret@host/db", "nonsense://", "://secret", "postgresql://me:half@secret:half@host/db", "sqlite://",
    "sqlite:///:memory:",
])  # fmt: skip
def test_other_places_are_refused_without_quoting_them(where):
    with pytest.raises(ParameterError, match="`ledger` must be") as caught:
        Ledger.at(where)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None  # nor does the error behind it


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_server_that_is_not_there_is_a_sentence_without_its_address_or_password(scheme, caplog):
    pytest.importorskip("psycopg")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and nobody listens
        with pytest.raises(LedgerError) as caught:
            Ledger.at(f"{scheme}://me:secret@127.0.0.1:{free.getsockname()[1]}/db")
    assert (
        str(caught.value) == "The ledger cannot be reached; nothing was charged. Try again; if it stays so, check its "
        "address (DPQ_LEDGER_URL) with user and password, and that its database is running."
    )
    assert caplog.messages == ["The ledger's database said OperationalError."]


def test_no_fingerprint_without_a_key(tmp_path):
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    with pytest.raises(ParameterError, match="`key` must be set"):
        fingerprint_of(open_one(ledger), b"")
    ledger.engine.dispose()


def test_two_programs_that_open_one_account_at_once_both_have_it(ledger, monkeypatch):
    asked = {"budget": PureDP(1), "adjacency": "joins", "one_row_is": "person"}
    first = ledger.open_account("at once", **asked)
    looks = iter([None, first])
    monkeypatch.setattr(type(ledger), "find", lambda *_: next(looks))
    assert ledger.opened("at once", **asked) is first


def test_a_new_account_would_refuse_what_an_opened_one_does(ledger):
    for epsilon in (1.0, 1.5):
        guarantee = calibrate(plan(epsilon)).guarantee
        before, after = refusal_when_new(PureDP(1.0), guarantee), open_one(ledger, f"{epsilon}").refusal(guarantee)
        assert (before is None, str(before)) == (epsilon == 1.0, str(after))


def test_an_account_cannot_be_pickled_and_says_what_to_do(ledger):
    for held in (ledger, open_one(ledger)):
        with pytest.raises(TypeError, match="cannot be pickled: open them again in the other process"):
            pickle.dumps(held)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_folders_of_a_ledger_its_key_and_its_heads_are_their_owners_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        for number, make in enumerate((
            lambda folder: open_database(folder / "ledger.sqlite", lambda connection: None).dispose(),
            lambda folder: stored_key(folder / "key"), lambda folder: Heads(folder, "here", "ledger").keep({}),
        )):  # fmt: skip
            make(tmp_path / str(number))
            assert stat.S_IMODE((tmp_path / str(number)).stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_the_usual_folder_is_closed_and_another_one_stays_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, mode in ((".dpq", 0o700), ("shared", 0o755)):
        folder = tmp_path / name
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
        make_private(folder)
        assert stat.S_IMODE(folder.stat().st_mode) == mode
