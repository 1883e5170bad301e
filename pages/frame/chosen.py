"""The table of the chosen columns, usually one: with their values only where these may be shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpq_core.results import DataSet, PersonChoice, PrivateData, PublicData, TableReading

from .state import Mode, mode_of


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
        return ChosenTable(identity=data.identity, about=data.about, one=data.one, columns=(data,), bare=True)

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
