"""Who decides what the screen may show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpq_core.results.data_set import DataSet
from dpq_core.ui.shell.page import glossary, term
from dpq_core.ui.shell.state import Mode, decide_mode, uploads_may_be_explored

UPLOAD = DataSet(
    identity="upload:1", name="age", kind="number", unit="", one="person", many="people", about="age", source="",
    is_example=False, public=False, reading="", values=np.arange(3.0),
)  # fmt: skip


@pytest.mark.parametrize(
    ("is_example", "public", "server", "mode"),
    [
        (True, True, "", Mode.EXPLORE),
        (True, True, "release", Mode.EXPLORE),
        (False, False, "", Mode.RELEASE),
        (False, True, "", Mode.EXPLORE),
        (False, True, "release", Mode.RELEASE),
        (False, True, " RELEASE ", Mode.RELEASE),
    ],
)
def test_the_mode(is_example: bool, public: bool, server: str, mode: Mode) -> None:
    assert decide_mode(replace(UPLOAD, is_example=is_example, public=public), {"DPQ_MODE": server}) is mode


def test_no_data_is_treated_with_care() -> None:
    assert decide_mode(None, {}) is Mode.RELEASE
    assert uploads_may_be_explored({})


def test_values_are_not_in_the_repr() -> None:
    assert "array" not in repr(UPLOAD)


def test_the_glossary_has_no_empty_section() -> None:
    assert all(term(name) for name in glossary())
