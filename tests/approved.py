"""Compare what comes back with what a person has read before: a file beside the test.

`APPROVE=1` writes the files anew, and whoever reviews the change reads their difference. Numbers have six significant
digits. Of prose its numbers, tags and placeholders count and no words, so that texts can be rewritten.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from dpq_core import ParameterError

DIGITS = 6
MOST_NUMBERS = 20
"""Of an array; of a larger one its shape, its mean and its first numbers count."""
WIDTH, SHORT = 120, 24
"""Letters of a line, and of a text that shares its line with others."""
IN_PROSE = re.compile(r"%\{[^}]*\}|</?\w[^>]*>|[-−+]?\d[\d,.]*(?:e[-+]?\d+)?|[%εδρα∞…]")


def check_approved(file: Path, name: str, found: Any) -> None:
    """Compare what was found with what the file holds under a name; with APPROVE set, write it there."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    now = json.loads(json.dumps(as_data(found)))
    if os.environ.get("APPROVE"):
        file.parent.mkdir(exist_ok=True)
        lines = (f"{json.dumps(key)}: {written(each, 1)}" for key, each in sorted((kept | {name: now}).items()))
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return
    assert now == kept.get(name), f"{file.name} holds something else for {name}: read the difference with APPROVE=1"


class Exactly(str):
    """A text of which every letter counts: code, or a mark."""

    __slots__ = ()


def as_data(value: Any) -> Any:
    """Return a value as JSON holds it: fields of data classes by name, rounded numbers, prose without its words."""
    if isinstance(value, str):
        return str(value) if isinstance(value, Exactly) else without_words(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}") + 0.0 if isfinite(value) else str(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Fraction | date | Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: as_data(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_data(each) for key, each in value.items()}
    if isinstance(value, Set):
        return sorted((as_data(each) for each in value), key=str)
    if isinstance(value, np.ndarray) and value.size > MOST_NUMBERS:
        return {
            "shape": list(value.shape), "mean": as_data(value.mean()), "first": as_data(value.ravel()[:MOST_NUMBERS]),
        }  # fmt: skip
    if isinstance(value, np.ndarray | np.generic):
        return as_data(value.tolist())
    if isinstance(value, ParameterError):
        return {"refused": value.name, "says": as_data(str(value)), "remedies": as_data(value.remedies)}
    if isinstance(value, Sequence):
        return [as_data(each) for each in value]
    raise TypeError(f"nobody said how to write down a {type(value).__name__}")


def without_words(text: str) -> str:
    """Return a text of one word or of marks as it is; of prose its numbers, tags and placeholders in their order."""
    if (
        " " not in text
        or text.startswith("<svg")
        or len(re.findall(r"[^\W\d_]{2,}", re.sub(r"<[^>]*>|%\{[^}]*\}", "", text))) < 2
    ):
        return text
    return " ".join(["…", *IN_PROSE.findall(text)])


def written(value: Any, depth: int) -> str:
    """Return JSON whose lines are as full as they go, but for lists of texts and of tables: one of them a line."""
    flat = json.dumps(value, ensure_ascii=False)
    room = WIDTH - 2 * depth
    if len(flat) <= room or not value or not isinstance(value, dict | list):
        return flat
    if isinstance(value, dict):
        rows = [f"{json.dumps(key, ensure_ascii=False)}: {written(each, depth + 1)}" for key, each in value.items()]
    else:
        rows = [written(each, depth + 1) for each in value]
    if isinstance(value, dict) or all(
        isinstance(each, int | float | None) or len(str(each)) <= SHORT for each in value
    ):
        rows = filled(rows, room)
    indent, (opened, closed) = "\n" + "  " * depth, "{}" if isinstance(value, dict) else "[]"
    return f"{opened}{indent}{f',{indent}'.join(rows)}\n{indent[1:-2]}{closed}"


def filled(rows: list[str], room: int) -> list[str]:
    """Return rows with as many short ones on a line as go there."""
    lines: list[str] = []
    for row in rows:
        if lines and "\n" not in lines[-1] + row and len(lines[-1]) + len(row) + 2 < room:
            lines[-1] += f", {row}"
        else:
            lines.append(row)
    return lines
