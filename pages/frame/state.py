"""What a session remembers besides its settings, and the one decision between Explore and Release.

The table of the chosen columns, usually one, has their values only where these may be shown.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.mode import SERVER_MODE as SERVER_MODE
from dpq_core.mode import releases_only
from dpq_core.results.data_set import DataSet, PrivateData, PublicData, Report, report_on, sample_to_explore
from dpq_core.results.kinds import Answered, Outcome, Paid, Released, Simulated
from dpq_core.results.outcomes import EXPLORE_SEED
from dpq_core.results.persons import PersonChoice
from dpq_core.results.synthetic import Column
from dpq_core.results.tables.kinds import TableReading
from dpq_core.sample import Sample

from .. import keys
from ..server import downloads
from ..settings import table

_OUTCOME, _COLUMN, _GROUPS, _TABLE = "outcome", "column", "groups", "table_outcome"
"""Kinds of outcomes."""
_SAMPLE = keys.state("sample")
_REPORT = keys.state("report")
_SEED = keys.state("seed")
_HELD = keys.state("held_mechanism")
_LAST_RELEASE = keys.state("last_release")


class Mode(StrEnum):
    """What the screen may show of a column."""

    EXPLORE = "explore"
    """Public or synthetic data: the truth is shown beside simulations, and nothing is private."""
    RELEASE = "release"
    """Everything else: private answers only; nothing else that depends on the data leaves the server."""

    @property
    def verb(self) -> str:
        """What the button says."""
        return "Simulate" if self is Mode.EXPLORE else "Release"


def may_explore(*, declared_public: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a column that is no example becomes PublicData, decided here only: if declared, and allowed."""
    return declared_public and uploads_may_be_explored(environment)


def mode_of(data: DataSet | None) -> Mode:
    """Return the mode that goes with the data; without any it is the careful one."""
    return Mode.EXPLORE if isinstance(data, PublicData) else Mode.RELEASE


def uploads_may_be_explored(environment: Mapping[str, str] = os.environ) -> bool:
    """Return False on a server started with DPQ_MODE=release: there the box is not even offered."""
    return not releases_only(environment)


def to_explore(environment: Mapping[str, str] = os.environ, *, may_declare: bool = True) -> str:
    """Return, as the end of a sentence, what to do in order to see the truth: only what this server allows.

    `may_declare`: whether the data are such that a person at the screen can declare them public at all.
    """
    if may_declare and uploads_may_be_explored(environment):
        return "choose an example, or say that this data is public or synthetic"
    return "choose an example"


def sample_of(data: PublicData, domain: Domain) -> Sample:
    """Return the column on its grid, made once for each column and domain; only the last one is kept.

    It has fixed tie-breaking bits so that its simulations can be repeated; `release` would refuse it.
    """
    name = (data.cache_key, domain)
    stored = st.session_state.get(_SAMPLE)
    if stored is None or stored[0] != name:
        st.session_state.pop(_SAMPLE, None)  # two large arrays at once would be one too many
        stored = (name, sample_to_explore(data, domain, EXPLORE_SEED))
        st.session_state[_SAMPLE] = stored
    return cast(Sample, stored[1])


def report_of(data: PublicData, domain: Domain) -> Report:
    """Return what was read, counted once for each Sample."""
    name = (data.cache_key, domain)
    stored = st.session_state.get(_REPORT)
    if stored is None or stored[0] != name:
        stored = (name, report_on(data.values, sample_of(data, domain), domain))
        st.session_state[_REPORT] = stored
    return cast(Report, stored[1])


def keep(outcome: Answered | Column) -> None:
    """Freeze what was drawn: it stays until its button is pressed again."""
    st.session_state[_place(_kind_of(outcome), _mode_drawn_in(outcome))] = outcome
    if isinstance(outcome, Paid):
        st.session_state[_LAST_RELEASE] = outcome.release_id


def last_release() -> str:
    """Return the id of the last release of this session, whose answer the ledger keeps; empty where there is none."""
    return str(st.session_state.get(_LAST_RELEASE, ""))


def _kind_of(outcome: Answered | Column) -> str:
    if not isinstance(outcome, Answered):
        return _COLUMN
    if outcome.of_table:
        return _TABLE
    return _OUTCOME if outcome.groups is None else _GROUPS


def outcome_of(data: DataSet | None) -> Simulated | Released | None:
    """Return the last quantiles that may be shown with this data: its own, or older ones of another example."""
    return cast(Simulated | Released | None, _beside(data, _OUTCOME))


def column_of(data: DataSet | None) -> Column | None:
    """Return the last synthetic column that may be shown with this data."""
    return cast(Column | None, _beside(data, _COLUMN))


def groups_of(data: DataSet | None) -> Answered | None:
    """Return the last answers for groups of this data."""
    found = cast(Answered | None, _beside(data, _GROUPS))
    return found if found is not None and data is not None and found.identity == data.identity else None


def table_of(identity: str, mode: Mode) -> Answered | None:
    """Return the last answers for several columns of the table of this identity."""
    found = cast(Answered | None, st.session_state.get(_place(_TABLE, mode)))
    return found if found is not None and found.identity == identity else None


def has_released(identity: str) -> bool:
    """Return whether this session holds an answer that was released of a column, or of several."""
    stored = (st.session_state.get(_place(name, Mode.RELEASE)) for name in (_OUTCOME, _COLUMN, _GROUPS, _TABLE))
    return any(each is not None and each.identity == identity for each in stored)


def _mode_drawn_in(outcome: Outcome) -> Mode:
    return Mode.RELEASE if isinstance(outcome, Paid) else Mode.EXPLORE


def _beside(data: DataSet | None, kind: str) -> Outcome | None:
    outcome = cast(Outcome | None, st.session_state.get(_place(kind, mode_of(data))))
    if outcome is None or data is None:
        return None
    return outcome if outcome.identity == data.identity or (data.is_example and outcome.of_example) else None


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


def forget_explored(identity: str) -> bool:
    """Drop what was computed about the truth of data that is not declared public any more; return whether some was."""
    places = [_place(kind, Mode.EXPLORE) for kind in (_OUTCOME, _COLUMN, _GROUPS, _TABLE)]
    kept = [name for name in places if getattr(st.session_state.get(name), "identity", None) == identity]
    for name in kept:
        del st.session_state[name]
        downloads.forget()
    sample = st.session_state.get(_SAMPLE)
    if sample is not None and sample[0][0][0] == identity:
        for name in (_SAMPLE, _REPORT):
            st.session_state.pop(name, None)
    return bool(kept)


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


def _place(kind: str, mode: Mode) -> str:
    return keys.state(kind, mode)


def next_seed() -> int:
    """Return the seed of the next simulation: 1, 2, 3, ... Releases have none."""
    seed = int(st.session_state.get(_SEED, 0)) % table.MOST_SEEDS + 1
    st.session_state[_SEED] = seed
    return seed


def use_seed(seed: int) -> int:
    """Return a seed that a link asks for, or that a page opens with: presses that follow have others."""
    st.session_state[_SEED] = max(int(st.session_state.get(_SEED, 0)), seed)
    return seed


def _simulated(of: str) -> str:
    return keys.state("simulated", of)


def note_simulation(of: str = "") -> None:
    """Remember a simulation, even one that failed: by Quantiles, or of the table of this identity."""
    st.session_state[_simulated(of)] = True


def has_simulated(of: str = "") -> bool:
    """Return whether Quantiles, or the page of this table, has simulated in this session; others do not count."""
    return _simulated(of) in st.session_state


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

    @staticmethod
    def of_column(data: DataSet) -> ChosenTable:
        """Return one column by itself."""
        return ChosenTable(
            identity=data.identity, about=data.about, one=data.one, columns=(data,), reading=data.reading, bare=True
        )

    @property
    def person(self) -> PersonChoice | None:
        """Return who has several rows, and what is taken of them: the same in all columns."""
        return self.columns[0].person

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

    @property
    def mode(self) -> Mode:
        """Return what the screen may show."""
        return mode_of(self.columns[0])
