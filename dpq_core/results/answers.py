"""The answers of one column, or of one of its groups, with all that is needed to show them: the cell of any outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from ..accuracy import NOISE_INTERVAL, true_quantiles
from ..advice.choice import Run
from ..advice.errors import SIZES, error_of, least_size
from ..arrays import Floats
from ..column import Column
from ..domain.domain import Domain
from ..errors import ParameterError
from ..far_answers import NOT_USABLE, far_answers
from ..groups.names import name_in_words
from ..plan import Plan
from ..privacy.composition import unit_of_groups
from ..release import Cells, Description
from ..study import SimulatedCells
from .wording import Wording

USELESS = 0.5
"""The chance to be far off from which on an answer is not usable."""
TOO_SMALL = "too small for this budget"
Ends: TypeAlias = tuple[float | None, float | None]
FEWEST_FOR_NOISE = 40
"""From this many simulated answers on, the page shows between which values 95 of 100 are."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The answers of one column or of one of its groups, public but for the truth of a simulation."""

    wording: Wording
    cells: Cells
    """Of the one group."""
    chances: tuple[float, ...] = ()
    """How often each answer is far off, as it was forecast from public facts; empty where it was not."""
    too_small: bool | None = None
    """Whether its group is too small for its budget, by its public size: then the answers are noise. None: unknown."""
    true_values: tuple[float, ...] = ()
    """Of a simulation, as all below; empty in a release."""
    errors: tuple[float, ...] = ()
    """Signed rank errors, in records of the column or group."""
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()
    """Between which values 95 of 100 simulated answers lie; empty where too few were simulated."""
    held: tuple[float, ...] = ()
    """How often each interval held the true quantile."""
    size: int | None = None
    """How many records the group has, or how many persons they weigh."""

    @property
    def plan(self) -> Plan:
        """Return what was run: the column's own part of the budget."""
        return self.cells.plan

    @property
    def domain(self) -> Domain:
        """Return the grid of the answers."""
        return self.cells.domain

    @property
    def values(self) -> tuple[float, ...]:
        """Return the answers in the order of the plan's levels."""
        return self.cells.values[0]

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """Return the interval of each value; empty where the plan asks for none."""
        return self.cells.intervals[0] if self.cells.intervals else ()

    @property
    def group(self) -> str:
        """Return of which group of the column they are, in words; empty where it is answered in one piece."""
        return "" if self.cells.in_one_piece else name_in_words(self.cells.groups[0])

    @property
    def label(self) -> str:
        """Return the name of the column, with its group where there are some."""
        return f"{self.wording.name}, {self.group}" if self.group else self.wording.name

    @property
    def middle(self) -> int:
        """Return the place of the level that is nearest to the median."""
        return middle_of(self.plan.quantiles)

    @property
    def is_noise(self) -> bool:
        """Return whether the middle answer is no finding."""
        return not self.usable[self.middle]

    def value(self, level: Fraction) -> float:
        """Return the answer at a level."""
        return self.values[self.plan.quantiles.index(level)]

    def far(self, level: Fraction) -> bool:
        """Return whether the answer at a level is no finding."""
        return self._far[self.plan.quantiles.index(level)]

    def ends(self, level: Fraction) -> Ends:
        """Return between which values the true one is; None for an end at a bound: nothing beyond it was examined."""
        if not self.intervals:
            return None, None
        low, high = self.intervals[self.plan.quantiles.index(level)]
        lower, upper = float(self.domain.lower), float(self.domain.upper)
        return None if low <= lower else low, None if high >= upper else high

    def band(self, at: int) -> tuple[float, float] | None:
        """Return the interval of an answer where it was asked for, or its noise interval in a simulation."""
        if self.intervals:
            return self.intervals[at]
        return (self.lows[at], self.highs[at]) if self.lows else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return of each answer whether it can be used, by the answers and by the forecast; empty where it can."""
        if self.too_small:
            return (TOO_SMALL,) * len(self.values)
        hundredths = [round(100 * chance) for chance in self._chances]
        often = [f"far off in about {each} of 100 releases" if each else "" for each in hundredths]
        return tuple(NOT_USABLE if far else said for far, said in zip(self._far, often, strict=True))

    @property
    def _chances(self) -> tuple[float, ...]:
        return self.chances or (0.0,) * len(self.values)

    @property
    def _far(self) -> tuple[bool, ...]:
        """Return of each answer whether it is far beyond all others, or as often far off as not by the forecast."""
        far = far_answers(self.plan.quantiles, self.values)
        return tuple(at or chance >= USELESS for at, chance in zip(far, self._chances, strict=True))

    @property
    def usable(self) -> tuple[bool, ...]:
        """Return of each answer whether it may be shown as a finding."""
        return tuple(not (far or self.too_small) for far in self._far)


def of_cells(cells: Cells, wording: Wording) -> list[Answers]:
    """Return the answers of a column: one, or one for each group."""
    return [Answers(wording=wording, cells=each) for each in cells.each_group]


def beside_truth(part: SimulatedCells, shown: Cells, truth: Column, wording: Wording) -> list[Answers]:
    """Return the first run of a simulated column, which is `shown`, beside the truth: of each group that it names.

    All other runs say between which values answers usually lie.
    """
    sizes: Sequence[int | None] = weights_of(truth) if truth.in_groups else [None]
    known = np.concatenate(truth.each_part(partial(_quantiles, levels=part.plan.quantiles)))
    places = {name: at for at, name in enumerate(part.groups)}
    return [
        replace(
            answer, size=sizes[at], true_values=as_floats(known[at]),
            errors=as_floats(part.signed_rank_errors[0, at]), **_noise(part.values[1:, at]),
            held=() if part.intervals is None else as_floats(part.coverage[at]),
        )
        for at, answer in zip(map(places.__getitem__, shown.groups), of_cells(shown, wording), strict=True)
    ]  # fmt: skip


def judged(
    answers: Sequence[Answers], words: Description, chances: tuple[float, ...] = (), columns: int = 1,
    sizes: Mapping[str, int | None] = MappingProxyType({}),
) -> list[Answers]:  # fmt: skip
    """Return the answers of a column, one of `columns`, with what public facts say of them.

    In one piece that is how often each is far off, by a forecast. Of groups, which are too small: that is not known
    where a part of the budget went to their names, or to their bounds. `sizes`: of the groups in a simulation; else
    those that were said.
    """
    if not answers or not answers[0].group:
        return [replace(each, chances=chances) for each in answers]
    first, each_person, said = answers[0], words.max_groups_per_person, dict(words.group_sizes)
    if each_person is None or words.finding is not None or first.cells.find_bounds is not None:
        return list(answers)
    unit = unit_of_groups(
        first.plan.adjacency,
        max_groups_per_person=each_person,
        max_rows_per_person=words.max_rows_per_person or 1,
        shares=words.share,
    )
    found = sizes or {each.group: said.get(each.group, words.group_size) for each in answers}
    small = too_small(found, Run(first.plan, first.domain, unit, len(answers) * columns))
    return [replace(each, too_small=None if small is None else each.group in small) for each in answers]


def weights_of(groups: Column) -> list[int]:
    """Return how many records each group has; where rows are shares, how many persons they weigh, rounded up."""
    parts = groups.each_part(lambda part, at: [-(-mass // part.unit) for mass in part.masses.tolist()])
    return [size for each in parts for size in each]


def _quantiles(groups: Column, at: int, *, levels: tuple[Fraction, ...]) -> Floats:
    """Return the quantiles of all records, or of those of each group, (1 or groups, levels)."""
    found = [true_quantiles(groups.column(group), levels) for group in range(len(groups.names))]
    return np.array(found).reshape(len(found), len(levels))


def as_floats(values: Floats) -> tuple[float, ...]:
    """Return the numbers of an array as plain ones."""
    return tuple(np.asarray(values, dtype=np.float64).tolist())


def _noise(values: Floats) -> dict[str, Any]:
    """Return the bounds of 95 of 100 simulated answers (trials, levels), of those runs that named the group."""
    named = values[~np.isnan(values).any(axis=1)]
    if len(named) < FEWEST_FOR_NOISE or not named.shape[1]:
        return {}
    lows, highs = np.percentile(named, NOISE_INTERVAL, axis=0)
    return {"lows": as_floats(lows), "highs": as_floats(highs)}


def middle_of(levels: Sequence[Fraction]) -> int:
    """Return the place of the level that is nearest to the median."""
    return min(range(len(levels)), key=lambda at: abs(levels[at] - Fraction(1, 2)))


def too_small(sizes: Mapping[str, int | None], run: Run) -> tuple[str, ...] | None:
    """Return which of these groups are too small for a plan; None where a size or its errors are not known."""
    if None in sizes.values():
        return None
    try:
        error_of(run, SIZES[-1])  # says why where the plan is not available at any size
        least = least_size(run)
    except ParameterError:  # no run of this plan can be simulated
        return None
    return tuple(name for name, size in sizes.items() if size is not None and size < least)
