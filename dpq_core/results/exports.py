"""Outcomes as files: CSV, JSON, a plan. Each says what kind of answer it is, of what, by what, and when.

A release is written from itself alone; a simulation has the truth beside its answers, and says so in every row.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, TypeAlias

from ..frame import level_text
from ..mechanisms.registry import MECHANISMS
from ..tabular import table_as_csv
from .answers import Answers
from .kinds import Answered, Released, Simulated
from .trace import InsideRun
from .wording import Wording

Labelled: TypeAlias = Answered | InsideRun

NOT_PRIVATE = "Simulation, not private: made beside the true values, for public or synthetic data only."
"""The label of every file with the truth in it."""
ENDS = ("low", "high")
"""What the ends of intervals are called."""


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
    return outcome.about if isinstance(outcome, Answered) and outcome.several else outcome.wording.name


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


def as_csv(outcome: Answered) -> str:
    """Return a row for each quantile of each column and group.

    The privacy label is the last field, so that any program reads the file. A release has none about the truth.
    """
    if isinstance(outcome, Released):
        return outcome.release.to_csv()
    rows = [row_of(answer, at) for answer, at in _places(outcome)]
    heads = list(dict.fromkeys(name for row in rows for name in row))
    return _table(outcome, heads, (map(row.get, heads) for row in rows))


def as_wide_csv(outcome: Answered) -> str:
    """Return a row for each column and group with a column for each quantile; the label is the last field."""
    if isinstance(outcome, Released):
        return outcome.release.to_csv(wide=True)
    levels = list(dict.fromkeys(level_text(level) for answer in outcome.answers for level in answer.plan.quantiles))
    rows = []
    for answer in outcome.answers:
        own = dict(zip(map(level_text, answer.plan.quantiles), answer.values, strict=True))
        shown = [plain_value(answer.wording, own[level]) if level in own else None for level in levels]
        rows.append([answer.wording.name, answer.group, *shown, answer.wording.unit])
    return _table(outcome, ["column", "group", *levels, "unit"], rows)


def _table(outcome: Answered, heads: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV; at their end where they come from, and the privacy label."""
    end = {**origin(outcome), "label": privacy_label(outcome)}
    return table_as_csv([*heads, *end], ([*row, *end.values()] for row in rows))


def _places(outcome: Answered) -> Iterator[tuple[Answers, int]]:
    """Return every answer, with the place of each of its quantiles."""
    return ((answer, at) for answer in outcome.answers for at in range(len(answer.values)))


def row_of(answer: Answers, at: int) -> dict[str, Any]:
    """Return what is known of one simulated answer, as plain values, in the order of a release's columns."""
    words, level = answer.wording, answer.plan.quantiles[at]
    found: dict[str, Any] = {"column": words.name, **({"group": answer.group} if answer.group else {})}
    found |= {"level": float(level), "quantile": level_text(level), "value": plain_value(words, answer.values[at])}
    ends = answer.intervals[at] if answer.intervals else ()
    found |= {name: plain_value(words, end) for name, end in zip(ENDS, ends, strict=False)}
    found |= {"unit": words.unit, "true": plain_value(words, answer.true_values[at])}
    found |= {"rank_error": int(answer.errors[at])}
    if answer.lows:
        noise = {"noise_low": answer.lows[at], "noise_high": answer.highs[at]}
        found |= {name: plain_value(words, end) for name, end in noise.items()}
    return found | ({"remark": answer.remarks[at]} if answer.remarks[at] else {})


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
    return json_text(content | {"plans": columns, "answers": [row_of(*place) for place in _places(outcome)]})


def as_plan(outcome: Answered) -> str:
    """Return the question as a file, whole, without any answer: the shell and `Question.from_json` read it."""
    return outcome.question.to_json(indent=2) + "\n"


def json_text(content: Mapping[str, Any]) -> str:
    """Return entries as the text of a file."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def plain_value(words: Wording, value: float) -> float | str | None:
    """Return a value for a file: None where it is not finite, dates as texts."""
    if not isfinite(value):
        return None
    return words.number(value) if words.kind == "date" else value


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
