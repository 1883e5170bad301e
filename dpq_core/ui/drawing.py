"""The one place where noise is drawn, and later the one to ask a ledger first: one press, one outcome."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from ..domain import Domain
from ..errors import Infeasible
from ..plan import Plan
from ..privacy import Adjacency, Guarantee, pure_to_rho
from . import columns, runs, settings, state
from .data import DataSet
from .page import complain, in_words
from .state import Mode

UNEXPECTED = "This did not work. Please change a setting and try again."


def draw_quantiles(data: DataSet, domain: Domain, plan: Plan, mode: Mode) -> None:
    """One simulation or one release of the plan's quantiles."""

    def draw() -> None:
        sample = state.sample_of(data, domain, mode)
        if mode is Mode.EXPLORE:
            state.keep_outcome(mode, runs.simulate_once(data, sample, plan, state.next_seed()))
        else:
            released = runs.release_once(data, sample, plan)
            state.note_spending(released.guarantee)
            state.keep_outcome(mode, released)

    _attempt(draw, plan.adjacency, mode)


def draw_column(data: DataSet, domain: Domain, plan: Plan, size: int, mode: Mode) -> None:
    """One simulated or released column of so many values."""

    def draw() -> None:
        sample = state.sample_of(data, domain, mode)
        if mode is Mode.EXPLORE:
            state.keep_column(mode, columns.simulate_column(data, sample, plan, size, state.next_seed()))
        else:
            released = columns.release_column(data, sample, plan, size)
            state.note_spending(released.guarantee)
            state.keep_column(mode, released)

    _attempt(draw, plan.adjacency, mode)


def _attempt(draw: Callable[[], None], adjacency: Adjacency, mode: Mode) -> None:
    """Draw, or say in one sentence why not; what a failed release has spent all the same is noted."""
    settings.forget_notes()
    try:
        with st.spinner("Drawing …"):
            draw()
    except Infeasible as error:
        charged = error.charged
        if charged and mode is Mode.RELEASE:
            rho = pure_to_rho(charged)
            state.note_spending(Guarantee(epsilon=charged, delta=0.0, rho=rho, adjacency=adjacency, exact=True))
        complain(f"{in_words(error)} {_charge(charged, mode)}".strip())
    except ValueError as error:
        complain(in_words(error))
    except Exception as error:  # its message might quote the data, so only its type is told
        logging.getLogger(__name__).error("Drawing ended with %s.", type(error).__name__)
        complain(UNEXPECTED)


def _charge(epsilon: float, mode: Mode) -> str:
    """What it has cost to find out."""
    if not epsilon:
        return ""
    if mode is Mode.EXPLORE:
        return f"A release would have spent ε = {epsilon:.4g} on finding this out."
    return f"Finding this out has spent ε = {epsilon:.4g}, which counts in this session."
