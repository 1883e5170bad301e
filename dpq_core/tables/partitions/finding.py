"""Columns on a cluster whose bounds a release finds: their rows stay with the workers until there is a grid.

Claim. Finding bounds has the output distribution that it has in memory, on the same records. A walk reads nothing but
how many records, or units of persons, lie below each value of a grid of one digit (`finding.walk`). Records are in one
partition each, so these numbers add up over partitions: `count_below` of the column in ranges gives the integers that
it gives in memory. The noise is drawn by the client, from the operating system's entropy, by the same code. So the
walk is the same function of the same integers and of its noise, and its guarantee is the same.

The second step reads the same rows on the grid that was found, again by the code for memory. Its tie-breaking bits,
and the choice among a person's rows, are functions of the keys of partitions for another purpose: so they are
independent of those that the walk read, as in memory. A lost worker makes the same ones again.

The client receives the counts of the walk, from 23 to some hundred numbers, and no record of groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from ...domain.domain import Domain
from ...domain.finding import FindBounds
from ...finding.column import RawGroups, RawSample
from ...groups.table import Groups
from ...progress import unheard
from ...sample import Sample
from .blocks import Elsewhere
from .spread import SpreadRows, empty_column

if TYPE_CHECKING:
    from .shuffle import Future

BOUNDS = "bounds of"
"""The purpose of the records by which bounds are found."""


@dataclass(frozen=True, eq=False, repr=False)
class SpreadRawSample(RawSample):
    """A RawSample on a cluster."""

    name: str = ""
    rows: SpreadRows = field(kw_only=True)

    def on(self, domain: Domain, jitter_bits: int | None = None) -> Sample:
        """Return the column on a grid, with bits that are the same for the same grid."""
        return cast(Sample, _made(self.rows, self.name, domain, jitter_bits))

    @cached_property
    def coarse(self) -> Sample:
        """Return the column on the grid of all bounds that can be found."""
        grid = self.find_bounds.grid
        return cast(Sample, self.rows.column(self.name, grid, 0, parts=_coarse_parts(self.rows, self.name, grid)))


@dataclass(frozen=True, eq=False, repr=False)
class SpreadRawGroups(RawGroups):
    """A RawGroups on a cluster."""

    name: str = ""
    rows: SpreadRows = field(kw_only=True)

    def on(self, domain: Domain, jitter_bits: int | None = None) -> Groups:
        """Return the groups on a grid, with bits that are the same for the same grid."""
        return cast(Groups, _made(self.rows, self.name, domain, jitter_bits))

    @cached_property
    def _parts(self) -> list[Future]:
        return _coarse_parts(self.rows, self.name, self.find_bounds.grid)

    @cached_property
    def coarse(self) -> Groups:
        """Return the groups on the grid of all bounds that can be found."""
        return cast(Groups, self.rows.column(self.name, self.find_bounds.grid, 0, parts=self._parts))

    @cached_property
    def counted(self) -> Sample:
        """Return the records by which bounds are found: those of all groups, each as `coarse` has it."""
        return self.rows.of_all_groups(self.name, self.coarse, self._parts)


def without_bounds(rows: SpreadRows, name: str, find_bounds: FindBounds) -> SpreadRawSample | SpreadRawGroups:
    """Return a column whose bounds are to be found. Raises DataError."""
    public, missing = empty_column(rows.rule, name, find_bounds.grid, 0), rows.rule.missing[name]
    if isinstance(public, Groups):
        by = () if rows.rule.wanted.grouping is None else rows.rule.wanted.grouping.by
        nothing: Any = Elsewhere()
        return SpreadRawGroups(nothing, nothing, find_bounds, {}, by, name=name, rows=rows)
    raw = SpreadRawSample(
        Elsewhere(), find_bounds, rows.seed, missing, None, public.take, public.most_rows, name=name, rows=rows
    )
    assert raw.coarse.domain == find_bounds.grid, "read once, so that errors come now"
    return raw


def _made(rows: SpreadRows, name: str, domain: Domain, bits: int | None) -> Sample | Groups:
    return rows.column(name, domain, bits, parts=rows.of_purpose(name, domain, bits, "column", unheard))


def _coarse_parts(rows: SpreadRows, name: str, grid: Domain) -> list[Future]:
    return rows.of_purpose(name, grid, 0, BOUNDS, unheard)
