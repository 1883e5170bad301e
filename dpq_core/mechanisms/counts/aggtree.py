"""AggTree: count the records in a tree of ranges, add noise to every count, and read all quantiles off the counts.

Idea. The grid is cut into branching^height leaves. Every node except the root gets integer noise; the noisy counts
are made consistent (children add up to their parent, none is negative); a quantile is where the sum of
the leaves from the left reaches its fraction of the total, linearly inside a leaf. Noise is paid for once, for any
number of quantiles.

Source. Dwork, Naor, Pitassi & Rothblum 2010 and Chan, Shi & Song 2011 for the tree; as a baseline for quantiles in
Gillenwater, Joseph & Kulesza, "Differentially Private Quantiles", ICML 2021, and in Kaplan, Schnapp & Stemmer, ICML
2022; agreement after Hay, Rastogi, Miklau & Suciu 2010.

Claim. ADD_REMOVE: a record that joins adds 1 to one node of each level, `height` counts in all. REPLACE_ONE: a
replaced one changes two on each level at most. `counts.noise` states what integer noise on several counts loses,
exactly. The rest is post-processing. The total is the noisy one under ADD_REMOVE; n itself only under REPLACE_ONE.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(leaves log n + leaves log branching); with the bounds so wide that most records share a leaf, interpolation
decides, so a tree wants bounds that fit.
"""

from __future__ import annotations

from ...column import Column
from ...plan import Plan
from ..base import EVERY_BUDGET, Lemma, Option, Profile, TimeCost, options_of
from .answers import CountParameters, budgeted, loss_of_pair, run_counts, trace_counts
from .noise import NoiseKind
from .tree import TreeShape

KEY = "aggtree"
LABEL = "Counting with a tree (AggTree)"
SUMMARY = (
    "Counts the people in ranges of several sizes, adds noise to every count, and reads all quantiles off the counts. "
    "The noise is paid for once, so a hundred quantiles cost no more than one. "
    "A good choice for very many quantiles, if the bounds are not much wider than the data."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = (
    "Dwork, Naor, Pitassi, Rothblum 2010; Chan, Shi, Song 2011; consistent counts after Hay, Rastogi, Miklau, Suciu "
    "2010; as a baseline in Gillenwater, Joseph, Kulesza: Differentially Private Quantiles. ICML 2021."
)
NOTES = (
    (
        "noise of scale sqrt(h) under a concentrated budget of 1/8",
        "Gaussian noise, or Laplace noise with rho = h tanh(1 / (2 scale)) / scale, which is exact",
        "scale sqrt(h) really spends 0.43, and 0.49 in whole numbers, at h = 4",
    ),
    (
        "the exact number of people at the root",
        "the noisy total, unless one person is replaced by another",
        "with whole-numbered noise the exact number gives a person away: an answer of probability 0.46 becomes "
        "impossible when one joins",
    ),
    (
        "least squares",
        "least squares among counts that are not negative",
        "no noise is spread over empty ranges: about a third less error at no cost",
    ),
    (
        "branching 12, height 4",
        "a shape chosen from the kind and the size of the budget",
        "three wide levels for pure budgets, six to eight narrow ones for Gaussian noise, finer for larger budgets",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = Column
OPTIONS: tuple[Option, ...] = ()


def calibrate(
    plan: Plan, n_public: int | None, *, shape: TreeShape | None = None, kind: NoiseKind | None = None
) -> CountParameters:
    """Return the tree and its noise for a plan with the guarantee they give; `n_public` is not used. O(1).

    The best tree for the budget; or one of this shape, or with this kind of noise.
    """
    options_of(plan, OPTIONS)
    return budgeted(plan, shape, kind)


run, trace = run_counts, trace_counts
AUDIT: Lemma[CountParameters] = Lemma(loss_of_pair)
PROFILE = Profile(
    colour="#9a6fc4",
    symbol="triangle-up",
    reads_shares=True,
    cost=TimeCost(2e-3, trial=6e-4),
)
