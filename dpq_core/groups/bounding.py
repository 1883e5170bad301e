"""Keep few records of each person, in at most g groups: a function of the person's rows and own random words alone.

Claim. A row of a person counts if its group is listed and its value is valid. In each of these groups one number is
computed from the rows (`people.take_one`), or up to k of the rows are kept (`people.some_rows`), and at most g of the
groups are kept; every set of g groups is equally likely. Or up to k of the rows are kept, in any of these groups. This
reads the person's rows, the public list and bounds, and random words that are used for no other person. So two tables
that differ by one person give columns that differ by one record, or up to k, in at most g groups, or by up to k in all
groups together, and by nothing else.

Shares. All rows of a person together weigh 1, in whichever groups they are. Weights are given once, over all rows of a
person that count: those in listed groups with a valid value. Only then are rows put into their groups. A person's
masses in all groups add up to exactly 1 (`people.shares`), so that a draw in a group costs at most that person's mass
there times what a whole record costs, and all groups together what one record costs in one of them;
`privacy.composition` has the sums, docs/people-proof.md why a cost is at most mass times record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Integers
from ..domain.domain import Domain
from ..domain.numbers import Number
from ..noise.tie_breaking import Key, other_seed, tie_breaking
from ..people.ids import People
from ..people.shares import rows_that_count, share_rows
from ..people.takes import PerPerson, some_rows, take_one
from ..privacy.composition import GroupsPerPerson
from ..sample import encode_records
from .names import GroupCodes

NAMING_UNITS = 64
"""The number of parts of a person, for naming groups where a person has shares in several. More parts would name almost
no more groups but take more steps. For a group of 7 persons the chance to be named is .61 at any number of parts, and
.64 where persons count as a whole."""


@dataclass(frozen=True)
class Bounded:
    """The values that are kept, with their groups; private."""

    values: Floats
    codes: GroupCodes
    persons: Integers
    """How many persons each group has, up to the last that has any."""
    dropped: int
    """How many rows, and groups of persons, are not kept."""


def bounded(
    values: Floats,
    codes: GroupCodes,
    people: People,
    most: GroupsPerPerson,
    per_person: PerPerson | None,
    max_rows_per_person: int | None,
    domain: Domain,
    *,
    seed: int | Key | None,
    count_missing: bool,
) -> Bounded:
    """Return one record for each person in at most `most` groups, or up to `max_rows_per_person` in each of them.

    Where `most` is "any", up to `max_rows_per_person` of each person in all groups together. With `count_missing` a
    missing value counts as NaN. O(n log n).
    """
    used = (people.codes >= 0) & (codes >= 0)
    if not count_missing:
        used &= np.isfinite(values)
    if most == "any":
        assert max_rows_per_person is not None, "some limit on the records of a person"
        return _some_in_all(values, codes, people, used, max_rows_per_person, seed)
    pairs, of_row, of_pair, kept = _kept_groups(people.codes[used], codes[used], most, seed)
    in_groups, lost = np.bincount(of_pair[kept]), int(used.size - np.count_nonzero(used))
    own_rows = People(of_row.astype(np.int32), pairs.size)
    if per_person is not None:
        taken = take_one(values[used], own_rows, per_person, domain, seed)[kept]
        return Bounded(taken, of_pair[kept].astype(np.int32), in_groups, lost + pairs.size - kept.size)
    assert max_rows_per_person is not None, "one of the two was given"
    rows = some_rows(own_rows.codes, pairs.size, max_rows_per_person, seed)
    rows = rows[np.isin(of_row[rows], kept)]
    return Bounded(
        values[used][rows], of_pair[of_row[rows]].astype(np.int32), in_groups, int(of_row.size) - rows.size + lost
    )


def _some_in_all(
    values: Floats,
    codes: GroupCodes,
    people: People,
    used: NDArray[np.bool_],
    max_rows_per_person: int,
    seed: int | Key | None,
) -> Bounded:
    """Return up to `max_rows_per_person` of the used rows of each person, in any groups."""
    rows = np.flatnonzero(used)[some_rows(people.codes[used], people.count, max_rows_per_person, seed)]
    kept, owners = codes[rows], people.codes[rows].astype(np.int64)
    groups = int(kept.max(initial=0)) + 1
    persons = np.bincount(np.unique(owners * groups + kept) % groups)
    return Bounded(values[rows], kept, persons, int(used.size) - rows.size)


def counted_for_names(
    codes: GroupCodes, groups: int, people: People | None, most: int, seed: int | Key | None, *, share: bool
) -> Integers:
    """Return the number of persons by which each group is named, (groups,): as shares, or each in `most` groups.

    Persons count here also where their values are missing. Private. O(n log n).
    """
    if share and people is not None:
        return shares_in(codes, groups, people)
    return persons_in(codes, groups, people, most, seed)


def persons_in(codes: GroupCodes, groups: int, people: People | None, most: int, seed: int | Key | None) -> Integers:
    """Return the number of persons in each group, (groups,), with any values; each in at most `most` groups.

    Without people every row is a person. Private. O(n log n).
    """
    if people is None:
        return np.bincount(codes[codes >= 0], minlength=groups)
    used = (people.codes >= 0) & (codes >= 0)
    _, _, of_pair, kept = _kept_groups(people.codes[used], codes[used], most, seed)
    return np.bincount(of_pair[kept], minlength=groups)


def shares_in(codes: GroupCodes, groups: int, people: People) -> Integers:
    """Return the weight of persons in each group, in units of 1 / NAMING_UNITS person, (groups,), with any values.

    All rows of a person that are in some group weigh NAMING_UNITS together. Private. O(n log n).
    """
    used = (people.codes >= 0) & (codes >= 0)
    rows, weights = share_rows(people.codes[used], people.count, NAMING_UNITS)
    counts = np.zeros(groups, np.int64)
    np.add.at(counts, codes[used][rows], weights)
    return counts


def _kept_groups(
    persons: NDArray[np.int32], codes: GroupCodes, most: int, seed: int | Key | None
) -> tuple[Integers, Integers, Integers, Integers]:
    """Return the pairs of person and group, that of each row, the group of each, and which of the pairs are kept."""
    groups = int(codes.max(initial=0)) + 1
    pairs, of_row = np.unique(persons.astype(np.int64) * groups + codes, return_inverse=True)
    of_person, of_pair = np.divmod(pairs, groups)
    new = np.diff(of_person, prepend=-1) != 0
    own = (np.cumsum(new) - 1).astype(np.int32)
    # Use other random words than those that chose the rows, even where both are functions of the seed.
    return pairs, of_row, of_pair, some_rows(own, int(new.sum()), most, other_seed(seed))


def _by_group_and_cell(codes: GroupCodes, cells: Integers, groups: int, places: int) -> Integers:
    """Return the order of rows by group and sub-index; `places`: how many of these there are."""
    if groups * places < 2**63:  # both fit into one number, which sorts in a fifth of the time
        return np.argsort(codes.astype(np.int64) * places + cells)
    return np.lexsort((cells, codes))


@dataclass(frozen=True)
class SharedRows:
    """The rows of all groups with their weights in units, sorted by group and sub-index; private."""

    cells: Integers
    weights: NDArray[np.int32]
    starts: Integers
    """Where each group's rows begin, and the end of all: (groups + 1,)."""
    dropped: int


def shared_rows(
    values: Floats,
    codes: GroupCodes,
    groups: int,
    people: People,
    domain: Domain,
    missing: Number | None,
    bits: int,
    seed: int | Key | None,
) -> SharedRows:
    """Return the rows of all groups as shares of their persons. O(n log n)."""
    stand_in = domain.lower if missing is None else missing
    cells = encode_records(values, domain, stand_in, bits, tie_breaking(values.size, bits, seed, 0))
    listed = People(np.where(codes >= 0, people.codes, np.int32(-1)), people.count)
    used = rows_that_count(values, listed, stand_in=missing is not None)
    own = np.arange(values.size) if used is None else np.flatnonzero(used)
    rows, weights = share_rows(listed.codes[own], people.count)
    own = own[rows]
    order = _by_group_and_cell(codes[own], cells[own], groups, domain.places(bits).count)
    own = own[order]
    starts = np.searchsorted(codes[own], np.arange(groups + 1))
    found = cells[own]
    found.flags.writeable = False
    return SharedRows(found, weights[order], starts.astype(np.int64), values.size - own.size)
