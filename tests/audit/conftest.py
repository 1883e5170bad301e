"""What several audits set up alike."""

from functools import cache

import pytest

from dpq_core import calibrations
from dpq_core.mechanisms.slices import layout as slice_layout
from dpq_core.mechanisms.slices import ranks as slice_ranks
from dpq_core.mechanisms.slices.layout import arrange


@pytest.fixture
def little_wandering(monkeypatch):
    """Where n is public: room for the usual noise only, so that few records are enough. No part of the claim."""
    monkeypatch.setattr(slice_layout, "WANDERING", slice_ranks.CONTEXT.create_decimal("0.25"))
    arrange.cache_clear()
    yield
    arrange.cache_clear()


@pytest.fixture
def calibrated_once(monkeypatch):
    """Calibrate a plan once for so many records, however many data sets a test audits with it."""
    monkeypatch.setattr(calibrations, "calibrate", cache(calibrations.calibrate))
