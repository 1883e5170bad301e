"""What the papers' theorems say about the rank error, as pure functions: to be drawn beside what is measured.

Every bound is in records, holds for all levels of one run at once with probability 1 - beta, and takes it that no two
records share one of the `cells` of the output space (the fine cells of a Sample; the papers' psi). None depends on n
or on the data. Rounding a rank to a whole number can add one record.

[KSS]    Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022. [SLICE]  Imola,
Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller Error", 2025. [BSPACE]
Alabi, Ben-Eliezer, Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import cast

from ..errors import LARGEST, ParameterError, shown
from ..mechanisms.aq import AQParameters, proved
from ..mechanisms.gk import GKParameters
from ..mechanisms.indexp import largest_each
from ..plan import Plan
from ..privacy import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from ..release import calibrate
from .configuration import Levels
from .grid import even_levels

BETA = 0.05
"""The probability with which a bound may fail, where none is named."""


@dataclass(frozen=True)
class Bound:
    """A theorem's error in records, and which theorem."""

    error: float
    source: str


def single_quantile(cells: int, epsilon: float, beta: float = BETA, sensitivity: float = 1.0) -> float:
    """One draw of the exponential mechanism with its own `epsilon`: [KSS] Lemma A.1."""
    _check(cells=cells, epsilon=epsilon, beta=beta, sensitivity=sensitivity)
    return 2 * sensitivity * (log(cells) + log(1 / beta)) / epsilon


def splitting(
    levels: Levels, cells: int, privacy: PureDP | ZCDP, adjacency: Adjacency, beta: float = BETA
) -> Bound | None:
    """ApproximateQuantiles as printed: [KSS] Theorems 3.3 and 3.5, and 3.11 and 3.12 for a concentrated budget.

    gamma bounds every draw at once. Errors add up over the L depths of the recursion: L gamma. For the levels
    j / (m + 1) the paper says 2 gamma. That counts the error of one end of a part; with both ends wrong in the same
    direction, draws within gamma can add up to 2.25 gamma at m = 7. So this is for comparison: `bound_of` takes what
    `aq.bound` proves. None without levels.
    """
    m = len(levels)
    if m == 0:
        return None
    depths = m.bit_length()
    paths = 2 * depths - 1 if adjacency is Adjacency.SUBSTITUTE else depths
    each = privacy.epsilon / paths if isinstance(privacy, PureDP) else sqrt(8 * privacy.rho / paths)
    gamma = single_quantile(cells, each, beta / m)
    even = levels == even_levels(m)
    theorem = ("3.5" if even else "3.3") if isinstance(privacy, PureDP) else ("3.12" if even else "3.11")
    return Bound((min(2, depths) if even else depths) * gamma, f"KSS, Theorem {theorem}")


def one_by_one(levels: Levels, cells: int, privacy: Privacy, beta: float = BETA, threshold: int = 1) -> Bound | None:
    """Independent draws that share the budget: [KSS] Lemma A.1 for each of m levels, with beta / m. None for m = 0.

    With a `threshold` E above 1 the draws read a sketch, as `sketch` says.
    """
    m = len(levels)
    if m == 0:
        return None
    match privacy:
        case PureDP(epsilon):
            each = epsilon / m
        case ZCDP(rho):
            each = sqrt(8 * rho / m)
        case ApproxDP(epsilon, delta):
            each = float(largest_each(m, epsilon, delta))
    source = "KSS, Lemma A.1, for each level" if threshold == 1 else "after BSPACE, Theorem 4.11, for each level"
    return Bound(sketch(threshold, cells, each, beta / m), source)


def slices(
    m: int, cells: int, rank_epsilon: float, draw_epsilon: float, delta: float, beta: float = BETA
) -> float | None:
    """SliceQuantiles as printed: noise on ranks below 3 ln m ln(2m / delta) / eps1, and half a slice: [SLICE] Thm 4.2.

    The first term fails with probability delta. None for a single level, for which it says nothing.
    """
    _check(m=m, cells=cells, rank_epsilon=rank_epsilon, draw_epsilon=draw_epsilon, delta=delta, beta=beta)
    if m < 2:
        return None
    noise = 3 * log(m) * log(2 * m / delta) / rank_epsilon
    half_width = ceil(2 / draw_epsilon * log(2 * m * cells / beta) - 1)
    return noise + max(half_width, 1)


def sketch(threshold: int, cells: int, epsilon: float, beta: float = BETA) -> float:
    """DPExpGK with a sound scale, one level: error of the sketch and noise of sensitivity E: after [BSPACE] Thm 4.11.

    E is the `threshold` of the sketch, max(1, floor(2 alpha n_max)): `sketches.merge_threshold`.
    """
    _check(threshold=threshold, cells=cells, epsilon=epsilon, beta=beta)
    return threshold - 1 + single_quantile(cells, epsilon, beta, threshold)


def bound_of(plan: Plan, n: int, cells: int, beta: float = BETA) -> Bound | None:
    """What is proved of a plan's mechanism; None where nothing is.

    AQ by its own rates, draw by draw. IndExp and DPExpGK draw here at the printed rates or at higher ones, so the
    printed theorems hold for them; SliceQuantiles builds its noise otherwise, so there the theorem is a comparison.
    `n` and `cells` are those of the Sample; no bound exceeds n, as no rank error does. Raises ParameterError for a
    sketch without `n_max` where it needs one.
    """
    levels = tuple(sorted(set(plan.quantiles)))
    bound: Bound | None = None
    match plan.mechanism, plan.privacy:
        case "aq", _ if levels:
            root = cast(AQParameters, calibrate(plan)).root
            assert root is not None, "there are levels"
            bound = Bound(proved(root, cells, beta), "after KSS, Lemma A.1, draw by draw")
        case "indexp", privacy:
            bound = one_by_one(levels, cells, privacy, beta)
        case "gkexp", privacy if plan.options.get("calibration") != "paper":
            count = None if plan.adjacency is Adjacency.ADD_REMOVE else n
            threshold = cast(GKParameters, calibrate(plan, count)).threshold
            bound = one_by_one(levels, cells, privacy, beta, threshold)
        case "slice", ApproxDP(epsilon, delta):
            bound = _slices_as_printed(len(levels), cells, epsilon, delta, plan.adjacency, beta)
    return None if bound is None else Bound(min(bound.error, float(n)), bound.source)


def _slices_as_printed(
    m: int, cells: int, epsilon: float, delta: float, adjacency: Adjacency, beta: float
) -> Bound | None:
    """Half the budget for ranks, half for slices: eps1 + 2 eps2, or 2 eps1 + 3 eps2 where one record is replaced."""
    ranks, draws = (4, 6) if adjacency is Adjacency.SUBSTITUTE else (2, 4)
    error = slices(m, cells, epsilon / ranks, epsilon / draws, delta, beta)
    return None if error is None else Bound(error, "SLICE, Theorem 4.2")


def _check(**settings: float) -> None:
    for name, value in settings.items():
        if not 0 < value <= LARGEST:
            raise ParameterError(name, f"must be finite and > 0, got {shown(value)}.")
