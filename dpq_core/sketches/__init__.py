"""Summarise columns in little memory, read once, with proved bounds on every rank."""

from __future__ import annotations

from typing import TypeAlias

from ..sample import Sample
from .bin_counts import MOST_BINS, USUAL_BINS, BinCounts, bin_edges
from .greenwald_khanna import MOST_ALPHA, GKSketch, merge_threshold
from .rank_bounds import RankBounds

__all__ = [
    "MOST_ALPHA",
    "MOST_BINS",
    "USUAL_BINS",
    "BinCounts",
    "Data",
    "GKSketch",
    "RankBounds",
    "bin_edges",
    "merge_threshold",
]

Data: TypeAlias = Sample | GKSketch | BinCounts
"""What a release can be drawn from: all records, or what a mechanism that says so can do with."""
