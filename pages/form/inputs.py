"""The controls that four pages share, in one order, and what they give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.advice.choice import Choice, choose
from dpq_core.calibrations import Calibrations
from dpq_core.cost import cost_of
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import ParameterError
from dpq_core.grouping import Grouping
from dpq_core.jobs.turns import made_once
from dpq_core.plan import BEST, NOISY, Intervals, OptionValue, Plan
from dpq_core.privacy.budgets import Adjacency, Privacy
from dpq_core.question import Question
from dpq_core.results.chosen import Chosen, for_intervals
from dpq_core.results.data_set import DataSet, PublicData, settings_of
from dpq_core.results.odds import guesses_in_words
from dpq_core.schedule import Schedule
from dpq_core.studies.shapes import USUAL_SIZE
from dpq_core.typed import USUAL, Words, parse

from ..payment import counts
from ..shell import leads, state
from ..shell.header import complain, sentence_of
from .bounds import choose_bounds, show_errors
from .data import choose_missing, one_to_come, show_report
from .groups import LISTS, GroupsAsked, choose_groups
from .people import offer_comparison
from .places import ONE_FORM, Places
from .plan import (
    Asking,
    Held,
    choose_count,
    choose_counting,
    choose_intervals,
    choose_levels,
    choose_mechanism,
    choose_options,
    explain_mechanisms,
    keep,
)
from .privacy import choose_adjacency, choose_privacy, equivalents
from .said import typed_column, typed_table
from .table import text

STAND_IN = {"kind": "number", "bounds": "known", "lower": "0", "upper": "100", "step": "", "missing": None}
"""In place of bounds that nobody said yet: which mechanism is best hardly depends on them."""


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What the controls of a page give; a part that is missing or wrong is None."""

    brought: DataSet | None
    """The column, for every choice of what its missing values count as."""
    data: DataSet | None
    """The same, with what they count as."""
    bounds: Domain | FindBounds | None
    """The settings of the bounds."""
    domain: Domain | None
    """The grid of all answers; the widest one that there can be where the bounds are to be found."""
    levels: tuple[Fraction, ...] | None
    privacy: Privacy | None
    adjacency: Adjacency
    intervals: Intervals | None = None
    question: Question | None = None
    """What is asked of the column by itself, or of each of its groups; None while a part of it is missing or wrong."""
    plan: Plan | None = None
    """What is drawn for it. None, too, on a page that studies several mechanisms."""
    best: Choice | None = None
    """Where the best mechanism for the plan was asked for: what was chosen, and why."""
    better: str = ""
    """The mechanism that would be chosen now, where another one is held."""
    shows_error: bool = True
    """Whether the suggestion says its expected error, which a picture beside it shows."""
    is_wrong: bool = False
    """Whether a field about the column says what is wrong in it."""
    counted: bool = False
    """Whether the records that intervals rest on are counted with noise."""
    count: int | None = None
    """A public guess of how many records there are, in each group where groups are answered."""
    cost_is_wrong: bool = False
    """Whether the budget or that guess is no number: the fields of the last step, where a form has steps."""
    groups: GroupsAsked | None = None
    """The settings of groups; None for one answer for all."""
    intervals_place: DeltaGenerator | None = field(default=None, repr=False)
    """Where a release says what intervals cost."""
    bounds_place: DeltaGenerator | None = field(default=None, repr=False)
    """Where the ways to bounds are compared; None where there is no plan to do it with."""
    report_place: DeltaGenerator = field(repr=False)
    forecast_place: DeltaGenerator | None = field(default=None, repr=False)
    """The place of the forecast for groups."""
    equivalents_place: DeltaGenerator = field(repr=False)
    mechanisms_place: DeltaGenerator | None = field(default=None, repr=False)

    @property
    def explored(self) -> PublicData | None:
        """The data, if it may be explored."""
        return self.data if isinstance(self.data, PublicData) else None

    @property
    def column(self) -> DataSet | None:
        """The column, if there is one."""
        return self.data or self.brought

    @property
    def settings(self) -> tuple[object, ...] | None:
        """What a run depends on; None without a column."""
        return None if self.data is None else settings_of(self.data, self.bounds, self.plan)

    @property
    def group_choice(self) -> Grouping | None:
        """Which groups are to be answered, where that was said."""
        return self.groups.choice if self.groups else None

    @made_once
    def chosen(self) -> Chosen | None:
        """The question with its plan; None while something is missing."""
        if self.question is None or self.plan is None:
            return None
        return Chosen(question=self.question, plans=dict.fromkeys(self.question.columns, self.plan))

    @property
    def calibrations(self) -> Calibrations | None:
        """What the form has found of the plan, with which a press draws; None for groups."""
        return self.availability.calibrations if self.availability else None

    @made_once
    def availability(self) -> counts.Availability | None:
        """Whether the plan can be answered; None without one."""
        return None if self.plan is None or self.groups else counts.judged(self.plan, self.column, self.domain)

    @made_once
    def judged_groups(self) -> Schedule | ParameterError | None:
        """What the plan costs for these groups, or why it cannot be answered; None without them or without a plan."""
        if self.group_choice is None or self.chosen is None:
            return None
        try:
            return cost_of(self.chosen.question, self.chosen.plan)
        except ParameterError as error:
            return error.with_traceback(None)


def question_of(inputs: Inputs, columns: Mapping[str, Words], data: DataSet | None, about: object) -> Question:
    """Return the question about these columns, of which `data` is one, from what the controls say.

    `about`: the guess of the number of records; empty where it decides nothing. Raises ParameterError, of one column a
    WrongColumn.
    """
    whole = {
        **typed_table(text, str(about or ""), data, LISTS if inputs.groups else ()),
        "intervals": str(inputs.intervals.chance) if inputs.intervals else "none",
        "counted": NOISY if inputs.counted else "guess",
    }
    return parse(columns, whole)


def choose_inputs(
    data: DataSet | None, *, of_shape: bool = False, one_mechanism: bool = False, with_intervals: bool = False,
    may_find: bool = False, of_groups: bool = False, columns: int = 1, places: Places = ONE_FORM,
) -> Inputs:  # fmt: skip
    """Draw the controls below those of the data, and return what they give.

    `of_shape`: the page can study a public shape as well; `one_mechanism`: it runs one mechanism, so that there is a
    plan; `with_intervals`: the answers may get intervals; `may_find`: it can find bounds; `of_groups`: it can answer
    every group; `columns`: how many are asked together, with these fields for one of them: then it has no plan by
    itself; `places`: where these controls stand.
    """
    many = data.many if data else "records"
    with places.values:
        of_person = places.person if places.in_steps else None
        bounds = choose_bounds(data, of_shape=of_shape, may_find=may_find, of_person=of_person)
        bounds_place = st.container() if may_find else None
        report_place = st.container()
    domain = bounds.widest if isinstance(bounds, FindBounds) else bounds
    with places.question:
        levels = choose_levels()
    with places.further:
        groups = choose_groups(data) if of_groups else None
        asking = Asking(data, bounds, groups, columns)
        in_steps = places.in_steps
        intervals, intervals_place = choose_intervals(asking, in_steps=in_steps) if with_intervals else (None, None)
        counted = one_mechanism and intervals is not None and choose_counting(asking)
    run = ChosenMechanism()
    if text("mechanism") != BEST:
        state.let_go_of_mechanism()
    if one_mechanism:
        with places.question, st.container(gap="xsmall"):
            run = _choose_mechanism(
                data, many, groups, intervals, needs_count=(not counted and intervals is not None) or columns > 1,
                places=places,
            )  # fmt: skip
    with places.epsilon, st.container(gap="xsmall"):
        privacy = choose_privacy(data, of_kind=places.kind)
        guesses_place = st.empty()
    with places.kind:
        equivalents_place = st.container()
    one = data.anyone if data else one_to_come()
    with places.person:
        adjacency = choose_adjacency(one)
    if places.epsilon_first and privacy is not None:
        guesses_place.caption(guesses_in_words(privacy, adjacency, one))
    asked = Inputs(
        brought=data, data=data, bounds=bounds, domain=domain, levels=levels, privacy=privacy, adjacency=adjacency,
        intervals=intervals, shows_error=not places.epsilon_first, count=run.count, groups=groups,
        is_wrong=bounds is None or levels is None or (run.options is None and run.key != BEST), counted=counted,
        cost_is_wrong=privacy is None or (run.asks_count and run.count is None),
        intervals_place=intervals_place, bounds_place=bounds_place,
        report_place=report_place, equivalents_place=equivalents_place, mechanisms_place=run.place,
        forecast_place=run.forecast_place,
    )  # fmt: skip
    with places.values:
        asked = replace(asked, data=choose_missing(data, bounds))
    with places.question:
        return _planned(asked, run) if columns == 1 else asked


@dataclass(frozen=True)
class ChosenMechanism:
    """The mechanism that a page runs, with its options (None while one is wrong), and what is known of the records."""

    key: str = ""
    options: dict[str, OptionValue] | None = None
    count: int | None = None
    asks_count: bool = True
    place: DeltaGenerator | None = None
    forecast_place: DeltaGenerator | None = None


def _choose_mechanism(
    data: DataSet | None, many: str, groups: GroupsAsked | None, intervals: Intervals | None, *,
    needs_count: bool, places: Places,
) -> ChosenMechanism:  # fmt: skip
    """Ask for the mechanism and for what it needs to know; `needs_count`: about how many records there are."""
    mechanism, options, forecast_place, asks_count = choose_mechanism(), None, None, True
    place = st.container()
    if groups is not None:
        options = None if mechanism == BEST else choose_options(mechanism)
        with places.cost:
            count = choose_count(f"{many} in a group")
            forecast_place = st.container()
    elif mechanism == BEST:
        folded = not needs_count and not places.in_steps
        with places.cost:
            count = choose_count(many, folded=folded) if data is not None else USUAL_SIZE
    else:
        options = choose_options(mechanism)
        with places.cost:
            asks_count = needs_count or places.in_steps
            count = choose_count(many) if asks_count else None
    return ChosenMechanism(mechanism, options, count, asks_count, place, forecast_place)


def _planned(asked: Inputs, run: ChosenMechanism) -> Inputs:
    """Return the same with the question about one column and its plan, as far as nothing is missing.

    Before there is a column with bounds, the plan is one for the bounds that are usual.
    """
    data, groups, best = asked.column, asked.groups, run.key == BEST
    known = run.count is not None or (not best and (asked.intervals is None or asked.counted))
    is_said = asked.levels is not None and asked.privacy is not None and (best or run.options is not None)
    if not (known and is_said) or (groups and not (groups.choice and asked.domain)):
        return asked
    said = {**typed_column(text, data.kind if data else "number"), "weight": USUAL["weight"]}
    is_whole = asked.data is not None and asked.bounds is not None
    if not is_whole:
        said |= STAND_IN
    decides = best or groups is not None or asked.intervals is not None
    try:
        words = {data.name if data else "column": said | {"unit": data.unit if data else ""}}
        question = question_of(asked, words, data, run.count if decides else None)
        ((_, column),) = question.columns.items()
        plan = column.plan(question.budget, question.adjacency, in_groups=groups is not None)
        plan = replace(plan, about_n=for_intervals(plan.about_n))
        found = replace(asked, plan=plan, question=data.reading.asked(question) if data and is_whole else None)
        if not best:
            return found
        explored = asked.explored if groups is None else None
        held = keep(choose(question), explored) if explored else Held(choose(question))
    except ParameterError as error:
        complain(sentence_of(error))
        return asked
    if explored and plan.intervals is None:  # how many there are is known, of others so few may leave levels out
        plan = replace(plan, about_n=None)
    plan = replace(plan, mechanism=held.best.run.plan.mechanism)
    return replace(found, plan=plan, best=held.best, better=held.better)


def why_incomplete(domain: Domain | None, wanted: object) -> str:
    """Return what is missing or wrong above a button; empty where there are bounds and what is `wanted` from them."""
    if domain is None:
        return "First enter the range of possible values: the bounds are missing or wrong."
    return "" if wanted else "A setting above needs another value first."


def show_details(inputs: Inputs) -> None:
    """Show among the controls what takes time to work out: what was read, and what each mechanism does."""
    if inputs.bounds_place is not None:
        with inputs.bounds_place:
            show_errors(inputs.plan, inputs.bounds, inputs.count, inputs.column.many if inputs.column else "records")
    with inputs.report_place:
        known = None if isinstance(inputs.bounds, FindBounds) else inputs.domain
        show_report(inputs.data, known)
        offer_comparison(inputs.data, known, inputs.levels)
    if inputs.mechanisms_place is not None:
        with inputs.mechanisms_place:
            best = inputs.best if inputs.domain else None
            with_error = inputs.shows_error and inputs.groups is None
            explain_mechanisms(inputs.availability, best, inputs.data, better=inputs.better, with_error=with_error)
    leads.follow()


def show_equivalents(inputs: Inputs) -> None:
    """Say the budget in the other ways; last of all, because the accountant takes a second to load."""
    availability = inputs.availability
    if availability is not None:
        with_ends = availability.plan.intervals is not None  # further levels, of which only the press knows
        known = None if availability.reason or with_ends else availability.least_guarantee
        inputs.equivalents_place.caption(equivalents(availability.plan.privacy, known))
