"""What a release from the command line prints: everything that may be published of it, as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from ..groups import NO_GROUP, GroupedRelease
from ..release import QuantileRelease
from ..sources.column import iso_date
from . import groups


def print_release(released: QuantileRelease | GroupedRelease, unit: str, *, as_table: bool, **charged: str) -> None:
    """Print a release of a column in a unit, and what was charged for it: as JSON, that of groups also as a table.

    Where no group could be named, that is said on the terminal.
    """
    plain: Callable[[float], float | str] = iso_date if unit == "date" else float
    label = {"label": _label_of(released)}
    in_unit = {"unit": unit} if unit else {}
    if isinstance(released, GroupedRelease) and not released.values:
        print(NO_GROUP, file=sys.stderr)
    if isinstance(released, GroupedRelease) and as_table:
        print(groups.as_csv(released, plain, in_unit | label | charged), end="")
        return
    if isinstance(released, GroupedRelease):
        answers = groups.answers_of(released, plain)
    else:
        answers = _answers_of(released, plain)
    content = {"kind": "release"} | in_unit | answers | _public_facts(released)
    print(json.dumps(label | content | charged, indent=2, ensure_ascii=False))


def _label_of(released: QuantileRelease | GroupedRelease) -> str:
    whom = "person with all rows" if released.guarantee.protects == "person" else "person"
    words = f"{released.plan.privacy}, {released.plan.adjacency.of(whom)}"
    return f"Release: {words}. Noise from the operating system. May be shown to anyone."


def _answers_of(released: QuantileRelease, plain: Callable[[float], float | str]) -> dict[str, Any]:
    """Return the quantiles with their intervals; dates as dates."""
    levels = map(str, released.plan.quantiles)
    quantiles: list[dict[str, Any]] = [
        {"level": q, "value": plain(x)} for q, x in zip(levels, released.values, strict=True)
    ]
    for quantile, (low, high) in zip(quantiles, released.intervals, strict=False):
        quantile |= {"low": plain(low), "high": plain(high)}
    basis = {} if released.basis is None else {"intervals": released.basis.as_dict()}
    found = {} if released.find_bounds is None else {"find_bounds": released.find_bounds.as_dict()}
    return {"quantiles": quantiles, **basis, **found}


def _public_facts(released: QuantileRelease | GroupedRelease) -> dict[str, Any]:
    """Return everything else that may be published of a release, in plain values; the domain of dates in days."""
    return {
        "guarantee": released.guarantee.as_dict(),
        "plan": released.plan.as_dict(),
        "domain": released.domain.as_dict(),
        "warnings": list(released.warnings),
        "notes": list(released.notes),
        "version": released.version,
    }
