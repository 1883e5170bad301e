"""The figure of the lesson on the free total: what one person does to two errors, and what noise has to cover."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dpq_core import Adjacency
from dpq_core.arrays import Floats, Integers
from dpq_core.mechanisms.freetotal import best_totals, counts_between, distances
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.joint import distance_of
from dpq_core.mechanisms.joint import mechanism as jointexp

from .picture import LessonPicture

PEOPLE = 10_000
"""In line before Kim comes; a whole number of them lies below either answer, and the figure does not depend on it."""
PLACES = {"below both answers": (1, 1), "between them": (0, 1), "above both": (0, 0)}
"""The places where Kim can be, and by how much each moves the ranks of the two answers."""

Score: TypeAlias = Callable[[Integers, tuple[Fraction, ...], int], Floats]
"""The distances of pairs of ranks (rows, 2), for two levels and a number of people."""


def joint_score(ranks: Integers, levels: tuple[Fraction, ...], count: int) -> Floats:
    """Return JointExp's distances."""
    return np.array([float(distance_of(row, levels, count)) for row in ranks.tolist()])


def free_score(ranks: Integers, levels: tuple[Fraction, ...], count: int) -> Floats:
    """Return the distances to the best totals."""
    counts, shares = counts_between(ranks, count), np.diff([0.0, *map(float, levels), 1.0])
    return distances(counts, shares, best_totals(counts, shares))


def outline(score: Score, levels: tuple[Fraction, ...], covered: float) -> Floats:
    """Return the errors (points, 2) of two answers whose distance is `covered`, as a closed curve.

    They are looked for in the directions of all whole points on the edge of a square, the marks among them.
    """
    half = int(100 * levels[-1])
    along, side = np.arange(-half, half), np.full(2 * half, half)
    edges = [(side, along), (-along, side), (-side, -along), (along, -side)]
    errors = np.concatenate([np.column_stack(edge) for edge in edges])
    scores = score(errors + _true_ranks(levels), levels, PEOPLE)
    found = errors * (covered / scores)[:, None]
    return np.asarray(np.concatenate([found, found[:1]]), dtype=np.float64)


def two_norms(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show how far one person moves the errors of two answers; then what the noise of either mechanism covers."""
    from dpq_core.figures.lessons import draw_outlines

    levels = (Fraction(int(setting), 100), 1 - Fraction(int(setting), 100))
    ranks = _true_ranks(levels) + np.array(list(PLACES.values()))
    moved = ranks - (PEOPLE + 1) * np.array([float(level) for level in levels])
    marks = [(name, *errors) for name, errors in zip(PLACES, moved.tolist(), strict=True)]
    table: dict[str, list[str]] = {
        "Kim joins": list(PLACES),
        "error of the lower answer": [f"{lower:+.3g}" for _, lower, _ in marks],
        "error of the upper answer": [f"{upper:+.3g}" for *_, upper in marks],
    }
    sentence = (
        f"Kim, who joins (filled) or leaves (open), moves the errors by {np.abs(moved).max():.3g} people at most."
    )
    alt = f"Six marks around a cross of zero errors, three for Kim joining, three for Kim leaving. {sentence}"
    if not revealed:
        return LessonPicture(draw_outlines(marks, []), alt, table, sentence)
    rings, covered, areas = [], [], []
    for each, name, score in (
        (jointexp, "compared with all (JointExp)", joint_score),
        (freetotal, "with the best total", free_score),
    ):
        covered.append(float(each.sensitivity(levels, Adjacency.ADD_REMOVE)))
        curve = outline(score, levels, covered[-1])
        areas.append(_area(curve))
        rings.append((each.KEY, name, *curve.T.tolist()))
        table[name] = [f"{distance:.3g}" for distance in score(ranks, levels, PEOPLE + 1)]
    sentence = (
        f"Kim moves JointExp's sum by up to {covered[0]:.3g}, with the best total by {covered[1]:.3g}: "
        f"its noise covers {areas[0] / areas[1]:.2g} times the area."
    )
    alt = f"{alt} A larger figure around a smaller one, on whose edge the outermost marks lie. {sentence}"
    return LessonPicture(draw_outlines(marks, rings), alt, table, sentence)


def _true_ranks(levels: tuple[Fraction, ...]) -> Integers:
    return np.array([int(level * PEOPLE) for level in levels])


def _area(curve: Floats) -> float:
    """Return the area within a closed curve around the origin."""
    x, y = curve.T
    return float(np.abs(x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2)
