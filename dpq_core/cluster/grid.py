"""Run studies on a Dask cluster: the configurations of a grid, each where there is room, and a stream of files.

Needs the extra [cluster]. The workers must have the same version of this package, and find files at the same paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from ..errors import ParameterError
from ..studies.engine import Row, check_data, run_configuration
from ..studies.grid import Grid
from ..studies.streams.feeds import Files
from ..studies.streams.reading import Settings, Snapshot, look

SECONDS_TO_ANSWER = 10


def steps_on(scheduler: str, grid: Grid) -> Iterator[tuple[float, Row]]:
    """Run the grid as `engine.steps` does, on the cluster with this scheduler; yield configurations as they are done.

    Each configuration makes its own data. Raises ParameterError where dask is not installed or no scheduler answers.
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


def cluster_steps(scheduler: str, files: Files, settings: Settings) -> Iterator[tuple[float, Snapshot]]:
    """Yield two Snapshots of the whole column: by the merged sketches, then beside the truth, as `streams.steps`.

    Each file is one part. `settings.batch` and `most_exact` are not read: the records stay on the workers. Raises
    ParameterError, DataError.
    """
    from .columns import sample_column, sketch_column

    with connected(scheduler) as client:
        start = perf_counter()
        stream = files.stream()
        sketch = sketch_column(
            stream, client=client, domain=settings.domain, alpha=settings.alpha, n_max=settings.n_max
        )
        seconds = perf_counter() - start
        yield 0.5, look(sketch, None, settings, seconds)
        truth = sample_column(stream, client=client, domain=settings.domain, seed=settings.seed)
        yield 1.0, look(sketch, truth, settings, seconds)
