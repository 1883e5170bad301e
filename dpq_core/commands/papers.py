"""The command `papers`: the figures and tables of the papers, recomputed and stored."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic
from typing import Any

from .texts import parser_with_examples, time_in_words

EXAMPLES = """\
Examples; figures of real data look for goodreads.csv and flights_3m.parquet in the folder DPQ_DATA_DIR:
  dpq papers --figure kss-figure-4
  dpq papers --quick --out figures
"""


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    helps = "recompute the papers' figures and store the results"
    command = parser_with_examples(commands, "papers", helps, EXAMPLES)
    command.set_defaults(run=run, stopped="Stopped; figures that were done are stored.")
    command.add_argument("--figure", action="append", metavar="ID", help="only this one; may be given several times")
    command.add_argument("--quick", action="store_true", help="at reduced size: fewer trials, data sets and quantiles")
    command.add_argument("--out", metavar="FOLDER", help="where to store; without it, in the package itself")


def run(chosen: argparse.Namespace) -> None:
    """Recompute and store the requested figures of the papers, or all."""
    from .. import papers
    from ..papers import make, store

    folder = store.FOLDER if chosen.out is None else Path(chosen.out)
    keys = chosen.figure or list(papers.FIGURES)
    figures = [papers.figure_of(key) for key in keys]
    for figure in figures:
        start = monotonic()

        def report(share: float, name: str = figure.key, start: float = start) -> None:
            left = time_in_words((monotonic() - start) * (1 - share) / share)
            print(f"\r{100 * share:3.0f} %  {left} left  {name}   ", end="", file=sys.stderr, flush=True)

        path = make.make(figure.key, chosen.quick, folder, report)
        print(f"\n{path}: {figure.paper}, {figure.place}", file=sys.stderr)
        result = store.load(figure.key, folder)
        assert result is not None, "it was just written"
        verdict = figure.verdict(result)
        print(f"      {verdict.word}. {verdict.why}", file=sys.stderr)
