"""What to expect of the answers to a question before anything is spent: errors, intervals, sizes, the least budget.

From public facts alone: no data is read. The chosen mechanism is simulated on public shapes within the bounds
(`simulation`). The noise of an answer is as many records in a small group as in a large one, so below some size an
answer says little about its group. Which groups are named is known exactly (`groups.finding`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asked_of import cost_of
from ..calibrations import Calibrated
from ..domain.finding import FindBounds
from ..errors import ParameterError
from ..group_privacy import CalibratesEach
from ..grouping import FindGroups
from ..groups.bounding import NAMING_UNITS
from ..groups.finding import MOST_STEPS
from ..groups.names import GroupName, name_in_words
from ..noise.fast import SeededSampler
from ..privacy.budgets import Privacy
from ..question import Asked, Question
from ..studies.configuration import seed_of
from ..study import check_count
from ..texts import in_digits, listed
from .choice import Run, choose, runs_of
from .errors import LARGEST_ERROR, chances_of_far, error_of, errors_of, least_budget, least_size
from .simulation import MOST_RECORDS, Range, columns_that_tell

if TYPE_CHECKING:
    import pandas as pd

NAMED = 0.95
"""A group that is named with this chance counts as named."""
RUNS_OF_INTERVALS, MOST_NUMBERS = 8, 3
"""Runs on each shape; and numbers of records for which intervals are worked out, each in some tenths of a second."""
BOUNDS_FIRST = "How far answers are off in the column's unit depends on the bounds that the release finds."
FEWER = f"Simulated with {MOST_RECORDS:,} records. With more, errors are a smaller share of them."
SAYS_NOTHING = 0.9
"""Of the records: a wider interval has one of its ends, or both, at the bounds of the possible values."""
WIDE = (
    "Intervals{} would be as wide as all possible values, and would say nothing. What would help: a larger budget, "
    "more records, or answers without intervals, which are more accurate."
)
OUT = "No larger budget would help: ask for fewer quantiles, leave these groups out, or make larger groups."


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The answers to expect in one column, or in one group of it; what cannot be simulated is None."""

    column: str
    group: GroupName | None
    """None for a whole column, and for a group that a release has to find."""
    n: int
    """About how many records there are, by the guess."""
    error: float | None = None
    """The mean rank error over the quantiles, in records."""
    in_unit: Range | None = None
    """How far answers are from the exact quantiles, in the column's unit: in the middle of the public shapes, and on
    the easiest and the hardest of them."""
    interval: float | None = None
    """How wide an interval is on average, in records; None, too, where none are asked for."""
    interval_in_unit: Range | None = None
    """The same in the column's unit."""

    @property
    def share(self) -> float | None:
        """Return the rank error as a share of all records."""
        return None if self.error is None else self.error / self.n

    @property
    def says_nothing(self) -> bool:
        """Return whether its interval is as wide as all possible values, or nearly so."""
        return (self.interval or 0) > SAYS_NOTHING * self.n


@dataclass(frozen=True, kw_only=True)
class ExpectedColumn:
    """What to expect of one column: whole, of each listed group, or of a group that is found."""

    name: str
    rows: tuple[Expected, ...]
    not_simulated: str = ""
    """Why its errors are not known, as a sentence; empty where they were simulated."""
    least_size: int | None = None
    """The fewest records with which a group is large enough; None for a whole column."""
    budget: Privacy | None = None
    """The smallest round budget of the whole with which no group is too small; None if none is now, or none does."""

    @property
    def small(self) -> tuple[Expected, ...]:
        """Return the groups that are too small: an answer is off by more than a tenth of the records."""
        return tuple(row for row in self.rows if self.least_size is not None and row.n < self.least_size)

    @property
    def too_wide(self) -> tuple[Expected, ...]:
        """Return the groups, or the column, whose intervals say nothing."""
        return tuple(row for row in self.rows if row.says_nothing)

    @property
    def pool(self) -> int | None:
        """Return how many too small groups, the smallest first, make one that is not; None if all of them do not."""
        together = accumulate(sorted(row.n for row in self.small))
        return next((count for count, size in enumerate(together, 1) if size >= (self.least_size or 0)), None)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what to know before anything is spent, in plain sentences."""
        first = self.rows[0]
        if first.error is None:
            return (f"The errors of this plan cannot be simulated. {self.not_simulated}".rstrip(),)
        found = [_on_average("Answers are off by", "", first.error, first.n, first.in_unit)]
        if self.least_size is not None:
            found = self._of_groups(self.least_size)
        told = [row for row in self.rows if not row.says_nothing]
        wide = listed([row.group for row in self.too_wide])
        found += [WIDE.format(f" of {wide}" if told else "")] if wide else []
        if told and first.interval is not None:
            one = max(told, key=lambda row: (row.interval or 0) / row.n)
            found.append(_on_average("Intervals are", " wide", one.interval, one.n, one.interval_in_unit))
        return tuple(found)

    def _of_groups(self, least: int) -> list[str]:
        small, every = self.small, "a group of that size" if self.rows[0].group is None else "every group"
        if not small:
            worst = in_digits(100 * max(row.share or 0 for row in self.rows), 2)
            return [f"By your guess {every} is large enough: rank errors are about {worst} % of its size, or less."]
        pooled = f"groups of {self.pool} pooled"
        if len(small) < len(self.rows):
            every = f"{len(small):,} of {len(self.rows):,} groups: {listed([row.group for row in small])}"
            pooled = f"these {len(small)} pooled in one group"
        ways = [f"a budget of {self.budget}"] if self.budget is not None else []
        ways += [pooled] if self.pool is not None and self.rows[0].group is not None else []
        return [
            f"With this plan a group of fewer than about {in_digits(least, 2)} records is too small: an answer would "
            f"be off by more than {in_digits(100 * LARGEST_ERROR, 2)} % of them. By your guess that is {every}.",
            f"What would help: {', or '.join(ways)}." if ways else OUT,
        ]


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Hold what to expect of the answers to a question. Public: it reads no data."""

    question: Question
    """As it was asked, with a mechanism in every column."""
    why: Mapping[str, str]
    """Why a mechanism was chosen, in each column where "best" was asked."""
    columns: tuple[ExpectedColumn, ...]
    chances_named: tuple[float, ...] = field(default=(), repr=False)
    """The chance that a group of 0, 1, ... persons is named, by a release that finds groups: exact. From the last
    number on it stays. Empty where groups are listed."""

    @property
    def rows(self) -> tuple[Expected, ...]:
        """Return what to expect of every column and group, in the order of the question."""
        return tuple(row for column in self.columns for row in column.rows)

    @property
    def least_named(self) -> int | None:
        """Return the fewest persons with which a group is named with a chance of 95 %; None where none has it."""
        return next((persons for persons, chance in enumerate(self.chances_named) if chance >= NAMED), None)

    def least_budget(self, share: float) -> Privacy | None:
        """Return the smallest round budget at which no answer is expected to be off by more than this share of n.

        Of the whole question, with the same mechanisms, in ranks and on average over quantiles. None where no budget
        up to the largest that protects is enough, or nothing can be simulated. It takes some tenths of a second.
        """
        return least_budget(self.question, {each.name: min(row.n for row in each.rows) for each in self.columns}, share)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what to know before anything is spent, in plain sentences; of several columns, each after its name."""
        several = len(self.columns) > 1
        found = [f"{each.name}: {one}" if several else one for each in self.columns for one in each.sentences]
        if self.least_named is not None:
            whom = "persons" if self.question.persons else "records"
            named = (
                f"A group of at least {self.least_named:,} {whom} is named with a chance of {100 * NAMED:g} % or more"
            )
            found.append(f"{named}; smaller ones may be left out.")
        bounds = any(isinstance(each, FindBounds) for each in self.question.possible.values())
        notes = {BOUNDS_FIRST: bounds, FEWER: any(row.n > MOST_RECORDS for row in self.rows)}
        return (*found, *(note for note, holds in notes.items() if holds))

    def to_frame(self) -> pd.DataFrame:
        """Return the forecast as a pandas DataFrame, with a row for each column and listed group.

        rank_error and interval_ranks are in records, rank_share is a share of n; unit_error, its unit_error_low and
        unit_error_high over the public shapes, and interval_unit are in the column's unit. Missing where unknown.
        """
        import pandas as pd

        unknown = Range(nan, nan, nan)
        rows = [
            (
                row.column, name_in_words(row.group or ""), row.n, row.error, row.share, row.interval,
                column.least_size, *astuple(row.in_unit or unknown), (row.interval_in_unit or unknown).typical,
            )
            for column in self.columns for row in column.rows
        ]  # fmt: skip
        numbers = ["rank_error", "rank_share", "interval_ranks", "least_size"]
        numbers += ["unit_error", "unit_error_low", "unit_error_high", "interval_unit"]
        return pd.DataFrame(rows, columns=["column", "group", "n", *numbers]).astype(dict.fromkeys(numbers, float))


def forecast(question: Question, n: int | Mapping[GroupName, int] | None = None) -> Forecast:
    """Return what to expect of the answers to a question, simulated for its own mechanisms alone. Repeatable.

    `n`: about how many records there are, or are in each group: one number, or one for each listed group; by default
    the question's own guesses. Mechanisms are those of a release of this question, which knows its own guesses alone,
    and `n` only where that is public. It reads no data, and takes some tenths of a second a column, with intervals
    about one second. Raises ParameterError where there is no guess, or a budget is too small for its columns.
    """
    if not isinstance(question, Question):
        raise ParameterError("question", f"must be a Question, got {type(question).__name__}.")
    names = (None,) if question.groups is None else question.groups.answered or (None,)
    guesses = {name: each.about_n if n is None else n for name, each in question.columns.items()}
    sizes = {name: _sizes(guess, names) for name, guess in guesses.items()}
    public = {name: own[None] for name, own in sizes.items()} if question.number_is_public else None
    choice = choose(question, public)
    run, named = choice.question, _chances_named(choice.question)
    columns = tuple(_column(run, name, own, sizes[name]) for name, own in runs_of(run).items())
    return Forecast(question=run, why=choice.why, columns=columns, chances_named=named)


def _sizes(guess: int | Mapping[GroupName, int] | None, names: Sequence[GroupName | None]) -> dict[Any, int]:
    """Return the guess for each listed group, or one. Raises ParameterError."""
    if guess is None:
        raise ParameterError("n", "must be given: about how many records there are, or are in each group.")
    if isinstance(guess, Mapping) and None in names:
        raise ParameterError("n", "must be one number where no groups are listed, such as 1000.")
    found = dict[Any, int]()
    for name in names:
        size = guess.get(name) if isinstance(guess, Mapping) else guess  # type: ignore[arg-type]
        if size is None:
            raise ParameterError("n", "must hold a guess for every listed group.")
        check_count("n", size, 1)
        found[name] = int(size)
    return found


def _column(question: Question, name: str, run: Run, sizes: Mapping[GroupName | None, int]) -> ExpectedColumn:
    asked, smallest = question.columns[name], min(sizes.values())
    rows = tuple(Expected(column=name, group=group, n=size) for group, size in sizes.items())
    try:
        error_of(run, max(sizes.values()))  # says why where it is not available for any of them
        found = tuple(_expected(row, run, asked) for row in rows)
        made = ExpectedColumn(name=name, rows=found, least_size=None if run.groups is None else least_size(run))
    except ParameterError as error:
        return ExpectedColumn(name=name, rows=rows, not_simulated=str(error))
    return replace(made, budget=least_budget(question, {name: smallest}, LARGEST_ERROR)) if made.small else made


def _expected(row: Expected, run: Run, asked: Asked) -> Expected:
    """Return the same with its errors, and with how wide intervals are, but for too many different numbers."""
    about, known = asked.about_n, not isinstance(asked.possible, FindBounds)
    try:
        error, in_unit = errors_of(run, row.n)
        row = replace(row, error=error, in_unit=in_unit if known else None)
    except ParameterError:  # a small group, of which the mechanism has no answer
        row = replace(row, error=float(row.n))
    if run.plan.intervals is None or (isinstance(about, Mapping) and len(set(about.values())) > MOST_NUMBERS):
        return row
    number = about[row.group] if isinstance(about, Mapping) and row.group is not None else about or row.n
    width, in_unit = width_of(replace(run, plan=replace(run.plan, about_n=number)), row.n)
    return replace(row, interval=width, interval_in_unit=in_unit if known else None)


@lru_cache(maxsize=128)
def width_of(run: Run, n: int) -> tuple[float, Range]:
    """Return how wide the intervals of a run are among n records: in records, and in the column's unit. Repeatable.

    With the levels at their ends that a release draws, and with as many records as can be simulated. Raises
    ParameterError where the plan is not available.
    """
    columns = columns_that_tell(run, min(n, MOST_RECORDS))
    one, each, whole = next(iter(columns.values())), CalibratesEach(run.unit, run.make), run.groups is None
    calibrated = Calibrated.of_facts(run.plan, each, one.n if run.knows_n else None, one, not whole)
    found = []
    for name, column in columns.items():
        entropy = SeededSampler(seed_of(0, run.plan.fingerprint, name), RUNS_OF_INTERVALS)
        ends = calibrated.values_and_intervals(column, np.zeros(1, np.int64), entropy)[1]
        assert ends is not None, "intervals are asked for"
        cells = column.domain.encode(ends)
        ranks = (column.count_below(cells) + column.count_below(cells + 1)) / 2
        found.append([float(np.diff(both).mean()) for both in (ranks, ends)])
    records, in_unit = np.array(found).T
    return float(np.median(records)), Range(float(np.median(in_unit)), float(in_unit.min()), float(in_unit.max()))


def chances_far_off(question: Question) -> dict[str, tuple[float, ...]]:
    """Return for each level of each whole column how often its answer is far off, as `chances_of_far` says.

    Without what intervals cost. Columns without a guess of n are left out, and such as cannot be simulated.
    """
    plain = {name: replace(each.without_intervals, about_n=None) for name, each in question.columns.items()}
    guesses = {name: each.about_n for name, each in question.columns.items()}
    runs = runs_of(replace(question, columns=plain))
    found = {name: chances_of_far(run, n) for name, run in runs.items() if isinstance(n := guesses[name], int)}
    return {name: chances for name, chances in found.items() if chances is not None}


@lru_cache(maxsize=32)
def _chances_named(question: Question) -> tuple[float, ...]:
    """Return the chances that a release names groups of 0, 1, ... persons: as of any table.

    By shares a person is counted in NAMING_UNITS.
    """
    groups, persons = question.groups, question.persons
    if groups is None or not isinstance(groups.names, FindGroups):
        return ()
    by, ids = groups.by or ("\0",), "\1"
    asked = replace(question, groups=replace(groups, by=by), persons=persons and replace(persons, column=ids))
    rule = cost_of(asked).naming
    assert rule is not None, "groups are found once"
    units = NAMING_UNITS if persons is not None and persons.shares else 1
    chances = rule.chances(MOST_STEPS)
    return tuple(chance / (1 << rule.bits) for chance in (*chances[:-1:units], chances[-1]))


def _on_average(what: str, width: str, number: float | None, n: int, in_unit: Range | None) -> str:
    """Return a sentence on a number of records, and on the same in the column's unit where that is known."""
    share = in_digits(100 * (number or 0.0) / n, 2)
    said = f"{what} about {in_digits(number or 0.0, 2)} of {n:,} records{width} on average, which is {share} %"
    if in_unit is None:
        return f"{said}."
    low, typical, high = (in_digits(each, 2) for each in (in_unit.low, in_unit.typical, in_unit.high))
    between = "" if low == high else f", from {low} to {high}"
    return f"{said}; in the column's unit about {typical}{between} on made-up columns."
