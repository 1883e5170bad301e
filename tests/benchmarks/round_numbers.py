"""Mean rank error of AQ where all values have the same room, and where round numbers have more, as by default.

    python -m tests.benchmarks.round_numbers [words of a row, such as ages or 1,000]

No step is given; one person joins or leaves. `RUNS` runs on each of `DATA_SETS` data sets for a number, the same data
and seeds before and after. Each row ends with twice the standard error of its ratios, as a fraction: that of
independent runs. The table is that of docs/limit.md; docs say how many records had less than half, and no worse.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from dpq_core import ZCDP, Domain, Plan, PureDP, Sample, simulate
from dpq_core.arrays import Floats
from dpq_core.papers.data import kss_columns
from dpq_core.privacy.budgets import Privacy
from dpq_core.studies.grid import even_levels

RUNS, DATA_SETS = 40, 3
LEVELS = (1, 5, 20, 60, 120)
RECORDS = (1000, 100, 100_000)
BUDGETS: tuple[Privacy, ...] = (PureDP(1.0), PureDP(0.1), PureDP(4.0), ZCDP(0.125))
Draw = Callable[[np.random.Generator, int], Floats]


def _half(rng: np.random.Generator, n: int, one: Floats, other: Floats, share: float = 0.5) -> Floats:
    return np.where(rng.random(n) < share, one, other)


def _salaries(rng: np.random.Generator, n: int) -> Floats:
    exact = rng.lognormal(10.6, 0.5, n)
    return _half(rng, n, np.round(exact, -3), np.round(exact, 2))


def _ages(rng: np.random.Generator, n: int) -> Floats:
    exact = np.clip(rng.normal(40, 18, n), 0, 119)
    return _half(rng, n, np.round(exact / 5) * 5, np.floor(exact), 1 / 3)


def _minutes(rng: np.random.Generator, n: int) -> Floats:
    exact = rng.gamma(3, 20, n)
    return _half(rng, n, np.round(exact / 15) * 15, np.round(exact))


def _published(name: str) -> Draw:
    return lambda rng, n: rng.choice(kss_columns()[name], n, replace=n > kss_columns()[name].size)


UNTIED: Mapping[str, tuple[Draw, tuple[float, float]]] = {
    "uniform, -5 to 5": (lambda rng, n: rng.uniform(-5, 5, n), (-100, 100)),
    "normal, deviation 5": (lambda rng, n: rng.normal(0, 5, n), (-100, 100)),
    "even spread": (lambda rng, n: rng.uniform(0, 1000, n), (0, 1000)),
    "normal around 500": (lambda rng, n: rng.normal(500, 100, n), (0, 1000)),
}
PUBLISHED: Mapping[str, tuple[Draw, tuple[float, float]]] = {
    name: (_published(name), (-100, 100)) for name in kss_columns() if name not in ("uniform", "normal")
}
HEAPED: Mapping[str, tuple[Draw, tuple[float, float]]] = {
    "normal, rounded to 1": (lambda rng, n: np.round(rng.normal(0, 5, n)), (-100, 100)),
    "salaries, half at 1,000": (_salaries, (0, 200_000)),
    "ages, a third at 0 and 5": (_ages, (0, 120)),
    "minutes, half at 15": (_minutes, (0, 1440)),
    "half tied": (lambda rng, n: _half(rng, n, np.full(n, 500.0), rng.uniform(0, 1000, n)), (0, 1000)),
    "all equal": (lambda _, n: np.full(n, 500.0), (0, 1000)),
}
COLUMNS = {**UNTIED, **PUBLISHED, **HEAPED}


def errors(name: str, n: int, m: int, privacy: Privacy) -> tuple[Floats, Floats]:
    """Return the mean rank errors of all runs before and after, (runs,) each."""
    draw, bounds = COLUMNS[name]
    plan, found = Plan(even_levels(m), "aq", privacy), []
    for domain in (Domain(*bounds, measure="uniform"), Domain(*bounds)):
        runs = []
        for seed in range(DATA_SETS):
            sample = Sample.from_values(draw(np.random.default_rng(seed), n), domain, seed=seed)
            runs.append(simulate(sample, plan, RUNS, seed=seed).rank_errors["column"].mean(axis=1))
        found.append(np.concatenate(runs))
    return found[0], found[1]


def rows() -> Iterator[tuple[str, str, int, Privacy, int]]:
    """Yield all rows: what they are called, and their settings."""
    for n, privacy, name, m in product(RECORDS, BUDGETS, COLUMNS, LEVELS):
        yield f"{name} | n = {n:,} | {privacy} | m = {m}", name, n, privacy, m


def main(words: list[str]) -> None:
    """Print every row with words in it, or all."""
    for title, name, n, privacy, m in rows():
        if all(word in title for word in words):
            before, after = errors(name, n, m, privacy)
            low = [2 * each.std() / each.size**0.5 / max(each.mean(), 1e-9) for each in (before, after)]
            print(f"{title} | {before.mean():.3g} → {after.mean():.3g} | ± {np.hypot(*low):.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
