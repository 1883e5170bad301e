"""The one place where "best" becomes a mechanism, for the page, the package and the shell: from public facts alone.

All advice rests on a `Run`: what is run of one column, whole or in groups, at its own part of a budget.

The rule was fitted to simulated errors: docs/choice.md has the grid and what the rule loses against the best
mechanism of each plan. `python -m tests.benchmarks.choice` measures that again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt

from ..asked_of import question_of
from ..calibrations import MOST_OF_SEVERAL, calibrate, calibrated_or_refused, mechanism_of, plan_of_group, singly
from ..column import Column, Columns
from ..columns_plan import ColumnsPlan, Plans, Weights
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import ParameterError, Remedy
from ..group_privacy import refused_for_each
from ..grouping import FindGroups
from ..intervals.counted import SHARE as OF_A_COUNT
from ..intervals.ends import ends_of
from ..intervals.interpolation import may_interpolate
from ..mechanisms.base import USUAL_BETA, USUAL_DELTA, Make
from ..mechanisms.registry import MECHANISMS, SIDE_BY_SIDE
from ..one_column import BINS, GK, ROWS
from ..plan import BEST, Plan
from ..privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from ..privacy.composition import RECORD, PrivacyUnit, least_noisy, unit_of_groups
from ..question import Question
from ..schedule import columns_plan, public_counts
from ..sketches.bin_counts import BinCounts
from ..sketches.greenwald_khanna import GKSketch
from ..steps import rest_of
from ..studies.shapes import USUAL_SIZE

USUAL_DISTANCE = 30
"""Ranks: of the ends of intervals from their quantile, before it is known."""
BEST_LABEL = "Choose for me"
ALWAYS_AVAILABLE = "aq"
"""Serves every plan."""
MANY_GROUPS = 100
"""More groups are answered side by side only: one after the other takes long in the exact sampler."""
FOUND_GROUPS = 1000
"""How many groups are assumed where they are to be found."""
HELD = {ROWS: Column, GK: GKSketch, BINS: BinCounts}

LITTLE_WEIGHT, LITTLE_WEIGHT_RHO, LEAST_WEIGHT = 16, 8, 4
"""Of all records: n ε, or n √(2ρ), half of it where one record is replaced. Below, answers are nearly at random."""
VALUES_FOR_EACH, VALUES_FOR_EACH_RHO = 10, 1
"""Possible values for each quantile: with no more of them, each is counted."""
WEIGHT_FOR_EACH, WEIGHT_FOR_EACH_RHO = 8, 3
"""With less weight for each quantile, intervals of a tree are counted."""
MOST_APART, MOST_TOGETHER = 4, 45
"""Quantiles that are drawn one by one with ρ, and together with ε, where one record is replaced."""
MOST_WITH_ENDS = 12
"""Quantiles, with the ends of intervals. Of more the intervals of counts are clearly narrower than those of draws."""
MOST_WEIGHT_WITH_ENDS = 20_000
"""Of more the errors of draws are so much smaller that wider intervals are the lesser evil."""
MOST_IN_GROUPS = 6
"""Quantiles that are drawn together in each of many groups, in a few ms. More of them take long; so do intervals."""

NOT_KNOWN = "The number of records is not known, and this errs little for few records and for many."
ONE_DRAW = "One quantile is a single draw with the whole budget."
FEW_VALUES = "The column has only {values:,} possible values. Counting each costs less than drawing {levels}."
LITTLE = "The budget is very small for {n:,} records. Every mechanism is far off, and none is clearly better than this."
MANY_LEVELS = "There are many quantiles for {n:,} records and this budget. Counts cost the same for any number of them."
APART = "Where one record is replaced, up to {most} quantiles err least with a draw each: losses in ρ add up slowly."
TOGETHER = "Where one record is replaced, up to {most} quantiles err least when one draw answers all of them."
OF_GROUPS = "In many groups, up to {most} quantiles err least when one draw in each group answers all of them."
NARROWER = "A tree of counts errs about as little for {levels}, and its intervals are narrower."
IN_HALVES = (
    "There are enough records for this budget. Each counts once in every halving, about {halvings} times for {levels}."
)
OF_A_SKETCH = "Nothing else reads such a sketch."


@dataclass(frozen=True)
class Run:
    """What is public about a column that is answered. Raises ParameterError."""

    plan: Plan
    """With the part of the budget that its answers have; one level at least."""
    domain: Domain = Domain(0, 100)  # noqa: RUF009 - frozen
    unit: PrivacyUnit = RECORD
    """What is protected: one record, or one person with several; the budget is for the whole."""
    groups: int | None = None
    """How many groups all columns have, if each is answered; None for a whole column."""

    def __post_init__(self) -> None:
        if not self.plan.quantiles:
            raise ParameterError("quantiles", "must hold at least one level.")

    @property
    def m(self) -> int:
        """Return the number of distinct quantiles."""
        return len(set(self.plan.quantiles))

    def by(self, mechanism: str) -> Run:
        """Return the same by another mechanism."""
        return replace(self, plan=replace(self.plan, mechanism=mechanism, options={}))

    def with_ends(self, n: int | None) -> Run:
        """Return the same with the levels that are drawn for intervals, at a usual distance, in place of intervals."""
        plan = self.plan
        if plan.intervals is None:
            return self
        distance = Fraction(USUAL_DISTANCE, max(USUAL_SIZE if n is None else n, 1))
        ends = ends_of(plan.quantiles, [distance] * len(plan.quantiles))
        further = {level for both in ends for level in both if level is not None} - set(plan.quantiles)
        about = plan.about_n if isinstance(plan.about_n, int) else None
        levels = (*plan.quantiles, *sorted(further))
        return replace(self, plan=replace(plan, quantiles=levels, intervals=None, about_n=about))

    @property
    def drawn(self) -> Plan:
        """Return the plan of a simulation, without intervals: a guess of n is left where fewer levels are drawn by it.

        Not every mechanism is available for it.
        """
        bare, about = replace(self.plan, intervals=None, about_n=None), self.plan.about_n
        kept = isinstance(about, int) and self.groups is None and may_interpolate(bare)
        return replace(bare, about_n=about) if kept else bare

    @property
    def bell(self) -> tuple[float, float] | None:
        """Return the standard deviation of normal records and the bound on their mean, where the options say them."""
        known, options = MECHANISMS.get(self.plan.mechanism), self.plan.options
        sigma, mean_bound = options.get("sigma"), options.get("mean_bound")
        own = known is not None and known.PROFILE.needs_normal
        if own and isinstance(sigma, int | float) and isinstance(mean_bound, int | float):
            return float(sigma), float(mean_bound)
        return None

    @property
    def make(self) -> Make:
        """Return what makes the parameters: in many groups the quickest way."""
        return singly if (self.groups or 0) > MOST_OF_SEVERAL else calibrate

    @property
    def knows_n(self) -> bool:
        """Return whether the number of records is public."""
        one = self.unit.is_one_record and self.groups is None
        return one and self.plan.adjacency is Adjacency.REPLACE_ONE


@dataclass(frozen=True)
class Choice:
    """A question in which every column has a mechanism, and why those that were chosen were."""

    question: Question
    why: Mapping[str, str]
    """In a sentence or two, by the columns for which "best" was asked."""
    n: int | None = None
    """The number of records for which it was chosen; None where it is not known."""

    @cached_property
    def run(self) -> Run:
        """Return what the only column runs at its part of the budget."""
        (found,) = runs_of(self.question).values()
        return found


def choose(question: Question, public: Mapping[str, int] | None = None) -> Choice:
    """Return the question with a mechanism in place of every "best", and why it is that one.

    A rule chooses at the column's own part of the budget, for the number of records that is guessed: in groups for one
    of middle size, the same mechanism in all. `public`: how many records a column has, where the adjacency makes that
    public. The same facts have the same choice; no data is read and nothing simulated, in about a millisecond for each
    column. What nobody left open stays as it is. Raises ParameterError where a budget is too small for any mechanism.
    """
    guesses = [each.about_n for each in question.columns.values()]
    middle = [sorted(own.values())[len(own) // 2] if isinstance(own, Mapping) else own for own in guesses]
    columns, why = dict(question.columns), {}
    n = min((n for n in (*(public or {}).values(), *middle) if n is not None), default=None)  # in the middle group
    left_open = [name for name, each in columns.items() if each.mechanism == BEST]
    runs = runs_of(question) if left_open else {}
    for name in left_open:
        key = ALWAYS_AVAILABLE  # of no levels
        if name in runs:
            held = columns[name].held
            able = [key for key, mechanism in MECHANISMS.items() if issubclass(HELD[held], mechanism.READS)]
            lines = (line for line in by_rule(runs[name], n) if held == ROWS or line[0] in able)
            key, why[name] = next(lines, (next(iter(able), ALWAYS_AVAILABLE), OF_A_SKETCH))
        columns[name] = replace(columns[name], mechanism=key, options={})
    return Choice(replace(question, columns=columns), why, n)


def runs_of(question: Question) -> dict[str, Run]:
    """Return what each column runs at its own part of the budget, without what names, bounds and counts take first.

    Of the ways to divide the budget it is the one in which the usual mechanism spends most. "best" becomes the usual
    mechanism; a column without levels is left out. Raises ParameterError where too little is left.
    """
    whole, unit, groups = question.plan, unit_of_question(question), groups_in_all(question)
    if question.groups is not None and isinstance(question.groups.names, FindGroups):
        whole = whole.with_budget(rest_of(whole.privacy, question.groups.names.share))
    usual = [
        {name: replace(each, mechanism=ALWAYS_AVAILABLE, options={}) for name, each in parts.items()}
        for parts in whole.divided()
    ]
    parts = least_noisy(
        usual, lambda parts: parts, lambda parts: (calibrate(each).guarantee for each in parts.values())
    )
    found, domains = dict[str, Run](), question.domains
    for name, asked in question.columns.items():
        part, own = parts[name], whole.plans[name]
        taken_first = [asked.possible.share] if isinstance(asked.possible, FindBounds) else []
        taken_first += [OF_A_COUNT] if asked.noisy_count and asked.intervals is not None else []
        for share in taken_first:  # each of what is left by then
            part = replace(part, privacy=rest_of(part.privacy, share))
        if own.mechanism != BEST:
            part = replace(part, mechanism=own.mechanism, options={**own.options, **asked.sketch})
        if part.quantiles:
            found[name] = Run(part, domains[name], unit, groups)
    return found


def unit_of_question(question: Question) -> PrivacyUnit:
    """Return what neighbours of a column, whole or in groups, differ by."""
    persons, most = question.persons, None if question.groups is None else 1
    if persons is None:
        return unit_of_groups(question.adjacency, most)
    return unit_of_groups(
        question.adjacency, most and (persons.max_groups or most), protects="person",
        max_rows_per_person=persons.max_rows, shares=most is not None and persons.shares,
    )  # fmt: skip


def groups_in_all(question: Question) -> int | None:
    """Return how many groups all columns have; a usual number where they are to be found, None for whole columns."""
    if question.groups is None:
        return None
    listed = question.groups.answered
    return FOUND_GROUPS if listed is None else len(listed) * len(question.columns)


def by_rule(run: Run, n: int | None) -> Iterator[tuple[str, str]]:
    """Yield the mechanisms of the rule that are available, the one that suits best first, and why; the last always is.

    `n`: the number of records, or a guess; None where nothing is known. Raises ParameterError.
    """
    each = _of_one_record(run, n)
    return (line for line in _rule(run, n, each) if line[0] == ALWAYS_AVAILABLE or serves(run, n, line[0]))


def _rule(run: Run, n: int | None, each: Plan) -> Iterator[tuple[str, str]]:
    """Yield mechanisms and why. `each`: the plan of one record, with all levels that are drawn."""
    m, values = len(set(each.quantiles)), run.domain.cells
    levels = f"{m} quantiles{'' if run.plan.intervals is None else ' with the ends of intervals'}"
    if m > 1 and n is not None:
        by_rho, replaced = isinstance(each.privacy, ZCDP), each.adjacency is Adjacency.REPLACE_ONE
        epsilon = sqrt(2 * each.privacy.rho) if isinstance(each.privacy, ZCDP) else each.privacy.epsilon
        weight = epsilon * n / (2 if replaced else 1)
        if weight >= LEAST_WEIGHT and values <= m * (VALUES_FOR_EACH_RHO if by_rho else VALUES_FOR_EACH):
            yield "binhist", FEW_VALUES.format(values=values, levels=levels)
        if weight < (LITTLE_WEIGHT_RHO if by_rho else LITTLE_WEIGHT):
            yield "indexp", LITTLE.format(n=n)
        if weight < m * (WEIGHT_FOR_EACH_RHO if by_rho else WEIGHT_FOR_EACH):
            yield "aggtree", MANY_LEVELS.format(n=n)
        if by_rho and replaced and m <= MOST_APART:
            yield "indexp", APART.format(most=MOST_APART)
        if not by_rho and replaced and m <= MOST_TOGETHER:
            yield "jointexp", TOGETHER.format(most=MOST_TOGETHER)
        many_groups = (run.groups or 0) > MOST_OF_SEVERAL
        if many_groups and not by_rho and not replaced and m <= MOST_IN_GROUPS and run.plan.intervals is None:
            yield "freetotal", OF_GROUPS.format(most=MOST_IN_GROUPS)
        if run.plan.intervals is not None and m > MOST_WITH_ENDS and weight <= MOST_WEIGHT_WITH_ENDS:
            yield "aggtree", NARROWER.format(levels=levels)
    unknown = IN_HALVES.format(levels=levels, halvings=m.bit_length()) if n is not None else NOT_KNOWN
    yield ALWAYS_AVAILABLE, ONE_DRAW if m == 1 else unknown


def serves(run: Run, n: int | None, key: str) -> bool:
    """Return whether a mechanism of the rule is available for these facts."""
    if (run.groups or 0) > MANY_GROUPS and key not in SIDE_BY_SIDE:
        return False
    each, cells = replace(_of_one_record(run, n), mechanism=key, options={}), run.domain.cells
    if refusal_before_run(each, n, cells) is not None:
        return False
    if run.plan.intervals is None or not run.plan.intervals.proved:
        return True
    made = calibrate(each, n if run.knows_n else None)
    return made.knows_its_intervals or made.bound(each, cells, USUAL_BETA) is not None


def _of_one_record(run: Run, n: int | None) -> Plan:
    """Return the usual mechanism's plan for one record, with all levels that are drawn."""
    drawn = run.by(ALWAYS_AVAILABLE).with_ends(n).plan
    return plan_of_group(replace(drawn, about_n=None), run.unit)


STAND_IN = 1
"""Replaces a value that only the owner of the column knows, to find the other needs."""
USUAL_EPSILON = 1.0


def needs(
    plan: Plan, count: int | None = None, cells: int | None = None, unit: PrivacyUnit = RECORD
) -> tuple[ParameterError, ...]:
    """Return all refusals of the plan's mechanism, each with what it needs; none where it is available.

    Every further need is the one that is left once the best way out of those before it was taken, so that nobody meets
    them one after the other. `count`: the number of records, where it may be known: public, or of data that is
    explored; never a private one. `cells`: of the domain, where it is known. `unit`: what neighbours differ by.
    """
    found: dict[str, ParameterError] = {}
    error = refusal_before_run(plan, count, cells, unit)
    while error is not None and error.name not in found:
        found[error.name] = error.with_traceback(None)
        if not error.remedies or error.remedies[0].name == "mechanism":
            break
        plan = with_remedy(plan, error.remedies[0])
        error = refusal_before_run(plan, count, cells, unit)
    return tuple(found.values())


def refusal_before_run(
    plan: Plan, count: int | None, cells: int | None, unit: PrivacyUnit = RECORD
) -> ParameterError | None:
    """Return why the plan's mechanism is not available, as far as is known before a run; None where it is."""
    # where a person may have several records it is about one record, whose number is private
    of_one = calibrated_or_refused(plan, unit) if unit.steps_per_group > 1 else None
    if isinstance(of_one, ParameterError):
        return of_one
    each = plan if of_one is None else of_one.each_plan
    try:
        refused = mechanism_of(each).PROFILE.refused_on(each, cells, count) if cells else None
    except ParameterError as error:
        return error
    if of_one is not None:
        return refused and refused_for_each(refused, unit)
    found = refused or calibrated_or_refused(plan, unit, count)
    return found if isinstance(found, ParameterError) else None


def with_remedy(plan: Plan, way: Remedy) -> Plan:
    """Return the plan with one setting changed; a value that is not known is some number."""
    privacy, adjacency, options = plan.privacy, plan.adjacency, dict(plan.options)
    match way.name:
        case "epsilon" | "delta" | "budget":
            privacy = _with_budget(privacy, way)
        case "adjacency":
            adjacency = Adjacency(str(way.value))
        case "mechanism":
            return replace(plan, mechanism=str(way.value), options={})
        case _:
            options[way.name] = STAND_IN if way.value is None else way.value
    return replace(plan, privacy=privacy, adjacency=adjacency, options=options)


def _with_budget(privacy: Privacy, way: Remedy) -> Privacy:
    epsilon = USUAL_EPSILON if isinstance(privacy, ZCDP) else privacy.epsilon
    delta = privacy.delta if isinstance(privacy, ApproxDP) else None
    if way.name == "budget":
        return PureDP(epsilon) if way.value == "pure" else ApproxDP(epsilon, delta or USUAL_DELTA)
    if way.name == "epsilon":
        epsilon = float(way.value or USUAL_EPSILON)
    else:
        delta = float(way.value or 0)
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)


def with_best(columns: Columns, plan: Plans, weights: Weights = None) -> ColumnsPlan:
    """Return the plan of all columns, in which "best" is a mechanism for each: what `choose` chooses."""
    whole = columns_plan(columns, plan, weights)
    if BEST not in whole.mechanisms:
        return whole
    return choose(question_of(columns, whole), public_counts(columns, whole)).question.plan
