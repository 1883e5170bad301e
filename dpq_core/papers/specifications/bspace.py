"""The figures and tables of [BSPACE] that can be recomputed."""

from __future__ import annotations

from functools import partial

from ..computations import bspace
from ..judgements import bspace as judge
from .figure import BSPACE, SHARE, SPREAD_BAND, Claim, Figure

_SKETCH_SETTING = (
    "The median of streams of growing length, clipped to −10 to 10, ε = 1, one person is replaced; 100 runs. The "
    "dotted curve with crosses is the printed algorithm, which is not private."
)

SKETCH_FIGURES = (
    Figure(
        key="bspace-figure-1",
        paper=BSPACE,
        place="Figure 1 and Example 3.3",
        title="Eight numbers, and which answers count as right",
        setting="Quantiles of 1, 2, 2, 3, 5, 2, 6, 5, and the answers of a sketch without noise, alpha = 0.25: its "
        "ranks may be wrong by a quarter of the records, here two.",
        tasks=bspace.example_tasks,
        judge=judge.example,
        claim=Claim(number=2, of="the median of the eight numbers"),
        x="level q",
        y="value",
        log_y=False,
        expected_seconds=0.5,
        shape="marks",
        band="Bars: all answers that are right up to alpha.",
    ),
    Figure(
        key="bspace-figure-2",
        paper=BSPACE,
        place="Figure 2",
        title="Quantiles of a sketch without noise",
        setting="10,000 standard normal records, 49 even levels, a coarse and a fine sketch.",
        tasks=bspace.exact_tasks,
        judge=judge.exact_sketch,
        x="level q",
        y="value",
        log_y=False,
    ),
    Figure(
        key="bspace-figure-3",
        paper=BSPACE,
        place="Figures 3 and 4",
        title="Error against the length of the stream, alpha = 0.0001",
        setting=_SKETCH_SETTING,
        tasks=partial(bspace.error_tasks, alpha=bspace.FINE),
        judge=judge.fine_sketch,
        claim=Claim(number=1e-4, of="error of the median as a share of n, order of magnitude"),
        x="records n",
        y=SHARE,
        log_x=True,
        band=SPREAD_BAND,
    ),
    Figure(
        key="bspace-figure-6",
        paper=BSPACE,
        place="Figures 6 and 7",
        title="Error against the length of the stream, alpha = 0.1",
        setting=_SKETCH_SETTING,
        tasks=partial(bspace.error_tasks, alpha=bspace.COARSE),
        judge=judge.coarse_sketch,
        x="records n",
        y=SHARE,
        log_x=True,
        band=SPREAD_BAND,
    ),
    Figure(
        key="bspace-figure-5",
        paper=BSPACE,
        place="Figures 5 and 8",
        title="Space against the length of the stream",
        setting="Uniform streams; points that the sketch keeps, each of three numbers, beside the records read.",
        tasks=bspace.space_tasks,
        judge=judge.space,
        x="records n",
        y="kept",
        log_x=True,
    ),
    Figure(
        key="bspace-figure-9",
        paper=BSPACE,
        place="Figure 9",
        title="Error against ε",
        setting="The median of 100,000 uniform records, a fine and a coarse sketch, one person is replaced; 100 runs.",
        tasks=bspace.budget_tasks,
        judge=judge.budgets,
        x="ε",
        y=SHARE,
        log_x=True,
        band=SPREAD_BAND,
    ),
    Figure(
        key="bspace-table-1",
        paper=BSPACE,
        place="Table 1",
        title="Two large files",
        setting="Streams of the printed lengths, made up, since the printed files are not at hand; and three million "
        "flights. Table 2 is recomputed on them.",
        tasks=bspace.file_tasks,
        judge=judge.files,
        claim=Claim(number=2, of="files that are measured themselves"),
        x="data set",
        y="count",
        expected_seconds=2,
        shape="table",
        printed=judge.TABLE_1,
    ),
    Figure(
        key="bspace-table-2",
        paper=BSPACE,
        place="Table 2",
        title="Space saved by the sketch",
        setting="Streams of the printed lengths, made up, since the printed files are not at hand; and three million "
        "flights.",
        tasks=bspace.saving_tasks,
        judge=judge.savings,
        claim=Claim(number=3054, of="records for each point kept: taxi, alpha = 0.01"),
        x="alpha",
        y="records for each point",
        log_x=True,
        expected_seconds=10,
        shape="table",
        printed=judge.TABLE_2,
    ),
)
