"""What the cells of a column of groups are called, and which names none of them can have, by public facts alone.

A file and a data frame have one rule. Names are compared as `texts.name_in_file` has them, those of numbers by their
value: 1, 1.0 and "1" are one name. Where no listed name is the cell's own, signs of print are those that people type
for them (`name_as_typed`). The facts are the type of the cells, the labels of values, values that are declared
missing, and the encoding of the file.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import UUID

import numpy as np

from ..arrays import Integers
from ..errors import DataError, Disclosure
from ..texts import name_as_typed, name_in_file
from ..values import LARGEST_ID, converter

if TYPE_CHECKING:
    import pyarrow as pa

Holds: TypeAlias = Literal["", "truth values", "whole numbers", "numbers", "dates", "dates and times", "durations"]
"""The type of all cells of a column of groups; empty for texts, which may hold any name."""
_WHOLE = r"-?(0|[1-9]\d*)"
_FORMS: dict[Holds, str] = {
    "truth values": "true|false",
    "whole numbers": _WHOLE,
    "numbers": rf"{_WHOLE}(\.\d+)?(e[+-]?\d+)?|-?inf",
    "dates": r"\d{4}-\d\d-\d\d",
    "dates and times": r"\d{4}-\d\d-\d\d( .*)?",
    "durations": r"(?!)",
}
"""What cells of each type are called."""
MOST_LABELS = 7
"""That a sentence shows."""
_SECOND, _DAY = 10**18, 86_400 * 10**18


@dataclass(frozen=True)
class PossibleNames:
    """The names that cells of a column of groups can have; public, as types, labels and encodings are."""

    holds: Holds = ""
    labels: frozenset[str] = frozenset()
    """Of values, which have no other name."""
    labelled: frozenset[str] = frozenset()
    """The values that have a label, as texts."""
    missing: frozenset[str] = frozenset()
    """Labels and values that the file declares to be missing."""
    encoding: str = ""
    """Of a file, by any of its names; empty for one of Unicode."""

    def key(self, name: object) -> Hashable:
        """Return what a name is compared by among these cells where it is none of them exactly."""
        if self.holds == "truth values" and isinstance(name, int):
            return {0: "false", 1: "true"}.get(name)
        text = name_as_typed(str(name))
        if self.holds in ("whole numbers", "numbers") and text is not None and text not in self._labels_as_typed:
            try:
                return Decimal(text)
            except InvalidOperation:
                return text
        return text

    def places(self, names: Sequence[object]) -> dict[Hashable, int]:
        """Return the places of listed names by their keys; of two names with one key, that of the first."""
        return {self.key(name): at for at, name in reversed([*enumerate(names)])}

    def misfits(self, names: Sequence[object]) -> str:
        """Return the sentence on the names that no cell can have, "" where there is none."""
        labels = f"labels ({', '.join(sorted(self.labels)[:MOST_LABELS])}{', ...' * (len(self.labels) > MOST_LABELS)})"
        labelled = f" with {labels}" if self.labels else ""
        missing, called = ({name_as_typed(each) for each in some} for some in (self.missing, self.labelled))
        called -= self._labels_as_typed
        typed = [(name, name_as_typed(str(name))) for name in names]
        checks: tuple[tuple[Callable[[object, str | None], bool], str], ...] = (
            (lambda _, text: text in missing, "The file declares these values of the column of groups to be missing"),
            (lambda _, text: text in called,
             f"The column of groups has {labels}, and these values are called by theirs"),
            (self._is_of_other_type, f"The column of groups holds {self.holds}{labelled}"),
            (self._is_not_written, f"The file is read as {self.encoding}, which does not have these letters"),
        )  # fmt: skip
        for odd, why in checks:
            found = [str(name) for name, text in typed if odd(name, text)]
            if found:
                return f"{why}, so no row can be in {', '.join(found)}."
        return ""

    @cached_property
    def _labels_as_typed(self) -> set[str | None]:
        return {name_as_typed(name) for name in self.labels}

    def _is_of_other_type(self, name: object, text: str | None) -> bool:
        form, told = _FORMS.get(self.holds, ""), self.key(name) if self.holds == "truth values" else text
        if not form or told in self._labels_as_typed:
            return False
        shown = str(told)
        return not re.fullmatch(form, shown) or (self.holds.startswith("dates") and not _is_date(shown[:10]))

    def _is_not_written(self, name: object, text: str | None) -> bool:
        forms = (str(name), text or "")
        return bool(self.encoding) and not any(all(_is_in(each, self.encoding) for each in form) for form in forms)


ANY_NAME = PossibleNames()
"""Those of texts in a frame."""


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_in(character: str, encoding: str) -> bool:
    """Return whether an encoding has a character, or the characters that it is composed of."""
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        parts = unicodedata.decomposition(character).split()
        return bool(parts) and parts[0][0] != "<" and all(_is_in(chr(int(each, 16)), encoding) for each in parts)
    return True


def holds_of(kind: pa.DataType) -> Holds:
    """Return what cells of a type of Arrow are."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    told: tuple[tuple[Callable[[Any], bool], Holds], ...] = (
        (pa.types.is_boolean, "truth values"),
        (pa.types.is_integer, "whole numbers"),
        (pa.types.is_floating, "numbers"),
        (pa.types.is_decimal, "numbers"),
        (pa.types.is_date, "dates"),
        (pa.types.is_timestamp, "dates and times"),
        (pa.types.is_duration, "durations"),
    )
    return next((holds for is_so, holds in told if is_so(kind)), "")


def distinct(cells: pa.Array) -> tuple[Integers, list[str | None]]:
    """Return for each cell which name it has, -1 where none, and the names; None means no name. Raises DataError."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from ..people.coded import cleaned, is_text

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if pa.types.is_duration(kind):
        raise DataError(
            "The column holds durations, which are no names of groups; save it as text.", discloses=Disclosure.KIND
        )
    if converter(kind) is None and not is_text(kind):
        raise DataError(NOT_GROUPS, discloses=Disclosure.KIND)
    cells = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    which = cells.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    held = cleaned(cells.dictionary)
    if pa.types.is_timestamp(held.type) and held.type.tz is not None:
        return which, by_clocks(held)
    if pa.types.is_floating(held.type) or pa.types.is_decimal(held.type):
        return which, [None if number is None else str(_number_name(number)) for number in held.to_pylist()]
    texts = held.cast(pa.string())
    if pa.types.is_time(held.type):
        texts = pc.replace_substring_regex(texts, r"(\.\d*[1-9])0+$|\.0+$", r"\1")
    return which, cleaned(texts).to_pylist()


def cell_name(found: Hashable) -> str | int | None:
    """Return how a group is called whose cells have this `identity`; None for what has no name that people type."""
    match found:
        case str() | None:
            return found
        case int() | float() | Decimal() | Fraction():
            return _number_name(found)
        case ("moment", int(since)):
            return name_in_file(_moment_name(since))
        case ("instant", int(since)):
            return f"{name_in_file(_moment_name(since))} +0000"
        case ("time", datetime.time() as time):
            return time.isoformat().rstrip("0") if time.microsecond else time.isoformat()
        case ("UUID", int(number)):
            return str(UUID(int=number))
        case ("address", str(address)):
            return address
    return None


def _number_name(number: float | Decimal | Fraction) -> str | int | None:
    if not isinstance(number, int | Fraction) and not isfinite(number):
        return str(float(number))
    if isinstance(number, float) and abs(number) >= LARGEST_ID:
        return repr(number)
    if number == int(number):
        return int(number)
    if isinstance(number, Fraction):
        return None
    return f"{number:f}".rstrip("0") if isinstance(number, Decimal) else repr(float(number))


def _moment_name(since: int) -> str:
    days, rest = divmod(since, _DAY)
    seconds, fraction = divmod(rest, _SECOND)
    day = np.datetime64(days, "D")
    clock = f"{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{day} {clock}.{fraction:018}".rstrip("0") if fraction else f"{day} {clock}"


def by_clocks(instants: pa.Array) -> list[str | None]:
    """Return what the clocks of the zone show; where they show it twice in a night, the second one with its offset."""
    import pyarrow as pa
    import pyarrow.compute as pc

    local = pc.local_timestamp(instants)
    first = pc.assume_timezone(local, instants.type.tz, ambiguous="earliest", nonexistent="earliest")
    again = pc.if_else(pc.equal(first, instants), "", pc.strftime(instants, format=" %z"))
    shown = local.cast(pa.string()).to_pylist()
    return [text and f"{name_in_file(text)}{end}" for text, end in zip(shown, again.to_pylist(), strict=True)]


NOT_GROUPS = "the groups must be one column of texts, numbers, truth values or dates, with one for each value."
