"""Tables of persons for exact losses: neighbours by one person, and every outcome of a random choice of rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Integers
from ..column import Column
from ..domain.domain import Domain
from ..errors import Name, ParameterError
from ..people.ids import Ids, People
from ..people.takes import PerPerson
from ..privacy.budgets import Adjacency

MOST_CHOICES = 100_000
Records = tuple[int, ...]
"""Sorted grid indices."""


@dataclass(frozen=True)
class Table:
    """A small table: a value for each row, and the code of the person whose row it is (-1: nobody's)."""

    values: ArrayLike
    people: People

    def rows(self) -> dict[int, list[float]]:
        """Return each person's values by the person's code, in their order, NaN for a missing one."""
        found: dict[int, list[float]] = defaultdict(list)
        for code, value in zip(self.people.codes.tolist(), np.asarray(self.values, np.float64).tolist(), strict=True):
            if code >= 0:
                found[code].append(value)
        return found

    def column(self, domain: Domain, per_person: PerPerson | None, max_rows_per_person: int | None) -> Column:
        """Return the Column that a release would read, without tie-breaking bits. Raises ParameterError, DataError."""
        _, own = np.unique(self.people.codes[self.people.codes >= 0], return_inverse=True)
        codes = np.full(self.people.codes.size, -1, np.int32)
        codes[self.people.codes >= 0] = own
        people = People(codes, int(codes.max(initial=-1)) + 1)
        return Column.from_values(
            self.values,
            domain,
            seed=0,
            tie_bits=0,
            people=people,
            per_person=per_person,
            max_rows_per_person=max_rows_per_person,
        )

    def reads(
        self, domain: Domain, per_person: PerPerson | None, max_rows_per_person: int | None
    ) -> list[tuple[float, Integers]]:
        """Return all that a mechanism may read, each with its chance. Raises ParameterError as `chances`."""
        if per_person == "weight":
            # only mechanisms that read any sorted cells come here: others were refused with the column
            return [(1.0, cast(Integers, self.column(domain, per_person, max_rows_per_person).records))]
        found = self.chances(domain, per_person, max_rows_per_person)
        return [(float(chance), np.array(records, np.int64)) for records, chance in found.items()]

    def chances(
        self, domain: Domain, per_person: PerPerson | None, max_rows_per_person: int | None
    ) -> dict[Records, Fraction]:
        """Return the records that a mechanism may read, with their chances: all sets of rows of a person are as likely.

        Raises ParameterError for more than 100,000 choices.
        """
        kept = 1 if per_person == "random" else max_rows_per_person
        if kept is None:
            return {tuple(self.column(domain, per_person, max_rows_per_person).cells.tolist()): Fraction(1)}
        own = [[v for v in values if np.isfinite(v)] for values in self.rows().values()]
        if prod(comb(len(values), min(kept, len(values))) for values in own) > MOST_CHOICES:
            raise ParameterError("max_rows_per_person", "must leave fewer choices of rows for an exact audit.")
        found: dict[Records, Fraction] = {(): Fraction(1)}
        for values in own:
            cells = domain.encode(np.array(values, np.float64)).tolist()
            sets = Counter(combinations(sorted(cells), min(kept, len(cells))))
            after: dict[Records, Fraction] = defaultdict(Fraction)
            for records, chance in found.items():
                for chosen, times in sets.items():
                    after[tuple(sorted((*records, *chosen)))] += chance * Fraction(times, sets.total())
            found = after
        return found


def are_neighbours(only_a: int, only_b: int, adjacency: Adjacency) -> bool:
    """Return whether data sets are neighbours, or the same, by how many records or persons only one of them holds."""
    return only_a + only_b <= 1 if adjacency is Adjacency.ADD_REMOVE else only_a == only_b <= 1


def tables_of(
    data_a: ArrayLike, data_b: ArrayLike, people: tuple[Ids, Ids], adjacency: Adjacency
) -> tuple[Table, Table]:
    """Return two tables with one code for each person of both. Raises ParameterError unless one person changed."""
    ids_a, ids_b = (list(ids) for ids in people)  # type: ignore[arg-type]  # what is no column is refused below
    both = People.of([*ids_a, *ids_b])
    if len(ids_a) != np.size(data_a) or len(ids_b) != np.size(data_b):
        raise ParameterError("people", "must be two columns of ids, with one id for each value.")
    first = Table(data_a, People(both.codes[: len(ids_a)], both.count))
    second = Table(data_b, People(both.codes[len(ids_a) :], both.count))
    a, b = first.rows(), second.rows()
    changed = [code for code in a.keys() | b.keys() if repr(a.get(code)) != repr(b.get(code))]
    only_a, only_b = sum(code in a for code in changed), sum(code in b for code in changed)
    if not are_neighbours(only_a, only_b, adjacency):
        raise ParameterError(
            "data_b", ("must differ from ", Name("data_a"), f" by all rows of one person: {adjacency.in_words}.")
        )
    return first, second
