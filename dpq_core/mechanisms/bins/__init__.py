"""Exact-bin histogram: noisy counts in fixed bins, and all quantiles read off their sums."""

from . import mechanism
from .reading import Histogram, HistogramStep, noisy_histograms, of_trial, steps

__all__ = ["Histogram", "HistogramStep", "mechanism", "noisy_histograms", "of_trial", "steps"]
