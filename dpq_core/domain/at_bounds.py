"""Find answers at a bound of their domain, and what they say about the bound: from answers alone, at no charge.

Values beyond a bound count as the bound. So where a bound is too narrow, answers gather there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..texts import listed
from .domain import Domain

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
