"""Rows of studies, streams and shapes under a seed, beside what was approved; see tests/approved.py."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, People, Plan, PureDP
from dpq_core.studies import engine
from dpq_core.studies.bounds import least_error
from dpq_core.studies.configuration import Method, expected_seconds, likely_seconds, seconds_of
from dpq_core.studies.design import BREAK_IT, StudyDesign, even_levels
from dpq_core.studies.reference import budgets_of_one, expected_with_reference
from dpq_core.studies.shapes import SHAPES, Table, domain_of, values_of
from dpq_core.studies.streams import PATTERNS, Generated, Given, Settings, steps
from dpq_core.studies.takes import compare_takes
from tests.approved import check_approved

APPROVED = Path(__file__).parent / "approved" / "studies.json"
N = 90
VALUES = np.random.default_rng(3).integers(0, 60, N).astype(float)
MINE = {"mine": Table(VALUES, People.of(np.arange(N) // 4))}
SMALL = StudyDesign(
    mechanisms=["aq", Method("binhist", {"bins": 50}, "fifty bins"), "slice"], quantiles=[3, ["1/2"]], n=[120],
    budgets=[PureDP(1.0), ZCDP(0.125)], adjacencies=list(Adjacency), trials=12, data_sets=2, seed=3,
)  # fmt: skip
GRIDS = {
    "small": (SMALL, None),
    "with intervals": (StudyDesign(mechanisms=["binhist"], quantiles=[3], n=[150], trials=9, intervals=0.9), None),
    "of a given table": (
        StudyDesign(mechanisms=["aq"], data=["mine"], n=[None, 40], domains=[Domain(0, 60, 1)], trials=4),
        MINE,
    ),
    "of nobody": (StudyDesign(mechanisms=["aq", "gkexp"], n=[0, 20], trials=2), None),
    "with found bounds": (
        StudyDesign(mechanisms=["indexp"], quantiles=[1], n=[60], trials=24, data_sets=2, find_bounds=FindBounds()),
        None,
    ),
}
STREAM = Settings(
    domain=PATTERNS["uniform"].domain, alpha=0.01, n_max=4000, quantiles=(Fraction(1, 2), Fraction(9, 10)),
    privacy=PureDP(3.0), batch=500,
)  # fmt: skip


def rows(grid: StudyDesign, given: Any) -> list[dict[str, Any]]:
    """Return the rows of a grid with the share of the work that was done by then, without times and version."""
    gone = {"ms_per_trial", "version", "seed", "label"}
    found = [{"share": share, **vars(row)} for share, row in engine.steps(grid, given)]
    return [
        {name: each for name, each in row.items() if name not in gone and each == each and each != ""} for row in found
    ]


def looks(feed: Any, **changed: Any) -> list[Any]:
    found = list(steps(feed, replace(STREAM, **changed)))
    return [(share, step, step.saving) for share, step in (*found[:2], *found[-2:])]


CASES: dict[str, Callable[[], Any]] = {
    **{f"rows {name}": lambda grid=grid, given=given: rows(grid, given) for name, (grid, given) in GRIDS.items()},  # type: ignore[misc]
    "seeds": lambda: [(each.noise_seed(1), each.data_seed(1), each.plan_for(50), each.of_people)
                      for each in SMALL.configurations()[:3]],
    "seconds": lambda: [
        *map(likely_seconds, SMALL.configurations()), expected_seconds(SMALL.configurations()),
        expected_with_reference(SMALL, 1000),
        *map(likely_seconds, StudyDesign(mechanisms=["jointexp"], n=[None], data_sets=3, trials=9).configurations()),
        seconds_of(Plan(even_levels(3)), 200), seconds_of(Plan(even_levels(3), intervals=0.9, about_n=99), 200),
    ],
    "json": lambda: [SMALL.as_dict(), StudyDesign(domains=[Domain(0, 1), None], intervals=0.9).as_dict(), len(SMALL)],
    "orders": lambda: {key: [each.domain.as_dict(), each.draw(2, 6, 9, 1)] for key, each in PATTERNS.items()},
    "levels": lambda: [even_levels(1), even_levels(4)],
    "limit": lambda: [least_error(epsilon, records) for epsilon in (0.3, 1.0, 5.0, 20.0) for records in (5, 100)],
    "reference": lambda: [budgets_of_one(each, 3) for each in (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.1))],
    "hard cases": lambda: {key: case.applied(SMALL).as_dict() for key, case in BREAK_IT.items()},
    "failures": lambda: [engine.failures(np.array([[1.0] * 30 + [far]]), n)
                         for far in (10.0, 10.5, 500.0) for n in (0, 100, 1000, 1050, 60_000)],
    "summary": lambda: engine.summary("x", np.arange(60.0).reshape(3, 20)) | engine.summary("y", np.arange(20.0)[None]),
    "shapes": lambda: {key: [values_of(key, 200, 5, domain_of(key)), domain_of(key)] for key in SHAPES},
    "takes": lambda: compare_takes(
        VALUES, People.of(np.arange(N) // 4), Domain(0, 60, 1), [Fraction(1, 2), Fraction(9, 10)], 2
    ),
    "stream": lambda: looks(Generated("uniform", 4000)),
    "stream with little room": lambda: looks(Generated("zigzag", 4000), most_exact=900, seed=1, batch=3000),
    "stream of given values": lambda: looks(Given(VALUES), batch=40, n_max=50, privacy=ZCDP(0.5)),
    "stream bounds": lambda: [STREAM.error_parts(), replace(STREAM, privacy=ZCDP(0.5)).error_parts()],
    "patterns": lambda: {key: [each[1] for each in Generated(key, 3000, 2).batches(1000)][1] for key in PATTERNS},
    "frame": lambda: {name: str(dtype) for name, dtype in engine.as_frame([]).dtypes.items()},
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_study_gives_what_was_approved(name: str) -> None:
    check_approved(APPROVED, name, CASES[name]())
