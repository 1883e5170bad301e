"""One request under one id: page, Python and shell give the same numbers and words, and it is charged once."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core.__main__ import main
from dpq_core.ledger.history.entries import standing
from dpq_core.results.exports import as_plan
from dpq_core.results.kinds import Released
from tests.pages.driving import bring, csv_of, link_of, open_page, press, said, set_bounds, state_of
from tests.pages.shapes import FILE, SHAPES


@pytest.mark.slow
def test_the_last_answer_is_there_after_a_reload_and_in_no_link() -> None:
    visit = open_page(quantiles="quartiles", data="file", mechanism="aq", release_intervals="none")
    visit = press(set_bounds(bring(visit, csv_of(range(20, 90)), "own.csv"), "0", "120", "1"))
    shown = state_of(visit, "release")
    assert isinstance(shown, Released), said(visit)
    address = dict(visit.query_params)
    assert address["last"] == shown.release.id
    again = open_page("release", **address)
    assert "Released before this page was loaded again" in said(again)
    assert shown.release.id not in link_of(again)
    assert again.query_params["last"] == shown.release.id


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHAPES)
def test_what_a_page_asked_is_a_plan_file_of_the_shell(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the account and the id of the page's answer it is that answer, in Python too; else it asks the same anew."""
    monkeypatch.chdir(tmp_path)
    Path("staff.csv").write_bytes(FILE)
    sure: dict[str, Any] = {"release_intervals": "0.9", "hold": "together", "per_person": "mean"}
    shown = SHAPES[kind].found(SHAPES[kind].drawn(ids=kind == "column", **sure))
    Path("plan.json").write_text(as_plan(shown))
    line = ["release", "staff.csv", "--plan", "plan.json"]
    assert main([*line, "--account", shown.release.account, "--release-id", shown.release.id]) == 0
    assert dpq.Release.from_json(capsys.readouterr().out) == shown.release
    account, question = dpq.account(shown.release.account), dpq.Question.from_json(as_plan(shown))
    table = dpq.Table.of(pd.read_csv("staff.csv"), question)
    assert dpq.release(table, question.plan, account=account, release_id=shown.release.id) == shown.release
    assert ("one person with all rows joins or leaves" in shown.release.to_csv()) is (kind == "column")
    assert len(standing(account).entries) == 1
    assert main(line) == 0
    again = dpq.Release.from_json(capsys.readouterr().out)
    assert (again.question, again.guarantee) == (shown.release.question, shown.release.guarantee)
    assert again.mechanisms == shown.release.mechanisms
