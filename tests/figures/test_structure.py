"""Structures drawn: what is marked, what can be clicked, how much is sent, and that nothing that was not run shows."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dpq_core import Adjacency, Column, Domain, PureDP
from dpq_core.api import explain
from dpq_core.figures.structure.distribution import binned
from dpq_core.figures.structure.pictures import PLAIN, picture_of
from dpq_core.figures.structure.recursion import lineage, parents
from dpq_core.figures.structure.scene import Scene
from dpq_core.mechanisms.aq.rounds import AQStep
from dpq_core.mechanisms.registry import MECHANISMS
from tests.harness import Plan
from tests.narrowing import all_of, present

MOST_POINTS = 2000
MOST_LETTERS = 28
DOMAIN = Domain(0, 1000, 1)
VALUES = np.random.default_rng(5).integers(200, 800, size=20_000)
SAMPLE = Column.from_values(VALUES, DOMAIN, seed=0)
OPTIONS: dict[str, dict[str, Any]] = {"gkexp": {"n_max": 20_000}, "normal": {"sigma": 50.0, "mean_bound": 1000.0}}
KEYS = tuple(MECHANISMS)


@cache
def steps_of(key: str, count: int = 9) -> tuple[Any, ...]:
    levels = tuple(Fraction(k, count + 1) for k in range(1, count + 1))
    plan = Plan(levels, key, PureDP(4.0), Adjacency.REPLACE_ONE, OPTIONS.get(key, {}))
    steps = explain(SAMPLE, plan, 3).steps
    return steps[::-1] if key == "jointexp" else steps


def scene_of(steps: tuple[Any, ...], at: int = -1, **changed: Any) -> Scene[Any]:
    edges, counts = np.arange(200, 801, 10), np.histogram(VALUES, np.arange(200, 801, 10))[0]
    values = np.sort(VALUES)
    ranks = [float(np.searchsorted(values, step.value)) for step in steps]
    return replace(
        Scene(
            steps=steps, at=at % len(steps), targets=[float(values[int(step.target)]) for step in steps], ranks=ranks,
            truths=[float(values[int(step.level * SAMPLE.n)]) for step in steps],
            true_ranks=[int(step.level * SAMPLE.n) for step in steps], edges=edges.tolist(), counts=counts.tolist(),
            n=SAMPLE.n, bounds=(0.0, 1000.0), spread=1.0, axis="age (years)", one="person", many="people",
            colour="#4577c6", dated=False, read=lambda value: f"{value:g}",
        ), **changed,
    )  # fmt: skip


def clickable(figure: Any) -> set[int]:
    return {int(number[0]) for trace in figure.data if trace.customdata is not None for number in trace.customdata}


def points(figure: Any) -> int:
    return max(len(trace.x) for trace in figure.data)


def trace_named(figure: Any, name: str) -> Any:
    return next(trace for trace in figure.data if trace.name == name)


@pytest.mark.parametrize("key", KEYS)
def test_every_mechanism_has_a_picture_of_its_own(key: str) -> None:
    steps = steps_of(key)
    picture, scene = picture_of(steps[0]), scene_of(steps)
    assert picture is not PLAIN
    figure = picture.run(scene)
    assert clickable(figure) == set(range(len(steps)))
    drawn = trace_named(figure, "drawn")
    values = scene.ranks if key == "slice" else [step.value for step in steps]
    assert sorted(drawn.x) == sorted(values)
    beside = present(picture.step)(scene)
    assert points(beside) <= MOST_POINTS
    assert len(beside.layout.xaxis.title.text) <= MOST_LETTERS, "it runs out of a picture a third of the page wide"


@pytest.mark.parametrize("key", KEYS)
def test_the_true_quantile_of_the_selected_step_is_a_line_through_all_rows(key: str) -> None:
    steps = steps_of(key)
    for at in (0, 4, 8):
        scene = scene_of(steps, at=at)
        figure = picture_of(steps[0]).run(scene)
        (line,) = [shape for shape in figure.layout.shapes if shape.type == "line"]
        truth = scene.true_ranks[at] if key == "slice" else scene.truths[at]
        assert (line.x0, line.x1) == (truth, truth)
        assert (line.y0, line.y1, line.yref) == (0, 1, "y2 domain" if key == "aggtree" else "paper")
        low, high = figure.layout.xaxis.range
        assert low <= truth <= high
        assert trace_named(figure, "true quantile").line.dash == line.line.dash == "dash"


@pytest.mark.slow(keep="slice")
@pytest.mark.parametrize("key", ["aq", "indexp", "jointexp", "aggtree", "slice", "gkexp", "binhist"])
def test_two_hundred_steps_stay_few_points_around_the_selected_one(key: str) -> None:
    steps = steps_of(key, 40 if key == "slice" else 200)
    for at in (0, 3 * len(steps) // 4, len(steps) - 1):
        picture, scene = picture_of(steps[0]), scene_of(steps, at=at)
        figure = picture.run(scene)
        assert points(figure) <= MOST_POINTS
        assert points(present(picture.step)(scene)) <= MOST_POINTS
        assert at in clickable(figure)
        low, high = figure.layout.xaxis.range
        here = scene.ranks[at] if key == "slice" else steps[at].value
        assert low <= here <= high


def test_the_names_of_quantiles_in_one_round_do_not_overlap() -> None:
    plan = Plan([f"{k}/20" for k in range(1, 20)], "aq", options={"draws": "several"})
    steps = tuple(all_of(AQStep, explain(SAMPLE, plan, seed=1).steps))
    for at in (0, 4):
        figure = picture_of(steps[0]).run(scene_of(steps, at=at))
        low, high = figure.layout.xaxis.range
        names = [trace for trace in figure.data if getattr(trace, "mode", "") == "text" and "%" in str(trace.text)]
        placed = sorted((y, x) for trace in names for x, y in zip(trace.x, trace.y, strict=True))
        near = [(b[1] - a[1]) / (high - low) for a, b in pairwise(placed) if a[0] == b[0]]
        assert near
        assert min(near) > 0.1
        assert steps[at].value in [x for _, x in placed], "the selected one is named"


@pytest.mark.parametrize("draws", ["one", "several"])
def test_parts_lie_in_the_parts_that_made_them(draws: str) -> None:
    plan = Plan([f"{k}/36" for k in range(1, 36)], "aq", options={"draws": draws})
    steps = tuple(all_of(AQStep, explain(SAMPLE, plan, seed=1).steps))
    made_by = parents(steps)
    for number, parent in enumerate(made_by):
        if parent is None:
            assert steps[number].depth == 0
            continue
        assert steps[parent].depth == steps[number].depth - 1
        assert steps[parent].records[0] <= steps[number].records[0]
        assert steps[number].records[1] <= steps[parent].records[1]
        assert steps[parent].value in steps[number].bounds
    assert [steps[number].depth for number in lineage(made_by, 30)] == list(range(steps[30].depth + 1))
    parts = [(step.depth, step.records) for step in steps]
    assert (len(set(parts)) < len(parts)) is (draws == "several")


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_law_in_bars_keeps_its_mass_where_it_is() -> None:
    law = ((3.0, 3.0, 5.0, 5.0), (0.25, 0.25, 0.1, 0.4))
    starts, chances = binned(law, 9.0, 1.0, (3.0, 1.0))
    found = dict(zip(starts, chances, strict=True))
    assert sum(chances) == pytest.approx(1)
    assert found[3.0] == pytest.approx(0.25 + 0.125)
    assert found[4.0] == pytest.approx(0.125)
    assert {start for start in found if start > 4} == {5, 6, 7, 8, 9}
    assert found[5.0] == pytest.approx(0.1 + 0.4 / 5)
