"""What tests of a cluster share: tables of frames in partitions, and what is on the workers."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq

dask = pytest.importorskip("dask", reason="the extra [cluster] is not installed: nothing about clusters was tested")
distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
dataframe = pytest.importorskip("dask.dataframe", reason="dask has no data frames here")


def table_of(frame: Any, columns: Any, **rule: Any) -> Any:
    """A table, of no particular type of columns."""
    return dpq.Table.from_frame(frame, columns, **rule)


def spread(frame: pd.DataFrame, parts: int = 4) -> Any:
    """A table in partitions, whose cells are as they are: otherwise the library makes texts of all objects."""
    cuts = [frame.iloc[rows] for rows in np.array_split(np.arange(len(frame)), parts)]
    with dask.config.set({"dataframe.convert-string": False}):
        return dataframe.from_delayed(list(map(dask.delayed, cuts)), meta=frame.iloc[:0], verify_meta=False)


def below(column: Any) -> np.ndarray:
    """How many records, or units of persons, lie below each value of the grid."""
    return np.asarray(column.count_below(np.arange(column.domain.cells + 1)))


def blocks_of(client: Any, groups: Any) -> list[Any]:
    return list(client.gather(list(groups.blocks)))


def task_texts(client: Any) -> str:
    """All keys and logs of the scheduler and the workers."""

    def keys(dask_scheduler: Any) -> list[str]:
        return [str(key) for key in dask_scheduler.tasks] + [str(dask_scheduler.get_events())]

    logs = [*client.get_worker_logs().values(), client.get_scheduler_logs()]
    return " ".join(client.run_on_scheduler(keys)) + str(logs)


class Received:
    """All that the client receives from now on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers = list[Any]()
        for owner, name in ((distributed.Client, "gather"), (distributed.Future, "result")):
            monkeypatch.setattr(owner, name, self._heard(getattr(owner, name)))

    def _heard(self, method: Any) -> Any:
        def call(*given: Any, **settings: Any) -> Any:
            self.answers.append(found := method(*given, **settings))
            return found

        return call

    def each(self) -> list[Any]:
        """The answers, and those in lists one by one."""
        return [each for found in self.answers for each in (found if isinstance(found, list) else [found])]


class Unread:
    """A Dask data frame whose partitions fail if anybody reads them."""

    def __new__(cls) -> Any:
        def read(_: int) -> Any:
            raise AssertionError("nothing is read before a refusal")

        meta = pd.DataFrame({"x": pd.Series([], dtype=float), "g": pd.Series([], dtype=str), "id": [] * 1})
        return dataframe.from_map(read, [0, 1], meta=meta)
