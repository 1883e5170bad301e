"""The commands `dpq ledger show` and `export`: what each data set has spent, as a table and as an auditor's file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..ledger.accounts import Account, Ledger
    from ..ledger.history.entries import Entry

MOST_NAMED = 3
"""Levels of one release that are named one by one."""
NOTHING = "Nothing has been released from this ledger yet."


def add(actions: Any) -> None:
    """Add the commands to those of the ledger."""
    one = actions.add_parser("show", help="show what each data set has spent and has left, or the releases of one")
    one.set_defaults(run=show, stopped="Stopped.")
    one.add_argument("account", nargs="?", help="the name of a data set; default: a line for each")
    two = actions.add_parser("export", help="write the history of a data set for an auditor, without data or answers")
    two.set_defaults(run=export, stopped="Stopped; nothing was written.")
    two.add_argument("account", help="the name of a data set")
    two.add_argument("path", help="the file to write, .csv or .json")


def show(chosen: argparse.Namespace) -> None:
    """Print the sums of every account, or the releases of one."""
    with opened(checked=True) as ledger:
        if chosen.account is not None:
            _print(_releases(named(ledger, chosen.account)))
        elif accounts := ledger.accounts():
            _print([("data set", "total", "spent", "left", "releases", "protects"), *map(_sums, accounts)])
        else:
            print(NOTHING)


def export(chosen: argparse.Namespace) -> None:
    """Write every release of an account, with its plan and its guarantee."""
    from ..ledger.history.entries import standing
    from ..ledger.history.exports import history_as_csv, history_as_json

    path, forms = Path(chosen.path), {".csv": history_as_csv, ".json": history_as_json}
    if path.suffix not in forms:
        raise ParameterError("path", f"must end in .csv or .json, got {path.name[:40]!r}.")
    with opened(checked=True) as ledger:
        text = forms[path.suffix](standing(named(ledger, chosen.account)))
    path.write_text(text, encoding="utf-8")
    print(f"Wrote the history of {chosen.account} to {path}.")


def named(ledger: Ledger, name: str) -> Account:
    """Return the account of this name. Raises ParameterError."""
    found = next((account for account in ledger.accounts() if account.name == name), None)
    if found is None:
        raise ParameterError("account", f"must be that of an account in this ledger, got {name[:40]!r}.")
    return found


def _sums(account: Account) -> tuple[str, ...]:
    from ..ledger.history.entries import shown, standing
    from ..ledger.history.statement import statement

    history = statement(standing(account))
    balance = history.balance
    spent, left = (f"{balance.letter} = {shown(amount)}" for amount in (balance.spent, balance.left))
    closed = ", closed" if account.closed else ""
    return account.name, str(account.budget), spent, left, str(len(history.lines)), f"one {account.one_row_is}{closed}"


def _releases(account: Account) -> list[tuple[str, ...]]:
    from ..ledger.history.entries import shown, standing
    from ..ledger.history.statement import statement

    history = statement(standing(account))
    rows = [
        (
            str(line.entry.place), line.entry.charged, ", ".join(line.entry.names) or "-",
            ", ".join(line.entry.mechanisms), _quantiles(line.entry), line.entry.state.value,
            shown(line.counted), shown(line.left), line.entry.release_id,
        )
        for line in history.lines
    ]  # fmt: skip
    letter = history.balance.letter
    counted, left = f"counted ({letter})", f"left ({letter})"
    return [("no.", "when (UTC)", "of", "mechanism", "quantiles", "outcome", counted, left, "release id"), *rows]


def _quantiles(entry: Entry) -> str:
    """Return which quantiles were requested, many by their number: `1/4 1/2 3/4`, `9 of 2 columns in 4 groups`."""
    from ..results.wording import count_in_words

    if entry.size is not None:
        return f"a synthetic column of {entry.size:,}"
    few = 0 < len(entry.quantiles) <= MOST_NAMED
    asked = " ".join(map(str, entry.quantiles)) if few else str(entry.levels)
    parts = [f"{entry.columns} columns"] if entry.columns > 1 else []
    if entry.grouped:
        listed = entry.groups.names if entry.groups is not None else ()
        parts.append(count_in_words(len(listed), "group") if listed else "every group")
    return " of ".join([asked, " in ".join(parts)]) if parts else asked


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns that are as wide as they must be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


@contextmanager
def opened(*, checked: bool) -> Iterator[Ledger]:
    """Open the ledger of this machine; not `checked`: even one older than its head."""
    from ..ledger.accounts import DEFAULT_FILE, DEFAULT_KEY_FILE, Ledger

    where = os.environ.get("DPQ_LEDGER_URL") or str(DEFAULT_FILE.expanduser())
    if "://" not in where and not Path(where).is_file():
        raise ParameterError("ledger", "must be there: there is no file at DPQ_LEDGER_URL.")
    has_key_file = DEFAULT_KEY_FILE.expanduser().is_file()
    ledger = Ledger.from_environment(key_required=False, make_key=has_key_file, checked=checked)
    try:
        yield ledger
    finally:
        ledger.engine.dispose()
