"""Compute the stored results, figure by figure: the tasks of each, and the judge of its points.

steps("kss-figure-4", quick=True)      the fraction of the work done and points, as a job takes them
dpq papers make                        computes, judges and stores everything
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time
from typing import NamedTuple

from . import verdicts as of
from .computations import bspace, free_total, kss, slices
from .data import SEED
from .figures import FOLDER, Judge, Point, Result, as_stored, figure_of, save
from .tasks import Task


class Work(NamedTuple):
    """What makes the points of a figure, at full or at reduced size, and what judges them."""

    tasks: Callable[[bool], Iterator[Task]]
    judge: Judge


WORK = {
    setting.key: Work(partial(free_total.error_tasks, setting=setting), partial(of.compared, setting=setting))
    for setting in (free_total.BETTER, free_total.JOINS, free_total.JOINS_RHO, free_total.REPLACED)
} | {
    "kss-table-1": Work(kss.table_tasks, of.table_1),
    "kss-figure-1": Work(kss.trace_tasks, of.children),
    "kss-figure-3": Work(kss.histogram_tasks, of.seen_only),
    "kss-figure-4": Work(partial(kss.error_tasks, concentrated=False), of.pure_errors),
    "kss-figure-6": Work(partial(kss.error_tasks, concentrated=True), of.concentrated_errors),
    "kss-figure-8": Work(kss.time_tasks, of.times),
    "kss-theorems": Work(kss.theorem_tasks, of.theorems),
    "slice-figure-1": Work(slices.error_tasks, of.slices),
    "slice-table-1": Work(slices.room_tasks, of.room),
    "bspace-figure-1": Work(bspace.example_tasks, of.example),
    "bspace-figure-2": Work(bspace.exact_tasks, of.exact_sketch),
    "bspace-figure-3": Work(partial(bspace.error_tasks, alpha=bspace.FINE), of.fine_sketch),
    "bspace-figure-5": Work(bspace.space_tasks, of.space),
    "bspace-figure-6": Work(partial(bspace.error_tasks, alpha=bspace.COARSE), of.coarse_sketch),
    "bspace-figure-9": Work(bspace.budget_tasks, of.budgets),
    "bspace-table-1": Work(bspace.file_tasks, of.files),
    "bspace-table-2": Work(bspace.saving_tasks, of.savings),
}


def steps(key: str, quick: bool = False) -> Iterator[tuple[float, tuple[Point, ...]]]:
    """Yield the fraction of the work done and the points of each task, which do not depend on other tasks.

    Everything is repeatable except times. Raises ParameterError before anything runs.
    """
    tasks = list(WORK[figure_of(key).key].tasks(quick))
    total, spent = sum(task.cost for task in tasks), 0.0
    for task in tasks:
        spent += task.cost
        yield min(spent / total, 1.0), tuple(map(as_stored, task.run()))


def make(
    key: str, quick: bool = False, folder: Path = FOLDER, report: Callable[[float], object] = lambda share: None
) -> Path:
    """Compute and judge a figure, store it, and return its path; `report` gets the fraction done.

    Raises ParameterError, OSError.
    """
    points: list[Point] = []
    start = process_time()
    for share, found in steps(key, quick):
        points.extend(found)
        report(share)
    result = Result(
        figure=key, points=tuple(points), verdict=WORK[key].judge(tuple(points)), seed=SEED, quick=quick,
        seconds=process_time() - start, date=date.today().isoformat(), packages=_installed(figure_of(key).packages),
    )  # fmt: skip
    return save(result, folder)


def _installed(names: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
