"""Sample: encoded, jittered record by record, sorted once; missing values handled without touching the others."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import DataError, Domain, Sample
from dpq_core.noise.jitter import jitter

AGES = Domain(17, 90, 1)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=50))
def test_a_sample_holds_the_cells_of_all_finite_records(values):
    sample = Sample.from_values(values, AGES, seed=1)
    finite = [value for value in values if np.isfinite(value)]
    assert sample.n == len(finite)
    assert sample.dropped == len(values) - len(finite)
    expected = np.sort(AGES.encode(np.array(finite, dtype=float)))
    assert np.array_equal(sample.cells >> sample.jitter_bits, expected)
    assert np.all(np.diff(sample.cells) >= 0)


def test_the_same_seed_gives_the_same_sample_and_none_gives_another_each_time():
    values = np.full(100, 40.0)
    assert np.array_equal(
        Sample.from_values(values, AGES, seed=3).cells, Sample.from_values(values, AGES, seed=3).cells
    )
    assert not np.array_equal(Sample.from_values(values, AGES).cells, Sample.from_values(values, AGES).cells)
    assert Sample.from_values(values, AGES).seed is None


@pytest.mark.parametrize("first_row", [0, 1, 2, 3, 7, 11, 12, 13, 100_003])
def test_seeded_jitter_depends_on_the_row_alone(first_row):
    whole = np.concatenate(list(jitter(first_row + 500, 20, seed=9)))
    part = np.concatenate(list(jitter(500, 20, seed=9, first_row=first_row)))
    assert np.array_equal(whole[first_row:], part)


@pytest.mark.parametrize("seed", [None, 5])
def test_jitter_is_uniform(seed):
    bits = np.concatenate(list(jitter(300_000, 4, seed=seed)))
    counts = np.bincount(bits, minlength=16)
    # chi-square with 15 degrees of freedom exceeds 60 with probability below 1e-6
    assert bits.size == 300_000
    assert ((counts - bits.size / 16) ** 2 / (bits.size / 16)).sum() < 60


def test_jitter_bits_leave_room_in_an_int64():
    assert Sample.from_values([1.0], Domain(0, 1, 1), seed=0).jitter_bits == 20
    wide = Sample.from_values([1.0], Domain(0, 2**61, 1), seed=0)
    assert wide.jitter_bits == 0
    assert wide.fine_cells <= 2**62
    assert Sample.from_values([1.0], Domain(0, 1), seed=0).fine_cells < 2**62


@pytest.mark.parametrize("missing", [None, 50])
@pytest.mark.parametrize("cuts", [[], [0], [1, 1, 2], [500, 501, 1999], list(range(0, 2000, 7))])
def test_a_column_in_batches_makes_the_sample_of_the_whole(cuts, missing):
    values = np.random.default_rng(0).normal(50, 30, 2000)
    values[::9] = np.nan
    whole = Sample.from_values(values, AGES, seed=2, missing=missing)
    made = Sample.from_batches(iter(np.split(values, cuts)), AGES, seed=2, missing=missing)
    assert np.array_equal(made.cells, whole.cells)
    assert (made.dropped, made.seed, made.jitter_bits) == (whole.dropped, 2, 20)
    assert not made.cells.flags.writeable


def test_a_batch_that_fails_leaves_no_sample():
    def batches():
        yield [20.0]
        raise DataError("cut short")

    with pytest.raises(DataError, match="cut short"):
        Sample.from_batches(batches(), AGES)
    assert Sample.from_batches([], AGES).n == 0


def test_missing_values_take_the_public_stand_in():
    sample = Sample.from_values([20, None, np.nan, 30], AGES, missing=50, jitter_bits=0)
    assert (sample.cells + 17).tolist() == [20, 30, 50, 50]
    assert sample.dropped == 0


@pytest.mark.parametrize(
    "values",
    [
        [20, 30],
        (20.0, 30.0),
        np.array([20, 30], dtype=np.uint8),
        np.ma.masked_array([20.0, 30.0, 99.0], mask=[False, False, True]),
        [20, 30, None],
        np.array([True, False]),
        [],
    ],
)
def test_any_column_of_numbers_will_do(values):
    floats = values if isinstance(values, np.ma.MaskedArray) else np.array(values, dtype=float)
    assert Sample.from_values(values, AGES).n == np.ma.masked_invalid(floats).count()


@pytest.mark.parametrize("other", [None, np.nan, 0.5, True, 2**63, 2**70, -(2**63), np.float32(0.1), np.longdouble(1)])
def test_one_more_record_moves_no_other_whatever_its_type(other):
    """An array has one type: a fractional, missing or huge record gives all others another one."""
    domain = Domain(0, 2**60, 10**7)
    integers = [i * 10**7 - 1 for i in range(1, 50)] + [2**53 + 1, 2**55 + 3, 2**60 - 1]
    without = Sample.from_values(integers, domain, jitter_bits=0).cells.tolist()
    own = Sample.from_values([other], domain, jitter_bits=0).cells.tolist()
    for values in ([*integers, other], [other, *integers]):
        assert Sample.from_values(values, domain, jitter_bits=0).cells.tolist() == sorted(without + own)
    in_batches = Sample.from_batches([integers[:20], [*integers[20:], other]], domain, jitter_bits=0)
    assert in_batches.cells.tolist() == sorted(without + own)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_stand_in_is_the_same_number_in_every_type_of_column(dtype):
    sample = Sample.from_values(np.array([1, np.nan], dtype), Domain(0, 2**30, 1), missing=2**24 + 1, jitter_bits=0)
    assert sample.cells.tolist() == [1, 2**24 + 1]


@pytest.mark.parametrize("values", [["a"], [[1, 2]], [1, "x"], [10**400], np.array(["2020-01-01"], "M8[D]"), 5, [1j]])
def test_anything_else_is_refused_without_quoting_it(values):
    with pytest.raises(DataError) as caught:
        Sample.from_values(values, AGES)
    assert "x" not in str(caught.value).split()


def test_a_sample_cannot_be_changed_and_keeps_no_count_in_its_text():
    values = np.array([33.0, 44.0])
    sample = Sample.from_values(values, AGES)
    values[0] = 90
    assert sample.domain.decode(sample.cells >> 20).tolist() == [33.0, 44.0]
    with pytest.raises(ValueError, match="read-only"):
        sample.cells[0] = 1
    assert "44" not in repr(sample)
    again = pickle.loads(pickle.dumps(sample))
    assert np.array_equal(again.cells, sample.cells)
    assert not again.cells.flags.writeable
