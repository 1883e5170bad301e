"""DataSet: the chosen column, and everything public that goes with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ..arrays import Floats
from ..domain import Domain
from ..sample import Sample

PASTED_FILE = "values.txt"
"""Where a script looks for values that were pasted."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """A column that was chosen. `values` stays on the server; everything else may be shown."""

    identity: str
    """Names this reading of this column within the session."""
    name: str
    kind: str
    unit: str
    one: str
    many: str
    about: str
    """One line about where it comes from, without any number that the data alone knows."""
    source: str
    """Who made it, for an example."""
    is_example: bool
    public: bool
    """An example, or declared public or synthetic by the person who brought it."""
    reading: str
    """Python that reads the same column again into `values`."""
    values: Floats = field(repr=False)
    file: str = ""
    """The name of the file that somebody brought."""
    digest: bytes = field(default=b"", repr=False)
    """Of that file or text, for the ledger's fingerprint; private as the file is."""
    missing: Fraction | None = None
    """What a missing value counts as; None leaves it out, or says that there is none."""


def file_of(data: DataSet) -> str:
    """Return the file that `reading` needs beside it; empty for an example, which comes with the package."""
    return "" if data.is_example else data.file or PASTED_FILE


@dataclass(frozen=True)
class Report:
    """What was read, in numbers. Private: for Explore only."""

    rows: int
    missing: int
    outside: int
    distinct: int

    @property
    def tied(self) -> bool:
        """Whether some records share a value of the grid."""
        return self.distinct < self.rows - self.missing


def report_on(values: Floats, sample: Sample, domain: Domain) -> Report:
    """Count rows, missing values, values outside the bounds, and distinct values on the grid. O(n)."""
    lower, upper = float(domain.lower), float(domain.upper)
    finite = np.isfinite(values)
    outside = int(np.count_nonzero(finite & ((values < lower) | (values > upper))))
    coarse = sample.cells >> sample.jitter_bits
    distinct = int(np.count_nonzero(np.diff(coarse))) + (1 if coarse.size else 0)
    return Report(values.size, int(values.size - np.count_nonzero(finite)), outside, distinct)
