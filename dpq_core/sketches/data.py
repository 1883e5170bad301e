"""What a release can be drawn from."""

from __future__ import annotations

from typing import TypeAlias

from ..sample import Sample
from .bin_counts import BinCounts
from .greenwald_khanna import GKSketch

Data: TypeAlias = Sample | GKSketch | BinCounts
"""What a release can be drawn from: all records, or what a mechanism that says so can do with."""
