"""All groups are one charge and one stored answer, or none."""

import pytest

from dpq_core import ApproxDP, BudgetError, Domain, Groups, ParameterError, Plan, PureDP
from dpq_core.groups import draws
from dpq_core.ledger import Ledger, charged_groups, charged_release, standing
from dpq_core.ledger.history.answers import stored_answers
from tests.ledger.clients import JOINS, sample

GRID = Domain(0, 100, 1)
PLAN = Plan(["1/2", "1/4"], "aq", PureDP(0.6))


@pytest.fixture
def account(tmp_path):
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    yield ledger.open_account("people", budget=ApproxDP(1.0, 1e-6), adjacency=JOINS, one_row_is="person")
    ledger.engine.dispose()


def table(names=("a", 7, "empty")):
    return Groups.from_values([5, 6, 7], ["a", "a", "b"], GRID, names=names)


def test_one_charge_and_one_answer_for_all_groups(account):
    found = charged_groups(table(), PLAN, account, release_id="one")
    assert charged_groups(table(), PLAN, account, release_id="one") == found
    assert found.names == ("a", 7, "empty")
    (entry,) = standing(account).entries
    assert (entry.guarantee.epsilon, entry.plan) == (0.6, PLAN)
    assert stored_answers(account.ledger) == (), "a report is of one column"
    with pytest.raises(BudgetError):
        charged_groups(table(), PLAN, account)
    assert len(standing(account).entries) == 1


def test_found_groups_come_back_as_they_were(account):
    groups = Groups.from_values([5] * 500, ["a"] * 499 + ["b"], GRID, names=None)
    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 1e-6))
    found = charged_groups(groups, plan, account, release_id="one")
    assert found.names == ("a",)
    assert charged_groups(groups, plan, account, release_id="one") == found
    assert standing(account).entries[0].guarantee.delta == 1e-6


def test_an_id_of_a_sample_is_none_of_groups(account):
    charged_groups(table(), PLAN, account, release_id="groups")
    with pytest.raises(ParameterError, match="`release_id` must be new"):
        charged_release(sample(), PLAN, account, release_id="groups")


def test_groups_that_fail_while_they_are_drawn_give_nothing_and_stay_charged(account, monkeypatch):
    def broken(*_):
        raise RuntimeError("the second group")

    monkeypatch.setattr(draws, "draw_cells", broken)
    with pytest.raises(RuntimeError):
        charged_groups(table(), PLAN, account, release_id="one")
    (entry,) = standing(account).entries
    assert entry.state == "failed"
    assert float(entry.counted.epsilon) == 0.6
    with pytest.raises(ParameterError, match="has no answer"):
        charged_groups(table(), PLAN, account, release_id="one")


def test_what_is_refused_costs_nothing(account):
    with pytest.raises(ParameterError, match="must not be slice"):
        charged_groups(table(), Plan(["1/2"], "slice", ApproxDP(0.5, 1e-6)), account)
    seeded = Groups.from_values([5], ["a"], GRID, names=["a"], seed=0)
    with pytest.raises(ParameterError, match="`seed`"):
        charged_groups(seeded, PLAN, account)
    assert standing(account).entries == ()
