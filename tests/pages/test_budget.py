"""The page Budget, run without a browser."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import (
    ZCDP,
    Adjacency,
    ApproxDP,
    Domain,
    FindGroups,
    Infeasible,
    Plan,
    PureDP,
    QuantileRelease,
    Sample,
    Table,
)
from dpq_core.calibrations import calibrate
from dpq_core.ledger import (
    Ledger,
    ReleaseMetadata,
    charged_answer,
    charged_columns,
    charged_release,
    charged_synthesis,
    history_as_json,
    shown,
    standing,
    statement,
)
from dpq_core.ledger.charging import Request
from pages.budget import spending
from tests.pages.driving import metrics, open_page, run, said, words

SAMPLE = Sample.from_values(np.random.default_rng(3).integers(18, 91, size=7321), Domain(0, 120, 1))
PLAN = Plan(["1/4", "1/2"], "aq", PureDP(0.5))


def open_budget() -> AppTest:
    return open_page("budget")


def test_an_empty_ledger_is_a_sentence_and_leads_on() -> None:
    visit = open_budget()
    assert "Nothing spent yet" in words(visit)
    assert not visit.metric
    (link,) = visit.get("link_button")
    assert link.proto.url == "quantiles?data=file"


def test_totals_history_and_files_of_each_data_set(own_ledger: Path) -> None:
    ledger = Ledger.at(own_ledger)
    open_account = partial(ledger.open_account, adjacency=Adjacency.ADD_REMOVE, one_row_is="patient")
    visits = open_account("visits", budget=ZCDP(2.0))
    charged_release(SAMPLE, Plan(["1/2"], "aq", ZCDP(0.5)), visits)
    patients = open_account("patients", budget=ApproxDP(3.0, 1e-6))
    stated = ReleaseMetadata(column="age", kind="number", unit="years", one="patient", many="patients")
    charged_release(SAMPLE, PLAN, patients, words=stated)
    charged_synthesis(SAMPLE, 40, PLAN, patients, words=stated)
    with pytest.raises(Infeasible):
        charged_answer(patients, Request(plan=PLAN, guarantee=calibrate(PLAN).guarantee, release_id="x"), refuse)

    visit = open_budget()
    assert visit.selectbox[0].value == "patients", "the newest first"
    front = metrics(visit)
    assert front["Releases"] == "3"
    assert [front[name] for name in ("Total", "Spent", "Left")] == ["ε = 3", "ε = 1", "ε = 2"]
    table = visit.dataframe[0].value
    assert list(table["no."]) == ["3", "2", "1"], "within the data set, of which another was released from before"
    assert list(table["requested"]) == ["25 %, 50 %", "a synthetic column of 40", "25 %, 50 %"]
    assert list(table["of"]) == ["–", "age", "age"]
    assert table["outcome"].iloc[0] == spending.STATES["cancelled"]
    assert list(table["price (ε)"]) == list(table["counted (ε)"]) == ["0", "0.5", "0.5"]
    assert list(table["left (ε)"]) == ["2", "2", "2.5"]
    assert "7321" not in words(visit)
    assert "one patient joins or leaves" in said(visit)
    told = json.loads(history_as_json(standing(patients)))
    assert len(told["releases"]) == 3
    assert "answer" not in told["releases"][0]

    run(visit.selectbox[0].set_value("visits"))
    assert metrics(visit)["Spent"] == "ρ = 0.5"
    assert metrics(visit)["Left"] == "ρ = 1.5"
    assert not visit.expander, "nothing is counted together in one sum"


def test_the_history_says_which_columns_levels_and_groups_were_released(own_ledger: Path) -> None:
    account = Ledger.at(own_ledger).open_account(
        "staff", budget=ApproxDP(9.0, 1e-5), adjacency=Adjacency.ADD_REMOVE, one_row_is="person"
    )
    domain, pay = Domain(0, 120, 1), Domain(0, 10**5, 100)
    charged_release(SAMPLE, PLAN, account)
    whole = {"age": Plan(["1/2"], "aq", PureDP(0.5)), "pay": Plan(["1/4", "3/4"], "aq", PureDP(0.5))}
    charged_columns({"age": SAMPLE, "pay": Sample.from_values([5], pay)}, whole, account)
    frame = {"age": [30] * 500, "pay": [100] * 500, "office": ["north"] * 500}
    possible = {"age": domain, "pay": pay}
    for by in ({"office": ["north", "south"]}, {"office": [str(name) for name in range(7)]}, {"office": FindGroups()}):
        grouped = Table.from_frame(frame, possible, by=by).columns
        charged_columns(grouped, Plan(["1/2"], "aq", ApproxDP(0.5, 1e-6)), account)
    mixed = {
        "age": Table.from_frame(frame, possible, by={"office": ["north"]})["age"],
        "pay": Sample.from_values([5], pay),
    }
    charged_columns(mixed, PLAN, account)
    table = open_budget().dataframe[0].value
    assert list(table["no."]) == ["6", "5", "4", "3", "2", "1"]
    both = "50 % of 2 columns"
    assert list(table["requested"]) == [
        "25 %, 50 % of 2 columns", both, both, both, "age: 50 %; pay: 25 %, 75 %", "25 %, 50 %",
    ]  # fmt: skip
    assert list(table["of"]) == ["age, pay"] * 5 + ["–"]
    assert list(table["groups"]) == [
        "age: north; pay: no groups", "found by the release", "7 groups", "north, south", "–", "–",
    ]  # fmt: skip


def test_what_stands_under_details_is_what_the_file_says(own_ledger: Path) -> None:
    account = Ledger.at(own_ledger).open_account(
        "patients", budget=ApproxDP(3.0, 1e-5), adjacency=Adjacency.ADD_REMOVE, one_row_is="patient"
    )
    for _ in range(8):
        one = {"draws": "one"}
        charged_release(SAMPLE, Plan([f"{i}/10" for i in range(1, 10)], "aq", PureDP(0.5), options=one), account)
    told = statement(standing(account))
    visit, details = open_budget(), json.loads(history_as_json(standing(account)))["details"]
    (said,) = [" ".join(caption.value for caption in place.caption) for place in visit.expander]
    for name in spending.DETAILS:
        assert f"**{spending.in_capitals(name)}** ε = {details[name]}. " in said
    delta = details["delta"]
    assert f"**δ** {delta['spent']} spent + {delta['kept_for_counting_together']} kept" in said
    assert metrics(visit)["Spent"] == f"ε = {shown(told.balance.spent)}" != "ε = 4"
    table = visit.dataframe[0].value
    assert sum(map(Decimal, table["counted (ε)"])) == told.balance.spent
    assert sum(map(Decimal, table["price (ε)"])) == Decimal(details["sum_of_prices"]) == 4
    assert table["left (ε)"].iloc[0] == metrics(visit)["Left"].removeprefix("ε = ")


def refuse() -> QuantileRelease:
    raise Infeasible("half_width", "must be smaller.")


def test_a_release_server_without_a_key_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPQ_MODE", "release")
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    assert "sets DPQ_LEDGER_KEY" in words(open_budget()).replace("\\", "")


def test_names_are_shown_as_text(own_ledger: Path) -> None:
    name = "a<b> **bold** [link](https://example.org)"
    ledger = Ledger.at(own_ledger)
    ledger.open_account(name, budget=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="person")
    said = [element.value for element in open_budget().markdown if "bold" in element.value]
    assert len(said) == 1
    assert r"\*\*bold\*\* \[link\]" in said[0]
