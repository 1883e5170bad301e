"""Exact-bin histogram: count the records in fixed bins, add noise to every count, and read all quantiles off the sums.

Idea. The bins are chosen before any data is read, so their counts can be taken exactly while the data streams by, in
as much space as there are bins (`BinCounts`). Every count gets integer noise; the noisy counts are made nonnegative
and consistent (`counts.tree`); a quantile is where their sum from the left reaches its fraction of the total, linearly
inside a bin. Noise is paid for once, for any number of quantiles.

Source. In place of Algorithm DPHistGK of Alabi, Ben-Eliezer & Chaturvedi, "Bounded Space Differentially Private
Quantiles", 2022, section 4; the mechanism itself is the histogram of Dwork, McSherry, Nissim & Smith 2006.

Claim. ADD_REMOVE: a record that joins adds 1 to one count. REPLACE_ONE: a replaced one changes two counts, or none, by
1. `counts.noise` states what integer noise on several counts loses, exactly. The rest is post-processing. The total is
the sum of the noisy counts under ADD_REMOVE; n itself only under REPLACE_ONE.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(bins log n) for a column, O(bins) for counts of bins.
"""

from __future__ import annotations

from dataclasses import replace
from math import log2

from ...plan import Plan
from ...sketches.bin_counts import MOST_BINS, USUAL_BINS, BinCounts
from ..base import EVERY_BUDGET, Lemma, Option, Profile, TimeCost, options_of
from .answers import CountParameters, budgeted, loss_of_pair, run_counts, trace_counts
from .noise import Noise
from .tree import TreeShape

KEY = "binhist"
LABEL = "Counting in bins (histogram)"
SUMMARY = (
    "Counts the people in a fixed number of equal ranges, adds noise to every count, and reads all quantiles off the "
    "sums. It reads data of any length once and remembers the counts only. "
    "A good choice for streams, and for many quantiles of few possible values: for 49 quantiles of 101 evenly spread "
    "values it errs about half as much as splitting in halves."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = (
    "Dwork, McSherry, Nissim, Smith: Calibrating Noise to Sensitivity in Private Data Analysis. TCC 2006; in place of "
    "DPHistGK in Alabi, Ben-Eliezer, Chaturvedi: Bounded Space Differentially Private Quantiles. 2022."
)
NOTES = (
    (
        "counts of bins read from a Greenwald-Khanna sketch",
        "exact counts",
        "bins do not depend on the data, so they can be counted exactly in as little space",
    ),
    (
        "noise of scale 2 / epsilon on the sketch's counts",
        "scale 1 / epsilon for a person who joins, 2 / epsilon for one who is replaced, on exact counts",
        "when one early record changes, a sketch merges others from then on: its counts change by hundreds, not by 2",
    ),
    (
        "noisy counts as they are",
        "the nearest counts that are not negative, in groups of ranges",
        "up to two fifths less error where most ranges are empty, at no cost in privacy",
    ),
    (
        "one bin as the answer",
        "a point inside the bin, by its share of the bin's count",
        "a bin is an answer of its own width",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = BinCounts
OPTIONS = (
    Option(
        name="bins",
        kind="integer",
        default=None,
        minimum=2,
        maximum=MOST_BINS,
        help="How many equal ranges are counted, at most one for each value of the grid. Chosen from the noise by "
        "default: about 1,000 at ε = 1.",
    ),
)


_USUAL_VARIANCE = 2.0
"""Of Laplace noise of scale 1, for which `USUAL_BINS` is about best."""


def calibrate(plan: Plan, n_public: int | None) -> CountParameters:
    """Return the bins and their noise with the guarantee they give; `n_public` is not used."""
    bins, found = options_of(plan, OPTIONS)["bins"], budgeted(plan, TreeShape(2, 1))  # one level of counts, any width
    return replace(found, shape=TreeShape(bins_for(found.noise) if bins is None else int(bins), 1), whole_values=True)


def bins_for(noise: Noise) -> int:
    """Return how many bins suit a noise, a power of 2 from 256 to 4096: fewer where more noise would add up.

    Half the deviation of the noise deserves sqrt(2) times the bins: the error of a sum grows with the root of their
    number, the error inside a bin falls with it. n is private where a record may join, so it is not used.
    """
    wanted = USUAL_BINS * (_USUAL_VARIANCE / max(noise.variance, 1e-6)) ** 0.25
    return int(2 ** round(log2(min(max(wanted, USUAL_BINS / 4), USUAL_BINS * 4))))


run, trace = run_counts, trace_counts
AUDIT: Lemma[CountParameters] = Lemma(loss_of_pair)
PROFILE = Profile(
    colour="#5f7f4f",
    symbol="hexagon",
    reads_shares=True,
    cost=TimeCost(1e-3, trial=2.5e-4),
)
