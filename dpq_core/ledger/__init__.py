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
from .charging import Request, State, charged_answer, charged_release, charged_synthesis, new_release_id
from .files import fingerprint_by_digest, fingerprint_of, note_file, warnings_about, warnings_before_opening
from .fingerprints import digest_of
from .history import Entry, Standing, Sums, history_as_csv, history_as_json, standing, sums
from .planned import epsilon_if_planned

__all__ = [
    "Account",
    "Entry",
    "Ledger",
    "Request",
    "Standing",
    "State",
    "Sums",
    "Words",
    "charged_answer",
    "charged_release",
    "charged_synthesis",
    "digest_of",
    "epsilon_if_planned",
    "fingerprint_by_digest",
    "fingerprint_of",
    "history_as_csv",
    "history_as_json",
    "new_release_id",
    "note_file",
    "refusal_when_new",
    "standing",
    "sums",
    "warnings_about",
    "warnings_before_opening",
]
