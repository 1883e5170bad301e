"""Standing and exports: numbers that add up, and nothing but plans and guarantees."""

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal, localcontext
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, ApproxDP, BudgetError, Column, Domain, Plan, PureDP
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.checking import State
from dpq_core.ledger.filters import NOTHING, ReleaseCost, exact, grant, limits_of, refused, rounded_up
from dpq_core.ledger.history.amounts import shown
from dpq_core.ledger.history.entries import Entry, Standing, standing, sums
from dpq_core.ledger.history.statement import history_as_csv, history_as_json
from dpq_core.privacy.budgets import Guarantee
from dpq_core.privacy.conversions import rho_to_epsilon
from tests.ledger.clients import JOINS, plan, sample
from tests.narrowing import present


@pytest.fixture
def spend(tmp_path):
    """Charge plans to a new account: its standing afterwards, and the answers."""
    ledger = Ledger.at(tmp_path / "ledger.sqlite")

    def charge(budget, plans):
        account = ledger.open_account("people", budget=budget, adjacency=JOINS, one_row_is="person")
        answers = [charged_release(sample(), chosen, account, who="desk 4") for chosen in plans]
        return standing(account), answers

    yield charge
    ledger.engine.dispose()


@pytest.mark.slow
def test_the_smaller_sum_is_what_all_answers_keep(spend):
    found, _ = spend(ApproxDP(1.0, 1e-6), [plan(0.02)] * 40)
    assert rounded_up(found.total.epsilon) == 0.8
    assert found.together == found.concentrated_epsilon < 0.6
    of_rho = 1e-6 - float(found.limits[0].delta)
    assert 0 < of_rho < 1e-6, "a part of delta is for the plain sum"
    assert found.concentrated_epsilon == rho_to_epsilon(rounded_up(found.total.rho), of_rho)
    alone = sums(found.account)
    assert (alone.total, alone.limits, alone.balance) == (found.total, found.limits, found.balance)


def test_a_delta_that_went_to_the_plain_sum_leaves_none_for_rho(tmp_path):
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    account = ledger.open_account("people", budget=ApproxDP(1.0, 1e-6), adjacency=JOINS, one_row_is="person")
    new = sums(account)
    assert (new.concentrated_epsilon, new.together, float(new.balance.spent)) == (0.0, 0.0, 0.0)
    people = Column.from_values(np.arange(5000) % 100, Domain(0, 100, 1))
    charged_release(people, Plan(["1/4", "3/4"], "slice", ApproxDP(0.5, 1e-6), JOINS), account)
    found = sums(account)
    assert (found.concentrated_epsilon, *map(float, (found.balance.spent, found.balance.left))) == (None, 0.5, 0.5)
    ledger.engine.dispose()


def test_the_export_holds_plans_and_guarantees_and_no_answers(spend):
    found, answers = spend(PureDP(1.0), [plan(0.25), plan(0.5)])
    rows = list(csv.DictReader(io.StringIO(history_as_csv(found))))
    assert [ColumnsPlan.from_json(row["plan"]).first for row in rows] == [plan(0.25), plan(0.5)]
    assert sum(Decimal(row["adds_epsilon"]) for row in rows) == found.total.epsilon == Decimal("0.75")
    assert {(row["state"], row["who"], row["mechanism"], row["quantiles"]) for row in rows} == {
        ("answered", "desk 4", "aq", "1")
    }
    assert [(row["number_in_data_set"], row["columns"], row["levels"]) for row in rows] == [
        ("1", "", "1/2"),
        ("2", "", "1/2"),
    ]
    whole = json.loads(history_as_json(found))
    assert (whole["account"], whole["one_row_is"], whole["sums"]["epsilon"]) == ("people", "person", "0.75")
    assert whole["budget"] == {"kind": "pure", "epsilon": 1.0}
    assert [set(entry) for entry in whole["releases"]] == [set(rows[0]) - {"data_set"}] * len(answers)
    assert {row["data_set"] for row in rows} == {"people"}
    assert not {"answer", "values"} & set(rows[0])


def test_a_column_called_like_a_formula_is_text_in_a_spreadsheet(spend):
    found, _ = spend(PureDP(1.0), [plan(0.25)])
    named = replace(found, entries=tuple(replace(entry, names=("=cmd()",)) for entry in found.entries))
    (row,) = csv.DictReader(io.StringIO(history_as_csv(named)))
    assert row["columns"] == "'=cmd()"


# ── what a reader adds up by hand ────────────────────────────────────────────────────────────────────────────────────

BUDGETS = [
    PureDP(3.0), PureDP(1 / 3), ApproxDP(3.0, 1e-5), ApproxDP(0.7, 1e-7), ApproxDP(0.05, 0.2), ApproxDP(1e-9, 1e-9),
    ApproxDP(12345.678, 3e-4), ZCDP(0.1), ZCDP(2.0),
]  # fmt: skip
releases = st.builds(
    lambda epsilon, delta, rho, kept: (
        Guarantee(epsilon=epsilon, delta=delta, rho=rho, adjacency=JOINS), kept,
    ),
    st.one_of(st.floats(1e-9, 2), st.sampled_from([0.5, 0.1, 0.01, 1.0]), st.just(inf)),
    st.sampled_from([0.0, 0.0, 1e-9, 3e-7, 1e-6, 5e-324]),
    st.one_of(st.none(), st.floats(1e-9, 0.05)),
    st.sampled_from([1, 1, 1, 0.5, 0]),  # the part of epsilon that stays counted: a refusal may give some back
)  # fmt: skip


def account(budget):
    return Account(
        ledger=Ledger.__new__(Ledger), number=1, name="people", one_row_is="person", adjacency=JOINS, budget=budget,
        opened="2026-01-01", closed=None,
    )  # fmt: skip


def entry(number, state, guarantee, cost):
    return Entry(
        number=number, place=number, release_id=f"{number}", state=state, charged="2026-01-01", finished=None, who="",
        plan=ColumnsPlan.of(["column"], Plan(["1/2"])), size=None, guarantee=guarantee, counted=cost,
    )  # fmt: skip


def history(budget, asked):
    """A standing after as many of the releases as are granted, by the rule that decides."""
    candidates, total, entries = limits_of(budget), ReleaseCost(), []
    for number, (guarantee, part) in enumerate(asked, start=1):
        try:
            limits, cost = grant(candidates, total, guarantee)
        except BudgetError:
            continue
        candidates = (limits,)
        state = State.ANSWERED
        if part < 1 and cost.epsilon.is_finite():
            cost, state = ReleaseCost(exact(float(cost.epsilon) * part), cost.delta, cost.rho), State.INFEASIBLE
        total += cost
        entries.append(entry(number, state, guarantee, cost))
    return Standing(account=account(budget), limits=candidates, total=total, entries=tuple(entries))


def number(text):
    return Decimal(text)


@given(st.sampled_from(BUDGETS), st.lists(releases, max_size=30))
def test_shown_numbers_add_up_exactly_as_shown(budget, asked):
    told = history(budget, asked)
    total, spent, left = (number(shown(part)) for part in (told.balance.total, told.balance.spent, told.balance.left))
    assert spent + left == total
    before = total
    for line in told.lines:
        counted, after = number(shown(line.counted)), number(shown(line.left))
        assert counted >= 0
        assert before - counted == after
        before = after
    assert before == left
    assert sum((number(shown(line.counted)) for line in told.lines), NOTHING) == spent
    if told.sum_of_prices is not None:
        prices, saved = number(shown(told.sum_of_prices)), present(told.saved)
        assert sum((number(shown(present(line.price))) for line in told.lines), NOTHING) == prices
        assert prices - number(shown(saved)) == spent
        assert saved >= 0
    for parts in filter(None, (told.delta, told.rho)):
        shares = {name: number(text) for name, text in parts.as_dict().items()}
        assert shares.pop("total") == sum(shares.values())
        assert min(shares.values()) >= 0


@given(st.sampled_from(BUDGETS), st.lists(releases, max_size=30))
def test_what_is_left_is_granted(budget, asked):
    """Left is no figure of speech: a release of just that is charged, whatever its mechanism."""
    found = history(budget, asked)
    left = float(found.balance.left)
    wanted = {"epsilon": inf, "rho": left} if isinstance(budget, ZCDP) else {"epsilon": left, "rho": None}
    assert left == 0 or refused(found.limits, found.total, Guarantee(delta=0.0, adjacency=JOINS, **wanted)) is None


@given(st.sampled_from(BUDGETS), st.lists(releases, max_size=10))
def test_files_hold_the_numbers_of_the_page_under_its_names(budget, asked):
    found = history(budget, asked)
    balance, whole = found.balance, json.loads(history_as_json(found))
    assert [whole[name] for name in ("unit", "total", "spent", "left")] == [
        balance.unit, shown(balance.total), shown(balance.spent), shown(balance.left),
    ]  # fmt: skip
    assert whole["details"] == found.details()
    rows = list(csv.DictReader(io.StringIO(history_as_csv(found))))
    for name in ("price", "counted", "left"):
        texts = [None if getattr(line, name) is None else shown(getattr(line, name)) for line in found.lines]
        assert [entry[name] for entry in whole["releases"]] == texts
        assert [row[name] for row in rows] == [text or "" for text in texts]
    with localcontext(prec=2000):
        added = sum((number(row["adds_rho"]) for row in rows), NOTHING)
    assert added == number(whole["sums"]["rho"]) == found.total.rho


def priced(epsilon, rho, count):
    return [(Guarantee(epsilon=epsilon, delta=0.0, rho=rho, adjacency=JOINS), 1)] * count


def test_many_releases_cost_more_one_by_one_than_together():
    told = history(ApproxDP(3.0, 1e-5), priced(0.5, 0.0117, 12))
    prices = present(told.sum_of_prices)
    assert shown(prices) == "6"
    assert told.balance.spent < 3 < prices
    assert told.saved == prices - told.balance.spent > 3
    assert told.guarantee_so_far < 3
    assert present(told.rho).spent == Decimal("0.1404")


def test_a_release_in_rho_alone_has_no_price_in_epsilon():
    only_rho = [(Guarantee(epsilon=inf, delta=0.0, rho=0.03, adjacency=JOINS), 1)]
    told = history(ApproxDP(3.0, 1e-5), [*priced(0.5, 0.0117, 1), *only_rho])
    first, second = told.lines
    assert (shown(present(first.price)), second.price, second.entry.counted.rho) == ("0.5", None, Decimal("0.03"))
    assert (told.sum_of_prices, told.saved) == (None, None)
    assert first.counted + second.counted == told.balance.spent
    assert told.details()["sum_of_prices"] is None


@pytest.mark.parametrize(("amount", "said"), [("1e-7", "0.0000001"), ("2.50", "2.5"), ("0", "0"), ("1E+6", "1000000")])
def test_amounts_are_written_in_full(amount: str, said: str) -> None:
    assert shown(Decimal(amount)) == said
