"""Outcomes as files: CSV, JSON, a plan. Each says what kind of answer it is, of what, by what, and when.

A release is written from itself alone; a simulation has the truth beside its answers, and says so in every row.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from math import inf
from typing import Any, TypeAlias

from ..mechanisms.registry import MECHANISMS
from .kinds import NOT_PRIVATE, Answered, Released, Simulated
from .trace import InsideRun

Labelled: TypeAlias = Answered | InsideRun


def privacy_label(outcome: Labelled) -> str:
    """Return one sentence about what may be done with the answers."""
    return (
        f"Release: {price(outcome)}, {adjacency_in_words(outcome)}." if isinstance(outcome, Released) else NOT_PRIVATE
    )


def adjacency_in_words(outcome: Labelled) -> str:
    """Return the adjacency in the words for one row: `one person joins or leaves`."""
    return outcome.plan.adjacency.of(outcome.wording.protected)


def price(outcome: Labelled) -> str:
    """Return the spent budget in the terms of the plan: `ε = 1`, `ε = 1, δ = 0.000001`, `ρ = 0.5`."""
    return outcome.guarantee.in_terms_of(outcome.plan.privacy)


def kind_in_words(outcome: Labelled) -> str:
    """Return whether answers were released or simulated, and from which seed."""
    return (
        f"Simulation with seed {outcome.seed}, not a release"
        if isinstance(outcome, Simulated | InsideRun)
        else "Release"
    )


def kind_of_file(outcome: Labelled) -> str:
    """Return the part of a file's name that says what may be shown."""
    return "release" if isinstance(outcome, Released) else "simulation-not-private"


def data_set_of(outcome: Labelled) -> str:
    """Return the name of the data set: of the account that paid, or of the column or the table."""
    if isinstance(outcome, Released):
        return outcome.release.account
    return outcome.about if isinstance(outcome, Answered) and outcome.question.several else outcome.wording.name


def mechanism_in_words(outcome: Labelled) -> str:
    """Return the names of the mechanisms in words."""
    plans = outcome.chosen.plan.plans.values() if isinstance(outcome, Answered) else [outcome.plan]
    return ", ".join(dict.fromkeys(MECHANISMS[plan.mechanism].LABEL for plan in plans))


def data_in_words(outcome: Labelled) -> str:
    """Return the name of the column, and its source where that is known."""
    return f"{outcome.about} · {outcome.source}" if outcome.source else outcome.about


def origin(outcome: Labelled) -> dict[str, Any]:
    """Return what every file says about the origin of its answers: the id of a release, or the seed of a simulation."""
    facts: dict[str, Any] = {"mechanism": mechanism_in_words(outcome)}
    if isinstance(outcome, Released):
        made = outcome.release
        return facts | {"account": made.account, "date": made.made, "release_id": made.id}
    assert isinstance(outcome, Simulated | InsideRun), "simulated or released"
    run = f", run {outcome.run + 1}" if isinstance(outcome, InsideRun) and outcome.run else ""
    return facts | {"data_set": outcome.about, "date": outcome.made, "seed": f"{outcome.seed}{run}"}


def origin_in_words(outcome: Labelled) -> str:
    """Return the same as a line for people: `Splitting in halves (AQ) · patients · 2026-01-31T… · release id …`."""
    *facts, last = origin(outcome).items()
    name = "release id" if last[0] == "release_id" else last[0]
    return " · ".join([*(str(value) for _, value in facts), f"{name} {last[1]}"])


def as_json(outcome: Answered) -> str:
    """Return everything about the outcome as JSON; a release as it is stored."""
    if isinstance(outcome, Released):
        return json_text(outcome.release.as_dict())
    content = {
        "label": privacy_label(outcome),
        "kind": "simulation",
        "data": data_in_words(outcome),
        **origin(outcome),
        "guarantee": outcome.guarantee.as_dict(),
        "warnings": list(outcome.release.warnings),
        "notes": list(outcome.notes),
        "version": outcome.release.version,
    }
    columns = {name: plan.as_dict() for name, plan in outcome.chosen.plan.plans.items()}
    rows = outcome.release.for_files().drop(columns=[*origin(outcome), "label"]).to_dict("records")
    known = [
        {name: None if cell in {inf, -inf} else cell for name, cell in row.items() if cell == cell and cell != ""}
        for row in rows
    ]
    return json_text(content | {"plans": columns, "answers": known})


def as_plan(outcome: Answered) -> str:
    """Return the question as a file, whole, without any answer: the shell and `Question.from_json` read it."""
    return outcome.question.to_json(indent=2) + "\n"


def json_text(content: Mapping[str, Any]) -> str:
    """Return entries as the text of a file."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?(e[+-]?\d{1,3})?")
"""What a spreadsheet may take for a number: no code with a leading zero, and no id of more digits than it can hold."""
MOST_DIGITS = 15
WIDEST = 60
"""Characters of a column."""


def as_xlsx(table: str, name: str) -> bytes:
    """Return a workbook of one sheet with the rows of a CSV text; `name`: of the sheet. Nothing in it is a formula."""
    from xlsxwriter import Workbook  # for files only

    rows = list(csv.reader(io.StringIO(table)))
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet(re.sub(r"[\[\]:*?/\\\\]", " ", name).strip(" '")[:31].strip(" '") or "table")
        bold = book.add_format({"bold": True})
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if at and _is_number(cell):
                    sheet.write_number(at, column, float(cell))
                else:
                    sheet.write_string(at, column, cell, None if at else bold)
        sheet.freeze_panes(1, 0)
        for column in range(len(rows[0]) if rows else 0):
            longest = max(len(row[column]) for row in rows if len(row) > column)
            sheet.set_column(column, column, min(longest + 2, WIDEST))
    return out.getvalue()


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None and sum(map(str.isdigit, cell)) <= MOST_DIGITS
