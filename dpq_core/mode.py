"""Whether this machine was told to give nothing but charged releases of anybody's own data."""

from __future__ import annotations

import os
from collections.abc import Mapping

SERVER_MODE = "DPQ_MODE"


def releases_only(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether DPQ_MODE is `release`: own data is then never explored, and no release goes without a ledger."""
    return environment.get(SERVER_MODE, "").strip().lower() == "release"
