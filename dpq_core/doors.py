"""The public `release` and `simulate`: of a sample, of groups, or of several columns, under one guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, overload

from .advice import best_plans
from .calibrations import calibrate_grouped, check_plan, public_count, unit_of
from .columns import Columns, ColumnsRelease, ColumnsStudy, columns_plan, release_columns, simulate_columns
from .domain import Number
from .errors import ParameterError
from .finding import RawSample, release_data, simulate_data
from .groups import GroupedRelease, Groups, GroupStudy
from .plan import Plan
from .release import QuantileRelease, draw_grouped_release, refuse_seeded
from .sample import Sample
from .sketches import Data
from .trials import Study, simulate_grouped

Plans: TypeAlias = Plan | Mapping[str, Plan]
Weights: TypeAlias = Mapping[str, Number] | None


@overload
def release(sample: Data | RawSample, plan: Plan) -> QuantileRelease: ...
@overload
def release(sample: Groups, plan: Plan) -> GroupedRelease: ...
@overload
def release(sample: Columns, plan: Plans, weights: Weights = None) -> ColumnsRelease: ...
def release(
    sample: Data | RawSample | Groups | Columns, plan: Plans, weights: Weights = None
) -> QuantileRelease | GroupedRelease | ColumnsRelease:
    """Return private quantiles, drawn now by the exact sampler. Every call spends the budget of `plan` once more.

    A mechanism that can reads a sketch in place of a sample; then the release's plan states the sketch's own options.
    Cost does not grow with n once the sample is made. With no quantiles nothing is drawn or spent; an empty sample
    answers like any other. Not protected: the time that a call takes.

    Of a RawSample the bounds are found first, from a share of the budget; the release's domain is what was found.
    Where `about_n` is "noisy", records are counted first, from a share of the budget.

    Of Groups, every group is answered, with one guarantee for the whole. Where the plan asks for intervals, `about_n`
    is about how many records each group has, and the chance is that of each group alone.

    Of a mapping from names to samples, the columns of one table, all are answered under one guarantee, or none is.
    `plan` then names the budget of the whole, divided equally or by `weights`; a mapping has a plan for each column.
    The mechanism "best" is chosen for each column from its domain and its part of the budget. Raises ParameterError
    (also Infeasible), DataError.
    """
    if isinstance(sample, Mapping):
        return release_columns(sample, _resolved(sample, plan, weights), weights)
    if isinstance(sample, Groups):
        refuse_seeded(sample)
        return draw_grouped_release(sample, calibrate_grouped(sample, _for_one(plan, weights)))
    return release_data(sample, _for_one(plan, weights))


@overload
def simulate(sample: Data | RawSample, plan: Plan, trials: int = 100, seed: int = 0) -> Study: ...
@overload
def simulate(sample: Groups, plan: Plan, trials: int = 100, seed: int = 0) -> GroupStudy: ...
@overload
def simulate(
    sample: Columns, plan: Plans, trials: int = 100, seed: int = 0, weights: Weights = None
) -> ColumnsStudy: ...
def simulate(
    sample: Data | RawSample | Groups | Columns, plan: Plans, trials: int = 100, seed: int = 0, weights: Weights = None
) -> Study | GroupStudy | ColumnsStudy:
    """Simulate `trials` independent runs of the plan, and return their answers and rank errors. Repeatable.

    Trial i is the same whatever the number of trials that follow it, in steps of 64; one trial alone is another one.
    Spends nothing and is no release, whatever `plan` says. A sketch no longer knows exact ranks: its rank errors are
    distances from its bounds (see `Study`). Of a RawSample every run finds bounds of its own, and errors count all
    records, also those beyond them. Time grows with trials and levels, hardly with n, but for a RawSample with n times
    the number of different bounds. Several columns as in `release`; each has a seed of its own. Raises ParameterError,
    DataError.
    """
    if isinstance(sample, Mapping):
        return simulate_columns(sample, _resolved(sample, plan, weights), trials, seed, weights)
    if isinstance(sample, Groups):
        return simulate_grouped(sample, _for_one(plan, weights), trials, seed)
    return simulate_data(sample, _for_one(plan, weights), trials, seed)


def _for_one(plan: Plans, weights: Weights) -> Plan:
    """Return the plan of a single sample. Raises ParameterError for what only several columns have."""
    if weights is not None:
        raise ParameterError("weights", "must be None for a single sample.")
    check_plan(plan)
    assert isinstance(plan, Plan), "checked"
    return plan


def _resolved(samples: Columns, plan: Plans, weights: Weights) -> dict[str, Plan]:
    """Return a plan for each column in which "best" is a mechanism, from public facts."""
    whole = columns_plan(samples, plan, weights)
    pairs = {name: (samples[name], each) for name, each in zip(whole.names, whole.plans, strict=True)}
    in_one = {name: (sample, each) for name, (sample, each) in pairs.items() if not isinstance(sample, Groups)}
    counts = [count for pair in in_one.values() if (count := public_count(*pair)) is not None]
    units = {name: unit_of(*pair) for name, pair in in_one.items()}
    shares = [name for name, (sample, _) in in_one.items() if isinstance(sample, Sample) and sample.unit > 1]
    domains = {name: sample.domain for name, sample in samples.items()}
    return best_plans(domains, plan, min(counts, default=None), weights, units, shares)
