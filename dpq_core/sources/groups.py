"""The column of a file that says which group each row is in: read into a GroupColumn, as texts.

Groups of a file are texts, as `texts.name_in_file` has them, also those that the file holds as numbers, truth values or
dates: 1 and 1.0 are "1", TRUE is "true" and midnight is its day, as a person types it. Only a blank cell has no group:
NA, None and a dash may be one, Namibia for instance.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from ..arrays import Integers
from ..errors import DataError, Disclosure, ParameterError
from ..groups.cells import ANY_NAME, PossibleNames, by_clocks
from ..groups.names import GroupColumn, GroupName
from ..progress import unheard, within
from ..texts import name_in_file
from .column import Progress, check_rows, only_clear_errors
from .files import Layout, opener
from .found import beginning
from .people import cells_of, cleaned
from .single import shortest_decimals
from .streams.batches import Sources, layout_like, list_sources


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
    listed = _checked(names)
    codes, rows = [np.empty(0, np.int32)], 0
    held, found = set[PossibleNames](), dict[Hashable, int]()
    for possible, cells in _cells(source, column, header, layout, progress):
        held.add(possible)
        rows += len(cells)
        check_rows(rows)
        which, texts = _distinct(cells)
        if listed is None:
            places = found
            for text in texts:
                if text is not None:
                    places.setdefault(text, len(places))
            of_text = [-1 if text is None else places[text] for text in texts]
        else:
            places = {possible.key(name): at for at, name in enumerate(listed)}
            of_text = [-1 if text is None else places.get(possible.key(text), -1) for text in texts]
        codes.append(np.array([*of_text, -1], np.int32)[which])  # a missing one is at -1
    called: Sequence[object] = tuple(found) if listed is None else listed
    return GroupColumn(np.concatenate(codes), tuple(called), held.pop() if len(held) == 1 else ANY_NAME)


def _checked(names: Sequence[GroupName] | None) -> tuple[GroupName, ...] | None:
    """Return listed names. Raises ParameterError where two are one in a file, or one is blank."""
    if names is None:
        return None
    in_file = {name_in_file(str(name)) for name in names}
    if None in in_file or len(in_file) < len(names):
        raise ParameterError("names", "must be different from each other in a file, and none of them blank.")
    return tuple(names)


def _cells(
    source: Sources, column: str, header: bool | None, layout: Layout | None, progress: Progress | None
) -> Iterator[tuple[PossibleNames, pa.Array]]:
    """Yield the cells of the column of all files, with the names that those of a file can have."""
    sources = list_sources(source)
    for number, each in enumerate(sources):
        with beginning(f"File {number + 1} of {len(sources)}: " if len(sources) > 1 else ""):
            open_file = opener(each)
            own = layout if layout is not None and number == 0 else layout_like(open_file, header, layout)
            layout = layout or own
            share = within(progress or unheard, number, len(sources))
            found = cells_of(open_file, column, own, share, labelled=True)
            yield from ((found.possible, cells) for cells in found.batches)


def _distinct(cells: pa.Array) -> tuple[Integers, list[str | None]]:
    """Return for each cell which text it holds, -1 where none, and the texts; None means no text."""
    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    which = cells.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    held = cells.dictionary
    if pa.types.is_duration(held.type):
        raise DataError(
            "The column holds durations, which are no names of groups; save it as text.", discloses=Disclosure.KIND
        )
    if pa.types.is_float32(held.type) or pa.types.is_float16(held.type):
        held = pa.array(shortest_decimals(held.to_numpy(zero_copy_only=False)))
    held = cleaned(held)
    if pa.types.is_timestamp(held.type) and held.type.tz is not None:
        return which, by_clocks(held)
    texts: list[str | None] = cleaned(held.cast(pa.string())).to_pylist()
    return which, texts
