"""From what was typed, as text, to what is asked of a table: plain functions, which know no control and no page.

A control calls the function of its own part, and says beside itself what is wrong. `request_of` does the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from dpq_core.advice.choice import BEST
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.domain.numbers import Number, exact_number, typed_number
from dpq_core.errors import ParameterError
from dpq_core.groups.names import names_in
from dpq_core.groups.table import MOST_GROUPS_EACH
from dpq_core.people.takes import MOST_ROWS, TAKES
from dpq_core.plan import NAMED_LEVELS, NOISY, AboutN, Intervals, OptionValue, Plan, levels_of, parse_levels
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from dpq_core.privacy.composition import GroupsPerPerson
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.groups.choice import GroupChoice, parse_guesses, parse_names
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.results.persons import PersonChoice
from dpq_core.results.tables.asked import Bounds
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.results.wording import parse_date
from dpq_core.studies.grid import even_levels
from dpq_core.studies.shapes import MOST_STUDIED
from dpq_core.studies.takes import SOME_ROWS

from ..settings import options, table
from ..settings.table import SETTINGS

UNKNOWN = ""
"""The kind of a column that is not there yet: its bounds may be numbers or dates."""
MOST_COMBINED = 100_000
"""Groups by several columns on a page."""
OF_COLUMN = (
    "bounds", "lower", "upper", "step", "digits", "negative", "smallest", "largest", "share", "quantiles", "even",
    "own", "mechanism", "missing", "column_unit",
)  # fmt: skip
OF_TABLE = (
    "budget", "epsilon", "delta", "rho", "adjacency", "intervals", "intervals_of", "hold", "counted", "take",
    "most_rows", "group_way", "group_other", "groups_each", "rows_in",
)  # fmt: skip
"""The settings that say something of one column, and of all of them."""
Said = Callable[[str], str]
"""The text of a setting by its name: `text` on a page."""


@dataclass(frozen=True, kw_only=True)
class TypedColumn:
    """What was typed of one column."""

    kind: str = "number"
    said: Mapping[str, str] = field(default_factory=dict)
    """The texts of settings, of those OF_COLUMN; where one is left out it has its default."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Those of the mechanism, by their names."""
    weight: str = "1"

    def text(self, name: str) -> str:
        """Return the text of a setting."""
        return self.said.get(name, SETTINGS[name].default)


@dataclass(frozen=True, kw_only=True)
class TypedTable:
    """What was typed of all columns."""

    said: Mapping[str, str] = field(default_factory=dict)
    """The texts of settings, of those OF_TABLE; where one is left out it has its default."""
    about: str = SETTINGS["shape_size"].default
    """About how many records there are, in each group where groups are asked."""
    person: str = ""
    """The column of ids; empty where every row is a different person."""
    one: str = "person"
    by: tuple[str, ...] = ()
    """The columns whose groups are answered; empty for one answer for all."""
    lists: tuple[str, ...] = ()
    """The groups of each of them, as a text."""
    known: tuple[tuple[str, ...], ...] = ()
    """The names in each of them, where these are public."""

    def text(self, name: str) -> str:
        """Return the text of a setting."""
        return self.said.get(name, SETTINGS[name].default)


def typed_column(said: Said, kind: str) -> TypedColumn:
    """Return the settings of a page about one column."""
    return TypedColumn(kind=kind, said={name: said(name) for name in OF_COLUMN})


def typed_table(said: Said, about: str, data: DataSet, lists: tuple[str, ...] = ()) -> TypedTable:
    """Return what the settings of a page say of all columns, of which `data` is one.

    `lists`: the settings that hold the lists of groups, where every group is answered.
    """
    by = (data.group, *(name for name, _ in data.more_groups)) if lists else ()
    names = data.groups if lists and isinstance(data, PublicData) else ()
    return TypedTable(
        said={name: said(name) for name in OF_TABLE}, about=about, person=data.person.column if data.person else "",
        one=data.anyone, by=by, lists=tuple(map(said, lists[: len(by)])),
        known=tuple(tuple(map(str, names_in(each))) for each in names),
    )  # fmt: skip


def request_of(columns: Mapping[str, TypedColumn], whole: TypedTable) -> TableRequest:
    """Return the request for the columns with these names.

    Raises ParameterError, of one column a WrongColumn.
    """
    about, privacy = count_of("about_n", whole.about.replace(",", ""), MOST_STUDIED), privacy_of(whole)
    person = person_of(whole)
    groups = groups_of(whole, person)
    guesses = {} if groups is None else guesses_of(whole, groups)
    each = sizes_of(about, guesses).for_intervals(groups)
    plans, bounds, weights, missing = {}, dict[str, Bounds](), {}, {}
    for name, typed in columns.items():
        try:
            bounds[name] = bounds_of(typed)
            plans[name] = plan_of(typed, whole, privacy, each)
            weights[name] = weight_of(typed)
            missing[name] = missing_of(typed, bounds[name], adjacency_of(whole))
        except ParameterError as error:
            raise WrongColumn(name, error) from None
    return of_parts(plans, bounds, about, weights, missing, person, groups, guesses)


class WrongColumn(ParameterError):
    """Report what cannot be used of the column `.column`."""

    def __init__(self, column: str, error: ParameterError) -> None:
        super().__init__(error.name, error.words[2:], error.remedies)
        self.column = column


def of_column(
    data: DataSet,
    bounds: Bounds,
    plan: Plan,
    about_n: int | None = None,
    groups: GroupChoice | None = None,
    guesses: Mapping[str, int] | None = None,
) -> TableRequest:
    """Return the request for one column alone, from its parts."""
    missing, weights = {data.name: data.missing}, {data.name: Fraction(1)}
    return of_parts({data.name: plan}, {data.name: bounds}, about_n, weights, missing, data.person, groups, guesses)


def of_parts(
    plans: Mapping[str, Plan],
    bounds: Mapping[str, Bounds],
    about_n: int | None,
    weights: Mapping[str, Fraction],
    missing: Mapping[str, Fraction | None],
    person: PersonChoice | None,
    groups: GroupChoice | None,
    guesses: Mapping[str, int] | None,
) -> TableRequest:
    """Return the request, from its parts by column and those of all.

    `about_n`: a guess of the records of each column, or of each group without an own one among the `guesses`.
    """
    sizes = GroupSizes() if groups is None else sizes_of(about_n, guesses or {})
    return TableRequest(
        plans=plans, bounds=bounds, weights=weights, about_n=about_n or 0, missing=missing, person=person,
        groups=groups, sizes=sizes,
    )  # fmt: skip


def sizes_of(about: int | None, guesses: Mapping[str, int]) -> GroupSizes:
    """Return about how many records groups have: some a number of their own, all others `about`."""
    return GroupSizes(about, tuple(guesses.items()))


def plan_of_whole(request: TableRequest) -> Plan:
    """Return a plan with the budget and the adjacency of the whole."""
    return next(iter(request.plans.values()))


# ── one column ───────────────────────────────────────────────────────────────────────────────────────────────────────


def bounds_of(typed: TypedColumn) -> Bounds:
    """Return the grid of all answers, or how its bounds are found. Raises ParameterError."""
    if typed.kind == "date" or typed.text("bounds") == "known":  # the days since 1970 in two digits are no dates
        ends = typed.text("lower"), typed.text("upper")
        return domain_between(*ends, typed.text("step"), typed.kind)
    negative = typed.text("negative") == "yes"
    smallest, largest = (typed_number(typed.text(name).strip(), name) for name in ("smallest", "largest"))
    if typed.text("bounds") == "digits":
        return Domain.significant(int(typed.text("digits")), smallest, largest, negative=negative)
    share = Fraction(int(typed.text("share").removesuffix(" %")), 100)
    step = typed_number(typed.text("step").strip(), "step") or None
    return FindBounds(share, smallest, largest, negative=negative, step=step)


def domain_between(lower: str, upper: str, step: str, kind: str) -> Domain:
    """Return the grid between bounds as they are typed, dates where the kind is of dates. Raises ParameterError."""
    return Domain(
        _number("lower", lower, kind), _number("upper", upper, kind), typed_number(step.strip(), "step") or None
    )


def _number(name: str, typed: str, kind: str) -> Number:
    day = parse_date(typed.strip())
    if kind not in {"date", UNKNOWN} or (kind == UNKNOWN and day is None):
        return typed_number(typed.strip(), name)
    if day is None:
        raise ParameterError(name, "must be a date such as 2024-01-31.")
    return day


def levels_of_column(typed: TypedColumn) -> tuple[Fraction, ...]:
    """Return the requested levels, at least one. Raises ParameterError."""
    named = typed.text("quantiles")
    if named in NAMED_LEVELS:
        return levels_of(named)
    if named == "even":
        return even_levels(count_of("quantiles", typed.text("even"), table.MOST_EVEN))
    levels = parse_levels(typed.text("own"))
    if not levels:
        raise ParameterError("quantiles", "must be at least one share between 0 and 1, such as 0.5 or 90%.")
    return levels


def plan_of(typed: TypedColumn, whole: TypedTable, privacy: Privacy, about: AboutN | None) -> Plan:
    """Return the plan of one column, which names the budget of the whole. Raises ParameterError."""
    intervals, mechanism = intervals_of(whole), typed.text("mechanism")
    asked = levels_of_column(typed), mechanism, privacy, adjacency_of(whole)
    chosen = {} if mechanism == BEST else options_of(mechanism, typed.options)
    return Plan(*asked, chosen, intervals, about_n_of(whole, about) if intervals else None)


def options_of(mechanism: str, typed: Mapping[str, str]) -> dict[str, OptionValue]:
    """Return the options of a mechanism from their texts. Raises ParameterError."""
    found = {}
    for name, chosen in typed.items():
        option = options.option_of(f"{mechanism}.{name}")
        if option is None:
            raise ParameterError(name, f"must be left out: {mechanism} has no such option.")
        found[name] = options.checked_option(option, chosen)
    return found


def weight_of(typed: TypedColumn) -> Fraction:
    """Return the part of the budget of one column, beside those of others. Raises ParameterError."""
    weight = exact_number(typed_number(typed.weight, "weights"), "weights")
    if weight <= 0:
        raise ParameterError("weights", "must be a number above 0.")
    return weight


def missing_of(typed: TypedColumn, bounds: Bounds, adjacency: Adjacency) -> Fraction | None:
    """Return what a missing value counts as where the number of records is public, so that none may be left out.

    None leaves it out, where the number is private. Without a word on it this is the lowest value, or 0 where nobody
    said bounds and not 10^15 below it: missing values must not decide how far bounds reach. Raises ParameterError.
    """
    if adjacency is not Adjacency.SUBSTITUTE:
        return None
    if chosen := typed.text("missing").strip():
        return exact_number(typed_number(chosen, "missing"), "missing")
    return bounds.lower if isinstance(bounds, Domain) and bounds.has_even_steps else Fraction(0)


# ── all columns ──────────────────────────────────────────────────────────────────────────────────────────────────────


def adjacency_of(whole: TypedTable) -> Adjacency:
    """Return what one record can change."""
    return Adjacency(whole.text("adjacency"))


def privacy_of(whole: TypedTable) -> Privacy:
    """Return the budget. Raises ParameterError."""
    match whole.text("budget"):
        case "pure":
            return PureDP(amount_of("epsilon", whole.text("epsilon")))
        case "concentrated":
            return ZCDP(amount_of("rho", whole.text("rho")))
        case _:
            return ApproxDP(amount_of("epsilon", whole.text("epsilon")), amount_of("delta", whole.text("delta")))


def amount_of(name: str, typed: str) -> float:
    """Return an amount of privacy, with a decimal point or comma. Raises ParameterError."""
    try:
        return float(typed.replace(",", "."))
    except ValueError:
        raise ParameterError(name, f"must be a number such as {'1e-6' if name == 'delta' else '0.5'}.") from None


def intervals_of(whole: TypedTable) -> Intervals | None:
    """Return the intervals around the answers; None where none are requested."""
    chance = whole.text("intervals")
    if chance == table.INTERVALS[0]:
        return None
    of_all, together = whole.text("intervals_of") == "population", whole.text("hold") == table.HOLD[1]
    return Intervals(float(chance), "population" if of_all else "data", together=together)


def about_n_of(whole: TypedTable, about: AboutN | None) -> AboutN | None:
    """Return the number of records that intervals rest on: the guess, or that they are counted with noise."""
    public = adjacency_of(whole) is Adjacency.SUBSTITUTE and not whole.by
    return NOISY if whole.text("counted") == NOISY and not public else about


def count_of(name: str, typed: str, most: int) -> int:
    """Return a whole number from 1 on. Raises ParameterError."""
    try:
        found = int(typed)
    except ValueError:
        found = 0
    if not 1 <= found <= most:
        raise ParameterError(name, f"must be a whole number from 1 to {most:,}.")
    return found


def person_of(whole: TypedTable) -> PersonChoice | None:
    """Return who has several rows, and what counts of each; None where nobody has. Raises ParameterError."""
    if not whole.person:
        return None
    if whole.text("take") == SOME_ROWS:
        most = count_of("most_rows", whole.text("most_rows"), MOST_ROWS)
        return PersonChoice(whole.person, whole.one, most_rows=most)
    return PersonChoice(whole.person, whole.one, take=next(take for take in TAKES if take == whole.text("take")))


def groups_of(whole: TypedTable, person: PersonChoice | None) -> GroupChoice | None:
    """Return which groups are answered; None for one answer for all. Raises ParameterError."""
    if not whole.by:
        return None
    way, other = whole.text("group_way"), ""
    lists: list[tuple[str, ...] | None] = [None] * len(whole.by)
    if way == "list":
        other = whole.text("group_other").strip() if len(whole.by) == 1 else ""
        lists = [parse_names(typed, other) for typed in whole.lists]
    elif way == "data":
        lists = list(whole.known)
    each: GroupsPerPerson = 1
    if person is not None and person.most_rows is not None and whole.text("rows_in") == table.ROWS_IN[1]:
        each = "any"
    elif person is not None and not person.shares:
        each = count_of("groups_per_person", whole.text("groups_each"), MOST_GROUPS_EACH)
    return group_choice(whole.by, lists, other, each)


def group_choice(
    by: tuple[str, ...], lists: list[tuple[str, ...] | None], other: str, each: GroupsPerPerson
) -> GroupChoice:
    """Return the groups by these columns, with the list of each; None is one to be found. Raises ParameterError."""
    combined = prod(len(names or ()) for names in lists)
    if combined > MOST_COMBINED:
        raise ParameterError(
            "names", f"must be shorter: these are {combined:,} combinations, and a page answers {MOST_COMBINED:,}."
        )
    return GroupChoice(by[0], lists[0], other, each, tuple(zip(by[1:], lists[1:], strict=True)))


def guesses_of(whole: TypedTable, groups: GroupChoice) -> dict[str, int]:
    """Return the number of records of some groups, from the guesses after the names of one list."""
    listed = whole.text("group_way") == "list" and not groups.more
    return parse_guesses(whole.lists[0]) if listed else {}
