"""A press calibrates its plan once and hands the parameters on; what more it calibrates is named here.

Nothing is remembered in these tests: a plan that is calibrated twice is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dpq_core import Adjacency, Domain, Plan, PureDP, Sample, rank_errors, simulate
from dpq_core.calibrations import calibrations_of
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import standing
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results import outcomes, synthetic, trace
from dpq_core.results.outcomes import EXPLORE_SEED, REFERENCE_SIZE
from dpq_core.studies.configuration import Configuration
from dpq_core.studies.engine import run_configuration
from dpq_core.studies.grid import Grid
from tests.results.conftest import KEY
from tests.results.test_outcomes import DOMAIN, PLAN, VALUES, data, private

Count = int | None
Calls = list[tuple[Plan, Count]]
PEOPLE = VALUES.size


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return counted(monkeypatch)


def counted(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Every call of a mechanism's `calibrate` from now on."""
    found: Calls = []
    for mechanism in MECHANISMS.values():
        monkeypatch.setattr(mechanism, "calibrate", noting(mechanism.calibrate, found))
    return found


def noting(calibrate: Callable[[Plan, Count], Any], found: Calls) -> Callable[[Plan, Count], Any]:
    def noted(plan: Plan, n_public: Count) -> Any:
        found.append((plan, n_public))
        return calibrate(plan, n_public)

    return noted


def account(folder: Path, adjacency: Adjacency) -> Account:
    ledger = Ledger.at(folder / "ledger.sqlite", key=KEY)
    return ledger.open_account("ages", budget=PureDP(5.0), adjacency=adjacency, one_row_is="person")


def plan_of(adjacency: Adjacency) -> Plan:
    return Plan(PLAN.quantiles, "aq", PLAN.privacy, adjacency)


def explored() -> Sample:
    return Sample.from_values(VALUES, DOMAIN, seed=EXPLORE_SEED)


@pytest.mark.parametrize(
    ("adjacency", "counts"), [(Adjacency.ADD_REMOVE, [None]), (Adjacency.SUBSTITUTE, [PEOPLE, REFERENCE_SIZE])]
)
def test_a_release_calibrates_for_its_answer_and_for_the_reference_shape(
    calls: Calls, tmp_path: Path, adjacency: Adjacency, counts: list[Count]
) -> None:
    """The shape has 1,000 evenly spread public values: where the number is private, that is the same calibration."""
    plan, payer = plan_of(adjacency), account(tmp_path, adjacency)
    released = outcomes.release_once(private(), DOMAIN, calibrations_of(plan), payer, "a press")
    assert calls == [(plan, count) for count in counts]
    assert released.guarantee.exact


def test_a_release_from_a_form_holds_the_intervals_that_its_plan_asks_for(tmp_path: Path) -> None:
    """The levels at their ends follow from the domain, which a form calibrates without."""
    plan, payer = Plan(["1/2"], "aggtree", PureDP(1.0), intervals=0.9, about_n=1000), account(tmp_path, PLAN.adjacency)
    released = outcomes.release_once(private(), DOMAIN, calibrations_of(plan), payer, "a press")
    ((low, high),), (value,) = released.intervals, released.values
    assert low <= value <= high
    assert released.basis is not None


def test_what_was_calibrated_for_another_plan_is_not_charged(tmp_path: Path) -> None:
    payer, other = account(tmp_path, Adjacency.ADD_REMOVE), calibrations_of(Plan(["1/2"], "aq", PureDP(2.0)))
    with pytest.raises(AssertionError, match="calibrated for another plan"):
        charged_release(Sample.from_values(VALUES, DOMAIN), PLAN, payer, calibrations=other)
    assert standing(payer).entries == ()


def test_a_number_of_records_is_not_stored_with_a_form(calls: Calls) -> None:
    """It may be private: a press calibrates for it, and a page that is given the same calibrations knows nothing."""
    plan, sample = plan_of(Adjacency.SUBSTITUTE), Sample.from_values(VALUES, DOMAIN)
    calibrations = calibrations_of(plan, (1, 10))
    assert calibrations.calibrated_for(sample).n_public == PEOPLE
    assert set(calibrations.found) == {1, 10}
    assert {count for _, count in calls} == {1, 10, PEOPLE}


@pytest.mark.parametrize(("adjacency", "count"), [(Adjacency.ADD_REMOVE, None), (Adjacency.SUBSTITUTE, PEOPLE)])
def test_a_simulation_and_a_run_from_inside_calibrate_once(calls: Calls, adjacency: Adjacency, count: Count) -> None:
    plan = plan_of(adjacency)
    calibrations = calibrations_of(plan, [PEOPLE])
    outcomes.simulate_once(data(), explored(), calibrations, 3)
    trace.explain_once(data(), explored(), calibrations, 3)
    assert calls == [(plan, count)], "of its own sample: no reference is simulated"


def test_a_synthetic_column_calibrates_once(calls: Calls, tmp_path: Path) -> None:
    payer, wanted = account(tmp_path, Adjacency.ADD_REMOVE), synthetic.plan_of(synthetic.without_quantiles(PLAN), 40)
    calibrations = calibrations_of(wanted)
    synthetic.simulate_column(data(), explored(), calibrations, 3)
    synthetic.release_column(private(), DOMAIN, calibrations, payer, "a press")
    assert calls == [(wanted, None)]


def test_a_study_calibrates_a_configuration_once_for_all_data_sets_and_the_bound(calls: Calls) -> None:
    """Outside the time of its trials, which leaves calibration out."""
    grid = Grid(
        mechanisms=["indexp"], budgets=[PureDP(1.0)], quantiles=[["1/2"]], data=["uniform"], n=[50],
        domains=[Domain(0, 100, 1)], trials=8, data_sets=4,
    )  # fmt: skip
    (cell,) = grid.configurations()
    assert isinstance(cell, Configuration)
    assert run_configuration(cell).supported
    assert calls == [(cell.plan, None)], "for the runs on four data sets and for the proved bound"


def test_the_ranks_of_simulated_answers_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank errors come with the study: the answer's own, and those behind its noise interval, are parts of them."""
    accuracy, shapes = import_module("dpq_core.accuracy"), []
    look_up = accuracy._rank_interval

    def watched(*given: Any) -> Any:
        shapes.append(given[1].shape)
        return look_up(*given)

    monkeypatch.setattr(accuracy, "_rank_interval", watched)
    shown = outcomes.simulate_once(data(), explored(), calibrations_of(PLAN), 3)
    assert shapes == [(shown.draws, len(PLAN.quantiles))]
    study = simulate(explored(), PLAN, shown.draws, 3)
    assert shown.errors == tuple(study.signed_rank_errors[0])
    assert (study.rank_errors == abs(study.signed_rank_errors)).all()
    assert (study.signed_rank_errors < 0).any()
    assert (study.rank_errors == rank_errors(explored(), PLAN.quantiles, study.values)).all()
