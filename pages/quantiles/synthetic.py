"""The tab for a synthetic column: what is asked there, and its result on the screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from dpq_core.advice.choice import choose
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Plan
from dpq_core.results import synthetic
from dpq_core.results.data_set import DataSet
from dpq_core.results.synthetic import Column, ReleasedColumn, SimulatedColumn
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.results.wording import share_in_words
from pages.budget import panel

from .. import keys
from ..budget import counts
from ..budget.panel import PayingAccount
from ..form.inputs import Inputs
from ..form.requests import of_column
from ..frame import fields, links, pieces, state
from ..frame.header import escape, term, whole_number
from ..frame.state import Mode
from ..settings import check, table
from ..settings.table import SETTINGS, text
from . import questions
from .view import missing, not_paid

INTRODUCTION = (
    "As many made-up values as you choose, spread like the real ones. Anything that you compute from a released column "
    "costs nothing more."
)
NEEDS_BOUNDS = "A synthetic column needs bounds or significant digits: choose them under “Bounds”."
PREVIEW_ROWS = 10
FIELD = 180
"""Pixels of the field for the size: beside it the button has room, on a phone too."""


def for_column(inputs: Inputs) -> Inputs:
    """Return what the controls give for a column; the best mechanism is that for as many quantiles as it has values."""
    size, best, plan = text("size"), inputs.best, inputs.plan
    if best is None or plan is None or not check.fits(SETTINGS["size"].check, size):
        return inputs
    column = synthetic.plan_of(synthetic.without_quantiles(plan), int(size))
    chosen = choose(replace(best.facts, quantiles=column.quantiles))
    return replace(inputs, best=chosen, plan=chosen.plan)


def _judged(plan: Plan, size: int, data: DataSet | None, domain: Domain | None) -> counts.Availability:
    return counts.judged(synthetic.plan_of(synthetic.without_quantiles(plan), size), data, domain)


def judgement_of(inputs: Inputs, size: int | None) -> counts.Availability | None:
    """Return whether a column of `size` values can be answered, with the calibrations for drawing it."""
    if inputs.plan is None or size is None:
        return None
    return _judged(inputs.plan, size, inputs.column, inputs.domain)


def asked_of(inputs: Inputs) -> TableRequest | None:
    """Return what is asked of the column whose values are made up anew; None while something is missing."""
    if inputs.data is None or inputs.domain is None or inputs.plan is None:
        return None
    return of_column(inputs.data, inputs.domain, synthetic.without_quantiles(inputs.plan))


def ask(inputs: Inputs, payer: PayingAccount | None) -> tuple[int | None, str, bool]:
    """Draw what stands above a result; return the size, why there can be no column, and whether one was asked for."""
    plan, mode = inputs.plan, inputs.mode
    st.caption(INTRODUCTION)
    if inputs.best and inputs.domain:
        chosen = escape(MECHANISMS[inputs.best.mechanism].LABEL)
        st.caption(f"Chose {chosen} as the best mechanism for a column of this size.")
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    with row:
        typed = fields.text_input("size", help=term("synthetic column"), width=FIELD)
    size = whole_number(typed, table.MOST_VALUES, "How many values")
    reason = missing(inputs) or (NEEDS_BOUNDS if isinstance(inputs.bounds, FindBounds) else _why_not(inputs, size))
    reason = reason or not_paid(payer, inputs, judgement_of(inputs, size))
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    pressed = row.button(
        f"{mode.verb} a column", key=keys.widget("run_column"), type="primary", icon=icon, disabled=bool(reason)
    )
    questions.ask(plan, payer)
    if reason:
        st.caption(escape(reason))
    elif mode is Mode.RELEASE:
        st.caption("A release of its own: each press spends the budget once more.")
    return size, reason, pressed and not reason


def _why_not(inputs: Inputs, size: int | None) -> str:
    """Return why there can be no such column with settings that are complete; empty where there can."""
    with st.spinner("Checking whether this fits …"):
        availability = judgement_of(inputs, size)
    if availability is None:
        return "A setting above needs another value first."
    return f"Not for a column of {size:,} values: {availability.reason}" if availability.reason else ""


def seed_to_draw(inputs: Inputs, size: int | None, *, pressed: bool, ready: bool) -> int | None:
    """Return the seed of the column that is due now, if one is: at a press, or from a link."""
    column = state.column_of(inputs.data)
    shown = column.seed if isinstance(column, SimulatedColumn) and _same(column, inputs, size) else None
    return links.due_seed("column_seed", shown, pressed=pressed, ready=ready and inputs.mode is Mode.EXPLORE)


def _same(column: Column, inputs: Inputs, size: int | None) -> bool:
    """Return whether a column was made with just these settings."""
    data, plan = inputs.column, inputs.plan and synthetic.without_quantiles(inputs.plan)
    made = (column.cache_key, column.domain, column.plan, len(column.values))
    return data is not None and made == (data.cache_key, inputs.domain, plan, size)


def show(inputs: Inputs, size: int | None, *, ready: bool) -> None:
    """Show the last column of this mode, or that there is none yet."""
    mode, column = inputs.mode, state.column_of(inputs.column)
    if column is None:
        pieces.nothing_yet(mode, f"{mode.verb} a column", ready)
        return
    changed = "" if _same(column, inputs, size) else f"Settings changed: press {mode.verb} a column"
    spent = panel.spent_of(column.account) if isinstance(column, ReleasedColumn) else ""
    with pieces.result("column"):
        show_column(column, changed, spent)


def show_column(column: Column, changed: str, spent: str = "") -> None:
    """Show one column by its own record; `spent`: what all releases of its data set have cost by now."""
    pieces.result_line(column, changed)
    pieces.warnings(column)
    with st.container(horizontal=True, gap="medium"):
        st.metric("Number of values", f"{len(column.values):,}", width="stretch")
        if isinstance(column, SimulatedColumn):
            st.metric(
                "Largest difference", share_in_words(column.distance), help=term("largest difference"), width="stretch"
            )
        pieces.prices(column, spent)
    place = st.container()
    st.caption(_reading_help(column))
    shown = synthetic.preview(column.values, column.wording, PREVIEW_ROWS)
    shown = {"place": shown["place"], f"value{column.wording.in_unit}": shown["value"]}
    pieces.table(shown, "Ten values of the synthetic column")
    pieces.notes(column.notes)
    title = f"Synthetic column of {column.wording.name}"
    pieces.offer_files(column, "synthetic-column-", title, lambda: [_figure(column)])
    alt = "Share of the synthetic values at or below each value; the download holds the values"
    pieces.draw(place, _figure(column), "column", alt, simulated=isinstance(column, SimulatedColumn))


def _reading_help(column: Column) -> str:
    if isinstance(column, ReleasedColumn):
        return "The column is in increasing order. Everything here may be shown to anyone."
    return (
        f"Grey: the share of {column.wording.many} at or below each value. Dashed: the share of synthetic values. The "
        "largest difference is their longest vertical distance. The column is in increasing order."
    )


def _figure(column: Column) -> Any:
    from dpq_core.figures import quantiles

    words = column.wording
    values, shares = synthetic.steps_of(column.values)
    private = (pieces.axis_values(words, values), shares)
    lower, upper = pieces.axis_values(words, [float(column.domain.lower), float(column.domain.upper)])
    true = None
    if isinstance(column, SimulatedColumn):
        true = (pieces.axis_values(words, column.cdf[0].tolist()), column.cdf[1].tolist())
    return quantiles.draw_column(
        private, true, axis=words.axis, bounds=(lower, upper), wide=not column.domain.has_even_steps
    )
