"""The figures of what errs less than printed: JointExp with a free total, and AQ, on the data sets of [KSS]."""

from __future__ import annotations

from functools import partial

from ..computations import free_total
from ..computations.free_total import JOINS, JOINS_RHO, REPLACED, Setting
from ..judgements import verdicts as judge
from .figure import ERROR_BAND, HERE, MEAN_ERROR, Claim, Figure

_JOINS = (
    "FreeTotal for more than 60 quantiles, which it refuses, and for 60 of the four sets that are mostly ties, where a "
    "run takes minutes"
)
_REPLACED = "FreeTotal for more than 20 quantiles, where it takes long and gains nothing over JointExp"


def _figure(key: str, short: str, promise: str, setting: Setting, absent: str) -> Figure:
    return Figure(
        key=key,
        paper=HERE,
        place=f"Free total, {short}",
        title=f"Error of FreeTotal and AQ beside the published mechanisms, {promise}",
        setting="1,000 records drawn with replacement from each set of Kaplan et al., domain −100 to 100, levels "
        f"j / (m + 1); 100 runs on five data sets. Absent: {absent}; SliceQuantiles, which need δ or far more records.",
        tasks=partial(free_total.error_tasks, setting=setting),
        judge=judge.free_total,
        claim=Claim(number=1, of="least error at m = 20, mean over the sets; 1 is the best mechanism as published"),
        x="quantiles m",
        y=MEAN_ERROR,
        log_x=True,
        band=ERROR_BAND,
    )


FREE_TOTAL_FIGURES = (
    _figure("free-total", "ε = 1", "ε = 1, one person joins or leaves", JOINS, _JOINS),
    _figure("free-total-rho", "ρ = 1/8", "ρ = 1/8, one person joins or leaves", JOINS_RHO, _JOINS),
    _figure("free-total-replaced", "replaced", "ε = 1, one person is replaced", REPLACED, _REPLACED),
)
