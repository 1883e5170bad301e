"""One request under one id: page, Python and shell give the same numbers and words, and it is charged once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core.__main__ import main
from dpq_core.ledger.history.entries import standing
from dpq_core.results.exports import as_plan
from dpq_core.results.kinds import Released
from tests.pages.driving import bring, field, link_of, open_page, press, run, said, set_bounds, state_of, turn_to
from tests.pages.shapes import FILE, SHAPES

AGES = np.random.default_rng(3).integers(18, 91, size=400)
AGES_FILE = ("age\n" + "\n".join(map(str, AGES))).encode()
ASKED = ["--quantiles", "quartiles", "--mechanism", "aq", "--epsilon", "1"]


@pytest.mark.slow
def test_page_python_and_shell_meet_in_one_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(
        {"visit": np.arange(7_000, 7_400), "household_id": [f"H{at // 2}" for at in range(400)], "age": AGES}
    )
    table.to_csv("own.csv", index=False)
    visit = open_page(quantiles="quartiles", per_person="mean", data="file", mechanism="aq", epsilon="1")
    visit = bring(visit, Path("own.csv").read_bytes(), "own.csv", column="age", ids=True)
    run(field(visit, "one").set_value("household"))
    press(set_bounds(visit, "0", "120", "1"))
    shown = state_of(visit, "release")
    assert isinstance(shown, Released), said(visit)
    account, number = shown.release.account, shown.release.id
    assert "household" in said(turn_to(visit, "releases"))

    again = dpq.quantiles(
        table, {"age": (0, 120, 1)}, "quartiles", "aq", epsilon=1, person="household_id", per_person="mean",
        account=dpq.account(shown.release.account), release_id=shown.release.id,
    )  # fmt: skip
    bought = [
        account, "--release-id", number, "--column", "age=0:120:1", "--person", "household_id", "--per-person", "mean",
    ]  # fmt: skip
    assert main(["release", "own.csv", *ASKED, "--account", *bought]) == 0
    typed = dpq.Release.from_json(capsys.readouterr().out)
    assert shown.release == again == typed
    assert again.to_csv() == typed.to_csv()
    assert "one household with all rows joins or leaves" in again.to_csv()
    (entry,) = standing(dpq.account(account)).entries
    assert entry.release_id == number
    assert "account" not in link_of(visit)


@pytest.mark.slow
def test_the_last_answer_is_there_after_a_reload_and_in_no_link() -> None:
    visit = open_page(quantiles="quartiles", data="file", mechanism="aq", release_intervals="none")
    visit = press(set_bounds(bring(visit, AGES_FILE, "own.csv"), "0", "120", "1"))
    shown = state_of(visit, "release")
    assert isinstance(shown, Released), said(visit)
    address = dict(visit.query_params)
    assert address["last"] == shown.release.id
    again = open_page("release", **address)
    assert "Released before this page was loaded again" in said(again)
    assert shown.release.id not in link_of(again)
    assert again.query_params["last"] == shown.release.id


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["groups", "columns", "columns in groups"])
def test_groups_and_several_columns_meet_too(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("staff.csv").write_bytes(FILE)
    shape = SHAPES[kind]
    shown = shape.found(shape.drawn(release_intervals="0.9", hold="together"))
    assert isinstance(shown, Released)
    bounds = {name: each for name, each in shown.question.possible.items() if isinstance(each, dpq.Domain)}
    listed = {} if shown.groups is None else {"region": ["north", "south", "nobody here"]}
    levels = [str(level) for level in shown.plan.quantiles]
    again = dpq.quantiles(
        pd.read_csv("staff.csv"), bounds, levels, "aq", epsilon=1, by=listed or None, about_n=1000,
        intervals=dpq.Intervals(0.9, together=True), account=dpq.account(shown.release.account),
        release_id=shown.release.id,
    )  # fmt: skip
    assert again == shown.release
    line = ["--quantiles", ",".join(levels), "--mechanism", "aq", "--epsilon", "1"]
    for name, each in bounds.items():
        line += ["--column", f"{name}=0:120:1" if each.has_even_steps else f"{name}=digits"]
    line += [word for name, each in listed.items() for word in ("--by", f"{name}={','.join(each)}")]
    line += ["--intervals", "0.9", "--together", "--about", "1000", "--account", shown.release.account]
    assert main(["release", "staff.csv", *line, "--release-id", shown.release.id]) == 0
    assert dpq.Release.from_json(capsys.readouterr().out) == again
    assert len(standing(dpq.account(shown.release.account)).entries) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHAPES)
def test_what_a_page_asked_is_a_plan_file_of_the_shell(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the account and the id of the page's answer it is that answer; without them it asks the same anew."""
    monkeypatch.chdir(tmp_path)
    Path("staff.csv").write_bytes(FILE)
    shown = SHAPES[kind].found(SHAPES[kind].drawn())
    Path("plan.json").write_text(as_plan(shown))
    line = ["release", "staff.csv", "--plan", "plan.json"]
    assert main([*line, "--account", shown.release.account, "--release-id", shown.release.id]) == 0
    assert dpq.Release.from_json(capsys.readouterr().out) == shown.release
    assert len(standing(dpq.account(shown.release.account)).entries) == 1
    assert main(line) == 0
    again = dpq.Release.from_json(capsys.readouterr().out)
    assert (again.question, again.guarantee) == (shown.release.question, shown.release.guarantee)
    assert again.mechanisms == shown.release.mechanisms
