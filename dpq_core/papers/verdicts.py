"""Verdicts: compare the number that a paper claims for a figure with the number from its points.

Every sentence is made from the points, so it changes when they are recomputed. The points do not show why a number
differs. So each reason is shown with the numbers that it explains, and with no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import inf, sqrt
from statistics import fmean
from typing import TypeAlias

from ..mechanisms.aq.bound import added_up
from ..mechanisms.aq.recursion import halves
from ..studies.grid import even_levels
from .computations.bspace import EXAMPLE_ALPHA, SAVED
from .computations.free_total import PUBLISHED, Setting
from .computations.slices import PANELS
from .data import KSS_SETS, UNSCALED_PANEL
from .figures import CURVES, FIGURES
from .store import FigureVerdict, Point, Word

Points: TypeAlias = tuple[Point, ...]


PURE_BASELINES = ("jointexp", "indexp", "indexp-delta", "aggtree-printed")
CONCENTRATED_BASELINES = ("jointexp", "indexp", "aggtree-printed")
FROM_M = 20  # below, the paper itself has JointExp slightly ahead
SAME_FACTOR = 1.1  # a factor that counts as the same: the standard errors are 3 to 6 %
LARGEST_LEAD = 7.14  # [KSS] of Figures 6 and 7
TIMES_LONGER = {"aggtree-printed": 10, "jointexp": 100, "indexp-delta": 100}
"""[KSS] of Figure 8: how many times as long as AQ."""
EXAMPLE_RECORDS = 1.3e7  # [SLICE] Table 1 with 2^32 values, 100 quantiles and eps1 = eps2 = 1
ANOTHER_TREE = "The tree here is a correct one; behind the printed figure is another one, which counts wrongly."
ORDER = 1e-4  # [BSPACE] of Figures 3 and 4: the error is of this order, so below its square root of ten times
NOT_DIVIDED = "The printed noise is too small for its privacy: it is not divided by the sensitivity."
WRITTEN_ANEW = "All are written anew here, not what the paper timed; AQ settles exact budgets before it draws."


def agrees(yes: bool, ours: float, found: str, reason: str = "") -> FigureVerdict:
    """Return that our number agrees; or that it differs, with the reason where that is known."""
    word, said = (Word.AGREES, found) if yes else (Word.DIFFERS, f"{found} {reason}".rstrip())
    return FigureVerdict(word, ours, said)


def compared(points: Points, setting: Setting) -> FigureVerdict:
    """Judge the least error of what ships here against the least as published, on average over the data sets."""
    panels = [[point for point in points if point.panel == panel] for panel in dict.fromkeys(p.panel for p in points)]
    gains = {
        m: fmean(_least(panel, m, setting.ours) / _least(panel, m, PUBLISHED) for panel in panels)
        for m in sorted({point.x for point in points if point.curve in PUBLISHED})
    }
    word = Word.BETTER if gains[20] < 1 / SAME_FACTOR else Word.AGREES
    # One quantile is the same draw for nearly all of them, so that the least of their errors is a matter of chance.
    word = word if max(gain for m, gain in gains.items() if m > 1) <= SAME_FACTOR else Word.DIFFERS
    ours = "of what ships here" if setting.fresh else "of FreeTotal and AQ here"
    found = f"Least error {ours}, divided by the least as published: {_listed(gains, '.2f')}."
    trees = {point.x: point.y / _least(points, point.x, setting.ours) for point in points if point.curve == "pydp"}
    if trees:
        found += f" Error of PyDP's QuantileTree, relative to the best method here: {_listed(trees, '.2g')}."
    return FigureVerdict(word, gains[20], found)


def _least(points: Iterable[Point], m: float, curves: tuple[str, ...]) -> float:
    """Return the least error at m among these curves."""
    return min(point.y for point in points if point.x == m and point.curve in curves)


def _listed(numbers: Mapping[float, float], digits: str) -> str:
    return ", ".join(f"{number:{digits}} at m = {m:g}" for m, number in sorted(numbers.items()))


def table_1(points: Points) -> FigureVerdict:
    """Judge how many of the printed counts are those of the columns at hand."""
    counted = {(point.panel, point.curve): point.y for point in points}
    table = FIGURES["kss-table-1"].printed
    printed = {place: count for place, count in table.items() if place in counted}
    same = sum(counted[place] == count for place, count in printed.items())
    absent = dict.fromkeys(panel for panel, _ in table.keys() - counted.keys())
    without = f" Not at hand: {'; '.join(sorted(absent))}." if absent else ""
    found = f"{same} of {len(printed)} printed counts are those of the columns at hand.{without}"
    return agrees(same == len(printed), same, found)


def children(points: Points) -> FigureVerdict:
    """Judge how far a child's target moves, for each record of the root's error."""
    ratio = max(abs(point.y) / abs(point.x) for point in points if point.x)
    found = f"In {len(points) // 2} runs a child's target moved by {ratio:.2g} of the root's error at most."
    return agrees(ratio <= 1, ratio, found)


def seen_only(points: Points) -> FigureVerdict:
    """Report the number of columns; nothing is to be compared."""
    panels = len({point.panel for point in points})
    return FigureVerdict(Word.NO_NUMBER, None, f"{panels} of the paper's {len(KSS_SETS)} columns, as they are.")


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
    listed = f" ({others})" if others else ""
    found = (
        f"AQ as published leads at {len(leads) - ahead.total()} of {len(leads)} points from m = {FROM_M} on{listed}. "
        f"Its least ratio is at m = {m:g} ({panel}), to {CURVES[baseline].label}."
    )
    return agrees(least * SAME_FACTOR >= 1, least, found, ANOTHER_TREE if ahead["aggtree-printed"] else "")


def concentrated_errors(points: Points) -> FigureVerdict:
    """Judge AQ's largest lead over sound baselines."""
    most, _, panel, m = max(_leads(points, CONCENTRATED_BASELINES))
    found = f"Against sound baselines AQ's largest lead is {most:.2g} times, at m = {m:g} ({panel})."
    if most * SAME_FACTOR >= LARGEST_LEAD:
        return agrees(True, most, found)
    no_tree = max(_leads(points, [key for key in CONCENTRATED_BASELINES if not key.startswith("aggtree")]))[0]
    found += f" Without the tree it would be {no_tree:.2g} times."
    return agrees(False, most, found, ANOTHER_TREE if no_tree >= most * SAME_FACTOR else "")


def times(points: Points) -> FigureVerdict:
    """Judge how much longer the others take than AQ at the largest number of quantiles."""
    last = max(point.x for point in points)
    spent = {point.curve: point.y for point in points if point.x == last}
    ratio = {curve: spent[curve] / spent["aq-published"] for curve in TIMES_LONGER}
    listed = "; ".join(f"{CURVES[curve].label}: {times:.2g}" for curve, times in ratio.items())
    found = f"At m = {last:g} AQ as published takes {spent['aq-published']:.2g} ms. Times as long: {listed}."
    as_long = all(ratio[curve] * SAME_FACTOR >= printed for curve, printed in TIMES_LONGER.items())
    return agrees(as_long, ratio["aggtree-printed"], found, WRITTEN_ANEW)


def theorems(points: Points) -> FigureVerdict:
    """Judge the largest ratio of the error of 97.5 of 100 runs to a printed bound."""
    heights = {(point.panel, point.curve, point.x): point.y for point in points}
    measured = {place: height for place, height in heights.items() if place[1] in {"aq", "indexp"}}
    most = max(height / heights[panel, f"{curve}-bound", m] for (panel, curve, m), height in measured.items())
    proved = {place: height for place, height in heights.items() if place[1] == "aq-proved"}
    above = sum(height > heights[panel, "aq-bound", m] for (panel, _, m), height in proved.items())
    seven = added_up(halves(even_levels(7)), lambda node: 1.0)
    found = (
        f"The error that 97.5 of 100 runs stay below is {100 * most:.0f} % of the printed bound at most. For AQ this "
        f"bound is 2 gamma, where no draw errs by more than gamma. It does not follow: such errors can add up to "
        f"{seven:g} gamma at m = 7. The bound proved here, draw by draw, lies above it at {above} of {len(proved)} "
        "points."
    )
    return agrees(most <= 1, most, found)


def slices(points: Points) -> FigureVerdict:
    """Judge AQ's worst error divided by that of slices at 200 quantiles, where one person is replaced."""
    replaced = [name for (_, adjacency), name in PANELS.items() if adjacency.value == "substitute"]
    last = max(point.x for point in points)
    total = {
        curve: sum(point.y for point in points if point.curve == curve and point.x == last and point.panel in replaced)
        for curve in ("slice", "aq-published", "aq", "aq-concentrated")
    }
    ratio, own = total["aq-published"] / total["slice"], total["aq"] / total["slice"]
    found = (
        f"At m = {last:g}, with sound constants for all, AQ as published errs {ratio:.2g} times as much as slices, its "
        f"0.007-zCDP variant {total['aq-concentrated'] / total['slice']:.2g} times, AQ here {own:.2g} times."
    )
    return agrees(ratio * SAME_FACTOR >= 2, ratio, found)


def room(points: Points) -> FigureVerdict:
    """Judge the records that 100 quantiles need with pure privacy on a grid of 2^32 values."""
    needed = next(point.y for point in points if point.curve == "pure" and point.x == 32)
    found = f"The theorem used here needs {needed:,.0f} records for the same total budget, ε = 5 where one is replaced."
    if needed * SAME_FACTOR < EXAMPLE_RECORDS:
        return FigureVerdict(Word.BETTER, needed, found)
    return agrees(needed <= EXAMPLE_RECORDS * SAME_FACTOR, needed, found)


def example(points: Points) -> FigureVerdict:
    """Judge the median of the eight numbers, and which answers to it are right up to alpha."""
    answers = {point.curve: point for point in points if point.x == 1 / 2}
    median, low, high = answers["truth"].y, answers["truth"].low, answers["truth"].high
    right = [answer for answer in range(1, 7) if low <= answer <= high]
    found = (
        f"The median is {median:g}. At alpha = {EXAMPLE_ALPHA:g} the answers {', '.join(map(str, right))} count as "
        f"right (printed: 2, 3, 4, 5, and not 1). A sketch of that alpha answers {answers['sketch'].y:g}."
    )
    return agrees(median == 2 and right == [2, 3, 4, 5], median, found)


def files(points: Points) -> FigureVerdict:
    """Judge how many of the printed files are measured here; the made-up streams do not count."""
    counts = {point.panel: point.y for point in points if point.curve == "records"}
    measured = sum(counts[panel] in SAVED.values() for panel in counts.keys() - SAVED)
    others = "".join(f" {panel}: {count:,.0f} real records." for panel, count in counts.items() if panel not in SAVED)
    found = f"{measured} of the {len(SAVED)} printed files are at hand.{others}"
    streams = sum(panel in SAVED for panel in counts)
    reason = f"{streams} uniform streams of their lengths replace them."
    return agrees(measured == len(SAVED), measured, found, reason)


def fine_sketch(points: Points) -> FigureVerdict:
    """Judge the rank error of the sound median on the longest stream, as a fraction of n."""
    ours, broken = (_last(points, curve) for curve in ("gkexp", "gkexp-broken"))
    found = (
        f"With the noise that the proof needs the median errs by {ours:.2g} of n on the longest stream; with the "
        f"printed noise, not private, by {broken:.2g}."
    )
    small = ORDER * sqrt(10)
    return agrees(ours <= small, ours, found, NOT_DIVIDED if broken <= small else "")


def coarse_sketch(points: Points) -> FigureVerdict:
    """Report the same for a coarse sketch, of which no number is printed."""
    ours, broken = (_last(points, curve) for curve in ("gkexp", "gkexp-broken"))
    found = (
        f"On the longest stream the median errs by {100 * ours:.0f} % of n; with the printed noise, not private, "
        f"{100 * broken:.1f} %."
    )
    return FigureVerdict(Word.NO_NUMBER, None, found)


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
    found = f"With the fine sketch it {moves}: {first.y:.2g} at ε = {first.x:g}, {last.y:.2g} at ε = {last.x:g}."
    return FigureVerdict(Word.NO_NUMBER, None, found)


def space(points: Points) -> FigureVerdict:
    """Report the points kept at the end of the longest stream."""
    end = max(point.x for point in points)
    stored = {point.panel: point.y for point in points if point.curve == "points" and point.x == end}
    listed = " and ".join(f"{count:,.0f} at {panel}" for panel, count in stored.items())
    return FigureVerdict(Word.NO_NUMBER, None, f"Of {end:,.0f} records the sketch keeps {listed}.")


def exact_sketch(points: Points) -> FigureVerdict:
    """Report how far quantiles of a sketch without noise are from the true ones."""
    values = {(point.panel, point.curve, point.x): point.y for point in points}
    listed = []
    for panel in dict.fromkeys(point.panel for point in points):
        levels = {x for where, _, x in values if where == panel}
        apart = max(abs(values[panel, "sketch", x] - values[panel, "truth", x]) for x in levels)
        listed.append(f"{apart:.2g} at {panel}")
    found = f"The largest distance of a value from the true quantile: {' and '.join(listed)}."
    return FigureVerdict(Word.NO_NUMBER, None, found)


def savings(points: Points) -> FigureVerdict:
    """Judge the records for each point, against all four printed numbers."""
    found = {(point.panel, point.curve): point.y for point in points}
    pairs = [(printed, found[place]) for place, printed in FIGURES["bspace-table-2"].printed.items()]
    listed = ", ".join(f"{ours:,.0f} (printed {printed:,})" for printed, ours in pairs)
    word = Word.BETTER if all(ours >= printed for printed, ours in pairs) else Word.DIFFERS
    if all(printed / SAME_FACTOR <= ours <= printed * SAME_FACTOR for printed, ours in pairs):
        word = Word.AGREES
    return FigureVerdict(word, pairs[0][1], f"Records for each point kept, at both lengths and both alphas: {listed}.")
