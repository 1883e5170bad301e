"""The figures and tables of the papers that can be recomputed, as figures.toml holds them; and their stored results.

[KSS]    Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022. [SLICE]  Imola,
Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller Error", 2025. [BSPACE]
Alabi, Ben-Eliezer, Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022.

A result has points, a verdict, and the seed, version and date of its making. Files are small JSON texts,
`stored/paper_<figure>.json`, and travel with the package: curve by curve, each with its numbers as lists. They hold
curves only, never a column: also where the column itself may not be handed on.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from itertools import chain, repeat
from math import isfinite, nan
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import ParameterError
from ..version import VERSION


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


FORMAT = 4
FOLDER = Path(__file__).parent / "stored"
NUMBERS = ("x", "y", "low", "high")  # of a Point, as they are stored
DIGITS = 4  # significant digits that are stored; whole numbers are counts and stored in full


class Point(NamedTuple):
    """One measured number of a figure. Not private."""

    panel: str
    """Which of the small multiples."""
    curve: str
    """A key of `figures.CURVES`."""
    x: float
    y: float
    low: float = nan
    """The lower end of the bar at y, whose meaning the figure says; NaN where there is none. Likewise `high`."""
    high: float = nan
    trials: int = 0
    """Simulated runs behind y; 0 where nothing is drawn."""


class Word(StrEnum):
    """How our number compares with the printed one."""

    AGREES = "agrees"
    DIFFERS = "differs"
    BETTER = "better"
    NO_NUMBER = "no number printed"


class FigureVerdict(NamedTuple):
    """`ours` is to be compared with the claim; None where no number is printed."""

    word: Word
    ours: float | None
    sentence: str
    """The result of the points, and where it differs the reason, if that is known."""


Judge: TypeAlias = Callable[[tuple[Point, ...]], FigureVerdict]


@dataclass(frozen=True, kw_only=True)
class Result:
    """All points of one figure, and how they were made."""

    figure: str
    points: tuple[Point, ...]
    verdict: FigureVerdict
    """What the points say, worked out when they were made."""
    seed: int
    quick: bool = False
    """Whether it was made at reduced size."""
    seconds: float = 0.0
    """Processor time of its making."""
    version: str = VERSION
    date: str = ""
    packages: dict[str, str] = field(default_factory=dict)
    """Versions of other projects' packages that drew some of the curves."""

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values: points of one panel, curve and number of trials together, by x."""
        series: dict[tuple[str, str, int], list[Point]] = {}
        for point in self.points:
            series.setdefault((point.panel, point.curve, point.trials), []).append(point)
        curves = []
        for (panel, curve, trials), points in series.items():
            ordered = sorted(points, key=lambda point: point.x)
            numbers = {name: [_plain(getattr(point, name)) for point in ordered] for name in NUMBERS}
            filled = {name: column for name, column in numbers.items() if any(value is not None for value in column)}
            curves.append({"panel": panel, "curve": curve, "trials": trials, **filled})
        return {
            "format": FORMAT,
            "label": "Simulations of public data, not private.",
            "figure": self.figure, "seed": self.seed, "quick": self.quick, "seconds": round(self.seconds, 1),
            "version": self.version, "date": self.date or date.today().isoformat(),
            **({"packages": self.packages} if self.packages else {}),
            "verdict": {name: _plain(value) for name, value in self.verdict._asdict().items()}, "curves": curves,
        }  # fmt: skip


def as_stored(point: Point) -> Point:
    """Return a point with the digits that are kept: what is judged is what is stored."""
    kept = (_plain(getattr(point, name)) for name in NUMBERS)
    x, y, low, high = (nan if value is None else value for value in kept)
    return point._replace(x=x, y=y, low=low, high=high)


def save(result: Result, folder: Path = FOLDER) -> Path:
    """Write the result over an earlier one of the same figure, and return its path. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = path_of(result.figure, folder)
    path.write_text(json.dumps(result.as_dict(), separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def load(figure: str, folder: Path = FOLDER) -> Result | None:
    """Return the stored result of a figure, or None where there is none. O(points).

    Raises ParameterError for a file of another format.
    """
    path = path_of(figure, folder)
    if not path.is_file():
        return None
    values = json.loads(path.read_text(encoding="utf-8"))
    if values.get("format") != FORMAT:
        raise ParameterError("figure", f"{figure[:40]!r} was stored in another format; recompute it.")
    names = ("figure", "seed", "quick", "seconds", "version", "date")
    points = chain.from_iterable(map(_points, values["curves"]))
    said, packages = values["verdict"], values.get("packages", {})
    verdict = FigureVerdict(**(said | {"word": Word(said["word"])}))
    return Result(points=tuple(points), verdict=verdict, packages=packages, **{name: values[name] for name in names})


def _points(series: dict[str, Any]) -> Iterator[Point]:
    """Yield the points of one curve as it is stored; a list that is left out is all NaN."""
    columns = [series.get(name, repeat(None)) for name in NUMBERS]
    for numbers in zip(*columns, strict=False):
        x, y, low, high = (nan if number is None else number for number in numbers)
        yield Point(series["panel"], series["curve"], x, y, low, high, series["trials"])


def path_of(figure: str, folder: Path = FOLDER) -> Path:
    """Return the path of a figure's stored result."""
    return folder / f"paper_{figure}.json"


def _plain(value: Any) -> Any:
    if not isinstance(value, float) or value.is_integer():
        return value
    return float(f"{value:.{DIGITS}g}") if isfinite(value) else None
