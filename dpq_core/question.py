"""Question: everything public that one release is asked, in one object and one JSON.

`Plan` and `Table.from_frame` are the two halves that people write. A form, a line of the shell, a link and a plan file
say both together, and a ledger binds the id of a release to them. A question never holds a value of the data, nor
anything counted of them.

Format 2 of the JSON: numbers are exact texts, levels are fractions, and a group is a list with one name for each column
of groups. What has its usual value is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from .columns_plan import ColumnsPlan, Plans, Weights, synthetic_plan
from .domain.domain import Domain
from .domain.finding import FindBounds
from .domain.numbers import exact_number
from .errors import Name, ParameterError, check_flags, shown
from .grouping import Grouping
from .groups.bounding import checked_most
from .groups.names import GroupName, number_of_each, parts_of, whole_name
from .one_column import ROWS
from .people.takes import PerPerson, checked_per_person, plural_of, rule_in_words
from .plan import BEST, NOISY, Intervals, OptionValue, Plan, levels_of, read_json
from .privacy.budgets import Adjacency, Privacy, budget_of
from .privacy.composition import GroupsPerPerson
from .release import DATE, ColumnWords, Description, sizes_in_words
from .sources.forms import as_dict as reading_as_dict
from .sources.reading import AS_WRITTEN, Opening, Reading

T = TypeVar("T")
FORMAT = 2
WEIGHT: PerPerson = "weight"
"""Of `Persons.per_person`: all rows of a person count, with a weight of 1 together."""
MADE_BY = "It is what `Question.to_json` and the page's *Question as a file* write."
Bounds: TypeAlias = Domain | FindBounds


@dataclass(frozen=True, kw_only=True)
class Persons:
    """Whose rows belong together, and what counts of each person's rows. Never an id. Raises ParameterError."""

    column: str = ""
    """The column of ids; empty where nobody said."""
    per_person: PerPerson | None = None
    """The one number that counts of each person: mean, median, min, max, first, last, random; or WEIGHT."""
    max_rows: int | None = None
    """How many rows of each count at most, in each group."""
    max_groups: GroupsPerPerson | None = None
    """In how many groups a person counts; "any": `max_rows` holds for all groups together."""
    missing_is_person: bool = False
    """Whether a row without an id is a person of its own; else it belongs to nobody."""

    def __post_init__(self) -> None:
        check_flags(self, "missing_is_person")
        object.__setattr__(self, "max_rows", checked_per_person(self.per_person, self.max_rows)[1])
        if self.max_groups is not None:
            object.__setattr__(self, "max_groups", checked_most(self.max_groups, self.per_person, self.max_rows))
        if not isinstance(self.column, str):
            raise ParameterError("person", f"must be the name of the column of ids, got {shown(self.column)}.")

    @property
    def shares(self) -> bool:
        """Return whether all rows of a person count, with a weight of 1 together."""
        return self.per_person == WEIGHT

    @property
    def settings(self) -> dict[str, Any]:
        """Return the one of the arguments `per_person` and `max_rows_per_person` that is chosen."""
        return {"per_person": self.per_person} if self.max_rows is None else {"max_rows_per_person": self.max_rows}

    def in_words(self, one: str) -> str:
        """Return what counts as a sentence; `one`: what one person is called."""
        return rule_in_words(self.per_person, self.max_rows, one)

    def as_dict(self) -> dict[str, Any]:
        """Return the rule as plain values."""
        return {name: value for name, value in vars(self).items() if value not in {None, "", False}}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of one column. The question checks it together with its budget."""

    possible: Bounds
    """The possible values, from public knowledge; or how their bounds are found."""
    levels: tuple[Fraction, ...]
    mechanism: str = BEST
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Of the mechanism."""
    intervals: Intervals | None = None
    about_n: int | Mapping[GroupName, int] | None = None
    """About how many records there are, or are in each group: one number, or one for each. It decides what "best" is,
    and intervals rest on it."""
    noisy_count: bool = False
    """Whether the records are counted first, with a part of the budget: then intervals rest on that."""
    missing: Fraction | None = None
    """What a missing value counts as; None leaves it out."""
    weight: Fraction = Fraction(1)
    """Of the column's part of the budget, beside those of others."""
    synthetic: int | None = None
    """The number of values of a synthetic column, which is then the answer; the levels count for nothing."""
    held: str = ROWS
    """ROWS, or the kind of a sketch: GK, BINS."""
    sketch: Mapping[str, OptionValue] = field(default_factory=dict)
    """The settings that a sketch was made with."""
    reading: Reading = AS_WRITTEN
    """How the cells of a file are written, as it was said."""
    words: ColumnWords = ColumnWords()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        check_flags(self, "noisy_count")

    @property
    def without_intervals(self) -> Asked:
        """Return the same without intervals, and without a count, which is for these alone."""
        return replace(self, intervals=None, noisy_count=False)

    def plan(self, budget: Privacy, adjacency: Adjacency) -> Plan:
        """Return the plan of this column, which names the budget of the whole. Raises ParameterError.

        That of a synthetic column has a level for each of its values.
        """
        about = NOISY if self.noisy_count else self.about_n
        plan = Plan(self.levels, self.mechanism, budget, adjacency, self.options, self.intervals, about)
        return plan if self.synthetic is None else synthetic_plan(plan, self.synthetic)

    def as_dict(self) -> dict[str, Any]:
        """Return what is asked as plain values; `from_dict` reads them back."""
        about: Any = self.about_n
        if isinstance(about, Mapping):
            about = sorted(([list(parts_of(name)), n] for name, n in about.items()), key=json.dumps)
        given = {
            "options": dict(self.options),
            "intervals": None if self.intervals is None else dict(vars(self.intervals)),
            "about_n": about,
            "noisy_count": self.noisy_count,
            "missing": None if self.missing is None else str(self.missing),
            "weight": None if self.weight == 1 else str(self.weight),
            "synthetic": self.synthetic,
            "held": None if self.held == ROWS else self.held,
            "sketch": dict(self.sketch),
            "reading": reading_as_dict(self.reading),
            "words": {name: value for name, value in vars(self.words).items() if value != getattr(ColumnWords(), name)},
        }
        said = {
            name: value for name, value in given.items() if value is not None and value is not False and value != {}
        }
        levels = [str(level) for level in self.levels]
        return {"possible": self.possible.as_dict(), "levels": levels, "mechanism": self.mechanism} | said

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Asked:
        """Return what `as_dict` wrote. Raises ParameterError, KeyError, TypeError."""
        given, about = dict(values), values.get("about_n")
        of_bounds: Callable[[Any], Bounds] = FindBounds.from_dict if "share" in given["possible"] else Domain.from_dict
        read: dict[str, Callable[[Any], Any]] = {
            "possible": of_bounds,
            "levels": levels_of,
            "intervals": Intervals.from_plain,
            "missing": lambda number: exact_number(number, "missing"),
            "weight": lambda number: exact_number(number, "weights"),
            "reading": lambda said: Reading(**said),
            "words": lambda said: ColumnWords(**said),
        }
        if isinstance(about, list):
            given["about_n"] = {whole_name(name): n for name, n in about}
        return cls(**{name: read[name](value) if name in read else value for name, value in given.items()})


@dataclass(frozen=True, kw_only=True)
class Question:
    """Ask quantiles of columns of one table, under one budget: public facts alone.

    What is wrong by itself, or together with another part, is refused here in a sentence, before any data are read.
    Two questions are equal when every choice and every word is. Raises ParameterError with the name of the setting.
    """

    columns: Mapping[str, Asked]
    budget: Privacy
    """Of the whole."""
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    groups: Grouping | None = None
    """The groups of all columns that are answered; None for one answer of each column."""
    persons: Persons | None = None
    """None where every row is a different person."""
    file: Opening | None = None
    """How a file is opened; None for a data frame, of which nobody says how it is read."""
    one: str = ""
    """What one of the protected is called, in the singular; empty where nobody said."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        if not isinstance(self.budget, Privacy):
            raise ParameterError("epsilon", ("must be given, or ", Name("rho"), ": every release spends a budget."))
        refuse_persons_in_groups(self.persons, in_groups=self.groups is not None)
        for about in (each.about_n for each in self.columns.values()):
            if isinstance(about, Mapping):
                number_of_each(about, () if self.groups is None else self.groups.answered)
        assert self.plan.names == tuple(self.columns), "the plan of each column was made, so that its errors come now"

    @cached_property
    def plan(self) -> ColumnsPlan:
        """Return the plan of each column, and how they divide the budget."""
        plans = {name: each.plan(self.budget, self.adjacency) for name, each in self.columns.items()}
        return ColumnsPlan.of(plans, plans, {name: each.weight for name, each in self.columns.items()})

    @property
    def possible(self) -> dict[str, Bounds]:
        """Return the possible values of each column, or how their bounds are found."""
        return {name: each.possible for name, each in self.columns.items()}

    @property
    def missing(self) -> dict[str, Fraction | None]:
        """Return what a missing value of each column counts as."""
        return {name: each.missing for name, each in self.columns.items()}

    @property
    def domains(self) -> dict[str, Domain]:
        """Return the grid of all answers of each column; the widest that there can be where bounds are to be found."""
        return {name: each.widest if isinstance(each, FindBounds) else each for name, each in self.possible.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns of a table that are read, each once."""
        by = () if self.groups is None else self.groups.by
        return tuple(dict.fromkeys([*self.columns, *by, *([] if self.persons is None else [self.persons.column])]))

    @property
    def number_is_public(self) -> bool:
        """Return whether the number of records is public: one is replaced by one, of a whole column."""
        one_each = self.persons is None or self.persons.max_rows is None
        return self.adjacency is Adjacency.REPLACE_ONE and self.groups is None and one_each

    @property
    def several(self) -> bool:
        """Return whether several columns are asked for together."""
        return len(self.columns) > 1

    def described(self, words: Description, one: str = "", records: int | None = None) -> Description:
        """Return what its answers are of: words that were said, and what the question says of persons and groups.

        `one`: what one of the protected is called, unless it was said; `records`: how many there are, where that is
        public.
        """
        found: dict[str, Any] = {"records": records}
        if one and words.one == Description.one and not words.person:
            found |= {"one": one, "many": plural_of(one)}
        if self.persons is not None:
            person = words.person or found.get("one", words.one)
            found |= {"person": person, "rule": self.persons.in_words(person)}
            found |= {"max_rows_per_person": self.persons.max_rows, "share": self.persons.shares}
        if self.groups is not None:
            about = next(iter(self.columns.values())).about_n
            each = None if self.persons is None else self.persons.max_groups
            found |= {"max_groups_per_person": each or 1, "finding": self.groups.finding}
            if about is not None:
                found |= sizes_in_words(about) if isinstance(about, Mapping) else {"group_size": about}
        return replace(words, **found)

    @property
    def dates(self) -> tuple[str, ...]:
        """Return the columns whose values are dates."""
        return tuple(name for name, each in self.columns.items() if each.words.kind == DATE)

    @property
    def counted(self) -> dict[str, Any]:
        """Return what counts of a person's rows, as `Column.from_values` takes it."""
        if self.persons is None:
            return {}
        each = {} if self.persons.max_groups is None else {"max_groups_per_person": self.persons.max_groups}
        return self.persons.settings | each

    def with_plan(self, plan: Plans, weights: Weights = None) -> Question:
        """Return what a plan asks of the same columns of the same rows. Raises ParameterError."""
        whole, columns = ColumnsPlan.of(self.columns, plan, weights), dict[str, Asked]()
        for name, own in whole.plans.items():
            asked = self.columns[name]
            columns[name] = replace(
                asked, levels=own.quantiles, mechanism=own.mechanism, options=dict(own.options),
                intervals=own.intervals, about_n=asked.about_n if own.about_n == NOISY else own.about_n,
                noisy_count=own.about_n == NOISY, weight=whole.weights[name],
            )  # fmt: skip
        return replace(self, columns=columns, budget=whole.privacy, adjacency=whole.adjacency)

    def as_read(self, file: Opening, readings: Mapping[str, Reading]) -> Question:
        """Return the question with how a file is opened, and how the cells of its columns are written."""
        read = {name: replace(each, reading=readings.get(name, AS_WRITTEN)) for name, each in self.columns.items()}
        return replace(self, columns=read, file=file)

    def of_dates(self, names: Collection[str]) -> Question:
        """Return the question with dates as the values of these columns."""
        asked = {name: self.columns[name] for name in names}
        dated = {name: replace(each, words=replace(each.words, kind=DATE)) for name, each in asked.items()}
        return replace(self, columns={**self.columns, **dated}) if dated else self

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by plain values: the columns are read-only, which no pickle can hold."""
        return Question.from_dict, (self.as_dict(),)

    def to_json(self, indent: int | None = None) -> str:
        """Return the question as JSON text, format 2; `Question.from_json` gives an equal one. `indent`: as in json."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=indent)

    def as_dict(self) -> dict[str, Any]:
        """Return the question as plain values; `from_dict` reads them back."""
        parts = {"persons": self.persons, "groups": self.groups, "file": self.file}
        return {
            "format": FORMAT,
            "budget": {name: repr(float(value)).removesuffix(".0") for name, value in vars(self.budget).items()},
            "adjacency": self.adjacency.value,
            **{name: part.as_dict() for name, part in parts.items() if part is not None},
            **({"one": self.one} if self.one else {}),
            "columns": {name: each.as_dict() for name, each in self.columns.items()},
        }

    @classmethod
    def from_json(cls, text: str | bytes) -> Question:
        """Return the question that `to_json` wrote. Raises ParameterError for anything else."""
        return cls.from_dict(read_json(text, "plan"))

    @classmethod
    def from_dict(cls, values: Any) -> Question:
        """Return the question that `as_dict` wrote. Raises ParameterError for anything else."""
        if not isinstance(values, Mapping) or values.get("format") != FORMAT or "columns" not in values:
            raise ParameterError("plan", f"must be a question in format {FORMAT}. {MADE_BY}")
        parts: dict[str, Callable[[Any], Any]] = {
            "budget": lambda numbers: budget_of(**{name: float(number) for name, number in numbers.items()}),
            "adjacency": Adjacency.of_text,
            "persons": lambda said: Persons(**said),
            "groups": Grouping.from_dict,
            "file": lambda said: Opening(**said),
            "one": str,
            "columns": lambda columns: {name: Asked.from_dict(each) for name, each in columns.items()},
        }
        try:
            unknown = set(values) - {*parts, "format"}
            given = {name: parts[name](value) for name, value in values.items() if name != "format"}
            return cls(**given)
        except ParameterError:
            raise
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            what = f" It has no setting {shown(sorted(unknown)[0])}." if unknown else ""
            raise ParameterError("plan", f"must be a question in format {FORMAT}.{what} {MADE_BY}") from error


def refuse_persons_in_groups(persons: Persons | None, *, in_groups: bool) -> None:
    """Raise ParameterError where it is not said, or said in vain, in how many groups a person counts."""
    if persons is None:
        return
    needed = in_groups and not persons.shares
    if needed and persons.max_groups is None:
        for_all = (" Or 'any': ", Name("max_rows_per_person"), " then holds for all groups together.")
        say = "must say in how many groups a person counts, such as 1; others of theirs are dropped."
        raise ParameterError("max_groups_per_person", (say, *(for_all if persons.max_rows else ())))
    if persons.max_groups is not None and not needed:
        why = "where there are no groups" if not in_groups else "for per_person='weight': all groups of a person count"
        raise ParameterError("max_groups_per_person", f"must be left out {why}.")
