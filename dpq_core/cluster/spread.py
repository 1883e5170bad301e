"""The rows of a table on a cluster, and the columns that are made of them: in ranges of a grid, or in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..column import Column
from ..domain.domain import Domain
from ..encoding import checked_bits
from ..noise.tie_breaking import Key
from ..people.ids import People, Whose
from ..people.shares import UNIT
from ..progress import Progress
from .blocks import Elsewhere, in_blocks, in_found_blocks
from .cells import in_ranges
from .found import Candidates, candidates_in_blocks
from .shuffle import Client, Delayed, Future, delayed_call, finished, sent
from .taking import Rule, column_of, groups_of, take


@dataclass(frozen=True, eq=False, repr=False)
class SpreadRows:
    """Rows in partitions, each person's rows in one, with a secret key for each partition. Private."""

    client: Client
    rows: Sequence[Future | Delayed]
    keys: tuple[Key, ...]
    rule: Rule
    """What counts of each column."""
    seed: int | None
    read: Sequence[Delayed] = ()
    """A short task for each partition, done when it is read, where that is still to be done."""
    candidates: Candidates | None = None
    """The groups that a release may find; None where they are listed, or there are none."""

    def held(self, progress: Progress) -> SpreadRows:
        """Return the same rows, which the workers keep, in memory or on their disks."""
        return replace(self, rows=finished(self.client, self.read, self.rows, progress), read=())

    def taken(self, rule: Rule, progress: Progress) -> list[Future]:
        """Return what counts of some columns, by partition; it is the same each time for the same rule."""
        shared = sent(self.client, rule)
        pairs = zip(self.rows, self.keys, strict=True)
        return finished(
            self.client, self.read, [delayed_call(take, rows, key, shared) for rows, key in pairs], progress
        )

    def with_candidates(self, parts: Sequence[Future]) -> SpreadRows:
        """Return the same rows with the groups that a release may find, by what was taken of each partition."""
        found = candidates_in_blocks(self.client, [delayed_call(groups_of, part) for part in parts], Elsewhere())
        return replace(self, candidates=found)

    def of_purpose(self, name: str, domain: Domain, bits: int | None, purpose: str, progress: Progress) -> list[Future]:
        """Return what counts of one column on a grid, by partition, with bits and choices for a purpose of its own."""
        return self.taken(replace(self.rule, domains={name: domain}, bits=bits, purpose=purpose), progress)

    def column(self, name: str, domain: Domain, bits: int | None = None, *, parts: Sequence[Future]) -> Column:
        """Return one column of what was taken of each partition."""
        own = [delayed_call(column_of, part, name) for part in parts]
        public = empty_column(self.rule, name, domain, bits)
        if public.in_groups:
            wanted = self.rule.wanted
            assert wanted.grouping is not None, "in groups"
            settings: dict[str, Any] = {"by": wanted.grouping.by, "pooled": wanted.pooled, "seed": self.seed}
            if self.candidates is not None:
                candidates = replace(public, persons=self.candidates.persons, **settings)
                groups = [delayed_call(groups_of, part) for part in parts]
                return in_found_blocks(self.client, own, groups, self.candidates, candidates)
            return in_blocks(self.client, own, replace(public, names=wanted.names, persons=None, **settings))
        records, dropped = in_ranges(self.client, own, UNIT if public.per_person == "weight" else 1)
        public = replace(public, records=records, tie_bits=checked_bits(bits, domain))
        return replace(public, seed=self.seed, dropped=int(dropped))


def empty_column(rule: Rule, name: str, domain: Domain, bits: int | None) -> Column:
    """Return a column of a table without rows, which has all public facts. Raises ParameterError."""
    wanted = rule.wanted
    people = None
    if wanted.person is not None:
        people = People(np.empty(0, np.int32), 0, whose=Whose(wanted.person, rule.missing_is_person))
    settings: dict[str, Any] = {"people": people, "missing": rule.missing[name], "tie_bits": bits, **rule.counted}
    if wanted.grouping is None:
        return Column.from_values([], domain, **settings)
    names: range | None = range(len(wanted.names))
    if wanted.finds_groups:
        names, settings["finding"] = None, wanted.grouping.finding
    return Column.from_values([], domain, groups=np.empty(0, np.int64), names=names, **settings)
