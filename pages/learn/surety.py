"""The figure of the lesson on intervals: many releases of one median, and which of their intervals hold the truth."""

from __future__ import annotations

from statistics import median_low

import numpy as np

from dpq_core import Plan, PureDP, simulate

from .picture import MEDIAN, LessonPicture, sample_of, values_of

RELEASES = 40
BUDGET = 0.02
"""So small that an interval is longer than the leaves of the tree."""
OFFSET = 1
"""Added to the seed of the link, so that the lesson opens with a usual draw: 25, 35, 37, 40 and 40 of 40 hold, and on
average 67, 88, 93, 98 and 100 percent do.
"""


def intervals(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show intervals around many private medians; then the true one, and which of them miss it."""
    from dpq_core.figures.lessons import draw_intervals

    sample = sample_of("income")
    plan = Plan([MEDIAN], "aggtree", PureDP(BUDGET), intervals=int(setting) / 100)
    study = simulate(sample, plan, trials=RELEASES, seed=seed + OFFSET)
    assert study.intervals is not None, "the plan asks for them"
    ends, truth = study.intervals[:, 0], median_low(values_of("income").tolist())
    held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    width = float(np.diff(ends, axis=1).mean())
    sentence = f"Asked to hold with {setting} %, an interval is {width:,.0f} € long on average."
    table: dict[str, list[str]] = {
        "release": [str(number) for number in range(1, RELEASES + 1)],
        "interval (€)": [f"{low:,.0f} to {high:,.0f}" for low, high in ends.tolist()],
    }
    alt = f"{RELEASES} bars, one for the interval of each release."
    if not revealed:
        return LessonPicture(draw_intervals(ends.tolist(), None, None, x="income (€)"), alt, table, sentence, seed)
    sentence = (
        f"Asked to hold with {setting} %, {int(held.sum())} of {RELEASES} intervals do. "
        f"They are {width:,.0f} € long on average."
    )
    table["holds the true one"] = ["yes" if each else "no" for each in held]
    figure = draw_intervals(ends.tolist(), held.tolist(), truth, x="income (€)")
    alt += f" A dashed line at the true median, {truth:,.0f}. {sentence}"
    return LessonPicture(figure, alt, table, sentence, seed)
