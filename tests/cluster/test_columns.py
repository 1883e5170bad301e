"""A column on two workers: the sketch, the sample and the answers of one process, also when a worker is lost."""

import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core import Column, DataError, Domain, ParameterError
from dpq_core.calibrations import calibrate, mechanism_of
from dpq_core.cluster.columns import sketch_column, sorted_records, spread_column
from dpq_core.cluster.reading import read_files
from dpq_core.cluster.shuffle import connected
from dpq_core.noise.fast import SeededSampler
from dpq_core.noise.tie_breaking import tie_breaking_keys
from tests.cluster.frames import dask, dataframe
from tests.harness import Plan
from tests.sources.refusals import refused

DOMAIN = Domain(-50, 150, "0.01")
LEVELS = ["0.05", "1/4", "1/2", "3/4", "0.95"]


@pytest.fixture(scope="module")
def parts() -> list[np.ndarray]:
    """Parts of very different sizes, one of them empty; ties, values outside the bounds, and missing ones."""
    rng = np.random.default_rng(4)
    drawn = [np.round(rng.normal(50, 30, size), 1) for size in (4000, 0, 17, 9000, 2500)]
    drawn[3][::50] = np.nan
    return drawn


@pytest.fixture(scope="module")
def column(parts: list[np.ndarray]) -> Any:
    frames = [dask.delayed(pd.Series)(part, name="x", dtype="Float64") for part in parts]
    return dataframe.from_delayed(frames, meta=pd.Series([], name="x", dtype="Float64"))


def in_memory(parts: list[np.ndarray], seed: int, domain: Domain = DOMAIN) -> Column:
    """The Column of the same parts, made here with plain numpy."""
    made = [
        sorted_records(part, key, domain=domain, missing=None, bits=20)
        for part, key in zip(parts, tie_breaking_keys(len(parts), seed), strict=True)
    ]
    cells = np.sort(np.concatenate([each.cells for each in made]))
    return Column(records=cells, domain=domain, tie_bits=20, seed=seed, dropped=sum(each.dropped for each in made))


def answers(column: Column, mechanism: str, options: Mapping[str, str], trials: int = 5) -> np.ndarray:
    plan = Plan(LEVELS, mechanism, dpq.PureDP(1.0), dpq.Adjacency.ADD_REMOVE, options)
    cells = mechanism_of(plan).run(column, calibrate(plan), SeededSampler(7, trials))
    return np.asarray(cells)


@pytest.mark.slow
@pytest.mark.parametrize("domain", [DOMAIN, Domain.significant()], ids=["even", "significant"])
def test_a_sample_answers_as_in_memory(client: Any, parts: list[np.ndarray], column: Any, domain: Domain) -> None:
    spread, here = spread_column(column, client=client, domain=domain, seed=11), in_memory(parts, 11, domain)
    assert (spread.n, spread.dropped, spread.tie_bits) == (here.n, here.dropped > 0, here.tie_bits)
    assert np.array_equal(spread.records[np.arange(spread.n)], here.cells)
    for mechanism, options in (("aq", {}), ("aq", {"draws": "several"}), ("indexp", {})):
        assert np.array_equal(answers(spread, mechanism, options), answers(here, mechanism, options))
    values = np.arange(0, 50, 10)
    assert np.array_equal(dpq.rank_errors(spread, LEVELS, values), dpq.rank_errors(here, LEVELS, values))


@pytest.mark.slow
def test_the_partitions_of_a_dask_array_are_parts(client: Any, parts: list[np.ndarray]) -> None:
    array, filled = pytest.importorskip("dask.array"), [part for part in parts if part.size]
    joined = array.concatenate([array.from_array(part, chunks=part.size) for part in filled])
    spread = spread_column(joined, client=client, domain=DOMAIN, seed=11)
    assert np.array_equal(spread.records[np.arange(spread.n)], in_memory(filled, 11).cells)


@pytest.mark.slow
def test_windows_and_ranks_of_a_view_are_those_of_the_slice(client: Any, column: Any, parts: list[np.ndarray]) -> None:
    spread, here = spread_column(column, client=client, domain=DOMAIN, seed=1).records, in_memory(parts, 1).cells
    for first, end in ((0, here.size), (100, 9000), (5000, 5000), (here.size - 1, here.size)):
        view, part = spread[first:end], here[first:end]
        asked = np.concatenate([here[::3000], here[::3000] + 1, [0, DOMAIN.cells << 20]]).reshape(2, -1)
        assert view.size == part.size
        assert np.array_equal(view.searchsorted(asked), part.searchsorted(asked))
        at = np.arange(0, part.size, 700)
        assert np.array_equal(view[at], part[at])


@pytest.mark.slow
def test_a_release_runs_on_a_cluster_and_what_needs_all_records_says_so(client: Any, column: Any) -> None:
    spread = spread_column(column, client=client, domain=DOMAIN)
    plan = dpq.Plan(LEVELS, "aq", dpq.PureDP(50.0), dpq.Adjacency.ADD_REMOVE)
    # At this budget an answer misses by 200 of 15,000 records with probability below 1e-300.
    released = dpq.release(spread, plan)
    assert released.guarantee.exact
    assert dpq.rank_errors(spread, LEVELS, released.values["column"]).max() < 200
    with pytest.raises(DataError, match="spread over a cluster"):
        _ = spread.coarse_cells
    assert "15" not in repr(spread).replace("150", "") + repr(spread.records)
    with pytest.raises(ParameterError, match="seed"):
        dpq.release(spread_column(column, client=client, domain=DOMAIN, seed=1), plan)


@pytest.mark.slow
def test_bits_without_a_seed_are_others_each_time(client: Any, column: Any) -> None:
    one, other = (spread_column(column, client=client, domain=DOMAIN) for _ in range(2))
    rows = np.arange(one.n)
    assert (one.seed, one.tie_bits) == (None, other.tie_bits)
    assert np.array_equal(one.records[rows] >> one.tie_bits, other.records[rows] >> one.tie_bits)
    assert (one.records[rows] != other.records[rows]).any()


def test_merged_sketches_keep_the_bound_of_one(client: Any, column: Any, parts: list[np.ndarray]) -> None:
    merged = sketch_column(column, client=client, domain=DOMAIN, alpha=0.01, n_max=20_000)
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
    assert len(dpq.release(merged, plan).values["column"]) == 5


def test_sketches_of_a_cluster_are_those_of_one_process(client: Any, column: Any) -> None:
    """The tree of merges is fixed, so the sketch does not depend on which worker did what."""
    once, again = (
        sketch_column(column, client=client, domain=DOMAIN, alpha=0.001, n_max=50_000).to_bytes() for _ in range(2)
    )
    assert once == again
    with pytest.raises(ParameterError, match="n_max"):
        sketch_column(column, client=client, domain=DOMAIN, alpha=0.001, n_max=4)


def test_errors_of_parts_arrive_as_sentences(client: Any, tmp_path: Path) -> None:
    for at, values in enumerate([[1.5, 2.5], list(range(50))]):
        pd.DataFrame({"x": values}, dtype="float64").to_parquet(tmp_path / f"{at}.parquet")
    assert spread_column(read_files(tmp_path)["x"], client=client, domain=DOMAIN).n == 52
    whole = (tmp_path / "0.parquet").read_bytes()
    (tmp_path / "0.parquet").write_bytes(whole[:4] + bytes(60) + whole[64:])
    with refused("a file is damaged"):
        spread_column(read_files(tmp_path)["x"], client=client, domain=DOMAIN)
    with refused("cannot be read as numbers"):
        texts = pytest.importorskip("dask.array").from_array(np.array(["a", "b"]), chunks=1)
        spread_column(texts, client=client, domain=DOMAIN)
    for other in (tmp_path, read_files(tmp_path)):
        with pytest.raises(ParameterError, match="column"):
            spread_column(other, client=client, domain=DOMAIN)


def test_no_cluster_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpq_core.cluster.shuffle.SECONDS_TO_ANSWER", 0.2)
    with pytest.raises(dpq.ParameterError, match="does not answer at 'tcp"):
        connected("tcp://127.0.0.1:9")


def test_a_server_that_is_no_scheduler_is_refused_in_a_sentence() -> None:
    """The first eight bytes are taken for a number of frames: of "HTTP/1.1" it is 3.07 EiB."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"

        def answer() -> None:
            while True:
                try:
                    visitor, _ = server.accept()
                except OSError:  # closed, at the end
                    return
                with visitor:
                    visitor.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(dpq.ParameterError, match="does not answer at 'tcp://127"):
            connected(address)
