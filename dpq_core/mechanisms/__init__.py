"""The mechanisms: one module for each published idea, one line for each in MECHANISMS."""

from __future__ import annotations

from typing import cast

from . import (
    aggregation_tree,
    approximate_quantiles,
    bin_histogram,
    gk_exponential,
    independent_exponential,
    joint_exponential,
    normal_sample,
    slice_quantiles,
)
from .base import Answer, LemmaLoss, Mechanism, Option, Parameters, Step

__all__ = ["MECHANISMS", "Answer", "LemmaLoss", "Mechanism", "Option", "Parameters", "Step"]

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
