"""Divide a budget for persons with several records, and state what the whole is: for every mechanism, here only.

Claim. A person has at most k records, so that a neighbouring table is reached by k steps of one record each, all under
ADD_REMOVE, where the number of records is private. A mechanism that is (eps/k)-DP for a step is eps-DP for k of them
(Dwork, McSherry, Nissim & Smith 2006); a (rho/k^2)-zCDP one is rho-zCDP (Bun & Steinke 2016, Proposition 1.9).
An (eps, delta) budget goes through one of these: eps/k with the same delta would give
(eps, delta (e^eps - 1) / (e^(eps/k) - 1)), which is more than k delta.

SUBSTITUTE: the old rows of a person leave, at most k, and the new ones come, at most k: 2k steps of ADD_REMOVE.

Columns. Where a person has at most k records in each of at most g columns, and each column is answered on its own, the
losses of the columns add up: g k times epsilon, g k^2 times rho. A replaced person has left one record and brought one
to each of g columns at worst: k = 2, so 4 g times rho. (Half of rho for each would do only where nobody stays in a
column: a replaced record that stays costs 4 rho, which the median reaches.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from .errors import Infeasible, ParameterError
from .mechanisms import Parameters
from .plan import Plan
from .privacy import (
    SMALLEST_BUDGET,
    ZCDP,
    Adjacency,
    ApproxDP,
    Guarantee,
    Privacy,
    Protects,
    PureDP,
    largest_rho,
    pure_to_rho,
    round_down,
    round_up,
)

OF_THE_WHOLE = ("epsilon", "delta", "budget", "adjacency")
"""Settings whose values in a refusal for one record are not those of the whole."""


@dataclass(frozen=True)
class Unit:
    """What a neighbour differs by: one record or one person, in so many steps of one record, in so many columns."""

    protects: Protects = "record"
    times: int = 1
    columns: int = 1

    @property
    def steps(self) -> int:
        """Return by how much a pure budget is divided."""
        return self.times * self.columns

    @property
    def squares(self) -> int:
        """Return by how much a concentrated budget is divided."""
        return self.times**2 * self.columns

    def guarantee_of(self, plan: Plan, each: Guarantee) -> Guarantee:
        """Return the guarantee for a whole unit, of a run of `plan` whose guarantee for one record is `each`."""
        if self.steps == 1:
            return replace(each, protects=self.protects)
        assert each.delta == 0, "a delta does not add up over the records of a person"
        assert each.adjacency is Adjacency.ADD_REMOVE, "steps of one record are counted where the number is private"
        epsilon, delta = self._times(each.epsilon, self.steps), 0.0
        if isinstance(plan.privacy, ApproxDP) and epsilon > plan.privacy.epsilon:
            epsilon, delta = plan.privacy.epsilon, plan.privacy.delta
        rho = None if each.rho is None else self._times(each.rho, self.squares)
        return Guarantee(epsilon=epsilon, delta=delta, rho=rho, adjacency=plan.adjacency, protects=self.protects)

    @staticmethod
    def _times(loss: float, factor: int) -> float:
        return loss if loss == float("inf") else round_up(Fraction(loss) * factor)


RECORD = Unit()


def each_plan(plan: Plan, unit: Unit, calibrate: Callable[[Plan], Parameters]) -> tuple[Plan, Parameters]:
    """Return the plan for one record under which `plan` holds for a unit, and its parameters: the least noisy of both.

    `calibrate` says which ways the mechanism has, and what they spend. Raises ParameterError (also Infeasible).
    """
    ways, refused = [], None
    for privacy in divided(plan.privacy, unit.times, unit.columns):
        each = replace(plan, privacy=privacy, adjacency=Adjacency.ADD_REMOVE)
        try:
            parameters = calibrate(each)
        except ParameterError as error:
            refused = refused or refused_for_each(error, unit)
        else:
            spent = parameters.guarantee
            ways.append((pure_to_rho(spent.epsilon) if spent.rho is None else spent.rho, (each, parameters)))
    if refused is not None and not ways:
        raise refused
    return max(ways, key=lambda way: way[0])[1]


@dataclass(frozen=True)
class CalibratesEach:
    """Calibrates plans for one record, of which a unit may have several."""

    unit: Unit
    calibrate: Callable[[Plan, int | None], Parameters]

    def __call__(self, plan: Plan, count: int | None) -> tuple[Plan, Parameters]:
        """Return the plan for one record and its parameters. Raises ParameterError (also Infeasible)."""
        if self.unit.times == 1:
            return plan, self.calibrate(plan, count)
        return each_plan(plan, self.unit, lambda one: self.calibrate(one, None))


def divided(privacy: Privacy, times: int, columns: int = 1) -> list[Privacy]:
    """Return budgets for one record that give `privacy` for so many. Raises ParameterError where too little is left."""
    steps, squares = times * columns, times**2 * columns
    if isinstance(privacy, ApproxDP):
        rho = largest_rho(privacy.epsilon, privacy.delta)
        pure, concentrated = round_down(Fraction(privacy.epsilon) / steps), round_down(Fraction(rho) / squares)
    elif isinstance(privacy, ZCDP):
        pure, concentrated = 0.0, round_down(Fraction(privacy.rho) / squares)
    else:
        pure, concentrated = round_down(Fraction(privacy.epsilon) / steps), 0.0
    found: list[Privacy] = [PureDP(pure)] if pure >= SMALLEST_BUDGET else []
    found += [ZCDP(concentrated)] if concentrated >= SMALLEST_BUDGET else []
    if not found:
        raise ParameterError("most_rows", f"must leave each record a budget of at least {SMALLEST_BUDGET:g}.")
    return found


def refused_for_each(error: ParameterError, unit: Unit) -> ParameterError:
    """Return a refusal for one record as one for the whole: it says so, and what was drawn has cost `times` as much."""
    if unit.steps == 1:
        return error
    about = f" That is about one record, where n is private: a person counts as {unit.steps}, which divides the budget."
    words = (*error.words[2:], about)
    ways = tuple(way for way in error.ways if way.name not in OF_THE_WHOLE)
    if not isinstance(error, Infeasible):
        return ParameterError(error.name, words, ways)
    return Infeasible(
        error.name,
        words,
        ways,
        count=error.count,
        noisy_count=error.noisy_count,
        charged=round_up(Fraction(error.charged) * unit.steps),
    )
