"""Quantiles of other projects, to compare with; no page offers them as mechanisms.

PyDP's QuantileTree, of Google's library for differential privacy, is called where the package python-dp is installed
(`dpq papers` then stores its version), with the height and branches that it has by itself. Its noise takes no seed, so
its points come out a little different each time.

The bisection of Google's dpsynth halves the column at a private median, then each half, and so on: 2^k - 1 even
quantiles by exponential mechanisms whose score moves by 1/2, each depth with an equal part of the budget. That is AQ as
published at these levels, and it is drawn here as such, on our grid and with our sampler; of dpsynth no code is run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...accuracy import rank_errors
from ...privacy.budgets import PureDP
from ...sample import Sample
from ...studies.configuration import Configuration
from ...studies.engine import Samples
from ..store import Point
from ..tasks import Errors, with_error

PYDP = "python-dp"
HEIGHT, BRANCHES = 4, 16  # the defaults of PyDP's tree
BISECTED = (1, 3, 7, 15, 31, 63, 127)  # the numbers of quantiles that repeated halving gives


def quantile_tree_error(panel: str, configuration: Configuration, samples: Samples) -> Iterable[Point]:
    """Yield the mean rank error of PyDP's tree with twice its standard error; nothing where it is not installed.

    One person joins or leaves, with one record and a pure budget.
    """
    try:
        from pydp.algorithms.quantile_tree import QuantileTree
    except ImportError:
        return
    runs = configuration.trials // configuration.data_sets
    data_sets = [samples.of(configuration, number) for number in range(configuration.data_sets)]
    means = np.array([_errors(QuantileTree, sample, configuration, runs).mean() for sample in data_sets])
    yield with_error(panel, "pydp", len(configuration.quantiles), means, configuration.trials)


def _errors(tree_class: Any, sample: Sample, configuration: Configuration, runs: int) -> Errors:
    """Return the rank errors of runs on one data set, shape (runs, levels)."""
    domain, privacy = sample.domain, configuration.privacy
    assert isinstance(privacy, PureDP), "the only budget that is used here"
    tree = tree_class(float(domain.lower), float(domain.upper), HEIGHT, BRANCHES)
    for value in sample.values_of(sample.cells).tolist():
        tree.add_entry(value)
    levels = [float(level) for level in configuration.quantiles]
    answers = [tree.compute_quantiles(privacy.epsilon, 0.0, 1, 1, levels, "laplace") for _ in range(runs)]
    return rank_errors(sample, configuration.quantiles, np.array(answers))
