"""Twenty clients at once, each a process with connections of its own: never overspent, nothing lost."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from dpq_core import PureDP, QuantileRelease, calibrate, release
from dpq_core.ledger import Ledger, Request, State, charged_answer, standing, upkeep
from tests.ledger.clients import CHILDREN, JOINS, plan, release_until_refused, sample
from tests.narrowing import present

CLIENTS, TRIES = 20, 4


@pytest.mark.slow
def test_twenty_clients_never_overspend_and_lose_nothing(ledger, where, tmp_path):
    account = ledger.open_account("people", budget=PureDP(5.0), adjacency=JOINS, one_row_is="person")
    heads = tmp_path / "heads"
    start, results = CHILDREN.Barrier(CLIENTS), CHILDREN.Queue()
    clients = [
        CHILDREN.Process(target=release_until_refused, args=(where, "people", TRIES, 0.1, start, results, heads))
        for _ in range(CLIENTS)
    ]
    for client in clients:
        client.start()
    reports = [results.get(timeout=300) for _ in clients]
    for client in clients:
        client.join(60)
        assert client.exitcode == 0
    answered = [release_id for ids, _ in reports for release_id in ids]
    found = standing(account)
    assert found.total.epsilon == Decimal("5.0")
    assert len(answered) == 50
    assert sum(refused for _, refused in reports) == CLIENTS * TRIES - 50
    assert {entry.release_id for entry in found.entries} == set(answered)
    assert {entry.state for entry in found.entries} == {State.ANSWERED}
    assert found.remaining == 0.0
    again = Ledger.at(where, heads=heads)
    assert present(again.watch).known().heads[account.number].place == 100, "it moves forward only, whoever writes it"
    assert [(each.charges, each.problem) for each in upkeep.verify(again)] == [(50, "")]
    again.engine.dispose()


def test_one_press_in_many_tabs_is_charged_once(ledger):
    account = ledger.open_account("people", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
    request = Request(plan=plan(0.25), guarantee=calibrate(plan(0.25)).guarantee, release_id="one press")
    drawn = []

    def draw() -> QuantileRelease:
        drawn.append(1)
        return release(sample(), plan(0.25))

    with ThreadPoolExecutor(10) as tabs:
        answers = list(tabs.map(lambda _: charged_answer(account, request, draw), range(10)))
    assert len(drawn) == 1
    assert answers == [answers[0]] * 10
    assert standing(account).total.epsilon == Decimal("0.25")


def test_clients_that_start_at_once_make_one_ledger(where):
    with ThreadPoolExecutor(10) as clients:
        ledgers = list(clients.map(lambda _: Ledger.at(where), range(10)))
    ledgers[0].open_account("people", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
    assert [len(ledger.accounts()) for ledger in ledgers] == [1] * 10
    for ledger in ledgers:
        ledger.engine.dispose()
