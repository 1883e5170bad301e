"""Computation of the stored results, figure by figure; an interrupted one is continued."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from time import process_time

from ..version import VERSION
from .data import SEED
from .figures import figure_of, steps
from .store import FOLDER, Result, load, save

SAVE_SECONDS = 60.0
"""How much processor time an interruption may lose."""


def make(
    key: str,
    quick: bool = False,
    folder: Path = FOLDER,
    report: Callable[[float], object] = lambda share: None,
    *,
    missing: bool = False,
) -> Path:
    """Compute a figure and store it. `report` gets the fraction done.

    An unfinished result of the same size, seed and version is completed; with `missing` also a finished one whose
    figure has more points by now. Raises ParameterError, OSError.
    """
    figure_of(key)
    earlier = load(key, folder)
    begun = None
    if earlier is not None and (missing or not earlier.complete):
        same = (earlier.quick, earlier.seed, earlier.version) == (quick, SEED, VERSION)
        begun = earlier if same else None
    points = list(begun.points) if begun else []
    before, start, saved = begun.seconds if begun else 0.0, process_time(), process_time()

    def store(complete: bool) -> Path:
        spent, today = before + process_time() - start, date.today().isoformat()
        made = Result(
            figure=key, points=tuple(points), seed=SEED, quick=quick, complete=complete, seconds=spent, date=today
        )
        return save(made, folder)

    try:
        for share, found in steps(key, quick, points.copy()):
            points.extend(found)
            report(share)
            if process_time() - saved > SAVE_SECONDS:
                store(complete=False)
                saved = process_time()
    except KeyboardInterrupt:
        store(complete=False)
        raise
    return store(complete=True)
