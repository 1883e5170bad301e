"""The budget of a data set: which account pays, what is left, and what was spent."""

from . import counts, spending
from .panel import (
    NOBODY_KNOWS,
    PayingAccount,
    choose_payer,
    compare_files,
    left_in_numbers,
    left_in_words,
    open_ledger,
    spent_of,
)

__all__ = [
    "NOBODY_KNOWS",
    "PayingAccount",
    "choose_payer",
    "compare_files",
    "counts",
    "left_in_numbers",
    "left_in_words",
    "open_ledger",
    "spending",
    "spent_of",
]
