"""Column: encoded, ties broken record by record, sorted once; missing values handled without touching the others."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Column, DataError, Domain, FindBounds, People
from dpq_core.arrays import SHORT, Integers, Segments
from dpq_core.noise.tie_breaking import tie_breaking

AGES = Domain(17, 90, 1)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=50))
def test_a_sample_holds_the_cells_of_all_finite_records(values):
    column = Column.from_values(values, AGES, seed=1)
    finite = [value for value in values if np.isfinite(value)]
    assert column.n == len(finite)
    assert column.dropped == len(values) - len(finite)
    expected = np.sort(AGES.encode(np.array(finite, dtype=float)))
    assert np.array_equal(column.cells >> column.tie_bits, expected)
    assert np.all(np.diff(column.cells) >= 0)


def test_the_same_seed_gives_the_same_sample_and_none_gives_another_each_time():
    values = np.full(100, 40.0)
    assert np.array_equal(
        Column.from_values(values, AGES, seed=3).cells, Column.from_values(values, AGES, seed=3).cells
    )
    assert not np.array_equal(Column.from_values(values, AGES).cells, Column.from_values(values, AGES).cells)
    assert Column.from_values(values, AGES).seed is None


@pytest.mark.parametrize("first_row", [0, 1, 2, 3, 7, 11, 12, 13, 100_003])
def test_seeded_tie_breaking_depends_on_the_row_alone(first_row):
    whole = np.concatenate(list(tie_breaking(first_row + 500, 20, seed=9)))
    part = np.concatenate(list(tie_breaking(500, 20, seed=9, first_row=first_row)))
    assert np.array_equal(whole[first_row:], part)


@pytest.mark.parametrize("seed", [None, 5])
def test_tie_breaking_is_uniform(seed):
    bits = np.concatenate(list(tie_breaking(300_000, 4, seed=seed)))
    counts = np.bincount(bits, minlength=16)
    # chi-square with 15 degrees of freedom exceeds 60 with probability below 1e-6
    assert bits.size == 300_000
    assert ((counts - bits.size / 16) ** 2 / (bits.size / 16)).sum() < 60


def test_tie_breaking_bits_leave_room_in_an_int64():
    assert Column.from_values([1.0], Domain(0, 1, 1), seed=0).tie_bits == 20
    wide = Column.from_values([1.0], Domain(0, 2**61, 1), seed=0)
    assert wide.tie_bits == 0
    assert wide.slots <= 2**62
    assert Column.from_values([1.0], Domain(0, 1), seed=0).slots < 2**62


@pytest.mark.parametrize("missing", [None, 50])
@pytest.mark.parametrize("cuts", [[], [0], [1, 1, 2], [500, 501, 1999], list(range(0, 2000, 7))])
def test_a_column_in_batches_makes_the_sample_of_the_whole(cuts, missing):
    values = np.random.default_rng(0).normal(50, 30, 2000)
    values[::9] = np.nan
    whole = Column.from_values(values, AGES, seed=2, missing=missing)
    made = Column.from_values(iter(np.split(values, cuts)), AGES, seed=2, missing=missing)
    assert np.array_equal(made.cells, whole.cells)
    assert (made.dropped, made.seed, made.tie_bits) == (whole.dropped, 2, 20)
    assert not made.cells.flags.writeable


def test_a_batch_that_fails_leaves_no_sample():
    def batches():
        yield [20.0]
        raise DataError("cut short")

    with pytest.raises(DataError, match="cut short"):
        Column.from_values(batches(), AGES)
    assert Column.from_values(iter([]), AGES).n == 0


def test_missing_values_take_the_public_stand_in():
    column = Column.from_values([20, None, np.nan, 30], AGES, missing=50, tie_bits=0)
    assert (column.cells + 17).tolist() == [20, 30, 50, 50]
    assert column.dropped == 0


@pytest.mark.parametrize("values", [
    [20, 30], (20.0, 30.0), np.array([20, 30], dtype=np.uint8),
    np.ma.masked_array([20.0, 30.0, 99.0], mask=[False, False, True]), [20, 30, None], np.array([True, False]), [],
])  # fmt: skip
def test_any_column_of_numbers_will_do(values):
    floats = values if isinstance(values, np.ma.MaskedArray) else np.array(values, dtype=float)
    assert Column.from_values(values, AGES).n == np.ma.masked_invalid(floats).count()


@pytest.mark.parametrize("other", [None, np.nan, 0.5, True, 2**63, 2**70, -(2**63), np.float32(0.1), np.longdouble(1)])
def test_one_more_record_moves_no_other_whatever_its_type(other):
    """An array has one type: a fractional, missing or huge record gives all others another one."""
    domain = Domain(0, 2**60, 10**7)
    integers = [i * 10**7 - 1 for i in range(1, 50)] + [2**53 + 1, 2**55 + 3, 2**60 - 1]
    without = Column.from_values(integers, domain, tie_bits=0).cells.tolist()
    own = Column.from_values([other], domain, tie_bits=0).cells.tolist()
    for values in ([*integers, other], [other, *integers]):
        assert Column.from_values(values, domain, tie_bits=0).cells.tolist() == sorted(without + own)
    in_batches = Column.from_values(iter([integers[:20], [*integers[20:], other]]), domain, tie_bits=0)
    assert in_batches.cells.tolist() == sorted(without + own)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_stand_in_is_the_same_number_in_every_type_of_column(dtype):
    column = Column.from_values(np.array([1, np.nan], dtype), Domain(0, 2**30, 1), missing=2**24 + 1, tie_bits=0)
    assert column.cells.tolist() == [1, 2**24 + 1]


@pytest.mark.parametrize("values", [["a"], [[1, 2]], [1, "x"], [10**400], np.array(["2020-01-01"], "M8[D]"), 5, [1j]])
def test_anything_else_is_refused_without_quoting_it(values):
    with pytest.raises(DataError) as caught:
        Column.from_values(values, AGES)
    assert "x" not in str(caught.value).split()


def test_a_sample_cannot_be_changed_and_keeps_no_count_in_its_text():
    values = np.array([33.0, 44.0])
    column = Column.from_values(values, AGES)
    values[0] = 90
    assert column.domain.decode(column.cells >> 20).tolist() == [33.0, 44.0]
    with pytest.raises(ValueError, match="read-only"):
        column.cells[0] = 1
    assert "44" not in repr(column)
    again = pickle.loads(pickle.dumps(column))
    assert np.array_equal(again.cells, column.cells)
    assert not again.cells.flags.writeable


# ── a search within one of many columns that stand in one array ──────────────────────────────────────────────────────


@pytest.mark.parametrize("largest", [3, 40, 3000])
def test_a_search_within_a_range_counts_its_lower_records(largest):
    """As numpy's in each range by itself: empty ones, ends of the array, values beyond the records of the range."""
    generator = np.random.default_rng(largest)
    sizes = np.append(generator.integers(0, largest, 200), [0, 1])
    starts = np.append(0, np.cumsum(sizes))
    cells = np.concatenate([np.sort(generator.integers(0, 50, size)) for size in sizes])
    which, wanted = generator.integers(0, sizes.size, 4 * SHORT * 10), generator.integers(-2, 53, 4 * SHORT * 10)
    found = Segments(cells).searchsorted_within(wanted, starts[which], starts[which + 1])
    alone = [np.searchsorted(cells[starts[w] : starts[w + 1]], x) for w, x in zip(which, wanted, strict=True)]
    assert np.array_equal(found - starts[which], alone)
    assert np.array_equal(Segments(cells[:0]).searchsorted_within(wanted, 0 * which, 0 * which), 0 * which)


# ── without a seed nothing that is drawn when data are made can be guessed ───────────────────────────────────────────

GRID = Domain(0, 1000, 1)
PERSONS = 60
SAME = np.full(PERSONS, 7.0)
"""One value: only the low bits differ."""
IDS, ROWS = np.repeat(np.arange(PERSONS), 4), np.arange(4.0 * PERSONS)
"""Four rows of each person, all of other values: which are chosen is seen on the grid."""
PEOPLE = People.of(IDS)
EVERYBODY, IN_FOUR = ["a"] * PERSONS, ["a", "b", "c", "d"] * PERSONS
BATCHES = [SAME[:20], SAME[20:]]


def low_bits(made: Column) -> Integers:
    """The tie-breaking bits of all records."""
    return made.cells & ((1 << made.tie_bits) - 1)


def chosen(made: Column) -> Integers:
    """The grid indices of all records, and of groups where each begins."""
    return np.concatenate([made.cells >> made.tie_bits, made.starts])


def of_raw(seed: int | None, **how: Any) -> Column:
    values = ROWS if how else SAME
    return Column.from_values(values, FindBounds(step=1), seed=seed, **how).on(GRID).in_one_piece()


def grouped(seed: int | None, values: Any, groups: Any, **how: Any) -> Column:
    return Column.from_values(values, GRID, groups=groups, names=["a", "b", "c", "d"], seed=seed, **how)


LOW_BITS: dict[str, Callable[[int | None], Column]] = {
    "a column": lambda seed: Column.from_values(SAME, GRID, seed=seed),
    "batches": lambda seed: Column.from_values(iter(BATCHES), GRID, seed=seed),
    "one record of each person": lambda seed: Column.from_values(
        SAME, GRID, seed=seed, people=People.of(range(PERSONS)), per_person="median"
    ),
    "at most one row of each person": lambda seed: Column.from_values(
        SAME, GRID, seed=seed, people=People.of(range(PERSONS)), max_rows_per_person=1
    ),
    "weights": lambda seed: Column.from_values(
        SAME, GRID, seed=seed, people=People.of(range(PERSONS)), per_person="weight"
    ),
    "bounds to be found": of_raw,
    "groups": lambda seed: grouped(seed, SAME, EVERYBODY),
    "groups of persons": lambda seed: grouped(
        seed, SAME, EVERYBODY, people=People.of(range(PERSONS)), per_person="median"
    ),
    "groups to be found": lambda seed: Column.from_values(SAME, GRID, groups=EVERYBODY, names=None, seed=seed),
}  # fmt: skip
CHOSEN: dict[str, Callable[[int | None], Column]] = {
    "one row at random": lambda seed: Column.from_values(ROWS, GRID, seed=seed, people=PEOPLE, per_person="random"),
    "two rows at random": lambda seed: Column.from_values(ROWS, GRID, seed=seed, people=PEOPLE, max_rows_per_person=2),
    "rows in batches": lambda seed: Column.from_values(
        iter([ROWS[:99], ROWS[99:]]), GRID, seed=seed, people=PEOPLE, max_rows_per_person=1
    ),
    "a row where bounds are found": lambda seed: of_raw(seed, people=PEOPLE, per_person="random"),
    "a row in a group": lambda seed: grouped(seed, ROWS, ["a"] * ROWS.size, people=PEOPLE, per_person="random"),
    "some rows in a group": lambda seed: grouped(seed, ROWS, ["a"] * ROWS.size, people=PEOPLE, max_rows_per_person=2),
    "a group of four": lambda seed: grouped(seed, ROWS, IN_FOUR, people=PEOPLE, per_person="first"),
    "two groups of four": lambda seed: grouped(
        seed, ROWS, IN_FOUR, people=PEOPLE, per_person="first", max_groups_per_person=2
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("made", "read"),
    [pytest.param(made, low_bits, id=f"low bits of {name}") for name, made in LOW_BITS.items()]
    + [pytest.param(made, chosen, id=f"which: {name}") for name, made in CHOSEN.items()],
)
def test_without_a_seed_runs_differ(made: Callable[[int | None], Column], read: Callable[[Column], Integers]) -> None:
    assert (read(made(5)) == read(made(5))).all()
    assert (read(made(None)) != read(made(None))).any()
    for run in (made(None), made(None)):
        assert run.seed is None
        assert (np.unique(read(run)).size > PERSONS / 2) or run.in_groups


def test_no_row_repeats_the_bits_of_another() -> None:
    """Batches and groups do not begin again at the same word."""
    for made in LOW_BITS.values():
        assert np.unique(low_bits(made(None))).size > PERSONS - 5
