"""A ledger for every visit; files are read in place, while tests/jobs/test_untrusted_files.py starts children."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs
from streamlit.testing.v1 import app_test, local_script_runner

from dpq_core.advice import errors, simulation
from dpq_core.advice.simulation import shapes_within
from dpq_core.calibrations import mechanism_of
from dpq_core.figures import studies as figures_of_studies
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.data_set import wording_of
from dpq_core.results.simulated import simulate_column
from dpq_core.studies import engine
from dpq_core.studies.design import StudyDesign
from pages.explore import live
from pages.form.table import SETTINGS
from pages.menu import MENU
from pages.server import downloads
from tests.pages.driving import EPSILON, open_page

ASK_OFTEN = local_script_runner.require_widgets_deltas
DRAWINGS = {figures_of_studies: ("draw_leaderboard", "draw_sweep")}
"""What takes longest to draw, by where it is looked up."""


@pytest.fixture(autouse=True, scope="session")
def loaded(ledger_for_tests: None) -> None:
    """Load what the first visit of a worker loads, so that no test pays for it."""
    for page, _, _ in MENU:
        import_module(f"pages.{page}")
    open_page()


@pytest.fixture(autouse=True, scope="module")
def quick_visits() -> Iterator[None]:
    """Spare every visit what is the same for all: most runs of advice, equal figures and simulations; and every release
    the search of its intervals, which are off here unless a link asks for them. Pages open with EPSILON.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", _wait)
        patch.setattr(
            f"{app_test.__name__}.MagicMock", cache(MagicMock)
        )  # the runtime around a visit, made for each run
        patch.setattr(live, "simulate_column", _once_for_an_example(simulate_column))
        patch.setattr(simulation, "FEWEST_RUNS", 2)
        patch.setattr(simulation, "RUNS", 4)
        patch.setattr(simulation, "shapes_within", lambda *of: dict(list(shapes_within(*of).items())[:1]))
        patch.setattr(engine, "steps", STUDIED)
        for name, usual in {"release_intervals": "none", "epsilon": EPSILON}.items():
            patch.setitem(SETTINGS, name, replace(SETTINGS[name], default=usual))
        for module, names in DRAWINGS.items():
            for name in names:
                patch.setattr(module, name, _once(getattr(module, name)))
        _forget_advice()
        yield
    _forget_advice()


def _once_for_a_grid(steps: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Run once a study of examples, which its grid repeats but for the times that its runs took."""
    studied: dict[str, list[Any]] = {}

    @wraps(steps)
    def once(grid: StudyDesign, given: Any = None) -> Iterator[Any]:
        if given is not None:
            yield from steps(grid, given)
            return
        whole = f"{grid.to_json()} {sorted(MECHANISMS)}"
        if whole not in studied:
            found = []
            for step in steps(grid):
                found.append(step)
                yield step
            studied[whole] = found
        else:
            yield from studied[whole]

    return once


STUDIED = _once_for_a_grid(engine.steps)
"""For all files of the folder."""


def _once(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Draw once what follows from equal arguments, down to their last bit: `draw_*` reads nothing else."""
    drawn: dict[bytes, Any] = {}

    @wraps(draw)
    def once(*args: Any, **more: Any) -> Any:
        whole = pickle.dumps(([each.to_dict() if isinstance(each, go.Figure) else each for each in args], more))
        if whole not in drawn:
            drawn[whole] = draw(*args, **more)
        return drawn[whole]

    return once


def _wait(runner: Any, timeout: float) -> None:
    """Sleep until a run has ended, where Streamlit asks for it every millisecond and takes turns with it for that."""
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        ASK_OFTEN(runner, 0)


def _once_for_an_example(simulate: Callable[..., Any]) -> Callable[..., Any]:
    """Draw once what equal plans and seeds give for an example, as a room does for all who are in it."""
    drawn: dict[Any, Any] = {}

    @wraps(simulate)
    def once(data: Any, column: Any, asked: Any, seed: int) -> Any:
        if column is None or not data.is_example:
            return simulate(data, column, asked, seed)
        domain, plan = column.domain, asked.plan.plans[data.name]
        whole = data.cache_key, wording_of(data, domain), domain, plan, mechanism_of(plan).run, seed
        if whole not in drawn:
            drawn[whole] = simulate(data, column, asked, seed)
        return drawn[whole]

    return once


def _forget_advice() -> None:
    errors._simulated.cache_clear()
    simulation.columns_within.cache_clear()


@pytest.fixture(autouse=True)
def own_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the ledger that pages use during this test."""
    file = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("DPQ_LEDGER_URL", str(file))
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a key for the tests")
    return file


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The files that a page offers in a test, by their names."""
    made: dict[str, str] = {}
    original = downloads._offer

    def record(place: str, name: str, make: Callable[[], str | bytes]) -> downloads.Offer:
        offer = original(place, name, make)
        if not name.endswith(".xlsx"):  # of the rows of the CSV
            made[name] = offer.content().decode().replace(get_plotlyjs(), "")
        return offer

    monkeypatch.setattr(downloads, "_offer", record)
    return made


@pytest.fixture(autouse=True)
def in_place(read_in_place: None) -> None:
    """Some hundred tests bring a file."""
