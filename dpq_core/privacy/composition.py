"""Composition: how a budget is divided among the parts of a release, and what the parts guarantee together.

Functions here take budgets and guarantees, and know no plans or mechanisms: callers pass a callback that calibrates a
budget. Sums and parts are exact fractions, rounded once: a part's budget is rounded down, a stated guarantee is rounded
up. `tests/test_composition.py` enumerates every claim on a mechanism that reaches it.

In sequence. Parts that are (eps_i, delta_i)-DP, or rho_i-zCDP, for the same neighbours are together (sum of eps_i,
sum of delta_i)-DP, or (sum of rho_i)-zCDP. This holds even if a part depends on the outputs of earlier parts (Dwork,
Kenthapadi, McSherry, Mironov & Naor 2006; Bun & Steinke 2016, Lemma 2.3). An eps-DP part is (eps^2 / 2)-zCDP
(Proposition 1.4 there). Columns of a table are such parts: one person changes one protected unit in each.

Records of a person. Where one joins or leaves with at most k records, a neighbour is reached by k steps of one record.
A mechanism that is (eps/k)-DP for a step is eps-DP for k of them (Dwork, McSherry, Nissim & Smith 2006); a
(rho/k^2)-zCDP one is rho-zCDP (Bun & Steinke 2016, Proposition 1.9). An (eps, delta) budget goes through one of these:
eps/k with the same delta would give (eps, delta (e^eps - 1) / (e^(eps/k) - 1)), which is more than k delta. A mechanism
that knows no rho has eps/k with delta (e^(eps/k) - 1) / (e^eps - 1). Where one is replaced, the old records leave, at
most k, and the new ones come, at most k: 2k steps.

Groups. Each is answered from its own records alone, with randomness of its own. Where one joins or leaves with k
records in each of at most g groups, the losses of g groups add up: g k eps, g k^2 rho; with g k = 1 every group has the
whole budget. Where one is replaced, the old records leave at most g groups and the new ones join at most g. A group may
lose k records and gain k others: 2k steps in each of g groups, so 2 g k eps, 4 g k^2 rho. (For one record in each, half
of rho would do only where nobody stays in a group: a replaced record that stays costs 4 rho, which the median reaches.)
Where a person has at most k records in all groups together, each of the k steps changes one record of one group, so
one step costs what the worst group costs, and g does not count: k eps, k^2 rho, and (eps/k, delta (e^(eps/k) - 1) /
(e^eps - 1)) for a step. Where one is replaced there are 2k steps, in one group or in several.
Where each group has parameters of its own, from public facts, g times the worst of them holds, if one way (below) is
chosen for all; where a unit is one record in one group, each may take its own, and the worst is what is lost.

A first, pure step in each group, such as a noisy number of its records, is one of two steps in sequence: with e for one
record it costs a person g k e, or g (k e)^2 / 2 in rho; where one is replaced, the steps of one record are counted as
above. The second step of a group may depend on what the first step found there, because every choice of it keeps the
rest of the budget. The way (below) may not depend on it: it is fixed before anything is drawn, unless a unit is one
record in one group.

Shares in groups. All rows of a person weigh 1 together, in whichever groups they are: masses w_g that add up to 1. A
draw costs at most its mass times a whole record (docs/people-proof.md), so all groups together cost e where one joins
or leaves, however many a person is in: sum of w_g e <= e, and rho, being convex, sum of rho(w_g e) <= rho(e). Where one
is replaced, the old masses leave and the new ones come: 2 e and 4 rho. An (eps, delta) budget goes through eps or rho:
groups may lose by different levels, and deltas of shares do not add up to one. No draw rounds, so no more is lost.

A first, pure step that reads masses, such as a noisy number of persons in units, costs w_g e in each group: together e,
and e^2 / 2 in rho, as w_g^2 adds up to 1 at most. Where one is replaced 2 e, and 4 times as much rho.

Names of groups. They are found first, by numbers of persons with any number of records; then the groups are answered.
For each set of names the claim above holds for the answers, so both add up. With e and d for one group and one person,
a person costs g e and g d; a replaced one, at worst, two steps in each of g groups: 2 g e and g (1 + e^e) d. By shares,
a person is W units in whichever groups, each of which moves the number of one group by 1. With (e, d) for one unit, k
steps after each other cost k e and (1 + e^e + ... + e^((k - 1) e)) d = d (e^(k e) - 1) / (e^e - 1): the (j + 1)-th
step's d is multiplied by the e^(j e) of the steps before it. k is W, or 2 W where one is replaced, for any groups.

Ways. An (eps, delta) budget can be divided as it is, as eps alone, or as the largest rho that converts to it. One way
is chosen for all parts, from public facts: parts by eps and parts by rho do not add up to the budget. (Example: half of
eps in one part, and Gaussian noise of half of rho in the other. At eps = 1 and delta = 1e-6 both together can cost
22.7 delta.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isfinite, isqrt
from typing import Literal, TypeAlias, TypeVar

from ..errors import ParameterError
from ..noise.integer_noise import exp_floor
from .budgets import SMALLEST_BUDGET, ZCDP, Adjacency, ApproxDP, Guarantee, Privacy, Protects, PureDP, budget_in_digits
from .conversions import largest_rho, pure_to_rho, round_down, round_up

Way = TypeVar("Way")
Made = TypeVar("Made")
GroupsPerPerson: TypeAlias = int | Literal["any"]
"""In how many groups a person may have records; "any" where only the records in all groups together are limited."""
MOST_EPSILON = Fraction(64)
"""Of a step with a delta: with more, the name of a group has a chance that is as good as 0 or 1 for all sizes."""
SMALLEST = budget_in_digits(SMALLEST_BUDGET)
_ROOT_BITS, _EXP_BITS = 80, 256


@dataclass(frozen=True)
class PrivacyUnit:
    """How neighbours differ: by one record or one person, as a number of steps of one record, in a number of groups."""

    protects: Protects = "record"
    steps_per_group: int = 1
    max_groups_per_person: int = 1
    shares: bool = False
    """Whether one record may be spread over several groups, where its parts weigh 1 together."""

    @property
    def is_one_record(self) -> bool:
        """Return whether a unit is one record in one place, so that nothing has to be divided."""
        return self.epsilon_divisor == 1 and not self.shares

    @property
    def epsilon_divisor(self) -> int:
        """Return the divisor of a pure budget."""
        return self.steps_per_group * self.max_groups_per_person

    @property
    def rho_divisor(self) -> int:
        """Return the divisor of a concentrated budget."""
        return self.steps_per_group**2 * self.max_groups_per_person

    def budgets_for_each(self, whole: Privacy, *, knows_rho: bool = True) -> list[Privacy]:
        """Return the budgets for one record that give a unit `whole`: by epsilon and by rho, or undivided.

        Raises ParameterError where too little is left.
        """
        ways = _ways_for_steps(whole, knows_rho=knows_rho)
        found = [part for part in map(self._for_each, ways) if part is not None]
        if not found:
            raise ParameterError("max_rows_per_person", f"must leave each record a budget of at least {SMALLEST}.")
        return found

    def _for_each(self, way: Privacy) -> Privacy | None:
        """Return the part of one record; None where it is too small."""
        if not isinstance(way, ApproxDP):
            return _part(way, Fraction(1, self.rho_divisor if isinstance(way, ZCDP) else self.epsilon_divisor))
        assert not self.shares, "shares go through epsilon or rho"
        epsilon, delta = map(round_down, budget_of_step(Fraction(way.epsilon), Fraction(way.delta), self))
        return None if epsilon < SMALLEST_BUDGET or not delta else ApproxDP(epsilon, delta)

    def guarantee_of(self, whole: Privacy, adjacency: Adjacency, each: Guarantee) -> Guarantee:
        """Return the guarantee for a unit, where that for one record is `each`, of a run with the budget `whole`."""
        if self.is_one_record:
            return replace(each, protects=self.protects)
        assert each.adjacency is Adjacency.ADD_REMOVE, "a step is one record that joins or leaves"
        rho = None if each.rho is None else loss_times(each.rho, self.rho_divisor)
        epsilon, delta = _stated(whole, loss_times(each.epsilon, self.epsilon_divisor), self._delta_of(each), rho)
        return Guarantee(epsilon=epsilon, delta=delta, rho=rho, adjacency=adjacency, protects=self.protects)

    def _delta_of(self, each: Guarantee) -> float:
        """Return the delta of a unit, where the guarantee for one record is given."""
        if not each.delta:
            return 0.0
        assert not self.shares, "deltas of shares do not add up to one"
        steps = _every_step(Fraction(each.epsilon), self.steps_per_group)
        return round_up(Fraction(each.delta) * self.max_groups_per_person * steps)


RECORD = PrivacyUnit()


def loss_times(loss: float, factor: int) -> float:
    """Return a multiple of a loss, rounded up; infinite where the loss is, and 0 for a factor of 0."""
    if factor == 0:
        return 0.0
    return inf if loss == inf else round_up(Fraction(loss) * factor)


def unit_of_groups(
    adjacency: Adjacency,
    max_groups_per_person: GroupsPerPerson | None,
    *,
    protects: Protects = "record",
    max_rows_per_person: int | None = None,
    shares: bool = False,
) -> PrivacyUnit:
    """Return how neighbours differ, from public facts: a replaced record may change its group, if there are groups.

    `max_groups_per_person`: None for data in one piece; `max_rows_per_person`: how many records a person may have in
    each group, or in all of them where these may be any, if several; `shares`: see `PrivacyUnit`.
    """
    if max_groups_per_person is None and max_rows_per_person is None:
        return PrivacyUnit(protects)
    groups = max_groups_per_person if isinstance(max_groups_per_person, int) else 1  # a step changes one record
    rows = max_rows_per_person or 1
    if shares:
        assert (groups, rows) == (1, 1), "one whole record, spread over all groups"
        return PrivacyUnit(protects, 1 if adjacency is Adjacency.ADD_REMOVE else 2, 1, shares)
    return PrivacyUnit(protects, rows if adjacency is Adjacency.ADD_REMOVE else 2 * rows, groups)


def most_groups(max_groups_per_person: GroupsPerPerson, max_rows_per_person: int | None) -> int:
    """Return in how many groups a person may be: in no more than there are records, where these may be in any."""
    return (max_rows_per_person or 1) if max_groups_per_person == "any" else max_groups_per_person


def unit_of_names(unit: PrivacyUnit, share_units: int) -> PrivacyUnit:
    """Return how neighbours differ where groups are counted to be named, given how they differ for the answers.

    `share_units`: the units of a person with shares in several groups; 0 where whole persons are counted.
    """
    return PrivacyUnit(unit.protects, unit.steps_per_group * max(share_units, 1), unit.max_groups_per_person)


def ways_to_divide(whole: Privacy) -> tuple[Privacy, ...]:
    """Return the budgets that each imply `whole`: itself and, where it has a delta, its epsilon and its largest rho."""
    if not isinstance(whole, ApproxDP):
        return (whole,)
    rho = largest_rho(whole.epsilon, whole.delta)
    return whole, PureDP(whole.epsilon), *((ZCDP(rho),) if rho >= SMALLEST_BUDGET else ())


def ways_for_all(whole: Privacy, unit: PrivacyUnit, *, knows_rho: bool = True) -> tuple[Privacy, ...]:
    """Return the ways to divide, one of which is chosen for all groups; `whole` where a unit is one record in one
    group.

    `knows_rho`: whether the mechanism can be calibrated by rho; else an (epsilon, delta) budget is not converted.
    """
    return (whole,) if unit.is_one_record else _ways_for_steps(whole, knows_rho=knows_rho)


def _ways_for_steps(whole: Privacy, *, knows_rho: bool) -> tuple[Privacy, ...]:
    """Return the ways to divide a budget among steps; a mechanism that knows rho uses no delta, which would grow."""
    if not knows_rho:
        return (whole,)
    return tuple(way for way in ways_to_divide(whole) if not isinstance(way, ApproxDP))


def least_noisy(ways: Iterable[Way], make: Callable[[Way], Made], spent: Callable[[Made], Iterable[Guarantee]]) -> Made:
    """Return the result of `make` for the way that spends most, in rho; for the first one where several spend the same.

    `spent` returns what each part spends. Raises the first refusal (ParameterError) where every way is refused.
    """
    found, refused = [], None
    for way in ways:
        try:
            found.append(make(way))
        except ParameterError as error:
            refused = refused or error
    if refused is not None and not found:
        raise refused
    return max(found, key=lambda made: sum(pure_to_rho(p.epsilon) if p.rho is None else p.rho for p in spent(made)))


def parts_by_weights(whole: Privacy, weights: Sequence[Fraction]) -> list[tuple[Privacy, ...]]:
    """Return the ways to divide a budget. Each is a tuple with the budgets of all parts, which add up to at most
    `whole`.

    Raises ParameterError where too little is left for a part.
    """
    total = sum(weights)
    ways = []
    for way in ways_to_divide(whole):
        parts = [part for weight in weights if (part := _part(way, weight / total)) is not None]
        if len(parts) == len(weights):
            ways.append(tuple(parts))
    if not ways:
        raise ParameterError("weights", f"must leave each column a budget of at least {SMALLEST}.")
    return ways


def in_sequence(whole: Privacy, parts: Iterable[Guarantee]) -> Guarantee:
    """Return what parts guarantee together, of a run with the budget `whole`: sums, and what a sum of rho implies."""
    parts = tuple(parts)
    ((protects, adjacency),) = {(part.protects, part.adjacency) for part in parts}
    epsilon, delta = _sum(part.epsilon for part in parts), _sum(part.delta for part in parts)
    rho = _sum(map(_rho_of, parts))
    stated = None if rho == inf else rho
    epsilon, delta = _stated(whole, epsilon, delta, stated)
    return Guarantee(epsilon=epsilon, delta=delta, rho=stated, adjacency=adjacency, protects=protects)


def first_and_rest(whole: Privacy, share: Fraction) -> list[tuple[Fraction, Privacy]]:
    """Return the ways to spend a share of a budget on a first, pure step: its epsilon, and the budget of what follows.

    An (epsilon, delta) budget leaves delta to what follows, or goes through rho. Raises ParameterError where too little
    is left.
    """
    if isinstance(whole, PureDP):
        return [(share * Fraction(whole.epsilon), PureDP(_rest(whole.epsilon, share)))]
    if isinstance(whole, ZCDP):
        return [_first_by_rho(whole.rho, share)]
    pure = share * Fraction(whole.epsilon), ApproxDP(_rest(whole.epsilon, share), whole.delta)
    return [pure, _first_by_rho(largest_rho(whole.epsilon, whole.delta), share)]


def first_of_each(whole: Privacy, share: Fraction, unit: PrivacyUnit) -> list[tuple[Fraction, Privacy]]:
    """Return the ways to spend a share of a budget on a first, pure step in every group: its epsilon for one record.

    And the budget of what follows, as in `first_and_rest`; each way is one for all groups. Raises ParameterError where
    too little is left.
    """
    found = [both for way in ways_for_all(whole, unit) for both in first_and_rest(way, share)]
    return [(_of_one_record(first, rest, unit), rest) for first, rest in found]


def _of_one_record(first: Fraction, rest: Privacy, unit: PrivacyUnit) -> Fraction:
    """Return the epsilon of a pure step for one record, where that of all of a unit is `first`; by rho: at most."""
    if not isinstance(rest, ZCDP):
        return first / unit.epsilon_divisor
    root = isqrt(unit.rho_divisor * 4**_ROOT_BITS - 1) + 1
    return first * Fraction(2**_ROOT_BITS, root)


def after_first(whole: Privacy, first: Fraction, rest: Guarantee, unit: PrivacyUnit = RECORD) -> Guarantee:
    """Return what a first step of epsilon `first` and the steps after it guarantee together, with the budget `whole`.

    `first` is for one record; the unit says how many records a neighbour has, and in how many groups.
    """
    rho = None if rest.rho is None else round_up(Fraction(rest.rho) + unit.rho_divisor * first**2 / 2)
    counted = unit.epsilon_divisor * first
    epsilon = round_up(Fraction(rest.epsilon) + counted) if isfinite(rest.epsilon) else rest.epsilon
    epsilon, delta = _stated(whole, epsilon, rest.delta, rho)
    return replace(rest, epsilon=epsilon, delta=delta, rho=rho)


def loss_with_first(first: Fraction, loss: float) -> float:
    """Return the loss in epsilon of a first step and of what was drawn after it; infinite where that is."""
    return inf if loss == inf else round_up(Fraction(loss) + first)


def worst_of(parts: Iterable[Guarantee]) -> Guarantee:
    """Return the guarantee where neighbours differ in one of these parts, which may be any of them."""
    parts = tuple(parts)
    ((protects, adjacency),) = {(part.protects, part.adjacency) for part in parts}
    rhos = [part.rho for part in parts if part.rho is not None]
    return Guarantee(
        epsilon=max(part.epsilon for part in parts),
        delta=max(part.delta for part in parts),
        rho=max(rhos) if len(rhos) == len(parts) else None,
        adjacency=adjacency,
        protects=protects,
    )


def names_and_answers(whole: ApproxDP, share: Fraction) -> tuple[Fraction, ApproxDP]:
    """Return the epsilon for the names of groups, and the budget of the answers, which may leave some of its delta.

    Raises ParameterError where too little is left.
    """
    return Fraction(whole.epsilon) * share, ApproxDP(_rest(whole.epsilon, share), whole.delta / 2)


def after_names(whole: ApproxDP, names: Fraction, answers: Guarantee) -> tuple[Fraction, Guarantee]:
    """Return the delta that answers leave for the names, and what both guarantee: all of delta is spent."""
    epsilon = round_up(names + Fraction(answers.epsilon))
    left = Fraction(whole.delta) - Fraction(answers.delta)
    return left, replace(answers, epsilon=epsilon, delta=whole.delta, rho=None)


def budget_of_step(epsilon: Fraction, delta: Fraction, unit: PrivacyUnit) -> tuple[Fraction, Fraction]:
    """Return the (epsilon, delta) of one record in one group that give this much to a unit; deltas grow with each step.

    They are also those of the name of one group.
    """
    each = min(epsilon / unit.epsilon_divisor, MOST_EPSILON)
    return each, delta / unit.max_groups_per_person / _every_step(each, unit.steps_per_group)


def _every_step(epsilon: Fraction, steps: int) -> Fraction:
    """Return 1 + e^epsilon + ... + e^((steps - 1) epsilon), or a little more: the factor of delta after all steps."""
    at_least_power = Fraction(1 << _EXP_BITS, exp_floor(epsilon, _EXP_BITS)) if steps > 1 else Fraction(0)
    found = Fraction(1)
    for _ in range(steps - 1):
        found = 1 + at_least_power * found
    return found


def _part(budget: Privacy, fraction: Fraction) -> Privacy | None:
    """Return a fraction of a budget, rounded down; None where it is too small."""
    numbers = {name: round_down(Fraction(value) * fraction) for name, value in vars(budget).items()}
    if min(value for name, value in numbers.items() if name != "delta") < SMALLEST_BUDGET:
        return None
    return type(budget)(**numbers) if numbers.get("delta", 1) else None


def _rest(budget: float, share: Fraction) -> float:
    """Return what remains of a budget, rounded down. Raises ParameterError where that is too little."""
    rest = round_down(Fraction(budget) * (1 - share))
    if rest < SMALLEST_BUDGET:
        raise ParameterError("share", f"must leave the quantiles a budget of at least {SMALLEST}.")
    return rest


def _first_by_rho(rho: float, share: Fraction) -> tuple[Fraction, Privacy]:
    """Return the largest epsilon with epsilon^2 / 2 <= share * rho, rounded down, and the rest of rho."""
    scaled = int(2 * share * Fraction(rho) * 4**_ROOT_BITS)
    return Fraction(isqrt(scaled), 2**_ROOT_BITS), ZCDP(_rest(rho, share))


def _stated(whole: Privacy, epsilon: float, delta: float, rho: float | None) -> tuple[float, float]:
    """Return the sums of epsilon and delta, or an (epsilon, delta) budget that was divided by rho."""
    if isinstance(whole, ApproxDP) and not (epsilon <= whole.epsilon and delta <= whole.delta):
        assert rho is not None, "divided by rho"
        assert rho <= largest_rho(whole.epsilon, whole.delta), "divided by the largest rho"
        return whole.epsilon, whole.delta
    return epsilon, delta


def _rho_of(part: Guarantee) -> float:
    """Return the rho that is stated, or follows from a pure guarantee; infinite where none does."""
    if part.rho is not None:
        return part.rho
    if part.delta or part.epsilon == inf:
        return inf
    return pure_to_rho(part.epsilon)


def _sum(losses: Iterable[float]) -> float:
    """Return an exact sum, rounded up; infinite where a part is."""
    losses = tuple(losses)
    return inf if inf in losses else round_up(sum(map(Fraction, losses), Fraction(0)))
