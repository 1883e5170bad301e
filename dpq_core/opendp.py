"""Private quantiles as a measurement of OpenDP, with a privacy map for every distance, for its Context and compositors.

Needs the extra [vetted]. OpenDP receives what this package proves (`group_privacy`) and cannot check it: it asks for
`enable_features("contrib", "honest-but-curious")`. No ledger is charged; OpenDP's compositor counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import expm1, inf
from typing import Any, TypeAlias

from .api import release
from .calibrations import calibrate
from .column import Column
from .columns_plan import check_plan
from .domain.domain import Domain
from .errors import ParameterError
from .plan import Plan
from .privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee
from .privacy.composition import loss_times
from .privacy.conversions import rho_to_epsilon

Metric: TypeAlias = Any  # of OpenDP, which has no types that are stable
Measurement: TypeAlias = Any

JOINING = ("SymmetricDistance()", "InsertDeleteDistance()")
"""Metrics that count records that join or leave."""
REPLACING = ("ChangeOneDistance()", "HammingDistance()")
"""Metrics that count records that are replaced."""
MOST_EPSILON = 700.0
"""Whose exponential is a float."""


def make_private_quantiles(domain: Domain, metric: Metric, plan: Plan, *, size: int | None = None) -> Measurement:
    """Return OpenDP's Measurement of a column of floats that releases the plan's quantiles on a grid.

    Its input domain is `vector_domain(atom_domain(T=float))`, where NaN is missing and dropped; `metric` counts records
    that join or leave. A plan of REPLACE_ONE takes columns of a public `size` without NaN, and metrics that count
    records that are replaced. Its output measure is that of `plan.privacy`, which holds at distance 1; at other
    distances `loss_at` gives the map. Raises ParameterError (also Infeasible); OpenDP's own errors pass through.
    """
    import opendp.prelude as opendp

    check_plan(plan)
    if plan.intervals is not None:
        raise ParameterError("intervals", "must be left out here: a measurement returns the quantiles alone.")
    replaced = plan.adjacency is Adjacency.REPLACE_ONE
    allowed = REPLACING if replaced else JOINING
    if str(metric) not in allowed:
        raise ParameterError("metric", f"must be one of {', '.join(allowed)} where {plan.adjacency.in_words}.")
    if replaced is (size is None):
        raise ParameterError("size", "must be the public number of records where one is replaced, and None elsewhere.")
    guarantee = calibrate(plan, size).guarantee
    sized = {} if size is None else {"size": size}
    atoms = opendp.atom_domain(T=float) if size is None else opendp.atom_domain(T=float, nan=False)
    measure = opendp.max_divergence()
    if isinstance(plan.privacy, ZCDP):
        measure = opendp.zero_concentrated_divergence()
    elif isinstance(plan.privacy, ApproxDP):
        measure = opendp.approximate(measure)

    def answers(column: Sequence[float]) -> list[float]:
        (values,) = release(Column.from_values(column, domain), plan).values.values()
        return list(values)

    return opendp.m.make_user_measurement(
        opendp.vector_domain(atoms, **sized), metric, measure, answers, loss_at(plan, guarantee),
        TO="Vec<f64>",
    )  # fmt: skip


def loss_at(plan: Plan, guarantee: Guarantee) -> Callable[[int], float | tuple[float, float]]:
    """Return the map from a distance to the loss: epsilon, rho, or (epsilon, delta), by the kind of the plan's budget.

    Where d records differ, epsilon is d times and rho d^2 times that of one. An approximate loss is the least epsilon
    of three: d epsilon where one record has no delta; what d^2 rho converts to at the plan's delta; and d epsilon with
    delta (1 + e^epsilon + ... + e^((d - 1) epsilon)), which adding up d steps gives.
    """

    def epsilon_or_rho(distance: int) -> float:
        if isinstance(plan.privacy, ZCDP):
            assert guarantee.rho is not None, "a plan of rho has a guarantee in rho"
            return loss_times(guarantee.rho, distance**2)
        return loss_times(guarantee.epsilon, distance)

    def epsilon_and_delta(distance: int) -> tuple[float, float]:
        assert isinstance(plan.privacy, ApproxDP), "checked"
        if distance == 0:
            return 0.0, 0.0
        ways = [(loss_times(guarantee.epsilon, distance), _delta_of_steps(guarantee, distance))]
        if guarantee.rho is not None:
            rho = loss_times(guarantee.rho, distance**2)
            ways.append((rho_to_epsilon(rho, plan.privacy.delta), plan.privacy.delta))
        return min((way for way in ways if way[1] < 1), default=(inf, 1.0))

    return epsilon_and_delta if isinstance(plan.privacy, ApproxDP) else epsilon_or_rho


def _delta_of_steps(guarantee: Guarantee, distance: int) -> float:
    """Return the delta of a number of steps of one record each, a geometric sum, rounded up; at most 1."""
    if guarantee.delta == 0 or distance == 1:
        return guarantee.delta
    if guarantee.epsilon * distance > MOST_EPSILON:
        return 1.0
    steps = expm1(guarantee.epsilon * distance) / expm1(guarantee.epsilon)
    return min(1.0, guarantee.delta * steps * (1 + 2**-40))
