"""Check the chain of a SQLite ledger with nothing of this project: docs/ledger.md says what an entry is.

python docs/static/check_ledger.py ledger.sqlite key     the file `key` has the secret, as ~/.dpq/key does
"""

import hmac
import json
import sqlite3
import sys
from contextlib import closing
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

OPENED = ("number", "name", "one_row_is", "adjacency", "budget", "opened", "unproven", "earlier_links")
CHARGED = (
    "place", "release_id", "plan", "size", "request", "file", "who", "epsilon", "delta", "rho", "counts",
    "protects", "charged", "earlier_links",
)  # fmt: skip
ENDED = ("place", "state", "refused_epsilon", "finished", "answer")
"""What each kind of entry says, by the names of its columns."""


def check(ledger: str, key: bytes) -> list[str]:
    """Return a line for each account. Raises ValueError for an entry that is missing or was changed."""
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        return [_account(database, account, key) for account in database.execute("SELECT * FROM dpq_accounts")]


def _account(database: sqlite3.Connection, account: sqlite3.Row, key: bytes) -> str:
    charges = database.execute("SELECT * FROM dpq_releases WHERE account = ?", [account["number"]]).fetchall()
    entries = {0: ("opened", [account[name] for name in OPENED], account["link"])}
    entries |= {row["place"]: ("charged", [row[name] for name in CHARGED], row["link"]) for row in charges}
    ended = [row for row in charges if row["end_place"] is not None]
    entries |= {row["end_place"]: ("ended", [row[name] for name in ENDED], row["end_link"]) for row in ended}
    if account["closed_place"] is not None:
        entries[account["closed_place"]] = ("closed", [account["closed"]], account["closed_link"])
    before = ""
    for place in range(max(entries) + 1):
        kind, said, link = entries.get(place, ("", [], ""))
        digest = sha256(json.dumps(said).encode()).hexdigest()
        signed = json.dumps(["dpq ledger chain 2", before, kind, digest]).encode()
        before = f"keyed:{hmac.new(key, signed, 'sha256').hexdigest()}"
        if link != before:
            raise ValueError(f"{account['name']}: entry {place} is missing or was changed.")
    spent = sum(Decimal(row["epsilon"]) for row in charges)
    return f"{account['name']}: {len(entries)} entries hold; epsilon adds up to {spent}, of {account['budget']}"


if __name__ == "__main__":
    print(*check(sys.argv[1], Path(sys.argv[2]).read_bytes().strip()), sep="\n")
