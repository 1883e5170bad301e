"""The numbers of the figure of one step, as a table."""

from __future__ import annotations

from dpq_core.mechanisms.base import DrawStep
from dpq_core.mechanisms.bins.reading import HistogramStep
from dpq_core.mechanisms.freetotal.trace import FreeTotalStep
from dpq_core.mechanisms.gk.trace import GKStep
from dpq_core.mechanisms.slices.trace import SliceStep
from dpq_core.mechanisms.tree.trace import TreeStep
from dpq_core.results.trace import InsideRun

from .words import Rows

LEAST_CHANCE = 0.001
"""Values that were less likely are left out of the table of a distribution."""


def details_of(run: InsideRun, at: int) -> Rows:
    """Return the numbers of one step's figure as texts; empty where the table of all steps has them all."""
    step = run.steps[at]
    if isinstance(step, TreeStep):
        return _walk(run, step)
    if isinstance(step, HistogramStep):
        return _bins(run, step)
    if isinstance(step, FreeTotalStep):
        return _differences(run, at)
    return _distribution(run, step) if isinstance(step, DrawStep | GKStep) and not isinstance(step, SliceStep) else {}


def _differences(run: InsideRun, at: int) -> Rows:
    """Return the parts below the answers so far, and the one above the last answer."""
    steps = [step for step in run.steps[: at + 1] if isinstance(step, FreeTotalStep)]
    parts = [step.below for step in steps]
    if at == len(run.steps) - 1:
        parts.append(steps[-1].above)
    return {
        "from": [run.wording.number(part.bounds[0]) for part in parts],
        "to": [run.wording.number(part.bounds[1]) for part in parts],
        f"between ({run.wording.many})": [f"{part.records:,}" for part in parts],
        "proportion of the best total": [f"{part.wanted:,.1f}" for part in parts],
        "difference": [f"{part.records - part.wanted:+,.1f}" for part in parts],
    }


def _walk(run: InsideRun, step: TreeStep) -> Rows:
    read = run.wording.number
    return {
        "depth": [str(depth) for depth in range(1, len(step.path) + 1)],
        "from": [read(node.bounds[0]) for node in step.path],
        "to": [read(node.bounds[1]) for node in step.path],
        f"true ({run.wording.many})": [f"{node.count:,}" for node in step.path],
        "noisy": [f"{node.noisy:,}" for node in step.path],
        "made consistent": [f"{node.consistent:,.1f}" for node in step.path],
    }


def _bins(run: InsideRun, step: HistogramStep) -> Rows:
    from dpq_core.figures.structure.bins import BINS_BESIDE

    table = step.bins
    shown = range(max(step.bin - BINS_BESIDE, 0), min(step.bin + BINS_BESIDE + 1, table.first.size))
    return {
        "bin": [f"{place + 1:,}" for place in shown],
        "from": [run.wording.number(float(table.first[place])) for place in shown],
        f"true ({run.wording.many})": [f"{int(table.count[place]):,}" for place in shown],
        "noisy": [f"{int(table.noisy[place]):,}" for place in shown],
        "made consistent": [f"{float(table.agreed[place]):,.1f}" for place in shown],
    }


def _distribution(run: InsideRun, step: DrawStep | GKStep) -> Rows:
    """Return the probability of the values from each distinct start of a piece to the next."""
    chances: dict[float, float] = {}
    for start, chance in zip(*step.distribution, strict=True):
        chances[start] = chances.get(start, 0.0) + chance
    likely = [(start, chance) for start, chance in chances.items() if chance >= LEAST_CHANCE]
    return {
        "values from": [run.wording.number(start) for start, _ in likely],
        "chance": [f"{100 * chance:.1f} %" for _, chance in likely],
    }
