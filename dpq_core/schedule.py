"""One path from a question to its answers: of one column, of the groups of a column, or of a table.

A schedule is calibrated before any data are read: its steps are fixed, and one guarantee covers all of them. The
answers are drawn from it, or simulated, and it says what an account of a ledger is charged. Several columns of a table
are released under one guarantee: all of them are answered, or none is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from .arrays import Integers
from .calibrations import are_many, calibrate, each_of, public_count, read_plan, singly
from .column import Column, Columns, Data
from .columns_plan import ColumnsPlan, Plans, Weights
from .draw import RELEASE, EntropySource, Found, Steps, cells_of, find_names, refuse_seeded
from .errors import DataError, Infeasible, ParameterError, shown
from .frame import COLUMN
from .groups.finding import PartitionSelection, divided_for_names, named_with
from .groups.names import GroupName
from .intervals.counted import SHARE, ColumnsOfOne, CountedOnce, of_the_ends
from .mechanisms.base import Make
from .one_column import OneColumn
from .plan import NOISY, Plan
from .privacy.budgets import Guarantee, Privacy
from .privacy.composition import after_first, first_and_rest, least_noisy
from .progress import Progress, unheard, within
from .release import Cells, Release
from .steps import CountFirst, intervals_of, is_counted, steps_of
from .study import SimulatedCells, Study, Trace, check_count, explain_column, simulate_column

NONE_ANSWERED = " No column is answered, and the whole budget is spent."
"""A refusal after a draw also reveals something about the columns drawn before it."""
LARGEST_SEED = 1 << 1000
"""Numbers with thousands of digits are never written out."""
OF_NAMES = ""
"""In place of a column's name, which is never empty, where groups are named, or rows counted, for all columns."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """What a release will do, calibrated: its steps, and what all of them guarantee together."""

    plan: ColumnsPlan
    """As the answers state it: with the options that a sketch already decided."""
    columns: Mapping[str, Steps]
    """The steps of each column."""
    guarantee: Guarantee
    """What is guaranteed to one person for all columns together, for the names of groups that are found, and for a
    noisy count."""
    naming: PartitionSelection | None = None
    """Who is named, once for all columns; None where nothing is found."""
    counting: CountedOnce | None = None
    """How the rows are counted, once for all columns that wait for it; None where none does."""

    @property
    def n_public(self) -> int | None:
        """Return the number of records of one column in one piece where it is public; else None."""
        steps = list(self.columns.values())
        return steps[0].n_public if len(steps) == 1 else None


def columns_plan(table: Columns, plan: Plans, weights: Weights = None) -> ColumnsPlan:
    """Return the plan of a table that a release may read as one. Raises ParameterError, DataError."""
    found = ColumnsPlan.of(table, plan, weights)
    columns_in(table)
    if len({column.protects for column in table.values()}) > 1:
        raise ParameterError("columns", "must all protect records, or all protect persons.")
    return found


def found_once(table: Columns) -> Column | None:
    """Return one column of a table whose groups are found once for all columns; None where none are to be found.

    Raises ParameterError where each column would find groups of its own.
    """
    wholes = table.values()
    found = [each for each in wholes if each.finding is not None]
    if not found:
        return None
    first = found[0].persons
    apart = first is None or len(found) < len(wholes) or any(each.persons is not first for each in found)
    if len(wholes) > 1 and apart:
        raise ParameterError(
            "columns", "must have groups that are found once for all of them: make one table, with Table.from_frame."
        )
    return cast(Column, found[0])  # of a sketch no groups are found


def schedule_of(table: Columns, plan: Plans, make: Make = calibrate) -> Schedule:
    """Return the schedule that answers a plan on these columns; draw nothing.

    The budget is divided in the way that spends most: ways are compared by the sum of rho over all columns. If groups
    are found once for all columns, finding their names takes a part of the budget first. `make`: what makes the
    parameters. Raises ParameterError (also Infeasible), DataError.
    """
    plan = columns_plan(table, plan)
    plan = plan.each(lambda name, own: read_plan(table[name], own))
    groups = found_once(table)
    if groups is None:
        counted: tuple[str, ...] = ()  # columns that share one count of the table, by public facts
        if isinstance(table, ColumnsOfOne):
            counted = tuple(name for name, own in plan.plans.items() if is_counted(table[name].on_any_grid, own))
        if len(counted) > 1:
            return _with_count(table, plan, counted)
        columns, guarantee = _calibrated(table, plan, make)
        return Schedule(plan=plan, columns=columns, guarantee=guarantee)
    assert groups.finding is not None, "groups are to be found"
    for_names, rest = divided_for_names(groups.finding, plan.privacy)
    columns, answers = _calibrated(table, plan.with_budget(rest), make)
    naming, guarantee = named_with(groups.unit_of_names(plan.adjacency), plan.privacy, for_names, answers)
    return Schedule(plan=plan, columns=columns, guarantee=guarantee, naming=naming)


def _with_count(table: Columns, plan: ColumnsPlan, counted: tuple[str, ...]) -> Schedule:
    """Return a plan calibrated for columns some of which (`counted`) share one count, paid from a share of their parts.

    What the levels at the ends spend depends on the noisy numbers, so the guarantee states a column's whole part.
    """
    without = plan.each(lambda name, own: replace(own, intervals=None, about_n=None) if name in counted else own)
    weights = {name: weight * (1 - SHARE) if name in counted else weight for name, weight in plan.weights.items()}
    without = replace(without, weights=weights)
    share = 1 - sum(weights.values(), Fraction(0)) / sum(plan.weights.values())

    def calibrated(way: tuple[Fraction, Privacy]) -> tuple[Fraction, ColumnsPlan, dict[str, Steps]]:
        rest = without.with_budget(way[1])
        return way[0], rest, _calibrated(table, rest, calibrate)[0]

    ways = first_and_rest(plan.privacy, share)
    first, rest, columns = least_noisy(ways, calibrated, lambda made: (each.guarantee for each in made[2].values()))
    unit = table[counted[0]].unit_between(plan.adjacency)
    counting = CountedOnce.of(counted, first / unit.steps_per_group, len(table))
    for name in counted:
        asked = intervals_of(plan.plans[name])
        own = replace(columns[name].plan, intervals=asked, about_n=NOISY)
        steps_of(table[name], own)  # refuse what public facts rule out before anything is drawn
        part = Guarantee.of(own.privacy, own.adjacency, unit.protects)
        answers = replace(own, intervals=of_the_ends(asked), about_n=None)
        column = table[name].on_any_grid
        count = counting.of_column(asked, shares=column.unit > 1)
        each, bare = each_of(column, own), columns[name].compared
        columns[name] = CountFirst(plan=own, guarantee=part, rest=answers, count=count, each=each, bare=bare)
    guarantee = after_first(plan.privacy, first, rest.guarantee_of(each.guarantee for each in columns.values()))
    assert guarantee.covers(plan.privacy), "the count and all answers spend no more than requested"
    return Schedule(plan=plan, columns=columns, guarantee=guarantee, counting=counting)


def _calibrated(table: Columns, plan: ColumnsPlan, make: Make) -> tuple[dict[str, Steps], Guarantee]:
    """Calibrate the answers of columns without count and names, and return what they guarantee together."""
    grouped = {name: whole for name in plan.names if (whole := table[name]).in_groups}
    many = are_many(*grouped.values())

    def calibrated(plans: Mapping[str, Plan]) -> dict[str, Steps]:
        makes = {name: singly if many and name in grouped else make for name in plans}
        return {name: steps_of(table[name], own, makes[name]) for name, own in plans.items()}

    found = least_noisy(plan.divided(), calibrated, lambda columns: (each.compared for each in columns.values()))
    return found, plan.guarantee_of(each.guarantee for each in found.values())


def draw(table: Columns, schedule: Schedule, progress: Progress = unheard) -> Release:
    """Return the answers of a schedule that was calibrated for these columns, drawn now. Raises Infeasible."""
    refuse_seeded_in(table)
    found, cells = _found_for_all(table, schedule, RELEASE), list[Cells]()
    for name, steps in schedule.columns.items():
        try:
            own = cells_of(table[name], steps, found[name])
        except Infeasible as error:
            if len(table) == 1 and schedule.naming is None:
                raise  # nothing else was drawn: it says what it has spent
            raise Infeasible.of_whole(error, NONE_ANSWERED, schedule.guarantee.epsilon) from None
        cells.append(replace(own, column=name))
        progress(len(cells) / len(table))
    return Release.of(cells, schedule.plan, schedule.guarantee)


def simulate(table: Columns, schedule: Schedule, trials: int, seed: int, progress: Progress = unheard) -> Study:
    """Simulate `trials` independent runs, and return their answers and rank errors. Repeatable; never a release.

    Each column's own study can be repeated from the seed that it states. Raises ParameterError, DataError.
    """
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    of_all = EntropySource(seed_of(seed, OF_NAMES), tuple(range(trials)))
    found, cells = _found_for_all(table, schedule, of_all), list[SimulatedCells]()
    for name, steps in schedule.columns.items():
        heard, own_seed = within(progress, len(cells), len(table)), seed_of(seed, name)
        own = simulate_column(table[name], steps, trials, own_seed, found[name], progress=heard)
        cells.append(replace(own, column=name))
        heard(1.0)
    return Study(cells=tuple(cells), guarantee=schedule.guarantee, plan=schedule.plan, seed=seed)


def explain(
    table: Columns,
    schedule: Schedule,
    column: str | None = None,
    group: GroupName | None = None,
    *,
    seed: int = 0,
    trials: int = 100,
    run: int = 0,
) -> Trace:
    """Return one run of one column, or of one of its groups, with what every draw saw and chose: private.

    Of a whole column its values are those of `simulate` with this seed and number of trials; of a group they are a run
    of that group alone. Raises ParameterError, DataError.
    """
    for number, value, least in (("trials", trials, 1), ("seed", seed, 0), ("run", run, 0)):
        check_count(number, value, least)
    if run >= trials:
        raise ParameterError("run", f"must be below trials = {trials}, got {run}.")
    name = next(iter(table)) if column is None and len(table) == 1 else column
    if name is None or name not in table:
        raise ParameterError("column", f"must be one of {', '.join(table)}, got {shown(name)}.")
    return explain_column(table[name], schedule.columns[name], seed_of(seed, name), trials, run, group)[0]


def columns_in(data: Data | Columns, name: str = COLUMN) -> Columns:
    """Return the columns by their names; one without a name is a table of one, by this name. Raises DataError."""
    if isinstance(data, Mapping):
        if not all(isinstance(each, OneColumn) for each in data.values()):
            raise DataError(
                "each column must be a Column or a sketch: of arrays make a table first, as in "
                "Table.from_frame(frame, {'age': (0, 120, 1)})."
            )
        return data
    if not isinstance(data, OneColumn):
        raise DataError(
            f"the data must be a Column or a sketch, got {type(data).__name__}. For one column write "
            "Column.from_values(values, Domain(0, 120, 1)), for a table Table.from_frame(...)."
        )
    return {name: data}


def refuse_seeded_in(table: Columns) -> None:
    """Raise ParameterError for data with seeded tie-breaking, which can be guessed: no release may be drawn from it."""
    for each in table.values():
        refuse_seeded(each)


def _found_for_all(table: Columns, schedule: Schedule, source: EntropySource) -> dict[str, Found]:
    """Return for each column what is drawn once for all: which runs name a group, and its noisy numbers."""
    groups, numbers = found_once(table), dict[str, Integers]()
    named = None if groups is None or schedule.naming is None else find_names(groups, schedule.naming, source)
    if schedule.counting is not None:
        assert isinstance(table, ColumnsOfOne), "counted as one table"
        numbers = schedule.counting.noisy(table, source.entropy())
    return {name: Found(named, numbers.get(name)) for name in table}


def seed_of(seed: int, name: str) -> int:
    """Return the seed of one column, which other columns do not change: 48 bits of a digest of seed and name.

    The column that nobody named has the seed itself.
    """
    if name == COLUMN:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed % LARGEST_SEED} {name}".encode()).digest()[:6], "big")


def public_counts(table: Columns, plan: ColumnsPlan) -> dict[str, int]:
    """Return the number of records of columns in one piece, where the adjacency makes it public. Raises DataError."""
    found = {name: public_count(table[name], own) for name, own in plan.plans.items()}
    return {name: count for name, count in found.items() if count is not None}
