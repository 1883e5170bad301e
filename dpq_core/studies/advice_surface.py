"""The stored surface: rank error divided by the size of the noise, as measured on public shapes; read, not computed.

`advice_measure` writes it, with version, date and seed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from math import exp, inf, log
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).parent / "stored" / "advice.json"
FORMAT = 1
COARSE = ", whole numbers"
"""Ends the name of a shape on a coarse grid; without it, the name of the same shape on a fine one."""
FINE_FROM = 2**14
"""From so many values of the grid on, its step is too fine to matter."""

Floats = NDArray[np.float64]
Measure = Literal["mean", "max"]


@dataclass(frozen=True, kw_only=True)
class Surface:
    """Logarithms of error / noise size, an array (shapes, counts, sizes) for every part and measure."""

    shapes: tuple[tuple[str, int], ...]
    """Name and number of values of the grid of each public shape."""
    counts: tuple[int, ...]
    """Numbers of quantiles m, increasing."""
    sizes: tuple[float, ...]
    """Sizes of the noise as shares of n, increasing."""
    ratios: dict[str, dict[Measure, Floats]]
    off_by: dict[str, float]
    """For every part: 19 of 20 fresh simulations of its shapes differ by a factor of e^this at most, a record aside."""
    version: str
    date: str
    seed: int

    def errors(self, part: str, measure: Measure, size: float, m: int, n: int, cells: int, only: str = "") -> Floats:
        """The error to expect in records on each shape, or on the one named `only`.

        Linear between the measured points, in logarithms; more quantiles go on in the same line, smaller noise is
        taken as the smallest measured. Noise larger than n cannot err by more than noise of that size. A grid between
        a coarse and a fine one lies between the two as log(cells) does, shape by shape.
        """
        size = min(size, self.sizes[-1] * max(n, 1))
        place = log(size / max(n, 1)) if size > 0 else -inf  # at very large budgets there is no noise to speak of
        logs = self._at(self.ratios[part][measure], log(m), place)
        by_name = {name: (value, known) for (name, known), value in zip(self.shapes, logs, strict=True)}
        found = []
        for name, (fine, _) in by_name.items():
            if name.endswith(COARSE) or np.isnan(fine) or only not in ("", name):
                continue
            coarse, least = by_name.get(name + COARSE, (fine, FINE_FROM // 2))
            share = np.clip(log(max(cells, 1) / least) / log(FINE_FROM / least), 0, 1)
            found.append(size * exp(fine * share + coarse * (1 - share)))
        return np.array(found)

    def _at(self, logs: Floats, m: float, size: float) -> Floats:
        """Between the points of the two axes, for each shape."""
        rows, columns = np.log(self.counts), np.log(self.sizes)
        first, across = _between(rows, m)
        second, along = _between(columns, size)
        along = float(np.clip(along, 0, 1))
        near, far = logs[:, first : first + 2, second], logs[:, first : first + 2, second + 1]
        line = near * (1 - along) + far * along
        return np.asarray(line[:, 0] * (1 - across) + line[:, 1] * across)


def _between(points: Floats, at: float) -> tuple[int, float]:
    """The place of the point below, with one above it, and the share of the way to that one."""
    place = int(np.clip(np.searchsorted(points, at) - 1, 0, points.size - 2))
    return place, float((at - points[place]) / (points[place + 1] - points[place]))


@cache
def stored_surface() -> Surface:
    """The surface that comes with the package; read once."""
    return from_plain(json.loads(FILE.read_text(encoding="utf-8")))


def as_plain(surface: Surface) -> dict[str, Any]:
    """The surface as plain values, numbers rounded to what was measured."""
    ratios = {
        part: {measure: _without_nan(np.round(logs, 3).tolist()) for measure, logs in both.items()}
        for part, both in surface.ratios.items()
    }
    return {"format": FORMAT} | vars(surface) | {"ratios": ratios}


def _without_nan(values: Any) -> Any:
    """Nested lists with None in place of NaN, of which JSON knows nothing; as an array None is NaN again."""
    if isinstance(values, list):
        return [_without_nan(value) for value in values]
    return None if values != values else values


def from_plain(values: dict[str, Any]) -> Surface:
    """The surface that `as_plain` wrote."""
    ratios = {
        part: {measure: np.array(logs, np.float64) for measure, logs in both.items()}
        for part, both in values["ratios"].items()
    }
    return Surface(
        shapes=tuple((name, cells) for name, cells in values["shapes"]),
        counts=tuple(values["counts"]),
        sizes=tuple(values["sizes"]),
        ratios=ratios,
        off_by=dict(values["off_by"]),
        version=values["version"],
        date=values["date"],
        seed=values["seed"],
    )
