"""What the Trade-off page asks: which setting is swept, and for which mechanisms."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dpq_core.advice.forecast import replace_budget
from dpq_core.domain.domain import Domain
from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.privacy.budgets import ZCDP, ApproxDP, Privacy, PureDP
from dpq_core.studies import engine
from dpq_core.studies.configuration import Method, expected_seconds
from dpq_core.studies.engine import Row
from dpq_core.studies.grid import Grid
from pages.studies import job

from ..frame import fields
from ..frame.header import complain, sentence_of, term
from ..settings import table
from ..settings.table import SETTINGS, key
from ..studies.job import Setup, StudyRequest
from ..studies.subjects import methods, widened, with_option

SWEEP = "tradeoff-sweep"
"""The study of the page."""
FIRST_POINTS, FIRST_SEED = 5, 0
"""Of the sweep that is there before any press."""

AMOUNTS = (
    0.05, 0.067, 0.09, 0.12, 0.16, 0.21, 0.28, 0.38, 0.5, 0.67, 0.9, 1.2, 1.6, 2.1, 2.8, 3.8, 5, 6.7, 9, 10,
)  # fmt: skip
"""Of ε: 20 steps from strict to loose."""
RHOS = tuple(float(f"{amount**2 / 8:.2g}") for amount in AMOUNTS)
"""Of ρ: those with about the same noise in an exponential mechanism, ε²/8."""
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
LEVELS = (1, 2, 3, 5, 7, 9, 15, 20, 30, 45, 60, 90, 120)
FACTORS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
ALPHAS = (0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


@dataclass(frozen=True)
class Sweep:
    """A setting that can be swept: its words, and how to read its value from a row."""

    label: str
    axis: str
    at: Callable[[Row], float]
    around: tuple[str, str]
    """What a sentence says before and after a number on it."""
    note: str = ""


SWEPT: dict[str, Sweep] = {
    "epsilon": Sweep("Privacy loss ε", "privacy loss ε", lambda row: row.epsilon, ("ε = ", "")),
    "rho": Sweep("Privacy loss ρ", "privacy loss ρ", lambda row: row.rho, ("ρ = ", "")),
    "records": Sweep(
        "Number of records", "records", lambda row: row.n, ("", " records"),
        "Records are drawn afresh for each size, with replacement.",
    ),
    "levels": Sweep(
        "Number of quantiles", "quantiles", lambda row: row.m, ("", " quantiles"),
        "All quantiles are evenly spaced here.",
    ),
    "width": Sweep(
        "Width of the bounds", "upper minus lower bound", lambda row: row.upper - row.lower, ("bounds ", " wide"),
        "The bounds grow up to 1,000 times as wide around the same middle; the data stay as they are.",
    ),
    "alpha": Sweep(
        "Coarseness α of the sketch", "α", lambda row: json.loads(row.options)["alpha"], ("α = ", ""),
        "Only mechanisms that read a sketch have an α. Below 1 / (2 n) the sketch keeps every record.",
    ),
}  # fmt: skip
MEASURE_LABELS = {"mean": "On average", "max": "Worst quantile"}


def choose_sweep() -> str:
    """Ask for the setting that is swept, and say how."""
    chosen = fields.selectbox("sweep", table.SWEEPS, lambda name: SWEPT[name].label)
    if SWEPT[chosen].note:
        st.caption(SWEPT[chosen].note)
    return chosen


def choose_measure() -> str:
    """Ask for the error of a run: of its worst quantile, or the mean over its quantiles; each run measures both."""
    chosen = st.segmented_control(  # not through `fields`: a finished result reads no setting
        SETTINGS["measure"].label, table.MEASURES, format_func=MEASURE_LABELS.__getitem__, key=key("measure"),
        required=True, persist_state="session", help=term("rank error"),
    )  # fmt: skip
    return str(chosen or table.MEASURES[0])


def choose_mechanisms() -> list[str]:
    """Ask for one mechanism, or all of them."""
    labels = {table.EVERY: "All mechanisms", **{name: mechanism.LABEL for name, mechanism in MECHANISMS.items()}}
    chosen = fields.selectbox("swept", list(labels), labels.__getitem__, help=term("mechanism"))
    return list(MECHANISMS) if chosen == table.EVERY else [chosen]


def request_of(setup: Setup | None, keys: list[str], options: job.Options, sweep: str) -> StudyRequest | None:
    """Return the sweep as a grid; None, and a word why, where it cannot be asked."""
    if setup is None:
        return None
    try:
        subject = setup.subject
        chosen = methods(keys, max(SIZES) if sweep == "records" else subject.count, setup.adjacency, options)
        grid = setup.grid(subject, **{"mechanisms": chosen} | _swept(sweep, setup.privacy, setup.domain, chosen))
    except ParameterError as error:
        complain(sentence_of(error))
        return None
    return StudyRequest(subject=subject, grid=grid, extra=(sweep, _here(setup.privacy, subject.count, sweep)))


def _here(privacy: Privacy, records: int, sweep: str) -> float | None:
    """Return the place of the page's settings on the swept axis, if they have one."""
    match sweep, privacy:
        case "epsilon", PureDP(epsilon) | ApproxDP(epsilon, _):
            return epsilon
        case "rho", ZCDP(rho):
            return rho
        case "records", _:
            return float(records) or None
    return None


def _swept(sweep: str, privacy: Privacy, domain: Domain, chosen: list[Method]) -> dict[str, Any]:
    """Return the part of a grid that takes many values."""
    match sweep:
        case "epsilon":
            kind = PureDP(1.0) if isinstance(privacy, ZCDP) else privacy
            return {"budgets": [replace_budget(kind, amount) for amount in AMOUNTS]}
        case "rho":
            return {"budgets": [ZCDP(rho) for rho in RHOS]}
        case "records":
            return {"n": SIZES}
        case "levels":
            return {"quantiles": LEVELS}
        case "width":
            return {"domains": list(dict.fromkeys(widened(domain, factor) for factor in FACTORS))}
        case "alpha":
            named = {key: {option.name for option in each.OPTIONS} for key, each in MECHANISMS.items()}
            able = [method for method in chosen if "alpha" in named[method.mechanism]]
            if not able:
                raise ParameterError("mechanism", "has no α: choose one that reads a sketch, or all.")
            return {"mechanisms": [with_option(method, "alpha", alpha) for method in able for alpha in ALPHAS]}
    return {}


def start_sweep(request: StudyRequest, seed: int | None) -> None:
    """Start the sweep; without a seed the small one that the page opens with, in place."""
    if seed is None:
        first = job.seeded(request, FIRST_SEED, **_fewer(request.grid))
        job.start(SWEEP, replace(first, first=True), engine.steps, 0.0)
        return
    seeded = job.seeded(request, seed)
    job.start(SWEEP, seeded, engine.steps, expected_seconds(seeded.grid.configurations(), seeded.subject.count))


def _fewer(grid: Grid) -> dict[str, Any]:
    """Return a few values of each list that is swept, the ends among them."""
    found = {}
    for name, values in grid.as_dict().items():
        if isinstance(values, list) and name != "mechanisms" and len(values) > FIRST_POINTS:
            last = len(values) - 1
            found[name] = [values[round(last * at / (FIRST_POINTS - 1))] for at in range(FIRST_POINTS)]
    return found
