"""Several columns on the screen: box plots, a table, and files to take away."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import streamlit as st

from dpq_core.domain.at_bounds import at_bound
from dpq_core.far_answers import NOT_USABLE
from dpq_core.results import exports
from dpq_core.results.answers import Answers
from dpq_core.results.kinds import Answered, Released, Simulated
from dpq_core.results.simulated import mean_rank_error
from dpq_core.results.wording import count_in_words, error_in_words, share_in_words
from dpq_core.studies.measures import MEAN_RANK_ERROR
from pages.groups import results as of_groups

from .. import keys
from ..frame import cells, pieces
from ..frame.header import escape

BOX_LEVELS = tuple(Fraction(share, 100) for share in (5, 25, 50, 75, 95))
HALF = Fraction(1, 2)
MOST_SAID, MOST_DRAWN = 4, 6
"""Columns of a sentence, and of pictures of groups; a table below has all."""
TOO_NOISY = 0.03
"""The share of all records by which answers may be off on average and still be shown as a finding."""
EXITS = "Say bounds above, ask fewer columns, or take a larger budget."
WIDE_APART = 20
"""Columns whose widths differ by a larger factor have scales of their own at first."""
SCALES: dict[str, Literal["own", "linear", "log"]] = {"Each its own": "own", "Linear": "linear", "Logarithmic": "log"}
HOW_TO_READ = (
    "Box: from the 25 % to the 75 % quantile, the stroke is the median; whiskers: 5 % and 95 %. Smallest, largest and "
    "single values are never drawn: they belong to single people."
)


def show(outcome: Answered, changed: str, spent: str) -> None:
    """Show one outcome by its own record; `spent`: what all releases of its data set have cost by now."""
    protects = exports.adjacency_in_words(outcome)
    facts = [exports.kind_in_words(outcome), escape(outcome.about), str(outcome.plan.privacy), escape(protects)]
    st.markdown(f":gray[{' · '.join(facts)}]{pieces.changed_badge(changed)}")
    if outcome.rule:
        st.caption(f":material/group: {escape(outcome.rule[:1].upper() + outcome.rule[1:])}.")
    pieces.warnings(outcome)
    if said := finding(outcome):
        st.markdown(f"**{escape(said)}**")
    _metrics(outcome, spent)
    if outcome.groups is not None:
        _groups(outcome)
    else:
        _boxes(outcome)
    pieces.notes(sorted(outcome.notes))
    about = "Quantiles of every column"
    pieces.table(cells.table(outcome.answers, columns=True), about, left=3 if outcome.groups else 2)
    if outcome.answers:
        st.caption(escape(cells.mechanisms_in_words(outcome.answers)))
    pieces.how_sure((column.basis for column in outcome.answers), outcome.many)
    pieces.offer_files(outcome, "columns-")
    if isinstance(outcome, Released):
        pieces.page_link("report", "The report, with a sentence on each column", {})


def finding(outcome: Answered) -> str:
    """Return the private medians in a sentence, or that a simulation shows them to be too noisy; empty without any."""
    if outcome.groups is not None:
        return _finding_in_groups(outcome)
    if isinstance(outcome, Simulated):
        error = mean_rank_error(outcome.answers)
        if error > TOO_NOISY * outcome.n:
            off = f"{error_in_words(error, outcome.one, outcome.many)} off on average"
            share = f", {share_in_words(error / outcome.n)} of all" if outcome.n else ""
            return f"Too noisy to use: answers are {off}{share}. {EXITS}"
    found = [
        _in_words(column, value)
        for column in outcome.answers
        for level, value in zip(column.plan.quantiles, column.values, strict=False)
        if level == HALF and _is_usable(column, HALF)
    ]
    more = len(found) - MOST_SAID
    end = f"; {more:,} more below" if more > 0 else ""
    medians = "Median" if len(found) == 1 else "Medians"
    return f"{medians}: {'; '.join(found[:MOST_SAID])}{end}." if found else ""


def _finding_in_groups(outcome: Answered) -> str:
    """Return between what the middle answers of each column lie, in the groups that are large enough."""
    released = isinstance(outcome, Released)
    said = [f"{of_groups.finding(own, released=released)}." for own in _by_column(outcome).values()]
    more = len(said) - MOST_SAID
    return " ".join([*said[:MOST_SAID], *([f"{count_in_words(more, 'column')} more below."] if more > 0 else [])])


def _by_column(outcome: Answered) -> dict[str, list[Answers]]:
    found: dict[str, list[Answers]] = {}
    for answer in outcome.answers:
        found.setdefault(answer.wording.name, []).append(answer)
    return found


def _groups(outcome: Answered) -> None:
    """Draw the groups of each column from the highest middle answer to the lowest, those too small last."""
    by_column = _by_column(outcome)
    if not by_column:
        st.caption("No group is large enough to be named.")
        return
    many = max(map(len, by_column.values())) > of_groups.MOST_ROWS
    sought = of_groups.ask_for_group(keys.widget("table_sought", outcome.made)) if many else ""
    released = isinstance(outcome, Released)
    for name, answers in list(by_column.items())[:MOST_DRAWN]:
        st.markdown(f"**{escape(name)}**")
        place = st.container()
        if found := of_groups.in_view(of_groups.ranked(answers), sought):
            about = f"Quantiles of {name} in every group; see the table"
            pieces.draw(place, of_groups.rows_figure(found), f"groups_{name}", about, simulated=not released)
    left_out = len(by_column) - MOST_DRAWN
    if left_out > 0:
        st.caption(f"Only in the table: {count_in_words(left_out, 'column')} more.")
    st.caption(of_groups.reading_help(outcome.answers, outcome.many, released=released))


def _is_usable(column: Answers, level: Fraction) -> bool:
    return column.usable[column.plan.quantiles.index(level)]


def _in_words(column: Answers, value: float) -> str:
    wording, shown = column.wording, column.wording.after_name(value)
    if side := at_bound(value, column.domain):
        return f"{wording.name} {shown}, the {side} possible value"
    return f"{wording.name} {shown}"


def _metrics(outcome: Answered, spent: str) -> None:
    with st.container(horizontal=True, gap="medium"):
        names = {column.wording.name for column in outcome.answers} or set(outcome.request.plans)
        st.metric("Columns", f"{len(names):,}", width="stretch")
        if outcome.groups is not None:
            st.metric("Groups", f"{len({column.group for column in outcome.answers}):,}", width="stretch")
        if isinstance(outcome, Simulated):
            error = error_in_words(mean_rank_error(outcome.answers), outcome.one, outcome.many)
            st.metric(MEAN_RANK_ERROR.capitalize(), error, width="stretch")
        pieces.prices(outcome, spent)


def _boxes(outcome: Answered) -> None:
    """Draw a box for every column whose quantiles make one."""
    from dpq_core.figures.boxes import draw_boxes

    boxed = [column for column in outcome.answers if _drawn(column) and column.wording.kind != "date"]
    if not boxed:
        st.caption("A box plot needs usable quantiles 5, 25, 50, 75 and 95 % of a column of numbers.")
        return
    positive = [column for column in boxed if min([*(_drawn(column) or column.values), *column.true_values]) > 0]
    usual = list(SCALES)[1 if _fit_one_axis(boxed) else 0]
    chosen = st.segmented_control(
        "Axis", list(SCALES), default=usual, key=keys.widget("boxes_axis", outcome.made), required=True
    )  # a view of the result, and no setting of the page
    scale = SCALES[chosen or usual]
    shown = positive if scale == "log" else boxed
    if not shown:
        st.caption("A logarithmic axis shows values above 0 only.")
        return
    units = {column.wording.unit for column in shown}
    (unit, *others) = sorted(units)
    title = "Value, each column in its own unit" if others else f"Value ({unit})" if unit else "Value"
    title = "Each column on a scale of its own" if scale == "own" else title
    figure = draw_boxes([_box(column) for column in shown], scale=scale, axis=title)
    alt = "Box plots of the columns from their 5, 25, 50, 75 and 95 percent quantiles; see the table"
    pieces.draw(st.container(), figure, "boxes", alt, simulated=isinstance(outcome, Simulated))
    left_out = [column.wording.name for column in outcome.answers if column not in shown]
    cut = [column.wording.name for column in shown if not all(column.usable)]
    if cut:
        st.caption(f"A whisker whose answer is {NOT_USABLE} is left out: {escape(', '.join(cut))}.")
    st.caption(HOW_TO_READ + (f" Without a box here: {escape(', '.join(left_out))}." if left_out else ""))


def _box(column: Answers) -> Any:
    from dpq_core.figures.boxes import Box

    private = _drawn(column)
    assert private is not None, "chosen for having one"
    low, median, high = (column.wording.number(private[at]) for at in (0, 2, 4))
    words = f"{low} to {high}, median {median}"
    unit = f" ({column.wording.unit})" if column.wording.unit else ""
    return Box(f"{column.wording.name}{unit}", private, summary(column, column.true_values), words)


def summary(column: Answers, values: tuple[float, ...]) -> tuple[float, float, float, float, float] | None:
    """Return the values of whiskers, box and median; None where one was not asked for, or there are no values."""
    by_level = dict(zip(column.plan.quantiles, values, strict=False))
    found = [by_level[level] for level in BOX_LEVELS if level in by_level]
    return (found[0], found[1], found[2], found[3], found[4]) if len(found) == len(BOX_LEVELS) else None


def _drawn(column: Answers) -> tuple[float, float, float, float, float] | None:
    """Return the private values of a box; a whisker that is not usable has no length, and without its middle no box."""
    found = summary(column, column.values)
    if found is None or not all(_is_usable(column, level) for level in BOX_LEVELS[1:-1]):
        return None
    low, *middle, high = found
    low = low if _is_usable(column, BOX_LEVELS[0]) else middle[0]
    return low, middle[0], middle[1], middle[2], high if _is_usable(column, BOX_LEVELS[-1]) else middle[2]


def _fit_one_axis(columns: list[Answers]) -> bool:
    """Return whether all columns are known to have one unit, and none would be a stroke beside the others."""
    units = {column.wording.unit for column in columns}
    if len(columns) > 1 and (len(units) > 1 or units == {""}):
        return False
    found = [_drawn(column) for column in columns]
    widths = [each[4] - each[0] for each in found if each is not None]
    whole = max(each[4] for each in found if each) - min(each[0] for each in found if each)
    return whole <= WIDE_APART * min(widths)
