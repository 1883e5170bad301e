"""The answers of one column, or of one of its groups, with all that is needed to show them: the cell of any outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..accuracy import NOISE_INTERVAL, true_quantiles
from ..arrays import Floats
from ..domain.at_bounds import warnings_at_bounds
from ..domain.domain import Domain
from ..domain.finding import FindBounds, clipped
from ..far_answers import NOT_USABLE, far_answers, warnings_of_far
from ..groups.names import name_in_words
from ..groups.table import Groups
from ..intervals.drawn import Basis
from ..plan import Plan
from ..release import WHOLE, Cells
from ..sample import Sample
from ..study import SimulatedCells
from .groups.sizes import TOO_SMALL, GroupSizes, rule_of_persons
from .tables.kinds import TableRequest
from .wording import Wording

USELESS = 0.5
"""The chance to be far off from which on an answer is not usable."""
FEWEST_FOR_NOISE = 40
"""From this many simulated answers on, the page shows between which values 95 of 100 are."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The answers of one column or of one of its groups, public but for the truth of a simulation."""

    wording: Wording
    plan: Plan
    """What was run: the column's own part of the budget."""
    domain: Domain
    values: tuple[float, ...]
    group: str = ""
    """Of which group of the column, in words; empty where it is answered in one piece."""
    notes: tuple[str, ...] = ()
    intervals: tuple[tuple[float, float], ...] = ()
    """Of each value, where the plan asks for them."""
    basis: Basis | None = None
    """What the intervals rest on."""
    find_bounds: FindBounds | None = None
    """How the domain was found; None where it was chosen."""
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
    def label(self) -> str:
        """Return the name of the column, with its group where there are some."""
        return f"{self.wording.name}, {self.group}" if self.group else self.wording.name

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what the answers say about their bounds and each other, and that bounds were found."""
        found = () if self.find_bounds is None else (clipped(self.find_bounds, self.domain),)
        far = warnings_of_far(self.plan.quantiles, self.values)
        return (*warnings_at_bounds(self.values, self.domain), *far, *found)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return of each answer whether it can be used, by the answers and by the forecast; empty where it can."""
        if self.too_small:
            return (TOO_SMALL,) * len(self.values)
        far = far_answers(self.plan.quantiles, self.values)
        chances = self.chances or (0.0,) * len(self.values)
        return tuple(NOT_USABLE if at else _remark(chance) for at, chance in zip(far, chances, strict=True))

    @property
    def usable(self) -> tuple[bool, ...]:
        """Return of each answer whether it may be shown as a finding."""
        return tuple(remark not in {NOT_USABLE, TOO_SMALL} for remark in self.remarks)


def _remark(chance: float) -> str:
    """Return the forecast of one answer in words; empty where it is almost never far off."""
    if chance >= USELESS:
        return NOT_USABLE
    hundredths = round(100 * chance)
    return f"far off in about {hundredths} of 100 releases" if hundredths >= 1 else ""


def of_cells(cells: Cells, wording: Wording) -> list[Answers]:
    """Return the answers of a column: one, or one for each group."""
    whole = Answers(
        wording=wording, plan=cells.plan, domain=cells.domain, values=(), notes=cells.notes, basis=cells.basis,
        find_bounds=cells.find_bounds,
    )  # fmt: skip
    ends = cells.intervals or ((),) * len(cells.values)
    return [
        replace(whole, group="" if name == WHOLE else name_in_words(name), values=values, intervals=intervals)
        for name, values, intervals in zip(cells.groups, cells.values, ends, strict=True)
    ]


def beside_truth(part: SimulatedCells, shown: Cells, truth: Sample | Groups, wording: Wording) -> list[Answers]:
    """Return the first run of a simulated column, which is `shown`, beside the truth: of each group that it names.

    All other runs say between which values answers usually lie.
    """
    sizes: Sequence[int | None] = sizes_of(truth) if isinstance(truth, Groups) else [None]
    known, places = _true_quantiles(truth, part.plan.quantiles), {name: at for at, name in enumerate(part.groups)}
    return [
        replace(
            answer, size=sizes[at], true_values=as_floats(known[at]),
            errors=as_floats(part.signed_rank_errors[0, at]), **_noise(part.values[1:, at]),
            held=() if part.intervals is None else as_floats(part.coverage[at]),
        )
        for at, answer in zip(map(places.__getitem__, shown.groups), of_cells(shown, wording), strict=True)
    ]  # fmt: skip


def judged(answers: Sequence[Answers], sizes: GroupSizes, asked: TableRequest) -> list[Answers]:
    """Return the answers of a column with what public facts say of them: which groups are too small, and forecasts.

    Which are too small is not known where a part of the budget went to their names, or to their bounds.
    """
    if asked.groups is None:
        return [replace(each, chances=asked.chances.get(each.wording.name, ())) for each in answers]
    if asked.groups.names is None or not answers or answers[0].find_bounds is not None:
        return list(answers)
    first, rule = answers[0], rule_of_persons(asked.groups, asked.person)
    in_all = len(answers) * len(asked.plans)
    small = sizes.too_small([each.group for each in answers], first.plan, first.domain, **rule, in_all=in_all)
    return [replace(each, too_small=None if small is None else each.group in small) for each in answers]


def sizes_in(truth: Sample | Groups) -> GroupSizes:
    """Return what the groups of a simulation weigh; nothing for a column in one piece."""
    if isinstance(truth, Sample):
        return GroupSizes()
    return GroupSizes(own=tuple(zip(map(name_in_words, truth.names), sizes_of(truth), strict=True)))


def sizes_of(groups: Groups) -> list[int]:
    """Return how many records each group has; where rows are shares, how many persons they weigh, rounded up."""
    return [size for each in groups.each_part(_sizes) for size in each]


def _sizes(groups: Groups, at: int) -> list[int]:
    return [-(-mass // groups.unit) for mass in groups.masses.tolist()]


def _true_quantiles(truth: Sample | Groups, levels: tuple[Fraction, ...]) -> Floats:
    """Return the quantiles of all records, or of those of each group, (1 or groups, levels)."""
    if isinstance(truth, Sample):
        return true_quantiles(truth, levels)[None]
    return np.concatenate(truth.each_part(partial(_quantiles, levels=levels)))


def _quantiles(groups: Groups, at: int, *, levels: tuple[Fraction, ...]) -> Floats:
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
