"""Which parameters of a test are tried in every run, and which in `make test-all` alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def kept(values: Iterable[Any], *in_every_run: Any) -> list[Any]:
    """Return values for `parametrize`; those that are not `in_every_run` are tried in `make test-all`.

    A value that is kept but not there is a fault of the test, and fails its collection.
    """
    found = list(values)
    assert all(each in found for each in in_every_run), "what is kept in every run must be among the values"
    return [value if value in in_every_run else pytest.param(value, marks=pytest.mark.very_slow) for value in found]
