"""The cells of a grid on a Dask cluster: each where there is room, the same result as anywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import ParameterError
from ..studies import Grid, Row, check_data, run_cell

SECONDS_TO_ANSWER = 10


def steps_on(scheduler: str, grid: Grid) -> Iterator[tuple[float, Row]]:
    """Like `engine.steps`, on the cluster whose scheduler has this address, in the order in which cells are done.

    Each cell makes its own data. The workers need the same version of this package. Needs the extra [cluster]. Raises
    ParameterError where dask is not installed or no scheduler answers.
    """
    check_data(grid)
    with connected(scheduler) as client:
        import distributed

        library: Any = distributed  # it has no types
        cells = grid.cells()
        futures = client.map(run_cell, cells, range(len(cells)), pure=False)
        for done, future in enumerate(library.as_completed(futures), start=1):
            yield done / len(cells), future.result()
            future.release()


def connected(scheduler: str) -> Any:
    """A client of the cluster, to be closed. Raises ParameterError where there is no dask or nobody answers."""
    try:
        import distributed
    except ImportError:
        raise ParameterError("scheduler", "needs dask: install this package with [cluster].") from None
    library: Any = distributed  # it has no types
    try:
        return library.Client(scheduler, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError):
        raise ParameterError("scheduler", f"does not answer at {scheduler[:80]!r}.") from None
