"""Name the array types of the package; shapes stand in the docstrings of what takes and returns them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers: TypeAlias = NDArray[np.int64]
"""Grid indices, ranks and counts."""
Floats: TypeAlias = NDArray[np.float64]
"""Values in the column's unit, rank errors, log probabilities."""
Flags: TypeAlias = NDArray[np.bool_]
"""One truth value for each element."""
ColumnLike: TypeAlias = ArrayLike | Sequence[float | None]
"""Any one-dimensional column of numbers; a missing one may be None."""
