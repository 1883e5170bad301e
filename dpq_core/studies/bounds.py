"""What theorems say about the rank error of a plan, to be drawn beside what is measured.

Every bound is in records, holds for all levels of one run at once with probability 1 - beta, and takes it that no two
records share one of the `cells` of the output space (the fine cells of a Sample; the papers' psi). None depends on the
data. Rounding a rank to a whole number can add one record. Each mechanism's own bound is in its folder.
"""

from __future__ import annotations

from ..calibrations import Calibrated
from ..mechanisms import USUAL_BETA, Bound


def bound_of(calibrated: Calibrated, n: int, cells: int) -> Bound | None:
    """Return what is known of the error of a calibrated plan; None where nothing is.

    `n` and `cells` are those of the Sample; no bound exceeds n, as no rank error does.
    """
    bound = calibrated.parameters.bound(calibrated.each_plan, cells, USUAL_BETA)
    return None if bound is None else bound._replace(error=min(bound.error, float(n)))
