"""Array types of the package, and a function that makes an array longer. Docstrings of functions give the shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers: TypeAlias = NDArray[np.int64]
"""Grid indices, ranks and counts."""
Floats: TypeAlias = NDArray[np.float64]
"""Values in the column's unit, rank errors, log probabilities."""
Flags: TypeAlias = NDArray[np.bool_]
"""One truth value for each element."""
Whole = TypeVar("Whole", bound=NDArray[np.signedinteger[Any]])


class ArrowStream(Protocol):
    """Any object that offers its values as a stream of Arrow: polars, duckdb, pandas, pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule that holds the stream."""


class ArrowArray(Protocol):
    """Any object that offers its values as one array of Arrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        """Return capsules that hold type and values."""


ArrowLike: TypeAlias = ArrowStream | ArrowArray
ColumnLike: TypeAlias = ArrayLike | Sequence[float | None] | ArrowLike
"""Any one-dimensional column of numbers; a missing one may be None."""


def with_room(cells: Whole, n: int) -> Whole:
    """Return the same array, or a longer one that starts with the same entries and holds at least n."""
    if n <= cells.size:
        return cells
    if cells.base is not None:  # the memory of another array cannot grow in place
        cells = cells.copy()
    cells.resize(max(n, cells.size + cells.size // 8), refcheck=False)
    return cells
