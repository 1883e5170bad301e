"""A ledger of its own for every visit; files are read in place, while tests/jobs/test_strangers.py starts children."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from dpq_core import Domain
from dpq_core.advice import best_plan, race, simulation
from dpq_core.advice.ranking import ranked
from dpq_core.advice.shapes import shapes_within
from dpq_core.arrays import Floats

SCAN = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True, scope="module")
def quick_visits() -> Iterator[None]:
    """Spare every visit what is the same for all: Streamlit's search of installed packages, most runs of the advice.

    What *Best for this plan* chooses after all its runs is asked in tests/advice.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", SCAN)
        patch.setattr(race, "FEWEST_RUNS", 2)
        patch.setattr(race, "RUNS", 4)
        patch.setattr(simulation, "shapes_within", _first_shape)
        _forget_advice()
        yield
    _forget_advice()


def _first_shape(domain: Domain, n: int) -> dict[str, Floats]:
    return dict(list(shapes_within(domain, n).items())[:1])


def _forget_advice() -> None:
    best_plan.cache_clear()
    ranked.cache_clear()
    simulation.samples_within.cache_clear()


@pytest.fixture(autouse=True)
def own_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the ledger that pages use during this test."""
    file = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("DPQ_LEDGER_URL", str(file))
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a key for the tests")
    return file


@pytest.fixture(autouse=True)
def in_place(read_in_place: None) -> None:
    """Some hundred tests bring a file."""
