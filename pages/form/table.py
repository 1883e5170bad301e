"""Every setting of every page as plain text: one table for defaults, links and the widgets' keys.

What pages share, such as the data and the budget, has one value for all of them, whichever page it was chosen on.
`links` puts them into the address bar and reads them from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from dpq_core.arrays import Floats
from dpq_core.audit.broken import BROKEN
from dpq_core.audit.variants import MOST_CELLS
from dpq_core.domain.domain import Domain
from dpq_core.groups.table import MOST_GROUPS_EACH
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.mode import releases_only
from dpq_core.papers.figures import FIGURES
from dpq_core.people.takes import MOST_ROWS
from dpq_core.plan import BEST
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, PureDP
from dpq_core.results.outcomes import DRAWS
from dpq_core.results.persons import offered_takes
from dpq_core.sources.examples import EXAMPLES, Example
from dpq_core.studies.design import BREAK_IT
from dpq_core.studies.shapes import MOST_STUDIED, USUAL_SIZE, values_of
from dpq_core.studies.streams.feeds import PATTERNS
from dpq_core.typed import CHOICES, MOST_EVEN, READ_WHERE, USUAL, parse_names

from .. import keys
from ..learn.controls import LESSONS
from . import check

OPTION = keys.OPTION
MOST_SEEDS = 1_000_000
"""Of simulations that a link can repeat, which are always of public examples."""
FIRST_SEED = 1
"""Of the simulation with which Explore and Inside open."""
OF_A_DRAW = ("seed", "run_number", "run_step")
"""Which simulation of an example is shown, which run and step of it: in no link to other data, never of a release."""
INSIDE_TABS = ("One run", "Microscope")
"""Of the Inside page."""
SPLITS = ("one", "drawn")
"""How Inside shows splitting in halves: one quantile a draw, or as the mechanism draws it."""
MOST_STEPS = 500
"""Quantiles of a run that can be looked into: each keeps the distribution of its draw, up to 200 pieces."""
PRESETS = ("median", "quartiles", "deciles", "percentiles", "even", "own")
PERSONS = ("row", "same")
"""Who is one person: every row is a different person, or all rows with the same id are one."""
EACH = ("all", "group")
"""One answer for all, or one for every group of a column."""
GROUP_WAYS = ("data", "list", "found")
"""Which groups: those in the data where these are public, a list, or found with a part of the budget."""
ROWS_IN = CHOICES["rows_in"]
"""Where the most rows of a person hold: in each group, or in all groups together."""
BUDGETS = CHOICES["budget"]
INTERVALS, INTERVALS_OF, HOLD = ("none", "0.9", "0.95", "0.99"), CHOICES["intervals_of"], CHOICES["hold"]
"""With which chance an interval around each answer holds the true quantile, and of what."""
COUNTED = CHOICES["counted"]
SOURCES = ("file", "paste")
"""Where an own column may come from."""
SEALS = "release"
"""The page that seals what is brought to it, and shows nothing of it."""
PLANNED = ("compare", "tradeoff")
"""Pages that study mechanisms. They need no column, because they can study a public shape between the bounds."""
BOUNDS = CHOICES["bounds"]
"""How the grid of all answers is defined: by its bounds, by significant digits, or by bounds found with the budget."""
SHARES = ("5 %", "10 %", "20 %", "30 %")
DIGITS = ("2", "3")
TABLES = (("adult-age-full", "adult-hours"),)
"""Examples that are columns of one table."""
STREAMS = ("made", "data", "server")
"""What streams in: made-up records, the column of an example or an own one, a file on the server."""
LENGTHS = ("10000", "100000", "300000", "1000000", "3000000", "10000000")
MOST_STREAMED = tuple(str(10**power) for power in range(4, 13))
"""Public bounds on the number of records, where only reading tells it."""
ALPHAS = ("0.00001", "0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03", "0.1")
SOUND = "sound"
TINY_STATES = ("broken", "fixed")
"""What the microscope shows of a broken variant."""
TINY_CHANGES = ("joins", "leaves", "is replaced")
"""What one person can do there."""
TINY_QUANTILES = ("1/2", "1/4", "9/10", "1/4, 3/4", "1/3, 2/3", "1/2, 3/4", "1/4, 1/2, 3/4")
NO_TROUBLE = "none"
"""Of the sets that are hard for mechanisms: none of them, but the chosen data."""
TRIALS = ("100", "300", "1000")
"""How many runs of a study can be asked for."""
SWEEPS = ("epsilon", "rho", "records", "levels", "width", "alpha")
"""How a report writes the values of a stored answer."""
MEASURES = ("mean", "max")
_NUMBERS = keys.state("numbers_of_room")


def key(name: str) -> str:
    """Return the session key of a setting's widget."""
    return keys.setting(name)


def examples() -> dict[str, Example]:
    """Return the examples of this session, by their keys: everyone's, and the numbers of the room that it is in."""
    numbers = st.session_state.get(_NUMBERS)
    of_room = {} if numbers is None else {numbers.key: numbers}
    return {**of_room, **EXAMPLES, MADE_UP: MADE_UP_VALUES}


def _made_up() -> Floats:
    """Return values that are spread evenly between the bounds on the screen, as many as are guessed."""
    try:
        domain, many = Domain(text("lower"), text("upper")), min(int(text("shape_size")), MOST_MADE_UP)
    except ValueError:
        domain, many = Domain(MADE_UP_VALUES.lower, MADE_UP_VALUES.upper), USUAL_SIZE
    return values_of("reference", max(many, 1), FIRST_SEED, domain)


MADE_UP, MOST_MADE_UP = "made-up", 100_000
MADE_UP_VALUES = Example(
    MADE_UP, "Made-up values", unit="", lower="0", upper="100", step="1", one_row="record", many_rows="records",
    source="made up: spread evenly between the bounds, from a fixed seed", licence="CC0 1.0", read=_made_up,
)  # fmt: skip
"""The example that has any bounds: a question about own data can be tried on it."""


def take_numbers(numbers: Example | None) -> None:
    """Take the numbers of a room, where it has some, as an example of this session."""
    if numbers is not None:
        st.session_state[_NUMBERS] = numbers


def data_choices(page: str) -> tuple[str, ...]:
    """Return what the data of a page may be: what is brought to Release, elsewhere examples and what is public.

    Where nobody may declare data public, a page that plans still offers a column between bounds that are known.
    """
    if page == SEALS:
        return SOURCES
    own = SOURCES if page in PLANNED or not releases_only() else ()
    return (*own, *examples())


def defaults_of(page: str) -> dict[str, str]:
    """Return the settings of a page with their defaults; Release has no example."""
    usual = {name: SETTINGS[name].default for name in PAGES[page]}
    return usual | {"data": SOURCES[0]} if page == SEALS else usual


def _known_data(text: str) -> object:
    return [*examples(), *SOURCES].index(text)


@dataclass(frozen=True)
class Setting:
    """One setting: what its widget is called, its default text, and a check that raises ValueError for a wrong one."""

    label: str
    default: str
    check: Callable[[str], object]


TINY_OWN: dict[str, Setting] = {
    "values": Setting("People’s values", "", check.grid_indices),
    "highest": Setting("Highest possible value", "", check.or_empty(check.count(MOST_CELLS - 1))),
    "change": Setting("One person", "", check.or_empty(check.one_of(*TINY_CHANGES))),
    "leaving": Setting("Leaves", "", check.or_empty(check.grid_index)),
    "joining": Setting("Joins with", "", check.or_empty(check.grid_index)),
    "quantiles": Setting("Quantiles", "", check.or_empty(check.one_of(*TINY_QUANTILES))),
    "epsilon": Setting("Privacy loss ε", "", check.or_empty(lambda text: PureDP(float(text)))),
    "rho": Setting("Privacy loss ρ", "", check.or_empty(lambda text: ZCDP(float(text)))),
}
"""The fields that every view of the microscope keeps for itself."""

SETTINGS: dict[str, Setting] = {
    "data": Setting("Data", "adult-age", _known_data),
    "more": Setting("More columns", "", check.or_empty(check.one_of(*EXAMPLES))),
    "column": Setting("Column", "", check.or_empty(check.one_of(*EXAMPLES))),
    "lower": Setting("Lowest", USUAL["lower"], check.bound),
    "upper": Setting("Highest", USUAL["upper"], check.bound),
    "step": Setting("Step", USUAL["step"], check.bound),
    "bounds": Setting("Bounds", USUAL["bounds"], check.one_of(*BOUNDS)),
    "digits": Setting("Digits", USUAL["digits"], check.one_of(*DIGITS)),
    "smallest": Setting("Smallest above 0", USUAL["smallest"], check.end),
    "largest": Setting("Largest", USUAL["largest"], check.end),
    "share": Setting("Of the budget", USUAL["share"], check.one_of(*SHARES)),
    "negative": Setting("Negative values", USUAL["negative"], check.one_of("yes", "no")),
    "column_unit": Setting("Unit", "", check.word),
    "one": Setting("One row is a", "person", check.word),
    "person": Setting("Who is one person?", PERSONS[0], check.one_of(*PERSONS)),
    "per_person": Setting("How to combine a person’s rows", USUAL["per_person"], check.one_of(*offered_takes())),
    "max_rows_per_person": Setting("Maximum number of rows", USUAL["max_rows_per_person"], check.count(MOST_ROWS)),
    "quantiles": Setting("Quantiles", USUAL["quantiles"], check.one_of(*PRESETS)),
    "each": Setting("For each …", EACH[0], check.one_of(*EACH)),
    "group_way": Setting("Which groups", GROUP_WAYS[0], check.one_of(*GROUP_WAYS)),
    "group_names": Setting("List of groups", "", check.or_empty(parse_names)),
    "more_names": Setting("List of groups", "", check.or_empty(parse_names)),
    "group_other": Setting("Pool others as", "", check.name),
    "groups_each": Setting("Maximum groups per person", USUAL["groups_each"], check.count(MOST_GROUPS_EACH)),
    "rows_in": Setting("The maximum number of rows applies", USUAL["rows_in"], check.one_of(*ROWS_IN)),
    "even": Setting("How many", USUAL["even"], check.count(MOST_EVEN)),
    "own": Setting("Shares", USUAL["own"], check.levels),
    "mechanism": Setting("Mechanism", USUAL["mechanism"], check.one_of(BEST, *MECHANISMS)),
    "weight": Setting("Weight", USUAL["weight"], check.end),
    "budget": Setting("Budget", USUAL["budget"], check.one_of(*BUDGETS)),
    "epsilon": Setting("Privacy loss ε", USUAL["epsilon"], lambda text: PureDP(float(text))),
    "delta": Setting("Small probability δ", USUAL["delta"], lambda text: ApproxDP(1.0, float(text))),
    "rho": Setting("Privacy loss ρ", USUAL["rho"], lambda text: ZCDP(float(text))),
    "intervals": Setting("Intervals", USUAL["intervals"], check.one_of(*INTERVALS)),
    "release_intervals": Setting("Intervals", INTERVALS[2], check.one_of(*INTERVALS)),
    "intervals_of": Setting("Intervals for", USUAL["intervals_of"], check.one_of(*INTERVALS_OF)),
    "hold": Setting("Intervals hold", USUAL["hold"], check.one_of(*HOLD)),
    "counted": Setting("How many are there?", USUAL["counted"], check.one_of(*COUNTED)),
    "adjacency": Setting("Protects", USUAL["adjacency"], Adjacency),
    "missing": Setting("Missing values count as", "", check.bound),
    "lesson": Setting("Lesson", next(iter(LESSONS)), check.one_of(*LESSONS)),
    "learn_seed": Setting("The seed", "1", check.count(MOST_SEEDS)),
    **{
        control.setting: Setting(control.label, control.default, check.one_of(*control.options))
        for control in LESSONS.values()
    },
    "seed": Setting("The seed", str(FIRST_SEED), check.count(MOST_SEEDS)),
    "run_number": Setting("Run of the seed", "1", check.count(DRAWS)),
    "run_step": Setting("Step of the run", "", check.or_empty(check.count(MOST_STEPS))),
    "splits": Setting("How splitting works", SPLITS[0], check.one_of(*SPLITS)),
    "look": Setting("The open tab", INSIDE_TABS[0], check.one_of(*INSIDE_TABS)),
    "tiny_show": Setting("Show me", SOUND, check.one_of(SOUND, *BROKEN)),
    "tiny_state": Setting("Variant", TINY_STATES[0], check.one_of(*TINY_STATES)),
    "tiny_mechanism": Setting("Mechanism", "aq", check.one_of(*MECHANISMS)),
    **{f"tiny_{name}": setting for name, setting in TINY_OWN.items()},
    "shape_size": Setting("About how many people", "1000", check.count(MOST_STUDIED)),
    "trials": Setting("Simulated runs", TRIALS[0], check.one_of(*TRIALS)),
    "trouble": Setting("Compare on", NO_TROUBLE, check.one_of(NO_TROUBLE, *BREAK_IT)),
    "sweep": Setting("Over", SWEEPS[0], check.one_of(*SWEEPS)),
    "marked": Setting("Mechanism in colour", BEST, check.one_of(BEST, *MECHANISMS)),
    "wanted": Setting("Error you accept", "5", check.count(MOST_STUDIED)),
    "measure": Setting("Rank error", MEASURES[0], check.one_of(*MEASURES)),
    "stream": Setting("What streams in", STREAMS[0], check.one_of(*STREAMS)),
    "pattern": Setting("Order and shape", "uniform", check.one_of(*PATTERNS)),
    "length": Setting("Records", "100000", check.one_of(*LENGTHS)),
    "stream_quantiles": Setting("Quantiles", PRESETS[0], check.one_of(*PRESETS[:4])),
    "alpha": Setting("Coarseness α", "0.001", check.one_of(*ALPHAS)),
    "n_max": Setting("Maximum number of records", "10000000", check.one_of(*MOST_STREAMED)),
    "answer": Setting("Release", "", check.answer),
    "title": Setting("Label of the column", "", check.name),
    "unit": Setting("Unit", "", check.word),
    "records": Setting("How many people, about?", "1000", check.count(MOST_STUDIED)),
    "figure": Setting("Figure or table", next(iter(FIGURES)), check.one_of(*FIGURES)),
}
"""In the order of the pages. Bounds and step left empty in a link are those of the example."""
keys.settings(SETTINGS)

DATA = ("data", "bounds", "lower", "upper", "step", "digits", "smallest", "largest", "negative", "share", "missing")
SEVERAL = ("more", "column", "weight")
"""Of several columns of an example: the other one, which of them the settings of a column are about, and its weight."""
IN_NO_LINK = ("column_unit", "one", "more_names")
"""What is only ever said of an own column or of a file on the server, which no link names."""
PEOPLE = ("person", "per_person", "max_rows_per_person")
"""What is one person, and what counts of each: in every link to a page that asks, which never has an id."""
GROUPS = ("each", "group_way", "group_names", "group_other", "groups_each", "rows_in")
"""Which groups are answered. The settings about groups of an own column are in no link."""
PLAN = ("quantiles", "even", "own", "mechanism", "budget", "epsilon", "delta", "rho", "adjacency")
STUDY = (*(name for name in PLAN if name != "mechanism"), "shape_size", "trials")
"""What a study of several mechanisms asks for besides its data."""
BUDGET = ("budget", "epsilon", "delta", "rho")
STREAM = ("stream", "pattern", "length", "stream_quantiles", "alpha", "n_max")
TINY = ("tiny_show", "tiny_state", "tiny_mechanism", *(f"tiny_{name}" for name in TINY_OWN))
"""The settings of the microscope. Its people are made up, so a link may hold them."""
ENDS = ("intervals_of", "hold", "counted")
PAGES: dict[str, tuple[str, ...]] = {
    "explore": (*DATA, *SEVERAL, *PEOPLE, *PLAN, *GROUPS, "intervals", *ENDS, "shape_size", "seed"),
    "release": (*DATA, "weight", *PEOPLE, *PLAN, *GROUPS, "release_intervals", *ENDS, "shape_size", "answer"),
    "learn": ("lesson", "learn_seed", *(control.setting for control in LESSONS.values())),
    "inside": (*DATA, *PEOPLE, *GROUPS, *PLAN, "shape_size", "splits", "seed", "run_number", "run_step", "look", *TINY),
    "compare": (*DATA, *PEOPLE, *STUDY, "intervals", "intervals_of", "hold", "trouble", "marked"),
    "tradeoff": (*DATA, *PEOPLE, *STUDY, "sweep", "marked", "measure", "wanted"),
    "stream": (*DATA, *BUDGET, *STREAM),
    "releases": ("answer", "title", "unit", "records"),  # no data set: its name may be that of a file
    "papers": ("figure",),
    "room": (),
}
"""The settings that each page has, and so its link."""


COUNTS_WHERE = {
    **READ_WHERE,
    "per_person": ("person", PERSONS[1:]),
    **dict.fromkeys(("group_way", "groups_each"), ("each", EACH[1:])),
    **dict.fromkeys(("group_names", "group_other"), ("group_way", GROUP_WAYS[1:2])),
    **dict.fromkeys(("column", "weight"), ("more", tuple(EXAMPLES))),
}
"""The settings that count only where another one has one of these values."""


def counts(name: str) -> bool:
    """Return whether a setting says anything, beside what is chosen for the others."""
    other, values = COUNTS_WHERE.get(name, ("", ()))
    return not other or (text(other) in values and counts(other))


def text(name: str) -> str:
    """Return a setting's present text; its default where its widget has nothing."""
    value = st.session_state.get(key(name))
    return SETTINGS[name].default if value is None else str(value)


def others_of(example: str) -> tuple[str, ...]:
    """Return the examples that are columns of the same table."""
    return tuple(name for table in TABLES if example in table for name in table if name != example)


def looked_at(values: Mapping[str, str]) -> str:
    """Return the data that the settings of a column are about: of two columns of an example, one of these."""
    data, column = values.get("data", ""), values.get("column", "")
    return column if values.get("more") and column in others_of(data) else data


def with_example_bounds(values: dict[str, str]) -> dict[str, str]:
    """Return the same settings, with the example's bounds in the place of empty ones."""
    example = examples().get(looked_at(values))
    if example is None or "lower" not in values:
        return values
    public = {"lower": str(example.lower), "upper": str(example.upper), "step": str(example.step)}
    return values | {name: values[name] or bound for name, bound in public.items()}
