"""Noise on counts, its size for a budget, and noisy counts made consistent; for tree, bins and normal."""

from .budget import budgeted
from .noise import Noise, NoisyCounts, laplace_for_epsilon, loss_of_counts, loss_of_shares
from .tree import MOST_LEAVES, TreeShape, consistent, leaf_edges, least_squares, node_counts, quantile_cells

__all__ = [
    "MOST_LEAVES",
    "Noise",
    "NoisyCounts",
    "TreeShape",
    "budgeted",
    "consistent",
    "laplace_for_epsilon",
    "leaf_edges",
    "least_squares",
    "loss_of_counts",
    "loss_of_shares",
    "node_counts",
    "quantile_cells",
]
