"""A table whose columns are asked about, usually one, and what is asked of it: by public facts alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from dpq_core.plan import Plan
from dpq_core.results import Bounds, DataSet, PersonChoice, PrivateData, PublicData, TableReading, TableRequest
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.sizes import GroupSizes

from ..frame import Mode, mode_of

UNKNOWN_SIZES = GroupSizes()


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


def request_of(
    data: DataSet,
    bounds: Bounds,
    plan: Plan,
    about_n: int | None = None,
    groups: GroupChoice | None = None,
    sizes: GroupSizes = UNKNOWN_SIZES,
) -> TableRequest:
    """Return what is asked of one column by itself; `about_n`: a guess of its records, or of those in each group."""
    return TableRequest(
        plans={data.name: plan}, bounds={data.name: bounds}, weights={data.name: Fraction(1)}, about_n=about_n or 0,
        missing={data.name: data.missing}, person=data.person, groups=groups, sizes=sizes,
    )  # fmt: skip


def plan_of_whole(request: TableRequest) -> Plan:
    """Return a plan with the budget and the adjacency of the whole."""
    return next(iter(request.plans.values()))
