"""A PostgreSQL server that crashes, breaks off, is held by others, or has defaults that are not made for a ledger."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from sqlalchemy import event, text

from dpq_core import BudgetError, LedgerError, PureDP
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_answer, charged_release
from dpq_core.ledger.checking import State
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.store import database
from dpq_core.ledger.store.database import NOT_REACHED
from tests.jobs.test_queue import wait
from tests.ledger.clients import CHILDREN, clients_at_once, never, open_one, plan, request, sample
from tests.ledger.conftest import fresh_database
from tests.ledger.test_out_of_reach import refused, spend

pytestmark = pytest.mark.slow

CLIENTS, TRIES, ANSWERS = 10, 8, 20
HOSTILE = [
    {"default_transaction_isolation": "repeatable read", "lock_timeout": "1ms"},
    {"default_transaction_isolation": "serializable", "default_transaction_deferrable": "on"},
    {"default_transaction_read_only": "on", "synchronous_commit": "off"},
]


@pytest.mark.parametrize("defaults", HOSTILE, ids=lambda defaults: " ".join(defaults.values()))
def test_clients_at_once_get_what_the_budget_holds_and_no_more(postgres_server, defaults):
    where = fresh_database(postgres_server.url, **defaults)
    ledger = Ledger.at(where)
    account = open_one(ledger, budget=PureDP(2.0))
    ledger.engine.dispose()
    reports = clients_at_once(CLIENTS, where, TRIES, 0.1)
    assert sum(len(answered) for answered, _ in reports) == ANSWERS
    assert sum(refused for _, refused in reports) == CLIENTS * TRIES - ANSWERS
    assert standing(account).total.epsilon == Decimal("2.0")
    ledger.engine.dispose()


@pytest.fixture
def ledger(postgres, monkeypatch):
    """A ledger on a server that would lose commits, with clients that wait for a moment only."""
    monkeypatch.setattr(database, "WAIT_SECONDS", 0.125)
    found = Ledger.at(postgres)
    yield found
    found.engine.dispose()


def test_no_charge_is_lost_when_a_server_that_defers_commits_crashes(ledger, postgres, postgres_server):
    account = open_one(ledger, budget=PureDP(10.0))
    for _ in range(40):
        charged_release(sample(), plan(0.1), account)
    postgres_server.crash()
    found = standing(account)  # by a new connection: the broken one is not used again
    assert [entry.state for entry in found.entries] == [State.ANSWERED] * 40
    assert found.total.epsilon == Decimal("4.0")


def test_a_server_that_is_down_is_a_sentence(ledger, postgres, postgres_server):
    account = open_one(ledger)
    postgres_server.stop()
    try:
        for work in (ledger.accounts, lambda: spend(account), lambda: Ledger.at(postgres)):
            assert refused(work) == NOT_REACHED
    finally:
        postgres_server.start()
    spend(account)
    assert len(standing(account).entries) == 1


def test_an_account_that_another_one_holds_is_a_sentence(ledger):
    account = open_one(ledger)
    with ledger.engine.connect() as other:
        other.execute(text("SELECT * FROM dpq_accounts FOR UPDATE"))
        assert refused(lambda: spend(account)) == NOT_REACHED
        assert standing(account).entries == ()
        other.rollback()
    spend(account)


@pytest.mark.parametrize("deferred", [False, True], ids=["before the commit", "in the commit"])
def test_a_connection_that_breaks_at_the_commit_says_that_nobody_knows(ledger, postgres, deferred):
    """The server ends the client's process: what it says of the commit nobody hears."""
    other, account = Ledger.at(postgres), open_one(ledger)
    cuts: list[int] = []

    def is_at_work(process):
        with other.engine.connect() as connection:
            found = connection.execute(text(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {process}"))
            return found.scalar_one() > 0

    def break_off(connection):
        if cuts:
            return
        cuts.append(1)
        process = connection.connection.driver_connection.info.backend_pid
        with other.engine.begin() as elsewhere:
            elsewhere.execute(text(f"SELECT pg_terminate_backend({process})"))
        wait(lambda: not is_at_work(process))  # it was only told to end

    event.listen(ledger.engine, "commit" if deferred else "after_cursor_execute", lambda one, *_: break_off(one))
    said = refused(lambda: charged_answer(account, request(), never))
    assert said == (database.BROKEN_OFF if deferred else NOT_REACHED)
    assert len(standing(account).entries) <= (1 if deferred else 0)
    other.engine.dispose()


def test_who_looks_again_and_again_waits_once_for_a_table_that_another_one_holds(ledger, monkeypatch):
    """The wait is over for all who only look; whoever charges tries, since an answer must not be lost to that."""
    account, waits = open_one(ledger), []
    event.listen(ledger.engine, "handle_error", lambda context: waits.append(context.original_exception.sqlstate))
    monkeypatch.setattr(database, "REST_SECONDS", 60)
    with ledger.engine.connect() as other:
        other.execute(text("LOCK TABLE dpq_releases IN ACCESS EXCLUSIVE MODE"))
        for _ in range(5):
            assert refused(lambda: standing(account)) == NOT_REACHED
            assert refused(ledger.accounts) == NOT_REACHED
        assert waits == ["55P03"], "lock_timeout, once"
        assert refused(lambda: spend(account)) == NOT_REACHED
        assert waits == ["55P03"] * 2
        other.rollback()
    spend(account)
    monkeypatch.setattr(database, "_waited_in_vain", {})
    assert len(standing(account).entries) == 1


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_what_the_server_undid_is_tried_again(ledger, code):
    tries = []

    def work(connection):
        tries.append(1)
        if len(tries) < 3:
            connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION SQLSTATE '{code}'; END $$"))
        return "done"

    assert ledger.write(work) == "done"
    assert len(tries) == 3


def test_it_is_not_tried_without_end(ledger, monkeypatch):
    monkeypatch.setattr(database, "PAUSE_SECONDS", 0.001)
    tries = []

    def work(connection):
        tries.append(1)
        connection.execute(text("DO $$ BEGIN RAISE EXCEPTION SQLSTATE '40001'; END $$"))

    with pytest.raises(LedgerError, match="cannot be reached; nothing was charged"):
        ledger.write(work)
    assert len(tries) == database.TRIES


def test_two_that_lock_crosswise_both_come_through(ledger):
    """The server ends one of two that wait for each other; it begins again."""
    first, second = open_one(ledger, "a"), open_one(ledger, "b")
    barrier = CHILDREN.Barrier(2)
    met: list[int] = []

    def lock(connection, one, other):
        connection.execute(text(f"SELECT * FROM dpq_accounts WHERE number = {one.number} FOR UPDATE"))
        if not met:
            barrier.wait(60)
        met.append(1)
        connection.execute(text(f"SELECT * FROM dpq_accounts WHERE number = {other.number} FOR UPDATE"))
        return one.name

    with ThreadPoolExecutor(2) as clients:
        crosswise = [
            clients.submit(ledger.write, lambda connection, pair=pair: lock(connection, *pair))
            for pair in ((first, second), (second, first))
        ]
        assert {each.result(60) for each in crosswise} == {"a", "b"}


def test_a_refusal_is_no_failure_of_the_server(ledger):
    account = open_one(ledger, budget=PureDP(0.1))
    with pytest.raises(BudgetError):
        charged_release(sample(), plan(0.5), account)
