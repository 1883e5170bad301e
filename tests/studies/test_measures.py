"""Three measures of one table of rank errors: each by hand, and each name explained."""

from __future__ import annotations

import numpy as np
import pytest

from dpq_core.studies.measures import ERROR_BOUND, MEAN_RANK_ERROR, WORST_RANK_ERROR, measured
from pages.frame.header import glossary


def test_by_hand() -> None:
    """Twenty runs of two quantiles: in one of them, five of 100, an answer is 100 records off."""
    errors = np.array([[1.0, 3.0]] * 19 + [[100.0, 0.0]])
    found = measured(errors)
    assert found.mean == pytest.approx((19 * 4 + 100) / 40)
    assert found.worst == pytest.approx((19 * 3 + 100) / 20)
    assert found.bound == 100, "of 20 runs the one above the 95 % point, so that it surely holds"
    assert measured(np.array([[1.0, 3.0]] * 39 + [[100.0, 0.0]])).bound == 3


def test_each_name_is_in_the_glossary() -> None:
    assert {MEAN_RANK_ERROR, WORST_RANK_ERROR, ERROR_BOUND} <= set(glossary())
