"""The commands `ledger` and `report`: what was spent; verify, accept, rekey; the report of a stored release."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..errors import LedgerError, ParameterError
from ..mode import releases_only
from ..results.wording import count_in_words
from .texts import about, say, text_of, writing

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..ledger.accounts import Account, Ledger
    from ..ledger.history.entries import Entry, Stored

CLOSE = (
    "Close the accounts whose budget may have been spent; in Python, "
    'dpq_core.account("patients").close() closes one for good.'
)
REKEYED = (
    "Start programs that use this ledger again with the new key. Files that were charged before are no longer "
    "recognised. Copies so far are written with the old key: make a new one."
)
DOCUMENT = ".html"
CALLED = {"name": "account"}
"""Settings of the ledger by the words that name them."""
LACKS = "This ledger lacks at least {}: it is older than its head, or another one."


@contextmanager
def opened(*, checked: bool) -> Iterator[Ledger]:
    """Open the ledger of this machine; not `checked`: even one older than its head."""
    from ..ledger.accounts import DEFAULT_FILE, DEFAULT_KEY_FILE, Ledger

    where = os.environ.get("DPQ_LEDGER_URL") or str(DEFAULT_FILE.expanduser())
    if "://" not in where and not Path(where).is_file():
        must = f"must be there: there is no file at DPQ_LEDGER_URL ({DEFAULT_FILE} if that is not set)."
        raise ParameterError("ledger", must)
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
            _print(_releases(ledger.account(chosen.account)))
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
        text = forms[path.suffix](standing(ledger.account(chosen.account)))
    with writing():
        path.write_text(text, encoding="utf-8")
    print(f"Wrote the history of {chosen.account} to {path}.")


def _sums(account: Account) -> tuple[str, ...]:
    from ..ledger.history.entries import standing

    history = standing(account)
    amounts = history.balance.as_dict()
    spent, left = (f"{history.balance.letter} = {amounts[name]}" for name in ("spent", "left"))
    closed = ", closed" if account.closed else ""
    return account.name, str(account.budget), spent, left, str(len(history.lines)), f"one {account.protected}{closed}"


def _releases(account: Account) -> list[tuple[str, ...]]:
    from ..ledger.history.amounts import shown
    from ..ledger.history.entries import standing

    history = standing(account)
    rows = [
        (
            str(line.entry.place), line.entry.charged, ", ".join(line.entry.names) or "-",
            ", ".join(line.entry.plan.mechanisms), _asked(line.entry), line.entry.state.value,
            shown(line.counted), shown(line.left), line.entry.release_id,
        )
        for line in history.lines
    ]  # fmt: skip
    letter = history.balance.letter
    counted, left = f"counted ({letter})", f"left ({letter})"
    return [("no.", "when (UTC)", "of", "mechanism", "quantiles", "outcome", counted, left, "release id"), *rows]


def _asked(entry: Entry) -> str:
    return f"{entry.requested} in {entry.groups}" if entry.groups else entry.requested


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns that are as wide as they must be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def report(chosen: argparse.Namespace) -> None:
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
        made = Report.of_stored(_stored(ledger, chosen.account, chosen.release_id), chosen.people)
    with writing():
        out.write_text(as_html(made), encoding="utf-8")
    say(chosen, f"Wrote the report to {out}.")


def _stored(ledger: Ledger, name: str, release_id: str | None) -> Stored:
    """Return a stored answer of an account: the one with this id, or the last one."""
    from ..ledger.history.entries import stored_releases

    found = stored_releases(ledger, 1, account=ledger.account(name), release_id=release_id)
    if not found:
        must = "must be that of an answered release of this data set, and not of a synthetic column: `dpq ledger show` "
        raise ParameterError("release_id", f"{must}with the name of the data set lists their ids.")
    return found[0]


def verify(chosen: argparse.Namespace) -> None:
    """Verify the ledger against its chain and its head, or a copy against its chain; and against heads of a file."""
    from ..ledger import verifying

    with opened(checked=False) as own, _copy_of(chosen.path, own) as ledger:
        found = verifying.verify(ledger)
        for each in found:
            keyless = f", {each.without_key} of them signed without the key" if each.without_key else ""
            problem = f"; {each.problem}" if each.problem else ""
            print(f"{each.account}: {count_in_words(each.charges, 'charge')} verified{keyless}{problem}.")
        if ledger.key is None:
            print("Without the key, the command did not check who signed the entries.")
        if broken := [each.account for each in found if each.problem]:
            raise LedgerError(verifying.BROKEN.format(", ".join(broken)))
        lost = 0 if chosen.path is not None else verifying.entries_lost(ledger)
        with about(chosen.heads):
            since = 0 if chosen.heads is None else verifying.entries_lost_since(ledger, text_of(chosen.heads))
    if lost := max(lost, since):
        raise LedgerError(LACKS.format(count_in_words(lost, "entry")))
    if chosen.path is None:
        print("Nothing is missing.")


def heads(chosen: argparse.Namespace) -> None:
    """Write the heads of the ledger, which have no names, plans or answers."""
    from ..ledger import verifying

    with opened(checked=True) as ledger, writing():
        Path(chosen.path).write_text(verifying.heads_as_json(ledger), encoding="utf-8")
    print(f"Wrote the last entry of every account to {chosen.path}: keep it where people who can write here cannot.")


def accept(chosen: argparse.Namespace) -> None:
    """Accept a ledger that lacks entries, if the caller says how many."""
    from ..ledger import verifying

    with opened(checked=False) as ledger:
        lost = verifying.entries_lost(ledger)
        if not lost:
            print("This ledger lacks nothing: there is nothing to accept.")
            return
        entries = count_in_words(lost, "entry")
        if chosen.lost is None:
            could = "The budget of lost charges could then be spent again. Look for a newer one first."
            must = f"must be {lost} to accept this ledger: it lacks at least {entries}. {could}"
            raise ParameterError("--lost", must)
        verifying.accept(ledger, chosen.lost)
    print(f"Accepted, with at least {entries} lost. {CLOSE}")


def rekey(chosen: argparse.Namespace) -> None:
    """Sign every entry with the key that is set now, after all of them verified under the old one."""
    from ..ledger import verifying
    from ..ledger.accounts import Ledger, key_from_environment

    old = None if chosen.lost else text_of(chosen.old).strip()
    new = key_from_environment(make=not releases_only())
    if new is None:
        raise ParameterError("DPQ_LEDGER_KEY", "must be set: it is the new key of the ledger.")
    ledger = Ledger.from_environment(with_key=False)
    try:
        verifying.rekey(ledger, old, new)
        charges = sum(each.charges for each in verifying.verify(ledger))
    finally:
        ledger.engine.dispose()
    unproven = " Nobody can check who wrote them." if chosen.lost else ""
    print(f"Changed the key: {count_in_words(charges, 'charge')} signed again.{unproven} {REKEYED}")


@contextmanager
def _copy_of(path: str | None, own: Ledger) -> Iterator[Ledger]:
    """Open a file without touching it: a copy of it is opened, and brought up to date where it is older."""
    from ..ledger.accounts import Ledger

    if path is None:
        yield own
        return
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copyfile(path, Path(folder) / Path(path).name))
        ledger = Ledger.at(copy, key=None if own.key is None else own.key.decode())
        try:
            yield ledger
        finally:
            ledger.engine.dispose()
