"""How columns of a data set were read in its releases: found for the next file, and remembered after a charge."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dpq_core.errors import LedgerError
from dpq_core.results import DataSet
from dpq_core.sources.reading import Reading

from ..server import signin
from .panel import account_called

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger import Account


def read_otherwise(account: str, said: Mapping[str, Reading]) -> dict[str, Reading]:
    """Return how columns of a data set were read before, by name, for those that are read in another way now.

    Empty where there is no such data set, where the ledger cannot be read, and for a visitor who is not a curator.
    """
    if signin.role() is not signin.Role.CURATOR:
        return {}
    from dpq_core.ledger import remembered_readings

    try:
        known = account_called(account)
        before = {} if known is None else remembered_readings(known)
    except LedgerError:
        return {}
    return {name: before[name] for name, reading in said.items() if before.get(name, reading) != reading}


def remember_readings(account: Account, released: Iterable[DataSet]) -> None:
    """Remember, with the data set that was charged, how its columns are written."""
    from dpq_core.ledger import remember_readings

    try:
        remember_readings(account, {name: reading for each in released for name, reading in each.said.items()})
    except LedgerError:  # the release itself is charged and answered
        logging.getLogger(__name__).warning("How a file is read was not remembered: the ledger could not be reached.")
