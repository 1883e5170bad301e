"""FindBounds: the public facts about bounds that are yet to be found, and the domain of each outcome.

Answers at a bound. Values beyond a bound count as the bound. So where a bound is too narrow, answers gather there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, Self

from ..errors import ParameterError, shown
from ..texts import listed
from .domain import Domain
from .even import MAX_CELLS
from .numbers import Number, checked_share, exact_number, exponent_of

USUAL_SHARE = Fraction(1, 10)
STEPS = 12
"""Without a step, the found width is cut by a power of ten this number of digits finer than the width."""


@dataclass(frozen=True, init=False)
class FindBounds:
    """Ask a release to find the bounds of a column with a share of the budget; see `above_threshold`.

    The bounds that can be found are 0 and the numbers of one digit from `smallest` to `largest`, both taken as the next
    power of ten outwards, and their negatives unless `negative` is False; with a `step`, the multiples of it around
    them. Take all of these from public knowledge. Raises ParameterError.
    """

    share: Fraction
    """Of the budget: the rest draws the quantiles."""
    grid: Domain
    step: Fraction | None

    def __init__(
        self,
        share: Number = USUAL_SHARE,
        smallest: Number = Fraction(1, 10**6),
        largest: Number = 10**15,
        *,
        negative: bool = True,
        step: Number | None = None,
    ) -> None:
        ends = _power_of_ten(smallest, "smallest", up=False), _power_of_ten(largest, "largest", up=True)
        object.__setattr__(self, "share", checked_share(share))
        object.__setattr__(self, "grid", Domain.significant(1, *ends, negative=negative))
        object.__setattr__(self, "step", None if step is None else _positive(step, "step"))
        assert self.widest.cells > 1, "it can be made, and so can all others"

    def __repr__(self) -> str:
        given = {name: value for name, value in self.as_dict().items() if value is not None}
        return f"FindBounds({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @property
    def zero(self) -> int:
        """Return the grid index of 0."""
        return self.grid.first_at_least(Fraction(0))

    @property
    def widest(self) -> Domain:
        """Return the widest domain that can be found."""
        return self.between(0, self.grid.cells - 1)

    @property
    def finest(self) -> Domain:
        """Return a domain with at least as many values as any that can be found, for settings fixed before that.

        Their number is rounded up to one below a power of two: then no domain has more slots either, for any
        number of bits that remain to break its ties.
        """
        most = 10 ** (STEPS + 1) + 2 if self.step is None else self.widest.cells  # one cell more at either end
        cells = min((1 << most.bit_length()) - 1, MAX_CELLS)
        return Domain(0, cells - 1, 1)

    def between(self, low: int, high: int) -> Domain:
        """Return the domain between the values at two grid indices, rounded outwards to a step. Raises ParameterError.

        If the domain exists for the widest outcome, it exists for every outcome.
        """
        lower, upper = self.grid.exact_value(low), self.grid.exact_value(high)
        step = Fraction(10) ** (exponent_of(upper - lower) - STEPS) if self.step is None else self.step
        return Domain(floor(lower / step) * step, ceil(upper / step) * step, step)

    def as_dict(self) -> dict[str, str | bool | None]:
        """Return the arguments as exact text; `from_dict` reads them back."""
        grid = self.grid.as_dict()
        return {
            "share": str(self.share),
            "smallest": str(grid["smallest"]),
            "largest": str(grid["largest"]),
            "negative": bool(grid["negative"]),
            "step": None if self.step is None else str(self.step),
        }

    @classmethod
    def from_dict(cls, values: object) -> Self:
        """Return what `as_dict` wrote. Raises ParameterError."""
        known = {"share", "smallest", "largest", "negative", "step"}
        if not isinstance(values, Mapping) or not set(values) <= known:
            raise ParameterError("find_bounds", f"must hold {', '.join(sorted(known))} and nothing else.")
        return cls(**values)


def _power_of_ten(number: Number, name: str, *, up: bool) -> Fraction:
    """Return the next power of ten of a positive number, up or down. Raises ParameterError."""
    value = _positive(number, name)
    below = Fraction(10) ** exponent_of(value)
    return 10 * below if up and below < value else below


def _positive(number: Number, name: str) -> Fraction:
    value = exact_number(number, name)
    if value <= 0:
        raise ParameterError(name, f"must be > 0, got {shown(number)}.")
    return value


def clipped(find_bounds: FindBounds, domain: Domain, written: Callable[[float], str]) -> str:
    """Return the note on found bounds for a reader of the answers, public as they are; `written`: a bound in words."""
    low, high = written(float(domain.lower)), written(float(domain.upper))
    return (
        f"The bounds {low} and {high} were found from {100 * float(find_bounds.share):.3g} % of the budget. Hardly any "
        "record should lie beyond them; what does counts as the nearest bound, and so do the quantiles there."
    )


HIGHEST, LOWEST = "highest", "lowest"
SAYS = {HIGHEST: "too low", LOWEST: "too high"}
USUAL_SHARE_AT_BOUND = 0.1
"""Of all answers: fewer at a bound are usual for outermost levels of many."""


def at_bound(value: float, domain: Domain) -> str:
    """Return whether an answer is the highest or the lowest value of a grid; empty for all others."""
    if value <= float(domain.exact_value(0)):
        return LOWEST
    return HIGHEST if value >= float(domain.exact_value(domain.cells - 1)) else ""


def warnings_at_bounds(values: Sequence[float], domain: Domain) -> tuple[str, ...]:
    """Return a sentence for each bound at which a tenth of the answers lie, or more."""
    sides = [at_bound(value, domain) for value in values]
    found = [(side, sides.count(side)) for side in (HIGHEST, LOWEST)]
    return tuple(
        _sentence(side, count, len(sides))
        for side, count in found
        if count and count >= USUAL_SHARE_AT_BOUND * len(sides)
    )


def _sentence(side: str, count: int, of: int) -> str:
    if count < of:
        some = f"{count:,} of {of:,} answers {'lies' if count == 1 else 'lie'}"
        return f"{some} at the {side} possible value: if values beyond it are possible, this bound is {SAYS[side]}."
    every = f"All {of:,} answers lie" if of > 1 else "The answer lies"
    unless = "unless nearly all values are the same"
    return f"{every} at the {side} possible value: the bound is probably {SAYS[side]}, {unless}."


def warnings_of_groups(groups: Mapping[Any, Sequence[float]], domain: Domain) -> tuple[str, ...]:
    """Return a sentence for each bound at which all answers of some groups lie."""
    found = []
    for side in (HIGHEST, LOWEST):
        names = [str(name) for name, values in groups.items() if {at_bound(each, domain) for each in values} == {side}]
        if names:
            found.append(
                f"All answers of {len(names):,} of {len(groups):,} groups lie at the {side} possible value "
                f"({listed(names)}): the bound is probably {SAYS[side]}, unless nearly all values there are the same."
            )
    return tuple(found)
