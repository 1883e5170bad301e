"""The mechanism that a press without a choice runs: what the page says of it, and on what it rests."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import MECHANISMS, Domain, Plan, PublicFacts, PureDP, best_plan
from dpq_core.advice import BEST, BEST_LABEL, BestPlan
from pages.settings.table import PREFIX, TABS
from tests.pages.driving import bring, csv_of, field, open_page, press, run, set_bounds

SIMULATION, RUN = f"{PREFIX}:outcome:explore", f"{PREFIX}:inside:run"
COLUMN = f"{PREFIX}:column:explore"
DECILES = [Fraction(k, 10) for k in range(1, 10)]
AGES = Domain(0, 120, 1)


def best(n: int = 1000, *quantiles: Fraction) -> BestPlan:
    return best_plan(PublicFacts.of(Plan(quantiles or DECILES), n, AGES))


def choice(visit: AppTest) -> str:
    """Return what the page says of the choice."""
    (found,) = [each.value for each in visit.caption if each.value.startswith("Chose ")]
    return str(found).replace("\\", "")


@pytest.mark.parametrize(("page", "kept"), [("quantiles", SIMULATION), ("inside", RUN)])
def test_a_page_opens_with_the_best_mechanism_and_says_what_it_is(page: str, kept: str) -> None:
    visit = open_page(page)
    chosen = visit.selectbox(key=f"{PREFIX}_mechanism")
    assert (chosen.value, chosen.options[0]) == (BEST, BEST_LABEL)
    first, second = best().ranking[:2]
    assert visit.session_state[kept].plan == best().plan
    said = choice(visit)
    assert said.startswith(f"Chose {first.label}: expected error ")
    assert f"of 1,000 (a guess); next best {second.label}: " in said
    assert f"{best().times:.2g} times as much" in said
    assert said.endswith("Your data is not looked at.")
    assert not any(letter in said for letter in "εδρ")
    assert "mechanism" not in visit.query_params, "a link shows the same form"


def test_by_hand_the_chosen_mechanism_stands_in_the_form_with_its_options() -> None:
    visit = press(open_page(), "by_hand")
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == best().mechanism
    assert visit.query_params["mechanism"] == best().mechanism
    assert not [each for each in visit.caption if each.value.startswith("Chose ")]
    assert f"{PREFIX}_by_hand" not in [button.key for button in visit.button]


def test_the_guess_is_typed_and_decides() -> None:
    """With many people to a year of age errors vanish, and what stands first in the list is as good as any."""
    assert best(1_000_000).ranking != best().ranking
    visit = open_page()
    run(field(visit, "About how many people").set_value("1,000,000"))
    assert "of 1,000,000 (a guess)" in choice(visit)
    assert visit.query_params["shape_size"] == "1,000,000"
    press(visit)
    assert visit.session_state[SIMULATION].plan == best(1_000_000).plan
    run(field(visit, "About how many people").set_value("few"))
    assert visit.button(key=f"{PREFIX}_run").disabled


@pytest.mark.parametrize("public", [True, False])
def test_other_data_within_the_same_bounds_make_no_difference(public: bool) -> None:
    said = []
    for values in (np.full(37, 40), np.random.default_rng(3).integers(0, 121, 4099)):
        visit = bring(open_page(), csv_of(values), public=public)
        assert not [each for each in visit.caption if each.value.startswith("Chose ")], "without bounds"
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


def test_a_change_of_the_suggested_mechanism_is_said_and_can_be_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def chosen(facts: PublicFacts) -> BestPlan:
        assert isinstance(facts.privacy, PureDP)
        mechanism = "aq" if facts.privacy.epsilon < 1 else "freetotal"
        return replace(best(), plan=facts.plan(mechanism))

    monkeypatch.setattr("pages.form.inputs.best_plan", chosen)
    visit = open_page()
    epsilon = visit.text_input(key=f"{PREFIX}_epsilon")
    assert not changes(visit)
    run(epsilon.set_value("2"))
    assert not changes(visit), "the same mechanism at another budget"
    run(epsilon.set_value("0.5"))
    labels = [MECHANISMS[name].LABEL for name in ("freetotal", "aq")]
    assert changes(visit) == [f"The mechanism changed from {labels[0]} to {labels[1]}"]
    assert changes(run(visit)), "until another setting is changed"
    run(visit.button(key=f"{PREFIX}_keep_mechanism").click())
    assert not changes(visit)
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == "freetotal"


def changes(visit: AppTest) -> list[str]:
    texts = [
        each.value.replace("\\", "").split("**") for each in visit.markdown if "The mechanism changed" in each.value
    ]
    return [parts[1] for parts in texts]
