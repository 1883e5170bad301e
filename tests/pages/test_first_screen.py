"""The first screen of Quantiles: what it is, the picture, epsilon first, one's own data."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.keys import PREFIX
from pages.quantiles import findings
from tests.pages.driving import bring, csv_of, figures, open_page, run, said, set_bounds, words

SIMULATION = f"{PREFIX}:outcome:explore"


def shown(visit: AppTest) -> float:
    return float(visit.session_state[SIMULATION].plan.privacy.epsilon)


def test_a_first_visit_opens_where_noise_can_be_seen_and_the_heading_says_how_much() -> None:
    visit = open_page()
    outcome = visit.session_state[SIMULATION]
    assert shown(visit) == 0.1
    assert sum(a != b for a, b in zip(outcome.values, outcome.true_values, strict=True)) >= 5, "diamonds beside circles"
    assert (
        visit.header[0].value.replace("\\", "")
        == f"At ε = 0.1 the private deciles are off by about {outcome.usual_error:.2g} of 1,000 people on average."
    )
    assert "random noise, which limits what it can reveal about any one person" in said(visit)


@pytest.mark.parametrize("link", [{"quantiles": "quartiles"}, {"data": "adult-hours"}, {"seed": "3"}])
def test_a_link_of_before_still_means_an_epsilon_of_1(link: dict[str, str]) -> None:
    visit = open_page(**link)
    assert shown(visit) == 1
    assert "epsilon" not in visit.query_params


def test_epsilon_is_the_first_control_and_says_what_it_means() -> None:
    visit = open_page()
    form = visit.get_by_key(f"{PREFIX}_controls")
    keys = [node.key for node in _widgets(form)]
    assert keys[0] == f"{PREFIX}_slider_epsilon"
    assert keys.index(f"{PREFIX}_epsilon") < keys.index(f"{PREFIX}_data") < keys.index(f"{PREFIX}_quantiles")
    assert "right at most 53 times in 100; a coin toss, 50." in words(visit)
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("1"))
    assert "right at most 74 times in 100; a coin toss, 50." in words(visit)


def test_what_is_rarely_changed_is_folded_and_its_name_says_what_is_chosen() -> None:
    visit = open_page(lower="10", intervals="0.95")
    labels = [fold.label for fold in visit.expander]
    assert "Possible values: 10 to 120 years" in labels
    assert "Intervals: 95 %" in labels
    assert "Protects: one person joins or leaves · ε" in labels


def test_ones_own_data_are_one_click_away() -> None:
    visit = open_page()
    run(visit.button(key=f"{PREFIX}_own_data").click())
    assert visit.selectbox(key=f"{PREFIX}_data").value == "file"
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == "1", "0.1 was there to show noise"
    assert f"{PREFIX}_own_data" not in [button.key for button in visit.button]


def test_an_epsilon_that_was_chosen_stays_for_ones_own_data() -> None:
    visit = open_page()
    for epsilon in ("0.2", "0.1"):
        run(visit.text_input(key=f"{PREFIX}_epsilon").set_value(epsilon))
    run(visit.button(key=f"{PREFIX}_own_data").click())
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == "0.1"


def test_bounds_of_ones_own_public_column_are_asked_in_the_open() -> None:
    visit = bring(open_page(data="file"), csv_of(range(300)), public=True)
    assert not [fold.label for fold in visit.expander if fold.label.startswith("Possible values")]
    set_bounds(visit, "0", "400", "1")
    assert "Nothing simulated yet" in words(visit)


def test_axes_stand_still_while_epsilon_is_turned() -> None:
    visit = open_page(mechanism="aq", epsilon="0.1")
    before = [figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2]]
    for epsilon in ("0.2", "0.15"):
        run(visit.text_input(key=f"{PREFIX}_epsilon").set_value(epsilon))
        assert [figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2]] == before
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.001"))
    values, errors = (figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2])
    assert values == before[0], "ages stay between their bounds"
    assert errors[1] > before[1][1]
    run(visit)
    assert [figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2]] == [values, errors]


def test_one_quantile_is_said_in_the_singular() -> None:
    outcome = open_page(quantiles="median", mechanism="aq").session_state[SIMULATION]
    assert findings.sentence(outcome).startswith("At ε = 1 the private median is off by ")
    assert findings.name_of((outcome.plan.quantiles[0] / 3,)) == "1 quantile"


def _widgets(node: Any) -> list[Any]:
    found: list[Any] = []
    for child in getattr(node, "children", {}).values():
        found += [child] if getattr(child, "key", None) and not getattr(child, "children", None) else _widgets(child)
    return found


def test_what_a_reader_has_to_know_of_the_answers_is_below_the_picture() -> None:
    visit = open_page(mechanism="aq", quantiles="even", even="60", epsilon="0.1", adjacency="substitute")
    picture = " ".join(each.value for each in visit.get_by_key(f"{PREFIX}_picture").caption)
    assert picture.count("of 60 levels were drawn; the others lie between them") == 1
    assert words(visit).count("of 60 levels were drawn; the others lie between them") == 1
