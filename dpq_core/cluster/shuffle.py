"""Move rows between the workers of a Dask cluster: by persons, or to numbered places; Dask's own shuffle does both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from ..errors import ParameterError
from ..progress import Progress, within
from ..sources.column import only_clear_errors

Client: TypeAlias = Any  # distributed.Client and Future, dask's Delayed and frames: these libraries have no types
Future: TypeAlias = Any
Frame: TypeAlias = Any
Delayed: TypeAlias = Any

SECONDS_TO_ANSWER = 10
FAILED = "a step on the cluster failed: a file is damaged, or its workers were lost; their logs say which."
PLACE = "place"
"""The column that says where a row goes."""


class Hidden:
    """Hold an argument of a task whose text nobody may read: logs write what a failing task was given."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "Hidden()"


def connected_client() -> Client:
    """Return the client that this process is connected with. Raises ParameterError where there is none."""
    distributed = library("distributed", "frame")
    try:
        return distributed.default_client()
    except ValueError:
        raise ParameterError(
            "frame", "needs a cluster: connect first, as in client = Client('tcp://scheduler:8786'), from distributed."
        ) from None


def connected(scheduler: str) -> Any:
    """Return a client of the cluster, to be closed. Raises ParameterError where there is no dask or nobody answers."""
    distributed = library("distributed", "scheduler")
    try:
        return distributed.Client(scheduler, timeout=SECONDS_TO_ANSWER)
    except Exception:  # of other hands: what is no scheduler may answer with anything
        raise ParameterError("scheduler", f"does not answer at {scheduler[:80]!r}.") from None


def library(name: str, setting: str) -> Any:
    """Return a module of dask, which has no types. Raises ParameterError, by the setting that needs it."""
    try:
        return import_module(name)
    except ImportError:
        raise ParameterError(setting, "needs dask: install this package with [cluster].") from None


def started(client: Client, work: Sequence[Delayed]) -> list[Future]:
    """Return the futures of delayed calls, which begin now."""
    return list(client.compute(list(work)))


def delayed_call(function: Callable[..., Any], *given: Any) -> Delayed:
    """Return a call that is made later, where its arguments are; its key is the function's name and a random number."""
    return library("dask", "frame").delayed(function, pure=False)(*given)


def results(client: Client, futures: Sequence[Future]) -> list[Any]:
    """Return the results of the futures, in their order. Raises DataError, which quotes no cell, and ParameterError."""
    return list(only_clear_errors(client.gather, FAILED)(list(futures)))


def waited(client: Client, futures: Sequence[Future], progress: Progress) -> None:
    """Wait until all futures are done, and tell the share of those that are; an error is raised with the results."""
    for done, _ in enumerate(library("distributed", "frame").as_completed(list(futures)), start=1):
        progress(done / len(futures))


def finished(client: Client, steps: Sequence[Delayed], work: Sequence[Delayed], progress: Progress) -> list[Future]:
    """Return the futures of `work` when all of it is done; `steps` are done on the way, and count as half of it.

    Nothing is kept of what is made in between. Raises what a step raised.
    """
    futures = started(client, [*steps, *work])
    first, last = futures[: len(steps)], futures[len(steps) :]
    if first:
        waited(client, first, within(progress, 0, 2))
        results(client, first)
        progress = within(progress, 1, 2)
    waited(client, last, progress)
    return last


def sent(client: Client, value: Any) -> Future:
    """Return a value on a worker, which others fetch there; unlike scattered data it outlives the loss of a worker."""
    return client.submit(_shown, Hidden(value), pure=False)


def _shown(hidden: Hidden) -> Any:
    return hidden.value


def added(client: Client, add: Callable[[Any, Any], Any], parts: Sequence[Future]) -> Future:
    """Return the sum of all parts, which stays on a worker; added in pairs, so that no worker holds all."""
    left = list(parts)
    while len(left) > 1:
        pairs = [left[at : at + 2] for at in range(0, len(left), 2)]
        left = [client.submit(add, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return left[0]


def by_columns(client: Client, frames: Sequence[Delayed], empty: Frame, columns: list[str]) -> list[Delayed]:
    """Return as many partitions, in which rows that are equal in these columns are together."""
    with client.as_current():
        return list(_whole(frames, empty).shuffle(on=columns, npartitions=len(frames)).to_delayed())


def to_places(client: Client, frames: Sequence[Delayed], empty: Frame, places: int) -> list[Delayed]:
    """Return a partition for each place, with the rows whose column `PLACE` has its number, in any order."""
    with client.as_current():
        placed = _whole(frames, empty).set_index(PLACE, divisions=list(range(places + 1)))
        return list(placed.to_delayed())


def _whole(frames: Sequence[Delayed], empty: Frame) -> Frame:
    return library("dask.dataframe", "frame").from_delayed(list(frames), meta=empty, verify_meta=False)
