"""Advice and forecasts for a table of questions, whole, beside what was approved; see tests/approved.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Plan, PublicFacts, PureDP
from dpq_core.advice import simulation
from dpq_core.advice.choice import choose
from dpq_core.advice.columns import PublicColumns, best_plans, chances_far_off, expected_errors, forecast_columns
from dpq_core.advice.forecast import chances_of_far, expected_error, least_budget, replace_budget
from dpq_core.advice.groups import forecast_groups, least_group_size, least_size_for_all, unit_of_plan
from dpq_core.advice.needs import needs, with_remedy
from dpq_core.advice.ranking import advise, remarks_on, why_it_suits
from dpq_core.advice.simulation import error_of_way
from dpq_core.privacy.budgets import Privacy
from dpq_core.studies.configuration import Method
from dpq_core.studies.grid import even_levels
from tests.approved import check_approved

APPROVED = Path(__file__).parent / "approved" / "advice.json"
AGES, WIDE = Domain(0, 120, 1), Domain(0, 1000)
USUAL = PublicFacts(quantiles=even_levels(3), privacy=PureDP(1.0), n=600, domain=AGES)
PLAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(1.0))
BOTH = PublicColumns(domains={"a": AGES, "b": WIDE}, n=500)
ONE = PublicColumns(domains={"a": AGES}, n=60)
BELL = Method("normal", {"sigma": 15.0, "mean_bound": 100.0})
SKETCH = Method("gkexp", {"n_max": 1000})
FACTS = {
    "usual": USUAL,
    "unknown number": replace(USUAL, n=None, quantiles=even_levels(1)),
    "replaced": replace(USUAL, adjacency=Adjacency.SUBSTITUTE, methods=(BELL, SKETCH)),
    "concentrated": replace(USUAL, privacy=ZCDP(0.1), domain=WIDE),
    "tiny budget": replace(USUAL, privacy=PureDP(1e-4)),
    "shares": replace(USUAL, shares=True),
}


def ranked(facts: PublicFacts) -> Any:
    found = advise(facts)
    chosen = choose(facts)
    return {
        "ranking": [(one.mechanism, one.mean, one.worst, one.why) for one in found.ranking], "n": found.n,
        "refused": {one.mechanism: one.why_not for one in found.refused}, "remarks": found.remarks,
        "chosen": (chosen.plan, chosen.why),
    }  # fmt: skip


def forecast(about: Any, plan: Plan = PLAN, **how: Any) -> Any:
    found = forecast_groups(plan, WIDE, ("north", "south", "west"), about, **how)
    return [found, found.fractions, found.too_small, found.pooled_size, found.pool, found.remarks]


def tried(plan: Plan, count: int | None, cells: int | None) -> Any:
    found = needs(plan, count, cells)
    return [found, [with_remedy(plan, way) for need in found[:1] for way in need.remedies]]


BUDGETS: tuple[Privacy, ...] = (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5))
CASES: dict[str, Callable[[], Any]] = {
    **{f"advice {name}": lambda facts=facts: ranked(facts) for name, facts in FACTS.items()},  # type: ignore[misc]
    "needs": lambda: {f"{key} {at} {adjacency.value}": tried(Plan(["1/3", "1/2"], key, privacy, adjacency), 300, 121)
                      for key, (at, privacy), adjacency in product(MECHANISMS, tuple(enumerate(BUDGETS)), Adjacency)},
    "remarks": lambda: [remarks_on(replace(USUAL, n=n), n or 1000, errors) for n in (None, 100, 300_000)
                        for errors in ([], [("A", 1.0)], [("A", 50.0), ("B", 58.0), ("C", 58.1)],
                                       [("A", 1.0), ("B", 1.65)])],
    "reasons": lambda: [why_it_suits(mechanism.PROFILE, replace(USUAL, quantiles=even_levels(m), privacy=privacy))
                        for mechanism in MECHANISMS.values() for m in (1, 9) for privacy in BUDGETS[::2]],
    "plans": lambda: [
        replace(USUAL, quantiles=even_levels(60), about_n=500, groups=groups, adjacency=adjacency).plan("aq")
        for groups in (None, 3) for adjacency in Adjacency
    ],
    "shapes": lambda: [simulation.shapes_within(domain, 90) for domain in (AGES, WIDE)],
    "bells": lambda: [simulation.bells_within(domain, 30, 5.0, 60.0) for domain in (AGES, Domain(500, 600))],
    "ways": lambda: [error_of_way(PLAN, bounds, Domain(0, 1000), 300)
                     for bounds in (WIDE, Domain(0, 10**6), FindBounds(0.25, smallest=1, largest=10_000))],
    "expected": lambda: [
        expected_error(PLAN, WIDE, 500), chances_of_far(PLAN, WIDE, 60),
        chances_of_far(replace(PLAN, mechanism="slice"), WIDE, 9),
        least_budget(PLAN, WIDE, 500, 9.0, (0.1, 0.2, 0.5, 1.0, 2.0)), least_budget(PLAN, WIDE, 500, 0.01, (0.1, 0.2)),
        [replace_budget(privacy, 0.7) for privacy in BUDGETS],
    ],
    "columns": lambda: [
        best_plans(PLAN, BOTH), expected_errors(PLAN, BOTH), chances_far_off(PLAN, ONE),
        forecast_columns(PLAN, BOTH, 200), forecast_columns(PLAN, ONE, 20, ("x", "y")),
    ],
    "groups": lambda: [forecast(about) for about in (400, 18, {"north": 30, "south": 4000, "west": 31}, 1)],
    "groups of persons": lambda: [
        forecast(60, groups_per_person=2), least_group_size(PLAN, WIDE), least_group_size(PLAN, WIDE, most_rows=2),
        least_size_for_all(PLAN, WIDE), least_size_for_all(replace(PLAN, mechanism="slice"), WIDE),
        [unit_of_plan(PLAN, groups, most_rows=1, share=share) for groups, share in ((1, False), (3, False), (1, True))],
    ],
}  # fmt: skip
SECONDS = ("groups", "groups of persons", "columns")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.slow(keep=each)) if each in SECONDS else each for each in CASES]
)
def test_advice_is_as_it_was_approved(name: str) -> None:
    check_approved(APPROVED, name, CASES[name]())
