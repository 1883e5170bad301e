"""Decide whether the first row of a table holds the names of its columns, and which of them may be shown to others.

A file without a header begins with a person, whose cells must not become names. If it is not certain, a person has to
say it. A name that could be a value is never shown: the column is called "column 2", by its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from ..errors import DataError, Disclosure, ParameterError
from ..texts import plain_text
from .numbers import are_values, value_flags

Row = Sequence[str]

UNCERTAIN = "must be given for this file: the first row can be the names of the columns or the first record."
NOTHING_BELOW = "There are no rows below the first one, and it has no values: there is nothing to read."
FEW_ROWS = 50
"""The most blank rows at the top of a table that continues below the rows that were read."""
MOST_COLUMNS = 100
"""The number of columns in which values below the first row are searched."""
NO_ANSWER = frozenset(
    [
        "unknown", "refused", "no answer", "not available", "not applicable", "not stated", "don't know",
        "prefer not to say", "unbekannt", "verweigert", "keine antwort", "weiß nicht", "inconnu", "desconocido",
    ]
)  # fmt: skip
"""What people write instead of a value, in addition to the words for missing values that numbers.py reads."""
_NUMBER_FIRST = re.compile(r"[\W_]*\d")
PERSONS = frozenset(
    [
        "person", "people", "patient", "customer", "client", "user", "member", "subject", "participant", "respondent",
        "employee", "student", "pupil", "citizen", "pid", "uid", "userid", "kunde", "kundin", "patientin", "mitglied",
        "versicherte", "kundennummer", "kundennr", "patientennummer", "patientennr", "personalnummer", "personalnr",
        "mitgliedsnummer", "versichertennummer", "matrikelnummer", "personne", "individu", "persona", "cliente",
        "paciente",
    ]
)  # fmt: skip
"""Words in the name of a column that say that it holds persons."""
IDS = frozenset(["id", "hhid", "householdid", "haushaltsnummer", "haushaltsnr"])
ROWS = frozenset(
    [
        "row", "record", "line", "order", "trip", "visit", "transaction", "invoice", "event", "flight", "case", "entry",
        "item", "product",
    ]
)  # fmt: skip
"""Words that say that an id is of a row or of a thing."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
"""The words of a name."""


def has_header(first: Row, below: Sequence[Row]) -> bool | None:
    """Return whether the first row is a header, and None where that is not certain.

    A row of nothing but values is a record. A row without any is a header if one of its cells stands above a column of
    nothing but values and no cell comes again in its own column. O(cells) of the rows, which may be the first ones.
    """
    if (flags := are_values(first)) and all(flags):
        return False
    named = [at for at, field in enumerate(first) if field.strip()]
    if any(could_be_values([first[at] for at in named])):
        return None
    columns = {at: [row[at].strip() for row in below if len(row) > at] for at in named}
    if any(first[at].strip() in fields for at, fields in columns.items()):
        return None
    of_values = (are_values(columns[at]) for at in named[:MOST_COLUMNS])
    return any(flags and all(flags) for flags in of_values) or None


def decide_header(first: Row, below: Sequence[Row], said: bool | None, *, all_seen: bool = True) -> bool:
    """Return whether the first row is a header: what was said, else what is certain.

    Raises ParameterError where it is not, and DataError where there is nothing to read, as `all_seen` of it shows.
    """
    header = has_header(first, below) if said is None else said
    blank = all_seen and len(below) < FEW_ROWS and not any("".join(row).strip() for row in below)
    if header is None and blank and not any(value_flags(first)):
        raise DataError(NOTHING_BELOW, discloses=Disclosure.EMPTY)
    if header is None:
        raise ParameterError("header", UNCERTAIN)
    return header


def could_be_values(names: Sequence[str]) -> list[bool]:
    """Return for each name whether it could be a value, a word for a missing one, or text that begins with digits."""
    return [
        flag is not False or _NUMBER_FIRST.match(name) is not None or name.strip().lower() in NO_ANSWER
        for name, flag in zip(names, value_flags(names), strict=True)
    ]


def find_column(column: str, labels: Sequence[str], setting: str = "column") -> tuple[int, str]:
    """Return a column's place, and the name that may be shown: its label, or "column 2" for one like a value.

    Either name finds it, however its accents are made. Raises ParameterError for `setting`, with the nearest name.
    """
    return find_columns([column], labels, setting)[0]


def find_columns(columns: Sequence[str], labels: Sequence[str], setting: str = "column") -> list[tuple[int, str]]:
    """Return the places of several columns, and the names that may be shown, as `find_column`."""
    public, plain, found = public_names(labels), [plain_text(label) for label in labels], list[tuple[int, str]]()
    for column in columns:
        ways = ((column, labels), (column, public), (plain_text(column), plain))
        index = next((list(names).index(name) for name, names in ways if name in names), None)
        if index is None:
            numbered = [name for name in public if name.startswith(f"{column} (")]  # of several columns with one name
            near = numbered[:2] or get_close_matches(column, public, n=1)
            meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ParameterError(setting, f"must be one of the column names of this file.{meant}")
        found.append((index, public[index]))
    return found


def public_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns that may be shown, unique: labels as they are, but none that could be a value."""
    taken = frozenset(labels)
    flags = could_be_values(labels)
    return tuple(
        _numbered(at, taken) if doubtful else label
        for at, (label, doubtful) in enumerate(zip(labels, flags, strict=True), start=1)
    )


def _numbered(at: int, taken: frozenset[str]) -> str:
    """Return "column 2" for the second column, or "column 2 (2)" where another one is called so."""
    name, copy = f"column {at}", 1
    while name in taken:
        copy += 1
        name = f"column {at} ({copy})"
    return name


def likely_person(names: Sequence[str]) -> str:
    """Return the column that holds persons by its name, "" where none does: `patient` before `id`, never `order_id`."""
    words = {name: {word.lower() for word in _WORDS.findall(name)} for name in names}
    persons = (name for name in names if words[name] & PERSONS)
    ids = (name for name in names if words[name] & IDS and not words[name] & ROWS)
    return next(persons, next(ids, ""))
