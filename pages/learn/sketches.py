"""Figure of the lesson on sketches: what is kept of 10,000 values that came one after the other."""

from __future__ import annotations

import numpy as np

from dpq_core.sketches import GKSketch

from .picture import LessonPicture, sample_of, values_of

PLACES = np.arange(-150, 151) / 10
"""Where the bounds on ranks are drawn; three standard deviations to both sides."""


def sketch(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show between which ranks a sketch knows every value to lie; then the exact ranks, and what it keeps."""
    from dpq_core.figures.lessons import draw_sketch

    sample = sample_of("normal")
    short = GKSketch(float(setting) / 100, sample.domain, sample.n)
    short.update(values_of("normal"))
    cells = sample.domain.encode(PLACES)
    lows, highs = (bound.tolist() for bound in short.rank_bounds(cells))
    exact, through = (sample.count_below(cells + step).tolist() for step in (0, 1))
    values = sample.domain.decode(short.bounds.cells)
    own = [int(np.abs(PLACES - value).argmin()) for value in values]
    middles = [(lows[at] + highs[at]) / 2 for at in own]
    band = np.add(lows, highs) / 2
    farthest = max(map(max, np.abs(band - exact), np.abs(band - through)))
    sentence = f"The middle of the band is off by less than {short.threshold / 2:,.0f} of {sample.n:,} values."
    if revealed:
        kept = "1 value is" if len(short) == 1 else f"{len(short):,} values are"
        sentence = f"{kept} kept of {sample.n:,}, and the middle of the band is off by {farthest:.3g} at most."
    shown = range(0, len(PLACES), 25)
    table: dict[str, list[str]] = {
        "value": [f"{PLACES[at]:g}" for at in shown],
        "lowest possible rank": [f"{lows[at]:,}" for at in shown],
        "highest possible rank": [f"{highs[at]:,}" for at in shown],
    }
    if revealed:
        table["exact rank"] = [f"{exact[at]:,}" for at in shown]
    figure = draw_sketch(
        PLACES.tolist(), lows, highs, x="value", n=sample.n,
        stored=(values.tolist(), middles) if revealed else None, exact=exact,
    )  # fmt: skip
    return LessonPicture(figure, f"A rising band of possible ranks. {sentence}", table, sentence)
