"""Exact-bin histogram: noisy counts in fixed bins, and all quantiles read off their sums."""
