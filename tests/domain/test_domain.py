"""Domain: every decimal of the grid encodes to itself, bounds clip, no record depends on another."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Domain, ParameterError
from dpq_core.domain.numbers import exact_number, typed_number

GRIDS = [
    (17, 90, 1),
    (-100, 100, "0.01"),
    ("0.1", "0.9", "0.1"),
    (0, 10**9, "0.01"),
    (-100, 100, None),
    ("1e-9", 1, "1e-9"),
    (0, 1, Fraction(1, 3)),
    ("-1e300", "1e300", None),
    (0.1, 0.7, None),
]


@pytest.mark.parametrize(("lower", "upper", "step"), GRIDS)
def test_every_value_of_the_grid_encodes_to_its_own_cell(lower, upper, step):
    domain = Domain(lower, upper, step)
    some = np.random.default_rng(0).integers(0, domain.cells, 2000)
    cells = np.unique(np.concatenate([np.arange(min(domain.cells, 20_001)), some, [domain.cells - 1]]))
    assert np.array_equal(domain.encode(domain.decode(cells)), cells)


@pytest.mark.parametrize(("lower", "upper", "step"), [*GRIDS, (0, 10**12, "0.00001")])
def test_decoding_gives_the_float_nearest_to_the_exact_value(lower, upper, step):
    domain = Domain(lower, upper, step)
    cells = np.random.default_rng(1).integers(0, domain.cells, 200)
    exact = [float(domain.lower + int(cell) * domain.step) for cell in cells]
    assert domain.decode(cells).tolist() == exact


def test_a_float_means_its_decimal_and_the_upper_end_belongs_to_the_grid():
    assert Domain(0.1, 0.3, 0.1).cells == 3
    assert Domain(17, 90, 1).cells == 74
    assert Domain(0, 10, 3).decode(np.array([3])).tolist() == [9.0]


@given(st.decimals(min_value=-1000, max_value=1000, places=2))
def test_a_typed_decimal_lands_on_itself(decimal):
    domain = Domain(-1000, 1000, "0.01")
    (cell,) = domain.encode(np.array([float(decimal)]))
    assert domain.lower + int(cell) * domain.step == Fraction(decimal)


@given(st.floats(-50, 150), st.integers(1, 10**6))
def test_encoding_is_the_floor_clipped_to_the_grid(value, steps):
    domain = Domain(0, 100, Fraction(100, steps))
    (cell,) = domain.encode(np.array([value]))
    exact = (Fraction(value) - domain.lower) / domain.step
    clipped = min(max(exact, Fraction(0)), Fraction(domain.cells - 1))
    assert clipped - 1 < int(cell) <= clipped + Fraction(1, 2**19)


def test_values_outside_the_bounds_are_clipped():
    domain = Domain(17, 90, 1)
    assert domain.encode(np.array([-1e308, 1e308, 17.9999999, 0])).tolist() == [0, 73, 1, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
@pytest.mark.parametrize(("lower", "upper"), [(17, 90), (-300, -200), (200, 300)])
def test_integers_of_any_width_are_exact(dtype, lower, upper):
    domain = Domain(lower, upper, 1)
    info = np.iinfo(dtype)
    values = np.array([info.min, info.max, 0, 50], dtype=dtype)
    expected = [min(max(int(value) - lower, 0), domain.cells - 1) for value in values]
    assert domain.encode(values).tolist() == expected


@given(st.lists(st.floats(0, 1000, width=32), min_size=1), st.sampled_from([np.float16, np.float32]))
def test_short_floats_are_the_numbers_that_they_store(values, dtype):
    domain, short = Domain(0, 1000, "0.001"), np.array(values, dtype)
    assert np.array_equal(domain.encode(short), domain.encode(short.astype(np.float64)))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), st.integers(1, 2**40), st.integers(-(2**60), 2**60))
def test_a_number_has_one_cell_whatever_the_type_of_its_array(integers, step, lower):
    """One fractional or missing record turns all integers of a column into floats: no cell may move by that."""
    domain = Domain(lower, lower + 100 * step, step)
    edges = [lower + i * step - 1 for i in range(1, 100)]
    as_integers = np.array([*integers, *edges], dtype=np.int64)
    as_floats = np.array([*as_integers.tolist(), 0.5])
    assert as_floats.dtype == np.float64
    assert np.array_equal(domain.encode(as_integers), domain.encode(as_floats)[:-1])


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((1, 1), "upper"),
        ((2, 1), "upper"),
        ((float("nan"), 1), "lower"),
        ((0, float("inf")), "upper"),
        ((0, "many"), "upper"),
        ((0, 1, 0), "step"),
        ((0, 1, -1), "step"),
        ((0, 1, 2), "step"),
        ((0, 1, "1e-30"), "step"),
        ((True, 2), "lower"),
        ((0, "1e5000"), "upper"),
        (("1e-320", "2e-320"), "upper"),
    ],
)
def test_bounds_that_make_no_grid_are_refused_by_name(arguments, name):
    with pytest.raises(ParameterError) as caught:
        Domain(*arguments)
    assert caught.value.name == name
    assert f"`{name}`" in str(caught.value)


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("200,000", 200_000), ("200 000", 200_000), ("1,234,567.5", "1234567.5"), ("-1\u202f000", -1000),
        ("1\u00a0000", 1000), ("+12,000", 12_000),
    ],
)  # fmt: skip
def test_bounds_take_the_notation_of_the_pages(typed, number):
    assert Domain("-5,000", "1,234,568", "0.5") == Domain(-5000, 1234568, "0.5")
    assert exact_number(typed, "upper") == exact_number(number, "upper")


@pytest.mark.parametrize("typed", ["1,2", "12,34", "0,125", "1,234 567", "1,23,456", ",123", "1 2", "1,0000"])
def test_what_is_no_grouping_of_thousands_is_no_number(typed):
    with pytest.raises(ParameterError, match="finite number"):
        exact_number(typed, "upper")


def test_a_point_that_may_stand_between_thousands_is_asked_about():
    with pytest.raises(ParameterError, match=r"can be read in two ways: type 200 or 200,000 in place of 200\.000"):
        typed_number("200.000", "upper")
    for plain in ("200", "0.125", "200.5", "200.0000", "2000.000", "1,000", "", "a.bcd"):
        assert typed_number(plain, "upper") == plain
    assert exact_number("200.000", "upper") == 200, "in Python and in files a point is a decimal mark"
