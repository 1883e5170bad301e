"""What a line asks: columns, groups, persons, a plan; as a table, a price, words for a report, and a forecast."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ..advice.columns import PublicColumns, forecast_columns
from ..api import with_best
from ..columns.release import calibrate_columns
from ..domain.finding import FindBounds
from ..errors import Name, ParameterError
from ..finding.column import whole_of
from ..groups.table import Groups
from ..people.words import plural_of
from ..plan import Plan
from ..privacy.budgets import Adjacency, ApproxDP, Guarantee, Protects
from ..progress import Progress
from ..release import DATE, ColumnWords, Description
from ..results.persons import PersonChoice, unit_for, weighs_shares
from ..sources.column import Column
from ..tables.grouping import FindGroups
from ..tables.table import Table
from . import budget, groups, persons
from .columns import Bounds, columns_of, missing_of, number_or_day
from .groups import By


@dataclass(frozen=True)
class Asked:
    """What is asked, by the options and the plan file alone."""

    plan: Plan
    columns: dict[str, Bounds]
    by: By
    person: PersonChoice | None
    missing: dict[str, str]
    """What a missing value of each column counts as, as it was typed."""
    settings: dict[str, Any]
    """Further arguments of `Table.from_frame`."""

    @property
    def protects(self) -> Protects:
        """Return what the release protects one of."""
        return "record" if self.person is None else "person"

    def table(self, frame: object, *, progress: bool | Progress = False) -> Table[Any]:
        """Return the table of a frame. Raises ParameterError, DataError."""
        person = {} if self.person is None else {"person": self.person.column, **self.person.settings}
        missing = {name: number_or_day(value, "--missing") for name, value in self.missing.items()}
        possible = {name: each.possible for name, each in self.columns.items()}
        return Table.from_frame(
            frame, possible, by=self.by or None, missing=missing, progress=progress, **person, **self.settings
        )

    def price(self) -> Guarantee | None:
        """Return what a release costs; None where that depends on the number of people.

        A table without rows finds out what cannot be combined, or is beyond the mechanism. Raises ParameterError.
        """
        texts = [*self.by, *([self.person.column] if self.person else [])]
        frame = dict.fromkeys(self.columns, np.empty(0)) | dict.fromkeys(texts, np.empty(0, object))
        columns = self.table(frame).columns
        if self.plan.adjacency is Adjacency.SUBSTITUTE:
            return None
        return calibrate_columns(columns, with_best(columns, self.plan)).guarantee

    def description(self, table: Table[Any], read: Mapping[str, Column], one: str, sizes: Any) -> Description:
        """Return what the answers are of. `one`: what one of the protected is called; `sizes`: guesses of groups."""
        units = {name: "" if column.kind == DATE else column.unit for name, column in read.items()}
        found: dict[str, Any] = {
            "columns": {name: ColumnWords(kind=column.kind, unit=units[name]) for name, column in read.items()},
            "one": one, "many": plural_of(one), "group_size": sizes if isinstance(sizes, int) else None,
            "group_sizes": tuple(sizes.items()) if isinstance(sizes, Mapping) else (),
        }  # fmt: skip
        if self.person is not None:
            found |= {"person": one, "rule": replace(self.person, one=one).rule, "most_rows": self.person.most_rows}
        whole = whole_of(next(iter(table.columns.values())))
        if isinstance(whole, Groups):
            found |= {"groups_per_person": whole.groups_per_person, "finding": whole.finding}
            found |= {"share": weighs_shares(self.person)}
        return Description(**found)

    def expected(self, guess: Any) -> Iterator[str]:
        """Yield which errors to expect, which groups are too small and what would help, from public facts alone.

        Raises ParameterError.
        """
        lists = [names for names in self.by.values() if not isinstance(names, FindGroups)]
        if len(lists) < len(self.by):
            raise ParameterError("--by", "must list the groups for a forecast: only a release decides which it finds.")
        if guess is None:
            raise ParameterError("--about", "must be given for a forecast: about how many there are, or in each group.")
        possible = {name: each.possible for name, each in self.columns.items()}
        domains = {name: each.widest if isinstance(each, FindBounds) else each for name, each in possible.items()}
        names = lists[0] if len(lists) == 1 else list(product(*lists))
        found = forecast_columns(
            self.plan, PublicColumns(domains=domains, units=dict.fromkeys(domains, unit_for(self.person, self.plan))),
            guess, names if lists else None,
            most_rows=(self.person and self.person.most_rows) or 1,
            groups_per_person=self.settings["groups_per_person"] or 1, share=weighs_shares(self.person),
        )  # fmt: skip
        for name, sentences in found.items():
            if isinstance(possible[name], FindBounds):
                sentences = ("The expected errors depend on the bounds that the release finds.",)
            yield from (sentence if len(found) == 1 else f"{name}: {sentence}" for sentence in sentences)


def asked_of(chosen: argparse.Namespace, only_column: Callable[[], str]) -> Asked:
    """Return what is asked; `only_column` names the only column of the data. Raises ParameterError, OSError."""
    plan, stored = budget.plan_of(chosen)
    columns = columns_of(chosen, stored.columns)
    person, (by, settings) = persons.person_of(chosen, stored.person), groups.groups_of(chosen, stored.groups)
    if by and person and not person.shares and settings["groups_per_person"] is None:
        if chosen.by:
            must = "must say in how many groups one person counts, such as 1; rows in more groups are dropped."
            raise ParameterError("--groups-per-person", must)
        settings["groups_per_person"] = 1  # which a plan file leaves out
    plan = budget.with_intervals(plan, chosen, in_groups=bool(by))
    if "" in columns:
        columns = {only_column(): columns[""]}
    twice = next((name for name in columns if name in {*by, person and person.column}), None)
    if twice is not None:
        option = "--by" if twice in by else "--person"
        raise ParameterError(option, f"must name a column that you do not ask quantiles of, got {twice!r}.")
    if not isinstance(plan.privacy, ApproxDP) and chosen.plan is None and FindGroups() in by.values():
        way = (" where groups are found, such as 1e-6; or list the groups, as in ", Name("--by"), " NAME=A,B.")
        raise ParameterError("--delta", ("must be given with ", Name("--epsilon"), *way))
    asked = Asked(plan, columns, by, person, missing_of(chosen, columns), settings)
    is_public = not by and (person is None or person.most_rows is None)
    if plan.adjacency is Adjacency.SUBSTITUTE and is_public and len(asked.missing) < len(columns):
        raise ParameterError(
            "--missing",
            "must be given if one person is replaced by another, even if no value is missing: the number of people is "
            "public then, so no row may be left out. Say from public knowledge what a missing value counts as.",
        )
    return asked
