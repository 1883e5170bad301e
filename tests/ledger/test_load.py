"""Twenty clients at once, each a process with connections of its own: never overspent, nothing lost."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from dpq_core import PureDP, QuantileRelease, release
from dpq_core.ledger import upkeep
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_answer
from dpq_core.ledger.checking import State
from dpq_core.ledger.history.entries import standing
from tests.ledger.clients import clients_at_once, open_one, plan, request, sample
from tests.narrowing import present

CLIENTS, TRIES = 20, 4


@pytest.mark.slow
def test_twenty_clients_never_overspend_and_lose_nothing(ledger, opened, where, tmp_path):
    account = open_one(ledger, budget=PureDP(5.0))
    reports = clients_at_once(CLIENTS, where, TRIES, 0.1, tmp_path / "heads")
    answered = [release_id for ids, _ in reports for release_id in ids]
    found = standing(account)
    assert (found.total.epsilon, found.remaining) == (Decimal("5.0"), 0.0)
    assert (len(answered), sum(refused for _, refused in reports)) == (50, CLIENTS * TRIES - 50)
    assert {entry.release_id for entry in found.entries} == set(answered)
    assert {entry.state for entry in found.entries} == {State.ANSWERED}
    again = opened(None)
    assert present(again.watch).known().heads[account.number].place == 100, "it moves forward only, whoever writes it"
    assert [(each.charges, each.problem) for each in upkeep.verify(again)] == [(50, "")]


def test_one_press_in_many_tabs_is_charged_once(ledger):
    account, drawn = open_one(ledger), []

    def draw() -> QuantileRelease:
        drawn.append(1)
        return release(sample(), plan(0.25))

    with ThreadPoolExecutor(10) as tabs:
        answers = list(tabs.map(lambda _: charged_answer(account, request(), draw), range(10)))
    assert len(drawn) == 1
    assert answers == [answers[0]] * 10
    assert standing(account).total.epsilon == Decimal("0.25")


def test_clients_that_start_at_once_make_one_ledger(where):
    with ThreadPoolExecutor(10) as clients:
        ledgers = list(clients.map(lambda _: Ledger.at(where), range(10)))
    open_one(ledgers[0])
    assert [len(ledger.accounts()) for ledger in ledgers] == [1] * 10
    for ledger in ledgers:
        ledger.engine.dispose()
