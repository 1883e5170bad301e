"""Whether this server gives only charged releases of its visitors' own data."""

from __future__ import annotations

import os
from collections.abc import Mapping

SERVER_MODE = "DPQ_MODE"


def releases_only(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether DPQ_MODE is `release`: own data is then never explored, and no release goes without a ledger."""
    return environment.get(SERVER_MODE, "").strip().lower() == "release"
