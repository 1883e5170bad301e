"""Take one number of each person, or some rows of each: a function of the person's rows and own random words alone.

Claim. Let f(rows) be what is taken of a person: one number, or at most k rows. f reads the person's rows in their
order, the public bounds, and random words that are used for no other person. So if two tables differ by one person,
their records differ by what is taken of that person, and by nothing else: not by order, rounding or chance. That is one
record more or less (`take_one`), or at most k (`some_rows`). The rounding of f depends on the person's rows only: a sum
starts at 0 and adds them one after the other, skipping all other rows of the table. Proof: docs/people-proof.md.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from ..arrays import Floats, Integers
from ..domain.domain import Domain
from ..errors import DataError, Name, ParameterError, shown
from ..noise.tie_breaking import Key, words_for
from .ids import Codes, People, RowsByPerson

USUAL_ROW = "person"
"""What one of the protected is called, where nobody said."""
PLURALS = {"person": "people", "entry": "entries", "": "records"}


def plural_of(one: str) -> str:
    """Return the plural of the word for one row."""
    return PLURALS.get(one, one if one.endswith("s") else f"{one}s")


def count_in_words(count: int, one: str) -> str:
    """Return a number of things: `1 column`, `12,345 rows`."""
    return f"{count:,} {one if count == 1 else plural_of(one)}"


COUNTED = {
    "random": "one of their rows at random", "weight": "all of their rows, which together weigh as much as one",
    "mean": "the mean of their rows", "median": "the (lower) median of their rows",
    "min": "the smallest of their rows", "max": "the largest of their rows", "first": "the first of their rows",
    "last": "the last of their rows",
}  # fmt: skip
"""What counts of a person, by take: the end of a sentence such as "each patient counts once, by"."""


def rule_in_words(per_person: str | None, max_rows_per_person: int | None, one: str) -> str:
    """Return what counts as a sentence: `each patient counts once, by the mean of their rows`."""
    if max_rows_per_person is not None:
        rows = "1 row" if max_rows_per_person == 1 else f"{max_rows_per_person:,} rows"
        return f"at most {rows} of each {one} count{'s' * (max_rows_per_person == 1)}"
    return f"each {one} counts once, by {COUNTED[per_person or 'random']}"


PerPerson: TypeAlias = Literal["mean", "median", "min", "max", "first", "last", "random", "weight"]
WAYS_PER_PERSON: tuple[PerPerson, ...] = get_args(PerPerson)
MOST_ROWS = 1000
"""A larger `max_rows_per_person` would leave each row less than a thousandth of the budget."""
_SCALE = 2.0**-40
"""Numbers are summed in this unit, which is exact and keeps sums of 2^31 rows within the range of a float."""


def checked_per_person(per_person: object, max_rows_per_person: object) -> tuple[PerPerson | None, int | None]:
    """Check `per_person` and `max_rows_per_person`, and return both: one of them is None. Raises ParameterError."""
    if (per_person is None) == (max_rows_per_person is None):
        words = (f"must be one of {', '.join(WAYS_PER_PERSON)}, or left out with ", Name("max_rows_per_person"), ".")
        raise ParameterError("per_person", words)
    if per_person is not None:
        if not (isinstance(per_person, str) and per_person in WAYS_PER_PERSON):
            raise ParameterError("per_person", f"must be one of {', '.join(WAYS_PER_PERSON)}, got {shown(per_person)}.")
        return per_person, None
    if (
        isinstance(max_rows_per_person, bool)
        or not isinstance(max_rows_per_person, int | np.integer)
        or not 1 <= max_rows_per_person <= MOST_ROWS
    ):
        raise ParameterError(
            "max_rows_per_person", f"must be a whole number from 1 to {MOST_ROWS}, got {shown(max_rows_per_person)}."
        )
    return None, int(max_rows_per_person)


def refuse_other_rows(people: object, rows: int) -> None:
    """Raise DataError unless these are the persons of as many rows."""
    if not isinstance(people, People) or people.codes.size != rows:
        raise DataError("the people must be People.of(ids), with one id for each value.")


def take_one(values: Floats, people: People, per_person: PerPerson, domain: Domain, seed: int | Key | None) -> Floats:
    """Return one number for each person, (people.count,); NaN for a person without a finite value.

    With a `seed` a random row is a function of it and of the person's code.
    """
    used = np.isfinite(values) & (people.codes >= 0)
    codes, ordered = people.codes, people.ordered
    if not used.all():
        values, codes, ordered = values[used], codes[used], None
    taken = np.full(people.count, np.nan)
    match per_person:
        case "random":
            rows = some_rows(codes, people.count, 1, seed, ordered)
            taken[codes[rows]] = values[rows]
        case "median":
            cells, starts = _by_person(domain.encode(values), domain.cells.bit_length(), codes, taken.size)
            sizes = np.diff(starts)
            has = sizes > 0
            taken[has] = domain.decode(cells[starts[:-1][has] + (sizes[has] - 1) // 2])
        case "mean":
            _put_means(taken, values, codes, domain)
        case "min":
            taken[codes] = np.inf
            np.minimum.at(taken, codes, values)
        case "max":
            taken[codes] = -np.inf
            np.maximum.at(taken, codes, values)
        case "first":
            taken[codes[::-1]] = values[::-1]  # of several values for one place the last one stays
        case "last":
            taken[codes] = values
        case _:
            raise AssertionError("a weight is no number")
    return taken


def some_rows(
    codes: Codes, count: int, most: int, seed: int | Key | None, ordered: RowsByPerson | None = None
) -> Integers:
    """Return the places of at most `most` rows of each person, chosen at random, by person.

    Every set of `most` rows of a person is equally likely, up to a factor of 1 + rows / 2^64; privacy does not depend
    on this.
    Codes are from 0 to count - 1. O(n log n), and `most` passes over the persons with more rows.
    """
    rows, starts = rows_by_person(codes, count, ordered)
    sizes = np.diff(starts)
    busy = np.flatnonzero(sizes > most)
    here, left = starts[busy], sizes[busy].astype(np.uint64)
    rows = rows.copy() if ordered is not None and busy.size else rows
    for turn in range(most if busy.size else 0):
        there = (words_for(busy, seed, turn) % left).view(np.int64)
        there += here
        chosen = rows[there]
        if turn < most - 1:  # a displaced row may still be chosen
            rows[there] = rows[here]
        rows[here] = chosen
        here += 1
        left -= np.uint64(1)
    edges = np.zeros(rows.size + 1, np.int8)  # the first rows of each person are kept, and those behind them left out
    edges[starts[busy] + most] = 1
    edges[starts[busy + 1]] -= 1
    return np.asarray(rows[np.cumsum(edges[:-1], dtype=np.int8) == 0], dtype=np.int64)


def rows_by_person(codes: Codes, count: int, ordered: RowsByPerson | None = None) -> RowsByPerson:
    """Return the rows in the order of persons; `ordered` if that is given."""
    if ordered is not None:
        return ordered
    rows, starts = _by_person(np.arange(codes.size), codes.size.bit_length(), codes, count)
    return RowsByPerson(rows.astype(np.int32), starts)


def _by_person(numbers: Integers, bits: int, codes: Codes, count: int) -> tuple[Integers, Integers]:
    """Return numbers below 2^bits, in the order of persons and then of size, and where each person's start.

    The second has the shape (count + 1,).
    """
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(codes, minlength=count), out=starts[1:])
    if count.bit_length() + bits > 63:
        return numbers[np.lexsort((numbers, codes))], starts
    packed = codes.astype(np.int64)
    packed <<= bits
    packed |= numbers
    packed.sort()
    packed &= (1 << bits) - 1
    return packed, starts


def _put_means(taken: Floats, values: Floats, codes: Codes, domain: Domain) -> None:
    """Put the mean of each person's values, each moved into the bounds first.

    `bincount` adds each person's numbers one after the other, in the order of the person's rows.
    """
    clipped = np.clip(values, float(domain.lower), float(domain.upper))
    clipped *= _SCALE
    sums = np.bincount(codes, clipped, minlength=taken.size)
    rows = np.bincount(codes, minlength=taken.size)
    np.divide(sums, rows, out=taken, where=rows > 0)
    taken /= _SCALE
