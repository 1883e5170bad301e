"""Keep few records of each person in at most g groups: a function of that person's rows and own random words alone.

Claim. Of a person's rows those in listed groups with a valid value count. In each of these groups one number is taken
of them (`people.take_one`), or up to k of the rows (`people.some_rows`), and at most g of the groups are kept, every
set of so many as likely as another. Or up to k of the rows are kept, in any of these groups. All of it reads this
person's rows, the public list and bounds, and random words that nobody else reads. So two tables that differ by one
person give columns that differ by one record, or up to k, in at most g groups, or by up to k in all groups together,
and by nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Integers
from ..domain import Domain
from ..people import People, Take, share_rows, some_rows, take_one
from ..privacy import GroupsPerPerson
from .names import GroupCodes

NAMING_UNITS = 64
"""In so many parts a person is counted where groups are named, who has shares in several. More parts name hardly more
groups, and take as many more steps: with 7 persons the chance is .61 in place of .64 for whole ones at any number."""


@dataclass(frozen=True)
class Bounded:
    """The values that are kept, with their groups; private."""

    values: Floats
    codes: GroupCodes
    persons: Integers
    """How many persons each group has, up to the last that has any."""
    dropped: int
    """How many rows and groups of persons are not among them."""
    groups_dropped: bool
    """Whether a person has values in more groups than are kept."""


def bounded(
    values: Floats,
    codes: GroupCodes,
    people: People,
    most: GroupsPerPerson,
    take: Take | None,
    most_rows: int | None,
    domain: Domain,
    *,
    seed: int | None,
    count_missing: bool,
) -> Bounded:
    """Return one record for each person in at most `most` groups, or up to `most_rows` in each of them.

    Where `most` is "any", up to `most_rows` of each person in all groups together. With `count_missing` a missing value
    counts as NaN. O(n log n).
    """
    used = (people.codes >= 0) & (codes >= 0)
    if not count_missing:
        used &= np.isfinite(values)
    if most == "any":
        assert most_rows is not None, "some limit on the records of a person"
        return _some_in_all(values, codes, people, used, most_rows, seed)
    pairs, of_row, of_pair, kept = _kept_groups(people.codes[used], codes[used], most, seed)
    in_groups, lost = np.bincount(of_pair[kept]), int(used.size - np.count_nonzero(used))
    more = kept.size < pairs.size
    own_rows = People(of_row.astype(np.int32), pairs.size)
    if take is not None:
        taken = take_one(values[used], own_rows, take, domain, seed)[kept]
        return Bounded(taken, of_pair[kept].astype(np.int32), in_groups, lost + pairs.size - kept.size, more)
    assert most_rows is not None, "one of the two was given"
    rows = some_rows(own_rows.codes, pairs.size, most_rows, seed)
    rows = rows[np.isin(of_row[rows], kept)]
    return Bounded(
        values[used][rows], of_pair[of_row[rows]].astype(np.int32), in_groups, int(of_row.size) - rows.size + lost, more
    )


def _some_in_all(
    values: Floats, codes: GroupCodes, people: People, used: NDArray[np.bool_], most_rows: int, seed: int | None
) -> Bounded:
    """Return up to `most_rows` of the rows that are used of each person, whatever groups they are in."""
    rows = np.flatnonzero(used)[some_rows(people.codes[used], people.count, most_rows, seed)]
    kept, owners = codes[rows], people.codes[rows].astype(np.int64)
    groups = int(kept.max(initial=0)) + 1
    persons = np.bincount(np.unique(owners * groups + kept) % groups)
    return Bounded(values[rows], kept, persons, int(used.size) - rows.size, groups_dropped=False)


def persons_in(codes: GroupCodes, groups: int, people: People | None, most: int, seed: int | None) -> Integers:
    """Return how many persons each group has, (groups,), whatever values they have; each in at most `most` groups.

    Without people every row is a person. Private. O(n log n).
    """
    if people is None:
        return np.bincount(codes[codes >= 0], minlength=groups)
    used = (people.codes >= 0) & (codes >= 0)
    _, _, of_pair, kept = _kept_groups(people.codes[used], codes[used], most, seed)
    return np.bincount(of_pair[kept], minlength=groups)


def shares_in(codes: GroupCodes, groups: int, people: People) -> Integers:
    """Return how much of persons each group has, in 1 / NAMING_UNITS of one, (groups,), whatever values they have.

    All rows of a person in some group weigh NAMING_UNITS together. Private. O(n log n).
    """
    used = (people.codes >= 0) & (codes >= 0)
    rows, weights = share_rows(people.codes[used], people.count, NAMING_UNITS)
    counts = np.zeros(groups, np.int64)
    np.add.at(counts, codes[used][rows], weights)
    return counts


def _kept_groups(
    persons: NDArray[np.int32], codes: GroupCodes, most: int, seed: int | None
) -> tuple[Integers, Integers, Integers, Integers]:
    """Return the pairs of person and group, that of each row, the group of each, and which of the pairs are kept."""
    groups = int(codes.max(initial=0)) + 1
    pairs, of_row = np.unique(persons.astype(np.int64) * groups + codes, return_inverse=True)
    of_person, of_pair = np.divmod(pairs, groups)
    new = np.diff(of_person, prepend=-1) != 0
    own = (np.cumsum(new) - 1).astype(np.int32)
    # Other words than those that chose the rows, also where both are functions of the seed.
    return pairs, of_row, of_pair, some_rows(own, int(new.sum()), most, None if seed is None else seed + 1)
