"""Budgets and guarantees: which relation is protected, and how much is spent.

A pure budget is epsilon; an approximate one (epsilon, delta); a concentrated one rho (zero-concentrated DP).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from math import inf, isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import Name, ParameterError, is_real, shown
from ..texts import in_digits

UNUSUAL_EPSILON = 5.0
"""Above this a budget is legal, and worth a warning."""
SMALLEST_BUDGET = 1e-9
LARGEST_BUDGET = 1e6


class Adjacency(StrEnum):
    """Say what one person can change: the difference that a release protects.

    ADD_REMOVE: one record joins or leaves; their number is private. REPLACE_ONE: one is replaced; it is public.
    """

    ADD_REMOVE = "add_remove"
    REPLACE_ONE = "replace_one"
    SUBSTITUTE = REPLACE_ONE  # as version 1 named it

    @classmethod
    def _missing_(cls, value: object) -> Adjacency | None:
        """Read the words of a person, too, "joins" and "replaced", and the word that version 1 stored."""
        return {"joins": cls.ADD_REMOVE, "replaced": cls.REPLACE_ONE, "substitute": cls.REPLACE_ONE}.get(str(value))

    @classmethod
    def of_text(cls, text: object) -> Adjacency:
        """Return what a text says: joins or replaced, add_remove or replace_one. Raises ParameterError."""
        try:
            return cls(text if isinstance(text, str) else "")  # a text is looked up, and nothing is made one
        except ValueError:
            must = f"must be 'joins' (one joins or leaves) or 'replaced', got {shown(text)}."
            raise ParameterError("adjacency", must) from None

    @property
    def in_words(self) -> str:
        """Return the relation as a sentence about a person."""
        return self.of("person")

    def of(self, one: str) -> str:
        """Return the relation as a sentence about one row, with `one` as its name: "one trip joins or leaves"."""
        return f"one {one} {'joins or leaves' if self is Adjacency.ADD_REMOVE else 'is replaced by another'}"


def with_all_rows(one: str) -> str:
    """Return a person as what a promise covers: `patient with all rows`."""
    return f"{one} with all rows"


def budget_in_digits(number: float, digits: int = 6) -> str:
    """Return an amount of a budget as a person writes it, however small: `0.5`, `0.00001`, `1 × 10⁻⁹`."""
    return in_digits(number, digits, nothing=0.0)


@dataclass(frozen=True)
class PureDP:
    """Limit the change of every output's probability to a factor of e^epsilon: a pure budget. From 1e-9 to 1e6."""

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _checked_budget("epsilon", self.epsilon))

    def __str__(self) -> str:
        return f"ε = {budget_in_digits(self.epsilon)}"


@dataclass(frozen=True)
class ApproxDP:
    """Limit the factor to e^epsilon, up to an additive probability 0 < delta < 1: an approximate budget."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _checked_budget("epsilon", self.epsilon))
        object.__setattr__(self, "delta", plain_number(self.delta))
        if not (is_real(self.delta) and 0 < self.delta < 1):
            raise ParameterError("delta", f"must be > 0 and < 1 (PureDP has none), got {shown(self.delta)}.")

    def __str__(self) -> str:
        return f"ε = {budget_in_digits(self.epsilon)}, δ = {budget_in_digits(self.delta)}"


@dataclass(frozen=True)
class ZCDP:
    """Limit the Renyi divergence of every order a to rho * a: a concentrated budget. From 1e-9 to 1e6."""

    rho: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _checked_budget("rho", self.rho))

    def __str__(self) -> str:
        return f"ρ = {budget_in_digits(self.rho)}"


Privacy: TypeAlias = PureDP | ApproxDP | ZCDP


def budget_of(epsilon: float | None = None, delta: float | None = None, rho: float | None = None) -> Privacy | None:
    """Return the budget that is given as numbers; None where none is. A delta of 0 is none. Raises ParameterError."""
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise ParameterError("rho", ("must be given alone, without ", Name("epsilon"), " or ", Name("delta"), "."))
        return ZCDP(rho)
    if epsilon is None:
        if delta is not None:
            raise ParameterError("epsilon", ("must be given with ", Name("delta"), "."))
        return None
    delta = plain_number(delta)
    return PureDP(epsilon) if delta is None or (is_real(delta) and delta == 0) else ApproxDP(epsilon, delta)


ProtectsAgainst: TypeAlias = Literal["joins", "replaced"]
"""Adjacency in words: that one joins or leaves, or that one is replaced."""
Protects: TypeAlias = Literal["record", "person"]
"""What one change of the data is: of one record, or of one person with all rows."""


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """State the guarantee of a run; all parts hold at once, and None means that a part is not known.

    (epsilon, delta)-DP and, where `rho` is given, rho-zCDP, both for `adjacency`; epsilon is infinite if no pure
    guarantee holds and no delta was requested. `exact` is True for a release: uniform integers from the operating
    system's entropy, compared with exact chances; False for a simulation, which is not a release. `protects` says what
    joins, leaves or is replaced: one record, or one person with all rows.
    """

    epsilon: float
    delta: float
    rho: float | None
    adjacency: Adjacency
    exact: bool = False
    protects: Protects = "record"

    @classmethod
    def of(cls, privacy: Privacy, adjacency: Adjacency, protects: Protects = "record") -> Guarantee:
        """Return the guarantee of a budget that is spent completely."""
        if isinstance(privacy, ZCDP):
            return cls(epsilon=inf, delta=0.0, rho=privacy.rho, adjacency=adjacency, protects=protects)
        delta = privacy.delta if isinstance(privacy, ApproxDP) else 0.0
        return cls(epsilon=privacy.epsilon, delta=delta, rho=None, adjacency=adjacency, protects=protects)

    def as_dict(self) -> dict[str, Any]:
        """Return the guarantee as plain values for JSON, where an infinite epsilon is None."""
        epsilon = self.epsilon if isfinite(self.epsilon) else None
        return vars(self) | {"epsilon": epsilon, "adjacency": self.adjacency.value}

    def in_terms_of(self, asked: Privacy) -> str:
        """Return the spent budget in the terms of the requested one: `ε = 1`, `ε = 1, δ = 0.000001`, `ρ = 0.5`."""
        if isinstance(asked, ZCDP) and self.rho is not None:
            return f"ρ = {budget_in_digits(self.rho, 4)}"
        delta = f", δ = {budget_in_digits(self.delta, 2)}" if self.delta else ""
        return f"ε = {budget_in_digits(self.epsilon, 4)}{delta}"

    @property
    def hides(self) -> str:
        """Return the change of the data that the guarantee protects: `one person with all rows joins or leaves`."""
        return self.adjacency.of(self.protects if self.protects == "record" else with_all_rows(self.protects))

    def covers(self, requested: Privacy) -> bool:
        """Return whether the run spent at most what was requested."""
        if isinstance(requested, ZCDP):
            return self.rho is not None and self.rho <= requested.rho
        allowed = requested.delta if isinstance(requested, ApproxDP) else 0.0
        return self.epsilon <= requested.epsilon and self.delta <= allowed


def privacy_as_dict(privacy: Privacy) -> dict[str, Any]:
    """Return a budget as plain values; `privacy_from_dict` reads it back."""
    kind = {PureDP: "pure", ApproxDP: "approximate", ZCDP: "concentrated"}[type(privacy)]
    return {"kind": kind} | vars(privacy)


def privacy_from_dict(values: dict[str, Any]) -> Privacy:
    """Return the budget that `privacy_as_dict` wrote. Raises ParameterError."""
    kinds: dict[str, type[Privacy]] = {"pure": PureDP, "approximate": ApproxDP, "concentrated": ZCDP}
    try:
        numbers = {name: value for name, value in values.items() if name != "kind"}
        return kinds[values["kind"]](**numbers)
    except (TypeError, KeyError, AttributeError):
        raise ParameterError("privacy", "must name its kind (pure, approximate, concentrated).") from None


def plain_number(value: Any) -> Any:
    """Return a number of numpy or a subclass, a Decimal or a Fraction as one of Python, others as they are.

    So what is charged is what noise follows from, and JSON can write it.
    """
    if isinstance(value, Decimal | Fraction):
        try:
            return float(value)
        except (OverflowError, ValueError):  # beyond all floats, or a NaN that signals
            return value
    value = value.item() if isinstance(value, np.number) else value
    if isinstance(value, float):
        return float.__float__(value)
    return int.__int__(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _checked_budget(name: str, given: float) -> float:
    value: float = plain_number(given)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ParameterError(name, f"must be a whole or decimal number > 0, such as 0.5, got {shown(value)}.")
    if not (is_real(value) and value > 0):
        raise ParameterError(name, f"must be finite and > 0, got {shown(value)}.")
    if not SMALLEST_BUDGET <= value <= LARGEST_BUDGET:
        smallest, largest = map(budget_in_digits, (SMALLEST_BUDGET, LARGEST_BUDGET))
        raise ParameterError(name, f"must be between {smallest} and {largest}, got {shown(value)}.")
    return value
