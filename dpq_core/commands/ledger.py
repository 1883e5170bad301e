"""The command `dpq ledger`: what was spent; verify a ledger, accept a copy that lacks entries, change the key."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..errors import LedgerError, ParameterError
from ..mode import releases_only
from .texts import parser_with_examples

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..ledger.accounts import Account, Ledger
    from ..ledger.history.entries import Entry

EXAMPLES = """\
Examples:
  dpq ledger show
  dpq ledger show patients
  dpq ledger export patients history.csv
  dpq ledger verify
  dpq ledger verify copy.sqlite
  dpq ledger heads heads.json
  dpq ledger verify --heads heads.json
  dpq ledger rekey --old old-key

The ledger is at DPQ_LEDGER_URL (~/.dpq/ledger.sqlite otherwise), its key DPQ_LEDGER_KEY (~/.dpq/key), and the heads,
the last entries that were seen, in the folder DPQ_LEDGER_HEADS (~/.dpq). Each charge is an entry, how it ended is
another, and so is the closing of an account. A ledger that lacks an entry of its head is refused: it would give spent
budgets again. Put the newest one back; accept this one (dpq ledger accept) only if the newest is lost for good. Copy a
ledger that is in use with the tools of its database: sqlite3 ledger.sqlite ".backup copy.sqlite", or pg_dump.

The command verify checks every entry: who was charged for what, how it counts, how it ended, its stored answer, and the
budget. An account in which one is missing or was changed is named, and nothing is released from it.

Exit codes: 0 all is well; 1 something is wrong, and the last line says what; 2 the command cannot understand the
line.
"""


CLOSE = (
    "Close the accounts whose budget may have been spent; in Python, "
    'Ledger.from_environment(make_key=True).account("patients").close() closes one for good.'
)
REKEYED = (
    "Start programs that use this ledger again with the new key. Files that were charged before are no longer "
    "recognised. Copies so far are written with the old key: make a new one."
)
MOST_NAMED = 3
"""Levels of one release that are named one by one."""
LACKS = "This ledger lacks at least {}: it is older than its head, or another one."


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = parser_with_examples(commands, "ledger", "show, verify or rekey the ledger of budgets", EXAMPLES)
    named = "show | export | verify | heads | accept | rekey"
    actions = parser.add_subparsers(required=True, metavar=named)
    one = actions.add_parser("show", help="show what each data set has spent and has left, or the releases of one")
    one.set_defaults(run=show, stopped="Stopped.")
    one.add_argument("account", nargs="?", help="the name of a data set; default: a line for each")
    file = actions.add_parser("export", help="write the history of a data set for an auditor, without data or answers")
    file.set_defaults(run=export, stopped="Stopped; nothing was written.")
    file.add_argument("account", help="the name of a data set")
    file.add_argument("path", help="the file to write, .csv or .json")
    two = actions.add_parser("verify", help="check that every entry is as it was signed, and none is missing")
    two.set_defaults(run=verify, stopped="Stopped.")
    two.add_argument("path", nargs="?", help="a copy, one SQLite file; default: the ledger itself")
    two.add_argument("--heads", metavar="FILE", help="check also against this file of `dpq ledger heads`")
    head = actions.add_parser("heads", help="write the last entry of every account, to keep elsewhere")
    head.set_defaults(run=heads, stopped="Stopped; nothing was written.")
    head.add_argument("path", help="the file to write, in JSON")
    three = actions.add_parser("accept", help="accept the ledger as it is, although entries are lost")
    three.set_defaults(run=accept, stopped="Stopped; nothing was accepted.")
    three.add_argument(
        "--lost", type=int, metavar="N", help="the number of entries that the ledger lacks; without it, the command "
        "prints it. The budget of lost charges can be spent again, which breaks the promise to the people in the data",
    )  # fmt: skip
    other = actions.add_parser("rekey", help="change the key: sign every entry again with the key that is set now")
    other.set_defaults(run=rekey, stopped="Stopped; the key was not changed.")
    which = other.add_mutually_exclusive_group(required=True)
    which.add_argument("--old", metavar="FILE", help="the file with the key that signed the ledger")
    which.add_argument(
        "--lost", action="store_true", help="that key is lost: nobody can check any more who wrote the charges so far"
    )


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


def show(chosen: argparse.Namespace) -> None:
    """Print the sums of every account, or the releases of one."""
    with opened(checked=True) as ledger:
        if chosen.account is not None:
            _print(_releases(named(ledger, chosen.account)))
        elif accounts := ledger.accounts():
            _print([("data set", "total", "spent", "left", "releases", "protects"), *map(_sums, accounts)])
        else:
            print("Nothing has been released from this ledger yet.")


def export(chosen: argparse.Namespace) -> None:
    """Write every release of an account, with its plan and its guarantee."""
    from ..ledger.history.entries import standing
    from ..ledger.history.statement import history_as_csv, history_as_json

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


def verify(chosen: argparse.Namespace) -> None:
    """Verify the ledger against its chain and its head, or a copy against its chain."""
    from ..ledger import upkeep

    if chosen.path is not None:
        _verify_copy(Path(chosen.path), chosen.heads)
        return
    with opened(checked=False) as ledger:
        _tell(ledger)
        lost = max(upkeep.entries_lost(ledger), _lost_since(ledger, chosen.heads))
    if lost:
        raise LedgerError(LACKS.format(_entries(lost)))
    print("Nothing is missing.")


def heads(chosen: argparse.Namespace) -> None:
    """Write the heads of the ledger, which have no names, plans or answers."""
    from ..ledger import upkeep

    with opened(checked=True) as ledger:
        Path(chosen.path).write_text(upkeep.heads_as_json(ledger), encoding="utf-8")
    print(f"Wrote the last entry of every account to {chosen.path}: keep it where people who can write here cannot.")


def accept(chosen: argparse.Namespace) -> None:
    """Accept a ledger that lacks entries, if the caller says how many."""
    from ..ledger import upkeep

    with opened(checked=False) as ledger:
        lost = upkeep.entries_lost(ledger)
        if not lost:
            print("This ledger lacks nothing: there is nothing to accept.")
            return
        if chosen.lost is None:
            raise ParameterError(
                "--lost", f"must be {lost} to accept this ledger: it lacks at least {_entries(lost)}. The "
                "budget of lost charges could then be spent again. Look for a newer one first.",
            )  # fmt: skip
        upkeep.accept(ledger, chosen.lost)
    print(f"Accepted, with at least {_entries(lost)} lost. {CLOSE}")


def rekey(chosen: argparse.Namespace) -> None:
    """Sign every entry with the key that is set now, after all of them verified under the old one."""
    from ..ledger import upkeep
    from ..ledger.accounts import Ledger, key_from_environment

    old = None if chosen.lost else Path(chosen.old).read_text(encoding="utf-8").strip()
    new = key_from_environment(make=not releases_only())
    if new is None:
        raise ParameterError("DPQ_LEDGER_KEY", "must be set: it is the new key of the ledger.")
    ledger = Ledger.from_environment(with_key=False)
    try:
        upkeep.rekey(ledger, old, new)
        charges = sum(each.charges for each in upkeep.verify(ledger))
    finally:
        ledger.engine.dispose()
    unproven = " Nobody can check who wrote them." if chosen.lost else ""
    print(f"Changed the key: {_charges(charges)} signed again.{unproven} {REKEYED}")


def _charges(count: int) -> str:
    from ..results.wording import count_in_words

    return count_in_words(count, "charge")


def _entries(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _tell(ledger: Ledger) -> None:
    """Say what was found in each account. Raises LedgerError where something is wrong."""
    from ..ledger import upkeep

    found = upkeep.verify(ledger)
    for each in found:
        keyless = f", {each.without_key} of them signed without the key" if each.without_key else ""
        print(
            f"{each.account}: {_charges(each.charges)} verified{keyless}{f'; {each.problem}' if each.problem else ''}."
        )
    if ledger.key is None:
        print("Without the key, the command did not check who signed the entries.")
    broken = [each.account for each in found if each.problem]
    if broken:
        raise LedgerError(upkeep.BROKEN.format(", ".join(broken)))


def _lost_since(ledger: Ledger, heads: str | None) -> int:
    """Return how many charges are missing of those in a file of heads, if there is one."""
    from ..ledger import upkeep

    return 0 if heads is None else upkeep.entries_lost_since(ledger, Path(heads).read_text(encoding="utf-8"))


def _verify_copy(path: Path, heads: str | None = None) -> None:
    """Verify a copy against its chain, and against heads that were kept elsewhere."""
    with opened(checked=False) as own:
        key = own.key
    with _copy_of(path, key) as copy:
        _tell(copy)
        lost = _lost_since(copy, heads)
    if lost:
        raise LedgerError(LACKS.format(_entries(lost)))


@contextmanager
def _copy_of(path: Path, key: bytes | None) -> Iterator[Ledger]:
    """Open a file without touching it: a copy of it is opened, and brought up to date where it is older."""
    from ..ledger.accounts import Ledger

    with TemporaryDirectory() as folder:
        copy = Path(shutil.copyfile(path, Path(folder) / path.name))
        ledger = Ledger.at(copy, key=None if key is None else key.decode())
        try:
            yield ledger
        finally:
            ledger.engine.dispose()
