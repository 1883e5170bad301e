"""One plan calibrated for each number of records that it may be for: made once by a form, and handed on to its draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .errors import ParameterError
from .group_privacy import RECORD, Unit
from .plan import Plan
from .privacy import Adjacency
from .release import Calibrated, calibrate_for, calibrate_unit, fitting, public_count, read_plan, refuse_shares, unit_of
from .sketches import Data


@dataclass(frozen=True, eq=False)
class Calibrations:
    """A plan, calibrated or refused for some numbers of records. Nothing is added later: a number may be private."""

    plan: Plan
    found: Mapping[int | None, Calibrated | ParameterError]
    """By the number of records; by None alone where the adjacency hides it."""
    unit: Unit = RECORD

    def at(self, count: int | None) -> Calibrated | ParameterError:
        """Return the plan calibrated for so many records, or why it is refused: found before, or now."""
        count = None if self.plan.adjacency is Adjacency.ADD_REMOVE else count
        known = self.found.get(count)
        return _calibrated(self.plan, count, self.unit) if known is None else known

    def refusal(self, count: int | None) -> ParameterError | None:
        """Return why the plan is refused for so many records; None where it is available."""
        found = self.at(count)
        return found if isinstance(found, ParameterError) else None

    def calibrated_for(self, data: Data) -> Calibrated:
        """Return the plan calibrated for these data: found before, or now. Raises as `calibrate_for`."""
        if self.plan.intervals is not None:  # the levels at their ends follow from the domain
            return calibrate_for(data, self.plan)
        plan, unit = read_plan(data, self.plan), unit_of(data, self.plan)
        refuse_shares(data, plan)
        count = public_count(data, plan)
        if plan is not self.plan or unit != self.unit:
            return fitting(calibrate_unit(plan, count, unit), data)
        found = self.at(count)
        if isinstance(found, ParameterError):
            raise found
        return fitting(found, data)


def calibrations_of(plan: Plan, counts: Iterable[int | None] = (), unit: Unit = RECORD) -> Calibrations:
    """Return a plan calibrated for each of these numbers of records; once where the adjacency hides the number."""
    wanted = {None} if plan.adjacency is Adjacency.ADD_REMOVE else set(counts)
    return Calibrations(plan, {count: _calibrated(plan, count, unit) for count in wanted}, unit)


def _calibrated(plan: Plan, count: int | None, unit: Unit) -> Calibrated | ParameterError:
    try:
        return calibrate_unit(plan, count, unit)
    except ParameterError as error:
        return error.with_traceback(None)
