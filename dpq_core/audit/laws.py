"""The exact privacy loss of a mechanism on one small pair of neighbouring data sets, from its law, without sampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, combinations_with_replacement
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..errors import ParameterError
from ..plan import Plan
from ..privacy import Adjacency
from ..release import calibrate, mechanism_of, public_count
from ..sample import Sample

MOST_OUTPUTS = 2_000_000
RENYI_ORDERS = (1.0001, 1.01, 1.1, 1.5, 2, 3, 5, 8, 13, 21, 34, 55, 100, 200, 500)


@dataclass(frozen=True)
class Loss:
    """How far two neighbouring outputs can be told apart, the worse of both directions."""

    epsilon: float
    """The largest |log ratio| of probabilities over all outputs."""
    delta: float
    """The smallest delta for which the claimed epsilon holds; 0 where `epsilon` is within the claim."""
    method: Literal["law", "lemma"]
    rho: float | None
    """The largest Renyi divergence divided by its order, over a grid of orders: at most the claimed rho."""
    worst: int = -1
    """Which output has the largest |log ratio|: its place among all outputs."""
    worst_output: tuple[float, ...] = ()
    """The same in values of the domain."""
    lemma: str = ""
    """The argument in one sentence, where the method is a lemma."""


def privacy_loss(
    plan: Plan,
    data_a: ArrayLike,
    data_b: ArrayLike,
    domain: Domain,
    *,
    alter: Callable[[Any], Any] | None = None,
) -> Loss:
    """The exact loss of a plan on two neighbouring data sets, without jitter, by enumeration of all outputs.

    `alter` changes the mechanism's parameters but not its claim: `lambda p: p.with_rates_times(2)` halves the noise,
    and the loss shows it. Cost grows with the number of sorted outputs, C(cells + m - 1, m) <= 2 million, and for
    mechanisms that draw independently with cells^m. Raises ParameterError where that is too much, or where the data
    are no neighbours.
    """
    samples = [Sample.from_values(data, domain, seed=0, jitter_bits=0) for data in (data_a, data_b)]
    check_neighbours(samples[0], samples[1], plan.adjacency)
    parameters = [calibrate(plan, public_count(sample, plan)) for sample in samples]
    if alter is not None:
        parameters = [alter(each) for each in parameters]
    cells, module, claimed = [sample.cells for sample in samples], mechanism_of(plan), parameters[0].guarantee.epsilon
    if hasattr(module, "lemma_loss"):
        found = module.lemma_loss(*cells, parameters[0], domain.cells)
        return Loss(epsilon=found.epsilon, delta=found.delta, rho=found.rho, method="lemma", lemma=found.lemma)
    outputs = all_outputs(domain.cells, len(set(plan.quantiles)))
    laws = [module.log_law(outputs, each, p, domain.cells) for each, p in zip(cells, parameters, strict=True)]  # type: ignore[attr-defined]
    loss = loss_between(laws[0], laws[1], claimed)
    return replace(loss, worst_output=tuple(domain.decode(outputs[loss.worst]).tolist()))


def all_outputs(cells: int, levels: int) -> NDArray[np.int64]:
    """All non-decreasing outputs on a grid of so many cells, (outputs, levels); ParameterError above 2 million."""
    count = comb(cells + levels - 1, levels)
    if count > MOST_OUTPUTS:
        raise ParameterError("domain", f"`domain` must have fewer cells for an exact audit of {levels} quantiles.")
    rows = chain.from_iterable(combinations_with_replacement(range(cells), levels))
    return np.fromiter(rows, np.int64, count * levels).reshape(count, levels)


def outputs_at_gap_ends(data_a: ArrayLike, data_b: ArrayLike, cells: int, levels: int) -> NDArray[np.int64]:
    """Non-decreasing outputs beside the records of two data sets (cells): where losses peak on large grids."""
    records = np.concatenate([np.asarray(data_a), np.asarray(data_b)]).astype(np.int64)
    places = np.concatenate([records - 1, records, records + 1, [0, cells - 1]])
    places = np.unique(np.clip(places, 0, cells - 1))
    return places[all_outputs(places.size, levels)]


def loss_between(a: NDArray[np.float64], b: NDArray[np.float64], claimed_epsilon: float) -> Loss:
    """The loss between two laws, log probabilities of the same outputs."""
    worst = int(np.argmax(np.abs(a - b)))
    return Loss(
        epsilon=float(np.abs(a[worst] - b[worst])),
        delta=max(_delta(a, b, claimed_epsilon), _delta(b, a, claimed_epsilon)),
        method="law",
        rho=max(_rho(a, b), _rho(b, a)),
        worst=worst,
    )


def check_neighbours(a: Sample, b: Sample, adjacency: Adjacency) -> None:
    """Raise ParameterError unless the samples differ by what the adjacency allows (or not at all)."""
    counts = Counter(a.cells.tolist()), Counter(b.cells.tolist())
    only_a, only_b = (counts[0] - counts[1]).total(), (counts[1] - counts[0]).total()
    fits = (only_a + only_b <= 1) if adjacency is Adjacency.ADD_REMOVE else (only_a == only_b <= 1)
    if not fits:
        raise ParameterError(
            "data_b", f"`data_b` must differ from `data_a` as the adjacency says: {adjacency.in_words}."
        )


def _delta(p: NDArray[np.float64], q: NDArray[np.float64], epsilon: float) -> float:
    """Sum of max(0, p - e^epsilon q); differences within the rounding of floats count as none."""
    above = p > q + epsilon + 1e-12
    return float(np.sum(np.exp(p[above]) * -np.expm1(q[above] + epsilon - p[above])))


def _rho(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """The largest D_order(p || q) / order."""
    divergences = []
    for order in RENYI_ORDERS:
        exponents = order * p + (1 - order) * q
        top = float(exponents.max())
        divergences.append((top + float(np.log(np.exp(exponents - top).sum()))) / (order - 1) / order)
    return max(divergences)
