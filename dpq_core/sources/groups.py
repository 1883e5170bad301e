"""The column of a file that says which group each row is in: read into a GroupColumn, as texts.

Groups of a file are texts, as `texts.name_in_file` has them, also those that the file holds as numbers, truth values or
dates: 1 and 1.0 are "1", TRUE is "true" and midnight is its day, as a person types it. Only a blank cell has no group:
NA, None and a dash may be one, Namibia for instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import Integers
from ..errors import ParameterError
from ..groups import GroupColumn, GroupName, Holds
from ..texts import name_in_file
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
    then. header, layout, progress, and what is raised, as in `stream_column`; ParameterError (name "names") also for
    two names of one group.
    """
    places = _places(names)
    codes, rows = [np.empty(0, np.int32)], 0
    held = set[Holds]()
    for holds, cells in _cells(source, column, header, layout, progress):
        held.add(holds)
        rows += len(cells)
        check_rows(rows)
        which, texts = _distinct(cells)
        if names is None:
            for text in texts:
                if text is not None:
                    places.setdefault(text, len(places))
        of_text = [-1 if text is None else places.get(text, -1) for text in texts]
        codes.append(np.array([*of_text, -1], np.int32)[which])  # a missing one is at -1
    found = tuple(places if names is None else names)
    return GroupColumn(np.concatenate(codes), found, held.pop() if len(held) == 1 else "")


def _places(names: Sequence[GroupName] | None) -> dict[str, int]:
    """Return the place of each listed name as a file would hold it. Raises ParameterError."""
    in_file = [name_in_file(str(name)) for name in names or ()]
    places = {name: at for at, name in enumerate(in_file) if name is not None}
    if len(places) < len(in_file):
        raise ParameterError("names", "must be different from each other in a file, and none of them blank.")
    return places


def _cells(
    source: Sources, column: str, header: bool | None, layout: Layout | None, progress: Progress | None
) -> Iterator[tuple[Holds, pa.Array]]:
    """Yield the cells of the column of all files, with what those of a file are."""
    sources = list_sources(source)
    for number, each in enumerate(sources):
        with beginning(f"File {number + 1} of {len(sources)}: " if len(sources) > 1 else ""):
            open_file = opener(each)
            own = layout if layout is not None and number == 0 else layout_like(open_file, header, layout)
            layout = layout or own
            share = _share_of_all(progress, number, len(sources))
            found = cells_of(open_file, column, own, share, labelled=True)
            yield from ((found.holds, cells) for cells in found.batches)


def _share_of_all(progress: Progress | None, before: int, count: int) -> Progress | None:
    return None if progress is None else lambda share: progress((before + share) / count)


def _distinct(cells: pa.Array) -> tuple[Integers, list[str | None]]:
    """Return for each cell which text it holds, -1 where none, and the texts; None means no text."""
    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    which = cells.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    held = cleaned(cells.dictionary)
    if pa.types.is_timestamp(held.type) and held.type.tz is not None:
        return which, _by_clocks(held)
    texts: list[str | None] = cleaned(held.cast(pa.string())).to_pylist()
    return which, texts


def _by_clocks(instants: pa.Array) -> list[str | None]:
    """Return what the clocks of the zone show; where they show it twice in a night, the second one with its offset."""
    local = pc.local_timestamp(instants)
    first = pc.assume_timezone(local, instants.type.tz, ambiguous="earliest", nonexistent="earliest")
    again = pc.if_else(pc.equal(first, instants), "", pc.strftime(instants, format=" %z"))
    shown = cleaned(local.cast(pa.string()))
    found: list[str | None] = pc.binary_join_element_wise(shown, again, "").to_pylist()
    return found
