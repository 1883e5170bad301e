"""A release that was charged and has no answer counts like an answered one wherever earlier charges decide."""

from decimal import Decimal

import pytest

from dpq_core import ApproxDP, BudgetError, Infeasible, ParameterError, People, Sample, calibrate
from dpq_core.ledger import (
    Ledger,
    Request,
    State,
    charged_answer,
    charged_release,
    charging,
    compare_files,
    fingerprint_of,
    standing,
)
from tests.ledger.clients import JOINS, plan, sample
from tests.narrowing import present

CHARGED = (State.CHARGED, State.FAILED, State.INFEASIBLE)
"""All states but that of an answered release, and of one that nothing was drawn for."""


@pytest.fixture
def account(ledger):
    return open_one(ledger)


def open_one(ledger, name="people"):
    return ledger.open_account(name, budget=ApproxDP(1.0, 1e-6), adjacency=JOINS, one_row_is="person")


def left_in(state, account, epsilon=0.25, *, drew=0.125, **others):
    """Charge a release that ends in a state without an answer: by a crash, an error or a refusal."""
    chosen = plan(epsilon)
    request = Request(plan=chosen, guarantee=calibrate(chosen).guarantee, release_id="one", **others)
    if state is State.CHARGED:
        account.ledger.write(lambda connection: charging._charge(connection, account, request))
        return
    charged = drew if state is State.INFEASIBLE else 0.0
    error = RuntimeError() if state is State.FAILED else Infeasible("quantiles", "must differ.", charged=charged)

    def draw():
        raise error

    with pytest.raises(type(error)):
        charged_answer(account, request, draw)
    assert [entry.state for entry in standing(account).entries] == [state]


def persons():
    return Sample.from_values(range(5), sample().domain, people=People.of(range(5)), take="first")


@pytest.mark.parametrize("state", CHARGED)
def test_it_decides_whether_an_account_pays_for_records_or_for_persons(account, state):
    left_in(state, account)
    with pytest.raises(ParameterError, match=r"`account` must protect .* one record; this one is for a person"):
        charged_release(persons(), plan(0.25), account)
    charged_release(sample(), plan(0.25), account)


def test_one_that_nothing_was_drawn_for_decides_nothing(account):
    left_in(State.CANCELLED, account)
    charged_release(persons(), plan(0.25), account)
    assert standing(account).total.epsilon == Decimal("0.25")


@pytest.mark.parametrize("state", CHARGED)
def test_it_takes_its_part_of_the_budget(account, state):
    left_in(state, account, 0.5, drew=0.5)
    assert standing(account).total.epsilon == Decimal("0.5")
    with pytest.raises(BudgetError, match=r"ε = 0\.5 is left"):
        charged_release(sample(), plan(0.75), account)


@pytest.mark.parametrize("state", CHARGED)
def test_it_settles_how_delta_is_split(account, state):
    """The split must be fixed before the first answer, so by the first charge."""
    left_in(state, account)
    assert len(standing(account).limits) == 1


@pytest.mark.parametrize("state", CHARGED)
def test_its_file_is_one_that_the_account_was_charged_for(ledger, account, state):
    mark = fingerprint_of(account, b"a file")
    left_in(state, account, file=mark)
    assert compare_files(account, mark) == (), "it may be compared"
    other = open_one(ledger, "other")
    charged_release(sample(), plan(0.25), other, file=mark)
    (same,) = compare_files(other, mark)
    assert "looks the same as one charged to people" in same


@pytest.mark.parametrize("state", CHARGED)
def test_its_place_in_the_chain_is_known_to_the_heads(where, tmp_path, state):
    ledger = Ledger.at(where, key="a key for the tests", heads=tmp_path / "heads")
    account = open_one(ledger)
    left_in(state, account)
    charged_release(sample(), plan(0.25), account)
    assert present(ledger.watch).known().heads[account.number].place == (2 if state is State.CHARGED else 3)
    ledger.engine.dispose()
