"""The mechanisms: one room for each published idea, one line for each in MECHANISMS."""

from __future__ import annotations

from typing import cast

from .aq import mechanism as approximate_quantiles
from .base import USUAL_DELTA, Answer, LemmaLoss, Mechanism, Option, Parameters, Step
from .bins import mechanism as bin_histogram
from .gk import mechanism as gk_exponential
from .indexp import mechanism as independent_exponential
from .joint import mechanism as joint_exponential
from .normal import mechanism as normal_sample
from .slices import mechanism as slice_quantiles
from .tree import mechanism as aggregation_tree

__all__ = ["MECHANISMS", "USUAL_DELTA", "Answer", "LemmaLoss", "Mechanism", "Option", "Parameters", "Step"]

MECHANISMS: dict[str, Mechanism] = {
    module.KEY: cast(Mechanism, module)
    for module in (
        approximate_quantiles,
        independent_exponential,
        joint_exponential,
        aggregation_tree,
        slice_quantiles,
        gk_exponential,
        bin_histogram,
        normal_sample,
    )
}
"""Every mechanism by its key, in the order in which people meet them."""
