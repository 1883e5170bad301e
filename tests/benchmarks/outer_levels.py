"""How many answers of eight columns are far off, and of how many of these nothing was said: before and now.

    python -m tests.benchmarks.outer_levels

One table, ε = 1 for all columns, 5, 25, 50, 75 and 95 %. Far off: by more than half of the interquartile range.
Said: a remark beside the answer, from the answers or from the forecast. The figures stand in docs/columns.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from dpq_core import Domain, Plan, PureDP, Sample
from dpq_core.advice.choice import BEST
from dpq_core.advice.columns import PublicColumns, best_plans, chances_far_off
from dpq_core.columns.study import simulate_columns
from dpq_core.results.answers import Answers
from dpq_core.results.wording import Wording

LEVELS = tuple(Fraction(share, 100) for share in (5, 25, 50, 75, 95))
COLUMNS: Mapping[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "age": lambda rng, n: np.clip(np.round(rng.normal(45, 18, n)), 0, 105),
    "income": lambda rng, n: np.round(rng.lognormal(10.3, 0.6, n)),
    "rent": lambda rng, n: np.round(rng.lognormal(6.8, 0.4, n)),
    "household size": lambda rng, n: 1.0 + rng.poisson(1.3, n),
    "minutes": lambda rng, n: np.round(rng.lognormal(3.3, 0.7, n)),
    "index": lambda rng, n: np.round(rng.normal(100, 15, n), 1),
    "hours": lambda rng, n: np.clip(np.round(rng.normal(38, 9, n)), 0, 80),
    "weight": lambda rng, n: np.round(rng.normal(75, 14, n), 1),
}
BOUNDS = {
    "age": Domain(0, 120, 1), "income": Domain(0, 1_000_000, 100), "rent": Domain(0, 10_000, 10),
    "household size": Domain(1, 20, 1), "minutes": Domain(0, 600, 1), "index": Domain(0, 200, "0.1"),
    "hours": Domain(0, 168, 1), "weight": Domain(0, 300, "0.1"),
}  # fmt: skip
DOMAINS: Mapping[str, Mapping[str, Domain]] = {
    "either sign, as in 1.0.0": dict.fromkeys(COLUMNS, Domain.significant(2)),
    "not negative": dict.fromkeys(COLUMNS, Domain.significant(2, negative=False)),
    "bounds": BOUNDS,
}
SIZES = (300, 2000, 20_000)
RUNS = 60


def measured(domains: Mapping[str, Domain], n: int, runs: int = RUNS) -> tuple[float, float, float]:
    """Return the shares of answers that were far off, that were so in silence, and that had a remark."""
    rng = np.random.default_rng(7)
    columns = {name: draw(rng, n) for name, draw in COLUMNS.items()}
    samples = {name: Sample.from_values(values, domains[name], seed=0) for name, values in columns.items()}
    public = PublicColumns(domains=domains, n=n)
    plans = best_plans(Plan(LEVELS, BEST, PureDP(1.0)), public)
    chances = chances_far_off(plans, public)
    study = simulate_columns(samples, plans, runs, seed=1)
    off, silent, said = [], [], []
    for name, own in study.items():
        true = np.sort(columns[name])[[int(level * n) - 1 for level in LEVELS]]  # before they are rounded to digits
        for values in own.values[:, 0]:
            answer = Answers(
                wording=Wording(name), plan=own.plan, domain=domains[name], values=tuple(values.tolist()),
                chances=chances.get(name, ()),
            )  # fmt: skip
            is_off = np.abs(values - true) > (true[3] - true[1]) / 2
            has_remark = np.array([bool(remark) for remark in answer.remarks])
            off.append(is_off)
            silent.append(is_off & ~has_remark)
            said.append(has_remark)
    return float(np.mean(off)), float(np.mean(silent)), float(np.mean(said))


def main() -> None:
    """Print a row for each size and kind of domain."""
    print("n | domains | far off | far off in silence | answers with a remark")
    for n in SIZES:
        for kind, domains in DOMAINS.items():
            off, silent, said = measured(domains, n)
            print(f"{n:,} | {kind} | {100 * off:.1f} % | {100 * silent:.2f} % | {100 * said:.0f} %", flush=True)


if __name__ == "__main__":
    main()
