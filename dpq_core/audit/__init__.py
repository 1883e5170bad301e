"""Verification: exact output distributions and losses on small neighbouring data, and variants that must fail."""

from .broken import BROKEN
from .losses import RENYI_ORDERS, Loss, Pair, compare, compare_tables, log_ratios, privacy_loss, rho_by_order
from .noise_losses import NoisePiece, noise_piece
from .tiny import MOST_CELLS, MOST_RECORDS, TinyPair
from .variants import Broken, BrokenAtScale
from .verdicts import LossVerdict, judge, marginals

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
    "judge",
    "log_ratios",
    "marginals",
    "noise_piece",
    "privacy_loss",
    "rho_by_order",
]
