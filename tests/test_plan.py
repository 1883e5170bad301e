"""Plan and levels: one parser, exact fractions, the same again after JSON, and clear refusals."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, Intervals, ParameterError, Plan, PureDP
from dpq_core.plan import parse_level, parse_levels


@pytest.mark.parametrize(("value", "expected"), [
    ("1/3", Fraction(1, 3)), ("90%", Fraction(9, 10)), ("12,5 %", Fraction(1, 8)), ("0,5", Fraction(1, 2)),
    (" .25 ", Fraction(1, 4)), ("1e-3", Fraction(1, 1000)), (0.1, Fraction(1, 10)),
    (0.30000000000000004, Fraction(3, 10)), (np.float64(0.7), Fraction(7, 10)), (np.int64(1), Fraction(1)),
    (0, Fraction(0)), (Fraction(2, 7), Fraction(2, 7)),
])  # fmt: skip
def test_levels_mean_what_they_say(value, expected):
    assert parse_level(value) == expected


@pytest.mark.parametrize(
    "value",
    [-0.1, 1.1, float("nan"), float("inf"), "", "abc", "1/0", "150%", "1//3", "1e999999999", True, None, [0.5], "½",
     "1 2", 1e-308],
)  # fmt: skip
def test_anything_else_is_refused_with_what_came(value):
    with pytest.raises(ParameterError, match="`quantiles` must lie between 0 and 1") as caught:
        parse_level(value)
    assert caught.value.name == "quantiles"


def test_a_text_that_is_nearly_a_name_is_refused_with_the_name():
    for typed, near in {"medain": " Did you mean median?", "Quartile": " Did you mean quartiles?", "x": ""}.items():
        with pytest.raises(ParameterError) as caught:
            Plan(typed, epsilon=1)
        assert str(caught.value) == f"`quantiles` must lie between 0 and 1 (0 % and 100 %), got {typed!r}.{near}"


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
        Plan([0.5]), Plan([0.25]), Plan([0.5], "indexp"), Plan([0.5], privacy=ZCDP(1.0)), Plan([0.5], options={"a": 1}),
    ]  # fmt: skip
    assert len({plan.fingerprint for plan in plans}) == len(plans)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Plan(""), "quantiles"),
        (lambda: Plan("medians"), "quantiles"),
        (lambda: Plan(25), "quantiles"),
        (lambda: Plan(True), "quantiles"),
        (lambda: Plan(None), "quantiles"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], privacy=PureDP(1.0), epsilon=1), "privacy"),
        (lambda: Plan([0.5], epsilon=1, rho=1), "rho"),
        (lambda: Plan([0.5], delta=1e-6), "epsilon"),
        (lambda: Plan([0.5], epsilon=-1), "epsilon"),
        (lambda: Plan([0.5], epsilon=float("nan")), "epsilon"),
        (lambda: Plan([0.5], epsilon=1, delta=2), "delta"),
        (lambda: Plan([2]), "quantiles"),
        (lambda: Plan([0.5] * 200_000), "quantiles"),
        (lambda: Plan([0.5], 3), "mechanism"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], privacy=1.0), "privacy"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], adjacency="swap"), "adjacency"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], options=[1]), "options"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], options={"alpha": float("nan")}), "alpha"),
        (lambda: Plan([0.5], options={"alpha": [1]}), "alpha"),  # type: ignore[dict-item]
        (lambda: Plan([0.5], weights={}), "weights"),
        (lambda: Plan([0.5], weights=[1, 2]), "weights"),  # type: ignore[arg-type]
        (lambda: Plan([0.5], weights={"age": 0}), "weights"),
        (lambda: Plan([0.5], weights={"age": float("nan")}), "weights"),
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


@pytest.mark.parametrize(
    ("given", "parts"), [("median", 2), ("quartiles", 4), (" Deciles ", 10), ("percentiles", 100), (0.5, 2), ("50%", 2)]
)
def test_levels_have_names_and_may_be_one_or_typed(given, parts):
    assert Plan(given).quantiles == tuple(Fraction(k, parts) for k in range(1, parts))
    assert Plan("10%, 50 %").quantiles == (Fraction(1, 10), Fraction(1, 2))


def test_a_budget_may_be_given_as_numbers():
    assert Plan("median", epsilon=1) == Plan([0.5], privacy=PureDP(1)) == Plan([0.5], epsilon=1, delta=0)
    assert Plan("median", epsilon=1, delta=1e-6).privacy == ApproxDP(1, 1e-6)
    assert Plan("median", rho=0.1).privacy == ZCDP(0.1)


def test_what_is_protected_may_be_said_in_words():
    assert Plan("median", adjacency="joins").adjacency is Adjacency.ADD_REMOVE
    assert Plan("median", adjacency="replaced") == Plan("median", adjacency=Adjacency.REPLACE_ONE)
    with pytest.raises(ParameterError, match=r"must be 'joins' .* or 'replaced', got 'swap'"):
        Plan("median", adjacency="swap")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Plan([25]), "got 25. For 25 % write 0.25."),
        (lambda: Plan(["12.5"]), "got '12.5'. For 12.5 % write 0.125."),
        (lambda: Plan([0.5], intervals=95), "got 95. For 95 % write 0.95."),
        (lambda: Plan([0.5], privacy=1.0), "must be PureDP, ApproxDP or ZCDP; or give epsilon, delta or rho."),  # type: ignore[arg-type]
    ],
)
def test_a_refusal_says_what_to_write(make, said):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value).endswith(said)


@given(st.lists(levels, max_size=4), budgets, st.sampled_from(Adjacency), st.one_of(st.none(), st.just(Intervals(0.9))))
def test_a_plan_is_shown_as_the_call_that_makes_it(quantiles, privacy, adjacency, intervals):
    plan = Plan(quantiles, "slice", privacy, adjacency, {"noise": "flat"} if quantiles else None, intervals)
    assert eval(repr(plan)) == plan
    assert repr(Plan("median", epsilon=1)) == "Plan(['1/2'], 'aq', epsilon=1)"


def test_weights_belong_to_the_plan_and_to_its_text():
    plan = Plan("median", epsilon=1, weights={"age": 1, "pay": "1/3"})
    assert eval(repr(plan)) == Plan.from_json(plan.to_json()) == plan
    assert plan.weights == {"age": 1, "pay": Fraction(1, 3)}
    assert plan != Plan("median", epsilon=1)
    assert "weights" not in Plan("median", epsilon=1).as_dict()


def test_numbers_of_groups_belong_to_the_plan_and_to_its_text():
    about = {"b": 9, ("north", np.int64(3)): 7, np.str_("a"): 300, 4: 10**15}
    plan = Plan("median", epsilon=1, intervals=0.9, about_n=about)
    assert eval(repr(plan)) == Plan.from_json(plan.to_json()) == plan
    assert plan.about_n == {"b": 9, ("north", 3): 7, "a": 300, 4: 10**15}
    turned = Plan("median", epsilon=1, intervals=0.9, about_n=dict(reversed(about.items())))
    assert (turned, hash(turned), turned.to_json()) == (plan, hash(plan), plan.to_json())
    assert plan != Plan("median", epsilon=1, intervals=0.9, about_n=300)
    written = Plan("median", epsilon=1, intervals=0.9, about_n=9).as_dict() | {"about_n": {"a": 300}}
    assert Plan.from_dict(written).about_n == {"a": 300}


@pytest.mark.parametrize("about", [[], ["ab"], [["a", 1], ["a", 2]], [["a", 1, 2]], [[["a", {}], 1]], [1], [["a", 0]]])
def test_numbers_of_groups_that_are_none_are_refused(about):
    values = Plan([0.5], epsilon=1, intervals=0.9, about_n=9).as_dict() | {"about_n": about}
    with pytest.raises(ParameterError, match="`about_n`"):
        Plan.from_dict(values)


def test_a_plan_cannot_be_changed():
    plan = Plan([0.5])
    with pytest.raises(AttributeError):
        plan.mechanism = "indexp"  # type: ignore[misc]
    with pytest.raises(TypeError):
        plan.options["alpha"] = 1  # type: ignore[index]


@pytest.mark.parametrize("plan", [
    Plan([]), Plan(["1/3", 0.5], "binhist", ZCDP(0.125), Adjacency.REPLACE_ONE, {"bins": 16}),
    Plan([0.5], "slice", ApproxDP(1.0, 1e-6), intervals=0.95, about_n="noisy"),
    Plan([0.5], epsilon=1, weights={"age": 1, "pay": "1/3"}),
    Plan([0.5], epsilon=1, intervals=0.9, about_n={"b": 9, ("north", 3): 7, 4: 10**15}),
])  # fmt: skip
def test_a_plan_is_the_same_in_another_process(plan):
    assert pickle.loads(pickle.dumps(plan)) == plan
