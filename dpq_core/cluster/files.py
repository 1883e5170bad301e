"""Read files as a Dask data frame: a file, a folder of parts, a pattern such as `trips/*.parquet`, or a list.

All files must be Parquet: its columns have types, so that all partitions are read alike and no message quotes a cell.
The client reads types, and the workers read the rows; all of them must find the files at the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from glob import glob
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import DataError, ParameterError
from ..sources.column import only_clear_errors

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
SUFFIXES = (".parquet", ".pq")
ONLY_PARQUET = "must be Parquet files for a cluster: save others as Parquet first."


def read_files(files: Paths, columns: Iterable[str] | None = None) -> Any:
    """Return a Dask data frame of some columns of Parquet files, or of all, for `Table.from_frame`.

        with Client("tcp://scheduler:8786"):
            people = read_files("/shared/people/", ["salary", "department", "id"])
            table = Table.from_frame(people, {"salary": (0, 200_000, 100)}, person="id", per_person="mean")

    Nothing but types is read before it is used. Raises ParameterError, DataError.
    """
    return _opened(_paths_of(files), None if columns is None else list(dict.fromkeys(columns)))


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is Parquet, by its name."""
    return Path(path).suffix.lower() in SUFFIXES


def _paths_of(files: Paths) -> list[str]:
    """Return the paths of the files, in order; of a folder those of Parquet. Raises ParameterError."""
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    found: list[str] = []
    for each in (os.fspath(path) for path in given):
        if Path(each).is_dir():
            inside = sorted(str(path) for path in Path(each).rglob("*") if path.is_file())
            found += list(filter(is_parquet, inside)) or inside
        else:
            found += sorted(glob(each)) or [each]
    missing = [path for path in found if not Path(path).exists()]
    if not found or missing:
        raise ParameterError("files", "must be files that exist, or a folder or pattern of them.")
    if not all(map(is_parquet, found)):
        raise ParameterError("files", ONLY_PARQUET)
    return found


def _opened(paths: list[str], names: list[str] | None) -> Any:
    try:
        from dask import dataframe
    except ImportError:
        raise ParameterError("files", "needs dask: install this package with [cluster].") from None
    library: Any = dataframe

    def opened() -> Any:
        frame = library.read_parquet(paths)
        if names is None:
            return frame
        there = list(frame.columns)
        for name in names:
            if name not in there:
                raise DataError(f"the files have no column {name!r}.")
        return frame[names]

    return only_clear_errors(opened)()
