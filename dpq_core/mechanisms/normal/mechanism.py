"""Quantiles of a normal sample: find privately where the records lie, then count in bins there and nowhere else.

Idea. Of a normal distribution with known sigma and a mean between -R and R, all n records lie close to each other
wherever the mean is. Half of the budget finds the bin of width sigma that holds most of them (`normal.range`); around
it, an interval follows from n, sigma and beta alone, which holds all of them with probability 1 - beta or more if the
bin holds one. The other half pays for an exact-bin histogram in that interval (`bins.mechanism`), whose error does not
depend on R. A column that is not normal gets the same privacy and worse answers.

Source. Section 5 of Alabi, Ben-Eliezer & Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022, after
Karwa & Vadhan, "Finite Sample Differentially Private Confidence Intervals", ITCS 2018.

Claim. REPLACE_ONE, (epsilon, delta), with delta = 0 unless the range has more than 65,536 bins. With e1 = e2 = epsilon
/ 2: the chosen bin is (e1, delta)-DP (`normal.range` has the proof). For every chosen bin the interval is public and
clips each record by itself, so a replaced one changes two counts there by 1, or none, and discrete Laplace noise of
scale 2 / e2 makes the counts e2-DP; the rest is post-processing, with the public n. Adaptive composition gives (e1 +
e2, delta) (Dwork & Roth 2014, Theorem B.1); where delta = 0 all four counts together also have the concentrated loss
that `counts.noise` states.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(bins log n + trials * bins), and O(log n) for every bin of width sigma that holds a record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log2

import numpy as np

from ...arrays import Integers
from ...column import Column
from ...domain.numbers import exact_number
from ...errors import Name, ParameterError, Remedy, is_real, shown
from ...noise.entropy import Entropy
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee
from ...sketches.bin_counts import bin_edges
from ..base import Lemma, Loss, Option, Profile, TimeCost, distinct_levels, options_of
from ..counts.answers import Counted, Exact, HistogramStep, noisy_counts, of_trial, steps_of
from ..counts.noise import Noise, NoisyCounts, laplace_for_epsilon
from ..counts.tree import TreeShape
from .range import NONE, RangeRule, fullest_bins, rule_for, spent_delta, two_stage_loss

KEY = "normal"
LABEL = "For a bell-shaped column (normal sample)"
SUMMARY = (
    "First finds privately where the people are, then counts them in narrow ranges there and nowhere else. "
    "The bounds may be as wide as they like; the spread must be known beforehand. "
    "A good choice for measurements with a known error around an unknown mean."
)
CLAIM = "Pure or approximate privacy, for a person who is replaced by another."
REFERENCE = (
    "Alabi, Ben-Eliezer, Chaturvedi: Bounded Space Differentially Private Quantiles. 2022, section 5; after Karwa, "
    "Vadhan: Finite Sample Differentially Private Confidence Intervals. ITCS 2018."
)
NOTES = (
    (
        "a value error below sigma, from bins of width sigma (Theorem 5.1)",
        "narrow bins in an interval around the chosen bin",
        "the theorem as stated cannot hold: a bin of width sigma tells nothing finer than sigma",
    ),
    (
        "a histogram of a sketch's counts",
        "exact counts of bins",
        "a sketch's counts change by hundreds when one record does",
    ),
    (
        "(epsilon / 2, delta) for the range, always",
        "delta = 0 where all bins of the range can get noise",
        "noise on up to 65,536 bins is no larger than the threshold that a usual delta asks for",
    ),
    (
        "a threshold for continuous noise",
        "the smallest whole threshold, and 1 / (1 - delta) <= e^(epsilon / 4) as a condition",
        "two bins can appear and vanish at once, and the noise is in whole numbers",
    ),
)
SUPPORTS = {Adjacency.REPLACE_ONE: ("pure", "approximate")}
READS = Column
_LARGEST_RANGE = 2**62
OPTIONS = (
    Option(
        name="sigma",
        kind="number",
        default=None,
        minimum=0,
        help="The standard deviation of the column, from public knowledge, in its own unit.",
        needed=True,
    ),
    Option(
        name="mean_bound",
        kind="number",
        default=None,
        minimum=0,
        help="The mean lies between minus this and plus this, from public knowledge.",
        needed=True,
    ),
    Option(
        name="beta",
        kind="number",
        default=0.05,
        minimum=1e-9,
        maximum=0.5,
        help="The chance that records may lie outside of the interval that is counted.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class NormalParameters(NoisyCounts):
    """How the range is found, and the noise on the counts inside it."""

    range_rule: RangeRule

    def with_rates_times(self, factor: Fraction) -> NormalParameters:
        """Return both steps with noise divided by the factor under the same guarantee: for audits."""
        wider = 1 / Fraction(factor)
        return replace(self, range_rule=self.range_rule.times(wider), noise=self.noise.times(wider))


@dataclass(frozen=True, kw_only=True)
class NormalStep(HistogramStep):
    """How one quantile was found. Private."""

    range_bin: tuple[float, float] | None
    """The ends of the chosen bin of width sigma; None where no bin was chosen."""
    interval: tuple[float, float]
    """The first and the last value that were counted."""


def calibrate(plan: Plan, n_public: int | None) -> NormalParameters:
    """Return both steps with the guarantee they give; `n_public` only decides about a note. Raises Infeasible."""
    options = options_of(plan, OPTIONS)
    if plan.adjacency is not Adjacency.REPLACE_ONE:
        raise ParameterError(
            "adjacency",
            (
                "must be ",
                Name("replace_one"),
                " for a normal sample: its interval follows from a public number of people. Where people may join or "
                "leave, choose splitting in halves (aq) or counting in bins (binhist).",
            ),
            (
                Remedy("adjacency", Adjacency.REPLACE_ONE.value),
                Remedy("mechanism", "aq"),
                Remedy("mechanism", "binhist"),
            ),
        )
    if isinstance(plan.privacy, ZCDP):
        raise ParameterError(
            "privacy",
            "must be a pure or an approximate budget for a normal sample, got rho: choose one of them, or "
            "counting in bins (binhist).",
            (Remedy("budget", "pure"), Remedy("budget", "approximate"), Remedy("mechanism", "binhist")),
        )
    sigma, bound = _needed("sigma", options["sigma"]), _needed("mean_bound", options["mean_bound"])
    if 2 * bound / sigma >= _LARGEST_RANGE:
        raise ParameterError(
            "sigma",
            ("must be larger beside ", Name("mean_bound"), ": there are more than 2^62 bins."),
            (Remedy("sigma"), Remedy("mean_bound")),
        )
    half = Fraction(plan.privacy.epsilon) / 2  # e1 = e2 = epsilon / 2
    delta = plan.privacy.delta if isinstance(plan.privacy, ApproxDP) else None
    rule = rule_for(sigma, bound, float(options["beta"] or 0), half, delta)
    noise = laplace_for_epsilon(half, 2)  # two counts of the histogram change
    guarantee = Guarantee(
        epsilon=plan.privacy.epsilon,
        delta=spent_delta(rule, delta or 0.0),
        rho=noise.rho(4) if rule.threshold is None else None,  # two counts in each step, noise of one scale
        adjacency=plan.adjacency,
    )
    return NormalParameters(
        levels=distinct_levels(plan),
        guarantee=guarantee,
        notes=_notes(rule, n_public),
        range_rule=rule,
        noise=noise,
    )


def run(column: Column, parameters: NormalParameters, entropy: Entropy) -> Integers:
    """Return the drawn slots, shape (entropy.trials, levels), increasing along levels."""
    places = np.empty((entropy.trials, len(parameters.levels)), np.int64)
    for _, rows, histograms in _by_bin(column, parameters, entropy):
        places[rows] = np.concatenate([histogram.quantiles(parameters.levels)[0] for histogram in histograms])
    return column.places.before(places)


def _by_bin(
    column: Column, parameters: NormalParameters, entropy: Entropy
) -> Iterator[tuple[int, Integers, list[Counted]]]:
    """Yield every bin that some trial chose, those trials in increasing order, and their histograms around it."""
    chosen = fullest_bins(column, parameters.range_rule, entropy)
    for held in np.unique(chosen).tolist():
        rows = np.flatnonzero(chosen == held)
        yield held, rows, list(_inside(column, parameters, held, rows.size, entropy))


def _inside(
    column: Column, parameters: NormalParameters, held: int, trials: int, entropy: Entropy
) -> Iterator[Counted]:
    """Yield histograms of the interval around a bin; records beyond it count in its outer bins."""
    low, high = parameters.range_rule.interval(held, column.n, column.domain)
    edges = low + bin_edges(high - low + 1, min(inner_bins(parameters.noise, column.n), high - low + 1))
    below = column.count_below(edges)
    below[0], below[-1] = 0, column.n
    exact = Exact(TreeShape(edges.size - 1, 1), edges, [np.diff(below)])
    return noisy_counts(exact, parameters.noise, column.n, trials, entropy)


def inner_bins(noise: Noise, n: int) -> int:
    """Return how many bins the interval around the chosen one has: a power of 2 from 16 to 4096, from public facts.

    The noise of a sum of K bins grows with its root, the error of a straight line inside a bin falls with its square:
    the two are equal where K grows with the power 2/5 of n / noise. The factor is measured on normal columns, with
    200 to 10^6 records and epsilon from 0.1 to 10.
    """
    wanted = 4.4 * (max(n, 1) / float(noise.size)) ** 0.4
    return int(2 ** round(log2(min(max(wanted, 16), 4096))))


def lemma_loss(cells_a: Integers, cells_b: Integers, parameters: NormalParameters, grid: int) -> Loss:
    """Return the largest loss of both steps for one pair of sorted columns, wherever the bounds put them in bins."""
    rule, noise = parameters.range_rule, parameters.noise
    epsilon, delta, changed = two_stage_loss(cells_a, cells_b, rule, noise, parameters.guarantee.epsilon)
    return Loss(
        epsilon=epsilon,
        delta=delta,
        rho=noise.rho(changed) if rule.threshold is None else None,
        lemma="at most two counts differ by one in each of the two steps, and have independent noise; "
        "the answers follow from the chosen bin and the second noisy counts alone.",
    )


def trace(column: Column, parameters: NormalParameters, entropy: Entropy, trial: int = 0) -> list[NormalStep]:
    """Return one run, quantile by quantile, with the chosen bin, the interval and its counts."""
    rule = parameters.range_rule
    held, histogram = next(
        (held, of_trial(iter(histograms), int(rows.searchsorted(trial))))
        for held, rows, histograms in _by_bin(column, parameters, entropy)
        if trial in rows
    )
    ends = tuple(float((held + side) * rule.sigma - rule.bound) for side in (0, 1))
    first, last = column.domain.decode(histogram.exact.edges[[0, -1]] - np.array([0, 1])).tolist()
    return [
        NormalStep(**vars(step), range_bin=None if held == NONE else (ends[0], ends[1]), interval=(first, last))
        for step in steps_of(histogram, parameters.levels, column.domain.decode)
    ]


def _needed(name: str, value: object) -> Fraction:
    """Return a width from public knowledge, exactly. Raises ParameterError."""
    if value is None:
        raise ParameterError(
            name, "must be given for a normal sample: a number > 0, from public knowledge.", (Remedy(name),)
        )
    if not is_real(value) or not value > 0:
        raise ParameterError(
            name, f"must be given for a normal sample, and be > 0, got {shown(value)}.", (Remedy(name),)
        )
    return exact_number(value, name)


def _notes(rule: RangeRule, n_public: int | None) -> tuple[str, ...]:
    """Return a sentence where there are too few records, from public facts only."""
    enough = rule.enough_records()
    if n_public is None or n_public >= enough:
        return ()
    return (
        f"With {n_public:,} people the range may be missed, and then all answers are far off; "
        f"from {enough:,} on it is found nearly always.",
    )


AUDIT = Lemma(lemma_loss)
PROFILE = Profile(
    needs_normal=True,
    colour="#a0765b",
    symbol="pentagon",
    cost=TimeCost(2e-3, trial=4e-5),
)
