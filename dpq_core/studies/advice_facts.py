"""Facts: what is known of a question before any data is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain import DEFAULT_STEPS
from ..errors import ParameterError
from ..plan import OptionValue, Plan
from ..privacy import Adjacency, Privacy
from .cell import Levels
from .trials import check_count


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known before any data is looked at. Raises ParameterError with the name of the fact."""

    quantiles: Levels
    """One level at least; anything that a Plan takes becomes exact fractions."""
    privacy: Privacy
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    n: int | None = None
    """Records: a public number, a noisy one or a guess; None where nothing is known."""
    cells: int = DEFAULT_STEPS
    """How many values the domain's grid has."""
    streaming: bool = False
    """Whether only what reads the column once, in bounded memory, will do."""
    n_max: int | None = None
    """A public bound on the number of records, for a sketch."""
    sigma: float | None = None
    """The standard deviation, where the records are known to follow a normal law. Goes with `mean_bound`."""
    mean_bound: float | None = None
    """The mean of that normal law lies between minus this and plus this."""

    def __post_init__(self) -> None:
        plan = Plan(self.quantiles, "aq", self.privacy, self.adjacency)
        if not plan.quantiles:
            raise ParameterError("quantiles", "`quantiles` must hold at least one level.")
        if self.n is not None:
            check_count("n", self.n, 0)
        check_count("cells", self.cells, 1)
        object.__setattr__(self, "quantiles", plan.quantiles)
        object.__setattr__(self, "adjacency", plan.adjacency)

    @property
    def m(self) -> int:
        """How many distinct quantiles are asked for."""
        return len(set(self.quantiles))

    def plan(self, mechanism: str) -> Plan:
        """The question as a plan for one mechanism; not every mechanism can serve it."""
        options: dict[str, OptionValue] = {}
        if mechanism == "gkexp":
            options = {"n_max": self.n_max}
        elif mechanism == "normal":
            options = {"sigma": self.sigma, "mean_bound": self.mean_bound}
        return Plan(self.quantiles, mechanism, self.privacy, self.adjacency, options)
