"""What a release from the command line prints: everything that may be published of it, as JSON."""

from __future__ import annotations

import json
from typing import Any

from ..release import QuantileRelease


def print_release(released: QuantileRelease, **charged: str) -> None:
    """Print a release, and what was charged for it."""
    print(json.dumps(_as_dict(released) | charged, indent=2, ensure_ascii=False))


def _as_dict(released: QuantileRelease) -> dict[str, Any]:
    """Return everything that may be published of a release, in plain values."""
    whom = "person with all rows" if released.guarantee.protects == "person" else "person"
    words = f"{released.plan.privacy}, {released.plan.adjacency.of(whom)}"
    levels = map(str, released.plan.quantiles)
    quantiles: list[dict[str, Any]] = [{"level": q, "value": x} for q, x in zip(levels, released.values, strict=True)]
    for quantile, (low, high) in zip(quantiles, released.intervals, strict=False):
        quantile |= {"low": low, "high": high}
    basis = {} if released.basis is None else {"intervals": released.basis.as_dict()}
    return {
        "label": f"Release: {words}. Noise from the operating system. May be shown to anyone.",
        "kind": "release",
        "quantiles": quantiles,
        **basis,
        "guarantee": released.guarantee.as_dict(),
        "plan": released.plan.as_dict(),
        "domain": released.domain.as_dict(),
        "warnings": list(released.warnings),
        "notes": list(released.notes),
        "version": released.version,
    }
