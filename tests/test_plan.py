"""Plan and levels: one parser, exact fractions, the same again after JSON, and clear refusals."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, ParameterError, Plan, PureDP
from dpq_core.plan import parse_level, parse_levels


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1/3", Fraction(1, 3)),
        ("90%", Fraction(9, 10)),
        ("12,5 %", Fraction(1, 8)),
        ("0,5", Fraction(1, 2)),
        (" .25 ", Fraction(1, 4)),
        ("1e-3", Fraction(1, 1000)),
        (0.1, Fraction(1, 10)),
        (0.30000000000000004, Fraction(3, 10)),
        (np.float64(0.7), Fraction(7, 10)),
        (np.int64(1), Fraction(1)),
        (0, Fraction(0)),
        (Fraction(2, 7), Fraction(2, 7)),
    ],
)
def test_levels_mean_what_they_say(value, expected):
    assert parse_level(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        -0.1,
        1.1,
        float("nan"),
        float("inf"),
        "",
        "abc",
        "1/0",
        "150%",
        "1//3",
        "1e999999999",
        True,
        None,
        [0.5],
        "½",
        "1 2",
        1e-308,
    ],
)
def test_anything_else_is_refused_with_what_came(value):
    with pytest.raises(ParameterError, match="`quantiles` must lie between 0 and 1") as caught:
        parse_level(value)
    assert caught.value.name == "quantiles"


def test_a_typed_list_may_use_any_separator():
    expected = (Fraction(1, 2), Fraction(1, 3), Fraction(9, 10))
    assert parse_levels("0.5, 1/3; 90 %") == expected
    assert parse_levels("0,5; 1 / 3\n90%") == expected
    assert parse_levels("0,5, 1/3, 90%,") == expected
    assert parse_levels("0.5,1/3,90%") == parse_levels("50%,1/3,0.9") == expected
    assert parse_levels("12,5%,0,9") == (Fraction(1, 8), Fraction(9, 10))
    assert parse_levels("  ") == ()


levels = st.one_of(st.fractions(0, 1), st.floats(1e-200, 1), st.integers(0, 1))
budgets = st.one_of(
    st.floats(1e-6, 100).map(PureDP),
    st.floats(1e-6, 100).map(ZCDP),
    st.builds(ApproxDP, st.floats(1e-6, 100), st.floats(1e-20, 0.5)),
)


@given(
    st.lists(levels, max_size=8),
    budgets,
    st.sampled_from(Adjacency),
    st.dictionaries(st.text(max_size=5), st.one_of(st.text(max_size=5), st.integers(), st.booleans()), max_size=3),
)
def test_a_plan_is_the_same_after_json(quantiles, privacy, adjacency, options):
    plan = Plan(quantiles, "aq", privacy, adjacency, options)
    again = Plan.from_json(plan.to_json())
    assert again == plan
    assert again.fingerprint == plan.fingerprint
    assert hash(again) == hash(plan)


def test_different_choices_have_different_fingerprints():
    plans = [
        Plan([0.5]),
        Plan([0.25]),
        Plan([0.5], "indexp"),
        Plan([0.5], privacy=ZCDP(1.0)),
        Plan([0.5], options={"a": 1}),
    ]
    assert len({plan.fingerprint for plan in plans}) == len(plans)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Plan("0.5"), "quantiles"),
        (lambda: Plan(0.5), "quantiles"),  # type: ignore[arg-type]
        (lambda: Plan([2]), "quantiles"),
        (lambda: Plan([0.5] * 200_000), "quantiles"),
        (lambda: Plan([0.5], 3), "mechanism"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], privacy=1.0), "privacy"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], adjacency="swap"), "adjacency"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], options=[1]), "options"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], options={"alpha": float("nan")}), "alpha"),
        (lambda: Plan([0.5], options={"alpha": [1]}), "alpha"),  # type: ignore[dict-item]
        (lambda: Plan.from_json("{"), "plan"),
        (lambda: Plan.from_json("[]"), "plan"),
        (lambda: Plan.from_json('{"format": 1}'), "plan"),
        (lambda: Plan.from_dict(Plan([0.5]).as_dict() | {"format": 2}), "plan"),
        (lambda: Plan.from_dict(Plan([0.5]).as_dict() | {"privacy": {"kind": "odd"}}), "privacy"),
        (lambda: Plan.from_dict(Plan([0.5]).as_dict() | {"privacy": "odd"}), "privacy"),
        (lambda: Plan.from_dict(Plan([0.5]).as_dict() | {"options": 1}), "options"),
    ],
)
def test_a_bad_choice_is_refused_by_name(make, name):
    with pytest.raises(ParameterError) as caught:
        make()
    assert caught.value.name == name


def test_a_plan_cannot_be_changed():
    plan = Plan([0.5])
    with pytest.raises(AttributeError):
        plan.mechanism = "indexp"  # type: ignore[misc]
    with pytest.raises(TypeError):
        plan.options["alpha"] = 1  # type: ignore[index]


@pytest.mark.parametrize(
    "plan",
    [
        Plan([]),
        Plan(["1/3", 0.5], "aggtree", ZCDP(0.125), Adjacency.SUBSTITUTE, {"branching": 16}),
        Plan([0.5], "slice", ApproxDP(1.0, 1e-6), intervals=0.95, about_n="noisy"),
    ],
)
def test_a_plan_is_the_same_in_another_process(plan):
    assert pickle.loads(pickle.dumps(plan)) == plan
