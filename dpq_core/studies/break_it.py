"""Public data and settings that are hard for one mechanism or another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .grid import Grid


@dataclass(frozen=True)
class HardCase:
    """A hard case: what it changes in a grid, and what is to be seen there."""

    key: str
    label: str
    expect: str
    changes: Mapping[str, Any]

    def applied(self, grid: Grid) -> Grid:
        """Return the grid with the data and settings of this case; all else stays as it is."""
        usual = {"n": [1000], "domains": [None]}
        return Grid.from_dict(grid.as_dict() | usual | dict(self.changes))


_CLOSE = ["0.499", "0.4995", "0.5", "0.5005", "0.501"]

_ALL = (
    HardCase(
        "ties",
        "Ties",
        "60 % of the records share one value. It is the right answer for many ranks at once, so errors look small.",
        {"data": ["tied"]},
    ),
    HardCase(
        "few",
        "20 records",
        "The noise is as large as the data: an error of a few records is a large share of 20.",
        {"data": ["uniform"], "n": [20]},
    ),
    HardCase(
        "wide",
        "Bounds 1,000 times too wide",
        "Drawing one by one pays the logarithm of the width for every quantile. Narrowing the range avoids that.",
        {"data": ["uniform"], "domains": [{"lower": -5000, "upper": 5000}]},
    ),
    HardCase(
        "close",
        "Quantiles too close",
        "Five levels within two records: thin slices have no room, and one draw of all five errs less than five.",
        {"data": ["uniform"], "quantiles": [_CLOSE]},
    ),
    HardCase(
        "steps",
        "Few possible values",
        "49 quantiles among 101 possible values: counting in bins errs less than half as much as splitting in halves.",
        {"data": ["reference"], "domains": [{"lower": 0, "upper": 100, "step": 1}], "quantiles": [49]},
    ),
    HardCase(
        "tail",
        "Heavy tail",
        "Rank errors stay small. But values in the tail are far apart: a small rank error is a large error in money.",
        {"data": ["heavy-tail"]},
    ),
)
BREAK_IT: dict[str, HardCase] = {case.key: case for case in _ALL}
"""Every hard case by its key."""
