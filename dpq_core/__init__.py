"""Differentially private quantiles, each mechanism sound and verified exactly. The public names, nothing else."""

from __future__ import annotations

from .accuracy import rank_errors, true_quantiles
from .audit.laws import Loss, privacy_loss
from .domain import Domain
from .errors import BudgetError, DataError, Infeasible, ParameterError
from .mechanisms import MECHANISMS
from .plan import Plan
from .privacy import ZCDP, Adjacency, ApproxDP, Guarantee, PureDP
from .release import QuantileRelease, calibrate, release, synthesize, unsupported
from .sample import Sample
from .sketches import BinCounts, GKSketch
from .studies.trials import Study, Trace, explain, simulate
from .version import VERSION as __version__

__all__ = [
    "MECHANISMS",
    "ZCDP",
    "Adjacency",
    "ApproxDP",
    "BinCounts",
    "BudgetError",
    "DataError",
    "Domain",
    "GKSketch",
    "Guarantee",
    "Infeasible",
    "Loss",
    "ParameterError",
    "Plan",
    "PureDP",
    "QuantileRelease",
    "Sample",
    "Study",
    "Trace",
    "__version__",
    "calibrate",
    "explain",
    "privacy_loss",
    "rank_errors",
    "release",
    "simulate",
    "synthesize",
    "true_quantiles",
    "unsupported",
]
