"""Budgets and guarantees: which relation is protected, how much is spent, and conversions between the notions.

Conversions between the three ways to state a budget go through dp-accounting (imported only when one is requested).
A pure budget is epsilon; an approximate one (epsilon, delta); a concentrated one rho (zero-concentrated DP).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, inf, isfinite, isqrt, log, log1p, nextafter, sqrt
from typing import Any, Literal, TypeAlias

from .digits import in_digits
from .errors import ParameterError, is_real, shown

UNUSUAL_EPSILON = 5.0
"""Above this a budget is legal, and worth a warning."""
_CONTEXT = Context(prec=64, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""exp and ln are correctly rounded; differences in `bounded_range_rho` lose 24 digits of them at _SMALL, less above."""
_SMALL, _ROUNDING = Fraction(1, 10**8), Fraction(1, 10**30)
MOST_STEPS = 60
"""Towards a root, from below: each halves the distance or does better."""
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


def budget_in_digits(number: float, digits: int = 6) -> str:
    """Return an amount of a budget as a person writes it, however small: `0.5`, `0.00001`, `1 × 10⁻⁹`."""
    return in_digits(number, digits, nothing=0.0)


@dataclass(frozen=True)
class PureDP:
    """A pure budget: every output's probability changes by a factor of at most e^epsilon. From 1e-9 to 1e6."""

    epsilon: float

    def __post_init__(self) -> None:
        _check_budget("epsilon", self.epsilon)

    def __str__(self) -> str:
        return f"ε = {budget_in_digits(self.epsilon)}"


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
        return f"ε = {budget_in_digits(self.epsilon)}, δ = {budget_in_digits(self.delta)}"


@dataclass(frozen=True)
class ZCDP:
    """A concentrated budget: the Renyi divergence of every order a is at most rho * a. From 1e-9 to 1e6."""

    rho: float

    def __post_init__(self) -> None:
        _check_budget("rho", self.rho)

    def __str__(self) -> str:
        return f"ρ = {budget_in_digits(self.rho)}"


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


@lru_cache(maxsize=4096)
def bounded_range_rho(epsilon: Fraction) -> Fraction:
    """Return the rho of a mechanism whose log ratios between neighbours lie in an interval of length epsilon.

    Theorem (docs/bounded-range.md, with proof; Harrison & Manurangsi 2025): it is rho-zCDP, and with no less, for
        rho = r - 1 - ln r,   r = epsilon / (exp(epsilon) - 1).
    That is below epsilon^2 / 8 (Cesar & Rogers 2021): by 1.4 % at 1, by 17 % at 4. Rounded up, to 128 bits.
    """
    if epsilon < _SMALL:  # nothing to gain
        return epsilon**2 / 8
    with localcontext(_CONTEXT):
        exact = Decimal(epsilon.numerator) / epsilon.denominator
        r = exact / (exact.exp() - 1)
        rho = r - 1 - r.ln()
    return _rounded_up(Fraction(rho) * (1 + _ROUNDING))


def about_bounded_range_rho(epsilon: float) -> float:
    """Return `bounded_range_rho` up to 10^-11 of it, rather more than less: to find what is checked exactly."""
    if epsilon < 1e-3:
        return epsilon**2 / 8 * (1 - epsilon**2 / 72) * (1 + 1e-11)
    r = epsilon / expm1(epsilon) if epsilon < 700 else 0.0
    logarithm = -log1p(r - 1) if epsilon < 1 else log1p(-exp(-epsilon)) + epsilon - log(epsilon)
    return (r - 1 + logarithm) * (1 + 1e-11)


def largest_epsilon(rho: Fraction) -> Fraction:
    """Return the largest e, 10^-10 of it less at most, whose `bounded_range_rho` is at most rho: the range of a draw.

    By e -> e sqrt(rho / rho(e)) from e^2 / 8 = rho, which stays below, as rho(e) / e^2 does not rise.
    """
    printed = printed_epsilon(rho)
    if printed < _SMALL:
        return printed
    found, wanted = float(printed), float(rho)
    for _ in range(MOST_STEPS):
        found *= sqrt(wanted / about_bounded_range_rho(found))
    return max(Fraction(found), printed) if bounded_range_rho(Fraction(found)) <= rho else printed


def printed_epsilon(rho: Fraction) -> Fraction:
    """Return the largest e, rounded down, with e^2 / 8 <= rho: as papers print it (Cesar & Rogers 2021)."""
    bits = 80
    return Fraction(isqrt(int(8 * rho * 4**bits)), 2**bits)


def _rounded_up(value: Fraction) -> Fraction:
    """Return a fraction > 0 with 128 significant bits: losses add up hundreds of them."""
    unit = Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - 128)
    return ceil(value / unit) * unit


def round_up(value: Fraction) -> float:
    """Return a float that is not below an exact value."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)


def round_down(value: Fraction) -> float:
    """Return a float that is not above an exact value, which is not negative."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, 0)


def _check_budget(name: str, value: float) -> None:
    if not (is_real(value) and value > 0):
        raise ParameterError(name, f"must be finite and > 0, got {shown(value)}.")
    if not SMALLEST_BUDGET <= value <= LARGEST_BUDGET:
        raise ParameterError(name, f"must be between {SMALLEST_BUDGET:g} and {LARGEST_BUDGET:g}, got {shown(value)}.")
