"""What a report knows of several columns or of all groups, and how it becomes of a release of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..advice.expected import chances_of_far
from ..advice.forecast import unit_of_plan
from ..calibrations import calibrate
from ..columns.release import ColumnsRelease
from ..errors import ParameterError
from ..far_answers import far_answers
from ..groups.calibration import plan_of_group
from ..groups.draws import GroupedRelease
from ..groups.names import name_in_words
from ..intervals.drawn import Basis
from ..plan import Intervals, Plan
from ..privacy.budgets import Privacy
from ..privacy.composition import GroupsPerPerson
from ..release import QuantileRelease
from ..results.groups.sizes import GroupSizes, rounded_down
from ..results.wording import Wording
from .facts import ASKED, ReportFacts
from .findings import ROUGHLY
from .ranking import Ranked

MOST_SURE = 0.999
"""As sure as intervals can be, each alone."""


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """Everything that a report of several columns, or of all groups, says: private answers and public facts."""

    whole: ReportFacts
    """What is common to all: whom the budget protects, and where the answers come from. Its own answers are none."""
    parts: tuple[ReportFacts, ...]
    """The columns, in order; or the groups, by their names as titles."""
    grouped: bool
    basis: Basis | None = None
    """What the intervals of groups rest on; columns have their own."""
    bought: bool = False
    """Whether groups were released with intervals: each is for one group alone, so they make no order."""
    inner: tuple[TableFacts, ...] = ()
    """Of columns that are all in groups: the groups of each."""

    @property
    def title(self) -> str:
        """Return what it is about."""
        return self.whole.title

    @property
    def simulated(self) -> bool:
        """Return whether nothing was released."""
        return self.whole.simulated

    @property
    def sure(self) -> str:
        """Return how sure the ranges are, as the head of their column: `90 %`, `roughly`; empty without ranges."""
        if self.bought:
            return self.parts[0].percent if self.parts else ""
        return ROUGHLY if self.ranked or self.too_small else ""

    @property
    def level(self) -> Fraction | None:
        """Return the level by which groups are ranked: the one nearest to the median."""
        return self.parts[0].middle if self.parts else None

    @property
    def ranked(self) -> list[Ranked]:
        """Return the groups that can be compared, with their answers and intervals at this level.

        Those are large enough for their budget and have an interval.
        """
        level = self.level
        if level is None or self.bought:
            return []
        found = [part for part in self.parts if part.intervals and not part.too_small]
        return [Ranked(part.title, part.value(level), part.interval(level)) for part in found]

    @property
    def too_small(self) -> list[str]:
        """Return the names of the groups that are too small for their budget."""
        return [part.title for part in self.parts if part.too_small]

    @property
    def without_range(self) -> list[str]:
        """Return the names of the groups that are large enough and have no interval: no order is claimed of them."""
        return [part.title for part in self.parts if not part.intervals and not part.too_small]


@dataclass(frozen=True)
class OfGroups:
    """What is publicly known of the groups besides their names."""

    groups_per_person: GroupsPerPerson = 1
    most_rows: int = 1
    """How many records a person may have in each group, or in all of them where these may be any."""
    share: bool = False
    """Whether all rows of a person weigh 1 together, in all groups."""
    finding: float | None = None
    """The share of epsilon that decided which groups are named."""
    sizes: GroupSizes = field(default_factory=GroupSizes)
    """About how many records groups have."""


def of_columns(
    release: ColumnsRelease[Any],
    words: Mapping[str, Wording],
    n: int,
    most_rows: int | None = 1,
    known: OfGroups | None = None,
    **common: Any,
) -> TableFacts:
    """Return the facts of several columns; `most_rows` of one person, None where it is not known.

    A column in groups has a part for each; `known`: what is publicly known of these. `common`: the fields of
    ReportFacts that all share, with the wording of the whole.
    """
    parts: list[ReportFacts] = []
    inner: list[TableFacts] = []
    whole = _whole(release.plan.privacy, next(iter(release.releases.values())), n, common)
    for name, own in release.releases.items():
        if isinstance(own, GroupedRelease):
            settings = {key: value for key, value in common.items() if key != "wording"}
            grouped = of_groups(own, words[name], known, **settings)
            inner.append(grouped)
            parts += [replace(part, title=f"{name}, {part.title}", group=part.title) for part in grouped.parts]
            continue
        found = with_intervals(own, ASKED, n, most_rows)
        parts.append(
            replace(
                whole, title=name, wording=words[name], domain=own.domain, values=own.values,
                plan=own.plan, intervals=found.intervals, basis=found.basis, notes=own.notes,
                chances=(chances_of_far(own.plan, own.domain, n) or ()) if most_rows == 1 else (),
            )
        )  # fmt: skip
    all_in_groups = len(inner) == len(release.releases)
    return TableFacts(whole=whole, parts=tuple(parts), grouped=False, inner=tuple(inner) if all_in_groups else ())


def of_groups(release: GroupedRelease, wording: Wording, known: OfGroups | None = None, **common: Any) -> TableFacts:
    """Return the facts of all groups, each judged by its own size; without `known` and sizes they have no interval.

    Nor where groups were released between found bounds: what these left of the budget for answers is not worked out
    here. If they were released with intervals, the facts have these, each for its group alone.
    A group that is too small has no interval. Those of all others are meant to hold all at once as often as ASKED says,
    or each is as sure as it can be. `common`: the fields of ReportFacts that all share.
    """
    known = None if release.intervals or release.find_bounds is not None else known
    each = None if known is None else _plan_of_each(release.plan, known)
    sizes = GroupSizes() if known is None or each is None else known.sizes
    small = None if known is None or each is None else _too_small(release, known)
    large = max(len(release.values) - len(small or ()), 1)
    asked, basis, parts = Intervals(min(1 - (1 - ASKED.chance) / large, MOST_SURE)), None, []
    nothing = QuantileRelease(values=(), guarantee=release.guarantee, plan=release.plan, domain=release.domain)
    whole = _whole(release.plan.privacy, nothing, 0, {"wording": wording, **common})
    with_notes = replace(whole, notes=release.notes)
    for name, values in release.values.items():
        found, size = replace(nothing, values=values), sizes.of(name)
        is_small = small is not None and name_in_words(name) in small
        if each is not None and small is not None and size is not None and not is_small:
            found = replace(with_intervals(replace(found, plan=each), asked, rounded_down(size), 1), plan=release.plan)
        if release.intervals:
            found = replace(found, plan=release.plan, intervals=release.intervals[name], basis=release.basis)
        basis = basis or found.basis
        parts.append(
            replace(
                whole, title=name_in_words(name), values=values, intervals=found.intervals, basis=found.basis,
                n=size or 0, too_small=is_small, plan=release.plan if release.intervals else whole.plan,
            )
        )  # fmt: skip
    bought = bool(release.intervals)
    return TableFacts(whole=with_notes, parts=tuple(parts), grouped=True, basis=basis, bought=bought)


def _too_small(release: GroupedRelease, known: OfGroups) -> tuple[str, ...] | None:
    """Return which groups are too small for their budget; None where that is not known."""
    return known.sizes.too_small(
        release.values, release.plan, release.domain, groups_per_person=known.groups_per_person,
        most_rows=known.most_rows, share=known.share,
    )  # fmt: skip


def _whole(privacy: Privacy, own: QuantileRelease | GroupedRelease, n: int, common: Mapping[str, Any]) -> ReportFacts:
    """Return what all parts share; errors are worked out for none of them."""
    plan = replace(own.plan, privacy=privacy, intervals=None, about_n=None)
    return ReportFacts(
        plan=plan, domain=own.domain, values=(), privacy=privacy, n=n, counted=False, error_bound=None,
        presets={}, **common,
    )  # fmt: skip


def with_intervals(own: QuantileRelease, asked: Intervals, n: int, most_rows: int | None) -> QuantileRelease:
    """Return a release with its intervals, bought or else approximate ones from neighbouring levels, at no charge.

    With none where the bounds were found, as records may lie beyond them, where errors cannot be simulated, and where
    an answer lies far beyond all others: a line to it is no measure.
    """
    if not own.intervals and any(far_answers(own.plan.quantiles, own.values)):
        return own
    if own.intervals or own.find_bounds is not None or most_rows is None:
        return own
    try:
        return own.with_intervals(asked, about_n=n, most_rows=most_rows)
    except ParameterError:  # not available with so few records: no errors either
        return own


def _plan_of_each(plan: Plan, known: OfGroups) -> Plan | None:
    """Return the plan by which each group alone was answered; None if it is not known."""
    if known.finding is not None:
        return None  # a part of the budget went to the names
    unit = unit_of_plan(plan, known.groups_per_person, most_rows=known.most_rows, share=known.share)
    try:
        return plan_of_group(plan, unit, calibrate)
    except ParameterError:
        return None
