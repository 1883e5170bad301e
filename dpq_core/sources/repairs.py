"""Offer settings that make a file readable, with the error, in `DataError.remedies`.

A row at the end that is no record is left out, and numbers without a unit get that of the others. Neither is done
without being said, since only a person knows whether it is so.
"""

from __future__ import annotations

from dataclasses import replace

from ..errors import DataError, Disclosure, Remedy
from .column import Column, Progress
from .files import Layout, Source, read_column
from .formats.known import format_of_layout
from .numbers import ODD_ONE
from .reading import AS_WRITTEN, Reading


def read_or_offer(
    source: Source, column: str, layout: Layout, reading: Reading = AS_WRITTEN, progress: Progress | None = None
) -> Column:
    """Read a column as `read_column`; a DataError says in `remedies` with which settings it may be read."""
    try:
        return read_column(source, column, layout=layout, reading=reading, progress=progress)
    except DataError as error:
        error.remedies = error.remedies or _ways(source, column, layout, reading, error)
        raise


def _ways(source: Source, column: str, layout: Layout, reading: Reading, error: DataError) -> tuple[Remedy, ...]:
    of_file = format_of_layout(layout)
    held = vars(layout)
    if error.discloses is Disclosure.TOTAL and "left_out" in of_file.settings:
        return (Remedy("left_out", held["left_out"] + 1),)
    if ODD_ONE not in str(error) or held.get("unit") or reading.unit:
        return ()
    return tuple(
        Remedy("unit", unit) for unit in of_file.units if _reads(source, column, layout, replace(reading, unit=unit))
    )


def _reads(source: Source, column: str, layout: Layout, reading: Reading) -> bool:
    """Return whether a column can be read so; where it cannot, that shows at the same row as before."""
    try:
        read_column(source, column, layout=layout, reading=reading)
    except ValueError:
        return False
    return True
