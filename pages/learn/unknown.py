"""The figure of the lesson on unknown bounds: one private median with known bounds, and in the ways to do without."""

from __future__ import annotations

from dpq_core import Domain, FindBounds, Plan, PureDP, Sample, rank_errors, simulate, true_quantiles
from dpq_core.arrays import Floats
from dpq_core.finding import RawSample, simulate_with_bounds
from dpq_core.results import as_floats, error_in_words

from .picture import MEDIAN, SAMPLE_SEED, LessonPicture, sample_of, values_of

BUDGET = 0.2
TRIALS, WALKS = 128, 16
"""Answers, and how often bounds are found for them: fewer take less time."""
STEP = 100
FARTHEST = 10**12
KNOWN, TOO_WIDE, DIGITS, FOUND = "known bounds", "bounds far too wide", "two digits", "found bounds"
WAYS: dict[str, Domain | FindBounds] = {
    KNOWN: Domain(0, 1_000_000, STEP),
    TOO_WIDE: Domain(0, FARTHEST, STEP),
    DIGITS: Domain.significant(2, 1, FARTHEST, negative=False),
    FOUND: FindBounds(smallest=1, largest=FARTHEST, negative=False, step=STEP),
}
"""The first two are shown before the prediction already."""


def unknown_bounds(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show simulated private medians with known and far too wide bounds; then with two digits and found bounds."""
    from dpq_core.figures.lessons import draw_strips

    own = sample_of("income", int(setting))
    answers = {name: _medians(own.n, WAYS[name], seed) for name in (WAYS if revealed else (KNOWN, TOO_WIDE))}
    errors = {name: float(rank_errors(own, [MEDIAN], values).mean()) for name, values in answers.items()}
    off = {name: error_in_words(error, "person", "people") for name, error in errors.items()}
    near, far = min(errors, key=errors.__getitem__), max(reversed(errors), key=errors.__getitem__)
    sentence = f"Among {own.n:,} people an answer is {off[near]} off with {near}, and {off[far]} with {far}."
    table = {"way": list(off), "off, on average": list(off.values())}
    rows = [(f"{name}<br><b>{off[name]}</b>", as_floats(values[:, 0])) for name, values in answers.items()]
    figure = draw_strips(
        rows[::-1], float(true_quantiles(own, [MEDIAN])[0]), x="private median (€)", unit="€", ends=(1, FARTHEST)
    )
    alt = f"Strokes, one for each of {TRIALS} simulated answers, a row for each way. {sentence}"
    return LessonPicture(figure, alt, table, sentence, seed)


def _medians(count: int, way: Domain | FindBounds, seed: int) -> Floats:
    """Return simulated private medians of the first incomes, shape (trials, 1)."""
    incomes, plan = values_of("income")[:count], Plan([MEDIAN], "aq", PureDP(BUDGET))
    if isinstance(way, FindBounds):
        raw = RawSample.from_values(incomes, way, seed=SAMPLE_SEED)
        return simulate_with_bounds(raw, plan, TRIALS, seed, WALKS)[0].values
    return simulate(Sample.from_values(incomes, way, seed=SAMPLE_SEED), plan, trials=TRIALS, seed=seed).values
