"""Count the rows of one table once, with noise, for all whole columns whose intervals rest on how many they have.

Each column has records of its own, n_c of them, where values are missing. So the table is counted in d + 1 numbers: m,
how many records every column has of the same persons, and for each of the d columns n_c - m, how many more it has. Of a
person with a_c records in column c, m counts the least, a = min a_c, and n_c - m counts a_c - a.

Claim. With noise of rate e on m and of rate e / (d - 1) on each n_c - m all numbers together cost k e, for a person
with at most k records in each column. For m changes by a, which costs a e; and n_c - m by a_c - a <= k - a, but by 0 in
the column that has the least, so that these cost at most (d - 1) (k - a) e / (d - 1) = (k - a) e. So a person who has a
value everywhere pays for m alone, and others pay no more: what the columns have besides costs nothing. Where one is
replaced the old records leave and the new ones come: 2 k e. Counted column by column, each number would have the d-th
part of e.

The column that has the least must be one of the d. Where m is of more columns than are counted, all d numbers n_c - m
may change by k - a, so each has rate e / d (`CountedOnce.besides`).

N_m - c_m + max(0, N_c - c_c) is at most n_c, but for the chance that one of two noises passes its margin: each has half
of the chance that `intervals.counted` leaves to a number that is too large. That holds for each column whatever the
numbers have to do with one another, and so do its intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..arrays import Integers
from ..finding import RawSample, basis_of_count, intervals_of, is_counted
from ..groups import Groups
from ..intervals import SHARE, Basis, NoisyCount, of_the_ends
from ..noise import Entropy
from ..plan import Intervals, Plan
from ..privacy import Guarantee, Protects
from ..sketches import Data
from .source import Source, whole_of


@dataclass(frozen=True, eq=False, repr=False)
class ColumnsOfOne(Mapping[str, Source]):
    """The whole columns of one table, whose records are those of the same persons."""

    columns: Mapping[str, Source]
    in_all: int
    """How many records all columns have of the same persons: m; private."""

    def __getitem__(self, name: str) -> Source:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def records_of(self, name: str) -> int:
        """Return how many records a column has, or persons where all rows of a person weigh 1; private."""
        whole = whole_of(self.columns[name])
        assert not isinstance(whole, Groups), "columns in one piece"
        return whole.n


@dataclass(frozen=True)
class CountedOnce:
    """The noisy numbers of a table: one for all of its counted columns, and one more for each."""

    names: tuple[str, ...]
    """Of the counted columns, two or more."""
    rate: Fraction
    """The epsilon of all numbers for one record: e."""
    besides: int
    """How many of the numbers n_c - m a person may change who has no record in all columns."""

    @classmethod
    def of(cls, names: tuple[str, ...], rate: Fraction, columns: int) -> CountedOnce:
        """Return the numbers of these columns of a table. Raises ParameterError where they would be of no use."""
        found = cls(names, rate, len(names) - 1 if len(names) == columns else len(names))
        found.of_more(Intervals(0.5))
        return found

    def of_all(self, asked: Intervals) -> NoisyCount:
        """Return the number of the records that all columns have, for the intervals of one of them."""
        return _half_as_often(NoisyCount.of(self.rate, asked))

    def of_more(self, asked: Intervals) -> NoisyCount:
        """Return the number of the records that a column has besides."""
        return _half_as_often(NoisyCount.of(self.rate / self.besides, asked))

    def draw(self, table: ColumnsOfOne, entropy: Entropy) -> dict[str, Integers]:
        """Return for each column its noisy numbers, (trials, 2): of all, and of what it has besides. May be shown."""
        more = np.array([table.records_of(name) - table.in_all for name in self.names])
        assert (more >= 0).all(), "no column has fewer records than all have"
        any_chance = Intervals(0.5)  # margins are subtracted later: the noise does not depend on them
        of_all = self.of_all(any_chance).draw(np.full(entropy.trials, table.in_all), entropy)
        besides = self.of_more(any_chance).draw(np.tile(more, (entropy.trials, 1)), entropy)
        return {name: np.stack([of_all, besides[:, at]], axis=1) for at, name in enumerate(self.names)}

    def at_least(self, asked: Intervals, of_all: int, besides: int) -> int:
        """Return for how many records the ends of a column's intervals are laid."""
        return self.of_all(asked).at_least(of_all + max(besides - self.of_more(asked).margin, 0))


@dataclass(frozen=True)
class AwaitsCount:
    """A column whose intervals are laid once the table has been counted; its part of the budget is fixed before."""

    plan: Plan
    """With its part of the budget, and with its intervals and the noisy number as they were asked for."""
    protects: Protects
    counting: CountedOnce

    @property
    def n_public(self) -> int | None:
        """Return None: otherwise nothing would be counted."""
        return None

    @property
    def guarantee(self) -> Guarantee:
        """Return what the answers guarantee, whichever levels are drawn for the ends: their part of the budget."""
        return Guarantee.of(self.plan.privacy, self.plan.adjacency, self.protects)

    @property
    def asked(self) -> Intervals:
        """Return the intervals that the plan asks for."""
        return intervals_of(self.plan)

    def at_least(self, numbers: Integers) -> int:
        """Return for how many records the ends are laid, of the two noisy numbers of this column."""
        of_all, besides = numbers.tolist()
        return self.counting.at_least(self.asked, of_all, besides)

    def counted(self, at_least: int) -> Plan:
        """Return the plan of the answers, with a number of records and what that leaves of the chance to fail."""
        return replace(self.plan, intervals=of_the_ends(self.asked), about_n=at_least)

    def basis(self, found: Basis | None, at_least: int, *, shares: bool) -> Basis | None:
        """Return what the intervals rest on, with the whole chance that was asked for."""
        if found is None:
            return None
        many = "persons" if shares else "records"
        number = (
            f"The column has {at_least:,} {many} or more, by a noisy count once for {len(self.counting.names)} columns "
            f"of the table, from {100 * float(SHARE):g} % of their budget."
        )
        failing = 2 * self.counting.of_all(self.asked).failing
        return basis_of_count(self.asked, number, failing, proved=found.proved, shares=shares)

    def told(self, numbers: Integers, *, shares: bool) -> str:
        """Return the noisy numbers in a sentence."""
        many = "persons" if shares else "records"
        of_all, besides = numbers.tolist()
        return f"Noisy counts of the {many}: {of_all:,} that every column has, and {besides:,} more here."


def counted_once(samples: Mapping[str, Source], plans: Mapping[str, Plan]) -> tuple[str, ...]:
    """Return the columns that a table counts once for all of them; none where fewer than two are to be counted.

    What has to be counted is decided by public facts. Raises ParameterError, DataError.
    """
    if not isinstance(samples, ColumnsOfOne):
        return ()
    names = tuple(name for name, plan in plans.items() if is_counted(_public_part(samples[name]), plan))
    return names if len(names) > 1 else ()


def _public_part(sample: Source) -> Data:
    """Return the column as `is_counted` asks for it: on the finest grid where bounds are to be found."""
    found = sample.on_any_grid if isinstance(sample, RawSample) else sample
    assert isinstance(found, Data), "a column in one piece"
    return found


def _half_as_often(number: NoisyCount) -> NoisyCount:
    """Return a number that may be too large half as often: two of them may be."""
    return replace(number, chance=1 - (1 - number.chance) / 2)
