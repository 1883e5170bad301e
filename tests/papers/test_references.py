"""Lines of other projects beside ours: drawn where their packages are, and as what they are."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.papers import figures as papers
from dpq_core.papers import make as papers_make
from dpq_core.papers.computations import references
from dpq_core.papers.computations.kss import PURE, drawn_curve
from dpq_core.papers.figures import FIGURES
from dpq_core.papers.store import load
from dpq_core.papers.tasks import published_aq
from dpq_core.studies.engine import Samples
from dpq_core.studies.grid import even_levels
from tests.narrowing import present
from tests.papers.stored import stored_result

CONFIGURATION = replace(drawn_curve("indexp", PURE, "uniform", True).configuration(3), trials=8, data_sets=4)


class Lowest:
    """Answers the lower bound, whatever is asked."""

    def __init__(self, lower: float, upper: float, height: int, branches: int) -> None:
        self.lower, self.added = lower, 0
        assert (lower, upper, height, branches) == (-100, 100, 4, 16)

    def add_entry(self, value: float) -> None:
        assert -5 <= value <= 5
        self.added += 1

    def compute_quantiles(
        self, epsilon: float, delta: float, partitions: int, each: int, levels: list[float], noise: str
    ) -> list[float]:
        assert (epsilon, delta, partitions, each, noise) == (1.0, 0.0, 1, 1, "laplace")
        assert (self.added, levels) == (1000, [0.25, 0.5, 0.75])
        return [self.lower] * len(levels)


def test_the_tree_gets_every_record_once_and_one_record_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pydp", "pydp.algorithms"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "pydp.algorithms.quantile_tree", SimpleNamespace(QuantileTree=Lowest))
    (point,) = references.quantile_tree_error("p", CONFIGURATION, Samples())
    assert point == ("p", "pydp", 3, 500, 500, 500, 8)


def test_without_its_package_a_line_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pydp", None)
    assert list(references.quantile_tree_error("p", CONFIGURATION, Samples())) == []
    without = replace(FIGURES["bspace-figure-5"], packages=("no-such-package", "numpy"))
    monkeypatch.setitem(papers.FIGURES, "bspace-figure-5", without)
    papers_make.make("bspace-figure-5", True, tmp_path)
    assert present(load("bspace-figure-5", tmp_path)).packages.keys() == {"numpy"}


def test_a_stored_line_has_its_package_and_version() -> None:
    stored = stored_result("better")
    assert {point.curve for point in stored.points} >= {"pydp", "dpsynth"}
    assert stored.packages.keys() == {references.PYDP}
    assert all(stored.packages.values())


@pytest.mark.parametrize("m", references.BISECTED)
def test_bisection_is_all_halves_with_equal_parts_of_the_budget(m: int) -> None:
    found = published_aq(Plan(even_levels(m), "aq", PureDP(1.0), Adjacency.ADD_REMOVE))
    rounds, root = found.rounds, present(found.root)
    assert len(rounds) == (m + 1).bit_length() - 1
    nodes = [root]
    while nodes:
        node = nodes.pop()
        assert float(node.level) == 0.5
        assert float(node.rate) == pytest.approx(1 / len(rounds))
        nodes += [child for child in node.children if child is not None]
