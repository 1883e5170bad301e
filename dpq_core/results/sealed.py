"""A private column in memory: the object that pages hand on, and the functions that read what is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..arrays import Floats
from ..column import Column
from ..groups.names import GroupColumn
from ..people.ids import People
from ..question import Question
from .chosen import columns_asked

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Ledger


class SealedColumn:
    """A visitor's own column. No attribute, repr or pickle of it reveals a value, or how many there are."""

    __slots__ = ("__weakref__",)

    def __init__(
        self, values: Floats, digest: bytes, people: People | None = None, groups: Sequence[GroupColumn] = ()
    ) -> None:
        """`digest`: of the file or text that it is from, for the ledger's fingerprint; private as the file is."""
        _CONTENTS[self] = values, digest, people, tuple(groups)


_CONTENTS: WeakKeyDictionary[SealedColumn, tuple[Floats, bytes, People | None, tuple[GroupColumn, ...]]] = (
    WeakKeyDictionary()
)
"""Beside the objects, so that nothing of it is in them; it goes when they go."""


def columns_to_release(columns: Mapping[str, SealedColumn], question: Question) -> Mapping[str, Column]:
    """Return columns of one table with fresh tie-breaking bits. For `release_asked` alone.

    Persons and groups are those that were read with the first column, and so with all of them.
    """
    _, _, people, groups = _CONTENTS[next(iter(columns.values()))]
    values = {name: _CONTENTS[column][0] for name, column in columns.items()}
    return columns_asked(values, question, groups, people)


def fingerprint_of(column: SealedColumn, ledger: Ledger) -> str:
    """Return the fingerprint of the file under the ledger's key. Raises ParameterError where the ledger has none."""
    from ..ledger.files import fingerprint_by_digest

    return fingerprint_by_digest(ledger, _CONTENTS[column][1])


def values_to_explore(column: SealedColumn) -> tuple[Floats, People | None, tuple[GroupColumn, ...]]:
    """Return a column that a person declared public or synthetic, where the server allows that; whose rows; groups."""
    values, _, people, groups = _CONTENTS[column]
    return values, people, groups
