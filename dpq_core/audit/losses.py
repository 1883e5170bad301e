"""The exact privacy loss of a mechanism on one small pair of neighbouring data sets, without sampling.

Noise on one number. Some mechanisms have too many outputs to list; a lemma does the rest. A tree of counts adds
independent noise to each count, slices add it to ranks. A neighbour moves such a number by one. Its distribution before
and after is exact; the lemma says how many such losses add up to that of the whole.

Verdict. A pair of neighbours is judged against the guarantee, and each quantile has its own distribution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations_with_replacement
from math import comb, inf, log, sqrt
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Integers
from ..calibrations import Calibrated, calibrate, mechanism_of
from ..column import Column
from ..columns_plan import check_plan
from ..domain.domain import Domain
from ..domain.measure import UNIFORM
from ..errors import Name, ParameterError
from ..mechanisms.base import Lemma, Loss, Make, Parameters
from ..mechanisms.counts.noise import Noise, NoisyCounts, delta_at
from ..mechanisms.slices.setup import SliceParameters
from ..people.ids import Ids
from ..people.takes import PerPerson
from ..plan import Plan
from ..privacy.budgets import ZCDP, Adjacency, Guarantee, Privacy
from .tables import are_neighbours, tables_of

LogLaw: TypeAlias = Callable[[Integers, Integers, Parameters, int], Floats]
"""Log probabilities (outputs,) of outputs (outputs, levels), for sorted cells, parameters and the size of the grid."""

MOST_OUTPUTS = 2_000_000
ROUNDING = 1e-12
"""Differences of log probabilities within it are none."""
RENYI_ORDERS = (1.0001, 1.01, 1.1, 1.5, 2, 3, 5, 8, 13, 21, 34, 55, 100, 200, 500)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One small pair of neighbours under one mechanism: guarantee, loss and both output distributions."""

    guarantee: Guarantee
    loss: Loss
    parameters: tuple[Parameters, Parameters]
    """Of either data set: they differ at most by public facts."""
    outputs: Floats | None
    """All outputs in values of the domain, (outputs, levels); None where the method is a lemma."""
    laws: tuple[Floats, Floats] | None
    """Log probabilities of the outputs for either data set, -inf where impossible; None where the method is a lemma."""


def privacy_loss(
    plan: Plan,
    data_a: ArrayLike,
    data_b: ArrayLike,
    domain: Domain,
    *,
    alter: Callable[[Parameters], Parameters] | None = None,
    people: tuple[Ids, Ids] | None = None,
    per_person: PerPerson | None = None,
    max_rows_per_person: int | None = None,
) -> Loss:
    """Return the exact loss of a plan on two neighbouring data sets, without tie-breaking bits, from all outputs.

    With `people`, the ids of the rows of both, the data sets are tables that differ by one person with all rows, and
    `per_person` or `max_rows_per_person` applies as in `Column.from_values`; a random choice of rows is part of the
    output distribution, with all its outcomes.

    An output distribution is of values that all have the same room, so a domain with another `measure` is refused:
    give one with `measure="uniform"`. A loss that follows from the noise by a lemma is that of the same values with
    the same room, also where the measure gives them more or less; there it bounds no release.

    `alter` changes the mechanism's parameters but not its guarantee: `lambda p: p.with_rates_times(2)` halves the
    noise, and the loss shows it. Cost grows with the number of sorted outputs, C(cells + m - 1, m) <= 2 million, and
    for mechanisms that draw independently with cells^m. Raises ParameterError if that is too much, or if the data sets
    are not neighbours.
    """
    return compare(
        plan,
        data_a,
        data_b,
        domain,
        alter=alter,
        people=people,
        per_person=per_person,
        max_rows_per_person=max_rows_per_person,
    ).loss


def compare(
    plan: Plan,
    data_a: ArrayLike,
    data_b: ArrayLike,
    domain: Domain,
    *,
    people: tuple[Ids, Ids] | None = None,
    per_person: PerPerson | None = None,
    max_rows_per_person: int | None = None,
    make: Make = calibrate,
    alter: Callable[[Parameters], Parameters] | None = None,
    records: Callable[[Integers], Integers] | None = None,
    law: LogLaw | None = None,
) -> Pair:
    """Return what `privacy_loss` finds, with both output distributions; more can be changed, for broken mechanisms.

    `make` makes the parameters, `records` changes the sorted indices that the mechanism reads, after they were found to
    be neighbours; `law` replaces the mechanism's own output distribution. The guarantee is still that of the plan. Cost
    and errors are those of `privacy_loss`; with `people` it also raises ParameterError for a mechanism whose loss is
    known by a lemma, unless `per_person` is a determined one.
    """
    check_plan(plan)
    domain = _with_equal_room(domain, plan, law)
    audit = mechanism_of(plan).AUDIT
    if people is None:
        columns = [Column.from_values(data, domain, seed=0, tie_bits=0) for data in (data_a, data_b)]
        check_neighbours(columns[0], columns[1], plan.adjacency)
        reads = [[(1.0, column.cells if records is None else records(column.cells))] for column in columns]
    elif isinstance(audit, Lemma) and per_person in {None, "random"}:
        raise ParameterError("per_person", "must be one that is not random for the audit of this mechanism by a lemma.")
    else:
        tables = tables_of(data_a, data_b, people, plan.adjacency)
        columns = [table.column(domain, per_person, max_rows_per_person) for table in tables]
        reads = [table.reads(domain, per_person, max_rows_per_person) for table in tables]
    sound = [Calibrated.for_column(column, plan, make) for column in columns]
    first, second = (each.parameters if alter is None else alter(each.parameters) for each in sound)
    guarantee = sound[0].guarantee
    law = law if first.levels else lambda outputs, *_: np.zeros(len(outputs))  # one output, of no levels
    if law is None:
        if isinstance(audit, Lemma):
            loss = audit.loss(reads[0][0][1], reads[1][0][1], first, domain.cells)
            return Pair(guarantee=guarantee, loss=loss, parameters=(first, second), outputs=None, laws=None)
        law = audit.log_law
    outputs = all_outputs(domain.cells, len(first.levels))
    a, b = (_mixed(law, outputs, *each, domain.cells) for each in zip(reads, (first, second), strict=True))
    values, loss = domain.decode(outputs), loss_between(a, b, guarantee.epsilon)
    loss = replace(loss, worst_output=tuple(values[loss.worst].tolist()))
    return Pair(guarantee=guarantee, loss=loss, parameters=(first, second), outputs=values, laws=(a, b))


def _with_equal_room(domain: Domain, plan: Plan, law: LogLaw | None = None) -> Domain:
    """Return the domain of an audit. Raises ParameterError where output distributions would need places of values."""
    if domain.measure != UNIFORM and (law is not None or not isinstance(mechanism_of(plan).AUDIT, Lemma)):
        why = " uniform for an exact loss, which has no places of values."
        raise ParameterError("domain", ("must have the ", Name("measure"), why))
    return domain.uniform


def _mixed(
    law: LogLaw, outputs: Integers, reads: list[tuple[float, Integers]], parameters: Parameters, grid: int
) -> Floats:
    """Return log probabilities of outputs where the records are drawn first, each with its chance."""
    logs = [log(chance) + law(outputs, records, parameters, grid) for chance, records in reads]
    return np.asarray(np.logaddexp.reduce(logs, axis=0), dtype=np.float64)


def all_outputs(cells: int, levels: int) -> Integers:
    """Return all non-decreasing outputs on a grid of this many values, (outputs, levels).

    Raises ParameterError above 2 million.
    """
    count = comb(cells + levels - 1, levels)
    if count > MOST_OUTPUTS:
        raise ParameterError("domain", f"must have fewer cells for an exact audit of {levels} quantiles.")
    rows = chain.from_iterable(combinations_with_replacement(range(cells), levels))
    return np.fromiter(rows, np.int64, count * levels).reshape(count, levels)


def log_ratios(a: Floats, b: Floats) -> Floats:
    """Return log(P_b / P_a) of every output; infinite where one data set only allows it, 0 where neither does."""
    return np.subtract(b, a, out=np.zeros(a.shape), where=a != b)


def loss_between(a: Floats, b: Floats, claimed_epsilon: float) -> Loss:
    """Return the loss between two output distributions, log probabilities of the same outputs."""
    ratios = log_ratios(a, b)
    largest = np.abs(ratios)
    tied = largest >= largest.max() - ROUNDING
    worst = int(np.argmax(np.where(tied, np.maximum(a, b), -inf)))
    return Loss(
        epsilon=float(largest[worst]),
        delta=max(delta_at(claimed_epsilon, ratios, np.exp(b)), delta_at(claimed_epsilon, -ratios, np.exp(a))),
        rho=float(rho_by_order(a, b).max()),
        worst=worst,
    )


def check_neighbours(a: Column, b: Column, adjacency: Adjacency) -> None:
    """Raise ParameterError unless the columns differ by what the adjacency allows (or not at all)."""
    counts = Counter(a.cells.tolist()), Counter(b.cells.tolist())
    only_a, only_b = (counts[0] - counts[1]).total(), (counts[1] - counts[0]).total()
    if not are_neighbours(only_a, only_b, adjacency):
        raise ParameterError(
            "data_b", ("must differ from ", Name("data_a"), f" as the adjacency says: {adjacency.in_words}.")
        )


def rho_by_order(a: Floats, b: Floats) -> Floats:
    """Return the larger Renyi divergence of both directions divided by its order, for each of `RENYI_ORDERS`."""
    return np.maximum(_renyi_divergences(a, b), _renyi_divergences(b, a)) / RENYI_ORDERS


def _renyi_divergences(p: Floats, q: Floats) -> Floats:
    """Return D_order(p || q) of log probabilities for each of `RENYI_ORDERS`; inf where p allows what q does not."""
    p, q = p[p > -inf], q[p > -inf]
    if (q == -inf).any():
        return np.full(len(RENYI_ORDERS), inf)
    found = []
    for order in RENYI_ORDERS:
        exponents = order * p + (1 - order) * q
        top = float(exponents.max())
        found.append((top + float(np.log(np.exp(exponents - top).sum()))) / (order - 1))
    return np.array(found)


WIDTHS_SHOWN = 6
"""Standard deviations to either side of the number that is drawn."""
MOST_POINTS = 2000


@dataclass(frozen=True)
class NoisePiece:
    """The distributions of one noisy number whose exact value is 0 and 1."""

    what: str
    """The number in words: "one count"."""
    points: Integers
    laws: tuple[Floats, Floats]
    """Log probabilities of `points`, of all integers: the tails left out are none of the sum."""
    epsilon: float
    """The largest |log ratio| over all integers; infinite for Gaussian noise."""
    rho_by_order: Floats
    """Renyi divergence divided by its order, for each of `losses.RENYI_ORDERS`."""


def noise_piece(parameters: Parameters) -> NoisePiece | None:
    """Return the noise on one number that these parameters add; None where they add none that is known here."""
    if isinstance(parameters, SliceParameters):
        return _piece("one rank", parameters.drawn_by(parameters.rules).ranks.node)
    return _piece("one count", parameters.noise) if isinstance(parameters, NoisyCounts) else None


def _piece(what: str, noise: Noise) -> NoisePiece:
    farthest = min(max(int(WIDTHS_SHOWN * sqrt(noise.variance)), 4), MOST_POINTS // 2 - 1)
    points = np.arange(-farthest, farthest + 2)
    a, b = (_log_weights(points - centre, noise) for centre in (0, 1))
    # Of a shift by one the divergence of order a peaks about a integers away.
    far = 20 * farthest + 2 * int(max(RENYI_ORDERS))
    everything = _log_weights(np.arange(-far, far + 1), noise)
    everything -= float(np.log(np.exp(everything).sum()))
    total, loss = float(a[points == 0][0] - everything[far]), noise.epsilon(1)
    shares = rho_by_order(everything[1:], everything[:-1])
    return NoisePiece(what, points, (a - total, b - total), inf if loss is None else float(loss), shares)


def _log_weights(noise: Integers, law: Noise) -> Floats:
    """Return the log probability of each amount of noise, up to a constant."""
    size = float(Fraction(law.size))
    exponents = np.abs(noise) / size if law.kind == "laplace" else noise.astype(np.float64) ** 2 / (2 * size)
    return np.asarray(-exponents, dtype=np.float64)


CLAIM_ROUNDING = 1e-9
"""Losses are sums of a few logarithms; a loss this far above its guarantee still holds it."""


@dataclass(frozen=True)
class LossVerdict:
    """A guarantee beside the exact loss of one pair, in the terms of the budget."""

    measure: Literal["epsilon", "rho"]
    claimed: float
    found: float
    """Infinite where an answer is possible for one of the two data sets only."""

    @property
    def holds(self) -> bool:
        """Return whether this pair loses no more than is guaranteed; another pair may lose more."""
        return self.found <= self.claimed + CLAIM_ROUNDING


def judge(pair: Pair, privacy: Privacy) -> LossVerdict:
    """Return guarantee and loss: in rho for a concentrated budget, else in epsilon."""
    guarantee, loss = pair.guarantee, pair.loss
    if isinstance(privacy, ZCDP):
        assert guarantee.rho is not None, "a concentrated budget has a rho"
        assert loss.rho is not None, "a concentrated budget has a loss in rho"
        return LossVerdict("rho", guarantee.rho, loss.rho)
    return LossVerdict("epsilon", guarantee.epsilon, loss.epsilon)


def marginals(outputs: Floats, law: Floats) -> tuple[Floats, list[Floats]]:
    """Return the values that outputs (outputs, levels) hold, increasing, and for each quantile their probabilities."""
    values, places = np.unique(outputs, return_inverse=True)
    columns = places.reshape(outputs.shape).T
    chances = np.exp(law)
    rows = [np.bincount(column, chances, values.size).astype(np.float64) for column in columns]
    return values, rows
