"""What the rows of the tables of changes say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

Table: TypeAlias = Mapping[str, Sequence[tuple[str, str, str, str]]]
"""By the file that is changed: what the change is, `old`, which stands there once, `new`, and what catches it.

The last is a file, a test, or a file and `-k` with a word: as little as catches it, for speed. It is written without
`tests/` and `.py`. A row takes a line or two, as the formatter would not have it: hence `fmt: off`.
"""


class Mutant(NamedTuple):
    """One change: in `file`, `old`, which stands there once, becomes `new`."""

    what: str
    file: str
    old: str
    new: str
    caught_by: str
    """What pytest is given."""


def mutants_of(table: Table) -> Iterator[Mutant]:
    """Yield the changes of a table."""
    for file, rows in table.items():
        for what, old, new, test in rows:
            first, *rest = test.split(" ", 1)
            name, *inside = first.split("::", 1)
            yield Mutant(what, file, old, new, " ".join(["::".join([f"tests/{name}.py", *inside]), *rest]))
