"""The output distribution of independent draws after sorting: for audits."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial, prod

import numpy as np

from ...arrays import Floats, Integers


def log_sorted(outputs: Integers, logs: Floats) -> Floats:
    """Return log probabilities (outputs,) of sorted outputs (outputs, m): the sum over the orders of the draws.

    `logs[:, j, k]` is the log probability that draw j gives output k of its row. Cost m! for each output.
    """
    draws = range(outputs.shape[1])
    orders = [logs[:, draws, order].sum(axis=1) for order in permutations(draws)]
    repeats = [prod(factorial(times) for times in Counter(row).values()) for row in outputs.tolist()]
    return np.asarray(np.log(np.exp(orders).sum(axis=0) / repeats), dtype=np.float64)
