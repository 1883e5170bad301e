"""The Compare page, run without a browser."""

from __future__ import annotations

import csv
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.mechanisms import MECHANISMS
from dpq_core.studies import engine, reference
from dpq_core.studies.break_it import BREAK_IT
from dpq_core.studies.grid import Grid
from dpq_core.ui import compare, studies, study_exports, waiting
from dpq_core.ui.study_exports import NOT_PRIVATE, OF_A_SHAPE
from tests.pages.driving import PREFIX, bring, csv_of, open_page, run, set_bounds, words
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
    return visit.dataframe[0].value.to_dict("list")


def errors(visit: AppTest) -> list[tuple[str, float]]:
    rows = [row for row in visit.session_state[JOB].parts if row.supported]
    return [(row.mechanism, row.mean_error) for row in rows]


def test_opens_with_a_leaderboard_and_advice() -> None:
    visit = open_page("compare")
    shown = board(visit)
    assert sorted(shown["mechanism"]) == sorted(mechanism.LABEL for mechanism in MECHANISMS.values())
    means = [float(mean) for mean in shown["mean (people)"] if mean != "–"]
    assert means == sorted(means)
    assert len(means) >= 5
    assert len(visit.get("plotly_chart")) == 1
    text = words(visit)
    assert "not private, the truth is on this screen" in text
    assert "Study, not a release" in text
    assert "seed 0" in text
    assert "Advice: " in text


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
        run(visit.get_by_key(f"{PREFIX}_{name}").set_value(value))
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


def test_wrong_settings_are_one_sentence() -> None:
    visit = open_page("compare", lower="50", upper="10")
    assert visit.button(key=f"{PREFIX}_run_compare").disabled
    assert "bounds above are missing or wrong" in words(visit)
