"""Links without a browser: they carry the draw of an example and nothing of other data, and speak of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages import file_of
from pages.frame import links
from pages.frame.fields import label_of, usual_value
from pages.keys import PREFIX
from pages.quantiles import live
from pages.settings.table import PAGES, SETTINGS, TABS
from tests.every_run import kept_rows
from tests.pages.driving import ROOT, bring, csv_of, link_of, open_page, press, run, set_bounds, turn_to

SIMULATION, COLUMN, RUN = f"{PREFIX}:outcome:explore", f"{PREFIX}:column:explore", f"{PREFIX}:inside:run"
VALUES = 300 + 7 * np.arange(900) % 500


def copied(visit: AppTest) -> str:
    """The link under *Copy link*."""
    (code,) = visit.code
    return str(code.value)


def opened_again(visit: AppTest, page: str) -> AppTest:
    """What somebody else sees who opens the link."""
    return open_page(page, **link_of(visit))


# ── the draw ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_link_of_an_example_opens_the_very_simulation() -> None:
    visit = press(press(open_page(quantiles="quartiles")))
    shown = visit.session_state[SIMULATION]
    assert shown.seed == 3
    assert link_of(visit) == {"quantiles": "quartiles", "seed": "3"}
    assert "seed=3" in copied(visit)
    other = opened_again(visit, "quantiles")
    assert other.session_state[SIMULATION].seed == 3
    assert other.session_state[SIMULATION].values == shown.values
    assert press(other).session_state[SIMULATION].seed == 4, "the next press is another draw"


def test_a_link_carries_the_seed_of_the_noise_that_stays_while_settings_change() -> None:
    visit = press(open_page(mechanism="aq", epsilon="1"))
    assert link_of(visit) == {"mechanism": "aq", "seed": "2"}
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("2"))
    assert link_of(visit) == {"mechanism": "aq", "epsilon": "2", "seed": "2"}
    other = opened_again(visit, "quantiles")
    assert other.session_state[SIMULATION].values == visit.session_state[SIMULATION].values


def test_a_link_carries_no_seed_while_the_shown_simulation_is_of_other_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "MOST_SECONDS", 0.0)
    visit = press(open_page(mechanism="aq"))
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("2"))
    assert link_of(visit) == {"mechanism": "aq", "epsilon": "2"}
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("1"))
    assert link_of(visit) == {"mechanism": "aq", "seed": "2"}


@pytest.mark.very_slow
def test_a_link_of_a_synthetic_column_opens_the_very_column() -> None:
    visit = open_page(show=TABS[1], size="40")
    for _ in range(2):
        run(visit.button(key=f"{PREFIX}_run_column").click())
    shown = visit.session_state[COLUMN]
    assert link_of(visit) == {"show": TABS[1], "size": "40", "column_seed": str(shown.seed)}
    other = opened_again(visit, "quantiles")
    assert other.session_state[COLUMN].values == shown.values


def test_a_link_of_inside_opens_the_very_run_at_its_step() -> None:
    visit = open_page("inside", mechanism="indexp")
    run(visit.button(key=f"{PREFIX}_run_inside").click())
    assert "run_step" not in link_of(visit), "the first step needs no word"
    for _ in range(6):
        run(visit.button(key=f"{PREFIX}_inside_next").click())
    shown = visit.session_state[RUN]
    assert link_of(visit) == {"mechanism": "indexp", "seed": str(shown.seed), "run_step": "7"}
    assert "run_step=7" in copied(visit)
    other = opened_again(visit, "inside")
    assert other.session_state[RUN].seed == shown.seed
    assert [step.value for step in other.session_state[RUN].steps] == [step.value for step in shown.steps]
    assert any(element.value.startswith("**Answer 7 of 9") for element in other.markdown)


@pytest.mark.parametrize(("step", "shown"), [("400", 9), ("9", 9), ("1", 1)])
def test_a_step_beyond_the_run_is_its_last_one(step: str, shown: int) -> None:
    visit = open_page("inside", seed="5", run_step=step)
    assert any(element.value.startswith(f"**Answer {shown} of 9") for element in visit.markdown)


def test_inside_opens_with_the_run_that_quantiles_shows_and_back() -> None:
    visit = press(press(open_page(quantiles="quartiles")))
    shown = visit.session_state[SIMULATION]
    visit = turn_to(visit, "inside")
    run_shown = visit.session_state[RUN]
    assert run_shown.seed == shown.seed == 3
    assert sorted(step.value for step in run_shown.steps) == sorted(shown.values)
    assert sorted(run_shown.errors) == sorted(map(int, shown.errors))
    run(visit.button(key=f"{PREFIX}_run_inside").click())
    assert visit.session_state[RUN].seed == 4
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("indexp"))
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("best"))
    assert visit.session_state[RUN].seed == 4, "what was drawn here stays while one is here"
    visit = turn_to(visit, "quantiles")
    assert visit.session_state[SIMULATION] is shown
    assert turn_to(visit, "inside").session_state[RUN].seed == 3


@pytest.mark.parametrize("first", ["quantiles", "inside"])
def test_both_pages_open_with_the_same_run_whichever_comes_first(first: str) -> None:
    visit = open_page(first)
    for page in ("inside", "quantiles"):
        visit = turn_to(visit, page)
    assert visit.session_state[RUN].seed == visit.session_state[SIMULATION].seed
    visit = turn_to(visit, "inside")
    visit = turn_to(run(visit.button_group(key=f"{PREFIX}_splits").set_value("drawn")), "quantiles")
    values = visit.session_state[SIMULATION].values
    assert sorted(step.value for step in visit.session_state[RUN].steps) == sorted(values)


def upload(page: str, link: dict[str, str], *, public: bool) -> AppTest:
    visit = open_page(page, **link)
    return set_bounds(bring(visit, csv_of(VALUES), public=public), "0", "1000", "1")


@pytest.mark.parametrize("public", [False, True])
def test_a_link_to_other_data_carries_no_seed(public: bool) -> None:
    visit = press(press(upload("quantiles", {"seed": "7"}, public=public)))
    assert not {"seed", "column_seed", "run_step"} & set(link_of(visit))
    assert "seed" not in copied(visit)


def test_a_link_of_inside_to_other_data_carries_neither_seed_nor_step() -> None:
    visit = upload("inside", {"seed": "7", "run_step": "3"}, public=True)
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("indexp"))
    run(visit.button(key=f"{PREFIX}_run_inside").click())
    run(visit.button(key=f"{PREFIX}_inside_next").click())
    assert not {"seed", "run_step"} & set(link_of(visit))
    assert "seed" not in copied(visit)


@pytest.mark.parametrize("seed", ["7", "99999999999999999999", "-1", "seven"])
def test_a_seed_written_by_hand_is_ignored_in_release(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPQ_MODE", "release")
    visit = upload("quantiles", {"data": "file", "seed": seed, "column_seed": seed}, public=False)
    assert (
        "“The seed” in the link is ignored: only a simulation of example data can be repeated." in visit.info[0].value
    )
    assert SIMULATION not in visit.session_state
    assert f"{PREFIX}:outcome:release" not in visit.session_state, "nothing is released without a press"
    press(visit)
    assert visit.session_state[f"{PREFIX}:outcome:release"].guarantee.exact
    assert "seed" not in link_of(visit)


# ── notes ────────────────────────────────────────────────────────────────────────────────────────────────────────────

OPEN: dict[str, list[dict[str, str]]] = {
    "quantiles": [
        {},
        {"quantiles": "even", "budget": "approximate"},
        {"quantiles": "own", "budget": "concentrated", "show": TABS[1]},
        links.OF_TWO,
        links.OF_TWO | {"budget": "approximate"},
    ],
    "learn": [{"lesson": lesson} for lesson in ("quantile", "gaps", "slices", "beliefs")],
    "inside": [{}, {"look": "Microscope"}, {"look": "Microscope", "tiny_show": "half"}],
    "compare": [{}],
    "tradeoff": [{}, {"ask": "wanted"}],
    "stream": [{}],
    "papers": [{}],
}


LINKS = [(page, link) for page, each in OPEN.items() for link in each]


def widgets_of(visit: AppTest) -> dict[str, Any]:
    kinds = (visit.selectbox, visit.text_input, visit.select_slider, visit.number_input, visit.get("button_group"))
    found = {widget.key.removeprefix(f"{PREFIX}_"): widget for kind in kinds for widget in kind if widget.key}
    return {name.partition(":")[0]: widget for name, widget in found.items()}


@pytest.mark.parametrize(("page", "link"), kept_rows(LINKS, *dict(LINKS).items()))
def test_sentences_about_links_use_the_labels_on_the_page(page: str, link: dict[str, str]) -> None:
    shown = {name: widget for name, widget in widgets_of(open_page(page, **link)).items() if name in PAGES[page]}
    assert len(shown) >= (1 if page in {"papers", "learn"} else 3)
    for name, widget in shown.items():
        label = widget.proto.label
        if name not in {"epsilon", "rho"}:  # the number beside the slider, whose label is hidden
            assert label.startswith(label_of(name)), name
        options = list(getattr(widget, "options", []))
        default = SETTINGS[name].default
        if options and name not in link and default and widget.value == default:
            assert any(str(option).startswith(usual_value(name)) for option in options), name


def test_a_first_run_that_ends_before_its_settings_are_there_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser may ask for the next run at once. The page then opened with epsilon 1, and without its link."""
    for link, epsilon in (({}, "0.1"), ({"epsilon": "3"}, "3")):
        visit = AppTest.from_file(str(ROOT / file_of("quantiles")), default_timeout=60)
        for name, value in link.items():
            visit.query_params[name] = value
        with monkeypatch.context() as patch:
            patch.setattr(links, "read_link", lambda *_: st.stop())
            visit.run()
        assert visit.run().text_input(key=f"{PREFIX}_epsilon").value == epsilon
