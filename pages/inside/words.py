"""What the figures of a run show, in words and as tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from dpq_core.frames.offered import table_as_csv
from dpq_core.frames.rows import level_name, level_text
from dpq_core.mechanisms.aq.trace import AQStep
from dpq_core.mechanisms.base import DrawStep, TraceStep
from dpq_core.mechanisms.bins.reading import HistogramStep
from dpq_core.mechanisms.freetotal.trace import FreeTotalStep
from dpq_core.mechanisms.gk.trace import GKStep
from dpq_core.mechanisms.joint.mechanism import JointStep
from dpq_core.mechanisms.normal.mechanism import NormalStep
from dpq_core.mechanisms.slices.trace import SliceStep
from dpq_core.mechanisms.tree.trace import TreeStep
from dpq_core.privacy.budgets import budget_in_digits
from dpq_core.results.exports import origin, privacy_label
from dpq_core.results.trace import InsideRun
from dpq_core.results.wording import count_in_words, spoken_level

S = TypeVar("S", bound=TraceStep)
Rows = dict[str, list[str]]


@dataclass(frozen=True)
class RunWords:
    """The words and the columns for one kind of run."""

    run: str
    """One sentence about the figure of the whole run; `{many}` is replaced by the word for its records."""
    step: str
    """One sentence about the figure of the selected step; empty where there is none."""
    columns: Callable[[InsideRun], Rows]
    """The columns of a step that follow its answer."""
    terms: tuple[str, ...] = ()
    """Of the glossary, explained beside the first sentence."""
    folded: tuple[str, ...] = ()
    """Columns that the table shows only when they are asked for: with them it is wider than the page. Figure or title
    has their numbers, and the CSV has them all.
    """


def words_of(run: InsideRun) -> RunWords:
    """Return the words for a run, found by the kind of its steps."""
    kind = type(run.steps[0]) if run.steps else object
    return OF_KIND.get(kind, PLAIN)


def table_of(run: InsideRun) -> Rows:
    """Return one row for every answer in the order of the run, as texts; those of one draw have the same step."""
    words, unit = run.wording, run.wording.in_unit
    return {
        "step": [str(number) for number, draw in enumerate(run.draws, 1) for _ in draw],
        "quantile": [level_name(step.level) for step in run.steps],
        f"drawn{unit}": [words.number(step.value) for step in run.steps],
        f"true{unit}": [words.number(truth) for truth in run.truths],
        f"rank error ({words.many})": [f"{error:,}" for error in run.errors],
        f"target{unit}": [words.number(target) for target in run.targets],
        "off target": [f"{off:,}" for off in run.off_target],
        **words_of(run).columns(run),
    }


def as_csv(run: InsideRun) -> str:
    """Return the same rows as CSV, with decimals for the levels; each says what it is and where it comes from."""
    columns = table_of(run) | {"quantile": [level_text(step.level) for step in run.steps]}
    end = {**origin(run), "label": privacy_label(run)}
    table = zip((float(step.level) for step in run.steps), *columns.values(), strict=True)
    return table_as_csv(["level", *columns, *end], ([*row, *end.values()] for row in table))


def draw_in_words(run: InsideRun, at: int) -> str:
    """Return which step the selected answer is of, where a draw makes several answers; empty where none does."""
    draws = run.draws
    if len(draws) == len(run.steps):
        return ""
    number, draw = next((number, draw) for number, draw in enumerate(draws, 1) if at in draw)
    if len(draws) == 1:
        return f"One step: all {len(draw)} answers come from one draw. Click one in the figure or in the table."
    answers = count_in_words(len(draw), "answer")
    return f"Step {number} of {len(draws)}: one draw of {answers}."


def step_in_words(run: InsideRun, at: int) -> str:
    """Return the selected answer in one line: which quantile, what was drawn, how far from target and truth.

    The target of a draw within a part can lie far from the true quantile, so that hitting it is no success by itself.
    """
    words, step, error = run.wording, run.steps[at], run.errors[at]
    drawn = f"Answer {at + 1} of {len(run.steps)}: the {spoken_level(step.level)}, {words.value(step.value)}"
    overall = f"{words.count(abs(error))} too {'high' if error > 0 else 'low'}" if error else "no rank error"
    if error:
        overall += f" (true: {words.value(run.truths[at])})"
    where, off = _targeted_within(run, at), run.off_target[at]
    if not where:
        return f"{drawn}, {overall}"
    side = f"{words.count(abs(off))} {'above' if off > 0 else 'below'} the target of" if off else "as targeted within"
    return f"{drawn}, {side} {where}; overall {overall}"


def _targeted_within(run: InsideRun, at: int) -> str:
    """Return what the target of a step belongs to; empty where it is the rank of the true quantile in all records."""
    step = run.steps[at]
    if isinstance(step, SliceStep):
        return "its slice"
    if abs(step.target - run.true_ranks[at]) < 1:
        return ""
    return "its part" if isinstance(step, DrawStep) else "its counts"


def part_in_words(run: InsideRun, at: int) -> str:
    """Return what the selected step looked at: its range and its records, or the count that it relies on."""
    step, words = run.steps[at], run.wording
    if isinstance(step, SliceStep):
        if not step.good:
            return "Two slices overlap in this run, so all answers are drawn evenly from the whole range."
        low, high = step.noisy_rank - step.half_width + 1, step.noisy_rank + step.half_width
        return f"This slice: ranks {low:,} to {high:,}, target in the middle"
    if isinstance(step, TreeStep):
        return f"This walk: target rank {step.target:,.0f} of the {step.total:,.0f} {words.many} that the tree counts"
    if isinstance(step, GKStep):
        return f"This draw: from {step.points:,} points that represent {words.count(step.records)}"
    if isinstance(step, HistogramStep):
        return f"This bin: number {step.bin + 1:,} of {step.bins.first.size:,}"
    if isinstance(step, FreeTotalStep):
        return (
            f"The best total is {step.total:,.0f}. Adding or removing {words.count(round(step.distance))} in all would "
            "make every answer exact"
        )
    if isinstance(step, DrawStep):
        lower, upper = map(words.number, step.bounds)
        among, spent = words.count(step.records[1] - step.records[0]), budget_in_digits(step.epsilon, 3)
        return f"This draw: values from {lower} to {upper}, {among}, ε = {spent} of the budget"
    return ""


def _steps(run: InsideRun, kind: type[S]) -> list[S]:
    """Return the steps of a run whose mechanism has steps of this kind only."""
    found = [step for step in run.steps if isinstance(step, kind)]
    assert len(found) == len(run.steps), "a run has one kind of step"
    return found


def _parts(run: InsideRun) -> Rows:
    steps = _steps(run, AQStep)
    return {
        "round": [str(step.depth + 1) for step in steps],
        "part": [" to ".join(map(run.wording.number, step.bounds)) for step in steps],
        "in it": [f"{step.records[1] - step.records[0]:,}" for step in steps],
        "ε of the draw": [budget_in_digits(step.epsilon, 3) for step in steps],
    }


def _draws(run: InsideRun) -> Rows:
    steps = _steps(run, DrawStep)
    return {
        "target rank": [f"{step.target:,.1f}".removesuffix(".0") for step in steps],
        "ε of the draw": [budget_in_digits(step.epsilon, 3) for step in steps],
    }


def _totals(run: InsideRun) -> Rows:
    steps = _steps(run, FreeTotalStep)
    return {
        f"since the answer before ({run.wording.many})": [f"{step.below.records:,}" for step in steps],
        "proportion of the best total": [f"{step.below.wanted:,.1f}" for step in steps],
    }


def _slices(run: InsideRun) -> Rows:
    steps = _steps(run, SliceStep)
    return {
        "target rank": [f"{step.rank:,}" for step in steps],
        "noisy rank": [f"{step.noisy_rank:,}" for step in steps],
        "slice": [
            f"{step.noisy_rank - step.half_width + 1:,} to {step.noisy_rank + step.half_width:,}" for step in steps
        ],
        "slack": ["–" if step.slack is None else f"{step.slack:,}" for step in steps],
        "rank drawn": [f"{rank:,.0f}" for rank in run.ranks],
        **(
            {"shared": ["yes" if step.shared else "no" for step in steps]} if any(step.shared for step in steps) else {}
        ),
    }


def _leaves(run: InsideRun) -> Rows:
    steps = _steps(run, TreeStep)
    return {
        "target rank": [f"{step.target:,.1f}" for step in steps],
        "leaf from": [run.wording.number(step.path[-1].bounds[0]) for step in steps],
        "leaf to": [run.wording.number(step.path[-1].bounds[1]) for step in steps],
        "noisy count": [f"{step.path[-1].noisy:,}" for step in steps],
        "consistent count": [f"{step.path[-1].consistent:,.1f}" for step in steps],
    }


def _sketched(run: InsideRun) -> Rows:
    steps = _steps(run, GKStep)
    held = [step.classes[step.chosen] if step.chosen >= 0 else None for step in steps]
    return {
        "target rank": [f"{step.target:,.1f}" for step in steps],
        "ranks of the drawn value": [f"{each.ranks[0]:,} to {each.ranks[1]:,}" if each else "–" for each in held],
        "chance": [f"{100 * each.probability:.2f} %" if each else "–" for each in held],
        "points kept": [f"{step.points:,}" for step in steps],
    }


def _bins(run: InsideRun) -> Rows:
    steps = _steps(run, HistogramStep)
    return {
        "target rank": [f"{step.target:,.1f}" for step in steps],
        "bin": [f"{step.bin + 1:,}" for step in steps],
        f"in the bin ({run.wording.many})": [f"{int(step.bins.count[step.bin]):,}" for step in steps],
        "noisy": [f"{int(step.bins.noisy[step.bin]):,}" for step in steps],
        "made consistent": [f"{float(step.bins.agreed[step.bin]):,.1f}" for step in steps],
    }


EXPLAINED = {
    "step": "Answers with the same step come from one draw.",
    "quantile": "Which quantile was asked for.",
    "drawn": "The private answer.",
    "true": "The quantile of the data, without noise.",
    "rank error": "How many {many} lie between the private and the true quantile. Positive: too high.",
    "target": "The value that this draw looked for. Where earlier draws were off, it is not the true quantile.",
    "off target": "How many {many} lie between the private answer and the target. Positive: too high.",
    "round": "AQ cuts all parts of one round before it begins the next.",
    "part": "The range of values from which this answer was drawn.",
    "in it": "How many {many} have values in this part.",
    "ε of the draw": "The part of the budget that this draw uses.",
    "target rank": "The rank that was looked for, counted from the lowest value. It can lie between two ranks.",
    "since the answer before": "How many {many} lie between the answer before and this one.",
    "proportion of the best total": "How many {many} would lie there if the answers were exact for the best total.",
    "noisy rank": "The target rank after noise was added.",
    "slice": "The ranks from which the answer was drawn.",
    "slack": "How many ranks lie between this slice and the next one. Below 0 the two overlap.",
    "rank drawn": "The rank of the private answer, counted from the lowest value.",
    "shared": "Whether another quantile has the same slice.",
    "leaf from": "The lowest value of the block in which the walk ended.",
    "leaf to": "The highest value of the block in which the walk ended.",
    "noisy count": "How many {many} are in that block, with noise, which can make the count negative.",
    "consistent count": "That count after all counts were adjusted so that blocks add up to the block above them.",
    "ranks of the drawn value": "Between which ranks the private answer lies, as far as the sketch knows.",
    "chance": "How likely this value was.",
    "points kept": "How many values the sketch kept.",
    "bin": "Bins are numbered from the lowest value.",
    "in the bin": "How many {many} are in this bin, without noise.",
    "noisy": "The count with noise, which can make it negative.",
    "made consistent": "The count after all counts were adjusted to fit together.",
    "depth": "How many blocks above this one the walk has entered, with this one.",
    "from": "Where these values begin.",
    "to": "Where these values end.",
    "between": "How many {many} have values from here to there.",
    "difference": "The surplus of {many} there, or with a minus the shortfall.",
    "values from": "Each row covers the values from here to the next row.",
}
"""What the columns of the tables hold, by their headings without a unit."""


def explained(run: InsideRun, heading: str) -> str:
    """Return what a column of the tables holds. Raises KeyError for a heading without an explanation."""
    return EXPLAINED[heading.partition(" (")[0]].format(many=run.wording.many)


CLOSE_UP = " There are many steps, so the figure shows the surroundings of the selected one."
LAW = "Bars: how likely each value was. Dotted: its target. Dashed: the true quantile. Orange: what was drawn."
BINS = "Bars: true counts around the answer. Diamonds: with noise, open, and made consistent, filled."
PLAIN = RunWords(
    "One row for every quantile: the circle is its target, the diamond what was drawn.", "", lambda run: {}
)
OF_KIND: dict[type, RunWords] = {
    SliceStep: RunWords(
        "Read downwards: the target rank, the same rank with noise, the slice of {many} around it, and the "
        "rank that was drawn in it. Dots between two slices are the slack that keeps them apart; a thick bar there "
        "would be an overlap, a failed run.",
        "The selected slice close up. Noise moves its rank; what is drawn lies nearer to the middle than to the ends.",
        _slices,
        ("slice", "slack"),
        ("slice", "rank drawn"),
    ),
    TreeStep: RunWords(
        "Every row shows one node opened into its children, each with its noisy count, where there is room, and "
        "in bold the count after all of them were made consistent. Noise can make a small count negative. The walk "
        "enters the framed one, down to the leaf with the answer.",
        "How far each count on the walk is from the truth, before and after all counts were made consistent. Blocks "
        "narrower than a step of the grid divide those with the same value by random bits.",
        _leaves,
        ("tree of counts", "post-processing"),
        ("noisy count", "consistent count"),
    ),
    GKStep: RunWords(
        "The sketch keeps some of the {many}. Of any value it knows only between which ranks it lies, the band; each "
        "quantile is drawn where the band is near its target rank.",
        "The selected draw close up: boxes are values between their ranks, darker the likelier they were. Where there "
        "are too many, bars show how likely each value was.",
        _sketched,
        ("sketch",),
        ("ranks of the drawn value",),
    ),
    HistogramStep: RunWords(
        "All {many} are counted in bins with noise, and the counts made consistent. A quantile is where the running "
        "sum reaches its rank: across from the rank, then down.",
        BINS,
        _bins,
        ("noise", "post-processing"),
        ("bin", "noisy", "made consistent"),
    ),
    NormalStep: RunWords(
        "First one wide bin is chosen with noise, framed, and an interval around it, shaded. Only there {many} are "
        "counted in narrow bins, and a quantile is where the running sum reaches its rank.",
        BINS,
        _bins,
        ("noise", "post-processing"),
        ("bin", "noisy", "made consistent"),
    ),
    DrawStep: RunWords(
        "One row for every quantile, drawn on its own from all {many}: the bar holds 95 of 100 possible draws, the "
        "circle is its target, the diamond what was drawn.",
        LAW,
        _draws,
        ("exponential mechanism",),
    ),
    AQStep: RunWords(
        "Each round draws one quantile in every part, or several at once, and cuts the part there. The darker a part, "
        "the more {many} lie in it; below are the data. A circle is the target within the part; where earlier cuts "
        "were off, it is not the true quantile, the dashed line.",
        LAW,
        _parts,
        ("splitting in halves",),
        ("ε of the draw",),
    ),
    FreeTotalStep: RunWords(
        "One draw of all quantiles. Each box is between two neighbouring answers; its height is the number of "
        "{many} there, and the orange line across it is their proportion of the total that fits these answers best.",
        "How many {many} lie between two answers beyond their proportion of that total, or are missing there. All bars "
        "together: how many would have to join or leave until every answer was exact.",
        _totals,
        ("exponential mechanism", "best total"),
        ("proportion of the best total",),
    ),
    JointStep: RunWords(
        "All quantiles in one draw, from the highest down: each bar is where a value could lie given the one above it, "
        "and the dotted path joins what was drawn.",
        LAW,
        _draws,
        ("exponential mechanism",),
    ),
}
