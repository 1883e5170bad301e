"""What somebody tries who may ask as often as they like: each attempt is either paid for or learns nothing new."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpq_core import ZCDP, Column, Domain, Plan, PureDP, simulate
from dpq_core.errors import BudgetError, ParameterError
from dpq_core.ledger.accounts import Account
from dpq_core.ledger.charging import charged_release, new_release_id
from dpq_core.ledger.history.entries import standing
from tests.ledger.alone import opened

VALUES = np.random.default_rng(12).integers(18, 91, size=3001)
DOMAIN = Domain(0, 120, 1)


@pytest.fixture
def account(tmp_path: Path) -> Iterator[Account]:
    account = opened(tmp_path, PureDP(1.0), "ages")
    yield account
    account.ledger.engine.dispose()


def sample(domain: Domain = DOMAIN) -> Column:
    return Column.from_values(VALUES, domain)


def plan(epsilon: float, levels: tuple[str, ...] = ("1/2",), mechanism: str = "aq") -> Plan:
    return Plan(levels, mechanism, PureDP(epsilon))


def ask_until_refused(account: Account, asked: list[tuple[Column, Plan]]) -> int:
    answered = 0
    for data, wanted in asked:
        try:
            charged_release(data, wanted, account)
        except BudgetError:
            break
        answered += 1
    return answered


def test_averaging_ends_with_the_budget(account: Account) -> None:
    """Noise averages out over answers, so that answers must run out: twenty at a twentieth of the budget each."""
    data = sample()
    assert ask_until_refused(account, [(data, plan(0.05))] * 100) == 20
    assert float(standing(account).balance.spent) == 1
    assert standing(account).balance.left == 0


def test_an_average_of_all_that_a_budget_pays_is_no_better_than_one_answer_for_all_of_it() -> None:
    """The rank error of a median from 20 answers at ε/20, against one at ε; simulated 400 times each."""
    seeded = Column.from_values(VALUES, DOMAIN, seed=1)
    whole = simulate(seeded, plan(0.2), trials=400, seed=2).values["column"]
    drawn = simulate(seeded, plan(0.01), trials=20 * 400, seed=3).values["column"]
    parts = drawn.reshape(400, 20).mean(axis=1)
    truth = np.median(VALUES)
    assert np.abs(parts - truth).mean() > np.abs(whole - truth).mean()


def test_every_change_of_a_setting_is_paid(account: Account) -> None:
    """A sweep over levels, mechanisms, bounds and steps cannot be had for the price of one."""
    sweep = [
        (sample(), plan(0.1)), (sample(), plan(0.1, ("0.5000001",))), (sample(), plan(0.1, mechanism="indexp")),
        (sample(Domain(0, 60, 1)), plan(0.1)), (sample(Domain(0, 120, Fraction(1, 2))), plan(0.1)),
        (sample(), Plan(["1/2"], "binhist", PureDP(0.1), options={"bins": 50})), (sample(), plan(0.1, ("1/4", "1/2"))),
    ]  # fmt: skip
    assert ask_until_refused(account, sweep * 9) == 10
    assert len(standing(account).entries) == 10


def test_a_download_that_is_replayed_gives_the_same_or_is_paid(account: Account) -> None:
    """Its plan is another release, its id is the same one, and its id with another plan is refused."""
    name = new_release_id()
    first = charged_release(sample(), plan(0.2), account, release_id=name)
    assert all(charged_release(sample(), plan(0.2), account, release_id=name) == first for _ in range(20))
    assert float(standing(account).balance.spent) == 0.2
    with pytest.raises(ParameterError, match="release_id"):
        charged_release(sample(), plan(0.2, ("1/4",)), account, release_id=name)
    with pytest.raises(ParameterError, match="release_id"):
        charged_release(sample(), size=10, plan=plan(0.2), account=account, release_id=name)
    charged_release(sample(), Plan.from_json(plan(0.2).to_json()), account)
    assert float(standing(account).balance.spent) == 0.4


def test_many_tabs_at_once_spend_no_more_than_there_is(account: Account) -> None:
    data = sample()

    def ask(_: int) -> bool:
        return ask_until_refused(account, [(data, plan(0.3))]) == 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(8))) == 3
    assert float(standing(account).balance.spent) == pytest.approx(0.9)


def test_the_same_press_from_many_tabs_is_drawn_once(account: Account) -> None:
    """Whoever comes while it is drawn is told so; nobody gets a second draw."""
    data, name = sample(), new_release_id()

    def ask(_: int) -> object:
        try:
            return charged_release(data, plan(0.3), account, release_id=name)["column"].values
        except ParameterError:
            return None

    with ThreadPoolExecutor(8) as pool:
        answers = {answer for answer in pool.map(ask, range(8)) if answer is not None}
    assert len(answers) == 1
    assert len(standing(account).entries) == 1


def test_another_kind_of_promise_is_no_way_around_a_pure_budget(account: Account) -> None:
    """Gaussian noise keeps no pure promise, however small its ρ."""
    gaussian = Plan(["1/2"], "aggtree", ZCDP(0.01))
    with pytest.raises(BudgetError):
        charged_release(sample(), gaussian, account)
    assert standing(account).entries == ()
