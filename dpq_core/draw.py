"""Draw the answers of a column in runs, part by part, from one source of random bits; the steps say what is drawn.

A release, a simulation and a trace take this one way. A release has one run, with bits of the operating system; a
simulation has many, from a seed; a trace is one of these that notes what every draw saw. Runs in which the first steps
find the same are drawn together.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from .arrays import Flags, Floats, Integers
from .column import Column, Data
from .errors import Infeasible, ParameterError
from .group_privacy import refused_for_each
from .groups.finding import NAMES_ELSEWHERE, PartitionSelection
from .groups.names import GroupName, in_order
from .intervals.drawn import Basis
from .intervals.ends import as_pairs, of_values
from .mechanisms.base import TraceStep
from .noise.entropy import Entropy
from .noise.exact import ExactEntropy
from .noise.fast import SeededSampler
from .plan import Plan
from .privacy.budgets import Guarantee
from .privacy.composition import PrivacyUnit
from .progress import Progress, unheard
from .release import Cells

TRIALS_AT_ONCE = 64
"""Runs share numpy passes in parts of this size; each part has a seed of its own."""
ROWS_AT_ONCE = 1 << 17
OF_COUNTED = 2**32
"""The first part of a seed for runs whose groups were counted; no other runs use this part or a later one."""
OF_ONE_PART = 2**40
"""Between the seeds of two parts of groups on a cluster."""
OF_ONE_GROUP = " That is about one group. None of the groups is answered, and all of the budget is spent."
Finding = TypeVar("Finding", bound=Hashable)


@dataclass(frozen=True)
class EntropySource:
    """Random bits for some runs: of the operating system for a release, of one run; else of a seed."""

    seed: int | None = None
    runs: tuple[int, ...] = (0,)
    firsts: int | None = None
    """How often the first of two steps is drawn; runs use these draws in turn. None draws it for every run."""

    @property
    def trials(self) -> int:
        """Return how many runs there are."""
        return len(self.runs)

    def entropy(self, part: int = 0, trials: int | None = None) -> Entropy:
        """Return the bits of a part of a seed, for all runs unless `trials` says how many."""
        if self.seed is None:
            return ExactEntropy()
        return SeededSampler(self.seed, self.trials if trials is None else trials, part)

    @contextmanager
    def refused(self, kind: type[ParameterError], in_release: Callable[[Any], ParameterError]) -> Iterator[None]:
        """Let a refusal of this kind say what a release has spent by then; a simulation spends nothing."""
        try:
            yield
        except kind as refused:
            if self.seed is not None:
                raise
            raise in_release(refused) from None

    def by_finding(self, findings: Sequence[Finding]) -> Iterator[tuple[Finding, EntropySource]]:
        """Return each different finding with the runs that share it, which have a seed of their own."""
        runs: dict[Finding, list[int]] = {}
        for at, run in enumerate(self.runs):
            runs.setdefault(findings[at % len(findings)], []).append(run)
        for at, (found, own) in enumerate(runs.items()):
            yield found, replace(self, seed=None if self.seed is None else self.seed + at, runs=tuple(own))


RELEASE = EntropySource()
"""One run, with bits of the operating system."""


@dataclass(frozen=True)
class Noted:
    """Which run is noted with what every draw saw, alone; and of which group."""

    run: int
    group: GroupName | None = None


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The drawn answers of some runs, which share what the first steps found: of all groups, or of those of a part."""

    runs: tuple[int, ...]
    names: tuple[GroupName, ...]
    values: Floats
    """(runs, names, levels), in the order of the plan's levels."""
    ends: Floats | None = None
    """(runs, names, levels, 2), values of the grid; None where the plan asks for no intervals."""
    basis: Basis | None = None
    notes: tuple[str, ...] = ()
    noisy: Mapping[GroupName, int] = field(default_factory=dict)
    """What was counted in the first of the runs, where groups are."""
    counted: tuple[str, ...] = ()
    """The same in sentences, or of what the column has."""
    steps: tuple[TraceStep, ...] = ()
    """What every draw saw and chose, where the run is noted."""


@dataclass(frozen=True, eq=False)
class Found:
    """What was drawn before, once for all columns of a table."""

    named: Mapping[GroupName, Flags] | None = None
    """Which runs name a group, (runs,), for each group that is drawn; None where groups are not found."""
    noisy: Integers | None = None
    """The noisy numbers of the column in each run, (runs, numbers); None where the table was not counted."""


NOTHING_FOUND = Found()


@dataclass(frozen=True, kw_only=True)
class Steps(ABC):
    """A plan calibrated for a column: the steps that draw its answers."""

    plan: Plan
    """With the options that a sketch already decided."""
    guarantee: Guarantee
    """What is guaranteed to one person, with all records of theirs that the data hold, in all groups together."""
    n_public: int | None = None
    """The number of records for which the parameters are; None where it is private."""

    @property
    def compared(self) -> Guarantee:
        """Return the guarantee of the answers by which ways to divide a budget are compared."""
        return self.guarantee

    def drawn(
        self,
        column: Data,
        source: EntropySource,
        found: Found = NOTHING_FOUND,
        noted: Noted | None = None,
        heard: Progress = unheard,
    ) -> Iterator[tuple[Data, Drawn]]:
        """Draw the answers of a column for which the steps were calibrated, for each different finding of first steps.

        They come with the column on the grid that they lie on. `noted`: the one run that is drawn, with notes. Raises
        ParameterError, and Infeasible, which says of a release what has been spent.
        """
        if source.seed is None:
            refuse_seeded(column)
        return self._drawn(column, source, found, noted, heard)

    @abstractmethod
    def _drawn(
        self, column: Data, source: EntropySource, found: Found, noted: Noted | None, heard: Progress
    ) -> Iterator[tuple[Data, Drawn]]: ...


@dataclass(frozen=True, kw_only=True)
class StepsOfGroups(Steps):
    """Steps that draw each part of a column's groups where it is."""

    @property
    @abstractmethod
    def basis(self) -> Basis | None:
        """Return the basis of the intervals, None where none are requested."""

    @abstractmethod
    def _some(
        self, column: Data, which: Integers, entropy: Entropy, source: EntropySource, parts: Iterator[int]
    ) -> Drawn:
        """Draw the groups at these places, or the one of all records, in some runs. `parts` of a seed: of no others."""

    def _of_groups(self, column: Data, source: EntropySource, found: Found, heard: Progress) -> Drawn:
        """Draw the answers of a column, or of its groups, each part of them where it is."""
        assert column.finding is None or found.named is not None, "names are found before"
        work = partial(self._of_part, source=source, named=None if found.named is None else frozenset(found.named))
        parts = column.each_part(partial(work, heard=heard) if column.is_in_memory else work)
        whole = _joined(parts, axis=1)
        if column.finding is None or source.seed is not None:
            return whole
        places, names = {name: at for at, name in enumerate(whole.names)}, in_order(whole.names)
        order = [places[name] for name in names]
        ends = None if whole.ends is None else whole.ends[:, order]
        return replace(whole, names=names, values=whole.values[:, order], ends=ends)

    def _of_part(
        self, column: Data, at: int, *, source: EntropySource, named: Collection[GroupName] | None,
        heard: Progress = unheard,
    ) -> Drawn:  # fmt: skip
        """Return the drawn answers of the groups of a part, of all or of those that are named, where the part is."""
        which = np.flatnonzero([named is None or name in named for name in column.names])
        trials, parts = source.trials, itertools.count(OF_COUNTED)
        if source.seed is not None:  # the first part has the seed itself
            source = replace(source, seed=source.seed + at * OF_ONE_PART)
        at_once, found = trials_at_once(column, trials), list[Drawn]()
        for part, first in enumerate(range(0, trials, at_once)):
            found.append(self._some(column, which, source.entropy(part, at_once), source, parts))
            heard(min(first + at_once, trials) / trials)
        whole = _joined(found, axis=0)
        ends = None if whole.ends is None else whole.ends[:trials]
        return replace(whole, runs=source.runs, values=whole.values[:trials], ends=ends)


def _joined(parts: Sequence[Drawn], axis: int) -> Drawn:
    """Return drawn answers as one: of other runs (axis 0), or of other groups (axis 1)."""
    first, ends = parts[0], [part.ends for part in parts if part.ends is not None]
    return replace(
        first,
        names=tuple(name for part in parts for name in part.names) if axis else first.names,
        values=np.concatenate([part.values for part in parts], axis=axis),
        ends=np.concatenate(ends, axis=axis) if ends else None,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        noisy={name: number for part in reversed(parts) for name, number in part.noisy.items()},
    )


def trials_at_once(column: Data, trials: int) -> int:
    """Return how many runs of all groups are worked on side by side."""
    return min(max(ROWS_AT_ONCE // max(len(column.names), 1), 1), TRIALS_AT_ONCE) if trials > 1 else 1


def find_names(groups: Column, naming: PartitionSelection, source: EntropySource) -> dict[GroupName, Flags]:
    """Return which runs name a group, (trials,), drawn where each part is: in a release for the named ones alone.

    Raises ParameterError for a simulation on a cluster: it would take out all names.
    """
    if source.seed is not None and not groups.is_in_memory:
        raise ParameterError("by", NAMES_ELSEWHERE)
    found = groups.each_part(partial(names_of_part, naming=naming, source=source))
    return {name: runs for part in found for name, runs in part.items()}


def names_of_part(
    groups: Column, at: int, *, naming: PartitionSelection, source: EntropySource = RELEASE
) -> dict[GroupName, Flags]:
    """Return which runs name a group of a part; in a release of the named ones alone."""
    named = naming.named(groups.people_in, source.trials, source.entropy())
    told = np.flatnonzero(named[0]) if source.seed is None else np.arange(len(groups.names))
    return {groups.names[place]: named[:, place] for place in told.tolist()}


def cells_of(column: Data, steps: Steps, before: Found = NOTHING_FOUND) -> Cells:
    """Return the answers of a column, drawn now by steps that were calibrated for it. Raises Infeasible."""
    ((on, found),) = steps.drawn(column, RELEASE, before)
    ends = () if found.ends is None else of_values(found.ends[0], on.domain).tolist()
    return Cells(
        **facts_of(column, steps, found, found.counted),
        values=tuple(map(tuple, found.values[0].tolist())),
        domain=on.domain,
        find_bounds=column.find_bounds,
        intervals=tuple(map(as_pairs, ends)),
    )


def facts_of(column: Data, steps: Steps, found: Drawn, counted: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what released and simulated answers have in common; a release also says what was `counted`."""
    return {
        "by": column.by, "groups": found.names, "plan": steps.plan, "guarantee": steps.guarantee, "basis": found.basis,
        "notes": tuple(dict.fromkeys([*found.notes, *counted])),
    }  # fmt: skip


def for_all_groups(column: Data, unit: PrivacyUnit, spent: Guarantee, refused: Infeasible) -> ParameterError:
    """Return a refusal of one group as that of all, because none is answered."""
    if column.in_groups and refused.noisy_count is None:  # it follows from public facts, and reveals nothing
        return refused
    of_one = refused_for_each(refused, unit)
    return Infeasible.of_whole(of_one, OF_ONE_GROUP, spent.epsilon) if column.in_groups else of_one


def refuse_seeded(column: Data) -> None:
    """Raise ParameterError for a column that no release may read."""
    if column.seed is not None:
        raise ParameterError("seed", "must be None in a column for a release: seeded tie-breaking can be guessed.")
