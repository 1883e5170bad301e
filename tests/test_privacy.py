"""Budgets: NaN-proof checks, conversions by dp-accounting, roundings in the safe direction."""

import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, BudgetError, Intervals, ParameterError, Plan, PureDP
from dpq_core.calibrations import calibrate
from dpq_core.privacy import conversions
from dpq_core.privacy.budgets import Guarantee, privacy_as_dict, privacy_from_dict
from dpq_core.privacy.conversions import bounded_range_rho, rho_to_epsilon, round_up
from tests.narrowing import present

BAD_NUMBERS = [0, -1.0, float("nan"), float("inf"), "1", None, True, 1e-30, 1e30]


@pytest.mark.parametrize("value", BAD_NUMBERS)
def test_bad_budgets_are_refused(value):
    for make, name in ((PureDP, "epsilon"), (ZCDP, "rho"), (lambda epsilon: ApproxDP(epsilon, 1e-6), "epsilon")):
        with pytest.raises(ParameterError, match=f"`{name}` must be") as caught:
            make(value)
        assert caught.value.name == name


@pytest.mark.parametrize("value", ["1", None, True, [1]])
def test_what_is_no_number_is_not_called_infinite(value):
    with pytest.raises(ParameterError, match=r"must be a whole or decimal number > 0, such as 0\.5, got"):
        PureDP(value)


def test_budgets_may_be_decimals_and_fractions():
    given: list[Any] = [Decimal("0.1"), Decimal("1e-6"), Fraction(1, 4), Decimal(0), Decimal("0.95")]
    tenth, small, quarter, zero, chance = given
    assert (PureDP(tenth), ZCDP(tenth), ApproxDP(tenth, small)) == (PureDP(0.1), ZCDP(0.1), ApproxDP(0.1, 1e-6))
    assert Plan("median", "aq", epsilon=quarter, delta=zero) == Plan("median", "aq", epsilon=0.25)
    assert Intervals(chance) == Intervals(0.95)
    assert type(PureDP(tenth).epsilon) is float
    some: list[Any] = [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Fraction(10**400), Decimal("-1")]
    for bad in some:
        with pytest.raises(ParameterError, match="`epsilon` must be"):
            PureDP(bad)


def test_what_is_needed_and_what_is_left_are_told_apart():
    close = BudgetError("ε", requested=1 / 11, remaining=0.0909090909090909)
    assert close.shortfall == "the release needs ε = 0.09090909090909091, and ε = 0.0909090909090909 is left"
    assert BudgetError("ε", requested=1.0, remaining=0.5).shortfall == "the release needs ε = 1, and ε = 0.5 is left"


def test_budgets_of_numpy_and_of_other_classes_are_those_of_python():
    other = type("Other", (float,), {"as_integer_ratio": lambda self: (1000, 1)})  # its noise is not what it costs
    ones: tuple[Any, ...] = (np.int64(1), np.float32(1), np.float64(1), other(1))
    for given_number in ones:
        assert repr(PureDP(given_number)) in {"PureDP(epsilon=1)", "PureDP(epsilon=1.0)"}
        plan = Plan("median", epsilon=given_number, delta=np.float64(0.25))
        assert Plan.from_json(plan.to_json()) == plan == Plan("median", epsilon=1, delta=0.25)
        assert repr(plan.privacy).count("np.") == 0
        assert type(PureDP(given_number).epsilon) in {int, float}


@pytest.mark.parametrize("delta", [0, 1, -1e-6, 1.5, float("nan"), "1e-6", None])
def test_bad_deltas_are_refused(delta):
    with pytest.raises(ParameterError, match="`delta` must be > 0 and < 1") as caught:
        ApproxDP(1.0, delta)
    assert caught.value.name == "delta"


@pytest.mark.parametrize("privacy", [PureDP(0.5), ApproxDP(1.0, 1e-9), ZCDP(0.125)])
def test_budgets_survive_a_dictionary(privacy):
    assert privacy_from_dict(privacy_as_dict(privacy)) == privacy


@pytest.mark.parametrize(
    "values",
    [{}, {"kind": "pure"}, {"kind": "none", "epsilon": 1.0}, {"kind": "pure", "rho": 1.0}, {"kind": []}, "pure"],
)
def test_what_is_no_stored_budget_is_refused_by_name(values):
    with pytest.raises(ParameterError, match="`privacy` must name its kind") as caught:
        privacy_from_dict(values)
    assert caught.value.name == "privacy"


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-9), (5.0, 1e-3), (1.0, 1e-16), (0.001, 1e-6)])
def test_the_largest_rho_fits_and_hardly_more_would(epsilon, delta):
    rho = conversions.largest_rho(epsilon, delta)
    assert rho_to_epsilon(rho, delta) <= epsilon
    assert rho_to_epsilon(rho * 1.0001, delta) > epsilon


def test_a_known_conversion():
    assert conversions.pure_to_rho(0.5) == 0.125
    # Bun & Steinke 2016, Proposition 1.3: rho + 2 sqrt(rho log(1/delta)) is an upper bound, loose by some percent.
    assert 2.3 < rho_to_epsilon(0.125, 1e-6) < 0.125 + 2 * (0.125 * 13.8156) ** 0.5


@pytest.mark.parametrize(("rho", "delta"), [(0.125, 1e-6), (0.001, 1e-9), (2.0, 0.01), (0.02, 0.3)])
def test_rho_is_converted_by_the_best_order(rho, delta):
    """Canonne, Kamath & Steinke 2020, Corollary 13: rho a + log(1 - 1/a) - log(a delta) / (a - 1), least over a > 1."""
    orders = 1 + np.geomspace(1e-3, 1e7, 1_000_001)
    epsilons = rho * orders + np.log1p(-1 / orders) - np.log(orders * delta) / (orders - 1)
    assert rho_to_epsilon(rho, delta) == pytest.approx(max(epsilons.min(), 0), rel=1e-4)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("mechanism", ["aq", "jointexp", "freetotal", "aggtree"])
def test_a_delta_pays_for_no_more_rho_than_converts_to_it(mechanism, adjacency):
    levels = [f"{i}/31" for i in range(1, 31)]  # of so many the concentrated way is the cheaper one
    spent = calibrate(Plan(levels, mechanism, ApproxDP(1.0, 0.05), adjacency), 1000).guarantee
    assert (spent.epsilon, spent.delta) == (1.0, 0.05)
    assert 0.999 <= rho_to_epsilon(present(spent.rho), 0.05) <= 1.0


RANGES = [1e-6, 1e-3, 0.1, 1.0, 4.0, 12.0]


@pytest.mark.parametrize("epsilon", RANGES)
def test_no_pair_of_bounded_range_costs_more_rho_and_one_costs_all(epsilon):
    """Over all two-valued log ratios t, t - epsilon, which are the worst, and orders: as the order falls to 1."""
    rho = float(bounded_range_rho(Fraction(epsilon)))
    orders = np.concatenate([1 + np.geomspace(1e-3, 1, 40), np.geomspace(2.1, 1e4, 40)])[:, None]
    t = np.linspace(0, epsilon, 4001)[None, 1:-1]
    chance = -np.expm1(t - epsilon) / -np.expm1(-epsilon) * np.exp(-t)  # of t, so that ratios average 1
    exact = t - epsilon * np.expm1(t) / np.expm1(epsilon)  # order 1
    logs = np.logaddexp(np.log(chance) + orders * t, np.log1p(-chance) + orders * (t - epsilon))
    divergences = logs / (orders - 1) / orders
    assert exact.max() == pytest.approx(rho, rel=1e-5, abs=1e-16)
    assert exact.max() <= rho * (1 + 1e-12) + 1e-16
    if epsilon >= 0.1:  # below, logs lose too many digits
        assert divergences.max() <= rho * (1 + 1e-9)
        assert divergences.max() > 0.99 * rho


@given(st.floats(1e-12, 1e5), st.floats(1, 10))
def test_the_rho_of_a_range_grows_slower_than_its_square_and_is_bracketed(epsilon, times):
    exact, wider = bounded_range_rho(Fraction(epsilon)), Fraction(times) * Fraction(epsilon)
    assert exact <= Fraction(epsilon) ** 2 / 8
    assert exact * Fraction(times) * (1 - Fraction(1, 10**25)) <= bounded_range_rho(wider)
    assert bounded_range_rho(wider) <= exact * Fraction(times) ** 2 * (1 + Fraction(1, 10**25))
    assert 1 <= Fraction(conversions.about_bounded_range_rho(epsilon)) / exact <= 1 + 1e-10


@given(st.fractions(0, 100, max_denominator=10**6) | st.fractions(100, 10**6, max_denominator=100))
def test_the_exponential_mechanisms_rate_is_rounded_down(rho):
    each, printed = conversions.largest_epsilon(rho), conversions.printed_epsilon(rho)
    assert printed**2 / 8 <= rho < (printed + Fraction(1, 2**79)) ** 2 / 8
    assert bounded_range_rho(each) <= rho
    assert each >= printed
    assert rho == 0 or bounded_range_rho(each * (1 + Fraction(1, 10**9))) > rho


@given(st.fractions(0, 10))
def test_rounding_up_never_loses(value):
    assert Fraction(round_up(value)) >= value
    assert round_up(value) <= float(value) * (1 + 1e-15)


@given(st.fractions(0, 10) | st.fractions(0, 1, max_denominator=1000) | st.floats(0, 1e6).map(Fraction))
def test_rounding_down_never_spends_more_and_hardly_less(value):
    found = conversions.round_down(value)
    assert Fraction(found) <= value < Fraction(nextafter(found, inf))


def test_a_guarantee_is_valid_json_also_without_a_pure_epsilon():
    spent = Guarantee(epsilon=float("inf"), delta=0.0, rho=0.125, adjacency=Adjacency.ADD_REMOVE)
    values = json.loads(json.dumps(spent.as_dict(), allow_nan=False))
    stated = {"delta": 0.0, "rho": 0.125, "adjacency": "add_remove", "exact": False, "protects": "record"}
    assert values == stated | {"epsilon": None}


def test_a_guarantee_knows_what_it_covers():
    spent = Guarantee(epsilon=1.0, delta=0.0, rho=0.125, adjacency=Adjacency.ADD_REMOVE)
    assert spent.covers(PureDP(1.0))
    assert not spent.covers(PureDP(0.99))
    assert spent.covers(ApproxDP(1.0, 1e-9))
    assert not spent.covers(ApproxDP(0.99, 1e-9))
    leaky = replace(spent, delta=1e-9)
    assert leaky.covers(ApproxDP(1.0, 1e-9))
    assert not leaky.covers(ApproxDP(1.0, 9e-10))
    assert not leaky.covers(PureDP(1.0))
    assert spent.covers(ZCDP(0.125))
    assert not spent.covers(ZCDP(0.1))
    assert not Guarantee(epsilon=1.0, delta=0.0, rho=None, adjacency=Adjacency.REPLACE_ONE).covers(ZCDP(1.0))


@pytest.mark.parametrize(("privacy", "said"), [
    (PureDP(0.5), "ε = 0.5"), (PureDP(1e-5), "ε = 0.00001"), (PureDP(1e-9), "ε = 1 × 10⁻⁹"),
    (PureDP(1e6), "ε = 1,000,000"), (ApproxDP(1.0, 1e-5), "ε = 1, δ = 0.00001"),
    (ApproxDP(1.0, 1e-30), "ε = 1, δ = 1 × 10⁻³⁰"), (ZCDP(0.0000125), "ρ = 0.0000125"),
])  # fmt: skip
def test_a_budget_is_written_as_people_write_it(privacy: PureDP | ApproxDP | ZCDP, said: str) -> None:
    assert str(privacy) == said
