"""Count the rows of one table once, with noise, for all whole columns whose intervals need a number of records.

Values may be missing, so column c has its own number of records, n_c. The table is counted in d + 1 numbers. m is the
number of records that all columns have in common. For each of the d columns, n_c - m is the number of its further
records. If a person has a_c records in column c, then a = min a_c of them count in m, and a_c - a in n_c - m.

Claim. Put noise of rate e on m, and noise of rate e / (d - 1) on each n_c - m. A person with at most k records in each
column then costs k e in all numbers together. Proof: m changes by a, which costs a e. n_c - m changes by
a_c - a <= k - a, and by 0 in the column where the person has the fewest records, so all of these cost at most
(d - 1) (k - a) e / (d - 1) = (k - a) e. The sum is k e. So counting the further records costs nothing extra. Where one
person is replaced, the old records leave and the new ones come: 2 k e. If each column were counted separately, each
number would have only the d-th part of e.

The column where the person has the fewest records must be one of the d. If m is about more columns than are counted,
all d numbers n_c - m may change by k - a, so each has rate e / d (`CountedOnce.besides`).

N_m - c_m + max(0, N_c - c_c) is at most n_c, unless one of two noises exceeds its margin. Each noise may do so with
half of the chance that `intervals.counted` allows for a number that is too large. By the union bound this holds for
each column even if its numbers depend on each other, and so it holds for the intervals of the column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..arrays import Integers
from ..finding.column import RawSample, Source, whole_of
from ..finding.counting import basis_of_count, intervals_of, is_counted
from ..groups.table import Groups
from ..intervals.counted import SHARE, NoisyCount, of_the_ends
from ..intervals.drawn import Basis
from ..noise.entropy import Entropy
from ..plan import Intervals, Plan
from ..privacy.budgets import Guarantee, Protects
from ..sketches.data import Data


@dataclass(frozen=True, eq=False, repr=False)
class ColumnsOfOne(Mapping[str, Source]):
    """The whole columns of one table, with records of the same persons."""

    columns: Mapping[str, Source]
    in_all: int
    """The number of records that all columns have in common: m; private."""

    def __getitem__(self, name: str) -> Source:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def records_of(self, name: str) -> int:
        """Return the number of records of a column, or of persons where all rows of a person weigh 1; private."""
        whole = whole_of(self.columns[name])
        assert not isinstance(whole, Groups), "columns in one piece"
        return whole.n


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
        return _half_as_often(NoisyCount.of(self.rate, asked))

    def of_more(self, asked: Intervals) -> NoisyCount:
        """Return the number of further records of a column."""
        return _half_as_often(NoisyCount.of(self.rate / self.besides, asked))

    def draw(self, table: ColumnsOfOne, entropy: Entropy) -> dict[str, Integers]:
        """Return two noisy numbers for each column, (trials, 2): common and further records. They may be shown."""
        more = np.array([table.records_of(name) - table.in_all for name in self.names])
        assert (more >= 0).all(), "no column has fewer records than all have"
        any_chance = Intervals(0.5)  # margins are subtracted later: the noise does not depend on them
        of_all = self.of_all(any_chance).draw(np.full(entropy.trials, table.in_all), entropy)
        besides = self.of_more(any_chance).draw(np.tile(more, (entropy.trials, 1)), entropy)
        return {name: np.stack([of_all, besides[:, at]], axis=1) for at, name in enumerate(self.names)}

    def at_least(self, asked: Intervals, of_all: int, besides: int) -> int:
        """Return the number of records for which the intervals of a column are computed."""
        return self.of_all(asked).at_least(of_all + max(besides - self.of_more(asked).margin, 0))


@dataclass(frozen=True)
class AwaitsCount:
    """A column whose intervals are computed after the table is counted; its part of the budget is fixed before."""

    plan: Plan
    """The plan with the column's part of the budget, and with intervals and noisy number as requested."""
    protects: Protects
    counting: CountedOnce

    @property
    def n_public(self) -> int | None:
        """Return None: a column with a public number is not counted."""
        return None

    @property
    def guarantee(self) -> Guarantee:
        """Return the column's part of the budget, which the answers guarantee for any levels drawn for the ends."""
        return Guarantee.of(self.plan.privacy, self.plan.adjacency, self.protects)

    @property
    def asked(self) -> Intervals:
        """Return the intervals that the plan asks for."""
        return intervals_of(self.plan)

    def at_least(self, numbers: Integers) -> int:
        """Return the number of records for which the ends are computed, from the column's two noisy numbers."""
        of_all, besides = numbers.tolist()
        return self.counting.at_least(self.asked, of_all, besides)

    def counted(self, at_least: int) -> Plan:
        """Return the plan of the answers, with a number of records and the remaining chance to fail."""
        return replace(self.plan, intervals=of_the_ends(self.asked), about_n=at_least)

    def basis(self, found: Basis | None, at_least: int, *, shares: bool) -> Basis | None:
        """Return the basis of the intervals, with the whole chance that was requested."""
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
    """Return the columns that share one count of the table; none where fewer than two need one.

    Public facts decide which columns need a count. Raises ParameterError, DataError.
    """
    if not isinstance(samples, ColumnsOfOne):
        return ()
    names = tuple(name for name, plan in plans.items() if is_counted(_public_part(samples[name]), plan))
    return names if len(names) > 1 else ()


def _public_part(sample: Source) -> Data:
    """Return the column as `is_counted` needs it: on the finest grid where bounds are to be found."""
    found = sample.on_any_grid if isinstance(sample, RawSample) else sample
    assert isinstance(found, Data), "a column in one piece"
    return found


def _half_as_often(number: NoisyCount) -> NoisyCount:
    """Return a number with half the chance of being too large, because a column has two of them."""
    return replace(number, chance=1 - (1 - number.chance) / 2)
