"""Bounds found from a part of the budget, on the pages: in Explore, in Release, in a report, in files."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpq_core import Domain, FindBounds
from dpq_core.ledger import Ledger
from dpq_core.ledger.history.answers import stored_releases
from dpq_core.results.exports import as_json, as_plan
from dpq_core.results.scripts import as_script
from dpq_core.studies import Grid, engine
from pages.frame import waiting
from pages.keys import PREFIX
from pages.settings.table import SPLITS, TABS
from tests.pages.driving import (
    ROOT,
    all_named,
    bring,
    csv_of,
    figures,
    link_of,
    open_page,
    open_tab,
    press,
    run,
    said,
    words,
)
from tests.pages.test_report import open_report, sheet

SIMULATION, RELEASE = f"{PREFIX}:outcome:explore", f"{PREFIX}:outcome:release"
INCOMES = np.random.default_rng(9).lognormal(9, 1, 4321).round(2)
CANARIES = ("4,321", "4321", f"{INCOMES.max():.2f}", f"{INCOMES.min():.2f}")


def test_a_simulation_finds_its_bounds_and_its_script_repeats_it() -> None:
    visit = open_page(bounds="find", share="20 %", quantiles="quartiles", mechanism="aq", step="1")
    outcome = visit.session_state[SIMULATION]
    assert outcome.find_bounds == FindBounds(Fraction(1, 5), step=1)
    assert outcome.domain.lower <= 0 < outcome.domain.upper
    assert "were found from 20 % of the budget" in said(visit)
    assert link_of(visit)["bounds"] == "find"
    assert "Settings changed" not in said(run(visit))
    script = subprocess.run([sys.executable, "-c", as_script(outcome)], capture_output=True, text=True, cwd=ROOT)
    assert [float(line.split()[1]) for line in script.stdout.splitlines()] == list(outcome.values), script.stderr
    assert '"find_bounds"' in as_plan(outcome)
    assert '"find_bounds"' in as_json(outcome)
    compared = run(visit.button(key=f"{PREFIX}_which_way").click())
    ways = [each.value for each in compared.markdown if ": expect" in each.value]
    assert [way.split("**")[1] for way in ways] == ["I know them", "Significant digits", "Find them"]
    column = open_tab(visit, TABS[1])
    assert "A synthetic column needs bounds or significant digits" in said(column)
    other = open_page("tradeoff", bounds="find")
    assert other.session_state[f"{PREFIX}_bounds"] == "digits", "a page that cannot find bounds"


def test_inside_shows_the_run_of_quantiles_between_the_bounds_that_it_found() -> None:
    chosen = {"bounds": "find", "quantiles": "quartiles", "mechanism": "aq", "step": "1", "data": "income"}
    outcome = open_page(**chosen).session_state[SIMULATION]
    visit = open_page("inside", splits=SPLITS[1], **chosen)
    inside = visit.session_state[f"{PREFIX}:inside:run"]
    assert sorted(step.value for step in inside.steps) == list(outcome.values)
    assert (inside.domain, inside.guarantee) == (outcome.domain, outcome.guarantee)
    assert dict(zip([step.level for step in inside.steps], inside.errors, strict=True)) == dict(
        zip(outcome.plan.quantiles, outcome.errors, strict=True)
    )
    assert "were found from 10 % of the budget" in said(visit)
    assert "Settings changed" not in said(visit)


@pytest.mark.very_slow
def test_compare_finds_the_bounds_of_every_run_and_its_grid_file_repeats_it() -> None:
    visit = open_page("compare", bounds="find", share="20 %", quantiles="quartiles", data="income")
    assert "Every run finds its bounds first, from 20 % of the budget" in said(visit)
    assert "The advice expected" not in said(visit)
    request, job = visit.session_state[f"{PREFIX}:study:compare"], visit.session_state[waiting._key("compare")]
    assert request.grid.find_bounds == FindBounds(Fraction(1, 5), step=100)
    aq = next(row for row in job.parts if row.mechanism == "aq")
    (row,) = [row for _, row in engine.steps(Grid.from_json(request.grid.to_json())) if row.mechanism == "aq"]
    assert (aq.mean_error, aq.bound_source) == (row.mean_error, "")
    known = Grid.from_dict(request.grid.as_dict() | {"find_bounds": None, "mechanisms": ["aq"]})
    ((_, best),) = engine.steps(Grid.from_dict(known.as_dict() | {"domains": [Domain(0, 1_000_000, 100)]}))
    assert aq.mean_error > best.mean_error
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("digits"))
    assert "Settings changed" in said(visit)


def test_a_missing_value_counts_as_0_where_nobody_said_bounds_and_decides_none() -> None:
    visit = bring(open_page(adjacency="substitute", mechanism="aq"), b"age\n" + b"30\nNA\n50\n" * 60, public=True)
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("find"))
    outcome = press(visit).session_state[SIMULATION]
    assert outcome.missing == 0
    assert -10 < outcome.domain.lower < outcome.domain.upper < 1000
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("digits"))
    assert press(visit).session_state[SIMULATION].missing == 0


def test_a_release_finds_its_bounds_once_and_tells_nothing_of_the_data(own_ledger: Path) -> None:
    visit = bring(open_page(quantiles="quartiles", mechanism="aq"), csv_of(INCOMES), public=False)
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("find"))
    run(visit.text_input(key=f"{PREFIX}_step").set_value("100"))
    outcome = press(visit).session_state[RELEASE]
    assert outcome.guarantee.epsilon <= 1
    assert outcome.domain.step == 100
    assert outcome.records is None
    assert "were found from 10 % of the budget" in said(visit)
    assert "Settings changed" not in said(visit)
    assert not [canary for canary in CANARIES if canary in words(visit)]
    assert all(0 <= value % 100 == 0 for value in outcome.values)
    assert len(figures(visit)) == 1
    ledger = Ledger.from_environment()
    (stored,) = stored_releases(ledger)
    assert vars(outcome).items() >= {"values": stored.answer.values, "guarantee": stored.answer.guarantee}.items()
    ledger.engine.dispose()
    report = sheet(open_report(answer=stored.release_id))
    assert "The true value" in report
    assert "It is not known how far the answers are from the true values." in report
    assert "The bounds were found in the data" in report
    assert "which were set before" not in report, "nothing is said of what may lie beyond found bounds"


@pytest.mark.parametrize("take", ["mean", "share"])
def test_bounds_are_found_among_people_and_among_shares_of_them(take: str) -> None:
    visit = open_page(data="visits", person="same", take=take, bounds="find", quantiles="median", mechanism="aq")
    outcome = visit.session_state[SIMULATION]
    assert (outcome.n, outcome.guarantee.protects) == (1000, "person")
    assert "Settings changed" not in said(run(visit))
    script = subprocess.run([sys.executable, "-c", as_script(outcome)], capture_output=True, text=True, cwd=ROOT)
    assert [float(line.split()[1]) for line in script.stdout.splitlines()] == list(outcome.values), script.stderr


def test_a_study_of_shares_finds_bounds_too() -> None:
    visit = open_page("compare", data="visits", person="same", take="share", bounds="find", quantiles="median")
    job = visit.session_state[waiting._key("compare")]
    assert {"aq", "indexp"} <= {row.mechanism for row in job.parts if not row.refused and row.mean_error < 300}


def test_intervals_may_rest_on_a_noisy_count_and_the_script_repeats_it() -> None:
    visit = open_page(quantiles="median", mechanism="aq", intervals="0.9", counted="noisy", data="income")
    outcome = visit.session_state[SIMULATION]
    assert outcome.plan.about_n == "noisy"
    assert min(outcome.held) >= 0.9
    assert "by a noisy count from 5 % of the budget" in said(visit)
    assert not [field for field in visit.text_input if field.label.startswith("About how many")]
    assert link_of(visit)["counted"] == "noisy"
    script = subprocess.run([sys.executable, "-c", as_script(outcome)], capture_output=True, text=True, cwd=ROOT)
    assert [float(line.split()[1]) for line in script.stdout.splitlines()] == list(outcome.values), script.stderr
    run(visit.selectbox(key=f"{PREFIX}_adjacency").set_value("substitute"))
    assert not all_named(visit.button_group, "counted"), "the number is public"
