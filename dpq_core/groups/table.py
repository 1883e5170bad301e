"""Groups: one column for each group of a table, sorted once by group and value. Mechanisms read nothing else.

The names of groups are a public list. Rows of other groups are dropped, or pooled as one more group; a listed group may
be empty. Without a list every group of the data is a candidate, and a release decides privately which of them to name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arrays import ColumnLike, Integers, chunks
from ..domain.domain import Domain
from ..domain.numbers import Number
from ..errors import DataError, Name, ParameterError, is_real, shown
from ..noise.tie_breaking import tie_breaking
from ..people.ids import UNSAID, People
from ..people.takes import PerPerson, checked_per_person, refuse_other_rows
from ..privacy.composition import GroupsPerPerson
from ..sample import Sample, checked_bits, checked_seed, encode_records, exact_missing
from ..values import numeric_column
from .bounding import bounded, shared_rows, shares_in
from .names import (
    GroupCodes,
    GroupName,
    GroupsLike,
    as_name,
    checked_names,
    codes_of,
    names_in,
)

MOST_BITS = 63
"""Of a group and a sub-index together: they stay non-negative integers of 64 bits."""
MOST_GROUPS_EACH = 1000
"""More groups per person would leave each less than a thousandth of the budget."""
NO_GROUP = "No group is large enough to be named."
"""The message where groups had to be found and none was."""
FINDING_SHARE = 0.1
"""The share of epsilon for finding groups. A group needs about the inverse of this epsilon in people to be found; a
tenth costs the answers little."""


class Groups(Sample):
    """Hold the records of all groups; `Groups.from_values` makes it."""

    @classmethod
    def from_values(  # type: ignore[override]
        cls,
        values: ColumnLike,
        groups: GroupsLike,
        domain: Domain,
        *,
        names: Iterable[GroupName] | None,
        people: People | None = None,
        max_groups_per_person: GroupsPerPerson = 1,
        per_person: PerPerson | None = None,
        max_rows_per_person: int | None = None,
        other: GroupName | None = None,
        finding: float = FINDING_SHARE,
        seed: int | None = None,
        missing: Number | None = None,
        tie_bits: int | None = None,
    ) -> Groups:
        """Return the Groups of two columns of a table, values and groups, with one row for each record.

        `names`: the groups to answer, from public knowledge and never from the data: texts, numbers, truth values or
        dates, each a name that a row can have. Rows of other groups and of none are dropped, or pooled in one more
        group named `other`. With None a release finds the groups with many people, for the part `finding` of its
        epsilon and some of its delta.

        `people` own the rows, one or several each. A person is in at most `max_groups_per_person` groups; further
        groups of a person are dropped at random. In each group one number of a person counts, as `per_person` says (see
        `Sample.from_values`; by default one row at random), or up to `max_rows_per_person` of the rows. A release
        divides its budget by the groups per person times `max_rows_per_person`; choose both from public knowledge. With
        max_groups_per_person="any" up to `max_rows_per_person` rows of a person count in all listed groups together,
        and the budget is divided by `max_rows_per_person` alone. With per_person="weight" all rows of a person count,
        in all listed groups, with a weight of 1 together, and every group has the whole budget.

        A replaced person (SUBSTITUTE) may leave one group and join another, so sizes are private, and the budget is
        halved.

        The rest is as in `Sample.from_values`. O(n log n) time, about four arrays of n. Raises DataError,
        ParameterError.
        """
        seed, bits = checked_seed(seed), checked_bits(tie_bits, domain)
        finding_share = _checked_finding(finding, other) if names is None else None
        listed = names_in(groups) if names is None else checked_names(names, other)
        most = _checked_most(max_groups_per_person, people, max_rows_per_person)
        per_person, max_rows_per_person = _checked_rule(per_person, max_rows_per_person, people, most)
        column, codes = numeric_column(values), codes_of(groups, listed, pooled=other is not None)
        if codes.size != column.size:
            raise DataError("the groups must be one column, with one group for each value.")
        if people is not None:
            refuse_other_rows(people, column.size)
        known: dict[str, Any] = {
            "names": listed, "protects": "record" if people is None else "person", "max_groups_per_person": most,
            "finding": finding_share, "pooled": other is not None, "per_person": per_person,
            "max_rows_per_person": max_rows_per_person, "missing": exact_missing(missing),
            "whose": UNSAID if people is None else people.whose,
        }  # fmt: skip
        dropped, persons = 0, None
        if people is not None:
            in_file = column.astype(np.float64, copy=False)
            if per_person == "weight":
                shared = shared_rows(in_file, codes, len(listed), people, domain, missing, bits, seed)
                persons = shares_in(codes, len(listed), people) if names is None else None
                return cls(
                    shared.cells, domain, bits, seed, shared.dropped, weights=shared.weights,
                    group_starts=shared.starts, persons=persons, **known,
                )  # fmt: skip
            kept = bounded(
                in_file, codes, people, most, per_person, max_rows_per_person, domain, seed=seed,
                count_missing=missing is not None,
            )  # fmt: skip
            column, codes, dropped = kept.values, kept.codes, kept.dropped
            if max_rows_per_person is not None:
                persons = np.append(kept.persons, np.zeros(len(listed) - kept.persons.size, np.int64))
        used = codes >= 0
        if missing is None and column.dtype.kind == "f":
            used &= np.isfinite(column)
        stand_in = domain.lower if missing is None else missing
        cells = encode_records(column, domain, stand_in, bits, tie_breaking(column.size, bits, seed))
        if lost := used.size - int(np.count_nonzero(used)):
            cells, codes = cells[used], codes[used]
        ordered, starts = by_group(cells, codes, len(listed), domain.places(bits).count)
        return cls(ordered, domain, bits, seed, lost + dropped, group_starts=starts, persons=persons, **known)

    def place_of(self, name: object) -> int:
        """Return the place of the group of this name. Raises ParameterError."""
        known = as_name(name)
        if known is None or known not in self.names:
            raise ParameterError("group", f"must be the name of one of these groups, got {shown(name)}.")
        return self.names.index(known)

    def sample_of(self, name: object) -> Sample:
        """Return the records of the group of this name as a Sample of their own. Private. Raises ParameterError."""
        return self.column(self.place_of(name))


def by_group(cells: Integers, codes: GroupCodes, groups: int, slots: int) -> tuple[Integers, Integers]:
    """Return the sub-indices sorted by (group, sub-index), and where each group begins; changes `cells`.

    Where both fit into one number of 64 bits, these are sorted; else rows are counted into their groups, each sorted.
    """
    bits = (slots - 1).bit_length()
    if bits + (groups - 1).bit_length() <= MOST_BITS:
        for some in chunks(cells.size):
            cells[some] |= codes[some].astype(np.int64) << bits
        cells.sort()
        firsts = np.arange(groups, dtype=np.int64) << bits
        starts = np.append(np.searchsorted(cells, firsts), cells.size).astype(np.int64)
        cells &= (1 << bits) - 1
    else:
        from scipy.sparse import csr_array

        ends = np.array([0, cells.size], codes.dtype if cells.size < 2**31 else np.int64)
        counted = csr_array((cells, codes, ends), shape=(1, groups)).tocsc()
        cells, starts = counted.data, counted.indptr.astype(np.int64)
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            cells[start:end].sort()
    cells.flags.writeable = False
    return cells, starts


def _checked_most(most: object, people: People | None, max_rows_per_person: object) -> GroupsPerPerson:
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
    if most > 1 and people is None:
        raise ParameterError(
            "max_groups_per_person", ("must be 1 without ", Name("people"), ": a row is in one group.")
        )
    return int(most)


def _checked_rule(
    per_person: PerPerson | None, max_rows_per_person: int | None, people: People | None, most: GroupsPerPerson
) -> tuple[PerPerson | None, int | None]:
    """Return how a person's rows in a group count: as one record, and how it is computed, or as several."""
    if people is None:
        if max_rows_per_person is not None:
            raise ParameterError(
                "max_rows_per_person", ("must go with ", Name("people"), ": a row is a record without them.")
            )
        return None, None
    per_person, max_rows_per_person = checked_per_person(
        "random" if per_person is None and max_rows_per_person is None else per_person, max_rows_per_person
    )
    if per_person == "weight" and most != 1:
        raise ParameterError(
            "max_groups_per_person", "must be left out for per_person='weight': all groups of a person count."
        )
    return per_person, max_rows_per_person


def _checked_finding(share: object, other: GroupName | None) -> float:
    if other is not None:
        raise ParameterError("other", ("must go with a list of ", Name("names"), "."))
    if not (is_real(share) and 0 < share < 1):
        raise ParameterError("finding", f"must be > 0 and < 1, got {shown(share)}.")
    return float(share)
