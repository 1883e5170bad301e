"""The scales of the picture that a visitor sees: they keep still from answer to answer."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpq_core.results.kinds import Simulation

from .. import keys

_SHOWN = keys.state("scale")


@dataclass(frozen=True)
class Scale:
    """Where the two axes of a picture end, and for which picture."""

    picture: tuple[object, ...]
    """What has to be the same for a scale to be kept: the column and its words, its bounds."""
    values: tuple[float, float] | None
    """None where the axis runs over decades, or where there is nothing on it."""
    reach: int
    """Of the rank errors, to either side."""


def of(outcome: Simulation) -> Scale:
    """Return the scales of an outcome; the same ones as long as all is on them."""
    from dpq_core.figures.axes import reach_of, value_range

    shown: Scale | None = st.session_state.get(_SHOWN)
    picture = (outcome.cache_key, outcome.bounds, outcome.wording.axis)
    if shown is not None and shown.picture != picture:
        shown = None
    errors = [*outcome.errors, *outcome.lows, *outcome.highs]
    answers = [*outcome.values, *(end for both in outcome.intervals for end in both)]
    ends, even = (float(outcome.domain.lower), float(outcome.domain.upper)), outcome.domain.has_even_steps
    distribution = outcome.cdf[0].tolist(), outcome.cdf[1].tolist()
    found = Scale(
        picture=picture,
        values=value_range(outcome.true_values, answers, distribution, ends) if even else None,
        reach=reach_of(errors, shown.reach if shown else None),
    )
    st.session_state[_SHOWN] = found
    return found
