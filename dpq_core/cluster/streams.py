"""Read a stream on a Dask cluster: merged sketches, then the exact column spread over the workers beside them.

Needs the extra [cluster]. The workers must find the files at the same paths, and have the same version of this
package.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from ..studies.streams.feeds import Files
from ..studies.streams.reading import Settings, Snapshot, look
from .grid import connected


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
