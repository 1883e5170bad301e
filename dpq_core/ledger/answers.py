"""Released answers as text and back: what a ledger keeps so that the same download needs no second draw."""

from __future__ import annotations

import json
from math import inf

from ..domain import Domain
from ..plan import Plan
from ..privacy import Adjacency, Guarantee
from ..release import QuantileRelease


def answer_as_json(answer: QuantileRelease) -> str:
    """A release as JSON text, without its plan, which the ledger has already."""
    domain = answer.domain
    return json.dumps(
        {
            "values": answer.values,
            "guarantee": answer.guarantee.as_dict(),
            "domain": [str(domain.lower), str(domain.upper), str(domain.step)],
            "warnings": answer.warnings,
            "notes": answer.notes,
            "version": answer.version,
        }
    )


def answer_from_json(stored: str, plan: Plan) -> QuantileRelease:
    """The release that `answer_as_json` wrote, with its plan: equal to the first one."""
    parts = json.loads(stored)
    guarantee = parts["guarantee"]
    if guarantee["epsilon"] is None:
        guarantee["epsilon"] = inf
    guarantee["adjacency"] = Adjacency(guarantee["adjacency"])
    return QuantileRelease(
        values=tuple(parts["values"]),
        guarantee=Guarantee(**guarantee),
        plan=plan,
        domain=Domain(*parts["domain"]),
        warnings=tuple(parts["warnings"]),
        notes=tuple(parts["notes"]),
        version=parts["version"],
    )
