"""From a wanted error to the smallest budget: sound with the stated chance, and sharp where it says so."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from dpq_core import ZCDP, ApproxDP, ParameterError, PureDP
from dpq_core.studies import engine, wanted
from dpq_core.studies.grid import Grid
from dpq_core.studies.measures import ERROR_BOUND, MEAN_RANK_ERROR, WORST_RANK_ERROR, measured
from dpq_core.studies.search import BudgetSearch, SearchResult, TriedBudget, binomial_interval, steps, with_budget
from tests.narrowing import only, present

CONFIGURATION = Grid(mechanisms=["aq"], quantiles=[3], trials=4000).configurations()[0]
ASKED = BudgetSearch(configuration=CONFIGURATION, wanted=12)


def smallest_budget(search: BudgetSearch) -> SearchResult:
    *_, (_, found) = steps(search)
    return only(SearchResult, found)


@pytest.mark.parametrize(("met", "trials"), [(0, 64), (64, 64), (50, 64), (1, 2048)])
def test_the_interval_is_the_exact_one(met, trials):
    exact = binomtest(met, trials).proportion_ci(0.99, "exact")
    assert binomial_interval(met, trials, 0.01) == pytest.approx((exact.low, exact.high), abs=1e-9)


@pytest.mark.slow
def test_the_budget_found_does_and_a_smaller_one_does_not():
    found = smallest_budget(ASKED)
    visit, budget = present(found.visit), present(found.budget)
    assert visit.low >= 0.95
    assert visit.budget == budget
    fresh = replace(CONFIGURATION, seed=99)

    def share(budget):
        _, (study,), _ = engine.simulated_studies(replace(fresh, privacy=PureDP(budget)), engine.Samples())
        return (study.rank_errors.max(axis=1) <= ASKED.wanted).mean()

    assert share(budget) > 0.93
    assert share(budget / 2) < 0.93


@pytest.mark.slow
def test_the_search_halves_and_ends_with_its_answer():
    shares, parts = zip(*steps(ASKED), strict=True)
    assert all(isinstance(part, TriedBudget) for part in parts[:-1])
    assert isinstance(parts[-1], SearchResult)
    assert parts[-1] == smallest_budget(ASKED)
    assert parts[-1].visits == parts[:-1]
    assert len(parts) <= 8
    assert list(shares) == sorted(shares)
    assert shares[-1] == 1
    missed = [visit.budget for visit in parts[:-1] if not visit.verdict]
    assert max(missed) < parts[-1].budget
    assert parts[-1].budget / max(missed) == pytest.approx(10 ** (1 / 20))


@pytest.mark.slow
def test_a_larger_wanted_error_needs_no_more():
    budgets = [present(smallest_budget(replace(ASKED, wanted=wanted, measure="mean")).budget) for wanted in (5, 20, 80)]
    assert budgets == sorted(budgets, reverse=True)
    assert smallest_budget(replace(ASKED, wanted=1e9)).budget == ASKED.lowest


def test_what_cannot_be_had_is_said():
    found = smallest_budget(replace(ASKED, wanted=0, highest=1.0))
    assert (found.budget, found.visit, len(found.visits)) == (None, None, 1)
    slices = Grid(mechanisms=["slice"], n=[20]).configurations()[0]
    none = smallest_budget(BudgetSearch(configuration=slices, wanted=5, highest=0.5))
    assert none.budget is None
    assert none.visits[0].why_not
    assert np.isnan(none.visits[0].error)


@pytest.mark.slow
def test_every_kind_of_budget_keeps_its_kind():
    assert with_budget(ApproxDP(1.0, 1e-6), 2.0) == ApproxDP(2.0, 1e-6)
    rho = smallest_budget(replace(ASKED, configuration=replace(CONFIGURATION, privacy=ZCDP(1.0)), highest=1.0)).budget
    chosen = replace(CONFIGURATION, privacy=ZCDP(present(rho)), trials=400)
    assert engine.run_configuration(chosen).max_error < ASKED.wanted


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"wanted": nan}, "wanted"),
        ({"wanted": -1}, "wanted"),
        ({"share": 1.0}, "share"),
        ({"chance": 0}, "chance"),
        ({"measure": "median"}, "measure"),
        ({"lowest": 0}, "epsilon"),
        ({"lowest": 2.0, "highest": 1.0}, "highest"),
    ],
)
def test_questions_without_sense_are_refused(changes, name):
    with pytest.raises(ParameterError) as refused:
        replace(ASKED, **changes)
    assert refused.value.name == name


@pytest.mark.slow
def test_each_of_several_searches_is_the_same_as_alone():
    cells = Grid(mechanisms=["aq", "slice"], quantiles=[3], n=[100], seed=3).configurations()
    questions = [BudgetSearch(configuration=configuration, wanted=20.0) for configuration in cells]
    found = list(wanted.steps(questions))
    answers = {number: part for _, (number, part) in found if isinstance(part, SearchResult)}
    assert answers == {number: list(steps(question))[-1][1] for number, question in enumerate(questions)}
    assert len(found) == sum(len(answer.visits) + 1 for answer in answers.values())


def test_the_measures_of_rank_errors_by_hand():
    """Twenty runs of two quantiles: in one of them, five of 100, an answer is 100 records off."""
    errors = np.array([[1.0, 3.0]] * 19 + [[100.0, 0.0]])
    found = measured(errors)
    assert found.mean == pytest.approx((19 * 4 + 100) / 40)
    assert found.worst == pytest.approx((19 * 3 + 100) / 20)
    assert found.bound == 100, "of 20 runs the one above the 95 % point, so that it surely holds"
    assert measured(np.array([[1.0, 3.0]] * 39 + [[100.0, 0.0]])).bound == 3


def test_each_measure_is_in_the_glossary():
    terms = (Path(__file__).parents[2] / "pages" / "texts" / "glossary.md").read_text(encoding="utf-8")
    assert all(f"\n## {name}\n" in terms for name in (MEAN_RANK_ERROR, WORST_RANK_ERROR, ERROR_BOUND))
