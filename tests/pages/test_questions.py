"""A budget that protects almost no one is asked about before it is spent, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import ZCDP, ApproxDP, PureDP
from dpq_core.ledger import Ledger
from dpq_core.privacy import Privacy
from pages.keys import PREFIX
from pages.quantiles.questions import UNANSWERED, protects_hardly
from tests.pages.driving import bring, csv_of, field, open_page, press, run, said, set_bounds, words

AGES = np.random.default_rng(8).integers(18, 91, size=400)


def own_file(**link: str) -> AppTest:
    return set_bounds(bring(open_page(data="file", **link), csv_of(AGES)), "0", "120", "1")


def total(visit: AppTest, epsilon: str, delta: str = "0") -> AppTest:
    field(visit, "total_delta").set_value(delta)
    return run(field(visit, "total_epsilon").set_value(epsilon))


def questions(visit: AppTest) -> list[str]:
    return [box.label.replace("\\", "") for box in visit.checkbox if "release anyway" in box.label]


def tick(visit: AppTest) -> AppTest:
    """The first box that asks and is not ticked."""
    box = next(box for box in visit.checkbox if "release anyway" in box.label and not box.value)
    return run(box.check())


def waits(visit: AppTest, name: str = "run") -> bool:
    return bool(visit.button(key=f"{PREFIX}_{name}").disabled)


def releases(file: Path) -> int:
    ledger = Ledger.at(file)
    found = len(ledger.accounts())
    ledger.engine.dispose()
    return found


def test_a_hundred_is_asked_about_with_the_total_and_spent_after_both_answers(own_ledger: Path) -> None:
    visit = total(own_file(epsilon="100"), "200")
    assert questions(visit) == [
        "ε = 100 protects almost no one: release anyway",
        "The total ε = 200 protects almost no one: release anyway",
    ]
    assert waits(visit)
    assert UNANSWERED in said(visit)
    visit = tick(visit)
    assert waits(visit)
    visit = tick(visit)
    assert not waits(visit)
    assert releases(own_ledger) == 0
    press(visit)
    assert "Release: private answers only" in words(visit)
    assert visit.metric
    assert questions(visit) == ["ε = 100 protects almost no one: release anyway"], "the total is fixed by now"
    assert waits(visit), "the next release spends as much again, and asks again"
    first = visit.session_state[f"{PREFIX}:outcome:release"].release_id
    press(tick(visit))
    assert visit.session_state[f"{PREFIX}:outcome:release"].release_id != first


def test_another_budget_is_asked_about_again() -> None:
    visit = total(own_file(epsilon="20"), "9")
    visit = tick(visit)
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("30"))
    assert questions(visit) == ["ε = 30 protects almost no one: release anyway"]
    assert not any(box.value for box in visit.checkbox)


def test_usual_budgets_are_not_asked_about() -> None:
    visit = own_file(epsilon="5")
    assert questions(total(visit, "9", "1e-5")) == []
    assert not waits(visit)


def test_a_large_delta_is_asked_about() -> None:
    visit = total(own_file(budget="approximate", delta="0.001"), "3", "0.002")
    assert questions(visit) == [
        "δ = 0.001 allows one person in 1,000 to be revealed outright: release anyway",
        "The total δ = 0.002 allows one person in 500 to be revealed outright: release anyway",
    ]
    assert waits(visit)
    assert not waits(tick(tick(visit)))


def test_a_synthetic_column_asks_as_well() -> None:
    visit = total(own_file(epsilon="100", show="Synthetic column", size="20"), "200")
    assert waits(visit, "run_column")
    assert not waits(tick(tick(visit)), "run_column")


def test_a_simulation_spends_nothing_and_asks_nothing() -> None:
    assert questions(open_page(epsilon="100")) == []
    assert not waits(open_page(epsilon="100"))


@pytest.mark.parametrize(
    ("privacy", "hardly"),
    [
        (PureDP(9.9), False),
        (PureDP(10.0), True),
        (ApproxDP(10.0, 1e-6), True),
        (ApproxDP(3.0, 1e-6), False),
        (ZCDP(5.0), False),
        (ZCDP(10.0), True),
    ],
)
def test_from_which_budget_on(privacy: Privacy, hardly: bool) -> None:
    assert protects_hardly(privacy) is hardly
