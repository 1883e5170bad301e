"""Release several columns of one table under one guarantee: all of them are answered, or none is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from ..arrays import Integers
from ..calibrations import calibrate, calibrate_grouped, mechanism_of, singly, unit_of
from ..columns_plan import ColumnsPlan
from ..domain.numbers import Number
from ..errors import DataError, Infeasible, ParameterError
from ..finding.column import Columns, RawGroups, Source, weighs_shares, whole_of
from ..finding.steps import CalibratedSteps, Steps, calibrate_data, calibrate_raw, draw_data, draw_raw_groups
from ..groups.calibration import CalibratedGroups, are_many, divided_for_names, named_with
from ..groups.draws import NamesFound, draw_grouped_cells, find_names
from ..groups.finding import NamingRule
from ..groups.table import Groups, refuse_seeded
from ..intervals.counted import SHARE
from ..mechanisms.base import Make
from ..noise.exact import ExactEntropy
from ..plan import NOISY, Plan
from ..privacy.budgets import Guarantee, Privacy, Protects
from ..privacy.composition import after_first, first_and_rest, least_noisy
from ..progress import Progress, unheard
from ..release import Cells
from .counting import AwaitsCount, ColumnsOfOne, CountedOnce, counted_once

ColumnSteps: TypeAlias = Steps | CalibratedGroups | AwaitsCount
"""A plan calibrated for one column of a table."""
NONE_ANSWERED = " No column is answered, and the whole budget is spent."
"""A refusal after a draw also reveals something about the columns drawn before it."""


@dataclass(frozen=True, kw_only=True)
class CalibratedColumns:
    """A plan calibrated for the columns of a table."""

    plan: ColumnsPlan
    columns: Mapping[str, ColumnSteps]
    guarantee: Guarantee
    """What is guaranteed to one person for all columns together, for the names of groups that are found, and for a
    noisy count."""
    naming: NamingRule | None = None
    """Who is named, once for all columns; None where nothing is found, or each column finds groups of its own."""
    counting: CountedOnce | None = None
    """How the rows are counted, once for all columns that wait for it; None where none does."""


def columns_plan(
    samples: Columns, plan: Plan | Mapping[str, Plan] | ColumnsPlan, weights: Mapping[str, Number] | None = None
) -> ColumnsPlan:
    """Return the plan of a table that a release may read as one. Raises ParameterError, DataError."""
    found = ColumnsPlan.of(samples, plan, weights)
    if not all(isinstance(sample, Source) for sample in samples.values()):
        raise DataError(
            "each column must be a Sample, a RawSample, a sketch or Groups: of arrays make a table first, as in "
            "Table.from_frame(frame, {'age': (0, 120, 1)})."
        )
    if len({_protects(sample, each) for sample, each in zip(samples.values(), found.plans, strict=True)}) > 1:
        raise ParameterError("columns", "must all protect records, or all protect persons.")
    return found


def found_once(samples: Columns) -> Groups | None:
    """Return one column of a table whose groups are found once for all columns; None for other columns."""
    wholes = [whole_of(sample) for sample in samples.values()]
    grouped = [each for each in wholes if isinstance(each, Groups) and each.finding is not None]
    first = grouped[0].persons if grouped else None
    if first is None or len(grouped) < len(wholes) or any(each.persons is not first for each in grouped):
        return None
    return grouped[0]


def _protects(sample: Source, plan: Plan) -> Protects:
    whole = whole_of(sample)
    return whole.protects if isinstance(whole, Groups) else unit_of(whole, plan).protects


def calibrate_column(
    sample: Source, plan: Plan, make: Make = calibrate, *, named_before: bool = False
) -> Steps | CalibratedGroups:
    """Return a plan calibrated for one column; nothing is drawn. Raises ParameterError (also Infeasible), DataError."""
    if isinstance(sample, RawGroups):
        return calibrate_raw(sample, plan, make)
    if isinstance(sample, Groups):
        return calibrate_grouped(sample, plan, named_before=named_before, make=make)
    return calibrate_data(sample, plan)


def calibrate_columns(samples: Columns, plan: ColumnsPlan) -> CalibratedColumns:
    """Return a plan calibrated for these columns, with its budget divided in the way that spends most; draw nothing.

    Ways are compared by the sum of rho over all columns. If groups are found once for all columns, finding their names
    takes a part of the budget first. Raises ParameterError (also Infeasible), DataError.
    """
    for each in plan.plans:
        mechanism_of(each)
    groups = found_once(samples)
    if groups is None:
        counted = counted_once(samples, dict(zip(plan.names, plan.plans, strict=True)))
        if counted:
            return _with_count(samples, plan, counted)
        columns, guarantee = _calibrated(samples, plan, named_before=False)
        return CalibratedColumns(plan=plan, columns=columns, guarantee=guarantee)
    for_names, rest = divided_for_names(groups, plan.privacy)
    columns, answers = _calibrated(samples, plan.with_budget(rest), named_before=True)
    naming, guarantee = named_with(groups, plan.privacy, for_names, answers)
    return CalibratedColumns(plan=plan, columns=columns, guarantee=guarantee, naming=naming)


def _with_count(samples: Columns, plan: ColumnsPlan, counted: tuple[str, ...]) -> CalibratedColumns:
    """Return a plan calibrated for columns some of which (`counted`) share one count, paid from a share of their parts.

    What the levels at the ends spend depends on the noisy numbers, so the guarantee states a column's whole part.
    """
    own = zip(plan.names, plan.plans, plan.weights, strict=True)
    left = [
        (replace(each, intervals=None, about_n=None), weight * (1 - SHARE)) if name in counted else (each, weight)
        for name, each, weight in own
    ]
    bare = replace(plan, plans=tuple(each for each, _ in left), weights=tuple(weight for _, weight in left))
    share = 1 - sum(bare.weights, Fraction(0)) / sum(plan.weights)

    def calibrated(way: tuple[Fraction, Privacy]) -> tuple[Fraction, ColumnsPlan, dict[str, ColumnSteps]]:
        rest = bare.with_budget(way[1])
        return way[0], rest, _calibrated(samples, rest, named_before=False)[0]

    ways = first_and_rest(plan.privacy, share)
    first, rest, columns = least_noisy(ways, calibrated, lambda made: (each.guarantee for each in made[2].values()))
    whole = whole_of(samples[counted[0]])
    assert not isinstance(whole, Groups), "a column in one piece"
    unit = unit_of(whole, plan.plans[0])
    counting = CountedOnce.of(counted, first / unit.steps_per_group, len(samples))
    for name in counted:
        asked = plan.plans[plan.names.index(name)].intervals
        awaiting = replace(columns[name].plan, intervals=asked, about_n=NOISY)
        calibrate_column(samples[name], awaiting)  # refuse what public facts rule out before anything is drawn
        columns[name] = AwaitsCount(awaiting, unit.protects, counting)
    answers = rest.guarantee_of(each.guarantee for each in columns.values())
    guarantee = after_first(plan.privacy, first, answers)
    assert guarantee.covers(plan.privacy), "the count and all answers spend no more than requested"
    return CalibratedColumns(plan=plan, columns=columns, guarantee=guarantee, counting=counting)


def _calibrated(samples: Columns, plan: ColumnsPlan, *, named_before: bool) -> tuple[dict[str, ColumnSteps], Guarantee]:
    """Calibrate the answers of `calibrate_columns` without count and names, and return what they guarantee together."""
    grouped = {name: whole for name in plan.names if isinstance(whole := whole_of(samples[name]), Groups)}
    many = are_many(*grouped.values())

    def one(name: str, own: Plan) -> Steps | CalibratedGroups:
        make = singly if many and name in grouped else calibrate
        return calibrate_column(samples[name], own, make, named_before=named_before)

    def calibrated(plans: tuple[Plan, ...]) -> dict[str, ColumnSteps]:
        return {name: one(name, own) for name, own in zip(plan.names, plans, strict=True)}

    found = least_noisy(plan.divided(), calibrated, lambda columns: (each.guarantee for each in columns.values()))
    return found, plan.guarantee_of(each.guarantee for each in found.values())


def draw_columns(samples: Columns, calibrated: CalibratedColumns, progress: Progress = unheard) -> tuple[Cells, ...]:
    """Return the answers of all columns, drawn now, for a plan that was calibrated for them. Raises Infeasible."""
    for sample in samples.values():
        refuse_seeded(whole_of(sample))
    groups = found_once(samples)
    named = None if groups is None else find_names(groups, calibrated.naming)
    numbers: Mapping[str, Integers] = {}
    if calibrated.counting is not None:
        assert isinstance(samples, ColumnsOfOne), "counted as one table"
        numbers = calibrated.counting.draw(samples, ExactEntropy())
    found: list[Cells] = []
    for name, each in calibrated.columns.items():
        try:
            if isinstance(each, AwaitsCount):
                own = _drawn_after_count(samples[name], each, numbers[name][0])
            else:
                own = _drawn(samples[name], each, named)
        except Infeasible as error:
            if len(samples) == 1 and not numbers and not isinstance(whole_of(samples[name]), Groups):
                raise  # a column in one piece, and nothing else was drawn: it says what it has spent
            raise Infeasible.of_whole(error, NONE_ANSWERED, calibrated.guarantee.epsilon) from None
        found.append(replace(own, column=name))
        progress(len(found) / len(calibrated.columns))
    return tuple(found)


def _drawn(sample: Source, calibrated: Steps | CalibratedGroups, named: NamesFound | None) -> Cells:
    if isinstance(sample, RawGroups):
        assert isinstance(calibrated, CalibratedSteps), "calibrated for groups without bounds"
        return draw_raw_groups(sample, calibrated, named)
    if isinstance(sample, Groups):
        assert isinstance(calibrated, CalibratedGroups), "calibrated for groups"
        return draw_grouped_cells(sample, calibrated, named)
    assert not isinstance(calibrated, CalibratedGroups), "calibrated for a column in one piece"
    return draw_data(sample, calibrated)


def _drawn_after_count(sample: Source, each: AwaitsCount, numbers: Integers) -> Cells:
    """Return the answers of a column after its table was counted. Raises Infeasible, because something was drawn."""
    assert not isinstance(sample, Groups | RawGroups), "a column in one piece"
    at_least = each.at_least(numbers)
    try:
        second = calibrate_data(sample, each.counted(at_least))
    except ParameterError as refused:
        raise Infeasible(refused.name, (*refused.words[2:], " The rows had been counted by then."), ()) from None
    answered, shares = draw_data(sample, second), weighs_shares(sample)
    return replace(
        answered,
        plan=each.plan,
        guarantee=each.guarantee,
        basis=each.basis(answered.basis, at_least, shares=shares),
        notes=(*answered.notes, each.told(numbers, shares=shares)),
    )
