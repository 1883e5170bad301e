"""How much larger errors are with the mechanism that "best" chooses than with the best one of each plan.

    python -m tests.benchmarks.choice [seed and number of plans, such as 2 100] [intervals]

Plans are drawn evenly from `GRID`. For each, all mechanisms answer the public shapes of `dpq_core.advice.simulation`,
and the regret is (error + 0.05) / (least error + 0.05), in records. 400 plans take about ten minutes. The table of
docs/choice.md is that of seed 1. The numbers of the rule were fitted to other plans of such a grid.

With `intervals` all answers have 95 % intervals. There both errors and intervals count, by the root of their product:
(error + 0.05) (width + 0.5). Only whole columns with at most 30 quantiles are drawn then, for time.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from math import sqrt
from typing import Any

import numpy as np

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, Intervals, ParameterError, Plan, PureDP
from dpq_core.advice.choice import Run, by_rule
from dpq_core.advice.forecast import forecast
from dpq_core.advice.simulation import Simulation, enough_runs, too_slow
from dpq_core.calibrations import MOST_OF_SEVERAL
from dpq_core.privacy.budgets import Privacy
from dpq_core.question import Asked, Question
from dpq_core.studies.design import even_levels

EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
BUDGETS: Mapping[str, tuple[Privacy, ...]] = {
    "ε": tuple(map(PureDP, EPSILONS)),
    "ε, δ = 10^-6": tuple(ApproxDP(epsilon, 1e-6) for epsilon in EPSILONS),
    "ρ": tuple(ZCDP(epsilon**2 / 8) for epsilon in EPSILONS),
}
GRID: Mapping[str, tuple[Any, ...]] = {
    "levels": (1, 2, 3, 4, 5, 7, 9, 12, 15, 20, 30, 45, 60, 99),
    "n": (50, 100, 200, 300, 500, 1000, 2000, 5000, 10_000, 30_000, 100_000, 1_000_000),
    "domain": (Domain(0, 20, 1), Domain(0, 100, 1), Domain(0, 1000, 1), Domain(0, 1000, "0.1"), Domain(0, 1000)),
    "kind": tuple(BUDGETS), "adjacency": tuple(Adjacency), "groups": (None, None, None, MOST_OF_SEVERAL + 1),
}  # fmt: skip
"""One group in four plans: one of more groups than AQ draws several quantiles in, at once."""
RUNS, SLACK = 48, 0.05
MOST_LEVELS = 30
"""With intervals: more take up to half a minute."""
COMPARED = tuple(key for key in MECHANISMS if key not in ("normal", "gkexp"))
"""Those that need no other knowledge."""


def plans(seed: int, count: int) -> Iterator[tuple[str, Run, int]]:
    """Yield what is public of each plan, and the row of the table that it is for."""
    draw = random.Random(seed)
    for _ in range(count):
        levels, n, domain, kind, adjacency, groups = (draw.choice(options) for options in GRID.values())
        plan = Plan(even_levels(levels), "best", draw.choice(BUDGETS[kind]), adjacency)
        replaced = "one joins or leaves" if adjacency is Adjacency.ADD_REMOVE else "one is replaced"
        yield f"{kind}, {replaced}" if groups is None else "many groups", Run(plan, domain, groups=groups), n


def errors(run: Run, n: int) -> dict[str, float]:
    """Return the mean rank error of every mechanism that is available and not too slow."""
    found = {}
    for key in COMPARED:
        if run.groups is not None and MECHANISMS[key].PROFILE.refuses_after_draws:
            continue
        try:
            if not too_slow(run.by(key)):
                simulation = Simulation(run.by(key), n)
                simulation.run(enough_runs(run.m, RUNS))
                found[key] = simulation.error
        except ParameterError:
            continue
    return found


def errors_and_widths(run: Run, n: int) -> dict[str, float]:
    """Return of every mechanism that is available the root of its error times the width of its intervals."""
    found = {}
    for key in ("aq", "aggtree", "jointexp", "indexp", "binhist"):
        asked = Asked(possible=run.domain, levels=run.plan.quantiles, mechanism=key, intervals=Intervals(0.95))
        question = Question(columns={"column": asked}, budget=run.plan.privacy, adjacency=run.plan.adjacency)
        try:
            (row,) = forecast(question, n).rows
        except ParameterError:
            continue
        if row.error is not None and row.interval is not None:
            found[key] = sqrt((row.error + SLACK) * (row.interval + 10 * SLACK)) - SLACK
    return found


def with_intervals(seed: int, count: int) -> Iterator[tuple[str, Run, int]]:
    """Yield plans with intervals, of whole columns and few quantiles."""
    whole = (each for each in plans(seed, 20 * count) if each[1].groups is None and each[1].m <= MOST_LEVELS)
    for row, run, n in islice(whole, count):
        asked = replace(run.plan, intervals=Intervals(0.95), about_n=n)
        yield row, replace(run, plan=asked), n


def main(words: list[str]) -> None:
    """Print the table."""
    seed, count = map(int, ["1", "400", *(word for word in words if word.isdigit())][-2:])
    rows, asked = defaultdict(list), "intervals" in words
    for row, run, n in (with_intervals if asked else plans)(seed, count):
        found, chosen = (errors_and_widths if asked else errors)(run, n), next(by_rule(run, n))[0]
        least = min(found.values()) + SLACK
        regrets = [(found.get(key, np.inf) + SLACK) / least for key in (chosen, "aq")]
        for each in (row, "all"):
            rows[each].append(regrets)
    print("| | plans | mean | within 10 % | within 25 % | 95 % of plans | worst | always AQ: mean | within 25 % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for each in sorted(rows):
        rule, aq = np.array(rows[each]).T
        shares = (f"{100 * np.mean(rule <= limit):.0f} %" for limit in (1.1, 1.25))
        worst = f"{np.quantile(rule, 0.95):.1f} | {rule.max():.1f}"
        beside = f"{aq.mean():.2f} | {100 * np.mean(aq <= 1.25):.0f} %"
        print(f"| {each} | {rule.size} | {rule.mean():.2f} | {' | '.join(shares)} | {worst} | {beside} |")


if __name__ == "__main__":
    main(sys.argv[1:])
