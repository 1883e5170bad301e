"""Release answers, from the operating system's entropy and with their guarantee: the only way out for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

import numpy as np

from .arrays import Floats
from .domain import Domain, FindBounds
from .errors import DataError, Disclosure, Infeasible, Name, ParameterError, Way, shown
from .group_privacy import RECORD, CalibratesEach, Unit, refused_for_each
from .groups import CalibratedGroups, GroupedRelease, Groups, calibrate_groups, release_groups
from .intervals import Basis, Drawn, drawn_for, interpolated
from .mechanisms import MECHANISMS, Parameters, Registered
from .noise import Entropy, ExactEntropy
from .plan import MAX_LEVELS, Intervals, Plan
from .privacy import UNUSUAL_EPSILON, Adjacency, ApproxDP, Guarantee
from .sample import Sample
from .sketches import Data
from .version import VERSION


@dataclass(frozen=True, kw_only=True)
class QuantileRelease:
    """The answers of a release; everything here may be shown to anyone, and nothing here is exact.

    `values` lie on the domain's grid, in the order of `plan.quantiles`, and do not decrease with the level. `warnings`
    are sentences about settings that are legal and unusual; `notes` say what else a reader of the answers should know,
    from public facts: for instance that two levels share one.
    """

    values: tuple[float, ...]
    guarantee: Guarantee
    plan: Plan
    domain: Domain
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    intervals: tuple[tuple[float, float], ...] = ()
    """(low, high) for each value, in its order, where the plan asks for intervals; both ends included."""
    basis: Basis | None = None
    """What the intervals rest on, and how sure they are."""
    version: str = VERSION
    find_bounds: FindBounds | None = None
    """How the domain was found, where the release found it; None where it was chosen."""

    def with_intervals(self, chance: Intervals | float = 0.95, *, about_n: int, most_rows: int = 1) -> QuantileRelease:
        """Return the release with approximate intervals from the neighbouring levels that it holds: no further charge.

        Between released levels values are taken to lie on straight lines, beyond them the ends are the bounds. The
        mechanism's errors are simulated on public shapes with `about_n` records; `most_rows` is that of the sample.
        """
        asked = chance if isinstance(chance, Intervals) else Intervals(chance)
        plan = replace(self.plan, intervals=replace(asked, proved=False), about_n=about_n)
        replaced = plan.adjacency is Adjacency.SUBSTITUTE
        unit = Unit(self.guarantee.protects, most_rows * (2 if replaced and most_rows > 1 else 1))
        count = about_n if replaced and most_rows == 1 else None
        intervals, basis = interpolated(plan, self.values, self.domain, count, CalibratesEach(unit, calibrate))
        return replace(self, intervals=intervals, basis=basis)


def release(sample: Data, plan: Plan) -> QuantileRelease:
    """Return private quantiles, drawn now by the exact sampler. Every call spends the budget of `plan` once more.

    A mechanism that can reads a sketch in place of a sample; then the release's plan states the sketch's own options.
    Cost does not grow with n once the sample is made. With no quantiles nothing is drawn or spent; an empty sample
    answers like any other. Not protected: the time that a call takes. Raises ParameterError (also Infeasible),
    DataError.
    """
    refuse_seeded(sample)
    return draw_release(sample, calibrate_for(sample, plan))


@dataclass(frozen=True)
class Calibrated:
    """A plan calibrated for some data, with its parameters: found once, passed on to whatever draws."""

    plan: Plan
    """With the options that a sketch already decided."""
    parameters: Parameters
    """Of `each_plan`: their guarantee is that for one record, and says whether a mechanism may read n."""
    n_public: int | None
    """The number of records for which the parameters are; None where it is private."""
    unit: Unit
    each_plan: Plan
    """The plan that the parameters are of: that for one record, where a person may have several; with all levels."""
    drawn: Drawn | None = None
    """What is drawn for intervals, where the plan asks for them: all levels that the parameters are of."""

    @property
    def guarantee(self) -> Guarantee:
        """Return what is guaranteed to one person, with all records of theirs that the data hold."""
        return self.unit.guarantee_of(self.plan, self.parameters.guarantee)


def calibrate_for(sample: Data, plan: Plan) -> Calibrated:
    """Return a plan calibrated for these data; nothing is drawn. Raises ParameterError (also Infeasible), DataError."""
    plan, unit = read_plan(sample, plan), unit_of(sample, plan)
    refuse_shares(sample, plan)
    count = public_count(sample, plan)
    if plan.intervals is None or not plan.quantiles:
        return fitting(calibrate_unit(plan, count, unit), sample)
    fine_cells = sample.fine_cells if isinstance(sample, Sample) else sample.domain.cells
    each = CalibratesEach(unit, calibrate)
    drawn = drawn_for(plan, sample.domain, fine_cells, count, each)
    each_plan, parameters = each(drawn.plan, count)
    return Calibrated(plan, parameters, count, unit, each_plan, drawn)


def calibrate_unit(plan: Plan, n_public: int | None, unit: Unit = RECORD) -> Calibrated:
    """Return a plan calibrated for so many records and for such neighbours. Raises ParameterError (also Infeasible).

    Without intervals: their levels follow from the domain, which `calibrate_for` knows.
    """
    each_plan, parameters = CalibratesEach(unit, calibrate)(plan, n_public)
    return Calibrated(plan, parameters, n_public, unit, each_plan)


def refuse_shares(data: Data, plan: Plan) -> None:
    """Raise ParameterError where rows are shares of persons and the plan needs whole records."""
    if not (isinstance(data, Sample) and data.unit > 1):
        return
    if plan.intervals is not None:
        raise ParameterError(
            "take", ("must make one record of each person, such as random, for ", Name("intervals"), ".")
        )
    if not mechanism_of(plan).PROFILE.reads_shares:
        able = ", ".join(key for key, mechanism in MECHANISMS.items() if mechanism.PROFILE.reads_shares)
        raise ParameterError(
            "take",
            (
                "must make one record of each person, such as random, unless the ",
                Name("mechanism"),
                f" is one of {able}.",
            ),
            (Way("mechanism", "aq"),),
        )


def fitting(calibrated: Calibrated, data: Data) -> Calibrated:
    """Return a calibrated plan. Raises ParameterError where noise for shares of persons would be too large for it."""
    if isinstance(data, Sample) and not calibrated.parameters.fits_units(data.unit):
        raise ParameterError("privacy", "must be larger for shares of persons: its noise would not fit.")
    return calibrated


def unit_of(data: Data, plan: Plan) -> Unit:
    """Return what a neighbour of these data differs by: a record, or a person with one or more records.

    A replaced person is removed with all records and another one added: twice as many.
    """
    if not isinstance(data, Sample):
        return RECORD
    if data.most_rows is None:
        return Unit(data.protects)
    return Unit(data.protects, data.most_rows * (2 if plan.adjacency is Adjacency.SUBSTITUTE else 1))


def draw_release(sample: Data, calibrated: Calibrated) -> QuantileRelease:
    """Return what `release` does, for a plan that was calibrated for these data. Raises Infeasible."""
    plan, parameters = calibrated.plan, calibrated.parameters
    refuse_seeded(sample)
    check_calibrated(sample, calibrated)
    try:
        values, intervals = draw(sample, calibrated, ExactEntropy())
    except Infeasible as refused:
        raise refused_for_each(refused, calibrated.unit) from None
    return QuantileRelease(
        values=tuple(values[0].tolist()),
        guarantee=replace(calibrated.guarantee, exact=True),
        plan=plan,
        domain=sample.domain,
        warnings=warnings_for(plan, calibrated.guarantee),
        notes=parameters.notes,
        intervals=() if intervals is None else tuple((low, high) for low, high in intervals[0].tolist()),
        basis=None if calibrated.drawn is None else calibrated.drawn.basis,
    )


def calibrate_grouped(groups: Groups, plan: Plan) -> CalibratedGroups:
    """Return a plan calibrated for these groups; nothing is drawn. Raises ParameterError (also Infeasible)."""
    check_plan(plan)
    mechanism_of(plan)
    return calibrate_groups(groups, plan, calibrate)


def draw_grouped_release(groups: Groups, calibrated: CalibratedGroups) -> GroupedRelease:
    """Return what `release` does, for a plan that was calibrated for these groups."""
    refuse_seeded(groups)
    return release_groups(groups, calibrated, warnings_for(calibrated.plan, calibrated.guarantee))


def draw(sample: Data, calibrated: Calibrated, entropy: Entropy) -> tuple[Floats, Floats | None]:
    """Return drawn values (trials, m) in the plan's order, and their intervals (trials, m, 2) where it asks for them.

    Raises ParameterError (also Infeasible).
    """
    plan, parameters, drawn = calibrated.plan, calibrated.parameters, calibrated.drawn
    if drawn is None or drawn.ends:
        values = sample.values_of(mechanism_of(plan).run(sample, parameters, entropy))
        intervals = None if drawn is None else drawn.at_ends(values, parameters.levels, sample.domain)
        return in_plan_order(values, plan, parameters), intervals
    found = parameters.run_with_intervals(sample, entropy, drawn.sure)
    cells = np.minimum(found.lows, found.answers), found.answers, np.maximum(found.highs, found.answers)
    low, middle, high = (in_plan_order(sample.values_of(each), plan, parameters) for each in cells)
    return middle, np.stack([low, high], axis=-1)


def check_calibrated(sample: Data, calibrated: Calibrated) -> None:
    """Fail unless a plan was calibrated for data like these. Raises DataError as `public_count`."""
    refuse_shares(sample, calibrated.plan)
    fitting(calibrated, sample)
    assert calibrated.n_public == public_count(sample, calibrated.plan), "calibrated for other data"
    assert calibrated.unit == unit_of(sample, calibrated.plan), "calibrated for persons with other numbers of records"


def refuse_seeded(data: Data | Groups) -> None:
    """Raise ParameterError for a sample that no release may read."""
    if isinstance(data, Sample | Groups) and data.seed is not None:
        raise ParameterError("seed", "must be None in a sample for a release: seeded tie-breaking can be guessed.")


def synthesize(sample: Sample, size: int, plan: Plan) -> QuantileRelease:
    """Return a private synthetic column of a public size: the increasing `values` of a release. Spends the budget once.

    The values are the private quantiles at the levels (i - 1/2) / size (Kaplan, Schnapp & Stemmer 2022, Corollary
    3.6, with a public size where n is private); the plan's own quantiles are not used. Raises as `release` does.
    """
    return release(sample, synthetic_plan(plan, size))


def synthetic_plan(plan: Plan, size: int) -> Plan:
    """Return the plan that a synthetic column of so many values answers. Raises ParameterError."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_LEVELS:
        raise ParameterError("size", f"must be a whole number from 1 to {MAX_LEVELS}, got {shown(size)}.")
    check_plan(plan)
    levels = [Fraction(2 * i + 1, 2 * size) for i in range(size)]
    return Plan(levels, plan.mechanism, plan.privacy, plan.adjacency, plan.options)


def calibrate(plan: Plan, n_public: int | None = None) -> Parameters:
    """Return what the plan's mechanism fixes from public facts, with the guarantee it will give; nothing is drawn.

    What every mechanism gives: `guarantee`, `levels` (distinct, increasing) and `notes`. `n_public` is the number of
    records, public under SUBSTITUTE only. Raises ParameterError (also Infeasible).
    """
    check_plan(plan)
    if n_public is not None and (isinstance(n_public, bool) or not isinstance(n_public, int) or n_public < 0):
        raise ParameterError("n_public", f"must be a whole number >= 0 or None, got {shown(n_public)}.")
    parameters = mechanism_of(plan).calibrate(plan, n_public)
    assert not plan.quantiles or parameters.guarantee.covers(plan.privacy), "a mechanism spends no more than requested"
    return parameters


def check_plan(plan: object) -> None:
    """Raise ParameterError unless it is a Plan."""
    if not isinstance(plan, Plan):
        raise ParameterError("plan", f"must be a Plan, got {type(plan).__name__}.")


def unsupported(plan: Plan, n_public: int | None = None) -> str | None:
    """Return a sentence why the plan's mechanism is not available; None where it is. Never raises ParameterError."""
    try:
        calibrate(plan, n_public)
    except ParameterError as error:
        return str(error)
    return None


def mechanism_of(plan: Plan) -> Registered:
    """Return the plan's mechanism. Raises ParameterError for an unknown key."""
    if plan.mechanism not in MECHANISMS:
        raise ParameterError("mechanism", f"must be one of {', '.join(MECHANISMS)}, got {shown(plan.mechanism)}.")
    return MECHANISMS[plan.mechanism]


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
            raise DataError(f"the data must be a Sample or a sketch, got {type(data).__name__}.")
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
    if plan.adjacency is Adjacency.ADD_REMOVE or unit_of(sample, plan).times > 1:
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


def in_plan_order(values: Floats, plan: Plan, parameters: Parameters) -> Floats:
    """Return answers (..., distinct levels) spread over the plan's levels (..., m): any order, repeats repeated."""
    column = {level: at for at, level in enumerate(parameters.levels)}
    return values[..., [column[level] for level in plan.quantiles]]


def warnings_for(plan: Plan, guarantee: Guarantee) -> tuple[str, ...]:
    """Return sentences about settings that are legal and unusual."""
    found = []
    if UNUSUAL_EPSILON < guarantee.epsilon < inf and guarantee.delta == 0:
        found.append(f"ε = {guarantee.epsilon:.3g} protects little: values up to 1 are usual, above 5 rare.")
    if isinstance(plan.privacy, ApproxDP):
        if plan.privacy.epsilon > UNUSUAL_EPSILON and guarantee.delta > 0:
            found.append(f"ε = {plan.privacy.epsilon:.3g} protects little: values up to 1 are usual, above 5 rare.")
        if plan.privacy.delta > 1e-4:
            found.append(f"δ = {plan.privacy.delta:.3g} is large: it should be well below one in the number of people.")
    return tuple(found)
