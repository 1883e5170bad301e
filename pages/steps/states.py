"""The state of each step in one line, and what a release would use and give: from public facts alone."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from dpq_core.advice.forecast import expected_error
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.domain.significant import SignificantDigits
from dpq_core.plan import NAMED_LEVELS, Plan
from dpq_core.privacy.budgets import Adjacency
from dpq_core.results import outcomes
from dpq_core.results.data_set import DataSet
from dpq_core.results.persons import unit_for
from dpq_core.results.wording import BEFORE, count_in_words, share_in_words, two_digits

from ..budget.panel import PayingAccount, left_in_numbers
from ..files import reading
from ..form.inputs import Inputs
from ..form.plan import LABELS
from ..frame import state
from ..groups import forecast as of_groups
from ..server import work
from ..settings.table import text

UNKNOWN = "not known in advance"
OPEN = "answer what is asked of the rows"
ANY_SIZE = Domain.significant().upper
"""The largest number where nobody chose one: no column comes near it, so no sentence names it."""


class State(NamedTuple):
    """Whether a step is done, and what was chosen or is still needed."""

    done: bool
    words: str


def states_of(inputs: Inputs, payer: PayingAccount | None, reason: str) -> tuple[State, ...]:
    """Return the states of the five steps; `reason`: why nothing can be released yet, empty where it can."""
    first = (_file(inputs.brought), _person(inputs), _values(inputs), _question(inputs))
    identity = inputs.column.identity if inputs.column else ""
    wrong = "Correct the fields in red." if inputs.cost_is_wrong else reason
    return with_last(first, identity, price_in_words(inputs.plan, payer), wrong)


def with_last(first: tuple[State, ...], identity: str, price: str, reason: str) -> tuple[State, ...]:
    """Return the states of the first four steps, and with them that of the last one.

    `identity`: of the data; `price`: what a release would use; `reason`: why there can be none yet, or empty.
    """
    if not all(each.done for each in first):
        return (*first, State(False, "steps 1 to 4"))
    ready = "released; another answer" if state.has_released(identity) else "ready; it"
    needed = reason[:1].lower() + reason[1:]
    return (*first, State(not reason, needed or f"{ready} would use {price}"))


def _file(data: DataSet | None) -> State:
    if data is None:
        if reading.held() is not None:
            return State(False, OPEN)
        pasted = text("data") == "paste"
        return State(False, "paste values, and read them" if pasted else "choose a file and a column, and read it")
    column = data.name if data.name.startswith("column ") else f"column {data.name}"
    return State(True, f"{data.file}, {column}" if data.file else "pasted values")


def _person(inputs: Inputs) -> State:
    if inputs.brought is None:
        return State(False, "say whose rows these are, then read them" if reading.held() is None else OPEN)
    return person_of(inputs.brought, inputs.adjacency)


def person_of(data: DataSet, adjacency: Adjacency) -> State:
    """Return the state of the question who is one person of the data that were read."""
    protected = adjacency.of(data.protected)
    if data.person is None:
        return State(True, f"every row is a different person; {protected}")
    return State(True, f"all rows with the same {data.person.column}; {protected}")


def _values(inputs: Inputs) -> State:
    if inputs.brought is None:
        return State(False, "the column first")
    if inputs.bounds is None:
        days, values = "first and the last day", "lowest and the highest value, or choose digits"
        return State(False, f"say the {days if inputs.brought.kind == 'date' else values}")
    if inputs.data is None:
        return State(False, "correct the field in red")
    return State(True, values_in_words(inputs.data, inputs.bounds))


def values_in_words(data: DataSet, bounds: Domain | FindBounds) -> str:
    """Return which values are possible: `0 to 5,000 €, in steps of 1`."""
    if isinstance(bounds, FindBounds):
        return f"bounds are found with {share_in_words(float(bounds.share))} of the budget"
    words = outcomes.wording_of(data, bounds)
    if bounds.lower.denominator == bounds.upper.denominator == 1:
        words = replace(words, decimals=0)
    low = words.number(float(bounds.lower)) if words.unit not in BEFORE else words.value(float(bounds.lower))
    ends = f"{low} to {words.value(float(bounds.upper))}"
    if isinstance(bounds.grid, SignificantDigits):
        sign = " of either sign" if bounds.grid.negative else ""
        numbers = f"numbers of {count_in_words(bounds.grid.digits, 'significant digit')}"
        most = "" if bounds.upper == ANY_SIZE else f", up to {words.value(float(bounds.upper))}"
        return f"{numbers}{most}{sign}"
    steps = float(bounds.step)
    shown = f"{steps:g}{' day' if steps == 1 else ' days'}" if words.kind == "date" else f"{steps:g}"
    return f"{ends}, in steps of {shown}" if bounds.cells < 10**9 else ends


def _question(inputs: Inputs) -> State:
    if inputs.levels is not None and inputs.groups and inputs.group_choice is None:
        return State(False, "say which groups are answered")
    if inputs.levels is None or (inputs.plan is None and inputs.domain is not None and not inputs.cost_is_wrong):
        return State(False, "correct the fields in red")
    return State(True, question_in_words(inputs))


def question_in_words(inputs: Inputs, of: str = "") -> str:
    """Return the request about a column: `deciles of age, with 95 % intervals, for each of 12 groups of region`."""
    levels, chosen = inputs.levels or (), text("quantiles")
    many = count_in_words(len(levels), "quantile")
    said = "the median" if chosen == "median" else f"{LABELS[chosen].lower()}" if chosen in NAMED_LEVELS else many
    said += f" of {of}" if of else ""
    if inputs.intervals is not None:
        said += f", with {inputs.intervals.percent} intervals"
    choice = inputs.group_choice
    if choice is not None:
        number = "every group found" if choice.names is None else f"each of {len(choice.names):,} groups"
        said += f", for {number} of {choice.column}"
    return said


def expected_points(inputs: Inputs) -> tuple[float, ...]:
    """Return the expected error in points of rank, of each listed group where groups are asked; empty where unknown."""
    plan, domain, count = inputs.plan, inputs.domain, inputs.count
    if plan is None or domain is None or not count:
        return ()
    if inputs.groups:
        return tuple(100 * fraction for fraction in of_groups.fractions(inputs))
    person = inputs.column.person if inputs.column else None
    run = plan if inputs.best is None else inputs.best.plan  # with what the bounds leave of its budget
    error = work.know(expected_error, run, domain, count, unit_for(person, run))
    return () if error is None else (100 * error / count,)


def points_in_words(points: tuple[float, ...]) -> str:
    """Return an expected error in points of rank: `± 1.2 points`, `± 0.8 to 6.1 points`."""
    if not points:
        return UNKNOWN
    if max(points) < 0.1:
        return "under 0.1 points"
    low, high = (two_digits(max(each, 0.1)) for each in (min(points), max(points)))
    return f"± {high if low == high else f'{low} to {high}'} points"


def error_in_words(points: tuple[float, ...], among: str = "") -> str:
    """Return an expected error in a sentence: `± 1.2 points of rank`, and `among` whom; or that it is not known."""
    return f"{points_in_words(points)} of rank{among}" if points else UNKNOWN


def total_in_words(plan: Plan | None, payer: PayingAccount | None) -> str:
    """Return the total budget and what is left of it now: `of 3, of which 2.5 is left`; empty without one.

    With its letter where the plan's own budget does not end with an amount of that.
    """
    if payer is None or plan is None:
        return ""
    letter, total, left = left_in_numbers(payer)
    own = str(plan.privacy)
    unit = "" if own.startswith(letter) and "δ" not in own else f"{letter} = "
    return f"of {unit}{total}, of which {left} is left" if left != total else f"of {unit}{total}"


def price_in_words(plan: Plan | None, payer: PayingAccount | None) -> str:
    """Return what a release would use of the budget: `ε = 0.5 of 3, of which 2.5 is left`."""
    return f"{plan.privacy if plan else ''} {total_in_words(plan, payer)}".strip()


def cost_in_words(plan: Plan | None, payer: PayingAccount | None) -> str:
    """Return the same with the name of the account that pays."""
    return price_in_words(plan, payer) + (f", from the budget of {payer.name}" if payer else "")
