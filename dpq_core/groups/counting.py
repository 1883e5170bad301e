"""Draw a noisy number of the records of each group first, then its answers, with intervals computed for that number.

Every group is counted, and then answered with the rest of the budget. What both steps cost a person, in all groups
together, is fixed before anything is counted: see `privacy.composition`. `intervals.counted` proves, for each group by
itself, what a number costs and how sure it is. Numbers may decide which levels are drawn, but never how the budget is
divided: that would be another way in each group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Integers
from ..domain.domain import Domain
from ..group_privacy import CalibratesEach
from ..intervals.counted import SHARE, NoisyCount
from ..intervals.drawn import Basis, Drawn, calibrated_levels, draw_values, is_proved, sentences_of
from ..mechanisms.base import Parameters
from ..noise.entropy import Entropy
from ..noise.fast import FastEntropy
from ..plan import Intervals, Plan
from .names import GroupName, name_in_words
from .table import Groups

MOST_TOLD = 20
"""Up to this number of groups, a sentence lists the noisy number of each."""


@dataclass(frozen=True)
class CountsFirst:
    """How the records of each group are counted, and how a group is answered once its number is known."""

    asked: Intervals
    number: NoisyCount
    rest: Plan
    """The plan with the remaining budget and chance to fail; without a number of records."""
    each: CalibratesEach
    domain: Domain
    fine_cells: int

    def draw(self, groups: Groups, which: Integers, entropy: Entropy) -> Integers:
        """Return the noisy numbers of some groups in units, (entropy.trials, groups): they may be shown."""
        return self.number.draw(np.tile(groups.masses[which], (entropy.trials, 1)), entropy)

    def answered_by(self, number: int) -> tuple[Parameters, Drawn | None]:
        """Return the parameters of a group with at least `number` records, and what is drawn for its intervals.

        Raises ParameterError (also Infeasible).
        """
        plan = replace(self.rest, about_n=number)
        unit = self.number.unit
        return calibrated_levels(plan, self.domain, self.fine_cells, None, self.each, in_groups=True, unit=unit)[1:]

    @property
    def basis(self) -> Basis:
        """Return the basis of the intervals, with the whole chance that was requested."""
        proved, shares = is_proved(self.rest), self.number.unit > 1
        what = "What the rows of each group weigh, in persons, is" if shares else "The records of each group are"
        counted = (
            f"{what} counted with noise first, from {100 * float(SHARE):g} % of the budget. The "
            f"number of a group is too large with a chance of {100 * self.number.failing:.2g} % at most, which is "
            "counted in."
        )
        return Basis(proved, (*sentences_of(self.asked, proved, in_groups=True, shares=shares)[:2], counted))


def in_words(noisy: Mapping[GroupName, int], number: NoisyCount) -> str:
    """Return the noisy numbers of groups in a sentence; they are in units."""
    many = "persons" if number.unit > 1 else "records"
    if len(noisy) > MOST_TOLD:
        least, most = number.told(min(noisy.values())), number.told(max(noisy.values()))
        return f"Noisy counts of the {many} of {len(noisy):,} groups: {least} to {most}."
    each = ", ".join(f"{name_in_words(name)}: {number.told(one)}" for name, one in noisy.items())
    return f"Noisy counts of the {many}: {each}."


def draw_after_counts(
    groups: Groups, plan: Plan, counting: CountsFirst, seed: int, entropy: FastEntropy, parts: Iterator[int]
) -> tuple[Floats, Floats]:
    """Return simulated values (trials, groups, m) and intervals (trials, groups, m, 2), each trial by its own numbers.

    They are in the plan's order, and values of the grid. `parts` of the seed: one for each draw of runs with one
    number.
    """
    noisy = counting.draw(groups, np.arange(len(groups.names)), entropy)
    shape = (*noisy.shape, len(plan.quantiles))
    values, ends = np.empty(shape), np.empty((*shape, 2))
    for at in range(len(groups.names)):
        numbers = list(map(counting.number.at_least, noisy[:, at].tolist()))
        for number in dict.fromkeys(numbers):
            rows = [run for run, own in enumerate(numbers) if own == number]
            own = FastEntropy(seed, len(rows), next(parts))
            parameters, drawn = counting.answered_by(number)
            values[rows, at], found = draw_values(groups.column(at), plan, parameters, drawn, own)
            assert found is not None, "counted for intervals"
            ends[rows, at] = found
    return values, ends
