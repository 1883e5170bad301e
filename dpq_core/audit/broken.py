"""The broken variants in one table: what is done wrong, a pair of data sets that shows it, the reason and the fix.

For tests and the page Inside only: nothing here can be reached from a plan. Most variants are compared on a tiny pair
of data sets by the same code as `privacy_loss`; two need many quantiles or people, in growing numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf, log

import numpy as np

from ..arrays import Floats, Integers
from ..calibrations import calibrate
from ..domain.domain import Domain
from ..errors import Name, ParameterError
from ..mechanisms.base import Make, Parameters
from ..mechanisms.counts.aggtree import calibrate as calibrate_tree
from ..mechanisms.counts.answers import CountParameters
from ..mechanisms.counts.tree import TreeShape
from ..plan import OptionValue, Plan
from ..privacy.budgets import ZCDP, Adjacency, Privacy, PureDP
from ..sketches.bin_counts import bin_edges
from . import printed
from .losses import LogLaw, Pair, compare

MOST_CELLS = 40
MOST_RECORDS = 12


@dataclass(frozen=True, kw_only=True)
class TinyPair:
    """A data set of whole numbers from 0 to `highest`, from which one value leaves, or which one joins, or both.

    Both: one person is replaced. Raises ParameterError for a value that is not in 0..highest, for one that leaves and
    was not there, for more than 12 records or 40 cells, and where nobody changes.
    """

    values: tuple[int, ...]
    leaving: int | None = None
    joining: int | None = None
    highest: int = MOST_CELLS - 1

    def __post_init__(self) -> None:
        if not 1 <= self.highest < MOST_CELLS:
            raise ParameterError("highest", f"must be a whole number from 1 to {MOST_CELLS - 1}, got {self.highest}.")
        if len(self.values) > MOST_RECORDS:
            raise ParameterError("values", f"must be at most {MOST_RECORDS} numbers, got {len(self.values)}.")
        changes = [value for value in (self.leaving, self.joining) if value is not None]
        if not changes:
            raise ParameterError("joining", ("or ", Name("leaving"), " must be a value: one person has to change."))
        for value in (*self.values, *changes):
            if not 0 <= value <= self.highest:
                raise ParameterError("values", f"must lie from 0 to {self.highest}, got {value}.")
        if self.leaving is not None and self.leaving not in self.values:
            raise ParameterError("leaving", f"must be one of the values, got {self.leaving}.")

    @property
    def other(self) -> tuple[int, ...]:
        """Return the neighbouring data set, in increasing order."""
        remaining = list(self.values)
        if self.leaving is not None:
            remaining.remove(self.leaving)
        return tuple(sorted([*remaining, *([] if self.joining is None else [self.joining])]))

    @property
    def adjacency(self) -> Adjacency:
        """Return the relation under which the two data sets are neighbours."""
        replaced = self.leaving is not None and self.joining is not None
        return Adjacency.REPLACE_ONE if replaced else Adjacency.ADD_REMOVE

    def domain(self, parts: int = 1) -> Domain:
        """Return the public grid 0..highest, every step cut into this many sub-steps."""
        return Domain(0, self.highest + 1 - Fraction(1, parts), Fraction(1, parts))


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A variant that can be compared on any tiny pair, with the pair and the settings that show the break."""

    name: str
    printed: str
    """What the paper, or naive code, does."""
    reason: str
    fix: str
    mechanism: str | None
    """None: any."""
    pair: TinyPair
    quantiles: str
    privacy: Privacy
    options: tuple[tuple[str, OptionValue], ...] = ()
    make: Make = calibrate
    """The sound parameters."""
    parts: int = 1
    """Into how many sub-steps every step of the pair's grid is cut."""
    alter: Callable[[Plan, Parameters], Parameters] | None = None
    """The broken parameters, from the plan and the sound ones."""
    records: Callable[[Integers], Integers] | None = None
    """The broken records, from sorted grid indices."""
    law: LogLaw | None = None
    """The broken output distribution, in place of the mechanism's."""

    def compare(self, plan: Plan, pair: TinyPair) -> Pair:
        """Return the distributions and the loss of the variant under the guarantee of the plan.

        Raises as `losses.compare`.
        """
        alter = None if self.alter is None else partial(self.alter, plan)
        return compare(
            plan, pair.values, pair.other, pair.domain(self.parts),
            make=self.make, alter=alter, records=self.records, law=self.law,
        )  # fmt: skip

    def fixed(self, plan: Plan, pair: TinyPair) -> Pair:
        """Return the same of the sound mechanism. Raises as `losses.compare`."""
        return compare(plan, pair.values, pair.other, pair.domain(self.parts), make=self.make)


@dataclass(frozen=True, kw_only=True)
class BrokenAtScale:
    """A variant that needs too many records to be drawn: the loss of one pair at one output, for growing sizes."""

    name: str
    printed: str
    reason: str
    fix: str
    mechanism: str
    privacy: PureDP
    least_epsilon: float
    """Below it the sums would have to reach farther."""
    of: str
    """What grows: "quantiles" or "people"."""
    sizes: tuple[int, ...]
    at: str
    """The pair and the output, in words."""
    loss: Callable[[int, Fraction, bool], float]
    """From a size, a guaranteed epsilon, and whether it is the printed variant."""


PARTS = 8
"""Into how many sub-steps a step is cut where the variant is about the breaking of ties."""
FARTHEST_NOISE = 60
"""Scales of noise that are summed: what lies beyond has a probability below e^-60."""
HALF_WIDTH = 20
GRID, BINS, ALPHA = 1009, 20, 0.05
"""Of the histogram's stream: grid size, bins, and how coarse the sketch is."""


def _law_with_exact_total(outputs: Integers, cells: Integers, parameters: Parameters, grid: int) -> Floats:
    """Return the log probabilities of one quantile from a tree of two leaves with the exact n at its root."""
    assert isinstance(parameters, CountParameters), "this is a variant of AggTree"
    if len(parameters.levels) != 1:
        raise ParameterError("quantiles", "must be one level: this law is known for one quantile.")
    left, scale = int((cells < grid // 2).sum()), parameters.noise.size
    reach = int(FARTHEST_NOISE * scale) + 1
    law = printed.tree_exact_total_law(left, cells.size - left, parameters.levels[0], scale, reach)
    chances = np.zeros(grid)
    for place, chance in law.items():
        chances[min(int(place * grid / 2), grid - 1)] += chance
    return np.array([log(chance) if chance else -inf for chance in chances[outputs[:, 0]]])


def _loss_of_private_ranks(quantiles: int, epsilon: Fraction, as_printed: bool) -> float:
    each = epsilon / 3  # the printed guarantee is eps1 + 2 eps2, halves alike
    return printed.loss_of_private_ranks(quantiles, each, each, HALF_WIDTH, printed=as_printed)


def _loss_of_sketched_bins(people: int, epsilon: Fraction, as_printed: bool) -> float:
    """Return the loss of Laplace noise of scale 2 / epsilon on every count: epsilon / 2 for each changed record."""
    stream = [i * 7919 % GRID for i in range(people)]
    changed, other = 0, GRID - 1
    if as_printed:
        moved = printed.counts_changed(stream, changed, other, ALPHA, GRID, BINS)
    else:
        bins = np.searchsorted(bin_edges(GRID, BINS), [stream[changed], other], side="right")
        moved = 2 * int(bins[0] != bins[1])
    return moved * float(epsilon) / 2


BROKEN: dict[str, Broken | BrokenAtScale] = {
    "half": Broken(
        name="Half the noise",
        printed="The sound mechanism with half of its noise, under the same claim.",
        reason="A probability can change by the square of the promised factor.",
        fix="Use all the noise that the proof needs.",
        mechanism=None,
        pair=TinyPair(values=(3, *[38] * 6, 39), joining=39),
        quantiles="1/2",
        privacy=PureDP(1.0),
        alter=lambda _, sound: sound.with_rates_times(Fraction(2)),
    ),
    "floored": Broken(
        name="JointExp with rounded targets",
        printed="Aim at floor(q n) records below the answer, at the noise of the unrounded target q n.",
        reason="When a person joins, the rounded target stays or jumps by one. The differences between "
        "neighbouring quantiles then change by more than the noise covers.",
        fix="Aim at the fraction q n itself: one person changes all differences together by at most 2 (1 - the "
        "smallest share).",
        mechanism="jointexp",
        pair=TinyPair(values=(7, 37, 37), joining=38),
        quantiles="1/2",
        privacy=PureDP(1.0),
        law=printed.log_law_with_floored_targets,
    ),
    "tie_bits": Broken(
        name="AQ with ties broken by position",
        printed="Make tied values distinct by adding i/(n + 1) to the i-th smallest.",
        reason="A person who joins shifts every later position, so every later value moves. In splits after the first, "
        "more than one record then changes.",
        fix="Give each record its own random low bits. Here all records keep the same bits on both sides.",
        mechanism="aq",
        pair=TinyPair(values=(1, 1, 1, 4, 4, 4), joining=0, highest=4),
        quantiles="1/4, 1/2, 3/4",
        privacy=PureDP(1.0),
        parts=PARTS,
        records=lambda cells: printed.tie_breaking_by_sorted_position(cells // PARTS, PARTS),
    ),
    "path": Broken(
        name="AQ, one path for a replaced person",
        printed="Divide ε by the L levels of splits, even if a person is replaced.",
        reason="The old and the new value can go to different sides of the first answer. After that, two paths "
        "spend budget, not one: 2L - 1 shares in all.",
        fix="Divide ε by 2L - 1.",
        mechanism="aq",
        pair=TinyPair(values=(0, 4), leaving=0, joining=39),
        quantiles="1/4, 1/2, 3/4",
        privacy=PureDP(1.0),
        make=printed.aq,
        alter=lambda plan, _: printed.aq_one_path_where_one_is_replaced(plan),
    ),
    "logarithm": Broken(
        name="AQ with the wrong logarithm",
        printed="Divide ε by ln(m) + 1 for m quantiles.",
        reason="The number of halvings is a logarithm to base 2. For two quantiles ln gives 1.69 shares, but the draws "
        "spend two.",
        fix="Divide ε by log2(m) + 1, or by the number of splits.",
        mechanism="aq",
        pair=TinyPair(values=(2, 2, 38), joining=38),
        quantiles="1/2, 3/4",
        privacy=PureDP(1.0),
        make=printed.aq,
        alter=lambda plan, _: printed.aq_natural_logarithm(plan),
    ),
    "total": Broken(
        name="AggTree with the exact number of people",
        printed="Keep the exact n at the root of the tree of counts, where n is private.",
        reason="The target q n then has no noise, so some answers are possible for one n only and give a person away.",
        fix="Take the sum of the noisy counts of the first level as the number of people.",
        mechanism="aggtree",
        pair=TinyPair(values=(5, 5, 30, 30), joining=30),
        quantiles="1/2",
        privacy=PureDP(1.0),
        make=partial(calibrate_tree, shape=TreeShape(2, 1)),
        law=_law_with_exact_total,
    ),
    "height": Broken(
        name="AggTree with noise √height under ρ",
        printed="Laplace noise of scale √(h / (8 ρ)) on the counts of a tree of height h.",
        reason="ε² / 8 is the price of the exponential mechanism in ρ. Laplace noise costs about ε² / 2: four times "
        "as much.",
        fix="Gaussian noise of variance h / (2 ρ), or Laplace noise of twice that scale.",
        mechanism="aggtree",
        pair=TinyPair(values=(3, 7, 7, 21), joining=30),
        quantiles="1/2",
        privacy=ZCDP(0.1),
        make=printed.wide_tree,
        alter=lambda plan, _: printed.tree_sqrt_height(plan),
    ),
    "ranks": BrokenAtScale(
        name="Slices around ranks of a private n",
        printed="Noise on the ranks floor(q n), with the exact n, where n is private.",
        reason="When a person joins, many ranks move by one and the others stay. The noise hides this cheaply if all "
        "ranks from one place on move together. Every place where they do not costs extra.",
        fix="Take the ranks from a noisy number of people, which is the same for both data sets.",
        mechanism="slice",
        privacy=PureDP(1.0),
        least_epsilon=1.0,
        of="quantiles",
        sizes=(3, 7, 15, 31, 63),
        at="One person joins evenly spaced records. The loss is that of one output; others may lose more.",
        loss=_loss_of_private_ranks,
    ),
    "sketch": Broken(
        name="DPExpGK without the sketch’s sensitivity",
        printed="Read ranks from a Greenwald-Khanna sketch, and draw with weights exp(ε/2 · score).",
        reason="One person can change which records the sketch keeps. Its ranks, and so the scores, change by up to "
        "its threshold E, not by one.",
        fix="Divide the exponent by E: weights exp(ε/(2E) · score).",
        mechanism="gkexp",
        pair=TinyPair(values=(2, 2, 6, 9, 13, 29, 30, 31, 36, 37, 39, 39), joining=1),
        quantiles="1/2",
        privacy=PureDP(1.0),
        options=(("alpha", 0.2), ("n_max", 13)),
        alter=lambda plan, _: printed.gk_not_divided(plan),
    ),
    "bins": BrokenAtScale(
        name="DPHistGK: bins counted from a sketch",
        printed="Count the tuples of a Greenwald-Khanna sketch in bins, and add Laplace noise of scale 2/ε.",
        reason="One early person changes which tuples are merged later. So hundreds of counted records change their "
        "bin, and the noise covers two.",
        fix="Count the bins themselves: they do not depend on the data, and one count for each is enough.",
        mechanism="binhist",
        privacy=PureDP(1.0),
        least_epsilon=0.0,
        of="people",
        sizes=(25, 50, 100, 200, 400),
        at="The first of a stream of people is replaced, from the lowest value to the highest. The loss is that of all "
        "noisy counts together.",
        loss=_loss_of_sketched_bins,
    ),
}
"""By its key in links."""
