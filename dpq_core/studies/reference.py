"""OpenDP's quantile as a reference: one draw for each level, on the same data and at the same budget.

OpenDP answers one quantile at a time, so the budget is divided evenly among the levels, and the answers are sorted
afterwards, which costs nothing. Its candidates are the values of the grid, or 2,001 of them spread evenly where the
grid has more. Its noise comes from the operating system: these rows cannot be repeated from a seed. Needs the extra
[vetted]; without it a row says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from time import thread_time
from typing import Any

import numpy as np

from ..accuracy import rank_errors
from ..column import Column
from ..privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from ..privacy.conversions import largest_rho
from .configuration import Configuration, expected_seconds
from .design import StudyDesign
from .engine import Columns, Row, check_data, facts_of, row_of
from .engine import steps as engine_steps
from .shapes import Given, domain_of

KEY = "opendp"
LABEL = "OpenDP's quantile, level by level"
NOT_INSTALLED = "OpenDP is not installed here. It comes with this package's extra [vetted]."
NO_SHARES = "It reads whole records, so that all rows of a person cannot weigh as much as one."
NO_BOUNDS = "It needs bounds."
MOST_CANDIDATES = 2001
MOST_READ = 50_000_000
"""Records that all draws together may read; beyond it there are fewer trials, but at least 10."""
FEWEST_TRIALS = 10
START_SECONDS = 0.5
SECONDS_A_DRAW, SECONDS_A_CANDIDATE, SECONDS_A_RECORD = 4e-4, 2e-6, 2e-7
"""Loading the library; each draw, each candidate that it weighs, each record that it reads: within a factor of 3."""


def steps(grid: StudyDesign, given: Given | None = None) -> Iterator[tuple[float, Row]]:
    """Yield what `engine.steps` does, and then a Row of the reference for each combination of all but mechanisms.

    Their `configuration` numbers go on where those of the grid end. Raises ParameterError.
    """
    check_data(grid, given)
    configurations, columns = _configurations(grid), Columns(given)
    sizes = [columns.of(configuration, 0).n for configuration in configurations]
    done = own = expected_seconds(grid.configurations(), max(sizes))
    seconds = list(map(expected_reference_seconds, configurations, sizes))
    total = own + sum(seconds)
    for share, row in engine_steps(grid, given):
        yield share * own / total, row
    for at, configuration in enumerate(configurations):
        row = reference_row(configuration, len(grid) + at, columns.of(configuration, 0))
        done += seconds[at]
        yield min(done / total, 1.0), row


def expected_reference_seconds(configuration: Configuration, records: int) -> float:
    """Return the seconds that the reference will take for a configuration with this many records."""
    draws = _trials(configuration, records) * len(configuration.quantiles)
    candidates = min((configuration.domain or domain_of(configuration.data)).cells, MOST_CANDIDATES)
    return START_SECONDS + draws * (SECONDS_A_DRAW + SECONDS_A_CANDIDATE * candidates + SECONDS_A_RECORD * records)


def expected_with_reference(grid: StudyDesign, records: int) -> float:
    """Return the seconds that `steps` will take; `records` is used if the grid names no n."""
    reference = sum(expected_reference_seconds(each, each.n or records) for each in _configurations(grid))
    return expected_seconds(grid.configurations(), records) + reference


def reference_row(configuration: Configuration, at: int, column: Column) -> Row:
    """Return the Row of OpenDP's quantiles of a column; of the configuration everything but the mechanism is used."""
    facts = facts_of(configuration, at, column) | {"mechanism": KEY, "label": LABEL, "options": "{}", "data_sets": 1}
    facts |= {"trials": _trials(configuration, column.n)}
    try:
        import opendp.prelude as opendp
    except ImportError:
        return Row(**facts, supported=False, why_not=NOT_INSTALLED)
    if column.unit > 1 or configuration.find_bounds is not None:
        return Row(**facts, supported=False, why_not=NO_SHARES if column.unit > 1 else NO_BOUNDS)
    opendp.enable_features("contrib")
    numbers = column.values_of(column.cells)
    start = thread_time()
    draws = [_measurement(opendp, level, configuration, column) for level in configuration.quantiles]
    values = np.array([[draw(numbers) for draw in draws] for _ in range(facts["trials"])])
    spent = thread_time() - start
    order = np.argsort([float(level) for level in configuration.quantiles], kind="stable")
    increasing = np.empty_like(values)
    increasing[:, order] = np.sort(values, axis=1)  # along their levels
    return row_of(facts, rank_errors(column, configuration.quantiles, increasing)[None], 1000 * spent / facts["trials"])


def budgets_of_one(privacy: Privacy, m: int) -> list[Privacy]:
    """Return the budgets of one of m draws that together keep `privacy`: by the plain sum of ε, or of ρ.

    For an approximate budget there are both ways: ε alone, and the largest ρ that keeps (ε, δ).
    """
    match privacy:
        case PureDP(epsilon):
            return [PureDP(epsilon / m)]
        case ZCDP(rho):
            return [ZCDP(rho / m)]
        case ApproxDP(epsilon, delta):
            rho = largest_rho(epsilon, delta)
            return [PureDP(epsilon / m), *([ZCDP(rho / m)] if rho > 0 else [])]


def _measurement(opendp: Any, level: Any, configuration: Configuration, column: Column) -> Any:
    """Return OpenDP's measurement of one quantile with the least noise that its part of the budget allows."""
    replaced = configuration.adjacency is Adjacency.REPLACE_ONE
    changed = 2 if replaced else 1  # records by which neighbours differ: one leaves and another one joins
    size = {"size": column.n} if replaced and column.n and column.max_rows_per_person is None else {}
    changed *= column.max_rows_per_person or 1
    space = opendp.vector_domain(opendp.atom_domain(T=float, nan=False), **size), opendp.symmetric_distance()
    alpha, domain = float(level), column.domain
    indices = np.unique(np.linspace(0, domain.cells - 1, min(domain.cells, MOST_CANDIDATES)).astype(int))
    candidates = domain.decode(indices).tolist()

    def at_scale(privacy: Privacy, scale: float) -> Any:
        concentrated = isinstance(privacy, ZCDP)
        measure = opendp.zero_concentrated_divergence() if concentrated else opendp.max_divergence()
        return opendp.m.make_private_quantile(*space, measure, candidates, alpha, scale)

    def least(privacy: Privacy) -> float:
        """Return the least scale: the loss falls as 1 / scale, or as 1 / scale² for ρ. A hair more, for rounding."""
        at_one = at_scale(privacy, 1.0).map(changed)
        ratio = sqrt(at_one / privacy.rho) if isinstance(privacy, ZCDP) else at_one / privacy.epsilon
        return float(ratio) * (1 + 1e-9)

    budgets = {least(each): each for each in budgets_of_one(configuration.privacy, len(configuration.quantiles))}
    scale = min(budgets)
    return at_scale(budgets[scale], scale)


def _trials(configuration: Configuration, records: int) -> int:
    return min(configuration.trials, max(MOST_READ // max(records * len(configuration.quantiles), 1), FEWEST_TRIALS))


def _configurations(grid: StudyDesign) -> list[Configuration]:
    """Return every combination of all but mechanisms, as the configurations of the grid's first mechanism."""
    return [configuration for configuration in grid.configurations() if configuration.method == grid.mechanisms[0]]
