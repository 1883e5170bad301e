"""Run the package from a shell: `dpq release | forecast | report | ...`, or `python -m dpq_core ...`.

The kind of an error decides the exit status. None holds a value of the data, or a row of it without --show-where.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from math import isfinite

from .commands.data import flags_that_decide
from .commands.parser import parser_of_lines
from .commands.texts import joined, os_sentence
from .errors import BudgetError, DataError, Infeasible, ParameterError, UsedIdError, quoted
from .mode import refuse_wrong_settings

FAILED, WRONG_WORDS, UNREADABLE, SPENT, COUNTED, INTERRUPTED = 1, 2, 3, 4, 5, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    # Where standard error is closed, print would use standard output.
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    parser = parser_of_lines()
    chosen = parser.parse_args(joined(sys.argv[1:] if arguments is None else arguments))
    said, status = "", 0
    try:
        refuse_wrong_settings()
        chosen.run(chosen)
        print(end="", flush=True)
    except (ValueError, OSError) as error:
        file = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
        said, status = f"{parser.prog}: error: {file}{_sentence(error, chosen)}\n", _status_of(error)
    except KeyboardInterrupt:
        said, status = f"\n{chosen.stopped}\n", INTERRUPTED
    for stream, text in ((sys.stderr, said), (sys.stdout, "")):
        try:
            print(text, end="", file=stream, flush=True)
        except OSError:  # Python would try once more at its end, and exit with 120
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status


def _status_of(error: Exception) -> int:
    """Return the exit status of an error, by its kind."""
    if isinstance(error, Infeasible) and (error.charged or error.noisy_count is not None):
        return COUNTED
    if isinstance(error, BudgetError | UsedIdError):
        return SPENT
    if isinstance(error, DataError) or (isinstance(error, OSError) and error.filename is not None):
        return UNREADABLE
    return WRONG_WORDS if isinstance(error, ParameterError) else FAILED


def _sentence(error: Exception, chosen: argparse.Namespace) -> str:
    """Return an error as one line, with options as they are typed."""
    if isinstance(error, OSError):
        return os_sentence(error)
    if isinstance(error, DataError):
        where = error.where if chosen.show_where else "`--show-where` names the row."  # which reveals a number of rows
        return f"{error}{flags_that_decide(error)}{error.where and f' {where}'}"
    if not isinstance(error, ParameterError):
        return str(error)
    sentence = error.sentence(lambda name: quoted(chosen.settings.get(name, name)))
    if not isinstance(error, Infeasible) or not error.charged:
        return sentence
    spent = f"epsilon = {error.charged:.4g}" if isfinite(error.charged) else "the whole budget"
    return f"{sentence} Finding this out has spent {spent}."


if __name__ == "__main__":
    sys.exit(main())
