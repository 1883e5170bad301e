"""The stored results that tests read."""

from pathlib import Path

from dpq_core.papers.figures import FOLDER, Result, load
from tests.narrowing import present


def stored_result(figure: str, folder: Path = FOLDER) -> Result:
    """Return what is stored of a figure; a test fails where nothing is."""
    return present(load(figure, folder))
