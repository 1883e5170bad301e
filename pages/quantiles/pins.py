"""Before and after: a simulation that stays in grey behind the next ones, and what has changed since in one line."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpq_core.mechanisms import MECHANISMS
from dpq_core.privacy import ZCDP, ApproxDP, Privacy, PureDP
from dpq_core.results import Simulation, error_in_words, two_digits

from .. import keys
from ..frame import escape, state

TIMES = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 10: "Ten", 20: "Twenty", 50: "Fifty", 100: "A hundred"}
HELP = "The simulation that is shown now stays in grey behind those that follow."


def choose(outcome: Simulation) -> Simulation | None:
    """Draw the button that pins an outcome, or lets go of the pinned one; return the one to be shown behind it."""
    pinned = state.pinned_beside(outcome)
    kept = pinned or (outcome if state.is_pinned(outcome) else None)
    with st.container(horizontal=True, gap="medium"):
        st.button(
            "Pin this", key=keys.widget("pin"), icon=":material/keep:", type="tertiary", help=HELP,
            disabled=state.is_pinned(outcome), on_click=partial(state.pin, outcome),
        )  # fmt: skip
        if kept is not None:
            st.button(
                "Unpin",
                key=keys.widget("unpin"),
                icon=":material/keep_off:",
                type="tertiary",
                on_click=partial(state.pin, None),
            )
    return pinned


def beside(outcome: Simulation) -> Simulation | None:
    """Return the pinned outcome to be shown behind one, without a button."""
    return state.pinned_beside(outcome)


def finding(before: Simulation, now: Simulation) -> str:
    """Return what is different, and what it did to the error: `Ten times more private: error 1 → 40 people`."""
    words = now.wording
    errors = [error_in_words(each.usual_error, words.one, words.many) for each in (before, now)]
    if errors[0].partition(" ")[2] == errors[1].partition(" ")[2]:  # write the same unit once
        errors[0] = errors[0].partition(" ")[0]
    return f"{_change(before, now)}: error {errors[0]} → {errors[1]}"


def _change(before: Simulation, now: Simulation) -> str:
    """Return in a few words which settings are different."""
    found = [] if before.plan.privacy == now.plan.privacy else [_of_privacy(before.plan.privacy, now.plan.privacy)]
    if before.plan.mechanism != now.plan.mechanism:
        found.append(" → ".join(MECHANISMS[each.plan.mechanism].LABEL for each in (before, now)))
    if before.plan.quantiles != now.plan.quantiles:
        found.append(f"{len(before.plan.quantiles)} → {len(now.plan.quantiles)} quantiles")
    if before.bounds != now.bounds:
        found.append("other bounds" if found else "Other bounds")
    return ", ".join(found) or ("Other noise" if before.plan == now.plan else "Other settings")


def _of_privacy(before: Privacy, now: Privacy) -> str:
    """Return how many times more or less private; both budgets where they are of different kinds."""
    if isinstance(before, ZCDP) or isinstance(now, ZCDP) or _delta(before) != _delta(now):
        return f"{before} → {now}"
    times = max(before.epsilon / now.epsilon, now.epsilon / before.epsilon)
    whole = round(times) if abs(times - round(times)) < 1e-9 else 0
    side = "more" if now.epsilon < before.epsilon else "less"
    return f"{TIMES.get(whole) or two_digits(times)} times {side} private"


def _delta(privacy: PureDP | ApproxDP) -> float:
    return privacy.delta if isinstance(privacy, ApproxDP) else 0.0


def show(before: Simulation | None, now: Simulation) -> None:
    """Say the finding above the figures, where there is something to compare with."""
    if before is not None:
        st.markdown(f"**{escape(finding(before, now))}**  \n:small[:gray[pinned → now, mean over {now.draws} runs]]")
