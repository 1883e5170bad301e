"""Advice: which mechanism suits a question, ranked by simulation on public shapes; no data is read."""

from .expected import chances_of_far, expected_error, least_budget
from .forecast import (
    GroupForecast,
    forecast_groups,
    least_group_size,
    least_size_for_all,
    replace_budget,
    unit_of_plan,
)
from .groups import best_plan_for_groups
from .needs import needs, refusal_before_run
from .ranking import (
    ALWAYS_AVAILABLE,
    BEST,
    BEST_LABEL,
    BestPlan,
    Expectation,
    PublicFacts,
    advise,
    best_plan,
    why_outside,
    with_all_levels,
)
from .several import best_plans, chances_far_off, expected_errors, forecast_columns
from .simulation import BOUNDS_WHILE_UNKNOWN, error_of_way

__all__ = [
    "ALWAYS_AVAILABLE",
    "BEST",
    "BEST_LABEL",
    "BOUNDS_WHILE_UNKNOWN",
    "BestPlan",
    "Expectation",
    "GroupForecast",
    "PublicFacts",
    "advise",
    "best_plan",
    "best_plan_for_groups",
    "best_plans",
    "chances_far_off",
    "chances_of_far",
    "error_of_way",
    "expected_error",
    "expected_errors",
    "forecast_columns",
    "forecast_groups",
    "least_budget",
    "least_group_size",
    "least_size_for_all",
    "needs",
    "refusal_before_run",
    "replace_budget",
    "unit_of_plan",
    "why_outside",
    "with_all_levels",
]
