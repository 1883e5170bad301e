"""Compare, Trade-off and Papers: what each study shows, what it says of failures, and its files."""

import csv
import io
import json
import math
import re
import sys
from dataclasses import MISSING, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import FindBounds, Intervals
from dpq_core.figures.studies import draw_leaderboard
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.papers.figures import FIGURES, Point
from dpq_core.studies import engine, reference
from dpq_core.studies.bounds import least_error
from dpq_core.studies.design import BREAK_IT, StudyDesign
from dpq_core.studies.engine import Row
from pages.compare import leaderboard
from pages.compare import study as studies
from pages.compare.leaderboard import NOT_PRIVATE, OF_A_SHAPE
from pages.compare.study import Subject
from pages.form import table as settings
from pages.keys import PREFIX
from pages.papers import view as papers_page
from pages.papers import view as papers_view
from pages.shell import pieces, waiting
from pages.shell.header import escape
from pages.tradeoff import sweeps
from tests.narrowing import present
from tests.pages import driving
from tests.pages.driving import drawn_by, figures, open_page, run, study, words
from tests.papers.stored import stored_result
from tests.ui.test_subjects import USUAL, form_of

ASKED, JOB = studies._key(leaderboard.NAME), waiting._key(leaderboard.NAME)
AGES = np.random.default_rng(5).integers(18, 91, size=7319)
"""An uploaded column; its length is a canary."""


@pytest.fixture(autouse=True)
def without_opendp(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference has tests of its own; here it is not installed, and studies are run in place."""
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    monkeypatch.setattr(reference, "expected_with_reference", lambda grid, records: 0.0)


def board(visit: AppTest) -> dict[str, list[str]]:
    return driving.cells(visit.dataframe[0])


def errors(visit: AppTest) -> list[tuple[str, float]]:
    rows = [row for row in visit.session_state[JOB].parts if row.supported]
    return [(row.mechanism, row.mean_error) for row in rows]


@pytest.mark.slow
def test_compare_opens_with_a_leaderboard_and_advice() -> None:
    visit = open_page("compare", epsilon="0.5")
    assert pieces.NOT_PRIVATE in words(visit)
    assert visit.button_group(key=f"{PREFIX}_trials").value == str(visit.session_state[ASKED].grid.trials) == "100"
    (suggested,) = [each.value for each in visit.caption if each.value.startswith("Suggested: ")]
    assert escape(MECHANISMS["aq"].LABEL) in suggested


def test_press_draws_anew_with_the_reference_line() -> None:
    visit = open_page("compare", quantiles="median")
    first = errors(visit)
    study(visit, "compare", leaderboard.NAME)
    assert errors(visit) != first
    assert visit.session_state[ASKED].grid.seed == 1
    assert reference.LABEL in board(visit)["mechanism"]
    assert "OpenDP is not installed here" in words(visit)


@pytest.mark.slow(keep="few")
@pytest.mark.parametrize("trouble", BREAK_IT)
def test_every_hard_set_runs(trouble: str) -> None:
    visit = open_page("compare", trouble=trouble)
    assert BREAK_IT[trouble].expect in words(visit)
    assert visit.session_state[ASKED].subject.identity == f"trouble:{trouble}"
    assert len(errors(visit)) >= 4


STUDIES: dict[str, tuple[str, dict[str, Any]]] = {
    "compare": (leaderboard.NAME, {}),
    "tradeoff": (sweeps.NAME, {"sweep": "records"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("page", STUDIES)
def test_without_a_column_a_shape_between_its_bounds_is_studied(page: str) -> None:
    name, link = STUDIES[page]
    visit = driving.set_bounds(open_page(page, data="file", quantiles="median", **link), "0", "120", "1")
    visit = study(visit, page, name)
    asked, rows = visit.session_state[studies._key(name)], visit.session_state[waiting._key(name)].parts
    assert asked.grid.data == ("reference",)
    assert OF_A_SHAPE in leaderboard.rows_as_csv(asked, rows)


@pytest.mark.slow
def test_a_public_upload_is_studied_until_it_is_not_public_any_more() -> None:
    visit = studied()
    assert visit.session_state[ASKED].grid.data == ("mine",)
    assert visit.session_state[ASKED].subject.given is None, "the column itself is not kept beside the study"
    job = visit.session_state[JOB]
    assert job.parts[0].n == AGES.size
    run(visit.checkbox[0].uncheck())
    assert ASKED not in visit.session_state
    assert job.parts == []
    assert "7,319" not in words(visit)


def studied() -> AppTest:
    visit = driving.own(driving.csv_of(AGES), page="compare", public=True, quantiles="quartiles")
    return study(visit, "compare", leaderboard.NAME)


def test_files_of_a_study_say_what_they_are_and_the_grid_repeats_it() -> None:
    visit = open_page("compare", quantiles="median")
    asked, rows = visit.session_state[ASKED], visit.session_state[JOB].parts
    table = leaderboard.rows_as_csv(asked, rows).splitlines()
    assert len(table) == 1 + len(MECHANISMS)
    assert all(NOT_PRIVATE in line for line in table[1:])
    assert {(row["quantiles"], row["data_set"], row["date"]) for row in csv.DictReader(table)} == {
        ("50 % · median", asked.subject.about, asked.made)
    }
    assert datetime.fromisoformat(asked.made).tzinfo is UTC
    content = leaderboard.rows_as_json(asked, rows)
    assert json.loads(content)["date"] == asked.made
    assert "NaN" not in content
    page = leaderboard.figure_as_html(asked, "Title", draw_leaderboard(rows, many="people"))
    assert page.startswith("<!doctype html>")
    assert all(NOT_PRIVATE in made and asked.made in made for made in (content, page))
    settings = leaderboard.grid_as_json(asked)
    assert leaderboard.SETTINGS_ONLY in settings
    again = [
        (row.mechanism, row.mean_error) for _, row in engine.steps(StudyDesign.from_json(settings)) if row.supported
    ]
    assert again == errors(visit)


@pytest.mark.slow
def test_the_script_repeats_the_study_of_ones_own_column(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = studied()
    asked = visit.session_state[ASKED]
    source = leaderboard.script(asked).replace(asked.subject.reading, "values = AGES")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"own\.csv is not in"):
        exec(compile(source, "script", "exec"), {})
    (tmp_path / "own.csv").touch()
    exec(compile(source, "script", "exec"), {"AGES": AGES.astype(float)})
    assert f"[{len(MECHANISMS)} rows" in capsys.readouterr().out


def row(label: str, mean: float, **changes: Any) -> Row:
    """A row of the leaderboard with 1,000 runs of 50,000 records."""
    facts: dict[str, Any] = {
        field.name: {"int": 0, "float": 0.0, "str": "", "bool": True}[str(field.type)]
        for field in fields(Row)
        if field.default is MISSING
    }
    usual: dict[str, Any] = {"label": label, "mechanism": "aq", "n": 50_000, "trials": 1000, "mean_error": mean}
    spread = {"mean_error_se": 0.3, "mean_error_median": mean, "mean_error_low": 5.7, "mean_error_high": 31.7}
    return Row(**(facts | usual | spread | changes))


PEOPLE = Subject("", "ages", n=None, domain=None, count=50_000, about="ages", one="person", many="people")
FAILING = row("Slices", 863.0, mean_error_se=430.0, mean_error_median=14.8, failed=20)
VERDICTS: dict[str, tuple[list[Row], str]] = {
    "fails": ([row("Halves", 16.8), FAILING], "Slices failed in 20 of 1,000 runs: 15 people in its middle run"),
    "tie": ([row("Halves", 16.8), row("Joint", 17.1)], "These runs cannot tell it from **Joint"),
    "best fails": ([row("Slices", 16.0, failed=3), row("Halves", 16.8)], "never failed, Halves errs least"),
    "both fail": ([row("Slices", 16.0, failed=20), row("Sketch", 16.1, failed=22)], "These runs cannot tell it from"),
    "clear": ([row("Halves", 16.8), row("Joint", 35.6)], "Next is **Joint** with 36 people, 2.1 times as much"),
    "exact": (
        [row("Halves", 0.0, mean_error_se=0.0), row("Joint", 0.3, mean_error_se=0.01)], "Next is **Joint** with under",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_tells_ties_from_failures_and_clear_differences(name: str) -> None:
    """A mean of 863 with noise so large that the runs could not tell it from 16.8 was called a tie."""
    rows, told = VERDICTS[name]
    verdict = leaderboard.verdict(rows, PEOPLE)
    assert told in verdict
    assert ("cannot tell" in verdict) is (told.startswith("These runs"))
    assert ("failed" in verdict) is any(each.failed for each in rows)


def board_page(asked: object, rows: list) -> None:  # type: ignore[type-arg]
    import streamlit as st

    from pages.compare import leaderboard, study
    from pages.shell import links

    st.session_state[links._PAGE] = "compare"
    request = study.request_of(asked)  # type: ignore[arg-type]
    study._line(request, "")  # type: ignore[arg-type]
    leaderboard.show(request, rows)  # type: ignore[arg-type]


def test_a_study_says_its_budget_what_part_of_it_finds_bounds_and_how_often_intervals_hold() -> None:
    asked = form_of(**USUAL | {"bounds": FindBounds("0.2", step=1), "intervals": Intervals(0.9)})
    rows = VERDICTS["clear"][0]
    visit = drawn_by(board_page, asked, rows)
    assert "2 quantiles" in visit.markdown[0].value
    assert "ε = 0.5" in visit.markdown[0].value
    captions = " ".join(each.value for each in visit.caption)
    assert "from 20 % of the budget" in captions
    assert "with a chance of 90 %" in captions


@pytest.mark.slow
def test_the_page_says_what_failed() -> None:
    visit = open_page("compare", trials="1000")
    parts = visit.session_state[JOB].parts
    (at,) = [at for at, each in enumerate(parts) if each.mechanism == "aq"]
    parts[at] = replace(parts[at], mean_error=863.0, mean_error_se=430.0, mean_error_median=2.0, failed=3, trials=64)
    run(visit)
    assert "failed in 3 of 64 runs: 2 people in its middle run, but 860 people on average" in words(visit)
    shown = board(visit)
    assert "3 of 64" in shown["failed runs"]
    assert "860" in shown["mean rank error (people)"]
    assert "not available" in shown["95 of 100 runs"]
    told = [cell for column in shown.values() for cell in column]
    assert not [cell for cell in told if re.search(r"\d\.\d{2}|^0\.", cell)], "two digits, and under 1 person"
    notes = [note["text"] for note in figures(visit)[0]["layout"]["annotations"]]
    assert [note for note in notes if "failed in 3 of 64 runs" in note]


SWEEP_ASKED, SWEEP_JOB = studies._key(sweeps.NAME), waiting._key(sweeps.NAME)


@pytest.fixture(autouse=True)
def studies_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies are run in the server, not in a process."""
    monkeypatch.setattr(sweeps, "expected_seconds", lambda cells, records: 0.0)


def points(visit: AppTest) -> list[tuple[str, float, float]]:
    asked = visit.session_state[SWEEP_ASKED]
    at = sweeps.SWEPT[asked.extra[0]].at
    return [(row.mechanism, at(row), row.mean_error) for row in visit.session_state[SWEEP_JOB].parts if row.supported]


@pytest.mark.slow
def test_tradeoff_opens_with_a_small_sweep_whose_other_error_needs_no_new_run() -> None:
    visit = open_page("tradeoff")
    job = visit.session_state[SWEEP_JOB]
    assert re.search(r"\*\*ε = [\d.]+\*\* is enough for an error of 5 people", words(visit))
    assert "Errors under 0.05 are drawn at 0.05." in words(visit), "a logarithmic axis has no place for them"
    run(driving.widget(visit, f"{PREFIX}_measure").set_value("max"))
    assert visit.session_state[SWEEP_JOB] is job
    assert "worst rank error (people)" in visit.dataframe[0].value.columns
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("few"))
    assert driving.is_disabled(visit, "run_tradeoff")


@pytest.mark.slow
def test_one_median_is_shown_beside_what_no_mechanism_can_be_below() -> None:
    visit = open_page("tradeoff", quantiles="median")
    rows, records = visit.session_state[SWEEP_JOB].parts, visit.session_state[SWEEP_ASKED].subject.count
    limits = [(x, least_error(x, records)) for x in sorted({x for _, x, _ in points(visit)})]
    assert engine.limits(rows) == limits
    assert "less than the dashed limit" in words(visit)
    changes: list[dict[str, Any]] = [{"quantiles": "1/4 1/2 3/4"}, {"adjacency": "replace_one"}, {"delta": 1e-6}]
    for change in changes:
        assert not engine.limits([replace(row, **change) for row in rows])


@pytest.mark.slow(keep="alpha")
@pytest.mark.parametrize("sweep", sweeps.SWEPT)
def test_every_setting_can_be_swept(sweep: str) -> None:
    visit = open_page("tradeoff", sweep=sweep, quantiles="median")
    xs = {x for _, x, _ in points(visit)}
    assert len(xs) >= sweeps.FIRST_POINTS
    assert ({mechanism for mechanism, _, _ in points(visit)} == {"gkexp"}) is (sweep == "alpha")
    study(visit, "tradeoff", sweeps.NAME)
    assert len({x for _, x, _ in points(visit)}) >= len(xs)
    assert visit.session_state[SWEEP_ASKED].grid.seed == 1


open_figure = partial(open_page, "papers")


@pytest.mark.slow(keep=list({figure.shape: name for name, figure in FIGURES.items()}.values()))
@pytest.mark.parametrize("key", FIGURES)
def test_every_stored_result_is_drawn_or_is_a_table(key: str) -> None:
    figure, stored = FIGURES[key], stored_result(key)
    drawn = papers_view.figures(figure, stored.points)
    assert list(drawn) == list(dict.fromkeys(point.panel for point in stored.points))
    assert all(len(trace.x) <= 2000 for panel in drawn.values() for trace in panel.data)
    rows = papers_view.number_rows(figure, stored.points)
    assert {len(column) for column in rows.values()} == {len(stored.points)}
    if figure.shape != "table":
        assert papers_view.as_page(figure, stored).count('class="plotly-graph-div"') == len(drawn)


@pytest.mark.parametrize("key", ["kss-figure-1", "kss-figure-3", "bspace-figure-3", "bspace-table-2", "better"])
def test_a_figure_from_its_link(key: str) -> None:
    visit = open_figure(figure=key)
    figure, stored = FIGURES[key], stored_result(key)
    assert figure.title in [element.value for element in visit.header]
    assert f"seed {stored.seed}" in driving.said(visit)
    panels = 0 if figure.shape == "table" else len({point.panel for point in stored.points})
    assert len(figures(visit)) == panels
    verdict = stored.verdict
    shown = driving.metrics(visit)
    compared = (figure.claim.number, present(verdict.ours)) if figure.claim else ()
    assert shown == dict(zip(("Printed", "Ours"), map(papers_view.wide_number, compared), strict=False))
    glance = visit.table[0].value
    (row,) = (at for at, name in enumerate(glance["Figure or table"]) if f"(papers?figure={key})" in name)
    assert str(verdict.word) in glance["Verdict"][row]
    assert glance["Ours"][row] == ("" if verdict.ours is None else papers_view.wide_number(verdict.ours))
    assert len(glance) == len(FIGURES)


def panels_page(key: str, points: list) -> None:  # type: ignore[type-arg]
    from dpq_core.papers.figures import FIGURES
    from pages.papers import view

    view.panels(FIGURES[key], points, "stored")


@pytest.mark.parametrize("height", [0.0, 1.0])
@pytest.mark.parametrize(("count", "columns"), [(2, 2), (3, 3), (4, 4), (5, 6)])
def test_panels_stand_in_rows_and_zeros_on_a_logarithmic_axis_are_said(count: int, columns: int, height: float) -> None:
    """Four panels stand in two rows, others in rows of three."""
    points = [Point(f"panel {at}", "aq", x, y) for at in range(count) for x, y in ((1.0, 2.0), (2.0, height))]
    visit = drawn_by(panels_page, "kss-figure-4", points)
    assert len(visit.columns) == columns
    assert [round(column.weight, 2) for column in visit.columns] == [0.5 if count in (2, 4) else 0.33] * columns
    assert ("Zeros lie below the panel." in visit.caption[-1].value) is (height == 0)


def test_a_number_of_a_paper_is_written_as_a_person_reads_it() -> None:
    """No exponents, three digits, and two of what is very small."""
    written = {
        48842.0: "48,842", 7.1428: "7.14", 1234.5: "1,234", -1500.25: "-1,500", 999.96: "1,000", 0.00012345: "0.000123",
        1e-4: "0.0001", 1.00456e-4: "0.0001", 0.0000123456: "0.000012", -0.00005678: "-0.000057", 0.0: "0", -3.0: "-3",
        math.nan: "", math.inf: "",
    }  # fmt: skip
    assert {value: papers_view.wide_number(value) for value in written} == written


def test_exports_say_what_they_are() -> None:
    figure, stored = FIGURES["kss-theorems"], stored_result("kss-theorems")
    rows = list(csv.DictReader(io.StringIO(papers_view.as_csv(figure, stored))))
    assert len(rows) == len(stored.points)
    assert {row["label"] for row in rows} == {papers_view.LABEL}
    content = json.loads(papers_view.as_json(figure, stored))
    assert (content["printed"]["number"], content["label"], content["seed"]) == (1, papers_view.LABEL, stored.seed)
    page = papers_view.as_page(figure, stored)
    assert papers_view.LABEL in page
    assert page.count('class="plotly-graph-div"') >= 2


@pytest.mark.slow
def test_recomputing_sets_new_points_beside_the_stored_ones() -> None:
    visit = open_figure(figure="kss-table-1")
    tables = len(visit.dataframe)
    run(visit.button(key=f"{PREFIX}_recompute").click())
    assert len(visit.dataframe) == tables + 1
    run(visit.selectbox(key=settings.key("figure")).set_value("bspace-figure-9"))
    panels = len(figures(visit))
    driving.ended(run(visit.button(key=f"{PREFIX}_recompute").click()), papers_page.JOB)
    assert len(figures(visit)) == 2 * panels
    assert "Cancel" not in [button.label for button in visit.button]
    new = [trace["name"] for trace in figures(visit)[-1]["data"] if trace["name"].endswith(", new")]
    assert "DPExpGK here, new" in new
    run(visit.selectbox(key=settings.key("figure")).set_value("kss-theorems"))
    assert "Recomputed now, at reduced size" not in [element.value for element in visit.header]


def test_the_link_holds_the_figure_and_without_a_stored_result_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    visit = open_figure(figure="nothing")
    assert "`nothing`" in visit.info[0].value
    run(visit.selectbox(key=settings.key("figure")).set_value("bspace-table-2"))
    assert visit.query_params == {"figure": "bspace-table-2"}
    monkeypatch.setattr("pages.papers.view.load", lambda key: None)
    visit = open_figure()
    assert len(visit.info) == 1
    assert figures(visit) == []
