"""The tab for a synthetic column: what is asked there, and its result on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ...domain import Domain
from ...plan import Plan
from ...results import Column, DataSet, ReleasedColumn, SimulatedColumn, exports, scripts, share_in_words, synthetic
from .. import budget
from ..budget import Payer, counts
from ..server import downloads
from ..settings import LONGEST_LINE, MOST_VALUES, key, text
from ..shell import Mode, escape, links, pieces, state, term, whole_number
from . import questions
from .page import missing, not_paid

INTRODUCTION = (
    "As many made-up values as you say, spread like the real ones. Whatever is computed from a released column costs "
    "nothing more."
)
PREVIEW_ROWS = 10
FIELD = 180
"""Pixels of the field for the size: beside it the button has room, on a phone too."""


def ask(
    data: DataSet | None, domain: Domain | None, plan: Plan | None, mode: Mode, payer: Payer | None
) -> tuple[int | None, str, bool]:
    """What stands above a result: the size, why there can be no column (empty where there can), and the button."""
    st.caption(INTRODUCTION)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    size = _choose_size(row)
    reason = missing(data, domain, plan) or _why_not(plan, size, data, mode)
    if not reason and plan and size:
        reason = not_paid(payer, data, synthetic.plan_of(synthetic.without_quantiles(plan), size), mode)
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    pressed = row.button(_button_label(mode), key=key("run_column"), type="primary", icon=icon, disabled=bool(reason))
    questions.ask(plan, payer, mode)
    if reason:
        st.caption(escape(reason))
    elif mode is Mode.RELEASE:
        st.caption("A release of its own: each press spends the budget once more.")
    return size, reason, pressed and not reason


def _choose_size(row: DeltaGenerator) -> int | None:
    """How many values, or None while what was typed is no such number."""
    row.text_input(
        "How many values",
        key=key("size"),
        help=term("synthetic column"),
        persist_state="session",
        width=FIELD,
        max_chars=LONGEST_LINE,
    )
    return whole_number(text("size"), MOST_VALUES, "How many values")


def _why_not(plan: Plan | None, size: int | None, data: DataSet | None, mode: Mode) -> str:
    """Why there can be no such column with settings that are complete; empty where there can."""
    if plan is None or size is None:
        return "A setting above needs another value first."
    with st.spinner("Checking whether this fits …"):
        reason = counts.why_not(synthetic.plan_of(synthetic.without_quantiles(plan), size), data, mode)
    return f"Not for a column of {size:,} values: {reason}" if reason else ""


def seed_to_draw(
    data: DataSet | None,
    domain: Domain | None,
    plan: Plan | None,
    size: int | None,
    mode: Mode,
    *,
    pressed: bool,
    ready: bool,
) -> int | None:
    """Return the seed of the column that is due now, if one is: at a press, or from a link.

    The link of the page then carries it, or that of the column that is shown already.
    """
    asked, due = links.take("column_seed"), None
    column = state.column_of(Mode.EXPLORE, data)
    unchanged = data is not None and column is not None and _same(column, data, domain, plan, size)
    shown = column.seed if unchanged and isinstance(column, SimulatedColumn) else None
    if ready and mode is Mode.EXPLORE:
        if pressed:
            due = state.next_seed()
        elif asked not in (None, shown):
            due = asked and state.use_seed(asked)
    links.carry(column_seed=due or shown)
    return due


def _same(column: Column, data: DataSet, domain: Domain | None, plan: Plan | None, size: int | None) -> bool:
    """Return whether a column was made with just these settings."""
    now = (data.identity, data.missing, domain, plan and synthetic.without_quantiles(plan), size)
    return now == (column.identity, column.missing, column.domain, column.plan, len(column.values))


def _button_label(mode: Mode) -> str:
    return f"{mode.verb} a column"


def show(
    data: DataSet | None, domain: Domain | None, plan: Plan | None, size: int | None, mode: Mode, *, ready: bool
) -> None:
    """The last column of this mode, or a word that there is none yet."""
    column = state.column_of(mode, data)
    if column is None or data is None:
        pieces.nothing_yet(mode.verb, _button_label(mode), ready, pieces.note(mode))
        return
    changed = "" if _same(column, data, domain, plan, size) else f"Settings changed: press {_button_label(mode)}"
    spent = budget.spent_of(column.account) if isinstance(column, ReleasedColumn) else ""
    with pieces.result("column"):
        show_column(column, changed, spent)


def show_column(column: Column, changed: str, spent: str = "") -> None:
    """One column by its own record; `spent`: what all releases of its data set have cost by now."""
    kind = "Release" if isinstance(column, ReleasedColumn) else f"Simulation with seed {column.seed}, not a release"
    pieces.result_line(column, kind, changed)
    with st.container(horizontal=True, gap="medium"):
        st.metric("Number of values", f"{len(column.values):,}", width="stretch")
        if isinstance(column, SimulatedColumn):
            st.metric(
                "Largest difference", share_in_words(column.distance), help=term("largest difference"), width="stretch"
            )
            pieces.price_if_released(column)
        else:
            pieces.prices(column, spent)
    place = st.container()
    st.caption(_reading_help(column))
    pieces.table(_preview(column), "Ten values of the synthetic column")
    pieces.notes(column)
    _downloads(column)
    alt = "Share of the synthetic values at or below each value; the download holds the values"
    pieces.draw(place, _figure(column), "column", alt)


def _reading_help(column: Column) -> str:
    if isinstance(column, ReleasedColumn):
        return "The column is in increasing order. Everything here may be shown to anyone."
    return (
        f"Grey: the share of {column.wording.many} at or below each value. Dashed: the share of synthetic values. The "
        "largest difference is their longest vertical distance. The column is in increasing order."
    )


def _preview(column: Column) -> dict[str, list[str]]:
    shown = synthetic.preview(column.values, column.wording, PREVIEW_ROWS)
    return {"place": shown["place"], f"value{pieces.in_unit(column.wording)}": shown["value"]}


def _downloads(column: Column) -> None:
    kind = "release" if isinstance(column, ReleasedColumn) else "simulation-not-private"
    title = f"Synthetic column of {column.wording.name}"
    files: dict[str, Callable[[], str]] = {
        "CSV": lambda: exports.as_csv(column),
        "JSON": lambda: exports.as_json(column),
        "Figure": lambda: pieces.page_of_figures(column, title, [_figure(column)]),
        "Python": lambda: scripts.as_script(column),
        "Plan": lambda: exports.as_plan(column),
    }
    downloads.show(files, f"synthetic-column-{kind}", "synthetic-column-plan.json")


def _figure(column: Column) -> Any:
    from ...figures import quantiles

    words = column.wording
    values, shares = synthetic.steps_of(column.values)
    private = (pieces.axis_values(words, values), shares)
    lower, upper = pieces.axis_values(words, [float(column.domain.lower), float(column.domain.upper)])
    true = None
    if isinstance(column, SimulatedColumn):
        true = (pieces.axis_values(words, column.cdf[0].tolist()), column.cdf[1].tolist())
    return quantiles.draw_column(private, true, axis=words.axis, bounds=(lower, upper))
