"""A ledger of its own for every visit; files are read in place, while tests/jobs/test_strangers.py starts children."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from dpq_core.jobs.strangers import FileJob


@pytest.fixture(autouse=True)
def own_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the ledger that pages use during this test."""
    file = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("DPQ_LEDGER_URL", str(file))
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a key for the tests")
    return file


@pytest.fixture(autouse=True)
def read_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files without a child: some hundred tests bring one, and a child takes a second to start."""

    def take(
        job: FileJob, steps: Callable[[], Iterable[tuple[float, Any]]], progress: Callable[[float], object], _: object
    ) -> Any:
        parts = []
        for share, part in steps():
            progress(share)
            parts.append(part)
        return parts[-1]

    monkeypatch.setattr(FileJob, "_take", take)
