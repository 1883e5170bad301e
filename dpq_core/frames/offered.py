"""What releases and studies offer as tables, each by saying what it holds.

Files have the columns of the data frame, and then where the answers come from and what may be done with them.
"""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import ItemsView, Iterable, Iterator, Mapping
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ..errors import ParameterError, shown
from .notebook import Contents, as_html, as_text, with_facts
from .rows import frame_of, over_trials

if TYPE_CHECKING:
    import pandas as pd

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
