"""Columns on a cluster whose bounds a release finds: their rows stay with the workers until there is a grid.

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

from dataclasses import replace
from functools import partial

from ..column import Column
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..progress import unheard
from .spread import SpreadRows


def without_bounds(rows: SpreadRows, name: str, find_bounds: FindBounds) -> Column:
    """Return a column whose bounds are to be found; its bits are the same for the same grid. Raises DataError."""
    on_grid = _made(rows, name, "bounds of", find_bounds.grid, tie_bits=0)
    return replace(on_grid, find_bounds=find_bounds, read=partial(_made, rows, name, "column"))


def _made(rows: SpreadRows, name: str, purpose: str, domain: Domain, *, tie_bits: int | None = None) -> Column:
    """Return a column on a grid, with bits of its own for each purpose."""
    parts = rows.of_purpose(name, domain, tie_bits, purpose, unheard)
    return rows.column(name, domain, tie_bits, parts=parts)
