"""All figures and tables of the papers that can be recomputed, and the work of recomputing one.

    steps("kss-figure-4", quick=True)      the fraction of the work done and points, as a job takes them
    dpq papers                             recomputes and stores everything

[KSS]    Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022. [SLICE]  Imola,
Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller Error", 2025. [BSPACE]
Alabi, Ben-Eliezer, Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import ParameterError
from . import better
from .computations import references, slices
from .judgements import verdicts as judge
from .specifications.bspace import SKETCH_FIGURES
from .specifications.figure import ERROR_BAND, HERE, MEAN_ERROR, SLICE, Claim, Figure
from .specifications.kss import FREE_TOTAL_FIGURES, KSS_FIGURES
from .store import Point

_BETTER = Figure(
    key="better",
    paper=HERE,
    place="Better than printed",
    title="Error of what ships here beside the published mechanisms",
    setting="1,000 records, uniform between −5 and 5, domain −100 to 100, ε = 1, one person joins or leaves, "
    "levels j / (m + 1); 150 runs on each of eight data sets. Two lines of other projects: PyDP's QuantileTree (height "
    "4, 16 branches, its own noise, without a seed); and the bisection of Google's dpsynth, which has 2ᵏ − 1 quantiles "
    "and is drawn by the sampler here.",
    tasks=better.tasks,
    judge=judge.better,
    claim=Claim(number=1, of="least error at m = 20; 1 is the best mechanism as published"),
    x="quantiles m",
    y=MEAN_ERROR,
    log_x=True,
    band=ERROR_BAND,
    packages=(references.PYDP,),
)
_SLICE_FIGURES = (
    Figure(
        key="slice-figure-1",
        paper=SLICE,
        place="Figure 1",
        title="Largest error against the number of quantiles",
        setting="Adult taken ten times with tiny noise (488,420 records), levels a random subset of i / 251, budget "
        "(1, 1e-16), 200 runs. AQ with ε = 1 and with 0.007-zCDP.",
        tasks=slices.error_tasks,
        judge=judge.slices,
        claim=Claim(number=2, of="AQ's error divided by that of slices at m = 200, one person replaced"),
        x="quantiles m",
        y="largest rank error (records)",
        log_y=False,
        band=ERROR_BAND,
        expected_seconds=30,
    ),
    Figure(
        key="slice-table-1",
        paper=SLICE,
        place="Table 1",
        title="Records that a hundred slices need",
        setting="The least n that has room for 100 even quantiles at ε = 5 where one person is replaced, which is the "
        "total of the printed example, ε₁ = ε₂ = 1.",
        tasks=slices.room_tasks,
        judge=judge.room,
        claim=Claim(number=1.3e7, of="records for pure privacy on a grid of 2³² values"),
        x="bits of the grid",
        y="records needed",
        shape="table",
    ),
)
_ALL = (_BETTER, *FREE_TOTAL_FIGURES, *KSS_FIGURES, *_SLICE_FIGURES, *SKETCH_FIGURES)
FIGURES: dict[str, Figure] = {figure.key: figure for figure in _ALL}
"""Every figure by its key, in the order of the page."""


def figure_of(key: str) -> Figure:
    """Return the figure of this key. Raises ParameterError."""
    if key not in FIGURES:
        raise ParameterError("figure", f"must be one of {', '.join(FIGURES)}, got {key[:40]!r}.")
    return FIGURES[key]


def steps(key: str, quick: bool = False) -> Iterator[tuple[float, tuple[Point, ...]]]:
    """Yield the fraction of the work done and the points of each task, which do not depend on other tasks.

    Everything is repeatable except times. Raises ParameterError before anything runs.
    """
    tasks = list(figure_of(key).tasks(quick))
    total, spent = sum(task.cost for task in tasks), 0.0
    for task in tasks:
        spent += task.cost
        yield min(spent / total, 1.0), tuple(task.run())
