"""SliceQuantiles: cut thin slices of the sorted data at noisy ranks, and find one value in each.

Idea. Every wanted rank gets noise that is correlated in such a way that moving all ranks above some place by one costs
little. Around each noisy rank is a slice of 2 h records, and the exponential mechanism picks a value near its
middle. One person is in one slice at most, so the price of the draws does not grow with the number of quantiles.

Source. Imola, Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller Error",
2025, Algorithm 1; the theorem below is this project's and sharper than the paper's Theorem 4.2.

Claim. Noise N_1..N_(m+1) is such that shifting a suffix costs eps1 (slices.ranks). The last of it belongs to the number
of records: c = n - N_(m+1). Ranks are r_i = floor(q_i c) + N_i; slices are half-open, r_i - h + 1 .. r_i + h, padded
with the ends of the domain outside 1..n; h and all other decisions follow from c and public facts. A run is good where
consecutive r_i are at least 2 h apart; if not, it answers with sorted uniform values. Let one record

- join at sorted place s: raise by one the noise of every slice with r_i - h + 1 >= s, and N_(m+1);
- leave from place s: let j be the first slice with r_j + h >= s, and lower the noise after j, N_(m+1) included.

Both are shifts of a suffix, leave c as it is because n moves with N_(m+1), are injective, and leave every slice as it
was except one, where one record is replaced (eps2). Joining widens gaps. Leaving shrinks the one after j, which fails
only where it is exactly 2 h, that is where its noise falls by its slack or more: delta- adds this up over the gaps. So
    one joins        eps1 + eps2
    one leaves       (eps1 + eps2, delta-)
    one is replaced  (2 eps1 + 2 eps2, delta-)
The first two together are ADD_REMOVE, delta- <= the delta requested, for any c; the third, REPLACE_ONE, is one who
leaves and then another who joins.
Flat noise makes c part of a bridge: q n - q N_(m+1) + N_q is small at both ends. Where n is public and noise is not
flat, c = n. Noisy ranks and slices must never leave in a release: if they were visible, every slice would count.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(m (log n + log h)), never O(n).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import expm1, inf, log

import numpy as np

from ...arrays import Flags, Integers
from ...column import Column
from ...errors import Infeasible
from ...noise.entropy import Entropy
from ...privacy.budgets import Adjacency
from ...privacy.conversions import round_up
from ..base import DrawStep, Lemma, Loss, Profile, TimeCost
from ..joint.draws import multisets
from .draws import SliceStep, draw_slices, is_good, steps_of
from .layout import (
    MIXTURE_BITS,
    Rules,
    SliceLayout,
    arrange,
    failure_delta,
    layout_delta,
    mixture,
    needed_slacks,
    public_layout,
    ranks_at,
    refusal,
    target_delta,
)
from .ranks import CONTEXT, Ranks, to_decimal, to_float_upwards
from .setup import OPTIONS, SliceParameters, calibrate, refused_on

__all__ = [
    "AUDIT", "CLAIM", "KEY", "LABEL", "NOTES", "OPTIONS", "PROFILE", "READS", "REFERENCE", "SUMMARY", "SUPPORTS",
    "SliceParameters", "SliceStep", "calibrate", "lemma_loss", "run", "trace",
]  # fmt: skip

KEY = "slice"
LABEL = "Thin slices (SliceQuantiles)"
SUMMARY = (
    "Adds noise to the ranks, cuts a thin slice of records around each, and finds one value in every slice. "
    "Each person is in one slice at most, so hundreds of quantiles cost little more than ten. "
    "The best choice for many quantiles of many people, where a tiny delta is allowed."
)
CLAIM = (
    "Approximate privacy, for a person who joins or leaves and for one who is replaced; pure privacy where there are "
    "very many people."
)
REFERENCE = (
    "Imola, Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh: Differentially Private Quantiles with Smaller Error. "
    "2025, Algorithm 1."
)
NOTES = (
    (
        "ranks floor(q n) for a person who joins or leaves",
        "ranks from a noisy number of records that shares the noise of the ranks",
        "with the private n many ranks move at once: with 63 quantiles a loss above 4.6 where 1.67 is claimed",
    ),
    (
        "closed slices, the last gap unchecked",
        "half-open slices of 2 h records, every gap checked",
        "closed slices overlap: three records could change where two were counted",
    ),
    (
        "2 eps1 + 3 eps2 and delta times a factor when one person is replaced",
        "2 eps1 + 2 eps2 and delta once, as the chance that a gap falls to 2 h",
        "two injective maps, checked by listing all cases: less error for the same privacy",
    ),
    (
        "noise on a binary tree of ranks",
        "prefix sums that return to zero at both ends, or two levels for very many quantiles",
        "a shift then moves one or two nodes instead of log2(m), and outer quantiles have the least noise",
    ),
)
SUPPORTS = {adjacency: ("pure", "approximate") for adjacency in Adjacency}
READS = Column


@dataclass(frozen=True)
class Slices:
    """Runs that have slices for the same levels, side by side: (runs, slices)."""

    trials: Integers
    layouts: list[SliceLayout]
    ranks: Integers
    noisy: Integers
    half_width: Integers
    good: Flags


@dataclass(frozen=True)
class Answers:
    """The answers of all runs, a column for each level that may have a slice, and the slices they were drawn from."""

    cells: Integers
    slices: list[Slices]
    answered_by: Ranks
    at_random: Flags
    counts: Integers
    """The number of records that each run used: public or noisy."""


def run(column: Column, parameters: SliceParameters, entropy: Entropy) -> Integers:
    """Return the drawn slots, shape (entropy.trials, levels), increasing along levels.

    Under ADD_REMOVE the noisy number of records decides whether there is room for the slices. Where it leaves none,
    Infeasible is raised, with that number and what it has cost. Among many trials in the fast sampler one without room
    answers with sorted uniform values, which is as private; where no trial has room, Infeasible is raised.
    """
    found = _answers(column, parameters, entropy)
    return found.cells[:, list(found.answered_by)]


def _answers(column: Column, parameters: SliceParameters, entropy: Entropy) -> Answers:
    rules, layout, answered_by = _layout_where_public(parameters, column.domain.cells)
    delta = target_delta(rules, column.domain.cells) if layout is None else layout_delta(rules, layout)
    at_random = entropy.coins(mixture(rules, delta, column.domain.cells), 1 << MIXTURE_BITS)
    drawn = parameters.drawn_by(rules)
    noise = drawn.ranks.draw(entropy)
    counts = np.full(entropy.trials, column.n)
    if rules.bridged:
        counts -= noise[:, -1]
    layouts = [layout or arrange(rules, count, column.domain.cells) for count in counts.tolist()]
    if not any(layouts) and not at_random.any():
        raise _no_room(rules, int(counts[0]), column.domain.cells)
    groups = list(_slices(layouts, rules, counts, noise))
    cells = np.empty((entropy.trials, len(rules.levels)), np.int64)
    # One run draws these only where it needs them; of many each has its own, so that none moves another's draws.
    if not entropy.exact or not any(group.good.any() for group in groups):
        cells = np.sort(entropy.below(np.full(cells.shape, column.slots)), axis=1)
    for group in groups:
        noisy, half_width, good = group.noisy[group.good], group.half_width[group.good], group.trials[group.good]
        chosen = draw_slices(column.cells_at_places, noisy, half_width, drawn.target_level, column.slots, entropy)
        cells[good] = chosen[:, list(group.layouts[0].answered_by)]
    for trial in np.flatnonzero(at_random):
        (drawn_cells,) = multisets(np.array([column.domain.cells]), len(rules.levels), entropy)
        cells[trial] = column.places.before(drawn_cells)
    return Answers(cells, groups, answered_by, at_random, counts)


def _layout_where_public(parameters: SliceParameters, cells: int) -> tuple[Rules, SliceLayout | None, Ranks]:
    """Return rules, layout and each level's slice where the number of records is public; else no layout yet."""
    rules = parameters.rules
    if parameters.n_public is not None:
        return public_layout(rules, parameters.n_public, cells)
    return rules, None, tuple(range(len(rules.levels)))


def _no_room(rules: Rules, count: int, cells: int) -> Infeasible:
    """Return the refusal for a noisy number of records, with what it cost: it is a shift of one suffix, eps1."""
    return refusal(rules, count, cells, charged=round_up(rules.rank_epsilon))


def _slices(layouts: list[SliceLayout | None], rules: Rules, counts: Integers, noise: Integers) -> Iterator[Slices]:
    """Yield the slices that noise leads to, runs of one layout together; runs without room are in no group."""
    remaining = [found.remaining if found else () for found in layouts]
    for columns in dict.fromkeys(filter(None, remaining)):
        trials = np.array([trial for trial, own in enumerate(remaining) if own == columns])
        alike = [found for found in map(layouts.__getitem__, trials) if found]
        ranks = ranks_at(tuple(rules.levels[column] for column in columns), counts[trials])
        noisy = ranks + noise[trials][:, list(columns)]
        half_width = np.array([[found.half_width] for found in alike], np.int64)
        slack = np.array([found.slack for found in alike], np.int64)
        # Where n is public the layout was made for it; ranks that came closer than it allows for are not good.
        roomy = (np.diff(ranks, axis=1) - 2 * half_width >= slack).all(axis=1)
        yield Slices(trials, alike, ranks, noisy, half_width, roomy & is_good(noisy, half_width))


LEMMA = (
    "Noise on ranks gives way when all ranks from one place on move by one; then every slice but one is as before, "
    "and one record of that slice is replaced."
)


def lemma_loss(cells_a: Integers, cells_b: Integers, parameters: SliceParameters, grid: int) -> Loss:
    """Return the loss of a pair of neighbours by the theorem, with the noise that `parameters` really has.

    `grid` counts grid indices, not slots. Epsilon is infinite where a delta is needed.
    """
    if np.array_equal(cells_a, cells_b):
        return Loss(epsilon=0.0, delta=0.0, rho=0.0, lemma=LEMMA)
    rules, layout, _ = _layout_where_public(parameters, grid)
    times = 1 if parameters.guarantee.adjacency is Adjacency.ADD_REMOVE else 2
    # The theorem above, times 1 where one joins or leaves and 2 where one is replaced.
    loss = times * parameters.drawn_by(rules).loss
    beyond = max(0.0, -expm1(float(rules.epsilon - loss)))
    if len(rules.levels) == 1:
        return Loss(epsilon=float(loss), delta=beyond, rho=round_up(loss**2 / 2), lemma=LEMMA)
    slack = layout.slack if layout else tuple(needed_slacks(rules, tuple(range(len(rules.levels))), grid))
    # How often a shift fails: as intended, and under the noise that `parameters` really has.
    nodes = rules.node_epsilon, 1 / Fraction(parameters.drawn_by(rules).ranks.node.size)
    counted_on, real = (failure_delta(rules, slack, each) for each in nodes)
    if rules.delta is not None:
        delta = min(1.0, to_float_upwards(real) + beyond)
        return Loss(epsilon=inf, delta=delta, rho=None, lemma=LEMMA)
    epsilon = float(loss)
    if real > counted_on:
        # At worst an answer has probability `real` for one data set, and only its share of the mixture for the other.
        excess = float(to_decimal(rules.epsilon).exp(CONTEXT) * real / counted_on)
        epsilon = max(epsilon, log(excess))
    return Loss(epsilon=epsilon, delta=beyond, rho=epsilon**2 / 2, lemma=LEMMA)


def trace(column: Column, parameters: SliceParameters, entropy: Entropy, trial: int = 0) -> list[DrawStep]:
    """Return one run, level by level: ranks, slices and what was chosen in them. Private. Raises Infeasible."""
    found = _answers(column, parameters, entropy)
    rules, _, answered_by = _layout_where_public(parameters, column.domain.cells)
    if not any(trial in group.trials for group in found.slices):
        raise _no_room(rules, int(found.counts[trial]), column.domain.cells)
    steps = [
        step
        for group in found.slices
        for at in np.flatnonzero(group.trials == trial).tolist()
        for step in steps_of(
            column,
            group.layouts[at],
            (group.ranks[at], group.noisy[at], found.cells[trial]),
            parameters.drawn_by(rules).target_level,
            good=bool(group.good[at]) and not found.at_random[trial],
        )
    ]
    shared = [place for at, place in enumerate(answered_by) if place in answered_by[:at]]
    return [
        replace(steps[place], level=level, shared=steps[place].shared or place in shared)
        for level, place in zip(parameters.levels, answered_by, strict=True)
    ]


AUDIT = Lemma(lemma_loss)
PROFILE = Profile(
    colour="#a88a2e",
    symbol="cross",
    cost=TimeCost(5e-3, trial_and_level=6e-6),
    refuses_after_draws=True,
    refused_on=refused_on,
)
