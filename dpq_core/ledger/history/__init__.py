"""Read what was charged: entries, sums, statements, and the answers of each charge."""

from .answers import StoredAnswer, StoredTable, answered_at, stored_releases
from .entries import Entry, EntryGroups, Standing, Sums, shown, standing, sums
from .exports import history_as_csv, history_as_json
from .statement import Statement, StatementLine, statement

__all__ = [
    "Entry",
    "EntryGroups",
    "Standing",
    "Statement",
    "StatementLine",
    "StoredAnswer",
    "StoredTable",
    "Sums",
    "answered_at",
    "history_as_csv",
    "history_as_json",
    "shown",
    "standing",
    "statement",
    "stored_releases",
    "sums",
]
