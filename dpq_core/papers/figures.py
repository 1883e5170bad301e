"""The figures and tables of the papers that can be recomputed, and their curves: figures.toml holds them as data.

[KSS]    Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022. [SLICE]  Imola,
Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller Error", 2025. [BSPACE]
Alabi, Ben-Eliezer, Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..errors import ParameterError


class Curve(NamedTuple):
    """`mechanism` is the key whose colour it has; empty for the truth and for plain facts."""

    label: str
    mechanism: str
    look: Literal["here", "printed", "also", "bound", "proved", "broken"]


class Claim(NamedTuple):
    """A printed number, and what it is of."""

    number: float
    of: str


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure or table of a paper. Small multiples share both axes."""

    key: str
    paper: str
    place: str
    """Where in the paper."""
    title: str
    setting: str
    """How it is recomputed here, in one or two sentences."""
    x: str
    y: str
    found: str
    """What is found here, with the names of facts from its points."""
    reason: str = ""
    """Why our number differs from the printed one, where that is known."""
    claim: Claim | None = None
    log_x: bool = False
    log_y: bool = True
    shape: Literal["lines", "marks", "steps", "table"] = "lines"
    """How points are shown; a table is no picture."""
    printed: Mapping[tuple[str, str], float]
    """Numbers printed for a panel and curve, where the paper has a table of them."""
    band: str = ""
    """What the bars around a point mean; empty where there are none."""
    packages: tuple[str, ...] = ()
    """Other projects' packages that draw some of the curves, where they are installed."""
    expected_seconds: float = 5.0
    """At reduced size."""


def _figure(key: str, claim: Mapping[str, Any] | None = None, **said: Any) -> Figure:
    """Return a figure as figures.toml says it."""
    rows = said.pop("printed", {}).items()
    printed = {(panel, curve): number for panel, numbers in rows for curve, number in numbers.items()}
    packages = tuple(said.pop("packages", ()))
    return Figure(key=key, claim=Claim(**claim) if claim else None, printed=printed, packages=packages, **said)


_SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CURVES = {key: Curve(*curve) for key, curve in _SAID["curves"].items()}
FIGURES = {key: _figure(key, **figure) for key, figure in _SAID["figures"].items()}
"""Every figure by its key, in the order of the page."""


def figure_of(key: str) -> Figure:
    """Return the figure of this key. Raises ParameterError."""
    if key not in FIGURES:
        raise ParameterError("figure", f"must be one of {', '.join(FIGURES)}, got {key[:40]!r}.")
    return FIGURES[key]
