"""Every setting of every page as plain text: one table for defaults, links and the widgets' keys.

What pages share, such as the data and the budget, has one value for all of them, whichever page it was chosen on.
`links` puts them into the address bar and reads them from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import streamlit as st

from ...advice import BEST
from ...audit import BROKEN, MOST_CELLS
from ...domain import exact_number
from ...groups import MOST_GROUPS_EACH
from ...mechanisms import MECHANISMS, Option
from ...papers import FIGURES
from ...people import MOST_ROWS
from ...plan import OptionValue, parse_levels
from ...privacy import ZCDP, Adjacency, ApproxDP, PureDP
from ...results import DRAWS, offered_takes, parse_date
from ...results.groups.choice import parse_names
from ...sources.examples import EXAMPLES
from ...studies import BREAK_IT
from ...studies.streams import PATTERNS
from ..lessons import CONTROLS, LESSONS

PREFIX = "dpq"
"""What the names of all widgets and of everything kept in a session begin with."""
OPTION = "option"
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
MOST_STEPS = 500
"""Quantiles of a run that can be looked into: each keeps the distribution of its draw, up to 200 pieces."""
PRESETS = ("median", "quartiles", "deciles", "percentiles", "even", "own")
PERSONS = ("row", "same")
"""Who is one person: every row is somebody else, or all rows with the same id are one."""
EACH = ("all", "group")
"""One answer for all, or one for every group of a column."""
GROUP_WAYS = ("data", "list", "found")
"""Which groups: those in the data where these are public, a list, or found with a part of the budget."""
BUDGETS = ("pure", "approximate", "concentrated")
INTERVALS, INTERVALS_OF = ("none", "0.9", "0.95", "0.99"), ("data", "population")
"""With which chance an interval around each answer holds the true quantile, and of what."""
COUNTED = ("guess", "noisy")
SOURCES = ("file", "paste", "database")
"""Where an own column may come from; databases are those that the server offers."""
BOUNDS = ("known", "digits", "find")
"""How the grid of all answers is said: by its bounds, by significant digits, or bounds are found from the budget."""
SHARES = ("5 %", "10 %", "20 %", "30 %")
DIGITS = ("2", "3")
TABLES = ("adult", "file")
"""Of several columns: an example, or an own file."""
STREAMS = ("made", "data", "server")
"""What streams in: made-up records, the column of an example or an own one, a file on the server."""
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
MOST_STUDIED = 1_000_000
"""As many records a public shape can have on the page."""
STUDIES = ("sweep", "wanted")
SWEEPS = ("epsilon", "rho", "records", "levels", "width", "alpha")
WRITTEN = ("numbers", "dates")
"""How a report writes the values of a stored answer."""
EVERY = "all"
MEASURES = ("mean", "max")
MOST_RECORDS = 2**53
"""As the bound on a stream's length may be at most."""
LONGEST_VALUE = 2000
LONGEST_LINE = 200
LONGEST_WORD = 40
"""Characters that a list, a number or a name, and a word may have, in a link as in a field."""
LONGEST_NAMES = 200_000
"""Characters of a list of groups; a longer one than `LONGEST_VALUE` is in no link."""
SIGNS = ("", "%", "€", "$", "£", "¥")


def key(name: str) -> str:
    """Return the session key of a setting's widget."""
    return f"{PREFIX}_{name}"


@dataclass(frozen=True)
class Setting:
    """One setting: what its widget is called, its default text, and a check that raises ValueError for a wrong one."""

    label: str
    default: str
    check: Callable[[str], object]


def _one_of(*choices: str) -> Callable[[str], object]:
    return choices.index


def _bound(text: str) -> object:
    return text == "" or parse_date(text) is not None or exact_number(text, "bound")


def _end(text: str) -> object:
    if exact_number(text, "end") <= 0:
        raise ValueError
    return True


def _levels(text: str) -> object:
    if not parse_levels(text):
        raise ValueError
    return True


def _count(most: int, least: int = 1) -> Callable[[str], object]:
    return lambda text: range(least, most + 1).index(int(text))


def _word(text: str) -> object:
    letters = text.replace(" ", "").replace("/", "")
    if len(text) > LONGEST_WORD or not (letters.isalpha() or text in SIGNS):
        raise ValueError
    return True


def _or_empty(check: Callable[[str], object]) -> Callable[[str], object]:
    return lambda text: text == "" or check(text)


def _name(text: str) -> object:
    if text != text.strip() or not text.isprintable() or len(text) > LONGEST_LINE:
        raise ValueError
    return True


_grid_index = _count(MOST_CELLS - 1, least=0)


def _grid_indices(text: str) -> object:
    return [_grid_index(word) for word in re.split(r"[,;\s]+", text) if word]


TINY_OWN: dict[str, Setting] = {
    "values": Setting("People’s values", "", _grid_indices),
    "highest": Setting("Highest possible value", "", _or_empty(_count(MOST_CELLS - 1))),
    "change": Setting("One person", "", _or_empty(_one_of(*TINY_CHANGES))),
    "leaving": Setting("Leaves", "", _or_empty(_grid_index)),
    "joining": Setting("Joins with", "", _or_empty(_grid_index)),
    "quantiles": Setting("Quantiles", "", _or_empty(_one_of(*TINY_QUANTILES))),
    "epsilon": Setting("Privacy loss ε", "", _or_empty(lambda text: PureDP(float(text)))),
    "rho": Setting("Privacy loss ρ", "", _or_empty(lambda text: ZCDP(float(text)))),
}
"""The fields that every view of the microscope keeps for itself."""

SETTINGS: dict[str, Setting] = {
    "data": Setting("Data", "adult-age", _one_of(*EXAMPLES, *SOURCES)),
    "lower": Setting("Lowest", "", _bound),
    "upper": Setting("Highest", "", _bound),
    "step": Setting("Step", "", _bound),
    "bounds": Setting("Bounds", BOUNDS[0], _one_of(*BOUNDS)),
    "digits": Setting("Digits", "2", _one_of(*DIGITS)),
    "smallest": Setting("Smallest above 0", "1e-6", _end),
    "largest": Setting("Largest", "1e15", _end),
    "share": Setting("Of the budget", "10 %", _one_of(*SHARES)),
    "negative": Setting("Below 0", "yes", _one_of("yes", "no")),
    "column_unit": Setting("Unit", "", _word),
    "one": Setting("One row is a", "person", _word),
    "person": Setting("Who is one person?", PERSONS[0], _one_of(*PERSONS)),
    "take": Setting("What counts of each person", offered_takes()[0], _one_of(*offered_takes())),
    "most_rows": Setting("At most so many rows of each", "5", _count(MOST_ROWS)),
    "quantiles": Setting("Quantiles", "deciles", _one_of(*PRESETS)),
    "each": Setting("For each …", EACH[0], _one_of(*EACH)),
    "group_way": Setting("Which groups", GROUP_WAYS[0], _one_of(*GROUP_WAYS)),
    "group_names": Setting("List of groups", "", _or_empty(parse_names)),
    "group_other": Setting("Pool others as", "", _name),
    "groups_each": Setting("Groups of one person at most", "1", _count(MOST_GROUPS_EACH)),
    "group_fixed": Setting("Nobody’s group can change", "no", _one_of("no", "yes")),
    "even": Setting("How many", "9", _count(MOST_EVEN)),
    "own": Setting("Shares", "0.5, 1/3, 90%", _levels),
    "mechanism": Setting("Mechanism", BEST, _one_of(BEST, *MECHANISMS)),
    "budget": Setting("Budget", "pure", _one_of(*BUDGETS)),
    "epsilon": Setting("Privacy loss ε", "1", lambda text: PureDP(float(text))),
    "delta": Setting("Small probability δ", "1e-6", lambda text: ApproxDP(1.0, float(text))),
    "rho": Setting("Privacy loss ρ", "0.5", lambda text: ZCDP(float(text))),
    "intervals": Setting("Intervals", INTERVALS[0], _one_of(*INTERVALS)),
    "intervals_of": Setting("Intervals for", INTERVALS_OF[0], _one_of(*INTERVALS_OF)),
    "counted": Setting("How many are there?", COUNTED[0], _one_of(*COUNTED)),
    "adjacency": Setting("Protects", Adjacency.ADD_REMOVE.value, Adjacency),
    "missing": Setting("Missing values count as", "", _bound),
    "show": Setting("The open tab", TABS[0], _one_of(*TABS)),
    "size": Setting("How many values", "1000", _count(MOST_VALUES)),
    "lesson": Setting("Lesson", next(iter(LESSONS)), _one_of(*LESSONS)),
    "learn_seed": Setting("The seed", "1", _count(MOST_SEEDS)),
    **{name: Setting(control.label, control.default, _one_of(*control.options)) for name, control in CONTROLS.items()},
    "seed": Setting("The seed", str(FIRST_SEED), _count(MOST_SEEDS)),
    "column_seed": Setting("The seed of the column", "", _or_empty(_count(MOST_SEEDS))),
    "run_number": Setting("Run of the seed", "1", _count(DRAWS)),
    "run_step": Setting("Step of the run", "", _or_empty(_count(MOST_STEPS))),
    "look": Setting("The open tab", INSIDE_TABS[0], _one_of(*INSIDE_TABS)),
    "tiny_show": Setting("Show me", SOUND, _one_of(SOUND, *BROKEN)),
    "tiny_state": Setting("Variant", TINY_STATES[0], _one_of(*TINY_STATES)),
    "tiny_mechanism": Setting("Mechanism", "aq", _one_of(*MECHANISMS)),
    **{f"tiny_{name}": setting for name, setting in TINY_OWN.items()},
    "shape_size": Setting("About how many people", "1000", _count(MOST_STUDIED)),
    "trials": Setting("Simulated runs", TRIALS[0], _one_of(*TRIALS)),
    "trouble": Setting("Compare on", NO_TROUBLE, _one_of(NO_TROUBLE, *BREAK_IT)),
    "ask": Setting("What do you want to know?", STUDIES[0], _one_of(*STUDIES)),
    "sweep": Setting("Over", SWEEPS[0], _one_of(*SWEEPS)),
    "swept": Setting("Mechanism", EVERY, _one_of(EVERY, *MECHANISMS)),
    "measure": Setting("Rank error", MEASURES[0], _one_of(*MEASURES)),
    "wanted": Setting("Wanted error", "10", _count(10**9 - 1, least=0)),
    "table": Setting("Table", TABLES[0], _one_of(*TABLES)),
    "table_one": Setting("One row is a", "person", _word),
    "table_size": Setting("About how many people", "1000", _count(MOST_STUDIED)),
    "stream": Setting("What streams in", STREAMS[0], _one_of(*STREAMS)),
    "pattern": Setting("Order and shape", "uniform", _one_of(*PATTERNS)),
    "length": Setting("Records", "100000", _one_of(*LENGTHS)),
    "stream_lower": Setting("Lowest", "", _bound),
    "stream_upper": Setting("Highest", "", _bound),
    "stream_step": Setting("Step", "", _bound),
    "stream_quantiles": Setting("Quantiles", PRESETS[0], _one_of(*PRESETS[:4])),
    "alpha": Setting("Coarseness α", "0.001", _one_of(*ALPHAS)),
    "n_max": Setting("At most so many records", "", _or_empty(_count(MOST_RECORDS))),
    "batch": Setting("Batch", "1000", _one_of(*BATCHES)),
    "where": Setting("Read it on", WHERE[0], _one_of(*WHERE)),
    "answer": Setting("Answer", "", _or_empty(UUID)),
    "second": Setting("Average with", "", _or_empty(UUID)),
    "title": Setting("What the values are", "", _word),
    "unit": Setting("Unit", "", _word),
    "records": Setting("How many people, about?", "1000", _count(MOST_STUDIED)),
    "written": Setting("Values are", WRITTEN[0], _one_of(*WRITTEN)),
    "present": Setting("Present", "no", _one_of("no", "yes")),
    "figure": Setting("Figure or table", next(iter(FIGURES)), _one_of(*FIGURES)),
}
"""In the order of the pages. Bounds and step left empty in a link are those of the example."""

DATA = ("data", "bounds", "lower", "upper", "step", "digits", "smallest", "largest", "negative", "share", "missing")
IN_NO_LINK = ("column_unit", "one", "table_one", "table_size", "stream_lower", "stream_upper", "stream_step")
"""What is only ever said of an own column or of a file on the server, which no link names."""
PEOPLE = ("person", "take", "most_rows")
"""What is one person, and what counts of each: in every link to a page that asks, which never has an id."""
GROUPS = ("each", "group_way", "group_names", "group_other", "groups_each", "group_fixed")
"""Which groups are answered. What is said of those of an own column is in no link."""
PLAN = ("quantiles", "even", "own", "mechanism", "budget", "epsilon", "delta", "rho", "adjacency")
STUDY = (*(name for name in PLAN if name != "mechanism"), "shape_size", "trials")
"""What a study of several mechanisms asks for besides its data."""
BUDGET = ("budget", "epsilon", "delta", "rho")
STREAM = (
    "stream", "pattern", "length", "stream_quantiles", "alpha", "n_max", "batch", "where",
)  # fmt: skip
TINY = ("tiny_show", "tiny_state", "tiny_mechanism", *(f"tiny_{name}" for name in TINY_OWN))
"""The microscope's. Its people are made up, so that they may stand in a link."""
PAGES: dict[str, tuple[str, ...]] = {
    "quantiles": (
        *DATA,
        *PEOPLE,
        *PLAN,
        *GROUPS,
        "intervals",
        "intervals_of",
        "counted",
        "shape_size",
        "show",
        "size",
        "seed",
        "column_seed",
    ),
    "columns": ("table", *BUDGET, "adjacency"),
    "learn": ("lesson", "learn_seed", *CONTROLS),
    "inside": (*DATA, *PEOPLE, *GROUPS, *PLAN, "shape_size", "seed", "run_number", "run_step", "look", *TINY),
    "compare": (*DATA, *PEOPLE, *STUDY, "intervals", "intervals_of", "trouble"),
    "tradeoff": (*DATA, *PEOPLE, *STUDY, "ask", "sweep", "swept", "measure", "wanted"),
    "stream": (*DATA, *BUDGET, *STREAM),
    "budget": (),  # which data set is looked at is in no link: its name may be that of a file
    "report": ("answer", "second", "title", "unit", "written", "records", "present"),
    "papers": ("figure",),
}
"""The settings that each page has, and so its link."""


def text(name: str) -> str:
    """Return a setting's present text; its default where its widget has nothing."""
    value = st.session_state.get(key(name))
    return SETTINGS[name].default if value is None else str(value)


def chosen_options(mechanism: str) -> dict[str, str]:
    """Return the options of a mechanism that differ from their defaults, as texts: `aq.calibration` -> `paper`."""
    found = {}
    for option in MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ():
        value = st.session_state.get(key(f"{OPTION}_{mechanism}.{option.name}"))
        if value is not None and str(value) not in {"", str(option.default)}:
            found[f"{mechanism}.{option.name}"] = str(value)
    return found


def option_of(name: str) -> Option | None:
    """Return the option that a name such as `aq.calibration` stands for; None where there is none."""
    mechanism, _, wanted = name.partition(".")
    options = MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ()
    return next((option for option in options if option.name == wanted), None)


def option_fits(name: str, text: str) -> bool:
    """Return whether `aq.calibration=paper` names an option of a mechanism and a value that it takes."""
    option = option_of(name)
    return option is not None and fits(partial(checked_option, option), text)


def checked_option(option: Option, text: str) -> OptionValue:
    """Return the value of an option from its text. Raises ParameterError."""
    return option.checked(_option_value(option.kind, text))


def _option_value(kind: str, text: str) -> str | int | float | bool:
    """Return an option's value; the text itself where it is none, which the option then refuses by name."""
    try:
        match kind:
            case "integer":
                return int(text)
            case "number":
                return float(text.strip().replace(",", "."))
    except ValueError:
        return text
    return {"True": True, "False": False}.get(text, text) if kind == "flag" else text


def with_example_bounds(values: dict[str, str]) -> dict[str, str]:
    """Return the same settings, with the example's bounds in the place of empty ones."""
    example = EXAMPLES.get(values.get("data", ""))
    if example is None or "lower" not in values:
        return values
    public = {"lower": str(example.lower), "upper": str(example.upper), "step": str(example.step)}
    return values | {name: values[name] or bound for name, bound in public.items()}


def fits(check: Callable[[str], object], text: str) -> bool:
    """Return whether a check takes a text, which may be anything."""
    try:
        check(text[:LONGEST_VALUE])
    except (ValueError, ArithmeticError):
        return False
    return len(text) <= LONGEST_VALUE
