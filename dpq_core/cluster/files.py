"""Read files as a Dask data frame: a file, a folder of parts, a pattern such as `trips/*.parquet`, or a list.

Columns of Parquet have types, so that all partitions are read alike and no message quotes a cell. Of text files you say
which columns hold numbers, and the library's own reader reads them (`texts`). The client reads types, or the heads of
text, and the workers read the rows; all of them must find the files at the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from glob import glob
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..errors import DataError, ParameterError
from ..sources.column import only_clear_errors
from .texts import ONLY_PARQUET, PACKED, TEXTS, read_texts, refuse_text_without_roles

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Kind: TypeAlias = Literal["number", "date", "other"]
SUFFIXES = (".parquet", ".pq")


def read_files(
    files: Paths,
    columns: Iterable[str] | None = None,
    *,
    numbers: Iterable[str] = (),
    person: str | None = None,
    header: bool | None = None,
    encoding: str = "",
) -> Any:
    """Return a Dask data frame of some columns of Parquet files, or of all, for `Table.from_frame`.

        with Client("tcp://scheduler:8786"):
            people = read_files("/shared/people/", ["salary", "department", "id"])
            table = Table.from_frame(people, {"salary": (0, 200_000, 100)}, person="id", take="mean")

    Nothing but types is read before it is used.

    CSV and other text files: each is a partition, and `numbers` names the columns of numbers and dates, which are days
    since 1970-01-01. The other `columns` are texts, such as groups, and `person` is the column of ids, whose cells NA
    and the like are missing. `header`, `encoding`: see `sources.files.find_layout`. Raises ParameterError, DataError.
    """
    paths = paths_of(files)
    if all(map(is_text, paths)):
        refuse_text_without_roles(numbers)
        return read_texts(paths, columns or (), numbers, person, header, encoding)
    refuse_other_formats(paths)
    names = None if columns is None else list(dict.fromkeys(columns))
    return _opened(paths, names)


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is Parquet, by its name."""
    return Path(path).suffix.lower() in SUFFIXES


def is_text(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is text, by its name; it may be compressed."""
    suffixes = [each for each in map(str.lower, Path(path).suffixes) if each not in PACKED]
    return bool(suffixes) and suffixes[-1] in TEXTS


def paths_of(files: Paths) -> list[str]:
    """Return the paths of the files, in order; of a folder those of Parquet, or else those of text.

    Raises ParameterError where there is none.
    """
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    found: list[str] = []
    for each in (os.fspath(path) for path in given):
        if Path(each).is_dir():
            inside = sorted(str(path) for path in Path(each).rglob("*") if path.is_file())
            found += list(filter(is_parquet, inside)) or list(filter(is_text, inside))
        else:
            found += sorted(glob(each)) or [each]
    missing = [path for path in found if not Path(path).exists()]
    if not found or missing:
        raise ParameterError("files", "must be files that exist, or a folder or pattern of them.")
    return found


def refuse_other_formats(paths: Iterable[str]) -> None:
    """Raise ParameterError where a file is not Parquet."""
    if not all(map(is_parquet, paths)):
        raise ParameterError("files", ONLY_PARQUET)


def kinds_of(files: Paths) -> dict[str, Kind]:
    """Return of each column of the first file whether it holds numbers, dates or something else, by its type alone.

    Reads no row. Raises ParameterError, DataError.
    """
    paths = paths_of(files)
    refuse_other_formats(paths)
    return only_clear_errors(_kinds)(paths[0])


def _kinds(path: str) -> dict[str, Kind]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    library: Any = pa.types
    found: dict[str, Kind] = {}
    for column in pq.read_schema(path):
        if library.is_integer(column.type) or library.is_floating(column.type) or library.is_decimal(column.type):
            found[column.name] = "number"
        else:
            dated = library.is_date(column.type) or library.is_timestamp(column.type)
            found[column.name] = "date" if dated else "other"
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
