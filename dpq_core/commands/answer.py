"""What a release from the command line gives: everything that may be published of it, printed or written into a file.

Without a file it is printed, as JSON or with --csv as a table.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Name, ParameterError
from ..frames.dates import dates_in_words
from ..frames.files import table_as_csv
from ..groups.table import NO_GROUP
from ..plan import Plan
from ..release import Cells, Release
from ..sources.column import Column

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


def give_table(
    answers: Release[Any],
    plan: Plan,
    read: Mapping[str, Column],
    chosen: argparse.Namespace,
    **charged: str,
) -> None:
    """Give the release of a table by a plan for the whole, and what was charged for it; each row of a table says both.

    If it is given as a table, its warnings are printed. Raises OSError.
    """
    whom = "person with all rows" if answers.guarantee.protects == "person" else "person"
    label = f"Release: {plan.privacy}, {plan.adjacency.of(whom)}. Noise from the operating system. May be shown to "
    added = {"label": f"{label}anyone.", **charged}
    frame = answers.to_frame()
    if frame.empty and plan.quantiles:
        print(NO_GROUP, file=sys.stderr)
    days = [name for name, column in read.items() if column.unit == "date"]
    table = dates_in_words(frame, days, NUMBERS)
    ending = ".csv" if chosen.csv else ".json" if chosen.out is None else Path(chosen.out).suffix.lower()
    if ending == ".json":
        content = {
            "label": added["label"],
            "kind": "release",
            "answers": _rows(table),
            "guarantee": answers.guarantee.as_dict(),
            "plan": plan.as_dict(),
            "columns": {name: _facts_of(each, read[name]) for name, each in answers.items()},
            "warnings": list(answers.warnings),
            "version": answers.version,
            **charged,
        }
        _write(json.dumps(content, indent=2, ensure_ascii=False) + "\n", chosen.out)
        return
    for warning in answers.warnings:
        print(f"Warning: {warning}", file=sys.stderr)
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


def _facts_of(released: Cells, column: Column) -> dict[str, Any]:
    """Return what may be published of one column among several, in plain values."""
    found: dict[str, Any] = {"unit": column.unit} if column.unit else {}
    found |= {"plan": released.plan.as_dict(), "domain": released.domain.as_dict(), "notes": list(released.notes)}
    if released.find_bounds is not None:
        found["find_bounds"] = released.find_bounds.as_dict()
    if released.basis is not None:
        found["intervals"] = released.basis.as_dict()
    return found
