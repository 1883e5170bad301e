"""A noisy number of records first, then answers with intervals whose ends rest on it: two steps, one release.

What the number costs and how sure it is: `intervals.counted`. The levels at the ends, and so what they spend to the
last digit, follow from the number. What is stated and charged is therefore the whole budget of the second step, which
it never exceeds; `privacy.composition` adds both up.

A person with at most k records changes their number by at most k, so a number of rate e costs k e. That holds as well
where one is replaced: up to k records leave and up to k come, and the number changes by the difference.

Budget. A plan's budget is divided between a first step, which finds bounds or counts, and the quantiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..arrays import Integers
from ..calibrations import Calibrated, calibrate, calibrate_for, public_count, read_plan, unit_of
from ..draw import draw_cells
from ..errors import Infeasible, ParameterError
from ..group_privacy import CalibratesEach
from ..groups.table import refuse_seeded
from ..intervals.counted import ANY_NUMBER, SHARE, NoisyCount, of_the_ends, refuse_chance
from ..intervals.drawn import Basis, refuse_ends, sentences_of
from ..noise.entropy import Entropy
from ..noise.exact import ExactEntropy
from ..noise.fast import FastEntropy
from ..plan import NOISY, Intervals, Plan
from ..privacy.budgets import Guarantee, Privacy
from ..privacy.composition import Unit, after_first, first_and_rest, least_noisy, loss_with_first
from ..release import Cells
from ..sample import Sample
from ..sketches.data import Data
from ..study import SimulatedCells
from ..trials import simulate_calibrated


@dataclass(frozen=True)
class Split:
    """What both steps may spend."""

    finding: Fraction
    """The epsilon of the walks."""
    plan: Plan
    """The plan with the rest."""


def split(plan: Plan, share: Fraction, spent: Callable[[Plan], Guarantee]) -> Split:
    """Return a division of a plan's budget: of those that its mechanism has, the one with the least noise.

    `spent` says what a plan spends. An (epsilon, delta) budget goes through rho, or leaves delta to the second step.
    Raises ParameterError (also Infeasible) where there is none.
    """

    def tried(way: tuple[Fraction, Privacy]) -> tuple[Split, Guarantee]:
        rest = replace(plan, privacy=way[1], intervals=None, about_n=None, weights=None)
        return Split(way[0], rest), spent(rest)

    return least_noisy(first_and_rest(plan.privacy, share), tried, lambda found: (found[1],))[0]


def rest_of(privacy: Privacy, share: Fraction) -> Privacy:
    """Return about what a budget leaves to the quantiles, for advice. Raises ParameterError."""
    return first_and_rest(privacy, share)[0][1]


def charged_already(refused: ParameterError, finding: Fraction, about: str) -> Infeasible:
    """Return a refusal of the second step, with a word `about` the first one: it has drawn and spent already."""
    words = (*refused.words[2:], about)
    if not isinstance(refused, Infeasible):
        return Infeasible(refused.name, words, refused.remedies, charged=loss_with_first(finding, 0.0))
    charged = loss_with_first(finding, refused.charged)
    return Infeasible(
        refused.name, words, refused.remedies, count=refused.count, noisy_count=refused.noisy_count, charged=charged
    )


OF_THE_COUNT = 2**31 + 1
"""The part of a seed that no mechanism's trials have."""


@dataclass(frozen=True)
class CountedSteps:
    """A plan calibrated for intervals that rest on a noisy number of records."""

    plan: Plan
    rest: Plan
    """With what is left of the budget and of the chance to fail; without a number of records."""
    finding: Fraction
    """The epsilon of the number, for one person with all records."""
    unit: Unit
    number: NoisyCount
    """How the records are counted."""

    @property
    def n_public(self) -> int | None:
        """Return None: otherwise nothing would be counted."""
        return None

    @property
    def guarantee(self) -> Guarantee:
        """Return what both steps guarantee together, whichever levels the second one draws."""
        second = Guarantee.of(self.rest.privacy, self.plan.adjacency, self.unit.protects)
        return after_first(self.plan.privacy, self.finding, second)

    def count(self, sample: Sample, entropy: Entropy) -> Integers:
        """Return the noisy number of each trial in units, (trials,): it may be shown."""
        return self.number.draw(np.full(entropy.trials, sample.records.size), entropy)

    def second(self, sample: Sample, at_least: int) -> Calibrated:
        """Return the plan calibrated for the second step. Raises ParameterError (also Infeasible)."""
        return calibrate_for(sample, replace(self.rest, about_n=at_least))

    @property
    def many(self) -> str:
        """Return what is counted: records, or persons whose rows weigh 1 together."""
        return "persons" if self.number.unit > 1 else "records"

    def basis(self, second: Calibrated) -> Basis | None:
        """Return what the intervals rest on, with the whole chance that was asked for."""
        if second.drawn is None:
            return None
        number = (
            f"There are {second.plan.about_n:,} {self.many} or more, by a noisy count from {100 * float(SHARE):g} % of "
            "the budget."
        )
        proved, shares = second.drawn.basis.proved, self.number.unit > 1
        return basis_of_count(intervals_of(self.plan), number, self.number.failing, proved=proved, shares=shares)


def basis_of_count(asked: Intervals, number: str, failing: float, *, proved: bool, shares: bool) -> Basis:
    """Return what intervals rest on beside a number, a sentence, that is too large with a chance of `failing`."""
    too_many = f"That is too many with a chance of {100 * failing:.2g} % at most, which is counted in."
    return Basis(proved, (*sentences_of(asked, proved, shares=shares)[:2], f"{number} {too_many}"))


def is_counted(data: Data, plan: Plan) -> bool:
    """Return whether intervals need a number of records that is private, and the plan asks for a noisy one."""
    if plan.about_n != NOISY or not plan.quantiles or public_count(data, plan) is not None:
        return False
    bare = replace(read_plan(data, plan), intervals=None, about_n=None)
    return not CalibratesEach(unit_of(data, plan), calibrate)(bare, None)[1].knows_its_intervals


def calibrate_counted(sample: Data, plan: Plan) -> CountedSteps:
    """Return a plan calibrated for both steps; nothing is drawn. Raises ParameterError (also Infeasible), DataError."""
    intervals = intervals_of(plan)
    if not isinstance(sample, Sample):
        raise ParameterError("about_n", "must be a number where no records are at hand to be counted.")
    refuse_chance(intervals)
    divided = split(plan, SHARE, lambda rest: calibrate_for(sample, rest).guarantee)
    rest = replace(divided.plan, intervals=of_the_ends(intervals))
    unit = unit_of(sample, plan)
    number = NoisyCount.of(divided.finding / (sample.most_rows or 1), intervals, sample.unit)
    refuse_ends(rest, CalibratesEach(unit, calibrate), sample.unit)
    steps = CountedSteps(plan, rest, divided.finding, unit, number)
    if intervals.proved:  # whether there is a theorem is public, and said before anything is drawn
        steps.second(sample, ANY_NUMBER)
    assert steps.guarantee.covers(plan.privacy), "both steps together spend no more than requested"
    return steps


def draw_counted(sample: Sample, steps: CountedSteps) -> Cells:
    """Return the answers of both steps, drawn now. Raises Infeasible."""
    refuse_seeded(sample)
    noisy = int(steps.count(sample, ExactEntropy())[0])
    try:
        second = steps.second(sample, steps.number.at_least(noisy))
        released = draw_cells(sample, second)
    except ParameterError as refused:
        raise charged_already(refused, steps.finding, f" The {steps.many} had been counted by then.") from None
    return replace(
        released,
        plan=steps.plan,
        guarantee=steps.guarantee,
        basis=steps.basis(second),
        notes=(*released.notes, f"A noisy count of the {steps.many}: {steps.number.told(noisy)}."),
    )


def simulate_counted(sample: Sample, plan: Plan, trials: int, seed: int, counts: int | None = None) -> SimulatedCells:
    """Return what `simulate` does. Raises ParameterError, DataError.

    `counts`: how often records are counted, for runs in turn; every time where it is None. Fewer take less time.
    """
    return simulate_counted_steps(sample, calibrate_counted(sample, plan), trials, seed, counts)


def simulate_counted_steps(
    sample: Sample, steps: CountedSteps, trials: int, seed: int, counts: int | None = None
) -> SimulatedCells:
    """Return what `simulate_counted` does, for a plan that was calibrated for such data."""
    plan = steps.plan
    drawn = steps.count(sample, FastEntropy(seed, counts or trials, OF_THE_COUNT)).tolist()
    numbers = [steps.number.at_least(drawn[run % len(drawn)]) for run in range(trials)]

    def simulated(number: int, runs: int, part: int) -> SimulatedCells:
        second = steps.second(sample, number)
        return replace(simulate_calibrated(sample, second, runs, seed + part), basis=steps.basis(second))

    return replace(by_number(numbers, simulated), plan=plan, guarantee=steps.guarantee, seed=seed)


def by_number(numbers: Sequence[int], simulated: Callable[[int, int, int], SimulatedCells]) -> SimulatedCells:
    """Return the study of all trials, each with its own number of records; what is of one study is that of the first.

    `simulated`: makes the trials of one number together, given the number, how many, and which part of the seed.
    """
    rows = {number: [run for run, own in enumerate(numbers) if own == number] for number in dict.fromkeys(numbers)}
    parts = [simulated(number, len(own), at) for at, (number, own) in enumerate(rows.items())]
    order = np.argsort(np.concatenate(list(rows.values())))
    joined = (
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("values", "signed_rank_errors", "intervals", "covered")
    )
    values, errors, intervals, covered = joined
    found = [part.domain_of(run) for part in parts for run in range(len(part.values))]
    domains = tuple(found[at] for at in order) if len(set(found)) > 1 else parts[0].domains[:1]
    return replace(
        parts[0], values=values, signed_rank_errors=errors, intervals=intervals, covered=covered, domains=domains
    )


def intervals_of(plan: Plan) -> Intervals:
    """Return the intervals that a plan asks for."""
    assert plan.intervals is not None, "a number of records goes with intervals"
    return plan.intervals
