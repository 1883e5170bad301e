"""The commands `study` and `papers`: simulations on public data, as a table, and as the figures of the papers."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import monotonic
from typing import Any

from ..papers import figures as papers_figures
from ..results.wording import count_in_words
from ..studies import engine
from ..studies.configuration import expected_seconds
from ..studies.grid import Grid
from .texts import about, add_command, progress_of, say, text_of, time_in_words, writing

EXAMPLES = """\
Examples, with a grid file as `Grid.to_json` or the dashboard writes it:
  dpq study grid.json --out result.csv
  dpq study grid.json --out result.parquet --trials 20 --seed 5
"""
OF_PAPERS = """\
Examples; figures of real data look for goodreads.csv and flights_3m.parquet in the folder DPQ_DATA_DIR:
  dpq papers --figure kss-figure-4
  dpq papers --quick --out figures
"""


def add(commands: Any) -> None:
    """Add both commands to a parser's commands."""
    helps = "simulate a grid of settings on public data, and write a table"
    study = add_command(commands, "study", helps, EXAMPLES, run, "Stopped; nothing was written.")
    study.add_argument("grid", help="JSON file: mechanisms, budgets, quantiles, data, n, domains, adjacencies, ...")
    study.add_argument("--out", required=True, metavar="FILE", help="table to write: .parquet, .csv or .json")
    study.add_argument("--trials", type=int, help="replaces the trials of the grid")
    study.add_argument("--seed", type=int, help="replaces the seed of the grid")
    study.add_argument("--scheduler", metavar="ADDRESS", help="run it on this Dask cluster")
    helps = "recompute the papers' figures and store the results"
    stopped = "Stopped; figures that were done are stored."
    papers = add_command(commands, "papers", helps, OF_PAPERS, recompute, stopped)
    papers.add_argument("--figure", action="append", metavar="ID", help="compute only this one; may be repeated")
    papers.add_argument("--quick", action="store_true", help="use fewer trials, data sets and quantiles")
    papers.add_argument("--out", metavar="FOLDER", help="the folder to store in; default: the package itself")


def run(chosen: argparse.Namespace) -> None:
    """Simulate every configuration of a grid file and write the table."""
    out = Path(chosen.out)
    engine.check_path(out)
    with about(chosen.grid):
        grid = Grid.from_json(text_of(chosen.grid))
    changes = {name: getattr(chosen, name) for name in ("trials", "seed") if getattr(chosen, name) is not None}
    grid = Grid.from_dict(grid.as_dict() | changes)
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


def recompute(chosen: argparse.Namespace) -> None:
    """Recompute and store the requested figures of the papers, or all."""
    from ..papers import make, store

    folder = store.FOLDER if chosen.out is None else Path(chosen.out)
    figures = [papers_figures.figure_of(key) for key in chosen.figure or papers_figures.FIGURES]
    for figure in figures:
        with progress_of(chosen, figure.key) as heard:
            path = make.make(figure.key, chosen.quick, folder, heard)
        say(chosen, f"{path}: {figure.paper}, {figure.place}")
        result = store.load(figure.key, folder)
        assert result is not None, "it was just written"
        say(chosen, f"      {result.verdict.word}. {result.verdict.sentence}")
