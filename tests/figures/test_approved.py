"""Each figure on small inputs, whole, beside the files that a person has read; see tests/approved.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from dpq_core import Adjacency, Column, Domain, PureDP
from dpq_core.api import explain
from dpq_core.figures import axes, distributions, lessons, papers, quantiles, rows
from dpq_core.figures.axes import axis_of
from dpq_core.figures.frame import shown, with_larger_texts
from dpq_core.figures.lessons import draw_answers, draw_average, draw_halves, draw_interval_chances, draw_shares
from dpq_core.figures.papers import PanelCurve, draw_panel
from dpq_core.figures.stream import draw_growth
from dpq_core.figures.structure.pictures import picture_of
from dpq_core.figures.structure.scene import Scene
from dpq_core.figures.studies import draw_leaderboard, draw_sweep
from dpq_core.mechanisms.base import TraceStep
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.studies.engine import Row
from dpq_core.studies.streams import Errors, Snapshot
from tests.approved import as_data, check_approved
from tests.harness import Plan

APPROVED = Path(__file__).parent / "approved"
LEVELS, TRUE, PRIVATE = [0.25, 0.5, 0.75], [20.0, 38.0, 51.0], [22.0, 38.0, 47.0]
ENDS = ([18.0, 36.0, 44.0], [25.0, 40.0, 52.0])
CDF = ([17.0, 20.0, 38.0, 51.0, 90.0], [0.005, 0.25, 0.5, 0.75, 1.0])
MANY = [k / 25 for k in range(1, 25)]
CURVE = [100 * level for level in MANY]
BOUNDS = (0.0, 120.0)
PEOPLE: dict[str, Any] = {"axis": "age <years>", "many": "people"}
NAMES = ("without 3", "with 3")
EVIL = '<script>alert("x")</script>'


def cloud_of(levels: list[float], runs: int = 4, dated: bool = False, **changed: Any) -> Any:
    rows: list[Any] = [[100 * level + 0.4 * run for level in levels] for run in range(runs)]
    if dated:
        rows = [[f"2024-01-{1 + run % 28:02d}" for _ in levels] for run in range(runs)]
    words = [[str(value)[:6] for value in row] for row in rows]
    ends = changed.pop("ends", (rows[0], rows[-1]))
    return quantiles.draw_cloud(levels, rows[0], ends, rows, words, **(PEOPLE | changed))


def row_of(mechanism: str, mean: float, **changed: Any) -> Row:
    errors = {
        f"{name}_error{end}": mean * times * factor
        for name, factor in (("mean", 1), ("max", 3))
        for end, times in (("", 1), ("_low", 0.5), ("_high", 2), ("_median", 0.9), ("_se", 0.1))
    }
    given: dict[str, Any] = {
        "configuration": 0, "mechanism": mechanism, "label": f"Its long name ({mechanism.upper()})", "options": "{}",
        "budget": "ε = 1", "epsilon": 1.0, "delta": 0.0, "rho": nan, "adjacency": "add_remove", "m": 3, "quantiles": "",
        "data": "uniform", "n": 100, "lower": 0.0, "upper": 100.0, "step": 1.0, "domain_cells": 101, "trials": 20,
        "data_sets": 1, "seed": 0, "data_seed": 1, "noise_seed": 2, "supported": True, "why_not": "",
    }  # fmt: skip
    return Row(**(given | errors | changed))


def snapshot(n: int, *, sketch_error: float = 3.0, full: float = 2.0) -> Snapshot:
    return Snapshot(
        n=n, points=10, sketch_bytes=240, full_bytes=8 * n, bound=n / 100, sketch_error=sketch_error,
        gk=Errors(20.0, 0.0, 50.0), full=Errors(full, full / 2, 2 * full), exact=True, true_values=(),
        sketch_values=(), gk_values=(), full_values=(),
    )  # fmt: skip


def panel(*lines: PanelCurve, **changes: Any) -> Any:
    usual: dict[str, Any] = {"title": "Ages <b>", "x": "m", "y": "error", "log_x": True, "log_y": False}
    return draw_panel(lines, **(usual | {"x_range": (0.0, 2.0), "y_range": (-1.0, 9.0)} | changes))


def curve(look: str, mechanism: str = "aq", **changed: Any) -> PanelCurve:
    return replace(
        PanelCurve(name=f"<{look}>", mechanism=mechanism, look=look, xs=[1, 10, 100], ys=[2, 4, 8]), **changed
    )


ROWS = [
    rows.Row("a <b>", (8.0, 10.0, 20.0, 30.0, 33.0), (10.0, 30.0), 20.0, "20", (15.0, 26.0), 21.0),
    rows.Row("x" * 60, (5.0,), (5.0, 5.0), 5.0, "5"),
    rows.Row("tiny", (-40.0, 7.0, 60.0), (-40.0, 60.0), 7.0, "7", faint=True),
]
DATED = rows.Row("a", ("2024-01-01", "2024-02-01", "2024-03-01"), ("2024-01-01", "2024-03-01"), "2024-02-01", "x")
ALONE = rows.Panel([replace(ROWS[0], name="")], "age (years)")
STEPS = [snapshot(1000), snapshot(2000, sketch_error=0.0), snapshot(4000, full=nan)]
BOARD = [
    row_of("aq", 4.0, bound=40.0, bound_source="theorem <1>"), row_of("indexp", 0.0, failed=2),
    row_of("slice", 9.0, supported=False), row_of("jointexp", 3.0),
]  # fmt: skip
LABELS = "Its long name (AQ)", "Its long name (INDEXP)"
SWEEP = [
    (x, row_of(key, factor * 10 / x, bound=bound))
    for x in (1.0, 0.1, 10.0)
    for key, factor, bound in (("indexp", 2, nan), ("aq", 1, 50.0 if x < 5 else nan), ("other", 0, nan))
]
WIDER = [(x, replace(row_of(key, 5 * x), label=f"{key} {at}")) for at, key in enumerate(MECHANISMS) for x in (1.0, 2.0)]


def board(rows: list[Row]) -> go.Figure:
    return draw_leaderboard(rows, many="people")


def sweep(points: Any, **how: Any) -> go.Figure:
    return draw_sweep(points, **({"measure": "mean", "axis": "ε <1>", "many": "people"} | how))


def law(*chances: float) -> list[float]:
    return [chance / sum(chances) for chance in chances]


LAWS = law(1, 2, 4, 2, 1), law(2, 4, 2, 1, 1)
PEOPLE_AGES = [20, 30, 30, 41, 41, 41]

FIGURES: dict[str, Callable[[], Any]] = {
    "quantiles distribution": lambda: quantiles.draw_distribution(LEVELS, TRUE, PRIVATE, CDF, **PEOPLE, intervals=ENDS),
    "quantiles distribution live": lambda: quantiles.draw_distribution(
        LEVELS, TRUE, PRIVATE, CDF, **PEOPLE, scale=[0, 9]
    ),
    "quantiles distribution many": lambda: quantiles.draw_distribution(
        MANY, CURVE, CURVE, CDF, **PEOPLE, intervals=(CURVE, CURVE)
    ),
    "quantiles distribution wide": lambda: quantiles.draw_distribution(
        LEVELS, [-3.0, 40.0, 9e6], PRIVATE, CDF, **PEOPLE, wide=True, intervals=ENDS
    ),
    "quantiles errors": lambda: quantiles.draw_rank_errors(
        LEVELS, [2, 0, -9], [-10, -3, -12], [10, 3, 4], many="people", reach=20
    ),
    "quantiles errors live": lambda: quantiles.draw_rank_errors([0.5], [3], [-4], [9], many="people", reach=50),
    "quantiles errors many": lambda: quantiles.draw_rank_errors(MANY, CURVE, CURVE, CURVE, many="people", reach=100),
    "quantiles release": lambda: quantiles.draw_release(LEVELS, PRIVATE, bounds=BOUNDS, **PEOPLE, intervals=ENDS),
    "quantiles release of one": lambda: quantiles.draw_release([0.5], [38.0], bounds=BOUNDS, **PEOPLE),
    "quantiles release many": lambda: quantiles.draw_release(MANY, CURVE, bounds=BOUNDS, **PEOPLE),
    "quantiles release wide": lambda: quantiles.draw_release(
        LEVELS, [30.0, 2500.0, 1.8e5], bounds=(-1e15, 1e15), **PEOPLE, wide=True
    ),
    "quantiles release of dates": lambda: quantiles.draw_release(
        [0.5], ["2024-01-31"], bounds=("2020-01-01", "2030-12-31"), **PEOPLE
    ),
    "cloud strokes": lambda: cloud_of(LEVELS),
    "cloud wide": lambda: cloud_of(LEVELS, wide=True, ends=([-2, 5.0, 7], [2, 90, 5e6])),
    "cloud of dates": lambda: cloud_of([0.5], dated=True), "cloud curves": lambda: cloud_of(MANY, 3),
    "groups": lambda: rows.draw_rows([rows.Panel(ROWS, "pay")]),
    "groups wide": lambda: rows.draw_rows([rows.Panel(ROWS[:1], "pay", wide=True)], band="band"),
    "groups of noise": lambda: rows.draw_rows([rows.Panel(ROWS[2:], "pay", wide=True)]),
    "groups of dates": lambda: rows.draw_rows([rows.Panel([DATED], "day")]),
    "groups of nothing": lambda: rows.draw_rows([]),
    "groups of columns": lambda: rows.draw_rows([ALONE, rows.Panel(ROWS, "pay"), replace(ALONE, axis="<hours>")]),
    "board": lambda: board(BOARD),
    "board with a limit": lambda: draw_leaderboard(BOARD, many="people", chosen=LABELS[0], limit=0.5),
    "board of none": lambda: board(BOARD[2:3]),
    "sweep": lambda: sweep(SWEEP, best=LABELS[0], chosen=LABELS[1], here=1.0, limits=[(0.1, 3.0), (1.0, 0.01)]),
    "sweep of the worst": lambda: sweep([(1.0, row_of("slice", 1, supported=False)), *SWEEP], measure="max"),
    "sweep of many": lambda: sweep(WIDER), "stream": lambda: draw_growth(STEPS, "people"),
    "stream of one look": lambda: draw_growth(STEPS[:1], "people"),
    "laws": lambda: distributions.draw_distributions(
        [0.0, 1, 2], [law(5, 3, 2), law(1, 0, 1)], [law(2, 3, 5), law(1, 1, 1)], NAMES, axis="x", rows=["25 %", "75 %"]
    ),
    "laws of one": lambda: distributions.draw_distributions([4.0], [[1.0]], [[0.9]], NAMES, axis="answer"),
    "laws far apart": lambda: distributions.draw_distributions(
        [0.0, 2.0], [[1.0, 1e-7]], [[1.0, 1e-12]], NAMES, axis="answer"
    ),
    "log ratios": lambda: distributions.draw_log_ratios(
        [0.0, 1, 2], [0.1, -1.4, inf], 1, 1.0, list("abc"), axis="answer", limit="bound"
    ),
    "log ratios without a claim": lambda: distributions.draw_log_ratios(
        [0.0, 4], [0.1, -inf], None, inf, list("ab"), axis="x"
    ),
    "log ratios of many": lambda: distributions.draw_log_ratios(
        list(range(61)), [0.01 * x for x in range(61)], 0, 1.0, list(map(str, range(61))), axis="x"
    ),
    "divergences": lambda: distributions.draw_divergences([1.01, 2, 10], [0.1, 0.3, 0.2], 0.15),
    "losses": lambda: distributions.draw_losses_by_size([3, 7], [0.3, 2.0], [0.1, 0.1], 1.0, of="people"),
    "panel": lambda: panel(
        curve("here", lows=[1, nan, 7], highs=[3, nan, 8]), curve("printed", "", fresh=True), curve("bound"),
        curve("also", lows=[nan] * 3, highs=[nan] * 3), legend=True,
    ),
    "panel of many points": lambda: panel(
        curve("proved", xs=range(1, 41), ys=range(40), lows=[0] * 40, highs=[50] * 40), log_y=True, y_range=(0.0, 2.0)
    ),
    "panel of steps": lambda: panel(curve("broken"), shape="steps", log_x=False, x_range=None),
    "panel of marks": lambda: panel(curve("broken", xs=range(14), ys=range(14)), shape="marks", log_x=False),
    "chart ends": lambda: [
        axis_of(each, BOUNDS, str, least=0.1, wide=True) for each in ([], [37.0] * 2, [20.0, 40.0], [1.0, 100.0])
    ],
    "chart of days": lambda: axis_of([1.0, 9.0], BOUNDS, "day {:g}".format),
    "people": lambda: lessons.draw_people(PEOPLE_AGES, 35, None),
    "people with the truth": lambda: lessons.draw_people(PEOPLE_AGES, 30, 41, [90, 90], places=(" (2)", " (3)")),
    "newcomer": lambda: lessons.draw_newcomer(PEOPLE_AGES, 30, (30, 41), None),
    "newcomer with laws": lambda: lessons.draw_newcomer(PEOPLE_AGES, 30, (30, 41), LAWS),
    "interval chances": lambda: draw_interval_chances([1, 3, 3], LAWS[0], [], 3, many="answers"),
    "interval chances of draws": lambda: draw_interval_chances([1, 3], LAWS[0], [2, 2, 2, 4], 3, many="answers"),
    "two laws": lambda: lessons.draw_two_distributions(LAWS, None, 2.0),
    "two laws and their ratios": lambda: lessons.draw_two_distributions(LAWS, [2.0, 2.5, 0.5, 0.4, 1], 2.0, x="pay"),
    "predictions": lambda: lessons.draw_predictions(["it moves", "x" * 99], [3, 0], 1),
    "class answers": lambda: draw_answers([38.0, 36.5, 38.1, 90.0], 38.0, "median <years>"),
    "class answers alike": lambda: draw_answers([38.0] * 9, 38.0, "median"), "shares": lambda: draw_shares(3),
    "lines": lambda: [
        lessons.draw_line([1, 2, 4], [0.2, 5, 22], ["0.2", "5", "22"], "red", here=here, x="m", y="error")
        for here in (1, 4)
    ],
    "average": lambda: draw_average([38.0, 52.0], None, 40.0, 2, 6),
    "average of all": lambda: draw_average([38.0, 39.0], [38.0, 38.5], 40.0, 2, 6),
    "halves": lambda: draw_halves(
        [(0, 0, 100, 40, True), (1, 0, 40, 20, False), (1, 40, 100, 70, True)], 61.5, x="age"
    ),
    "halves of no person": lambda: draw_halves([(0, 0, 100, 40, True)], None, x="age"),
    "slices": lambda: lessons.draw_slices([(250, 200, 300, False), (500, 450, 550, True)], 1000, 512),
    "slices of no person": lambda: lessons.draw_slices([(250, 200, 300, True)], 1000, None),
    "shown": lambda: [shown(draw_shares(3)), shown(draw_shares(3), simulated=False)],
    "larger texts": lambda: with_larger_texts(rows.draw_rows([rows.Panel(ROWS, "pay")]), 1.5),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_as_it_was_approved(name: str) -> None:
    check_approved(APPROVED / f"{name.split()[0]}.json", name, drawn(FIGURES[name]()))


def drawn(found: Any) -> Any:
    """Return a figure as the browser gets it, without plotly's own colours; its prose by its numbers alone."""
    if isinstance(found, list | tuple):
        return [drawn(each) for each in found]
    if not isinstance(found, go.Figure):
        return as_data(found)
    parts = as_data(found.to_dict())
    parts["layout"].pop("template", None)
    return parts


# ── structures ───────────────────────────────────────────────────────────────────────────────────────────────────────


class OtherStep(TraceStep):
    """A step of a mechanism that has no picture of its own."""

    @classmethod
    def of(cls, step: TraceStep) -> OtherStep:
        return cls(**{each.name: getattr(step, each.name) for each in fields(TraceStep)})


OPTIONS: dict[str, dict[str, Any]] = {"gkexp": {"n_max": 200}, "normal": {"sigma": 5.0, "mean_bound": 100.0}}


@cache
def scene_of(key: str, count: int = 3, n: int = 60, **options: Any) -> Scene[Any]:
    """Return a run over few records, whose second step is selected."""
    n = 5000 if key == "slice" else n
    values = np.sort(np.random.default_rng(5).normal(50, 9, n).round())
    plan = Plan(
        [Fraction(k, count + 1) for k in range(1, count + 1)], key, PureDP(4.0), Adjacency.REPLACE_ONE,
        OPTIONS.get(key, {}) | options,
    )  # fmt: skip
    steps = explain(Column.from_values(values, Domain(0, 100, 1), seed=0), plan, 3).steps
    counts, edges = np.histogram(values, np.arange(20, 81, 5))
    return Scene(
        steps=steps, at=1, targets=[float(values[min(int(step.target), n - 1)]) if n else nan for step in steps],
        ranks=[float(np.searchsorted(values, step.value)) for step in steps],
        truths=[float(values[int(step.level * n)]) if n else nan for step in steps], edges=edges.tolist(),
        counts=counts.tolist(), true_ranks=[int(step.level * n) for step in steps], n=n, bounds=(0.0, 100.0),
        spread=0.5, axis="age <1>", one="person", many="people",
        colour="#4577c6", dated=False, read=lambda value: f"{value:g}",
    )  # fmt: skip


SCENES: dict[str, Callable[[], Scene[Any]]] = {
    **{key: lambda key=key: scene_of(key) for key in MECHANISMS},  # type: ignore[misc]
    "aq of no record": lambda: replace(scene_of("aq", n=0), at=0),
    "plain": lambda: replace(scene_of("aq"), steps=tuple(map(OtherStep.of, scene_of("aq").steps))),
    "aq several": lambda: replace(scene_of("aq", 5, draws="several"), at=3),
    "aq long": lambda: replace(scene_of("aq", 40, 400), at=30),
    "aq dated": lambda: replace(scene_of("aq"), at=2, dated=True, read=lambda day: f"day{day:.0f}"),
    "indexp long": lambda: replace(scene_of("indexp", 40), at=2),
    "aggtree long": lambda: replace(scene_of("aggtree", 40, 200), at=35),
    "slice overlapping": lambda: replace(
        scene_of("slice"), at=2, steps=tuple(replace(step, slack=-40) for step in scene_of("slice").steps)
    ),
    "freetotal last": lambda: replace(scene_of("freetotal"), at=2),
    "freetotal long": lambda: replace(scene_of("freetotal", 40), at=2),
}


@pytest.mark.parametrize("name", SCENES)
def test_the_picture_of_a_structure_is_as_it_was_approved(name: str) -> None:
    scene = SCENES[name]()
    picture = picture_of(scene.steps[0])
    beside = picture.step and picture.step(scene)
    check_approved(APPROVED / f"structure-{name.split()[0]}.json", name, [drawn(picture.run(scene)), drawn(beside)])


# ── axes ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_axes_are_as_they_were_approved() -> None:
    ranges: list[list[float]] = [[1, 100], [3, 5], [0.2, 30_000], [7], [1e-9, 1], [], [nan, 0, inf], [9, 10, 11]]
    marks: list[list[Any]] = [[38.0], [0.0], [20.0, 38.0], [0.0, 120.0, 119.0], ["2024-01-01"], [nan]]
    bodies: list[Any] = [([0.0, 10.0, 20.0, 9e6], [0.01, 0.5, 0.99, 1.0]), CDF, ([3.0, 3.0], [0.5, 1.0]), ([], [])]
    tried = {
        "log": [(ends := axes.log_range(each), axes.log_ticks(ends)) for each in ranges],
        "plain": [axes.plain(power) for power in range(-4, 18)],
        "around": [axes.around(each, steps) for each in marks for steps, _ in bodies],
        "body": [axes.body_of(each) for each in bodies],
        "reach": [axes.reach_of(*each) for each in (
            ([], None), ([-5.0, 3.0], None), ([6.0], None), ([-201.0], None), ([10.0], 200), ([9.0], 200),
            ([201.0], 200), ([200.0], 200))],
        "shared": [papers.shared_range(each, log=log) for each in ([1, 100, nan], [], [0.0, inf], [1e-30, 1.0], [3])
                   for log in (False, True)],
        "values": [
            axes.value_range(true, private, body, bounds)
            for true in ([38.0], [20.0, 51.0], [-20.0, 130.0], [])
            for private in ([], [22.0, 47.0], [0.0, 119.0])
            for body, bounds in ((CDF, BOUNDS), (CDF, (0.0, 1e6)), (bodies[0], (0.0, 1e7)))
        ],
        "decades": [(decades := axes.decades_of(each)) and (decades.along([*each, None, "–"]), decades.ticks(-6, 9))
                    for each in ([20, 90], [30, 900], [30, 901.0], [0, -0.02, 900], [1e-9, 1.0, inf])],
    }  # fmt: skip
    check_approved(APPROVED / "axes.json", "axes", tried)


def test_all_cases_have_a_file_and_all_files_a_case() -> None:
    known = {f"{name.split()[0]}.json" for name in FIGURES} | {"axes.json"}
    known |= {f"structure-{name.split()[0]}.json" for name in SCENES}
    assert known == {path.name for path in APPROVED.iterdir()}
