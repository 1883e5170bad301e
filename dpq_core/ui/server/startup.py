"""What the server does before its first visitor: it loads what pages need, and keeps it out of garbage collections.

Streamlit collects garbage after every run of a page, so that nothing of a visitor's data lies about. What was loaded
stays for ever, and looking through it again took more time than all the rest of a press. What visitors hold is looked
through after every run, which takes 23 ms with sixteen visitors. Where that was cut to 2 ms, a phone did not scroll to
its answer in two of thirty presses, most likely because Streamlit gives up a runner that has ended, and with it what it
has said last, if a fragment asks to run again before that is delivered. The collection is the pause in which it is.
"""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from ...privacy import rho_to_epsilon
from . import calls

PACKAGES = ("dpq_core.ui", "dpq_core.figures", "dpq_core.ledger")
"""Loaded with all their modules."""
TABLES = "pandas.io.formats.style"
"""What draws tables, which pandas itself loads at the first one."""


@asynccontextmanager
async def ready(_app: Any) -> AsyncIterator[None]:
    """Load and set aside, for `st.App(lifespan=)`: the server answers nobody before."""
    load()
    calls.serve_from_here()
    gc.collect()
    gc.freeze()
    yield


def load() -> None:
    """Import what the first visitor would wait for: the pages' modules, the tables, the accountant, the ledger."""
    for name in PACKAGES:
        for module in walk_packages(import_module(name).__path__, f"{name}."):
            import_module(module.name)
    import_module(TABLES)
    rho_to_epsilon(1.0, 1e-6)  # loads the accountant
