"""The grid of a study: every combination of mechanisms, budgets, levels and data, readable and writable as JSON."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import Name, ParameterError, each_of, shown
from ..mechanisms.registry import MECHANISMS
from ..people.takes import PerPerson, checked_per_person
from ..plan import MAX_LEVELS, Intervals, Level, Plan, read_json
from ..privacy.budgets import Adjacency, Privacy, PureDP, privacy_as_dict, privacy_from_dict
from ..study import check_count
from .configuration import Configuration, Levels, Method

FORMAT = 1
HARD = Path(__file__).with_name("hard.toml")
MOST_CELLS = 100_000
MOST_TRIALS = 10_000_000
MOST_RECORDS = 100_000_000
VARIED = {
    "data": "data", "n": "n", "domains": "domain", "quantiles": "quantiles", "adjacencies": "adjacency",
    "budgets": "privacy", "mechanisms": "method",
}  # fmt: skip
"""Lists of a grid, and what one item of each is in a Configuration; mechanisms vary fastest."""


@dataclass(frozen=True, init=False)
class StudyDesign:
    """A study: every combination of what is listed, `trials` simulated answers for each.

    mechanisms   keys, Methods, or dicts with mechanism, options, label; all mechanisms where none are given
    budgets      PureDP, ApproxDP, ZCDP or the dicts that they become
    quantiles    lists of levels; a whole number m means the m levels j / (m + 1)
    data         names of shapes (`shapes.SHAPES`), of examples, or of columns given to the engine
    n            records: drawn afresh from a shape, with replacement from a column; None for all of a column
    domains      Domains or their dicts; None for the public bounds of a shape or an example
    per_person   as in `Column.from_values`, or `max_rows_per_person`; n counts persons; without ids each record is one
    intervals    the chance that an interval around each answer holds, or Intervals; None for no intervals
    find_bounds  FindBounds or their dict: every run finds bounds first; `domains` then say where a shape's records lie
    data_sets    fresh draws of the data, among which the trials are divided evenly; so it must divide them

    Raises ParameterError with the name of the setting.
    """

    mechanisms: tuple[Method, ...]
    budgets: tuple[Privacy, ...]
    quantiles: tuple[Levels, ...]
    data: tuple[str, ...]
    n: tuple[int | None, ...]
    domains: tuple[Domain | None, ...]
    adjacencies: tuple[Adjacency, ...]
    trials: int
    data_sets: int
    seed: int
    per_person: PerPerson | None
    max_rows_per_person: int | None
    intervals: Intervals | None
    find_bounds: FindBounds | None

    def __init__(
        self,
        *,
        mechanisms: Iterable[str | Method | Mapping[str, Any]] | None = None,
        budgets: Iterable[Privacy | Mapping[str, Any]] = (PureDP(1.0),),
        quantiles: Iterable[int | Iterable[Level]] = (9,),
        data: Iterable[str] = ("uniform",),
        n: Iterable[int | None] = (None,),
        domains: Iterable[Domain | Mapping[str, Any] | None] = (None,),
        adjacencies: Iterable[Adjacency | str] = (Adjacency.ADD_REMOVE,),
        trials: int = 100,
        data_sets: int = 1,
        seed: int = 0,
        per_person: PerPerson | None = None,
        max_rows_per_person: int | None = None,
        intervals: Intervals | float | Mapping[str, Any] | None = None,
        find_bounds: FindBounds | Mapping[str, Any] | None = None,
    ) -> None:
        if per_person is not None or max_rows_per_person is not None:
            per_person, max_rows_per_person = checked_per_person(per_person, max_rows_per_person)
        if not (find_bounds is None or isinstance(find_bounds, FindBounds)):
            find_bounds = FindBounds.from_dict(find_bounds)
        for name, value, least in (("trials", trials, 1), ("data_sets", data_sets, 1), ("seed", seed, 0)):
            check_count(name, value, least)
        settings = {
            "mechanisms": _each("mechanisms", tuple(MECHANISMS) if mechanisms is None else mechanisms, _method),
            "budgets": _each("budgets", budgets, _budget),
            "quantiles": _each("quantiles", quantiles, _levels),
            "data": _each("data", data, _name),
            "n": _each("n", n, _size),
            "domains": _each("domains", domains, _domain),
            "adjacencies": _each("adjacencies", adjacencies, lambda value: Plan([], adjacency=value).adjacency),
            "trials": int(trials), "data_sets": int(data_sets), "seed": int(seed), "per_person": per_person,
            "max_rows_per_person": max_rows_per_person, "intervals": Intervals.from_plain(intervals),
            "find_bounds": find_bounds,
        }  # fmt: skip
        for name, values in settings.items():
            object.__setattr__(self, name, values)
        if trials > MOST_TRIALS or trials % data_sets:
            raise ParameterError(
                "trials", ("must be a multiple of ", Name("data_sets"), f" and <= {MOST_TRIALS}, got {shown(trials)}.")
            )
        if len(self) > MOST_CELLS:
            raise ParameterError("grid", f"must have at most {MOST_CELLS:,} combinations, got {len(self):,}.")

    def __len__(self) -> int:
        return prod(len(getattr(self, name)) for name in VARIED)

    def configurations(self) -> list[Configuration]:
        """Return every combination in a fixed order: those that share a column together, mechanisms varying fastest."""
        settings = ("trials", "data_sets", "seed", "per_person", "max_rows_per_person", "intervals", "find_bounds")
        shared: dict[str, Any] = {name: getattr(self, name) for name in settings}
        order = product(*(getattr(self, name) for name in VARIED))
        return [Configuration(**dict(zip(VARIED.values(), chosen, strict=True)), **shared) for chosen in order]

    def to_json(self) -> str:
        """Return the design as JSON text; `StudyDesign.from_json` gives an equal one."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Return the grid as plain values."""
        further = {
            "per_person": self.per_person, "max_rows_per_person": self.max_rows_per_person,
            "find_bounds": self.find_bounds and self.find_bounds.as_dict(),
            "intervals": self.intervals and dict(vars(self.intervals)),
        }  # fmt: skip
        return {
            "format": FORMAT,
            "mechanisms": [method.as_dict() for method in self.mechanisms],
            "budgets": [privacy_as_dict(privacy) for privacy in self.budgets],
            "quantiles": [
                len(levels) if levels == even_levels(len(levels)) else [str(level) for level in levels]
                for levels in self.quantiles
            ],
            "data": list(self.data),
            "n": list(self.n),
            "domains": [domain and domain.as_dict() for domain in self.domains],
            "adjacencies": [adjacency.value for adjacency in self.adjacencies],
            "trials": self.trials,
            "data_sets": self.data_sets,
            "seed": self.seed,
        } | {name: value for name, value in further.items() if value is not None}

    @classmethod
    def from_json(cls, text: str) -> StudyDesign:
        """Return the grid that `to_json` wrote, or one written by hand: what is left out has its default.

        Raises ParameterError.
        """
        return cls.from_dict(read_json(text, "grid"))

    @classmethod
    def from_dict(cls, values: Any) -> StudyDesign:
        """Return the grid that `as_dict` wrote, or a part of one; a "label" is ignored. Raises ParameterError."""
        known = {"format", "label", *cls.__dataclass_fields__}
        if not isinstance(values, dict) or values.get("format", FORMAT) != FORMAT:
            raise ParameterError("grid", f"must hold names with values, with format {FORMAT}.")
        if unknown := sorted(set(values) - known):
            raise ParameterError("grid", f"must hold only {', '.join(sorted(known))}, got {', '.join(unknown)[:80]!r}.")
        return cls(**{name: value for name, value in values.items() if name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class HardCase:
    """Data and settings that are hard for one mechanism or another: what they change in a grid, and what to see."""

    key: str
    label: str
    expect: str
    changes: Mapping[str, Any]

    def applied(self, grid: StudyDesign) -> StudyDesign:
        """Return the grid with the data and settings of this case; all else stays as it is."""
        return StudyDesign.from_dict(grid.as_dict() | {"n": [1000], "domains": [None]} | dict(self.changes))


BREAK_IT = {key: HardCase(key, **case) for key, case in tomllib.loads(HARD.read_text(encoding="utf-8")).items()}
"""Every hard case by its key."""


def even_levels(m: int) -> Levels:
    """Return the m levels j / (m + 1), which the papers call uniform."""
    return tuple(Fraction(j, m + 1) for j in range(1, m + 1))


def _each(name: str, values: Any, checked: Callable[[Any], Any]) -> tuple[Any, ...]:
    listed = each_of(values, name, f"must be a list, got {type(values).__name__}.")
    found = tuple(dict.fromkeys(checked(value) for value in listed))
    if not found:
        raise ParameterError(name, "must not be empty.")
    return found


def _method(value: Any) -> Method:
    if isinstance(value, Method):
        return value
    if isinstance(value, Mapping) and "mechanism" in value and set(value) <= {"mechanism", "options", "label"}:
        return Method(**value)
    if isinstance(value, str):
        return Method(value)
    raise ParameterError("mechanisms", "must hold keys, or mechanism, options and label.")


def _budget(value: Any) -> Privacy:
    return Plan([], privacy=privacy_from_dict(dict(value)) if isinstance(value, Mapping) else value).privacy


def _levels(value: Any) -> Levels:
    if isinstance(value, int) and not isinstance(value, bool):
        check_count("quantiles", value, 1)
        return Plan(even_levels(min(value, MAX_LEVELS + 1))).quantiles
    levels = Plan(value).quantiles
    if not levels:
        raise ParameterError("quantiles", "must hold lists of at least one level each.")
    return levels


def _name(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    raise ParameterError("data", "must hold names.")


def _size(value: Any) -> int | None:
    if value is not None:
        check_count("n", value, 0)
        if value > MOST_RECORDS:
            raise ParameterError("n", f"must be <= {MOST_RECORDS:,}, got {shown(value)}.")
    return None if value is None else int(value)


def _domain(value: Any) -> Domain | None:
    return value if value is None or isinstance(value, Domain) else Domain.from_dict(value, "domains")
