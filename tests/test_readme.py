"""Every block of code in README does what stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from dpq_core import Plan, Sample
from dpq_core.__main__ import main
from dpq_core.ledger import Ledger
from dpq_core.papers import figures as papers

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(heading: str, language: str = "python") -> list[str]:
    """The blocks of code under a heading, up to the next one of its rank."""
    marks = heading.partition(" ")[0]
    (part,) = re.findall(rf"^{re.escape(heading)}\n(.*?)(?=^{marks} |\Z)", README, re.MULTILINE | re.DOTALL)
    return re.findall(rf"^```{language}\n(.*?)^```", part, re.MULTILINE | re.DOTALL)


@pytest.fixture
def trips(tmp_path, monkeypatch):
    """A folder of parts, as README has it."""
    monkeypatch.chdir(tmp_path)
    Path("trips").mkdir()
    for part in (1, 2):
        Path(f"trips/part-{part}.csv").write_text("minutes\n" + "20\n50\n80\n" * 200)
    return tmp_path / "trips"


def test_the_package_as_shown(trips):
    (shown,), (larger, _) = blocks("## The package"), blocks("## Data that does not fit")
    names: dict[str, Any] = {}
    exec(compile(shown, "README.md", "exec"), names)
    assert names["release"].guarantee.exact
    assert len(names["release"].values) == 3
    assert f"loss.epsilon  # {names['loss'].epsilon:.3f}" in shown
    exec(compile(larger, "README.md", "exec"), names)
    assert names["sketch"].n == names["sample"].n == 1_200
    assert len(names["release"].values) == 1


def test_the_cluster_as_shown(trips):
    distributed = pytest.importorskip("distributed")
    shown = blocks("## Data that does not fit")[1]
    for on_the_page, here in (
        ("Client(LocalCluster())", "Client(cluster)"),
        ("/shared/trips/", str(trips)),
        ("from distributed import Client, LocalCluster", "from distributed import Client"),
    ):
        assert on_the_page in shown
        shown = shown.replace(on_the_page, here)
    names: dict[str, Any] = {}
    exec(compile(blocks("## The package")[0], "README.md", "exec"), names)
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0", protocol="inproc") as names[
        "cluster"
    ]:
        exec(compile(shown, "README.md", "exec"), names)
        assert isinstance(names["sample"], Sample)
        assert names["sample"].n == names["sketch"].n == 1_200
        names["client"].close()


def test_the_commands_as_shown(tmp_path, monkeypatch):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    monkeypatch.chdir(tmp_path)
    plan = Plan(["1/2"])
    dashboard = f'{{"plan": {plan.to_json()}, "domain": {{"lower": "0", "upper": "99", "step": "1"}}}}'
    Path("plan.json").write_text(dashboard)
    Path("grid.json").write_text('{"mechanisms": ["aq"], "quantiles": [1], "n": [10], "trials": 2}')
    Path("people.csv").write_text("name,age\na,31\nb,47\n")
    Path("ages.csv").write_text("age\n31\n47\n")
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    Ledger.from_environment().engine.dispose()
    seen = set()
    for line in re.findall(r"^(?:make|python -m) .*", README, re.MULTILINE):
        command = shlex.split(line, comments=True)
        if command[0] == "make":
            assert command[1] in targets
            seen.add("make")
        elif command[3] == "papers":
            assert command[command.index("--figure") + 1] in papers.FIGURES
            seen.add("papers")
        else:
            assert main(command[3:]) == 0
            seen.add(command[3])
    assert seen == {"ledger", "make", "papers", "release", "study"}


def test_every_row_about_attempts_names_tests_that_exist():
    (rows,) = re.findall(r"^\| Who tries what .*\n\| --- .*\n((?:\|.*\n)+)", README, re.MULTILINE)
    for row in rows.splitlines():
        named = re.findall(r"`([^`]*\btest_[^`]*)`", row)
        assert named, row
        for name in named:
            file, _, function = name.partition("::")
            assert (ROOT / file).is_file(), name
            assert not function or f"\ndef {function}(" in (ROOT / file).read_text(encoding="utf-8"), name
