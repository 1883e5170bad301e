"""What the server does before its first visitor: it loads what pages need, and keeps it out of garbage collections.

Streamlit would look for garbage after every run of a page, among what all visitors hold: with thirty of them that takes
a quarter of the server's time. What a run leaves goes at once, as always in Python, but for what holds itself; for that
is looked every few seconds.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from dpq_core.privacy.conversions import rho_to_epsilon

from . import calls, work

PACKAGES = ("pages", "dpq_core.figures", "dpq_core.ledger")
"""Loaded with all their modules."""
PAGE = ".page"
"""What Streamlit runs for a visitor, and nobody imports."""
TABLES = "pandas.io.formats.style"
"""What draws tables, which pandas itself loads at the first one."""
GARBAGE_SECONDS = 2.0
"""Between two looks for what nobody holds any more."""


@asynccontextmanager
async def ready(_app: Any) -> AsyncIterator[None]:
    """Load and set aside, for `st.App(lifespan=)`: the server answers nobody before."""
    load()
    work.start()
    calls.serve_from_here()
    gc.collect()
    gc.freeze()
    looking = asyncio.create_task(collect_garbage())
    yield
    looking.cancel()


async def collect_garbage() -> None:
    """Look for garbage as long as the server runs; not where nobody has made any since."""
    while True:
        await asyncio.sleep(GARBAGE_SECONDS)
        if any(gc.get_count()[1:]):
            gc.collect()


def load() -> None:
    """Import what the first visitor would wait for: the pages' modules, the tables, the accountant, the ledger."""
    for name in PACKAGES:
        for module in walk_packages(import_module(name).__path__, f"{name}."):
            if not module.name.endswith(PAGE):
                import_module(module.name)
    import_module(TABLES)
    rho_to_epsilon(1.0, 1e-6)  # loads the accountant
    say_if_closed()


def say_if_closed() -> None:
    """Log why this server cannot release anything, where no choice of a visitor can change that."""
    if problem := import_module("pages.payment.ledger").key_problem():
        logging.getLogger(__name__).error(problem)
