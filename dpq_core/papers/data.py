"""The papers' data sets, as far as they are available: all public, shown as curves only.

Adult ships with the project. Goodreads and the flights are read from the folder that DPQ_DATA_DIR names, if it has
them. The generators here draw data and never privacy noise.
"""

from __future__ import annotations

import os
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..column import Column
from ..domain.domain import Domain
from ..sources.examples import load_example
from ..studies.configuration import Levels, seed_of
from ..studies.shapes import SHAPES, values_of

SEED = 2022  # of all stored results
WIDE = Domain(-100, 100, measure="uniform")  # [KSS]: for all six sets
MADE_UP = 10_000  # records of the two made-up sets of [KSS]
COPIES = 10  # [SLICE] takes every record so often, its text says
TINY = 0.01
"""Standard deviation of the noise that sets the copies apart, in years or hours. Data, not privacy."""
TINIEST = 0.001  # the same for the sets of [KSS], whose values lie 0.01 apart
PAGES = 100  # [GJK] divide page counts by it
HUNDRED = Domain(0, 100, measure="uniform")  # [SLICE]: b = 100

KSS_SETS = {
    "uniform": "Uniform, -5 to 5",
    "normal": "Normal, deviation 5",
    "goodreads-rating": "Goodreads, mean rating",
    "goodreads-pages": "Goodreads, pages / 100",
    "adult-hours": "Adult, hours a week",
    "adult-age": "Adult, age",
}
"""[KSS] Table 1 in its order. Page counts reach 6,576, far outside the domain, so they are scaled as by [GJK]."""
UNSCALED = "goodreads-pages-unscaled"
UNSCALED_PANEL = "Goodreads, pages not divided"
"""The page counts themselves, of which nine in ten are clipped to the upper bound: shown, and not judged."""


@cache
def kss_columns() -> dict[str, Floats]:
    """Return the six columns of [KSS], or four where the folder does not have Goodreads. O(records)."""
    found = {
        name: SHAPES[name].draw(np.random.default_rng(seed_of(SEED, name)), MADE_UP, WIDE)
        for name in ("uniform", "normal")
    }
    found |= {"adult-hours": load_example("adult-hours").values, "adult-age": load_example("adult-age-full").values}
    books = _own("goodreads.csv")
    if books is not None:
        from ..sources.files import read_column

        found["goodreads-rating"] = read_column(books, "average_rating", header=True).values
        found["goodreads-pages"] = read_column(books, "num_pages", header=True).values / PAGES
    return {name: found[name] for name in KSS_SETS if name in found}


@cache
def kss_apart() -> dict[str, Floats]:
    """Return the same columns with tiny noise that keeps equal values apart: a rank error is then the papers' gap.

    And, where there is Goodreads, the page counts as they are: clipped to the bounds, most of them are equal.
    """
    columns = dict(kss_columns())
    if "goodreads-pages" in columns:
        columns[UNSCALED] = columns["goodreads-pages"] * PAGES
    return {
        name: column + np.random.default_rng(seed_of(SEED, "apart", name)).normal(0, TINIEST, column.size)
        for name, column in columns.items()
    }


@cache
def slice_sample(name: str, copies: int) -> Column:
    """Return Adult ages or hours, every record `copies` times, with tiny noise on each copy. O(n log n)."""
    values = np.repeat(kss_columns()[name], copies)
    noise = np.random.default_rng(seed_of(SEED, "copies", name)).normal(0, TINY, values.size)
    return Column.from_values(values + noise, HUNDRED, seed=seed_of(SEED, "bits", name))


def random_levels(m: int, number: int) -> Levels:
    """Return m of the levels i / 251, increasing, another choice for each `number`: [SLICE]."""
    chosen = np.random.default_rng(seed_of(SEED, "levels", m, number)).choice(250, m, replace=False)
    return tuple(Fraction(int(i) + 1, 251) for i in sorted(chosen))


def stream(shape: str, n: int) -> Floats:
    """Return n records, uniform between 0 and 1 or standard normal: [BSPACE]."""
    scale, start = (0.1, 0.5) if shape == "uniform" else (0.2, 0.0)
    return values_of(shape, n, seed_of(SEED, "stream", shape), WIDE) * scale + start


def flights() -> Floats | None:
    """Return three million delays in minutes, or None where the folder does not have them."""
    path = _own("flights_3m.parquet")
    if path is None:
        return None
    from ..sources.files import read_column

    return read_column(path, "delay").values


def _own(file: str) -> Path | None:
    """Return the path of a file in the folder DPQ_DATA_DIR, or None where either is missing."""
    folder = os.environ.get("DPQ_DATA_DIR")
    path = Path(folder) / file if folder else None
    return path if path is not None and path.is_file() else None
