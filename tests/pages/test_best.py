"""The mechanism that a press without a choice runs: what the page says of it, and on what it rests."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import MECHANISMS, Domain, Plan, PublicFacts, PureDP, best_plan
from dpq_core.advice import BEST, BEST_LABEL, BestPlan
from pages.keys import PREFIX
from pages.settings.table import TABS
from tests.pages.driving import bring, csv_of, field, open_page, press, run, set_bounds

SIMULATION, RUN = f"{PREFIX}:outcome:explore", f"{PREFIX}:inside:run"
COLUMN = f"{PREFIX}:column:explore"
DECILES = [Fraction(k, 10) for k in range(1, 10)]
AGES = Domain(0, 120, 1)


def best(n: int = 1000, *quantiles: Fraction) -> BestPlan:
    return best_plan(PublicFacts.of(Plan(quantiles or DECILES), n, AGES))


def choice(visit: AppTest) -> str:
    """Return what the page says of the choice."""
    (found,) = [each.value for each in visit.caption if each.value.startswith("Suggested: ")]
    return str(found).replace("\\", "")


@pytest.mark.parametrize(("page", "kept"), [("quantiles", SIMULATION), ("inside", RUN)])
def test_a_page_opens_with_the_best_mechanism_and_says_what_it_is(page: str, kept: str) -> None:
    visit = open_page(page, data="adult-age")
    chosen = visit.selectbox(key=f"{PREFIX}_mechanism")
    assert (chosen.value, chosen.options[0]) == (BEST, BEST_LABEL)
    first, second = best().ranking[:2]
    opens_with = {"draws": "one"} if page == "inside" else {}  # so that each round can be seen
    assert visit.session_state[kept].plan == replace(best().plan, options={**best().plan.options, **opens_with})
    said = choice(visit)
    assert said.startswith(f"Suggested: {first.label}. ")
    assert said.endswith("This suggestion does not use your data.")
    errors = (
        "Estimated error: ",
        "of 1,000 (a guess). ",
        f"Runner-up: {second.label}, {best().times:.2g} times the error",
    )
    assert [part in said for part in errors] == [page == "inside"] * 3, "the picture beside the form has the error"
    assert not any(letter in said for letter in "εδρ")
    assert "mechanism" not in visit.query_params, "a link shows the same form"


def test_by_hand_the_chosen_mechanism_stands_in_the_form_with_its_options() -> None:
    visit = press(open_page(epsilon="1"), "by_hand")
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == best().mechanism
    assert visit.query_params["mechanism"] == best().mechanism
    assert not [each for each in visit.caption if each.value.startswith("Suggested: ")]
    assert f"{PREFIX}_by_hand" not in [button.key for button in visit.button]


def test_the_guess_is_typed_and_decides() -> None:
    """For 50 people counts in bins err least, by far; of many people all errors vanish, and any may stand first."""
    assert best(50).ranking != best().ranking
    visit = open_page("inside")
    run(field(visit, "shape_size").set_value("50"))
    assert "of 50 (a guess)" in choice(visit)
    visit = open_page(data="adult-age")
    run(field(visit, "shape_size").set_value("50"))
    assert visit.query_params["shape_size"] == "50"
    run(visit.button(key=f"{PREFIX}_take_mechanism").click())
    press(visit)
    assert visit.session_state[SIMULATION].plan == best(50).plan
    run(field(visit, "shape_size").set_value("few"))
    assert visit.button(key=f"{PREFIX}_run").disabled


@pytest.mark.parametrize("public", [True, False])
def test_other_data_within_the_same_bounds_make_no_difference(public: bool) -> None:
    said = []
    for values in (np.full(37, 40), np.random.default_rng(3).integers(0, 121, 4099)):
        visit = bring(open_page(), csv_of(values), public=public)
        assert not [each for each in visit.caption if each.value.startswith("Suggested: ")], "without bounds"
        set_bounds(visit, "0", "120", "1")
        said.append(choice(visit))
    assert said[0] == said[1]
    assert best().ranking[0].label in said[0]


def test_a_synthetic_column_gets_the_best_for_as_many_quantiles_as_values() -> None:
    visit = press(open_page(show=TABS[1], size="100"), "run_column")
    levels = [Fraction(2 * k + 1, 200) for k in range(100)]
    assert visit.session_state[COLUMN].plan.mechanism == best(1000, *levels).mechanism
    assert best(1000, *levels).mechanism != best().mechanism, "the test can tell"
    assert f"Chose {MECHANISMS[best(1000, *levels).mechanism].LABEL} as the best" in " ".join(
        each.value.replace("\\", "") for each in visit.caption
    )


def small_epsilon_has_aq(facts: PublicFacts) -> BestPlan:
    assert isinstance(facts.privacy, PureDP)
    first, second = ("aq", "freetotal") if facts.privacy.epsilon < 1 else ("freetotal", "aq")
    ranking = {each.mechanism: each for each in best().ranking}
    return replace(best(), plan=facts.plan(first), ranking=(ranking[first], ranking[second]))


LABELS = [MECHANISMS[name].LABEL for name in ("freetotal", "aq")]


def test_the_mechanism_is_held_while_a_setting_is_turned_and_a_better_one_is_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pages.form.inputs.best_plan", small_epsilon_has_aq)
    visit = open_page(epsilon="1")
    epsilon = visit.text_input(key=f"{PREFIX}_epsilon")
    run(epsilon.set_value("2"))
    assert offered(visit) == []
    run(epsilon.set_value("0.5"))
    assert visit.session_state[SIMULATION].plan.mechanism == "freetotal", "only epsilon has moved the answers"
    assert offered(visit) == [f"Choose for me now suggests {LABELS[1]}. The page keeps {LABELS[0]}"]
    assert visit.query_params["mechanism"] == "freetotal", "a link opens what is shown"
    run(epsilon.set_value("3"))
    assert offered(visit) == []
    assert "mechanism" not in visit.query_params
    run(epsilon.set_value("0.5"))
    run(visit.button(key=f"{PREFIX}_take_mechanism").click())
    assert visit.session_state[SIMULATION].plan.mechanism == "aq"
    assert offered(visit) == []
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == BEST, "and the next plan is chosen for again"


def test_by_hand_takes_the_mechanism_that_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.form.inputs.best_plan", small_epsilon_has_aq)
    visit = open_page(epsilon="1")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    run(visit.button(key=f"{PREFIX}_by_hand").click())
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == "freetotal"


def test_a_mechanism_that_is_not_available_any_more_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(facts: PublicFacts) -> BestPlan:
        found = small_epsilon_has_aq(facts)
        return replace(found, ranking=found.ranking[:1])

    monkeypatch.setattr("pages.form.inputs.best_plan", alone)
    visit = open_page(epsilon="1")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    assert visit.session_state[SIMULATION].plan.mechanism == "aq"
    assert changes(visit) == [f"The mechanism changed from {LABELS[0]} to {LABELS[1]}"]


def test_in_release_the_best_is_drawn_and_a_change_of_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.form.inputs.best_plan", small_epsilon_has_aq)
    visit = set_bounds(bring(open_page(data="file"), csv_of(np.arange(300) % 90)), "0", "120", "1")
    epsilon = visit.text_input(key=f"{PREFIX}_epsilon")
    assert not changes(visit)
    run(epsilon.set_value("2"))
    assert not changes(visit), "the same mechanism at another budget"
    run(epsilon.set_value("0.5"))
    assert changes(visit) == [f"The mechanism changed from {LABELS[0]} to {LABELS[1]}"]
    assert changes(run(visit)), "until another setting is changed"
    assert offered(visit) == []
    run(visit.button(key=f"{PREFIX}_keep_mechanism").click())
    assert not changes(visit)
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == "freetotal"


def offered(visit: AppTest) -> list[str]:
    texts = [each.value.replace("\\", "").replace("**", "") for each in visit.caption]
    return [
        text.removeprefix(":material/swap_horiz: ").partition(", so")[0] for text in texts if "now suggests" in text
    ]


def changes(visit: AppTest) -> list[str]:
    texts = [
        each.value.replace("\\", "").split("**") for each in visit.markdown if "The mechanism changed" in each.value
    ]
    return [parts[1] for parts in texts]
