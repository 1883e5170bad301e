"""What a form has calibrated is handed on, and holds no number of records. Each calibration is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dpq_core import Adjacency, Column, Plan
from dpq_core.calibrations import calibrations_of
from dpq_core.mechanisms.registry import MECHANISMS
from tests.results.test_outcomes import DOMAIN, PLAN, VALUES

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


def plan_of(adjacency: Adjacency) -> Plan:
    return Plan(PLAN.quantiles, "aq", PLAN.privacy, adjacency)


def test_a_number_of_records_is_not_stored_with_a_form(calls: Calls) -> None:
    """It may be private: a press calibrates for it, and a page that is given the same calibrations knows nothing."""
    plan, column = plan_of(Adjacency.REPLACE_ONE), Column.from_values(VALUES, DOMAIN)
    calibrations = calibrations_of(plan, (1, 10))
    assert calibrations.calibrated_for(column).n_public == PEOPLE
    assert set(calibrations.found) == {1, 10}
    assert {count for _, count in calls} == {1, 10, PEOPLE}
