"""Refuse what cannot be combined in one release of a table: one row for each reason, with the sentence and the fix.

`calibrate` refuses what a mechanism cannot do. This table has what no mechanism can do, at any budget.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class Features:
    """What was asked of a table, from public facts alone."""

    groups_found: bool = False
    share: bool = False
    """Whether all rows of a person count, with a weight of 1 together."""
    on_cluster: bool = False
    draws_together: bool = False
    """Whether a mechanism draws several quantiles of a column at once."""
    simulated: bool = False
    """Whether answers are simulated, and not released."""


@dataclass(frozen=True)
class Refusal:
    """One combination that is refused: the setting that a form points at, and the words after its name."""

    applies: Callable[[Features], bool]
    setting: str
    words: tuple[str, ...]


REFUSED: tuple[Refusal, ...] = (
    Refusal(
        lambda has: has.on_cluster and has.groups_found and has.simulated,
        "by",
        (
            "must list the groups of a table on a cluster to simulate it: a simulation would take the names of all "
            "groups out of the workers. A release finds the large groups there.",
        ),
    ),
    Refusal(
        lambda has: has.on_cluster and has.share and has.draws_together,
        "mechanism",
        (
            "must draw one quantile at a time where the rows of a person weigh 1 together on a cluster: use aq, "
            "indexp, aggtree or binhist.",
        ),
    ),
)


def refuse_combination(features: Features) -> None:
    """Raise ParameterError for the first reason that applies."""
    for each in REFUSED:
        if each.applies(features):
            raise ParameterError(each.setting, each.words)
