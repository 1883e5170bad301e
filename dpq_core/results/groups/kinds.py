"""The kinds of outcomes of all groups, frozen with everything that is needed to show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ...intervals import Basis
from ...privacy import Guarantee
from ..answers import Answers
from ..kinds import OutcomeFacts
from .choice import GroupChoice
from .sizes import GroupSizes


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupsFacts(OutcomeFacts):
    """Answers of all groups that were simulated or released in one go."""

    groups: GroupChoice
    groups_reading: str
    """Python that reads the column of groups, after `reading`."""
    answers: tuple[Answers, ...]
    sizes: GroupSizes
    """What was said of the groups' sizes before a release; in a simulation, what they are."""
    too_small: tuple[str, ...] | None
    """Groups too small for the plan, by these sizes; None where that is not known."""
    guarantee: Guarantee
    warnings: tuple[str, ...]
    version: str
    basis: Basis | None = None
    """What intervals rest on: the same in every group."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupedSimulation(GroupsFacts):
    """One simulated run beside the truth. Not private."""

    seed: int
    sample_seed: int
    draws: int


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupedReleased(GroupsFacts):
    """A release: its answers and public facts, nothing else."""

    account: str
    release_id: str


GroupsOutcome: TypeAlias = GroupedSimulation | GroupedReleased
