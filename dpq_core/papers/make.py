"""Computation of the stored results, figure by figure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time

from .data import SEED
from .figures import figure_of, steps
from .store import FOLDER, Point, Result, save


def make(
    key: str,
    quick: bool = False,
    folder: Path = FOLDER,
    report: Callable[[float], object] = lambda share: None,
) -> Path:
    """Compute a figure, store it, return its path; `report` gets the fraction done. Raises ParameterError, OSError."""
    points: list[Point] = []
    start = process_time()
    for share, found in steps(key, quick):
        points.extend(found)
        report(share)
    seconds, today = process_time() - start, date.today().isoformat()
    packages = _installed(figure_of(key).packages)
    result = Result(
        figure=key, points=tuple(points), seed=SEED, quick=quick, seconds=seconds, date=today, packages=packages
    )
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
