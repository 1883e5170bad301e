"""The scales of the picture that a visitor sees: they keep still from answer to answer, and a change is announced."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dpq_core.results import Simulation

from .. import keys

_SHOWN = keys.state("scale")


@dataclass(frozen=True)
class Scale:
    """Where the two axes of a picture end, and for which picture."""

    picture: tuple[object, ...]
    """What has to be the same for scales to be compared: the column and its words, its bounds."""
    values: tuple[float, float] | None
    """None where the axis runs over decades, or where there is nothing on it."""
    reach: int
    """Of the rank errors, to either side."""
    said: str = ""
    """What has changed since the picture before; empty where nothing has."""
    figure: str = ""
    """Whose axis that is: `distribution` or `errors`."""
    changes: int = 0
    """How often a scale has changed so far."""
    drawn: object = None
    """The outcome that it was made for."""


def of(outcome: Simulation, *, playing: bool) -> Scale:
    """Return the scales of an outcome; the same ones as long as all is on them."""
    from dpq_core.figures import reach_of, value_range

    shown: Scale | None = st.session_state.get(_SHOWN)
    if shown is not None and shown.drawn is outcome:
        return shown
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
        reach=reach_of(errors, shown.reach if shown else None, may_shrink=not playing),
        drawn=outcome,
    )
    found = found if shown is None else _compared(shown, found, outcome)
    st.session_state[_SHOWN] = found
    return found


def _compared(before: Scale, now: Scale, outcome: Simulation) -> Scale:
    """Return the scale with what has changed since the one before."""
    words = outcome.wording
    if before.reach != now.reach:
        said = f"New scale: the rank errors now end at ±{now.reach:,} {words.many}; before, at ±{before.reach:,}."
        return replace(now, said=said, figure="errors", changes=before.changes + 1)
    if before.values != now.values and now.values is not None:
        low, high = (words.number(end) for end in now.values)
        said = f"New scale: the values now run from about {low} to {high}."
        return replace(now, said=said, figure="distribution", changes=before.changes + 1)
    return replace(now, changes=before.changes)
