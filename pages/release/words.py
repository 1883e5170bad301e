"""What is asked, which values are possible, what it costs and how far answers are off: in words, from public facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.domain.significant import SignificantDigits
from dpq_core.frame import level_name
from dpq_core.grouping import Grouping
from dpq_core.plan import NAMED_LEVELS, Intervals, levels_of
from dpq_core.privacy.budgets import Privacy
from dpq_core.question import Question
from dpq_core.results.chosen import Chosen, with_chances
from dpq_core.results.data_set import DataSet, wording_of
from dpq_core.results.wording import BEFORE, count_in_words, share_in_words, two_digits

from ..payment.account import PayingAccount, left_in_numbers
from ..server import work
from ..shell.state import ChosenTable

UNKNOWN = "not known in advance"
ANY_SIZE = Domain.significant().upper
"""The largest number where nobody chose one: no column comes near it, so no sentence names it."""
MOST_NAMED = 5
"""Quantiles of one column that are named one by one."""
SAID, MOST_OF_HUNDRED = 0.01, 0.99
"""The chance from which a sentence says that an answer may be far off, and the largest that it gives as a number."""


def values_in_words(data: DataSet, bounds: Domain | FindBounds) -> str:
    """Return which values are possible: `0 to 5,000 €, in steps of 1`."""
    if isinstance(bounds, FindBounds):
        return f"bounds are found with {share_in_words(float(bounds.share))} of the budget"
    words = wording_of(data, bounds)
    if bounds.lower.denominator == bounds.upper.denominator == 1:
        words = replace(words, decimals=0)
    low = words.number(float(bounds.lower)) if words.unit not in BEFORE else words.value(float(bounds.lower))
    ends = f"{low} to {words.value(float(bounds.upper))}"
    if isinstance(bounds.grid, SignificantDigits):
        sign = " of either sign" if bounds.grid.negative else ""
        numbers = f"numbers of {count_in_words(bounds.grid.digits, 'significant digit')}"
        most = "" if bounds.upper == ANY_SIZE else f", up to {words.value(float(bounds.upper))}"
        return f"{numbers}{most}{sign}"
    steps = float(bounds.step)
    shown = f"{steps:g}{' day' if steps == 1 else ' days'}" if words.kind == "date" else f"{steps:g}"
    return f"{ends}, in steps of {shown}" if bounds.cells < 10**9 else ends


def question_in_words(question: Question) -> str:
    """Return what is asked: `deciles of age, with 95 % intervals, for each of 12 groups of region`."""
    levels = {name: f"{levels_in_words(each.levels)} of " for name, each in question.columns.items()}
    intervals = next(iter(question.columns.values())).intervals
    return _each_said_once(levels) + intervals_in_words(intervals) + groups_in_words(question.groups)


def levels_in_words(levels: Sequence[Fraction]) -> str:
    """Return which quantiles are asked: by their name, a few by their shares, or by their number."""
    for name in NAMED_LEVELS:
        if tuple(levels) == levels_of(name):
            return "the median" if name == "median" else name
    named = [level_name(level).partition(" · ")[0] for level in levels]
    return ", ".join(named) if len(named) <= MOST_NAMED else count_in_words(len(named), "quantile")


def all_values_in_words(table: ChosenTable, question: Question) -> str:
    """Return which values are possible, and of several columns in which."""
    if table.bare:
        return values_in_words(table.column, question.possible[table.column.name])
    return _each_said_once(
        {each.name: f"{values_in_words(each, question.possible[each.name])} for " for each in table.columns}
    )


def _each_said_once(said: Mapping[str, str]) -> str:
    """Return what a sentence says of each column, in one breath where it is the same."""
    return "; ".join(
        words + ", ".join(name for name in said if said[name] == words) for words in dict.fromkeys(said.values())
    )


def intervals_in_words(intervals: Intervals | None) -> str:
    """Return with which intervals: `, with 95 % intervals that hold all at once`; empty without them."""
    if intervals is None:
        return ""
    return f", with {intervals.percent} intervals{' that hold all at once' if intervals.together else ''}"


def groups_in_words(groups: Grouping | None) -> str:
    """Return for which groups: `, for each of 12 groups of region and sex`; empty for one answer of each column."""
    if groups is None:
        return ""
    answered, by = groups.answered, " and ".join(groups.by)
    return f", for every group found of {by}" if answered is None else f", for each of {len(answered):,} groups of {by}"


def points_in_words(points: tuple[float, ...]) -> str:
    """Return an expected error in points of rank: `± 1.2 points`, `± 0.8 to 6.1 points`."""
    if not points:
        return UNKNOWN
    if max(points) < 0.1:
        return "under 0.1 points"
    low, high = (two_digits(max(each, 0.1)) for each in (min(points), max(points)))
    return f"± {high if low == high else f'{low} to {high}'} points"


def error_in_words(points: tuple[float, ...], among: str = "") -> str:
    """Return an expected error in a sentence: `± 1.2 percentage points of rank`, `among` whom."""
    return f"{points_in_words(points).replace('points', 'percentage points')} of rank{among}" if points else UNKNOWN


def total_in_words(budget: Privacy, payer: PayingAccount | None) -> str:
    """Return the total budget and what is left of it now: `of 3, of which 2.5 is left`; empty without one.

    With its letter where the budget of the release does not end with an amount of that.
    """
    if payer is None:
        return ""
    letter, total, left = left_in_numbers(payer)
    own = str(budget)
    unit = "" if own.startswith(letter) and "δ" not in own else f"{letter} = "
    return f"of {unit}{total}, of which {left} is left" if left != total else f"of {unit}{total}"


def price_in_words(budget: Privacy, payer: PayingAccount | None) -> str:
    """Return what a release would use of the whole budget: `ε = 0.5 of 3, of which 2.5 is left`."""
    return f"{budget} {total_in_words(budget, payer)}".strip()


def far_off_in_words(chosen: Chosen) -> str:
    """Return which answers are often far off, by the columns and levels that they are of; empty without a forecast."""
    found = work.know(with_chances, chosen)
    said: dict[str, list[str]] = {}
    for name, chances in found.chances.items():
        often = [
            f"{100 * float(level):g} %"
            for level, chance in zip(found.plans[name].quantiles, chances, strict=True)
            if chance >= SAID
        ]
        if often:
            worst = "more than 99" if max(chances) > MOST_OF_HUNDRED else f"about {max(round(100 * max(chances)), 1)}"
            said.setdefault(f"{', '.join(often)} (in {worst} of 100 releases)", []).append(name)
    if not said:
        return "none in more than 1 of 100 releases" if found.chances else ""
    return "; ".join(f"{levels} of {', '.join(names)}" for levels, names in said.items())
