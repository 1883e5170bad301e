"""Two quantiles drawn at once by one exponential mechanism."""

from .distribution import PairAim, log_pair_density, log_pair_weights, split_pair_targets, ways
from .sampling import draw_pairs

__all__ = ["PairAim", "draw_pairs", "log_pair_density", "log_pair_weights", "split_pair_targets", "ways"]
