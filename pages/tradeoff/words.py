"""What a sweep found, in words: how the error moves along it, and which mechanism errs least at the chosen setting."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from dpq_core.results import error_in_words
from dpq_core.studies import Row

from ..frame import escape
from ..studies import Subject, clearly_worse
from .questions import SWEPT

Point = tuple[float, Row]
"""Where on the swept axis, and what was measured there."""
LEAST_BY_ITSELF = 1e-4
"""Smaller numbers would be written with an exponent."""
ERRORS = {"mean": "mean rank error", "max": "worst rank error"}


def finding(points: Sequence[Point], sweep: str, here: float | None, measure: str, subject: Subject) -> str:
    """Return what a sweep shows about an error of the best mechanism at each place, in words; empty for one place."""
    served = [(x, row) for x, row in points if row.supported]
    best = {x: min(_at(served, x), key=lambda row: _error(row, measure)) for x in sorted({x for x, _ in served})}
    if len(best) < 2:
        return ""
    (start, first), *_, (end, last) = best.items()
    one = len({row.label for _, row in points}) == 1
    error = f"{ERRORS[measure]} of {escape(first.label)}" if one else f"least {ERRORS[measure]}"
    moved = _moved(first, last, measure, subject)
    before, after = SWEPT[sweep].around
    said = f"**From {before}{shown(start)} to {shown(end)}{after} the {error} {moved}.**"
    if one or here is None:
        return said
    near = min(best, key=lambda x: abs(log(x / here)))
    return f"{said} {_least(best[near], _at(served, near), f'{before}{shown(near)}{after}', measure)}"


def _moved(first: Row, last: Row, measure: str, subject: Subject) -> str:
    """Return how the error differs between two rows, as far as the runs show."""
    ends = [error_in_words(_error(row, measure), subject.one, subject.many) for row in (first, last)]
    if ends[0] == ends[1]:
        return f"stays {ends[0]}" if ends[0].startswith("under") else f"stays at {ends[0]}"
    name = f"{measure}_error"
    if clearly_worse(first, last, name):
        return f"falls from {ends[0]} to {ends[1]}"
    if clearly_worse(last, first, name):
        return f"grows from {ends[0]} to {ends[1]}"
    return f"stays about the same: {ends[0]} and {ends[1]}"


def _least(best: Row, rows: Sequence[Row], place: str, measure: str) -> str:
    """Return which mechanism errs least at a place, and from which ones the difference is within simulation noise."""
    alike = [escape(row.label) for row in rows if row is not best and not clearly_worse(row, best, f"{measure}_error")]
    if len(alike) == len(rows) - 1 > 0:
        return f"At {place} the differences between the mechanisms are within simulation noise."
    tied = f"; the difference from {' and '.join(alike)} is within simulation noise" if alike else ""
    return f"At {place} {escape(best.label)} errs least{tied}."


def _at(points: Sequence[Point], place: float) -> list[Row]:
    return [row for x, row in points if x == place]


def _error(row: Row, measure: str) -> float:
    return float(getattr(row, f"{measure}_error"))


def shown(x: float) -> str:
    """Return a swept setting: `0.00005`, `0.2154`, `120,998`."""
    if x < LEAST_BY_ITSELF:
        return f"{float(f'{x:.4g}'):.10f}".rstrip("0")
    return f"{x:,.4g}" if x < 1e4 else f"{x:,.0f}"
