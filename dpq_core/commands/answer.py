"""How a release is given: printed or written into a file, as JSON or as a table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import Name, ParameterError
from ..groups.finding import NO_GROUP
from ..release import Release
from .texts import say, writing

ENDINGS = (".json", ".csv", ".parquet")
NUMBERS = ("value", "low", "high")


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


def refuse_mixed(chosen: argparse.Namespace, kinds: Iterable[str]) -> None:
    """Raise ParameterError for a Parquet file of dates beside numbers: all values are in one column of one type."""
    if len({kind == "date" for kind in kinds}) > 1 and str(chosen.out).lower().endswith(".parquet"):
        raise ParameterError("--out", "must end in .json or .csv if the answers have both dates and numbers.")


def give(answers: Release[Any], chosen: argparse.Namespace) -> None:
    """Print a release, or write it into a file; with a table its warnings are printed. Raises Unwritten.

    A terminal gets a table to read, another program JSON, which is a plan file, too.
    """
    if not any(cells.groups for cells in answers.cells):
        say(chosen, NO_GROUP)
    printed = ".csv" if chosen.csv else "" if sys.stdout.isatty() else ".json"
    ending = printed if chosen.out is None else Path(chosen.out).suffix.lower()
    if ending != ".json":
        say(chosen, *(f"Warning: {warning}" for warning in answers.warnings))
    with writing():
        if ending == ".parquet":
            table = answers.for_files()
            texts = {name: list(map(_text, table[name])) for name in NUMBERS if answers.description.dates}
            table.assign(**texts).to_parquet(chosen.out, index=False)
        else:
            made = answers.to_json(indent=2) if ending == ".json" else answers.to_text()
            text = answers.to_csv() if ending == ".csv" else f"{made}\n"
            if chosen.out is None:
                print(text, end="")
                sys.stdout.flush()
            else:
                Path(chosen.out).write_text(text, encoding="utf-8", newline="")
    if chosen.out is not None:
        say(chosen, f"Wrote the answers to {chosen.out}.")


def _text(value: Any) -> str | None:
    """Return a date for Parquet, where all cells of a column have one type; None where there is no end."""
    return None if value != value else str(value)
