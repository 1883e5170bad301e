"""A PostgreSQL server whose defaults are not made for a ledger: no answer too many, none lost, no charge lost."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from sqlalchemy import text

from dpq_core import BudgetError, LedgerError, PureDP
from dpq_core.ledger import Ledger, State, charged_release, standing
from dpq_core.ledger.store import database
from tests.ledger.clients import CHILDREN, JOINS, plan, release_until_refused, sample
from tests.ledger.conftest import fresh_database, skip_without_postgres
from tests.ledger.server import server

pytestmark = pytest.mark.slow

CLIENTS, TRIES, ANSWERS = 10, 8, 20
HOSTILE = [
    {"default_transaction_isolation": "repeatable read", "lock_timeout": "1ms"},
    {"default_transaction_isolation": "serializable", "default_transaction_deferrable": "on"},
    {"default_transaction_read_only": "on", "synchronous_commit": "off"},
]


@pytest.mark.parametrize("defaults", HOSTILE, ids=lambda defaults: " ".join(defaults.values()))
def test_clients_at_once_get_what_the_budget_holds_and_no_more(postgres, defaults):
    where = fresh_database(postgres, **defaults)
    ledger = Ledger.at(where)
    account = ledger.open_account("people", budget=PureDP(2.0), adjacency=JOINS, one_row_is="person")
    start, results = CHILDREN.Barrier(CLIENTS), CHILDREN.Queue()
    clients = [
        CHILDREN.Process(target=release_until_refused, args=(where, "people", TRIES, 0.1, start, results))
        for _ in range(CLIENTS)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join(120)
        assert client.exitcode == 0
    reports = [results.get(timeout=300) for _ in clients]
    assert sum(len(answered) for answered, _ in reports) == ANSWERS
    assert sum(refused for _, refused in reports) == CLIENTS * TRIES - ANSWERS
    assert standing(account).total.epsilon == Decimal("2.0")
    ledger.engine.dispose()


def test_no_charge_is_lost_when_a_server_that_defers_commits_crashes(tmp_path):
    skip_without_postgres()
    with server(tmp_path, synchronous_commit="off", wal_writer_delay="10000") as running:
        ledger = Ledger.at(running.url)
        account = ledger.open_account("people", budget=PureDP(10.0), adjacency=JOINS, one_row_is="person")
        for _ in range(40):
            charged_release(sample(), plan(0.1), account)
        ledger.engine.dispose()
        running.crash()
        ledger = Ledger.at(running.url)
        found = standing(ledger.account("people"))
        assert [entry.state for entry in found.entries] == [State.ANSWERED] * 40
        assert found.total.epsilon == Decimal("4.0")
        ledger.engine.dispose()


def test_a_connection_that_a_crash_broke_is_not_used_again(tmp_path):
    skip_without_postgres()
    with server(tmp_path) as running:
        ledger = Ledger.at(running.url)
        account = ledger.open_account("people", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
        running.crash()
        charged_release(sample(), plan(0.5), account)
        assert standing(account).total.epsilon == Decimal("0.5")
        ledger.engine.dispose()


@pytest.fixture
def database_of_its_own(postgres):
    ledger = Ledger.at(fresh_database(postgres))
    yield ledger
    ledger.engine.dispose()


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_what_the_server_undid_is_tried_again(database_of_its_own, code):
    tries = []

    def work(connection):
        tries.append(1)
        if len(tries) < 3:
            connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION SQLSTATE '{code}'; END $$"))
        return "done"

    assert database_of_its_own.write(work) == "done"
    assert len(tries) == 3


def test_it_is_not_tried_without_end(database_of_its_own, monkeypatch):
    monkeypatch.setattr(database, "PAUSE_SECONDS", 0.001)
    tries = []

    def work(connection):
        tries.append(1)
        connection.execute(text("DO $$ BEGIN RAISE EXCEPTION SQLSTATE '40001'; END $$"))

    with pytest.raises(LedgerError, match="cannot be reached; nothing was charged"):
        database_of_its_own.write(work)
    assert len(tries) == database.TRIES


def test_two_that_lock_crosswise_both_come_through(database_of_its_own):
    """The server ends one of two that wait for each other; it begins again."""
    ledger = database_of_its_own
    first, second = (
        ledger.open_account(name, budget=PureDP(1.0), adjacency=JOINS, one_row_is="person") for name in ("a", "b")
    )
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


def test_a_refusal_is_no_failure_of_the_server(database_of_its_own):
    account = database_of_its_own.open_account("a", budget=PureDP(0.1), adjacency=JOINS, one_row_is="person")
    with pytest.raises(BudgetError):
        charged_release(sample(), plan(0.5), account)
