"""A column on two workers: the sketch, the sample and the answers of one process, also when a worker is lost."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpq_core as dpq
from dpq_core import DataError, Domain, ParameterError, Sample
from dpq_core.calibrations import calibrate, mechanism_of
from dpq_core.noise import FastEntropy, jitter
from dpq_core.noise.jitter import Key, jitter_keys

pytestmark = [
    pytest.mark.slow,
    # The library leaves sockets of lost workers to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

dask = pytest.importorskip("dask", reason="the extra [cluster] is not installed: nothing about clusters was tested")
distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")

from dpq_core.cluster.columns import sample_column, sketch_column, sorted_records  # noqa: E402
from dpq_core.tables.partitions.cells import ClusterCells  # noqa: E402
from tests.sources.refusals import refused  # noqa: E402

DOMAIN = Domain(-50, 150, "0.01")
LEVELS = ["0.05", "1/4", "1/2", "3/4", "0.95"]


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture(scope="module")
def parts() -> list[np.ndarray]:
    """Parts of very different sizes, one of them empty; ties, values outside the bounds, and missing ones."""
    rng = np.random.default_rng(4)
    drawn = [np.round(rng.normal(50, 30, size), 1) for size in (4000, 0, 17, 9000, 2500)]
    drawn[3][::50] = np.nan
    return drawn


@pytest.fixture(scope="module")
def files(parts: list[np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("column")
    for at, values in enumerate(parts):
        pq.write_table(pa.table({"x": pa.array(values, from_pandas=True)}), folder / f"{at}.parquet")
    return folder


def in_memory(parts: list[np.ndarray], seed: int, domain: Domain = DOMAIN) -> Sample:
    """The Sample of the same parts, made here with plain numpy."""
    made = [
        sorted_records(part, key, domain=domain, missing=None, bits=20)
        for part, key in zip(parts, jitter_keys(len(parts), seed), strict=True)
    ]
    cells = np.sort(np.concatenate([each.cells for each in made]))
    return Sample(records=cells, domain=domain, jitter_bits=20, seed=seed, dropped=sum(each.dropped for each in made))


def answers(sample: Sample, mechanism: str, options: Mapping[str, str], trials: int = 5) -> np.ndarray:
    plan = dpq.Plan(LEVELS, mechanism, dpq.PureDP(1.0), dpq.Adjacency.ADD_REMOVE, options)
    cells = mechanism_of(plan).run(sample, calibrate(plan), FastEntropy(7, trials))
    return np.asarray(cells)


def test_keyed_bits_are_uniform_repeatable_and_part_by_part() -> None:
    one, other = jitter_keys(2, seed=3)
    draws = np.concatenate(list(jitter(600_000, 4, key=one)))
    assert np.array_equal(draws, np.concatenate(list(jitter(600_000, 4, key=one))))
    assert np.array_equal(draws[:1000], np.concatenate(list(jitter(1000, 4, key=one))))
    assert not np.array_equal(draws[:1000], np.concatenate(list(jitter(1000, 4, key=other))))
    counts = np.bincount(draws, minlength=16)
    # chi-square with 15 degrees of freedom exceeds 70 with probability below 1e-8; the seed is fixed
    assert ((counts - draws.size / 16) ** 2 / (draws.size / 16)).sum() < 70
    assert jitter_keys(2, seed=3) == [one, other]
    assert len({*jitter_keys(50), *jitter_keys(50)}) == 100


def test_a_part_holds_the_cells_of_its_records(parts: list[np.ndarray]) -> None:
    read = sorted_records(parts[3], Key(32), domain=DOMAIN, missing=None, bits=20)
    finite = parts[3][np.isfinite(parts[3])]
    assert np.array_equal(read.cells >> 20, np.sort(DOMAIN.encode(finite)))
    assert read.dropped == parts[3].size - finite.size > 0


@pytest.mark.parametrize("domain", [DOMAIN, Domain.significant()], ids=["even", "significant"])
def test_a_sample_on_a_cluster_answers_as_the_same_parts_in_memory(
    client: Any, parts: list[np.ndarray], files: Path, domain: Domain
) -> None:
    spread, here = sample_column(files, "x", client=client, domain=domain, seed=11), in_memory(parts, 11, domain)
    assert (spread.n, spread.dropped, spread.jitter_bits) == (here.n, here.dropped > 0, here.jitter_bits)
    assert np.array_equal(spread.records[np.arange(spread.n)], here.cells)
    for mechanism, options in (("aq", {}), ("aq", {"draws": "several"}), ("indexp", {})):
        assert np.array_equal(answers(spread, mechanism, options), answers(here, mechanism, options))
    values = np.arange(0, 50, 10)
    assert np.array_equal(dpq.rank_errors(spread, LEVELS, values), dpq.rank_errors(here, LEVELS, values))


@pytest.mark.parametrize("kind", ["series", "array"])
def test_the_partitions_of_a_dask_collection_are_parts(client: Any, parts: list[np.ndarray], kind: str) -> None:
    filled = [part for part in parts if part.size]
    spread = sample_column(collection(filled, kind), client=client, domain=DOMAIN, seed=11)
    assert np.array_equal(spread.records[np.arange(spread.n)], in_memory(filled, 11).cells)


def collection(parts: list[np.ndarray], kind: str) -> Any:
    if kind == "series":
        dataframe = pytest.importorskip("dask.dataframe")
        frames = [dask.delayed(pd.Series)(part, name="x", dtype="Float64") for part in parts]
        return dataframe.from_delayed(frames, meta=pd.Series([], name="x", dtype="Float64"))
    array = pytest.importorskip("dask.array")
    return array.concatenate([array.from_array(part, chunks=part.size) for part in parts])


def test_windows_and_ranks_of_a_view_are_those_of_the_slice(client: Any, files: Path, parts: list[np.ndarray]) -> None:
    spread, here = sample_column(files, "x", client=client, domain=DOMAIN, seed=1).records, in_memory(parts, 1).cells
    for first, end in ((0, here.size), (100, 9000), (5000, 5000), (here.size - 1, here.size)):
        view, part = spread[first:end], here[first:end]
        asked = np.concatenate([here[::3000], here[::3000] + 1, [0, DOMAIN.cells << 20]]).reshape(2, -1)
        assert view.size == part.size
        assert np.array_equal(view.searchsorted(asked), part.searchsorted(asked))
        at = np.arange(0, part.size, 700)
        assert np.array_equal(view[at], part[at])


def test_a_release_runs_on_a_cluster_and_what_needs_all_records_says_so(client: Any, files: Path) -> None:
    spread = sample_column(files, "x", client=client, domain=DOMAIN)
    plan = dpq.Plan(LEVELS, "aq", dpq.PureDP(50.0), dpq.Adjacency.ADD_REMOVE)
    # At this budget an answer misses by 200 of 15,000 records with probability below 1e-300.
    released = dpq.release(spread, plan)
    assert released.guarantee.exact
    assert dpq.rank_errors(spread, LEVELS, released.values).max() < 200
    with pytest.raises(DataError, match="spread over a cluster"):
        _ = spread.coarse_cells
    assert "15" not in repr(spread).replace("150", "") + repr(spread.records)
    with pytest.raises(ParameterError, match="seed"):
        dpq.release(sample_column(files, "x", client=client, domain=DOMAIN, seed=1), plan)


def test_bits_without_a_seed_are_others_each_time(client: Any, files: Path) -> None:
    one, other = (sample_column(files, "x", client=client, domain=DOMAIN) for _ in range(2))
    rows = np.arange(one.n)
    assert (one.seed, one.jitter_bits) == (None, other.jitter_bits)
    assert np.array_equal(one.records[rows] >> one.jitter_bits, other.records[rows] >> one.jitter_bits)
    assert (one.records[rows] != other.records[rows]).any()


def test_merged_sketches_keep_the_bound_of_one(client: Any, files: Path, parts: list[np.ndarray]) -> None:
    merged = sketch_column(files, "x", client=client, domain=DOMAIN, alpha=0.01, n_max=20_000)
    records = np.concatenate(parts)
    cells = np.sort(DOMAIN.encode(records[np.isfinite(records)]))
    asked = np.arange(0, DOMAIN.cells, 7)
    low, high = merged.rank_bounds(asked)
    below, through = np.searchsorted(cells, asked), np.searchsorted(cells, asked, side="right")
    assert (merged.n, merged.dropped, merged.n_max) == (cells.size, records.size - cells.size, 20_000)
    assert len(merged) < 1000
    for bound, exact in ((low, below), (through, high)):
        assert ((exact - bound >= 0) & (exact - bound < merged.threshold)).all()
    plan = dpq.Plan(LEVELS, "gkexp", dpq.PureDP(1.0), dpq.Adjacency.ADD_REMOVE)
    assert len(dpq.release(merged, plan).values) == 5


def test_sketches_of_a_cluster_are_those_of_one_process(client: Any, files: Path) -> None:
    """The tree of merges is fixed, so the sketch does not depend on which worker did what."""
    once, again = (
        sketch_column(files, "x", client=client, domain=DOMAIN, alpha=0.001, n_max=50_000).to_bytes() for _ in range(2)
    )
    assert once == again
    with pytest.raises(ParameterError, match="n_max"):
        sketch_column(files, "x", client=client, domain=DOMAIN, alpha=0.001, n_max=4)


def test_errors_of_parts_arrive_as_sentences(client: Any, files: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "a.csv", tmp_path / "b.csv"
    good.write_text("x,y\n1.5,1\n")
    bad.write_text('x,y\n"3,14",1\n')
    with refused(r"^Rows? [\d ,to]+\. File 2 of 2: A cell is written differently"):
        sample_column([good, bad], "x", client=client, domain=DOMAIN)
    bad.write_text("x,y\n2.5,1\nseven,1\n")
    with refused(r"^Rows? [\d ,to]+\. File 2 of 2: A cell is"):
        sample_column([good, bad], "x", client=client, domain=DOMAIN)
    with refused("one column of numbers"):
        sample_column(dask_texts(), client=client, domain=DOMAIN)
    with pytest.raises(ParameterError, match="column"):
        sample_column(files, client=client, domain=DOMAIN)
    with pytest.raises(ParameterError, match="column"):
        sample_column(files, "z", client=client, domain=DOMAIN)


def dask_texts():
    array = pytest.importorskip("dask.array")
    return array.from_array(np.array(["a", "b"]), chunks=1)


def killing(values: np.ndarray, mark: str) -> np.ndarray:
    """A part whose first reader is killed in the middle of it."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return values


def test_a_worker_killed_while_parts_are_read_changes_nothing(
    client: Any, parts: list[np.ndarray], tmp_path: Path
) -> None:
    array = pytest.importorskip("dask.array")
    mark = str(tmp_path / "killed")
    read = [array.from_delayed(dask.delayed(killing)(part, mark), (part.size,), float) for part in parts if part.size]
    spread = sample_column(array.concatenate(read), client=client, domain=DOMAIN, seed=2)
    assert Path(mark).exists()
    assert np.array_equal(spread.records[np.arange(spread.n)], in_memory([p for p in parts if p.size], 2).cells)


def test_a_worker_killed_after_the_bits_were_drawn_gives_the_same_bits_again(
    cluster: Any, client: Any, files: Path
) -> None:
    """Without a seed: what an answer may have been drawn from is computed again to the last bit."""
    client.wait_for_workers(2, timeout=60)
    for _ in range(50):  # a worker that is busy when the ranges are handed out gets none of them
        spread = sample_column(files, "x", client=client, domain=DOMAIN)
        assert isinstance(spread.records, ClusterCells)
        before = spread.records[np.arange(spread.n)]
        holders = {worker for range_ in spread.records.ranges for worker in client.who_has(range_)[range_.key]}
        if len(holders) == 2:
            break
    assert len(holders) == 2
    os.kill(client.run(os.getpid, workers=[min(holders)])[min(holders)], signal.SIGKILL)
    assert np.array_equal(spread.records[np.arange(spread.n)], before)


def test_a_sample_in_memory_still_travels() -> None:
    sample = Sample.from_values([1.0, 2.0], DOMAIN)
    assert np.array_equal(pickle.loads(pickle.dumps(sample)).records, sample.cells)
