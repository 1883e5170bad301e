"""What an answer says: the headline, what must be known of it, and what the marks of its figure mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpq_core.domain.finding import at_bound
from dpq_core.frame import level_share
from dpq_core.groups.finding import NO_GROUP
from dpq_core.plan import NAMED_LEVELS, levels_of
from dpq_core.results.answers import TOO_SMALL, Answers, middle_of
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.simulated import usual_error
from dpq_core.results.wording import count_in_words, share_in_words, spoken_level, two_digits
from dpq_core.texts import listed

MOST_SAID = 4
"""Columns of a sentence; a table has all."""
TOO_NOISY = 0.03
"""The share of all records by which answers of columns may be off on average and still be shown as a finding."""
UNCLEAR = 0.5
"""Of the range of all answers: a wider interval hides where a group lies."""


def headline(outcome: Answered) -> str:
    """Return the finding in a sentence; empty where no answer is one."""
    if outcome.groups is not None:
        return " ".join(_of_groups(own) for own in outcome.by_column[:MOST_SAID]) or NO_GROUP
    if isinstance(outcome, Simulated):
        return _error(outcome)
    return _medians(outcome)


def beneath(outcome: Answered) -> str:
    """Return what must be known of the headline: of which answers noise is too large, and which are no finding."""
    if outcome.groups is not None:
        return " ".join(dict.fromkeys(said for own in outcome.by_column[:MOST_SAID] for said in _noise(own)))
    if not isinstance(outcome, Simulated) or outcome.alone:
        return ""
    if usual_error(outcome) > TOO_NOISY * outcome.n:
        return "Too noisy to use. Choose narrower bounds, ask for fewer columns, or raise the budget."
    return _medians(outcome)


def _error(outcome: Simulated) -> str:
    """Return how far answers are off: `At ε = 0.1 the private deciles are off by about 19 of 1,000 people ...`."""
    levels = {answer.plan.quantiles for answer in outcome.answers}
    if levels <= {()}:
        return f"At {outcome.plan.privacy} nothing was asked for."
    named = name_of(outcome.plan.quantiles) if len(levels) == 1 else "quantiles"
    error, is_off = usual_error(outcome), "is" if outcome.alone and len(outcome.plan.quantiles) == 1 else "are"
    off = f"about {two_digits(error)} of {outcome.n:,} {outcome.many}"
    if error < 1:
        off = f"less than 1 {outcome.one} of {outcome.n:,}"
    share = f" ({share_in_words(error / outcome.n)})" if error >= 1 and not outcome.alone else ""
    return f"At {outcome.plan.privacy} the private {named} {is_off} off by {off}{share} on average."


def name_of(levels: Sequence[Fraction]) -> str:
    """Return what a list of levels is called: `deciles`, `12 quantiles`."""
    named = next((name for name in NAMED_LEVELS if levels_of(name) == levels), "")
    return named or count_in_words(len(levels), "quantile")


def _medians(outcome: Answered) -> str:
    """Return the private medians that can be used: `Medians: age 38 years; pay € 1,200.`"""
    found = []
    for answer in outcome.answers:
        at = answer.middle if answer.values else 0
        if answer.values and spoken_level(answer.plan.quantiles[at]) == "median" and answer.usable[at]:
            side = at_bound(answer.values[at], answer.domain)
            said = f"{answer.wording.name} {answer.wording.after_name(answer.values[at])}"
            found.append(f"{said}, the {side} possible value" if side else said)
    more = len(found) - MOST_SAID
    end = f"; {more:,} more below" if more > 0 else ""
    return f"{'Median' if len(found) == 1 else 'Medians'}: {'; '.join(found[:MOST_SAID])}{end}." if found else ""


def _of_groups(answers: Sequence[Answers]) -> str:
    """Return between which groups the middle answers of a column lie, where noise does not hide them."""
    words, at = answers[0].wording, answers[0].middle
    clear, _ = _clear(answers)
    what = f"The {spoken_level(answers[0].plan.quantiles[at])} of {words.name}"
    if not clear:
        return f"{what} is not known in any group: every group is {TOO_SMALL}."
    low, high = (pick(clear, key=lambda answer: answer.values[at]) for pick in (min, max))
    least, most = (words.value(each.values[at]) for each in (low, high))
    if least == most:
        return f"{what} is {least} in {low.group if len(clear) == 1 else count_in_words(len(clear), 'group')}."
    of = f": the largest and the smallest answer of {len(clear):,} groups" if len(clear) > 2 else ""
    return f"{what} is {most} in {high.group}, and {least} in {low.group}{of}."


def _noise(answers: Sequence[Answers]) -> list[str]:
    """Return in which groups of a column answers are no finding."""
    (clear, no_order), at = _clear(answers), answers[0].middle
    small = sorted(answer.group for answer in answers if answer.too_small)
    hidden = sorted({answer.group for answer in answers} - {answer.group for answer in clear} - {*small})
    said, name = list[str](), answers[0].wording.name
    if no_order and len(clear) > 1:
        said.append(f"Noise is larger than the differences of {name} between groups.")
    elif hidden:
        said.append(f"Noise is too large to place {listed(hidden)} by {name}.")
    elif len(clear) > 1 and not any(each.band(at) or each.too_small is not None for each in answers):
        said.append("How much of the difference is noise is not known.")
    if small and clear:
        said.append(f"{TOO_SMALL.capitalize()}: {listed(small)}.")
    return said


def _clear(answers: Sequence[Answers]) -> tuple[list[Answers], bool]:
    """Return the groups of a column that noise does not hide, and whether it hides the order of these.

    A group is hidden where its band, an interval or a noise interval, is as wide as half of all values that are not:
    the widest bands go first. Where all that are left would go, they stay, and their order is noise.
    """
    kept = [answer for answer in answers if not answer.too_small]
    at = answers[0].middle
    widths = {each.group: band[1] - band[0] if (band := each.band(at)) else 0.0 for each in kept}
    while kept:
        values = [answer.values[at] for answer in kept]
        range_ = UNCLEAR * (max(values) - min(values))
        clear = [answer for answer in kept if widths[answer.group] <= range_ or not widths[answer.group]]
        if not clear or len(clear) == len(kept):
            return kept, not clear
        kept = clear
    return [], False


def reading_help(outcome: Answered) -> str:
    """Return what the marks of a figure are."""
    if outcome.alone:
        return _help_with_picture(outcome)
    levels, intervals = outcome.plan.quantiles, outcome.plan.intervals
    (low, high), middle = box_levels(levels), spoken_level(levels[middle_of(levels)])
    ends = " to the ".join(level_share(levels[at]) for at in (low, high))
    box = f"; box: from the {ends} quantile" if low != high else ""
    line = f"; line: from {level_share(min(levels))} to {level_share(max(levels))}" if box and len(levels) > 3 else ""
    said = [f"Diamond: the private {middle}{box}{line}."]
    if intervals is not None:
        said.append(f"Pale band: the {intervals.percent} interval{' of each group alone' if outcome.groups else ''}.")
    elif any(answer.lows for answer in outcome.answers):
        said.append("Pale band: where 95 of 100 simulated answers are.")
    elif outcome.groups is not None:
        said.append("The smaller a group, the larger its noise.")
    if isinstance(outcome, Simulated):
        said.append(f"Circle: the true one{f'; a group without {outcome.many} has none' if outcome.groups else ''}.")
    if any(answer.is_noise for answer in outcome.answers):
        said.append("Grey: noise alone, which may lie beyond the picture.")
    return " ".join(said)


def _help_with_picture(outcome: Answered) -> str:
    from dpq_core.figures.quantiles import MOST_MARKED_QUANTILES

    marked = len(outcome.plan.quantiles) <= MOST_MARKED_QUANTILES
    if not isinstance(outcome, Simulated):
        return "Diamonds: the private quantiles." if marked else "Orange: the private curve."
    drawn = (
        "Circle: the true quantile; diamond: the private one." if marked else "Grey: the true curve; orange: private."
    )
    return (
        f"{drawn} The rank error counts the {outcome.many} between both; the blue band holds 95 % of simulated errors."
    )


def box_levels(levels: Sequence[Fraction]) -> tuple[int, int]:
    """Return the places of both ends of a box: next to the quartiles, outer levels first."""
    places = range(len(levels))
    low = min(places, key=lambda at: (abs(levels[at] - Fraction(1, 4)), levels[at]))
    return low, min(places, key=lambda at: (abs(levels[at] - Fraction(3, 4)), -levels[at]))
