"""The figures of a run, found by the kind of step that a trace holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...mechanisms.aq.rounds import AQStep
from ...mechanisms.base import DrawStep, TraceStep
from ...mechanisms.counts.answers import HistogramStep, TreeStep
from ...mechanisms.freetotal.mechanism import FreeTotalStep
from ...mechanisms.gk.mechanism import GKStep
from ...mechanisms.joint.mechanism import JointStep
from ...mechanisms.normal.mechanism import NormalStep
from ...mechanisms.slices.draws import SliceStep
from ..frame import PlainFigure
from .counts import draw_bins, draw_noise, draw_sums, draw_walk
from .distribution import draw_classes, draw_distribution, draw_sketch
from .parts import draw_differences, draw_parts, draw_slice, draw_slices, draw_weights
from .recursion import draw_recursion
from .scene import Scene

Draw = Callable[[Scene[Any]], PlainFigure]


@dataclass(frozen=True)
class StructurePicture:
    """Two figures: the run, and the selected step, if a step has more to show."""

    run: Draw
    step: Draw | None


PLAIN = StructurePicture(draw_weights, None)
"""Levels, targets and values: for steps of a kind that has no figure of its own."""
PICTURES: dict[type[TraceStep], StructurePicture] = {
    AQStep: StructurePicture(draw_recursion, draw_distribution),
    JointStep: StructurePicture(partial(draw_weights, joined=True), draw_distribution),
    FreeTotalStep: StructurePicture(draw_parts, draw_differences),
    SliceStep: StructurePicture(draw_slices, draw_slice),
    TreeStep: StructurePicture(draw_walk, draw_noise),
    GKStep: StructurePicture(draw_sketch, draw_classes),
    HistogramStep: StructurePicture(draw_sums, draw_bins),
    NormalStep: StructurePicture(draw_sums, draw_bins),
    DrawStep: StructurePicture(draw_weights, draw_distribution),
}


def picture_of(step: TraceStep) -> StructurePicture:
    """Return the figures for a run whose trace holds such steps."""
    return PICTURES.get(type(step), PLAIN)
