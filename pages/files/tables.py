"""The columns that a visitor brought: one or several of a file, or pasted values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from dpq_core.groups.cells import PossibleNames
from dpq_core.results.sealed import SealedColumn
from dpq_core.sources.column import Kind, NumberColumn
from dpq_core.sources.forms import describe
from dpq_core.sources.reading import Opening, Reading

from ..shell.header import sentence_of

MOST_COLUMNS = 200
"""Columns that are read and released in one go on the page."""
MORE_HELP = (
    "All columns share one budget, and you say what values are possible in each. Which columns the file has and what "
    "they hold (numbers, dates, money) is taken as public."
)


@dataclass(frozen=True)
class OwnColumn:
    """A column that was read: public facts, and its values sealed."""

    name: str
    kind: Kind
    unit: str
    column: SealedColumn = field(repr=False)
    in_file: str
    """Its name in the list of columns."""
    written: str
    """How its cells were read, in a sentence."""
    said: Reading
    """What was said of how they are written."""


@dataclass(frozen=True)
class OwnTable:
    """The columns of a visitor's own file, or pasted values, which have no file."""

    file: str
    said: Opening
    """What had to be said so that it could be read."""
    columns: tuple[OwnColumn, ...]
    left_out: tuple[str, ...]
    """Sentences on columns that could not be read."""
    asked: tuple[str, ...]
    """The names of all that were asked for in the list of columns."""
    person: str = ""
    """The name of the column of ids, as it may be shown; empty where every row is a different person."""
    by: tuple[tuple[str, PossibleNames], ...] = ()
    """The names, as they may be told, of the columns of groups, and what their cells are by their types."""

    @property
    def several(self) -> bool:
        """Return whether several columns were asked for."""
        return len(self.asked) > 1

    @property
    def way(self) -> str:
        """Return which choice among the data it is of."""
        return "file" if self.file else "paste"


def own_table(
    result: Any, digest: bytes, file: str, readings: Mapping[str, Reading], said: Opening, person: str,
    by: tuple[str, ...],
) -> OwnTable:  # fmt: skip
    """Return the columns that a job has read, and why some could not be."""
    found, people, groups = result
    named = list(zip(readings, found, strict=True))
    refused = [(name, each) for name, each in named if not isinstance(each, NumberColumn)]
    own = tuple(
        OwnColumn(
            each.name, each.kind, each.unit, SealedColumn(each.values, digest, people, groups), name,
            describe(each), readings[name],
        )
        for name, each in named
        if isinstance(each, NumberColumn)
    )  # fmt: skip
    sentences = tuple(f"{name} is left out: {sentence_of(error)}" for name, error in refused)
    of_groups = tuple((name, each.possible) for name, each in zip(by, groups, strict=True))
    return OwnTable(file, said, own, sentences, tuple(readings), person, of_groups)


def ask_more(widget: str, others: Sequence[str], before: Sequence[str] = ()) -> tuple[str, ...]:
    """Ask which columns are answered besides the first one; at first those that were `before`."""
    if not others:
        return ()
    held = st.session_state.get(widget, before)
    st.session_state[widget] = [name for name in held if name in others]
    chosen: list[str] = st.multiselect(
        "More columns", others, key=widget, max_selections=MOST_COLUMNS - 1, placeholder="None", help=MORE_HELP
    )
    return tuple(chosen)
