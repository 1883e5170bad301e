"""Domain: every decimal of the grid encodes to itself, bounds clip, no record depends on another."""

import json
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Column, Domain, GKSketch, ParameterError, Plan, Release, release, simulate
from dpq_core.domain.numbers import exact_number, typed_number

GRIDS = [
    (17, 90, 1), (-100, 100, "0.01"), ("0.1", "0.9", "0.1"), (0, 10**9, "0.01"), (-100, 100, None), ("1e-9", 1, "1e-9"),
    (0, 1, Fraction(1, 3)), ("-1e300", "1e300", None), (0.1, 0.7, None),
]  # fmt: skip


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


@pytest.mark.parametrize(("arguments", "name"), [
    ((1, 1), "upper"), ((2, 1), "upper"), ((float("nan"), 1), "lower"), ((0, float("inf")), "upper"),
    ((0, "many"), "upper"), ((0, 1, 0), "step"), ((0, 1, -1), "step"), ((0, 1, 2), "step"), ((0, 1, "1e-30"), "step"),
    ((True, 2), "lower"), ((0, "1e5000"), "upper"), (("1e-320", "2e-320"), "upper"),
])  # fmt: skip
def test_bounds_that_make_no_grid_are_refused_by_name(arguments, name):
    with pytest.raises(ParameterError) as caught:
        Domain(*arguments)
    assert caught.value.name == name
    assert f"`{name}`" in str(caught.value)


@pytest.mark.parametrize(("typed", "number"), [
    ("200,000", 200_000), ("200 000", 200_000), ("1,234,567.5", "1234567.5"), ("-1\u202f000", -1000),
    ("1\u00a0000", 1000), ("+12,000", 12_000),
])  # fmt: skip
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


# ── domain.significant ───────────────────────────────────────────────────────────────────────────────────────────────

SIGNIFICANT = [
    Domain.significant(), Domain.significant(3, negative=False), Domain.significant(1, 9, 10),
    Domain.significant(1, 1, 4, negative=False), Domain.significant(2, "1e-300", "9.9e-299"),
    Domain.significant(2, "0.25", 64, negative=False), Domain.significant(3, 1, "1e300"),
]  # fmt: skip
USUAL = SIGNIFICANT[0]
every_grid = pytest.mark.parametrize("domain", SIGNIFICANT, ids=repr)


def values_of(domain):
    return domain.decode(np.arange(domain.cells))


def found_by_search(domain, x):
    """The reference: how many values of the grid are at most x, less one; below all of them, the first."""
    return np.maximum(np.searchsorted(values_of(domain), x, side="right") - 1, 0)


def test_the_values_are_all_decimals_of_so_many_digits():
    assert values_of(Domain.significant(1, 9, 20)).tolist() == [-20.0, -10.0, -9.0, 0.0, 9.0, 10.0, 20.0]
    assert values_of(Domain.significant(2, "0.98", "1.2", negative=False)).tolist() == [0, 0.98, 0.99, 1, 1.1, 1.2]
    assert USUAL.cells == 2 * (21 * 90 + 1) + 1
    assert Domain.significant(3).cells == 2 * (21 * 900 + 1) + 1
    assert [-USUAL.lower, USUAL.upper, SIGNIFICANT[1].lower] == [Fraction(10**15), Fraction(10**15), Fraction(0)]


@every_grid
def test_encoding_is_the_search_for_every_float(domain):
    values = values_of(domain)
    rng = np.random.default_rng(0)
    special = [np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 5e-324, -5e-324, 1e-310, 2.0**63, -(2.0**63), 1e308, -1e308]
    x = np.concatenate(
        [
            *(
                np.concatenate([each, np.nextafter(each, np.inf), np.nextafter(each, -np.inf)])
                for each in (values, -values)
            ),
            special,
            2.0 ** np.arange(-1074, 1024),
            rng.choice([-1, 1], 20_000) * np.exp(rng.normal(0, 15, 20_000)),
            rng.integers(-(2**63), 2**63 - 1, 20_000).view(np.float64),
        ]
    )
    assert np.array_equal(domain.encode(x), found_by_search(domain, x))
    assert np.array_equal(domain.encode(values), np.arange(domain.cells))


@given(st.integers(10, 99), st.integers(-6, 13), st.booleans())
def test_a_decimal_of_two_digits_lands_on_itself(mantissa, exponent, negative):
    decimal = Decimal(mantissa).scaleb(exponent) * (-1 if negative else 1)
    (cell,) = USUAL.encode(np.array([float(decimal)]))
    assert USUAL.exact_value(int(cell)) == Fraction(decimal)
    assert USUAL.decode(np.array([cell])).tolist() == [float(decimal)]


@every_grid
def test_exact_values_rise_and_are_found_again(domain):
    for cell in {0, 1, domain.cells // 3, domain.cells // 2, domain.cells - 2}:
        here, there = domain.exact_value(cell), domain.exact_value(cell + 1)
        assert here < there
        assert domain.first_at_least(here) == cell
        assert domain.first_at_least(here + (there - here) / 10**9) == cell + 1
    assert domain.first_at_least(domain.upper + 1) == domain.cells


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_a_number_has_one_cell_whatever_stands_beside_it(integers):
    as_integers = np.array(integers, dtype=np.int64)
    as_floats = np.array([*integers, 0.5])
    assert np.array_equal(USUAL.encode(as_integers), USUAL.encode(as_floats)[:-1])
    assert np.array_equal(USUAL.encode(as_floats[::-1]), USUAL.encode(as_floats)[::-1])


def test_values_of_either_sign_go_down_to_the_grid_and_ends_hold_what_is_beyond():
    x = np.array([37_456.0, -37_456.0, 1e-7, -1e-7, 3e15, -3e15])
    assert USUAL.decode(USUAL.encode(x)).tolist() == [37_000, -38_000, 0, -1e-6, 1e15, -1e15]
    assert SIGNIFICANT[1].decode(SIGNIFICANT[1].encode(x)).tolist() == [37_400, 0, 0, 0, 1e15, 0]


@pytest.mark.parametrize(("arguments", "name"), [
    ({"digits": 0}, "digits"), ({"digits": 4}, "digits"), ({"digits": True}, "digits"), ({"digits": "2"}, "digits"),
    ({"smallest": 0}, "smallest"), ({"smallest": -1}, "smallest"), ({"smallest": "0.125"}, "smallest"),
    ({"smallest": "1e-301"}, "smallest"), ({"smallest": "1/3"}, "smallest"), ({"largest": 101}, "largest"),
    ({"largest": "1e301"}, "largest"), ({"smallest": 5, "largest": 5}, "largest"), ({"negative": 1}, "negative"),
])  # fmt: skip
def test_what_makes_no_grid_is_refused_by_name(arguments, name):
    with pytest.raises(ParameterError) as caught:
        Domain.significant(**arguments)
    assert caught.value.name == name
    assert f"`{name}`" in str(caught.value)


@every_grid
def test_every_plain_form_makes_the_same_domain(domain):
    for again in (
        Domain.from_dict(domain.as_dict()),
        Domain.from_dict(json.loads(json.dumps(domain.as_dict()))),
        eval(f"dpq.{domain!r}", {"dpq": __import__("dpq_core")}),
        pickle.loads(pickle.dumps(domain)),
    ):
        assert again == domain
        assert hash(again) == hash(domain)
    assert domain not in {Domain.significant(2, 1, 10), Domain(0, 10, 1)}


@pytest.mark.parametrize("stored", [None, [], {}, {"digits": 2, "step": 1}, {"lower": 0}, {"digits": 2, "other": 1}])
def test_a_stored_domain_of_neither_kind_is_refused(stored):
    with pytest.raises(ParameterError, match="`domain` must hold lower, upper"):
        Domain.from_dict(stored)


def test_a_release_on_it_reads_back():
    plan = Plan(["1/4", "1/2"])
    for domain in (USUAL, Domain(0, 100, "1/2")):
        answer = release(Column.from_values(range(100), domain), plan)
        assert Release.from_json(answer.to_json()) == answer


def test_a_sketch_on_it_is_stored_and_read():
    sketch = GKSketch(0.01, USUAL, 1000)
    sketch.update(np.exp(np.linspace(-5, 25, 1000)))
    again = GKSketch.from_bytes(sketch.to_bytes())
    assert again.domain == USUAL
    assert again.to_bytes() == sketch.to_bytes()


def test_fractions_of_the_way_are_indices_on_it():
    assert USUAL.at_fractions(np.array([-1, 0, 0.5, 0.75, 1, 2])).tolist() == [-1e15, -1e15, 0, 54_000, 1e15, 1e15]
    assert Domain(0, 10, 1).at_fractions(np.array([0, 0.25, 2])).tolist() == [0, 2.5, 20]


def test_nobody_needs_bounds_for_answers_to_two_digits():
    """Incomes, and the same in cents or millions: the median is off by little, whatever the unit."""
    incomes = np.random.default_rng(0).lognormal(np.log(37_500), 0.7, 10_000)
    for unit in (100.0, 1.0, 1e-6):
        column = Column.from_values(incomes * unit, USUAL, seed=0)
        study = simulate(column, Plan(["1/4", "1/2", "3/4"]), trials=50)
        assert study.rank_errors["column"].mean() < 60
