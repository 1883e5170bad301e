"""Run the package from a shell: `dpq release | report | study | papers | ledger | app`, or `python -m dpq_core ...`.

Errors are one sentence on the standard error, with exit code 1, or 2 where the line cannot be understood. None holds a
value of the data, and only with --show-where one of its rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from math import isfinite

from .commands import app, ledger, release, report, study
from .commands.data import flags_that_decide
from .commands.texts import Parser, joined
from .errors import DataError, Infeasible, ParameterError, quoted
from .version import VERSION

WRONG = 1  # a line that cannot be understood ends with 2, as argparse has it
INTERRUPTED = 130  # as shells say it
EXAMPLES = """\
Examples:
  dpq app
  dpq release people.csv --column salary=0:200000:100 --quantiles quartiles --epsilon 1
  dpq study grid.json --out result.csv
  dpq ledger show
  dpq report staff --out report.html

`dpq release --help` and the other helps show more. If the package is not installed: python -m dpq_core ...

Exit codes: 0 done; 1 refused or failed, with one sentence on standard error; 2 the command cannot understand the
line; 130 stopped.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    chosen = parser.parse_args(joined(sys.argv[1:] if arguments is None else arguments))
    try:
        chosen.run(chosen)
    except Infeasible as error:
        return _complain(parser, f"{_sentence(error, chosen.settings)}{_charge(error)}")
    except DataError as error:
        return _complain(parser, f"{error}{flags_that_decide(error)}{_where(error, reported=chosen.show_where)}")
    except (ValueError, OSError) as error:
        return _complain(parser, _sentence(error, chosen.settings))
    except KeyboardInterrupt:
        print(f"\n{chosen.stopped}", file=sys.stderr)
        return INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="dpq", description="Differentially private quantiles.", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=VERSION)
    parser.set_defaults(show_where=False, settings={})
    commands = parser.add_subparsers(required=True, metavar="release | report | study | papers | ledger | app")
    for command in (release, report, study, ledger, app):
        command.add(commands)
    return parser


def _sentence(error: Exception, flags: Mapping[str, str]) -> str:
    """Return an error as one line, with options as they are typed; an OSError names the file and the reason.

    `flags`: the settings that were said as options of other names.
    """
    if isinstance(error, OSError):
        what = f"the file {error.filename}" if error.filename else "the output"
        return f"{what} cannot be used: {(error.strerror or 'unknown reason').lower()}."
    if isinstance(error, ParameterError):
        return error.sentence(lambda name: _as_typed(flags.get(name, name)))
    return str(error)


def _as_typed(name: str) -> str:
    return "`--header` or `--no-header`" if name == "header" else quoted(name)


def _where(error: DataError, *, reported: bool) -> str:
    """Return where the error is in the data, if that was requested: a row number reveals a least number of rows."""
    if not error.where:
        return ""
    return f" {error.where}" if reported else " `--show-where` names the row."


def _charge(error: Infeasible) -> str:
    if not error.charged:
        return ""
    spent = f"epsilon = {error.charged:.4g}" if isfinite(error.charged) else "the whole budget"
    return f" Finding this out has spent {spent}."


def _complain(parser: argparse.ArgumentParser, sentence: str) -> int:
    print(f"{parser.prog}: error: {sentence}", file=sys.stderr)
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
