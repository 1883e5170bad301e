"""What is asked of each column: its possible values in one table to edit, and its levels and mechanism in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dpq_core.advice.choice import BEST, BEST_LABEL
from dpq_core.advice.simulation import BOUNDS_WHILE_UNKNOWN
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Intervals
from dpq_core.privacy.budgets import Adjacency, Privacy
from dpq_core.results.data_set import DataSet
from dpq_core.results.tables.asked import Bounds
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.sources.examples import EXAMPLES

from .. import keys
from ..form.bounds import presets_of
from ..form.groups import LISTS, GroupsAsked
from ..form.places import Place
from ..form.requests import TypedColumn, TypedTable, WrongColumn, request_of, typed_table
from ..frame.header import complain, escape, sentence_of
from ..frame.state import ChosenTable
from ..settings.check import LONGEST_LINE
from ..settings.said import OF_VALUES
from ..settings.table import COUNTED, DIGITS, INTERVALS, text
from .data import OTHERWISE as WITHOUT
from .data import keep_rows, rows_before

VALUES, QUESTIONS = "What values are possible", "What to ask"
USUAL_LEVELS = "5%, 25%, 50%, 75%, 95%"
FIND = WITHOUT["find"]
OTHERWISE = {WITHOUT["1"]: 1, WITHOUT["2"]: 2, WITHOUT["3"]: 3, FIND: 0}
USUAL_OTHERWISE = WITHOUT["2"]
OTHERWISE_HELP = (
    "What a column without bounds has: answers with this number of significant digits, or bounds that the release "
    "finds with a tenth of the column's part of the budget."
)
DATES = ("1900-01-01", "2100-12-31", "1")
"""Bounds and step of a column of dates, unless others are typed."""
LABELS = {BEST: BEST_LABEL} | {key: mechanism.LABEL for key, mechanism in MECHANISMS.items()}
KEYS = {label: key for key, label in LABELS.items()}
EXPLAINED = (
    "Bounds must be public knowledge: taken from the data they leak. Choose a typical range, or type the lowest and "
    "the highest value. If you do not know them, leave them empty: the answers are then numbers of a few significant "
    "digits, or the release finds bounds with a part of the budget."
)
DIVIDED = (
    "The columns divide the budget by their weights. Which columns there are and what they hold is taken as public; "
    "how many values are missing is not shown."
)
WITHOUT_BOUNDS = "Without bounds: {names}. Bounds make answers much better, above all the outermost ones."
GIVEN = ("lower", "upper", "range")
"""What a row says of bounds."""
NEGATIVE = "Can values be negative? Without bounds only."
STAND_IN = (
    "The number of records is public here, so none may be left out: a missing value counts as the lowest value, or as "
    "0 in a column without bounds."
)


def typed_of_whole(
    table: ChosenTable,
    privacy: Privacy | None,
    size: int | None,
    groups: GroupsAsked | None,
    intervals: Intervals | None,
    *,
    counted: bool,
) -> TypedTable | None:
    """Return what was typed of all columns, as far as it was offered; None while a part is missing or wrong."""
    if privacy is None or size is None or (groups is not None and groups.choice is None):
        return None
    typed = typed_table(text, str(size), table.columns[0], LISTS if groups else ())
    offered = {
        "intervals": str(intervals.chance) if intervals else INTERVALS[0],
        "counted": COUNTED[1] if counted else COUNTED[0],
    }
    return replace(typed, said={**typed.said, **offered})


def bounds_of_first(table: ChosenTable | None) -> Bounds | None:
    """Return bounds such as those of the columns, with which the library is asked whether there are intervals."""
    if table is None:
        return None
    edited = st.session_state.get(_editor(table, "values"), {}).get("edited_rows", {})
    before = list(rows_before(table, _editor(table, "values")).values())
    now = [row | edited.get(at, {}) for at, row in enumerate(before)]
    return FindBounds() if FIND in [row.get("otherwise") for row in now] else BOUNDS_WHILE_UNKNOWN


def choose_questions(
    table: ChosenTable, whole: TypedTable | None, adjacency: Adjacency, of_values: Place, of_questions: Place, *,
    headed: bool,
) -> TableRequest | None:  # fmt: skip
    """Draw a row of settings for each column; None, with a message, while something is missing or wrong.

    `whole`: what was typed of all columns; None while a part of that is missing or wrong. `of_values`, `of_questions`:
    where the two tables stand; `headed`: each under a heading.
    """
    before = rows_before(table, _editor(table, "values"))
    usual = [_usual(column) | before.get(column.name, {}) for column in table.columns]
    with of_values:
        if headed:
            st.markdown(f"**{VALUES}**")
        st.caption(EXPLAINED + (f" {STAND_IN}" if adjacency is Adjacency.SUBSTITUTE else ""))
        values = _edit(table, "values", usual, _columns_of_values(table))
        remarks = st.container()
    with of_questions:
        if headed:
            st.markdown(f"**{QUESTIONS}**")
        questions = _edit(table, "questions", usual, COLUMNS_OF_QUESTIONS)
        st.caption(DIVIDED)
        rows = [one | other for one, other in zip(values, questions, strict=True)]
        with remarks:
            _say_without_bounds(rows)
        keep_rows(table, {str(row["column"]): row for row in rows}, _said_of_values(table, rows))
        return _asked(table, rows, whole) if whole else None


def _said_of_values(table: ChosenTable, rows: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Return what rows say of the possible values, as the fields of one column hold it; only where it was typed."""
    found = {}
    for row, column in zip(rows, table.columns, strict=True):
        if not any(_text(row[name]) for name in GIVEN) and row["otherwise"] == USUAL_OTHERWISE:
            continue
        try:
            values = typed_row(row, column.kind).said
        except WrongColumn:
            continue
        if values["bounds"] != "digits" or values["digits"] in DIGITS:
            found[column.name] = {name: values[name] for name in OF_VALUES}
    return found


def _asked(table: ChosenTable, rows: list[dict[str, Any]], whole: TypedTable) -> TableRequest | None:
    kinds = {column.name: column.kind for column in table.columns}
    chosen = [row for row in rows if row["ask"]]
    if not chosen:
        complain("Choose a column at least.")
        return None
    try:
        return request_of({row["column"]: typed_row(row, kinds[row["column"]]) for row in chosen}, whole)
    except WrongColumn as wrong:
        complain(f"{wrong.column}: {sentence_of(wrong)}")
    except ParameterError as error:
        complain(sentence_of(error))
    return None


def _say_without_bounds(rows: list[dict[str, Any]]) -> None:
    """Ask for bounds by the names of the columns that lack them."""
    names = [
        str(row["column"])
        for row in rows
        if row["ask"] and row["otherwise"] != FIND and not any(_text(row[name]) for name in GIVEN)
    ]
    if names:
        st.caption(f":material/straighten: {escape(WITHOUT_BOUNDS.format(names=', '.join(names)))}")


def _editor(table: ChosenTable, of: str) -> str:
    return keys.widget("editor", of, table.identity)


def _edit(table: ChosenTable, of: str, usual: list[dict[str, Any]], shown: dict[str, Any]) -> list[dict[str, Any]]:
    import pandas

    edited = st.data_editor(
        pandas.DataFrame(usual, columns=list(shown)), key=_editor(table, of), hide_index=True,
        height=min(38 + 35 * len(usual), 300), disabled=["column"], column_config=shown,
    )  # fmt: skip
    found: list[dict[str, Any]] = edited.to_dict("records")
    return found


NAME = st.column_config.TextColumn("Column", width=105)
COLUMNS_OF_QUESTIONS = {
    "ask": st.column_config.CheckboxColumn("Ask", width=50),
    "column": NAME,
    "quantiles": st.column_config.TextColumn(
        "Quantiles", help="A box plot needs 5, 25, 50, 75 and 95 %.", max_chars=LONGEST_LINE, width=180
    ),
    "mechanism": st.column_config.SelectboxColumn("Mechanism", options=list(KEYS), required=True, width=180),
    "weight": st.column_config.NumberColumn("Weight", min_value=0.0, default=1.0, width=70),
}


def _columns_of_values(table: ChosenTable) -> dict[str, Any]:
    of_bounds: dict[str, Any] = {"max_chars": 40, "width": 85}
    ranges = list(dict.fromkeys(name for column in table.columns for name in presets_of(column.kind)))
    return {
        "column": NAME,
        "range": st.column_config.SelectboxColumn("Typical range", options=ranges, width=110),
        "lower": st.column_config.TextColumn("Lowest", help="Leave it empty if you do not know it.", **of_bounds),
        "upper": st.column_config.TextColumn("Highest", **of_bounds),
        "step": st.column_config.TextColumn("Step", max_chars=40, width=60),
        "otherwise": st.column_config.SelectboxColumn(
            "Without bounds", options=list(OTHERWISE), required=True, width=115, help=OTHERWISE_HELP
        ),
        "negative": st.column_config.CheckboxColumn("Negative?", help=NEGATIVE, default=False, width=85),
    }


def _usual(column: DataSet) -> dict[str, Any]:
    lower, upper, step = DATES if column.kind == "date" else _known(column)
    return {
        "ask": True,
        "column": column.name,
        "quantiles": USUAL_LEVELS,
        "range": None,
        "negative": False,
        "otherwise": USUAL_OTHERWISE,
        "lower": lower,
        "upper": upper,
        "step": step,
        "mechanism": BEST_LABEL,
        "weight": 1.0,
    }


def _known(column: DataSet) -> tuple[str, str, str]:
    """Return the public bounds of an example; of a file nothing is known."""
    if not column.is_example:
        return "", "", ""
    example = EXAMPLES[column.identity.removeprefix("example:")]
    return str(example.lower), str(example.upper), str(example.step)


def typed_row(row: Mapping[str, Any], kind: str) -> TypedColumn:
    """Return what was typed in a row; a typical range replaces bounds where none are typed. Raises WrongColumn."""
    lower, upper, step = _bounds(row, kind)
    without = "find" if row["otherwise"] == FIND else "digits"
    said = {
        "bounds": "known" if lower or upper else without,
        "lower": lower,
        "upper": upper,
        "step": step,
        "digits": str(OTHERWISE[str(row["otherwise"])]),
        "negative": "yes" if row["negative"] else "no",
        "quantiles": "own",
        "own": _text(row["quantiles"]),
        "mechanism": KEYS[str(row["mechanism"])],
    }
    return TypedColumn(kind=kind, said=said, weight="" if row["weight"] is None else str(row["weight"]))


def _bounds(row: Mapping[str, Any], kind: str) -> tuple[str, str, str]:
    """Return lowest, highest and step as they were typed, or else those of the typical range. Raises WrongColumn."""
    typed = tuple(_text(row[name]) for name in ("lower", "upper", "step"))
    chosen = _text(row["range"])
    if not chosen or any(typed[:2]):
        return typed[0], typed[1], typed[2]
    presets = presets_of(kind)
    if chosen not in presets:
        wrong = ParameterError("range", f"must be one for a column of this kind, got {chosen}.")
        raise WrongColumn(str(row["column"]), wrong)
    lower, upper, step, _ = presets[chosen]
    return lower, upper, typed[2] or step


def _text(cell: Any) -> str:
    """Return the text of a cell of the editor; pandas has None or NaN for an emptied one."""
    return cell.strip() if isinstance(cell, str) else ""
