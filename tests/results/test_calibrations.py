"""A press calibrates its plan once and hands the parameters on; what more it calibrates is named here.

Nothing is remembered in these tests: a plan that is calibrated twice is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpq_core import Adjacency, Plan, PureDP, Sample
from dpq_core.calibrations import calibrations_of
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import standing
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results import outcomes
from dpq_core.results.outcomes import REFERENCE_SIZE
from tests.results.conftest import KEY
from tests.results.test_outcomes import DOMAIN, PLAN, VALUES, private

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


def noting(calibrate: Callable[..., Any], found: Calls) -> Callable[..., Any]:
    def noted(plan: Plan, n_public: Count, *internal: Any) -> Any:
        found.append((plan, n_public))
        return calibrate(plan, n_public, *internal)

    return noted


def account(folder: Path, adjacency: Adjacency) -> Account:
    ledger = Ledger.at(folder / "ledger.sqlite", key=KEY)
    return ledger.open_account("ages", budget=PureDP(5.0), adjacency=adjacency, one_row_is="person")


def plan_of(adjacency: Adjacency) -> Plan:
    return Plan(PLAN.quantiles, "aq", PLAN.privacy, adjacency)


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
