"""What a release from the command line gives: everything that may be published of it, printed or written into a file.

Without a file it is printed, as JSON or with --csv as a table.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..columns.release import ColumnsRelease
from ..errors import Name, ParameterError
from ..frames.dates import dates_in_words, iso_date
from ..frames.offered import table_as_csv
from ..groups.draws import GroupedRelease
from ..groups.table import NO_GROUP
from ..plan import Plan
from ..privacy.budgets import Adjacency, Privacy
from ..release import QuantileRelease
from ..sources.column import Column
from . import groups

if TYPE_CHECKING:
    import pandas as pd

ENDINGS = (".json", ".csv", ".parquet")
NUMBERS = ("value", "low", "high")


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("answers")
    out = "write the answers to this file, as JSON, CSV or Parquet by its ending; by default they are printed as JSON"
    options.add_argument("--out", metavar="FILE", help=out)
    options.add_argument("--csv", action="store_true", help="print a table instead of JSON")


def refuse_unwritable(chosen: argparse.Namespace) -> None:
    """Raise ParameterError for a file that answers cannot be written into: answers that are lost have been paid."""
    if chosen.out is None:
        return
    if chosen.csv:
        raise ParameterError("--csv", ("must be left out with ", Name("--out"), ", whose ending says what is written."))
    out = Path(chosen.out)
    if out.suffix.lower() not in ENDINGS:
        raise ParameterError("--out", f"must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, got {chosen.out!r}.")
    if not os.access(out if out.exists() else out.parent, os.W_OK) or out.is_dir():
        raise ParameterError("--out", f"must be a file that can be written, got {chosen.out!r}.")


def refuse_mixed(chosen: argparse.Namespace, read: Mapping[str, Column]) -> None:
    """Raise ParameterError for a Parquet file of dates beside numbers: all values are in one column of one type."""
    of_dates = {column.unit == "date" for column in read.values()}
    if len(of_dates) > 1 and str(chosen.out).lower().endswith(".parquet"):
        raise ParameterError("--out", "must end in .json or .csv if the answers have both dates and numbers.")


def give_release(
    released: QuantileRelease | GroupedRelease, column: Column, chosen: argparse.Namespace, **charged: str
) -> None:
    """Give the release of a column, and what was charged for it.

    Raises OSError.
    """
    plain: Callable[[float], float | str] = iso_date if column.unit == "date" else float
    label = {"label": _label_of(released.plan.privacy, released.plan.adjacency, released.guarantee.protects)}
    in_unit = {"unit": column.unit} if column.unit else {}
    if isinstance(released, GroupedRelease) and not released.values:
        print(NO_GROUP, file=sys.stderr)
    if isinstance(released, GroupedRelease) and chosen.csv:
        _write(groups.as_csv(released, plain, in_unit | label | charged), None)
        return
    if isinstance(released, GroupedRelease):
        answers = groups.answers_of(released, plain)
    else:
        answers = _answers_of(released, plain)
    content = label | {"kind": "release"} | in_unit | answers | _public_facts(released) | charged
    frame = released.to_frame().assign(column=column.name)
    _give(content, frame, {column.name: column}, chosen, released.warnings, in_unit | label | charged)


def give_table(
    answers: ColumnsRelease[Any],
    plan: Plan,
    read: Mapping[str, Column],
    chosen: argparse.Namespace,
    **charged: str,
) -> None:
    """Give the release of a table by a plan for the whole, and what was charged for it. Raises OSError."""
    label = {"label": _label_of(plan.privacy, plan.adjacency, answers.guarantee.protects)}
    frame = answers.to_frame()
    if frame.empty and plan.quantiles:
        print(NO_GROUP, file=sys.stderr)
    facts = {
        "kind": "release",
        "answers": _rows(dates_in_words(frame, _of_dates(read), NUMBERS)),
        "guarantee": answers.guarantee.as_dict(),
        "plan": plan.as_dict(),
        "columns": {name: _facts_of(each, read[name]) for name, each in answers.items()},
        "warnings": list(answers.warnings),
        "version": answers.version,
    }
    _give(label | facts | charged, frame, read, chosen, answers.warnings, label | charged)


def _give(
    content: Mapping[str, Any],
    frame: pd.DataFrame,
    read: Mapping[str, Column],
    chosen: argparse.Namespace,
    warnings: Iterable[str],
    added: Mapping[str, str],
) -> None:
    """Write the content as JSON or else the table, with `added` on each of its rows; its warnings are printed then."""
    ending = ".csv" if chosen.csv else ".json" if chosen.out is None else Path(chosen.out).suffix.lower()
    if ending == ".json":
        _write(json.dumps(content, indent=2, ensure_ascii=False) + "\n", chosen.out)
        return
    for warning in warnings:
        print(f"Warning: {warning}", file=sys.stderr)
    days = _of_dates(read)
    table = dates_in_words(frame, days, NUMBERS)
    for name, value in added.items():
        table[name if name not in table else f"{name} (2)"] = value
    if ending == ".parquet":
        texts = {number: _texts(table[number]) for number in NUMBERS if days}
        table.assign(**texts).to_parquet(chosen.out, index=False)
        print(f"Wrote the answers to {chosen.out}.", file=sys.stderr)
        return
    known = table.astype(object).where(table.notna(), "")
    _write(table_as_csv(known.columns, known.itertuples(index=False, name=None)), chosen.out)


def _write(text: str, out: str | None) -> None:
    if out is None:
        print(text, end="")
        sys.stdout.flush()
    else:
        Path(out).write_text(text, encoding="utf-8", newline="")
        print(f"Wrote the answers to {out}.", file=sys.stderr)


def _of_dates(read: Mapping[str, Column]) -> list[str]:
    return [name for name, column in read.items() if column.unit == "date"]


def _texts(column: pd.Series) -> list[str | None]:
    """Return dates for Parquet, where all cells of a column have one type: an open end as a text, None without ends."""
    return [None if each != each else str(each) for each in column]


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the table row by row: without ends where there are no intervals, and None for an end that is open."""
    rows = []
    for row in frame.to_dict("records"):
        ends = {end: row.pop(end) for end in NUMBERS[1:]}
        if not any(end != end for end in ends.values()):
            row |= {end: None if isinstance(at, float) and not isfinite(at) else at for end, at in ends.items()}
        rows.append({str(name): value for name, value in row.items()})
    return rows


def _label_of(privacy: Privacy, adjacency: Adjacency, protects: str) -> str:
    whom = "person with all rows" if protects == "person" else "person"
    return f"Release: {privacy}, {adjacency.of(whom)}. Noise from the operating system. May be shown to anyone."


def _answers_of(released: QuantileRelease, plain: Callable[[float], float | str]) -> dict[str, Any]:
    """Return the quantiles with their intervals; dates as dates."""
    levels = map(str, released.plan.quantiles)
    quantiles: list[dict[str, Any]] = [
        {"level": q, "value": plain(x)} for q, x in zip(levels, released.values, strict=True)
    ]
    for quantile, (low, high) in zip(quantiles, released.intervals, strict=False):
        quantile |= {"low": plain(low), "high": plain(high)}
    basis = {} if released.basis is None else {"intervals": released.basis.as_dict()}
    found = {} if released.find_bounds is None else {"find_bounds": released.find_bounds.as_dict()}
    return {"quantiles": quantiles, **basis, **found}


def _public_facts(released: QuantileRelease | GroupedRelease) -> dict[str, Any]:
    """Return everything else that may be published of a release, in plain values; the domain of dates in days."""
    return {
        "guarantee": released.guarantee.as_dict(),
        "plan": released.plan.as_dict(),
        "domain": released.domain.as_dict(),
        "warnings": list(released.warnings),
        "notes": list(released.notes),
        "version": released.version,
    }


def _facts_of(released: QuantileRelease | GroupedRelease, column: Column) -> dict[str, Any]:
    """Return what may be published of one column among several, in plain values."""
    found: dict[str, Any] = {"unit": column.unit} if column.unit else {}
    found |= {"plan": released.plan.as_dict(), "domain": released.domain.as_dict(), "notes": list(released.notes)}
    if released.find_bounds is not None:
        found["find_bounds"] = released.find_bounds.as_dict()
    if released.basis is not None:
        found["intervals"] = released.basis.as_dict()
    return found
