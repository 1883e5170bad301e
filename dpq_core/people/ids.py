"""Turn a column of ids into integer codes, one for each person; the ids themselves are not stored."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import ArrowLike, Flags, Integers, chunks
from ..errors import DataError
from ..values import batches_of, is_arrow, mixed_column
from .identity import id_of, identity

if TYPE_CHECKING:  # it is loaded where there is a column of Arrow
    import pyarrow as pa

Ids: TypeAlias = ArrayLike | Sequence[object] | ArrowLike
"""Any one-dimensional column of texts, numbers, dates, UUIDs or tuples of these; a missing one may be None or NaN."""
Codes: TypeAlias = NDArray[np.int32]
"""For each row the number of its person, from 0; -1 where the row belongs to nobody."""

Form: TypeAlias = Callable[[object], Hashable | None]

MOST_TABLE_ROWS = 2**31 - 1
NO_IDS = "the ids must be one column, with one id for each row; missing ones may be None or NaN."


class RowsByPerson(NamedTuple):
    """Rows in the order of persons, and of rows within each."""

    rows: NDArray[np.int32]
    starts: Integers
    """Where each person's begin, and the number of all, (persons + 1,)."""


class Whose(NamedTuple):
    """How a table says whose row each is: public facts, which belong to the request for a release."""

    column: str = ""
    """The name of the column of ids; "" where nobody said it."""
    missing_is_person: bool = False
    """Whether a row without an id is a person of its own."""


UNSAID = Whose()


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """Hold the rows of a table by person: a code for each row, and no ids. `People.of` makes it.

    `count` is the number of persons. It is private if a person may join or leave, and so are the codes.
    """

    codes: Codes
    count: int
    ordered: RowsByPerson | None = None
    """The same by person, if it was found on the way and every row has a person."""
    whose: Whose = UNSAID

    @classmethod
    def of(cls, ids: Ids, *, missing_is_person: bool = False) -> People:
        """Return the persons behind a column of ids, one id for each row.

        Ids are equal if their `id_of` is equal: numbers exactly (1, 1.0 and "1" are), texts as files have them,
        moments and durations in any unit. None, NaN, blank texts and words such as NA are missing: such a row
        belongs to nobody, and is dropped (which only ADD_REMOVE allows); with `missing_is_person` it belongs to a
        person without other rows. O(n log n) for integers, else about O(n). Raises DataError, which quotes no id.
        """
        from .coded import coded

        column = _column(ids)
        if not isinstance(column, np.ndarray):
            return cls.of_coded(map(coded, batches_of(column)), missing_is_person=missing_is_person)
        codes, persons = by_identity(column, id_of)
        return cls._of_codes(codes, len(persons), missing_is_person)

    @classmethod
    def of_coded(cls, parts: Iterable[pa.Array], *, missing_is_person: bool = False) -> People:
        """Return the persons behind ids of which `coded` made these parts. Raises DataError."""
        from .coded import in_numbers

        numbers = in_numbers(parts)
        if len(numbers) > MOST_TABLE_ROWS:
            raise DataError(NO_IDS)
        there = numbers.is_valid().to_numpy() if numbers.null_count else None
        codes, count, ordered = _codes_by_sorting(np.array(numbers.fill_null(0).to_numpy()), there)
        return cls._of_codes(codes, count, missing_is_person, ordered)

    @classmethod
    def _of_codes(
        cls, codes: Codes, count: int, missing_is_person: bool, ordered: RowsByPerson | None = None
    ) -> People:
        if missing_is_person and ordered is None:
            nobody = np.flatnonzero(codes < 0)
            codes[nobody] = np.arange(count, count + nobody.size)
            count += nobody.size
        codes.flags.writeable = False
        return cls(codes=codes, count=count, ordered=ordered, whose=Whose(missing_is_person=missing_is_person))

    def __repr__(self) -> str:
        return "People()"  # no counts: private

    def of_column(self, name: str) -> People:
        """Return the same persons with the name of the column of their ids."""
        return replace(self, whose=self.whose._replace(column=name))

    @property
    def nobodys(self) -> int:
        """Return how many rows belong to nobody; private."""
        return int(np.count_nonzero(self.codes < 0))


def distinct_ids(ids: Ids) -> tuple[Codes, list[Hashable]]:
    """Return for each row which id it has, -1 where none, and their `id_of`. Raises DataError."""
    from .coded import coded, joined

    column = _column(ids)
    if isinstance(column, np.ndarray):
        return by_identity(column, id_of)
    held = joined(map(coded, batches_of(column))).combine_chunks().dictionary_encode()
    held = held.combine_chunks() if hasattr(held, "num_chunks") else held
    codes = held.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, list(map(id_of, held.dictionary.to_pylist()))


def _column(ids: Ids) -> Any:
    """Return ids as Arrow, or as objects of numpy where they are of several kinds or Arrow does not have theirs.

    Raises DataError.
    """
    import pandas as pd
    import pyarrow as pa

    if is_arrow(ids):
        return ids
    column = mixed_column(ids)
    if column is None or column.size > MOST_TABLE_ROWS:
        raise DataError(NO_IDS)
    kind = column.dtype.kind
    moments = kind in "mM" and column.dtype.str[3:] in _IN_ARROW  # others would wrap around
    of_one_kind = kind in "iubfU" or moments or pd.api.types.infer_dtype(column, skipna=True) in _IN_ARROW
    try:
        if of_one_kind:
            return pa.array(column, from_pandas=True)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError):  # half a character, a number of 65 bits
        pass
    objects = np.empty(column.size, dtype=object)
    objects[:] = list(column)  # `astype` would make plain numbers of durations
    return objects


_IN_ARROW = frozenset(["string", "integer", "[s]", "[ms]", "[us]", "[ns]"])
"""Kinds of objects, and units of moments and durations, that are compared as columns of Arrow of these types."""


def _codes_by_sorting(numbers: Integers, there: Flags | None) -> tuple[Codes, int, RowsByPerson | None]:
    """Return codes in the order of the numbers, which are changed; -1 where there is none."""
    codes = np.full(numbers.size, -1, np.int32)
    if there is None:
        codes, places, is_new = ranked(numbers)
        starts = np.append(np.flatnonzero(is_new), places.size)
        return codes, starts.size - 1, RowsByPerson(places, starts) if places.size else None
    codes[there], _, is_new = ranked(numbers[there])
    return codes, int(np.count_nonzero(is_new)), None


def ranked(numbers: Integers) -> tuple[Codes, NDArray[np.int32], Flags]:
    """Return for each number which of the distinct ones it is, in their order, and the places in the order of numbers.

    Also whether each of these places begins another number. Number and place are packed into one integer, and sorted
    in place: `numbers` is changed, and nothing larger than it is made.
    """
    places, bits = np.empty(numbers.size, np.int32), (numbers.size - 1).bit_length()
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    if (high - low).bit_length() + bits > 63:
        places[:] = np.argsort(numbers, kind="stable")
        numbers = numbers[places]
    else:
        for some in chunks(numbers.size):
            numbers[some] = numbers[some] - low << bits | np.arange(some.start, some.stop)
        numbers.sort()
        for some in chunks(numbers.size):
            places[some] = numbers[some] & (1 << bits) - 1
            numbers[some] >>= bits
    is_new = np.ones(numbers.size, np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=is_new[1:])
    codes = np.empty(numbers.size, np.int32)
    codes[places] = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
    return codes, places, is_new


def by_identity(column: NDArray[np.generic], form: Form = identity) -> tuple[Codes, list[Hashable]]:
    """Return for each cell of a column of objects which identity it has, -1 where it is missing, and all of these.

    In the order in which they come first; `form`: `identity`, or `id_of` for ids. Raises DataError.
    """
    import pandas as pd

    if pd.api.types.infer_dtype(column, skipna=True) not in _COMPARED_ALIKE:
        return _numbered(column, form)
    alike, found = pd.factorize(column)
    codes, persons = _numbered(found, form)
    return np.append(codes, np.int32(-1))[alike], persons  # a missing one has the code -1, which is the last place


_COMPARED_ALIKE = frozenset(["string", "integer", "bytes"])
"""Kinds of cells that are equal as they come only where their identities are: these are found for each one once."""


def _numbered(cells: Iterable[object], form: Form) -> tuple[Codes, list[Hashable]]:
    known: dict[Hashable, int] = {}
    persons = map(form, cells)
    codes = [-1 if person is None else known.setdefault(person, len(known)) for person in persons]
    return np.array(codes, np.int32), list(known)
