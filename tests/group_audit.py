"""The exact loss of tables with groups that differ by one person: all outputs of all groups together.

Which of a person's groups and rows are kept is drawn; every outcome is followed, with its chance. Given the records,
the groups' answers are independent, and where groups are found one outcome of each is that it is not named.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from math import comb, inf, log
from typing import Any, cast

import numpy as np

from dpq_core.arrays import Floats, Integers
from dpq_core.audit.losses import all_outputs, loss_between
from dpq_core.calibrations import mechanism_of
from dpq_core.column import Column
from dpq_core.domain.domain import Domain
from dpq_core.errors import ParameterError
from dpq_core.groups.names import GroupName
from dpq_core.mechanisms.base import Law, Loss, Parameters
from dpq_core.people.ids import People
from dpq_core.people.takes import PerPerson, take_one
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import Guarantee
from dpq_core.privacy.composition import GroupsPerPerson
from tests.harness import NamedFirst, calibrated

Rows = Sequence[tuple[float, GroupName, int]]
"""A table: value, group and person of each row."""
Taken = tuple[int, ...]
"""The grid indices of one person's records in a group."""
Columns = tuple[tuple[Taken, ...], ...]
"""Those of all persons who have any, for each group."""


@dataclass(frozen=True)
class GroupTable:
    """A small table, and how it is read."""

    rows: Rows
    domain: Domain
    names: tuple[GroupName, ...]
    max_groups_per_person: GroupsPerPerson = 1
    per_person: PerPerson | None = "first"
    max_rows_per_person: int | None = None
    """How many rows of a person are kept in a group, or in any, in place of what `per_person` makes of them."""
    finding: float | None = None
    """None: the names are public."""

    def groups(self) -> Column:
        """Return the sample that a release would read, without tie-breaking bits and seeded."""
        values, labels, ids = zip(*self.rows, strict=True) if self.rows else ((), (), ())
        found = self.finding is not None
        made = Column.from_values(
            np.array(values, np.float64), self.domain, groups=list(labels), names=None if found else self.names,
            people=People.of(list(ids)), max_groups_per_person=self.max_groups_per_person, per_person=self.per_person,
            max_rows_per_person=self.max_rows_per_person, finding=self.finding or 0.5, seed=0, tie_bits=0,
        )  # fmt: skip
        return made

    def chances(self) -> dict[Columns, Fraction]:
        """Return the records that are read, group by group, with their chances."""
        found: dict[Columns, Fraction] = {tuple(() for _ in self.names): Fraction(1)}
        for person in sorted({row[2] for row in self.rows}):
            after: dict[Columns, Fraction] = defaultdict(Fraction)
            for (columns, chance), (kept, own) in product(found.items(), self._kept(person)):
                after[tuple(tuple(sorted(pair)) for pair in map(_joined, columns, kept))] += chance * own
            found = after
        return found

    def _kept(self, person: int) -> Iterator[tuple[tuple[Taken, ...], Fraction]]:
        """Yield what may be kept of a person, with its chance: each set of groups, each row where one is random."""
        if self.max_groups_per_person == "any":
            yield from self._kept_in_any(person)
            return
        own = {name: [row[0] for row in self.rows if row[1:] == (name, person)] for name in self.names}
        here = [name for name in self.names if own[name]]
        most = min(self.max_groups_per_person, len(here))
        for chosen in combinations(here, most):
            taken = [self._taken(own[name]) for name in chosen]
            for outcome in product(*taken):
                cells = dict(zip(chosen, outcome, strict=True))
                chance = Fraction(1, comb(len(here), most) * reduce(lambda a, b: a * b, map(len, taken), 1))
                yield tuple(cells.get(name, ()) for name in self.names), chance

    def _kept_in_any(self, person: int) -> Iterator[tuple[tuple[Taken, ...], Fraction]]:
        """Yield which rows may be kept of a person in all groups together: each set of as many is as likely."""
        rows = [(row[1], int(self.domain.encode(np.array([row[0]]))[0])) for row in self.rows if row[2] == person]
        sets = list(combinations(rows, min(self.max_rows_per_person or 1, len(rows))))
        for chosen in sets:
            kept = tuple(tuple(cell for group, cell in chosen if group == name) for name in self.names)
            yield kept, Fraction(1, len(sets))

    def _taken(self, values: list[float]) -> list[Taken]:
        """Return what may be taken of these rows, each as likely."""
        cells = list(self.domain.encode(np.array(values)).tolist())
        if self.per_person is None:
            return list(combinations(cells, min(self.max_rows_per_person or 1, len(cells))))
        if self.per_person == "random":
            return [(cell,) for cell in cells]
        one = take_one(np.array(values), People(np.zeros(len(values), np.int32), 1), self.per_person, self.domain, None)
        return [tuple(self.domain.encode(one).tolist())]


def _joined(column: tuple[Taken, ...], kept: Taken) -> tuple[Taken, ...]:
    return (*column, kept) if kept else column


def compare_groups(
    plan: Plan, a: GroupTable, b: GroupTable, *, alter: Callable[[Any], Any] | None = None
) -> tuple[Loss, Guarantee]:
    """Return the loss between two tables, and what is claimed. Raises ParameterError where outputs cannot be listed."""
    audit = mechanism_of(plan).AUDIT
    if not isinstance(audit, Law):
        raise ParameterError("mechanism", "must be one with an output distribution, for tables with groups.")
    laws = []
    for table in (a, b):
        steps = calibrated(plan, table.groups())
        claimed, read = steps.guarantee, steps if alter is None else alter(steps)
        laws.append(_law(table, read, audit))
    loss = loss_between(laws[0], laws[1], claimed.epsilon)
    return replace(loss, worst_output=()), claimed


def _law(table: GroupTable, steps: Any, audit: Law[Parameters]) -> Floats:
    """Return log probabilities of all outputs of all groups."""
    if table.per_person == "weight":
        return _law_of_shares(table, steps, audit)
    logs = []
    for columns, chance in table.chances().items():
        each = [_law_of_one(*own, table, steps, audit) for own in zip(table.names, columns, strict=True)]
        logs.append(log(chance) + reduce(np.add.outer, each).reshape(-1))
    return np.asarray(np.logaddexp.reduce(logs, axis=0), dtype=np.float64)


def _law_of_shares(table: GroupTable, steps: Any, audit: Law[Parameters]) -> Floats:
    """Return log probabilities of all outputs of all groups, where nothing is chosen of a person."""
    assert steps.numbers is None, "the same for every group"
    groups, cells = table.groups(), table.domain.cells
    outputs = all_outputs(cells, len(steps.parameters.levels))
    nobody = np.zeros(0, np.int64)
    each = []
    for name in table.names:
        at = groups.names.index(name) if name in groups.names else None
        records = nobody if at is None else cast(Integers, groups.column(at).records)
        law = audit.log_law(outputs, records, steps.parameters, cells)
        each.append(_if_named(law, 0 if at is None else int(groups.people_in[at]), steps))
    return np.asarray(reduce(np.add.outer, each).reshape(-1), dtype=np.float64)


def _law_of_one(
    name: GroupName, taken: tuple[Taken, ...], table: GroupTable, steps: Any, audit: Law[Parameters]
) -> Floats:
    """Return log probabilities of a group's outputs, and after them that of not being named where it may be found.

    Outputs are those of all levels, also of those at the ends of intervals.
    """
    records = np.sort(np.array([cell for each in taken for cell in each], np.int64))
    parameters, _ = steps.of_group(name)
    outputs = all_outputs(table.domain.cells, len(parameters.levels))
    law = audit.log_law(outputs, records, parameters, table.domain.cells)
    return _if_named(law, len(taken), steps)


def _if_named(law: Floats, count: int, steps: Any) -> Floats:
    """Return log probabilities of the answers about a group with this many persons, or parts of persons."""
    if not isinstance(steps, NamedFirst):
        return law
    chances = steps.naming.chances(count)
    named = Fraction(chances[min(count, len(chances) - 1)], 1 << steps.naming.bits)
    return np.append(law + _log(named), _log(1 - named))


def _log(chance: Fraction) -> float:
    return log(chance.numerator) - log(chance.denominator) if chance else -inf
