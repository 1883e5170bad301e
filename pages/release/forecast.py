"""The forecast, from public facts before anything is spent, and a question in words: what it asks, costs and errs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape as html_escape

import streamlit as st

from dpq_core.advice.errors import least_budget
from dpq_core.advice.forecast import WIDE
from dpq_core.advice.simulation import Range
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.domain.significant import SignificantDigits
from dpq_core.frame import level_share
from dpq_core.grouping import Grouping
from dpq_core.plan import NAMED_LEVELS, Intervals, levels_of
from dpq_core.privacy.budgets import ZCDP, Privacy
from dpq_core.question import Question
from dpq_core.results.chosen import Chosen, with_chances, without_intervals
from dpq_core.results.data_set import DataSet, wording_of
from dpq_core.results.wording import BEFORE, count_in_words, share_in_words, two_digits

from .. import keys
from ..form.details import expected
from ..form.form import Form
from ..form.privacy import AMOUNTS
from ..form.table import key, text
from ..payment.account import PayingAccount, left_in_numbers
from ..server import work
from ..shell.header import escape
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
    named = [level_share(level) for level in levels]
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


def points_in_words(points: tuple[float, ...], unit: str = "points") -> str:
    """Return an expected error in points of rank, called by their `unit`: `± 1.2 points`, `± 0.8 to 6.1 points`."""
    if not points:
        return UNKNOWN
    if max(points) < 0.1:
        return f"under 0.1 {unit}"
    low, high = (two_digits(max(each, 0.1)) for each in (min(points), max(points)))
    return f"± {high if low == high else f'{low} to {high}'} {unit}"


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
            for level, chance in zip(found.plan.plans[name].quantiles, chances, strict=True)
            if chance >= SAID
        ]
        if often:
            worst = "more than 99" if max(chances) > MOST_OF_HUNDRED else f"about {max(round(100 * max(chances)), 1)}"
            said.setdefault(f"{', '.join(often)} (in {worst} of 100 releases)", []).append(name)
    if not said:
        return "none in more than 1 of 100 releases" if found.chances else ""
    return "; ".join(f"{levels} of {', '.join(names)}" for levels, names in said.items())


LATER = "The forecast appears here once steps 1 to 4 are done."
ABOUT = (
    "Simulated on made-up data of several shapes among the possible values, for about {count} {many} as you guess. "
    "This does not use your data."
)
ABOUT_GROUPS = "Simulated for groups as large as you guess. This does not use your data."
UNITS, LEAST = ("number", "money", "percent"), 0.01
"""Kinds of values whose differences are amounts in their unit, and the least amount that a sentence names."""
ACCEPTED = ("0.5", "1", "2", "5", "10")
"""Errors that a visitor may accept, in points of rank."""


def show(form: Form, payer: PayingAccount | None) -> None:
    """Show the two numbers, what they rest on, and how another error would change the budget."""
    table, question = form.table, form.question
    if table is None or question is None:
        st.caption(LATER)
        return
    points = points_of(question, form.count)
    budget = question.budget
    numbers = (
        ("Expected error", points_in_words(points), "percentage points of rank, on average" if points else ""),
        ("Budget", html_escape(str(budget)), html_escape(total_in_words(budget, payer))),
    )
    rows = "".join(f"<div><dt>{label}</dt><dd>{value}</dd><dd>{more}</dd></div>" for label, value, more in numbers)
    st.html(f'<dl class="dpq-forecast">{rows}</dl>')
    if form.intervals is not None:
        without = points_of(without_intervals(question), form.count)
        form.later["intervals"].caption(cost_of_intervals(points, without))
    for sentence in _in_unit(table, question, form.count):
        st.caption(escape(sentence))
    about = ABOUT_GROUPS if question.groups else ABOUT.format(count=f"{form.count or 0:,}", many=table.column.many)
    st.caption(escape(about if points else "This does not use your data."))
    if form.several and form.chosen and (far_off := far_off_in_words(form.chosen)):
        st.caption(escape(f"Often far off: {far_off}."))
    if table.bare and not question.groups and not isinstance(form.bounds, FindBounds):
        _offer_errors(question, form.count, payer)


def points_of(question: Question, count: int | None) -> tuple[float, ...]:
    """Return the error to expect in each column, or in each of its listed groups, in points of rank.

    `count`: about how many records there are. Where it cannot be simulated it is left out.
    """
    found = expected(question, count)
    if found is None or (question.groups is not None and question.groups.answered is None):
        return ()
    return tuple(100 * row.share for row in found.rows if row.share is not None)


def _in_unit(table: ChosenTable, question: Question, count: int | None) -> list[str]:
    """Return for each whole column between known bounds how far its answers are off in its unit, and its intervals."""
    found, said = expected(question, count), []
    for data, each in zip(table.columns, found.columns if found and question.groups is None else (), strict=False):
        (row,), possible = each.rows, question.possible[data.name]
        known = isinstance(possible, Domain) and possible.has_even_steps and data.kind in UNITS
        if not known or row.in_unit is None:
            continue
        width = None if each.too_wide else row.interval_in_unit
        wide = "" if width is None else f", intervals {_amount(width, data)} wide"
        of = f" of {data.name}" if question.several else ""
        said.append(f"Answers{of} are off by {_amount(row.in_unit, data)} on average{wide}.")
        said += [WIDE.format("")] if each.too_wide else []
    return said


def _amount(found: Range, data: DataSet) -> str:
    number = f"about {two_digits(found.typical)}" if found.typical >= LEAST else f"under {LEAST}"
    return f"{number} {data.unit}".strip()


def cost_of_intervals(points: tuple[float, ...], without: tuple[float, ...]) -> str:
    """Return what intervals cost in accuracy, by the expected errors with them and without them."""
    said, otherwise = (points_in_words(each).replace("± ", "±\u00a0") for each in (points, without))
    if not points or not without:
        return "What intervals cost in accuracy is not known in advance."
    if said == otherwise or max(points) <= max(without):
        return "Intervals cost little or no accuracy here, by the forecast."
    return f"Intervals cost accuracy: an expected error of {said} in place of {otherwise}, in percent of ranks."


def _offer_errors(question: Question, count: int | None, payer: PayingAccount | None) -> None:
    """Offer errors that would be accepted, and for the chosen one the budget that it takes."""
    chosen = st.pills(
        "Which error would you accept?", ACCEPTED, format_func=lambda error: f"± {error}", key=keys.widget("accepted"),
        help="In percentage points of rank: with ± 1 the median may come out as the 49 % or the 51 % point.",
    )  # fmt: skip
    if chosen is None or not count:
        return
    name = "rho" if isinstance(question.budget, ZCDP) else "epsilon"
    amounts = [float(amount) for amount in AMOUNTS[name]]
    found = work.know(least_budget, question, dict.fromkeys(question.columns, count), float(chosen) / 100, amounts)
    letter, accepted = "ρ" if name == "rho" else "ε", f"± {chosen}"
    if found is None:
        most = AMOUNTS[name][-1]
        st.caption(f"For {accepted} even {letter} = {most} is too little: ask fewer quantiles, or of more records.")
        return
    amount = f"{found.rho if isinstance(found, ZCDP) else found.epsilon:g}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if amount == text(name):
            st.caption(f"{accepted} takes {letter} = {amount}, which is set.")
        elif short := payer.shortfall(found) if payer else "":
            st.caption(escape(f"{accepted} takes about {letter} = {amount}. {short}"))
        else:
            st.caption(f"{accepted} takes about {letter} = {amount}.", width="content")
            st.button(
                f"Apply {letter} = {amount}", key=keys.widget("apply_budget"), icon=":material/check:",
                on_click=st.session_state.update, args=({key(name): amount},),
            )  # fmt: skip
