"""The answer in one sentence, its range, its privacy in one line, and what none of this means."""

from __future__ import annotations

from fractions import Fraction

from ..domain.at_bounds import HIGHEST, at_bound, warnings_at_bounds
from ..far_answers import NOT_USABLE, warnings_of_far
from ..frames.rows import level_name
from ..results.odds import HUNDRED
from ..results.persons import WORDS
from ..results.wording import Wording, spoken_level
from .facts import ReportFacts
from .words import guesses, whom, with_all_rows

HALF = Fraction(1, 2)
SAID = 0.01
"""From this chance on the report says that an answer may be far off."""
NO_INTERVALS = "These answers have no intervals, so it is not known how far they are from the true values."
NO_ANSWER = "No quantile was requested, so there is no answer."


def headline(facts: ReportFacts) -> str:
    """Return the level nearest to the median in a sentence: `For half of the people, age is 38 years or less (…).`."""
    level = facts.middle
    if level is None:
        return NO_ANSWER
    if facts.is_far(level):
        return f"The {spoken_level(level)} of {facts.wording.name} is {NOT_USABLE}."
    answer, side = facts.wording.after_name(facts.value(level)), at_bound(facts.value(level), facts.domain)
    if side and level not in {0, 1}:
        share, beyond = (1 - level, _more(facts.wording)) if side == HIGHEST else (level, _less(facts.wording))
        of = f"{_fraction(share)} of {counted(facts)} or more"
        return f"For {of}, {facts.wording.name} is {answer}, the {side} possible value, or {beyond}."
    if level in {0, 1}:
        start = f"The {spoken_level(level)} of {facts.wording.name} is {answer}"
    else:
        start = (
            f"For {_fraction(level)} of {counted(facts)}, {facts.wording.name} is {answer} or {_less(facts.wording)}"
        )
    shown = facts.intervals and open_interval(facts, level) != (None, None)
    return f"{start} ({facts.percent}: {range_of(facts, level)})." if shown else f"{start}."


def _fraction(level: Fraction) -> str:
    return "half" if level == HALF else plain(level)


def _less(wording: Wording) -> str:
    return "earlier" if wording.kind == "date" else "less"


def _more(wording: Wording) -> str:
    return "later" if wording.kind == "date" else "more"


def warnings_of(facts: ReportFacts) -> tuple[str, ...]:
    """Return warnings about the bounds, about far answers, and about how often answers are far off, in sentences."""
    said = (*warnings_at_bounds(facts.values, facts.domain), *warnings_of_far(facts.plan.quantiles, facts.values))
    often = [
        f"{plain(level)} ({round(100 * chance)} of 100)"
        for level, chance in zip(facts.plan.quantiles, facts.chances, strict=False)
        if chance >= SAID
    ]
    if not often:
        return said
    among = f"Among {facts.n:,} {facts.wording.many}, simulated answers are often far off"
    return (*said, f"{among} at {', '.join(often)}.")


def counted(facts: ReportFacts) -> str:
    """Return whom a quantile is a share of: `the patients`; of rows, where several of one person count."""
    if facts.rule.endswith(WORDS["share"].of):
        return f"all rows (those of one {facts.wording.person} weigh as much as one)"
    if facts.of_rows:
        return "the rows that count"
    return f"what counts of the rows of the {facts.wording.many}" if facts.rule_unknown else f"the {facts.wording.many}"


def range_of(facts: ReportFacts, level: Fraction, *, unit: bool = True) -> str:
    """Return where the true value is: `37 to 40 years`, `at most 26 years`; an end at a bound is left out."""
    low, high = open_interval(facts, level)
    value = facts.wording.value if unit else facts.wording.number
    if low is None and high is None:
        return "cannot be determined"
    if low is None or high is None:
        return f"at most {value(high)}" if high is not None else f"at least {value(low or 0.0)}"
    return value(low) if low == high else span(facts.wording, low, high, unit=unit)


def span(wording: Wording, low: float, high: float, *, unit: bool = True) -> str:
    """Return two values with one unit between them: `37 to 40 years`, `€ 900 to 1,200`."""
    ends = (wording.number(low), wording.number(high))
    if not unit:
        return " to ".join(ends)
    one = wording.value(high)
    if one.endswith(ends[1]) and one != ends[1]:  # the unit stands before the number
        return f"{wording.value(low)} to {ends[1]}"
    return f"{ends[0]} to {one}"


def open_interval(facts: ReportFacts, level: Fraction) -> tuple[float | None, float | None]:
    """Return the interval of an answer. An end at a bound of the domain is None: nothing beyond it was examined."""
    low, high = facts.interval(level)
    lower, upper = float(facts.domain.lower), float(facts.domain.upper)
    return None if low <= lower else low, None if high >= upper else high


def plain(level: Fraction) -> str:
    """Return a level without its name: `50 %`."""
    return level_name(level).split(" · ")[0]


def about_ranges(facts: ReportFacts) -> str:
    """Return what the ranges are based on, and what else belongs beside the answers; empty without an answer."""
    if not facts.values:
        return ""
    known = facts.basis.told_of(facts.wording.many) if facts.basis is not None and facts.intervals else (NO_INTERVALS,)
    return " ".join((*known, *facts.notes))


def privacy_line(facts: ReportFacts) -> str:
    """Return how well one person is protected, in one line."""
    if facts.right == HUNDRED:
        return f"Hardly anyone is protected: the budget is too large ({facts.privacy})."
    might = "A release would protect" if facts.simulated else "Protected:"
    return f"{might} {whom(facts)}{with_all_rows(facts)}. {guesses(facts)}"


def does_not_mean(facts: ReportFacts) -> tuple[str, str]:
    """Return the two worst misreadings, of the answers and of the protection: each begins with `That`."""
    one, many = facts.wording.anyone, facts.wording.many
    intervals = facts.plan.intervals
    population = intervals is not None and intervals.of == "population"
    others = "" if population else f" They describe the {many} in these data, and no others."
    exact = f"That any number here is exact, or any individual's value: every answer has noise in it.{others}"
    if facts.right == HUNDRED:
        return exact, "That anyone is protected."
    return exact, (
        f"That nothing can be learned about one {one}: what is true of everyone is also true of those who are not in "
        f"the data. What is limited is how much the data of one {one} can reveal beyond that."
    )
