"""What a row of the tables of changes says."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One change: in `file`, `old`, which stands there once, becomes `new`."""

    what: str
    file: str
    old: str
    new: str
    caught_by: str
    """What pytest is given: a file, a test, or a file and `-k` with a word. As little as catches it, for speed."""
