"""What the Trade-off page asks: which setting is swept, over which values, and which error is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dpq_core.advice.errors import replace_budget
from dpq_core.domain.domain import Domain
from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.privacy.budgets import ZCDP, PureDP
from dpq_core.sketches.greenwald_khanna import GKSketch
from dpq_core.studies import engine
from dpq_core.studies.configuration import Method, expected_seconds
from dpq_core.studies.design import StudyDesign, even_levels
from dpq_core.studies.engine import Row

from ..compare.study import StudyRequest, start
from ..shell import fields
from ..shell.header import complain, sentence_of

NAME = "tradeoff"
"""The study of the page."""
FIRST_POINTS = 4
"""Of the sweep that is there before any press, besides the chosen one."""

AMOUNTS = (
    0.05, 0.067, 0.09, 0.12, 0.16, 0.21, 0.28, 0.38, 0.5, 0.67, 0.9, 1.2, 1.6, 2.1, 2.8, 3.8, 5, 6.7, 9, 10,
)  # fmt: skip
"""Of ε: 20 steps from strict to loose."""
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
VALUES: dict[str, tuple[float, ...]] = {
    "epsilon": AMOUNTS,
    "rho": tuple(float(f"{amount**2 / 8:.2g}") for amount in AMOUNTS),
    "records": SIZES,
    "levels": (1, 2, 3, 5, 7, 9, 15, 20, 30, 45, 60, 90, 120),
    "width": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    "alpha": (0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05),
}
"""What each setting is swept over; ρ over those with about the same noise in an exponential mechanism, ε²/8."""


@dataclass(frozen=True)
class Sweep:
    """A setting that can be swept: its words, and how to read its value from a row."""

    axis: str
    at: Callable[[Row], float]
    around: tuple[str, str]
    """What a sentence says before and after a number on it."""
    note: str = ""


SWEPT: dict[str, Sweep] = {
    "epsilon": Sweep("privacy loss ε", lambda row: row.epsilon, ("ε = ", "")),
    "rho": Sweep("privacy loss ρ", lambda row: row.rho, ("ρ = ", "")),
    "records": Sweep(
        "records", lambda row: row.n, ("", " records"),
        "Records are drawn afresh for each size, with replacement.",
    ),
    "levels": Sweep(
        "quantiles", lambda row: row.m, ("", " quantiles"),
        "All quantiles are evenly spaced here.",
    ),
    "width": Sweep(
        "upper minus lower bound", lambda row: row.upper - row.lower, ("bounds ", " wide"),
        "The bounds grow up to 1,000 times as wide around the same middle; the data stay as they are.",
    ),
    "alpha": Sweep(
        "α", lambda row: json.loads(row.options)["alpha"], ("α = ", ""),
        "Only mechanisms that read a sketch have an α. Below 1 / (2 n) the sketch keeps every record.",
    ),
}  # fmt: skip


def choose_sweep() -> str:
    """Ask for the setting that is swept, and say how."""
    chosen = fields.selectbox("sweep")
    if SWEPT[chosen].note:
        st.caption(SWEPT[chosen].note)
    return chosen


def swept(request: StudyRequest | None, sweep: str) -> StudyRequest | None:
    """Return the study with a setting swept; None, and a word why, where that cannot be asked."""
    if request is None:
        return None
    here = _here(sweep, request)
    try:
        grid = StudyDesign.from_dict(request.grid.as_dict() | _lists(sweep, request, VALUES[sweep], here))
    except ParameterError as error:
        complain(sentence_of(error))
        return None
    last = len(VALUES[sweep]) - 1
    few = [VALUES[sweep][round(last * at / (FIRST_POINTS - 1))] for at in range(FIRST_POINTS)]
    first = _lists(sweep, request, few, here)
    return replace(request, grid=grid, extra=(sweep, here, first))


def run(request: StudyRequest, seed: int) -> None:
    """Start the sweep; the one that the page opens with has few points."""
    expected = expected_seconds(request.grid.configurations(), request.subject.count)
    start(NAME, request, seed, engine.steps, expected, **({} if seed else request.extra[2]))


def _here(sweep: str, request: StudyRequest) -> float | None:
    """Return the place of the page's settings on the swept axis; None where they have none."""
    levels, count, privacy = request.grid.quantiles[0], request.subject.count, request.grid.budgets[0]
    places = {
        "epsilon": getattr(privacy, "epsilon", None),
        "rho": getattr(privacy, "rho", None),
        "records": count if 0 < count <= max(SIZES) else None,
        "levels": len(levels) if levels == even_levels(len(levels)) else None,
        "width": 1,
    }
    return places.get(sweep)


def _lists(sweep: str, request: StudyRequest, values: Sequence[float], here: float | None) -> dict[str, Any]:
    """Return the parts of a grid that take many values, the chosen one among them. Raises ParameterError."""
    each, privacy = sorted({*values, *([] if here is None else [here])}), request.grid.budgets[0]
    match sweep:
        case "epsilon":
            kind = PureDP(1.0) if isinstance(privacy, ZCDP) else privacy
            return {"budgets": [replace_budget(kind, amount) for amount in each]}
        case "rho":
            return {"budgets": [ZCDP(rho) for rho in each]}
        case "records":
            return {"n": [int(size) for size in each]}
        case "levels":
            return {"quantiles": [int(m) for m in each]}
        case "width":
            domain = request.subject.domain
            assert domain is not None, "only hard cases have none of their own, and this page has no such cases"
            return {"domains": list(dict.fromkeys(widened(domain, int(factor)) for factor in each))}
    sketched = [method for method in request.grid.mechanisms if MECHANISMS[method.mechanism].READS is GKSketch]
    return {
        "mechanisms": [
            Method(method.mechanism, dict(method.options) | {"alpha": alpha}, method.label)
            for method in sketched for alpha in each
        ]
    }  # fmt: skip


def widened(domain: Domain, factor: int) -> Domain:
    """Return bounds about `factor` times as wide around the same middle, on the same grid.

    Significant digits reach up to the largest power of ten that is no more than `factor` times as large.
    """
    if not domain.has_even_steps:
        values = domain.as_dict()
        return Domain.from_dict(values | {"largest": str(domain.upper * 10 ** (len(str(factor)) - 1))})
    beyond = domain.step * (((factor - 1) * domain.cells) // 2)
    return Domain(domain.lower - beyond, domain.upper + beyond, domain.step, measure=domain.measure)
