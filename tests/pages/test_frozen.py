"""A finished result is drawn from its own record: no widget of its page changes a word, a number or a file of it.

The widgets are found on the page, so that a new one is covered by itself; and those that another widget brings, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency
from dpq_core.advice import ranking
from dpq_core.ledger import Ledger
from dpq_core.ledger.history.answers import stored_releases
from dpq_core.mechanisms import MECHANISMS
from dpq_core.sources.examples import EXAMPLES
from pages.compare import leaderboard as compare
from pages.files.written import OPTIONS
from pages.frame import result_key
from pages.keys import PREFIX
from pages.quantiles import live
from pages.server import downloads
from pages.settings.table import SETTINGS, SOURCES, TABS, TINY_CHANGES, key
from pages.studies.exports import GRID_FILE
from pages.tradeoff import questions as tradeoff
from tests.every_run import kept
from tests.narrowing import present
from tests.pages import studying
from tests.pages.driving import all_named, bring, csv_of, open_page, run, set_bounds, widgets_of
from tests.pages.driving import press as press_quantiles
from tests.pages.driving import words as words_of
from tests.pages.test_report import sheet
from tests.pages.test_stream import start

HEIGHTS = np.random.default_rng(8).integers(120, 200, size=400)
BADGE = re.compile(r" :blue-badge\[:material/update: Settings changed: press [^\]]*\]")
ELSEWHERE = re.compile(rf"{PREFIX}_ask$")
"""Which of two studies is looked at: each keeps its own."""
OTHER_DATA = re.compile(rf"{PREFIX}_(data|stream|public_\d+)$")
"""Widgets that choose or declare an own column: after them its results are gone, which other tests look at."""
TYPED = ("7", "trip")
MOST = 1
"""Options of one widget that are tried."""
WIDGETS = (
    "text_input", "text_area", "number_input", "selectbox", "button_group", "select_slider", "slider", "checkbox",
    "radio", "multiselect", "toggle",
)  # fmt: skip
RELEASED = "Release: ε = "
REFUSED = "is not available with these settings"
OWN = {"column_unit": "cm", "one": "patient", "missing": "130"}
"""What is said of an own column, by the labels of the fields."""

ADVISED = ("aq", "indexp", "binhist")
"""Each change asks for advice anew. Whether a result is drawn from its own record does not hang on how many race."""

Open = Callable[[], AppTest]


@pytest.fixture(autouse=True)
def quick_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "too_slow", lambda _, mechanism: mechanism not in ADVISED)


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The files that the last run offered, by their names."""
    monkeypatch.setitem(sys.modules, "opendp", None)
    made: dict[str, str] = {}
    original = downloads._offer

    def record(place: str, name: str, make: Callable[[], str]) -> downloads.Offer:
        offer = original(place, name, make)
        if not name.endswith((".png", ".xlsx")):  # of the drawing that the SVG is of, of the rows of the CSV
            made[name] = offer.content().decode()
        return offer

    monkeypatch.setattr(downloads, "_offer", record)
    return made


def own(page: str = "quantiles", *, public: bool = True, **link: str) -> AppTest:
    """A page with a column that somebody brought, and all that is said of it."""
    visit = set_bounds(bring(open_page(page, data="file", **link), csv_of(HEIGHTS), public=public), "0", "250", "1")
    for name, said in OWN.items():
        for field in all_named(visit.text_input, name):
            run(field.set_value(said))
    return visit


def explored(**link: Any) -> AppTest:
    return press_quantiles(own(**link))


def released(**link: str) -> AppTest:
    return press_quantiles(own(public=False, **link))


def column(*, public: bool) -> AppTest:
    return press_quantiles(own(public=public, show=TABS[1], size="40"), "run_column")


def inside() -> AppTest:
    return run(own("inside", adjacency="substitute").button(key=f"{PREFIX}_run_inside").click())


def study(page: str, name: str, *, public: bool = True, **link: str) -> AppTest:
    return studying.press(own(page, public=public, **{"quantiles": "median", "trials": "100"} | link), page, name)


def stream() -> AppTest:
    return start(own("stream", stream="data"))


RESULTS: dict[str, Open] = {
    "an example": lambda: open_page(),
    "explored, one is replaced": lambda: explored(adjacency="substitute", budget="approximate", quantiles="own"),
    "released": released,
    "released, one is replaced": lambda: released(adjacency="substitute", budget="approximate", quantiles="even"),
    "a simulated column": lambda: column(public=True),
    "a released column": lambda: column(public=False),
    "inside": inside,
    "compare": lambda: study("compare", compare.NAME),
    "compare on a public shape": lambda: study("compare", compare.NAME, public=False),
    "sweep": lambda: study("tradeoff", tradeoff.SWEEP, swept="aq"),
    "sweep of the numbers of records": lambda: study("tradeoff", tradeoff.SWEEP, swept="aq", sweep="records"),
    "search": lambda: study("tradeoff", tradeoff.WANTED, swept="aq", ask="wanted"),
    "a made-up stream": lambda: start(open_page("stream", length="10000")),
    "stream": stream,
}

IN_EVERY_RUN = ("released, one is replaced", "sweep of the numbers of records")
"""Of a release and a study; the others are opened in `make test-all`."""


@pytest.mark.slow
@pytest.mark.parametrize("name", kept(RESULTS, *IN_EVERY_RUN))
def test_no_widget_changes_a_finished_result(name: str, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no page answers by itself: there a setting makes another result in the place of this one."""
    monkeypatch.setattr(live, "MOST_SECONDS", 0.0)
    visit = RESULTS[name]()
    files.clear()
    run(visit)
    before = result(visit), dict(files)
    assert before[0]
    assert before[1]
    for file, content in files.items():
        says_where_it_comes_from(file, content)
    assert "Settings changed" not in words_of(visit)
    tried = change_all(visit, before, files, set())
    assert len(tried) > 5
    files.clear()
    compared(before, (result(run(visit)), files), "at the end")


def says_where_it_comes_from(file: str, content: str) -> None:
    """Every file says by which mechanism, when, and its release id or seed, and is small."""
    assert len(content.encode()) < 300_000, file
    assert content.startswith("\ufeff") == file.endswith(".csv"), file
    if file != GRID_FILE:
        assert re.search(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", content), file
        assert any(mechanism.LABEL in content for mechanism in MECHANISMS.values()) or "studies import" in content, file
        assert re.search(r"release.id.*?[0-9a-f]{32}" if RELEASED in content else "seed|release_id", content, re.S), (
            file
        )
    if file.endswith(".html"):
        assert "<script" not in content, file
        for drawing in re.findall(r"<svg.*?</svg>", content, flags=re.DOTALL):
            ElementTree.fromstring(drawing)


def change_all(visit: AppTest, before: Any, files: dict[str, Any], seen: set[str]) -> set[str]:
    """Change every widget outside the results by itself, and those that come with a change; the keys of all.

    A widget is set back in the run that changes the next one, if that is there already.
    """
    known = {name: widget.value for name, widget in widgets(visit).items()}
    for name, old in known.items():
        if name in seen:
            continue
        seen.add(name)
        if name not in widgets(visit):
            run(visit)
        for value in others(widgets(visit)[name]):
            files.clear()
            run(widgets(visit)[name].set_value(value))
            if not result(visit) and REFUSED in words_of(visit):  # on Inside it stands in place of the run
                run(widgets(visit)[name].set_value(old))
                files.clear()
                run(visit)
                assert files == before[1], "the same run comes back, at its last step"
                before[0][:] = result(visit)
                continue
            compared(before, (result(visit), files), f"{name} = {value!r}")
            seen |= change_all(visit, before, files, seen | known.keys()) - known.keys()
            widgets(visit)[name].set_value(old)
    return seen


def compared(before: Any, now: Any, change: str) -> None:
    """Complain of the first thing that a change has changed."""
    for one, other in zip_longest(before[0], now[0]):
        assert one == other, change
    for name in {*before[1], *now[1]}:
        assert before[1].get(name) == now[1].get(name), f"{change}: {name}"


def widgets(visit: AppTest) -> dict[str, Any]:
    """The widgets of a page that belong to no result, by their keys; of an own column not those that let go of it."""
    inner = {child.key for block in results(visit) for child in elements(block) if hasattr(child, "key")}
    found = {present(each.key): each for each in widgets_of(visit, WIDGETS)}
    own = f"{PREFIX}_data" in found and found[f"{PREFIX}_data"].value in {"file", "paste"}
    return {
        name: each
        for name, each in found.items()
        if not (name in inner or each.disabled or ELSEWHERE.match(name) or (own and OTHER_DATA.match(name)))
    }


def others(widget: Any) -> list[Any]:
    """Some other values that a person could choose or type."""
    if not hasattr(widget, "options"):
        if isinstance(widget.value, bool):
            return [not widget.value]
        return [text for text in TYPED if text != widget.value] if isinstance(widget.value, str) else [7]
    raw = [chosen_by(widget, label) for label in widget.options]
    rest = [value for value in raw if value != widget.value and value not in {"file", "paste"}]
    return rest if len(rest) <= MOST else rest[:: -(-len(rest) // MOST)]


def chosen_by(widget: Any, label: str) -> Any:
    """The value behind an option, of which the page tells the label."""
    for value in (label, *choices()):
        try:
            if str(widget.format_func(value)) == label:
                return value
        except (KeyError, ValueError, AttributeError):
            continue
    raise AssertionError(f"no known value of {widget.key} is called {label}")


def choices() -> Iterator[str]:
    """Everything that a setting or an option of a mechanism can be chosen to be."""
    yield from (*TINY_CHANGES, *SOURCES, *EXAMPLES, *Adjacency, *chain.from_iterable(OPTIONS.values()))
    for setting in SETTINGS.values():
        known = getattr(setting.check, "__self__", ())
        yield from known if isinstance(known, tuple) else ()
    for mechanism in MECHANISMS.values():
        for option in mechanism.OPTIONS:
            yield from ("", *(option.choices or ("False", "True")))


def results(visit: AppTest) -> list[Any]:
    """The containers of finished results."""
    return [block for block in elements(visit.main) if f"-{result_key()}" in getattr(block.proto, "id", "")]


def result(visit: AppTest) -> list[str]:
    """Everything that finished results show, without the one badge that may come and go."""
    return [BADGE.sub("", words_of_block(block)) for block in results(visit)]


def elements(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", {}).values():
        yield child
        yield from elements(child)


def words_of_block(block: Any) -> str:
    class Visit:
        main = block

    return words_of(Visit())  # type: ignore[arg-type]


def test_the_reader_of_results_sees_a_changed_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the record itself is another one, the comparison above would notice."""
    monkeypatch.setattr(live, "MOST_SECONDS", 0.0)
    visit = open_page()
    before = result(visit)
    name = f"{PREFIX}:outcome:explore"
    outcome = visit.session_state[name]
    visit.session_state[name] = replace(outcome, wording=replace(outcome.wording, one="trip", many="trips"))
    assert result(run(visit)) != before


@pytest.mark.very_slow
def test_no_setting_of_another_page_changes_the_report_of_a_release(files: dict[str, Any], own_ledger: Path) -> None:
    """The number of people is public where one is replaced, so that not even it is asked."""
    released(adjacency="substitute", budget="approximate", quantiles="quartiles")
    ledger = Ledger.from_environment()
    (kept,) = stored_releases(ledger)
    ledger.engine.dispose()
    files.clear()
    visit = open_page("report", answer=kept.release_id)
    before = sheet(visit), dict(files)
    assert "patient" in before[0]
    assert "(cm)" in before[0]
    own = {"answer", "present"}
    for name, setting in SETTINGS.items():
        known = getattr(setting.check, "__self__", ())
        values = [value for value in known if value != setting.default] if isinstance(known, tuple) else list(TYPED)
        for value in values[:2] if name not in own else ():
            files.clear()
            visit.session_state[key(name)] = value
            assert (sheet(run(visit)), files) == before, f"{name} = {value}"
