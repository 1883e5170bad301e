"""Sketches: columns in little memory, read once, with proved bounds on every rank."""

from __future__ import annotations

from typing import TypeAlias

from ..sample import Sample
from .bin_counts import BinCounts
from .greenwald_khanna import GKSketch, merge_threshold

__all__ = ["BinCounts", "Data", "GKSketch", "merge_threshold"]

Data: TypeAlias = Sample | GKSketch | BinCounts
"""What a release can be drawn from: all records, or what a mechanism that says so can do with."""
