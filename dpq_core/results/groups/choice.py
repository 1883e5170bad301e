"""Which groups are answered, and what one person is in: public facts only."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from ...groups.names import GroupName, checked_names
from ...privacy.composition import GroupsPerPerson
from ...tables.grouping import FindGroups
from ..persons import PersonChoice

STAND_IN = "a group"
SEPARATORS = ",;\t"
GUESSED = re.compile(r"(.*?)\s*[;\t]\s*(\d[\d,]{0,9})")
"""A name, and how many records its group has."""


Names: TypeAlias = tuple[str, ...] | None
"""A public list; None where a release finds which groups it names."""


@dataclass(frozen=True)
class GroupChoice:
    """The groups of a table that are answered side by side."""

    column: str
    """The name of the column of groups, as it may be shown."""
    names: Names
    """The public list; None where a release finds which groups it names."""
    other: str = ""
    """The name under which all other rows are pooled; empty where they are dropped."""
    groups_per_person: GroupsPerPerson = 1
    more: tuple[tuple[str, Names], ...] = ()
    """Further columns with their lists: every combination of names is a group then, or all of them are found."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns whose values name the groups."""
        return self.column, *(column for column, _ in self.more)

    @property
    def answered(self) -> tuple[GroupName, ...] | None:
        """Return the names of all groups, as answers carry them; None where they are found."""
        if self.names is None:
            return None
        if not self.more:
            return (*self.names, self.other) if self.other else self.names
        return tuple(product(self.names, *(names or () for _, names in self.more)))

    @property
    def settings(self) -> dict[str, Any]:
        """Return the arguments of `Groups.from_values` except the names and the people."""
        found: dict[str, Any] = {"other": self.other} if self.other else {}
        return found | ({"groups_per_person": self.groups_per_person} if self.groups_per_person != 1 else {})

    def settings_of_table(self, person: PersonChoice | None) -> dict[str, Any]:
        """Return the arguments of `Table.from_frame` about the groups of persons, or of rows."""
        lists = {self.column: self.names, **dict(self.more)}
        found: dict[str, Any] = {
            "by": {column: FindGroups() if names is None else list(names) for column, names in lists.items()}
        }
        if person is not None and not person.shares:
            found["groups_per_person"] = self.groups_per_person
        return found | {name: value for name, value in self.settings.items() if name != "groups_per_person"}

    @property
    def first(self) -> tuple[str, ...]:
        """Return for each column the name of one of its groups; a stand-in where none is listed."""
        lists = (self.names, *(names for _, names in self.more))
        return tuple(names[0] if names else STAND_IN for names in lists)

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as plain values for files."""
        names = None if self.names is None else list(self.names)
        more = [{"column": column, "names": None if own is None else list(own)} for column, own in self.more]
        return {"column": self.column, "names": names, **self.settings} | ({"more": more} if more else {})


def parse_names(typed: str, other: str = "") -> tuple[str, ...]:
    """Return a list of names as it was typed or pasted: a line each, or one line with commas, semicolons or tabs.

    Blank lines, repeats, and guesses behind the names are left out; quotes hold a name together. Raises ParameterError.
    """
    names = dict.fromkeys(name for name, _ in _entries(typed))
    return tuple(map(str, checked_names(list(names), other.strip() or None)))[: len(names)]


def parse_guesses(typed: str) -> dict[str, int]:
    """Return the number of records of each group, from the guess after its name: `north; 1200`."""
    return {name: int(guess.replace(",", "")) for name, guess in _entries(typed) if guess}


def _entries(typed: str) -> list[tuple[str, str]]:
    """Return names, none of them blank, with the guesses behind them; "" where there is none."""
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    found = [(guessed[1], guessed[2]) if (guessed := GUESSED.fullmatch(line)) else (line, "") for line in lines]
    separator = next((each for each in SEPARATORS if each in typed), "")
    if len(lines) == 1 and separator and not found[0][1]:
        found = [(name, "") for name in next(csv.reader(lines, delimiter=separator, skipinitialspace=True))]
    stripped = ((name.strip().strip('"').strip(), guess) for name, guess in found)
    return [(name, guess) for name, guess in stripped if name]
