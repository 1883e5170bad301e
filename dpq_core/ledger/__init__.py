"""The ledger: what has been spent on which data set, kept in SQL; a release is charged before it is drawn.

    ledger = Ledger.from_environment()
    account = ledger.open_account("patients", budget=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="patient")
    answer = charged_release(sample, plan, account)
    sums(account).remaining, standing(account).entries

`filters` has the rule and its proof. `import dpq_core` does not load this part: it needs SQLAlchemy.
"""

from __future__ import annotations

from .accounts import Account, Ledger, refusal_when_new
from .answers import Words
from .balance import Balance, shown
from .charging import Request, State, charged_answer, charged_release, charged_synthesis, new_release_id
from .exports import history_as_csv, history_as_json
from .files import compare_files, fingerprint_by_digest, fingerprint_of, fingerprint_of_file
from .fingerprints import digest_of
from .history import Entry, Standing, Sums, standing, sums
from .planned import epsilon_if_planned
from .statement import Line, Parts, Statement, statement

__all__ = [
    "Account",
    "Balance",
    "Entry",
    "Ledger",
    "Line",
    "Parts",
    "Request",
    "Standing",
    "State",
    "Statement",
    "Sums",
    "Words",
    "charged_answer",
    "charged_release",
    "charged_synthesis",
    "compare_files",
    "digest_of",
    "epsilon_if_planned",
    "fingerprint_by_digest",
    "fingerprint_of",
    "fingerprint_of_file",
    "history_as_csv",
    "history_as_json",
    "new_release_id",
    "refusal_when_new",
    "shown",
    "standing",
    "statement",
    "sums",
]
