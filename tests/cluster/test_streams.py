"""The stream read on two workers: the same errors as in one process, and words where there is no cluster."""

from __future__ import annotations

import socket
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpq_core as dpq
from dpq_core.cluster.grid import cluster_steps, connected
from dpq_core.studies.streams.feeds import Files
from dpq_core.studies.streams.reading import Settings

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")

SETTINGS = Settings(
    domain=dpq.Domain(0, 1000, "0.01"),
    alpha=0.005,
    n_max=12_000,
    quantiles=(Fraction(1, 4), Fraction(1, 2)),
    privacy=dpq.PureDP(2.0),
    batch=1000,
)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    rng = np.random.default_rng(8)
    for at, size in enumerate((6000, 2500, 1500)):
        pq.write_table(pa.table({"x": rng.gamma(2, 100, size)}), tmp_path / f"{at}.parquet")
    return Files(tmp_path, "x")


def test_merged_sketches_and_the_truth_on_the_workers(cluster: Any, files: Files) -> None:
    (half, known), (end, exact) = cluster_steps(cluster.scheduler_address, files, SETTINGS)
    assert (half, end) == (0.5, 1.0)
    assert (known.n, exact.n, known.exact, exact.exact) == (10_000, 10_000, False, True)
    assert known.points == exact.points < 10_000
    assert exact.sketch_error <= exact.bound == 50
    assert exact.sketch_error <= known.sketch_error
    assert known.gk.mean <= exact.gk.mean
    assert 0 <= exact.full.mean < exact.gk.mean


def test_no_cluster_is_one_sentence(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpq_core.cluster.grid.SECONDS_TO_ANSWER", 0.2)
    with pytest.raises(dpq.ParameterError, match="does not answer at 'tcp"):
        next(cluster_steps("tcp://127.0.0.1:9", files, SETTINGS))


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
