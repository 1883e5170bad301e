"""On a server with DPQ_MODE=release no sentence proposes what is impossible there; own data are never explored."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pages import MENU
from pages.frame import state
from pages.keys import PREFIX
from pages.learn.course import COURSE
from pages.server import startup
from tests.every_run import kept
from tests.pages.driving import ROOT, bring, csv_of, link_of, open_page, press, run, set_bounds, turn_to, words

IMPOSSIBLE = re.compile(
    r"public or synthetic|(?:say|declare|tick|mark)\w*(?: that)? (?:this|the|your) (?:data|column|file|box)\b|"
    r"declared|to study a column, choose [^.]* or|on your (?:own )?(?:data|column|file)",
    re.IGNORECASE,
)
"""Words of a proposal to explore own data, or of a sentence that it would be followed by."""
PAGES = sorted(page for page, _, _ in MENU)
LINKS: dict[str, list[dict[str, str]]] = {
    "quantiles": [{"show": tab} for tab in ("Quantiles", "Synthetic column")],
    "inside": [{"look": tab} for tab in ("One run", "Microscope")],
    "stream": [{"stream": "data"}, {"stream": "made", "length": "10000"}],
    "tradeoff": [{"ask": ask} for ask in ("sweep", "wanted")],
    "learn": [{"lesson": lesson} for lesson in COURSE],
}
"""What of a page is drawn only when it is chosen."""
MAY_PROPOSE = {
    "pages/frame/state.py": "the one function, which knows the server's mode",
    "pages/form/data.py": "the label of the box itself, which such a server does not offer",
    "dpq_core/results/exports.py": "the label of a file with the truth in it",
    "pages/studies/exports.py": "the same",
}


@pytest.fixture(autouse=True)
def release_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(state.SERVER_MODE, "release")


def visits_of(page: str) -> list[dict[str, str]]:
    return LINKS.get(page, [{}])


@pytest.mark.parametrize("page", kept(PAGES, "quantiles", "inside", "stream", "compare"))
def test_no_page_proposes_to_explore_own_data(page: str) -> None:
    own = set_bounds(bring(open_page(data="file"), csv_of(np.arange(300) % 90)), "0", "120", "1")
    press(own)
    for link in visits_of(page):
        visit = turn_to(own, page, **link, **({"data": "file"} if page in FORMS else {}))
        assert visit.title, "the page is there"
        assert not IMPOSSIBLE.search(words(visit)), (link, IMPOSSIBLE.findall(words(visit)))


FORMS = {"quantiles", "inside", "stream", "compare", "tradeoff"}


@pytest.mark.parametrize("page", sorted(FORMS))
@pytest.mark.parametrize("source", ["file", "paste"])
def test_nor_before_data_are_there(page: str, source: str) -> None:
    visit = open_page(page, data=source, **({"stream": "data"} if page == "stream" else {}))
    assert not visit.checkbox
    assert not IMPOSSIBLE.search(words(visit))


@pytest.mark.parametrize(("page", "said"), [("inside", "shows the data themselves"), ("stream", "shows the truth")])
def test_who_chooses_an_own_file_hears_at_once_that_it_cannot_be_looked_into(page: str, said: str) -> None:
    visit = open_page(page, data="file", **({"stream": "data"} if page == "stream" else {}))
    assert said in visit.info[0].value
    assert "choose an example." in visit.info[0].value
    assert "Nothing simulated yet" not in words(visit)


def test_the_dialog_about_mechanisms_proposes_nothing_of_the_kind() -> None:
    visit = bring(open_page(data="file"), csv_of(np.arange(300) % 90))
    assert not IMPOSSIBLE.search(words(run(visit.button(key=f"{PREFIX}_which").click())))


def test_elsewhere_the_same_function_proposes_both(monkeypatch: pytest.MonkeyPatch) -> None:
    assert state.to_explore({}) == "choose an example, or say that this data is public or synthetic"
    assert state.to_explore({state.SERVER_MODE: " Release "}) == "choose an example"
    monkeypatch.setenv(state.SERVER_MODE, "")
    for page in ("inside", "stream", "compare"):
        visit = open_page(page, data="file", stream="data") if page == "stream" else open_page(page, data="file")
        shown = words(bring(visit, csv_of(np.arange(300) % 90)))
        assert "choose an example, or say that this data is public or synthetic" in shown.replace("\\", "")


def test_a_file_on_the_server_is_declared_by_nobody_at_a_screen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(state.SERVER_MODE, "")
    monkeypatch.setenv("DPQ_STREAM_DIR", str(tmp_path))
    (tmp_path / "own.csv").write_bytes(csv_of(np.arange(50)))
    shown = words(open_page("stream", stream="server"))
    assert "even the size of a sketch depends on the data" in shown
    assert not IMPOSSIBLE.search(shown)


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
    for file in (ROOT / "pages" / "texts").rglob("*.md"):
        yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")


def test_no_other_text_of_the_dashboard_proposes_it() -> None:
    found = {file for file, text in sentences() if IMPOSSIBLE.search(text)}
    assert found == set(MAY_PROPOSE)


@pytest.mark.parametrize("key", [None, "short"])
@pytest.mark.parametrize("page", ["quantiles", "budget"])
def test_a_server_that_can_release_nothing_says_so_on_its_first_screen(
    page: str, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not open_page(page).error, "with a key there is nothing to say"
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    if key is not None:
        monkeypatch.setenv("DPQ_LEDGER_KEY", key)
    (told,) = open_page(page).error
    assert "nothing can be released. Its administrator sets DPQ_LEDGER_KEY" in told.value
    monkeypatch.delenv(state.SERVER_MODE)
    assert not open_page(page).error, "a laptop makes its own key"


def test_it_says_so_in_its_log_before_the_first_visitor(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    startup.say_if_closed()
    assert not caplog.records
    monkeypatch.setenv("DPQ_LEDGER_KEY", "short")
    startup.say_if_closed()
    (record,) = caplog.records
    assert (record.levelname, "ledger key is too short" in record.message) == ("ERROR", True)
    assert 'short"' not in record.message


def test_such_a_server_opens_where_data_are_brought_and_elsewhere_with_an_example(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visit = open_page()
    assert visit.selectbox(key=f"{PREFIX}_data").value == "file"
    assert "Explore: not private" not in words(visit)
    assert visit.file_uploader
    example = open_page(data="adult-age")
    assert example.selectbox(key=f"{PREFIX}_data").value == "adult-age", "a link says otherwise"
    assert link_of(example)["data"] == "adult-age", "and so does the link of that page"
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("adult-hours"))
    assert visit.selectbox(key=f"{PREFIX}_data").value == "adult-hours"
    monkeypatch.delenv(state.SERVER_MODE)
    assert open_page().selectbox(key=f"{PREFIX}_data").value == "adult-age"
