"""What a form has calibrated holds no number of records. Each calibration is counted."""

from collections.abc import Callable
from typing import Any

import pytest

from dpq_core import Adjacency, Column, Plan
from dpq_core.calibrations import Calibrated
from dpq_core.mechanisms.registry import MECHANISMS
from pages.payment import counts
from tests.narrowing import only
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


def test_a_number_of_records_is_not_stored_with_a_form(calls: Calls) -> None:
    """It may be private: a press calibrates for it, and a page judges by two numbers that decide for all."""
    plan = Plan(PLAN.quantiles, "aq", PLAN.privacy, Adjacency.REPLACE_ONE)
    judged = counts.judge(plan, private())
    assert [only(Calibrated, each).n_public for each in judged.found] == [counts.FEWEST, counts.MOST]
    assert Calibrated.for_column(Column.from_values(VALUES, DOMAIN), plan).n_public == PEOPLE
    assert {count for _, count in calls} == {counts.FEWEST, counts.MOST, PEOPLE}
