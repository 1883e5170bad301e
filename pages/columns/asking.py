"""What is asked of each column: its possible values, levels, mechanism and weight, in one table to edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import streamlit as st

from dpq_core.advice import BEST, BEST_LABEL, USUAL_BOUNDS
from dpq_core.domain import Domain, FindBounds
from dpq_core.errors import ParameterError
from dpq_core.mechanisms import MECHANISMS
from dpq_core.plan import NOISY, Intervals, Plan, parse_levels
from dpq_core.privacy import Adjacency, Privacy
from dpq_core.results import Bounds, DataSet, PersonChoice, TableRequest
from dpq_core.results.groups.sizes import GroupSizes

from ..form import ChosenTable, GroupsAsked, domain_between, presets_of
from ..frame import complain, escape, sentence_of
from ..settings import LONGEST_LINE, key

USUAL_LEVELS = "5%, 25%, 50%, 75%, 95%"
FIND = "find them"
OTHERWISE = {"1 digit": 1, "2 digits": 2, "3 digits": 3, FIND: 0}
USUAL_OTHERWISE = "2 digits"
OTHERWISE_HELP = (
    "What a column without bounds has: answers that are numbers of so many significant digits, or bounds that the "
    "release finds with a tenth of the column's part of the budget."
)
DATES = ("1900-01-01", "2100-12-31", "1")
"""Bounds and step of a column of dates, unless others are said."""
LABELS = {BEST: BEST_LABEL} | {key: mechanism.LABEL for key, mechanism in MECHANISMS.items()}
KEYS = {label: key for key, label in LABELS.items()}
EXPLAINED = (
    "Bounds must be public knowledge: taken from the data they leak. Choose a typical range, or type the lowest and "
    "the highest value. Where nothing of a column is known leave them empty: its answers are then numbers of a few "
    "significant digits, or its bounds are found with a part of its budget. The budget is divided by the weights. "
    "Which columns there are and what they hold is taken as public; how many values are missing is not shown."
)
WITHOUT_BOUNDS = "Without bounds: {names}. Bounds make answers much better, above all the outermost ones."
GIVEN = ("lower", "upper", "range")
"""What a row says of bounds."""
NEGATIVE = "Can values be negative? Without bounds only."
STAND_IN = (
    "The number of records is public here, so none may be left out: a missing value counts as 0, or as the bound that "
    "is nearest to 0."
)


@dataclass(frozen=True)
class Common:
    """What is asked in the same way of all columns; a part that is missing or wrong is None."""

    privacy: Privacy | None
    adjacency: Adjacency
    size: int | None
    groups: GroupsAsked | None = None
    """None for one answer of each column."""
    intervals: Intervals | None = None
    counted: bool = False
    """Whether the number of records that intervals rest on is counted with noise."""

    @property
    def is_complete(self) -> bool:
        """Return whether nothing is missing."""
        known = self.groups is None or self.groups.choice is not None
        return self.privacy is not None and self.size is not None and known


def bounds_of_first(table: ChosenTable | None) -> Bounds | None:
    """Return bounds such as those of the columns, with which the library is asked whether there are intervals."""
    if table is None:
        return None
    edited = st.session_state.get(_editor(table), {}).get("edited_rows", {})
    found = any(row.get("otherwise") == FIND for row in edited.values())
    return FindBounds() if found else USUAL_BOUNDS


def choose_questions(table: ChosenTable, common: Common) -> TableRequest | None:
    """Draw a row of settings for each column; None, with a message, while something is missing or wrong."""
    adjacency = common.adjacency
    st.caption(EXPLAINED + (f" {STAND_IN}" if adjacency is Adjacency.SUBSTITUTE else ""))
    rows = _edited(table)
    _say_without_bounds(rows)
    if not common.is_complete:
        return None
    by_name = {column.name: column for column in table.columns}
    chosen = [row for row in rows if row["ask"]]
    if not chosen:
        complain("Choose a column at least.")
        return None
    try:
        return _request({row["column"]: row for row in chosen}, by_name, table.person, common)
    except _Wrong as wrong:
        complain(str(wrong))
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


def _editor(table: ChosenTable) -> str:
    return f"{key('questions')}_{table.identity}"


class _Wrong(ValueError):
    """A row that cannot be used, with the name of its column."""


def _edited(table: ChosenTable) -> list[dict[str, Any]]:
    import pandas

    frame = pandas.DataFrame([_usual(column) for column in table.columns])
    edited = st.data_editor(
        frame,
        key=_editor(table),
        hide_index=True,
        height=min(38 + 35 * len(frame), 400),
        disabled=["column"],
        column_config={
            "ask": st.column_config.CheckboxColumn("Ask", width=60),
            "column": st.column_config.TextColumn("Column", width=110),
            "quantiles": st.column_config.TextColumn(
                "Quantiles", help="A box plot needs 5, 25, 50, 75 and 95 %.", max_chars=LONGEST_LINE, width=165
            ),
            "mechanism": st.column_config.SelectboxColumn("Mechanism", options=list(KEYS), required=True, width=130),
            "otherwise": st.column_config.SelectboxColumn(
                "Without bounds", options=list(OTHERWISE), required=True, width=140, help=OTHERWISE_HELP
            ),
            "range": st.column_config.SelectboxColumn("Typical range", options=_ranges(table), width=120),
            "negative": st.column_config.CheckboxColumn("Negative?", help=NEGATIVE, default=False, width=95),
            "lower": st.column_config.TextColumn(
                "Lowest", help="Leave it empty where nobody knows it.", max_chars=40, width=80
            ),
            "upper": st.column_config.TextColumn("Highest", max_chars=40, width=80),
            "step": st.column_config.TextColumn("Step", max_chars=40, width=70),
            "weight": st.column_config.NumberColumn("Weight", min_value=0.0, default=1.0, width=80),
        },
    )
    found: list[dict[str, Any]] = edited.to_dict("records")
    return found


def _ranges(table: ChosenTable) -> list[str]:
    """Return the names of typical ranges for the kinds of these columns, each once."""
    return list(dict.fromkeys(name for column in table.columns for name in presets_of(column.kind)))


def _usual(column: DataSet) -> dict[str, Any]:
    lower, upper, step = DATES if column.kind == "date" else ("", "", "")
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


def _request(
    rows: Mapping[str, dict[str, Any]],
    columns: Mapping[str, DataSet],
    person: PersonChoice | None,
    common: Common,
) -> TableRequest:
    """Return what is asked. Raises _Wrong, with the name of the column."""
    plans: dict[str, Plan] = {}
    bounds: dict[str, Bounds] = {}
    assert common.privacy is not None, "complete"
    assert common.size is not None, "complete"
    about_n = NOISY if common.counted else common.size if common.intervals is not None else None
    weights: dict[str, Fraction] = {}
    for name, row in rows.items():
        try:
            bounds[name] = _bounds_of(row, columns[name].kind)
            levels, mechanism = parse_levels(_text(row["quantiles"])), KEYS[str(row["mechanism"])]
            plans[name] = Plan(
                levels, mechanism, common.privacy, common.adjacency, intervals=common.intervals, about_n=about_n
            )
            weights[name] = _weight(row["weight"])
        except ParameterError as error:
            raise _Wrong(f"{name}: {sentence_of(error)}") from None
        if not plans[name].quantiles:
            raise _Wrong(f"{name}: say a quantile at least.")
    replaced = common.adjacency is Adjacency.SUBSTITUTE
    missing = {name: _stand_in(each) if replaced else None for name, each in bounds.items()}
    groups = common.groups
    return TableRequest(
        plans=plans, bounds=bounds, weights=weights, about_n=common.size, missing=missing, person=person,
        groups=groups.choice if groups else None,
        sizes=GroupSizes(common.size, tuple(groups.guesses.items())) if groups else GroupSizes(),
    )  # fmt: skip


def _stand_in(domain: Bounds) -> Fraction:
    """Return what a missing value counts as where the number of records is public: 0, or the nearest bound to it."""
    if isinstance(domain, FindBounds):  # missing values must not decide how far bounds reach
        return Fraction(0)
    return min(max(Fraction(0), domain.lower), domain.upper)


def _weight(given: Any) -> Fraction:
    weight = float("nan") if given is None else float(given)
    if not 0 < weight < float("inf"):
        raise ParameterError("weights", "must be a number above 0.")
    return Fraction(str(weight))


def _bounds_of(row: Mapping[str, Any], kind: str) -> Bounds:
    lower, upper, step = _bounds(row, kind)
    if not lower and not upper and kind != "date":  # the days since 1970 in two digits are no dates
        if row["otherwise"] == FIND:
            return FindBounds(negative=bool(row["negative"]), step=step or None)
        return Domain.significant(OTHERWISE[str(row["otherwise"])], negative=bool(row["negative"]))
    return domain_between(lower, upper, step, kind)


def _bounds(row: Mapping[str, Any], kind: str) -> tuple[str, str, str]:
    """Return lowest, highest and step as they were typed, or else those of the typical range. Raises ParameterError."""
    typed = tuple(_text(row[name]) for name in ("lower", "upper", "step"))
    chosen = _text(row["range"])
    if not chosen or any(typed[:2]):
        return typed[0], typed[1], typed[2]
    presets = presets_of(kind)
    if chosen not in presets:
        raise ParameterError("range", f"must be one for a column of this kind, got {chosen}.")
    lower, upper, step, _ = presets[chosen]
    return lower, upper, typed[2] or step


def _text(cell: Any) -> str:
    """Return what stands in a cell of the editor; of an emptied one pandas has None or NaN."""
    return cell.strip() if isinstance(cell, str) else ""
