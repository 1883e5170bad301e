"""A noisy number of records, for which the ends of intervals are computed: what it costs, and how sure it is.

Where one record joins or leaves, the number n of records in one place changes by 1. So N = n + L is e-DP, where L is
discrete Laplace of scale 1 / e: P(L >= k) = a^k / (1 + a) for k >= 1, a = exp(-e). Let c be a whole number that L
exceeds with a chance of at most b. Then N - c is at most n except with that chance, for any records. The ends of the
intervals are computed for N - c records, or a few less: if there are more, they are only wider than necessary. The ends
may fail with the rest of the chance that was requested. By the union bound the chances of both failures add up, even if
one failure depends on the other. In groups all of this holds in each group alone, and so does the chance.

Where a record has a mass in units, n is the sum of the masses, and the noise is in units. A record that weighs w of U
units changes n by w, which costs w e / U. A person's masses in all groups add up to U, so the costs add up to e.

Records are counted before intervals are computed: of a column, of each group, or once for a whole table. The levels at
the ends, and so what they spend to the last digit, follow from the number. What is stated and charged is therefore the
whole budget of the answers, which they never exceed; `privacy.composition` adds both up.

One column. A person with at most k records changes their number by at most k, so a number of rate e costs k e. That
holds as well where one is replaced: up to k records leave and up to k come, and the number changes by the difference.

Groups. Every group is counted, and then answered with the rest of the budget. What both steps cost a person, in all
groups together, is fixed before anything is counted (`privacy.composition`); what a number costs and how sure it is
holds for each group by itself. Numbers may decide which levels are drawn, but never how the budget is divided: that
would be another way in each group.

One table. Values may be missing, so column c has its own number of records, n_c. The table is counted in d + 1 numbers.
m is the number of records that all columns have in common. For each of the d columns, n_c - m is the number of its
further records. If a person has a_c records in column c, then a = min a_c of them count in m, and a_c - a in n_c - m.

Claim. Put noise of rate e on m, and noise of rate e / (d - 1) on each n_c - m. A person with at most k records in each
column then costs k e in all numbers together. Proof: m changes by a, which costs a e. n_c - m changes by
a_c - a <= k - a, and by 0 in the column where the person has the fewest records, so all of these cost at most
(d - 1) (k - a) e / (d - 1) = (k - a) e. The sum is k e. So counting the further records costs nothing extra. Where one
person is replaced, the old records leave and the new ones come: 2 k e. If each column were counted separately, each
number would have only the d-th part of e.

The column where the person has the fewest records must be one of the d. If m is about more columns than are counted,
all d numbers n_c - m may change by k - a, so each has rate e / d (`CountedOnce.besides`).

N_m - c_m + max(0, N_c - c_c) is at most n_c, unless one of two noises exceeds its margin. Each noise may do so with
half of the chance that is allowed above for a number that is too large. By the union bound this holds for
each column even if its numbers depend on each other, and so it holds for the intervals of the column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, exp, log, log1p

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers
from ..column import Column
from ..domain.numbers import Number
from ..errors import ParameterError
from ..groups.names import GroupName, name_in_words
from ..noise.entropy import Entropy
from ..noise.integer_noise import LARGEST_SCALE, Size
from ..people.ids import People
from ..plan import MOST_RECORDS, Intervals
from .drawn import Basis, sentences_of

SHARE = Fraction(1, 20)
"""Of the budget, for the number: of 1,000 records and epsilon = 1 it is known to a tenth then."""
OF_FAILURES = Fraction(1, 10)
"""Of the chance with which intervals may fail, for a number that is too large."""
LARGEST_CHANCE = 0.998
FINEST = 5
"""Numbers are rounded down to this many bits after the first, by at most a thirty-second: few ends are needed."""


@dataclass(frozen=True)
class NoisyCount:
    """A noisy number of the records in one place: those of a column, or of a group."""

    rate: Fraction
    """The epsilon of the number for one whole record: e."""
    failing: float
    """The chance that the number is too large: b."""
    unit: int = 1
    """How many units a whole record weighs: U."""

    @classmethod
    def of(cls, rate: Fraction, intervals: Intervals, unit: int = 1, numbers: int = 1) -> NoisyCount:
        """Return one of the `numbers` behind these intervals. Raises ParameterError where it would be of no use."""
        if rate * LARGEST_SCALE < unit:
            raise ParameterError("privacy", "must be larger for a noisy count.")
        return cls(rate, float(OF_FAILURES) * (1 - intervals.chance) / numbers, unit)

    @property
    def margin(self) -> int:
        """Return by how many units the noise is too large with at most that chance: c."""
        rate = float(self.rate / self.unit)
        return ceil((-log(self.failing) - log1p(exp(-rate))) / rate * (1 + 1e-9))

    def noisy(self, sizes: Integers, entropy: Entropy) -> Integers:
        """Return noisy numbers in units, of the shape of `sizes`, which are the true ones: they may be shown."""
        noise = entropy.discrete_laplace(Size(self.unit / self.rate), sizes.shape)
        return np.asarray(sizes + noise, dtype=np.int64)

    def told(self, noisy: int) -> str:
        """Return a noisy number for people, in whole records or in tenths of a person."""
        return f"{noisy:,}" if self.unit == 1 else f"{noisy / self.unit:,.1f}"

    def at_least(self, noisy: int) -> int:
        """Return the number of whole records that the ends are laid for."""
        surely = min(max((noisy - self.margin) // self.unit, 1), MOST_RECORDS)
        return surely - surely % (1 << max(surely.bit_length() - 1 - FINEST, 0))


def refuse_chance(intervals: Intervals) -> None:
    """Raise ParameterError for a chance that leaves too little for a number that may be too large."""
    if intervals.chance > LARGEST_CHANCE:
        raise ParameterError("about_n", f"must be a number for a chance above {100 * LARGEST_CHANCE:.1f} %.")


def of_the_ends(intervals: Intervals) -> Intervals:
    """Return the intervals with what a number that may be too large leaves of the chance to fail."""
    return replace(intervals, chance=1 - (1 - intervals.chance) * float(1 - OF_FAILURES))


PART = f"{100 * float(SHARE):g} %"
"""Of the budget, for a noisy count."""
MOST_TOLD = 20
"""Up to this number of groups, a sentence lists the noisy number of each."""


@dataclass(frozen=True, eq=False, repr=False)
class ColumnsOfOne(Mapping[str, Column]):
    """The whole columns of one table, with records of the same persons."""

    columns: Mapping[str, Column]
    in_all: int
    """The number of records that all columns have in common; private."""

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


@dataclass(frozen=True)
class Count:
    """The noisy numbers by which the intervals of a column are computed: one of its own, or two of its table."""

    asked: Intervals
    number: NoisyCount
    """Of the column's records; of a table, of those that all of its counted columns have."""
    shares: bool
    """Whether all rows of a person weigh 1 together, so that persons are counted."""
    in_groups: bool = False
    """Whether the records of each group are counted."""
    besides: NoisyCount | None = None
    """Of a table: of the column's further records."""
    columns: int = 1
    """How many columns are counted together."""

    @property
    def failing(self) -> float:
        """Return the chance that the number of records is too large."""
        return self.number.failing if self.besides is None else 2 * self.number.failing

    def at_least(self, noisy: Integers) -> int:
        """Return the number of records for which the ends are computed, from the noisy numbers of a trial."""
        first, *more = noisy.tolist()
        margin = 0 if self.besides is None else self.besides.margin
        return self.number.at_least(first + sum(max(own - margin, 0) for own in more))

    @property
    def many(self) -> str:
        """Return what is counted."""
        return "persons" if self.shares else "records"

    def told(self, noisy: Integers) -> str:
        """Return the noisy numbers in a sentence; they may be shown."""
        first, *more = noisy.tolist()
        if not more:
            return f"A noisy count of the {self.many}: {self.number.told(first)}."
        return f"Noisy counts of the {self.many}: {first:,} that every column has, and {more[0]:,} more here."

    def told_of_groups(self, noisy: Mapping[GroupName, int]) -> str:
        """Return the noisy numbers of groups in a sentence; of many groups the least and the most."""
        if len(noisy) > MOST_TOLD:
            least, most = self.number.told(min(noisy.values())), self.number.told(max(noisy.values()))
            return f"Noisy counts of the {self.many} of {len(noisy):,} groups: {least} to {most}."
        each = ", ".join(f"{name_in_words(name)}: {self.number.told(one)}" for name, one in noisy.items())
        return f"Noisy counts of the {self.many}: {each}."

    def basis(self, at_least: int, *, proved: bool) -> Basis:
        """Return what intervals rest on, with the whole chance that was asked for."""
        of_what = sentences_of(self.asked, proved, in_groups=self.in_groups, shares=self.shares)[:2]
        if self.in_groups:
            what = "What the rows of each group weigh, in persons, is"
            what = what if self.shares else "The records of each group are"
            counted = (
                f"{what} counted with noise first, from {PART} of the budget. The number of a group is too large with "
                f"a chance of {100 * self.failing:.2g} % at most, which is counted in."
            )
            return Basis(proved, (*of_what, counted))
        number = f"There are {at_least:,} {self.many} or more, by a noisy count from {PART} of the budget."
        if self.besides is not None:
            number = (
                f"The column has {at_least:,} {self.many} or more, by a noisy count once for {self.columns} columns of "
                f"the table, from {PART} of their budget."
            )
        too_many = f"That is too many with a chance of {100 * self.failing:.2g} % at most, which is counted in."
        return Basis(proved, (*of_what, f"{number} {too_many}"))


def records_in_all(
    columns: Mapping[str, NDArray[np.generic]],
    stand_ins: Mapping[str, Number | None],
    people: People | None,
    max_rows_per_person: int | None,
) -> int:
    """Return how many records all columns have of the same persons: of each the least that a column has. Private.

    A person has a record in a column where a row has a value, or up to `max_rows_per_person` of them. O(rows) for each
    column.
    """
    least: Integers | None = None
    for name, stand_in in stand_ins.items():
        column = columns[name]
        there = np.ones(column.size, np.bool_)
        if stand_in is None and column.dtype.kind == "f":
            there = np.isfinite(column)
        if people is None:
            own = there.astype(np.int64)
        elif max_rows_per_person is None and stand_in is not None:
            own = np.ones(people.count, np.int64)
        else:
            rows = np.bincount(people.codes[there & (people.codes >= 0)], minlength=people.count)
            own = np.minimum(rows, max_rows_per_person or 1)
        least = own if least is None else np.minimum(least, own)
    assert least is not None, "a table has columns"
    return int(least.sum())


@dataclass(frozen=True)
class CountedOnce:
    """The noisy numbers of a table: one for all of its counted columns, and one more for each."""

    names: tuple[str, ...]
    """The counted columns, two or more."""
    rate: Fraction
    """The epsilon of all numbers for one record: e."""
    besides: int
    """How many of the numbers n_c - m may change by a person who has no record common to all columns."""

    @classmethod
    def of(cls, names: tuple[str, ...], rate: Fraction, columns: int) -> CountedOnce:
        """Return the numbers of these columns of a table. Raises ParameterError where they would be of no use."""
        found = cls(names, rate, len(names) - 1 if len(names) == columns else len(names))
        found.of_more(Intervals(0.5))
        return found

    def of_all(self, asked: Intervals) -> NoisyCount:
        """Return the number of records that all columns have in common, for the intervals of one of them."""
        return NoisyCount.of(self.rate, asked, numbers=2)

    def of_more(self, asked: Intervals) -> NoisyCount:
        """Return the number of further records of a column."""
        return NoisyCount.of(self.rate / self.besides, asked, numbers=2)

    def noisy(self, table: ColumnsOfOne, entropy: Entropy) -> dict[str, Integers]:
        """Return two noisy numbers for each column, (trials, 2): common and further records. They may be shown."""
        more = np.array([table[name].n - table.in_all for name in self.names])
        assert (more >= 0).all(), "no column has fewer records than all have"
        any_chance = Intervals(0.5)  # margins are subtracted later: the noise does not depend on them
        of_all = self.of_all(any_chance).noisy(np.full(entropy.trials, table.in_all), entropy)
        besides = self.of_more(any_chance).noisy(np.tile(more, (entropy.trials, 1)), entropy)
        return {name: np.stack([of_all, besides[:, at]], axis=1) for at, name in enumerate(self.names)}

    def of_column(self, asked: Intervals, *, shares: bool) -> Count:
        """Return the numbers by which the intervals of one of the columns are computed."""
        return Count(asked, self.of_all(asked), shares, besides=self.of_more(asked), columns=len(self.names))
