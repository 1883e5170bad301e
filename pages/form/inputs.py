"""The controls that four pages share, in one order, and what they give."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.advice.choice import BEST, Choice, choose
from dpq_core.advice.facts import PublicFacts
from dpq_core.calibrations import Calibrations
from dpq_core.columns.release import CalibratedColumns
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import ParameterError
from dpq_core.finding.counting import rest_of
from dpq_core.groups.calibration import CalibratedGroups
from dpq_core.plan import NOISY, AboutN, Intervals, OptionValue, Plan
from dpq_core.privacy.budgets import Adjacency, Privacy
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.odds import guesses_in_words
from dpq_core.results.outcomes import settings_of
from dpq_core.results.persons import unit_for
from dpq_core.results.tables.asked import calibrated_groups
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.studies.shapes import USUAL_SIZE

from ..budget import counts
from ..frame import leads, state
from ..frame.header import complain, sentence_of
from ..frame.state import Mode, mode_of
from ..settings.table import text
from .bounds import choose_bounds, show_errors
from .data import choose_missing, mode_to_come, one_to_come, show_report
from .groups import GroupsAsked, best_for_groups, choose_groups
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
from .privacy import choose_adjacency, choose_privacy
from .requests import of_column, sizes_of


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
    plan: Plan | None = None
    """None, too, on a page that studies several mechanisms."""
    best: Choice | None = None
    """Where the best mechanism for the plan was asked for: what was chosen, and why."""
    better: str = ""
    """The mechanism that would be chosen now, where another one is held."""
    shows_error: bool = True
    """Whether the suggestion says its expected error, which a picture beside it shows."""
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
    def mode(self) -> Mode:
        """What the screen may show, by the kind of the data; before there is any, by what was said of it."""
        return mode_to_come() if self.brought is None else mode_of(self.brought)

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
    def group_choice(self) -> GroupChoice | None:
        """Which groups are to be answered, where that was said."""
        return self.groups.choice if self.groups else None

    @property
    def request(self) -> TableRequest | None:
        """The request for the column, or for each of its groups; None while something is missing."""
        if self.data is None or self.bounds is None or self.plan is None:
            return None
        if self.groups is not None and self.groups.choice is None:
            return None
        guesses = self.groups.guesses if self.groups else {}
        found = of_column(self.data, self.bounds, self.plan, self.count, self.group_choice, guesses)
        if self.best is None:
            return found
        best = {name: replace(plan, mechanism=BEST, options={}) for name, plan in found.plans.items()}
        return replace(found, asked=replace(found, plans=best))

    @property
    def calibrations(self) -> Calibrations | None:
        """What the form has found of the plan, with which a press draws; None for groups."""
        return self.availability.calibrations if self.availability else None

    @cached_property
    def availability(self) -> counts.Availability | None:
        """Whether the plan can be answered; None without one."""
        return None if self.plan is None or self.groups else counts.judged(self.plan, self.column, self.domain)

    @cached_property
    def judged_groups(self) -> CalibratedGroups | CalibratedColumns | ParameterError | None:
        """What the plan costs for these groups, or why it cannot be answered; None without them or without a plan."""
        if self.plan is None or self.bounds is None or self.group_choice is None:
            return None
        try:
            person = self.column.person if self.column else None
            return calibrated_groups(self.plan, self.bounds, self.group_choice, person, self.count or 1)
        except ParameterError as error:
            return error.with_traceback(None)


def choose_inputs(
    data: DataSet | None, *, of_shape: bool = False, one_mechanism: bool = False, with_intervals: bool = False,
    may_find: bool = False, of_groups: bool = False, places: Places = ONE_FORM,
) -> Inputs:  # fmt: skip
    """Draw the controls below those of the data, and return what they give.

    `of_shape`: the page can study a public shape as well; `one_mechanism`: it runs one mechanism, so that there is a
    plan; `with_intervals`: the answers may get intervals; `may_find`: it can find bounds; `of_groups`: it can answer
    every group; `places`: where these controls stand.
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
        asking = Asking(data, bounds, groups.any_choice(data) if groups and data else None)
        in_steps = places.in_steps
        intervals, intervals_place = choose_intervals(asking, in_steps=in_steps) if with_intervals else (None, None)
        counted = one_mechanism and intervals is not None and choose_counting(asking)
    run = ChosenMechanism()
    if text("mechanism") != BEST:
        state.let_go_of_mechanism()
    if one_mechanism:
        with places.question, st.container(gap="xsmall"):
            run = _choose_mechanism(data, many, groups, intervals, counted=counted, places=places)
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
    asked = Asked(data, domain, bounds, levels, privacy, adjacency, intervals, groups, counted)
    with places.question:
        plan, held = _planned(asked, run)
    with places.values:
        with_missing = choose_missing(data, bounds)
    return Inputs(
        brought=data, data=with_missing, bounds=bounds, domain=domain, levels=levels, privacy=privacy,
        adjacency=adjacency, intervals=intervals, plan=plan, best=held.best if held else None,
        better=held.better if held else "", shows_error=not places.epsilon_first, count=run.count, groups=groups,
        cost_is_wrong=privacy is None or (run.asks_count and run.count is None),
        intervals_place=intervals_place, bounds_place=bounds_place,
        report_place=report_place, equivalents_place=equivalents_place, mechanisms_place=run.place,
        forecast_place=run.forecast_place,
    )  # fmt: skip


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
    data: DataSet | None, many: str, groups: GroupsAsked | None, intervals: Intervals | None, *, counted: bool,
    places: Places,
) -> ChosenMechanism:  # fmt: skip
    """Ask for the mechanism and for what it needs to know."""
    mechanism, options, forecast_place, asks_count = choose_mechanism(), None, None, True
    place = st.container()
    if groups is not None:
        options = None if mechanism == BEST else choose_options(mechanism)
        with places.cost:
            count = choose_count(f"{many} in a group")
            forecast_place = st.container()
    elif mechanism == BEST:
        folded = (intervals is None or counted) and not places.in_steps
        with places.cost:
            count = choose_count(many, folded=folded) if data is not None else USUAL_SIZE
    else:
        options = choose_options(mechanism)
        with places.cost:
            asks_count = (intervals is not None and not counted) or places.in_steps
            count = choose_count(many) if asks_count else None
    return ChosenMechanism(mechanism, options, count, asks_count, place, forecast_place)


class Asked(NamedTuple):
    """A plan from the controls, without its mechanism."""

    data: DataSet | None
    domain: Domain | None
    bounds: Domain | FindBounds | None
    levels: tuple[Fraction, ...] | None
    privacy: Privacy | None
    adjacency: Adjacency
    intervals: Intervals | None
    groups: GroupsAsked | None
    counted: bool


def _planned(asked: Asked, run: ChosenMechanism) -> tuple[Plan | None, Held | None]:
    """Return the plan, None while something is missing; and what it rests on, where the best one was asked for."""
    levels, privacy, adjacency, intervals = asked.levels, asked.privacy, asked.adjacency, asked.intervals
    known = intervals is None or asked.counted or run.count is not None
    about_n = _about_n(asked, run.count) if intervals is not None else None
    if levels is None or privacy is None:
        return None, None
    if run.options is not None and known:
        return Plan(levels, run.key, privacy, adjacency, run.options, intervals, about_n), None
    if run.key != BEST or run.count is None:
        return None, None
    rest = rest_of(privacy, asked.bounds.share) if isinstance(asked.bounds, FindBounds) else privacy
    open_plan = Plan(levels, BEST, rest, adjacency, intervals=intervals)
    person, groups = asked.data.person if asked.data else None, asked.groups
    try:
        if groups is None:
            facts = PublicFacts.of(open_plan, run.count, asked.domain, unit_for(person, open_plan))
            chosen = _chosen(facts, asked.data)
            drawn = replace(chosen.best.plan, privacy=privacy)
            return (replace(drawn, about_n=NOISY) if asked.counted else drawn), chosen
        if groups.choice and asked.domain:
            best = best_for_groups(groups.choice, open_plan, run.count, asked.domain, person)
            return replace(best.plan, privacy=privacy, about_n=about_n), Held(best)
    except ParameterError as error:
        complain(sentence_of(error))
    return None, None


def _about_n(asked: Asked, count: int | None) -> AboutN | None:
    """Return the number of records that intervals rest on: a noisy count, the guess, or those of groups."""
    if asked.counted:
        return NOISY
    if asked.groups is None:
        return count
    return sizes_of(count, asked.groups.guesses).for_intervals(asked.groups.choice)


def _chosen(facts: PublicFacts, data: DataSet | None) -> Held:
    """Return the choice for public facts: of public data the one that is held, in Release the best."""
    if not isinstance(data, PublicData):
        return Held(choose(facts))
    return keep(choose(facts), data)


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
