"""The command `dpq report`: the report of a release that the ledger keeps, as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from .ledger import CALLED, opened
from .texts import add_command, say, writing

if TYPE_CHECKING:  # they need SQLAlchemy, and what draws
    from ..ledger.accounts import Ledger
    from ..ledger.history.entries import Stored

EXAMPLES = """\
Examples, for a release that was charged to a ledger:
  dpq report patients --out report.html
  dpq report patients june --people 1000 --out report.html

The report is one file. It contains released answers and public facts, and nothing of the data.
"""
DOCUMENT = ".html"


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    helps, stopped = "write a report for decision makers", "Stopped; nothing was written."
    command = add_command(commands, "report", helps, EXAMPLES, run, stopped)
    command.set_defaults(settings=CALLED)
    command.add_argument("account", help="the name of a data set")
    command.add_argument("release_id", nargs="?", help="the id of the release; default: the last one")
    command.add_argument("--out", required=True, metavar="FILE", help="the file to write, .html")
    people = "the approximate number of people, from public knowledge, for which errors are computed; default 1000"
    command.add_argument("--people", type=int, default=1000, metavar="N", help=people)


def run(chosen: argparse.Namespace) -> None:
    """Write the report. Raises ParameterError, LedgerError, OSError."""
    from ..report.facts import Report
    from ..report.html import as_html
    from ..studies.shapes import MOST_STUDIED

    out = Path(chosen.out)
    if out.suffix.lower() != DOCUMENT:
        raise ParameterError("--out", f"must end in {DOCUMENT}, got {out.name[:40]!r}.")
    if not 1 <= chosen.people <= MOST_STUDIED:
        raise ParameterError("--people", f"must be a whole number from 1 to {MOST_STUDIED}, got {chosen.people}.")
    if chosen.account.lower().endswith((".json", ".csv")):
        must = f"must name a data set of the ledger, whose release is reported; {chosen.account} is a file."
        raise ParameterError("account", must)
    with opened(checked=True) as ledger:
        report = Report.of_stored(_stored(ledger, chosen.account, chosen.release_id), chosen.people)
    with writing():
        out.write_text(as_html(report), encoding="utf-8")
    say(chosen, f"Wrote the report to {out}.")


def _stored(ledger: Ledger, name: str, release_id: str | None) -> Stored:
    """Return a stored answer of an account: the one with this id, or the last one."""
    from ..ledger.history.entries import stored_releases

    found = stored_releases(ledger, 1, account=ledger.account(name), release_id=release_id)
    if not found:
        must = "must be that of an answered release of this data set, and not of a synthetic column: `dpq ledger show` "
        raise ParameterError("release_id", f"{must}with the name of the data set lists their ids.")
    return found[0]
