"""The papers' figures: stored numbers, thin slices of them made again, and what the verdicts make of numbers."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isfinite, isnan, nan
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from dpq_core import Adjacency, ApproxDP, ParameterError, Plan, PureDP
from dpq_core.__main__ import WRONG_WORDS, main
from dpq_core.mechanisms.aq.recursion import claim
from dpq_core.papers import figures as papers
from dpq_core.papers import make as papers_make
from dpq_core.papers import verdicts as papers_verdicts
from dpq_core.papers.computations import free_total
from dpq_core.papers.computations.kss import PURE, drawn_curve
from dpq_core.papers.data import UNSCALED_PANEL, random_levels
from dpq_core.papers.figures import CURVES, FIGURES, FOLDER, FigureVerdict, Point, Result, Word, load, save
from dpq_core.papers.make import WORK
from dpq_core.papers.tasks import published_aq
from dpq_core.studies.design import even_levels
from dpq_core.studies.engine import Columns
from tests.narrowing import present
from tests.papers.stored import stored_result

SLICES = [
    ("better", "aq-default", 20), ("better", "dpsynth", 15), ("better", "aq-published", 20),
    ("kss-figure-4", "indexp-delta", 30), ("kss-figure-4", "aggtree-printed", 5), ("kss-figure-4", "jointexp", 9),
    ("kss-figure-4", "aq", 44), ("kss-figure-6", "aq", 60), ("kss-theorems", "aq", 20), ("slice-figure-1", "slice", 10),
    ("slice-figure-1", "slice", 30), ("bspace-figure-3", "gkexp", 100_000), ("bspace-figure-9", "gkexp", 1.0),
]  # fmt: skip
"""Figure, curve and x of a stored point on the first panel."""


def test_every_figure_is_stored_at_full_size_and_small() -> None:
    results = [load(key) for key in papers.FIGURES]
    found = [result for result in results if result is not None]
    assert [key for key, result in zip(papers.FIGURES, results, strict=True) if result is None] == []
    assert all(not result.quick and result.date and result.version for result in found)
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 1_000_000
    curves = {point.curve for result in found for point in result.points}
    assert curves <= set(CURVES)


@pytest.mark.parametrize("figure", ["kss-figure-4", "kss-figure-6", "slice-figure-1"])
def test_every_point_of_a_curve_is_stored(figure: str) -> None:
    stored = {point[:3] for point in stored_result(figure).points}
    places = {(task.panel, task.curve, task.x) for task in WORK[figure].tasks(False)}
    missing = {curve for _, curve, _ in places - stored}
    # Wide as printed, slices find no room between the closest of 20 or more random levels.
    assert missing <= {"slice-printed"}


@pytest.mark.slow(keep="slice-figure-1-slice-10")
@pytest.mark.parametrize(("figure", "curve", "x"), SLICES)
def test_a_thin_slice_comes_out_as_it_is_stored(figure: str, curve: str, x: float) -> None:
    task = next(task for task in WORK[figure].tasks(False) if (task.curve, task.x) == (curve, x))
    for made in task.run():
        stored = next(point for point in stored_result(figure).points if point[:3] == made[:3])
        # The seeds are the same, so the numbers are; a change of a mechanism may move them within their errors.
        near = stored.high - stored.low if isfinite(stored.high) else 1e-3 * stored.y
        assert made.y == pytest.approx(stored.y, abs=near)
        assert made.trials == stored.trials


def test_what_is_not_drawn_comes_out_exactly() -> None:
    stored = stored_result("bspace-figure-5").points
    for task in list(WORK["bspace-figure-5"].tasks(False))[:3]:
        assert all(point in stored for point in task.run())
    for key, placed in (("kss-figure-3", True), ("kss-table-1", False)):
        made = [point for task in WORK[key].tasks(False) for point in task.run()]
        here = {point.panel for point in made}  # not all data sets are
        kept = [point for point in stored_result(key).points if point.panel in here]
        assert [point[:2] for point in made] == [point[:2] for point in kept]
        ours, theirs = (
            [each for point in points for each in (point.x * placed, point.y)] for points in (made, kept)
        )  # in a table x only orders its rows
        assert ours == pytest.approx(theirs, rel=1e-3)
    counts = stored_result("kss-table-1").points
    assert papers_verdicts.table_1(counts)[:2] == (Word.AGREES, 8)
    without_books = tuple(point for point in counts if "Goodreads" not in point.panel)
    assert papers_verdicts.table_1(without_books)[:2] == (Word.AGREES, 6)
    wrong = tuple(point._replace(y=point.y + (point.curve == "distinct")) for point in counts)
    assert papers_verdicts.table_1(wrong)[:2] == (Word.DIFFERS, 6)


def test_a_figure_is_stored_as_it_is_computed(tmp_path: Path) -> None:
    shares: list[float] = []
    papers_make.make("bspace-figure-9", True, tmp_path, shares.append)
    stored = stored_result("bspace-figure-9", tmp_path)
    heights = {point[:3]: point.y for _, found in papers_make.steps("bspace-figure-9", True) for point in found}
    assert {point[:3]: point.y for point in stored.points} == pytest.approx(heights, rel=1e-3)
    assert stored.quick
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_results_survive_their_file(tmp_path: Path) -> None:
    points = (Point("a", "aq", 1, 1 / 3, nan, 2.0, 5), Point("b", "aq", 2, 0.0))
    said = FigureVerdict(Word.DIFFERS, 1 / 3, "It is a third. By design.")
    save(Result(figure="better", points=points, verdict=said, seed=1, date="2026-01-01"), tmp_path)
    back = stored_result("better", tmp_path)
    assert back.points[0].y == 0.3333
    assert isnan(back.points[0].low)
    assert back.verdict == said._replace(ours=0.3333)
    assert (back.points[1].trials, back.date, back.seed, back.packages) == (0, "2026-01-01", 1, {})
    assert load("kss-table-1", tmp_path) is None
    (tmp_path / "paper_better.json").write_text(json.dumps({"format": 0, "curves": []}))
    with pytest.raises(ParameterError, match="another format"):
        stored_result("better", tmp_path)


@pytest.mark.parametrize("m", [1, 2, 5, 20, 31])
def test_aq_as_published_costs_no_more_than_its_budget(m: int) -> None:
    plan = Plan(even_levels(m), "aq", PureDP(1.0), Adjacency.ADD_REMOVE)
    spent = claim(published_aq(plan).root, Adjacency.ADD_REMOVE, False, squared=False)
    assert Fraction(9, 10) * m.bit_length() / (m.bit_length() + 1) < spent <= 1
    with pytest.raises(ParameterError, match="pure or concentrated"):
        published_aq(Plan(even_levels(m), "aq", ApproxDP(1.0, 1e-6), Adjacency.ADD_REMOVE))


def test_random_levels_are_distinct_and_repeatable() -> None:
    levels = random_levels(200, 3)
    assert len(set(levels)) == 200
    assert all(0 < level < 1 and (level * 251).denominator == 1 for level in levels)
    assert levels == random_levels(200, 3) != random_levels(200, 4)


def points(curves: Mapping[str, float], x: float, panel: str = "p") -> tuple[Point, ...]:
    return tuple(Point(panel, curve, x, y) for curve, y in curves.items())


CHANGED: dict[str, list[tuple[Callable[[Point], bool], float, Word]]] = {
    "better": [(lambda p: p.curve in free_total.PUBLISHED, 0.5, Word.DIFFERS)],
    **{
        key: [(lambda p: p.curve in free_total.PUBLISHED, 0.1, Word.DIFFERS)]
        for key in ("free-total", "free-total-rho")
    },
    "free-total-replaced": [(lambda p: p.curve in free_total.PUBLISHED, 10, Word.BETTER)],
    "kss-table-1": [(lambda p: p.curve == "distinct", 2, Word.DIFFERS)],
    "kss-figure-1": [(lambda p: True, 3, Word.DIFFERS)],
    "kss-figure-4": [(lambda p: p.curve == "aq-published", 0.1, Word.AGREES)],
    "kss-figure-6": [(lambda p: p.curve == "aq-published", 0.1, Word.AGREES)],
    "kss-figure-8": [
        (lambda p: p.curve == "aq-published", 0.001, Word.AGREES),
        (lambda p: p.curve == "aggtree-printed", 100, Word.DIFFERS),  # the other two are claimed as well
    ],
    "kss-theorems": [(lambda p: p.curve == "aq", 20, Word.DIFFERS)],
    "slice-figure-1": [(lambda p: p.curve == "slice", 2, Word.DIFFERS)],
    "slice-table-1": [(lambda p: True, 200, Word.DIFFERS), (lambda p: p.x == 32, 1.3e7 / 157_159, Word.AGREES)],
    "bspace-figure-1": [(lambda p: p.curve == "truth", 1.5, Word.DIFFERS)],
    "bspace-figure-3": [(lambda p: p.curve == "gkexp", 0.2, Word.AGREES)],
    "bspace-table-1": [(lambda p: True, 0.5, Word.DIFFERS)],
    "bspace-table-2": [(lambda p: p.curve == "saving-fine", 0.05, Word.DIFFERS)],
}
"""Which stored numbers to multiply, by how much, and what is then to be said."""
AS_STORED = ("bspace-figure-2", "bspace-figure-5")
"""Their sentences name numbers in the order in which they are stored, the others by x."""


def test_every_claim_has_a_change_that_turns_its_verdict() -> None:
    assert set(CHANGED) == {key for key, figure in papers.FIGURES.items() if figure.claim}


@pytest.mark.parametrize("key", papers.FIGURES)
def test_verdict_and_reason_follow_the_numbers(key: str) -> None:
    judge, stored = WORK[key].judge, stored_result(key)
    said = judge(stored.points)
    kept = stored.verdict
    assert key in AS_STORED or judge(stored.points[::-1]) == said
    assert kept._replace(ours=None) == said._replace(ours=None), "a verdict is stored as its points give it"
    assert kept.ours == (None if said.ours is None else pytest.approx(said.ours, rel=1e-3))
    for chosen, factor, word in CHANGED.get(key, []):
        changed = [p._replace(y=p.y * factor, low=p.low * factor) if chosen(p) else p for p in stored.points]
        other = judge(tuple(changed))
        assert other.word is word
        assert other.sentence != said.sentence


def test_a_reason_stands_only_with_the_numbers_that_it_explains() -> None:
    def judged(**changes: float) -> FigureVerdict:
        errors = {"aq-published": 8, "jointexp": 9, "indexp": 9, "indexp-delta": 9, "aggtree-printed": 9}
        return papers_verdicts.pure_errors(points(errors | changes, 60))

    tree = {"aggtree-printed": 4.0}

    def explained(verdict: FigureVerdict) -> tuple[Word, bool]:
        return verdict.word, verdict.sentence.endswith(papers.FIGURES["kss-figure-4"].reason)

    assert explained(judged()) == (Word.AGREES, False)
    assert explained(judged(jointexp=4.0)) == (Word.DIFFERS, False)
    assert explained(judged(**tree)) == (Word.DIFFERS, True)
    errors: dict[str, float] = {"aq-published": 1, "jointexp": 9, "indexp": 9, "aggtree-printed": 3}
    assert explained(papers_verdicts.concentrated_errors(points(errors, 60))) == (Word.DIFFERS, True)
    errors |= {"jointexp": 3, "aggtree-printed": 9}
    assert explained(papers_verdicts.concentrated_errors(points(errors, 60))) == (Word.DIFFERS, False)
    noisy = points({"gkexp": 0.1, "gkexp-broken": 0.05}, 400_000)
    assert explained(papers_verdicts.fine_sketch(noisy)) == (Word.DIFFERS, False)


def test_pages_that_are_not_divided_are_shown_and_not_judged() -> None:
    stored = stored_result("kss-figure-4")
    beyond = [point for point in stored.points if point.panel == UNSCALED_PANEL]
    assert {point.curve for point in beyond} == {point.curve for point in stored.points}
    worse = tuple(p._replace(y=1e6) if p in beyond and p.curve == "aq-published" else p for p in stored.points)
    assert papers_verdicts.pure_errors(worse) == papers_verdicts.pure_errors(stored.points)


of_free_total = WORK["free-total"].judge


def test_the_free_total_is_judged_by_the_mean_over_the_data_sets() -> None:
    errors: dict[str, float] = dict.fromkeys(free_total.PUBLISHED, 10)
    half = points({**errors, "freetotal": 5, "aq-default": 9}, 20, "p")
    same = points({**errors, "freetotal": 12, "aq-default": 9}, 20, "q")
    assert of_free_total(half + same)[:2] == (Word.BETTER, 0.7)
    assert of_free_total(points({**errors, "aq-default": 10.5}, 20)).word is Word.AGREES
    worse = points({**errors, "aq-default": 12}, 120, "p")
    assert of_free_total(half + worse).word is Word.DIFFERS
    assert "errs 0.70 times as much as the best published one for 20" in of_free_total(half + same).sentence


def test_right_answers_about_eight_numbers() -> None:
    made = tuple(point for _, found in papers_make.steps("bspace-figure-1") for point in found)
    assert [point[:4] for point in made] == [point[:4] for point in stored_result("bspace-figure-1").points]
    bars = {point.x: (point.low, point.high) for point in made if point.curve == "truth"}
    assert bars[1 / 2] == (2.0, 5.0)
    assert all(low <= point.y <= high for point in made for low, high in [bars[point.x]])
    assert papers_verdicts.example(made)[:2] == (Word.AGREES, 2)
    worse = tuple(point._replace(low=1.0) if point.curve == "truth" else point for point in made)
    assert papers_verdicts.example(worse).word is Word.DIFFERS


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "make", "bspace-figure-5", "--quick", "--out", str(tmp_path)]) == 0
    assert stored_result("bspace-figure-5", tmp_path).quick
    assert "no number printed" in capsys.readouterr().err
    assert main(["papers", "make", "none"]) == WRONG_WORDS
    assert "`figure` must be one of better" in capsys.readouterr().err


# ── lines of other projects beside ours ──────────────────────────────────────────────────────────────────────────────

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
    (point,) = free_total.quantile_tree_error("p", CONFIGURATION, Columns())
    assert point == ("p", "pydp", 3, 500, 500, 500, 8)


def test_without_its_package_a_line_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pydp", None)
    assert list(free_total.quantile_tree_error("p", CONFIGURATION, Columns())) == []
    without = replace(FIGURES["bspace-figure-5"], packages=("no-such-package", "numpy"))
    monkeypatch.setitem(papers.FIGURES, "bspace-figure-5", without)
    papers_make.make("bspace-figure-5", True, tmp_path)
    assert present(load("bspace-figure-5", tmp_path)).packages.keys() == {"numpy"}


def test_a_stored_line_has_its_package_and_version() -> None:
    stored = stored_result("better")
    assert {point.curve for point in stored.points} >= {"pydp", "dpsynth"}
    assert stored.packages.keys() == {free_total.PYDP}
    assert all(stored.packages.values())


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("m", free_total.BISECTED)
def test_bisection_is_all_halves_with_equal_parts_of_the_budget(m: int) -> None:
    found = published_aq(Plan(even_levels(m), "aq", PureDP(1.0), Adjacency.ADD_REMOVE))
    rounds, root = found.rounds, found.root
    assert len(rounds) == (m + 1).bit_length() - 1
    nodes = [root]
    while nodes:
        node = nodes.pop()
        assert float(node.level) == 0.5
        assert float(node.rate) == pytest.approx(1 / len(rounds))
        nodes += [child for child in node.children if child is not None]
