"""The mechanism of a plan: chosen for one or by hand, its options, and what is offered where it is refused."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import MECHANISMS, Column, Domain, Plan, PureDP, Question
from dpq_core.advice.choice import BEST_LABEL, Choice, choose, needs
from dpq_core.errors import Infeasible, ParameterError
from dpq_core.mechanisms.base import Option, Profile, options_of
from dpq_core.plan import BEST
from pages.form import table
from pages.form.table import option_label
from pages.keys import PREFIX
from pages.payment import counts
from tests.advice.asked import ask
from tests.pages import driving
from tests.pages.driving import bring, csv_of, field, is_disabled, keys, open_page, press, run, said, set_bounds, widget

SIMULATION, RUN = f"{PREFIX}:outcome:explore", f"{PREFIX}:inside:run"
DECILES = [Fraction(k, 10) for k in range(1, 10)]
AGES = Domain(0, 120, 1)


def best(n: int = 1000, *quantiles: Fraction) -> Choice:
    return choose(ask(plan=Plan(quantiles or DECILES, "best"), domain=AGES, about_n=n))


def key_of(best: Choice) -> str:
    return best.run.plan.mechanism


def choice(visit: AppTest) -> str:
    """Return what the page says of the choice."""
    (found,) = [each.value for each in visit.caption if each.value.startswith("Suggested: ")]
    return str(found).replace("\\", "")


@pytest.mark.parametrize(("page", "kept"), [("explore", SIMULATION), ("inside", RUN)])
def test_a_page_opens_with_the_best_mechanism_and_says_what_it_is(page: str, kept: str) -> None:
    visit = open_page(page, data="adult-age")
    chosen = visit.selectbox(key=f"{PREFIX}_mechanism")
    assert (chosen.value, chosen.options[0]) == (BEST, BEST_LABEL)
    assert visit.session_state[kept].plan.mechanism == key_of(best())
    said = choice(visit)
    assert said.startswith(f"Suggested: {MECHANISMS[key_of(best())].LABEL}. {best().why['a']} ")
    assert said.endswith("This suggestion does not use your data.")
    assert "Estimated error: " not in said, "the picture beside the form has the error"
    assert not any(letter in said for letter in "εδρ")
    assert "mechanism" not in visit.query_params, "a link shows the same form"
    press(visit, "by_hand")
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == visit.query_params["mechanism"] == key_of(best())
    assert f"{PREFIX}_by_hand" not in keys(visit)


@pytest.mark.slow
def test_the_guess_is_typed_and_decides() -> None:
    assert key_of(best(10)) != key_of(best())
    visit = open_page("inside", epsilon="1")
    run(field(visit, "shape_size").set_value("10"))
    assert "for 10 records" in choice(visit)
    visit = open_page(data="adult-age")
    run(field(visit, "shape_size").set_value("10"))
    assert visit.query_params["shape_size"] == "10"
    run(visit.button(key=f"{PREFIX}_take_mechanism").click())
    press(visit)
    assert visit.session_state[SIMULATION].plan.mechanism == key_of(best(10))
    run(field(visit, "shape_size").set_value("few"))
    assert visit.button(key=f"{PREFIX}_run").disabled


@pytest.mark.slow
@pytest.mark.parametrize("public", [True, False])
def test_other_data_within_the_same_bounds_make_no_difference(public: bool) -> None:
    said = []
    for values in (np.full(37, 40), np.random.default_rng(3).integers(0, 121, 4099)):
        visit = bring(open_page(), csv_of(values), public=public)
        assert not [each for each in visit.caption if each.value.startswith("Suggested: ")], "without bounds"
        set_bounds(visit, "0", "120", "1")
        said.append(choice(visit))
    assert said[0] == said[1]
    assert best().why["a"] in said[0]


def small_epsilon_has_aq(question: Question) -> Choice:
    assert isinstance(question.budget, PureDP)
    key = "aq" if question.budget.epsilon < 1 else "freetotal"
    columns = {name: replace(each, mechanism=key) for name, each in question.columns.items()}
    return Choice(replace(question, columns=columns), {"column": "So."})


@pytest.mark.slow
def test_the_mechanism_is_held_while_a_setting_is_turned_a_better_one_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.form.form.choose", small_epsilon_has_aq)
    visit = open_page(epsilon="1")
    epsilon = visit.text_input(key=f"{PREFIX}_epsilon")
    run(epsilon.set_value("2"))
    assert TAKE not in keys(visit)
    run(epsilon.set_value("0.5"))
    assert visit.session_state[SIMULATION].plan.mechanism == "freetotal", "only epsilon has moved the answers"
    assert TAKE in keys(visit)
    assert visit.query_params["mechanism"] == "freetotal", "a link opens what is shown"
    run(epsilon.set_value("3"))
    assert TAKE not in keys(visit)
    assert "mechanism" not in visit.query_params
    run(epsilon.set_value("0.5"))
    run(visit.button(key=TAKE).click())
    assert visit.session_state[SIMULATION].plan.mechanism == "aq"
    assert TAKE not in keys(visit)
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == BEST, "and the next plan is chosen for again"
    run(epsilon.set_value("2"))
    run(visit.button(key=f"{PREFIX}_by_hand").click())
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == "aq", "by hand takes the one that is held"


@pytest.mark.slow
def test_a_mechanism_that_is_not_available_any_more_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.form.form.choose", small_epsilon_has_aq)
    monkeypatch.setattr("pages.form.plan.serves", lambda *_: False)
    visit = open_page(epsilon="1")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    assert visit.session_state[SIMULATION].plan.mechanism == "aq"
    assert choice(visit).startswith(f"Suggested: {MECHANISMS['aq'].LABEL}."), "what is drawn now is said"


TAKE = f"{PREFIX}_take_mechanism"
"""A better mechanism is offered."""
OPTIONS = (
    Option(name="made_choice", kind="choice", default=None, choices=("two_level", "flat"), help="A choice."),
    Option(name="usual_choice", kind="choice", default="flat", choices=("two_level", "flat"), help="A choice."),
    Option(name="merge_close", kind="flag", default=False, help="A flag."),
    Option(name="made_flag", kind="flag", default=None, help="A flag."),
    Option(name="half_width", kind="integer", default=None, minimum=1, help="A whole number."),
    Option(name="share", kind="number", default=0.25, minimum=0, maximum=1, help="A number."),
)
PRICE, MOST_LEVELS = 0.25, 500


def fake(*, refuses: bool) -> Any:
    """AQ under another name."""
    real = MECHANISMS["aq"]

    def prepared(plan: Plan, n_public: int | None) -> Any:
        options_of(plan, OPTIONS)
        if len(plan.quantiles) > MOST_LEVELS:
            raise ParameterError("quantiles", f"must be at most {MOST_LEVELS} levels.")
        parameters = real.calibrate(Plan(plan.quantiles, "aq", plan.privacy, plan.adjacency), n_public)
        return replace(parameters, notes=("Quantiles share answers.",))

    def run(column: Any, parameters: Any, entropy: Any) -> Any:
        if refuses:
            raise Infeasible("quantiles", "must be further apart.", noisy_count=99, charged=PRICE)
        return real.run(column, parameters, entropy)

    texts = {name: getattr(real, name) for name in ("SUMMARY", "CLAIM", "REFERENCE", "NOTES", "SUPPORTS")}
    rest = {"PROFILE": Profile(), "READS": Column}
    return SimpleNamespace(KEY="fake", LABEL="A fake", OPTIONS=OPTIONS, calibrate=prepared, run=run, **texts, **rest)


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:
    def add(*, refuses: bool = False) -> None:
        monkeypatch.setitem(MECHANISMS, "fake", fake(refuses=refuses))
        monkeypatch.setitem(table.MECHANISM_LABELS, "fake", "A fake")
        for each in OPTIONS:
            monkeypatch.setitem(table.OPTIONS, f"fake.{each.name}", table.of_option(each))

    return add


def with_fake(visit: AppTest) -> AppTest:
    return run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("fake"))


def option(name: str) -> str:
    return f"{PREFIX}_option_fake.{name}"


def plan_of(visit: AppTest) -> dict[str, Any]:
    return dict(visit.session_state[f"{PREFIX}:outcome:explore"].plan.options)


@pytest.mark.slow
def test_every_kind_of_option_has_a_widget_reaches_plan_and_link_and_is_named_where_it_is_bad(register: Any) -> None:
    register()
    visit = with_fake(open_page())
    shown = {name: widget(visit, option(name)) for name in ("made_choice", "usual_choice", "merge_close", "made_flag")}
    assert {name: (widget.value, list(widget.options)) for name, widget in shown.items()} == {
        "made_choice": ("", ["automatic", "two level", "flat"]), "usual_choice": ("flat", ["two level", "flat"]),
        "merge_close": ("False", ["no", "yes"]), "made_flag": ("", ["automatic", "no", "yes"]),
    }  # fmt: skip
    assert [visit.text_input(key=option(name)).placeholder for name in ("half_width", "share")] == ["automatic", "0.25"]
    assert plan_of(press(visit)) == {}
    for name, value in {"made_choice": "two_level", "merge_close": "True", "made_flag": "False"}.items():
        widget(visit, option(name)).set_value(value)
    for name, value in {"half_width": "12", "share": "0,5"}.items():
        visit.text_input(key=option(name)).set_value(value)
    assert plan_of(press(run(visit))) == {
        "made_choice": "two_level", "merge_close": True, "made_flag": False, "half_width": 12, "share": 0.5,
    }  # fmt: skip
    assert visit.query_params["fake.half_width"] == "12"
    assert "Quantiles share answers." in said(visit), "notes stand under a result"
    for name, typed, before in (("half_width", "wide", "12"), ("half_width", "0", "12"), ("share", "2", "0,5")):
        run(visit.text_input(key=option(name)).set_value(typed))
        wrong = [each.value for each in visit.markdown if ":material/error:" in each.value]
        assert [option_label(name) in each for each in wrong] == [True]
        assert is_disabled(visit)
        run(visit.text_input(key=option(name)).set_value(before))


@pytest.mark.slow
def test_a_refusal_that_has_spent_something_counts_and_a_simulated_one_does_not(register: Any) -> None:
    register(refuses=True)
    ages = np.random.default_rng(7).integers(18, 91, size=500)
    visit = with_fake(driving.own(csv_of(ages)))
    press(run(field(visit, "total_delta").set_value("0")))
    assert "Finding this out has spent ε = 0.25" in said(visit)
    assert "ε = 2.75 left" in driving.words(run(visit)).replace("\\", "")
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aq"))
    press(visit)
    assert [metric.value for metric in visit.metric if metric.label == "Spent of the budget by now"] == [
        "ε = 1.25 of 3"
    ]
    simulated = press(with_fake(open_page()))
    assert f"{PREFIX}:spent" not in simulated.session_state


RUN, SIMULATION, RELEASED = f"{PREFIX}:inside:run", f"{PREFIX}:outcome:explore", f"{PREFIX}:outcome:release"
FEW = 18 + np.arange(431) % 60
"""An uploaded column; its length is a canary."""


def ways(visit: AppTest) -> list[str]:
    return [button.label for button in visit.button if (button.key or "").startswith(f"{PREFIX}_way_")]


def use(visit: AppTest, label: str) -> AppTest:
    (button,) = [each for each in visit.button if each.label == label]
    return run(button.click())


def charts(visit: AppTest) -> int:
    return len(visit.get("plotly_chart"))


REFUSED = {
    "slices": (
        {"mechanism": "slice", "budget": "approximate"},
        ["Use ε = 1.29", "Set Half width = 27", "Merge close quantiles"],
    ),
    "slices of pure": ({"mechanism": "slice"}, ["Use ε = 1.88", "Merge close quantiles"]),
    "sketch": ({"mechanism": "gkexp"}, ["Set N max = 10,000", "Protect against replacement"]),
}
KEPT = {"inside": RUN, "explore": SIMULATION}


@pytest.mark.slow(keep="sketch-inside")
@pytest.mark.parametrize("page", KEPT)
@pytest.mark.parametrize("refused", REFUSED)
def test_every_button_of_a_refusal_leads_to_an_answer(page: str, refused: str) -> None:
    link, expected = REFUSED[refused]
    visit = open_page(page, **link)
    assert "is not available with these settings." in said(visit)
    assert ways(visit) == expected
    assert charts(visit) == 0
    assert is_disabled(visit, f"run{'_inside' * (page == 'inside')}")
    for way in expected:
        visit = use(open_page(page, **link), way)
        assert KEPT[page] in visit.session_state, "of an example it is drawn at once"
        assert ways(visit) == []


def test_a_normal_sample_tells_all_it_needs_at_once_and_opens_the_fields() -> None:
    visit = open_page("inside", mechanism="normal", budget="concentrated")
    told = said(visit)
    for name in ("Protects", "Budget", "Sigma", "Mean bound"):
        assert f"“{name}” must be" in told
    assert ways(visit) == [
        "Protect against replacement", f"Use {MECHANISMS['aq'].LABEL}", f"Use {MECHANISMS['binhist'].LABEL}",
        "Use a budget in ε", "Use a budget in ε, δ", f"Use {MECHANISMS['binhist'].LABEL}",
        "Set Sigma …", "Set Mean bound …",
    ]  # fmt: skip
    use(visit, "Use a budget in ε")
    use(visit, "Protect against replacement")
    assert ways(visit) == ["Set Sigma …", "Set Mean bound …"]
    use(visit, "Set Sigma …")
    assert any("field:dpq_option_normal-sigma" in element.proto.body for element in visit.get("html"))
    for name, value in (("sigma", "15"), ("mean_bound", "120")):
        visit.text_input(key=f"{PREFIX}_option_normal.{name}").set_value(value)
    run(visit)
    assert ways(visit) == []
    assert visit.session_state[RUN].plan.mechanism == "normal"


@pytest.mark.slow
def test_what_was_drawn_before_a_refusal_is_gone_on_inside_and_folded_under_its_own_name_on_quantiles() -> None:
    visit = open_page("inside")
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("gkexp"))
    assert charts(visit) == 0
    assert not visit.dataframe
    assert "Copy link" in said(visit)
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aq"))
    assert charts(visit) == 2, "what was drawn comes back with its settings"
    visit = open_page(mechanism="aq")
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("gkexp"))
    (fold,) = [fold for fold in visit.expander if MECHANISMS["aq"].LABEL in fold.label.replace("\\", "")]
    assert not fold.proto.expanded
    assert len(fold.get("plotly_chart")) == charts(visit) == 3


def test_a_refused_run_stays_refused_until_settings_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the count is not looked at beforehand, as in Release, only the noisy one of a run tells."""
    monkeypatch.setattr(counts, "needs", lambda plan, count, cells, calibrations: ())
    visit = open_page("inside", mechanism="slice")
    for _ in range(2):
        assert "a noisy number of" in said(visit)
        assert "A release would have spent ε = 0.4 on finding this out." in said(visit)
        assert len(ways(visit)) >= 2
        run(visit)
    use(visit, "Merge close quantiles")
    assert visit.session_state[RUN].plan.options == {"merge_close": True}
    assert ways(visit) == []


def release_of_few(**choices: str) -> AppTest:
    visit = set_bounds(bring(open_page(data="file"), csv_of(FEW)), "0", "120", "1")
    for name, value in choices.items():
        run(visit.selectbox(key=f"{PREFIX}_{name}").set_value(value))
    return visit


@pytest.mark.slow
def test_in_release_nothing_is_computed_from_the_private_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Mock(wraps=needs)
    monkeypatch.setattr(counts, "needs", asked)
    visit = release_of_few(mechanism="gkexp")
    assert ways(visit) == ["Set N max …", "Protect against replacement"], "no bound is proposed: it is private"
    release_of_few(mechanism="slice")
    assert {call.args[1] for call in asked.call_args_list} == {None}
    assert "431" not in said(visit)
    assert "1,000" not in ways(visit)


@pytest.mark.slow
def test_a_release_that_slices_refuse_keeps_its_price_and_offers_what_would_do() -> None:
    visit = press(release_of_few(mechanism="slice"))
    assert "Finding this out has spent ε = 0.4" in said(visit)
    assert "a noisy number of" in said(visit)
    assert "Merge close quantiles" in ways(visit)
    assert RELEASED not in visit.session_state
    use(visit, "Merge close quantiles")
    assert RELEASED not in visit.session_state, "a button sets; it never releases"
    assert "is not available" not in said(visit)
    press(visit)
    assert visit.session_state[RELEASED].plan.options == {"merge_close": True}


@pytest.mark.slow
def test_a_paid_answer_stays_within_reach_under_a_refusal() -> None:
    visit = press(release_of_few())
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("gkexp"))
    (fold,) = [fold for fold in visit.expander if "The release before" in fold.label]
    assert len(fold.dataframe) == 1
    # its account counts people who join or leave: replacing is no way out for it
    assert ways(visit) == ["Set N max …"]
