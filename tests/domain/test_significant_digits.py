"""Domain.significant: a public table of exact decimals, and encoding that is a search in it and nothing else."""

import json
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Domain, GKSketch, ParameterError, Plan, Sample, release, simulate
from dpq_core.ledger.answers import answer_as_json, answer_from_json

GRIDS = [
    Domain.significant(),
    Domain.significant(3, negative=False),
    Domain.significant(1, 9, 10),
    Domain.significant(1, 1, 4, negative=False),
    Domain.significant(2, "1e-300", "9.9e-299"),
    Domain.significant(2, "0.25", 64, negative=False),
    Domain.significant(3, 1, "1e300"),
]
USUAL = GRIDS[0]
every_grid = pytest.mark.parametrize("domain", GRIDS, ids=repr)


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
    assert [-USUAL.lower, USUAL.upper, GRIDS[1].lower] == [Fraction(10**15), Fraction(10**15), Fraction(0)]


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
def test_a_typed_decimal_lands_on_itself(mantissa, exponent, negative):
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
    assert GRIDS[1].decode(GRIDS[1].encode(x)).tolist() == [37_400, 0, 0, 0, 1e15, 0]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"digits": 0}, "digits"),
        ({"digits": 4}, "digits"),
        ({"digits": True}, "digits"),
        ({"digits": "2"}, "digits"),
        ({"smallest": 0}, "smallest"),
        ({"smallest": -1}, "smallest"),
        ({"smallest": "0.125"}, "smallest"),
        ({"smallest": "1e-301"}, "smallest"),
        ({"smallest": "1/3"}, "smallest"),
        ({"largest": 101}, "largest"),
        ({"largest": "1e301"}, "largest"),
        ({"smallest": 5, "largest": 5}, "largest"),
        ({"negative": 1}, "negative"),
    ],
)
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


def test_an_answer_of_the_ledger_reads_back():
    plan = Plan(["1/4", "1/2"])
    for domain in (USUAL, Domain(0, 100, "1/2")):
        answer = release(Sample.from_values(range(100), domain), plan)
        assert answer_from_json(answer_as_json(answer), plan) == answer


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
        sample = Sample.from_values(incomes * unit, USUAL, seed=0)
        study = simulate(sample, Plan(["1/4", "1/2", "3/4"]), trials=50)
        assert study.rank_errors.mean() < 60
