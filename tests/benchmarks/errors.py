"""The table of errors: the best of what ships here over the best as published, 1,200 runs a number.

    python -m tests.benchmarks.errors

1,000 records on [-100, 100], one person joins or leaves, 150 runs on each of eight data sets. About five minutes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from dpq_core.papers.computations.free_total import JOINS, JOINS_RHO, setting_curve
from dpq_core.papers.tasks import Drawn, mean_error
from dpq_core.studies import Configuration, Samples

RUNS, DATA_SETS = 1200, 8
OURS = ("aq-best", "freetotal", "aggtree")
PUBLISHED = ("aq-published", "jointexp", "aggtree-printed")
"""As published and sound; IndExp is the least of them for one quantile only."""
MOST_FREE = 60
PANELS = (
    ("uniform", JOINS, (5, 10, 20, 35, 60, 120)),
    ("normal", JOINS, (5, 10, 20, 35, 60, 120)),
    ("uniform", JOINS_RHO, (5, 20, 60)),
)


def main() -> None:
    """Print every mean rank error and, of each number of quantiles, the ratio."""
    samples = Samples()
    for data, setting, counts in PANELS:
        for m in counts:
            found: dict[str, float] = {}
            for curve in (*OURS, *PUBLISHED):
                if curve == "freetotal" and m > MOST_FREE:
                    continue
                drawn = setting_curve(curve, setting, data, quick=False)
                many = drawn._replace(configuration=partial(_configuration, drawn))
                found |= {point.curve: point.y for point in mean_error(many, data, m, samples)}
            here, printed = (min(found[each] for each in curves if each in found) for curves in (OURS, PUBLISHED))
            errors = ", ".join(f"{curve} {error:.2f}" for curve, error in found.items())
            print(f"{data}, {setting.privacy}, m = {m}: {here / printed:.2f} ({errors})", flush=True)


def _configuration(drawn: Drawn, m: int) -> Configuration:
    return replace(drawn.configuration(m), trials=RUNS, data_sets=DATA_SETS)


if __name__ == "__main__":
    main()
