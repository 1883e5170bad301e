"""One release: its answers cell by cell, what they guarantee, and what they are of; as values, tables, and JSON.

What a release draws is this object. A ledger stores its JSON, a page shows it, and files, data frames and reports are
written from it. Everything in it may be shown to anyone, and none of its answers is exact.

Format 2 of the JSON. Numbers are JSON numbers, which Python reads back exactly; a guarantee without epsilon has null;
levels of a plan are fractions as texts. A group is a list with one name for each column of groups; a column in one
piece is one group with an empty list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from math import inf
from typing import Any, TypeAlias

import numpy as np

from .columns_plan import ColumnsPlan
from .domain.domain import Domain
from .domain.finding import FindBounds, at_bound, clipped, warnings_at_bounds, warnings_of_groups
from .errors import ParameterError
from .far_answers import NOT_USABLE, far_answers, warnings_of_far
from .frame import COLUMN, Rows, first_rows, iso_date, release_numbers
from .groups.names import GroupName, name_in_words, parts_of, whole_name
from .intervals.drawn import Basis
from .intervals.ends import as_pairs
from .mechanisms.registry import MECHANISMS
from .one_column import WHOLE
from .plan import Plan, read_json
from .privacy.budgets import UNUSUAL_EPSILON, Adjacency, ApproxDP, Guarantee, Privacy, budget_in_digits, with_all_rows
from .privacy.composition import GroupsPerPerson
from .tabular import Tabular
from .version import VERSION

Values: TypeAlias = tuple[float, ...]
Pairs: TypeAlias = tuple[tuple[float, float], ...]
FORMAT = 2
PLAIN = ("question", "id", "account", "made", "version")
DATE = "date"
"""The kind of a column whose values are days since 1970-01-01, which tables write as dates."""


@dataclass(frozen=True, kw_only=True)
class ColumnWords:
    """How the values of a column are written, as a person said it."""

    kind: str = "number"
    """`number`, `money`, `percent`, `date` or `duration`."""
    unit: str = ""
    label: str = ""
    """What the column is called in sentences; empty where its name does."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """What the answers of a release are of, in words: public facts, said by a person or in the header of a file."""

    columns: Mapping[str, ColumnWords] = field(default_factory=dict)
    """By the names of columns; one that nobody described is left out."""
    one: str = "record"
    many: str = "records"
    records: int | None = None
    """How many there were, where the adjacency makes that public."""
    person: str = ""
    """What one person is called, where all rows of a person are protected together; else empty."""
    rule: str = ""
    """What counts of a person's rows, as a sentence."""
    max_rows_per_person: int | None = None
    """How many records of one person there may be, where there may be several."""
    max_groups_per_person: GroupsPerPerson | None = None
    """Where every group was answered: in how many of them a person may be."""
    share: bool = False
    """Whether all rows of a person weigh 1 together, in all groups."""
    finding: float | None = None
    """The share of epsilon that decided which groups are named; None where their list is public."""
    group_size: int | None = None
    """About how many records each group has, by a guess before the release; None without a guess."""
    group_sizes: tuple[tuple[str, int], ...] = ()
    """The names of groups for which another number was said, each with it."""

    @property
    def dates(self) -> tuple[str, ...]:
        """Return the columns whose values are days since 1970-01-01."""
        return tuple(name for name, words in self.columns.items() if words.kind == DATE)

    def unit_of(self, column: str) -> str:
        """Return the unit of a column's values; empty where nobody said one."""
        return self.columns[column].unit if column in self.columns else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the words as plain values; `from_dict` reads them back."""
        return vars(self) | {"columns": {name: vars(words) for name, words in self.columns.items()}}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Description:
        """Return the words that `as_dict` wrote."""
        columns = {name: ColumnWords(**words) for name, words in stored["columns"].items()}
        sizes = tuple((name, size) for name, size in stored["group_sizes"])
        return cls(**dict(stored) | {"columns": columns, "group_sizes": sizes})


@dataclass(frozen=True, kw_only=True)
class OneColumnsCells:
    """What released and simulated answers of one column have in common, in one piece or of all its groups."""

    column: str = COLUMN
    by: tuple[str, ...] = ()
    """The columns whose values name the groups, where they are known."""
    groups: tuple[GroupName, ...] = (WHOLE,)
    """Those of the public list, or those found; of a column in one piece WHOLE alone."""
    plan: Plan
    """What was run: of several columns, with this column's own part of the budget."""
    guarantee: Guarantee
    """Of this column's answers: of several columns, its part of that of the release. Of a study, were they released."""
    basis: Basis | None = None
    """What the intervals rest on, and how sure they are: the same in every group."""
    notes: tuple[str, ...] = ()
    """What else a reader of the answers should know, from public facts: for instance that two levels share one."""

    @property
    def in_one_piece(self) -> bool:
        """Return whether all records of the column are answered together."""
        return self.groups == (WHOLE,)


@dataclass(frozen=True, kw_only=True)
class Cells(OneColumnsCells):
    """The released answers of one column: a cell for each group.

    Values lie on the grid of `domain`, in the order of the plan's levels, and do not decrease with the level.
    """

    domain: Domain
    values: tuple[Values, ...]
    """Of each group, in the order of the plan's levels."""
    intervals: tuple[Pairs, ...] = ()
    """(low, high) of each value of each group, both ends included; empty where the plan asks for none.

    They hold for the true quantile itself, not only for the grid value that it is rounded down to, each for its own
    group: the chance is about one group, even if it is the chance that all intervals of a group hold at once. An end at
    a bound of the domain is open, because values beyond the bound count as the bound; tables have it as infinite.
    """
    find_bounds: FindBounds | None = None
    """How the domain was found, where the release found it; None where it was chosen."""

    @property
    def unusual(self) -> tuple[str, ...]:
        """Return sentences about answers at a bound or far beyond all others."""
        if not self.in_one_piece:
            names = map(name_in_words, self.groups)
            return warnings_of_groups(dict(zip(names, self.values, strict=True)), self.domain)
        (values,) = self.values
        return (*warnings_at_bounds(values, self.domain), *warnings_of_far(self.plan.quantiles, values))

    @property
    def rows(self) -> Rows:
        """Return the answers as rows of a table."""
        numbers = release_numbers(self.values, self.intervals, len(self.plan.quantiles), self.domain)
        rows = Rows.of(self.column, self.plan.quantiles, numbers, self.by, self.groups)
        return replace(rows, mechanism=MECHANISMS[self.plan.mechanism].LABEL, remarks=self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return of each answer, group by group, that it is not usable or lies at a bound; empty for all others."""
        return tuple(
            NOT_USABLE if far else f"{side} possible value" if (side := at_bound(value, self.domain)) else ""
            for values in self.values
            for value, far in zip(values, far_answers(self.plan.quantiles, values), strict=True)
        )

    @property
    def each_group(self) -> list[Cells]:
        """Return the answers of each group alone."""
        ends = self.intervals or ((),) * len(self.values)
        return [
            replace(self, groups=(name,), values=(values,), intervals=(pairs,) if pairs else ())
            for name, values, pairs in zip(self.groups, self.values, ends, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the answers as plain values; `from_dict` gives equal ones."""
        plain = {name: each.as_dict() if hasattr(each, "as_dict") else each for name, each in vars(self).items()}
        return plain | {"groups": [list(parts_of(name)) for name in self.groups]}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Cells:
        """Return the answers that `as_dict` wrote."""
        read: dict[str, Callable[[Any], Any]] = {
            "by": tuple,
            "groups": lambda names: tuple(map(whole_name, names)),
            "plan": Plan.from_dict,
            "guarantee": _guarantee_from_dict,
            "domain": Domain.from_dict,
            "find_bounds": FindBounds.from_dict,
            "values": lambda groups: tuple(tuple(map(float, values)) for values in groups),
            "intervals": lambda groups: tuple(map(as_pairs, groups)),
            "basis": lambda said: Basis(said["proved"], tuple(said["sentences"])),
            "notes": tuple,
        }
        told = {name: value for name, value in stored.items() if value is not None}
        return cls(**{name: read[name](value) if name in read else value for name, value in told.items()})


@dataclass(frozen=True, kw_only=True, repr=False)
class Release(Tabular[Cells]):
    """Hold the answers of a release; you may show all of them to anyone, and none is exact.

    `release[column]` is everything about the answers of one column, and `values` has its numbers.
    """

    plan: ColumnsPlan
    """What was asked for, with the mechanisms that were run: of the whole."""
    guarantee: Guarantee
    """Of all answers together."""
    cells: tuple[Cells, ...]
    """The answers column by column."""
    description: Description = field(default_factory=Description)
    question: Mapping[str, Any] = field(default_factory=dict)
    """Everything that was asked, as `Question.as_dict` writes it; empty where that is not known."""
    id: str = ""
    """Under which a ledger keeps it; empty for a release that no account paid."""
    account: str = ""
    """The account that paid it; empty where none did."""
    made: str = field(default_factory=lambda: now())
    """When it was drawn: UTC, ISO 8601, to the second."""
    version: str = VERSION

    @classmethod
    def of(cls, cells: Iterable[Cells], plan: ColumnsPlan, guarantee: Guarantee) -> Release:
        """Return the release of answers that were drawn by the exact sampler, and of what they guarantee."""
        drawn = tuple(replace(each, guarantee=replace(each.guarantee, exact=True)) for each in cells)
        return cls(plan=plan, guarantee=replace(guarantee, exact=True), cells=drawn)

    @property
    def values(self) -> dict[str, Any]:
        """Return the answers by column, and by group where it has any, on the grid, in the order of the levels."""
        return {each.column: _by_group(each, each.values) for each in self.cells}

    @property
    def intervals(self) -> dict[str, Any]:
        """Return (low, high) of each value, in the same form; columns without intervals are left out."""
        return {each.column: _by_group(each, each.intervals) for each in self.cells if each.intervals}

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a reader of the answers should know besides; of several columns, each after its column's name."""
        return tuple(
            f"{each.column}: {note}" if len(self.cells) > 1 else note for each in self.cells for note in each.notes
        )

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Return what is unusual about the budget, and of each column, after its name where there are several."""
        said = []
        for each in self.cells:
            written = iso_date if each.column in self.description.dates else "{:,.12g}".format
            of_bounds = () if each.find_bounds is None else (clipped(each.find_bounds, each.domain, written),)
            said += [f"{each.column}: {one}" if len(self.cells) > 1 else one for one in (*each.unusual, *of_bounds)]
        return (*warnings_of_budget(self.plan.privacy, self.guarantee), *said)

    @property
    def of_one_column(self) -> bool:
        """Return whether it answers one column in one piece."""
        return len(self.cells) == 1 and self.cells[0].in_one_piece

    @property
    def mechanisms(self) -> dict[str, str]:
        """Return the key of the mechanism that answered each column."""
        return {each.column: each.plan.mechanism for each in self.cells}

    @property
    def hides(self) -> str:
        """Return what the guarantee protects, in the words of the description: `one patient joins or leaves`."""
        words, whom, relation = self.description, self.guarantee.protects, self.guarantee.adjacency
        return relation.of(words.one if whom == "record" else with_all_rows(words.person or whom))

    def _ends(self, as_wide: bool) -> dict[str, Any]:
        rows = [len(part.groups) if as_wide else part.rows for part in self._parts]
        return {
            **({} if as_wide else {"remark": [said for part in self._parts for said in part.remarks]}),
            "mechanism": np.repeat([part.mechanism for part in self._parts], rows),
            "account": self.account, "release_id": self.id, "date": self.made,
            "label": f"Release: {self.guarantee.in_terms_of(self.plan.privacy)}, {self.hides}.",
        }  # fmt: skip

    def to_json(self, indent: int | None = None) -> str:
        """Return the release as JSON text, format 2; `Release.from_json` gives an equal one. `indent`: as in json."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=indent)

    def as_dict(self) -> dict[str, Any]:
        """Return the release as plain values."""
        return {
            "format": FORMAT,
            "plan": self.plan.as_dict(),
            "mechanisms": self.mechanisms,
            "guarantee": self.guarantee.as_dict(),
            "cells": [each.as_dict() for each in self.cells],
            "warnings": self.warnings,
            "description": self.description.as_dict(),
            **{name: getattr(self, name) for name in PLAIN},
        }

    @classmethod
    def from_json(cls, text: str) -> Release:
        """Return the release that `to_json` wrote. Raises ParameterError for anything else."""
        stored = read_json(text, "release")
        with suppress(AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
            if stored["format"] == FORMAT:
                found = cls._from_dict(stored)
                if found._fits_together():
                    return found
        raise ParameterError("release", f"must be the JSON of a release in format {FORMAT}, as to_json writes it.")

    @classmethod
    def _from_dict(cls, stored: Mapping[str, Any]) -> Release:
        return cls(
            plan=ColumnsPlan.from_dict(stored["plan"]),
            guarantee=_guarantee_from_dict(stored["guarantee"]),
            cells=tuple(map(Cells.from_dict, stored["cells"])),
            description=Description.from_dict(stored["description"]),
            **{name: stored[name] for name in PLAIN if name in stored},
        )

    def _fits_together(self) -> bool:
        """Return whether it can be shown. For a text that was changed by hand it may fail instead, as showing would."""
        _ = self._price, self.to_json(), self.values, self.intervals, first_rows(self._parts, 1)
        texts = [self.id, self.account, self.made, self.version, *self.warnings, *self.notes]
        named = [(each.by, parts_of(name)) for each in self.cells for name in each.groups]
        alike = all(len(each.values) == len(each.groups) for each in self.cells)
        of_texts = all(isinstance(text, str) for text in texts)
        return bool(self.cells) and alike and of_texts and all(len(by) in {0, len(name)} for by, name in named)


def _by_group(cells: Cells, found: tuple[Any, ...]) -> Any:
    return found[0] if cells.in_one_piece else dict(zip(cells.groups, found, strict=True))


def warnings_of_budget(privacy: Privacy, guarantee: Guarantee) -> tuple[str, ...]:
    """Return sentences about a budget that is legal and unusual, and about what was spent of it."""
    found, asked = [], privacy if isinstance(privacy, ApproxDP) else None
    epsilon = guarantee.epsilon if guarantee.delta == 0 else asked.epsilon if asked else 0.0
    if UNUSUAL_EPSILON < epsilon < inf:
        found.append(f"ε = {budget_in_digits(epsilon, 4)} protects little: values up to 1 are usual, above 5 rare.")
    if asked and asked.delta > 1e-4:
        found.append(f"δ = {asked.delta:.3g} is large: it should be well below one in the number of people.")
    return tuple(found)


def _guarantee_from_dict(values: Mapping[str, Any]) -> Guarantee:
    epsilon = inf if values["epsilon"] is None else values["epsilon"]
    return Guarantee(**dict(values) | {"epsilon": epsilon, "adjacency": Adjacency(values["adjacency"])})


def now() -> str:
    """Return the date and time: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def sizes_in_words(sizes: Mapping[GroupName, int]) -> dict[str, Any]:
    """Return the number of records of each group as a `Description` says it."""
    return {"group_sizes": tuple((name_in_words(name), size) for name, size in sizes.items())}
