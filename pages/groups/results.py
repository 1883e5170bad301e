"""Groups on the screen: what was found, a row each or a small curve each, tables, and files."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

import streamlit as st

from dpq_core.frames.rows import level_name
from dpq_core.groups.table import NO_GROUP
from dpq_core.results.answers import Answers, middle_of
from dpq_core.results.groups.sizes import TOO_SMALL
from dpq_core.results.kinds import Answered, Released, Simulated
from dpq_core.results.simulated import mean_rank_error
from dpq_core.results.wording import DisplayText, count_in_words, error_in_words, spoken_level, two_digits
from dpq_core.studies.measures import MEAN_RANK_ERROR

from .. import keys
from ..frame import cells, pieces
from ..frame.header import escape, term
from ..settings import check

MOST_ROWS, MOST_CURVES = 40, 12
"""Groups in view; a search finds the others."""
MOST_WITH_NAMES = 3
"""Levels that are called median and quartiles in the heads of a table; of more, there is no room."""
LEAST_OF_A_CURVE = 3
"""Levels."""
ORDERS = ("By answer", "By name")
VIEWS = ("Rows", "Curves")
TABLES = ("A row for each group", "A row for each quantile")
UNCLEAR = 0.5
"""Of the range of all answers: a wider noise interval hides where a group lies."""
MOST_NAMED = 3
IN_RELEASE = (
    "How far the noise moves an answer depends on the size of its group, which is not shown: groups that lie close "
    "together may be in another order, and the answer of a small group may be noise alone."
)
BY_GUESS = (
    "Which groups are too small follows from the sizes that you gave, not from the data. Groups that lie close "
    "together may be in another order."
)

INTERVAL = "Pale band: the {percent} interval of its group, each for one group alone."


def show(outcome: Answered, changed: str, spent: str) -> None:
    """Show the answers of all groups by their own record; `spent`: what all releases of its data set have cost."""
    pieces.result_line(outcome, changed)
    pieces.warnings(outcome)
    _metrics(outcome, spent)
    if not outcome.answers:
        st.caption(NO_GROUP)
        return
    answers, released = outcome.answers, isinstance(outcome, Released)
    st.markdown(f"**{escape(finding(answers, released=released))}**")
    chosen, curves = _choose_view(outcome)
    place = st.container()
    pieces.notes(outcome.notes)
    st.caption(reading_help(answers, outcome.wording.many, released=released, curves=curves))
    said = f"Table{outcome.wording.in_unit}"  # not in every head: deciles of all groups fit beside each other without
    tables = st.segmented_control(said, TABLES, default=TABLES[0], key=_view(outcome, "table"), required=True)
    shown = (_wide_table if tables == TABLES[0] else cells.table)(_named(answers))
    pieces.table(shown, "Quantiles of every group", left=1 if tables == TABLES[0] else 2)
    pieces.how_sure([answers[0].basis], outcome.wording.many)
    pieces.offer_files(outcome, "groups-", finding(answers, released=released), lambda: _figures(answers))
    if released:
        pieces.page_link("report", "The report, which says which groups clearly differ", {})
    if chosen:
        figure = (curves_figure if curves else rows_figure)(chosen)
        alt = "Quantiles of every group with their noise; see the table"
        pieces.draw(place, figure, "groups", alt, simulated=not released)


def _view(outcome: Answered, name: str) -> str:
    """Return the key of a view of one result, which is no setting of the page."""
    return keys.widget(f"groups_{name}", outcome.made)


def _metrics(outcome: Answered, spent: str) -> None:
    words = outcome.wording
    with st.container(horizontal=True, gap="medium"):
        st.metric("Groups", f"{len(outcome.answers):,}", width="stretch")
        if isinstance(outcome, Simulated):
            mean = error_in_words(mean_rank_error(outcome.answers), words.one, words.many)
            st.metric(MEAN_RANK_ERROR.capitalize(), mean, help=term(MEAN_RANK_ERROR), width="stretch")
        pieces.prices(outcome, spent)


def finding(answers: Sequence[Answers], *, released: bool) -> str:
    """Return what the answers of one column say, in a sentence, and which groups the noise hides: of these no value."""
    words, at = answers[0].wording, middle_of(answers[0].plan.quantiles)
    private = "private " if released else ""
    asked = f"{words.name}, {private}{spoken_level(answers[0].plan.quantiles[at])}"
    small, large = ([each for each in answers if bool(each.too_small) is is_small] for is_small in (True, False))
    if not large:
        return f"{asked}: every group is {TOO_SMALL}"
    kept, all_hidden = clear_of_noise([answer.values[at] for answer in large], [_band(each, at) for each in large])
    clear = [large[place] for place in kept]
    hidden = sorted({answer.group for answer in large} - {answer.group for answer in clear})
    low, high = (pick(clear, key=lambda answer: answer.values[at]) for pick in (min, max))
    least, most = (words.value(each.values[at]) for each in (low, high))
    if len(clear) == 1:
        said = f"{asked}: {least} in {low.group}"
    elif least == most:
        said = f"{asked}: {least} in {count_in_words(len(clear), 'group')}"
    else:
        said = f"{asked}: from {least} in {low.group} to {most} in {high.group}"
    if all_hidden:
        said = f"{said}; the noise hides the order"
    elif hidden:
        said = f"{said}; the noise hides {_some(hidden)}"
    elif released and not _are_judged(answers):
        said = f"{said}; how much of that is noise is not known"
    return f"{said}; {TOO_SMALL}: {_some(sorted(each.group for each in small))}" if small else said


def _are_judged(answers: Sequence[Answers]) -> bool:
    """Return whether it is known which groups are too small."""
    return any(answer.too_small is not None for answer in answers)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def clear_of_noise(values: Sequence[float], bands: Sequence[tuple[float, float] | None]) -> tuple[list[int], bool]:
    """Return the places of groups that noise does not hide, and whether it hides the order of these.

    A group is hidden where its band, an interval or a noise interval, is as wide as half of all values that are not:
    the widest bands go first. Where all that are left would go, they stay, and their order is noise.
    """
    widths = [0.0 if band is None else band[1] - band[0] for band in bands]
    kept = list(range(len(values)))
    while True:
        own = [values[at] for at in kept]
        clear = [at for at in kept if widths[at] <= UNCLEAR * (max(own) - min(own)) or not widths[at]]
        if not clear or len(clear) == len(kept):
            return kept, not clear
        kept = clear


def _band(answer: Answers, at: int) -> tuple[float, float] | None:
    """Return the interval of an answer where it was asked for, or its noise interval in a simulation."""
    if answer.intervals:
        return answer.intervals[at]
    return (answer.lows[at], answer.highs[at]) if answer.lows else None


def _choose_view(outcome: Answered) -> tuple[list[Answers], bool]:
    """Ask for order, view and a part of a name; return the groups in view, and whether they are curves."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        order = st.segmented_control("Order", ORDERS, default=ORDERS[0], key=_view(outcome, "order"), required=True)
        curves = False
        if len(outcome.plan.quantiles) >= LEAST_OF_A_CURVE:
            view = st.segmented_control("View", VIEWS, default=VIEWS[0], key=_view(outcome, "view"), required=True)
            curves = view == VIEWS[1]
        most = MOST_CURVES if curves else MOST_ROWS
        found = (_named if order == ORDERS[1] else ranked)(outcome.answers)
        sought = ask_for_group(_view(outcome, "sought")) if len(found) > most else ""
    return in_view(found, sought, most), curves


def ask_for_group(name: str) -> str:
    """Return the part of a name by which groups are searched; `name`: of its field."""
    return st.text_input("Find a group", key=name, width=180, max_chars=check.LONGEST_WORD)


def in_view(answers: Sequence[Answers], sought: str, most: int = MOST_ROWS) -> list[Answers]:
    """Return the groups that have a part of a name, as many as are in view at most, and say how many there are."""
    found = [answer for answer in answers if sought.casefold().strip() in answer.group.casefold()]
    if len(found) > most:
        st.caption(f"{most} of {len(found):,} groups in view.")
    elif not found:
        st.caption("No group has such a name.")
    return found[:most]


def ranked(answers: Sequence[Answers]) -> list[Answers]:
    """Return the answers by their middle level, the largest first and those too small last."""
    at = middle_of(answers[0].plan.quantiles) if answers else 0
    return sorted(
        answers, key=lambda each: (True, 0.0, each.group) if each.too_small else (False, -each.values[at], "")
    )


def _named(answers: Sequence[Answers]) -> list[Answers]:
    return sorted(answers, key=lambda answer: answer.group.casefold())


def rows_figure(answers: Sequence[Answers]) -> Any:
    """Return a row for each group: its median, a box between the quartiles, its interval or its noise interval."""
    from dpq_core.figures.groups import draw_groups

    asked = answers[0].plan.intervals
    band = "95 % of simulated answers" if asked is None else f"{asked.percent} interval"
    words, wide = answers[0].wording, not answers[0].domain.has_even_steps
    return draw_groups([_row(each) for each in answers], axis=words.axis, wide=wide, band=band)


def _row(answer: Answers) -> Any:
    """Return the row of one group in a figure: its box, a band around its middle answer, and the true one."""
    from dpq_core.figures.groups import GroupRow

    words, (low, at, high) = answer.wording, _box_levels(answer.plan.quantiles)
    drawn = pieces.axis_values(words, [answer.values[each] for each in (low, at, high)])
    ends = pieces.axis_values(words, list(_band(answer, at) or ()))
    true = [answer.true_values[at]] if answer.true_values and isfinite(answer.true_values[at]) else []
    return GroupRow(
        answer.group, drawn[0], drawn[1], drawn[2], words.number(answer.values[at]),
        (ends[0], ends[1]) if ends else None, next(iter(pieces.axis_values(words, true)), None),
        faint=bool(answer.too_small),
    )  # fmt: skip


def _box_levels(levels: tuple[Fraction, ...]) -> tuple[int, int, int]:
    """Return the places of both ends of the box and of its middle: next to the quartiles, outer levels first."""
    places = range(len(levels))
    low = min(places, key=lambda at: (abs(levels[at] - Fraction(1, 4)), levels[at]))
    high = min(places, key=lambda at: (abs(levels[at] - Fraction(3, 4)), -levels[at]))
    return low, middle_of(levels), high


def curves_figure(answers: Sequence[Answers]) -> Any:
    """Return a small curve of quantiles for each group."""
    from dpq_core.figures.groups import GroupCurve, draw_curves

    words, levels = answers[0].wording, answers[0].plan.quantiles
    order = sorted(range(len(levels)), key=lambda at: levels[at])

    def curve(answer: Answers) -> GroupCurve:
        private, true = (
            pieces.axis_values(words, [values[at] for at in order]) if values and isfinite(values[0]) else []
            for values in (answer.values, answer.true_values)
        )
        shares, faint = [float(levels[at]) for at in order], bool(answer.too_small)
        return GroupCurve(answer.group, shares, private, true, faint=faint)

    wide = not answers[0].domain.has_even_steps
    return draw_curves([curve(answer) for answer in answers], axis=words.axis, wide=wide)


def reading_help(answers: Sequence[Answers], many: str, *, released: bool, curves: bool = False) -> str:
    """Return what the marks of a picture are, and what noise there is in them; `many`: what the records are called."""
    asked, parts = answers[0].plan.intervals, []
    if not curves:
        levels = answers[0].plan.quantiles
        low, _, high = (level_name(levels[each]).partition(" · ")[0] for each in _box_levels(levels))
        box = f"; the box goes from the {low} to the {high} quantile" if low != high else ""
        parts.append(f"Diamond: the private {spoken_level(levels[middle_of(levels)])}{box}.")
    if any(answer.too_small for answer in answers):
        parts.append(f"Grey: {TOO_SMALL}, so its answers are noise and may lie beyond the picture.")
    if asked is not None and not curves:
        parts.append(INTERVAL.format(percent=asked.percent))
    if released:
        return " ".join([*parts, BY_GUESS if _are_judged(answers) else IN_RELEASE])
    if not curves and asked is None and any(answer.lows for answer in answers):
        parts.append("Pale band: where 95 of 100 simulated answers lie.")
    return " ".join([*parts, f"Circle: the true one. A group without a circle has no {many}."])


def _wide_table(answers: Sequence[Answers]) -> dict[str, list[Any]]:
    """Return a row for each group with a column for each quantile; sizes and true medians in a simulation only."""
    words, levels = answers[0].wording, answers[0].plan.quantiles
    found: dict[str, list[Any]] = {"group": [answer.group for answer in answers]}
    for at, level in enumerate(levels):
        short = level_name(level).partition(" · ")[0]
        name = level_name(level) if len(levels) <= MOST_WITH_NAMES else short
        found[name] = [cells.cell(answer, answer.values[at]) for answer in answers]
        found |= cells.intervals([(answer, at) for answer in answers], f", {short}", held=False)
    if any(answer.true_values for answer in answers):
        at = middle_of(levels)
        found[f"true {spoken_level(levels[at])}"] = [cells.cell(each, each.true_values[at]) for each in answers]
        errors = [mean_rank_error([answer]) for answer in answers]
        found[f"mean rank error ({words.many})"] = [DisplayText(error, two_digits(error)) for error in errors]
        found[words.many] = [DisplayText(answer.size or 0, f"{answer.size or 0:,}") for answer in answers]
    small = [TOO_SMALL if answer.too_small else "" for answer in answers]
    return found | ({"remark": small} if any(small) else {})


def _figures(answers: Sequence[Answers]) -> list[Any]:
    first = ranked(answers)
    return [rows_figure(first[:MOST_ROWS]), curves_figure(first[:MOST_CURVES])]
