"""Read CSV and other text files as a Dask data frame: a partition for each file, each cell as one file reads it.

Claim. The cells of a column mean what they mean where the same files are read as one column in memory. Numbers and
dates are read by `stream_column`: the client reads the heads of all files and finds one notation for the whole column;
a worker that meets a cell whose meaning this leaves open reads the column from its top, as the stream does. A file
that is damaged, or written in another way, ends in a DataError. So two files are never read by two rules. Ids and
groups are the texts that `read_people` and `read_groups` compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import DataError, Disclosure, ParameterError
from ..sources.column import only_clear_errors
from ..sources.files import find_layout_of_part, opener
from ..sources.formats.known import FORMATS
from ..sources.people import cells_of, cleaned, ids_in
from ..sources.streams.batches import FilePart, layout_like, stream_column
from ..tables.partitions.shuffle import Hidden, delayed_call

TEXTS = next(each.suffixes for each in FORMATS if each.module == "text")
PACKED = (".gz", ".bz2", ".zst", ".lz4")
ONLY_PARQUET = "must be Parquet files for a cluster: save others as Parquet first."


@dataclass(frozen=True, eq=False)
class TextPart:
    """One file, and how a worker reads it."""

    path: str
    layout: Any
    numbers: tuple[tuple[str, FilePart], ...]
    texts: tuple[str, ...]
    person: str | None


def read_texts(
    paths: Sequence[str],
    columns: Iterable[str],
    numbers: Iterable[str],
    person: str | None,
    header: bool | None,
    encoding: str,
) -> Any:
    """Return a Dask data frame of columns of text files. Raises ParameterError, DataError."""
    from dask import dataframe

    library: Any = dataframe
    numeric = tuple(dict.fromkeys(numbers))
    texts = tuple(name for name in dict.fromkeys([*columns, *([person] if person else [])]) if name not in numeric)
    parts = [delayed_call(_frame_of, Hidden(part)) for part in _parts(paths, numeric, texts, person, header, encoding)]
    return library.from_delayed(parts, meta=_empty(numeric, texts), verify_meta=False)


@only_clear_errors
def _parts(
    paths: Sequence[str],
    numbers: tuple[str, ...],
    texts: tuple[str, ...],
    person: str | None,
    header: bool | None,
    encoding: str,
) -> list[TextPart]:
    first = find_layout_of_part(opener(paths[0]), header, encoding, whole=False)
    layouts = [first, *(layout_like(opener(path), header, first, whole=False) for path in paths[1:])]
    for name in (*numbers, *texts):
        if any(name not in layout.names for layout in layouts):
            raise DataError(f"the files have no column {name!r}.")
    streams = {name: stream_column(list(paths), name, header=header, layout=first) for name in numbers}
    for name, stream in streams.items():
        if (stream.kind, stream.unit) != ("number", "") and stream.kind != "date":
            raise DataError(
                f"column {name!r} has units or durations: save the files as Parquet, with plain numbers.",
                discloses=Disclosure.KIND,
            )
    read = {name: stream.parts() for name, stream in streams.items()}
    return [
        TextPart(path, layout, tuple((name, parts[at]) for name, parts in read.items()), texts, person)
        for at, (path, layout) in enumerate(zip(paths, layouts, strict=True))
    ]


def _empty(numbers: Iterable[str], texts: Iterable[str]) -> Any:
    import pandas as pd

    return pd.DataFrame(dict.fromkeys(numbers, np.empty(0)) | dict.fromkeys(texts, np.empty(0, object)))


def _frame_of(hidden: Hidden) -> Any:
    """Return the columns of a file: numbers, and texts as objects. Raises DataError, which quotes no cell."""
    return only_clear_errors(_read)(hidden.value)


def _read(part: TextPart) -> Any:
    import pandas as pd

    columns: dict[str, Any] = {
        name: np.concatenate([np.empty(0), *own.batches()]) for name, own in part.numbers
    }  # in the order of `_empty`
    for name in part.texts:
        batches = cells_of(opener(part.path), name, part.layout, None).batches
        read = ids_in if name == part.person else cleaned
        cells = pa.chunked_array([read(each).cast(pa.string()) for each in batches], pa.string())
        columns[name] = cells.to_numpy(zero_copy_only=False)
    return pd.DataFrame(columns)


def refuse_text_without_roles(numbers: object) -> None:
    """Raise ParameterError where nobody said which columns of text files hold numbers."""
    if not numbers:
        raise ParameterError(
            "files",
            f"{ONLY_PARQUET} In Python you can also name the columns of text files that hold numbers or dates, as in "
            "numbers=['salary'].",
        )
