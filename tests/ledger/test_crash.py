"""A client that is killed at every step between asking and answering: a charge may be lost, never an answer given."""

import signal
from decimal import Decimal

import pytest

from dpq_core import BudgetError, ParameterError, PureDP, calibrate, release
from dpq_core.ledger import Ledger, Request, State, charged_answer, charging, standing
from tests.ledger.clients import CHILDREN, JOINS, plan, release_and_die, sample

LEAST_STEPS = 18
"""Statements before and after, commits, the head, the draw and the delivery of one charged release."""


@pytest.mark.slow
def test_no_crash_gives_a_free_answer(ledger, where, tmp_path, monkeypatch):
    monkeypatch.setattr(charging, "DRAWING_SECONDS", 0.2)  # nobody is left to draw it
    seen, step, heads = [], 0, tmp_path / "heads"
    while True:
        account = ledger.open_account(f"step {step}", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
        signs = tmp_path / str(step)
        signs.mkdir()
        child = CHILDREN.Process(target=release_and_die, args=(where, account.name, "one", step, signs, heads))
        child.start()
        child.join(60)
        assert child.exitcode in {0, -signal.SIGKILL}
        Ledger.at(where, heads=heads).engine.dispose()  # nobody is locked out by what a crash left
        left = {sign.name for sign in signs.iterdir()}
        seen.append(check(account, left))
        if child.exitcode == 0:
            break
        step += 1
    assert step >= LEAST_STEPS
    assert left == {"drawn", "delivered"}
    assert set(seen) == {None, State.CHARGED, State.ANSWERED}
    assert seen == sorted(seen, key=[None, State.CHARGED, State.ANSWERED].index)


def check(account, signs):
    """What was given was charged; the same id never charges again; the rest of the budget is there, and no more."""
    entries = standing(account).entries
    state = entries[0].state if entries else None
    assert len(entries) <= 1
    assert "drawn" not in signs or state in {State.CHARGED, State.ANSWERED}
    assert "delivered" not in signs or state is State.ANSWERED

    drawn = []

    def draw():
        drawn.append(1)
        return release(sample(), plan(0.5))

    def ask(release_id):
        return charged_answer(account, Request(plan=chosen, guarantee=cost, release_id=release_id), draw)

    chosen, cost = plan(0.5), calibrate(plan(0.5)).guarantee
    if state is State.CHARGED:
        with pytest.raises(ParameterError, match="is charged and has no stored answer"):
            ask("one")
    else:
        assert ask("one").plan == chosen
    assert len(drawn) == (state is None)
    assert standing(account).total.epsilon == Decimal("0.5")
    ask("two")
    with pytest.raises(BudgetError):
        ask("three")
    return state
