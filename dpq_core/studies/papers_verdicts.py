"""Verdicts: what a paper claims of a figure, as a number, beside the number that the stored points come to.

Every sentence is made from the points, so it changes when they are recomputed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from math import inf
from typing import NamedTuple, TypeAlias

from . import papers_better as better_work
from .papers_curves import CURVES
from .papers_data import KSS_SETS
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


def _leads(points: Points, baselines: Iterable[str]) -> list[tuple[float, str, str, float]]:
    """Error of the best baseline divided by that of AQ as published, the baseline, set and m; at each point."""
    errors = {(point.panel, point.x, point.curve): point.y for point in points}
    found = []
    for (panel, m, curve), error in errors.items():
        if curve == "aq-published":
            best, baseline = min((errors.get((panel, m, baseline), inf), baseline) for baseline in baselines)
            found.append((best / error, baseline, panel, m))
    return found


def pure_errors(points: Points) -> Verdict:
    """Whether AQ has the least error from 20 quantiles on."""
    leads = [lead for lead in _leads(points, PURE_BASELINES) if lead[3] >= FROM_M]
    least, baseline, panel, m = min(leads)
    ahead = Counter(CURVES[best].label for lead, best, _, _ in leads if lead < 1)
    others = "; ".join(f"{label}: {count}" for label, count in ahead.most_common())
    told = f" ({others})" if others else ""
    why = (
        f"AQ as published leads at {len(leads) - ahead.total()} of {len(leads)} points from m = {FROM_M} on{told}. "
        f"Its least ratio is at m = {m:g} ({panel}), to {CURVES[baseline].label}. The tree behind the printed figure "
        "was another one, and counted wrongly."
    )
    return Verdict(Word.AGREES if least * NEAR >= 1 else Word.DIFFERS, least, why)


def concentrated_errors(points: Points) -> Verdict:
    """AQ's largest lead over sound baselines."""
    most, _, panel, m = max(_leads(points, CONCENTRATED_BASELINES))
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
