"""The rows of a table on a cluster, and the columns that are made of them: in ranges of a grid, or in blocks.

Rows of a column whose bounds a release finds stay with the workers until there is a grid.

Claim. Finding bounds has the output distribution that it has in memory, on the same records. A walk reads nothing but
how many records, or units of persons, lie below each value of a grid of one digit (`above_threshold`). Records are in
one partition each, so these numbers add up over partitions: `count_below` of the column in ranges gives the integers
that it gives in memory. The noise is drawn by the client, from the operating system's entropy, by the same code. So the
walk is the same function of the same integers and of its noise, and its guarantee is the same.

The second step reads the same rows on the grid that was found, again by the code for memory. Its tie-breaking bits,
and the choice among a person's rows, are functions of the keys of partitions for another purpose: so they are
independent of those that the walk read, as in memory. A lost worker makes the same ones again.

The client receives the counts of the walk, from 23 to some hundred numbers, and no record of groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..column import Column
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..encoding import checked_bits
from ..noise.tie_breaking import Key
from ..people.ids import People, Whose
from ..people.shares import UNIT
from ..progress import Progress, unheard
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

    def without_bounds(self, name: str, find_bounds: FindBounds) -> Column:
        """Return a column whose bounds are to be found; its bits are the same for the same grid. Raises DataError."""
        on_grid = self.on(name, "bounds of", find_bounds.grid, tie_bits=0)
        return replace(on_grid, find_bounds=find_bounds, read=partial(self.on, name, "column"))

    def on(self, name: str, purpose: str, domain: Domain, *, tie_bits: int | None = None) -> Column:
        """Return a column on a grid, with bits and choices of its own for each purpose."""
        rule = replace(self.rule, domains={name: domain}, bits=tie_bits, purpose=purpose)
        return self.column(name, domain, tie_bits, parts=self.taken(rule, unheard))

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
