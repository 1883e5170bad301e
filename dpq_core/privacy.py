"""Budgets and guarantees: which relation is protected, how much is spent, and conversions between the notions.

Conversions between the three ways to state a budget go through dp-accounting (imported only when one is requested).
A pure budget is epsilon; an approximate one (epsilon, delta); a concentrated one rho (zero-concentrated DP).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite, isqrt, nextafter
from typing import Any, Literal, TypeAlias

from .errors import ParameterError, is_real, shown

UNUSUAL_EPSILON = 5.0
"""Above this a budget is legal, and worth a warning."""
SMALLEST_BUDGET = 1e-9
LARGEST_BUDGET = 1e6


class Adjacency(StrEnum):
    """What one person can change: the difference that a release hides.

    ADD_REMOVE: one record joins or leaves; the number of records is private. SUBSTITUTE: one record is replaced by
    another; the number of records is public.
    """

    ADD_REMOVE = "add_remove"
    SUBSTITUTE = "substitute"

    @property
    def in_words(self) -> str:
        """Return the relation as a sentence about a person."""
        return self.of("person")

    def of(self, one: str) -> str:
        """Return the relation as a sentence about one row, which is called `one`: "one trip joins or leaves"."""
        return f"one {one} {'joins or leaves' if self is Adjacency.ADD_REMOVE else 'is replaced by another'}"


@dataclass(frozen=True)
class PureDP:
    """A pure budget: every output's probability changes by a factor of at most e^epsilon. From 1e-9 to 1e6."""

    epsilon: float

    def __post_init__(self) -> None:
        _check_budget("epsilon", self.epsilon)

    def __str__(self) -> str:
        return f"ε = {self.epsilon:g}"


@dataclass(frozen=True)
class ApproxDP:
    """An approximate budget: the factor e^epsilon up to an additive probability 0 < delta < 1."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        _check_budget("epsilon", self.epsilon)
        if not (is_real(self.delta) and 0 < self.delta < 1):
            raise ParameterError("delta", f"must be > 0 and < 1 (PureDP has none), got {shown(self.delta)}.")

    def __str__(self) -> str:
        return f"ε = {self.epsilon:g}, δ = {self.delta:g}"


@dataclass(frozen=True)
class ZCDP:
    """A concentrated budget: the Renyi divergence of every order a is at most rho * a. From 1e-9 to 1e6."""

    rho: float

    def __post_init__(self) -> None:
        _check_budget("rho", self.rho)

    def __str__(self) -> str:
        return f"ρ = {self.rho:g}"


Privacy: TypeAlias = PureDP | ApproxDP | ZCDP
Protects: TypeAlias = Literal["record", "person"]
"""What one change of the data is: of one record, or of one person with all rows."""


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """The guarantee of a run; all that is stated holds at once, and None means that it is not known.

    (epsilon, delta)-DP and, where `rho` is given, rho-zCDP, both for `adjacency`; epsilon is infinite where no pure
    one holds and no delta was requested. `exact` is True for a release: uniform integers from the operating system's
    entropy, compared exactly with public or computed weights (of which JointExp's are float64, and what their rounding
    can cost is part of epsilon and rho); False for a simulation, which is not a release. `protects` says what joins,
    leaves or is replaced: one record, or one person with all rows.
    """

    epsilon: float
    delta: float
    rho: float | None
    adjacency: Adjacency
    exact: bool = False
    protects: Protects = "record"

    def as_dict(self) -> dict[str, Any]:
        """Return the guarantee as plain values for JSON, where an infinite epsilon is None."""
        epsilon = self.epsilon if isfinite(self.epsilon) else None
        return vars(self) | {"epsilon": epsilon, "adjacency": self.adjacency.value}

    def covers(self, requested: Privacy) -> bool:
        """Return whether no more was spent than was requested."""
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


def pure_to_rho(epsilon: float) -> float:
    """Return the rho that epsilon-DP implies: epsilon^2 / 2 (Bun & Steinke 2016, Proposition 1.4)."""
    return epsilon**2 / 2


def rho_to_epsilon(rho: float, delta: float) -> float:
    """Return the smallest epsilon, as dp-accounting finds it, for which rho-zCDP implies (epsilon, delta)-DP."""
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    orders = [1 + 10 ** (k / 50) for k in range(-100, 351)]
    accountant = RdpAccountant(orders)
    accountant.compose(dp_accounting.ZCDpEvent(rho))
    return float(accountant.get_epsilon(delta))


@lru_cache(maxsize=256)
def largest_rho(epsilon: float, delta: float) -> float:
    """Return the largest rho, rounded down, whose conversion by `rho_to_epsilon` stays within (epsilon, delta)."""
    low, high = 0.0, epsilon  # rho-zCDP never gives less than about rho + 2 sqrt(rho log(1/delta)) > rho
    for _ in range(50):
        middle = (low + high) / 2
        if rho_to_epsilon(middle, delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low


def largest_epsilon(rho: Fraction) -> Fraction:
    """Return the largest e, rounded down, with e^2 / 8 <= rho: the rate of an exponential mechanism.

    Cesar & Rogers 2021: an e-bounded-range mechanism is e^2/8-zCDP.
    """
    bits = 80
    return Fraction(isqrt(int(8 * rho * 4**bits)), 2**bits)


def round_up(value: Fraction) -> float:
    """Return a float that is not below an exact value."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)


def _check_budget(name: str, value: float) -> None:
    if not (is_real(value) and value > 0):
        raise ParameterError(name, f"must be finite and > 0, got {shown(value)}.")
    if not SMALLEST_BUDGET <= value <= LARGEST_BUDGET:
        raise ParameterError(name, f"must be between {SMALLEST_BUDGET:g} and {LARGEST_BUDGET:g}, got {shown(value)}.")
