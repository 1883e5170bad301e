"""Decide whether one more release may be charged: two sums, either of which may allow it, and the proof of this rule.

Plans are chosen after earlier answers were seen, so a budget needs a *filter*: a stopping rule whose guarantee holds
for releases chosen adaptively. Two are known. Plain sums of epsilon and delta (Rogers, Roth, Ullman & Vadhan 2016),
and sums of rho (Feldman & Zrnic 2021; Whitehouse, Ramdas, Rogers & Wu 2023, Theorem 1). The second is smaller for
many small releases, the first for a few large ones, and which one it will be depends on answers.

The rule. A budget (epsilon, delta) is split once, before the first answer, into a shared part S of its delta and the
rest C, and rho is the largest for which rho-zCDP gives (epsilon, C). A release that is (e, d)-DP, and r-zCDP if it
states so, is counted in one of two ways, chosen from public facts when it is charged:
    as stated      e, d, and the smaller of r and e^2/2
    by rho alone   infinite, 0, r
It is granted where afterwards
    the sum of d <= S, and (the sum of e <= epsilon, or the sum of r <= rho).

Theorem. All answers together are (epsilon, S + C)-DP. (A pure budget is the case S = 0 without the sum of r, a budget
rho the case S = 0 without the sum of e: then they are epsilon-DP, or rho-zCDP, by one filter alone.)

Proof. Let P and Q be the laws of all answers o on two neighbours.
1. Coins. The law of a release that is (e, d)-DP is a mixture: with chance d, a coin that no data influences, the bad
   part; else a part that is e-DP (Kairouz, Oh & Viswanath 2015), and hence e^2/2-zCDP. Toss this coin for every
   release that is counted as stated. Some coin falls badly with a chance of at most the expected sum of d, which is
   at most S because no path of answers exceeds it.
2. Paths that end with the sum of e <= epsilon, all coins good. The good part of every factor of P is at most e^e times
   that factor of Q, so P(O, good) <= e^epsilon Q(O) on these paths, answer by answer.
3. The other paths end with the sum of r <= rho. Here only the coins of releases that count e^2/2 are tossed.
   Stop the interaction before the sum of r exceeds rho: these paths are in it unchanged, and its good part is
   rho-zCDP, since exp((a - 1)(loss - a times the sum of r)) is a supermartingale for every a > 1. So it is (epsilon,
   C)-DP, for every test function with values in [0, 1]; the chance that the coins of a path are good is such a
   factor, the same for P and Q. So P(O, good) <= e^epsilon Q(O) + C on these paths.
4. Add: P(O) <= e^epsilon Q(O) + C + S.
The sharing of S between 2 and 3 is what step 1 buys; without it the two filters would cost their deltas one after the
other. S must be fixed before the first answer: a split that follows the answers can reach twice the delta.

Refusals are functions of earlier charges, hence of nothing private. Releases in flight side by side are no exception:
each is drawn in one go, and its plan is chosen before its charge.

What comes back. A release may end in a refusal that had to draw something first, with a loss of at most c on that
outcome. Then its e, and only that, becomes c: step 2 multiplies what each outcome really lost (Rogers, Samorodnitsky,
Wu & Ramdas 2023 call this ex-post). Steps 1 and 3 average over outcomes, so d and r stay.

Numbers. A float means its shortest decimal, so that ten times 0.1 is 1; sums and comparisons are exact. A
decimal differs from its float by less than one part in 2^53, and so does the whole budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal, Inexact, InvalidOperation

from ..errors import BudgetError
from ..privacy.budgets import ZCDP, Guarantee, Privacy, PureDP
from ..privacy.conversions import largest_rho

_EXACT = Context(prec=3000, traps=[Inexact, InvalidOperation])
"""Sums, halves and squares of floats have fewer digits; a rounding would raise an error."""
_DOWN = Context(prec=15, rounding=ROUND_DOWN)
"""Floats distinguish 15 digits, so a number that was rounded down reads back as the same decimal."""
_UP = Context(prec=15, rounding=ROUND_UP)
NOTHING = Decimal(0)
INFINITE = Decimal("Infinity")


def exact(value: float) -> Decimal:
    """Return the shortest decimal that prints this float; infinity stays."""
    return Decimal(repr(float(value)))


def difference(value: Decimal, other: Decimal) -> Decimal:
    """Return the first number less the second one, exactly."""
    return _EXACT.subtract(value, other)


def rounded_down(value: Decimal) -> float:
    """Return a float to show that is not above an exact number, to 15 digits; never below 0."""
    return max(float(_DOWN.plus(value)), 0.0)


def rounded_up(value: Decimal) -> float:
    """Return a float to show that is not below an exact number, to 15 digits; infinity stays."""
    return float(_UP.plus(value))


@dataclass(frozen=True)
class ReleaseCost:
    """What releases add to the three sums, exactly; epsilon is infinite where only rho is counted, or rho is."""

    epsilon: Decimal = NOTHING
    delta: Decimal = NOTHING
    rho: Decimal = NOTHING

    def __add__(self, other: ReleaseCost) -> ReleaseCost:
        return ReleaseCost(
            _EXACT.add(self.epsilon, other.epsilon),
            _EXACT.add(self.delta, other.delta),
            _EXACT.add(self.rho, other.rho),
        )

    def times(self, count: int) -> ReleaseCost:
        """Return the cost of this many."""
        return ReleaseCost(*(_EXACT.multiply(part, Decimal(count)) for part in (self.epsilon, self.delta, self.rho)))


WAYS = ("as stated", "by rho alone")
"""How the ledger calls the ways to count a release."""


def ways_to_count(guarantee: Guarantee) -> tuple[ReleaseCost, ...]:
    """Return the costs that may be entered for a release, in the order of `WAYS`; by rho where it has delta and rho."""
    epsilon, delta = exact(guarantee.epsilon), exact(guarantee.delta)
    squared = _EXACT.multiply(epsilon, epsilon)
    # (epsilon, delta)-DP with a good coin is epsilon^2/2-zCDP: Bun & Steinke 2016, Proposition 1.4.
    implied = _EXACT.divide(squared, Decimal(2))
    stated = INFINITE if guarantee.rho is None else exact(guarantee.rho)
    as_stated = ReleaseCost(epsilon, delta, min(stated, implied))
    return (as_stated, ReleaseCost(INFINITE, NOTHING, stated)) if delta and guarantee.rho is not None else (as_stated,)


@dataclass(frozen=True)
class Limits:
    """One way to spend a budget: a shared delta and the limits of the two sums, None where a sum may not allow."""

    epsilon: Decimal | None
    delta: Decimal
    rho: Decimal | None

    def allow(self, total: ReleaseCost) -> bool:
        """Return whether the rule of this module allows these sums."""
        plain = self.epsilon is not None and total.epsilon <= self.epsilon
        concentrated = self.rho is not None and total.rho <= self.rho
        return total.delta <= self.delta and (plain or concentrated)

    def left(self, total: ReleaseCost) -> Limits:
        """Return what is left of each sum, 0 where more than that is spent."""

        def rest(limit: Decimal | None, spent: Decimal) -> Decimal | None:
            return None if limit is None else max(_EXACT.subtract(limit, spent), NOTHING)

        return Limits(
            rest(self.epsilon, total.epsilon),
            _EXACT.subtract(self.delta, total.delta),
            rest(self.rho, total.rho),
        )

    @property
    def largest_pure(self) -> float:
        """Return the largest epsilon of one pure release that these limits allow by any mechanism; rounded down."""
        by_rho = NOTHING if self.rho is None else _DOWN.sqrt(_DOWN.multiply(Decimal(2), self.rho))
        return rounded_down(max(self.epsilon or NOTHING, by_rho))

    @property
    def largest_rho(self) -> float:
        """Return the largest rho of one release that the sum of rho allows; rounded down."""
        return rounded_down(self.rho or NOTHING)


def limits_of(budget: Privacy) -> tuple[Limits, ...]:
    """Return the limits that a budget may be given, in order of preference; the first charge decides which.

    The delta of an approximate budget is halved, or goes to the sum of rho, or to the sum of epsilon and delta. The
    last two let one release use the whole budget. The first charge is chosen before any answer, so it may decide.
    """
    if isinstance(budget, PureDP):
        return (Limits(exact(budget.epsilon), NOTHING, None),)
    if isinstance(budget, ZCDP):
        return (Limits(None, NOTHING, exact(budget.rho)),)
    epsilon, delta = budget.epsilon, budget.delta
    most, half = exact(epsilon), _EXACT.divide(exact(delta), Decimal(2))
    return (
        Limits(most, half, exact(largest_rho(epsilon, delta / 2))),
        Limits(most, NOTHING, exact(largest_rho(epsilon, delta))),
        Limits(most, exact(delta), None),
    )


def refused(candidates: tuple[Limits, ...], spent: ReleaseCost, guarantee: Guarantee) -> BudgetError | None:
    """Return why `grant` would not allow one more release, or None where it would."""
    try:
        grant(candidates, spent, guarantee)
    except BudgetError as error:
        return error
    return None


def grant(candidates: tuple[Limits, ...], spent: ReleaseCost, guarantee: Guarantee) -> tuple[Limits, ReleaseCost]:
    """Return the first limits that allow one more release, with the cost to enter for it. Raises BudgetError."""
    for limits in candidates:
        for cost in ways_to_count(guarantee):
            if limits.allow(spent + cost):
                return limits, cost
    raise refusal([limits.left(spent) for limits in candidates], guarantee)


def refusal(left: list[Limits], guarantee: Guarantee) -> BudgetError:
    """Return why a release is not granted, with what it needs and what is left in the same unit.

    The unit is epsilon; rho where the budget or the release has no finite epsilon; delta where that alone is short.
    """
    ways = ways_to_count(guarantee)
    needs = ways[0]
    delta = max(rounded_down(limits.delta) for limits in left)
    pure = max(limits.largest_pure for limits in left)
    rho = max(limits.largest_rho for limits in left)
    counts_rho = all(limits.epsilon is None for limits in left)
    unit_of_delta = ("δ", float(needs.delta), delta)
    unit_of_rho = ("ρ", float(ways[-1].rho), rho)
    if needs.epsilon == INFINITE:
        unit, requested, remaining = unit_of_rho
    elif counts_rho:
        unit, requested, remaining = unit_of_delta if guarantee.rho is None and guarantee.delta else unit_of_rho
    elif float(needs.epsilon) <= pure:
        unit, requested, remaining = unit_of_delta
    else:
        unit, requested, remaining = "ε", float(needs.epsilon), pure
    return BudgetError(unit, remaining=remaining, requested=requested)
