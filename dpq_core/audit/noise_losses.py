"""The noise on one number of a mechanism whose outputs are too many to list; a lemma does the rest.

A tree of counts adds independent noise to each count, slices add it to ranks. A neighbour moves such a number by one.
Its distribution before and after is exact; the lemma says how many such losses add up to that of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt

import numpy as np

from ..arrays import Floats, Integers
from ..mechanisms import Parameters
from ..mechanisms.counts import Noise, NoisyCounts
from ..mechanisms.slices import SliceParameters
from .losses import RENYI_ORDERS, rho_by_order

WIDTHS_SHOWN = 6
"""Standard deviations to either side of the number that is drawn."""
MOST_POINTS = 2000


@dataclass(frozen=True)
class NoisePiece:
    """The distributions of one noisy number whose exact value is 0 and 1."""

    what: str
    """The number in words: "one count"."""
    points: Integers
    laws: tuple[Floats, Floats]
    """Log probabilities of `points`, of all integers: the tails left out are none of the sum."""
    epsilon: float
    """The largest |log ratio| over all integers; infinite for Gaussian noise."""
    rho_by_order: Floats
    """Renyi divergence divided by its order, for each of `losses.RENYI_ORDERS`."""


def noise_piece(parameters: Parameters) -> NoisePiece | None:
    """Return the noise on one number that these parameters add; None where they add none that is known here."""
    if isinstance(parameters, SliceParameters) and parameters.rules is not None:
        return _piece("one rank", parameters.drawn_by(parameters.rules).ranks.node)
    return _piece("one count", parameters.noise) if isinstance(parameters, NoisyCounts) else None


def _piece(what: str, noise: Noise) -> NoisePiece:
    farthest = min(max(int(WIDTHS_SHOWN * sqrt(noise.variance)), 4), MOST_POINTS // 2 - 1)
    points = np.arange(-farthest, farthest + 2)
    a, b = (_log_weights(points - centre, noise) for centre in (0, 1))
    # Of a shift by one the divergence of order a peaks about a integers away.
    far = 20 * farthest + 2 * int(max(RENYI_ORDERS))
    everything = _log_weights(np.arange(-far, far + 1), noise)
    everything -= float(np.log(np.exp(everything).sum()))
    total, loss = float(a[points == 0][0] - everything[far]), noise.epsilon(1)
    shares = rho_by_order(everything[1:], everything[:-1])
    return NoisePiece(what, points, (a - total, b - total), inf if loss is None else float(loss), shares)


def _log_weights(noise: Integers, law: Noise) -> Floats:
    """Return the log probability of each amount of noise, up to a constant."""
    size = float(Fraction(law.size))
    exponents = np.abs(noise) / size if law.kind == "laplace" else noise.astype(np.float64) ** 2 / (2 * size)
    return np.asarray(-exponents, dtype=np.float64)
