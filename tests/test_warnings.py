"""A budget that promises little is said with every release and with every study, whatever the data are."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import Domain, FindBounds, Groups, Plan, PrivacyWarning, PureDP, RawSample, Sample, release, simulate
from dpq_core.__main__ import main

VALUES, GRID = np.arange(100.0), Domain(0, 99, 1)
MEDIAN = Plan(["1/2"], privacy=PureDP(8.0))
SEEDED: dict[str, Callable[[int | None], Any]] = {
    "a column": lambda seed: Sample.from_values(VALUES, GRID, seed=seed),
    "groups": lambda seed: Groups.from_values(VALUES, ["a", "b"] * 50, GRID, names=["a", "b"], seed=seed),
    "bounds to be found": lambda seed: RawSample.from_values(VALUES, FindBounds(), seed=seed),
}


@pytest.mark.parametrize(
    ("kind", "plan"),
    [
        *((kind, MEDIAN) for kind in SEEDED),
        ("a column", Plan(["1/2"], privacy=PureDP(8.0), intervals=0.9, about_n="noisy")),
    ],
    ids=[*SEEDED, "a number to be counted"],
)
def test_a_release_and_a_study_warn_of_a_large_budget(kind, plan):
    for found in (release(SEEDED[kind](None), plan), simulate(SEEDED[kind](0), plan, trials=2)):
        assert "ε = 8" in found.warnings[0]
        assert found.plan == plan


def test_the_command_tells_its_warnings_in_the_answer_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("plan.json").write_text(MEDIAN.to_json())
    Path("ages.csv").write_text("age\n" + "31\n47\n" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        assert main(["release", "plan.json", "ages.csv", "--column", "age", "--lower=0", "--upper=99", "--step=1"]) == 0
    assert "ε = 8" in json.loads(capsys.readouterr().out)["warnings"][0]
