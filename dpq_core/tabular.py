"""What releases and studies offer as tables: data frames, CSV, streams of Arrow, and what consoles and notebooks show.

Files have the columns of the data frame, and then where the answers come from and what may be done with them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import ItemsView, Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from .errors import ParameterError, shown
from .frame import Rows, as_dates, dates_in_words, different, first_rows, frame_of, in_trials, wide
from .people.takes import count_in_words
from .privacy.budgets import Guarantee

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 20
OF_ERRORS = frozenset({"rank_error", "covered"})
"""The numbers of a study that are not in the unit of a column."""
NOT_PRIVATE = "Simulation, not private."
COMPUTED = "=+-@\t\r＝＋－＠"
"""The first characters of a text that a spreadsheet takes for a formula, in Japan the wide ones, too."""
MOST_COMPARED = 1000
"""Names that are compared with one that is not among them."""
Value = TypeVar("Value")


class Tabular(Generic[Value]):
    """Answers by the names of their columns, and as tables; no Mapping, so that none is taken for data."""

    cells: tuple[Any, ...]
    guarantee: Guarantee
    plan: Any
    description: Any
    version: str
    warnings: Any
    _simulated: ClassVar[bool] = False
    """Whether these are answers of a study, which are as private as the data."""

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
        found, headings = self._table(self._parts, wide)
        if self._dates and all(part.column in self._dates for part in self._parts):
            found = as_dates(found, headings)
        return self._with_facts(found)

    def for_files(self, wide: bool = False) -> pd.DataFrame:
        """Return the table that files have: that of `to_csv`, whose numbers are numbers."""
        found, headings = self._table(self._parts, wide)
        found = dates_in_words(found, self._dates, headings)
        for name, cells in self._ends(wide).items():
            found[different([name], found.columns)[0]] = cells
        return found

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
        return self._text(self._rows)

    def __repr__(self) -> str:
        return self._text(MOST_SHOWN)

    def _text(self, most: int) -> str:
        frame = self._first_rows(most)
        label = f"{NOT_PRIVATE} " if self._simulated else ""
        table = "" if frame.empty else frame.to_string(index=False)
        return "\n".join(filter(None, [f"{label}{self._headline}", table, self._left_out(most)]))

    def _repr_html_(self) -> str:
        """Return what a notebook shows: warnings, the budget, and the first rows. No name in it is markup."""
        frame = self._first_rows()
        label = f"<p><strong>{escape(NOT_PRIVATE)}</strong></p>" if self._simulated else ""
        warnings = "".join(f"<p>⚠ {escape(warning)}</p>" for warning in self.warnings)
        table = "" if frame.empty else frame.to_html(index=False, escape=True, border=0, notebook=True)
        left_out = self._left_out(MOST_SHOWN)
        more = f"<p>{escape(left_out)}</p>" if left_out else ""
        return f"<div>{label}{warnings}<p>{escape(self._headline)}</p>{table}{more}</div>"

    def __getitem__(self, name: str) -> Value:
        found = self._by_name
        if name not in found:
            known = {str(each): each for each in list(found)[:MOST_COMPARED]}
            near = "".join(f", such as {known[each]!r}" for each in get_close_matches(str(name), known, n=1))
            raise ParameterError("name", f"must be one of this release's{near}, got {shown(name)}.")
        return found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self._by_name)

    def items(self) -> ItemsView[str, Value]:
        """Return the names with their answers."""
        return self._by_name.items()

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._by_name)

    @property
    def _by_name(self) -> dict[str, Value]:
        return {each.column: each for each in self.cells}

    @property
    def hides(self) -> str:
        """Return what the guarantee protects, such as `one person joins or leaves`."""
        return self.guarantee.hides

    @property
    def _dates(self) -> tuple[str, ...]:
        return tuple(self.description.dates)

    @cached_property
    def _parts(self) -> list[Rows]:
        return [replace(each.rows, unit=self.description.unit_of(each.column)) for each in self.cells]

    @property
    def _rows(self) -> int:
        """Return how many rows the table has."""
        return sum(part.rows for part in self._parts)

    @property
    def _facts(self) -> dict[str, Any]:
        """Return the description of a data frame as plain values, which a file can hold."""
        return {
            "private": self._simulated,
            "guarantee": self.guarantee.as_dict(),
            "adjacency": self.guarantee.adjacency.value,
            "version": self.version,
            **({"dates": list(self._dates)} if self._dates else {}),
        }

    def _with_facts(self, frame: pd.DataFrame) -> pd.DataFrame:
        frame.attrs.update(self._facts)
        return frame

    def _ends(self, as_wide: bool) -> dict[str, Any]:
        """Return the last columns of files, which say what may be done with the answers."""
        return {"label": NOT_PRIVATE}

    def _table(self, parts: Iterable[Rows], as_wide: bool = False) -> tuple[pd.DataFrame, list[str]]:
        """Return the whole table with dates as days, and which of its columns hold values of a column."""
        held = [wide(part) if as_wide else in_trials(part) if self._simulated else part for part in parts]
        found = frame_of(held, in_trials=self._simulated)
        if self._simulated and not as_wide:
            covered = found["covered"]  # missing without an interval
            found = found.assign(covered=(covered == 1).astype("boolean").mask(covered.isna()))
        headings = dict.fromkeys(name for part in held for name in part.numbers)
        return found, [name for name in headings if as_wide or name not in OF_ERRORS]

    def _first_rows(self, most: int = MOST_SHOWN) -> pd.DataFrame:
        """Return the rows that are shown of the table, which is not built for them, without columns that are empty."""
        found, headings = self._table(first_rows(self._parts, most))
        shown = dates_in_words(found, self._dates, headings).head(most)
        return shown.loc[:, ~(shown.isna() | (shown == "")).all()] if len(shown) else shown

    def _left_out(self, most: int) -> str:
        """Return how many rows are not shown; empty where all are."""
        more = self._rows - most
        return f"... and {count_in_words(more, 'more row')}" if more > 0 else ""

    @property
    def _price(self) -> str:
        return f"{self.guarantee.in_terms_of(self.plan.privacy)} where {self.hides}"

    @property
    def _headline(self) -> str:
        """Return how many answers there are and what they cost: `1 answer · ε = 1 where one record joins or leaves`."""
        return f"{count_in_words(self._rows, 'answer')} · {self._price}"


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
