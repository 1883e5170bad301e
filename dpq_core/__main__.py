"""Run the package on the command line: `python -m dpq_core study | release | papers | ledger`.

Errors are one line on the standard error, with exit code 2. No line holds a value of the data, and only with
--show-where one of its rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from .cluster import grid as cluster
from .commands import ledger, release
from .errors import DataError, Infeasible, ParameterError, quoted
from .studies import Grid, engine, expected_seconds, tables
from .version import VERSION

WRONG = 2
INTERRUPTED = 130  # as shells say it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        chosen.run(chosen)
    except Infeasible as error:
        return _complain(parser, f"{error}{_charge(error)}")
    except DataError as error:
        return _complain(parser, f"{error}{_where(error, reported=chosen.show_where)}")
    except (ValueError, OSError) as error:
        return _complain(parser, _sentence(error))
    except KeyboardInterrupt:
        print(f"\n{chosen.stopped}", file=sys.stderr)
        return INTERRUPTED
    return 0


def study(chosen: argparse.Namespace) -> None:
    """Simulate every configuration of a grid file and write the table."""
    out = Path(chosen.out)
    tables.check_path(out)
    grid = Grid.from_json(release.text_of(chosen.grid))
    changes = {name: getattr(chosen, name) for name in ("trials", "seed") if getattr(chosen, name) is not None}
    grid = Grid.from_dict(grid.as_dict() | changes)
    steps = cluster.steps_on(chosen.scheduler, grid) if chosen.scheduler else engine.steps(grid)
    print(
        f"{len(grid):,} configurations, about {_time(expected_seconds(grid.configurations()))} on one core.",
        file=sys.stderr,
    )
    rows, start = [], monotonic()
    for share, row in steps:
        rows.append(row)
        left = (monotonic() - start) * (1 - share) / share if share else 0.0
        result = f"mean error {row.mean_error:.4g}" if row.supported else "not supported"
        line = f"{share:4.0%}  {_time(left)} left  {row.data} n = {row.n:,}  m = {row.m}  {row.budget}  {row.label}"
        print(f"{line}: {result}", file=sys.stderr)
    tables.write(rows, out)
    print(f"Wrote {len(rows):,} rows to {out}. Simulations, not private: for public data only.", file=sys.stderr)


def recompute_papers(chosen: argparse.Namespace) -> None:
    """Recompute and store the requested figures of the papers, or all."""
    from . import papers
    from .papers import make, store

    folder = store.FOLDER if chosen.out is None else Path(chosen.out)
    keys = chosen.figure or list(papers.FIGURES)
    figures = [papers.figure_of(key) for key in keys]
    for figure in figures:
        start = monotonic()

        def report(share: float, name: str = figure.key, start: float = start) -> None:
            left = _time((monotonic() - start) * (1 - share) / share)
            print(f"\r{share:4.0%}  {left} left  {name}   ", end="", file=sys.stderr, flush=True)

        path = make.make(figure.key, chosen.quick, folder, report)
        print(f"\n{path}: {figure.paper}, {figure.place}", file=sys.stderr)
        result = store.load(figure.key, folder)
        assert result is not None, "it was just written"
        verdict = figure.verdict(result)
        print(f"      {verdict.word}. {verdict.why}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dpq_core", description="Differentially private quantiles.")
    parser.add_argument("--version", action="version", version=VERSION)
    parser.set_defaults(show_where=False)
    commands = parser.add_subparsers(required=True, metavar="study | release | papers | ledger")
    one = commands.add_parser("study", help="simulate a grid of settings on public data, and write a table")
    one.set_defaults(run=study, stopped="Stopped; nothing was written.")
    one.add_argument("grid", help="JSON file: mechanisms, budgets, quantiles, data, n, domains, adjacencies, ...")
    one.add_argument("--out", required=True, metavar="FILE", help="table to write: .parquet, .csv or .json")
    one.add_argument("--trials", type=int, help="instead of the trials of the grid")
    one.add_argument("--seed", type=int, help="instead of the seed of the grid")
    one.add_argument("--scheduler", metavar="ADDRESS", help="run it on this Dask cluster")
    release.add(commands)
    ledger.add(commands)
    three = commands.add_parser("papers", help="recompute the papers' figures and store the results")
    three.set_defaults(run=recompute_papers, stopped="Stopped; figures that were done are stored.")
    three.add_argument("--figure", action="append", metavar="ID", help="only this one; may be given several times")
    three.add_argument("--quick", action="store_true", help="at reduced size: fewer trials, data sets and quantiles")
    three.add_argument("--out", metavar="FOLDER", help="where to store; without it, in the package itself")
    return parser


def _sentence(error: Exception) -> str:
    """Return an error as one line, with options as they are typed; an OSError names the file and the reason."""
    if isinstance(error, OSError):
        what = f"the file {error.filename}" if error.filename else "the output"
        return f"{what} cannot be used: {(error.strerror or 'unknown reason').lower()}."
    return error.sentence(_as_typed) if isinstance(error, ParameterError) else str(error)


def _as_typed(name: str) -> str:
    return "`--header` or `--no-header`" if name == "header" else quoted(name)


def _where(error: DataError, *, reported: bool) -> str:
    """Return where the error is in the data, if that was requested: a row tells how many there are at least."""
    if not error.where:
        return ""
    return f" {error.where}" if reported else " `--show-where` names the row."


def _charge(error: Infeasible) -> str:
    return f" Finding this out has spent epsilon = {error.charged:.4g}." if error.charged else ""


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _complain(parser: argparse.ArgumentParser, sentence: str) -> int:
    print(f"{parser.prog}: error: {sentence}", file=sys.stderr)
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
