"""What a person typed, as texts, becomes a Question: the one parser of forms, links and the shell.

`parse` does the whole; every control has a function of its own beside it. What is not said has its value in USUAL. The
words of one column:

- kind (of its values; "" where it is not known: dates if they are typed so), unit; weight
- missing: what such a value counts as; "" for what is usual, None to leave it out
- bounds: known (then lower, upper, step, which is a day of dates if not said, measure), digits (digits, smallest,
  largest, negative), find (share and the same, step)
- quantiles: a name of levels, even (then even, their number), own (then own, the levels)
- mechanism, and its options: a text by the name of each

and those of all columns:

- budget: pure (epsilon), approximate (epsilon, delta), concentrated (rho); without it, the amounts decide
- adjacency
- intervals (a chance, or none), intervals_of, hold, counted; about: a number, or one by the name of each group
- person (the column of ids, if any), one, per_person, max_rows_per_person
- by (columns of groups, if any), lists (of each column a text or names; none where groups are to be found), other,
  groups_each, rows_in
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from types import MappingProxyType
from typing import Any, TypeAlias

from .domain.domain import Domain
from .domain.finding import FindBounds
from .domain.numbers import Number, exact_number, typed_number
from .errors import ParameterError, shown
from .frame import parse_date
from .grouping import FindGroups, Grouping, grouping_of
from .groups.bounding import MOST_GROUPS_EACH
from .groups.names import GroupName, checked_names
from .mechanisms.base import Option
from .mechanisms.registry import MECHANISMS
from .people.takes import MOST_ROWS
from .plan import BEST, MOST_RECORDS, NAMED_LEVELS, NOISY, Intervals, OptionValue, levels_of, parse_levels
from .privacy import budgets
from .privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from .privacy.composition import GroupsPerPerson
from .question import WEIGHT, Asked, Bounds, Persons, Question
from .release import DATE, ColumnWords
from .studies.design import even_levels
from .studies.takes import SOME_ROWS

Words: TypeAlias = Mapping[str, Any]
"""Texts, but for `options`, `by`, `lists` and `about`."""
UNKNOWN = ""
"""The kind of a column that is not there yet: its bounds may be numbers or dates."""
is_date = re.compile(r"\s*\d{4}-\d\d-\d\d\s*").fullmatch
"""Whether a text is written as a date, of a day that may not exist."""
USUAL: Words = MappingProxyType(
    {
        "kind": "number", "unit": "", "weight": "1", "missing": "", "bounds": "known", "lower": "", "upper": "",
        "step": "", "measure": None, "digits": "2", "smallest": "1e-6", "largest": "1e15", "negative": "yes",
        "share": "10 %", "quantiles": "deciles", "even": "9", "own": "0.5, 1/3, 90%", "mechanism": BEST, "options": {},
        "budget": "pure", "epsilon": "0.1", "delta": "1e-6", "rho": "0.5", "adjacency": Adjacency.ADD_REMOVE.value,
        "intervals": "none", "intervals_of": "data", "hold": "each", "counted": "guess", "about": "",
        "person": "", "one": "", "per_person": "random", "max_rows_per_person": "5",
        "by": (), "lists": (), "other": "", "groups_each": "1", "rows_in": "each",
    }
)  # fmt: skip
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bounds": ("known", "digits", "find"),
        "negative": ("yes", "no"),
        "budget": ("pure", "approximate", "concentrated"),
        "intervals_of": ("data", "population"),
        "hold": ("each", "together"),
        "counted": ("guess", "noisy"),
        "rows_in": ("each", "all"),
    }
)
READ_WHERE: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "lower": ("bounds", ("known",)),
        "upper": ("bounds", ("known",)),
        "step": ("bounds", ("known", "find")),
        "digits": ("bounds", ("digits",)),
        "share": ("bounds", ("find",)),
        **dict.fromkeys(("smallest", "largest", "negative"), ("bounds", ("digits", "find"))),
        "even": ("quantiles", ("even",)),
        "own": ("quantiles", ("own",)),
        "epsilon": ("budget", ("pure", "approximate")),
        "delta": ("budget", ("approximate",)),
        "rho": ("budget", ("concentrated",)),
        "max_rows_per_person": ("per_person", (SOME_ROWS,)),
        "rows_in": ("per_person", (SOME_ROWS,)),
    }
)
"""The words that are read only where another one has one of these values; dates always have known bounds."""
MOST_EVEN = 2000
"""Evenly spaced levels."""
MOST_COMBINED = 100_000
"""Groups by several columns."""
SEPARATORS = ",;\t"
GUESSED = re.compile(r"(.*?)\s*[;\t]\s*(\d[\d,]{0,9})")
"""A name, and how many records its group has."""
ENCLOSED = re.compile(r'^"([^"]*)"$')
"""A name in quotes; those within a name are part of it."""


class WrongColumn(ParameterError):
    """Report what cannot be used of the column `.column`."""

    def __init__(self, column: str, error: ParameterError) -> None:
        super().__init__(error.name, error.words[2:], error.remedies)
        self.column = column


def parse(columns: Mapping[str, Words], whole: Words = MappingProxyType({})) -> Question:
    """Return the question of these columns, by their names. Raises ParameterError, of one column a WrongColumn."""
    budget, adjacency, persons = budget_of(whole), Adjacency.of_text(word(whole, "adjacency")), persons_of(whole)
    groups, intervals = groups_of(whole), intervals_of(whole)
    about = about_n_of(whole, groups)
    noisy = intervals is not None and word(whole, "counted") == NOISY
    asked = {}
    for name, words in columns.items():
        try:
            possible, (mechanism, options) = possible_of(words), mechanism_of(words)
            asked[name] = Asked(
                possible=possible, levels=levels_in(words), mechanism=mechanism, options=options, intervals=intervals,
                about_n=about, noisy_count=noisy, missing=missing_of(words, possible, adjacency),
                weight=weight_of(words), words=ColumnWords(kind=kind_of(words), unit=word(words, "unit")),
            )  # fmt: skip
            asked[name].plan(budget, adjacency)
        except ParameterError as error:
            raise WrongColumn(name, error) from None
    return Question(
        columns=asked, budget=budget, adjacency=adjacency, groups=groups, persons=persons, one=word(whole, "one")
    )


def word(words: Words, name: str) -> Any:
    """Return what was said, or else what is usual. Raises ParameterError where it is none of the CHOICES."""
    said, choices = words.get(name, USUAL[name]), CHOICES.get(name)
    if choices is not None and said not in choices:
        raise ParameterError(name, f"must be one of {', '.join(choices)}, got {shown(said)}.")
    return said


# ── one column ───────────────────────────────────────────────────────────────────────────────────────────────────────


def kind_of(words: Words) -> str:
    """Return the kind of the values; where it is not known: dates if a bound, or else a missing one, is typed so."""
    deciding = {"known": ("lower", "upper"), "find": ("missing",)}.get(word(words, "bounds"), ())
    dated = any(is_date(word(words, name) or "") for name in deciding)
    return word(words, "kind") or (DATE if dated else "number")


def possible_of(words: Words) -> Bounds:
    """Return the grid of all answers, or how its bounds are found. Raises ParameterError."""
    way = word(words, "bounds")
    if word(words, "kind") == DATE or way == "known":  # the days since 1970 in two digits are no dates
        lower, upper = (_number(name, words) for name in ("lower", "upper"))
        finest = "1" if kind_of(words) == DATE else None
        step = typed_number(word(words, "step").strip(), "step") or finest
        return Domain(lower, upper, step, measure=word(words, "measure"))
    negative = word(words, "negative") == "yes"
    smallest, largest = (typed_number(word(words, name).strip(), name) for name in ("smallest", "largest"))
    if way == "digits":
        return Domain.significant(count_of("digits", word(words, "digits"), 3), smallest, largest, negative=negative)
    part, percent, _ = word(words, "share").partition("%")
    share = exact_number(typed_number(part.strip(), "share"), "share") / (100 if percent else 1)
    step = typed_number(word(words, "step").strip(), "step") or None
    return FindBounds(share, smallest, largest, negative=negative, step=step)


def _number(name: str, words: Words) -> Number:
    typed = word(words, name).strip()
    if kind_of(words) != DATE:
        return typed_number(typed, name)
    day = parse_date(typed)
    if day is None:
        raise ParameterError(name, "must be a date such as 2024-01-31.")
    return day


def levels_in(words: Words) -> tuple[Fraction, ...]:
    """Return the requested levels, at least one. Raises ParameterError."""
    named = word(words, "quantiles")
    if named in NAMED_LEVELS:
        return levels_of(named)
    if named == "even":
        return even_levels(count_of("quantiles", word(words, "even"), MOST_EVEN))
    levels = parse_levels(word(words, "own"))
    if named != "own" or not levels:
        raise ParameterError("quantiles", "must be at least one share between 0 and 1, such as 0.5 or 90%.")
    return levels


def mechanism_of(words: Words) -> tuple[str, dict[str, OptionValue]]:
    """Return the key of the mechanism, and its options from their texts. Raises ParameterError."""
    mechanism, found = word(words, "mechanism"), {}
    if mechanism == BEST:
        return mechanism, {}
    for name, typed in word(words, "options").items():
        options = MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ()
        option = next((option for option in options if option.name == name), None)
        if option is None:
            raise ParameterError(name, f"must be left out: {mechanism} has no such option.")
        found[name] = checked_option(option, typed)
    return mechanism, found


def checked_option(option: Option, typed: str) -> OptionValue:
    """Return the value of an option from its text, which it refuses by name where it is none. Raises ParameterError."""
    try:
        value: str | int | float | bool = typed
        match option.kind:
            case "integer":
                value = int(typed)
            case "number":
                value = float(typed.strip().replace(",", "."))
            case "flag":
                value = {"True": True, "False": False}.get(typed, typed)
    except ValueError:
        value = typed
    return option.checked(value)


def weight_of(words: Words) -> Fraction:
    """Return the part of the budget of one column, beside those of others. Raises ParameterError."""
    weight = exact_number(typed_number(word(words, "weight"), "weights"), "weights")
    if weight <= 0:
        raise ParameterError("weights", "must be a number above 0.")
    return weight


def missing_of(words: Words, possible: Bounds, adjacency: Adjacency) -> Fraction | None:
    """Return what a missing value counts as; None leaves it out. Raises ParameterError.

    Where the number of records is public none may be left out. Without a word such a value is then the lowest one, or 0
    where nobody said bounds and not 10^15 below it: missing values must not decide how far bounds reach.
    """
    said = word(words, "missing")
    if said is not None and said.strip():
        return exact_number(_number("missing", words), "missing")
    if said is None or adjacency is not Adjacency.REPLACE_ONE:
        return None
    return possible.lower if isinstance(possible, Domain) and possible.has_even_steps else Fraction(0)


# ── all columns ──────────────────────────────────────────────────────────────────────────────────────────────────────


def budget_of(words: Words) -> Privacy:
    """Return the budget. Raises ParameterError."""
    said = [name for name in ("epsilon", "delta", "rho") if name in words and "budget" not in words]
    if said and (found := budgets.budget_of(**{name: amount_of(name, words[name]) for name in said})):
        return found
    match word(words, "budget"):
        case "pure":
            return PureDP(amount_of("epsilon", word(words, "epsilon")))
        case "concentrated":
            return ZCDP(amount_of("rho", word(words, "rho")))
        case _:
            return ApproxDP(*(amount_of(name, word(words, name)) for name in ("epsilon", "delta")))


def amount_of(name: str, typed: str) -> float:
    """Return an amount of privacy, with a decimal point or comma. Raises ParameterError."""
    try:
        return float(typed.replace(",", "."))
    except ValueError:
        raise ParameterError(name, f"must be a number such as {'1e-6' if name == 'delta' else '0.5'}.") from None


def intervals_of(words: Words) -> Intervals | None:
    """Return the intervals around the answers; None where none are requested. Raises ParameterError."""
    chance = word(words, "intervals")
    if chance == USUAL["intervals"]:
        return None
    together = word(words, "hold") == "together"
    return Intervals(amount_of("intervals", chance), word(words, "intervals_of"), together=together)


def about_n_of(words: Words, groups: Grouping | None) -> int | dict[GroupName, int] | None:
    """Return about how many records there are, in each group where groups are asked; None where nobody said.

    Groups of one list may have a number of their own behind their names. Raises ParameterError.
    """
    about, own = word(words, "about"), guesses_of(words)
    if isinstance(about, Mapping):
        return {name: about_in(number) for name, number in about.items()}
    if not about:
        return None
    usual = about_in(about)
    if groups is None or groups.answered is None or not own:
        return usual
    return {name: own.get(str(name), usual) for name in groups.answered}


def about_in(typed: str) -> int:
    """Return a number of records, which may have commas between thousands. Raises ParameterError."""
    return count_of("about_n", typed.replace(",", ""), MOST_RECORDS)


def count_of(name: str, typed: str, most: int) -> int:
    """Return a whole number from 1 on. Raises ParameterError."""
    try:
        found = int(typed)
    except ValueError:
        found = 0
    if not 1 <= found <= most:
        raise ParameterError(name, f"must be a whole number from 1 to {most:,}.")
    return found


def persons_of(words: Words) -> Persons | None:
    """Return whose rows belong together, and what counts of them; None where nobody has several.

    Raises ParameterError.
    """
    column, per_person = word(words, "person"), word(words, "per_person")
    if not column:
        return None
    some, in_groups = per_person == SOME_ROWS, bool(word(words, "by"))
    most = count_of("max_rows_per_person", word(words, "max_rows_per_person"), MOST_ROWS) if some else None
    each: GroupsPerPerson | None = None
    if in_groups and some and word(words, "rows_in") == "all":
        each = "any"
    elif in_groups and per_person != WEIGHT:
        each = count_of("max_groups_per_person", word(words, "groups_each"), MOST_GROUPS_EACH)
    return Persons(column=column, per_person=None if some else per_person, max_rows=most, max_groups=each)


def groups_of(words: Words) -> Grouping | None:
    """Return which groups are answered; None for one answer of each column. Raises ParameterError."""
    by, lists, other = tuple(word(words, "by")), word(words, "lists"), word(words, "other").strip()
    if not by:
        return None
    if not lists:
        return Grouping(by=by, names=FindGroups())
    other = other if len(by) == 1 else ""
    if not isinstance(lists[0], str):
        return grouping_of(dict(zip(by, lists, strict=True)), None, other or None)
    return listed_groups(by, [parse_names(each, other) for each in lists], other)


def listed_groups(by: tuple[str, ...], lists: Sequence[Sequence[str]], other: str = "") -> Grouping:
    """Return the groups by these columns: every combination of the names in their lists. Raises ParameterError."""
    combined = prod(map(len, lists))
    if combined > MOST_COMBINED:
        must = f"must be shorter: these are {combined:,} combinations, and a page answers {MOST_COMBINED:,}."
        raise ParameterError("names", must)
    return grouping_of(dict(zip(by, lists, strict=True)), None, other or None)


def guesses_of(words: Words) -> dict[str, int]:
    """Return the number of records of some groups, from the guesses behind the names of one list: `north; 1200`."""
    lists = word(words, "lists")
    entries = _entries(lists[0]) if len(lists) == 1 and isinstance(lists[0], str) else []
    return {name: int(guess.replace(",", "")) for name, guess in entries if guess}


def parse_names(typed: str, other: str = "") -> tuple[str, ...]:
    """Return a list of names as it was typed or pasted: a line each, or one line with commas, semicolons or tabs.

    Blank lines, repeats, and guesses behind the names are left out; quotes hold a name together. Raises ParameterError.
    """
    names = dict.fromkeys(name for name, _ in _entries(typed))
    return tuple(map(str, checked_names(list(names), other.strip() or None)))[: len(names)]


def _entries(typed: str) -> list[tuple[str, str]]:
    """Return names, none of them blank, with the guesses behind them; "" where there is none."""
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    found = [(guessed[1], guessed[2]) if (guessed := GUESSED.fullmatch(line)) else (line, "") for line in lines]
    separator = next((each for each in SEPARATORS if each in typed), "")
    if len(lines) == 1 and separator and not found[0][1]:
        found = [(name.strip(), "") for name in next(csv.reader(lines, delimiter=separator, skipinitialspace=True))]
    else:
        found = [(ENCLOSED.sub(r"\1", name).strip(), guess) for name, guess in found]
    return [(name, guess) for name, guess in found if name]
