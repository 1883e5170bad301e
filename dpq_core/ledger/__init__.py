"""Record in SQL what was spent on which data set; a release is charged before it is drawn.

    ledger = Ledger.from_environment()
    account = ledger.open_account("patients", budget=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="patient")
    answer = charged_release(sample, plan, account)
    sums(account).remaining, standing(account).entries

`filters` has the rule and its proof. `import dpq_core` does not load this part: it needs SQLAlchemy.
"""

from __future__ import annotations

from . import upkeep
from .accounts import (
    DEFAULT_FILE,
    DEFAULT_KEY_FILE,
    Account,
    Ledger,
    checked_text,
    key_from_environment,
    refusal_when_new,
)
from .answers import AnswerWords, ReleaseMetadata
from .charging import (
    Request,
    charged_answer,
    charged_columns,
    charged_groups,
    charged_release,
    charged_synthesis,
    new_release_id,
)
from .checking import State
from .files import (
    NOT_COMPARED,
    accounts_with_column,
    alike,
    compare_files,
    fingerprint_by_digest,
    fingerprint_of,
    fingerprint_of_file,
)
from .filters import ReleaseCost, grant, limits_of
from .fingerprints import digest_of
from .history import (
    Entry,
    EntryGroups,
    Standing,
    Statement,
    StatementLine,
    Sums,
    history_as_csv,
    history_as_json,
    shown,
    standing,
    statement,
    sums,
)
from .remembering import remember, remember_readings, remembered, remembered_readings

__all__ = [
    "DEFAULT_FILE",
    "DEFAULT_KEY_FILE",
    "NOT_COMPARED",
    "Account",
    "AnswerWords",
    "Entry",
    "EntryGroups",
    "Ledger",
    "ReleaseCost",
    "ReleaseMetadata",
    "Request",
    "Standing",
    "State",
    "Statement",
    "StatementLine",
    "Sums",
    "accounts_with_column",
    "alike",
    "charged_answer",
    "charged_columns",
    "charged_groups",
    "charged_release",
    "charged_synthesis",
    "checked_text",
    "compare_files",
    "digest_of",
    "fingerprint_by_digest",
    "fingerprint_of",
    "fingerprint_of_file",
    "grant",
    "history_as_csv",
    "history_as_json",
    "key_from_environment",
    "limits_of",
    "new_release_id",
    "refusal_when_new",
    "remember",
    "remember_readings",
    "remembered",
    "remembered_readings",
    "shown",
    "standing",
    "statement",
    "sums",
    "upkeep",
]
