"""What the rows of the tables of changes say."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

Table: TypeAlias = Mapping[str, Mapping[str, Sequence[tuple[str, str]]]]
"""By the file that is changed, and by what catches it: `old`, which stands there once, and `new`, of each change.

What catches it is a file, a test, or a file and `-k` with a word: as little as does, for speed. It is written without
`tests/` and `.py`. Tables are as narrow as the formatter would not have them: hence `fmt: off`.
"""


class Mutant(NamedTuple):
    """One change: in `file`, `old`, which stands there once, becomes `new`."""

    file: str
    old: str
    new: str
    caught_by: str
    """What pytest is given."""

    def __str__(self) -> str:
        return f"{self.file}: {self.old!r} -> {self.new!r} ({self.caught_by})"


def mutants_of(table: Table) -> Iterator[Mutant]:
    """Yield the changes of a table."""
    for file, by_test in table.items():
        for test, changes in by_test.items():
            first, *rest = test.split(" ", 1)
            name, *inside = first.split("::", 1)
            caught_by = " ".join(["::".join([f"tests/{name}.py", *inside]), *rest])
            yield from (Mutant(file, old, new, caught_by) for old, new in changes)
