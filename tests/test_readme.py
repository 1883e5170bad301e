"""README fits a screen, and what it and the pages behind it tell to type does what stands there."""

from __future__ import annotations

import ast
import os
import re
import shlex
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

import dpq_core as dpq
from dpq_core import Plan
from dpq_core.__main__ import main
from dpq_core.ledger import Ledger, standing, statement
from dpq_core.papers import figures as papers
from tests.conftest import without_children
from tests.documents import PAGES, ROOT, blocks, commands

MOST_LINES, MOST_WORDS = 60, 550


def test_it_fits_a_screen():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert len(text.split()) <= MOST_WORDS


def test_the_python_as_shown(tmp_path, monkeypatch):
    """Six tasks on a data frame; a release that is asked for again is the stored one, and is charged once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    people = "".join(f"{20_000 + 100 * (k % 500)},{'fm'[k % 2]}\n" for k in range(800))
    Path("people.csv").write_text(f"salary,sex\n{people}")
    keys = ("north,f", "north,m", "south,f", "south,m")
    visits = "".join(f"{k // 2},{k % 60},{k % 900},{20 + k % 40},{keys[k % 4]}\n" for k in range(800))
    Path("visits.csv").write_text(f"id,minutes,cost,age,ward,sex\n{visits}")
    (shown,) = blocks("README.md")
    names: dict[str, Any] = {}
    answers = []
    for line in ast.parse(shown).body:
        if isinstance(line, ast.Expr):
            answers.append(eval(compile(ast.Expression(line.value), "README.md", "eval"), names))
        else:
            exec(compile(ast.Module([line], []), "README.md", "exec"), names)
    median, table, several, intervals, unbounded, _ = answers
    assert len(median) == 1
    assert table["sex"].tolist() == ["f"] * 3 + ["m"] * 3
    pairs = [("north", "f"), ("north", "m"), ("south", "f"), ("south", "m")]
    assert {name: list(each) for name, each in several.values.items()} == dict.fromkeys(names["three"], pairs)
    assert several.guarantee.protects == "person"
    assert (intervals["low"] < intervals["high"]).all()
    assert len(unbounded.values["salary"]) == 1
    again = dpq.quantiles(names["people"], names["pay"], "median", epsilon=1, **names["once"])
    assert float(Path("answers.csv").read_text().splitlines()[1].split(",")[3]) == again.values["salary"][0]
    assert len(statement(standing(names["staff"])).lines) == 1


def test_the_commands_as_shown(tmp_path, monkeypatch):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    monkeypatch.chdir(tmp_path)
    plan = Plan(["1/2"])
    dashboard = f'{{"plan": {plan.to_json()}, "domain": {{"lower": "0", "upper": "99", "step": "1"}}}}'
    Path("plan.json").write_text(plan.to_json())
    Path("dashboard-plan.json").write_text(dashboard)
    Path("grid.json").write_text('{"mechanisms": ["aq"], "quantiles": [1], "n": [10], "trials": 2}')
    people = "id,age,salary,days,score,department,sex,hired\n1,31,30000,3,1.5,sales,f,2020-02-01\n"
    Path("people.csv").write_text(f"{people}2,47,42000,9,2.5,legal,m,2012-03-01\n")
    Path("ages.csv").write_text("age\n31\n47\n")
    Path("visits.csv").write_text("day\n2024-01-31\n2025-02-28\n")
    Path("survey.csv").write_text("income\n45,000.5\n-\n9999999\n")
    survey = pd.DataFrame({"income": [45000.5, 3.0], "region": ["North East", "London"]})
    pyreadstat.write_sav(survey, "survey.sav")
    Path("stays.csv").write_text("patient,ward,days\na,north,3\na,south,9\nb,north,1\n")
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    Ledger.from_environment().engine.dispose()
    seen = set()
    readme, *others = (commands(str(page)) for page in PAGES if page.stem != "deployment")
    for at, line in enumerate([*readme, *chain(*others)]):
        if at == len(readme):
            without_children(monkeypatch)
        command = shlex.split(line, comments=True)
        if command[0] == "make":
            assert command[1] in targets
            seen.add("make")
        elif command[1] == "papers":
            assert command[command.index("--figure") + 1] in papers.FIGURES
            seen.add("papers")
        elif command[1:3] == ["ledger", "restore"]:
            with monkeypatch.context() as where:
                where.setenv("DPQ_LEDGER_URL", "restored.sqlite")
                assert main(command[1:]) == 0, line
        elif command[1:3] == ["ledger", "rekey"]:
            Path("old-key").write_text(os.environ["DPQ_LEDGER_KEY"])
            monkeypatch.setenv("DPQ_LEDGER_KEY", "the key that is set from now on")
            assert main(command[1:]) == 0, line
        elif command[1] != "app":  # starts a server: tests/test_wheel.py
            assert main(command[1:]) == 0, line
            seen.add(command[1])
    assert seen == {"ledger", "make", "papers", "release", "report", "study"}
