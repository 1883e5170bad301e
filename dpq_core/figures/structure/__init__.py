"""What a mechanism did in one run, drawn: a figure of the whole run, and one of the selected step beside it.

`picture_of` finds both by the kind of step that a trace holds, so that a mechanism is drawn as what it is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...mechanisms import Step
from ...mechanisms.bins import HistogramStep
from ...mechanisms.gk import GKStep
from ...mechanisms.normal import NormalStep
from ...mechanisms.slices import SliceStep
from ...mechanisms.tree import TreeStep
from .bins import BINS_BESIDE, draw_bins, draw_sums
from .counts import draw_noise, draw_walk
from .law import draw_law
from .levels import draw_path, draw_weights
from .recursion import draw_recursion
from .scene import MANY, Scene, law_of, tinted
from .sketch import draw_classes, draw_sketch
from .slices import draw_slice, draw_slices

__all__ = ["BINS_BESIDE", "MANY", "Scene", "law_of", "picture_of", "tinted"]

Draw = Callable[[Scene], Any]


@dataclass(frozen=True)
class Picture:
    """Two figures: the run, and the step that is selected in it, if there is more to say of one."""

    run: Draw
    step: Draw | None


PLAIN = Picture(draw_weights, None)
"""Levels, targets and values: for steps of a kind that has no figure of its own."""
PICTURES: dict[type, Picture] = {
    SliceStep: Picture(draw_slices, draw_slice),
    TreeStep: Picture(draw_walk, draw_noise),
    GKStep: Picture(draw_sketch, draw_classes),
    HistogramStep: Picture(draw_sums, draw_bins),
    NormalStep: Picture(draw_sums, draw_bins),
    Step: Picture(draw_weights, draw_law),
}
"""By the kind of step; where several mechanisms share one, OF_MECHANISM decides."""
OF_MECHANISM: dict[str, Picture] = {
    "aq": Picture(draw_recursion, draw_law),
    "jointexp": Picture(draw_path, draw_law),
}


def picture_of(mechanism: str, step: object) -> Picture:
    """The figures for a run of the mechanism, known by its key, whose trace holds such steps."""
    return OF_MECHANISM.get(mechanism) or PICTURES.get(type(step), PLAIN)
