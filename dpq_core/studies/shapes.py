"""Public data for studies: shapes drawn at any size from a seed, and the examples that ship with the project.

Every shape may be shown to anyone. Drawing public toy data is no privacy noise, and nothing here is ever used to draw
any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..domain.domain import Domain
from ..errors import Name, ParameterError
from ..people.ids import People
from ..sources.examples import EXAMPLES, load_example, load_people


class Table(NamedTuple):
    """A column, and whose row each is."""

    values: Floats
    people: People


Given = Mapping[str, Floats | Table]
"""Columns that a caller brings, by name."""

USUAL_SIZE = 1000
"""Records of a shape where no size is given."""
MOST_STUDIED = 1_000_000
"""As many records a shape may have where people wait for it."""


@dataclass(frozen=True)
class PublicShape:
    """A distribution with public bounds. `draw(rng, n, domain)` returns n values; only "reference" reads the domain."""

    key: str
    label: str
    domain: Domain
    draw: Callable[[np.random.Generator, int, Domain], Floats]


def values_of(data: str, n: int | None, seed: int, domain: Domain, given: Given | None = None) -> Floats:
    """Return the values of a named column: a given one, a shape, or an example, looked for in this order.

    A shape gives n fresh draws (1,000 where n is None); a given column or an example gives n records drawn with
    replacement, or all of them as they are where n is None. The same seed gives the same values; so `seed` is not
    read where nothing is drawn. O(n). Raises ParameterError for an unknown name, and DataError where an example's
    file is missing.
    """
    rng, brought = np.random.default_rng(seed), (given or {}).get(data)
    if brought is None:
        if data in SHAPES:
            return SHAPES[data].draw(rng, USUAL_SIZE if n is None else n, domain)
        check_known(data)
        brought = load_example(data).values
    column = brought.values if isinstance(brought, Table) else brought
    if n is None:
        return column
    if column.size == 0:
        raise ParameterError("data", ("must hold a record to draw from where ", Name("n"), " is given."))
    return rng.choice(column, n)


def table_of(data: str, n: int | None, seed: int, given: Given | None = None) -> Table | None:
    """Return a named column with the persons behind its rows: all of them, or n drawn with replacement, with all rows.

    None if every record is another person. The same seed gives the same persons. O(n log n).
    """
    brought = (given or {}).get(data)
    if brought is None and data in EXAMPLES and EXAMPLES[data].person:
        brought = Table(load_example(data).values, load_people(data))
    if not isinstance(brought, Table):
        return None
    return brought if n is None else _drawn(brought, n, np.random.default_rng(seed))


def _drawn(table: Table, n: int, rng: np.random.Generator) -> Table:
    """Return n persons drawn with replacement, each with all rows, as another person; rows of nobody are left out."""
    codes = table.people.codes
    rows = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0) :]
    sizes = np.bincount(codes[rows], minlength=table.people.count)
    chosen = rng.integers(table.people.count, size=n) if table.people.count else np.empty(0, np.int64)
    starts, kept = (np.cumsum(sizes) - sizes)[chosen], sizes[chosen]
    drawn = np.repeat(np.arange(chosen.size), kept)
    places = np.arange(drawn.size) - (np.cumsum(kept) - kept)[drawn] + starts[drawn]
    return Table(table.values[rows[places]], People.of(drawn))


def domain_of(data: str) -> Domain:
    """Return the public domain of a shape or an example. Raises ParameterError for another name."""
    if data in SHAPES:
        return SHAPES[data].domain
    check_known(data)
    example = EXAMPLES[data]
    return Domain(example.lower, example.upper, example.step)


def check_known(data: str) -> None:
    """Raise ParameterError unless there is a shape or an example of this name."""
    if data not in SHAPES and data not in EXAMPLES:
        names = ", ".join(dict.fromkeys([*SHAPES, *EXAMPLES]))
        raise ParameterError("data", f"must be one of {names}, got {data[:40]!r}.")


def _resampled(example: str) -> Callable[[np.random.Generator, int, Domain], Floats]:
    """Return a shape that draws with replacement from a made-up example."""
    return lambda rng, n, domain: rng.choice(load_example(example).values, n)


_WIDE, _HUNDRED = Domain(-100, 100, measure="uniform"), Domain(0, 100, measure="uniform")
"""Papers have such grids."""

_ALL = (
    PublicShape("uniform", "Uniform between −5 and 5", _WIDE, lambda rng, n, _: rng.uniform(-5, 5, n)),
    PublicShape("normal", "Normal around 0, standard deviation 5", _WIDE, lambda rng, n, _: rng.normal(0, 5, n)),
    PublicShape("skewed", "Skewed: log-normal, median 1", _HUNDRED, lambda rng, n, _: rng.lognormal(0, 1, n)),
    PublicShape(
        "bimodal", "Two humps, at -20 and 20", _WIDE,
        lambda rng, n, _: rng.choice([-20.0, 20.0], n) + rng.normal(0, 2, n),
    ),
    PublicShape("heavy-tail", "Heavy tail: made-up incomes", Domain(0, 1_000_000, 100), _resampled("income")),
    PublicShape("tied", "60 % say 10", Domain(0, 50, 1), _resampled("tied")),
    PublicShape(
        "reference", "Evenly spread between the bounds", _HUNDRED,
        lambda _, n, domain: domain.at_fractions(np.linspace(0, 1, n)),  # they show the noise without any data
    ),
)  # fmt: skip
SHAPES: dict[str, PublicShape] = {shape.key: shape for shape in _ALL}
"""Every shape by its key; "uniform", "normal" and "tied" are the examples of these names at any size."""
