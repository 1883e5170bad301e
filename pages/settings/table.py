"""Every setting of every page as plain text: one table for defaults, links and the widgets' keys.

What pages share, such as the data and the budget, has one value for all of them, whichever page it was chosen on.
`links` puts them into the address bar and reads them from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dpq_core.advice.choice import BEST
from dpq_core.audit.broken import BROKEN
from dpq_core.audit.variants import MOST_CELLS
from dpq_core.groups.table import MOST_GROUPS_EACH
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.papers.figures import FIGURES
from dpq_core.people.takes import MOST_ROWS
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, PureDP
from dpq_core.results.groups.choice import parse_names
from dpq_core.results.outcomes import DRAWS
from dpq_core.results.persons import offered_takes
from dpq_core.sources.examples import EXAMPLES, Example
from dpq_core.studies.break_it import BREAK_IT
from dpq_core.studies.shapes import MOST_STUDIED
from dpq_core.studies.streams.feeds import PATTERNS

from .. import keys
from ..lessons.controls import CONTROLS, LESSONS
from . import check

OPTION = keys.OPTION
MOST_EVEN = 2000
"""As many evenly spaced quantiles can be asked for on the page."""
MOST_VALUES = 10_000
"""As many values a synthetic column can have on the page."""
MOST_SEEDS = 1_000_000
"""Of simulations that a link can repeat, which are always of public examples."""
FIRST_SEED = 1
"""Of the simulation with which Quantiles and Inside open."""
OF_A_DRAW = ("seed", "column_seed", "run_number", "run_step")
"""Which simulation of an example is shown, which run and step of it: in no link to other data, never of a release."""
TABS = ("Quantiles", "Synthetic column")
"""The two kinds of answer; their tabs say just that."""
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
ROWS_IN = ("each", "all")
"""Where the most rows of a person hold: in each group, or in all groups together."""
BUDGETS = ("pure", "approximate", "concentrated")
INTERVALS, INTERVALS_OF = ("none", "0.9", "0.95", "0.99"), ("data", "population")
HOLD = ("each", "together")
"""With which chance an interval around each answer holds the true quantile, and of what."""
COUNTED = ("guess", "noisy")
SOURCES = ("file", "paste")
"""Where an own column may come from."""
BOUNDS = ("known", "digits", "find")
"""How the grid of all answers is defined: by its bounds, by significant digits, or by bounds found with the budget."""
SHARES = ("5 %", "10 %", "20 %", "30 %")
DIGITS = ("2", "3")
TABLES = (("adult-age-full", "adult-hours"),)
"""Examples that are columns of one table."""
STREAMS = ("made", "data", "server")
"""What streams in: made-up records, the column of an example or an own one, a file on the server."""
STREAMED = ("column", "table")
"""What is read of files on the server, where there is a cluster."""
LENGTHS = ("10000", "100000", "300000", "1000000", "3000000", "10000000")
ALPHAS = ("0.00001", "0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03", "0.1")
BATCHES = ("1000", "10000", "100000", "1000000")
WHERE = ("here", "cluster")
"""Where a file on the server is read."""
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
WRITTEN = ("numbers", "dates")
"""How a report writes the values of a stored answer."""
EVERY = "all"
MEASURES = ("mean", "max")
MOST_RECORDS = 2**53
"""As the bound on a stream's length may be at most."""
_NUMBERS = keys.state("numbers_of_room")


def key(name: str) -> str:
    """Return the session key of a setting's widget."""
    return keys.setting(name)


def examples() -> dict[str, Example]:
    """Return the examples of this session, by their keys: everyone's, and the numbers of the room that it is in."""
    numbers = st.session_state.get(_NUMBERS)
    return EXAMPLES if numbers is None else {numbers.key: numbers, **EXAMPLES}


def take_numbers(numbers: Example | None) -> None:
    """Take the numbers of a room, where it has some, as an example of this session."""
    if numbers is not None:
        st.session_state[_NUMBERS] = numbers


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
    "lower": Setting("Lowest", "", check.bound),
    "upper": Setting("Highest", "", check.bound),
    "step": Setting("Step", "", check.bound),
    "bounds": Setting("Bounds", BOUNDS[0], check.one_of(*BOUNDS)),
    "digits": Setting("Digits", "2", check.one_of(*DIGITS)),
    "smallest": Setting("Smallest above 0", "1e-6", check.end),
    "largest": Setting("Largest", "1e15", check.end),
    "share": Setting("Of the budget", "10 %", check.one_of(*SHARES)),
    "negative": Setting("Negative values", "yes", check.one_of("yes", "no")),
    "column_unit": Setting("Unit", "", check.word),
    "one": Setting("One row is a", "person", check.word),
    "person": Setting("Who is one person?", PERSONS[0], check.one_of(*PERSONS)),
    "take": Setting("How to combine a person’s rows", offered_takes()[0], check.one_of(*offered_takes())),
    "most_rows": Setting("Maximum number of rows", "5", check.count(MOST_ROWS)),
    "quantiles": Setting("Quantiles", "deciles", check.one_of(*PRESETS)),
    "each": Setting("For each …", EACH[0], check.one_of(*EACH)),
    "group_way": Setting("Which groups", GROUP_WAYS[0], check.one_of(*GROUP_WAYS)),
    "group_names": Setting("List of groups", "", check.or_empty(parse_names)),
    "more_names": Setting("List of groups", "", check.or_empty(parse_names)),
    "group_other": Setting("Pool others as", "", check.name),
    "groups_each": Setting("Maximum groups per person", "1", check.count(MOST_GROUPS_EACH)),
    "rows_in": Setting("The maximum number of rows applies", ROWS_IN[0], check.one_of(*ROWS_IN)),
    "even": Setting("How many", "9", check.count(MOST_EVEN)),
    "own": Setting("Shares", "0.5, 1/3, 90%", check.levels),
    "mechanism": Setting("Mechanism", BEST, check.one_of(BEST, *MECHANISMS)),
    "budget": Setting("Budget", "pure", check.one_of(*BUDGETS)),
    "epsilon": Setting("Privacy loss ε", "1", lambda text: PureDP(float(text))),
    "delta": Setting("Small probability δ", "1e-6", lambda text: ApproxDP(1.0, float(text))),
    "rho": Setting("Privacy loss ρ", "0.5", lambda text: ZCDP(float(text))),
    "intervals": Setting("Intervals", INTERVALS[0], check.one_of(*INTERVALS)),
    "release_intervals": Setting("Intervals", INTERVALS[2], check.one_of(*INTERVALS)),
    "intervals_of": Setting("Intervals for", INTERVALS_OF[0], check.one_of(*INTERVALS_OF)),
    "hold": Setting("Intervals hold", HOLD[0], check.one_of(*HOLD)),
    "counted": Setting("How many are there?", COUNTED[0], check.one_of(*COUNTED)),
    "adjacency": Setting("Protects", Adjacency.ADD_REMOVE.value, Adjacency),
    "missing": Setting("Missing values count as", "", check.bound),
    "show": Setting("The open tab", TABS[0], check.one_of(*TABS)),
    "size": Setting("How many values", "1000", check.count(MOST_VALUES)),
    "lesson": Setting("Lesson", next(iter(LESSONS)), check.one_of(*LESSONS)),
    "learn_seed": Setting("The seed", "1", check.count(MOST_SEEDS)),
    **{
        name: Setting(control.label, control.default, check.one_of(*control.options))
        for name, control in CONTROLS.items()
    },
    "seed": Setting("The seed", str(FIRST_SEED), check.count(MOST_SEEDS)),
    "column_seed": Setting("The seed of the column", "", check.or_empty(check.count(MOST_SEEDS))),
    "run_number": Setting("Run of the seed", "1", check.count(DRAWS)),
    "run_step": Setting("Step of the run", "", check.or_empty(check.count(MOST_STEPS))),
    "splits": Setting("Splitting in halves", SPLITS[0], check.one_of(*SPLITS)),
    "look": Setting("The open tab", INSIDE_TABS[0], check.one_of(*INSIDE_TABS)),
    "tiny_show": Setting("Show me", SOUND, check.one_of(SOUND, *BROKEN)),
    "tiny_state": Setting("Variant", TINY_STATES[0], check.one_of(*TINY_STATES)),
    "tiny_mechanism": Setting("Mechanism", "aq", check.one_of(*MECHANISMS)),
    **{f"tiny_{name}": setting for name, setting in TINY_OWN.items()},
    "shape_size": Setting("About how many people", "1000", check.count(MOST_STUDIED)),
    "trials": Setting("Simulated runs", TRIALS[0], check.one_of(*TRIALS)),
    "trouble": Setting("Compare on", NO_TROUBLE, check.one_of(NO_TROUBLE, *BREAK_IT)),
    "sweep": Setting("Over", SWEEPS[0], check.one_of(*SWEEPS)),
    "swept": Setting("Mechanism", EVERY, check.one_of(EVERY, *MECHANISMS)),
    "measure": Setting("Rank error", MEASURES[0], check.one_of(*MEASURES)),
    "stream": Setting("What streams in", STREAMS[0], check.one_of(*STREAMS)),
    "stream_what": Setting("What is read", STREAMED[0], check.one_of(*STREAMED)),
    "pattern": Setting("Order and shape", "uniform", check.one_of(*PATTERNS)),
    "length": Setting("Records", "100000", check.one_of(*LENGTHS)),
    "stream_lower": Setting("Lowest", "", check.bound),
    "stream_upper": Setting("Highest", "", check.bound),
    "stream_step": Setting("Step", "", check.bound),
    "stream_quantiles": Setting("Quantiles", PRESETS[0], check.one_of(*PRESETS[:4])),
    "alpha": Setting("Coarseness α", "0.001", check.one_of(*ALPHAS)),
    "n_max": Setting("Maximum number of records", "", check.or_empty(check.count(MOST_RECORDS))),
    "batch": Setting("Batch", "1000", check.one_of(*BATCHES)),
    "where": Setting("Read it on", WHERE[0], check.one_of(*WHERE)),
    "answer": Setting("Answer", "", check.answer),
    "title": Setting("What the values are", "", check.word),
    "unit": Setting("Unit", "", check.word),
    "records": Setting("How many people, about?", "1000", check.count(MOST_STUDIED)),
    "written": Setting("Values are", WRITTEN[0], check.one_of(*WRITTEN)),
    "figure": Setting("Figure or table", next(iter(FIGURES)), check.one_of(*FIGURES)),
}
"""In the order of the pages. Bounds and step left empty in a link are those of the example."""
keys.settings(SETTINGS)

DATA = ("data", "bounds", "lower", "upper", "step", "digits", "smallest", "largest", "negative", "share", "missing")
IN_NO_LINK = (
    "column_unit",
    "one",
    "more_names",
    "stream_lower",
    "stream_upper",
    "stream_step",
)
"""What is only ever said of an own column or of a file on the server, which no link names."""
PEOPLE = ("person", "take", "most_rows")
"""What is one person, and what counts of each: in every link to a page that asks, which never has an id."""
GROUPS = ("each", "group_way", "group_names", "group_other", "groups_each", "rows_in")
"""Which groups are answered. The settings about groups of an own column are in no link."""
PLAN = ("quantiles", "even", "own", "mechanism", "budget", "epsilon", "delta", "rho", "adjacency")
STUDY = (*(name for name in PLAN if name != "mechanism"), "shape_size", "trials")
"""What a study of several mechanisms asks for besides its data."""
BUDGET = ("budget", "epsilon", "delta", "rho")
STREAM = (
    "stream", "stream_what", "pattern", "length", "stream_quantiles", "alpha", "n_max", "batch", "where",
)  # fmt: skip
TINY = ("tiny_show", "tiny_state", "tiny_mechanism", *(f"tiny_{name}" for name in TINY_OWN))
"""The settings of the microscope. Its people are made up, so a link may hold them."""
ENDS = ("intervals", "release_intervals", "intervals_of", "hold", "counted")
PAGES: dict[str, tuple[str, ...]] = {
    "quantiles": (*DATA, "more", *PEOPLE, *PLAN, *GROUPS, *ENDS, "shape_size", "show", "size", "seed", "column_seed"),
    "learn": ("lesson", "learn_seed", *CONTROLS),
    "inside": (*DATA, *PEOPLE, *GROUPS, *PLAN, "shape_size", "splits", "seed", "run_number", "run_step", "look", *TINY),
    "compare": (*DATA, *PEOPLE, *STUDY, "intervals", "intervals_of", "hold", "trouble"),
    "tradeoff": (*DATA, *PEOPLE, *STUDY, "sweep", "swept", "measure"),
    "stream": (*DATA, *BUDGET, *STREAM),
    "budget": (),  # which data set is looked at is in no link: its name may be that of a file
    "report": ("answer", "title", "unit", "written", "records"),
    "papers": ("figure",),
    "room": (),
}
"""The settings that each page has, and so its link."""


def text(name: str) -> str:
    """Return a setting's present text; its default where its widget has nothing."""
    value = st.session_state.get(key(name))
    return SETTINGS[name].default if value is None else str(value)


def others_of(example: str) -> tuple[str, ...]:
    """Return the examples that are columns of the same table."""
    return tuple(name for table in TABLES if example in table for name in table if name != example)


def with_example_bounds(values: dict[str, str]) -> dict[str, str]:
    """Return the same settings, with the example's bounds in the place of empty ones."""
    example = examples().get(values.get("data", ""))
    if example is None or "lower" not in values:
        return values
    public = {"lower": str(example.lower), "upper": str(example.upper), "step": str(example.step)}
    return values | {name: values[name] or bound for name, bound in public.items()}
