"""The names of the columns of a file, for tests of its header."""

from dpq_core.sources.files import Source, find_layout


def list_columns(source: Source, *, header: bool | None = None) -> tuple[str, ...]:
    """Return the names that a reader gives to the columns of a file."""
    return find_layout(source, header=header).names
