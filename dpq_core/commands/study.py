"""The commands `study` and `papers`: simulations on public data, as a table, and as the figures of the papers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic
from typing import Any

from ..cluster import grid as cluster
from ..papers import figures as papers_figures
from ..results.wording import count_in_words
from ..studies import engine, tables
from ..studies.configuration import expected_seconds
from ..studies.grid import Grid
from .texts import parser_with_examples, text_of, time_in_words

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
    study = parser_with_examples(commands, "study", helps, EXAMPLES)
    study.set_defaults(run=run, stopped="Stopped; nothing was written.")
    study.add_argument("grid", help="JSON file: mechanisms, budgets, quantiles, data, n, domains, adjacencies, ...")
    study.add_argument("--out", required=True, metavar="FILE", help="table to write: .parquet, .csv or .json")
    study.add_argument("--trials", type=int, help="replaces the trials of the grid")
    study.add_argument("--seed", type=int, help="replaces the seed of the grid")
    study.add_argument("--scheduler", metavar="ADDRESS", help="run it on this Dask cluster")
    helps = "recompute the papers' figures and store the results"
    papers = parser_with_examples(commands, "papers", helps, OF_PAPERS)
    papers.set_defaults(run=recompute, stopped="Stopped; figures that were done are stored.")
    papers.add_argument("--figure", action="append", metavar="ID", help="compute only this one; may be repeated")
    papers.add_argument("--quick", action="store_true", help="use fewer trials, data sets and quantiles")
    papers.add_argument("--out", metavar="FOLDER", help="the folder to store in; default: the package itself")


def run(chosen: argparse.Namespace) -> None:
    """Simulate every configuration of a grid file and write the table."""
    out = Path(chosen.out)
    tables.check_path(out)
    grid = Grid.from_json(text_of(chosen.grid))
    changes = {name: getattr(chosen, name) for name in ("trials", "seed") if getattr(chosen, name) is not None}
    grid = Grid.from_dict(grid.as_dict() | changes)
    steps = cluster.steps_on(chosen.scheduler, grid) if chosen.scheduler else engine.steps(grid)
    seconds = expected_seconds(grid.configurations())
    print(f"{count_in_words(len(grid), 'configuration')}, about {time_in_words(seconds)} on one core.", file=sys.stderr)
    rows, start = [], monotonic()
    for share, row in steps:
        rows.append(row)
        left = (monotonic() - start) * (1 - share) / share if share else 0.0
        result = f"mean error {row.mean_error:.4g}" if row.supported else "not supported"
        left_in_words = time_in_words(left)
        done = f"{100 * share:3.0f} %  {left_in_words} left"
        line = f"{done}  {row.data} n = {row.n:,}  m = {row.m}  {row.budget}  {row.label}"
        print(f"{line}: {result}", file=sys.stderr)
    tables.write(rows, out)
    print(
        f"Wrote {count_in_words(len(rows), 'row')} to {out}. Simulations, not private: for public data only.",
        file=sys.stderr,
    )


def recompute(chosen: argparse.Namespace) -> None:
    """Recompute and store the requested figures of the papers, or all."""
    from ..papers import make, store

    folder = store.FOLDER if chosen.out is None else Path(chosen.out)
    keys = chosen.figure or list(papers_figures.FIGURES)
    figures = [papers_figures.figure_of(key) for key in keys]
    for figure in figures:
        start = monotonic()

        def report(share: float, name: str = figure.key, start: float = start) -> None:
            left = time_in_words((monotonic() - start) * (1 - share) / share)
            print(f"\r{100 * share:3.0f} %  {left} left  {name}   ", end="", file=sys.stderr, flush=True)

        path = make.make(figure.key, chosen.quick, folder, report)
        print(f"\n{path}: {figure.paper}, {figure.place}", file=sys.stderr)
        result = store.load(figure.key, folder)
        assert result is not None, "it was just written"
        print(f"      {result.verdict.word}. {result.verdict.why}", file=sys.stderr)
