"""A client that is killed at every step between asking and answering: a charge may be lost, never an answer given."""

from decimal import Decimal

import pytest

from dpq_core import BudgetError, ParameterError, release
from dpq_core.ledger import charging
from dpq_core.ledger.charging import charged_answer
from dpq_core.ledger.checking import State
from dpq_core.ledger.history.entries import standing
from tests.ledger.clients import each_crash, plan, release_and_die, request, sample

LEAST_STEPS = 18
"""Statements before and after, commits, the head, the draw and the delivery of one charged release."""
pytestmark = pytest.mark.slow


def test_no_crash_gives_a_free_answer(opened, where, tmp_path, monkeypatch):
    monkeypatch.setattr(charging, "DRAWING_SECONDS", 0.0)  # nobody is left to draw it
    ledger, signs = opened(), tmp_path / "signs"
    signs.mkdir()
    opening = len(list(each_crash(release_and_die, where, signs, tmp_path / "heads")))
    opened()  # nobody is locked out by what the last crash left
    left = {int(one.name): {sign.name for sign in one.iterdir()} for one in signs.iterdir()}
    seen = [check(ledger.account(f"step {step}"), left[step]) for step in sorted(left)]
    assert len(seen) == opening >= LEAST_STEPS
    assert left[max(left)] == {"drawn", "delivered"}
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
        return charged_answer(account, request(0.5, release_id), draw)

    if state is State.CHARGED:
        with pytest.raises(ParameterError, match="is charged and has no stored answer"):
            ask("one")
    else:
        assert ask("one").plan.first == plan(0.5)
    assert len(drawn) == (state is None)
    assert standing(account).total.epsilon == Decimal("0.5")
    ask("two")
    with pytest.raises(BudgetError):
        ask("three")
    return state
