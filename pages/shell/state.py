"""What a session remembers besides its settings, and the one decision whether the truth of own data may be shown.

The table of the chosen columns, usually one, has their values only where these may be shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import streamlit as st

from dpq_core.column import Column
from dpq_core.domain.domain import Domain
from dpq_core.mode import SERVER_MODE as SERVER_MODE
from dpq_core.mode import releases_only
from dpq_core.results.chosen import TableReading
from dpq_core.results.data_set import DataSet, PrivateData, PublicData, Report, column_to_explore, report_on
from dpq_core.results.kinds import Answered, Released, Simulated

from .. import keys
from ..form import table
from ..server import downloads

_ON_GRID = keys.state("column on its grid")
_REPORT = keys.state("report")
_SEED = keys.state("seed")
_HELD = keys.state("held_mechanism")
_SIMULATED, _RELEASED = (keys.state("outcome", page) for page in ("explore", "release"))


def may_explore(*, declared_public: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a column that is no example becomes PublicData, decided here only: if declared, and allowed."""
    return declared_public and not releases_only(environment)


def column_of(data: PublicData, domain: Domain) -> Column:
    """Return the column on its grid, made once for each column and domain; only the last one is kept.

    It has fixed tie-breaking bits so that its simulations can be repeated; `release` would refuse it.
    """
    made: Column = _made_once(_ON_GRID, (data.cache_key, domain), lambda: column_to_explore(data, domain))
    return made


def report_of(data: PublicData, domain: Domain) -> Report:
    """Return what was read, counted once for each column on its grid."""
    column = column_of(data, domain)
    made: Report = _made_once(_REPORT, (data.cache_key, domain), lambda: report_on(data.values, column, domain))
    return made


def _made_once(place: str, name: object, make: Callable[[], Any]) -> Any:
    """Return what the session keeps at this place of this name, made anew where it is of another one."""
    stored = st.session_state.get(place)
    if stored is None or stored[0] != name:
        st.session_state.pop(place, None)  # two large arrays at once would be one too many
        stored = st.session_state[place] = (name, make())
    return stored[1]


def keep(outcome: Answered) -> None:
    """Freeze what was drawn: it stays until the button is pressed again."""
    st.session_state[_RELEASED if isinstance(outcome, Released) else _SIMULATED] = outcome
    if isinstance(outcome, Released):  # with which the page Releases opens, for about as many people as were guessed
        name = outcome.release.id
        said = {"last": name, "answer": name, "title": "", "unit": "", "records": table.text("shape_size")}
        st.session_state.update({table.key(name): value for name, value in said.items()})


def simulated(identity: str, *, example: bool = False) -> Simulated | None:
    """Return the last simulation that may be shown with the data of this identity, or one of another example."""
    found = cast(Simulated | None, st.session_state.get(_SIMULATED))
    if found is None or (found.identity != identity and not (example and found.of_example and not found.of_table)):
        return None
    return found


def released(identity: str) -> Released | None:
    """Return the last answer of this session that was released of the data of this identity."""
    found = cast(Released | None, st.session_state.get(_RELEASED))
    return found if found is not None and found.identity == identity else None


def outcome_of(data: DataSet | None) -> Simulated | Released | None:
    """Return the last quantiles of a column in one piece that may be shown with this data."""
    found: Simulated | Released | None = None
    if isinstance(data, PublicData):
        found = simulated(data.identity, example=data.is_example)
    elif data is not None:
        found = released(data.identity)
    return found if found is not None and found.groups is None and not found.of_table else None


def hold_mechanism(identity: str, mechanism: str, *, instead_of: str = "") -> None:
    """Keep the mechanism that was chosen for the data of this identity; `instead_of`: which would be chosen now."""
    st.session_state[_HELD] = identity, mechanism, instead_of


def held_mechanism(identity: str) -> str:
    """Return the mechanism that is held for these data; empty where none is."""
    held = st.session_state.get(_HELD)
    return str(held[1]) if held is not None and held[0] == identity else ""


def held_instead() -> str:
    """Return the mechanism that is held although another one would be chosen now; empty where none is."""
    held = st.session_state.get(_HELD)
    return str(held[1]) if held is not None and held[2] else ""


def let_go_of_mechanism() -> None:
    """Let the next choice of a mechanism be a new one."""
    st.session_state.pop(_HELD, None)


def forget_data(identity: str) -> None:
    """Drop everything that this session keeps of one column: samples, reports, outcomes, those of other pages too."""
    downloads.forget()
    for name, value in list(st.session_state.items()):
        if str(name).startswith(keys.STATE) and _is_of(value, identity):
            del st.session_state[name]


def _is_of(value: object, identity: str) -> bool:
    """Return whether a kept value belongs to a column, by its `identity` or by the name that it is kept with."""
    if isinstance(value, tuple):
        return any(_is_of(part, identity) for part in value)
    return value == identity if isinstance(value, str) else getattr(value, "identity", None) == identity


def next_seed() -> int:
    """Return the seed of the next simulation: 1, 2, 3, ... Releases have none."""
    seed = int(st.session_state.get(_SEED, 0)) % table.MOST_SEEDS + 1
    st.session_state[_SEED] = seed
    return seed


def use_seed(seed: int) -> int:
    """Return a seed that a link asks for, or that a page opens with: presses that follow have others."""
    st.session_state[_SEED] = max(int(st.session_state.get(_SEED, 0)), seed)
    return seed


@dataclass(frozen=True, kw_only=True, eq=False)
class ChosenTable:
    """The columns to ask about: their public facts, with their values only where these may be shown."""

    identity: str
    about: str
    one: str
    columns: tuple[DataSet, ...] = field(repr=False)
    reading: TableReading = field(default_factory=TableReading)
    bare: bool = False
    """Whether this is one column by itself, of which the answers are."""
    at: int = 0
    """The place of the column that the form is about."""
    said_of: tuple[str, ...] = ()
    """The names by which the session keeps what was said of each column; of one by itself none."""

    @staticmethod
    def of_column(data: DataSet) -> ChosenTable:
        """Return one column by itself."""
        return ChosenTable(
            identity=data.identity, about=data.about, one=data.one, columns=(data,), reading=data.reading, bare=True
        )

    @property
    def column(self) -> DataSet:
        """Return the column that the form is about."""
        return self.columns[self.at]

    @property
    def protected(self) -> str:
        """What a promise covers: one record, or one person with all rows."""
        return self.columns[0].protected

    @property
    def explored(self) -> tuple[PublicData, ...]:
        """Return the columns whose truth may be shown: all or none."""
        return tuple(each for each in self.columns if isinstance(each, PublicData))

    @property
    def private(self) -> tuple[PrivateData, ...]:
        """Return the columns to release from: all or none."""
        return tuple(each for each in self.columns if isinstance(each, PrivateData))
