"""One voice: the table in docs/words.md names a thing as the glossary, the pages, Python, the shell and files do."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import dpq_core as dpq
from dpq_core.__main__ import main
from pages.frame.header import glossary
from pages.settings.table import SETTINGS
from tests.documents import text_of

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
    "step of a run": ("run_step",), "synthetic column": ("size",), "one person": ("person",), "what counts": ("take",),
    "for each group": ("each",), "list of groups": ("group_names",), "groups of one person": ("groups_each",),
    "coarseness": ("alpha",), "most records": ("n_max",),
}  # fmt: skip
"""The settings of the pages that ask for a word."""


def test_every_word_is_one_of_the_glossary_and_in_the_table_once() -> None:
    words = [row[0] for row in ROWS]
    assert 35 <= len(words) <= 45
    assert len(words) == len(set(words))
    assert set(words) <= set(glossary())
    assert set(SETTINGS_OF) <= set(words)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_word_has_the_label_of_its_page(row: list[str]) -> None:
    assert row[1] == ", ".join(SETTINGS[name].label for name in SETTINGS_OF.get(row[0], ()))


@pytest.mark.parametrize("name", [name for row in ROWS for name in CELL.findall(row[2])])
def test_a_name_of_python_is_there(name: str) -> None:
    path, _, argument = name.removesuffix("=)").partition("(")
    dotted, _, item = path.partition("[")
    found: Any = dpq
    for part in dotted.split(".")[1:]:
        found = getattr(found, part)
    assert dotted.split(".")[1] in dpq.__all__
    if item:
        assert item.strip('"]') in found
    if argument:
        assert argument in inspect.signature(found).parameters


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


def test_the_names_in_files_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ages.csv").write_text("age\n" + "31\n47\n" * 100)
    line = "release ages.csv --column age=0:120:1 --quantiles median --epsilon 1 --mechanism binhist --intervals 0.95"
    assert main(shlex.split(f"{line} --about 200")) == 0
    found = keys_of(json.loads(capsys.readouterr().out))
    sample = dpq.Sample.from_values([31, 47] * 100, dpq.Domain(0, 120, 1))
    study = dpq.simulate(sample, dpq.Plan("median", "binhist", epsilon=1), trials=2)
    found |= {*study.to_frame(), *study.summary()}
    names = {name for row in ROWS for name in CELL.findall(row[4])}
    assert len(names) >= 15
    assert names - found == set()


def keys_of(value: Any) -> set[str]:
    """Every key of an answer as JSON has it, at any depth."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return set(value).union(*map(keys_of, value.values())) if isinstance(value, dict) else set()
