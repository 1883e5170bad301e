"""How large groups are by what is publicly known, and which of them are too small for their budget: one judgement.

A group that is too small has answers of noise alone. It is grey in every picture, and in no headline and no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...advice.groups import least_group_size
from ...domain.domain import Domain
from ...errors import ParameterError
from ...groups.names import GroupName, name_in_words
from ...plan import Plan
from ..persons import PersonChoice
from .choice import GroupChoice

TOO_SMALL = "too small for this budget"


@dataclass(frozen=True)
class GroupSizes:
    """About how many records groups have, by a guess before the release: public, and stored with it."""

    usual: int | None = None
    """Of every group that has no size of its own here; None where nobody said."""
    own: tuple[tuple[str, int], ...] = ()
    """The names of some groups with their sizes."""

    @cached_property
    def _by_name(self) -> Mapping[str, int]:
        return dict(self.own)

    def of(self, name: object) -> int | None:
        """Return the size of the group with this name; None where it is not known."""
        return self._by_name.get(name_in_words(name), self.usual)

    def for_intervals(self, groups: GroupChoice | None) -> int | dict[GroupName, int] | None:
        """Return how many records intervals rest on: one number, or of each listed group its own, rounded down."""
        if groups is None or groups.answered is None or not self.own:
            return self.usual
        return {name: rounded_down(size) for name in groups.answered if (size := self.of(name)) is not None}

    def too_small(self, names: Iterable[object], plan: Plan, domain: Domain, **rule: Any) -> tuple[str, ...] | None:
        """Return which of these groups are too small for the plan; None where a size or its errors are not known.

        `rule`: what counts of a person and how many groups there are, as in `least_group_size`.
        """
        sizes = {name_in_words(name): self.of(name) for name in names}
        if None in sizes.values():
            return None
        try:
            least = least_group_size(plan, domain, **rule)
        except ParameterError:  # no run of this plan can be simulated
            return None
        return tuple(name for name, size in sizes.items() if size is not None and size < least)


ROUND = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
"""Tenths of a power of ten: the sizes for which ranges and intervals are worked out."""


def rounded_down(size: int) -> int:
    """Return the next lower of ten numbers a decade: fewer records only widen a range, and few sizes are simulated."""
    power: int = 10 ** (len(str(size)) - 1)
    return max(power * tenths // 10 for tenths in ROUND if power * tenths <= 10 * size)


def rule_of_persons(groups: GroupChoice, person: PersonChoice | None) -> dict[str, Any]:
    """Return what is known about persons in groups, as forecasts need it."""
    most_rows, share = person.most_rows if person else None, person is not None and person.shares
    return {"groups_per_person": groups.groups_per_person, "most_rows": most_rows or 1, "share": share}
