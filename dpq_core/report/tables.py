"""What a report knows of several columns or of all groups, and how it becomes of a release of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..advice.forecast import chances_of_far
from ..groups.names import name_in_words
from ..intervals.drawn import Basis
from ..privacy.budgets import Privacy
from ..privacy.composition import GroupsPerPerson
from ..release import Cells, Release
from ..results.groups.sizes import GroupSizes
from ..results.wording import Wording
from .facts import ReportFacts


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
        """Return how sure the intervals of groups are, as the head of their column: `90 %`; empty without any."""
        return self.parts[0].percent if self.parts else ""

    @property
    def level(self) -> Fraction | None:
        """Return the level that the headline and the chart of groups show: the one nearest to the median."""
        return self.parts[0].middle if self.parts else None

    @property
    def too_small(self) -> list[str]:
        """Return the names of the groups that are too small for their budget."""
        return [part.title for part in self.parts if part.too_small]


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
    release: Release[Any],
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
    whole = _whole(release.plan.privacy, release.cells[0], n, common)
    for name, own in release.items():
        if not own.in_one_piece:
            settings = {key: value for key, value in common.items() if key != "wording"}
            grouped = of_groups(own, words[name], known, len(release.cells), **settings)
            inner.append(grouped)
            parts += [replace(part, title=f"{name}, {part.title}", group=part.title) for part in grouped.parts]
            continue
        parts.append(
            replace(
                whole, title=name, wording=words[name], domain=own.domain, values=own.values[0],
                plan=own.plan, intervals=own.intervals[0] if own.intervals else (), basis=own.basis, notes=own.notes,
                chances=(chances_of_far(own.plan, own.domain, n) or ()) if most_rows == 1 else (),
            )
        )  # fmt: skip
    all_in_groups = len(inner) == len(release.cells)
    return TableFacts(whole=whole, parts=tuple(parts), grouped=False, inner=tuple(inner) if all_in_groups else ())


def of_groups(
    cells: Cells, wording: Wording, known: OfGroups | None = None, columns: int = 1, **common: Any
) -> TableFacts:
    """Return the facts of all groups; where sizes are known, each is judged by its own.

    Not where groups were released with intervals, which are each for its group alone, nor between found bounds: what
    these left of the budget for answers is not worked out here. `columns`: how many have these groups; `common`: the
    fields of ReportFacts that all share.
    """
    known = OfGroups() if known is None or cells.intervals or cells.find_bounds is not None else known
    small, parts = _too_small(cells, known, columns) or (), []
    whole = _whole(cells.plan.privacy, cells, 0, {"wording": wording, **common})
    ends = cells.intervals or ((),) * len(cells.groups)
    for name, values, intervals in zip(cells.groups, cells.values, ends, strict=True):
        parts.append(
            replace(
                whole, title=name_in_words(name), values=values, intervals=intervals,
                basis=cells.basis, n=known.sizes.of(name) or 0, too_small=name_in_words(name) in small,
                plan=cells.plan if cells.intervals else whole.plan,
            )
        )  # fmt: skip
    return TableFacts(whole=replace(whole, notes=cells.notes), parts=tuple(parts), grouped=True, basis=cells.basis)


def _too_small(cells: Cells, known: OfGroups, columns: int) -> tuple[str, ...] | None:
    """Return which groups are too small for their budget; None where that is not known."""
    if known.finding is not None:
        return None  # a part of the budget went to the names
    return known.sizes.too_small(
        cells.groups, cells.plan, cells.domain, groups_per_person=known.groups_per_person,
        most_rows=known.most_rows, share=known.share, in_all=len(cells.groups) * columns,
    )  # fmt: skip


def _whole(privacy: Privacy, own: Cells, n: int, common: Mapping[str, Any]) -> ReportFacts:
    """Return what all parts share; errors are worked out for none of them."""
    plan = replace(own.plan, privacy=privacy, intervals=None, about_n=None)
    return ReportFacts(
        plan=plan, domain=own.domain, values=(), privacy=privacy, n=n, counted=False, error_bound=None,
        presets={}, **common,
    )  # fmt: skip
