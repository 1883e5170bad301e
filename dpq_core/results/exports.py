"""Outcomes as files: CSV, JSON, a plan. Each says what kind of answer it is, of what, by what, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, TypeAlias

from ..columns import ColumnsRelease
from ..domain import at_bound
from ..frames import level_text, table_as_csv
from ..mechanisms import MECHANISMS
from .groups.kinds import GroupedReleased, GroupsOutcome
from .kinds import OutcomeFacts, Released, ReleaseFacts, Simulation
from .synthetic import Column, ReleasedColumn, SimulatedColumn
from .tables.kinds import ColumnsOutcome
from .trace import InsideRun

Quantiles: TypeAlias = Simulation | Released
Outcome: TypeAlias = Quantiles | Column
Repeatable: TypeAlias = Simulation | SimulatedColumn | InsideRun
"""A simulation: its seed makes it again."""
Labelled: TypeAlias = ReleaseFacts | Repeatable | GroupsOutcome
"""Whatever was drawn: of released answers only what may be shown."""

NOT_PRIVATE = "Simulation, not private: made beside the true values, for public or synthetic data only."
"""The label of every file with the truth in it."""


def privacy_label(outcome: Labelled) -> str:
    """Return one sentence about what may be done with the answers."""
    if isinstance(outcome, ReleaseFacts | GroupedReleased):
        return f"Release: {price(outcome)}, {adjacency_in_words(outcome)}."
    return NOT_PRIVATE


def adjacency_in_words(outcome: Labelled) -> str:
    """Return the adjacency in the words for one row: `one person joins or leaves`."""
    return outcome.plan.adjacency.of(outcome.wording.protected)


def price(outcome: Labelled | ColumnsRelease[Any] | ColumnsOutcome) -> str:
    """Return the spent budget in the terms of the plan: `ε = 1`, `ε = 1, δ = 0.000001`, `ρ = 0.5`."""
    return outcome.guarantee.in_terms_of(outcome.plan.privacy)


def mechanism_in_words(outcome: Labelled) -> str:
    """Return the mechanism's name in words."""
    return MECHANISMS[outcome.plan.mechanism].LABEL


def data_in_words(outcome: Labelled) -> str:
    """Return the name of the column, and its source where that is known."""
    return f"{outcome.about} · {outcome.source}" if outcome.source else outcome.about


def origin(outcome: Labelled) -> dict[str, Any]:
    """Return what every file says of where its answers come from; of a release its id, of a simulation its seed."""
    facts = {"mechanism": mechanism_in_words(outcome), "column_name": outcome.wording.name}
    if isinstance(outcome, ReleaseFacts | GroupedReleased):
        return facts | {"data_set": outcome.account, "date": outcome.made, "release_id": outcome.release_id}
    seed = f"{outcome.seed}, run {outcome.run + 1}" if isinstance(outcome, InsideRun) and outcome.run else outcome.seed
    return facts | {"data_set": outcome.about, "date": outcome.made, "seed": seed}


def origin_in_words(outcome: Labelled) -> str:
    """Return the same as a line for people: `Splitting in halves (AQ) · age · patients · 2026-01-31T… · release …`."""
    *facts, last = origin(outcome).items()
    name = "release id" if last[0] == "release_id" else last[0]
    return " · ".join([*(str(value) for _, value in facts), f"{name} {last[1]}"])


def rows(outcome: Quantiles) -> list[dict[str, Any]]:
    """Return the table as plain numbers, a row for each quantile; a release has no columns about the truth."""
    end = {"unit": outcome.wording.unit, **origin(outcome), "label": privacy_label(outcome)}
    found = []
    for at, (level, value) in enumerate(zip(outcome.plan.quantiles, outcome.values, strict=True)):
        row: dict[str, Any] = {
            "level": float(level),
            "quantile": level_text(level),
            "private": plain_value(outcome, value),
        }
        if outcome.intervals:
            low, high = outcome.intervals[at]
            row |= {"low": plain_value(outcome, low), "high": plain_value(outcome, high)}
        if isinstance(outcome, Simulation):
            row |= {
                "true": plain_value(outcome, outcome.true_values[at]),
                "rank_error": int(outcome.errors[at]),
                "share_of_n": abs(outcome.errors[at]) / max(outcome.n, 1),
                "noise_low": int(outcome.lows[at]),
                "noise_high": int(outcome.highs[at]),
            }
        found.append(row | {"at_bound": at_bound(value, outcome.domain)} | end)
    return found


def column_rows(outcome: Column) -> list[dict[str, Any]]:
    """Return a synthetic column, a row for each value, in increasing order."""
    end = {"unit": outcome.wording.unit, **origin(outcome), "label": privacy_label(outcome)}
    return [{"private": plain_value(outcome, value), **end} for value in outcome.values]


def as_csv(outcome: Outcome) -> str:
    """Return the table as CSV; the privacy label is its last column, so that any program reads the file."""
    table = column_rows(outcome) if isinstance(outcome, Column) else rows(outcome)
    names = ["level", "quantile", "private", "at_bound", "unit", *origin(outcome), "label"]
    return table_as_csv(list(table[0]) if table else names, (row.values() for row in table))


def as_json(outcome: Outcome) -> str:
    """Return everything about the outcome as JSON."""
    about: dict[str, Any] = {
        "label": privacy_label(outcome),
        "kind": "release" if isinstance(outcome, ReleaseFacts) else "simulation",
        "data": data_in_words(outcome),
        **origin(outcome),
        **found_as_dict(outcome),
        "domain": outcome.domain.as_dict(),
        "plan": outcome.plan.as_dict(),
        **person_as_dict(outcome),
        "guarantee": outcome.guarantee.as_dict(),
        "notes": list(outcome.notes),
        "warnings": list(outcome.warnings),
        "version": outcome.version,
    }
    if isinstance(outcome, Column):
        about |= {"size": len(outcome.values), "column": [plain_value(outcome, value) for value in outcome.values]}
        if not isinstance(outcome, ReleasedColumn):
            about |= {"largest_difference": outcome.distance}
    else:
        about |= {"quantiles": _levels(outcome)}
        if outcome.basis is not None:
            about |= {"intervals": outcome.basis.as_dict(outcome.wording.many)}
        if isinstance(outcome, Simulation):
            about |= {"n": outcome.n, "repeats": [list(row) for row in outcome.repeats]}
    return json_text(about)


def _levels(outcome: Quantiles) -> list[Mapping[str, Any]]:
    """Return the rows of the table without the entries that are the same in all of them."""
    same = {"label", *origin(outcome)}
    return [{name: value for name, value in row.items() if name not in same} for row in rows(outcome)]


def as_plan(outcome: Outcome) -> str:
    """Return the settings as a plan file, without any answer."""
    content: dict[str, Any] = {
        "label": "Settings only: holds no data and no answer.",
        "data": data_in_words(outcome),
        **origin(outcome),
        **(found_as_dict(outcome) or {"domain": outcome.domain.as_dict()}),
        "plan": outcome.plan.as_dict(),
        **person_as_dict(outcome),
    }
    if isinstance(outcome, Column):
        content["size"] = len(outcome.values)
    return json_text(content)


def found_as_dict(outcome: OutcomeFacts) -> dict[str, Any]:
    """Return how the bounds were found; empty where they were chosen."""
    return {} if outcome.find_bounds is None else {"find_bounds": outcome.find_bounds.as_dict()}


def person_as_dict(outcome: OutcomeFacts) -> dict[str, Any]:
    """Return who has several rows and what is taken of them, as files say it: never an id."""
    return {} if outcome.person is None else {"person": outcome.person.as_dict()}


def json_text(content: Mapping[str, Any]) -> str:
    """Return entries as the text of a file."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def plain_value(outcome: OutcomeFacts, value: float) -> float | str | None:
    """Return a value for a file: None where it is not finite, dates as texts."""
    if not isfinite(value):
        return None
    return outcome.wording.number(value) if outcome.wording.kind == "date" else value
