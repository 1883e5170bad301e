"""Outcomes as files: CSV, JSON, a plan. Each says what kind of answer it is, of what, by what, and when.

A workbook for Excel has the rows of the CSV, with numbers as numbers and all else as text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import starmap
from math import isfinite
from typing import Any, TypeAlias

from ..columns.release import ColumnsRelease
from ..domain.at_bounds import at_bound
from ..frames.cells import level_text
from ..frames.offered import table_as_csv
from ..mechanisms.registry import MECHANISMS
from .answers import Answers
from .kinds import Explored, GroupsFacts, GroupsOutcome, Outcome, OutcomeFacts, Paid, Quantiles, Simulation
from .synthetic import Column, SimulatedColumn
from .tables.kinds import ColumnsOutcome
from .trace import InsideRun
from .wording import Wording

Levelled: TypeAlias = Quantiles | GroupsOutcome
"""What has an answer for each quantile, in one piece or of each group."""
OfColumn: TypeAlias = Levelled | Column
Labelled: TypeAlias = OfColumn | InsideRun

NOT_PRIVATE = "Simulation, not private: made beside the true values, for public or synthetic data only."
"""The label of every file with the truth in it."""
SETTINGS_ONLY = "Settings only: holds no data and no answer."
ENDS = ("low", "high")
"""What the ends of intervals are called."""


def privacy_label(outcome: OutcomeFacts | ColumnsOutcome) -> str:
    """Return one sentence about what may be done with the answers."""
    return f"Release: {price(outcome)}, {adjacency_in_words(outcome)}." if isinstance(outcome, Paid) else NOT_PRIVATE


def adjacency_in_words(outcome: OutcomeFacts | ColumnsOutcome) -> str:
    """Return the adjacency in the words for one row: `one person joins or leaves`."""
    return outcome.plan.adjacency.of(outcome.protected)


def price(outcome: Outcome | ColumnsRelease[Any]) -> str:
    """Return the spent budget in the terms of the plan: `ε = 1`, `ε = 1, δ = 0.000001`, `ρ = 0.5`."""
    return outcome.guarantee.in_terms_of(outcome.plan.privacy)


def kind_in_words(outcome: Outcome) -> str:
    """Return whether answers were released or simulated, and from which seed."""
    return f"Simulation with seed {outcome.seed}, not a release" if isinstance(outcome, Explored) else "Release"


def kind_of_file(outcome: Outcome) -> str:
    """Return the part of a file's name that says what may be shown."""
    return "release" if isinstance(outcome, Paid) else "simulation-not-private"


def data_set_of(outcome: OutcomeFacts | ColumnsOutcome) -> str:
    """Return which data an outcome is of, for the names of its files: of a release as the ledger calls them."""
    if isinstance(outcome, Paid):
        return outcome.account
    return outcome.about if isinstance(outcome, ColumnsOutcome) else outcome.wording.name


def mechanism_in_words(outcome: OutcomeFacts) -> str:
    """Return the mechanism's name in words."""
    return MECHANISMS[outcome.plan.mechanism].LABEL


def data_in_words(outcome: OutcomeFacts) -> str:
    """Return the name of the column, and its source where that is known."""
    return f"{outcome.about} · {outcome.source}" if outcome.source else outcome.about


def origin(outcome: Labelled) -> dict[str, Any]:
    """Return what every file says about the origin of its answers: the id of a release, or the seed of a simulation."""
    facts: dict[str, Any] = {"mechanism": mechanism_in_words(outcome), "column_name": outcome.wording.name}
    if isinstance(outcome, Paid):
        return facts | {"data_set": outcome.account, "date": outcome.made, "release_id": outcome.release_id}
    seed = f"{outcome.seed}, run {outcome.run + 1}" if isinstance(outcome, InsideRun) and outcome.run else outcome.seed
    return facts | {"data_set": outcome.about, "date": outcome.made, "seed": seed}


def origin_in_words(outcome: Labelled) -> str:
    """Return the same as a line for people: `Splitting in halves (AQ) · age · patients · 2026-01-31T… · release …`."""
    *facts, last = origin(outcome).items()
    name = "release id" if last[0] == "release_id" else last[0]
    return " · ".join([*(str(value) for _, value in facts), f"{name} {last[1]}"])


def as_csv(outcome: OfColumn) -> str:
    """Return a row for each quantile, of groups of each group, and of a synthetic column a row for each value.

    The privacy label is the last column, so that any program reads the file. A release has none about the truth.
    """
    if isinstance(outcome, Column):
        return _table(outcome, ["private"], ([plain_value(outcome.wording, value)] for value in outcome.values))
    heads = _heads(outcome)
    return _table(outcome, heads, (map(_row(outcome, *each).get, heads) for each in _places(outcome)))


def as_wide_csv(outcome: GroupsOutcome) -> str:
    """Return a row for each group with a column for each quantile; the label is the last field."""
    levels, known = [level_text(level) for level in outcome.plan.quantiles], _heads(outcome)
    kinds = [name for name in ("private", *ENDS, "true") if name in known]
    shown = [level if kind == "private" else f"{kind} {level}" for kind in kinds for level in levels]
    table = (
        [
            answer.group,
            *(_numbers(outcome, answer, at)[kind] for kind in kinds for at in range(len(levels))),
            _too_small(outcome, answer),
        ]
        for answer in outcome.answers
    )
    return _table(outcome, ["group", *shown, "too_small"], table)


def _table(outcome: OfColumn, heads: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV; at their end the unit, where they come from, and the privacy label."""
    end = {"unit": outcome.wording.unit, **origin(outcome), "label": privacy_label(outcome)}
    return table_as_csv([*heads, *end], ([*row, *end.values()] for row in rows))


def _places(outcome: Levelled) -> Iterator[tuple[Answers, int]]:
    """Return every answer, with the place of each of its quantiles."""
    return ((answer, at) for answer in outcome.answers for at in range(len(outcome.plan.quantiles)))


def _heads(outcome: Levelled) -> list[str]:
    grouped, share = isinstance(outcome, GroupsFacts), ["share_of_n"] if isinstance(outcome, Simulation) else []
    ends = ENDS if outcome.plan.intervals is not None else ()
    truth = ("true", "rank_error", *share, "noise_low", "noise_high") if isinstance(outcome, Explored) else ()
    first = ("group",) if grouped else ()
    return [*first, "level", "quantile", "private", *ends, *truth, "too_small" if grouped else "at_bound"]


def _row(outcome: Levelled, answer: Answers, at: int) -> dict[str, Any]:
    level = outcome.plan.quantiles[at]
    row = {"group": answer.group, "level": float(level), "quantile": level_text(level), **_numbers(outcome, answer, at)}
    if isinstance(outcome, GroupsFacts):
        return row | {"too_small": _too_small(outcome, answer)}
    return row | {"at_bound": at_bound(answer.values[at], answer.domain)}


def _too_small(outcome: GroupsOutcome, answer: Answers) -> str:
    """Return whether a group is too small for its budget, so that its answers are noise; empty if not known."""
    if outcome.too_small is None:
        return ""
    return "yes" if answer.group in outcome.too_small else "no"


def _numbers(outcome: Levelled, answer: Answers, at: int) -> dict[str, Any]:
    """Return what is known of one answer as plain numbers; of a release itself alone, with its interval if asked."""
    words = answer.wording
    found: dict[str, Any] = {"private": plain_value(words, answer.values[at]), **ends_as_dict(answer, at)}
    if not isinstance(outcome, Explored):
        return found
    found |= {"true": plain_value(words, answer.true_values[at]), "rank_error": int(answer.errors[at])}
    if isinstance(outcome, Simulation):
        found |= {"share_of_n": abs(answer.errors[at]) / max(outcome.n, 1)}
        return found | {"noise_low": int(outcome.lows[at]), "noise_high": int(outcome.highs[at])}
    low, high = (plain_value(words, ends[at]) if ends else None for ends in (answer.lows, answer.highs))
    return found | {"noise_low": low, "noise_high": high}


def ends_as_dict(answer: Answers, at: int) -> dict[str, float | str | None]:
    """Return the ends of the interval of an answer; nothing where there is none."""
    pair = answer.intervals[at] if answer.intervals else ()
    return {name: plain_value(answer.wording, end) for name, end in zip(ENDS, pair, strict=False)}


def as_json(outcome: OfColumn) -> str:
    """Return everything about the outcome as JSON."""
    return json_text(
        {
            "label": privacy_label(outcome),
            "kind": "release" if isinstance(outcome, Paid) else "simulation",
            **_asked(outcome, {**found_as_dict(outcome), "domain": outcome.domain.as_dict()}),
            "guarantee": outcome.guarantee.as_dict(),
            "notes": list(outcome.notes),
            "warnings": list(outcome.warnings),
            "version": outcome.version,
            **_answered(outcome),
        }
    )


def _answered(outcome: OfColumn) -> dict[str, Any]:
    """Return the answers, with what is known of them alone."""
    if isinstance(outcome, Column):
        values = [plain_value(outcome.wording, value) for value in outcome.values]
        more = {"largest_difference": outcome.distance} if isinstance(outcome, SimulatedColumn) else {}
        return {"size": len(values), "column": values, **more}
    found: dict[str, Any] = {} if outcome.basis is None else {"intervals": outcome.basis.as_dict(outcome.wording.many)}
    if isinstance(outcome, GroupsFacts):
        return found | {
            "sizes": {answer.group: outcome.sizes.of(answer.group) for answer in outcome.answers},
            "too_small": None if outcome.too_small is None else list(outcome.too_small),
            "protects": adjacency_in_words(outcome),
            "answers": [_group(outcome, answer) for answer in outcome.answers],
        }
    rows = ({name: row[name] for name in _heads(outcome)} for row in starmap(partial(_row, outcome), _places(outcome)))
    found |= {"quantiles": [row | {"unit": outcome.wording.unit} for row in rows]}
    if isinstance(outcome, Simulation):
        found |= {"n": outcome.n, "repeats": [list(row) for row in outcome.repeats]}
    return found


def _group(outcome: GroupsOutcome, answer: Answers) -> dict[str, Any]:
    levels = enumerate(outcome.plan.quantiles)
    found: dict[str, Any] = {
        "group": answer.group,
        "quantiles": [{"level": str(level), **_numbers(outcome, answer, at)} for at, level in levels],
    }
    return found if answer.size is None else found | {"records": answer.size}


def as_plan(outcome: OfColumn) -> str:
    """Return the settings as a plan file, without any answer."""
    bounds = found_as_dict(outcome) or {"domain": outcome.domain.as_dict()}
    size = {"size": len(outcome.values)} if isinstance(outcome, Column) else {}
    return json_text({"label": SETTINGS_ONLY, **_asked(outcome, bounds), **size})


def _asked(outcome: OfColumn, bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked, of what and of whom: never an id."""
    return {
        "data": data_in_words(outcome),
        **origin(outcome),
        **bounds,
        "plan": outcome.plan.as_dict(),
        **({} if outcome.person is None else {"person": outcome.person.as_dict()}),
        **({"groups": outcome.groups.as_dict()} if isinstance(outcome, GroupsFacts) else {}),
    }


def found_as_dict(outcome: OutcomeFacts | Answers) -> dict[str, Any]:
    """Return how the bounds were found; empty where they were chosen."""
    return {} if outcome.find_bounds is None else {"find_bounds": outcome.find_bounds.as_dict()}


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
