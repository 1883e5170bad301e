"""The Papers page without a browser: verdict, numbers, exports, recomputing, links."""

from __future__ import annotations

import csv
import io
import json
from functools import partial

import pytest

from dpq_core.papers.figures import FIGURES
from pages.keys import PREFIX
from pages.papers import panels as papers_panels
from pages.papers import view as papers_page
from pages.settings import table as settings
from tests.every_run import kept
from tests.narrowing import present
from tests.pages.driving import figures, metrics, open_page, run, said
from tests.pages.studying import ended
from tests.papers.stored import stored_result

open_figure = partial(open_page, "papers")


@pytest.mark.parametrize("key", kept(FIGURES, *{figure.shape: key for key, figure in FIGURES.items()}.values()))
def test_every_stored_result_is_drawn_or_is_a_table(key: str) -> None:
    figure, stored = FIGURES[key], stored_result(key)
    drawn = papers_panels.figures(figure, stored.points)
    assert list(drawn) == list(dict.fromkeys(point.panel for point in stored.points))
    assert all(len(trace.x) <= 2000 for panel in drawn.values() for trace in panel.data)
    rows = papers_panels.number_rows(figure, stored.points)
    assert {len(column) for column in rows.values()} == {len(stored.points)}
    if figure.shape != "table":
        assert papers_panels.as_page(figure, stored).count("<svg") == len(drawn)


@pytest.mark.parametrize("key", ["kss-figure-1", "kss-figure-3", "bspace-figure-3", "bspace-table-2", "better"])
def test_a_figure_from_its_link(key: str) -> None:
    visit = open_figure(figure=key)
    figure, stored = FIGURES[key], stored_result(key)
    assert figure.title in [element.value for element in visit.header]
    assert f"seed {stored.seed}" in said(visit)
    panels = 0 if figure.shape == "table" else len({point.panel for point in stored.points})
    assert len(figures(visit)) == panels
    verdict = figure.verdict(stored)
    shown = metrics(visit)
    compared = (figure.claim.number, present(verdict.ours)) if figure.claim else ()
    assert shown == dict(zip(("Printed", "Ours"), map(papers_panels.wide_number, compared), strict=False))
    glance = visit.table[0].value
    (row,) = (at for at, name in enumerate(glance["Figure or table"]) if f"(papers?figure={key})" in name)
    assert str(verdict.word) in glance["Verdict"][row]
    assert glance["Ours"][row] == ("" if verdict.ours is None else papers_panels.wide_number(verdict.ours))
    assert len(glance) == len(FIGURES)


def test_exports_say_what_they_are() -> None:
    figure, stored = FIGURES["kss-theorems"], stored_result("kss-theorems")
    rows = list(csv.DictReader(io.StringIO(papers_panels.as_csv(figure, stored))))
    assert len(rows) == len(stored.points)
    assert {row["label"] for row in rows} == {papers_panels.LABEL}
    content = json.loads(papers_panels.as_json(figure, stored))
    assert (content["printed"]["number"], content["label"], content["seed"]) == (1, papers_panels.LABEL, stored.seed)
    page = papers_panels.as_page(figure, stored)
    assert papers_panels.LABEL in page
    assert page.count("<svg") >= 2
    assert len(page.encode()) < 300_000


def test_recomputing_sets_new_points_beside_the_stored_ones() -> None:
    visit = open_figure(figure="kss-table-1")
    tables = len(visit.dataframe)
    run(visit.button(key=f"{PREFIX}_recompute").click())
    assert len(visit.dataframe) == tables + 1
    run(visit.selectbox(key=settings.key("figure")).set_value("bspace-figure-9"))
    panels = len(figures(visit))
    ended(run(visit.button(key=f"{PREFIX}_recompute").click()), papers_page.JOB)
    assert len(figures(visit)) == 2 * panels
    assert "Cancel" not in [button.label for button in visit.button]
    new = [trace["name"] for trace in figures(visit)[-1]["data"] if trace["name"].endswith(", new")]
    assert "DPExpGK here, new" in new
    run(visit.selectbox(key=settings.key("figure")).set_value("kss-theorems"))
    assert "Recomputed now, at reduced size" not in [element.value for element in visit.header]


def test_the_link_holds_the_figure() -> None:
    visit = open_figure(figure="nothing")
    assert "“Figure or table” in the link was not understood (`nothing`)" in visit.info[0].value
    run(visit.selectbox(key=settings.key("figure")).set_value("bspace-table-2"))
    assert visit.query_params == {"figure": "bspace-table-2"}


def test_without_a_stored_result_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.papers.view.load", lambda key: None)
    visit = open_figure()
    assert "Nothing is stored" in visit.info[0].value
    assert figures(visit) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(48842.0, "48,842"), (7.14, "7.14"), (0.00004512, "0.000045"), (1.3e7, "13,000,000"), (float("nan"), "")],
)
def test_numbers_as_people_read_them(value: float, text: str) -> None:
    assert papers_panels.wide_number(value) == text
