"""The card above the leaderboard: which mechanism to expect the least error of, from public facts alone."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from ..errors import ParameterError
from ..studies.advice import Advice, Expectation, Facts, advise
from ..studies.shapes import domain_of
from . import studies
from .page import complain, escape, in_words, term
from .studies import Asked, three_digits
from .subjects import Subject, round_number

KNOWN_BEFOREHAND = ("sigma", "mean_bound")
"""Options that say what is known of a column; chosen for one mechanism, they are facts for all advice."""


def show(asked: Asked | None) -> None:
    """What to choose for these settings and why; nothing where the settings are not there yet."""
    if asked is None:
        return
    try:
        advice = _advise(facts_of(asked))
    except ParameterError as error:
        complain(in_words(error))
        return
    with st.container(border=True):
        if not advice.ranking:
            st.markdown("**Advice: no mechanism serves these settings.** Below it is said of each what would do.")
            return
        best = advice.ranking[0]
        st.markdown(f"**Advice: {escape(best.label)}** — {expectation(best, asked.subject)}", help=term("advice"))
        st.caption(f"{escape(best.why)} {' '.join(map(escape, advice.remarks))}")


def facts_of(asked: Asked) -> Facts:
    """The public facts of a study. Raises ParameterError."""
    subject, grid = asked.subject, asked.grid
    known = {
        name: float(value)
        for options in studies.tuned().values()
        for name, value in options.items()
        if name in KNOWN_BEFOREHAND and isinstance(value, int | float)
    }
    complete = len(known) == len(KNOWN_BEFOREHAND)
    return Facts(
        quantiles=grid.quantiles[0],
        privacy=grid.budgets[0],
        adjacency=grid.adjacencies[0],
        n=subject.count,
        cells=(subject.domain or domain_of(subject.data)).cells,
        n_max=round_number(subject.count),
        sigma=known.get("sigma") if complete else None,
        mean_bound=known.get("mean_bound") if complete else None,
    )


def expectation(best: Expectation, subject: Subject) -> str:
    """What rank errors to expect, in words."""
    share = f", {best.mean_share:.2%} of all" if best.mean_share == best.mean_share else ""
    return (
        f"expect a rank error of about {three_digits(best.mean_error)} {subject.many} on average{share} "
        f"({studies.interval(best.mean_low, best.mean_high)}, depending on the shape of the data), and "
        f"{three_digits(best.max_error)} at the worst quantile."
    )


@lru_cache(maxsize=32)
def _advise(facts: Facts) -> Advice:
    return advise(facts)
