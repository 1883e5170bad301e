"""Verification: exact output distributions and losses on small neighbouring data, and variants that must fail."""

from .broken import BROKEN
from .losses import (
    RENYI_ORDERS,
    Loss,
    LossVerdict,
    NoisePiece,
    Pair,
    compare,
    compare_tables,
    judge,
    log_ratios,
    marginals,
    noise_piece,
    privacy_loss,
    rho_by_order,
)
from .printed import gk_not_divided, tree_sqrt_height
from .variants import MOST_CELLS, MOST_RECORDS, Broken, BrokenAtScale, TinyPair

__all__ = [
    "BROKEN",
    "MOST_CELLS",
    "MOST_RECORDS",
    "RENYI_ORDERS",
    "Broken",
    "BrokenAtScale",
    "Loss",
    "LossVerdict",
    "NoisePiece",
    "Pair",
    "TinyPair",
    "compare",
    "compare_tables",
    "gk_not_divided",
    "judge",
    "log_ratios",
    "marginals",
    "noise_piece",
    "privacy_loss",
    "rho_by_order",
    "tree_sqrt_height",
]
