"""Groups on the screen: what was found, a row each or a small curve each, tables, and files."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

import streamlit as st

from dpq_core.groups import NO_GROUP
from dpq_core.plan import Intervals
from dpq_core.results import (
    Answers,
    DisplayText,
    GroupedReleased,
    GroupedSimulation,
    GroupsOutcome,
    Wording,
    count_in_words,
    error_in_words,
    level_in_table,
    level_name,
    middle_of,
    spoken_level,
    two_digits,
)
from dpq_core.results.groups.sizes import TOO_SMALL
from dpq_core.studies import MEAN_RANK_ERROR

from ..frame import escape, pieces, term
from ..settings import check, key

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


def show(outcome: GroupsOutcome, changed: str, spent: str) -> None:
    """Show the answers of all groups by their own record; `spent`: what all releases of its data set have cost."""
    pieces.result_line(outcome, changed)
    pieces.warnings(outcome)
    _metrics(outcome, spent)
    if not outcome.answers:
        st.caption(NO_GROUP)
        return
    st.markdown(f"**{escape(finding(outcome))}**")
    chosen, curves = _choose_view(outcome)
    place = st.container()
    st.caption(_reading_help(outcome, curves=curves))
    said = f"Table{outcome.wording.in_unit}"  # not in every head: deciles of all groups fit beside each other without
    tables = st.segmented_control(said, TABLES, default=TABLES[0], key=_view(outcome, "table"), required=True)
    shown = (wide_table if tables == TABLES[0] else long_table)(outcome, _ordered(outcome, ORDERS[1]))
    pieces.table(shown, "Quantiles of every group", left=1 if tables == TABLES[0] else 2)
    pieces.how_sure([outcome.basis], outcome.wording.many)
    pieces.notes(outcome.notes)
    title = f"Private quantiles of {outcome.wording.name} by group"
    pieces.offer_files(outcome, "groups-", title, lambda: _figures(outcome))
    if isinstance(outcome, GroupedReleased):
        pieces.page_link("report", "The report, which says what cannot be told apart", {})
    figure = curves_figure(outcome, chosen) if curves else rows_figure(outcome, chosen)
    pieces.draw(place, figure, "groups", "Quantiles of every group with their noise; see the table")


def _view(outcome: GroupsOutcome, name: str) -> str:
    """Return the key of a view of one result, which is no setting of the page."""
    return f"{key(f'groups_{name}')}_{outcome.made}"


def _metrics(outcome: GroupsOutcome, spent: str) -> None:
    words = outcome.wording
    with st.container(horizontal=True, gap="medium"):
        st.metric("Groups", f"{len(outcome.answers):,}", width="stretch")
        if isinstance(outcome, GroupedSimulation):
            errors = [abs(error) for answer in outcome.answers for error in answer.errors]
            mean = error_in_words(sum(errors) / max(len(errors), 1), words.one, words.many)
            st.metric(MEAN_RANK_ERROR.capitalize(), mean, help=term(MEAN_RANK_ERROR), width="stretch")
        pieces.prices(outcome, spent)


def finding(outcome: GroupsOutcome) -> str:
    """Return what the answers say, in a sentence, and which groups the noise hides: of these it tells no value."""
    words, at = outcome.wording, middle_of(outcome.plan.quantiles)
    private = "private " if isinstance(outcome, GroupedReleased) else ""
    asked, small = f"{words.name}, {private}{spoken_level(outcome.plan.quantiles[at])}", too_small(outcome)
    large = [answer for answer in outcome.answers if answer.group not in small]
    if not large:
        return f"{asked}: every group is {TOO_SMALL}"
    kept, all_hidden = clear_of_noise([answer.values[at] for answer in large], [_band(each, at) for each in large])
    clear = [large[place] for place in kept]
    hidden = {answer.group for answer in large} - {answer.group for answer in clear}
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
        said = f"{said}; the noise hides {_some(sorted(hidden))}"
    elif isinstance(outcome, GroupedReleased) and outcome.too_small is None:
        said = f"{said}; how much of that is noise is not known"
    return f"{said}; {TOO_SMALL}: {_some(sorted(small))}" if small else said


def too_small(outcome: GroupsOutcome) -> frozenset[str]:
    """Return the names of the answered groups that are known to be too small for their budget."""
    return frozenset(outcome.too_small or ()) & {answer.group for answer in outcome.answers}


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


def _choose_view(outcome: GroupsOutcome) -> tuple[list[Answers], bool]:
    """Ask for order, view and a part of a name; return the groups in view, and whether they are curves."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        order = st.segmented_control("Order", ORDERS, default=ORDERS[0], key=_view(outcome, "order"), required=True)
        curves = False
        if len(outcome.plan.quantiles) >= LEAST_OF_A_CURVE:
            view = st.segmented_control("View", VIEWS, default=VIEWS[0], key=_view(outcome, "view"), required=True)
            curves = view == VIEWS[1]
        most = MOST_CURVES if curves else MOST_ROWS
        found = _ordered(outcome, str(order or ORDERS[0]))
        if len(found) > most:
            sought = st.text_input(
                "Find a group", key=_view(outcome, "sought"), width=180, max_chars=check.LONGEST_WORD
            )
            found = [answer for answer in found if sought.casefold().strip() in answer.group.casefold()]
    if len(found) > most:
        st.caption(f"{most} of {len(found):,} groups in view.")
    elif not found:
        st.caption("No group has such a name.")
    return found[:most], curves


def _ordered(outcome: GroupsOutcome, order: str) -> list[Answers]:
    """Return the answers by their middle level, the largest first and those too small last; or by name."""
    if order == ORDERS[1]:
        return sorted(outcome.answers, key=lambda answer: answer.group.casefold())
    at, small = middle_of(outcome.plan.quantiles), too_small(outcome)
    return sorted(
        outcome.answers,
        key=lambda answer: (True, 0.0, answer.group) if answer.group in small else (False, -answer.values[at], ""),
    )


def rows_figure(outcome: GroupsOutcome, answers: Sequence[Answers], title: str = "") -> Any:
    """Return a row for each group: its median, a box between the quartiles, its interval or its noise interval."""
    from dpq_core.figures import draw_groups

    words, levels, small = outcome.wording, outcome.plan.quantiles, too_small(outcome)
    at = middle_of(levels)

    def row(answer: Answers) -> Any:
        band = _band(answer, at)
        true = answer.true_values[at] if answer.true_values and isfinite(answer.true_values[at]) else None
        return row_of(words, levels, answer.group, answer.values, band, true, faint=answer.group in small)

    rows, band = [row(answer) for answer in answers], band_in_words(outcome.plan.intervals)
    return draw_groups(rows, axis=words.axis, wide=_is_wide(outcome), title=title, band=band)


def band_in_words(intervals: Intervals | None) -> str:
    """Return what the bands of a figure are called."""
    return "noise interval" if intervals is None else f"{intervals.percent} interval"


def row_of(
    words: Wording,
    levels: tuple[Fraction, ...],
    name: str,
    values: tuple[float, ...],
    band: tuple[float, float] | None,
    true: float | None,
    *,
    faint: bool,
) -> Any:
    """Return the row of one group in a figure; `band`: around its middle answer, `true`: the true one."""
    from dpq_core.figures import GroupRow

    low, at, high = _box_levels(levels)
    drawn = pieces.axis_values(words, [values[each] for each in (low, at, high)])
    ends = pieces.axis_values(words, list(band or ()))
    return GroupRow(
        name, drawn[0], drawn[1], drawn[2], words.number(values[at]), (ends[0], ends[1]) if ends else None,
        None if true is None else pieces.axis_values(words, [true])[0],
        faint=faint,
    )  # fmt: skip


def _is_wide(outcome: GroupsOutcome) -> bool:
    return not outcome.domain.has_even_steps


def _box_levels(levels: tuple[Fraction, ...]) -> tuple[int, int, int]:
    """Return the places of both ends of the box and of its middle: next to the quartiles, outer levels first."""
    places = range(len(levels))
    low = min(places, key=lambda at: (abs(levels[at] - Fraction(1, 4)), levels[at]))
    high = min(places, key=lambda at: (abs(levels[at] - Fraction(3, 4)), -levels[at]))
    return low, middle_of(levels), high


def curves_figure(outcome: GroupsOutcome, answers: Sequence[Answers]) -> Any:
    """Return a small curve of quantiles for each group."""
    from dpq_core.figures import GroupCurve, draw_curves

    words, levels = outcome.wording, outcome.plan.quantiles
    order, small = sorted(range(len(levels)), key=lambda at: levels[at]), too_small(outcome)

    def curve(answer: Answers) -> GroupCurve:
        private, true = (
            pieces.axis_values(words, [values[at] for at in order]) if values and isfinite(values[0]) else []
            for values in (answer.values, answer.true_values)
        )
        return GroupCurve(answer.group, [float(levels[at]) for at in order], private, true, faint=answer.group in small)

    return draw_curves([curve(answer) for answer in answers], axis=words.axis, wide=_is_wide(outcome))


def diamond_in_words(levels: tuple[Fraction, ...]) -> str:
    """Return what a row of a figure shows: `Diamond: the private median; the box goes from ...`."""
    low, _, high = (level_name(levels[each]).partition(" · ")[0] for each in _box_levels(levels))
    box = f"the box goes from the {low} to the {high} quantile" if low != high else ""
    return f"Diamond: the private {spoken_level(levels[middle_of(levels)])}" + (f"; {box}." if box else ".")


def _reading_help(outcome: GroupsOutcome, *, curves: bool) -> str:
    parts = []
    if not curves:
        parts.append(diamond_in_words(outcome.plan.quantiles))
    if too_small(outcome):
        parts.append(f"Grey: {TOO_SMALL}, so its answers are noise and may lie beyond the picture.")
    if outcome.plan.intervals is not None and not curves:
        parts.append(INTERVAL.format(percent=outcome.plan.intervals.percent))
    if isinstance(outcome, GroupedReleased):
        return " ".join([*parts, IN_RELEASE if outcome.too_small is None else BY_GUESS])
    if not curves and outcome.plan.intervals is None:
        parts.append("Pale band: where 95 of 100 simulated answers lie.")
    return " ".join([*parts, f"Circle: the true one. A group without a circle has no {outcome.wording.many}."])


def wide_table(outcome: GroupsOutcome, answers: Sequence[Answers]) -> dict[str, list[Any]]:
    """Return a row for each group with a column for each quantile; sizes and true medians in a simulation only."""
    words, levels = outcome.wording, outcome.plan.quantiles
    found: dict[str, list[Any]] = {"group": [answer.group for answer in answers]}
    for at, level in enumerate(levels):
        name = level_name(level) if len(levels) <= MOST_WITH_NAMES else level_name(level).partition(" · ")[0]
        found[name] = [_cell(outcome, answer.values[at]) for answer in answers]
        found |= _intervals(outcome, [(answer, at) for answer in answers], f", {level_name(level).partition(' · ')[0]}")
    if isinstance(outcome, GroupedSimulation):
        middle = middle_of(levels)
        found[f"true {spoken_level(levels[middle])}"] = [
            _cell(outcome, answer.true_values[middle]) for answer in answers
        ]
        found[f"mean rank error ({words.many})"] = [
            DisplayText(error, two_digits(error))
            for error in (sum(map(abs, answer.errors)) / max(len(answer.errors), 1) for answer in answers)
        ]
        found[words.many] = [DisplayText(answer.size or 0, f"{answer.size or 0:,}") for answer in answers]
    return found | _remarks(outcome, answers)


def _remarks(outcome: GroupsOutcome, answers: Sequence[Answers]) -> dict[str, list[Any]]:
    """Return a column that says which of these groups are too small; none where no group is."""
    small = too_small(outcome)
    return {"remark": [TOO_SMALL if answer.group in small else "" for answer in answers]} if small else {}


def long_table(outcome: GroupsOutcome, answers: Sequence[Answers]) -> dict[str, list[Any]]:
    """Return a row for each quantile of each group; the truth beside it in a simulation."""
    levels, unit = outcome.plan.quantiles, outcome.wording.in_unit
    rows = [(answer, at) for answer in answers for at in range(len(levels))]
    found: dict[str, list[Any]] = {
        "group": [answer.group for answer, _ in rows],
        "quantile": [level_in_table(levels[at]) for _, at in rows],
    }
    if isinstance(outcome, GroupedSimulation):
        found[f"true{unit}"] = [_cell(outcome, answer.true_values[at]) for answer, at in rows]
    found[f"private{unit}"] = [_cell(outcome, answer.values[at]) for answer, at in rows]
    found |= _intervals(outcome, rows)
    if isinstance(outcome, GroupedSimulation):
        errors = [answer.errors[at] for answer, at in rows]
        found[f"rank error ({outcome.wording.many})"] = [DisplayText(error, two_digits(error)) for error in errors]
    return found | _remarks(outcome, [answer for answer, _ in rows])


def _intervals(outcome: GroupsOutcome, rows: Sequence[tuple[Answers, int]], of: str = "") -> dict[str, list[Any]]:
    """Return the intervals as a column; of a simulation, how often they held the truth as another one."""
    asked, number = outcome.plan.intervals, outcome.wording.number
    if asked is None or not rows:
        return {}
    pairs = [answer.intervals[at] for answer, at in rows]
    found: dict[str, list[Any]] = {
        f"{asked.percent} interval{of}": [DisplayText(high, f"{number(low)} to {number(high)}") for low, high in pairs]
    }
    if isinstance(outcome, GroupedSimulation) and not of:
        found["held"] = [DisplayText(held, f"{100 * held:.0f} %") for held in (each.held[at] for each, at in rows)]
    return found


def _cell(outcome: GroupsOutcome, value: float) -> Any:
    words = outcome.wording
    return words.number(value) if words.kind == "date" else DisplayText(value, words.number(value))


def _figures(outcome: GroupsOutcome) -> list[Any]:
    ranked = _ordered(outcome, ORDERS[0])
    return [rows_figure(outcome, ranked[:MOST_ROWS], finding(outcome)), curves_figure(outcome, ranked[:MOST_CURVES])]
