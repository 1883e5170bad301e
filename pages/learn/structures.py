"""Figures of the lessons on structure: one by one, halves, slices."""

from __future__ import annotations

from dpq_core import ApproxDP, Plan, PureDP, explain
from dpq_core.accuracy import signed_rank_errors, target_ranks
from dpq_core.calibrations import calibrate_for, singly
from dpq_core.frame import level_name
from dpq_core.mechanisms.base import DrawStep
from dpq_core.mechanisms.slices.trace import SliceStep
from dpq_core.results.wording import count_in_words, expected_in_words
from dpq_core.studies.design import even_levels
from dpq_core.trials import explain_column, simulate_column

from .controls import LESSONS
from .picture import LessonPicture, column_of, percent

TRIALS = 64
PERSON, IN_A_SLICE = 430, 4500
"""Kim's place among the 1,000 people, from the youngest on, and among the 10,000 of whom some are in slices."""
BUDGET, SLICE_BUDGET = PureDP(0.5), ApproxDP(1.0, 1e-6)
"""The first so that answers can be seen to be off: many people have the same age."""


def mean_error(mechanism: str, count: int, seed: int) -> float:
    """Return how many people an answer is off on average, in 64 simulated runs for 1,000 people."""
    plan, column = Plan(even_levels(count), mechanism, BUDGET), column_of("adult-age")
    calibrated = calibrate_for(column, plan, singly)  # as in AQ's paper: each split halves the people
    return float(simulate_column(column, calibrated, TRIALS, seed).rank_errors.mean())


def in_people(error: float) -> str:
    """Return a mean error as sentence, figure and table say it."""
    return expected_in_words(error, "person", "people")


def one_by_one(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show a budget cut into as many fractions as there are questions; then what that does to the error."""
    from dpq_core.figures.frame import colour_of
    from dpq_core.figures.lessons import draw_line, draw_shares

    count = int(setting)
    if not revealed:
        sentence = f"Each answer gets 1/{count} of the budget." if count > 1 else "One answer gets the whole budget."
        table: dict[str, list[str]] = {"quantiles": [str(count)], "budget of each": [percent(1 / count)]}
        alt = f"A bar, the budget, cut into {count} equal parts."
        return LessonPicture(draw_shares(count), alt, table, sentence)
    counts = [int(option) for option in LESSONS["one-by-one"].options]
    errors = [mean_error("indexp", number, seed) for number in counts]
    off = [in_people(error) for error in errors]
    part = "the whole" if count == 1 else f"1/{count} of the"
    sentence = f"With {part} budget an answer is off by {off[counts.index(count)]}."
    table = {
        "quantiles": [str(number) for number in counts],
        "budget of each": [percent(1 / number) for number in counts],
        "off, on average": off,
    }
    said = {"x": "number of quantiles", "y": "people off, on average"}
    figure = draw_line(counts, errors, off, colour_of("indexp"), here=count, **said)
    return LessonPicture(figure, f"An error that rises with the number of quantiles. {sentence}", table, sentence, seed)


def halves(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show one run of AQ as nodes on the value axis; then the nodes of one person, and the error saved."""
    from dpq_core.figures.lessons import draw_halves

    count, column = int(setting), column_of("adult-age")
    calibrated = calibrate_for(column, Plan(even_levels(count), "aq", BUDGET), singly)
    steps = [step for step in explain_column(column, calibrated, seed).steps if isinstance(step, DrawStep)]
    holds = [step.records[0] <= PERSON < step.records[1] for step in steps]
    parts = [(s.depth, *s.bounds, s.value, held) for s, held in zip(steps, holds, strict=True)]
    rows = 1 + max(step.depth for step in steps)
    sentence = f"{count_in_words(count, 'quantile')}, drawn in {count_in_words(rows, 'row')}."
    table = {
        "quantile": [level_name(step.level) for step in steps],
        "row": [str(step.depth + 1) for step in steps],
        "between": [f"{step.bounds[0]:g} and {step.bounds[1]:g}" for step in steps],
        "drawn": [f"{step.value:g} years" for step in steps],
    }
    age = None
    if revealed:
        age = float(column.values_of(column.cells[PERSON : PERSON + 1])[0])
        halving, single = (in_people(mean_error(name, count, seed)) for name in ("aq", "indexp"))
        sentence = f"Kim takes part in {sum(holds)} of {count_in_words(count, 'draw')}. "
        sentence += f"An answer is off by {halving}; asked one by one, by {single}."
        table["holds Kim"] = ["yes" if held else "no" for held in holds]
    alt = f"The ages from 0 to 120 cut at each drawn value, row by row. {sentence}"
    return LessonPicture(draw_halves(parts, age, x="age (years)"), alt, table, sentence, seed)


def slices(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show slices of 10,000 people in order; then which of them holds one person."""
    from dpq_core.figures.lessons import draw_slices

    column = column_of("normal")
    plan = Plan(even_levels(int(setting)), "slice", SLICE_BUDGET)
    trace = explain(column, plan, seed=seed)
    steps = [step for step in trace.steps if isinstance(step, SliceStep)]
    targets = target_ranks(column, plan.quantiles)
    errors = signed_rank_errors(column, plan.quantiles, trace.values).astype(int).tolist()
    ends = [(step.noisy_rank - step.half_width + 1, step.noisy_rank + step.half_width) for step in steps]
    holds = [first <= IN_A_SLICE <= last for first, last in ends]
    sentence = f"{len(ends)} slices of {2 * steps[0].half_width} people each, of 10,000. They do not touch."
    table: dict[str, list[str]] = {
        "quantile": [level_name(step.level) for step in steps],
        "target rank": [f"{rank:,}" for rank in targets],
        "slice": [f"{first:,} to {last:,}" for first, last in ends],
    }
    if revealed:
        off = count_in_words(max(map(abs, errors)), "person")
        sentence = f"Kim is in {sum(holds) or 'none'} of {len(ends)} slices. The farthest answer is off by {off}."
        table["noisy rank"] = [f"{step.noisy_rank:,}" for step in steps]
        table["drawn at"] = [f"{rank + error:,}" for rank, error in zip(targets, errors, strict=True)]
        table["holds Kim"] = ["yes" if held else "no" for held in holds]
    alt = f"10,000 people in order, with a slice around each target rank. {sentence}"
    parts = list(zip(targets, *zip(*ends, strict=True), holds, strict=True))
    return LessonPicture(draw_slices(parts, column.n, IN_A_SLICE if revealed else None), alt, table, sentence, seed)
