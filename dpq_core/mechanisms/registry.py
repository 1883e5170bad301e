"""Every mechanism by its key: one line for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from ..arrays import Cells, Integers
from ..column import Column
from ..noise.entropy import Entropy
from ..sketches.bin_counts import BinCounts
from ..sketches.greenwald_khanna import GKSketch
from .aq import mechanism as approximate_quantiles
from .base import D, Mechanism, P, Registered
from .counts import aggtree as aggregation_tree
from .counts import binhist as bin_histogram
from .counts.answers import CountParameters
from .exponential.distribution import Ranges
from .freetotal import mechanism as free_total
from .gk import mechanism as gk_exponential
from .indexp import mechanism as independent_exponential
from .joint import mechanism as joint_exponential
from .normal import mechanism as normal_sample
from .slices import mechanism as slice_quantiles


def checked(module: Mechanism[P, D], parameters: type[P], reads: type[D]) -> Registered:
    """Return the module; mypy compares it with Mechanism, and needs the types to say what does not fit.

    One table holds mechanisms of different P and D, which no type can say: from here on a mechanism is trusted to be
    given parameters of its own `calibrate`, and data of the kind in READS (`calibrations.read_plan`).
    """
    return cast(Registered, module)


MECHANISMS: dict[str, Registered] = {
    module.KEY: module
    for module in (
        checked(approximate_quantiles, approximate_quantiles.AQParameters, Column),
        checked(independent_exponential, independent_exponential.IndExpParameters, Column),
        checked(joint_exponential, joint_exponential.JointParameters, Column),
        checked(free_total, free_total.FreeTotalParameters, Column),
        checked(aggregation_tree, CountParameters, Column),
        checked(slice_quantiles, slice_quantiles.SliceParameters, Column),
        checked(gk_exponential, gk_exponential.GKParameters, GKSketch),
        checked(bin_histogram, CountParameters, BinCounts),
        checked(normal_sample, normal_sample.NormalParameters, Column),
    )
}
"""Every mechanism by its key, in the order in which people meet them."""

RunSideBySide: TypeAlias = Callable[[Cells, Ranges, Any, Entropy, int], Integers]
SIDE_BY_SIDE: Mapping[str, RunSideBySide] = {
    approximate_quantiles.KEY: approximate_quantiles.run_side_by_side,
    free_total.KEY: free_total.run_side_by_side,
}
"""Those that run in many ranges (rows,) at once, with any numbers of records: for groups.

They return (copies, rows, levels), each with the distribution of `run`; of several copies, answer by answer.
"""
