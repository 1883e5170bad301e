"""Links without a browser: they carry the draw of an example and nothing of other data, and speak of labels."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.explore import live
from pages.keys import PREFIX
from pages.menu import file_of
from pages.shell import links
from pages.shell.fields import label_of
from tests.pages.driving import EPSILON, ROOT, csv_of, link_of, open_page, own, press, run, turn_to

SIMULATION, RUN = f"{PREFIX}:outcome:explore", f"{PREFIX}:inside:run"


def copied(visit: AppTest) -> str:
    """The link under *Copy link*."""
    (code,) = visit.code
    return str(code.value)


@pytest.mark.slow
def test_a_link_of_an_example_opens_the_very_simulation_and_inside_its_run() -> None:
    visit = press(press(open_page(quantiles="quartiles", mechanism="aq")))
    shown = visit.session_state[SIMULATION]
    assert link_of(visit) == {"quantiles": "quartiles", "mechanism": "aq", "seed": "3"}
    assert "seed=3" in copied(visit)
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("2"))
    assert link_of(visit)["seed"] == "3", "the noise stays while settings change"
    shown = visit.session_state[SIMULATION]
    other = open_page("explore", **link_of(visit))
    assert (other.session_state[SIMULATION].seed, other.session_state[SIMULATION].only.values) == (3, shown.only.values)
    assert press(other).session_state[SIMULATION].seed == 4, "the next press is another draw"
    inside = turn_to(visit, "inside")
    run(inside.button_group(key=f"{PREFIX}_splits").set_value("drawn"))
    run_shown = inside.session_state[RUN]
    assert run_shown.seed == 3
    assert sorted(step.value for step in run_shown.steps) == sorted(shown.only.values)
    run(inside.button(key=f"{PREFIX}_run_inside").click())
    assert inside.session_state[RUN].seed == 4
    back = turn_to(inside, "explore")
    assert back.session_state[SIMULATION] is shown
    assert turn_to(back, "inside").session_state[RUN].seed == 3


@pytest.mark.slow
def test_a_link_carries_no_seed_while_what_is_shown_is_of_other_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_SECONDS", 0.0)
    visit = press(open_page(mechanism="aq"))
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("2"))
    assert link_of(visit) == {"mechanism": "aq", "epsilon": "2"}
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("1"))
    assert link_of(visit) == {"mechanism": "aq", "seed": "2"}


@pytest.mark.slow
def test_a_link_of_inside_opens_the_very_run_at_its_step() -> None:
    visit = open_page("inside", mechanism="indexp")
    run(visit.button(key=f"{PREFIX}_run_inside").click())
    assert "run_step" not in link_of(visit), "the first step needs no word"
    run(visit.slider(key=f"{PREFIX}_inside_step").set_value(3))
    shown = visit.session_state[RUN]
    assert link_of(visit) == {"mechanism": "indexp", "seed": str(shown.seed), "run_step": "3"}
    assert "run_step=3" in copied(visit)
    for step, at in (("3", 3), ("400", 9)):  # beyond the run it is its last one
        other = open_page("inside", **link_of(visit) | {"run_step": step})
        assert [each.value for each in other.session_state[RUN].steps] == [each.value for each in shown.steps]
        assert other.session_state[f"{PREFIX}:inside:step"] == at


@pytest.mark.slow
@pytest.mark.parametrize("first", ["explore", "inside"])
def test_both_pages_open_with_the_same_run_whichever_comes_first(first: str) -> None:
    visit = open_page(first)
    for page in ("inside", "explore"):
        visit = turn_to(visit, page)
    assert visit.session_state[RUN].seed == visit.session_state[SIMULATION].seed
    visit = turn_to(visit, "inside")
    visit = turn_to(run(visit.button_group(key=f"{PREFIX}_splits").set_value("drawn")), "explore")
    values = visit.session_state[SIMULATION].only.values
    assert sorted(step.value for step in visit.session_state[RUN].steps) == sorted(values)


@pytest.mark.slow(keep="inside")
@pytest.mark.parametrize(
    ("page", "public"), [("release", False), ("explore", True), ("inside", True)], ids=["private", "public", "inside"]
)
def test_a_link_to_other_data_carries_neither_seed_nor_step(page: str, public: bool) -> None:
    visit = own(csv_of(range(20, 110)), public=public, page=page, seed="7", run_step="3", mechanism="indexp")
    press(visit, "run_inside" if page == "inside" else "run")
    if page == "inside":
        run(visit.slider(key=f"{PREFIX}_inside_step").set_value(2))
    assert not {"seed", "run_step"} & set(link_of(visit))
    assert "seed" not in copied(visit)


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["7", "99999999999999999999", "-1", "seven"])
def test_a_seed_written_by_hand_is_ignored_of_own_data(seed: str) -> None:
    visit = own(csv_of(range(20, 110)), public=True, seed=seed, mechanism="aq")
    assert f"“{label_of('seed')}” in the link is ignored" in visit.info[0].value
    assert SIMULATION not in visit.session_state
    assert "seed" not in link_of(visit)
    visit = own(csv_of(range(20, 110)), seed=seed, mechanism="aq")
    assert f"“{label_of('seed')}” in the link is not a setting of this page" in visit.info[0].value
    assert f"{PREFIX}:outcome:release" not in visit.session_state, "nothing is released without a press"
    if seed == "7":
        press(visit)
        assert visit.session_state[f"{PREFIX}:outcome:release"].guarantee.exact


def test_after_the_back_button_a_page_without_settings_in_its_link_stays_so_until_one_changes() -> None:
    """The menu opens pages so. An address that is written again is a step, which the button would undo for ever."""
    visit = open_page(quantiles="quartiles")
    visit.query_params.clear()
    assert link_of(run(visit)) == {}
    assert visit.button_group(key=f"{PREFIX}_quantiles").value == "quartiles"
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("2"))
    assert link_of(visit) == {"quantiles": "quartiles", "epsilon": "2"}
    other = turn_to(visit, "papers")
    assert link_of(turn_to(other, "explore")) == {"quantiles": "quartiles", "epsilon": "2"}


def test_a_room_is_in_the_address_of_a_page_that_has_no_other_setting_there() -> None:
    visit = open_page("learn")
    assert link_of(visit) == {}
    run(visit.button(key="dpq_open_room").click())
    assert "room" in link_of(visit)
    run(visit.button(key="dpq_close_room").click())


def test_a_first_run_that_ends_before_its_settings_are_there_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser may ask for the next run at once. The page then opened without its link."""
    for link, epsilon in (({}, EPSILON), ({"epsilon": "3"}, "3")):
        visit = AppTest.from_file(str(ROOT / file_of("explore")), default_timeout=60)
        for name, value in link.items():
            visit.query_params[name] = value
        with monkeypatch.context() as patch:
            patch.setattr(links, "read_link", lambda *_: st.stop())
            visit.run()
        assert visit.run().text_input(key=f"{PREFIX}_epsilon").value == epsilon
