"""Verdicts on the figures and tables of [BSPACE]."""

from __future__ import annotations

from math import sqrt

from ..computations.bspace import EXAMPLE_ALPHA, SAVED
from ..figures import FIGURES
from ..store import FigureVerdict, Word
from .verdicts import SAME_FACTOR, Points

ORDER = 1e-4  # [BSPACE] of Figures 3 and 4: the error is of this order, so below its square root of ten times
NOT_DIVIDED = "The printed noise is too small for its privacy: it is not divided by the sensitivity."


def example(points: Points) -> FigureVerdict:
    """Judge the median of the eight numbers, and which answers to it are right up to alpha."""
    answers = {point.curve: point for point in points if point.x == 1 / 2}
    median, low, high = answers["truth"].y, answers["truth"].low, answers["truth"].high
    right = [answer for answer in range(1, 7) if low <= answer <= high]
    found = (
        f"The median is {median:g}. At alpha = {EXAMPLE_ALPHA:g} the answers {', '.join(map(str, right))} count as "
        f"right (printed: 2, 3, 4, 5, and not 1). A sketch of that alpha answers {answers['sketch'].y:g}."
    )
    return FigureVerdict(Word.AGREES if median == 2 and right == [2, 3, 4, 5] else Word.DIFFERS, median, found)


def files(points: Points) -> FigureVerdict:
    """Judge how many of the printed files are measured here; the made-up streams do not count."""
    counts = {point.panel: point.y for point in points if point.curve == "records"}
    measured = sum(counts[panel] in SAVED.values() for panel in counts.keys() - SAVED)
    others = "".join(f" {panel}: {count:,.0f} real records." for panel, count in counts.items() if panel not in SAVED)
    found = f"{measured} of the {len(SAVED)} printed files are at hand.{others}"
    if measured == len(SAVED):
        return FigureVerdict(Word.AGREES, measured, found)
    streams = sum(panel in SAVED for panel in counts)
    return FigureVerdict(Word.DIFFERS, measured, found, f"{streams} uniform streams of their lengths replace them.")


def fine_sketch(points: Points) -> FigureVerdict:
    """Judge the rank error of the sound median on the longest stream, as a fraction of n."""
    ours, broken = (_last(points, curve) for curve in ("gkexp", "gkexp-broken"))
    found = (
        f"With the noise that the proof needs the median errs by {ours:.2g} of n on the longest stream; with the "
        f"printed noise, not private, by {broken:.2g}."
    )
    if ours <= ORDER * sqrt(10):
        return FigureVerdict(Word.AGREES, ours, found)
    return FigureVerdict(Word.DIFFERS, ours, found, NOT_DIVIDED if broken <= ORDER * sqrt(10) else "")


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
    return FigureVerdict(
        Word.NO_NUMBER, None, f"The largest distance of a value from the true quantile: {' and '.join(listed)}."
    )


def savings(points: Points) -> FigureVerdict:
    """Judge the records for each point, against all four printed numbers."""
    found = {(point.panel, point.curve): point.y for point in points}
    pairs = [(printed, found[place]) for place, printed in FIGURES["bspace-table-2"].printed.items()]
    listed = ", ".join(f"{ours:,.0f} (printed {printed:,})" for printed, ours in pairs)
    word = Word.BETTER if all(ours >= printed for printed, ours in pairs) else Word.DIFFERS
    if all(printed / SAME_FACTOR <= ours <= printed * SAME_FACTOR for printed, ours in pairs):
        word = Word.AGREES
    return FigureVerdict(word, pairs[0][1], f"Records for each point kept, at both lengths and both alphas: {listed}.")
