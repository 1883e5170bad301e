"""Noise on counts, its size for a budget, and noisy counts made consistent; for tree, bins and normal."""
