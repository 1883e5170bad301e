"""What was said of the columns of a data set in its releases: found for the next file, remembered after a charge."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpq_core.columns import ColumnsRelease
from dpq_core.domain import UNIFORM
from dpq_core.errors import LedgerError
from dpq_core.results import DataSet, Wording, decimals_of
from dpq_core.sources.reading import Reading

from ..server import signin
from .panel import account_called

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger import Account

MOST_LOOKED_AT = 50
"""The last releases of a data set."""


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


@dataclass(frozen=True)
class SaidBefore:
    """What was said of a column before an earlier release, as it is typed, and the number of that release."""

    lower: str
    upper: str
    step: str
    unit: str
    one: str
    number: int


def said_before(account: str, column: str) -> SaidBefore | None:
    """Return what was said of a column before the last release of it alone, between bounds that were said.

    None where there is none, where the ledger cannot be read, and for a visitor who is not a curator.
    """
    from dpq_core.ledger.history import stored_releases

    try:
        known = account_called(account) if signin.role() is signin.Role.CURATOR else None
        stored = [] if known is None else stored_releases(known.ledger, MOST_LOOKED_AT, account=known)
    except LedgerError:
        return None
    for each in stored:
        words, answer = each.words, each.answer
        if words is None or words.column != column or isinstance(answer, ColumnsRelease):
            continue
        domain = answer.domain
        if domain.has_even_steps and answer.find_bounds is None:
            number = Wording(column, words.kind, words.unit, words.one, words.many, decimals_of(domain)).number
            step = f"{float(domain.step):.12g}" if domain.measure == UNIFORM else ""
            ends = number(float(domain.lower)), number(float(domain.upper))
            return SaidBefore(*ends, step, words.unit, words.one, each.number)
    return None


def remember_readings(account: Account, released: Iterable[DataSet]) -> None:
    """Remember, with the data set that was charged, how its columns are written."""
    from dpq_core.ledger import remember_readings

    try:
        remember_readings(account, {name: reading for each in released for name, reading in each.said.items()})
    except LedgerError:  # the release itself is charged and answered
        logging.getLogger(__name__).warning("How a file is read was not remembered: the ledger could not be reached.")
