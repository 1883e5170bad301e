"""Measures the surface behind the advice: `python -m dpq_core.studies.advice_measure`, about three minutes of one core.

Every part is simulated on public shapes at a few numbers of quantiles and sizes of noise; then settings drawn at
random, of all budgets and both adjacencies, tell how far the surface is off. Repeatable from the seed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import date
from math import log, nan
from typing import NamedTuple

import numpy as np

from ..domain import Domain
from ..errors import Infeasible
from ..plan import OptionValue
from ..privacy import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from ..release import calibrate
from ..version import VERSION
from .advice_check import drawn_at_random
from .advice_laws import expected_errors, noise_size
from .advice_surface import COARSE, FILE, Floats, Measure, Surface, as_plain
from .cell import Cell, Method
from .engine import Row, Samples, run_cell
from .grid import even_levels
from .search import with_budget
from .shapes import domain_of

SEED = 2026
COUNTS = (1, 3, 9, 27, 81)
"""Numbers of quantiles."""
SIZES = (3e-5, 1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0)
"""Of the noise, as shares of n."""
LADDER = (200, 1_000, 5_000, 30_000, 200_000, 400_000)
"""Numbers of records: few, so that the columns are made once."""
LEAST_SIZE = 8.0
"""Records of noise, so that whole ranks do not matter: below, all mechanisms err by a record or so."""
CHECKS = 40
"""Settings for each part that tell how far the surface is off."""
WITHIN = 0.95
"""The share of them that is within what is stated."""
FROM_MANY = 9
"""From so many quantiles on, a trial says more, and fewer will do."""
DATA_SETS = 2
LEAST_ERROR = 0.01
"""Records: where no trial erred."""


class Ground(NamedTuple):
    """A public shape on a grid; a coarse one has the name of its fine one and `COARSE`."""

    name: str
    data: str
    domain: Domain | None = None
    most: int = LADDER[-1]
    """Records: with more, the shape has ties that a real column of its kind would not have."""


GROUNDS = (
    Ground("normal", "normal"),
    Ground("bimodal", "bimodal"),
    Ground("heavy-tail", "heavy-tail", most=1_000),
    Ground("reference", "reference"),
    Ground(f"normal{COARSE}", "normal", Domain(-100, 100, 1)),
    Ground(f"reference{COARSE}", "reference", Domain(0, 100, 1)),
)


class Part(NamedTuple):
    """A part of the surface: what is simulated for it, and its trials for few and for many quantiles."""

    name: str
    mechanism: str
    privacy: Privacy = PureDP(1.0)
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    trials: tuple[int, int] = (512, 64)
    options: tuple[tuple[str, OptionValue], ...] = ()
    only: str = ""
    """The one shape that it is measured on."""

    def measures(self, ground: Ground) -> bool:
        """Whether it is simulated on this ground."""
        return self.only in ("", ground.name.removesuffix(COARSE))


PARTS = (
    Part("aq", "aq"),
    Part("indexp", "indexp"),
    Part("jointexp", "jointexp", trials=(256, 32)),
    Part("aggtree", "aggtree", trials=(64, 64)),
    Part("aggtree gaussian", "aggtree", privacy=ZCDP(0.1), trials=(64, 64)),
    Part("slice", "slice", privacy=ApproxDP(1.0, 1e-6)),
    Part("binhist", "binhist", trials=(64, 64)),
    Part("binhist substitute", "binhist", adjacency=Adjacency.SUBSTITUTE, trials=(64, 64)),
    Part(
        "normal",
        "normal",
        adjacency=Adjacency.SUBSTITUTE,
        trials=(64, 64),
        options=(("mean_bound", 100), ("sigma", 5)),
        only="normal",
    ),
)


def measure_surface(seed: int = SEED) -> Surface:
    """All parts, simulated. Repeatable but for the date."""
    samples = Samples()
    ratios = {part.name: _measured(part, samples, seed) for part in PARTS}
    surface = Surface(
        shapes=tuple((ground.name, (ground.domain or domain_of(ground.data)).cells) for ground in GROUNDS),
        counts=COUNTS,
        sizes=SIZES,
        ratios=ratios,
        off_by={part.name: nan for part in PARTS},
        version=VERSION,
        date=date.today().isoformat(),
        seed=seed,
    )
    return replace(surface, off_by={part.name: _off_by(surface, part, samples) for part in PARTS})


def main() -> None:
    """Measure and write the file."""
    surface = measure_surface()
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(as_plain(surface), separators=(",", ":")) + "\n", encoding="utf-8")
    print(json.dumps(surface.off_by, indent=2), file=sys.stderr)


def _measured(part: Part, samples: Samples, seed: int) -> dict[Measure, Floats]:
    """Logarithms of error / noise size for both measures: every shape, number of quantiles and size of noise."""
    shape = (len(GROUNDS), len(COUNTS), len(SIZES))
    mean, largest = np.full(shape, nan), np.full(shape, nan)
    for at in np.ndindex(shape):
        ground, m, size = GROUNDS[at[0]], COUNTS[at[1]], SIZES[at[2]]
        if part.measures(ground) and size * ground.most >= LEAST_SIZE / 2:
            cell = _cell_for(part, ground, m, size, seed)
            row = run_cell(cell, samples=samples)
            if row.supported:
                reached = _noise_of(cell)
                mean[at] = log(max(row.mean_error, LEAST_ERROR) / reached)
                largest[at] = log(max(row.max_error, LEAST_ERROR) / reached)
    return {"mean": _filled(mean), "max": _filled(largest)}


def _cell_for(part: Part, ground: Ground, m: int, size: float, seed: int) -> Cell:
    """What to simulate for noise of this size as a share of n."""
    cell = Cell(
        method=Method(part.mechanism, dict(part.options)),
        privacy=part.privacy,
        quantiles=even_levels(m),
        data=ground.data,
        n=LADDER[0],
        domain=ground.domain,
        adjacency=part.adjacency,
        trials=part.trials[m >= FROM_MANY],
        data_sets=DATA_SETS,
        seed=seed,
    )
    records = max(LEAST_SIZE, _noise_of(cell)) / size
    n = min((n for n in LADDER if records <= n <= ground.most), default=min(ground.most, LADDER[-1]))
    cell = replace(cell, n=n)
    for _ in range(3):  # noise falls as the budget grows, but not always in proportion
        cell = replace(cell, privacy=_with_noise_times(cell.privacy, size * n / _noise_of(cell)))
    return cell


def _with_noise_times(privacy: Privacy, factor: float) -> Privacy:
    if isinstance(privacy, ZCDP):
        return with_budget(privacy, privacy.rho / factor**2)
    return with_budget(privacy, privacy.epsilon / factor)


def _noise_of(cell: Cell) -> float:
    n, domain = cell.n or 0, cell.domain or domain_of(cell.data)
    count = n if cell.adjacency is Adjacency.SUBSTITUTE else None
    return noise_size(cell.plan, calibrate(cell.plan, count), n, domain.cells)


def _filled(logs: Floats) -> Floats:
    """Where nothing could be measured: the mean of other shapes, then the nearest size, then the nearest count.

    Small noise sees little of a shape, so that the others stand for one that has no room for so many records.
    """
    measured = ~np.isnan(logs)
    fine = np.array([not ground.name.endswith(COARSE) for ground in GROUNDS])
    for shape in np.flatnonzero(fine & measured.any(axis=(1, 2))):
        for count, size in np.argwhere(~measured[shape]):
            others = logs[fine & measured[:, count, size], count, size]
            if others.size:
                logs[shape, count, size] = others.mean()
    for axis in (2, 1):
        lines = np.moveaxis(logs, axis, -1)
        for line in np.ndindex(lines.shape[:-1]):
            known = np.flatnonzero(~np.isnan(lines[line]))
            if known.size:
                lines[line] = lines[line][known[np.abs(known - np.arange(lines.shape[-1])[:, None]).argmin(axis=1)]]
    return logs


def _off_by(surface: Surface, part: Part, samples: Samples) -> float:
    """How far fresh simulations are from the surface, as a logarithm that 19 of 20 of them do not exceed.

    One record is added to both, since nobody minds whether an answer is off by a tenth of a record or by a half.
    """
    grounds = [ground for ground in GROUNDS if part.measures(ground)]
    found = []
    for number, question in enumerate(drawn_at_random(CHECKS, surface.seed)):
        ground = grounds[(number + number // 6) % len(grounds)]  # every kind of question on every shape
        cell = Cell(
            method=Method(part.mechanism, dict(part.options)),
            privacy=question.privacy,
            quantiles=even_levels(question.m),
            data=ground.data,
            n=min(question.n, ground.most),
            domain=ground.domain,
            adjacency=Adjacency.SUBSTITUTE if part.only else question.adjacency,
            trials=part.trials[question.m >= FROM_MANY],
            data_sets=DATA_SETS,
            seed=surface.seed + 1,
        )
        row = run_cell(cell, samples=samples)
        if row.supported:
            found += _differences(surface, part, ground, cell, row)
    return float(np.quantile(found, WITHIN))


def _differences(surface: Surface, part: Part, ground: Ground, cell: Cell, row: Row) -> list[float]:
    try:
        only = ground.name.removesuffix(COARSE)
        expected = expected_errors(surface, cell.plan, row.n, row.domain_cells, only)
    except Infeasible:
        return []
    if expected.part != part.name:
        return []
    return [abs(log((float(expected.mean[0]) + 1) / (row.mean_error + 1)))]


if __name__ == "__main__":
    main()
