"""The errors of the package, as one small tree.

    ValueError
      ParameterError   a setting is out of range or does not fit another one; `.name` is the setting
        Infeasible     the settings are legal but no sound answer exists for them; `.charged`, `.count`
        BudgetError    the data set's budget does not cover the request; `.remaining`, `.requested`, `.unit`
        UsedIdError    another request, or one without a stored answer, has the id of this release
      DataError        the data cannot be read or used; `.discloses`, and on request `.row` or in words `.where`
      LedgerError      the ledger cannot be reached, or must not be used as it is

A PrivacyWarning is not an error: it says that a release, which is answered, is unusual.

They can be pickled with all that they carry. A message has one shape: `` `epsilon` must be finite and > 0, got -1.0. ``
It carries parameters, and never a value, a row, a count or a statistic of the data. A form with other names for
settings asks for the sentence with its own labels: `error.sentence(label)`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, TypeGuard, TypeVar

Item = TypeVar("Item")
LARGEST = sys.float_info.max
"""No setting is larger: an integer may be, and then no float can hold it."""


@dataclass(frozen=True)
class Remedy:
    """One change of a single setting with which a refused plan can be answered, or a file read, for a form to offer.

    `name`: epsilon, delta, budget (its kind), adjacency, mechanism, or an option of the plan's mechanism; a setting of
    `find_layout` or of `Reading`. `value`: the setting that works; None if only a person can say.
    """

    name: str
    value: str | int | float | bool | None = None


class Disclosure(StrEnum):
    """A fact about the data that its curator learns although no budget pays for it; docs/privacy.md has the same list.

    Every DataError of a reader says which of them its message is. Everything else about the data is private until it is
    released.
    """

    FORMAT = "what the file is: its format and encoding; that it cannot be opened, is damaged, encrypted or no table"
    NAMES = "the names of its sheets, and of its columns as far as its first row is a header; that this had to be asked"
    KIND = "whether a column holds numbers, money, percentages, dates, durations or none of these, and the unit"
    NOTATION = "how its cells are written: the decimal mark and the order of day and month; that they fit two ways"
    CELL = "that a cell cannot be read or is written differently from those above it; its row on request"
    SHAPE = "that a row has too few or too many cells, a quote may join rows, or spaces part cells; the row on request"
    TOTAL = "that a total or a note seems to stand below the records"
    EMPTY = "that there are no rows, or no values in a column"
    SIZE = "that it has more rows, columns or text than can be read, or than fits into memory"
    PARTS = "that the files of a folder do not go together, and which of them cannot be read"
    MISSING = (
        "that values or ids are missing, where one person is replaced by another and nothing says what they count as"
    )
    PROGRESS = "how far the reading is, and how long it will still take"
    FINGERPRINT = "that a file looks like one that was released from before, or has changed since"


def _restored(kind: type[Exception], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Return an error as it was when it was pickled, for any arguments of its constructor."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class Name(str):
    """Mark a word of a message as the name that a setting, or one of its values, has in this package."""

    __slots__ = ()


def quoted(name: str) -> str:
    """Return how a message shows a name: in backticks."""
    return f"`{name}`"


class Remediable(ValueError):
    """An error that knows changes with which the same request would work."""

    remedies: tuple[Remedy, ...]


class ParameterError(Remediable):
    """Report a setting that cannot be used; `.name` says which, so that a form can mark it.

    `must` is the message after the name: the requirement, and what was given. If it names other settings, it is a tuple
    of texts and `Name`s. `.remedies`: changes that each solve the problem alone, the best first, from public facts
    only. Empty if none is known.
    """

    def __init__(self, name: str, must: str | tuple[str, ...], remedies: tuple[Remedy, ...] = ()) -> None:
        self.name = name
        self.words = (Name(name), " ", *((must,) if isinstance(must, str) else must))
        self.remedies = remedies
        super().__init__(self.sentence(quoted))

    def sentence(self, label: Callable[[str], str]) -> str:
        """Return the message with every name as `label` shows it."""
        return "".join(label(word) if isinstance(word, Name) else word for word in self.words)

    def reworded(self, name: str = "", before: str = "", after: str = "", **facts: object) -> Self:
        """Return the same error of the setting `name`, with words before and after its own, and with other facts."""
        words = (Name(name or self.name), " ", *filter(None, (before, *self.words[2:], after)))
        again: Self = _restored(type(self), (), vars(self) | {"name": name or self.name, "words": words} | facts)
        again.args = (again.sentence(quoted),)
        return again

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


class Infeasible(ParameterError):
    """Report legal settings for which no sound answer exists; the message says which settings would work.

    `.count`: the number of records that the message names, if any. If a noisy count had to be drawn to find out,
    `.noisy_count` is that count and `.charged` the epsilon that it has spent: both may be shown.
    """

    def __init__(
        self,
        name: str,
        must: str | tuple[str, ...],
        remedies: tuple[Remedy, ...] = (),
        *,
        count: int | None = None,
        noisy_count: int | None = None,
        charged: float = 0.0,
    ) -> None:
        super().__init__(name, must, remedies)
        self.count = count
        self.noisy_count = noisy_count
        self.charged = charged

    @classmethod
    def of_whole(cls, error: ParameterError, about: str, charged: float) -> Infeasible:
        """Return a refusal of one part, after a draw, as that of all parts: it says so, and all of them are charged."""
        noisy_count = error.noisy_count if isinstance(error, Infeasible) else None
        return cls(error.name, (*error.words[2:], about), noisy_count=noisy_count, charged=charged)


class BudgetError(ParameterError):
    """Refuse a request that exceeds the remaining budget; `.remaining` and `.requested` are in `.unit`: ε, δ or ρ."""

    def __init__(self, unit: str, *, remaining: float, requested: float) -> None:
        self.unit = unit
        self.remaining = remaining
        self.requested = requested
        super().__init__("privacy", f"must fit what is left of this budget: {self.shortfall}.")

    @property
    def shortfall(self) -> str:
        """Return what is needed and what is left: "the release needs ε = 1, and ε = 0.5 is left"."""
        both = self.requested, self.remaining
        needs, left = (f"{each:.6g}" for each in both)
        if needs == left:
            needs, left = map(repr, both)
        return f"the release needs {self.unit} = {needs}, and {self.unit} = {left} is left"


class UsedIdError(ParameterError):
    """Refuse the id of a release that another request has, or one that ended without an answer."""


class LedgerError(ValueError):
    """Report a ledger that cannot be reached, or must not be used as it is; the message says what was charged."""


class DataError(Remediable):
    """Report data that cannot be read or used; the message contains no cell, no row and no count.

    `.discloses` is the fact about the data that the message reveals, if any. `.row` is the row, counted from 1, or
    None, and `.byte` the byte of a text file. Both reveal how many records there are at least, so show them only on
    request, to people who may see the data. `.remedies` are settings of `sources.files.find_layout`, or of
    `sources.reading.Reading`, that may make the same file readable.
    """

    def __init__(
        self,
        message: str,
        *,
        discloses: Disclosure | None = None,
        row: int | None = None,
        byte: int | None = None,
        remedies: tuple[Remedy, ...] = (),
    ) -> None:
        super().__init__(message)
        self.discloses = discloses
        self.row = row
        self.byte = byte
        self.remedies = remedies

    @property
    def where(self) -> str:
        """Return the row in words: "Row 7.", or "Row 7, byte 150 of the file."; "" where it is not known."""
        byte = "" if self.byte is None else f", byte {self.byte:,} of the file"
        return "" if self.row is None else f"Row {self.row:,}{byte}."

    def beginning(self, start: str) -> DataError:
        """Return the same error with a message that begins with `start`."""
        return DataError(
            f"{start}{self}", discloses=self.discloses, row=self.row, byte=self.byte, remedies=self.remedies
        )


@contextmanager
def beginning(start: str) -> Iterator[None]:
    """Let every DataError begin with these words."""
    try:
        yield
    except DataError as error:
        raise error.beginning(start) from None


class PrivacyWarning(UserWarning):
    """Warn of something unusual about a release: a large budget, or answers at a bound or far from all others."""


def each_of(values: Iterable[Item], name: str, must: str) -> Iterator[Item]:
    """Return what a list, an array or a generator holds, one by one. Raises ParameterError `must` for anything else."""
    try:
        if not isinstance(values, str | bytes | Mapping):
            return iter(values)
    except TypeError:  # an array without a dimension says that it can be gone through, and cannot
        pass
    raise ParameterError(name, must)


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number that a float can hold, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def shown(value: object) -> str:
    """Return how a message quotes a setting of any kind: at most 40 characters of it; text in quotation marks."""
    try:
        text = repr(value[:41]) if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists in lists in lists
        return f"a {type(value).__name__} too long to show"
    return text if len(text) <= 42 else f"{text[:40]}…"


def check_flags(held: object, *names: str) -> None:
    """Raise ParameterError for a text such as "no" in place of a truth value, which would count as true."""
    for name in names:
        if not isinstance(getattr(held, name), bool | None):
            raise ParameterError(name, f"must be true or false, got {shown(getattr(held, name))}.")
