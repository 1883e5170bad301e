"""Amounts of a budget as they are shown: with numbers that add up exactly, and what is left of it.

`filters` decides by several sums at once. A reader needs one number: the total is the budget's own epsilon (or rho),
what is left is the largest next release that is sure to be granted with any mechanism, and what is spent is the rest.
As long as the plain sum leaves more for the next release, spent is the sum of the prices. Where counting rho leaves
more, it is less than that: so much does counting together save. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from ...privacy.budgets import ZCDP, Privacy
from ..filters import NOTHING, Limits, ReleaseCost, difference, exact

DIGITS, MOST_DIGITS = 5, 9
"""Digits shown after the first one of a total: as many as it has itself, but within these limits."""


@dataclass(frozen=True)
class Scale:
    """How many decimals amounts of one currency are shown with, so that sums of shown amounts are shown amounts."""

    decimals: int

    @classmethod
    def of(cls, total: Decimal) -> Scale:
        """Return the scale for amounts of this total."""
        own = -int(total.normalize().as_tuple().exponent)
        first = total.adjusted()
        return cls(max(DIGITS - first, min(own, MOST_DIGITS - first), 0))

    @classmethod
    def at_least(cls, total: Decimal) -> Scale:
        """Return the scale for amounts of a total that nobody typed, so that its own digits do not count."""
        return cls(max(DIGITS - total.adjusted(), 0))

    def down(self, amount: Decimal) -> Decimal:
        """Return the largest amount of the scale that is not above the given one."""
        return amount.quantize(self._step, rounding=ROUND_FLOOR)

    def up(self, amount: Decimal) -> Decimal:
        """Return the smallest amount of the scale that is not below the given one."""
        return amount.quantize(self._step, rounding=ROUND_CEILING)

    @property
    def _step(self) -> Decimal:
        return Decimal(1).scaleb(-self.decimals)


@dataclass(frozen=True)
class Balance:
    """A budget, or a sum behind it, at one moment as it is shown: its parts add up; left is never above the truth."""

    unit: str
    """`epsilon`, `delta` or `rho`."""
    total: Decimal
    left: Decimal
    reserved: Decimal | None = None
    """Of delta: what is kept for counting together."""

    @property
    def letter(self) -> str:
        """Return the letter of the unit."""
        return {"epsilon": "ε", "delta": "δ", "rho": "ρ"}[self.unit]

    @property
    def spent(self) -> Decimal:
        """Return what is not left."""
        return self.total - (self.reserved or NOTHING) - self.left

    def as_dict(self) -> dict[str, str]:
        """Return the parts as texts, by the names that the page uses too."""
        reserved = {} if self.reserved is None else {"kept_for_counting_together": self.reserved}
        amounts = {"spent": self.spent, **reserved, "left": self.left, "total": self.total}
        return {name: shown(amount) for name, amount in amounts.items()}


def balance(budget: Privacy, limits: Sequence[Limits], spent: ReleaseCost) -> Balance:
    """Return what a reader sees of a budget after costs. A total with more decimals than are shown loses the rest.

    Left is the largest next release that is sure to be granted, rounded down: rho, or the epsilon of a pure one.
    """
    by_rho, rest = isinstance(budget, ZCDP), [each.left(spent) for each in limits]
    whole = exact(budget.rho if isinstance(budget, ZCDP) else budget.epsilon)
    scale = Scale.of(whole)
    total = scale.down(whole)
    plain = [each.rho if by_rho else each.epsilon for each in rest]
    sure = max(each.largest_rho if by_rho else each.largest_pure for each in rest)
    left = min(max(*(part for part in plain if part is not None), exact(sure)), whole)
    left = max(scale.down(difference(left, difference(whole, total))), NOTHING)
    return Balance("rho" if by_rho else "epsilon", total, left)


def shown(amount: Decimal) -> str:
    """Return an amount as text, in full and without a power of ten: `2.5`, `0.0000001`."""
    return f"{Decimal(f'{float(amount):.15g}'):f}"
