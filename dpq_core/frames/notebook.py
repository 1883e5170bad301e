"""What a notebook shows of answers: a line on the budget, and the first rows of their table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..privacy.budgets import Guarantee, Privacy
from .dates import as_dates, dates_in_words
from .rows import Rows, different, first_rows, frame_of, in_trials, wide

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
