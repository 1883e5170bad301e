"""What a run says: for each kind of step the sentences about its figures and the columns of its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from dpq_core.frame import level_name, level_text
from dpq_core.mechanisms.aq.rounds import AQStep
from dpq_core.mechanisms.base import DrawStep
from dpq_core.mechanisms.counts.answers import HistogramStep, TreeNode, TreeStep
from dpq_core.mechanisms.freetotal.mechanism import Between, FreeTotalStep
from dpq_core.mechanisms.gk.mechanism import GKStep
from dpq_core.mechanisms.joint.mechanism import JointStep
from dpq_core.mechanisms.normal.mechanism import NormalStep
from dpq_core.mechanisms.slices.draws import SliceStep
from dpq_core.privacy.budgets import budget_in_digits
from dpq_core.results.exports import origin, privacy_label
from dpq_core.results.trace import InsideRun
from dpq_core.results.wording import spoken_level
from dpq_core.tabular import table_as_csv

LEAST_CHANCE = 0.001
"""Values that were less likely are left out of the table of a distribution."""


class Column(NamedTuple):
    """One column of a table; in its texts `{many}` is the word for records."""

    name: str
    meaning: str
    cell: Callable[[InsideRun, int, Any], str]
    """Of a run, the number of a row from 0, and what the row is of."""
    folded: bool = False
    """Whether the table shows it only when it is asked for, as it is in a figure; a CSV has it."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """The words of one kind of step; in them `{many}` is the word for records."""

    whole: str
    """About the figure of the run."""
    close: str = ""
    """About the figure of the selected step; empty where it has none."""
    title: Callable[[InsideRun, Any], str] = lambda run, step: ""
    """Of the figure of the selected step."""
    target: str = "target of its part"
    """What a step draws near to, where that is not the true quantile."""
    terms: tuple[str, ...] = ()
    """Of the glossary."""
    columns: tuple[Column, ...] = ()
    """Of the table of all answers, after those that every kind has."""
    rows: Callable[[InsideRun, int, Any], Sequence[Any]] = lambda run, at, step: ()
    """What the table of the selected step has its rows of; empty where the table of all answers has its numbers."""
    row: tuple[Column, ...] = ()
    """Its columns."""


def _likely(run: InsideRun, at: int, step: Any) -> list[tuple[float, float]]:
    """Return the first value of each piece of a distribution, and its chance."""
    chances: dict[float, float] = {}
    for start, chance in zip(*step.distribution, strict=True):
        chances[start] = chances.get(start, 0.0) + chance
    return [(start, chance) for start, chance in chances.items() if chance >= LEAST_CHANCE]


def _parts(run: InsideRun, at: int, step: FreeTotalStep) -> list[Between]:
    """Return the parts below the answers so far, and after the last answer the one above it."""
    found = [each.below for each in run.steps[: at + 1] if isinstance(each, FreeTotalStep)]
    return [*found, step.above] if at == len(run.steps) - 1 else found


def _bins(run: InsideRun, at: int, step: HistogramStep) -> tuple[TreeNode, ...]:
    from dpq_core.figures.structure.counts import BINS_BESIDE

    (bins,), (place,) = step.families, step.places
    return bins[max(place - BINS_BESIDE, 0) : place + BINS_BESIDE + 1]


def _slice(run: InsideRun, at: int, step: SliceStep) -> str:
    return f"{step.noisy_rank - step.half_width + 1:,} to {step.noisy_rank + step.half_width:,}"


RANK = Column(
    "target rank", "The rank that was looked for, counted from the lowest value. It can lie between two ranks.",
    lambda run, at, step: f"{step.target:,.1f}".removesuffix(".0"),
)  # fmt: skip
EPSILON = Column(
    "ε of the draw", "How much of the budget this draw uses.", lambda run, at, step: budget_in_digits(step.epsilon, 3)
)
FROM = Column("from", "Where these values begin.", lambda run, at, row: run.wording.number(row.bounds[0]))
TO = Column("to", "Where these values end.", lambda run, at, row: run.wording.number(row.bounds[1]))
COUNTS = (
    Column("true ({many})", "How many {many} are there, without noise.", lambda run, at, row: f"{row.count:,}"),
    Column("noisy", "The count with noise, which can make it negative.", lambda run, at, row: f"{row.noisy:,}"),
    Column("made consistent", "The count after all counts were adjusted to fit together.",
           lambda run, at, row: f"{row.consistent:,.1f}"),
)  # fmt: skip
LAW = "Bars: how likely each value was. Dotted: the target. Dashed: the true quantile. Orange: the value drawn."
BINS = "Bars: the true counts around the answer. Open diamonds: with noise. Filled: made consistent."

DRAW = Kind(
    whole="One row for each quantile, drawn on its own from all {many}. The bar holds 95 of 100 possible draws. The "
    "circle is the target, the diamond the value drawn.",
    close=LAW,
    title=lambda run, step: (
        f"Drawn from {run.wording.number(step.bounds[0])} to {run.wording.number(step.bounds[1])}, where "
        f"{run.wording.count(step.records[1] - step.records[0])} are, with ε = {budget_in_digits(step.epsilon, 3)}"
    ),
    terms=("exponential mechanism",),
    columns=(RANK, EPSILON),
    rows=_likely,
    row=(
        Column("values from", "Each row covers the values from here to the next row.",
               lambda run, at, row: run.wording.number(row[0])),
        Column("chance", "How likely these values were.", lambda run, at, row: f"{100 * row[1]:.1f} %"),
    ),
)  # fmt: skip
BIN = Kind(
    whole="All {many} are counted in bins with noise, and the counts are made consistent. To read a quantile, go "
    "across from its rank to the running sum, then down to the value.",
    close=BINS,
    title=lambda run, step: f"Bin {step.places[0] + 1:,} of {len(step.families[0]):,}",
    target="rank that the noisy counts give",
    terms=("noise", "post-processing"),
    columns=(
        RANK,
        Column("in the bin ({many})", "How many {many} are in this bin, without noise.",
               lambda run, at, step: f"{step.path[0].count:,}"),
    ),
    rows=_bins,
    row=(FROM, *COUNTS),
)  # fmt: skip
PLAIN = Kind(whole="One row for each quantile. The circle is its target, the diamond the value drawn.")
KINDS: dict[type, Kind] = {
    DrawStep: DRAW,
    JointStep: replace(
        DRAW,
        whole="All quantiles come from one draw, from the highest down. A bar shows where a value could lie, given the "
        "one above it. The dotted path joins the values drawn.",
    ),
    AQStep: replace(
        DRAW,
        whole="Each row is a round. In every part where quantiles are missing, it draws one or more of them and cuts "
        "the part there. Darker parts have more {many}; the grey bars are the data. A circle is the target within its "
        "part, and the dashed line is the true quantile.",
        terms=("splitting in halves",),
        columns=(
            Column("round", "AQ cuts all parts of one round before it begins the next.",
                   lambda run, at, step: str(step.depth + 1)),
            Column("part", "The range of values from which this answer was drawn.",
                   lambda run, at, step: " to ".join(map(run.wording.number, step.bounds))),
            Column("in it", "How many {many} have values in this part.",
                   lambda run, at, step: f"{step.records[1] - step.records[0]:,}"),
            EPSILON._replace(folded=True),
        ),
    ),
    FreeTotalStep: Kind(
        whole="All quantiles come from one draw. A box lies between two neighbouring answers and is as high as the "
        "number of {many} there. The orange line is their proportion of the total that fits these answers best.",
        close="How many {many} a box has above its orange line, or with a minus below it. All bars together are the "
        "number that would have to join or leave until every answer was exact.",
        title=lambda run, step: (
            f"The best total is {step.total:,.0f}. All bars together are {run.wording.count(round(step.distance))}"
        ),
        terms=("exponential mechanism", "best total"),
        columns=(
            Column("since the answer before ({many})", "How many {many} lie between the answer before and this one.",
                   lambda run, at, step: f"{step.below.records:,}"),
            Column("proportion of the best total", "How many {many} would lie there if the answers were exact for the "
                   "best total.", lambda run, at, step: f"{step.below.wanted:,.1f}", True),
        ),
        rows=_parts,
        row=(
            FROM,
            TO,
            Column("between ({many})", "How many {many} have values from here to there.",
                   lambda run, at, part: f"{part.records:,}"),
            Column("proportion of the best total", "How many {many} would lie there if the answers were exact for the "
                   "best total.", lambda run, at, part: f"{part.wanted:,.1f}"),
            Column("difference", "The surplus of {many} there, or with a minus the shortfall.",
                   lambda run, at, part: f"{part.records - part.wanted:+,.1f}"),
        ),
    ),
    SliceStep: Kind(
        whole="Read downwards: the target rank, the same rank with noise, the slice of {many} around it, and the rank "
        "drawn from it. Dots between two slices are the slack that keeps them apart. A thick bar there is an overlap: "
        "the run has failed.",
        close="The selected slice alone. Noise moves its rank. A draw lies nearer to the middle than to the ends.",
        title=lambda run, step: (
            f"Slice of the ranks {_slice(run, 0, step)}" if step.good
            else "Two slices overlap in this run, so all answers are drawn evenly from the whole range"
        ),
        target="middle of its slice",
        terms=("slice", "slack"),
        columns=(
            Column("target rank", "The rank that was looked for, counted from the lowest value.",
                   lambda run, at, step: f"{step.rank:,}"),
            Column("noisy rank", "The target rank with noise.", lambda run, at, step: f"{step.noisy_rank:,}"),
            Column("slice", "The ranks from which the answer was drawn.", _slice, True),
            Column("slack", "How many ranks lie between this slice and the next one. Below 0 the two overlap.",
                   lambda run, at, step: "–" if step.slack is None else f"{step.slack:,}"),
            Column("rank drawn", "The rank of the private answer, counted from the lowest value.",
                   lambda run, at, step: f"{run.ranks[at]:,.0f}", True),
            Column("shared", "Whether another quantile has the same slice.",
                   lambda run, at, step: "yes" if step.shared else "no", True),
        ),
    ),
    TreeStep: Kind(
        whole="Each row shows the children of one block. Where there is room a child has its noisy count, and in bold "
        "the count after all counts were made consistent. The walk enters the framed child, down to the leaf with the "
        "answer.",
        close="How far each count on the walk is from the truth, with noise and made consistent. Blocks narrower than "
        "a step divide equal values by random bits.",
        title=lambda run, step: (
            f"Rank {step.target:,.0f} is looked for among the {step.total:,.0f} {run.wording.many} that the tree counts"
        ),
        target="rank that the noisy counts give",
        terms=("tree of counts", "post-processing"),
        columns=(
            RANK,
            Column("leaf from", "The lowest value of the block in which the walk ended.",
                   lambda run, at, step: run.wording.number(step.path[-1].bounds[0])),
            Column("leaf to", "The highest value of the block in which the walk ended.",
                   lambda run, at, step: run.wording.number(step.path[-1].bounds[1])),
        ),
        rows=lambda run, at, step: step.path,
        row=(
            Column("depth", "How many blocks the walk has entered, with this one.", lambda run, at, node: str(at + 1)),
            FROM,
            TO,
            *COUNTS,
        ),
    ),
    GKStep: Kind(
        whole="The sketch keeps some of the {many}. Of any value it knows only two ranks between which it lies: the "
        "band. Each quantile is drawn where the band is near its target rank.",
        close="The selected draw alone. Boxes are values between their ranks, and darker ones were likelier. Where "
        "there are too many, bars show how likely each value was.",
        title=lambda run, step: f"{step.points:,} stored values represent {run.wording.count(step.records)}",
        terms=("sketch",),
        columns=(
            RANK,
            Column("ranks of the drawn value", "Between which ranks the private answer lies, as far as the sketch "
                   "knows.", lambda run, at, step: "–" if step.chosen < 0
                   else "{:,} to {:,}".format(*step.classes[step.chosen].ranks), True),
            Column("chance", "How likely this value was.", lambda run, at, step: "–" if step.chosen < 0
                   else f"{100 * step.classes[step.chosen].probability:.2f} %"),
        ),
        rows=_likely, row=DRAW.row,
    ),
    HistogramStep: BIN,
    NormalStep: replace(
        BIN,
        whole="First one wide bin is chosen with noise, framed, and an interval around it, shaded. Only there {many} "
        "are counted in narrow bins. To read a quantile, go across from its rank to the running sum, then down to the "
        "value.",
    ),
}  # fmt: skip
ANSWER = (
    Column("draw", "Answers with the same number come from one draw.",
           lambda run, at, step: str(1 + next(number for number, draw in enumerate(run.draws) if at in draw))),
    Column("quantile", "Which quantile was asked for.", lambda run, at, step: level_name(step.level)),
    Column("drawn{unit}", "The private answer.", lambda run, at, step: run.wording.number(step.value)),
    Column("true{unit}", "The quantile of the data, without noise.",
           lambda run, at, step: run.wording.number(run.truths[at])),
    Column("rank error ({many})", "How many {many} lie between the private and the true quantile. Positive: too high.",
           lambda run, at, step: f"{run.errors[at]:,}"),
    Column("target{unit}", "The value that this draw looked for. Where earlier draws were off, it is not the true "
           "quantile.", lambda run, at, step: run.wording.number(run.targets[at])),
    Column("off target", "How many {many} lie between the private answer and the target. Positive: too high.",
           lambda run, at, step: f"{run.off_target[at]:,}"),
)  # fmt: skip
"""What every kind of step has."""


def kind_of(run: InsideRun) -> Kind:
    """Return what the steps of a run have of their own."""
    return KINDS.get(type(run.steps[0]), PLAIN)


def filled(text: str, run: InsideRun) -> str:
    """Return a text with the run's unit and its word for records."""
    return text.format(many=run.wording.many, unit=run.wording.in_unit)


def columns_of(run: InsideRun) -> tuple[Column, ...]:
    """Return the columns of the table of all answers."""
    return (*ANSWER, *kind_of(run).columns)


def table_of(run: InsideRun, columns: Sequence[Column], rows: Sequence[Any]) -> dict[str, list[str]]:
    """Return a table as texts, by the names of its columns."""
    return {filled(column.name, run): [column.cell(run, at, row) for at, row in enumerate(rows)] for column in columns}


def as_csv(run: InsideRun) -> str:
    """Return all answers as CSV, with decimals for the levels; each says what it is and where it comes from."""
    columns = table_of(run, columns_of(run), run.steps) | {"quantile": [level_text(step.level) for step in run.steps]}
    end = {**origin(run), "label": privacy_label(run)}
    table = zip((float(step.level) for step in run.steps), *columns.values(), strict=True)
    return table_as_csv(["level", *columns, *end], ([*row, *end.values()] for row in table))


def answer_in_words(run: InsideRun, at: int) -> tuple[str, str]:
    """Return an answer of a run as a headline, and how far it is from the truth and from its target as a sentence.

    The target of a draw within a part can lie far from the true quantile, so that hitting it is no success by itself.
    """
    words, step, error, off = run.wording, run.steps[at], run.errors[at], run.off_target[at]
    headline = f"Answer {at + 1} of {len(run.steps)}: {words.value(step.value)} for the {spoken_level(step.level)}"
    said = ["It has no rank error."]
    if error:
        side = "high" if error > 0 else "low"
        said = [f"It is {words.count(abs(error))} too {side}: the true value is {words.value(run.truths[at])}."]
    if abs(step.target - run.true_ranks[at]) >= 1:
        side = f"is {words.count(abs(off))} {'above' if off > 0 else 'below'}" if off else "hits"
        said.append(f"It {side} the {kind_of(run).target}.")
    together = next(draw for draw in run.draws if at in draw)
    if len(together) > 1:
        said.append(f"Answers {together.start + 1} to {together.stop} come from one draw.")
    return headline, " ".join(said)
