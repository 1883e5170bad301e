"""The interface of every mechanism module, and the parts of its traces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from ..arrays import Floats, Integers
from ..column import Column, Data
from ..errors import ParameterError, is_real, shown
from ..noise.entropy import Entropy
from ..plan import OptionValue, Plan
from ..privacy.budgets import Adjacency, Guarantee
from .exponential.density import Pieces


class TimeCost(NamedTuple):
    """Seconds of one pass over up to 64 trials: once, for each level, for each trial, for each trial and level.

    Those of the mechanisms were fitted to n = 1,000 to 100,000 and m = 9 to 60 on one core of a small machine; they
    are right within a factor of about 3.
    """

    once: float
    level: float = 0.0
    trial: float = 0.0
    trial_and_level: float = 0.0


UNKNOWN_COST = TimeCost(5e-3, level=1e-3, trial=6e-4, trial_and_level=1e-5)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Colour, cost and advice of a mechanism; everything may be left out."""

    colour: str = "#7d899b"
    symbol: str = "circle"
    """In figures of several mechanisms, so that colour alone distinguishes none."""
    cost: TimeCost = UNKNOWN_COST
    cost_of: Callable[[Plan], TimeCost | None] = lambda plan: None
    """(plan): where its options or its adjacency make another cost of it, that one; else None."""
    reads_shares: bool = False
    """Whether it reads rows of which those of a person weigh 1 together, at no cost: where that is proved."""
    refuses_after_draws: bool = False
    """Whether it may find out only after a draw that it has no answer, where the number of records is private."""
    needs_normal: bool = False
    """Whether records must be normal. It then finds their place by itself: no bounds have to be found, none help."""
    draws_backwards: bool = False
    """Whether the steps of its trace begin at the highest quantile."""
    singly: Callable[[Plan, int | None], Any] | None = None
    """(plan, n_public): the parameters with one quantile a draw, the quickest way, where there may be several."""
    interpolates: bool = False
    """Whether some levels may be drawn, and the others interpolated, where a public number of records is small."""
    refused_on: Callable[[Plan, int, int | None], ParameterError | None] = lambda *_: None
    """(plan, cells, count): what follows only from the size of the domain, or from a known number of records."""

    def seconds_of(self, plan: Plan) -> TimeCost:
        """Return the cost of a plan."""
        return self.cost_of(plan) or self.cost


Kind: TypeAlias = Literal["choice", "integer", "number", "flag"]


@dataclass(frozen=True, kw_only=True)
class Option:
    """One setting of a mechanism; forms are made from it.

    `default=None` means: chosen by the mechanism, or, where it is `needed`, by a person who knows the column.
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
        """Return the value if it fits. Raises ParameterError."""
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


EVERY_BUDGET: Mapping[Adjacency, tuple[str, ...]] = {
    adjacency: ("pure", "approximate", "concentrated") for adjacency in Adjacency
}
"""For SUPPORTS."""


USUAL_DELTA = 1e-6
"""Well below one in the number of records of nearly every column; offered where a delta is needed."""
USUAL_BETA = 0.05
"""The probability with which a bound may fail, where none is named."""


class Bound(NamedTuple):
    """A theorem's bound on the rank error of all answers of a run, in records, and which theorem."""

    error: float
    source: str
    proved: bool = True
    """Whether it holds for the mechanism as it is built here; otherwise it is drawn for comparison only."""


@dataclass(frozen=True)
class Confidence:
    """How sure an interval around an answer is to be, and of what."""

    tail: float
    """With which chance each end may be on the wrong side."""
    proved: bool
    population: bool
    """Whether the records are a random sample of what the interval is about."""


class WithEnds(NamedTuple):
    """Answers with their intervals, all as slots, shape (trials, levels)."""

    answers: Integers
    lows: Integers
    highs: Integers


@dataclass(frozen=True, kw_only=True)
class Parameters(ABC):
    """What `calibrate` decides before any data is read; every mechanism adds its own."""

    levels: tuple[Fraction, ...]
    """The distinct quantile levels, increasing: the columns of `run`."""
    guarantee: Guarantee
    notes: tuple[str, ...] = ()
    """Sentences that belong beside the answers, from public facts only."""

    knows_its_intervals: ClassVar[bool] = False
    """Whether `run_with_intervals` answers; where not, further levels are drawn at the ends of intervals."""

    @abstractmethod
    def with_rates_times(self, factor: Fraction) -> Parameters:
        """Return the same with noise divided by the factor under the same guarantee: for audits of broken variants."""

    def as_if_distinct(self) -> Parameters:
        """Return the same where draws see no equal records: equal ones then err as if all lay side by side."""
        return self

    def bound(self, plan: Plan, cells: int, beta: float) -> Bound | None:
        """Return what is proved of the error, where no two records share one of the `cells`; None where nothing is.

        It may fail with probability `beta`. `plan` is the one that the parameters were made for.
        """
        return None

    @property
    def slowest_rate(self) -> float | None:
        """Return the exponent for each rank that an answer errs, of the draw where it is smallest; None without one."""
        return None

    @property
    def standard_error(self) -> float | None:
        """Return by how many ranks an answer errs in the model: the root of the mean square; None without a model."""
        return None

    def refused_in_units(self, unit: int) -> ParameterError | None:
        """Return why the same cannot be drawn where a person counts this many units; None where it can."""
        return None

    def run_with_intervals(self, data: Data, entropy: Entropy, sure: Confidence) -> WithEnds:
        """Return what `run` draws with the intervals that follow from the same draws, for any number of records."""
        raise NotImplementedError(type(self).__name__)

    def chance_of_answers_at_random(self, n: int, cells: int) -> float:
        """Return how often a run with n records answers at random, which may be too rare to be met in a simulation."""
        return 0.0


class NoLevels(Parameters):
    """Those of a plan without levels, for any mechanism: nothing is drawn or spent."""

    @classmethod
    def under(cls, adjacency: Adjacency) -> NoLevels:
        """Return them with their guarantee."""
        return cls(levels=(), guarantee=Guarantee(epsilon=0.0, delta=0.0, rho=0.0, adjacency=adjacency))

    def with_rates_times(self, factor: Fraction) -> NoLevels:
        """Return the same."""
        return self


Make: TypeAlias = Callable[[Plan, int | None], Parameters]
"""The parameters of a plan, from a number of records where that is public: `calibrate`, or what takes its place."""
P = TypeVar("P", bound=Parameters)
"""The parameters of one mechanism."""
D = TypeVar("D", bound=Data)
"""What one mechanism reads besides a Column."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """State how well the output distinguishes two neighbouring data sets, in the worse of both directions.

    With `method` "law" the numbers are exact up to rounding; with "lemma" they follow from the noise.
    """

    epsilon: float
    """The largest absolute log ratio of probabilities over all outputs; infinite where one side has none of it."""
    delta: float
    """The smallest delta for which the guaranteed epsilon holds; 0 where `epsilon` does not exceed it."""
    rho: float | None
    """The largest Renyi divergence divided by its order, over a grid of orders; None where it is not known."""
    worst: int = -1
    """Which output has the largest absolute log ratio, the likeliest of several: its place among all."""
    worst_output: tuple[float, ...] = ()
    """The same in values of the domain."""
    lemma: str = ""
    """The argument in one sentence, where outputs are too many to list and a lemma does the rest."""

    @property
    def method(self) -> Literal["law", "lemma"]:
        """Return how the loss is known."""
        return "lemma" if self.lemma else "law"


@dataclass(frozen=True)
class Law(Generic[P]):
    """An audit by the output distribution: the outputs on small data can be listed."""

    log_law: Callable[[Integers, Integers, P, int], Floats]
    """(outputs, cells, parameters, grid): log probabilities (outputs,) of increasing outputs (outputs, levels), for
    sorted grid indices on a grid of that size."""


@dataclass(frozen=True)
class Lemma(Generic[P]):
    """An audit by a lemma: the outputs are too many to list."""

    loss: Callable[[Integers, Integers, P, int], Loss]
    """(cells_a, cells_b, parameters, grid): the loss of two neighbours, sorted grid indices on a grid of that size."""


@dataclass(frozen=True, kw_only=True)
class TraceStep:
    """One quantile of a trace; a mechanism adds what its own structure shows. Private."""

    level: Fraction
    target: float
    """The target rank, in all records."""
    value: float
    """The value that was drawn for it, before the answers are sorted."""
    together: Fraction | None = None
    """The lowest of the levels that were drawn together; None where it was drawn by itself."""

    @property
    def draw(self) -> Fraction:
        """Return which draw it is of: neighbouring steps with equal ones were drawn together."""
        return self.level if self.together is None else self.together


@dataclass(frozen=True, kw_only=True)
class DrawStep(TraceStep):
    """One draw of the exponential mechanism, with what it read. Private."""

    depth: int
    records: tuple[int, int]
    """Positions [start, end) of the records that it read, in sorted order."""
    bounds: tuple[float, float]
    epsilon: float
    """The exponential mechanism's own budget of this draw."""
    distribution: Pieces
    """The output distribution: starts of its pieces, and the probability of each from there to the next."""


class Mechanism(Protocol[P, D]):
    """A mechanism is a module with these names; mypy checks each where `mechanisms` registers it.

    P are the parameters that it makes and reads, D is what it reads besides a Column.
    """

    KEY: str
    """Its name in plans and links."""
    LABEL: str
    """Its name on the screen, words first."""
    SUMMARY: str
    """Three sentences: what it does, what that costs, when to choose it."""
    CLAIM: str
    """Its guarantee, in one sentence."""
    REFERENCE: str

    @property
    def NOTES(self) -> tuple[tuple[str, str, str], ...]:
        """Return rows of (paper says, we do, why)."""

    @property
    def SUPPORTS(self) -> Mapping[Adjacency, tuple[str, ...]]:
        """Return the kinds of budgets by adjacency."""

    @property
    def OPTIONS(self) -> tuple[Option, ...]:
        """Return its settings; forms are made from them."""

    @property
    def READS(self) -> type[D]:
        """Return the kind of sketch that it reads besides a Column, or Column where it reads nothing else."""

    @property
    def AUDIT(self) -> Law[P] | Lemma[P]:
        """Return how its exact loss on small data is found."""

    @property
    def PROFILE(self) -> Profile:
        """Return its colour, cost and advice."""

    def calibrate(self, plan: Plan, n_public: int | None, /) -> P:
        """Return parameters with the guarantee they give, from public facts only; at least one level.

        Raises ParameterError.
        """

    def run(self, data: Column | D, parameters: P, entropy: Entropy, /) -> Integers:
        """Return the drawn slots, shape (entropy.trials, levels), increasing along levels."""

    def trace(self, data: Column | D, parameters: P, entropy: Entropy, trial: int = 0, /) -> Sequence[TraceStep]:
        """Return one of the entropy's trials, counted from 0, with everything that it read and drew."""


Registered: TypeAlias = Mechanism[Parameters, Data]
"""A mechanism from the table, of any types: it gets the parameters that it made, and data that it reads."""


def options_of(plan: Plan, known: tuple[Option, ...]) -> dict[str, OptionValue]:
    """Return all options with their defaults filled in. Raises ParameterError for an unknown name or a bad value."""
    names = [option.name for option in known]
    for name in plan.options:
        if name not in names:
            raise ParameterError(name, f"is no option of this mechanism; it has {', '.join(names) or 'none'}.")
    return {option.name: option.checked(plan.options.get(option.name, option.default)) for option in known}


def distinct_levels(plan: Plan) -> tuple[Fraction, ...]:
    """Return the plan's levels, increasing, each once."""
    return tuple(sorted(set(plan.quantiles)))
