"""The Quantiles page with a mechanism that has every kind of option, notes, and a refusal that has a price."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Plan, Sample
from dpq_core.errors import Infeasible, ParameterError
from dpq_core.mechanisms import MECHANISMS, Option, Profile
from dpq_core.mechanisms.base import options_of
from pages.keys import PREFIX
from pages.settings.table import TABS
from tests.pages.driving import bring, csv_of, field, open_page, press, run, said, set_bounds, widget, words

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

    def run(sample: Any, parameters: Any, entropy: Any) -> Any:
        if refuses:
            raise Infeasible("quantiles", "must be further apart.", noisy_count=99, charged=PRICE)
        return real.run(sample, parameters, entropy)

    texts = {name: getattr(real, name) for name in ("SUMMARY", "CLAIM", "REFERENCE", "NOTES", "SUPPORTS")}
    rest = {"PROFILE": Profile(), "READS": Sample}
    return SimpleNamespace(KEY="fake", LABEL="A fake", OPTIONS=OPTIONS, calibrate=prepared, run=run, **texts, **rest)


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:
    def add(*, refuses: bool = False) -> None:
        monkeypatch.setitem(MECHANISMS, "fake", fake(refuses=refuses))

    return add


def with_fake(visit: AppTest) -> AppTest:
    return run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("fake"))


def option(name: str) -> str:
    return f"{PREFIX}_option_fake.{name}"


def plan_of(visit: AppTest) -> dict[str, Any]:
    return dict(visit.session_state[f"{PREFIX}:outcome:explore"].plan.options)


def test_every_kind_of_option_has_a_widget(register: Any) -> None:
    register()
    visit = with_fake(open_page())
    shown = {name: widget(visit, option(name)) for name in ("made_choice", "usual_choice", "merge_close", "made_flag")}
    assert {name: widget.value for name, widget in shown.items()} == {
        "made_choice": "", "usual_choice": "flat", "merge_close": "False", "made_flag": "",
    }  # fmt: skip
    assert list(shown["made_choice"].options) == ["automatic", "two level", "flat"]
    assert list(shown["merge_close"].options) == ["no", "yes"]
    assert list(shown["made_flag"].options) == ["automatic", "no", "yes"]
    assert visit.text_input(key=option("half_width")).placeholder == "automatic"
    assert visit.text_input(key=option("share")).placeholder == "0.25"
    press(visit)
    assert plan_of(visit) == {}


def test_options_reach_the_plan_and_the_link(register: Any) -> None:
    register()
    visit = with_fake(open_page())
    widget(visit, option("made_choice")).set_value("two_level")
    widget(visit, option("merge_close")).set_value("True")
    widget(visit, option("made_flag")).set_value("False")
    visit.text_input(key=option("half_width")).set_value("12")
    visit.text_input(key=option("share")).set_value("0,5")
    press(run(visit))
    assert plan_of(visit) == {
        "made_choice": "two_level", "merge_close": True, "made_flag": False, "half_width": 12, "share": 0.5,
    }  # fmt: skip
    assert visit.query_params["fake.half_width"] == "12"


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("half_width", "wide", "“Half width” must be a whole number >= 1, got 'wide'"),
        ("half_width", "0", "“Half width” must be a whole number >= 1, got 0"),
        ("share", "2", "“Share” must be a number >= 0 and <= 1, got 2.0"),
    ],
)
def test_a_bad_option_is_named_and_stops_the_button(register: Any, name: str, typed: str, said: str) -> None:
    register()
    visit = with_fake(open_page())
    run(visit.text_input(key=option(name)).set_value(typed))
    assert said in " ".join(element.value.replace("\\", "") for element in visit.markdown)
    assert visit.button(key=f"{PREFIX}_run").disabled


def test_notes_stand_under_a_result(register: Any) -> None:
    register()
    visit = press(with_fake(open_page()))
    notes = [caption.value for caption in visit.caption if ":material/info:" in caption.value]
    assert [note.replace("\\", "") for note in notes] == [
        ":material/info: Quantiles share answers."
    ]  # fmt: skip


def test_a_refusal_that_has_spent_something_counts(register: Any) -> None:
    register(refuses=True)
    ages = np.random.default_rng(7).integers(18, 91, size=500)
    visit = with_fake(set_bounds(bring(open_page(data="file"), csv_of(ages)), "0", "120", "1"))
    press(run(field(visit, "total_delta").set_value("0")))
    assert "Finding this out has spent ε = 0.25" in said(visit)
    assert "ε = 2.75 left" in words(run(visit)).replace("\\", "")
    visit.session_state[f"{PREFIX}_show"] = TABS[1]
    visit.session_state[f"{PREFIX}_size"] = "50"
    press(run(visit), "run_column")
    assert "ε = 2.5 left" in words(run(visit)).replace("\\", "")
    visit.session_state[f"{PREFIX}_show"] = TABS[0]
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aq"))
    press(visit)
    assert [metric.value for metric in visit.metric if metric.label == "Spent of the budget by now"] == ["ε = 1.5 of 3"]


def test_a_mechanism_that_cannot_do_so_many_values_says_so(register: Any) -> None:
    register()
    visit = with_fake(open_page(show=TABS[1], size="501"))
    reason = "Not for a column of 501 values: “Quantiles” must be at most 500 levels."
    assert reason in [caption.value.replace("\\", "") for caption in visit.caption]
    assert visit.button(key=f"{PREFIX}_run_column").disabled
    run(visit.text_input(key=f"{PREFIX}_size").set_value("500"))
    assert not visit.button(key=f"{PREFIX}_run_column").disabled


def test_a_simulated_refusal_spends_nothing(register: Any) -> None:
    register(refuses=True)
    visit = press(with_fake(open_page()))
    assert "A release would have spent ε = 0.25" in said(visit)
    assert f"{PREFIX}:spent" not in visit.session_state


def test_all_mechanisms_in_words(register: Any) -> None:
    register()
    visit = open_page()
    assert "The paper says" not in everything(visit)
    run(visit.button(key=f"{PREFIX}_which").click())
    told = everything(visit)
    for mechanism in MECHANISMS.values():
        assert mechanism.LABEL in told
        assert mechanism.SUMMARY in told
    assert told.count("The paper says") == sum(len(mechanism.NOTES) for mechanism in MECHANISMS.values())
    # Two must be told something first: a bound on the number of people, or what is known of the distribution.
    assert told.count("Serves these settings") == len(MECHANISMS.keys() - {"gkexp", "normal"})


def everything(visit: AppTest) -> str:
    """The texts of the page and of a dialog over it."""
    return " ".join(element.value.replace("\\", "") for element in [*visit.markdown, *visit.caption])
