"""Refusals on the screen: all that a mechanism needs to be available, each with the buttons that set it.

What is offered follows from public facts. Of data that is explored the number of records is on the screen anyway.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, log10

import streamlit as st

from dpq_core.advice.errors import replace_budget
from dpq_core.errors import BudgetError, Infeasible, ParameterError, Remedy
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import Adjacency, budget_in_digits
from dpq_core.results.chosen import Chosen

from .. import keys
from ..payment import counts
from ..payment.account import PROTECT, PayingAccount
from ..shell import links
from ..shell.header import escape, sentence_of
from ..shell.state import ChosenTable
from .form import Form
from .plan import open_option
from .table import BUDGET_LABELS, key, option_label

NOT_AVAILABLE = "Not available with these settings. The place of the answer says what to change."
_USED = keys.state("way_used")


@dataclass(frozen=True)
class Need:
    """One thing that a mechanism needs: a sentence, and the changes that would do, each by itself, the best first."""

    sentence: str
    remedies: tuple[Remedy, ...] = ()
    names_count: bool = False
    """Whether the sentence names the number of records that the mechanism was judged with."""


def need_of(error: ValueError) -> Need:
    """Return what an error asks for, in the words of the screen."""
    remedies = error.remedies if isinstance(error, ParameterError) else ()
    return Need(sentence_of(error), remedies, isinstance(error, Infeasible) and error.count is not None)


@dataclass(frozen=True)
class Refusal:
    """Why the present settings have no answer, and a sentence on what finding that out has cost."""

    plan: Plan
    needs: tuple[Need, ...]
    price: str = ""


def why_not(form: Form) -> str:
    """Return why the button cannot be pressed, but for the budget; empty where it can."""
    if form.data is None:
        return "Choose and read your data first, or correct the fields in red."
    if form.groups and form.domain is not None and form.group_choice is None:
        return "Say first which groups are answered."
    if isinstance(form.cost, ParameterError):
        return "These settings do not go together. The message beside them says why." if form.several else NOT_AVAILABLE
    refused = form.availability and form.availability.needs
    return form.why_incomplete(form.chosen) or (NOT_AVAILABLE if refused else "")


def find(page: str, form: Form) -> Refusal | None:
    """Return why what was chosen on a page has no answer, from public facts or from its last run; None where it has."""
    if isinstance(form.cost, ParameterError) and form.plan is not None:
        return Refusal(form.plan, (need_of(form.cost),))
    column, judged = form.column, form.availability
    if column is None or form.domain is None or judged is None:
        return None
    needs, price = tuple(map(need_of, judged.needs)), ""
    identity, chosen, *last = st.session_state.get(_refused(page), ("", None))
    if not needs and last and (identity, chosen) == (column.identity, form.chosen):
        needs, price = (last[0],), last[1]
    if not needs:
        return None
    hides = column.public_count is None
    return Refusal(judged.plan, tuple(_told(need, judged.count, hides=hides) for need in needs), price)


def _told(need: Need, count: int | None, *, hides: bool) -> Need:
    """Return a need as it may be told where it was judged with a number of records; `hides`: that one is private.

    A bound on the number of people is a round number above it.
    """
    if count is None:
        return need
    bound = Remedy("n_max", 10 ** ceil(log10(2 * max(count, 1))))
    remedies = tuple(bound if way == Remedy("n_max") else way for way in need.remedies)
    sentence = counts.HOWEVER_MANY if hides and need.names_count else need.sentence
    return replace(need, sentence=sentence, remedies=remedies)


def _refused(page: str) -> str:
    return keys.state("refused", page)


def keeper(page: str, table: ChosenTable, asked: Chosen) -> Callable[[Need, str], None] | None:
    """Forget the last refused run of a page, and return what keeps the next one: its refusal, and what that cost.

    None where no other settings avoid it: only the quantiles of one whole column are refused so.
    """
    st.session_state.pop(_refused(page), None)
    if not table.bare or asked.question.groups is not None:
        return None

    def keep(need: Need, price: str) -> None:
        st.session_state[_refused(page)] = table.identity, asked, need, price

    return keep


def show(page: str, refusal: Refusal, payer: PayingAccount | None = None) -> None:
    """Show a refusal in the place of the answer. What the budget that pays cannot give is not offered, but said."""
    adjacency = payer.account.adjacency if payer and payer.account else None
    with st.container(border=True):
        st.markdown(f"**{escape(MECHANISMS[refusal.plan.mechanism].LABEL)} is not available with these settings.**")
        if len(refusal.needs) > 1:
            st.caption("It needs all of this:")
        for number, need in enumerate(refusal.needs):
            st.markdown(f":material/block: {escape(need.sentence)}")
            with st.container(horizontal=True, gap="small"):
                for way in need.remedies:
                    short = _shortfall(way, refusal.plan, payer)
                    if short:
                        st.caption(escape(f"ε = {_amount(way)} would be enough. {short}"))
                    elif way.name != "adjacency" or adjacency in (None, Adjacency(str(way.value))):
                        offer(f"{page}_{number}", way, refusal.plan)
        if refusal.price:
            st.caption(escape(refusal.price))


def _shortfall(way: Remedy, plan: Plan, payer: PayingAccount | None) -> str:
    """Return why the budget that pays does not allow a way; empty where it does, and for ways that cost no more."""
    if payer is None or way.name != "epsilon" or not isinstance(way.value, int | float):
        return ""
    return payer.shortfall(replace_budget(plan.privacy, float(way.value)))


def take_used() -> bool:
    """Return whether one of the buttons was pressed since this was asked last; only simulations ask."""
    return bool(st.session_state.pop(_USED, False))


def offer(place: str, way: Remedy, plan: Plan) -> None:
    """Draw a button that changes one setting of a plan; a page that simulates then draws at once."""
    name = keys.widget("way", place, way.name, way.value)
    st.button(_label(way), key=name, on_click=partial(_use, way, plan.mechanism))


def _amount(way: Remedy) -> str:
    assert isinstance(way.value, int | float), "asked of ways by another epsilon or delta"
    return budget_in_digits(way.value)


def _label(way: Remedy) -> str:
    """Return what pressing the button does: `Use ε = 1.75`, `Merge close quantiles`, `Set Sigma …`."""
    label = option_label(way.name)
    match way.name:
        case "epsilon":
            return f"Use ε = {_amount(way)}"
        case "delta":
            return f"Use δ = {_amount(way)}"
        case "budget":
            return f"Use a budget in {BUDGET_LABELS[str(way.value)]}"
        case "adjacency":
            return PROTECT[Adjacency(str(way.value))]
        case "mechanism":
            return f"Use {MECHANISMS[str(way.value)].LABEL}"
        case "merge_close":
            return "Merge close quantiles"
    if way.value is None:
        return f"Set {label} …"
    return f"Set {label} = {way.value:,}" if isinstance(way.value, int | float) else f"Set {label} = {way.value}"


def _use(way: Remedy, mechanism: str) -> None:
    """Set what the button says, as if it had been typed; for a value that only a person knows, open its field."""
    st.session_state[key("mechanism")] = mechanism  # chosen by hand from now on: the button is about this one
    match way.name:
        case "delta":
            st.session_state[key("budget")] = "approximate"
            st.session_state[key("delta")] = f"{way.value:g}"
        case "epsilon":
            st.session_state[key("epsilon")] = f"{way.value:g}"
        case "budget" | "adjacency" | "mechanism":
            st.session_state[key(way.name)] = str(way.value)
        case _ if way.value is None:
            open_option(mechanism, way.name)
            return
        case _:
            st.session_state[key(f"{mechanism}.{way.name}")] = str(way.value)
    st.session_state[_USED] = True


Keep = Callable[[Need, str], None]
"""Keeps what a refused plan needs, and a sentence on what finding out has cost."""
UNEXPECTED = "This did not work. Please change a setting and try again."
WOULD_COST = "A release would have spent ε = {} on finding this out."


class Unsaid(ValueError):
    """A refusal that may follow from a number that the screen must not know; `.charged` as of Infeasible."""

    def __init__(self, sentence: str, charged: float) -> None:
        super().__init__(sentence)
        self.charged = charged


def attempt(
    draw: Callable[[], None], refused: Keep | None = None, *, cost: str = WOULD_COST, unexpected: str = UNEXPECTED,
    over_budget: Callable[[BudgetError], str] = sentence_of,
) -> str:  # fmt: skip
    """Draw, and return one sentence on why it failed, else nothing. What a failure has spent is in the ledger.

    `refused` takes a refusal that other settings avoid, with what it has cost; then nothing is left to be said.
    `cost`, `unexpected`, `over_budget`: the sentences on what finding out has cost, on what nobody expected, and on a
    budget that does not allow it.
    """
    links.forget_notes()
    try:
        with st.spinner("Drawing …"):
            draw()
    except BudgetError as error:
        return over_budget(error)
    except (Infeasible, Unsaid) as error:
        need, price = need_of(error), cost.format(budget_in_digits(error.charged, 4)) if error.charged else ""
        if refused is not None:
            refused(need, price)
            return ""
        return f"{need.sentence} {price}".strip()
    except ValueError as error:
        return sentence_of(error)
    except Exception as error:  # its message might quote the data, so log only its type
        logging.getLogger(__name__).error("Drawing ended with %s.", type(error).__name__)
        return unexpected
    return ""
