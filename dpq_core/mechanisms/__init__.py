"""The mechanisms: one room for each published idea, one line for each in MECHANISMS."""

from __future__ import annotations

from typing import cast

from .aq import mechanism as approximate_quantiles
from .base import (
    USUAL_BETA,
    USUAL_DELTA,
    Answer,
    Bound,
    D,
    Lemma,
    LemmaLoss,
    Mechanism,
    Option,
    P,
    Parameters,
    Registered,
    Step,
)
from .bins import mechanism as bin_histogram
from .gk import mechanism as gk_exponential
from .indexp import mechanism as independent_exponential
from .joint import mechanism as joint_exponential
from .normal import mechanism as normal_sample
from .profile import Profile
from .slices import mechanism as slice_quantiles
from .tree import mechanism as aggregation_tree

__all__ = [
    "MECHANISMS",
    "USUAL_BETA",
    "USUAL_DELTA",
    "Answer",
    "Bound",
    "Lemma",
    "LemmaLoss",
    "Mechanism",
    "Option",
    "Parameters",
    "Profile",
    "Registered",
    "Step",
    "checked",
]


def checked(module: Mechanism[P, D]) -> Registered:
    """Return a module of which mypy has checked that it is a mechanism, for P and D that it finds out by itself.

    One table holds mechanisms of different P and D, which no type can say: from here on a mechanism is trusted to be
    given parameters of its own `calibrate`, and data of the kind in READS (`release.reading`).
    """
    return cast(Registered, module)


MECHANISMS: dict[str, Registered] = {
    module.KEY: module
    for module in (
        checked(approximate_quantiles),
        checked(independent_exponential),
        checked(joint_exponential),
        checked(aggregation_tree),
        checked(slice_quantiles),
        checked(gk_exponential),
        checked(bin_histogram),
        checked(normal_sample),
    )
}
"""Every mechanism by its key, in the order in which people meet them."""
