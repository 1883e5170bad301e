"""Plans calibrated for data: what is fixed from public facts before anything is drawn, and handed on to the draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from .arrays import Floats
from .combinations import Features, refuse_combination
from .domain.domain import Domain
from .errors import DataError, Disclosure, ParameterError, shown
from .group_privacy import CalibratesEach, refuse_plan_of_shares
from .intervals.drawn import Basis, Drawn, calibrated_levels, in_plan_order, refuse_in_units
from .intervals.interpolation import Interpolation, interpolation_of
from .mechanisms.base import Make, Parameters, Registered
from .mechanisms.registry import MECHANISMS
from .plan import Plan
from .privacy.budgets import Adjacency, Guarantee
from .privacy.composition import RECORD, Unit
from .sample import Sample
from .sketches.data import Data


def calibrate(plan: Plan, n_public: int | None = None) -> Parameters:
    """Return the parameters that the plan's mechanism derives from public facts, with its guarantee; draw nothing.

    The parameters of every mechanism have `guarantee`, `levels` (distinct, increasing) and `notes`. `n_public` is the
    number of records, public under SUBSTITUTE only. Raises ParameterError (also Infeasible).
    """
    check_plan(plan)
    if n_public is not None and (
        isinstance(n_public, bool) or not isinstance(n_public, int) or not 0 <= n_public < 2**60
    ):
        raise ParameterError("n_public", f"must be a whole number >= 0 and below 2^60, or None, got {shown(n_public)}.")
    parameters = mechanism_of(plan).calibrate(plan, n_public)
    assert not plan.quantiles or parameters.guarantee.covers(plan.privacy), "a mechanism spends no more than requested"
    return parameters


def singly(plan: Plan, n_public: int | None = None) -> Parameters:
    """Return what `calibrate` does where each draw is of one quantile, the quickest way; else what it does."""
    return (mechanism_of(plan).PROFILE.singly or calibrate)(plan, n_public)


def check_plan(plan: object) -> None:
    """Raise ParameterError unless it is a Plan, and one of a single column."""
    if not isinstance(plan, Plan):
        raise ParameterError("plan", f"must be a Plan, got {type(plan).__name__}.")
    if plan.weights is not None:
        raise ParameterError("weights", "must be None for a single sample.")


def mechanism_of(plan: Plan) -> Registered:
    """Return the plan's mechanism. Raises ParameterError for an unknown key."""
    if plan.mechanism not in MECHANISMS:
        near = get_close_matches(plan.mechanism.lower(), MECHANISMS, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        must = f"must be one of {', '.join(MECHANISMS)}, got {shown(plan.mechanism)}.{meant}"
        raise ParameterError("mechanism", must)
    return MECHANISMS[plan.mechanism]


@dataclass(frozen=True)
class Calibrated:
    """A plan calibrated for some data, with its parameters: found once, passed on to each function that draws."""

    plan: Plan
    """With the options that a sketch already decided."""
    parameters: Parameters
    """Of `each_plan`: their guarantee is that for one record, and says whether a mechanism may read n."""
    n_public: int | None
    """The number of records for which the parameters are; None where it is private."""
    unit: Unit
    each_plan: Plan
    """The plan that the parameters are of: that for one record, where a person may have several; with all levels that
    are drawn."""
    drawn: Drawn | None = None
    """What is drawn for intervals, where the plan asks for them: all levels that the parameters are of."""
    interpolation: Interpolation | None = None
    """Which of the plan's levels are drawn, where the others are interpolated; None where all are."""

    @property
    def drawn_plan(self) -> Plan:
        """Return the plan with the levels that are drawn for answers, and with what is asked for besides."""
        return self.plan if self.interpolation is None else self.interpolation.plan

    def in_plan_order(self, values: Floats, domain: Domain) -> Floats:
        """Return the answers (..., m) in the plan's order among the values (..., levels) of all drawn levels."""
        found = in_plan_order(values, self.drawn_plan, self.parameters)
        return found if self.interpolation is None else self.interpolation.answers(found, domain)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences that belong beside the answers, from public facts only."""
        return (*self.parameters.notes, *([] if self.interpolation is None else [self.interpolation.note]))

    @property
    def basis(self) -> Basis | None:
        """Return the basis of the intervals; None where none are requested."""
        return None if self.drawn is None else self.drawn.basis

    @property
    def guarantee(self) -> Guarantee:
        """Return what is guaranteed to one person, with all records of theirs that the data hold."""
        return self.unit.guarantee_of(self.plan.privacy, self.plan.adjacency, self.parameters.guarantee)


def calibrate_for(sample: Data, plan: Plan, make: Make = calibrate, *, all_levels: bool = False) -> Calibrated:
    """Return a plan calibrated for these data; nothing is drawn. Raises ParameterError (also Infeasible), DataError.

    `make`: what makes the parameters, such as those that a paper prints; `all_levels`: whether all are drawn, however
    few records there are.
    """
    plan, unit = read_plan(sample, plan), unit_of(sample, plan)
    if isinstance(plan.about_n, Mapping):
        raise ParameterError("about_n", "must be one number for a column without groups, such as 1000.")
    refuse_shares(sample, plan)
    count = public_count(sample, plan)
    fine_cells = sample.fine_cells if isinstance(sample, Sample) else sample.domain.cells
    each = CalibratesEach(unit, singly if _is_spread_in_shares(sample) else make)
    interpolation = None if all_levels else interpolation_of(plan, count, each)
    drawn_plan = plan if interpolation is None else interpolation.plan
    each_plan, parameters, drawn = calibrated_levels(
        drawn_plan, sample.domain, fine_cells, count, each, unit=units_of(sample)
    )
    return Calibrated(plan, parameters, count, unit, each_plan, drawn, interpolation)


def calibrate_unit(plan: Plan, n_public: int | None, unit: Unit = RECORD, make: Make = calibrate) -> Calibrated:
    """Return a plan calibrated for this number of records and for these neighbours. Raises ParameterError (also
    Infeasible).

    Without intervals: their levels follow from the domain, which `calibrate_for` knows. `make`: what makes
    the parameters.
    """
    each = CalibratesEach(unit, make)
    interpolation = interpolation_of(plan, n_public, each)
    each_plan, parameters = each(plan if interpolation is None else interpolation.plan, n_public)
    return Calibrated(plan, parameters, n_public, unit, each_plan, interpolation=interpolation)


def check_calibrated(sample: Data, calibrated: Calibrated) -> None:
    """Fail unless a plan was calibrated for data like these. Raises DataError as `public_count`."""
    refuse_shares(sample, calibrated.plan)
    fitting(calibrated, sample)
    assert calibrated.n_public == public_count(sample, calibrated.plan), "calibrated for other data"
    assert calibrated.unit == unit_of(sample, calibrated.plan), "calibrated for persons with other numbers of records"


def refuse_shares(data: Data, plan: Plan) -> None:
    """Raise ParameterError where rows are shares of persons and the plan needs whole records."""
    if isinstance(data, Sample) and data.unit > 1:
        mechanism_of(plan)
        refuse_plan_of_shares(plan)
        refuse_combination(
            Features(
                share=True,
                on_cluster=not data.is_in_memory,
                draws_together=plan.mechanism in DRAWS_TOGETHER,
            )
        )


DRAWS_TOGETHER = frozenset(["jointexp", "freetotal"])
"""The mechanisms that always draw several quantiles at once; AQ draws them either way."""


def _is_spread_in_shares(data: Data) -> bool:
    """Return whether rows are shares of persons on a cluster, where one quantile is drawn at a time."""
    return isinstance(data, Sample) and data.unit > 1 and not data.is_in_memory


def fitting(calibrated: Calibrated, data: Data) -> Calibrated:
    """Return a calibrated plan. Raises ParameterError where it cannot be drawn of shares of persons."""
    refuse_in_units(calibrated.parameters, units_of(data))
    return calibrated


def units_of(data: Data) -> int:
    """Return in how many units a record, or a person, is counted: see `Sample.unit`."""
    return data.unit if isinstance(data, Sample) else 1


def unit_of(data: Data, plan: Plan) -> Unit:
    """Return what a neighbour of these data differs by: a record, or a person with one or more records.

    A replaced person is removed with all records and another one added: twice as many.
    """
    if not isinstance(data, Sample) or data.most_rows is None:
        return Unit(data.protects)
    return Unit(data.protects, data.most_rows * (2 if plan.adjacency is Adjacency.SUBSTITUTE else 1))


def read_plan(data: Data, plan: Plan) -> Plan:
    """Return the plan with the options that a sketch already decided.

    A mechanism names in READS what it reads besides a Sample. Raises ParameterError where it does not take a sketch,
    and where the plan has other options than the sketch's own.
    """
    check_plan(plan)
    if isinstance(data, Sample):
        return plan
    if not isinstance(data, mechanism_of(plan).READS):
        able = [key for key, mechanism in MECHANISMS.items() if isinstance(data, mechanism.READS)]
        if not able:
            raise DataError(
                f"the data must be a Sample or a sketch, got {type(data).__name__}. For one column write "
                "Sample.from_values(values, Domain(0, 120, 1)), for a table Table.from_frame(...)."
            )
        raise ParameterError(
            "mechanism",
            f"must be {' or '.join(able)} to read a {type(data).__name__}, got {shown(plan.mechanism)}.",
        )
    for name, own in data.options.items():
        if plan.options.get(name, own) != own:
            raise ParameterError(
                name, f"must be left out, or the sketch's own {shown(own)}, got {shown(plan.options[name])}."
            )
    return replace(plan, options={**plan.options, **data.options})


def public_count(sample: Data, plan: Plan) -> int | None:
    """Return the number of records where the adjacency makes it public. Raises DataError where some were dropped."""
    if plan.adjacency is Adjacency.ADD_REMOVE or unit_of(sample, plan).steps_per_group > 1:
        return None
    if sample.dropped and unit_of(sample, plan).protects == "person":
        raise DataError(
            "some values or ids are missing, so the number of people is not public: choose a value for `missing`, and "
            "give every row an id, or say `missing_is_person`.",
            discloses=Disclosure.MISSING,
        )
    if sample.dropped:
        raise DataError(
            "the column has missing values, so the number of people is not public: choose a value for `missing`.",
            discloses=Disclosure.MISSING,
        )
    return sample.n


@dataclass(frozen=True, eq=False)
class Calibrations:
    """A plan, calibrated or refused for some numbers of records. Nothing is added later: a number may be private."""

    plan: Plan
    found: Mapping[int | None, Calibrated | ParameterError]
    """By the number of records; by None alone where the adjacency hides it."""
    unit: Unit = RECORD

    def at(self, count: int | None) -> Calibrated | ParameterError:
        """Return the plan calibrated for this number of records, or why it is refused: found before, or now."""
        count = None if self.plan.adjacency is Adjacency.ADD_REMOVE else count
        known = self.found.get(count)
        return _calibrated(self.plan, count, self.unit) if known is None else known

    def refusal(self, count: int | None) -> ParameterError | None:
        """Return why the plan is refused for this number of records, or None if it is available."""
        found = self.at(count)
        return found if isinstance(found, ParameterError) else None

    def calibrated_for(self, data: Data) -> Calibrated:
        """Return the plan calibrated for these data: found before, or now. Raises as `calibrate_for`."""
        if self.plan.intervals is not None:  # the levels at their ends follow from the domain
            return calibrate_for(data, self.plan)
        plan, unit = read_plan(data, self.plan), unit_of(data, self.plan)
        refuse_shares(data, plan)
        count = public_count(data, plan)
        if plan is not self.plan or unit != self.unit or _is_spread_in_shares(data):
            return calibrate_for(data, plan)
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
