"""The pages in docs and beside them: code and commands run as they stand; links, names and words are there."""

import inspect
import json
import os
import re
import runpy
import shlex
from collections.abc import Callable
from fractions import Fraction
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import dpq_core as dpq
from dpq_core import MECHANISMS, Column
from dpq_core.__main__ import main
from dpq_core.ledger.accounts import Ledger
from dpq_core.papers import figures as papers
from pages.form.table import SETTINGS
from pages.shell.header import glossary
from pages.shell.links import read_link
from tests.conftest import without_children
from tests.documents import DOCS, PAGES, ROOT, blocks, commands, text_of

EXTRAS = {"dask", "distributed", "duckdb", "opendp", "polars"}
"""Whose absence leaves a page's code out."""
CLUSTER = "Client(LocalCluster())"
WIDEST = 88
"""Characters of a line of code that the site shows whole on a screen of 1280 pixels."""
PARTS = ("Start", "Do", "Run", "Trust", "Look up", "For developers")


@pytest.fixture
def trips(tmp_path, monkeypatch):
    """A folder of parts, as the page about large data has it, beside the data of the clone."""
    monkeypatch.chdir(tmp_path)
    Path("data").symlink_to(ROOT / "data")
    Path("trips").mkdir()
    for part in (1, 2):
        Path(f"trips/part-{part}.csv").write_text("minutes\n" + "20\n50\n80\n" * 200)
    return tmp_path / "trips"


def as_parquet(folder: Path) -> Path:
    """The same parts beside it, as a cluster reads them."""
    other = folder.with_name("shared")
    other.mkdir()
    for part in folder.glob("*.csv"):
        pd.read_csv(part).to_parquet(other / f"{part.stem}.parquet")
    return other


def given() -> dict[str, Any]:
    """What the pages take for granted, beside `import dpq_core as dpq`."""
    ages, domain = [23, 31, 31, 38, 44, 52, 67] * 100, dpq.Domain(17, 90, 1)
    pay = [float(age * 50) for age in ages]
    column = dpq.Column.from_values(ages, domain)
    return {
        "dpq": dpq, "domain": domain, "column": column, "values": ages, "ids": [number // 2 for number in range(700)],
        "plan": dpq.Plan([0.25, 0.5, 0.75]), "ages": column,
        "incomes": dpq.Column.from_values(pay, dpq.Domain(0, 5000, 10)),
        "salaries": ages, "departments": ["sales", "research", "legal", "sales", "sales", "sales", "sales"] * 100,
    }  # fmt: skip


WITH_CODE = [page.name for page in DOCS if blocks(f"docs/{page.name}")]


@pytest.mark.slow(keep=[page for page in WITH_CODE if page not in {"columns.md", "intervals.md"}])
@pytest.mark.parametrize("page", WITH_CODE)
def test_code_runs_as_it_stands(page: str, trips: Path) -> None:
    """And a loss that is shown beside its line is the one that is computed."""
    names = given()
    for block in blocks(f"docs/{page}"):
        if CLUSTER not in block:
            run(block, page, names)
        if shown := re.search(r"^loss\.epsilon  # ([\d.]+)", block, re.MULTILINE):
            assert shown[1] == f"{names['loss'].epsilon:.3f}"


@pytest.mark.slow
def test_numbers_that_follow_from_public_facts_are_those_of_the_page() -> None:
    """The error of a median by its formula, and the least budgets of a free total."""
    (shown,) = re.findall(r"^\| a draw here errs by \| (.*) \|$", text_of("docs/limit.md"), re.M)
    gaps, drawn = np.arange(-999, 1000), []
    for epsilon in (0.25, 0.5, 1, 2, 4):  # n is even and odd in turn; an answer errs by whole records
        weights = [np.exp(-epsilon * np.abs(gaps - odd)) for odd in (0, 0.5)]
        drawn.append(np.mean([np.average(np.abs(gaps), weights=each) for each in weights]))
    assert shown == " | ".join(f"{each:.2f}".removeprefix("0") for each in drawn)
    text = text_of("docs/free-total.md").replace("levels need", "need")
    found = re.findall(r"\b(\d+) need (?:ε = )?(0\.\d+)", text)
    assert len(found) == 4
    for m, least in found:
        levels = [Fraction(j, int(m) + 1) for j in range(1, int(m) + 1)]
        calibrate = MECHANISMS["freetotal"].calibrate
        calibrate(dpq.Plan(levels, "freetotal", epsilon=float(least)), None)
        with pytest.raises(dpq.ParameterError):
            calibrate(dpq.Plan(levels, "freetotal", epsilon=float(least) - 0.01), None)


def run(block: str, page: str, names: dict[str, Any]) -> None:
    try:
        exec(compile(block, page, "exec"), names)
    except ModuleNotFoundError as missing:
        if missing.name not in EXTRAS:
            raise
        pytest.skip(f"{missing.name} is not installed")


@pytest.mark.slow
def test_the_cluster_as_shown(trips: Path) -> None:
    distributed = pytest.importorskip("distributed")
    (shown,) = (block for block in blocks("docs/large-data.md") if CLUSTER in block)
    for on_the_page, here in (
        (CLUSTER, "Client(cluster)"),
        ("/shared/trips/", str(as_parquet(trips))),
        ("from distributed import Client, LocalCluster", "from distributed import Client"),
    ):
        assert on_the_page in shown
        shown = shown.replace(on_the_page, here)
    names = given()
    start: Callable[..., Any] = distributed.LocalCluster
    with start(n_workers=1, processes=False, dashboard_address=":0", protocol="inproc") as names["cluster"]:
        exec(compile(shown, "large-data.md", "exec"), names)
        assert isinstance(names["column"], Column)
        assert names["column"].n == names["sketch"].n == 1_200
        names["client"].close()


@pytest.mark.slow
def test_the_python_of_the_readme_as_shown(monkeypatch, capsys):
    """In the clone, and it prints what stands beside it: noise at this budget moves no quartile of so many people."""
    monkeypatch.chdir(ROOT)
    (shown,) = blocks("README.md")
    exec(compile(shown, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip() == shown.strip().rpartition("# ")[2]


@pytest.mark.slow
def test_the_comparison_with_other_tools_runs(capsys):
    """With what is installed: the rows of this project are those of the page."""
    runpy.run_path(str(ROOT / "docs/static/comparison.py"))["main"](1)
    rows = [row.split("|")[1].strip() for row in capsys.readouterr().out.splitlines()[1:]]
    here = [row.removeprefix("this project, ") for row in rows if row.startswith("this project, ")]
    assert here == ["aq", "freetotal", "jointexp", "indexp", "aggtree"]
    assert all(f"(`{key}`)" in text_of("docs/comparison.md") for key in here)


@pytest.mark.slow
def test_the_commands_as_shown(tmp_path, monkeypatch):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    monkeypatch.chdir(tmp_path)
    Path("data").symlink_to(ROOT / "data")
    Path("grid.json").write_text('{"mechanisms": ["aq"], "quantiles": [1], "n": [10], "trials": 2}')
    people = "id,age,salary,days,score,department,sex,hired\n1,31,30000,3,1.5,sales,f,2020-02-01\n"
    Path("people.csv").write_text(f"{people}2,47,42000,9,2.5,legal,m,2012-03-01\n")
    Path("ages.csv").write_text("age\n31\n47\n")
    Path("survey.csv").write_text("income\n45,000.5\n-\n9999999\n")
    survey = pd.DataFrame({"income": [45000.5, 3.0], "region": ["North East", "London"]})
    pyreadstat.write_sav(survey, "survey.sav")
    Path("stays.csv").write_text("patient,ward,days\na,north,3\na,south,9\nb,north,1\n")
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    Ledger.from_environment().engine.dispose()
    seen = set()
    readme, *others = (commands(str(page)) for page in PAGES)
    for at, line in enumerate([*readme, *chain(*others)]):
        if at == len(readme):
            without_children(monkeypatch)
        command = shlex.split(line, comments=True)
        if command[0] == "make":
            assert command[1] in targets
            seen.add("make")
        elif command[1] == "papers":
            assert command[2] == "make"
            assert command[3] in papers.FIGURES
            seen.add("papers")
        elif command[1:3] == ["ledger", "rekey"]:
            Path("old-key").write_text(os.environ["DPQ_LEDGER_KEY"])
            monkeypatch.setenv("DPQ_LEDGER_KEY", "the key that is set from now on")
            assert main(command[1:]) == 0, line
        elif command[1] != "app":  # starts a server: tests/test_wheel.py
            assert main(command[1:]) == 0, line
            seen.add(command[1])
    assert seen == {"forecast", "ledger", "make", "papers", "release", "report", "study"}


# ── what pages have ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_readme_fits_a_screen():
    assert len(text_of("README.md").splitlines()) <= 60
    assert len(text_of("README.md").split()) <= 550


def test_the_first_page_leads_to_every_page_once() -> None:
    parts = [part.partition("\n") for part in text_of("docs/index.md").split("\n## ")[1:]]
    assert tuple(part for part, _, _ in parts) == PARTS
    named = [page for _, _, links in parts for page in re.findall(r"\]\(([\w-]+)\.md\)", links)]
    assert sorted(named) == sorted(page.stem for page in DOCS if page.stem != "index")


def test_no_line_of_code_is_wider_than_the_screen() -> None:
    wide = [
        f"{page.name}: {line}"
        for page in PAGES
        for block in re.findall(r"^```.*\n((?:.*\n)*?)```", text_of(str(page)), re.MULTILINE)
        for line in block.splitlines()
        if len(line) > WIDEST and page.name != "CONTRIBUTING.md"  # GitHub shows that one, not the site
    ]
    assert wide == []


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


# ── the table of words ───────────────────────────────────────────────────────────────────────────────────────────────

CELL = re.compile(r"`([^`]+)`")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in text_of("docs/words.md").partition("| --- |")[2].splitlines()[1:]
    if line.startswith("|")
]
SETTINGS_OF = {
    "quantile": ("quantiles",), "domain": ("lower", "upper", "step"), "step": ("step",), "ways to bounds": ("bounds",),
    "significant digits": ("digits",), "budget": ("budget",), "epsilon": ("epsilon",), "delta": ("delta",),
    "rho": ("rho",), "adjacency": ("adjacency",), "mechanism": ("mechanism",), "interval of an answer": ("intervals",),
    "rank error": ("measure",), "kept answer": ("answer",), "simulated runs": ("trials",),
    "step of a run": ("run_step",), "one person": ("person",), "what counts": ("per_person",),
    "for each group": ("each",), "list of groups": ("group_names",), "groups of one person": ("groups_each",),
    "coarseness": ("alpha",), "most records": ("n_max",),
}  # fmt: skip
"""The settings of the pages that ask for a word."""


def test_every_word_is_one_of_the_glossary_and_in_the_table_once() -> None:
    words = [row[0] for row in ROWS]
    assert len(words) == len(set(words))
    assert set(words) <= set(glossary())
    assert set(SETTINGS_OF) <= set(words)


def test_a_word_has_the_label_of_its_page() -> None:
    labels = {row[0]: ", ".join(SETTINGS[name].label for name in SETTINGS_OF.get(row[0], ())) for row in ROWS}
    assert {row[0]: row[1] for row in ROWS} == labels


def test_the_names_of_python_are_there() -> None:
    for name in (name for row in ROWS for name in CELL.findall(row[2])):
        path, _, argument = name.removesuffix("=)").partition("(")
        dotted, _, item = path.partition("[")
        assert dotted.split(".")[1] in dpq.__all__
        found = attrgetter(dotted.partition(".")[2])(dpq)
        assert not item or item.strip('"]') in found, name
        assert not argument or argument in inspect.signature(found).parameters, name


def test_the_names_of_the_shell_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    helps = {}
    for command in ("release", "study", "ledger"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        helps[f"dpq {command}"] = capsys.readouterr().out
    names = {name for row in ROWS for name in CELL.findall(row[3])}
    flags = {name for name in names if name.startswith("--")}
    assert len(flags) >= 15
    assert names - flags == set(helps)
    assert {flag for flag in flags if not any(re.search(rf"{flag}\b", text) for text in helps.values())} == set()


@pytest.mark.slow
def test_names_in_files_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ages.csv").write_text("age\n" + "31\n47\n" * 100)
    line = "release ages.csv --column age=0:120:1 --quantiles median --epsilon 1 --mechanism binhist --intervals 0.95"
    assert main(shlex.split(f"{line} --about 200")) == 0
    out = capsys.readouterr().out
    found = keys_of(json.loads(out)) | {*dpq.Release.from_json(out).for_files()}
    column = dpq.Column.from_values([31, 47] * 100, dpq.Domain(0, 120, 1))
    study = dpq.simulate(column, dpq.Plan("median", "binhist", epsilon=1), trials=2)
    found |= {*study.to_frame(), *study.summary()}
    names = {name for row in ROWS for name in CELL.findall(row[4])}
    assert len(names) >= 15
    assert names - found == set()


def keys_of(value: Any) -> set[str]:
    """Every key of an answer as JSON has it, at any depth."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return set(value).union(*map(keys_of, value.values())) if isinstance(value, dict) else set()
