"""What every mechanism module offers, and what a run of one looks like from inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias

from ..arrays import Integers
from ..errors import ParameterError, is_real, shown
from ..plan import OptionValue, Plan
from ..privacy import Adjacency, Guarantee
from ..sample import Sample
from .exponential import Pieces

Kind: TypeAlias = Literal["choice", "integer", "number", "flag"]


@dataclass(frozen=True, kw_only=True)
class Option:
    """One setting of a mechanism; forms are made from it.

    `default=None` means: chosen by the mechanism, or, where it is `needed`, by whoever knows the column.
    """

    name: str
    kind: Kind
    default: OptionValue
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    needed: bool = False

    def checked(self, value: OptionValue) -> OptionValue:
        """The value, if it fits. Raises ParameterError."""
        if value is None and self.default is None:
            return None
        if self.kind == "choice":
            fits, wanted = value in self.choices, "one of " + ", ".join(self.choices)
        elif self.kind == "flag":
            fits, wanted = isinstance(value, bool), "true or false"
        elif self.kind == "integer":
            fits, wanted = isinstance(value, int) and self._in_range(value), f"a whole number {self._range}"
        else:
            fits, wanted = isinstance(value, int | float) and self._in_range(value), f"a number {self._range}"
        if not fits:
            raise ParameterError(self.name, f"must be {wanted}, got {shown(value)}.")
        return value

    def _in_range(self, value: float) -> bool:
        low = -float("inf") if self.minimum is None else self.minimum
        high = float("inf") if self.maximum is None else self.maximum
        return is_real(value) and low <= value <= high

    @property
    def _range(self) -> str:
        ends = ((">=", self.minimum), ("<=", self.maximum))
        return " and ".join(f"{sign} {end:g}" for sign, end in ends if end is not None)


def calibration(paper: str) -> Option:
    """The choice between the constants proved here and the printed ones; `paper` says what those are."""
    help_text = f"sharp: the constants proved here, smaller error. paper: {paper}."
    return Option(name="calibration", kind="choice", default="sharp", choices=("sharp", "paper"), help=help_text)


EVERY_BUDGET: Mapping[Adjacency, tuple[str, ...]] = {
    adjacency: ("pure", "approximate", "concentrated") for adjacency in Adjacency
}
"""For SUPPORTS."""


USUAL_DELTA = 1e-6
"""Well below one in the number of records of nearly every column; offered where a delta is needed."""


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What `calibrate` settles before any data is read; every mechanism adds its own to it."""

    levels: tuple[Fraction, ...]
    """The distinct quantile levels, increasing: the columns of `run`."""
    guarantee: Guarantee
    notes: tuple[str, ...] = ()
    """Sentences that belong beside the answers, from public facts only."""


@dataclass(frozen=True, kw_only=True)
class LemmaLoss:
    """The exact loss of one pair of neighbours where outputs are too many to list: from the noise, by a lemma."""

    epsilon: float
    """The largest |log ratio| that the pair can show; infinite where only `delta` or `rho` bounds it."""
    delta: float
    """At the epsilon of the guarantee."""
    rho: float | None
    lemma: str
    """The argument in one sentence."""


class Answer(Protocol):
    """One quantile's part of a trace; a mechanism adds what its own structure shows. Private."""

    @property
    def level(self) -> Fraction:
        """The quantile's level."""

    @property
    def target(self) -> float:
        """The rank aimed at, in all records."""

    @property
    def value(self) -> float:
        """The value that was drawn for it, before the answers are sorted."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One draw of the exponential mechanism, with what it saw. Private."""

    level: Fraction
    depth: int
    records: tuple[int, int]
    """Positions [start, end) of the records it looked at, in sorted order."""
    bounds: tuple[float, float]
    target: float
    """The rank aimed at, in all records."""
    value: float
    epsilon: float
    """The exponential mechanism's own budget of this draw."""
    law: Pieces
    """The whole law: starts of its pieces, and the probability of each from there to the next."""


class Mechanism(Protocol):
    """A mechanism is a module with these names."""

    KEY: str
    LABEL: str
    SUMMARY: str
    CLAIM: str
    NOTES: tuple[tuple[str, str, str], ...]
    """Rows of (paper says, we do, why)."""
    REFERENCE: str
    SUPPORTS: Mapping[Adjacency, tuple[str, ...]]
    OPTIONS: tuple[Option, ...]

    def calibrate(self, plan: Plan, n_public: int | None) -> Any:
        """Parameters with the guarantee they give; from public facts only. Raises ParameterError."""

    def run(self, sample: Sample, parameters: Any, entropy: Any) -> Integers:
        """Chosen fine cells, shape (entropy.trials, levels), increasing along levels."""

    # One of the next two, for audits of small data:
    # log_law(outputs, cells, parameters, grid) -> Floats
    #     log probabilities (outputs,) of increasing outputs (outputs, levels), for sorted cells on a grid of that size
    # lemma_loss(cells_a, cells_b, parameters, grid) -> LemmaLoss
    #     where the outputs are too many

    # refused_on(plan, cells, count) -> ParameterError | None
    #     what only the size of a domain, or a number of records that may be known, can tell before a run

    def trace(self, sample: Sample, parameters: Any, entropy: Any) -> Sequence[Answer]:
        """One run with everything it saw."""


def options_of(plan: Plan, known: tuple[Option, ...]) -> dict[str, OptionValue]:
    """All options with their defaults filled in. Raises ParameterError for an unknown name or a bad value."""
    names = [option.name for option in known]
    for name in plan.options:
        if name not in names:
            raise ParameterError(name, f"is no option of this mechanism; it has {', '.join(names) or 'none'}.")
    return {option.name: option.checked(plan.options.get(option.name, option.default)) for option in known}


def distinct_levels(plan: Plan) -> tuple[Fraction, ...]:
    """The plan's levels, increasing, each once."""
    return tuple(sorted(set(plan.quantiles)))
