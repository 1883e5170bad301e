"""Every setting of every page as plain text: one table for defaults, links and the widgets' keys.

What pages share, such as the data and the budget, has one value for all of them, whichever page it was chosen on.
`links` puts them into the address bar and reads them from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpq_core import typed
from dpq_core.advice.choice import BEST_LABEL
from dpq_core.arrays import Floats
from dpq_core.audit.broken import BROKEN, MOST_CELLS
from dpq_core.domain.domain import Domain
from dpq_core.domain.numbers import exact_number, typed_number
from dpq_core.frame import parse_date
from dpq_core.groups.bounding import MOST_GROUPS_EACH
from dpq_core.mechanisms.base import Option
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.mode import releases_only
from dpq_core.papers.figures import FIGURES
from dpq_core.people.takes import MOST_ROWS
from dpq_core.plan import BEST, NAMED_LEVELS
from dpq_core.privacy.budgets import Adjacency
from dpq_core.results.data_set import WORDS
from dpq_core.results.simulated import DRAWS
from dpq_core.sources.examples import EXAMPLES, Example
from dpq_core.studies.design import BREAK_IT
from dpq_core.studies.shapes import MOST_STUDIED, USUAL_SIZE, values_of
from dpq_core.studies.streams import PATTERNS
from dpq_core.typed import CHOICES, USUAL, Words

from .. import keys
from ..learn.texts import LESSONS

LONGEST_VALUE, LONGEST_LINE, LONGEST_WORD = 2000, 200, 40
"""Characters that a list, a number or a name, and a word may have, in a link as in a field."""
LONGEST_NAMES = 200_000
"""Characters of a list of groups; a longer one than `LONGEST_VALUE` is in no link."""
SIGNS = ("", "%", "€", "$", "£", "¥")
MOST_SEEDS = 1_000_000
"""Of simulations that a link can repeat, which are always of public examples."""
FIRST_SEED = 1
"""Of the simulation with which Explore and Inside open."""
OF_A_DRAW = ("seed", "run_number", "run_step")
"""Which simulation of an example is shown, which run and step of it: in no link to other data, never of a release."""
MOST_STEPS = 500
"""Quantiles of a run that can be looked into: each keeps the distribution of its draw, up to 200 pieces."""
INTERVALS = {"none": "none", "0.9": "90 %", "0.95": "95 %", "0.99": "99 %"}
"""With which chance an interval around each answer holds the true quantile."""
PRESETS = {
    "median": "Median", "quartiles": "Quartiles", "deciles": "Deciles", "percentiles": "Percentiles",
    "even": "Evenly spaced", "own": "Own",
}  # fmt: skip
MECHANISM_LABELS = {BEST: BEST_LABEL, **{name: mechanism.LABEL for name, mechanism in MECHANISMS.items()}}
BUDGET_LABELS = {"pure": "ε", "approximate": "ε, δ", "concentrated": "ρ"}
SOURCES = ("file", "paste")
"""Where an own column may come from."""
SEALS = "release"
"""The page that seals what is brought to it, and shows nothing of it."""
PLANNED = ("compare", "tradeoff")
"""Pages that study mechanisms. They need no column, because they can study a public shape between the bounds."""
TABLES = (("adult-age-full", "adult-hours"),)
"""Examples that are columns of one table."""
CHOSEN = ("choice", "flag")
"""Kinds of options that are buttons; the others are fields, which are empty at first."""
_NUMBERS = keys.state("numbers_of_room")


key = keys.setting
"""The session key of a setting's widget."""


def examples() -> dict[str, Example]:
    """Return the examples of this session, by their keys: everyone's, and the numbers of the room that it is in."""
    numbers = st.session_state.get(_NUMBERS)
    of_room = {} if numbers is None else {numbers.key: numbers}
    return {**of_room, **EXAMPLES, MADE_UP: MADE_UP_VALUES}


def _made_up() -> Floats:
    """Return values that are spread evenly between the bounds on the screen, as many as are guessed."""
    try:
        domain, many = Domain(text("lower"), text("upper")), min(typed.about_in(text("shape_size")), MOST_MADE_UP)
    except ValueError:
        domain, many = Domain(MADE_UP_VALUES.lower, MADE_UP_VALUES.upper), USUAL_SIZE
    return values_of("reference", max(many, 1), FIRST_SEED, domain)


MADE_UP, MOST_MADE_UP = "made-up", 100_000
MADE_UP_VALUES = Example(
    MADE_UP, "Made-up values", "Made-up values", unit="", lower="0", upper="100", step="1", one_row="record",
    many_rows="records", source="made up: spread evenly between the bounds, from a fixed seed", licence="CC0 1.0",
    read=_made_up,
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


@dataclass(frozen=True)
class Setting:
    """One setting: what its widget is called, its default text, and its choices or what reads another text.

    A choice may be called otherwise on the screen than in a link.
    """

    label: str
    default: str
    reads: Mapping[str, str] | tuple[str, ...] | Callable[[str], object]
    """Returns False, or raises ValueError, for a text that is none of its kind."""

    def shown(self, choice: str) -> str:
        """Return what a choice is called on the screen: `1000` -> `1,000`."""
        named = self.reads if isinstance(self.reads, Mapping) else {}
        return named.get(choice, f"{int(choice):,}" if choice.isdigit() else choice)

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the texts of which it is one; empty where it is typed."""
        return () if callable(self.reads) else tuple(self.reads)

    def takes(self, text: str) -> bool:
        """Return whether it can be a text, which may be anything: a link says no more than a field."""
        if text == self.default or not callable(self.reads):
            return text == self.default or text in self.choices
        try:
            return len(text) <= LONGEST_VALUE and self.reads(text) is not False
        except (ValueError, ArithmeticError):
            return False


def _read(parse: Callable[[Words], object], name: str, **beside: str) -> Callable[[str], object]:
    """Return what reads one word as the form does, beside others."""
    return lambda text: parse({**beside, name: text})


def _bound(text: str) -> object:
    return parse_date(text) is not None or exact_number(typed_number(text, "bound"), "bound")


def _count(most: int) -> Callable[[str], object]:
    return lambda text: typed.count_of("count", text, most)


def _people(text: str) -> int:
    return typed.count_of("people", text.replace(",", ""), MOST_STUDIED)


NAMES, TAKES = {key: each.name for key, each in EXAMPLES.items()}, {key: each.label for key, each in WORDS.items()}
WAYS = {"known": "I know them", "digits": "Significant digits", "find": "Find them"}
GROUP_WAYS = {"data": "Those in the data", "list": "A list", "found": "Found privately"}
SPLITS = {"one": "One quantile a draw", "drawn": "As it is drawn: several at once"}
VIEWS = {"sound": "A sound mechanism", **{name: variant.name for name, variant in BROKEN.items()}}
TROUBLES = {"none": "The data above", **{key: f"Hard case: {each.label.lower()}" for key, each in BREAK_IT.items()}}
SWEEPS = {
    "epsilon": "Privacy loss ε", "rho": "Privacy loss ρ", "records": "Number of records",
    "levels": "Number of quantiles", "width": "Width of the bounds", "alpha": "Coarseness α of the sketch",
}  # fmt: skip
MEASURES = {"mean": "On average", "max": "Worst quantile"}
STREAMS = {"made": "Made up", "data": "A column", "server": "On the server"}


def _grid_indices(text: str) -> bool:
    """Take grid indices of the microscope, with commas, semicolons or blanks between them."""
    return all(int(each) in range(MOST_CELLS) for each in re.split(r"[,;\s]+", text) if each)


def is_word(text: str) -> bool:
    """Return whether this is letters, blanks and slashes, or one of the signs; or nothing."""
    letters = text.replace(" ", "").replace("/", "")
    return text in SIGNS or (len(text) <= LONGEST_WORD and letters.isalpha())


def _name(text: str) -> bool:
    """Take one printable line without outer blanks."""
    return text == text.strip() and text.isprintable() and len(text) <= LONGEST_LINE


def _answer(text: str) -> bool:
    """Take the id of a release as a ledger may have it, alone or behind the number of its account."""
    return text.isprintable() and len(text.partition("/")[2] or text) <= LONGEST_LINE


EPSILON, RHO = _read(typed.budget_of, "epsilon", budget="pure"), _read(typed.budget_of, "rho", budget="concentrated")
END = _read(typed.weight_of, "weight")
"""A number above 0."""
TINY_OWN: dict[str, Setting] = {
    "values": Setting("People’s values", "", _grid_indices),
    "highest": Setting("Highest possible value", "", _count(MOST_CELLS - 1)),
    "change": Setting("One person", "", ("joins", "leaves", "is replaced")),
    "leaving": Setting("Leaves", "", lambda text: int(text) in range(MOST_CELLS)),
    "joining": Setting("Joins with", "", lambda text: int(text) in range(MOST_CELLS)),
    "quantiles": Setting("Quantiles", "", ("1/2", "1/4", "9/10", "1/4, 3/4", "1/3, 2/3", "1/2, 3/4", "1/4, 1/2, 3/4")),
    "epsilon": Setting("Privacy loss ε", "", EPSILON),
    "rho": Setting("Privacy loss ρ", "", RHO),
}
"""The fields that every view of the microscope keeps for itself."""

SETTINGS: dict[str, Setting] = {
    "data": Setting("Data", "adult-age", lambda text: text in {*examples(), *SOURCES}),
    "more": Setting("More columns", "", {"": "None"} | NAMES),
    "column": Setting("Column", "", NAMES),
    "lower": Setting("Lowest", USUAL["lower"], _bound),
    "upper": Setting("Highest", USUAL["upper"], _bound),
    "step": Setting("Step", USUAL["step"], _bound),
    "bounds": Setting("Bounds", USUAL["bounds"], WAYS),
    "digits": Setting("Digits", USUAL["digits"], ("2", "3")),
    "smallest": Setting("Smallest above 0", USUAL["smallest"], END),
    "largest": Setting("Largest", USUAL["largest"], END),
    "share": Setting("Of the budget", USUAL["share"], ("5 %", "10 %", "20 %", "30 %")),
    "negative": Setting("Negative values", USUAL["negative"], {"yes": "Yes", "no": "No"}),
    "column_unit": Setting("Unit", "", is_word),
    "one": Setting("One row is a", "person", is_word),
    "person": Setting("Who is one person?", "row", ("row", "same")),
    "per_person": Setting("How to combine a person’s rows", USUAL["per_person"], TAKES),
    "max_rows_per_person": Setting("Maximum number of rows", USUAL["max_rows_per_person"], _count(MOST_ROWS)),
    "quantiles": Setting("Quantiles", USUAL["quantiles"], PRESETS),
    "each": Setting("For each …", "all", {"all": "One answer for all", "group": "Every group"}),
    "group_way": Setting("Which groups", "data", GROUP_WAYS),
    "group_names": Setting("List of groups", "", typed.parse_names),
    "more_names": Setting("List of groups", "", typed.parse_names),
    "group_other": Setting("Pool others as", "", _name),
    "groups_each": Setting("Maximum groups per person", USUAL["groups_each"], _count(MOST_GROUPS_EACH)),
    "rows_in": Setting(
        "The maximum number of rows applies",
        USUAL["rows_in"],
        {"each": "in each group", "all": "to all groups together"},
    ),
    "even": Setting("How many", USUAL["even"], _count(typed.MOST_EVEN)),
    "own": Setting("Shares", USUAL["own"], _read(typed.levels_in, "own", quantiles="own")),
    "mechanism": Setting("Mechanism", USUAL["mechanism"], MECHANISM_LABELS),
    "weight": Setting("Weight", USUAL["weight"], END),
    "budget": Setting("Budget", USUAL["budget"], BUDGET_LABELS),
    "epsilon": Setting("Privacy loss ε", USUAL["epsilon"], EPSILON),
    "delta": Setting("Small probability δ", USUAL["delta"], _read(typed.budget_of, "delta", budget="approximate")),
    "rho": Setting("Privacy loss ρ", USUAL["rho"], RHO),
    "intervals": Setting("Intervals", USUAL["intervals"], INTERVALS),
    "release_intervals": Setting("Intervals", "0.95", INTERVALS),
    "intervals_of": Setting("Intervals for", USUAL["intervals_of"], CHOICES["intervals_of"]),
    "hold": Setting("Intervals hold", USUAL["hold"], {"each": "each by itself", "together": "all at once"}),
    "counted": Setting("How many are there?", USUAL["counted"], {"guess": "A guess", "noisy": "Count them"}),
    "adjacency": Setting("Protects", USUAL["adjacency"], {each.value: each.in_words for each in Adjacency}),
    "missing": Setting("Missing values count as", "", _bound),
    "lesson": Setting("Lesson", next(iter(LESSONS)), tuple(LESSONS)),
    "learn_seed": Setting("The seed", "1", _count(MOST_SEEDS)),
    **{control.setting: Setting(control.label, control.default, control.options) for control in LESSONS.values()},
    "seed": Setting("The seed", str(FIRST_SEED), _count(MOST_SEEDS)),
    "run_number": Setting("Run of the seed", "1", _count(DRAWS)),
    "run_step": Setting("Step of the run", "", _count(MOST_STEPS)),
    "splits": Setting("How splitting works", "one", SPLITS),
    "look": Setting("The open tab", "One run", ("One run", "Microscope")),
    "tiny_show": Setting("Show me", "sound", VIEWS),
    "tiny_state": Setting("Variant", "broken", {"broken": "Broken", "fixed": "Fixed"}),
    "tiny_mechanism": Setting("Mechanism", "aq", {name: MECHANISM_LABELS[name] for name in MECHANISMS}),
    **{f"tiny_{name}": setting for name, setting in TINY_OWN.items()},
    "shape_size": Setting("About how many people", "1000", _people),
    "trials": Setting("Simulated runs", "100", ("100", "300", "1000")),
    "trouble": Setting("Compare on", "none", TROUBLES),
    "sweep": Setting("Over", "epsilon", SWEEPS),
    "marked": Setting("Mechanism in colour", BEST, MECHANISM_LABELS),
    "wanted": Setting("Error you accept", "5", _people),
    "measure": Setting("Rank error", "mean", MEASURES),
    "stream": Setting("What streams in", "made", STREAMS),
    "pattern": Setting("Order and shape", "uniform", {name: each.label for name, each in PATTERNS.items()}),
    "length": Setting("Records", "100000", ("10000", "100000", "300000", "1000000", "3000000", "10000000")),
    "stream_quantiles": Setting("Quantiles", "median", {name: PRESETS[name] for name in NAMED_LEVELS}),
    "alpha": Setting("Coarseness α", "0.001", ("0.00001", "0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03", "0.1")),
    "n_max": Setting("Maximum number of records", "10000000", tuple(str(10**power) for power in range(4, 13))),
    "answer": Setting("Release", "", _answer),
    "last": Setting("Release", "", _answer),  # the last one of the page Release, for a reload
    "title": Setting("Label of the column", "", _name),
    "unit": Setting("Unit", "", is_word),
    "records": Setting("How many people, about?", "1000", _people),
    "figure": Setting(
        "Figure or table", next(iter(FIGURES)), {name: f"{each.place} · {each.paper}" for name, each in FIGURES.items()}
    ),
}
"""In the order of the pages. Bounds and step left empty in a link are those of the example."""
keys.settings(SETTINGS)


def option_label(name: str) -> str:
    """Return what the widget of a mechanism's option is called: `half_width` -> `Half width`."""
    return name.replace("_", " ").capitalize()


OPTION_WORDS = {"": "automatic", "auto": "automatic", "True": "yes", "False": "no"}


def of_option(option: Option) -> Setting:
    """Return an option as a setting: buttons where there is a choice, else a field, which is empty at first."""
    label, usual = option_label(option.name), "" if option.default is None else str(option.default)
    if option.kind not in CHOSEN:
        return Setting(label, "", partial(typed.checked_option, option))
    choices = [*([] if usual else [""]), *(option.choices or ("False", "True"))]
    return Setting(label, usual, {each: OPTION_WORDS.get(each, each.replace("_", " ")) for each in choices})


OPTIONS: dict[str, Setting] = {
    f"{mechanism}.{option.name}": of_option(option) for mechanism, each in MECHANISMS.items() for option in each.OPTIONS
}
"""The options of all mechanisms in the same way, by names such as `binhist.bins`."""

DATA = ("data", "bounds", "lower", "upper", "step", "digits", "smallest", "largest", "negative", "share", "missing")
KNOWN = tuple(name for name in DATA if name != "share")
"""The same of pages that find no bounds, which would take a part of the budget."""
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
    "release": (*DATA, "weight", *PEOPLE, *PLAN, *GROUPS, "release_intervals", *ENDS, "shape_size", "last"),
    "learn": ("lesson", "learn_seed", *(control.setting for control in LESSONS.values())),
    "inside": (*DATA, *PEOPLE, *GROUPS, *PLAN, "shape_size", "splits", "seed", "run_number", "run_step", "look", *TINY),
    "compare": (*DATA, *PEOPLE, *STUDY, "intervals", "intervals_of", "hold", "trouble", "marked"),
    "tradeoff": (*KNOWN, *PEOPLE, *STUDY, "sweep", "marked", "measure", "wanted"),
    "stream": (*KNOWN, *BUDGET, *STREAM),
    "releases": ("answer", "title", "unit", "records"),  # no data set: its name may be that of a file
    "papers": ("figure",),
    "room": (),
}
"""The settings that each page has: its form asks for them, and its link holds them."""


COUNTS_WHERE = {
    **typed.READ_WHERE,
    "per_person": ("person", ("same",)),
    **dict.fromkeys(("group_way", "groups_each"), ("each", ("group",))),
    **dict.fromkeys(("group_names", "group_other"), ("group_way", ("list",))),
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
    return setting_of(name).default if value is None else str(value)


def setting_of(name: str) -> Setting:
    """Return a setting, or an option of a mechanism, which has the same. Raises KeyError where there is none."""
    return SETTINGS[name] if name in SETTINGS else OPTIONS[name]


def takes(name: str, text: str) -> bool:
    """Return whether this names a setting or an option that can be a text."""
    return (name in SETTINGS or name in OPTIONS) and setting_of(name).takes(text)


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
