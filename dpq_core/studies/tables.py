"""Rows as a tidy typed frame, and as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from ..frames.offered import table_as_csv
from .engine import Row

if TYPE_CHECKING:
    import pandas

_TYPES = {"int": "int64", "float": "float64", "bool": "bool", "str": "str"}
_WRITERS: dict[str, Callable[[Any, Path], object]] = {
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
    ".csv": lambda frame, path: path.write_text(
        table_as_csv(frame.columns, frame.itertuples(index=False, name=None)), encoding="utf-8", newline=""
    ),
    ".json": lambda frame, path: frame.to_json(path, orient="records", indent=2, force_ascii=False),
}


def as_frame(rows: Iterable[Row]) -> pandas.DataFrame:
    """Return a frame with a line for each Row, in the order of the grid, and a typed column for each field of Row."""
    import pandas

    ordered = sorted(rows, key=lambda row: row.configuration)
    types = {field.name: _TYPES[str(field.type)] for field in fields(Row) if field.name != "refused"}
    return pandas.DataFrame([asdict(row) for row in ordered], columns=list(types)).astype(types)


def check_path(path: Path) -> None:
    """Raise ParameterError unless a table can be written there."""
    if path.suffix.lower() not in _WRITERS:
        raise ParameterError("out", f"must end in {', '.join(_WRITERS)}, got {path.name[:40]!r}.")
    if not path.absolute().parent.is_dir():
        raise ParameterError("out", "must be in a folder that exists.")


def write(rows: Iterable[Row], path: Path) -> None:
    """Write the frame as Parquet, CSV or JSON, by the end of the name. Raises ParameterError, OSError."""
    check_path(path)
    _WRITERS[path.suffix.lower()](as_frame(rows), path)
