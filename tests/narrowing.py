"""Narrow what a test was given to what the test is about; where it is something else, the test fails here."""

from collections.abc import Iterable
from typing import TypeVar

Wanted = TypeVar("Wanted")


def present(value: Wanted | None) -> Wanted:
    """Return the value, which is not None."""
    assert value is not None
    return value


def only(kind: type[Wanted], value: object) -> Wanted:
    """Return the value, which is of the kind."""
    assert isinstance(value, kind), type(value)
    return value


def all_of(kind: type[Wanted], values: Iterable[object]) -> list[Wanted]:
    """Return the values, all of the kind."""
    return [only(kind, value) for value in values]
