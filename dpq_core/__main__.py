"""Run the package on the command line: `python -m dpq_core study | release | papers | ledger`.

Errors are one line on the standard error, with exit code 2. No line holds a value of the data, and only with
--show-where one of its rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .commands import ledger, papers, release, study
from .errors import DataError, Infeasible, ParameterError, quoted
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dpq_core", description="Differentially private quantiles.")
    parser.add_argument("--version", action="version", version=VERSION)
    parser.set_defaults(show_where=False)
    commands = parser.add_subparsers(required=True, metavar="study | release | papers | ledger")
    for command in (study, release, ledger, papers):
        command.add(commands)
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


def _complain(parser: argparse.ArgumentParser, sentence: str) -> int:
    print(f"{parser.prog}: error: {sentence}", file=sys.stderr)
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
