"""The figures of a run, found by the kind of step that a trace holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import plotly.graph_objects as go

from ...mechanisms.aq.trace import AQStep
from ...mechanisms.base import DrawStep, TraceStep
from ...mechanisms.bins.reading import HistogramStep
from ...mechanisms.freetotal.trace import FreeTotalStep
from ...mechanisms.gk.trace import GKStep
from ...mechanisms.joint.mechanism import JointStep
from ...mechanisms.normal.mechanism import NormalStep
from ...mechanisms.slices.trace import SliceStep
from ...mechanisms.tree.trace import TreeStep
from .bins import draw_bins, draw_sums
from .counts import draw_noise, draw_walk
from .distribution import draw_distribution
from .levels import draw_path, draw_weights
from .parts import draw_differences, draw_parts
from .recursion import draw_recursion
from .scene import S, Scene, has_steps
from .sketch import draw_classes, draw_sketch
from .slices import draw_slice, draw_slices


@dataclass(frozen=True)
class StructurePicture:
    """Two figures: the run, and the selected step, if a step has more to show."""

    run: Callable[[Scene[TraceStep]], go.Figure]
    step: Callable[[Scene[TraceStep]], go.Figure] | None


def _of(
    kind: type[S], run: Callable[[Scene[S]], go.Figure], step: Callable[[Scene[S]], go.Figure]
) -> tuple[type[TraceStep], StructurePicture]:
    """The figures of one kind of step, by that kind."""

    def checked(draw: Callable[[Scene[S]], go.Figure]) -> Callable[[Scene[TraceStep]], go.Figure]:
        def drawn(scene: Scene[TraceStep]) -> go.Figure:
            assert has_steps(scene, kind), "a run has steps of one kind"
            return draw(scene)

        return drawn

    return kind, StructurePicture(checked(run), checked(step))


PLAIN = StructurePicture(draw_weights, None)
"""Levels, targets and values: for steps of a kind that has no figure of its own."""
PICTURES = dict(
    (
        _of(AQStep, draw_recursion, draw_distribution),
        _of(JointStep, draw_path, draw_distribution),
        _of(FreeTotalStep, draw_parts, draw_differences),
        _of(SliceStep, draw_slices, draw_slice),
        _of(TreeStep, draw_walk, draw_noise),
        _of(GKStep, draw_sketch, draw_classes),
        _of(HistogramStep, draw_sums, draw_bins),
        _of(NormalStep, draw_sums, draw_bins),
        _of(DrawStep, draw_weights, draw_distribution),
    )
)


def picture_of(step: TraceStep) -> StructurePicture:
    """The figures for a run whose trace holds such steps."""
    return PICTURES.get(type(step), PLAIN)
