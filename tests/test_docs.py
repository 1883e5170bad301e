"""The pages in docs and beside them: code runs as it stands, links and files are there, no mechanism is left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import dpq_core as dpq
from dpq_core import MECHANISMS, Sample
from pages.frame.links import read_link
from tests.documents import DOCS, PAGES, ROOT, blocks, text_of

EXTRAS = {"dask", "distributed", "duckdb", "opendp", "polars"}
"""Whose absence leaves a page's code out."""
CLUSTER = "Client(LocalCluster())"
WIDEST = 88
"""Characters of a line of code that the site shows whole on a screen of 1280 pixels."""
PARTS = ("Learn", "Do", "Understand", "Look up")


@pytest.fixture
def trips(tmp_path, monkeypatch):
    """A folder of parts, as the page about large data has it."""
    monkeypatch.chdir(tmp_path)
    Path("trips").mkdir()
    for part in (1, 2):
        Path(f"trips/part-{part}.csv").write_text("minutes\n" + "20\n50\n80\n" * 200)
    return tmp_path / "trips"


def given() -> dict[str, Any]:
    """What the pages take for granted, beside `import dpq_core as dpq`."""
    ages, domain = [23, 31, 31, 38, 44, 52, 67] * 100, dpq.Domain(17, 90, 1)
    pay = [float(age * 50) for age in ages]
    sample = dpq.Sample.from_values(ages, domain)
    return {
        "dpq": dpq, "domain": domain, "sample": sample, "values": ages, "ids": [number // 2 for number in range(700)],
        "plan": dpq.Plan([0.25, 0.5, 0.75]), "ages": sample,
        "incomes": dpq.Sample.from_values(pay, dpq.Domain(0, 5000, 10)),
        "salaries": ages, "departments": ["sales", "research", "legal", "sales", "sales", "sales", "sales"] * 100,
    }  # fmt: skip


@pytest.mark.parametrize("page", [page.name for page in DOCS if blocks(f"docs/{page.name}")])
def test_code_runs_as_it_stands(page: str, trips: Path) -> None:
    names = given()
    for block in blocks(f"docs/{page}"):
        if CLUSTER not in block:
            run(block, page, names)


def run(block: str, page: str, names: dict[str, Any]) -> None:
    try:
        exec(compile(block, page, "exec"), names)
    except ModuleNotFoundError as missing:
        if missing.name not in EXTRAS:
            raise
        pytest.skip(f"{missing.name} is not installed")


def test_the_package_as_shown() -> None:
    of_a_frame, shown, *_ = blocks("docs/package.md")
    names: dict[str, Any] = {}
    exec(compile(of_a_frame, "package.md", "exec"), names)
    assert list(names["answers"].values["salary"]) == ["f", "m"]
    exec(compile(shown, "package.md", "exec"), names)
    assert names["release"].guarantee.exact
    assert len(names["release"].values) == 3
    assert f"loss.epsilon  # {names['loss'].epsilon:.3f}" in shown


def test_what_does_not_fit_as_shown(trips: Path) -> None:
    names = given()
    exec(compile(blocks("docs/large-data.md")[0], "large-data.md", "exec"), names)
    assert names["sketch"].n == names["sample"].n == 1_200
    assert len(names["release"].values) == 1


def test_the_cluster_as_shown(trips: Path) -> None:
    distributed = pytest.importorskip("distributed")
    (shown,) = (block for block in blocks("docs/large-data.md") if CLUSTER in block)
    for on_the_page, here in (
        (CLUSTER, "Client(cluster)"),
        ("/shared/trips/", str(trips)),
        ("from distributed import Client, LocalCluster", "from distributed import Client"),
    ):
        assert on_the_page in shown
        shown = shown.replace(on_the_page, here)
    names = given()
    start: Callable[..., Any] = distributed.LocalCluster
    with start(n_workers=1, processes=False, dashboard_address=":0", protocol="inproc") as names["cluster"]:
        exec(compile(shown, "large-data.md", "exec"), names)
        assert isinstance(names["sample"], Sample)
        assert names["sample"].n == names["sketch"].n == 1_200
        names["client"].close()


def test_the_navigation_has_four_parts_and_every_page_once() -> None:
    menus = re.findall(
        r"```{toctree}\n:caption: (.+)\n:maxdepth: 1\n:hidden:\n\n((?:[\w-]+\n)+)```", text_of("docs/index.md")
    )
    assert tuple(caption for caption, _ in menus) == PARTS
    named = [page for _, pages in menus for page in pages.split()]
    assert sorted(named) == sorted(page.stem for page in DOCS if page.stem != "index")


def test_a_guide_begins_with_what_its_reader_will_be_able_to_do() -> None:
    (guides,) = re.findall(r":caption: Do\n:maxdepth: 1\n:hidden:\n\n((?:[\w-]+\n)+)```", text_of("docs/index.md"))
    assert len(guides.split()) >= 10
    without = [page for page in guides.split() if "After this page you" not in text_of(f"docs/{page}.md")[:300]]
    assert without == []


def test_the_first_page_has_the_picture_the_install_line_and_the_first_lines() -> None:
    text, (code,) = text_of("docs/index.md"), blocks("docs/index.md")
    assert "](../data/quantiles-page.png)" in text.partition("```")[0]
    assert text.index("pip install") < text.index(code)
    assert len(code.split("\n\n")[1].splitlines()) <= 6


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_code_is_wider_than_the_screen(page: Path) -> None:
    code = re.findall(r"^```.*\n((?:.*\n)*?)```", text_of(str(page)), re.MULTILINE)
    wide = [line for block in code for line in block.splitlines() if len(line) > WIDEST]
    assert page.name == "CONTRIBUTING.md" or wide == [], "GitHub shows that one, not the site"


def test_every_row_about_attempts_names_tests_that_exist() -> None:
    page = text_of("docs/privacy.md")
    (rows,) = re.findall(r"^\| Attack .*\n\| --- .*\n((?:\|.*\n)+)", page, re.MULTILINE)
    for row in rows.splitlines():
        named = re.findall(r"`([^`]*\btest_[^`]*)`", row)
        assert named, row
        for name in named:
            file, _, function = name.partition("::")
            assert (ROOT / file).is_file(), name
            assert not function or f"\ndef {function}(" in (ROOT / file).read_text(encoding="utf-8"), name


def test_every_file_that_a_page_names_is_there() -> None:
    missing, found = [], 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = {ROOT / name for name in re.findall(r"`((?:dpq_core|tests|docs)/[\w/.]+)`", text)}
        linked = {page.parent / link for link in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", text)}
        missing += [f"{page.name}: {file}" for file in sorted(named | linked) if not file.exists()]
        found += len(named)
    assert missing == []
    assert found > len(DOCS), "pages name files, and they are found"


def test_links_into_the_dashboard_open_what_they_say() -> None:
    """Pages, lessons and settings that there are; whatever is not understood would be a note on the screen."""
    found = [link for page in DOCS for link in re.findall(r"\(http://127\.0\.0\.1:8501/([^)]*)\)", text_of(str(page)))]
    assert len(found) >= 10
    for link in found:
        address = urlsplit(link)
        values, notes = read_link(dict(parse_qsl(address.query)), address.path)
        assert not notes, link
        assert set(parse_qsl(address.query)) <= set(values.items()), link


def test_links_to_headings_find_them() -> None:
    broken = []
    for page in PAGES:
        for file, heading in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", text_of(str(page))):
            if heading not in headings(page.parent / file if file else page):
                broken.append(f"{page.name}: {file}#{heading}")
    assert broken == []


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_mechanism_says_how_we_know() -> None:
    text = text_of("docs/how-we-know.md")
    rows = {row[0]: row for row in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)}
    assert set(rows) == set(MECHANISMS)
    for _, proof, formula, program in rows.values():
        assert "dpq_core/mechanisms/" in proof
        assert "tests/audit/" in formula
        assert "tests/audit/test_enumerated_" in program
