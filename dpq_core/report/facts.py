"""What a report knows: private answers and public facts, of one column or of several, in one piece or in groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..advice.choice import Run
from ..advice.errors import chances_of_far
from ..frame import COLUMN
from ..groups.names import GroupName
from ..plan import Intervals
from ..privacy.budgets import Privacy
from ..release import Cells, ColumnWords, Description, Release, now, sizes_in_words
from ..results.answers import Answers, judged, middle_of, of_cells
from ..results.error_bound import ErrorBound, error_bound_of, presets, with_all_levels
from ..results.exports import data_in_words
from ..results.kinds import Simulated
from ..results.odds import right_of_hundred
from ..results.wording import Wording, count_in_words, decimals_of, plural_of
from ..studies.shapes import MOST_STUDIED

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Account
    from ..ledger.history.entries import Stored


@dataclass(frozen=True, kw_only=True)
class Section:
    """The answers of one column: in one piece, or of all its groups."""

    cells: Cells
    wording: Wording
    parts: tuple[Answers, ...]
    """The answers of the column in one piece, or of each of its groups; of groups that are too small last."""

    @property
    def grouped(self) -> bool:
        """Return whether each of its groups is answered."""
        return not self.cells.in_one_piece

    @property
    def levels(self) -> list[Fraction]:
        """Return the levels in order, each once."""
        return sorted(set(self.cells.plan.quantiles))

    @property
    def middle(self) -> Fraction | None:
        """Return the level nearest to the median; None where nothing was asked for."""
        return self.levels[middle_of(self.levels)] if self.levels else None

    @property
    def intervals(self) -> Intervals | None:
        """Return which intervals the answers have; None without any."""
        return self.cells.plan.intervals if self.cells.intervals else None

    @property
    def percent(self) -> str:
        """Return how sure the intervals are: `95 %`; empty without any."""
        return self.intervals.percent if self.intervals else ""

    @property
    def judged(self) -> bool:
        """Return whether it is known which groups are too small for their budget."""
        return all(part.too_small is not None for part in self.parts)

    @property
    def too_small(self) -> list[str]:
        """Return the groups that are too small for their budget."""
        return [part.group for part in self.parts if part.too_small]


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything that a report says: private answers and public facts. The truth is never part of it."""

    title: str
    about: str
    """Where the answers come from."""
    sections: tuple[Section, ...]
    """One for each column."""
    wording: Wording
    """Of the only column, or of all: it knows whom the budget protects."""
    release: Release
    n: int
    """For how many records the errors were worked out."""
    simulated: bool
    left: str = ""
    """What the budget of the data set has left on the day of the report, in words; empty for a simulation."""
    allows_again: bool = True
    """Whether that day the budget would pay for one more draw."""
    made: str = field(default_factory=lambda: now()[:10])
    """The day of the report."""
    error_bound: ErrorBound | None = None
    """Of a column in one piece; None where it is not known."""
    presets: Mapping[str, ErrorBound | None] = field(default_factory=dict)
    """At other budgets: None where the mechanism is not available; empty without errors."""

    @classmethod
    def of(cls, release: Release, n: int, *, simulated: str = "", **more: Any) -> Report:
        """Return the report on a release that has its words (`described`), for about `n` records in a column.

        `simulated`: where the numbers of a simulation come from; empty for a release. `more`: `left` and the like.
        Errors of a single column are simulated on a public shape: some seconds the first time.
        """
        words, cells = release.description, release.cells
        several, sections = len(cells) > 1, []
        for own in cells:
            said = words.columns.get(own.column) or ColumnWords()
            name, digits = said.label or own.column.replace("_", " "), decimals_of(own.domain)
            wording = Wording(name, said.kind, said.unit, words.one, words.many, digits, words.person)
            chances: tuple[float, ...] = ()
            if several and own.in_one_piece and not rule_unknown(release) and (words.max_rows_per_person or 1) == 1:
                chances = chances_of_far(Run(own.plan, own.domain), n) or ()
            parts = judged(of_cells(own, wording), words, chances, len(cells))
            parts.sort(key=lambda part: (bool(part.too_small), part.group))
            sections.append(Section(cells=own, wording=wording, parts=tuple(parts)))
        whole = sections[0].wording
        if several:
            whole = replace(whole, name=count_in_words(len(sections), "column"), kind="number", unit="")
        if release.of_one_column:
            more = _errors(release, n) | more
        return cls(
            title=_title(sections, whole), about=simulated or f"{release.account} · release · {release.made[:10]}",
            sections=tuple(sections), wording=whole, release=release, n=n, simulated=bool(simulated), **more,
        )  # fmt: skip

    @classmethod
    def of_stored(cls, stored: Stored, n: int) -> Report:
        """Return the report on a release that a ledger keeps; where its number of records is public, for that."""
        account, release = stored.account, described(stored.release, stored.account.one_row_is)
        again = account.closed is None and account.refusal(release.guarantee) is None
        n = public_records(release) or n
        return cls.of(release, n, left=left_in_words(account), allows_again=again)

    @classmethod
    def of_simulation(cls, found: Simulated) -> Report:
        """Return the report on the private values of a simulation; neither its truth nor its errors."""
        words = found.release.description
        if found.of_example:  # whose sizes are public
            called = {name: replace(each, label=name.lower()) for name, each in words.columns.items()}
            words = replace(words, columns=called, records=found.n)
        if found.of_example and found.groups is not None:
            sizes: dict[GroupName, int] = {each.group: each.size or 0 for each in found.answers}
            words = replace(words, **sizes_in_words(sizes))
        where = f"{data_in_words(found)} · simulation with seed {found.seed}"
        release = replace(found.release, description=words)
        return cls.of(release, min(found.n, MOST_STUDIED), simulated=where)

    @property
    def privacy(self) -> Privacy:
        """Return the budget of all answers."""
        return self.release.plan.privacy

    @property
    def right(self) -> int:
        """Return how many of 100 guesses about one person are right at most."""
        return right_of_hundred(self.privacy)

    @property
    def counted(self) -> bool:
        """Return whether the number of records is known; otherwise it is a guess, and the report says "if"."""
        return self.release.description.records == self.n

    @property
    def only(self) -> Section | None:
        """Return the section of one column in one piece; None for groups and several columns."""
        return self.sections[0] if self.release.of_one_column else None


def _title(sections: list[Section], whole: Wording) -> str:
    title = whole.name[:1].upper() + whole.name[1:]
    if not any(section.grouped for section in sections):
        return title
    return f"{title} by {' and '.join(sections[0].cells.by) or 'group'}"


def _errors(release: Release, n: int) -> dict[str, Any]:
    """Return the errors of answers of one column on a public shape of n records, and at other budgets.

    Nothing where the bounds were found, as records may be beyond them, or where the rule of persons is not known.
    """
    (cells,), max_rows_per_person = release.cells, release.description.max_rows_per_person
    if cells.find_bounds is not None or rule_unknown(release):
        return {}
    drawn, every = with_all_levels(cells.plan, cells.domain, n), cells.plan.intervals is not None
    return {
        "error_bound": error_bound_of(drawn, cells.domain, n, max_rows_per_person, all_levels=every),
        "presets": presets(drawn, cells.domain, n, max_rows_per_person, all_levels=every),
    }


def rule_unknown(release: Release) -> bool:
    """Return whether it is not known what counts of a person's rows, on which the errors depend."""
    return release.guarantee.protects == "person" and not release.description.rule


def public_records(release: Release) -> int | None:
    """Return the number of records where it is public; None, too, above MOST_STUDIED."""
    records = release.description.records
    return records if records and records <= MOST_STUDIED else None


def described(release: Release, one_row_is: str, labels: Mapping[str, str] | None = None, **typed: str) -> Release:
    """Return a release with words for what it does not say itself.

    `one_row_is`: of its account. `labels`: by the names of columns. `typed`: of a column that nobody described.
    """
    words = release.description
    if words.one == Description.one:
        one, person = one_row_is, one_row_is if release.guarantee.protects == "person" else ""
        words = replace(words, one=one, many=plural_of(one), person=words.person or person)
    columns = {}
    for cells in release.cells:
        known = words.columns.get(cells.column)
        own = known or ColumnWords(label=release.account if cells.column == COLUMN else "", **typed)
        columns[cells.column] = replace(own, label=(labels or {}).get(cells.column) or own.label)
    return replace(release, description=replace(words, columns=columns))


def left_in_words(account: Account) -> str:
    """Return what is left: `ε = 2 left of ε = 3, δ = 0.00001, for all releases of patients`."""
    from ..ledger.history.entries import sums

    return f"{sums(account).left_in_words}, for all releases of {account.name}"
