"""The stored results that tests read."""

from __future__ import annotations

from pathlib import Path

from dpq_core.papers.figures import FIGURES
from dpq_core.papers.store import FOLDER, Result, load
from tests.narrowing import present

TO_COME = ("free-total", "free-total-rho", "free-total-replaced")
"""Figures that are to be computed by `python -m dpq_core papers`; once they are stored, they leave this list."""
STORED = tuple(key for key in FIGURES if key not in TO_COME)


def stored_result(figure: str, folder: Path = FOLDER) -> Result:
    """Return what is stored of a figure; a test fails where nothing is."""
    return present(load(figure, folder))
