"""A setting that decides what a page computes is on its screen and in its link, wherever it was chosen."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.mechanisms import MECHANISMS
from dpq_core.results import settings_of
from pages import file_of, studies, tradeoff
from pages.form import inputs as form
from pages.inside import examples, view
from pages.keys import PREFIX
from pages.settings import options
from pages.settings.table import OPTION, PAGES, TINY, key
from tests.every_run import kept_rows
from tests.pages.driving import ROOT, link_of, open_page, run, words

OTHERS = {
    "data": ["adult-hours"],
    "lower": ["5"], "upper": ["99"], "step": ["2"], "own": ["0.3"], "even": ["7"], "size": ["500"],
    "epsilon": ["0.7"], "delta": ["1e-7"], "rho": ["0.2"], "shape_size": ["500"], "most_rows": ["3"],
    "smallest": ["1e-3"], "largest": ["1e9"], "missing": ["7"], "group_names": ["F"], "groups_each": ["2"],
    "column_unit": ["€"], "one": ["nurse"], "wanted": ["4"],
}  # fmt: skip
"""Values that differ from the defaults, of settings whose choices cannot be listed."""
WITH = {
    "even": {"quantiles": "even"}, "own": {"quantiles": "own"}, "delta": {"budget": "approximate"},
    "rho": {"budget": "concentrated"}, "digits": {"bounds": "digits"}, "smallest": {"bounds": "digits"},
    "largest": {"bounds": "digits"}, "negative": {"bounds": "digits"}, "share": {"bounds": "find"},
    "missing": {"adjacency": "substitute"}, "intervals_of": {"intervals": "0.95"}, "counted": {"intervals": "0.95"},
    "measure": {"ask": "wanted"}, "wanted": {"ask": "wanted"},
}  # fmt: skip
"""Settings without which another one counts nowhere."""
STUDIED = ("compare", "tradeoff")
PAGES_WITH_FORMS = ("quantiles", "inside", *STUDIED)
CHOICES = {
    "quantiles": ["median"], "mechanism": ["jointexp", "freetotal"], "budget": ["approximate", "concentrated"],
    "adjacency": ["substitute"], "bounds": ["digits", "find"], "digits": ["3"], "negative": ["no"], "share": ["30 %"],
    "intervals": ["0.95"], "intervals_of": ["population"], "counted": ["noisy"], "trials": ["300"],
    "trouble": ["spike"], "ask": ["wanted"], "sweep": ["records"], "swept": ["aq"], "measure": ["max"],
    "splits": ["drawn"], "person": ["same"], "take": ["first"],
}  # fmt: skip


KEPT = (f"{OPTION}_aq.draws", f"{OPTION}_normal.sigma", "epsilon", "adjacency", "splits")
"""What every run tries; make test-all tries all."""


def other_values() -> list[tuple[str, str]]:
    """Every setting of the pages with forms, and every option, with another value than the usual one."""
    names = dict.fromkeys(name for page in PAGES_WITH_FORMS for name in PAGES[page] if name not in TINY)
    found = [(name, value) for name in names for value in [*OTHERS.get(name, ()), *CHOICES.get(name, ())]]
    for mechanism, each in MECHANISMS.items():
        for option in each.OPTIONS:
            value = next((name for name in option.choices if name != option.default), None)
            usual = {"integer": "3", "number": "0.2", "flag": "True"}
            found.append((f"{OPTION}_{mechanism}.{option.name}", value or usual[option.kind]))
    return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What a page asks to be computed: the plan with its data and bounds, or the whole study."""
    found: list[object] = []

    def study(name: str, request: Any, *_: Any, **__: Any) -> None:
        found.append((name, request.subject.says, request.grid.to_json(), request.extra))

    def search(*given: Any) -> Any:
        request = request_of(*given)
        study("asked", request)
        return request

    request_of = tradeoff.request_of

    def plan(data: Any, bounds: Any, plan: Any) -> tuple[object, ...]:
        settings = settings_of(data, bounds, plan)
        found.append(repr(settings))
        return settings

    monkeypatch.setattr(studies, "start", study)
    monkeypatch.setattr(tradeoff, "request_of", search)
    for module in (form, view):
        monkeypatch.setattr(module, "settings_of", plan)
    return found


def visited(page: str, chosen: dict[str, str], asked: list[object], **link: str) -> tuple[AppTest, object]:
    """A page that is turned to after something was chosen on another one, and what it asks for."""
    asked.clear()
    visit = AppTest.from_file(str(ROOT / file_of(page)), default_timeout=60)
    visit.session_state[f"{PREFIX}:page"] = "papers"
    visit.session_state[f"{PREFIX}:said_of:column"] = f"example:{chosen.get('data', 'adult-age')}"
    for name, value in chosen.items():
        visit.session_state[key(name)] = value
    for name, value in link.items():
        visit.query_params[name] = value
    run(visit)
    return visit, asked[-1] if asked else None


def shows(visit: AppTest, name: str) -> bool:
    """Whether a setting has a widget on the screen, or a line that names it beside a button that lets go of it."""
    kinds = ("text_input", "selectbox", "button_group", "radio", "select_slider", "checkbox", "text_area")
    if key(name) in {widget.key for kind in kinds for widget in visit.get(kind)}:
        return True
    named = name.rpartition(".")[2].replace("_", " ")
    line = [each.value for each in visit.caption if "Chosen by hand" in each.value]
    return bool(line) and named in line[0] and f"{PREFIX}_usual_options" in {each.key for each in visit.button}


@pytest.mark.parametrize("page", PAGES_WITH_FORMS)
@pytest.mark.parametrize(
    ("name", "value"), kept_rows(other_values(), *[row for row in other_values() if row[0] in KEPT])
)
def test_what_counts_is_on_the_screen_and_in_the_link(page: str, name: str, value: str, asked: list[object]) -> None:
    also = dict(WITH.get(name, {}))
    if name.startswith(OPTION) and page not in STUDIED:
        mechanism = name.partition("_")[2].partition(".")[0]
        also |= {"mechanism": mechanism} | examples.SETTINGS.get(mechanism, {})
    _, usual = visited(page, also, asked)
    visit, found = visited(page, also | {name: value}, asked)
    linked = link_of(visit)
    assert usual is not None
    if found != usual:
        assert shows(visit, name), f"{name} counts on {page}, and the page does not show it"
        assert name.removeprefix(f"{OPTION}_") in linked, f"{name} counts on {page}, and is not in its link"
    before = {"epsilon": "5", "option_aq.draws": "one", "quantiles": "median"}
    again, same = visited(page, before, asked, **linked or {"show": "usual"})
    assert same == found, "a link opens what it was copied from, whatever was chosen before"
    assert {**link_of(again)} == linked


@pytest.mark.parametrize("page", STUDIED)
def test_options_of_another_page_can_be_let_go(page: str, asked: list[object]) -> None:
    """The fault that was there: AQ, draws one on Inside, and Compare advised another mechanism without a word."""
    _, usual = visited(page, {}, asked)
    visit, found = visited(page, {"option_aq.draws": "one", "option_normal.sigma": "15"}, asked)
    assert found != usual
    assert "draws one" in words(visit)
    assert "sigma 15" in words(visit)
    assert {name: link_of(visit)[name] for name in ("aq.draws", "normal.sigma")} == {
        "aq.draws": "one", "normal.sigma": "15",
    }  # fmt: skip
    run(visit.button(key=f"{PREFIX}_usual_options").click())
    assert "Chosen by hand" not in words(visit)
    assert not {"aq.draws", "normal.sigma"} & set(link_of(visit))


@pytest.mark.parametrize("page", ["quantiles", "inside"])
def test_choose_for_me_lets_go_of_what_was_chosen_by_hand(page: str) -> None:
    visit = open_page(page, mechanism="aq", **{"aq.calibration": "paper"})
    assert link_of(visit)["aq.calibration"] == "paper"
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("best"))
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aq"))
    assert "aq.calibration" not in link_of(visit)
    assert options.chosen_options("aq") == {}
