"""The Compare page, run without a browser."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import MISSING, fields, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.mechanisms import MECHANISMS
from dpq_core.studies import engine, reference
from dpq_core.studies.break_it import BREAK_IT
from dpq_core.studies.engine import Row
from dpq_core.studies.grid import Grid
from pages.compare import leaderboard as compare
from pages.frame import waiting
from pages.keys import PREFIX
from pages.studies import exports as study_exports
from pages.studies import job as studies
from pages.studies.exports import NOT_PRIVATE, OF_A_SHAPE
from pages.studies.subjects import Subject
from tests.narrowing import present
from tests.pages.driving import bring, cells, csv_of, figures, open_page, run, set_bounds, widget, words
from tests.pages.studying import press

ASKED, JOB = studies._key(compare.NAME), waiting._key(compare.NAME)
AGES = np.random.default_rng(5).integers(18, 91, size=7319)
"""An uploaded column; its length is a canary."""


@pytest.fixture(autouse=True)
def without_opendp(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference has tests of its own; here it is not installed, and studies are run in place."""
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    monkeypatch.setattr(reference, "expected_with_reference", lambda grid, records: 0.0)


def board(visit: AppTest) -> dict[str, list[str]]:
    return cells(visit.dataframe[0])


def errors(visit: AppTest) -> list[tuple[str, float]]:
    rows = [row for row in visit.session_state[JOB].parts if row.supported]
    return [(row.mechanism, row.mean_error) for row in rows]


def test_opens_with_a_leaderboard_and_advice() -> None:
    visit = open_page("compare")
    shown = board(visit)
    assert sorted(shown["mechanism"]) == sorted(mechanism.LABEL for mechanism in MECHANISMS.values())
    means = visit.dataframe[0].value["mean rank error (people)"]
    assert list(means) == sorted(means)
    assert sum(means < inf) >= 5
    assert list(cells(visit.dataframe[1])) == ["mechanism", "theorem: worst rank error at most", "milliseconds a run"]
    assert len(visit.get("plotly_chart")) == 1
    text = words(visit)
    assert "not private, the truth is on this screen" in text
    assert "Study, not a release" in text
    assert "seed 0" in text
    assert "Advice: " in text


@pytest.mark.parametrize("page", ["compare", "tradeoff"])
def test_the_first_study_has_as_many_runs_as_its_control_says(page: str) -> None:
    visit = open_page(page)
    assert visit.button_group(key=f"{PREFIX}_trials").value == "100"
    assert "100 simulated runs for each" in words(visit)


def test_advice_counts_the_ends_of_intervals_and_says_so() -> None:
    assert "3 levels in all" in words(open_page("compare", quantiles="median", intervals="0.95"))
    assert "levels in all" not in words(open_page("compare", quantiles="median"))


def test_two_visitors_see_the_same_first_picture() -> None:
    assert errors(open_page("compare")) == errors(open_page("compare"))


def test_press_draws_anew_with_the_reference_line() -> None:
    visit = open_page("compare", quantiles="median")
    first = errors(visit)
    press(visit, "compare", compare.NAME)
    assert errors(visit) != first
    assert visit.session_state[ASKED].grid.seed == 1
    assert reference.LABEL in board(visit)["mechanism"]
    assert "OpenDP is not installed here" in words(visit)


def test_nothing_but_the_button_changes_the_numbers() -> None:
    visit = open_page("compare")
    shown, frozen = visit.session_state[JOB], board(visit)
    assert "Settings changed" not in words(visit)
    for name, value in {"quantiles": "median", "budget": "concentrated", "trials": "300"}.items():
        run(widget(visit, f"{PREFIX}_{name}").set_value(value))
        assert "Settings changed: press Compare" in words(visit)
    run(visit.selectbox(key=f"{PREFIX}_trouble").set_value("few"))
    assert visit.session_state[JOB] is shown
    assert board(visit) == frozen
    assert "Settings changed: press Compare" in words(visit)


@pytest.mark.parametrize("trouble", BREAK_IT)
def test_every_hard_set_runs(trouble: str) -> None:
    visit = open_page("compare", trouble=trouble)
    assert BREAK_IT[trouble].expect in words(visit)
    assert visit.session_state[ASKED].subject.identity == f"trouble:{trouble}"
    assert len(errors(visit)) >= 4


def test_a_mechanism_that_cannot_serve_says_why() -> None:
    visit = open_page("compare", budget="concentrated")
    rows = [row for row in visit.session_state[JOB].parts if not row.supported]
    assert rows
    assert all(row.label in text and len(row.why_not) > 20 for row in rows for text in [words(visit)])


def upload(values: np.ndarray, *, public: bool = False) -> AppTest:
    visit = bring(open_page("compare", quantiles="quartiles"), csv_of(values), public=public)
    return press(set_bounds(visit, "0", "100", "1"), "compare", compare.NAME)


def test_a_private_upload_is_not_studied() -> None:
    visits = [upload(AGES), upload(AGES[:1000] // 2)]
    assert errors(visits[0]) == errors(visits[1]), "two different columns, the same leaderboard"
    text = words(visits[0])
    assert "7319" not in text
    assert "7,319" not in text
    assert "Your data is not used" in text
    asked = visits[0].session_state[ASKED]
    assert asked.grid.data == ("reference",)
    assert OF_A_SHAPE in study_exports.rows_as_csv(asked, visits[0].session_state[JOB].parts)


def test_a_public_upload_is_studied_until_it_is_not_public_any_more() -> None:
    visit = upload(AGES, public=True)
    assert visit.session_state[ASKED].grid.data == ("mine",)
    assert visit.session_state[ASKED].subject.given is None, "the column itself is not kept beside the study"
    job = visit.session_state[JOB]
    assert job.parts[0].n == AGES.size
    run(visit.checkbox[0].uncheck())
    assert ASKED not in visit.session_state
    assert job.parts == []
    assert "7,319" not in words(visit)


def test_files_say_what_they_are() -> None:
    visit = open_page("compare", quantiles="median")
    asked, rows = visit.session_state[ASKED], visit.session_state[JOB].parts
    table = study_exports.rows_as_csv(asked, rows).splitlines()
    assert len(table) == 1 + len(MECHANISMS)
    assert all(NOT_PRIVATE in line for line in table[1:])
    rows_read = list(csv.DictReader(table))
    assert {(row["quantiles"], row["data_set"], row["date"]) for row in rows_read} == {
        ("50 % · median", asked.subject.about, asked.made)
    }
    assert datetime.fromisoformat(asked.made).tzinfo is UTC
    assert json.loads(study_exports.rows_as_json(asked, rows))["date"] == asked.made
    content = study_exports.rows_as_json(asked, rows)
    assert NOT_PRIVATE in content
    assert "NaN" not in content
    page = study_exports.figure_as_html(asked, "Title", compare._figure(rows, "people"))
    assert NOT_PRIVATE in page
    assert page.startswith("<!doctype html>")
    assert asked.made in page
    assert MECHANISMS["aq"].LABEL in page


def test_the_grid_file_repeats_the_study() -> None:
    visit = open_page("compare", quantiles="median")
    content = study_exports.grid_as_json(visit.session_state[ASKED])
    assert study_exports.SETTINGS_ONLY in content
    grid = Grid.from_json(content)
    again = [(row.mechanism, row.mean_error) for _, row in engine.steps(grid) if row.supported]
    assert again == errors(visit)


def test_the_script_repeats_the_study_of_ones_own_column(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = upload(AGES, public=True)
    asked = visit.session_state[ASKED]
    source = study_exports.script(asked).replace(asked.subject.reading, "values = AGES")
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


PEOPLE = Subject(
    identity="", data="ages", n=None, domain=None, count=50_000, about="ages", one="person", many="people", unit="",
    reading="",
)  # fmt: skip
FAILING = row("Slices", 863.0, mean_error_se=430.0, mean_error_median=14.8, failed=20)


def test_a_mechanism_that_fails_in_2_of_100_runs_is_never_a_tie() -> None:
    """Its mean is 863 and the noise in it so large that the runs could not tell it from 16.8: it was called a tie."""
    said = compare.verdict([row("Halves", 16.8), FAILING], PEOPLE)
    assert "simulation noise" not in said
    assert "Slices failed in 20 of 1,000 runs: 15 people in its median run, but 860 people on average." in said


def test_two_that_never_fail_may_be_a_tie_and_one_that_fails_may_be_best_on_average() -> None:
    tie = compare.verdict([row("Halves", 16.8), row("Joint", 17.1)], PEOPLE)
    assert "The difference from **Joint" in tie
    assert "failed" not in tie
    said = compare.verdict([row("Slices", 16.0, failed=3), row("Halves", 16.8)], PEOPLE)
    assert "simulation noise" not in said
    assert "But it failed in 3 of 1,000 runs. Of those that never failed, Halves erred least: 17 people." in said
    alike = compare.verdict([row("Slices", 16.0, failed=20), row("Sketch", 16.1, failed=22)], PEOPLE)
    assert "The difference from **Sketch" in alike
    assert "But it failed in 20 of 1,000 runs." in alike


def test_a_clear_difference_is_said_in_two_digits() -> None:
    assert "Next is **Joint** with 36 people, 2.1 times as much" in compare.verdict(
        [row("Halves", 16.8), row("Joint", 35.6)], PEOPLE
    )
    exact = compare.verdict([row("Halves", 0.0, mean_error_se=0.0), row("Joint", 0.3, mean_error_se=0.01)], PEOPLE)
    assert "**Halves** erred least: 0 people on average (0 % of all). Next is **Joint** with under 1 person." in exact


def test_the_table_shows_median_and_failures_and_sorts_by_number() -> None:
    table = compare._table([FAILING, row("Halves", 16.8)], PEOPLE)
    assert list(map(str, table["failed runs"])) == ["0 of 1,000", "20 of 1,000"]
    assert list(map(str, table["median run"])) == ["17", "15"]
    assert list(map(str, table["mean rank error (people)"])) == ["17", "860"]
    assert not {"failed runs", "median run"} & set(compare._table([row("Halves", 16.8)], PEOPLE)), (
        "the same as the mean"
    )
    assert [cell.number for cell in table["mean rank error (people)"]] == [16.8, 863.0]
    asked = studies.StudyRequest(subject=PEOPLE, grid=Grid(seed=1))
    head, line = list(csv.reader(io.StringIO(study_exports.rows_as_csv(asked, [FAILING]).removeprefix("\ufeff"))))
    assert dict(zip(head, line, strict=True))["failed"] == "20"
    assert float(dict(zip(head, line, strict=True))["mean_error_median"]) == 14.8


def test_the_page_says_what_failed() -> None:
    visit = open_page("compare", trials="1000")
    parts = visit.session_state[JOB].parts
    (at,) = [at for at, each in enumerate(parts) if each.mechanism == "aq"]
    parts[at] = replace(parts[at], mean_error=863.0, mean_error_se=430.0, mean_error_median=2.0, failed=3, trials=64)
    run(visit)
    assert "failed in 3 of 64 runs: 2 people in its median run, but 860 people on average" in words(visit)
    shown = board(visit)
    assert "3 of 64" in shown["failed runs"]
    assert "860" in shown["mean rank error (people)"]
    assert "not available" in shown["95 of 100 runs"]
    told = [cell for column in shown.values() for cell in column]
    assert not [cell for cell in told if re.search(r"\d\.\d{2}|^0\.", cell)], "two digits, and under 1 person"
    notes = [note["text"] for note in figures(visit)[0]["layout"]["annotations"]]
    assert [note for note in notes if "failed in 3 of 64 runs" in note]


def test_advice_names_what_the_study_measures() -> None:
    visit = open_page("compare", epsilon="0.5")
    (said,) = [caption.value for caption in visit.caption if "The advice expected" in caption.value]
    assert "this study measures" in said
    assert "as expected" in said or "On this data" in said
    (advice,) = [mark.value for mark in visit.markdown if "**Advice:" in mark.value]
    low, high = present(re.search(r"\(([\w.]+(?: 1)?) to ([\d.]+), depending", advice)).groups()
    assert low != high
    assert "mean rank error" in advice
    assert "worst rank error" in advice


@pytest.mark.very_slow
def test_advice_of_next_to_no_error_reads_as_a_sentence() -> None:
    visit = open_page("compare", epsilon="10")
    (advice,) = [mark.value for mark in visit.markdown if "**Advice:" in mark.value]
    assert "expect a mean rank error of under 1 person" in advice
    assert "(under 1, for any shape of the data)" in advice


def test_a_chosen_normal_law_leaves_the_advice_a_range() -> None:
    """With a standard deviation the advice knew one shape, and named "4.82 people (4.82 to 4.82)"."""
    visit = open_page("compare", epsilon="0.5")
    visit.session_state[f"{PREFIX}_option_normal.sigma"] = "15"
    visit.session_state[f"{PREFIX}_option_normal.mean_bound"] = "100"
    run(visit)
    (advice,) = [mark.value for mark in visit.markdown if "**Advice:" in mark.value]
    (between,) = re.findall(r"\((.*), depending", advice)
    assert " to " in between
    assert "bell-shaped" in words(visit)


def test_wrong_settings_are_one_sentence() -> None:
    visit = open_page("compare", lower="50", upper="10")
    assert visit.button(key=f"{PREFIX}_run_compare").disabled
    assert "the bounds are missing or wrong" in words(visit)
