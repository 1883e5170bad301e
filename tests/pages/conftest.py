"""A ledger of its own for every visit."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the ledger that pages use during this test."""
    file = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("DPQ_LEDGER_URL", str(file))
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a key for the tests")
    return file
