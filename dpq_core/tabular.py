"""What releases and studies offer as tables, each by saying what it holds.

Files have the columns of the data frame, and then where the answers come from and what may be done with them.
"""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import ItemsView, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from .errors import ParameterError, shown
from .frame import (
    Rows,
    as_dates,
    dates_in_words,
    different,
    first_rows,
    frame_of,
    in_trials,
    over_trials,
    wide,
)
from .privacy.budgets import Guarantee, Privacy

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 20
OF_ERRORS = frozenset({"rank_error", "covered"})
"""The numbers of a study that are not in the unit of a column."""
NOT_PRIVATE = "Simulation, not private."


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a release or a study holds, for its table."""

    parts: tuple[Rows, ...]
    guarantee: Guarantee
    asked: Privacy
    """The budget in whose terms the spent one is shown."""
    version: str
    warnings: tuple[str, ...]
    seed: int | None = None
    """Of a study; None of a release."""
    trials: int = 1
    rank_error_slack: int = 0
    """Of a study of sketches: by how many records the rank errors may be understated."""
    dates: tuple[str, ...] = ()
    """The columns whose values are days since 1970-01-01."""
    hides: str = ""
    origin: Mapping[str, str] = field(default_factory=dict)
    """Of a release: what its guarantee protects, in its own words; and who paid it, its id and its date, for files."""

    @property
    def simulated(self) -> bool:
        """Return whether these are answers of a study, which are as private as the data."""
        return self.seed is not None

    @property
    def facts(self) -> dict[str, Any]:
        """Return the description of a data frame as plain values, which a file can hold."""
        of_study = {"seed": self.seed, "rank_error_slack": self.rank_error_slack} if self.simulated else {}
        return {
            "private": self.simulated,
            "guarantee": self.guarantee.as_dict(),
            "adjacency": self.guarantee.adjacency.value,
            "version": self.version,
            **({"dates": list(self.dates)} if self.dates else {}),
            **of_study,
        }

    def frame(self, *, as_wide: bool = False) -> pd.DataFrame:
        """Return the whole table: dates as datetime64 where all its columns are dates, else as days."""
        found, headings = self._table(as_wide)
        if self.dates and all(part.column in self.dates for part in self.parts):
            found = as_dates(found, headings)
        return with_facts(found, self)

    def for_files(self, *, as_wide: bool = False) -> pd.DataFrame:
        """Return the whole table with dates as texts, and in its last columns where it comes from and what it is."""
        found, headings = self._table(as_wide)
        found = dates_in_words(found, self.dates, headings)
        ends: dict[str, Any] = {"label": self.label}
        if not self.simulated:
            rows = [len(part.groups) if as_wide else part.rows for part in self.parts]
            ends = {"mechanism": np.repeat([part.mechanism for part in self.parts], rows), **self.origin, **ends}
            ends = ends if as_wide else {"remark": [said for part in self.parts for said in part.remarks], **ends}
        for name, cells in ends.items():
            found[different([name], found.columns)[0]] = cells
        return found

    @property
    def label(self) -> str:
        """Return the sentence on what may be done with the answers: `Release: ε = 1, one person joins or leaves.`"""
        if self.simulated:
            return NOT_PRIVATE
        return f"Release: {self.guarantee.in_terms_of(self.asked)}, {self.hides or self.guarantee.hides}."

    def _table(self, as_wide: bool) -> tuple[pd.DataFrame, list[str]]:
        """Return the whole table with dates as days, and which of its columns hold values of a column."""
        parts = [wide(part) if as_wide else in_trials(part) if self.simulated else part for part in self.parts]
        found = frame_of(parts, in_trials=self.simulated)
        if self.simulated and not as_wide:
            held = found["covered"]
            found = found.assign(covered=(held == 1).astype("boolean").mask(held.isna()))  # missing without an interval
        headings = dict.fromkeys(name for part in parts for name in part.numbers)
        return found, [name for name in headings if as_wide or name not in OF_ERRORS]

    def first_rows(self, most: int = MOST_SHOWN) -> pd.DataFrame:
        """Return the rows that are shown of the table, which is not built for them, without columns that are empty."""
        found, headings = replace(self, parts=tuple(first_rows(self.parts, most)))._table(as_wide=False)
        shown = dates_in_words(found, self.dates, headings).head(most)
        return shown.loc[:, ~(shown.isna() | (shown == "")).all()] if len(shown) else shown

    @property
    def headline(self) -> str:
        """Return how many answers there are and what they cost: `1 answer · ε = 1 where one record joins or leaves`."""
        answers = _counted(sum(part.rows for part in self.parts), "answer")
        price = f"{self.guarantee.in_terms_of(self.asked)} where {self.hides or self.guarantee.hides}"
        if not self.simulated:
            return f"{answers} · {price}"
        told = [f"{_counted(self.trials, 'trial')} of {answers}", f"a release would spend {price}", f"seed {self.seed}"]
        if self.rank_error_slack:
            told.append(f"rank errors may be {_counted(self.rank_error_slack, 'record')} larger")
        return " · ".join(told)

    @property
    def rows(self) -> int:
        """Return how many rows the table has."""
        return self.trials * sum(part.rows for part in self.parts)

    def left_out(self, most: int = MOST_SHOWN) -> str:
        """Return how many rows are not shown; empty where all are."""
        more = self.rows - most
        return f"... and {_counted(more, 'more row')}" if more > 0 else ""


def with_facts(frame: pd.DataFrame, contents: Contents) -> pd.DataFrame:
    """Return the data frame with its description."""
    frame.attrs.update(contents.facts)
    return frame


def as_text(contents: Contents, most: int = MOST_SHOWN) -> str:
    """Return what a console shows: the line on the budget, and `most` rows."""
    frame = contents.first_rows(most)
    label = f"{NOT_PRIVATE} " if contents.simulated else ""
    table = "" if frame.empty else frame.to_string(index=False)
    return "\n".join(filter(None, [f"{label}{contents.headline}", table, contents.left_out(most)]))


def as_html(contents: Contents) -> str:
    """Return what a notebook shows: warnings, the line on the budget, and the first rows. No name in it is markup."""
    frame = contents.first_rows()
    label = f"<p><strong>{escape(NOT_PRIVATE)}</strong></p>" if contents.simulated else ""
    warnings = "".join(f"<p>⚠ {escape(warning)}</p>" for warning in contents.warnings)
    table = "" if frame.empty else frame.to_html(index=False, escape=True, border=0, notebook=True)
    left_out = contents.left_out()
    more = f"<p>{escape(left_out)}</p>" if left_out else ""
    return f"<div>{label}{warnings}<p>{escape(contents.headline)}</p>{table}{more}</div>"


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


COMPUTED = "=+-@\t\r"
"""The first characters of a text that a spreadsheet takes for a formula."""


def table_as_csv(names: Iterable[str], table: Iterable[Iterable[Any]]) -> str:
    """Return rows under their names as CSV in which no text is computed by the spreadsheet that opens it."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_field(name) for name in names])
    writer.writerows([_field(value) for value in row] for row in table)
    return file.getvalue()


def _field(value: Any) -> Any:
    """Return a value for CSV: NaN becomes empty, and a formula of a spreadsheet gets an apostrophe."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(tuple(COMPUTED)) else value
    return "" if isinstance(value, float) and value != value else value


Key = TypeVar("Key")
Value = TypeVar("Value", covariant=True)
MOST_COMPARED = 1000
"""Names that are compared with one that is not among them."""


class Tabular(ABC):
    """Answers as a data frame, as CSV, as a stream of Arrow, and as a notebook shows them."""

    @abstractmethod
    def _contents(self) -> Contents:
        """Return the content of the table, and its attributes."""

    def to_frame(self, wide: bool = False) -> pd.DataFrame:
        """Return the answers as a pandas DataFrame.

        A release has a row for each answer: column, a column for each column of groups (text, or whole numbers if all
        are), level, quantile (the level as a text), value, low, high and unit (empty where none was said). Columns,
        groups and levels are in the order of the release; the groups of a whole column are empty texts. Without
        intervals low and high are NaN; they are infinite where an end is open.

        Dates are datetime64 if all columns of a Table are dates (then open ends are NaT), otherwise days since
        1970-01-01; `attrs["dates"]` names them.

        A study has trial (from 0), column, groups, level, quantile, value, rank_error, covered (whether the interval
        holds the true quantile; missing without intervals), unit. It is as private as the data.

        `wide`: a row for each column and group, with their values alone, in a column for each level.

        A heading that occurs twice becomes "NAME (2)". `attrs` says whether the table is private, and has guarantee,
        adjacency and version; for a study also its seed, and by how many records rank errors may be understated.
        """
        return self._contents().frame(as_wide=wide)

    def for_files(self, wide: bool = False) -> pd.DataFrame:
        """Return the table that files have: that of `to_csv`, whose numbers are numbers."""
        return self._contents().for_files(as_wide=wide)

    @overload
    def to_csv(self, path: None = None, wide: bool = False) -> str: ...
    @overload
    def to_csv(self, path: str | PathLike[str], wide: bool = False) -> None: ...
    def to_csv(self, path: str | PathLike[str] | None = None, wide: bool = False) -> str | None:
        """Write the table as CSV in UTF-8, or return its text if no path is given.

        After the columns of `to_frame(wide)`, a release has remark (not usable, or at a bound; not in a wide table),
        mechanism, account, release_id, date and label, which says what it protects; a study has that it is not private.
        Missing numbers are empty, open ends "inf" or "-inf", dates of a Table are dates such as 2024-01-31; a text that
        a spreadsheet would compute begins with an apostrophe. Raises OSError.
        """
        frame = self.for_files(wide)
        known = frame.astype(object).where(frame.notna(), "")
        text = table_as_csv(known.columns, known.itertuples(index=False, name=None))
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8", newline="")
        return None

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return `to_frame()` as a stream of Arrow, so that polars, pyarrow and duckdb read it."""
        import pyarrow as pa

        table = pa.Table.from_pandas(self.to_frame(), preserve_index=False)
        return table.__arrow_c_stream__(requested_schema)

    def to_text(self) -> str:
        """Return all rows as a console shows them, below the line on the budget; `repr` has the first 20."""
        contents = self._contents()
        return as_text(contents, contents.rows)

    def __repr__(self) -> str:
        return as_text(self._contents())

    def _repr_html_(self) -> str:
        return as_html(self._contents())


class Simulated(Tabular):
    """Simulated answers as tables."""

    def summary(self) -> pd.DataFrame:
        """Return a row for each column, group and level with the rank errors of all trials. Private.

        mean_rank_error is without signs; 95 of 100 signed errors lie between rank_error_low and rank_error_high, all in
        records; coverage is the proportion of trials in which the interval holds the true quantile, NaN without
        intervals. For found groups it covers the trials that find the group.
        """
        contents = self._contents()
        return with_facts(frame_of(list(map(over_trials, contents.parts))).drop(columns="unit"), contents)


class ByName(ABC, Generic[Key, Value]):
    """Answers that are looked up by a name, in the order of the release; no Mapping, so that none is taken for data."""

    @abstractmethod
    def _by_name(self) -> Mapping[Key, Value]:
        """Return the answers by their names."""

    def __getitem__(self, name: Key) -> Value:
        found = self._by_name()
        if name not in found:
            raise ParameterError("name", f"must be one of this release's{_nearest(name, found)}, got {shown(name)}.")
        return found[name]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._by_name())

    def __contains__(self, name: object) -> bool:
        return name in self._by_name()

    def __len__(self) -> int:
        return len(self._by_name())

    def items(self) -> ItemsView[Key, Value]:
        """Return the names with their answers."""
        return self._by_name().items()

    def _ipython_key_completions_(self) -> list[Key]:
        return list(self._by_name())


def _nearest(name: object, names: Mapping[Any, object]) -> str:
    """Return the name that is most like one that is not there, for a sentence; empty where none is."""
    known = {str(each): each for each in list(names)[:MOST_COMPARED]}
    near = get_close_matches(str(name), known, n=1)
    return f", such as {known[near[0]]!r}" if near else ""
