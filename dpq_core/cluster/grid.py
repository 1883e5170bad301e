"""Run the configurations of a grid on a Dask cluster, each where there is room, with the same results as locally."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import ParameterError
from ..studies.engine import Row, check_data, run_configuration
from ..studies.grid import Grid

SECONDS_TO_ANSWER = 10


def steps_on(scheduler: str, grid: Grid) -> Iterator[tuple[float, Row]]:
    """Run the grid as `engine.steps` does, on the cluster with this scheduler; yield configurations as they are done.

    Each configuration makes its own data. The workers need the same version of this package. Needs the extra [cluster].
    Raises ParameterError where dask is not installed or no scheduler answers.
    """
    check_data(grid)
    with connected(scheduler) as client:
        import distributed

        library: Any = distributed  # it has no types
        configurations = grid.configurations()
        futures = client.map(run_configuration, configurations, range(len(configurations)), pure=False)
        for done, future in enumerate(library.as_completed(futures), start=1):
            yield done / len(configurations), future.result()
            future.release()


def connected(scheduler: str) -> Any:
    """Return a client of the cluster, to be closed. Raises ParameterError where there is no dask or nobody answers."""
    try:
        import distributed
    except ImportError:
        raise ParameterError("scheduler", "needs dask: install this package with [cluster].") from None
    library: Any = distributed  # it has no types
    try:
        return library.Client(scheduler, timeout=SECONDS_TO_ANSWER)
    except Exception:  # of other hands: what is no scheduler may answer with anything
        raise ParameterError("scheduler", f"does not answer at {scheduler[:80]!r}.") from None
