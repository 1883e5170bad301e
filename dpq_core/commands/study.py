"""The commands that release nothing: `study` and `papers`, simulations on public data; `app`, the dashboard."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from ..errors import ParameterError
from ..papers import figures as papers
from ..results.wording import count_in_words
from ..studies import engine
from ..studies.configuration import expected_seconds
from ..studies.design import StudyDesign
from .texts import about, progress_of, say, text_of, time_in_words, writing

FOLDERS = (Path(__file__).parents[1] / "dashboard", Path(__file__).parents[2])
"""The place of app.py: in an installed package, which has a copy of the files around it, or in a checkout."""
LAST_PORT = 65_535
NOT_INSTALLED = "The dashboard is not installed: pip install 'dpq-core[app]'."


def run(chosen: argparse.Namespace) -> None:
    """Simulate every configuration of a grid file and write the table."""
    out = Path(chosen.out)
    engine.check_path(out)
    with about(chosen.grid):
        grid = StudyDesign.from_json(text_of(chosen.grid))
    changes = {name: getattr(chosen, name) for name in ("trials", "seed") if getattr(chosen, name) is not None}
    grid = StudyDesign.from_dict(grid.as_dict() | changes)
    steps = engine.steps_on(chosen.scheduler, grid) if chosen.scheduler else engine.steps(grid)
    seconds = expected_seconds(grid.configurations())
    say(chosen, f"{count_in_words(len(grid), 'configuration')}, about {time_in_words(seconds)} on one core.")
    rows, start = [], monotonic()
    for share, row in steps:
        rows.append(row)
        left = (monotonic() - start) * (1 - share) / share if share else 0.0
        result = f"mean error {row.mean_error:.4g}" if row.supported else "not supported"
        done = f"{100 * share:3.0f} %  {time_in_words(left)} left"
        say(chosen, f"{done}  {row.data} n = {row.n:,}  m = {row.m}  {row.budget}  {row.label}: {result}")
    with writing():
        engine.write(rows, out)
    wrote = f"Wrote {count_in_words(len(rows), 'row')} to {out}."
    say(chosen, f"{wrote} Simulations, not private: for public data only.")


def make_figures(chosen: argparse.Namespace) -> None:
    """Compute and store the figures of the papers that are named, or all."""
    from ..papers.make import make

    folder = papers.FOLDER if chosen.out is None else Path(chosen.out)
    figures = [papers.figure_of(key) for key in chosen.figures or papers.FIGURES]
    for figure in figures:
        with progress_of(chosen, figure.key) as heard:
            path = make(figure.key, chosen.quick, folder, heard)
        say(chosen, f"{path}: {figure.paper}, {figure.place}")
        result = papers.load(figure.key, folder)
        assert result is not None, "it was just written"
        say(chosen, f"      {result.verdict.word}. {result.verdict.sentence}")


def serve(chosen: argparse.Namespace) -> None:
    """Become the dashboard's server. Raises ValueError where it is not installed, ParameterError for no port."""
    if chosen.port is not None and not 1 <= chosen.port <= LAST_PORT:
        raise ParameterError("--port", f"must be a number from 1 to {LAST_PORT}, got {chosen.port}.")
    if find_spec("streamlit") is None or find_spec("plotly") is None:
        raise ValueError(NOT_INSTALLED)
    script = next(folder / "app.py" for folder in FOLDERS if (folder / "app.py").is_file())
    more = [] if chosen.port is None else ["--server.port", str(chosen.port)]
    more += ["--server.headless", "true"] if chosen.no_browser else []
    # -P: a file app.py in the folder where this was typed is not this one
    os.execv(sys.executable, [sys.executable, "-P", "-m", "streamlit", "run", str(script), *more])
