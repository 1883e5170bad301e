"""What the server does before its first visitor: it loads what pages need, and keeps it out of garbage collections.

Streamlit collects garbage after every run of a page, so that nothing of a visitor's data lies about. What was loaded
stays for ever, and looking through it again took more time than all the rest of a press. What visitors hold is looked
through now and then: after every run it took 23 ms with sixteen visitors, and 2 since.

It has to be after every run all the same, however short: the pause in which what a run has said is delivered. Streamlit
gives up a runner that has ended, and with it what it has said last, if a fragment asks to run again before that.
"""

from __future__ import annotations

import asyncio
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
SET_ASIDE_SECONDS, SWEEP_SECONDS = 1.0, 20.0
"""What is there is kept out of the collections after runs once a second, and looked through with all else each 20 s."""
TABLES = "pandas.io.formats.style"
"""What draws tables, which pandas itself loads at the first one."""


@asynccontextmanager
async def ready(_app: Any) -> AsyncIterator[None]:
    """Load and set aside, for `st.App(lifespan=)`: the server answers nobody before; then go on setting aside."""
    load()
    calls.serve_from_here()
    sweep()
    going_on = asyncio.create_task(_set_aside())
    yield
    going_on.cancel()


def sweep() -> None:
    """Collect all garbage, also among what was set aside, and set aside what is left."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


async def _set_aside() -> None:
    """Set aside what visitors hold, so that collections pass over it, and sweep it now and then."""
    while True:
        for _ in range(round(SWEEP_SECONDS / SET_ASIDE_SECONDS)):
            await asyncio.sleep(SET_ASIDE_SECONDS)
            gc.freeze()
        sweep()


def load() -> None:
    """Import what the first visitor would wait for: the pages' modules, the tables, the accountant, the ledger."""
    for name in PACKAGES:
        for module in walk_packages(import_module(name).__path__, f"{name}."):
            import_module(module.name)
    import_module(TABLES)
    rho_to_epsilon(1.0, 1e-6)  # loads the accountant
