"""Released answers as text and back, stored so that the same download needs no second draw.

Beside the numbers stand the words for them, so that a report a day later needs nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf

from ..domain import Domain, FindBounds
from ..plan import Plan
from ..privacy import Adjacency, Guarantee
from ..release import QuantileRelease


@dataclass(frozen=True, kw_only=True)
class AnswerWords:
    """What the answers of one release are of; public: what the curator said, and the names in the file's header."""

    column: str
    kind: str
    """`number`, `money`, `percent`, `date` or `duration`."""
    unit: str
    one: str
    many: str
    records: int | None = None
    """How many there were, where the adjacency of the account makes that public; the ledger counts them itself."""

    def as_json(self) -> str:
        """Return the words as text for the ledger; `words_from_json` reads them back."""
        return json.dumps(vars(self), ensure_ascii=False)


def words_from_json(stored: str | None) -> AnswerWords | None:
    """Return the words that `AnswerWords.as_json` wrote, or None where the ledger has none (older releases)."""
    return None if stored is None else AnswerWords(**json.loads(stored))


def answer_as_json(answer: QuantileRelease) -> str:
    """Return a release as JSON text, without its plan, which the ledger stores already."""
    found = {} if answer.find_bounds is None else {"find_bounds": answer.find_bounds.as_dict()}
    return json.dumps(
        {
            "values": answer.values,
            "guarantee": answer.guarantee.as_dict(),
            "domain": answer.domain.as_dict(),
            "warnings": answer.warnings,
            "notes": answer.notes,
            "version": answer.version,
        }
        | found
    )


def answer_from_json(stored: str, plan: Plan) -> QuantileRelease:
    """Return the release that `answer_as_json` wrote, with its plan: equal to the first one."""
    parts = json.loads(stored)
    guarantee, domain = parts["guarantee"], parts["domain"]
    if guarantee["epsilon"] is None:
        guarantee["epsilon"] = inf
    guarantee["adjacency"] = Adjacency(guarantee["adjacency"])
    return QuantileRelease(
        values=tuple(parts["values"]),
        guarantee=Guarantee(**guarantee),
        plan=plan,
        domain=Domain(*domain) if isinstance(domain, list) else Domain.from_dict(domain),  # a list: version 0.2.0
        warnings=tuple(parts["warnings"]),
        notes=tuple(parts["notes"]),
        version=parts["version"],
        find_bounds=FindBounds.from_dict(parts["find_bounds"]) if "find_bounds" in parts else None,
    )
