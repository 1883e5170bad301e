"""Verdicts: compare the number that a paper claims for a figure with the number from its points.

Every sentence is made from the points, so it changes when they are recomputed. The points do not show why a number
differs. So each reason is shown with the numbers that it explains, and with no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import inf, sqrt
from statistics import fmean
from typing import Any, TypeAlias

from ..mechanisms.aq.mechanism import added_up
from ..mechanisms.aq.recursion import halves
from ..studies.design import even_levels
from .computations.bspace import EXAMPLE_ALPHA, SAVED
from .computations.free_total import PUBLISHED, Setting
from .computations.slices import PANELS
from .data import KSS_SETS, UNSCALED_PANEL
from .figures import CURVES, FIGURES, FigureVerdict, Point, Word

Points: TypeAlias = tuple[Point, ...]


PURE_BASELINES = ("jointexp", "indexp", "indexp-delta", "aggtree-printed")
CONCENTRATED_BASELINES = ("jointexp", "indexp", "aggtree-printed")
FROM_M = 20  # below, the paper itself has JointExp slightly ahead
SAME_FACTOR = 1.1  # a factor that counts as the same: the standard errors are 3 to 6 %
LARGEST_LEAD = 7.14  # [KSS] of Figures 6 and 7
TIMES_LONGER = {"aggtree-printed": 10, "jointexp": 100, "indexp-delta": 100}
"""[KSS] of Figure 8: how many times as long as AQ."""
EXAMPLE_RECORDS = 1.3e7  # [SLICE] Table 1 with 2^32 values, 100 quantiles and eps1 = eps2 = 1
ORDER = 1e-4  # [BSPACE] of Figures 3 and 4: the error is of this order, so below its square root of ten times


def said(key: str, word: Word | bool, ours: float | None, *, explained: bool = True, **facts: Any) -> FigureVerdict:
    """Return whether our number agrees, with the sentence of the figure; if it differs, with the reason if known."""
    word = word if isinstance(word, Word) else Word.AGREES if word else Word.DIFFERS
    why = f" {FIGURES[key].reason.format(**facts)}" if word is Word.DIFFERS and explained else ""
    return FigureVerdict(word, ours, f"{FIGURES[key].found.format(**facts)}{why}".rstrip())


def compared(points: Points, setting: Setting) -> FigureVerdict:
    """Judge the least error of the mechanisms here against the least as published, on average over the data sets."""
    panels = [[point for point in points if point.panel == panel] for panel in dict.fromkeys(p.panel for p in points)]
    gains = {
        m: fmean(_least(panel, m, setting.ours) / _least(panel, m, PUBLISHED) for panel in panels)
        for m in sorted({point.x for point in points if point.curve in PUBLISHED})
    }
    word = Word.BETTER if gains[20] < 1 / SAME_FACTOR else Word.AGREES
    # One quantile is the same draw for nearly all of them, so that the least of their errors is a matter of chance.
    word = word if max(gain for m, gain in gains.items() if m > 1) <= SAME_FACTOR else Word.DIFFERS
    trees = {point.x: point.y / _least(points, point.x, setting.ours) for point in points if point.curve == "pydp"}
    others, gained, gain = _listed(trees, ".2g"), _listed(gains, ".2f"), f"{gains[20]:.2f}"
    beside = f" PyDP's QuantileTree errs {trees[20]:.2g} times as much as the best here ({others})." if trees else ""
    return said(setting.key, word, gains[20], gain=gain, gains=gained, beside=beside)


def _least(points: Iterable[Point], m: float, curves: tuple[str, ...]) -> float:
    """Return the least error at m among these curves."""
    return min(point.y for point in points if point.x == m and point.curve in curves)


def _listed(numbers: Mapping[float, float], digits: str) -> str:
    return ", ".join(f"{number:{digits}} for {m:g}" for m, number in sorted(numbers.items()) if m != 20)


def table_1(points: Points) -> FigureVerdict:
    """Judge how many of the printed counts are those of the columns at hand."""
    counted = {(point.panel, point.curve): point.y for point in points}
    table = FIGURES["kss-table-1"].printed
    printed = {place: count for place, count in table.items() if place in counted}
    same = sum(counted[place] == count for place, count in printed.items())
    absent = dict.fromkeys(panel for panel, _ in table.keys() - counted.keys())
    without = f" Not at hand: {'; '.join(sorted(absent))}." if absent else ""
    return said("kss-table-1", same == len(printed), same, same=same, printed=len(printed), without=without)


def children(points: Points) -> FigureVerdict:
    """Judge how far a child's target moves, for each record of the root's error."""
    ratio = max(abs(point.y) / abs(point.x) for point in points if point.x)
    return said("kss-figure-1", ratio <= 1, ratio, runs=len(points) // 2, ratio=ratio)


def seen_only(points: Points) -> FigureVerdict:
    """Report the number of columns; nothing is to be compared."""
    panels = len({point.panel for point in points})
    return said("kss-figure-3", Word.NO_NUMBER, None, panels=panels, sets=len(KSS_SETS))


def _leads(points: Points, baselines: Iterable[str]) -> list[tuple[float, str, str, float]]:
    """Return the best baseline's error divided by that of AQ as published, with the baseline, data set and m."""
    errors = {(point.panel, point.x, point.curve): point.y for point in points if point.panel != UNSCALED_PANEL}
    found = []
    for (panel, m, curve), error in errors.items():
        if curve == "aq-published":
            best, baseline = min((errors.get((panel, m, baseline), inf), baseline) for baseline in baselines)
            found.append((best / error, baseline, panel, m))
    return found


def pure_errors(points: Points) -> FigureVerdict:
    """Judge whether AQ has the least error from 20 quantiles on."""
    leads = [lead for lead in _leads(points, PURE_BASELINES) if lead[3] >= FROM_M]
    least, baseline, panel, m = min(leads)
    ahead = Counter(best for lead, best, _, _ in leads if lead < 1)
    others = "; ".join(f"{CURVES[best].label}: {count}" for best, count in ahead.most_common())
    return said(
        "kss-figure-4", least * SAME_FACTOR >= 1, least, explained=ahead["aggtree-printed"] > 0,
        led=len(leads) - ahead.total(), points=len(leads), start=FROM_M, others=f" ({others})" if others else "",
        m=m, panel=panel, baseline=CURVES[baseline].label,
    )  # fmt: skip


def concentrated_errors(points: Points) -> FigureVerdict:
    """Judge AQ's largest lead over sound baselines."""
    most, _, panel, m = max(_leads(points, CONCENTRATED_BASELINES))
    no_tree = max(_leads(points, [key for key in CONCENTRATED_BASELINES if not key.startswith("aggtree")]))[0]
    enough, explained = most * SAME_FACTOR >= LARGEST_LEAD, no_tree >= most * SAME_FACTOR
    without = "" if enough else f" Without the tree it would be {no_tree:.2g} times."
    return said("kss-figure-6", enough, most, explained=explained, most=most, m=m, panel=panel, without=without)


def times(points: Points) -> FigureVerdict:
    """Judge how much longer the others take than AQ at the largest number of quantiles."""
    last = max(point.x for point in points)
    spent = {point.curve: point.y for point in points if point.x == last}
    ratio = {curve: spent[curve] / spent["aq-published"] for curve in TIMES_LONGER}
    listed = "; ".join(f"{CURVES[curve].label}: {times:.2g}" for curve, times in ratio.items())
    as_long = all(ratio[curve] * SAME_FACTOR >= printed for curve, printed in TIMES_LONGER.items())
    own = spent["aq-published"]
    return said("kss-figure-8", as_long, ratio["aggtree-printed"], last=last, own=own, listed=listed)


def theorems(points: Points) -> FigureVerdict:
    """Judge the largest ratio of the error of 97.5 of 100 runs to a printed bound."""
    heights = {(point.panel, point.curve, point.x): point.y for point in points}
    measured = {place: height for place, height in heights.items() if place[1] in {"aq", "indexp"}}
    most = max(height / heights[panel, f"{curve}-bound", m] for (panel, curve, m), height in measured.items())
    proved = {place: height for place, height in heights.items() if place[1] == "aq-proved"}
    above = sum(height > heights[panel, "aq-bound", m] for (panel, _, m), height in proved.items())
    seven = added_up(halves(even_levels(7)), lambda node: 1.0)
    return said("kss-theorems", most <= 1, most, most=100 * most, seven=seven, above=above, proved=len(proved))


def slices(points: Points) -> FigureVerdict:
    """Judge AQ's worst error divided by that of slices at 200 quantiles, where one person is replaced."""
    replaced = [name for (_, adjacency), name in PANELS.items() if adjacency.value == "replace_one"]
    last = max(point.x for point in points)
    total = {
        curve: sum(point.y for point in points if point.curve == curve and point.x == last and point.panel in replaced)
        for curve in ("slice", "aq-published", "aq", "aq-concentrated")
    }
    ratio, variant, own = (total[curve] / total["slice"] for curve in ("aq-published", "aq-concentrated", "aq"))
    agrees = ratio * SAME_FACTOR >= 2
    return said("slice-figure-1", agrees, ratio, last=last, ratio=ratio, variant=variant, own=own)


def room(points: Points) -> FigureVerdict:
    """Judge the records that 100 quantiles need with pure privacy on a grid of 2^32 values."""
    needed = next(point.y for point in points if point.curve == "pure" and point.x == 32)
    better, agrees = needed * SAME_FACTOR < EXAMPLE_RECORDS, needed <= EXAMPLE_RECORDS * SAME_FACTOR
    return said("slice-table-1", Word.BETTER if better else agrees, needed, needed=needed)


def example(points: Points) -> FigureVerdict:
    """Judge the median of the eight numbers, and which answers to it are right up to alpha."""
    answers = {point.curve: point for point in points if point.x == 1 / 2}
    median, low, high = answers["truth"].y, answers["truth"].low, answers["truth"].high
    right = [answer for answer in range(1, 7) if low <= answer <= high]
    return said(
        "bspace-figure-1", median == 2 and right == [2, 3, 4, 5], median, median=median, alpha=EXAMPLE_ALPHA,
        right=", ".join(map(str, right)), sketch=answers["sketch"].y,
    )  # fmt: skip


def files(points: Points) -> FigureVerdict:
    """Judge how many of the printed files are measured here; the made-up streams do not count."""
    counts = {point.panel: point.y for point in points if point.curve == "records"}
    measured = sum(counts[panel] in SAVED.values() for panel in counts.keys() - SAVED)
    others = "".join(f" {panel}: {count:,.0f} real records." for panel, count in counts.items() if panel not in SAVED)
    return said(
        "bspace-table-1", measured == len(SAVED), measured, measured=measured, files=len(SAVED), others=others,
        streams=sum(panel in SAVED for panel in counts),
    )  # fmt: skip


def fine_sketch(points: Points) -> FigureVerdict:
    """Judge the rank error of the sound median on the longest stream, as a fraction of n."""
    ours, broken = (_last(points, curve) for curve in ("gkexp", "gkexp-broken"))
    small = ORDER * sqrt(10)
    return said("bspace-figure-3", ours <= small, ours, explained=broken <= small, sound=ours, broken=broken)


def coarse_sketch(points: Points) -> FigureVerdict:
    """Report the same for a coarse sketch, of which no number is printed."""
    ours, broken = (_last(points, curve) for curve in ("gkexp", "gkexp-broken"))
    return said("bspace-figure-6", Word.NO_NUMBER, None, sound=100 * ours, broken=100 * broken)


def _last(points: Points, curve: str) -> float:
    """Return the mean height of a curve at its end, over all panels."""
    end = max(point.x for point in points)
    heights = [point.y for point in points if point.curve == curve and point.x == end]
    return sum(heights) / len(heights)


def budgets(points: Points) -> FigureVerdict:
    """Report how the error falls from the smallest to the largest epsilon."""
    fine = sorted((point for point in points if point.curve == "gkexp"), key=lambda point: (point.panel, point.x))
    of_fine = [point for point in fine if point.panel == "alpha = 0.0001"]
    first, last = of_fine[0], of_fine[-1]
    moves = "falls" if last.y < first.y else "does not fall"
    return said("bspace-figure-9", Word.NO_NUMBER, None, moves=moves, first=first, last=last)


def space(points: Points) -> FigureVerdict:
    """Report the points kept at the end of the longest stream."""
    end = max(point.x for point in points)
    stored = {point.panel: point.y for point in points if point.curve == "points" and point.x == end}
    listed = " and ".join(f"{count:,.0f} at {panel}" for panel, count in stored.items())
    return said("bspace-figure-5", Word.NO_NUMBER, None, end=end, listed=listed)


def exact_sketch(points: Points) -> FigureVerdict:
    """Report how far quantiles of a sketch without noise are from the true ones."""
    values = {(point.panel, point.curve, point.x): point.y for point in points}
    listed = []
    for panel in dict.fromkeys(point.panel for point in points):
        levels = {x for where, _, x in values if where == panel}
        apart = max(abs(values[panel, "sketch", x] - values[panel, "truth", x]) for x in levels)
        listed.append(f"{apart:.2g} at {panel}")
    return said("bspace-figure-2", Word.NO_NUMBER, None, listed=" and ".join(listed))


def savings(points: Points) -> FigureVerdict:
    """Judge the records for each point, against all four printed numbers."""
    found = {(point.panel, point.curve): point.y for point in points}
    pairs = [(printed, found[place]) for place, printed in FIGURES["bspace-table-2"].printed.items()]
    listed = ", ".join(f"{ours:,.0f} (printed {printed:,})" for printed, ours in pairs)
    word = Word.BETTER if all(ours >= printed for printed, ours in pairs) else Word.DIFFERS
    if all(printed / SAME_FACTOR <= ours <= printed * SAME_FACTOR for printed, ours in pairs):
        word = Word.AGREES
    return said("bspace-table-2", word, pairs[0][1], listed=listed)
