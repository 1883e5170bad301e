"""Which groups are answered, and what one person is in: public facts only."""

from __future__ import annotations

import csv
import re
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...arrays import Floats
from ...calibrations import calibrate_grouped
from ...domain import Domain
from ...groups import CalibratedGroups, GroupColumn, Groups, MisfitWarning, checked_names
from ...people import ONE_RECORD, People
from ...plan import Plan
from ..persons import PersonChoice

STAND_IN = "a group"
SEPARATORS = ",;\t"
GUESSED = re.compile(r"(.*?)\s*[;\t]\s*(\d[\d,]{0,9})")
"""A name, and how many records its group has."""


@dataclass(frozen=True)
class GroupChoice:
    """The groups of a column that are answered side by side."""

    column: str
    """The name of the column of groups, which may be told."""
    names: tuple[str, ...] | None
    """The public list; None where a release finds which groups it names."""
    other: str = ""
    """The name under which all other rows are pooled; empty where they are dropped."""
    groups_per_person: int = 1
    fixed: bool = False
    """Whether nobody's group can change, and it is public."""

    @property
    def settings(self) -> dict[str, Any]:
        """Return what `Groups.from_values` is told, but for the names and the people."""
        found: dict[str, Any] = {"other": self.other} if self.other else {}
        found |= {"groups_per_person": self.groups_per_person} if self.groups_per_person > 1 else {}
        return found | ({"fixed": True} if self.fixed else {})

    def groups_of(
        self,
        values: Floats,
        groups: GroupColumn,
        domain: Domain,
        people: People | None,
        person: PersonChoice | None,
        missing: Fraction | None,
        seed: int | None = None,
    ) -> Groups:
        """Return the columns of all groups on a grid. Raises DataError, ParameterError."""
        whose = {"people": people, **person.settings} if person else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MisfitWarning)  # it is said where the names are typed
            return Groups.from_values(
                values, groups, domain, names=self.names, seed=seed, missing=missing, **self.settings, **whose
            )

    def calibrated(self, plan: Plan, domain: Domain, person: PersonChoice | None, about: int) -> CalibratedGroups:
        """Return what a plan for such groups costs, from public facts: no data is read.

        `about`: a guess of each group's records, for mechanisms that read them where they are public. Raises
        ParameterError (also Infeasible).
        """
        about = about if self.fixed and person is None else 1
        whose = {"people": People.of([0]), **person.settings} if person else {}
        names = None if self.names is None else [STAND_IN]
        settings = {name: value for name, value in self.settings.items() if name != "other"}
        values, groups = [float(domain.lower)] * about, [STAND_IN] * about
        one = Groups.from_values(values, groups, domain, names=names, **settings, **whose)
        return calibrate_grouped(one, plan)

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as plain values for files."""
        names = None if self.names is None else list(self.names)
        return {"column": self.column, "names": names, **self.settings}


def one_number(person: PersonChoice | None) -> bool:
    """Return whether one number of each person counts in a group, as groups need it."""
    return person is None or person.take in ONE_RECORD


def parse_names(typed: str, other: str = "") -> tuple[str, ...]:
    """Return a list of names as it was typed or pasted: a line each, or one line with commas, semicolons or tabs.

    Blank lines, repeats, and guesses behind the names are left out; quotes hold a name together. Raises ParameterError.
    """
    names = dict.fromkeys(name for name, _ in _entries(typed))
    return tuple(map(str, checked_names(list(names), other.strip() or None)))[: len(names)]


def parse_guesses(typed: str) -> dict[str, int]:
    """Return how many records each group has by a guess that stands behind its name: `north; 1200`."""
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
