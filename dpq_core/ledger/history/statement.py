"""The history of an account in files for an auditor: the numbers of the page Releases under the same names, and more.

Sums that are exact are written as exact decimals in text. `plan` is a plan as JSON; `price`, `counted` and `left` are
those of the page, in `unit`; `guarantee_...` is what the release alone guarantees, `adds_...` what it adds to the exact
sums that decide. `columns`, `levels` and `groups` have semicolons between; groups that a release found are not named.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ...privacy.budgets import privacy_as_dict
from ...release import now
from ...tabular import table_as_csv
from .amounts import shown
from .entries import Line, Standing

COLUMNS = (
    "number", "release_id", "state", "charged", "finished", "who", "mechanism", "quantiles", "size", "plan", "unit",
    "price", "counted", "left", "guarantee_protects", "guarantee_epsilon", "guarantee_delta", "guarantee_rho",
    "adds_epsilon", "adds_delta", "adds_rho", "data_set", "number_in_data_set", "columns", "levels", "groups",
)  # fmt: skip
"""Of the CSV."""


def history_as_csv(found: Standing) -> str:
    """Return the history as CSV for an auditor or a spreadsheet: one line for each release."""
    rows = [
        _line(line, found.balance.unit) | {"plan": line.entry.plan.to_json(), "data_set": found.account.name}
        for line in found.lines
    ]
    return table_as_csv(COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


def history_as_json(found: Standing) -> str:
    """Return the account, its statement, its exact sums and limits, and every release as JSON for an auditor."""
    account, balance = found.account, found.balance
    return json.dumps(
        {
            "account": account.name,
            "one_row_is": account.one_row_is,
            "protects": account.protects,
            "adjacency": account.adjacency.value,
            "budget": privacy_as_dict(account.budget),
            "opened": account.opened,
            "closed": account.closed,
            "written": now(),
            "unit": balance.unit,
            **balance.as_dict(),
            "details": found.details(),
            "sums": {name: _text(part) for name, part in vars(found.total).items()},
            "limits": [{name: _text(part) for name, part in vars(limits).items()} for limits in found.limits],
            "releases": [_line(line, balance.unit) for line in found.lines],
        },
        indent=2,
    )


def _line(line: Line, unit: str) -> dict[str, Any]:
    entry, guarantee = line.entry, line.entry.guarantee
    return {
        "number": entry.number,
        "release_id": entry.release_id,
        "state": entry.state.value,
        "charged": entry.charged,
        "finished": entry.finished,
        "who": entry.who,
        "mechanism": " ".join(entry.plan.mechanisms),
        "quantiles": entry.plan.levels if entry.size is None else None,
        "size": entry.size,
        "plan": entry.plan.as_dict(),
        "number_in_data_set": entry.place,
        "columns": "; ".join(entry.names),
        "levels": "; ".join(map(str, entry.quantiles if entry.size is None else ())),
        "groups": "; ".join(entry.group_names),
        "unit": unit,
        "price": None if line.price is None else shown(line.price),
        "counted": shown(line.counted),
        "left": shown(line.left),
        "guarantee_protects": guarantee.protects,
        "guarantee_epsilon": repr(guarantee.epsilon),
        "guarantee_delta": repr(guarantee.delta),
        "guarantee_rho": None if guarantee.rho is None else repr(guarantee.rho),
        **{f"adds_{name}": str(part) for name, part in vars(entry.counted).items()},
    }


def _text(part: Decimal | None) -> str | None:
    return None if part is None else str(part)
