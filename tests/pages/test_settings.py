"""A setting that decides what a page computes is on its screen and in its link; what is finished knows no setting."""

import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.mechanisms.registry import MECHANISMS
from pages.compare import leaderboard
from pages.compare.leaderboard import GRID_FILE
from pages.explore import live
from pages.form import form
from pages.form.said import chosen_options
from pages.form.table import PAGES, TINY, key
from pages.inside import runs
from pages.keys import PREFIX
from pages.menu import file_of
from pages.tradeoff import sweeps
from tests.pages.driving import (
    ROOT,
    all_named,
    csv_of,
    link_of,
    open_page,
    own,
    press,
    run,
    sheet,
    streamed,
    study,
    words,
)
from tests.pages.shapes import SHAPES

OTHERS = {
    "data": ["adult-hours"],
    "lower": ["5"], "upper": ["99"], "step": ["2"], "own": ["0.3"], "even": ["7"], 
    "epsilon": ["0.7"], "delta": ["1e-7"], "rho": ["0.2"], "shape_size": ["500"], "max_rows_per_person": ["3"],
    "smallest": ["1e-3"], "largest": ["1e9"], "missing": ["7"], "group_names": ["F"], "groups_each": ["2"],
    "column_unit": ["€"], "one": ["nurse"],
}  # fmt: skip
"""Values that differ from the defaults, of settings whose choices cannot be listed."""
WITH = {
    "even": {"quantiles": "even"}, "own": {"quantiles": "own"}, "delta": {"budget": "approximate"},
    "rho": {"budget": "concentrated"}, "digits": {"bounds": "digits"}, "smallest": {"bounds": "digits"},
    "largest": {"bounds": "digits"}, "negative": {"bounds": "digits"}, "share": {"bounds": "find"},
    "missing": {"adjacency": "replace_one"}, "intervals_of": {"intervals": "0.95"},
    "hold": {"intervals": "0.95"}, "counted": {"intervals": "0.95"},
}  # fmt: skip
"""Settings without which another one counts nowhere."""
STUDIED = ("compare", "tradeoff")
PAGES_WITH_FORMS = ("explore", "inside", *STUDIED)
KEPT = ("epsilon-0.7", "binhist.bins-3", "adjacency-replace_one", "splits-drawn")
"""What every run tries."""
CHOICES = {
    "quantiles": ["median"], "mechanism": ["jointexp", "freetotal"], "budget": ["approximate", "concentrated"],
    "adjacency": ["replace_one"], "bounds": ["digits", "find"], "digits": ["3"], "negative": ["no"], "share": ["30 %"],
    "intervals": ["0.95"], "release_intervals": ["0.9"], "intervals_of": ["population"], "hold": ["together"],
    "counted": ["noisy"], "trials": ["300"], "trouble": ["spike"], "sweep": ["records"], "marked": ["aq"],
    "wanted": ["50"], "measure": ["max"], "splits": ["drawn"], "person": ["same"], "per_person": ["first"],
}  # fmt: skip


def other_values() -> list[tuple[str, str]]:
    """Every setting of the pages with forms, and every option, with another value than the usual one."""
    names = dict.fromkeys(name for page in PAGES_WITH_FORMS for name in PAGES[page] if name not in TINY)
    found = [(name, value) for name in names for value in [*OTHERS.get(name, ()), *CHOICES.get(name, ())]]
    for mechanism, each in MECHANISMS.items():
        for option in each.OPTIONS:
            value = next((name for name in option.choices if name != option.default), None)
            usual = {"integer": "3", "number": "0.2", "flag": "True"}
            found.append((f"{mechanism}.{option.name}", value or usual[option.kind]))
    return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What a page asks to be computed: the question, the plan with its data and bounds, or the whole study."""
    found: list[object] = []

    def study(name: str, request: Any, *_: Any, **__: Any) -> None:
        found.append((name, request.subject, request.grid.to_json(), request.extra))

    def search(*given: Any) -> Any:
        request = swept(*given)
        study("asked", request)
        return request

    swept = sweeps.swept

    def question(*given: Any, **how: Any) -> form.Form:
        made = said_by(*given, **how)
        if made.chosen is not None:
            found.append(repr(made.chosen))
        return made

    said_by = form._asked
    monkeypatch.setattr(form, "_asked", question)
    for page in (leaderboard, sweeps):
        monkeypatch.setattr(page, "start", study)
    monkeypatch.setattr(sweeps, "swept", search)
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


@pytest.mark.slow(keep=[f"{kept}-{page}" for kept in KEPT for page in PAGES_WITH_FORMS][::3])
@pytest.mark.parametrize("page", PAGES_WITH_FORMS)
@pytest.mark.parametrize(("name", "value"), other_values())
def test_what_counts_is_on_the_screen_and_in_the_link(page: str, name: str, value: str, asked: list[object]) -> None:
    also = dict(WITH.get(name, {}))
    if "." in name and page not in STUDIED:
        mechanism = name.partition(".")[0]
        also |= {"mechanism": mechanism} | runs.EXAMPLES.get(mechanism, {})
    _, usual = visited(page, also, asked)
    visit, found = visited(page, also | {name: value}, asked)
    linked = link_of(visit)
    assert usual is not None
    if found != usual:
        assert shows(visit, name), f"{name} counts on {page}, and the page does not show it"
        assert name in linked, f"{name} counts on {page}, and is not in its link"
    before = {"epsilon": "5", "binhist.bins": "50", "quantiles": "median"}
    again, same = visited(page, before, asked, **linked or {"show": "usual"})
    assert same == found, "a link opens what it was copied from, whatever was chosen before"
    assert {**link_of(again)} == linked


@pytest.mark.parametrize("page", STUDIED)
def test_options_of_another_page_can_be_let_go(page: str, asked: list[object]) -> None:
    """The fault that was there: an option chosen on Inside, and Compare advised another mechanism without a word."""
    _, usual = visited(page, {}, asked)
    visit, found = visited(page, {"binhist.bins": "50", "normal.sigma": "15"}, asked)
    assert found != usual
    assert "bins 50" in words(visit)
    assert "sigma 15" in words(visit)
    assert {name: link_of(visit)[name] for name in ("binhist.bins", "normal.sigma")} == {
        "binhist.bins": "50", "normal.sigma": "15",
    }  # fmt: skip
    run(visit.button(key=f"{PREFIX}_usual_options").click())
    assert "Chosen by hand" not in words(visit)
    assert not {"binhist.bins", "normal.sigma"} & set(link_of(visit))


@pytest.mark.parametrize("page", ["explore", "inside"])
def test_choose_for_me_lets_go_of_what_was_chosen_by_hand(page: str) -> None:
    visit = open_page(page, mechanism="binhist", **{"binhist.bins": "50"})
    assert link_of(visit)["binhist.bins"] == "50"
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("best"))
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("binhist"))
    assert "binhist.bins" not in link_of(visit)
    assert chosen_options("binhist") == {}


# ── a finished result ────────────────────────────────────────────────────────────────────────────────────────────────

BADGE = re.compile(r" ?:blue-badge\[:material/update: Settings changed: press [^\]]*\]")
VIEWS = {
    "measure", "marked", "wanted", "trouble", "data", "more", "each", "look", "stream", "lesson", "figure", "answer",
    "last", "title", "unit",
}  # fmt: skip
"""They choose another result to look at, or are said of a stored one."""
OWN = {"column_unit": "cm", "one": "patient", "missing": "130"}
HEIGHTS = csv_of(np.random.default_rng(8).integers(60, 120, size=400))


def mine(page: str = "explore", button: str = "run", *, public: bool = True, **link: Any) -> AppTest:
    """A result of a column that somebody brought, and of all that is said of it."""
    visit = own(HEIGHTS, public=public, page=page, **link)
    for name, said in OWN.items():
        for field in all_named(visit.text_input, name):
            run(field.set_value(said))
    return press(visit, button)


def studied(page: str, name: str, *, public: bool = True, **link: Any) -> AppTest:
    visit = own(HEIGHTS, public=public, page=page, quantiles="median", trials="100", **link)
    return study(visit, page, name)


def report() -> AppTest:
    released = mine(public=False, adjacency="replace_one", quantiles="quartiles")
    return open_page("releases", answer=released.session_state[f"{PREFIX}:outcome:release"].release.id)


REPLACED: dict[str, Any] = {"adjacency": "replace_one", "budget": "approximate"}
RESULTS: dict[str, Callable[[], AppTest]] = {
    "an example": open_page, "explored, one is replaced": lambda: mine(quantiles="own", **REPLACED),
    "released": lambda: mine(public=False),
    "released, one is replaced": lambda: mine(public=False, quantiles="even", **REPLACED),
    "groups": lambda: SHAPES["groups"].drawn(), "columns": lambda: SHAPES["columns"].drawn(public=True),
    "inside": lambda: mine("inside", "run_inside", adjacency="replace_one"),
    "compare": lambda: studied("compare", leaderboard.NAME),
    "compare on a public shape": lambda: studied("compare", leaderboard.NAME, public=False),
    "sweep": lambda: studied("tradeoff", sweeps.NAME),
    "a made-up stream": lambda: streamed(open_page("stream", length="10000")),
    "stream": lambda: streamed(own(HEIGHTS, public=True, page="stream", stream="data")), "releases": report,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_no_setting_changes_a_result(name: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no page answers by itself: there a setting makes another result in the place of this one.

    All settings are changed at once, first those that are said of the data, then the plan.
    """
    monkeypatch.setattr(live, "MOST_SECONDS", 0.0)
    monkeypatch.setattr("dpq_core.ledger.history.statement.now", lambda: "2026-11-28T12:00:00Z")
    visit = RESULTS[name]()
    files.clear()
    before, kept = result(run(visit)), dict(files)
    assert before
    assert kept
    for file, content in kept.items():
        says_where_it_comes_from(file, content) if name != "releases" else None
    plan = {"mechanism", "quantiles", "adjacency", "budget", "intervals", "bounds"}
    for of_the_plan in (False, True):
        for setting, value in dict(other_values()).items():
            if setting not in VIEWS and (setting in plan) is of_the_plan:
                visit.session_state[key(setting)] = value
        files.clear()
        assert result(run(visit)) == before
        assert files == kept
    assert name == "releases" or BADGE.search(words(visit)), "something has changed"


def says_where_it_comes_from(file: str, content: str) -> None:
    """Every file says by which mechanism, when, and its release id or seed, and is small."""
    assert len(content.encode()) < 300_000, file
    assert content.startswith("\ufeff") == file.endswith(".csv"), file
    if file != GRID_FILE and not file.endswith(("plan.json", ".py", ".report.html")):
        assert re.search(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", content), file
        assert (
            any(each.LABEL in content or f'"{each.KEY}"' in content for each in MECHANISMS.values())
            or "studies import" in content
        ), file
        assert re.search(r'seed|release.id|"id": "\w', content), file


def result(visit: AppTest) -> list[str]:
    """Everything that finished results show, without the one badge that may come and go."""
    blocks = [block for block in elements(visit.main) if f"-{PREFIX}_result_" in getattr(block.proto, "id", "")]
    shown = [words(cast(Any, SimpleNamespace(main=block))) for block in blocks] or [sheet(visit)]
    return [BADGE.sub("", each) for each in shown]


def elements(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", {}).values():
        yield child
        yield from elements(child)
