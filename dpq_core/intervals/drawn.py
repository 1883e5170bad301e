"""The plan that is drawn where intervals are requested: its levels and those at the ends, under one budget.

The distance of the ends depends on the errors of all drawn levels, and the number of drawn levels depends on the
distance. So distances are guessed with all their levels (`ends`), and runs on the hardest shapes check them
(`errors`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from ..arrays import Floats
from ..column import Column, Data
from ..domain.domain import Domain
from ..errors import Infeasible, Name, ParameterError
from ..mechanisms.base import Confidence, Parameters
from ..mechanisms.indexp import mechanism as indexp
from ..mechanisms.registry import MECHANISMS, SIDE_BY_SIDE
from ..noise.entropy import Entropy
from ..plan import Intervals, Plan
from ..privacy.budgets import ZCDP
from .ends import (
    BY_RHO,
    FIRST,
    KNOWN,
    MANY_LEVELS,
    ROUNDING,
    TOGETHER,
    Ends,
    at_levels,
    checked,
    ends_of,
    guessed,
    shortest,
)
from .errors import coarseness, failing, records_to_simulate

WIDER = 6
"""Times as far as answers err, a theorem says: where the search of a distance that it proves begins."""
MORE_LEVELS, GUESSES, CLOSE = 2.0, 3, 0.2
"""About how much farther ends are as their levels are drawn, too; how often that is guessed, or until it settles."""
SHARED = 2.2
"""Times as far ends may be where levels are one another's: drawing several at once for ends in between takes long."""
FAR_BEYOND = 2.0
"""Times the guess, from which on no check is made: failures are rarer by as many orders of e as the guess has."""
SAME_BITS = 5
"""Leading bits of a number of records: groups that share them share a simulation, of the fewest; more only help."""
ANY_NUMBER = 2**20
MANY, COUNTED = "records", Name('about_n="noisy"')
"""The words in sentences that those of a page or of a shell replace by their own."""
Calibrate = Callable[[Plan, int | None], tuple[Plan, Parameters]]
"""The plan for one record, and its parameters for a number of records where that is public; hashable."""


@dataclass(frozen=True)
class Basis:
    """The basis of intervals, for their readers."""

    proved: bool
    """Whether a theorem says so; otherwise the intervals are approximate."""
    sentences: tuple[str, ...]
    """Of what they are, how sure, and under which assumption on the number of records."""

    def told_of(self, many: str) -> tuple[str, ...]:
        """Return the sentences with the word for many records that people have for theirs: `patients`."""
        return tuple(sentence.replace(MANY, many) for sentence in self.sentences)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for files."""
        return {"proved": self.proved, "sentences": list(self.sentences)}


@dataclass(frozen=True)
class DrawnLevels:
    """What is drawn for a plan with intervals."""

    plan: Plan
    """All levels, and no intervals."""
    ends: tuple[Ends, ...]
    """For each level of the plan that asks; empty where the mechanism knows its intervals itself."""
    sure: Confidence
    basis: Basis

    def at_ends(self, values: Floats, levels: tuple[Fraction, ...], domain: Domain) -> Floats:
        """Return the intervals (..., m, 2) among the values (..., levels) of all drawn levels."""
        column, runs = {level: at for at, level in enumerate(levels)}, values.shape[:-1]
        found = [
            np.full(runs, float(bound)) if level is None else values[..., column[level]]
            for both in self.ends
            for level, bound in zip(both, (domain.lower, domain.upper), strict=True)
        ]
        return np.stack(found, axis=-1).reshape(*runs, len(self.ends), 2)


@lru_cache(maxsize=64)
def drawn_for(
    plan: Plan,
    domain: Domain,
    cells: int,
    count: int | None,
    calibrate: Calibrate,
    *,
    in_groups: bool = False,
    unit: int = 1,
    between: bool = False,
) -> DrawnLevels:
    """Return what is drawn for a plan with intervals; `count` is the number of records where it is public.

    `cells`: of the output space, with the bits that break ties. `in_groups`: records are those of one of many groups,
    and the basis says so. `unit`: the units of all rows of a person together, where they have weights; then numbers are
    of persons. `between`: others are made of two each (`interpolation`); then each fails half as often. Some tenths of
    a second where errors are simulated; kept for the next call with the same plan. Raises ParameterError, Infeasible.
    """
    assert plan.intervals is not None, "intervals are requested"
    intervals, bare = plan.intervals, replace(plan, intervals=None, about_n=None)
    levels = len(set(plan.quantiles))
    tail = (1 - intervals.chance) / 2 / (max(levels, 1) if intervals.together else 1 + between)
    sure = Confidence(tail, intervals.proved, intervals.of == "population")
    each_bare, known = calibrate(bare, count)
    if known.knows_its_intervals:
        sentences = sentences_of(intervals, intervals.proved, NOISE, in_groups=in_groups, shares=unit > 1)
        return DrawnLevels(bare, (), sure, Basis(intervals.proved, sentences))
    n = plan.about_n if count is None else max(count, 1)
    if n is None:
        about = "about how many there are, from public knowledge, better too few than too many, such as 1000. Or "
        must = ("must be given for intervals where the number of records is private: ", about, COUNTED, " counts them.")
        raise ParameterError("about_n", must)
    if not isinstance(n, int):
        raise ParameterError("about_n", "must be one number here, such as about_n=1000.")
    proved = is_proved(plan)

    def of_all(distances: Floats, simulated: int) -> tuple[Plan, Parameters, tuple[Ends, ...]]:
        drawn, ends = _all_levels(bare, distances, simulated)
        return *_calibrated_with_ends(drawn, None if count is None else simulated, calibrate, unit), ends

    if proved:
        bound = known.bound(each_bare, cells, 1 - intervals.chance)
        if bound is None or not bound.proved:
            raise ParameterError("intervals", "must be approximate for this mechanism: no theorem bounds its error.")

        def is_proved_to_hold(error: float) -> bool:
            each, parameters, _ = of_all(np.full(len(bare.quantiles), error), n)
            proved_error = parameters.bound(each, cells, 1 - intervals.chance)
            return proved_error is not None and proved_error.error <= error

        distances = np.full(len(bare.quantiles), shortest(is_proved_to_hold, n, bound.error / WIDER))
    else:
        bits = max(n.bit_length() - SAME_BITS, 0) if count is None else 0
        least = n >> bits << bits

        def of_some(distances: Floats) -> tuple[int, Parameters, tuple[Ends, ...]]:
            simulated = records_to_simulate(least, float(distances.max()), bare.quantiles, decides=count is not None)
            return simulated, *of_all(distances, simulated)[1:]

        def look(distances: Floats) -> Floats:
            simulated, parameters, ends = of_some(distances)
            return failing(parameters, bare, ends, domain, simulated, *coarseness(distances.min(), known, unit > 1))

        orders = log(domain.cells) - log(2 * tail)
        first, are_far = _first(bare, least, orders, known, lambda distances: of_some(distances)[1], count is not None)
        found = first if are_far else checked(first, least, look, 2 * tail)
        distances = np.where(found > least, n + 1.0, found)
        if (found == at_levels(bare.quantiles, least, float(first.max()))).all():
            distances = at_levels(bare.quantiles, n, float(found.max()))
    z = NormalDist().inv_cdf(1 - sure.tail) if sure.population else 0.0
    drawn, ends = _all_levels(bare, distances, n, z / sqrt(n))
    said = None if count is not None else n
    sentences = sentences_of(intervals, proved, SIMULATED, said, in_groups=in_groups, shares=unit > 1)
    return DrawnLevels(drawn, ends, sure, Basis(proved, sentences))


def _calibrated_with_ends(drawn: Plan, count: int | None, calibrate: Calibrate, unit: int) -> tuple[Plan, Parameters]:
    """Return the plan for one record with the levels at the ends. Raises ParameterError (also Infeasible)."""
    try:
        each, parameters = calibrate(drawn, count)
        refuse_in_units(parameters, unit)
    except Infeasible as refused:
        raise refused.reworded(after=" The ends of intervals are levels, too.") from None
    return each, parameters


def refuse_ends(plan: Plan, calibrate: Calibrate, unit: int = 1) -> None:
    """Raise ParameterError (also Infeasible) where a noisy count may ask for more levels than can be drawn.

    With many records each end is a level of its own, so that three levels are drawn for each one. A refusal that names
    a number of records depends on the count, and comes after it.
    """
    drawn, _ = _all_levels(replace(plan, intervals=None, about_n=None), FIRST, ANY_NUMBER**2)
    try:
        _calibrated_with_ends(drawn, None, calibrate, unit)
    except Infeasible as refused:
        if refused.count is None:
            raise


def is_proved(plan: Plan) -> bool:
    """Return whether ends come from a theorem: where it is asked for, or where nothing could be simulated."""
    assert plan.intervals is not None, "intervals are requested"
    reads_more = MECHANISMS[plan.mechanism].READS is not Column
    return plan.intervals.proved or (reads_more and plan.intervals.of != "population")


def refuse_in_units(parameters: Parameters, unit: int) -> None:
    """Raise ParameterError where parameters cannot be drawn for persons of `unit` units each."""
    refused = parameters.refused_in_units(unit)
    if refused is not None:
        raise refused


def _first(
    bare: Plan, n: int, orders: float, known: Parameters, with_ends: Callable[[Floats], Parameters], known_n: bool
) -> tuple[Floats, bool]:
    """Return about how far ends have to be: with levels of their own, or where levels are one another's ends.

    And whether that is so far beyond the guess for them that it needs no check. Slices may have no room for all levels
    there; then the guess is for fewer. `known_n`: whether the mechanism may read n.
    """
    usual = np.inf if bare.mechanism == indexp.KEY else BY_RHO if isinstance(bare.privacy, ZCDP) else 1.0
    more = max(usual, KNOWN if known_n else TOGETHER if len(bare.quantiles) > MANY_LEVELS else 1.0)
    guess = partial(guessed, bare.quantiles, orders)
    distances = guess(known, usual)
    shared = at_levels(bare.quantiles, n, float(distances.max()))
    try:
        distances = MORE_LEVELS * distances
        for _ in range(GUESSES):
            before, distances = distances, guess(with_ends(distances), more)
            if abs(distances.mean() - before.mean()) <= CLOSE * before.mean():
                break
        if shared.mean() <= (SHARED if bare.mechanism in SIDE_BY_SIDE else 1.0) * distances.mean():
            needed = guess(with_ends(shared), usual)
            if (needed <= shared).all():
                return shared, bool((FAR_BEYOND * needed <= shared).all())
    except Infeasible:
        pass
    return distances, False


def _all_levels(bare: Plan, errors: Floats | float, n: int, sampled: float = 0.0) -> tuple[Plan, tuple[Ends, ...]]:
    """Return the plan of all levels where answers err by `errors` of n records, and the ends of its intervals.

    `errors`: one for all levels, or one for each. `sampled`: how far the level of a random sample may be from the
    population's, for level 1/2 half as much.
    """
    own = [Fraction(ceil(sampled * sqrt(level * (1 - level)) * 10**6), 10**6) for level in bare.quantiles]
    ranks = np.ceil(np.broadcast_to(errors, len(own))).astype(np.int64).tolist()
    ends = ends_of(bare.quantiles, [Fraction(each + ROUNDING, n) + more for each, more in zip(ranks, own, strict=True)])
    further = sorted({level for both in ends for level in both if level is not None} - set(bare.quantiles))
    return replace(bare, quantiles=(*bare.quantiles, *further)), ends


AT_A_BOUND = "Where an interval ends at a bound, the true value may lie beyond it: such values count as the bound."
NOISE = "from what the noise does to sums of counts"
SIMULATED = (
    "from simulations of the mechanism on public shapes; where a third or more of the records in an interval have one "
    "value, the chance can be smaller"
)


def sentences_of(
    intervals: Intervals,
    proved: bool,
    how: str = SIMULATED,
    n: int | None = None,
    *,
    in_groups: bool = False,
    shares: bool = False,
) -> tuple[str, ...]:
    """Return of what the intervals are, how sure, and under which assumption.

    `n`: a guess that they rest on; `in_groups`: each is for one group of many, and so is the chance; `shares`: all rows
    of a person weigh 1 together, so that numbers are of persons.
    """
    of = f"Each interval is for {_quantile(intervals, in_groups, shares)} {AT_A_BOUND}"
    together = "All of one group hold at once" if in_groups else "All hold at once"
    hold = together if intervals.together or (proved and how != NOISE) else "Each holds"
    known = "proved, for any data" if proved else f"approximate, {how.replace(MANY, 'rows') if shares else how}"
    sure = f"{hold} with a chance of {intervals.percent}{' or more' if proved else ''}: {known}."
    if in_groups:
        sure = f"{sure} That is the chance in each group, not in all groups at once."
    return of, sure, _assumption(n, in_groups, shares)


def _quantile(intervals: Intervals, in_groups: bool, shares: bool) -> str:
    """Return of which quantile an interval is."""
    its = "its group's" if in_groups else "the"
    if intervals.of == "population":
        whose = "its group's population" if in_groups else "the population"
        sampled = f"{its} {'persons' if shares else 'records'}"
        return f"the quantile of {whose}, of which {sampled} are taken to be a random sample."
    if shares:
        every = " in all groups" if in_groups else ""
        return (
            f"the true quantile of {its} rows, where all rows of a person{every} weigh 1 together, before values "
            "are rounded."
        )
    return f"the true quantile of {its if in_groups else 'these'} records, before values are rounded."


def _assumption(n: int | None, in_groups: bool, shares: bool) -> str:
    """Return what is assumed about the number of records, or of persons."""
    many = "persons" if shares else "records"
    if n is None:
        return f"Nothing is assumed about the number of {many}."
    if not in_groups:
        return f"This assumes at least {n:,} {many}; with fewer, the intervals are less reliable."
    return in_each_group(n, n, shares=shares)


def in_each_group(least: int, most: int, *, shares: bool = False) -> str:
    """Return how many records groups are taken to have: all the same, or each a number of its own between these."""
    many = "persons" if shares else "records"
    number = f"{least:,} {many}"
    if least < most:
        number = f"the number of {many} that its intervals are worked out for ({least:,} to {most:,})"
    if shares:
        assumed = f"the rows of each group weigh as much as {number} or more"
        return f"This assumes that {assumed}; otherwise its intervals are less reliable."
    return f"This assumes that each group has at least {number}; with fewer, its intervals are less reliable."


def values_and_intervals(
    data: Data, plan: Plan, parameters: Parameters, drawn: DrawnLevels | None, entropy: Entropy
) -> tuple[Floats, Floats | None]:
    """Return drawn values (trials, m) in the plan's order, and their intervals (trials, m, 2) where it asks for them.

    `parameters` are those of all levels, `drawn` is what they are drawn for. The intervals are for values of the grid:
    `of_values` makes them hold for values as they are. Raises ParameterError (also Infeasible).
    """
    if not parameters.levels:
        return np.empty((entropy.trials, 0)), None if drawn is None else np.empty((entropy.trials, 0, 2))
    if drawn is None or drawn.ends:
        values = data.values_of(MECHANISMS[plan.mechanism].run(data, parameters, entropy))
        return read_off(values, plan, parameters, drawn, data.domain)
    found = parameters.run_with_intervals(data, entropy, drawn.sure)
    cells = np.minimum(found.lows, found.answers), found.answers, np.maximum(found.highs, found.answers)
    low, middle, high = (in_plan_order(data.values_of(each), plan, parameters) for each in cells)
    return middle, np.stack([low, high], axis=-1)


def read_off(
    values: Floats, plan: Plan, parameters: Parameters, drawn: DrawnLevels | None, domain: Domain
) -> tuple[Floats, Floats | None]:
    """Return the answers (..., m) and intervals (..., m, 2) among the values (..., levels) of all drawn levels."""
    intervals = None if drawn is None else drawn.at_ends(values, parameters.levels, domain)
    return in_plan_order(values, plan, parameters), intervals


def in_plan_order(values: Floats, plan: Plan, parameters: Parameters) -> Floats:
    """Return answers (..., distinct levels) spread over the plan's levels (..., m): any order, repeats repeated."""
    column = {level: at for at, level in enumerate(parameters.levels)}
    return values[..., [column[level] for level in plan.quantiles]]
