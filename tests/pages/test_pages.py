"""Asked of every page: it opens, names wrong fields, outlives a lost connection, and proposes nothing impossible."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core.studies.takes import SOME_ROWS
from pages.form.table import PLANNED, SOURCES, key
from pages.keys import PREFIX
from pages.learn.course import COURSE
from pages.menu import MENU, first_page
from pages.server import sessions
from pages.shell import links, state
from pages.shell.fields import label_of
from pages.shell.header import LOST, PAID
from pages.stream import sources as stream_sources
from tests.pages import driving
from tests.pages.driving import ROOT, csv_of, figures, is_disabled, open_page, own, run, words

FIELDS = ("text_input", "selectbox", "radio", "slider", "select_slider", "button_group")


def fields(visit: AppTest, *, said_again: bool) -> set[str]:
    """The fields with a value whose value was sent to stand in place of what the browser has, or not so."""
    shown = [field for field in driving.widgets_of(visit, FIELDS) if field.value is not None]
    return {field.proto.label for field in shown if field.proto.set_value == said_again}


PAGES = sorted(page for page, _, _ in MENU)


@pytest.mark.slow(keep="room")
@pytest.mark.parametrize("page", PAGES)
def test_every_field_is_sent_again_until_a_whole_page_went_over(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = ["first"]
    monkeypatch.setattr(sessions, "connection", lambda: connection[0])
    visit = run(open_page(page))
    usual = fields(visit, said_again=True)
    connection[0] = "second"
    with monkeypatch.context() as broken:
        broken.setattr(links, "write_link", lambda: None)
        assert not fields(run(visit), said_again=False)
    assert not fields(run(visit), said_again=False)
    assert fields(run(visit), said_again=True) == usual


def test_who_had_another_session_is_told_once_that_its_data_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {sessions.PROTOCOL: "streamlit, token, of a process that died"}
    monkeypatch.setattr(type(st.context), "headers", property(lambda _: headers))
    visit = run(open_page("learn"))
    assert LOST in words(visit)
    assert PAID not in words(visit), "nothing is paid here"
    monkeypatch.setenv("DPQ_MODE", "release")
    assert f"{LOST} {PAID}" in words(run(visit))
    seen = driving.named(visit.button, "told_of_loss")
    assert LOST not in words(run(seen.click()))
    assert LOST not in words(run(visit))
    headers.clear()
    assert LOST not in words(run(open_page("learn")))


IMPOSSIBLE = re.compile(
    r"public or synthetic|(?:say|declare|tick|mark)\w*(?: that)? (?:this|the|your) (?:data|column|file|box)\b|"
    r"declared|to study a column, choose [^.]* or|on your (?:own )?(?:data|column|file)",
    re.IGNORECASE,
)
"""Words of a proposal to explore own data, or of a sentence that it would be followed by."""
LINKS: dict[str, list[dict[str, str]]] = {
    "inside": [{"look": tab} for tab in ("One run", "Microscope")],
    "stream": [{"stream": "data"}, {"stream": "made", "length": "10000"}],
    "learn": [{"lesson": lesson} for lesson in COURSE],
}
"""What of a page is drawn only when it is chosen."""
MAY_PROPOSE = {
    "pages/form/data.py": "the label of the box itself, which such a server does not offer",
    "dpq_core/results/kinds.py": "the label of a file with the truth in it",
    "pages/compare/leaderboard.py": "the same",
}


@pytest.fixture
def release_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(state.SERVER_MODE, "release")


@pytest.mark.slow
@pytest.mark.usefixtures("release_server")
@pytest.mark.parametrize("page", PAGES)
def test_no_page_of_a_release_server_proposes_to_explore_own_data(page: str) -> None:
    visited = driving.press(own(csv_of(np.arange(300) % 90)))
    for link in LINKS.get(page, [{}]):
        visit = driving.turn_to(visited, page, **link, **({"data": "file"} if page in PLANNED else {}))
        assert visit.title, "the page is there"
        assert not IMPOSSIBLE.search(words(visit)), (link, IMPOSSIBLE.findall(words(visit)))


FORMS = {"explore", "inside", "stream", "compare", "tradeoff"}


@pytest.mark.slow
@pytest.mark.usefixtures("release_server")
@pytest.mark.parametrize("page", sorted(FORMS))
def test_nor_before_data_are_there(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a plan can be made of own data there, between bounds that are said. Elsewhere a box declares them public."""
    for source in SOURCES:
        visit = open_page(page, data=source, **({"stream": "data"} if page == "stream" else {}))
        assert not visit.checkbox
        assert not visit.file_uploader
        assert not IMPOSSIBLE.search(words(visit))
        assert (visit.selectbox(key=key("data")).value == source) is (page in PLANNED)
    monkeypatch.delenv(state.SERVER_MODE)
    visit = open_page(page, data="file", **({"stream": "data"} if page == "stream" else {}))
    assert visit.checkbox
    assert not visit.file_uploader, "nothing is brought before it is declared public"
    assert driving.declare(visit).file_uploader


@pytest.mark.slow
@pytest.mark.usefixtures("release_server")
def test_the_dialog_about_mechanisms_proposes_nothing_of_the_kind() -> None:
    visit = driving.bring(open_page(data="file"), csv_of(np.arange(300) % 90))
    assert not IMPOSSIBLE.search(words(run(visit.button(key=f"{PREFIX}_which").click())))


@pytest.mark.slow
def test_a_file_on_the_server_is_declared_by_nobody_on_screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stream_sources.FOLDER, str(tmp_path))
    (tmp_path / "own.csv").write_bytes(csv_of(np.arange(50)))
    visit = open_page("stream", stream="server")
    assert not visit.checkbox
    assert not IMPOSSIBLE.search(words(visit))
    assert "own.csv" not in words(visit), "without its operator's word nothing of it is shown"
    monkeypatch.setenv(stream_sources.PUBLIC, "yes")
    assert "own.csv" in words(open_page("stream", stream="server"))


def sentences() -> Iterator[tuple[str, str]]:
    """Every text of the pages that is no docstring: (file, text)."""
    rooms = [ROOT / "pages", ROOT / "dpq_core" / "report", ROOT / "dpq_core" / "results"]
    files = [ROOT / "app.py", *(file for room in rooms for file in room.rglob("*.py"))]
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
                yield file.relative_to(ROOT).as_posix(), node.value
    for file in (*(ROOT / "pages" / "texts").rglob("*.md"), ROOT / "dpq_core" / "report" / "sheet.html"):
        yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_no_other_text_of_the_dashboard_proposes_it() -> None:
    found = {file for file, text in sentences() if IMPOSSIBLE.search(text)}
    assert found == set(MAY_PROPOSE)


@pytest.mark.slow
@pytest.mark.usefixtures("release_server")
def test_a_release_server_without_a_good_key_says_so_on_its_first_screens(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not open_page().error, "with a key there is nothing to say"
    monkeypatch.setenv("DPQ_LEDGER_KEY", "short")
    for missing in (False, True):
        if missing:
            monkeypatch.delenv("DPQ_LEDGER_KEY")
        for page in ("release", "releases"):
            (told,) = open_page(page).error
            assert "DPQ_LEDGER_KEY" in told.value.replace("\\", "")
    visit = own(csv_of(np.arange(90)))
    assert "DPQ_LEDGER_KEY" in driving.said(visit)
    assert is_disabled(visit)
    monkeypatch.delenv(state.SERVER_MODE)
    assert not open_page().error, "a laptop makes its own key"


@pytest.mark.slow
@pytest.mark.usefixtures("release_server")
def test_such_a_server_opens_where_data_are_brought_and_explores_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    assert first_page() == "release"
    visit = open_page("release")
    assert visit.selectbox(key=f"{PREFIX}_data").value == "file"
    assert "Explore: not private" not in words(visit)
    assert visit.file_uploader
    assert open_page("release", data="adult-age").info, "a link says otherwise, and is not understood"
    assert open_page().selectbox(key=f"{PREFIX}_data").value == "adult-age"
    monkeypatch.delenv(state.SERVER_MODE)
    assert first_page() == "explore"


WRONG = [
    ("explore", {}, "upper", "12x"), ("explore", {}, "upper", "-5"), ("explore", {}, "step", "0"),
    ("explore", {}, "epsilon", "-1"), ("explore", {}, "epsilon", "many"), ("explore", {}, "shape_size", "few"),
    ("explore", {"quantiles": "own"}, "own", "1.5"), ("explore", {"bounds": "digits"}, "largest", "1e-9"),
    ("explore", {"data": "visits", "person": "same", "per_person": SOME_ROWS}, "max_rows_per_person", "0"),
    ("inside", {}, "lower", "500"), ("compare", {}, "upper", "-5"),
    ("tradeoff", {}, "epsilon", "few"),
    ("stream", {"length": "10000"}, "epsilon", "few"),
]  # fmt: skip
NAMED = {"shape_size": "How many", "max_rows_per_person": "How many", "own": "“Quantiles”"}
"""What a complaint calls a field that stands under a heading of its own."""
BUTTONS = {
    "explore": "run", "inside": "run_inside", "compare": "run_compare",
    "tradeoff": "run_tradeoff", "stream": "run_stream",
}  # fmt: skip


@pytest.mark.slow(keep=[f"{page}-{name}-{wrong}" for page, _, name, wrong in WRONG[::4]])
@pytest.mark.parametrize(
    ("page", "link", "name", "wrong"), WRONG, ids=[f"{page}-{name}-{wrong}" for page, _, name, wrong in WRONG]
)
def test_a_wrong_field_is_named_and_stops_the_button(page: str, link: dict[str, str], name: str, wrong: str) -> None:
    visit = open_page(page, **link)
    wanted = visit.text_input(key=key(name)).value
    run(visit.text_input(key=key(name)).set_value(wrong))
    assert [each for each in complaints(visit) if NAMED.get(name, label_of(name).rpartition(" ")[2]) in each]
    assert is_disabled(visit, BUTTONS[page])
    run(visit.text_input(key=key(name)).set_value(wanted))
    assert complaints(visit) == []
    assert not is_disabled(visit, BUTTONS[page])


def complaints(visit: AppTest) -> list[str]:
    """What stands beside wrong fields."""
    return [each.value.replace("\\", "") for each in visit.markdown if ":material/error:" in each.value]


@pytest.mark.slow(keep="link0")
@pytest.mark.parametrize(
    "link", [{"epsilon": "20"}, {"budget": "approximate", "delta": "0.01"}, driving.OF_TWO | {"epsilon": "20"}]
)
def test_an_unusual_budget_is_warned_of(link: dict[str, str]) -> None:
    usual = {name: value for name, value in link.items() if name not in {"epsilon", "delta"}}
    assert len(open_page(**link).warning) == len(open_page(**usual, epsilon="1").warning) + 1


@pytest.mark.slow(keep=[page for page in PAGES if page not in {"tradeoff", "compare"}])
@pytest.mark.parametrize("page", PAGES)
def test_each_page_opens_with_its_first_picture_the_same_for_all_who_come(page: str) -> None:
    visit = open_page(page)
    assert visit.title or visit.header or visit.get("html")
    charts = visit.get("plotly_chart")
    assert len(charts) == {"explore": 3, "inside": 2, "compare": 1, "tradeoff": 1, "stream": 1}.get(page, len(charts))
    assert all(cast(Any, chart).proto.alt for chart in charts), "a text in the place of the picture"
    assert figures(open_page(page)) == figures(visit)
