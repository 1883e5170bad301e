"""The most memory that some work takes beyond what was there before: python -m tests.benchmarks.memory WORK ARGUMENT.

Each is measured in a process of its own, as the operating system sees it: whatever libraries keep counts.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dpq_core import ApproxDP, Column, Domain, People, Plan, PureDP, release
from dpq_core.privacy.budgets import Privacy
from dpq_core.sources.files import read_column
from dpq_core.studies.design import even_levels

RESET = Path("/proc/self/clear_refs")  # of Linux
DOMAIN = Domain(-100, 100)
BUDGETS: dict[str, Privacy] = {"pure": PureDP(1.0), "approximate": ApproxDP(1.0, 1e-6)}


def peak_in_its_own_process(work: str, argument: str) -> int:
    """Bytes; RESET must exist."""
    command = [sys.executable, "-m", "tests.benchmarks.memory", work, argument]
    return int(
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2]).stdout
    )


def peak_of(work: Callable[[], object]) -> int:
    RESET.write_text("5")
    before = _kilobytes("VmRSS")
    work()
    return 1024 * (_kilobytes("VmHWM") - before)


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def peak_of_a_release(budget: str) -> int:
    """From 10^7 floats, which are there already, to 99 private quantiles."""
    column, plan = np.random.default_rng(0).normal(0, 5, 10**7), Plan(even_levels(99), privacy=BUDGETS[budget])
    release(Column.from_values(column[:10], DOMAIN), plan)  # imports and tables
    return peak_of(lambda: release(Column.from_values(column, DOMAIN), plan))


def peak_of_reading(path: str) -> int:
    """From a file to the sample of its column "value"."""
    read_column(b"value\n1.5\n", "value")  # imports
    return peak_of(lambda: Column.from_values(read_column(path, "value").values, DOMAIN))


def peak_of_people(way: str) -> int:
    """From 10^7 floats and integer ids of 10^6 persons, which are there already, to a sample of the persons."""
    random = np.random.default_rng(0)
    column, ids = random.normal(0, 5, 10**7), random.integers(0, 10**6, 10**7)
    settings: dict[str, Any] = {"max_rows_per_person": 5} if way == "5 rows" else {"per_person": way}
    Column.from_values(column[:10], DOMAIN, people=People.of(ids[:10]), **settings)  # imports
    return peak_of(lambda: Column.from_values(column, DOMAIN, people=People.of(ids), **settings))


def peak_of_groups(count: str) -> int:
    """From 10^7 floats and labels, which are there already, to nine private deciles of so many groups."""
    random, names, plan = np.random.default_rng(0), range(int(count)), Plan(even_levels(9))
    column, labels = random.normal(0, 5, 10**7), random.integers(0, int(count), 10**7)
    release(Column.from_values(column[:10], DOMAIN, groups=labels[:10], names=range(2)), plan)  # imports and tables
    return peak_of(lambda: release(Column.from_values(column, DOMAIN, groups=labels, names=names), plan))


if __name__ == "__main__":
    works = {"release": peak_of_a_release, "reading": peak_of_reading, "people": peak_of_people}
    works |= {"groups": peak_of_groups}
    print(works[sys.argv[1]](sys.argv[2]))
