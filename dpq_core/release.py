"""Release answers, from the operating system's entropy and with their guarantee: the only way out for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

from .answers import Part, Release
from .arrays import Floats
from .calibrations import Calibrated, calibrate_for, check_calibrated, check_plan
from .domain.at_bounds import warnings_at_bounds
from .domain.domain import Domain
from .domain.finding import FindBounds
from .errors import Infeasible, ParameterError, shown
from .far_answers import warnings_of_far
from .group_privacy import refused_for_each
from .groups.calibration import CalibratedGroups
from .groups.draws import GroupedRelease, NamesFound, release_groups
from .groups.table import Groups
from .intervals.drawn import Basis, draw_values
from .intervals.ends import as_pairs, of_values
from .noise.entropy import Entropy
from .noise.exact import ExactEntropy
from .plan import MAX_LEVELS, Plan
from .privacy.budgets import UNUSUAL_EPSILON, ApproxDP, Guarantee, Privacy
from .sample import Sample
from .sketches.data import Data


@dataclass(frozen=True, kw_only=True, repr=False)
class QuantileRelease(Release[tuple[float, ...]]):
    """Hold the answers of one column; you may show all of them to anyone, and none is exact.

    `values` lie on the domain's grid, in the order of `plan.quantiles`, and do not decrease with the level. `warnings`
    are sentences about settings that are legal and unusual, and about answers that lie at a bound or far beyond all
    others; `notes` say what else a reader of the answers should know, from public facts: for instance that two levels
    share one.
    """

    values: tuple[float, ...]
    plan: Plan
    domain: Domain
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    intervals: tuple[tuple[float, float], ...] = ()
    """(low, high) for each value, in its order, where the plan asks for intervals; both ends included.

    They hold for the true quantile itself, not only for the grid value that it is rounded down to. An end at a bound of
    the domain, chosen or found, is open: values beyond the bound count as the bound. Tables have it as infinite. That
    of a level between drawn ones fails at most twice as often as asked: see `notes`.
    """
    basis: Basis | None = None
    """What the intervals rest on, and how sure they are."""
    find_bounds: FindBounds | None = None
    """How the domain was found, where the release found it; None where it was chosen."""

    @property
    def parts(self) -> tuple[Part]:
        """Return the answers as those of a column without a name."""
        return (
            Part(
                column=None, groups=None, plan=self.plan, guarantee=self.guarantee, domain=self.domain,
                values=(self.values,), intervals=(self.intervals,) if self.intervals else (), basis=self.basis,
                find_bounds=self.find_bounds, warnings=self.warnings, notes=self.notes,
            ),
        )  # fmt: skip


def release(sample: Data, plan: Plan) -> QuantileRelease:
    """Return private quantiles, drawn now by the exact sampler. Every call spends the budget of `plan` once more.

    A mechanism that can reads a sketch in place of a sample; then the release's plan states the sketch's own options.
    Cost does not grow with n once the sample is made. With no quantiles nothing is drawn or spent; an empty sample
    answers like any other. Not protected: the time that a call takes. Raises ParameterError (also Infeasible),
    DataError.
    """
    refuse_seeded(sample)
    return draw_release(sample, calibrate_for(sample, plan))


def draw_release(sample: Data, calibrated: Calibrated) -> QuantileRelease:
    """Return what `release` does, for a plan that was calibrated for these data. Raises Infeasible."""
    plan = calibrated.plan
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
        warnings=warnings_for(plan, calibrated.guarantee, values[0], sample.domain),
        notes=calibrated.notes,
        intervals=() if intervals is None else as_pairs(of_values(intervals[0], sample.domain).tolist()),
        basis=None if calibrated.drawn is None else calibrated.drawn.basis,
    )


def draw_grouped_release(
    groups: Groups, calibrated: CalibratedGroups, named: NamesFound | None = None
) -> GroupedRelease:
    """Return what `release` does, for a plan that was calibrated for these groups; or for those `named` before."""
    refuse_seeded(groups)
    return release_groups(groups, calibrated, warnings_for(calibrated.plan, calibrated.guarantee), named)


def draw(sample: Data, calibrated: Calibrated, entropy: Entropy) -> tuple[Floats, Floats | None]:
    """Return drawn values (trials, m) and their intervals (trials, m, 2): see `draw_values`."""
    values, intervals = draw_values(sample, calibrated.drawn_plan, calibrated.parameters, calibrated.drawn, entropy)
    among = calibrated.interpolation
    return (values, intervals) if among is None else (among.answers(values, sample.domain), among.intervals(intervals))


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
    """Return the plan that a synthetic column of `size` values answers. Raises ParameterError."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_LEVELS:
        raise ParameterError("size", f"must be a whole number from 1 to {MAX_LEVELS}, got {shown(size)}.")
    check_plan(plan)
    levels = [Fraction(2 * i + 1, 2 * size) for i in range(size)]
    return Plan(levels, plan.mechanism, plan.privacy, plan.adjacency, plan.options)


def _of_answers(plan: Plan, values: tuple[float, ...], domain: Domain) -> list[str]:
    return [*warnings_at_bounds(values, domain), *warnings_of_far(plan.quantiles, values)]


def warnings_for(
    plan: Plan, guarantee: Guarantee, values: Sequence[float] | Floats = (), domain: Domain | None = None
) -> tuple[str, ...]:
    """Return sentences about settings that are legal and unusual, and about answers at a bound or far beyond others."""
    found = [] if domain is None else _of_answers(plan, tuple(map(float, values)), domain)
    return (*found, *warnings_of_budget(plan.privacy, guarantee))


def warnings_of_budget(privacy: Privacy, guarantee: Guarantee) -> tuple[str, ...]:
    """Return sentences about a budget that is legal and unusual, and about what was spent of it."""
    found = []
    if UNUSUAL_EPSILON < guarantee.epsilon < inf and guarantee.delta == 0:
        found.append(f"ε = {guarantee.epsilon:.3g} protects little: values up to 1 are usual, above 5 rare.")
    if isinstance(privacy, ApproxDP):
        if privacy.epsilon > UNUSUAL_EPSILON and guarantee.delta > 0:
            found.append(f"ε = {privacy.epsilon:.3g} protects little: values up to 1 are usual, above 5 rare.")
        if privacy.delta > 1e-4:
            found.append(f"δ = {privacy.delta:.3g} is large: it should be well below one in the number of people.")
    return tuple(found)
