"""A worker is killed: what it held is computed again to the last bit, also of draws without a seed."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core.cluster.columns import spread_column
from tests.cluster.frames import below, blocks_of, dask, distributed, spread, table_of

pytestmark = pytest.mark.slow

COLUMNS = {"pay": (0, 100, "0.1"), "days": (-5, 5, "0.01")}
PERSON = {"person": "id", "max_rows_per_person": 2, "max_groups_per_person": 1}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two processes, of which one can be killed: a new one takes its place."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started,
        distributed.Client(started) as connected,
    ):
        yield connected


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng, rows = np.random.default_rng(5), 5000
    return pd.DataFrame(
        {
            "id": [f"secret-{each}" for each in rng.integers(0, 400, rows)], "pay": rng.normal(50, 25, rows).round(1),
            "days": rng.normal(0, 2, rows), "ward": rng.choice(["north", "east", "west"], rows),
        }
    )  # fmt: skip


Held = tuple[list[Any], Callable[[], list[Any]]]
"""What lies on the workers, and how to read it."""


def a_column(client: Any, frame: pd.DataFrame) -> Held:
    values = dask.delayed(np.asarray)
    array = pytest.importorskip("dask.array")
    parts = [
        array.from_delayed(values(part), (part.size,), float) for part in np.array_split(frame["pay"].to_numpy(), 5)
    ]
    records: Any = spread_column(array.concatenate(parts), client=client, domain=dpq.Domain(0, 100, "0.1")).records
    return list(records.ranges), lambda: [records[np.arange(records.size)]]


def rows_at_random(client: Any, frame: pd.DataFrame) -> Held:
    records = table_of(spread(frame), COLUMNS, person="id", per_person="random")["pay"].records
    return list(records.ranges), lambda: [records[np.arange(records.size)]]


def listed_groups(client: Any, frame: pd.DataFrame) -> Held:
    groups = table_of(spread(frame), COLUMNS, by={"ward": ["west", "nobody", "north"]}, **PERSON)["pay"]
    return list(groups.blocks), lambda: [part for block in blocks_of(client, groups) for part in held_by(block)]


def found_groups(client: Any, frame: pd.DataFrame) -> Held:
    groups = table_of(spread(frame), COLUMNS, by={"ward": dpq.FindGroups("1/2")}, **PERSON)["pay"]
    return list(groups.blocks), lambda: [part for block in blocks_of(client, groups) for part in held_by(block)]


def held_by(block: Any) -> tuple[Any, ...]:
    return np.array(block.names), block.starts, block.people_in, block.cells


def found_bounds(client: Any, frame: pd.DataFrame) -> Held:
    raw = table_of(spread(frame), {"pay": dpq.FindBounds(step=1)}, person="id", per_person="random")["pay"]

    def read() -> list[Any]:
        records = raw.on(dpq.Domain(-1000, 5000, 1)).records
        return [below(raw), records[np.arange(records.size)]]

    return list(raw.read.func.__self__.rows), read


@pytest.mark.parametrize("hold", [a_column, rows_at_random, listed_groups, found_groups, found_bounds])
def test_a_worker_killed_later_gives_the_same_bits_again(client: Any, frame: pd.DataFrame, hold: Any) -> None:
    client.wait_for_workers(2, timeout=300)
    futures, read = hold(client, frame)
    before = read()
    holders = {worker for each in futures for worker in client.who_has(each)[each.key]}
    os.kill(client.run(os.getpid, workers=[min(holders)])[min(holders)], signal.SIGKILL)
    for one, other in zip(before, read(), strict=True):
        assert np.array_equal(one, other)


def killing(part: Any, mark: str) -> Any:
    """A part whose first reader is killed in the middle of it."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_worker_killed_while_the_table_is_read_changes_nothing(frame: pd.DataFrame, tmp_path: Path) -> None:
    mark, rule = str(tmp_path / "killed"), {"person": "id", "per_person": "median"}
    dying = spread(frame).map_partitions(killing, mark, meta=frame.iloc[:0])
    there = table_of(dying, COLUMNS, **rule)["days"]
    assert Path(mark).exists()
    assert np.array_equal(below(there), below(table_of(frame, COLUMNS, **rule)["days"]))


def test_a_worker_killed_while_parts_are_read_changes_nothing(client: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    mark, domain, array = str(tmp_path / "killed"), dpq.Domain(0, 100, "0.1"), pytest.importorskip("dask.array")
    parts = np.array_split(frame["pay"].to_numpy(), 5)
    read = [array.from_delayed(dask.delayed(killing)(part, mark), (part.size,), float) for part in parts]
    there, again = (spread_column(array.concatenate(read), client=client, domain=domain, seed=2) for _ in range(2))
    assert Path(mark).exists()
    rows = np.arange(there.n)
    assert np.array_equal(there.records[rows], again.records[rows])
    assert np.array_equal(there.records[rows] >> 20, np.sort(domain.encode(np.concatenate(parts))))
