"""The command `study`: a grid of settings on public data, simulated into a table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic
from typing import Any

from ..cluster import grid as cluster
from ..results import count_in_words
from ..studies import Grid, engine, expected_seconds, tables
from .texts import parser_with_examples, text_of, time_in_words

EXAMPLES = """\
Examples, with a grid file as `Grid.to_json` or the dashboard writes it:
  dpq study grid.json --out result.csv
  dpq study grid.json --out result.parquet --trials 20 --seed 5
"""


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    helps = "simulate a grid of settings on public data, and write a table"
    command = parser_with_examples(commands, "study", helps, EXAMPLES)
    command.set_defaults(run=run, stopped="Stopped; nothing was written.")
    command.add_argument("grid", help="JSON file: mechanisms, budgets, quantiles, data, n, domains, adjacencies, ...")
    command.add_argument("--out", required=True, metavar="FILE", help="table to write: .parquet, .csv or .json")
    command.add_argument("--trials", type=int, help="instead of the trials of the grid")
    command.add_argument("--seed", type=int, help="instead of the seed of the grid")
    command.add_argument("--scheduler", metavar="ADDRESS", help="run it on this Dask cluster")


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
