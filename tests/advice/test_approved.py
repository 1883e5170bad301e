"""Advice and forecasts for a table of questions, whole, beside what was approved; see tests/approved.py."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Plan, PureDP, forecast
from dpq_core.advice import simulation
from dpq_core.advice.choice import Run, needs, with_remedy
from dpq_core.advice.errors import chances_of_far, error_of, least_size, least_size_for_all, replace_budget
from dpq_core.advice.forecast import chances_far_off
from dpq_core.advice.simulation import error_of_way
from dpq_core.grouping import Grouping
from dpq_core.privacy.budgets import Privacy
from dpq_core.question import Persons
from tests.advice.asked import ask, run_of
from tests.approved import check_approved

APPROVED = Path(__file__).parent / "approved" / "advice.json"
AGES, WIDE = Domain(0, 120, 1), Domain(0, 1000)
PLAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(1.0))
LISTED = Grouping(by=("region",), names=("north", "south", "west"))

PERSONS: Any = (("mean", None, 2), (None, 2, 1), (None, 3, "any"), ("weight", None, None))


def expected(about: Any, columns: str = "a", **whole: Any) -> Any:
    found = forecast(ask(columns, PLAN, WIDE, **whole), about)
    return [found.columns, found.sentences, found.least_budget(0.05)]


def tried(plan: Plan, count: int | None, cells: int | None) -> Any:
    found = needs(plan, count, cells)
    return [found, [with_remedy(plan, way) for need in found[:1] for way in need.remedies]]


BUDGETS: tuple[Privacy, ...] = (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5))
CASES: dict[str, Callable[[], Any]] = {
    "needs": lambda: {f"{key} {at} {adjacency.value}": tried(Plan(["1/3", "1/2"], key, privacy, adjacency), 300, 121)
                      for key, (at, privacy), adjacency in product(MECHANISMS, tuple(enumerate(BUDGETS)), Adjacency)},
    "plans": lambda: [
        run_of(60, about_n=500, groups=groups, adjacency=adjacency, mechanism="aq").drawn
        for groups in (None, 3) for adjacency in Adjacency
    ],
    "shapes": lambda: [simulation.shapes_within(domain, 90) for domain in (AGES, WIDE)],
    "bells": lambda: [simulation.bells_within(domain, 30, 5.0, 60.0) for domain in (AGES, Domain(500, 600))],
    "ways": lambda: [error_of_way(PLAN, bounds, Domain(0, 1000), 300)
                     for bounds in (WIDE, Domain(0, 10**6), FindBounds(0.25, smallest=1, largest=10_000))],
    "expected": lambda: [
        error_of(Run(PLAN, WIDE), 500), chances_of_far(Run(PLAN, WIDE), 60),
        chances_of_far(Run(replace(PLAN, mechanism="slice"), WIDE), 9),
        [replace_budget(privacy, 0.7) for privacy in BUDGETS],
    ],
    "columns": lambda: [expected(200, "ab"), chances_far_off(ask("ab", PLAN, WIDE, about_n=60))],
    "groups": lambda: [expected(about, groups=LISTED) for about in (400, 18, {"north": 30, "south": 4000, "west": 31})],
    "groups of persons": lambda: [
        [expected(60, groups=LISTED, persons=Persons(per_person=per_person, max_rows=rows, max_groups=each))
         for per_person, rows, each in PERSONS],
        least_size(Run(PLAN, WIDE, groups=1)), least_size_for_all(Run(PLAN, WIDE)),
        least_size_for_all(Run(replace(PLAN, mechanism="slice"), WIDE)),
    ],
}  # fmt: skip
SECONDS = ("groups", "groups of persons")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.slow) if each in SECONDS else each for each in CASES]
)
def test_advice_is_as_it_was_approved(name: str) -> None:
    check_approved(APPROVED, name, CASES[name]())
