"""How time grows with records, quantiles, groups, columns and persons: python -m tests.benchmarks.growth [WHAT ...].

It prints the tables of docs/speed.md, in processor time of one process. A sort is one np.sort, timed in the same run:
of as many floats as there are rows, or of a million where quantiles grow. Compare ratios: milliseconds depend on the
machine.
"""

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from dpq_core import Column, Domain, People, Plan, quantiles, release, simulate
from dpq_core.arrays import ColumnLike, Floats, Integers
from dpq_core.studies.design import even_levels

DOMAIN = Domain(-100, 100)
ROWS = 10**7
RUNS, SECONDS = 5, 4.0
"""Up to this many runs, until they have taken this long."""


def seconds(work: Callable[..., object], *given: object, **named: object) -> float:
    """Return the median processor time of some calls; the first one counts only if it is long."""
    found = list[float]()
    while len(found) <= RUNS and sum(found) < SECONDS:
        start = time.process_time()
        work(*given, **named)
        found.append(time.process_time() - start)
    return median(found[1:] or found)


def column(rows: int) -> Floats:
    return np.random.default_rng(0).normal(0, 5, rows)


def row(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def head(*names: str) -> None:
    print()
    row(*names)
    row(*("---" for _ in names))


def shown(spent: float, sort: float) -> str:
    return f"{_digits(1000 * spent)} ms ({_digits(spent / sort)} sorts)"


def _digits(number: float) -> str:
    """Two of them."""
    return f"{float(f'{number:.2g}'):,g}"


def by_records(sizes: tuple[int, ...] = (10**4, 10**5, 10**6, 10**7, 10**8)) -> None:
    head("records", "np.sort, ms", "column", "9 quantiles, exact", "99, exact", "199, exact", "99, one simulated run")
    for rows in sizes:
        values = column(rows)
        sort = seconds(np.sort, values)
        made = seconds(Column.from_values, values, DOMAIN)
        sample = Column.from_values(values, DOMAIN)
        plans = [Plan(even_levels(count), "aq") for count in (9, 99, 199)]
        exact = [seconds(release, sample, plan) for plan in plans]
        fast = seconds(simulate, sample, plans[1], 1)
        row(f"{rows:,}", _digits(1000 * sort), *(shown(each, sort) for each in (made, *exact, fast)))


def by_quantiles(counts: tuple[int, ...] = (1, 9, 20, 60, 99, 199, 500, 1000, 2000)) -> None:
    head("quantiles", "exact", "one simulated run", "100 simulated runs")
    values = column(10**6)
    sample, small = Column.from_values(values, DOMAIN), Column.from_values(values[:1000], DOMAIN)
    sort = seconds(np.sort, values)
    for count in counts:
        plan = Plan(even_levels(count), "aq")
        times = [
            seconds(release, sample, plan), seconds(simulate, sample, plan, 1), seconds(simulate, small, plan, 100),
        ]  # fmt: skip
        row(f"{count:,}", *(shown(each, sort) for each in times))


def by_groups(counts: tuple[int, ...] = (10, 100, 1000, 10**4, 10**5, 10**6)) -> None:
    head("groups", "made", "9 deciles of each, simulated", "the same, exact")
    values, plan = column(ROWS), Plan(even_levels(9))
    sort = seconds(np.sort, values)
    for count in counts:
        labels = np.random.default_rng(1).integers(0, count, ROWS)
        groups = Column.from_values(values, DOMAIN, groups=labels, names=range(count))
        made = seconds(Column.from_values, values, DOMAIN, groups=labels, names=range(count))
        drawn = seconds(simulate, groups, plan, trials=1)
        exact = shown(seconds(release, groups, plan), sort) if count <= 10**5 else "not measured"
        row(f"{count:,}", shown(made, sort), shown(drawn, sort), exact)


def by_columns(counts: tuple[int, ...] = (1, 10, 100, 1000)) -> None:
    head("columns of 10,000 rows", "quartiles of all, exact", "for each column")
    rows = 10**4
    values = column(rows)
    sort = seconds(np.sort, values)
    for count in counts:
        random = np.random.default_rng(2)
        frame = {f"c{number}": random.normal(0, 5, rows) for number in range(count)}
        asked = dict.fromkeys(frame, (-100, 100, 0.01))
        spent = seconds(quantiles, frame, asked, "quartiles", epsilon=float(count))
        row(f"{count:,}", shown(spent, sort), shown(spent / count, sort))


def by_persons(counts: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6, 10**7)) -> None:
    head("persons", "their median", "shares", "at most 5 rows")
    values = column(ROWS)
    sort = seconds(np.sort, values)
    for count in counts:
        ids = np.random.default_rng(3).integers(0, count, ROWS) * 7919 + 10**12
        ways: tuple[dict[str, Any], ...] = (
            {"per_person": "median"}, {"per_person": "weight"}, {"max_rows_per_person": 5},
        )  # fmt: skip
        times = [seconds(_column_of_persons, values, ids, way) for way in ways]
        row(f"{count:,}", *(shown(each, sort) for each in times))


def _column_of_persons(values: ColumnLike, ids: Integers, way: dict[str, Any]) -> Column:
    return Column.from_values(values, DOMAIN, people=People.of(ids), **way)


TABLES: dict[str, Callable[[], None]] = {
    "records": by_records, "quantiles": by_quantiles, "groups": by_groups, "columns": by_columns, "persons": by_persons,
}  # fmt: skip

if __name__ == "__main__":
    for what in sys.argv[1:] or TABLES:
        TABLES[what]()
