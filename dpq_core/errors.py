"""Everything a caller can do wrong, as one small tree.

    ValueError
      ParameterError   a setting is out of range or does not fit another one; `.name` is the setting
        Infeasible     the settings are legal but no sound answer exists for them
        BudgetError    the data set's budget does not cover the request; `.remaining`, `.requested`
      DataError        the data cannot be read or used; names a row, never a cell
      LedgerError      the ledger cannot be reached, or must not be used as it is

A message has one shape: `` `epsilon` must be finite and > 0, got -1.0. ``
It carries parameters, and never a value, a count or a statistic of the data.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TypeGuard

LARGEST = sys.float_info.max
"""No setting is larger: an integer may be, and then no float can hold it."""


@dataclass(frozen=True)
class Way:
    """One change of a single setting with which a refused plan can be answered, for a form to offer.

    `name`: epsilon, delta, budget (its kind), adjacency, mechanism, or an option of the plan's mechanism. `value`: what
    does; None where only whoever knows the column can say.
    """

    name: str
    value: str | int | float | bool | None = None


class ParameterError(ValueError):
    """A setting that cannot be used; `.name` says which, so that a form can point at it.

    `.ways`: changes that do instead, each by itself, the best first; from public facts only. Empty where none is known.
    """

    def __init__(self, name: str, message: str, ways: tuple[Way, ...] = ()) -> None:
        super().__init__(message)
        self.name = name
        self.ways = ways


class Infeasible(ParameterError):
    """Legal settings for which no sound answer exists; the message says which would do.

    Where a noisy count of the records had to be drawn to find out, `.noisy_count` is that count and `.charged` the
    epsilon that it has spent: both may be shown, and a second attempt reuses the count.
    """

    def __init__(
        self,
        name: str,
        message: str,
        ways: tuple[Way, ...] = (),
        *,
        noisy_count: int | None = None,
        charged: float = 0.0,
    ) -> None:
        super().__init__(name, message, ways)
        self.noisy_count = noisy_count
        self.charged = charged


class BudgetError(ParameterError):
    """A request that the remaining budget does not cover; `.remaining` and `.requested` are in its unit: ε, δ or ρ."""

    def __init__(self, message: str, *, remaining: float, requested: float) -> None:
        super().__init__("privacy", message)
        self.remaining = remaining
        self.requested = requested


class LedgerError(ValueError):
    """A ledger that cannot be reached, or must not be used as it is; the sentence says what was charged."""


class DataError(ValueError):
    """Data that cannot be read or used; the message names a row at most, never a cell."""


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number that a float can hold, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def shown(value: object) -> str:
    """Return how a message quotes a setting: 40 characters of it at most, whatever it is; text in quotation marks."""
    try:
        text = repr(value[:41]) if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists in lists in lists
        return f"a {type(value).__name__} too long to show"
    return text if len(text) <= 42 else f"{text[:40]}…"
