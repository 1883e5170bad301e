"""The form of five pages: it draws the controls, and the parser makes one question of their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.advice.choice import Choice, choose
from dpq_core.asked_of import cost_or_refusal
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import Infeasible, ParameterError
from dpq_core.grouping import Grouping
from dpq_core.jobs.turns import made_once
from dpq_core.plan import BEST, NOISY, Intervals, Plan
from dpq_core.privacy.budgets import Adjacency, Privacy
from dpq_core.question import Bounds, Question
from dpq_core.release import DATE
from dpq_core.results.chosen import Chosen, chosen_of
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.kinds import Released, Simulated
from dpq_core.results.odds import guesses_in_words
from dpq_core.schedule import Schedule
from dpq_core.studies.shapes import USUAL_SIZE
from dpq_core.typed import USUAL, Words, WrongColumn, parse

from .. import keys
from ..payment import counts
from ..shell import fields, links, state
from ..shell.header import complain, escape, sentence_of, term
from ..shell.state import ChosenTable
from . import plan, said
from .bounds import choose_bounds
from .data import choose_data, choose_missing, one_to_come
from .people import LISTS, GroupsAsked, choose_groups
from .places import ONE_FORM, Places
from .plan import Asking, keep
from .privacy import choose_adjacency, choose_privacy
from .said import typed_column, typed_table
from .table import text

STAND_IN = {"kind": "number", "bounds": "known", "lower": "0", "upper": "100", "step": "", "missing": None}
"""In place of bounds that nobody said yet: which mechanism is best hardly depends on them."""
OPEN = "Still needed: the possible values of {}."
WEIGHT_HELP = (
    "The columns divide the budget by their weights: with 2 beside two columns of 1, this one has half of it. Which "
    "columns there are and what they hold is taken as public; how many values are missing is not shown."
)
SAME_HELP = (
    "The other columns get these quantiles, this mechanism and its options. Those without bounds are also answered in "
    "significant digits, or find their bounds, where this one does."
)


@dataclass(frozen=True, kw_only=True)
class Form:
    """What the form of a page says; a part that is missing or wrong is None."""

    table: ChosenTable | None
    """The columns that were brought, usually one."""
    data: DataSet | None
    """The column that the controls are about, with what its missing values count as."""
    bounds: Bounds | None
    levels: tuple[Fraction, ...] | None
    privacy: Privacy | None
    adjacency: Adjacency
    intervals: Intervals | None = None
    counted: bool = False
    """Whether the records that intervals rest on are counted with noise."""
    count: int | None = None
    """A public guess of how many records there are, in each group where groups are answered; of a study the number."""
    groups: GroupsAsked | None = None
    """The settings of groups; None for one answer for all."""
    is_wrong: bool = False
    """Whether a field about the column says what is wrong in it."""
    cost_is_wrong: bool = False
    """Whether the budget or that guess is no number: the fields of the last step, where a form has steps."""
    lacking: tuple[str, ...] = ()
    """Which of several columns need bounds that nobody said yet."""
    drawn: Chosen | None = None
    """The question with its plans; before a column has bounds between the usual ones. None, too, where a page studies
    several mechanisms."""
    choice: Choice | None = None
    """Where the best mechanism for one column was asked for: what was chosen, and why."""
    better: str = ""
    """The mechanism that would be chosen now, where another one is held."""
    places: Places = ONE_FORM
    later: Mapping[str, DeltaGenerator] = field(default_factory=dict, repr=False)
    """The places that are filled once the answer is drawn, by what they show."""

    @property
    def column(self) -> DataSet | None:
        """The column that the controls are about, if there is one."""
        return self.data or (self.table.column if self.table else None)

    @property
    def explored(self) -> PublicData | None:
        """The same, if it may be explored."""
        return self.data if isinstance(self.data, PublicData) else None

    @property
    def several(self) -> bool:
        """Whether several columns are asked about together."""
        return self.table is not None and not self.table.bare

    @property
    def named(self) -> DataSet | None:
        """The data that a headline names: the column, or all of several."""
        return replace(self.table.column, about=self.table.about) if self.table and self.several else self.column

    @property
    def domain(self) -> Domain | None:
        """The grid of all answers; the widest one that there can be where the bounds are to be found."""
        return self.bounds.widest if isinstance(self.bounds, FindBounds) else self.bounds

    @property
    def group_choice(self) -> Grouping | None:
        """Which groups are to be answered, where that was said."""
        return self.groups.choice if self.groups else None

    @property
    def chosen(self) -> Chosen | None:
        """The question with its plans; None while a part of it is missing or wrong."""
        return self.drawn if self.data is not None and self.bounds is not None else None

    @property
    def question(self) -> Question | None:
        """The same without plans."""
        return self.chosen.question if self.chosen else None

    @property
    def plan(self) -> Plan | None:
        """What is drawn of one column, whole or in groups."""
        return None if self.drawn is None or self.several else self.drawn.plan.first

    @made_once
    def availability(self) -> counts.Availability | None:
        """Whether the plan of one whole column can be answered; None without one."""
        return None if self.plan is None or self.groups else counts.judged(self.plan, self.column, self.domain)

    @made_once
    def cost(self) -> Schedule | ParameterError | None:
        """What a release of several steps costs, or why it cannot be answered; None where the press decides that.

        Such are those of several columns, in groups, and of bounds that are found first.
        """
        if self.chosen is None or not (self.several or self.groups or isinstance(self.bounds, FindBounds)):
            return None
        found = cost_or_refusal(self.chosen.drawn)
        return None if self.groups is None and isinstance(found, Infeasible) else found

    def why_incomplete(self, wanted: object) -> str:
        """Return what is missing or wrong above a button; empty where there are bounds and what is `wanted`."""
        if self.domain is None:
            return "First enter the range of possible values: the bounds are missing or wrong."
        return "" if wanted else "A setting needs another value first."

    def made(self, outcome: Simulated | Released | None) -> bool:
        """Return whether an outcome is of just what is asked, in every setting and word."""
        if outcome is None or self.table is None or self.chosen is None:
            return False
        made = (outcome.identity, outcome.one, outcome.chosen)
        return made == (self.table.identity, self.table.one, self.chosen)


def draw_form(places: Places = ONE_FORM) -> Form:
    """Draw the controls of the settings that a page has, and return what they say; `places`: where they are.

    A page without the setting of a mechanism studies several, also of a public shape.
    """
    table, one_mechanism = choose_data(places), links.asks("mechanism")
    data, later, several = table.column if table else None, dict[str, DeltaGenerator](), bool(table and not table.bare)
    with places.values:
        bounds = choose_bounds(data, places.person if places.in_steps else None)
        later["bounds"], later["report"] = st.container(), st.container()
    with places.question:
        levels = plan.choose_levels()
    with places.further:
        groups = choose_groups(data) if links.asks("each") else None
        asking = Asking(data, bounds, groups, len(table.columns) if table else 1)
        intervals, counted = None, False
        if links.asks("intervals", "release_intervals"):
            intervals, later["intervals"] = plan.choose_intervals(asking)
            counted = links.asks("counted") and intervals is not None and plan.choose_counting(asking)
    wrong_option, count, asks_count = False, None, False
    if text("mechanism") != BEST:
        state.let_go_of_mechanism()
    if one_mechanism:
        needs_count = (not counted and intervals is not None) or several
        with places.question, st.container(gap="xsmall"):
            wrong_option, count, asks_count = _choose_mechanism(data, groups, places, later, needs_count=needs_count)
    with places.epsilon, st.container(gap="xsmall"):
        privacy = choose_privacy(data, of_kind=places.kind)
        guesses_place = st.container()
    with places.kind:
        later["equivalents"] = st.container()
    one = data.anyone if data else one_to_come()
    with places.person:
        adjacency = choose_adjacency(one)
    if places.epsilon_first and privacy is not None:
        guesses_place.caption(guesses_in_words(privacy, adjacency, one))
    with places.values:
        data = choose_missing(data, bounds)
    table = ChosenTable.of_column(data) if data and not several else table
    form = Form(
        table=table, data=data, bounds=bounds, levels=levels, privacy=privacy, adjacency=adjacency,
        intervals=intervals, counted=counted, count=count, groups=groups, later=later, places=places,
        is_wrong=bounds is None or levels is None or wrong_option,
        cost_is_wrong=privacy is None or (asks_count and count is None),
    )  # fmt: skip
    if not one_mechanism:
        known = data.public_count if data else None
        return replace(form, count=plan.choose_count(data.many if data else "records") if known is None else known)
    with places.question:
        if table and several:
            _choose_weight(table)
        return _asked(form, is_known=levels is not None and privacy is not None and not wrong_option)


def _choose_mechanism(
    data: DataSet | None, groups: GroupsAsked | None, places: Places, later: dict[str, DeltaGenerator], *,
    needs_count: bool,
) -> tuple[bool, int | None, bool]:  # fmt: skip
    """Ask for the mechanism and for what it needs to know; `needs_count`: about how many records there are.

    Returns whether one of its options is wrong, that number, and whether it was asked for.
    """
    mechanism = fields.selectbox("mechanism", help=term("mechanism"), on_change=_let_go_of_options)
    many = data.many if data else "records"
    later["mechanisms"] = st.container()
    is_best = mechanism == BEST
    wrong_option = not is_best and not plan.choose_options(mechanism)
    asks_count = groups is not None or is_best or needs_count or places.in_steps
    with places.cost:
        if groups is not None:
            count = plan.choose_count(f"{many} in a group")
            later["forecast"] = st.container()
        elif is_best and data is None:
            count = USUAL_SIZE
        else:
            count = plan.choose_count(many, folded=not needs_count and not places.in_steps) if asks_count else None
    return wrong_option, count, asks_count


def _let_go_of_options() -> None:
    if text("mechanism") == BEST:
        said.clear_options()


def _choose_weight(table: ChosenTable) -> None:
    """Ask for the weight of the column that the form is about, and offer to ask all columns what it is asked."""
    name, others = table.column.name, [each for at, each in enumerate(table.said_of) if at != table.at]
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        fields.text_input("weight", label=f"Weight of {name}", help=WEIGHT_HELP, width=150)
        st.button(
            "Ask all columns the same", key=keys.widget("ask_the_same"), icon=":material/content_copy:",
            type="tertiary", on_click=said.ask_the_same, args=(others,), help=SAME_HELP,
        )  # fmt: skip


def _asked(form: Form, *, is_known: bool) -> Form:
    """Return the same with the question and what is drawn for it, as far as nothing is missing.

    `is_known`: whether that holds of the levels, the budget and the options.
    """
    table, is_best, several = form.table, text("mechanism") == BEST, form.several
    words = _words_of(form)
    if several:
        known = {name: each for name, each in words.items() if each["bounds"] == "known" or each["kind"] == DATE}
        lacking = [name for name, each in known.items() if not (each["lower"].strip() and each["upper"].strip())]
        form = replace(form, lacking=tuple(lacking))
    needs_count = several or is_best or (form.intervals is not None and not form.counted)
    is_known &= not form.groups or (form.group_choice is not None and form.domain is not None)
    if not is_known or (needs_count and form.count is None):
        return form
    if table and (others := [name for name in form.lacking if name != table.column.name]):
        st.caption(f":material/straighten: {escape(OPEN.format(', '.join(others)))}")
    if several and (form.lacking or form.is_wrong or form.data is None):
        return form
    decides = several or is_best or form.groups is not None or form.intervals is not None
    try:
        about = form.count if decides else None
        data = form.table.columns[0] if form.table else None
        whole = {
            **typed_table(text, str(about or ""), data, LISTS if form.groups else ()),
            "intervals": str(form.intervals.chance) if form.intervals else "none",
            "counted": NOISY if form.counted else "guess",
        }
        form = _drawn(form, parse(words, whole), is_best=is_best)
    except ParameterError as error:
        of_column = f"{error.column}: " if several and isinstance(error, WrongColumn) else ""
        complain(f"{of_column}{sentence_of(error)}")
        return form
    if several and isinstance(form.cost, ParameterError):
        complain(sentence_of(form.cost))
    return form


def _drawn(form: Form, question: Question, *, is_best: bool) -> Form:
    """Return the same with a mechanism for each column: on public data the one that is held. Raises ParameterError."""
    choice, better, read = choose(question), "", form.table.reading.asked(question) if form.table else question
    of_one = is_best and not form.several
    explored = form.explored if of_one and form.groups is None else None
    if explored:
        choice, better = keep(choice, explored)
    drawn = chosen_of(read, choice.question)
    if explored and form.intervals is None:  # how many there are is known, of others so few may leave levels out
        drawn = replace(drawn, plan=drawn.plan.each(lambda _, own: replace(own, about_n=None)))
    return replace(form, drawn=drawn, choice=choice if of_one else None, better=better)


def _words_of(form: Form) -> dict[str, Words]:
    """Return what was said of each column, on the screen or before; of one without bounds with the usual ones."""
    table = form.table
    if table is None or not form.several:
        data = form.column
        words = {**typed_column(text, data.kind if data else "number"), "weight": USUAL["weight"]}
        words |= {} if form.data is not None and form.bounds is not None else STAND_IN
        return {data.name if data else "column": words | {"unit": data.unit if data else ""}}
    return {
        data.name: {**typed_column(said.of_column(of), data.kind), "unit": data.unit}
        for data, of in zip(table.columns, table.said_of, strict=True)
    }
