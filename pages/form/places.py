"""The places of a page's controls: one below the other as they are drawn, or each in its step."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

Place = AbstractContextManager[object]
"""A container, or wherever the page is drawing just now."""
HERE: Place = nullcontext()


@dataclass(frozen=True)
class Places:
    """The place of each group of controls. Without steps, controls are in the order in which they are drawn."""

    file: Place = HERE
    """The data: an example, a file and its column, pasted values."""
    person: Place = HERE
    """Who is one person, what counts of each, and what one person can change."""
    values: Place = HERE
    """What values are possible."""
    question: Place = HERE
    """The quantiles, their intervals, the groups and the mechanism."""
    cost: Place = HERE
    """The budget, and what it buys."""
    epsilon: Place = HERE
    """The size of the budget."""
    kind: Place = HERE
    """Its kind, and what it is in the other kinds."""
    further: Place = HERE
    """Groups, and intervals around the answers."""
    in_steps: bool = False
    epsilon_first: bool = False
    """Whether the size of the budget is first, with what it means."""


ONE_FORM = Places()
