"""What tests of advice ask: the run of one column, and the question of one."""

from collections.abc import Iterable
from typing import Any

from dpq_core import Adjacency, Domain, Plan, PureDP
from dpq_core.advice.choice import Run
from dpq_core.plan import BEST, Level
from dpq_core.privacy.budgets import Privacy
from dpq_core.privacy.composition import RECORD, PrivacyUnit
from dpq_core.question import Asked, Question
from dpq_core.studies.design import even_levels

FINE = Domain(0, 100)
PURE = PureDP(1.0)


def run_of(
    levels: int | Iterable[Level] = 9, privacy: Privacy = PURE, adjacency: Adjacency = Adjacency.ADD_REMOVE,
    domain: Domain = FINE, unit: PrivacyUnit = RECORD, groups: int | None = None, mechanism: str = BEST, **of_plan: Any,
) -> Run:  # fmt: skip
    """Return the run of a column with so many even levels, or with these."""
    quantiles = even_levels(levels) if isinstance(levels, int) else tuple(levels)
    return Run(Plan(quantiles, mechanism, privacy, adjacency, **of_plan), domain, unit, groups)


def ask(
    columns: str = "a", plan: Plan | None = None, domain: Any = FINE, about_n: Any = None, of_columns: Any = None,
    **whole: Any,
) -> Question:  # fmt: skip
    """Return the question of columns with one letter each; `of_columns`: what else is asked of some, by their names."""
    plan = plan or Plan(even_levels(9), BEST, PURE)
    found: dict[str, Any] = {
        "possible": domain, "levels": plan.quantiles, "mechanism": plan.mechanism, "options": plan.options,
        "intervals": plan.intervals, "about_n": about_n,
    }  # fmt: skip
    own = {name: Asked(**found | (of_columns or {}).get(name, {})) for name in columns}
    return Question(columns=own, **{"budget": plan.privacy, "adjacency": plan.adjacency} | whole)
