"""Verdicts: what a paper claims of a figure, as a number, beside the number that the stored points come to.

Every sentence is made from the points, so it changes when they are recomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from math import inf
from typing import NamedTuple, TypeAlias

from . import papers_better as better_work
from .papers_data import KSS_SETS
from .papers_sketch import SAVED
from .papers_slice import PANELS
from .papers_store import Point

Points: TypeAlias = tuple[Point, ...]


class Word(StrEnum):
    """How ours stands to what is printed."""

    AGREES = "agrees"
    DIFFERS = "differs"
    BETTER = "better"
    NO_NUMBER = "no number printed"


class Verdict(NamedTuple):
    """`ours` is to be compared with the claim; None where no number is printed. One sentence says why."""

    word: Word
    ours: float | None
    why: str


Judge: TypeAlias = Callable[[Points], Verdict]

_COUNTS = {
    "uniform": 10_000, "normal": 10_000, "goodreads-rating": 11_123, "goodreads-pages": 11_123, "adult-hours": 48_842,
    "adult-age": 48_842,
}  # fmt: skip
TABLE_1: dict[tuple[str, str], float] = {
    **{(KSS_SETS[data], "records"): count for data, count in _COUNTS.items()},
    (KSS_SETS["adult-hours"], "distinct"): 96,
    (KSS_SETS["adult-age"], "distinct"): 74,
}
"""[KSS] Table 1: records and, where it counts them, distinct values."""
PURE_BASELINES = ("jointexp", "indexp", "indexp-delta", "aggtree-printed")
CONCENTRATED_BASELINES = ("jointexp", "indexp", "aggtree-printed")
FROM_M = 20
"""Below, the paper itself has JointExp slightly ahead."""
NEAR = 1.1
"""A factor that counts as the same: the standard errors are 3 to 6 %."""
TAXI, GAS_SENSOR = SAVED
TABLE_2: dict[tuple[str, str], float] = {
    (TAXI, "saving-coarse"): 3054,
    (TAXI, "saving-fine"): 122,
    (GAS_SENSOR, "saving-coarse"): 10_654,
    (GAS_SENSOR, "saving-fine"): 917,
}
"""[BSPACE] Table 2: at alpha = 0.01 and 0.001."""


def better(points: Points) -> Verdict:
    """The best of what ships against the best as published, at 20 quantiles."""
    gains = {}
    for m in better_work.COUNTS:
        here = better_work.best(points, m, better_work.CURVES)
        gains[m] = here.y / better_work.best(points, m, better_work.PUBLISHED).y
    told = ", ".join(f"{gain:.2f} at m = {m}" for m, gain in gains.items())
    word = Word.BETTER if all(gain <= 1 for gain in gains.values()) and gains[20] < 1 / NEAR else Word.DIFFERS
    return Verdict(word, gains[20], f"Least error of what ships here, divided by the least as published: {told}.")


def table_1(points: Points) -> Verdict:
    """How many of the printed counts are those of the columns at hand."""
    found = {(point.panel, point.curve): point.y for point in points}
    printed = {place: count for place, count in TABLE_1.items() if place in found}
    same = sum(found[place] == count for place, count in printed.items())
    word = Word.AGREES if same == len(printed) else Word.DIFFERS
    why = f"{same} of {len(printed)} printed counts are those of the columns at hand."
    return Verdict(word, same, why + (" Goodreads is not among them." if len(printed) < len(TABLE_1) else ""))


def children(points: Points) -> Verdict:
    """How far a child's target moves, for each record that the root is off."""
    ratio = max(abs(point.y) / abs(point.x) for point in points if point.x)
    word = Word.AGREES if ratio <= 1 else Word.DIFFERS
    why = f"In {len(points) // 2} runs a child's target moved by {ratio:.2g} of the root's error at most."
    return Verdict(word, ratio, why)


def seen_only(points: Points) -> Verdict:
    """Nothing to compare: the columns as they are."""
    panels = len({point.panel for point in points})
    return Verdict(Word.NO_NUMBER, None, f"{panels} of the paper's {len(KSS_SETS)} columns, as they are.")


def _leads(points: Points, baselines: Iterable[str]) -> dict[tuple[str, float], float]:
    """Error of the best baseline divided by that of AQ as published, for each set and m."""
    errors = {(point.panel, point.x, point.curve): point.y for point in points}
    return {
        (panel, m): min(errors.get((panel, m, curve), inf) for curve in baselines) / error
        for (panel, m, curve), error in errors.items()
        if curve == "aq-published"
    }


def pure_errors(points: Points) -> Verdict:
    """Whether AQ has the least error from 20 quantiles on."""
    leads = {place: lead for place, lead in _leads(points, PURE_BASELINES).items() if place[1] >= FROM_M}
    (panel, m), least = min(leads.items(), key=lambda pair: pair[1])
    ahead = sum(lead >= 1 for lead in leads.values())
    why = (
        f"AQ as published leads at {ahead} of {len(leads)} points from m = {FROM_M} on; a correct tree overtakes it, "
        f"most at m = {m:g} ({panel}). The tree behind the printed figure was another one, and counted wrongly."
    )
    return Verdict(Word.AGREES if least * NEAR >= 1 else Word.DIFFERS, least, why)


def concentrated_errors(points: Points) -> Verdict:
    """AQ's largest lead over sound baselines."""
    (panel, m), most = max(_leads(points, CONCENTRATED_BASELINES).items(), key=lambda pair: pair[1])
    why = (
        f"Against sound baselines AQ's largest lead is {most:.2g} times, at m = {m:g} ({panel}). The printed tree is "
        "wrong, its noise is not that of ρ = 1/8, and the AQ code used half its budget."
    )
    return Verdict(Word.AGREES if most * NEAR >= 7.14 else Word.DIFFERS, most, why)


def times(points: Points) -> Verdict:
    """How much longer the others take than AQ at 120 quantiles."""
    last = max(point.x for point in points)
    spent = {point.curve: point.y for point in points if point.x == last}
    ratio = {curve: spent[curve] / spent["aq-published"] for curve in spent}
    tree = ratio["aggtree-printed"]
    why = (
        f"At m = {last:g} AQ takes {spent['aq-published']:.2g} ms; the printed tree {tree:.2g} times, JointExp "
        f"{ratio['jointexp']:.2g} times and AppIndExp {ratio['indexp-delta']:.2g} times as long. The baselines "
        "are written anew and much faster than what the paper timed; AQ settles exact budgets before it draws."
    )
    return Verdict(Word.AGREES if tree * NEAR >= 10 else Word.DIFFERS, tree, why)


def theorems(points: Points) -> Verdict:
    """The largest share of a bound that the error of 97.5 of 100 runs reaches."""
    heights = {(point.panel, point.curve, point.x): point.y for point in points}
    shares = [
        height / heights[panel, f"{curve}-bound", x]
        for (panel, curve, x), height in heights.items()
        if not curve.endswith("-bound")
    ]
    most = max(shares)
    why = f"The error that 97.5 of 100 runs stay below is {most:.0%} of the bound at most: the theorems hold with room."
    return Verdict(Word.AGREES if most <= 1 else Word.DIFFERS, most, why)


def slices(points: Points) -> Verdict:
    """AQ's largest error divided by that of slices at 200 quantiles, where one person is replaced."""
    replaced = [name for (_, adjacency), name in PANELS.items() if adjacency.value == "substitute"]
    last = max(point.x for point in points)
    total = {
        curve: sum(point.y for point in points if point.curve == curve and point.x == last and point.panel in replaced)
        for curve in ("slice", "aq-published", "aq", "aq-concentrated")
    }
    ratio, own = total["aq-published"] / total["slice"], total["aq"] / total["slice"]
    why = (
        f"At m = {last:g}, with sound constants for all, AQ as published errs {ratio:.2g} times as much as slices, its "
        f"0.007-zCDP variant {total['aq-concentrated'] / total['slice']:.2g} times, AQ here {own:.2g} times."
    )
    return Verdict(Word.AGREES if ratio * NEAR >= 2 else Word.DIFFERS, ratio, why)


def room(points: Points) -> Verdict:
    """Records that 100 quantiles need with pure privacy on a grid of 2^32 values."""
    needed = next(point.y for point in points if point.curve == "pure" and point.x == 32)
    why = f"The sharper theorem needs {needed:,.0f} records for the same total budget, ε = 5 where one is replaced."
    return Verdict(Word.BETTER if needed < 1.3e7 else Word.DIFFERS, needed, why)


def fine_sketch(points: Points) -> Verdict:
    """The share of n by which the sound median errs on the longest stream."""
    ours, broken = (_last(points, curve) for curve in ("gkexp", "gkexp-broken"))
    why = (
        f"With the noise that the proof needs the median errs by {ours:.2g} of n on the longest stream; with the "
        f"printed noise by {broken:.2g}, which is not private: it is not divided by the sensitivity."
    )
    return Verdict(Word.AGREES if ours <= 1e-4 * NEAR else Word.DIFFERS, ours, why)


def coarse_sketch(points: Points) -> Verdict:
    """The same for a coarse sketch, of which no number is printed."""
    ours, broken = (_last(points, curve) for curve in ("gkexp", "gkexp-broken"))
    why = (
        f"On the longest stream the median errs by {ours:.0%} of n; with the printed noise, not private, {broken:.1%}."
    )
    return Verdict(Word.NO_NUMBER, None, why)


def _last(points: Points, curve: str) -> float:
    """The mean height of a curve at its end, over all panels."""
    end = max(point.x for point in points)
    heights = [point.y for point in points if point.curve == curve and point.x == end]
    return sum(heights) / len(heights)


def budgets(points: Points) -> Verdict:
    """How the error falls from the smallest to the largest epsilon."""
    fine = sorted((point for point in points if point.curve == "gkexp"), key=lambda point: (point.panel, point.x))
    of_fine = [point for point in fine if point.panel == "alpha = 0.0001"]
    first, last = of_fine[0], of_fine[-1]
    why = f"With the fine sketch it falls from {first.y:.2g} at ε = {first.x:g} to {last.y:.2g} at ε = {last.x:g}."
    return Verdict(Word.NO_NUMBER, None, why)


def space(points: Points) -> Verdict:
    """Points kept at the end of the longest stream."""
    end = max(point.x for point in points)
    kept = {point.panel: point.y for point in points if point.curve == "points" and point.x == end}
    told = " and ".join(f"{count:,.0f} at {panel}" for panel, count in kept.items())
    return Verdict(Word.NO_NUMBER, None, f"Of {end:,.0f} records the sketch keeps {told}.")


def exact_sketch(points: Points) -> Verdict:
    """How far quantiles of a sketch without noise are from the true ones."""
    values = {(point.panel, point.curve, point.x): point.y for point in points}
    told = []
    for panel in dict.fromkeys(point.panel for point in points):
        levels = {x for where, _, x in values if where == panel}
        apart = max(abs(values[panel, "sketch", x] - values[panel, "truth", x]) for x in levels)
        told.append(f"{apart:.2g} at {panel}")
    return Verdict(
        Word.NO_NUMBER, None, f"The largest distance of a value from the true quantile: {' and '.join(told)}."
    )


def savings(points: Points) -> Verdict:
    """Records a point, against all four printed numbers."""
    found = {(point.panel, point.curve): point.y for point in points}
    pairs = [(printed, found[place]) for place, printed in TABLE_2.items()]
    told = ", ".join(f"{ours:,.0f} (printed {printed:,})" for printed, ours in pairs)
    word = Word.BETTER if all(ours > printed for printed, ours in pairs) else Word.DIFFERS
    return Verdict(word, pairs[0][1], f"Records for each point kept, at both lengths and both alphas: {told}.")
