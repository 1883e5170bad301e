"""The trace of one run as a frozen outcome. Nothing here knows Streamlit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from math import floor, isfinite
from typing import Any

import numpy as np

from ..accuracy import signed_rank_errors, target_ranks, true_quantiles
from ..calibrations import Calibrated, calibrate
from ..column import Column
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..mechanisms.base import Make, TraceStep
from ..mechanisms.registry import MECHANISMS
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..question import Question
from ..release import now
from ..schedule import columns_in, explain, schedule_of
from ..steps import steps_of
from ..study import Trace, explain_column
from .answers import as_floats
from .chosen import columns_asked
from .data_set import EXPLORE_SEED, PublicData, column_to_explore, wording_of
from .simulated import DRAWS, WALKS, truth_of
from .wording import Wording

MOST_BINS = 600
"""Of the histogram, from which a figure takes the part that it shows."""
TAILS = (0.001, 0.999)
"""Shares of the data between which the histogram lies, wherever the bounds are."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InsideRun:
    """One run with the steps of its mechanism. Not private: for data that is public, synthetic or declared so."""

    identity: str
    """That of the column."""
    about: str
    source: str
    """Who made an example."""
    of_example: bool
    wording: Wording
    plan: Plan
    domain: Domain
    find_bounds: FindBounds | None = None
    """How the domain was found; None where it was chosen."""
    guarantee: Guarantee
    notes: tuple[str, ...]
    """How the mechanism resolved its settings from public facts."""
    made: str = field(default_factory=now)
    seed: int
    steps: tuple[TraceStep, ...]
    """In the order of the run; each mechanism has its own kind."""
    targets: tuple[float, ...]
    """For every step the value of the record at its target rank; NaN where there is no data."""
    ranks: tuple[float, ...]
    """For every step the rank of the value that was drawn, in records: with ties, the nearest to the target."""
    off_target: tuple[int, ...]
    """The ranks less the steps' own targets, in records: positive where a value lies too high."""
    truths: tuple[float, ...]
    """For every step the true quantile of its level in all records; NaN where there is no data."""
    true_ranks: tuple[int, ...]
    errors: tuple[int, ...]
    """Signed rank errors against the true quantiles, in records, as on every page."""
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    """The histogram of the data: records from one edge to the next, all as far apart; whole steps of an even grid."""
    spread: float
    """The distance of neighbouring values of the grid; on significant digits the largest one at an answer."""
    n: int
    run: int
    """Which of the runs that the seed makes, counted from 0."""
    group: str = ""
    """Of which group the run is, with what it has of the budget of all; empty where there is one answer for all."""

    @property
    def draws(self) -> tuple[range, ...]:
        """Return for every draw which steps it made, counted from 0: a joint draw makes several at once."""
        sizes = [len(list(together)) for _, together in groupby(self.steps, lambda step: step.draw)]
        ends = list(accumulate(sizes, initial=0))
        return tuple(map(range, ends, ends[1:]))


def explain_once(
    data: PublicData, column: Column, plan: Plan, seed: int, run: int = 0, make: Make = calibrate
) -> InsideRun:
    """Return the trace of one run of `simulate_column` with this seed, by what `make` makes. O(n) besides the run."""
    calibrated = Calibrated.for_column(column, plan, make)
    trace, _ = explain_column(column, calibrated, seed, DRAWS, run)
    return replace(_run(data, column, column, trace, run), notes=calibrated.notes)


def explain_finding(
    data: PublicData, find_bounds: FindBounds, plan: Plan, seed: int, make: Make = calibrate
) -> InsideRun:
    """Return the trace of the first run of `simulate_column` with this seed: its steps between the found bounds."""
    raw = column_to_explore(data, find_bounds)
    trace, column = explain_column(raw, steps_of(raw, plan, make), seed, firsts=WALKS)
    run = _run(data, column, truth_of(raw, data.values, column.domain), trace)
    return replace(run, find_bounds=find_bounds)


def explain_of_group(
    data: PublicData, question: Question, plan: Plan, seed: int, name: str, make: Make = calibrate
) -> InsideRun:
    """Return the trace of a run of one group alone, as it is answered among all. Raises ParameterError, DataError."""
    whole = columns_asked({data.name: data.values}, question, data.groups, data.people, EXPLORE_SEED)[data.name]
    columns = columns_in(whole)  # without its name, which a seed would depend on
    trace = explain(columns, schedule_of(columns, plan, make), group=name, seed=seed, trials=DRAWS)
    column = whole.column(whole.place_of(name))
    return replace(_run(data, column, column, trace), plan=plan, group=name)


def _run(data: PublicData, column: Column, truth: Column, trace: Trace, run: int = 0) -> InsideRun:
    """Return a trace with facts about the column that it read; its true quantiles are those of `truth`."""
    plan = trace.plan
    steps = trace.steps[::-1] if MECHANISMS[plan.mechanism].PROFILE.draws_backwards else trace.steps
    levels, values = [step.level for step in steps], [step.value for step in steps]
    beside = [_beside_target(column, step) for step in steps]
    edges, counts = _histogram(column, values)
    return InsideRun(
        identity=data.identity,
        about=data.about,
        source=data.source,
        of_example=data.is_example,
        wording=wording_of(data, column.domain),
        plan=plan,
        domain=column.domain,
        notes=(),
        steps=steps,
        targets=tuple(target for target, _, _ in beside),
        ranks=tuple(rank for _, rank, _ in beside),
        off_target=tuple(off for _, _, off in beside),
        truths=as_floats(true_quantiles(truth, levels)),
        true_ranks=tuple(target_ranks(truth, levels)),
        errors=tuple(map(int, signed_rank_errors(truth, levels, values))),
        edges=edges,
        counts=counts,
        spread=_spread(column.domain, values),
        n=column.n,
        seed=trace.seed,
        run=run,
        guarantee=trace.guarantee,
    )


def _beside_target(column: Column, step: Any) -> tuple[float, float, int]:
    """Return the value at the step's target rank, the rank of the value drawn, and how many records lie between."""
    wanted = min(max(step.target, 0.0), float(column.n))
    if not column.n or not isfinite(wanted):
        return float("nan"), 0.0, 0
    target = float(column.values_of(column.cells[max(floor(wanted) - 1, 0)]))
    cell = column.domain.encode(np.array([step.value]))
    below, at_most = int(column.count_below(cell)[0]), int(column.count_below(cell + 1)[0])
    rank = min(max(wanted, below), at_most)
    return target, rank, round(rank - wanted)


def _histogram(column: Column, values: list[float]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return edges and counts of at most 600 bins of equal width, whole grid steps, over the data and all answers."""
    ends = [column.coarse_cells[int(share * (column.n - 1))] for share in TAILS if column.n]
    places = [*map(int, ends), *column.domain.encode(np.asarray(values, dtype=np.float64)).tolist()] or [0]
    low, high = max(min(places) - 1, 0), min(max(places) + 1, column.domain.cells - 1)
    if not column.domain.has_even_steps:
        return _uneven_histogram(column, low, high)
    width = -(-(high - low + 1) // MOST_BINS)
    cells = np.arange(low, high + width + 1, width, dtype=np.int64)
    below = column.count_below(np.minimum(cells, column.domain.cells))
    first, step = float(column.domain.decode(np.array([low]))[0]), float(column.domain.step)
    edges = tuple(first + step * width * at for at in range(cells.size))
    return edges, tuple(np.diff(below).tolist())


def _uneven_histogram(column: Column, low: int, high: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return bins of equal width between two grid indices whose values have no even steps."""
    first, last = column.domain.decode(np.array([low, high])).tolist()
    edges = np.linspace(first, last, MOST_BINS + 1)
    firsts = column.domain.encode(edges)
    firsts += column.domain.decode(firsts) < edges
    below = column.count_below(firsts)
    below[-1] = column.count_below(firsts[-1:] + 1)[0]
    return as_floats(edges), tuple(np.diff(below).tolist())


def _spread(domain: Domain, values: list[float]) -> float:
    if domain.has_even_steps or not values:
        return float(domain.finest_step)
    cells = np.minimum(domain.encode(np.asarray(values, dtype=np.float64)), domain.cells - 2)
    return float((domain.decode(cells + 1) - domain.decode(cells)).max())
