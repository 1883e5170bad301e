"""Tables of answers: a row for each quantile of each group of each column, made from arrays when it is needed.

It also says how a quantile level is written, for people and for files, and what a table of simulated answers holds: the
numbers of each trial, and over all trials. Mechanisms and `.values` have days since 1970-01-01, a table has dates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import partial
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .accuracy import NOISE_INTERVAL
from .arrays import Flags, Floats, Integers
from .domain.domain import Domain
from .groups.names import GroupName, OneName, parts_of

if TYPE_CHECKING:
    import pandas as pd

NAMED = {
    Fraction(0): "minimum",
    Fraction(1, 4): "lower quartile",
    Fraction(1, 2): "median",
    Fraction(3, 4): "upper quartile",
    Fraction(1): "maximum",
}

EPOCH = date(1970, 1, 1)
FIRST_DAY, LAST_DAY = ((end - EPOCH).days for end in (date.min, date.max))
"""Of the calendar."""


def level_name(level: Fraction) -> str:
    """Return a quantile level as people write it: `10 %`, `50 % · median`."""
    return f"{level_share(level)} · {NAMED[level]}" if level in NAMED else level_share(level)


def level_share(level: Fraction) -> str:
    """Return the same without the name that some levels have: `10 %`, `33.33 %`."""
    share = level * 100
    return f"{share if share.denominator == 1 else f'{float(share):.4g}'} %"


def level_text(level: Fraction) -> str:
    """Return a level as a text that is exact and that no spreadsheet takes for a date: `10 %`, `33.33 % (1/3)`."""
    exact = (level * 10_000).denominator == 1
    return level_name(level) if exact else f"{level_name(level)} ({level})"


Numbers: TypeAlias = NDArray[Any]
"""Floats, or truth values."""
Words: TypeAlias = Sequence[str | int]

COLUMN = "column"
"""The heading of the names of columns, and the name of a single one that has none."""
GROUP = "group"
"""The heading of groups whose column has no known name."""
LARGEST_INTEGER = 2**63


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The answers of one column as rows of a table, whole or in groups."""

    column: str
    levels: tuple[Fraction, ...] | None
    """None where a group has one row, and each level numbers of its own."""
    numbers: Mapping[str, Numbers]
    """Each of shape (trials, groups, levels): a release is one trial, and a whole column one group without a name."""
    by: tuple[str, ...] = ()
    """What the columns of groups are called, different from each other."""
    groups: tuple[tuple[OneName, ...], ...] = ((),)
    unit: str = ""
    mechanism: str = ""
    remarks: Sequence[str] = ()  # of each row of a release

    @property
    def rows_of_group(self) -> int:
        """Return how many rows a group has in a trial."""
        return 1 if self.levels is None else len(self.levels)

    @property
    def rows(self) -> int:
        """Return how many rows a trial has."""
        return len(self.groups) * self.rows_of_group

    @classmethod
    def of(
        cls,
        column: str,
        levels: tuple[Fraction, ...],
        numbers: Mapping[str, Numbers],
        by: tuple[str, ...] = (),
        names: Iterable[GroupName] = ((),),
    ) -> Rows:
        """Return the rows of a column; `names` are those of its groups, of which one in one piece has one: ()."""
        groups = tuple(map(parts_of, names))
        headings = by or (GROUP,) * max(map(len, groups), default=1)
        return cls(column=column, levels=levels, numbers=numbers, by=tuple(different(headings)), groups=groups)


def release_numbers(
    values: Sequence[Sequence[float]], intervals: Sequence[Sequence[tuple[float, float]]], levels: int, domain: Domain
) -> dict[str, Floats]:
    """Return value, low and high of the answers of every group, (1, groups, levels).

    Without intervals their ends are NaN. An end at a bound of the domain is open, so it is infinite.
    """
    shape = (1, len(values), levels)
    value = np.array(values, np.float64).reshape(shape)
    if not intervals:
        return {"value": value, "low": np.full(shape, np.nan), "high": np.full(shape, np.nan)}
    ends = np.array(intervals, np.float64).reshape(*shape, 2)
    low, high = ends[..., 0], ends[..., 1]
    return {
        "value": value,
        "low": np.where(low <= float(domain.lower), -inf, low),
        "high": np.where(high >= float(domain.upper), inf, high),
    }


def wide(part: Rows) -> Rows:
    """Return the values alone, each under the name of its level: one row for a group."""
    headings = different(map(level_text, part.levels or ()))
    values = part.numbers["value"]
    return replace(part, levels=None, numbers={name: values[:, :, [at]] for at, name in enumerate(headings)})


def first_rows(parts: Sequence[Rows], rows: int) -> list[Rows]:
    """Return what the first rows of a table come from, and hardly more; each part stays, if only for its headings."""
    trials, found = -(-rows // max(sum(part.rows for part in parts), 1)), []
    for part in parts:
        groups = min(-(-rows // max(part.rows_of_group, 1)), len(part.groups))
        numbers = {name: numbers[:trials, :groups] for name, numbers in part.numbers.items()}
        found.append(replace(part, groups=part.groups[:groups], numbers=numbers))
        rows = max(rows - found[-1].rows, 0)
    return found


def frame_of(parts: Sequence[Rows], *, in_trials: bool = False) -> pd.DataFrame:
    """Return a table: trials, columns, groups and levels, each in their order; numbers that a part lacks are NaN.

    A column of groups holds whole numbers where all of its cells are, else texts: of a whole column empty ones.
    Its heading is "NAME (2)" where the table has another column of that name. The unit comes last.
    """
    import pandas as pd

    trials = max((len(numbers) for part in parts for numbers in part.numbers.values()), default=1)
    numbered = list(dict.fromkeys(name for part in parts for name in part.numbers))
    by = list(dict.fromkeys(name for part in parts for name in part.by))
    with_levels = any(part.levels is not None for part in parts)
    first, levels_too = ["trial"] if in_trials else [], ["level", "quantile"] if with_levels else []
    own = [*first, COLUMN, *levels_too, *numbered, "unit"]
    columns: dict[str, Any] = {}
    if in_trials:
        columns["trial"] = np.repeat(np.arange(trials, dtype=np.int64), sum(part.rows for part in parts))
    columns[COLUMN] = _texts(*_labels([([part.column], np.zeros(part.rows, np.int64)) for part in parts], trials))
    for name, heading in zip(by, different(by, own), strict=True):
        cells, which = _labels([_groups(part, name) for part in parts], trials)
        whole = cells and all(isinstance(each, int) and -LARGEST_INTEGER <= each < LARGEST_INTEGER for each in cells)
        columns[heading] = np.array(cells, np.int64)[which] if whole else _texts(cells, which)
    if with_levels:
        own_levels = [(part.levels or (), np.arange(part.rows) % max(part.rows_of_group, 1)) for part in parts]
        levels, which = _labels(own_levels, trials)
        columns["level"] = np.array([float(level) for level in levels], np.float64)[which]
        columns["quantile"] = _texts([level_text(level) for level in levels], which)
    for name in numbered:
        held = [part.numbers.get(name, np.full((trials, part.rows), np.nan)) for part in parts]
        columns[name] = np.concatenate(
            [each.reshape(trials, part.rows) for each, part in zip(held, parts, strict=True)], axis=1
        ).ravel()
    columns["unit"] = _texts(*_labels([([part.unit], np.zeros(part.rows, np.int64)) for part in parts], trials))
    return pd.DataFrame(columns)


def different(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names that differ from each other and from those that are taken: the second of a name is "NAME (2)"."""
    used, found = set(taken), list[str]()
    for name in names:
        free, number = name, 2
        while free in used:
            free, number = f"{name} ({number})", number + 1
        used.add(free)
        found.append(free)
    return found


def _groups(part: Rows, heading: str) -> tuple[Words, Integers]:
    """Return the cells of the groups in one of their columns, and for each row which it has."""
    if heading not in part.by:
        return [""], np.zeros(part.rows, np.int64)
    at = part.by.index(heading)
    return [group[at] for group in part.groups], np.arange(part.rows) // max(part.rows_of_group, 1)


def _labels(found: Sequence[tuple[Sequence[Any], Integers]], trials: int) -> tuple[list[Any], Integers]:
    """Return the labels of all parts together, and for each row of the table which of them it has."""
    first = np.cumsum([0, *(len(labels) for labels, _ in found)])
    which = np.concatenate([which + start for (_, which), start in zip(found, first[:-1], strict=True)])
    return [label for labels, _ in found for label in labels], np.tile(which, trials)


def _texts(words: Words, which: Integers) -> Any:
    import pandas as pd

    return pd.array([str(word) for word in words], dtype="str").take(which)


def in_trials(part: Rows) -> Rows:
    """Return value, rank error and whether the interval held, of each trial."""
    value, errors = part.numbers["value"], part.numbers["signed_rank_error"]
    return replace(part, numbers={"value": value, "rank_error": np.abs(errors), "covered": _held(part)})


def over_trials(part: Rows) -> Rows:
    """Return the mean rank error, what 95 of 100 signed ones lie between, and how often the interval held.

    Over the trials that name the group; NaN where none does.
    """
    errors = part.numbers["signed_rank_error"]
    named: Flags = np.logical_not(np.isnan(errors).all(axis=0))
    numbers = {
        "mean_rank_error": _over(np.nanmean, np.abs(errors), named),
        "rank_error_low": _over(partial(np.nanpercentile, q=NOISE_INTERVAL[0]), errors, named),
        "rank_error_high": _over(partial(np.nanpercentile, q=NOISE_INTERVAL[1]), errors, named),
        "coverage": _over(np.nanmean, _held(part), named if "covered" in part.numbers else np.zeros_like(named)),
    }
    return replace(part, numbers={name: found[None] for name, found in numbers.items()})


def _held(part: Rows) -> Floats:
    """Return 1 where an interval held and 0 where not; NaN where there was none."""
    value = part.numbers["value"]
    held = part.numbers.get("covered", np.broadcast_to(np.nan, value.shape))
    return np.where(np.isnan(value), np.nan, held)


def _over(statistic: Callable[..., Any], numbers: Floats, known: Flags) -> Floats:
    found = np.full(numbers.shape[1:], np.nan)
    found[known] = statistic(numbers[:, known], axis=0)
    return found


MICROSECONDS = 86_400_000_000
"""Of a day."""


def iso_date(days: float) -> str:
    """Return the calendar date of a value in days since 1970-01-01: `iso_date(19753.5)` is "2024-01-31".

    Before the year 1 and after 9999, where noise may lead, the number of days.
    """
    return str(np.datetime64(int(np.floor(days)), "D")) if FIRST_DAY <= days < LAST_DAY + 1 else f"{days:,.0f}"


def parse_date(text: str) -> int | None:
    """Return the days since 1970-01-01 of an ISO date, or None."""
    try:
        return (date.fromisoformat(text.strip()) - EPOCH).days
    except ValueError:
        return None


def as_dates(frame: pd.DataFrame, headings: Iterable[str]) -> pd.DataFrame:
    """Return a table in which these columns of days are datetime64; open and very far ends of intervals are NaT."""

    def moments(days: Any) -> Any:
        known = np.abs(days) < 1e8  # not where it is NaN
        found = np.full(days.shape, np.datetime64("NaT"), "datetime64[us]")
        found[known] = np.rint(days[known] * MICROSECONDS).astype(np.int64).astype("datetime64[us]")
        return found

    return frame.assign(**{heading: moments(frame[heading].to_numpy()) for heading in headings})


def dates_in_words(frame: pd.DataFrame, columns: Collection[str], headings: Iterable[str]) -> pd.DataFrame:
    """Return a table in which these columns of days hold dates as texts, in the rows that answer one of `columns`.

    Ends of intervals that are open or not there stay as they are.
    """
    dated = frame["column"].isin(list(columns))
    if not dated.any():
        return frame

    def written(days: float, is_date: bool) -> str | float:
        return iso_date(days) if is_date and isfinite(days) else days

    return frame.assign(**{heading: list(map(written, frame[heading], dated)) for heading in headings})
