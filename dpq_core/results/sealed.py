"""A private column in memory: the object that pages hand on, and the three functions that read what is in it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, overload
from weakref import WeakKeyDictionary

from ..arrays import Floats
from ..domain import Domain, FindBounds
from ..finding import RawSample
from ..sample import Sample

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger import Ledger


class SealedColumn:
    """A column that was brought. No attribute, repr or pickle of it tells a value, nor how many there are."""

    __slots__ = ("__weakref__",)

    def __init__(self, values: Floats, digest: bytes) -> None:
        """`digest`: of the file or text that it is from, for the ledger's fingerprint; private as the file is."""
        _CONTENTS[self] = values, digest


_CONTENTS: WeakKeyDictionary[SealedColumn, tuple[Floats, bytes]] = WeakKeyDictionary()
"""Beside the objects, so that nothing of it is in them; it goes when they go."""


@overload
def sample_to_release(column: SealedColumn, bounds: Domain, missing: Fraction | None) -> Sample: ...
@overload
def sample_to_release(
    column: SealedColumn, bounds: Domain | FindBounds, missing: Fraction | None
) -> Sample | RawSample: ...
def sample_to_release(
    column: SealedColumn, bounds: Domain | FindBounds, missing: Fraction | None
) -> Sample | RawSample:
    """Return the column on its grid with fresh tie-breaking bits. For `release_once` and `release_column` alone."""
    if isinstance(bounds, FindBounds):
        return RawSample.from_values(_CONTENTS[column][0], bounds, missing=missing)
    return Sample.from_values(_CONTENTS[column][0], bounds, missing=missing)


def fingerprint_of(column: SealedColumn, ledger: Ledger) -> str:
    """Return the fingerprint of the file under the ledger's key. Raises ParameterError where the ledger has none."""
    from ..ledger import fingerprint_by_digest

    return fingerprint_by_digest(ledger, _CONTENTS[column][1])


def values_to_explore(column: SealedColumn) -> Floats:
    """Return the values of a column that a person declared public or synthetic, where the server allows that."""
    return _CONTENTS[column][0]
