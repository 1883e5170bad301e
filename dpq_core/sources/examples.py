"""Small public data sets: real columns from `data/` and made-up ones, with bounds that nobody had to look up in them.

Everything here may be shown to anyone. The made-up columns come from a fixed seed; drawing public toy data is no
privacy noise, and nothing here is ever used to draw any.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..errors import DataError, Disclosure, ParameterError
from ..groups.names import GroupColumn
from ..people.ids import People
from .column import NumberColumn

_FOLDERS = (Path(__file__).parents[1] / "dashboard" / "data", Path(__file__).parents[2] / "data")
DATA = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[-1])
"""In an installed package it lies in it, in a checkout beside it."""
SEED = 2026  # of every made-up column and of the sample of 1,000 people

ADULT = ("UCI Adult, Becker & Kohavi 1996, doi:10.24432/C5XW20", "CC BY 4.0")
FLIGHTS = ("nycflights13: departures from New York City in 2013", "CC0 1.0")
MADE_UP = ("made up for this project from a fixed seed", "CC0 1.0")


@dataclass(frozen=True, slots=True)
class Example:
    """A public column and what is known about it without looking at its values.

    lower, upper and step are exact decimals in the unit of the column `name`; one_row and many_rows name what a row is.
    """

    key: str
    name: str
    label: str
    unit: str
    lower: str
    upper: str
    step: str
    one_row: str
    many_rows: str
    source: str
    licence: str
    read: Callable[[], Floats]
    person: str = ""
    """If a person has several rows, the column of ids, too; empty if every row is a different person."""
    group: str = ""
    """The column that says which group a row is in; empty where there is none."""


def load_example(key: str) -> NumberColumn:
    """Return the column of an example, always the same; raises ParameterError (unknown key) or DataError (no file)."""
    if key not in EXAMPLES:
        raise ParameterError("example", "must be one of the keys of EXAMPLES.")
    example = EXAMPLES[key]
    return NumberColumn(example.label, example.read(), "number", example.unit)


def load_people(key: str) -> People:
    """Return the persons behind the rows of an example. Raises ParameterError if every row is a different person."""
    if key not in EXAMPLES or not EXAMPLES[key].person:
        raise ParameterError("example", "must be one of the keys of EXAMPLES whose persons have several rows.")
    return People.of(_visits()[0])


def load_groups(key: str) -> GroupColumn:
    """Return the groups of the rows of an example. Raises ParameterError where it has none."""
    if key not in EXAMPLES or not EXAMPLES[key].group:
        raise ParameterError("example", "must be one of the keys of EXAMPLES whose rows are in groups.")
    return _sites()


def toy_generator(name: str) -> np.random.Generator:
    """Return a seeded generator for public toy data: repeatable on purpose, so never to be used for privacy noise."""
    return np.random.default_rng([SEED, zlib.crc32(name.encode())])


def _stored(file: str, column: str) -> Floats:
    """Return a numeric column of a Parquet file in `data/`, NaN where missing."""
    path = DATA / file
    if not path.is_file():
        raise DataError(
            f"The example file data/{file} is missing; run from a full copy of the project.",
            discloses=Disclosure.FORMAT,
        )
    import pyarrow.parquet as pq

    cells = pq.ParquetFile(path).read(columns=[column]).column(0)
    numbers: Floats = cells.to_numpy().astype(np.float64)
    return numbers


def _income() -> Floats:
    """Draw incomes: log-normal around 30,000, and 3 % in a Pareto tail from 100,000 upwards, cut at a million."""
    rng = toy_generator("income")
    usual = rng.lognormal(np.log(30_000), 0.6, size=19_400)
    tail = 100_000 * (1 + rng.pareto(1.5, size=600))
    income = rng.permutation(np.concatenate([usual, tail]))
    return np.minimum(np.round(income, -2), 1_000_000)


def _tied() -> Floats:
    """Draw weekly cups of coffee: 60 % are 10, the others uniform from 0 to 30."""
    rng = toy_generator("tied")
    return rng.permutation(np.concatenate([np.full(3_000, 10.0), rng.integers(0, 31, size=2_000).astype(np.float64)]))


@lru_cache(maxsize=1)
def _visits() -> tuple[Floats, Floats]:
    """Draw 1,000 patients with 1 to 50 visits each, and the minutes that they waited; patients who come often wait
    longer.

    Returns a patient's number and the minutes of every visit, (visits,) each.
    """
    rng = toy_generator("visits")
    visits = np.minimum(1 + (1.6 * rng.pareto(1.1, size=1_000)).astype(np.int64), 50)
    usual = 16 * rng.lognormal(0, 0.5, size=visits.size) * (1 + visits / 20)
    patients = rng.permutation(np.repeat(np.arange(visits.size), visits))
    waited = np.minimum(np.round(rng.gamma(4, usual[patients] / 4), 1), 180)
    return patients.astype(np.float64), waited


@lru_cache(maxsize=1)
def _sites() -> GroupColumn:
    """Draw the site of every visit: patients keep to a site or two, and one waits longer at some than at others."""
    patients, waited = _visits()
    rng = toy_generator("visits-sites")
    usual = rng.normal(0, 0.5, size=1_000)[patients.astype(np.int64)]
    score = np.log1p(waited) + usual + rng.normal(0, 0.4, size=waited.size)
    ends = np.quantile(score, [0.3, 0.5, 0.65, 0.8, 0.93, 0.997])
    return GroupColumn(np.searchsorted(ends, score).astype(np.int32), SITES)


SITES = ("Park", "Station", "Harbour", "School", "Market", "Hill", "Island")
"""Of the visits, from a short wait to a long one; hardly any patient comes to the last one."""
_ages = partial(_stored, "adult.parquet", "age")
PERSON = ("person", "people")
AGES = ("years", "0", "120", "1", *PERSON)
WIDE = ("", "-100", "100", "0.001", "record", "records", *MADE_UP)

_ALL = (
    Example(
        "adult-age", "Age", "Ages of 1,000 people (US census sample)", *AGES, *ADULT,
        lambda: toy_generator("adult-age").choice(_ages(), size=1_000, replace=False),
    ),
    Example("adult-age-full", "Age", "Ages of all 48,842 people (US census sample)", *AGES, *ADULT, _ages),
    Example(
        "adult-hours", "Working hours a week", "Working hours a week of 48,842 people (US census sample)", "hours", "0",
        "168", "1", *PERSON, *ADULT, partial(_stored, "adult.parquet", "hours_per_week"),
    ),
    Example(
        "flight-delays", "Departure delays", "Departure delays, New York 2013", "minutes", "-120", "1440", "1",
        "flight", "flights", *FLIGHTS, partial(_stored, "flights.parquet", "dep_delay"),
    ),
    Example(
        "uniform", "Uniform between −5 and 5", "Uniform between −5 and 5", *WIDE,
        lambda: toy_generator("uniform").uniform(-5, 5, size=1_000),
    ),
    Example(
        "normal", "Normal around 0", "Normal around 0, standard deviation 5", *WIDE,
        lambda: toy_generator("normal").normal(0, 5, size=10_000),
    ),
    Example("income", "Income", "Income, heavy tail (made up)", "€", "0", "1000000", "100", *PERSON, *MADE_UP, _income),
    Example(
        "tied", "Cups a week", "Cups a week, 60 % ties (made up)", "cups", "0", "50", "1", *PERSON, *MADE_UP, _tied,
    ),
    Example(
        "visits", "Waiting minutes", "Waiting minutes of visits to a practice (made up)", "minutes", "0", "180", "0.1",
        "visit", "visits", *MADE_UP, lambda: _visits()[1].copy(), person="patient", group="site",
    ),
    Example(
        "tiny", "Age", "Ages of 12 people (made up)", *AGES, *MADE_UP,
        lambda: np.array([19, 23, 23, 31, 34, 38, 42, 47, 47, 58, 66, 81], np.float64),
    ),
)  # fmt: skip
EXAMPLES: dict[str, Example] = {example.key: example for example in _ALL}
