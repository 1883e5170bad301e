"""[KSS] Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022: its figures, recomputed.

1,000 records are drawn from each set with replacement, on the domain [-100, 100]; one person joins or leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from math import sqrt
from time import thread_time

import numpy as np

from ...audit import printed
from ...calibrations import Calibrated, calibrate, singly
from ...column import Column
from ...mechanisms.base import USUAL_BETA, Bound, DrawStep, Make
from ...mechanisms.exponential.distribution import error_of_one_draw
from ...mechanisms.indexp.mechanism import largest_each
from ...mechanisms.registry import MECHANISMS
from ...noise.fast import SeededSampler
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from ...studies.configuration import Configuration, Method, seed_of
from ...studies.design import even_levels
from ...studies.engine import Columns, run_configuration
from ...studies.shapes import values_of
from ...study import explain_column
from ..data import KSS_SETS, SEED, UNSCALED, UNSCALED_PANEL, WIDE, kss_apart, kss_columns
from ..figures import Point
from ..tasks import Drawn, Task, mean_error, published_aq

RECORDS = 1000
COUNTS = (*range(1, 33), *range(36, 61, 4), 63, 64, *range(70, 121, 10))
"""Of quantiles, up to the largest printed: all small ones, and both sides of 64, where AQ gets deeper."""
BOUND_COUNTS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 80, 100, 120)
FEW_COUNTS = (1, 5, 20, 60)
PURE, CONCENTRATED, DELTA_ON_TOP = PureDP(1.0), ZCDP(0.125), ApproxDP(1.0, 1e-6)
PURE_CURVES = ("aq", "aq-published", "aq-printed", "jointexp", "indexp", "indexp-delta", "aggtree", "aggtree-printed")
CONCENTRATED_CURVES = ("aq", "aq-published", "jointexp", "indexp", "aggtree", "aggtree-printed", "aggtree-broken")
HISTOGRAM_BINS = 100
TRACES = 200
TIMED = (1, 5, 20, 60, 120)
FEW_SETS = ("uniform", "adult-age")  # at reduced size, and where time is measured


def drawn_curve(
    curve: str, privacy: Privacy, data: str, quick: bool, make: Make | None = None,
    adjacency: Adjacency = Adjacency.ADD_REMOVE, size: tuple[int, int] = (100, 5),
) -> Drawn:  # fmt: skip
    """Return a curve; its name begins with the key of its mechanism. "aq" draws one quantile at every split.

    Published constants are sound ones: those of AQ's authors hold where a person joins or leaves. The approximate
    baseline has a delta on top, as printed. `size`: runs in all and data sets, at full size.
    """
    trials, data_sets = (20, 2) if quick else size
    makes: dict[str, Make] = {
        "aq": singly, "aq-published": published_aq if adjacency is Adjacency.ADD_REMOVE else printed.aq,
        "aq-printed": printed.aq, "aggtree-broken": printed.tree_sqrt_height,
        "aggtree-printed": printed.wide_tree if isinstance(privacy, ZCDP) else printed.tree,
    }  # fmt: skip

    def configuration(m: int) -> Configuration:
        return Configuration(
            method=Method(curve.partition("-")[0]), privacy=DELTA_ON_TOP if curve == "indexp-delta" else privacy,
            quantiles=even_levels(m), data=data, n=RECORDS, domain=WIDE, adjacency=adjacency, trials=trials,
            data_sets=data_sets, seed=SEED,
        )  # fmt: skip

    return Drawn(curve, configuration, make or makes.get(curve, calibrate))


def error_tasks(quick: bool, *, concentrated: bool) -> Iterator[Task]:
    """Yield Figures 4 and 5, or 6 and 7: the mean rank error against m on every data set at hand."""
    given, panels = kss_apart(), KSS_SETS | {UNSCALED: UNSCALED_PANEL}
    columns = Columns(given)
    for data in FEW_SETS if quick else given:
        for curve in CONCENTRATED_CURVES if concentrated else PURE_CURVES:
            drawn = drawn_curve(curve, CONCENTRATED if concentrated else PURE, data, quick)
            for m in FEW_COUNTS if quick else COUNTS:
                run = partial(mean_error, drawn, panels[data], m, columns)
                yield Task(panels[data], drawn.curve, m, run, cost=m if drawn.curve == "jointexp" else 10)


def table_tasks(quick: bool) -> Iterator[Task]:
    """Yield Table 1: the numbers of records and of distinct values of each data set."""
    for at, (data, column) in enumerate(kss_columns().items()):
        for curve, count in (("records", column.size), ("distinct", np.unique(column).size)):
            yield Task(KSS_SETS[data], curve, at, partial(iter, [Point(KSS_SETS[data], curve, at, float(count))]))


def histogram_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figure 3: each data set in 100 bins of equal width."""
    for data, column in kss_columns().items():
        counts, edges = np.histogram(column, HISTOGRAM_BINS)
        middles = (edges[:-1] + edges[1:]) / 2
        pairs = zip(middles.tolist(), counts.tolist(), strict=True)
        points = [Point(KSS_SETS[data], "histogram", x, float(y)) for x, y in pairs]
        yield Task(KSS_SETS[data], "histogram", None, partial(iter, points))


def trace_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figures 1 and 2: how far an error of the root moves its children's targets, in runs of quartiles."""
    column = Column.from_values(values_of("uniform", RECORDS, seed_of(SEED, "trace"), WIDE), WIDE, seed=SEED)
    calibrated = Calibrated.for_column(column, Plan(even_levels(3), "aq", PureDP(0.25)), singly)
    for curve in ("left", "right"):
        yield Task("Quartiles", curve, None, partial(_moved, column, calibrated, 20 if quick else TRACES, curve))


def _moved(column: Column, calibrated: Calibrated, runs: int, curve: str) -> Iterable[Point]:
    """Yield, in records, the signed error of the root (x) and the shift of a child's target (y)."""
    for seed in range(runs):
        steps = explain_column(column, calibrated, seed, trials=1)[0].steps
        _, *children = (step for step in steps if isinstance(step, DrawStep))
        child = sorted(children, key=lambda step: step.level)[curve == "right"]
        start, end = child.records
        split, exact = (end, column.n / 4) if curve == "left" else (start, 3 * column.n / 4)
        yield Point("Quartiles", curve, split - column.n / 2, child.target - exact, trials=1)


def time_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figure 8: processor time of one run, calibration included and sorting left out."""
    columns = Columns(kss_apart())
    for m in FEW_COUNTS if quick else TIMED:
        for curve in PURE_CURVES:
            yield Task("One run", curve, m, partial(_timed, curve, m, columns, quick), cost=m)


def _timed(curve: str, m: int, columns: Columns, quick: bool) -> Iterable[Point]:
    """Yield milliseconds: the median of a few runs on two data sets, each with its own records and calibration."""
    spent = []
    for data in FEW_SETS:
        drawn = drawn_curve(curve, PURE, data, quick)
        configuration = drawn.configuration(m)
        for number in range(2 if quick else 5):
            column, plan = columns.of(configuration, number), configuration.plan
            largest_each.cache_clear()  # AppIndExp's calculator is part of its running time
            start = thread_time()
            MECHANISMS[plan.mechanism].run(
                column, drawn.make(plan, None), SeededSampler(configuration.noise_seed(number))
            )
            spent.append(1000 * (thread_time() - start))
    yield Point("One run", curve, m, float(np.median(spent)), min(spent), max(spent), len(spent))


def theorem_tasks(quick: bool) -> Iterator[Task]:
    """Yield Theorems 3.5 and 3.12 and Lemma A.1: the error that 97.5 of 100 runs stay below, beside the bounds."""
    columns = Columns(kss_apart())
    for panel, privacy in (("ε = 1", PURE), ("ρ = 1/8", CONCENTRATED)):
        for curve in ("aq", "indexp"):
            drawn = drawn_curve(curve, privacy, "uniform", quick)
            for m in FEW_COUNTS if quick else BOUND_COUNTS:
                yield Task(panel, curve, m, partial(_beside_bound, panel, drawn, m, columns))


def bound_as_printed(plan: Plan, cells: int, beta: float = USUAL_BETA) -> Bound:
    """Return [KSS] Theorems 3.3 and 3.5, and 3.11 and 3.12 for a concentrated budget; for one level at least.

    gamma bounds every draw at once. Errors add up over the L depths of the recursion: L gamma. For the levels
    j / (m + 1) the paper says 2 gamma. That counts the error of one end of a part; with both ends wrong in the same
    direction, draws within gamma can add up to 2.25 gamma at m = 7. So this is for comparison with AQ's own bound.
    """
    levels, privacy = plan.quantiles, plan.privacy
    assert not isinstance(privacy, ApproxDP), "no theorem has a delta"
    m, depths = len(levels), len(levels).bit_length()
    paths = 2 * depths - 1 if plan.adjacency is Adjacency.REPLACE_ONE else depths
    each = privacy.epsilon / paths if isinstance(privacy, PureDP) else sqrt(8 * privacy.rho / paths)
    gamma = error_of_one_draw(cells, each, beta / m)
    even = levels == even_levels(m)
    theorem = ("3.5" if even else "3.3") if isinstance(privacy, PureDP) else ("3.12" if even else "3.11")
    return Bound((min(2, depths) if even else depths) * gamma, f"KSS, Theorem {theorem}", proved=False)


def _beside_bound(panel: str, drawn: Drawn, m: int, columns: Columns) -> Iterable[Point]:
    configuration = drawn.configuration(m)
    row, plan = run_configuration(configuration, columns=columns, make=drawn.make), configuration.plan
    yield Point(panel, drawn.curve, m, row.max_error_high, row.max_error_low, row.max_error_high, configuration.trials)
    if plan.mechanism == "aq" and not isinstance(plan.privacy, ApproxDP):
        yield Point(panel, "aq-proved", m, row.bound)
        bound = bound_as_printed(plan, columns.of(configuration, 0).slots)
        yield Point(panel, "aq-bound", m, min(bound.error, float(RECORDS)))
    else:
        yield Point(panel, f"{drawn.curve}-bound", m, row.bound)
