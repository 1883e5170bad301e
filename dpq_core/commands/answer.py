"""What a release from the command line prints: everything that may be published of it, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..release import QuantileRelease
from ..sources.column import Kind, iso_date


def print_release(released: QuantileRelease, kind: Kind, **charged: str) -> None:
    """Print a release of a column of a kind, and what was charged for it."""
    print(json.dumps(_as_dict(released, kind) | charged, indent=2, ensure_ascii=False))


def _as_dict(released: QuantileRelease, kind: Kind) -> dict[str, Any]:
    """Return everything that may be published of a release, in plain values; dates as dates, the domain in days."""
    whom = "person with all rows" if released.guarantee.protects == "person" else "person"
    words = f"{released.plan.privacy}, {released.plan.adjacency.of(whom)}"
    levels = map(str, released.plan.quantiles)
    plain: Callable[[float], float | str] = iso_date if kind == "date" else float
    quantiles: list[dict[str, Any]] = [
        {"level": q, "value": plain(x)} for q, x in zip(levels, released.values, strict=True)
    ]
    for quantile, (low, high) in zip(quantiles, released.intervals, strict=False):
        quantile |= {"low": plain(low), "high": plain(high)}
    basis = {} if released.basis is None else {"intervals": released.basis.as_dict()}
    return {
        "label": f"Release: {words}. Noise from the operating system. May be shown to anyone.",
        "kind": "release",
        "quantiles": quantiles,
        **({"unit": "date"} if kind == "date" else {}),
        **basis,
        "guarantee": released.guarantee.as_dict(),
        "plan": released.plan.as_dict(),
        "domain": released.domain.as_dict(),
        "warnings": list(released.warnings),
        "notes": list(released.notes),
        "version": released.version,
    }
