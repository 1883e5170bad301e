"""Without a seed nothing that is drawn when data are made can be guessed: no place puts a constant in its stead.

Each maker is run twice on the same rows. Records of one value get low bits of their own, and of a person's rows others
are chosen: with 60 of each the two runs are equal with a chance below 2^-100 where the operating system is asked, and
always where a seed stands. With a seed they are equal, so that it is the seed that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpq_core import Domain, FindBounds, Groups, People, RawSample, Sample
from dpq_core.arrays import Integers

GRID = Domain(0, 1000, 1)
PERSONS = 60
SAME = np.full(PERSONS, 7.0)
"""One value: only the low bits differ."""
IDS, ROWS = np.repeat(np.arange(PERSONS), 4), np.arange(4.0 * PERSONS)
"""Four rows of each person, all of other values: which are chosen is seen on the grid."""
PEOPLE = People.of(IDS)
EVERYBODY, IN_FOUR = ["a"] * PERSONS, ["a", "b", "c", "d"] * PERSONS
BATCHES = [SAME[:20], SAME[20:]]


def low_bits(made: Sample | Groups) -> Integers:
    """The tie-breaking bits of all records."""
    cells = made.records.cells if isinstance(made, Groups) else made.cells
    return cells & ((1 << made.jitter_bits) - 1)


def chosen(made: Sample | Groups) -> Integers:
    """The grid indices of all records, and of groups where each begins."""
    if isinstance(made, Groups):
        return np.concatenate([made.records.cells >> made.jitter_bits, made.starts])
    return made.cells >> made.jitter_bits


def of_raw(seed: int | None, **how: Any) -> Sample:
    values = ROWS if how else SAME
    return RawSample.from_values(values, FindBounds(step=1), seed=seed, **how).on(GRID)


def grouped(seed: int | None, values: Any, groups: Any, **how: Any) -> Groups:
    return Groups.from_values(values, groups, GRID, names=["a", "b", "c", "d"], seed=seed, **how)


LOW_BITS: dict[str, Callable[[int | None], Sample | Groups]] = {
    "a column": lambda seed: Sample.from_values(SAME, GRID, seed=seed),
    "batches": lambda seed: Sample.from_batches(BATCHES, GRID, seed=seed),
    "one record of each person": lambda seed: Sample.from_values(
        SAME, GRID, seed=seed, people=People.of(range(PERSONS)), take="median"
    ),
    "at most one row of each person": lambda seed: Sample.from_values(
        SAME, GRID, seed=seed, people=People.of(range(PERSONS)), most_rows=1
    ),
    "shares": lambda seed: Sample.from_values(SAME, GRID, seed=seed, people=People.of(range(PERSONS)), take="share"),
    "bounds to be found": of_raw,
    "groups": lambda seed: grouped(seed, SAME, EVERYBODY),
    "groups of persons": lambda seed: grouped(seed, SAME, EVERYBODY, people=People.of(range(PERSONS)), take="median"),
    "groups to be found": lambda seed: Groups.from_values(SAME, EVERYBODY, GRID, names=None, seed=seed),
    "groups in batches": lambda seed: Groups.from_batches(
        BATCHES, [EVERYBODY[:20], EVERYBODY[20:]], GRID, names=["a"], seed=seed
    ),
}  # fmt: skip
CHOSEN: dict[str, Callable[[int | None], Sample | Groups]] = {
    "one row at random": lambda seed: Sample.from_values(ROWS, GRID, seed=seed, people=PEOPLE, take="random"),
    "two rows at random": lambda seed: Sample.from_values(ROWS, GRID, seed=seed, people=PEOPLE, most_rows=2),
    "rows in batches": lambda seed: Sample.from_batches(
        [ROWS[:99], ROWS[99:]], GRID, seed=seed, people=PEOPLE, most_rows=1
    ),
    "a row where bounds are found": lambda seed: of_raw(seed, people=PEOPLE, take="random"),
    "a row in a group": lambda seed: grouped(seed, ROWS, ["a"] * ROWS.size, people=PEOPLE, take="random"),
    "some rows in a group": lambda seed: grouped(seed, ROWS, ["a"] * ROWS.size, people=PEOPLE, most_rows=2),
    "a group of four": lambda seed: grouped(seed, ROWS, IN_FOUR, people=PEOPLE, take="first"),
    "two groups of four": lambda seed: grouped(seed, ROWS, IN_FOUR, people=PEOPLE, take="first", groups_per_person=2),
}  # fmt: skip


@pytest.mark.parametrize(
    ("made", "read"),
    [pytest.param(made, low_bits, id=f"low bits of {name}") for name, made in LOW_BITS.items()]
    + [pytest.param(made, chosen, id=f"which: {name}") for name, made in CHOSEN.items()],
)
def test_what_is_drawn_without_a_seed_differs_from_run_to_run(
    made: Callable[[int | None], Sample | Groups], read: Callable[[Sample | Groups], Integers]
) -> None:
    assert (read(made(5)) == read(made(5))).all()
    assert (read(made(None)) != read(made(None))).any()
    for run in (made(None), made(None)):
        assert run.seed is None
        assert (np.unique(read(run)).size > PERSONS / 2) or isinstance(run, Groups)


def test_no_row_repeats_the_bits_of_another() -> None:
    """Batches and groups do not begin again at the same word."""
    for made in LOW_BITS.values():
        assert np.unique(low_bits(made(None))).size > PERSONS - 5
