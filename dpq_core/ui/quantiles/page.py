"""What the Quantiles page does between its controls and its results."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ...advice import needs
from ...domain import Domain
from ...mechanisms import MECHANISMS
from ...plan import Plan
from ...privacy import Adjacency
from ...results import DataSet, outcomes
from .. import budget
from ..budget import Payer, counts
from ..forms import equivalents, refusals
from ..settings import TABS, key, table
from ..shell import Mode, escape, links, pieces, state
from . import questions, results


def why_not(data: DataSet | None, domain: Domain | None, plan: Plan | None, mode: Mode) -> str:
    """Why the button cannot be pressed, but for the budget; empty where it can."""
    reason = missing(data, domain, plan)
    if reason or plan is None or domain is None:
        return reason
    return refusals.NOT_AVAILABLE if needs(plan, counts.judged_with(plan, data, mode), domain.cells) else ""


def refusal(
    page: str, data: DataSet | None, domain: Domain | None, plan: Plan | None, mode: Mode
) -> refusals.Refusal | None:
    """Why the chosen mechanism is not available for what was chosen on a page; None where it is."""
    count = counts.judged_with(plan, data, mode) if plan else None
    found = refusals.find(page, data, domain, plan, count)
    if found and count is not None and counts.public_count(data, mode) is None:
        return found.without_numbers(counts.HOWEVER_MANY)
    return found


def not_paid(payer: Payer | None, data: DataSet | None, plan: Plan | None, mode: Mode) -> str:
    """Why no budget pays for a release of this plan, which can be answered; empty where one does, and in Explore."""
    if mode is Mode.EXPLORE or plan is None:
        return ""
    if payer is None:
        return "Say first whose budget this spends, or correct the fields in red."
    return payer.why_not(counts.least_guarantee(plan, data, mode)) or questions.unanswered(plan, payer)


def missing(data: DataSet | None, domain: Domain | None, plan: Plan | None) -> str:
    """What has to be chosen or corrected before anything can be drawn; empty where all is there."""
    if data is None:
        return "First bring data, or correct the fields in red."
    if domain is None:
        return "Say first what the column could be: the bounds above are missing or wrong."
    return "" if plan else "A setting above needs another value first."


def answer_tabs() -> tuple[DeltaGenerator, DeltaGenerator, bool]:
    """The tabs for quantiles and for a synthetic column, and whether the second is open: closed it costs no time."""
    first, second = st.tabs(TABS, key=key("show"), on_change="rerun")
    return first, second, bool(second.open)


def run_button(mode: Mode, reason: str, plan: Plan | None, payer: Payer | None) -> bool:
    """The one primary button, under what has to be answered first; while it is disabled the line under it says why.

    While the tab of a synthetic column is open its own button is the one, and a line says where it stands.
    """
    if table.text("show") == TABS[1]:
        st.caption(f":material/arrow_forward: {mode.verb} a column: the button is beside *How many values*.")
        return False
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    price = "" if mode is Mode.EXPLORE else "Each press is a new release and spends the budget again."
    asked = partial(questions.ask, plan, payer, mode)
    return pieces.primary_button(mode.verb, "run", icon, reason, otherwise=price, questions=asked)


def is_first_picture(data: DataSet | None, mode: Mode) -> bool:
    """Whether nothing was drawn yet and the data is an example: the page then opens with one simulation."""
    return data is not None and data.is_example and state.outcome_of(mode, data) is None and not state.has_simulated()


def seed_to_draw(
    data: DataSet | None, domain: Domain | None, plan: Plan | None, mode: Mode, *, pressed: bool, ready: bool
) -> int | None:
    """Return the seed of the simulation that is due now, if one is: at a press, from a link, or as the first picture.

    The link of the page then carries it, or that of the simulation that is shown already.
    """
    asked, shown, due = links.take("seed"), shown_seed(data, domain, plan), None
    if ready and mode is Mode.EXPLORE:
        if pressed or refusals.take_used():
            due = state.next_seed()
        elif asked not in (None, shown) or is_first_picture(data, mode):
            due = state.use_seed(asked or int(table.text("seed")))
    links.carry(seed=due or shown)
    return due


def shown_seed(data: DataSet | None, domain: Domain | None, plan: Plan | None) -> int | None:
    """Return the seed of the simulation that is shown, if it is one with just these settings."""
    outcome = state.outcome_of(Mode.EXPLORE, data)
    if data is None or not isinstance(outcome, outcomes.Simulation):
        return None
    same = (outcome.identity, outcome.missing, outcome.domain, outcome.plan)
    return outcome.seed if same == (data.identity, data.missing, domain, plan) else None


def show(
    data: DataSet | None,
    domain: Domain | None,
    plan: Plan | None,
    mode: Mode,
    *,
    ready: bool,
    payer: Payer | None = None,
) -> None:
    """The last outcome of this mode, or a word that there is none yet; folded under a refusal, where there is one."""
    if data is not None and mode is Mode.RELEASE:
        state.forget_explored(data)
    outcome, refused = state.outcome_of(mode, data), refusal("quantiles", data, domain, plan, mode)
    if refused:
        account = payer.account if payer else None
        refusals.show("quantiles", refused, mode, account.adjacency if account else None)
    if outcome is None or data is None:
        if refused:
            return
        pieces.nothing_yet(mode.verb, mode.verb, ready, pieces.note(mode))
        return
    changed = (
        "" if refused or outcomes.is_current(outcome, data, domain, plan) else f"Settings changed: press {mode.verb}"
    )
    place = st.expander(_earlier(outcome), icon=":material/history:") if refused else st.container()
    with place, pieces.result("quantiles"):
        if isinstance(outcome, outcomes.Simulation):
            results.show_simulation(outcome, changed)
        else:
            results.show_release(outcome, changed, budget.spent_of(outcome.account))


def _earlier(outcome: outcomes.Simulation | outcomes.Released) -> str:
    """What an outcome of other settings is called where it is folded."""
    kind = "simulation" if isinstance(outcome, outcomes.Simulation) else "release"
    return f"The {kind} before: {escape(MECHANISMS[outcome.plan.mechanism].LABEL)}, {outcome.plan.privacy}"


def headline(data: DataSet | None, mode: Mode) -> str:
    """The line under the question: what is chosen now, which a result below need not be of, and what may be shown."""
    badge = pieces.NOT_PRIVATE if mode is Mode.EXPLORE else pieces.PRIVATE_ONLY
    if data is None:
        return badge
    hides = Adjacency(table.text("adjacency")).of(data.one)
    return f":gray[{pieces.CHOSEN} {escape(data.about)} · {hides}] {badge}"


def show_notes(notes: list[str]) -> None:
    """What was not understood in the link, until the button is pressed."""
    if notes:
        st.info("  \n".join(notes), icon=":material/link_off:")


def show_link(holds: str = "It holds no data and no answer.", *, of_a_draw: bool = True) -> None:
    """Show the settings as a link to give to someone; of an example's simulation it opens the same draw."""
    with st.popover("Copy link", icon=":material/link:", type="tertiary"):
        same = "settings and the same draw" if of_a_draw and links.repeats_a_draw() else "settings"
        st.caption(f"Opens this page with the same {same}. {holds}")
        st.code(links.link_text(), language=None, wrap_lines=True)


def show_equivalents(plan: Plan | None, data: DataSet | None, mode: Mode) -> None:
    """The budget said in the other ways; last of all, because the accountant takes a second to load."""
    if plan is not None:
        serves = not counts.why_not(plan, data, mode)
        st.caption(equivalents(plan.privacy, counts.least_guarantee(plan, data, mode) if serves else None))
