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
from ..errors import Name, ParameterError, shown
from ..noise.tie_breaking import Key, other_seed
from ..people.ids import Codes, People, RowsByPerson, ranked
from ..people.shares import share_rows
from ..people.takes import PerPerson, checked_per_person, some_rows, take_one
from ..privacy.composition import GroupsPerPerson
from .names import GroupCodes

MOST_GROUPS_EACH = 1000
"""More groups per person would leave each less than a thousandth of the budget."""

NAMING_UNITS = 64
"""The number of parts of a person, for naming groups where a person has shares in several. More parts would name almost
no more groups but take more steps. For a group of 7 persons the chance to be named is .61 at any number of parts, and
.64 where persons count as a whole."""


@dataclass(frozen=True)
class Bounded:
    """What counts of each person: values with their groups; private."""

    values: NDArray[np.generic]
    """In one piece also NaN, of a person without a valid row."""
    codes: GroupCodes | None
    """None in one piece."""
    persons: Integers | None
    """How many persons each group has; None in one piece."""
    dropped: int
    """How many rows, and groups of persons, are not kept; in one piece how many rows belong to nobody."""


def bounded(
    values: Floats,
    codes: GroupCodes | None,
    groups: int,
    people: People,
    most: GroupsPerPerson | None,
    per_person: PerPerson | None,
    max_rows_per_person: int | None,
    domain: Domain,
    *,
    seed: int | Key | None,
    count_missing: bool,
) -> Bounded:
    """Return one record for each person in at most `most` groups, or up to `max_rows_per_person` in each of them.

    In one piece, and where `most` is "any", this holds for all rows of a person together. With `count_missing` a
    missing value counts as NaN. O(n log n).
    """
    if codes is None and per_person is not None:
        return Bounded(take_one(values, people, per_person, domain, seed), None, None, people.nobodys)
    used = people.codes >= 0
    if codes is not None:
        used &= codes >= 0
    if not count_missing:
        used &= np.isfinite(values)
    if codes is None or most == "any":
        assert max_rows_per_person is not None, "some limit on the records of a person"
        owners, ordered = (people.codes, people.ordered) if used.all() else (people.codes[used], None)
        rows = some_rows(owners, people.count, max_rows_per_person, seed, ordered)
        rows = rows if owners.size == used.size else np.flatnonzero(used)[rows]
        if codes is None:
            return Bounded(values[rows], None, None, people.nobodys)
        own = codes[rows]
        pairs = np.unique(people.codes[rows].astype(np.int64) * groups + own)
        return Bounded(values[rows], own, np.bincount(pairs % groups, minlength=groups), used.size - rows.size)
    persons, lost = people.codes, used.size - int(np.count_nonzero(used))
    if lost:
        values, persons, codes = values[used], persons[used], codes[used]
    pair, group, kept = _kept_groups(persons, codes, groups, most or 1, seed)
    lost += group.size - kept.size
    place = np.full(group.size, -1, np.int32)
    place[kept] = np.arange(kept.size)
    pair, group = place[pair], group[kept]  # of those that are kept
    values, pair = values[pair >= 0], pair[pair >= 0]
    in_groups = np.bincount(group, minlength=groups)
    if per_person is not None:
        return Bounded(take_one(values, People(pair, kept.size), per_person, domain, seed), group, in_groups, lost)
    assert max_rows_per_person is not None, "one of the two was given"
    rows = some_rows(pair, kept.size, max_rows_per_person, seed)
    return Bounded(values[rows], group[pair[rows]], in_groups, used.size - rows.size)


def counted_for_names(
    codes: GroupCodes, groups: int, people: People | None, most: int, seed: int | Key | None, *, share: bool
) -> Integers:
    """Return the number of persons by which each group is named, (groups,): as shares, or each in `most` groups.

    Persons count here also where their values are missing; without people every row is one. Private. O(n log n).
    """
    if share and people is not None:
        return shares_in(codes, groups, people)
    if people is None:
        return np.bincount(codes[codes >= 0], minlength=groups)
    used = (people.codes >= 0) & (codes >= 0)
    _, group, kept = _kept_groups(people.codes[used], codes[used], groups, most, seed)
    return np.bincount(group[kept], minlength=groups)


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
    persons: Codes, codes: GroupCodes, groups: int, most: int, seed: int | Key | None
) -> tuple[Codes, GroupCodes, Integers]:
    """Return for each row its pair of person and group, the group of each pair, and which of the pairs are kept."""
    numbers = persons.astype(np.int64)
    numbers *= groups
    numbers += codes
    pair, rows, is_new = ranked(numbers)
    del numbers  # memory: a column at a time
    rows = rows[is_new]  # the first of each pair
    is_new = np.diff(persons[rows], prepend=np.int32(-1)) != 0
    own, starts = np.cumsum(is_new, dtype=np.int32) - np.int32(1), np.append(np.flatnonzero(is_new), rows.size)
    by_person = RowsByPerson(np.arange(rows.size, dtype=np.int32), starts)
    # Use other random words than those that chose the rows, even where both are functions of the seed.
    return pair, codes[rows], some_rows(own, starts.size - 1, most, other_seed(seed), by_person)


def checked_rule(
    people: People | None, per_person: object, max_rows_per_person: object
) -> tuple[PerPerson | None, int | None]:
    """Return how a person's rows in a group count: as one record, and how it is computed, or as several."""
    if people is None:
        if per_person is not None or max_rows_per_person is not None:
            raise ParameterError(
                "people", ("must be given with ", Name("per_person"), " or ", Name("max_rows_per_person"), ".")
            )
        return None, None
    return checked_per_person(per_person, max_rows_per_person)


def checked_most(
    most: object, per_person: PerPerson | None, max_rows_per_person: int | None, *, of_people: bool = True
) -> GroupsPerPerson:
    """Return in how many groups a person counts: in one, unless told. Raises ParameterError."""
    if most is None:
        return 1
    if isinstance(most, str) and most == "any":
        if max_rows_per_person is None:
            raise ParameterError(
                "max_groups_per_person",
                (
                    "must be a number unless ",
                    Name("max_rows_per_person"),
                    " limits the rows of a person in all groups together.",
                ),
            )
        return "any"
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or not 1 <= most <= MOST_GROUPS_EACH:
        raise ParameterError(
            "max_groups_per_person",
            f"must be a whole number from 1 to {MOST_GROUPS_EACH}, or 'any', got {shown(most)}.",
        )
    if most > 1 and not of_people:
        raise ParameterError(
            "max_groups_per_person", ("must be 1 without ", Name("people"), ": a row is in one group.")
        )
    if most > 1 and per_person == "weight":
        raise ParameterError(
            "max_groups_per_person", "must be left out for per_person='weight': all groups of a person count."
        )
    return int(most)
