"""Standing and exports: numbers that add up, and nothing but plans and guarantees."""

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from dpq_core import ApproxDP, Domain, Plan, PureDP, Sample
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.filters import rounded_up
from dpq_core.ledger.history.entries import standing, sums
from dpq_core.ledger.history.statement import history_as_csv, history_as_json
from dpq_core.privacy.conversions import rho_to_epsilon
from tests.ledger.clients import JOINS, plan, sample


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
    assert found.plain_epsilon == 0.8
    assert found.together == found.concentrated_epsilon < 0.6
    of_rho = 1e-6 - float(found.limits[0].delta)
    assert 0 < of_rho < 1e-6, "a part of delta is for the plain sum"
    assert found.concentrated_epsilon == rho_to_epsilon(rounded_up(found.total.rho), of_rho)
    alone = sums(found.account)
    assert (alone.total, alone.limits, alone.balance) == (found.total, found.limits, found.balance)


def test_a_delta_that_went_to_the_plain_sum_leaves_none_for_rho(tmp_path):
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    account = ledger.open_account("people", budget=ApproxDP(1.0, 1e-6), adjacency=JOINS, one_row_is="person")
    assert (sums(account).concentrated_epsilon, sums(account).together, sums(account).spent) == (0.0, 0.0, 0.0)
    people = Sample.from_values(np.arange(5000) % 100, Domain(0, 100, 1))
    charged_release(people, Plan(["1/4", "3/4"], "slice", ApproxDP(0.5, 1e-6), JOINS), account)
    found = sums(account)
    assert (found.concentrated_epsilon, found.spent, found.remaining) == (None, 0.5, 0.5)
    ledger.engine.dispose()


def test_the_export_holds_plans_and_guarantees_and_no_answers(spend):
    found, answers = spend(PureDP(1.0), [plan(0.25), plan(0.5)])
    rows = list(csv.DictReader(io.StringIO(history_as_csv(found))))
    assert [Plan.from_json(row["plan"]) for row in rows] == [plan(0.25), plan(0.5)]
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
