"""The Trade-off page, run without a browser."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.studies import least_error, wanted
from dpq_core.studies.search import SearchResult
from pages.frame import waiting
from pages.keys import PREFIX
from pages.settings.table import SWEEPS
from pages.studies import exports as study_exports
from pages.studies import job as studies
from pages.tradeoff import questions as tradeoff
from pages.tradeoff import results as tradeoff_results
from tests.narrowing import present
from tests.pages.driving import bring, csv_of, open_page, run, set_bounds, widget, words
from tests.pages.studying import press

SWEEP_ASKED, SWEEP_JOB = studies._key(tradeoff.SWEEP), waiting._key(tradeoff.SWEEP)
AGES = np.random.default_rng(5).integers(18, 91, size=7319)


@pytest.fixture(autouse=True)
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies are run in the server, not in a process."""
    monkeypatch.setattr(tradeoff, "expected_seconds", lambda cells, records: 0.0)
    monkeypatch.setattr(wanted, "expected_search_seconds", lambda searched, records: 0.0)


def points(visit: AppTest) -> list[tuple[str, float, float]]:
    asked = visit.session_state[SWEEP_ASKED]
    at = tradeoff.SWEPT[asked.extra[0]].at
    return [(row.mechanism, at(row), row.mean_error) for row in visit.session_state[SWEEP_JOB].parts if row.supported]


def test_opens_with_a_small_sweep() -> None:
    visit = open_page("tradeoff")
    found = [(x, error) for mechanism, x, error in points(visit) if mechanism == "aq"]
    assert len(found) == tradeoff.FIRST_POINTS
    assert {x for x, _ in found} >= {min(tradeoff.AMOUNTS), max(tradeoff.AMOUNTS)}
    assert min(found)[1] > max(found)[1], "more budget, less error"
    assert len(visit.get("plotly_chart")) == 1
    assert "seed 0" in words(visit)
    assert points(open_page("tradeoff")) == points(visit)


def test_one_median_is_shown_beside_what_no_mechanism_can_be_below() -> None:
    visit = open_page("tradeoff", quantiles="median", swept="indexp")
    rows, records = visit.session_state[SWEEP_JOB].parts, visit.session_state[SWEEP_ASKED].subject.count
    limits = [(x, least_error(x, records)) for x in sorted({x for _, x, _ in points(visit)})]
    assert tradeoff_results.least_errors("epsilon", rows) == limits
    assert tradeoff_results.least_errors("records", rows) == []
    assert "where all values differ and are far apart, no mechanism can err less" in words(visit)
    for name, value in {"quantiles": "deciles", "adjacency": "substitute", "budget": "approximate"}.items():
        visit = open_page("tradeoff", **({"quantiles": "median", "swept": "indexp"} | {name: value}))
        assert "no mechanism can err less" not in words(visit)


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_setting_can_be_swept(sweep: str) -> None:
    visit = open_page("tradeoff", sweep=sweep, swept="gkexp", quantiles="median")
    xs = {x for _, x, _ in points(visit)}
    assert len(xs) >= tradeoff.FIRST_POINTS
    assert {mechanism for mechanism, _, _ in points(visit)} == {"gkexp"}
    press(visit, "tradeoff", tradeoff.SWEEP)
    assert len({x for _, x, _ in points(visit)}) >= len(xs)
    assert visit.session_state[SWEEP_ASKED].grid.seed == 1


def test_a_mechanism_without_the_swept_option_says_so() -> None:
    visit = open_page("tradeoff", sweep="alpha", swept="aq")
    assert visit.button(key=f"{PREFIX}_run_tradeoff").disabled
    assert "has no α" in words(visit).replace("\\316\\261", "α")


def test_the_other_error_needs_no_new_run() -> None:
    visit = open_page("tradeoff")
    job = visit.session_state[SWEEP_JOB]
    run(widget(visit, f"{PREFIX}_measure").set_value("max"))
    assert visit.session_state[SWEEP_JOB] is job
    assert "worst rank error (people)" in visit.dataframe[0].value.columns


def test_an_error_that_a_logarithmic_axis_has_no_place_for_is_said() -> None:
    visit = open_page("tradeoff")
    assert min(error for *_, error in points(visit)) < 0.05
    assert "Errors under 0.05 are drawn at 0.05." in words(visit)
    assert "are drawn at" not in words(open_page("tradeoff", sweep="alpha"))


def test_no_budget_was_tried_where_a_mechanism_is_not_available() -> None:
    visit = open_page("tradeoff", ask="wanted", swept="normal", wanted="20", quantiles="quartiles")
    press(visit, "tradeoff", tradeoff.WANTED)
    assert "For a bell-shaped column" in words(visit)
    (found,) = [
        each for _, each in visit.session_state[waiting._key(tradeoff.WANTED)].parts if isinstance(each, SearchResult)
    ]
    assert tradeoff_results._amount(found, "ε") == "not available"


def test_smallest_budget_is_found_and_exported() -> None:
    visit = open_page("tradeoff", ask="wanted", swept="aq", wanted="20", quantiles="quartiles")
    assert "Nothing simulated yet" in words(visit)
    press(visit, "tradeoff", tradeoff.WANTED)
    parts = visit.session_state[waiting._key(tradeoff.WANTED)].parts
    found = [part for _, part in parts if isinstance(part, SearchResult)]
    assert len(found) == 1
    smallest = present(found[0].budget)
    assert 0.01 < smallest < 2
    told = re.search(r"\*\*ε = ([\d.]+)\*\* is enough", words(visit))
    assert told is not None
    assert smallest <= float(told[1]) <= 1.01 * smallest, "rounded up, so that it is enough"
    asked = visit.session_state[studies._key(tradeoff.WANTED)]
    content = json.loads(study_exports.found_as_json(asked, [("AQ", found[0])]))
    assert (content["wanted_error"], content["measure"]) == (20, "mean")
    assert content["searches"][0]["smallest_budget"] == found[0].budget
    assert study_exports.NOT_PRIVATE in study_exports.found_as_csv(asked, [("AQ", found[0])]).splitlines()[1]
    run(visit.text_input(key=f"{PREFIX}_wanted").set_value("30"))
    assert "Settings changed: press Search" in words(visit)


def test_a_search_asks_for_the_kind_of_budget_only() -> None:
    visit = open_page("tradeoff", ask="sweep")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("few"))
    assert visit.button(key=f"{PREFIX}_run_tradeoff").disabled
    run(widget(visit, f"{PREFIX}_ask").set_value("wanted"))
    assert not visit.button(key=f"{PREFIX}_run_tradeoff").disabled
    assert not [each for each in visit.text_input if each.key == f"{PREFIX}_epsilon"]
    assert visit.segmented_control(key=f"{PREFIX}_budget").value == "pure"


def test_a_wanted_error_that_is_no_number_is_one_sentence() -> None:
    visit = open_page("tradeoff", ask="wanted")
    run(visit.text_input(key=f"{PREFIX}_wanted").set_value("few"))
    assert visit.button(key=f"{PREFIX}_run_tradeoff").disabled
    assert "must be a whole number of 0 or more" in words(visit)


@pytest.mark.very_slow
def test_a_private_upload_is_not_swept() -> None:
    found = []
    for values in (AGES, AGES[:1000] // 2):
        visit = bring(open_page("tradeoff", swept="aq", quantiles="median", sweep="records"), csv_of(values))
        press(set_bounds(visit, "0", "100", "1"), "tradeoff", tradeoff.SWEEP)
        found.append(points(visit))
        assert visit.session_state[SWEEP_ASKED].grid.data == ("reference",)
        assert "Your data is not used" in words(visit)
        assert "7,319" not in words(visit)
    assert found[0] == found[1]
