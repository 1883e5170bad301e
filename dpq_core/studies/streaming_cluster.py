"""A stream read on a Dask cluster: merged sketches, then the exact column spread over the workers beside them.

Needs the extra [cluster]. The workers must find the files at the same paths, and have the same version of this
package.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from ..errors import ParameterError
from .stream_feeds import Files
from .streaming import Settings, Step, look

SECONDS_TO_ANSWER = 10


def cluster_steps(scheduler: str, files: Files, settings: Settings) -> Iterator[tuple[float, Step]]:
    """Two Steps of the whole column: as the merged sketches know it, then beside the truth. See `streaming.steps`.

    Each file is one part. `settings.batch` and `most_exact` are not read: the records stay on the workers. Raises
    ParameterError, DataError.
    """
    from ..sources.cluster import sample_column, sketch_column

    with _connected(scheduler) as client:
        start = perf_counter()
        sketch = sketch_column(
            files.source, files.column, client=client, domain=settings.domain, alpha=settings.alpha,
            n_max=settings.n_max,
        )  # fmt: skip
        seconds = perf_counter() - start
        yield 0.5, look(sketch, None, settings, seconds)
        truth = sample_column(files.source, files.column, client=client, domain=settings.domain, seed=settings.seed)
        yield 1.0, look(sketch, truth, settings, seconds)


def _connected(scheduler: str) -> Any:
    """A client of the cluster, to be closed. Raises ParameterError where there is no dask or nobody answers."""
    try:
        import distributed
    except ImportError:
        raise ParameterError("scheduler", "`scheduler` needs dask: install this package with [cluster].") from None
    library: Any = distributed  # it has no types
    try:
        return library.Client(scheduler, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError):
        raise ParameterError("scheduler", f"`scheduler` does not answer at {scheduler[:80]!r}.") from None
