"""The column of a file that says which group each row is in: read into a GroupColumn, as texts.

Groups of a file are texts without their outer blanks, also those that the file holds as numbers or dates: 1 and 1.0 of
a Parquet file or a workbook are "1", as somebody types it. What a reader takes for a missing value is no group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from ..arrays import Integers
from ..groups import GroupColumn, GroupName
from .column import Progress, check_rows, only_clear_errors
from .files import Layout, opener
from .found import beginning
from .people import cells_of, cleaned
from .streams import Sources, layout_like, list_sources


@only_clear_errors
def read_groups(
    source: Sources,
    column: str,
    *,
    names: Sequence[GroupName] | None = None,
    header: bool | None = None,
    layout: Layout | None = None,
    progress: Progress | None = None,
) -> GroupColumn:
    """Read a column of groups, in the order of the rows. Give it to `Groups.from_values`, or `from_batches`.

    source: one file, or many as in `stream_column`; 4 bytes a row. names: the listed groups; no other name is kept
    then. header, layout, progress, and what is raised, as in `stream_column`.
    """
    places = {} if names is None else {str(name).strip(): at for at, name in enumerate(names)}
    codes, rows = [np.empty(0, np.int32)], 0
    for cells in _cells(source, column, header, layout, progress):
        rows += len(cells)
        check_rows(rows)
        which, texts = _distinct(cells)
        if names is None:
            for text in texts:
                if text is not None:
                    places.setdefault(text, len(places))
        of_text = [-1 if text is None else places.get(text, -1) for text in texts]
        codes.append(np.array([*of_text, -1], np.int32)[which])  # a missing one is at -1
    return GroupColumn(np.concatenate(codes), tuple(places if names is None else names))


def _cells(
    source: Sources, column: str, header: bool | None, layout: Layout | None, progress: Progress | None
) -> Iterator[pa.Array]:
    """Yield the cells of the column of all files."""
    sources = list_sources(source)
    for number, each in enumerate(sources):
        with beginning(f"File {number + 1} of {len(sources)}: " if len(sources) > 1 else ""):
            open_file = opener(each)
            own = layout if layout is not None and number == 0 else layout_like(open_file, header, layout)
            layout = layout or own
            yield from cells_of(open_file, column, own, _share_of_all(progress, number, len(sources)))


def _share_of_all(progress: Progress | None, before: int, count: int) -> Progress | None:
    return None if progress is None else lambda share: progress((before + share) / count)


def _distinct(cells: pa.Array) -> tuple[Integers, list[str | None]]:
    """Return for each cell which text it holds, -1 where none, and the texts; None stands for no text."""
    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    which = cells.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    texts: list[str | None] = cleaned(cells.dictionary).cast(pa.string()).to_pylist()
    return which, texts
