"""What the Quantiles page does between its controls and its results."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..domain import Domain
from ..plan import Plan
from ..privacy import Adjacency
from . import counts, links, pieces, questions, results, runs, settings, state
from .budget import Payer
from .data import DataSet
from .forms.privacy import equivalents
from .page import escape, in_words
from .settings import TABS, key
from .state import Mode


def why_not(data: DataSet | None, domain: Domain | None, plan: Plan | None, mode: Mode) -> str:
    """Why the button cannot be pressed, but for the budget; empty where it can."""
    reason = missing(data, domain, plan)
    return reason or in_words(counts.why_not(plan, data, mode) if plan else "")


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


def _open_first_tab() -> None:
    """Whoever presses the main button wants to see what comes."""
    st.session_state[key("show")] = TABS[0]


def run_button(mode: Mode, reason: str) -> bool:
    """The one primary button; while it is disabled the line under it says why."""
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    price = "" if mode is Mode.EXPLORE else "Each press is a new release and spends the budget again."
    return pieces.primary_button(mode.verb, "run", icon, reason, otherwise=price, on_click=_open_first_tab)


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
        if pressed:
            due = state.next_seed()
        elif asked not in (None, shown) or is_first_picture(data, mode):
            due = state.use_seed(asked or int(settings.text("seed")))
    links.carry(seed=due or shown)
    return due


def shown_seed(data: DataSet | None, domain: Domain | None, plan: Plan | None) -> int | None:
    """Return the seed of the simulation that is shown, if it is one with just these settings."""
    outcome = state.outcome_of(Mode.EXPLORE, data)
    if data is None or not isinstance(outcome, runs.Simulation):
        return None
    same = (outcome.identity, outcome.missing, outcome.domain, outcome.plan)
    return outcome.seed if same == (data.identity, data.missing, domain, plan) else None


def show(data: DataSet | None, domain: Domain | None, plan: Plan | None, mode: Mode, *, ready: bool) -> None:
    """The last outcome of this mode, or a word that there is none yet."""
    if data is not None and mode is Mode.RELEASE:
        state.forget_explored(data)
    outcome = state.outcome_of(mode, data)
    if outcome is None or data is None:
        pieces.nothing_yet(mode.verb, mode.verb, ready, pieces.note(mode))
        return
    now = (data.identity, data.missing, domain, plan)
    same = (outcome.identity, outcome.missing, outcome.domain, outcome.plan) == now
    changed = "" if same else f"Settings changed: press {mode.verb}"
    if outcome.identity == data.identity:
        outcome = replace(outcome, wording=runs.wording_of(data, outcome.domain))
    if isinstance(outcome, runs.Simulation):
        results.show_simulation(outcome, changed)
    else:
        results.show_release(outcome, changed)


def headline(data: DataSet | None, mode: Mode) -> str:
    """The line under the question: which data, what is hidden, and what this screen shows."""
    badge = pieces.NOT_PRIVATE if mode is Mode.EXPLORE else pieces.PRIVATE_ONLY
    if data is None:
        return badge
    hides = Adjacency(settings.text("adjacency")).in_words.replace("one person", f"one {data.one}")
    return f":gray[{escape(data.about)} · {hides}] {badge}"


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
