"""Which groups differ by more than noise: from intervals alone, so that no reader ranks noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ranked:
    """One group: its answer at one level, and where its true quantile lies."""

    name: str
    answer: float
    interval: tuple[float, float]


def by_answer(groups: Sequence[Ranked]) -> list[Ranked]:
    """Return the groups from the highest answer to the lowest; equal ones by name."""
    return sorted(groups, key=lambda group: (-group.answer, group.name))


def may_be_highest(groups: Sequence[Ranked]) -> list[Ranked]:
    """Return the groups that may be the highest: their intervals reach the largest low end."""
    bar = max((group.interval[0] for group in groups), default=0.0)
    return [group for group in groups if group.interval[1] >= bar]


def all_alike(groups: Sequence[Ranked]) -> bool:
    """Return whether every two intervals overlap: on a line they do if all of them have a point in common."""
    if not groups:
        return True
    return max(group.interval[0] for group in groups) <= min(group.interval[1] for group in groups)


def alike_sets(groups: Sequence[Ranked]) -> list[list[Ranked]]:
    """Return the largest sets of two groups or more in which every two intervals overlap, the highest one first.

    From the lowest end upwards, the intervals that are open make such a set whenever one closes after another opened.
    O(m log m), and the sets themselves.
    """
    ordered = by_answer(groups)
    ends = sorted((end, closes, at) for at, group in enumerate(ordered) for closes, end in enumerate(group.interval))
    open_ones: set[int] = set()
    found: list[list[Ranked]] = []
    grew = False
    for _, closes, at in ends:
        if not closes:
            open_ones.add(at)
        else:
            if grew and len(open_ones) > 1:
                found.append([ordered[each] for each in sorted(open_ones)])
            open_ones.remove(at)
        grew = not closes
    return found[::-1]


def listed(names: Sequence[str], most: int = 8, last: str = "and") -> str:
    """Return names as people list them: `Oslo, Bergen and Hamar`; of many the first ones and how many more."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} {last} {len(names) - most + 1:,} more"
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), names[-1] if names else ""]))
