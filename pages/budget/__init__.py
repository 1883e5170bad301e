"""The budget of a data set: which account pays, what is left, and what was spent."""

from . import counts, spending, underway
from .alike import compare_files, tell_of_account, tell_of_release
from .mismatches import PROTECT, before_reading
from .panel import (
    NOBODY_KNOWS,
    PayingAccount,
    account_of_file,
    choose_payer,
    keep_fields,
    key_problem,
    left_in_numbers,
    open_ledger,
    say_if_closed,
    spent_of,
)

__all__ = [
    "NOBODY_KNOWS",
    "PROTECT",
    "PayingAccount",
    "account_of_file",
    "before_reading",
    "choose_payer",
    "compare_files",
    "counts",
    "keep_fields",
    "key_problem",
    "left_in_numbers",
    "open_ledger",
    "say_if_closed",
    "spending",
    "spent_of",
    "tell_of_account",
    "tell_of_release",
    "underway",
]
