"""Simulate releases of several columns beside the truth. Never a release."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from ..arrays import Flags, Integers
from ..calibrations import Calibrated
from ..columns_plan import ColumnsPlan
from ..domain.numbers import Number
from ..errors import ParameterError, shown
from ..finding.column import Columns, RawGroups, RawSample, Source, weighs_shares
from ..finding.counting import by_number
from ..finding.steps import CalibratedSteps, explain_raw, simulate_data, simulate_raw_groups
from ..groups.calibration import CalibratedGroups
from ..groups.draws import refuse_names_elsewhere, simulate_groups
from ..groups.names import GroupName
from ..groups.table import Groups
from ..noise.fast import FastEntropy
from ..plan import Plan
from ..progress import Progress, unheard, within
from ..study import SimulatedCells, Study
from ..trials import (
    Trace,
    check_count,
    check_run,
    explain_calibrated,
    explain_group,
    simulate_calibrated,
)
from .counting import AwaitsCount, ColumnsOfOne
from .release import CalibratedColumns, ColumnSteps, calibrate_columns, columns_plan, found_once

OF_NAMES = ""
"""In place of a column's name, which is never empty, where groups are named, or rows counted, for all columns."""


def simulate_columns(
    samples: Columns,
    plan: Plan | Mapping[str, Plan] | ColumnsPlan,
    trials: int = 100,
    seed: int = 0,
    weights: Mapping[str, Number] | None = None,
    progress: Progress = unheard,
) -> Study:
    """Simulate `trials` independent runs over several columns, and return their answers and rank errors. Repeatable.

    Each column's own study can be repeated from the seed that it states. Raises ParameterError, DataError.
    """
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    calibrated = calibrate_columns(samples, columns_plan(samples, plan, weights))
    named, numbers = _named(samples, calibrated, trials, seed), dict[str, Integers]()
    if calibrated.counting is not None:
        assert isinstance(samples, ColumnsOfOne), "counted as one table"
        numbers = calibrated.counting.draw(samples, FastEntropy(seed_of(seed, OF_NAMES), trials))
    cells: list[SimulatedCells] = []
    for name, each in calibrated.columns.items():
        heard = within(progress, len(cells), len(samples))
        if isinstance(each, AwaitsCount):
            own = _simulated_after_count(samples[name], each, numbers[name], seed_of(seed, name))
        else:
            own = _simulated(samples[name], each, trials, seed_of(seed, name), named, heard)
        cells.append(replace(own, column=name))
        heard(1.0)
    return Study(cells=tuple(cells), guarantee=calibrated.guarantee, plan=calibrated.plan, seed=seed)


def _simulated(
    sample: Source, calibrated: ColumnSteps, trials: int, seed: int, named: Flags | None, progress: Progress
) -> SimulatedCells:
    if isinstance(sample, RawGroups):
        assert isinstance(calibrated, CalibratedSteps), "calibrated for groups without bounds"
        return simulate_raw_groups(sample, calibrated, trials, seed, named)
    if isinstance(sample, Groups):
        assert isinstance(calibrated, CalibratedGroups), "calibrated for groups"
        return simulate_groups(sample, calibrated, trials, seed, named, progress)
    if isinstance(calibrated, Calibrated) and not isinstance(sample, RawSample):
        return simulate_calibrated(sample, calibrated, trials, seed, progress)
    return simulate_data(sample, calibrated.plan, trials, seed)


def _simulated_after_count(sample: Source, each: AwaitsCount, numbers: Integers, seed: int) -> SimulatedCells:
    """Return simulated answers of a column, each trial by the numbers that its table was counted with."""
    assert not isinstance(sample, Groups | RawGroups), "a column in one piece"
    counts = list(map(each.at_least, numbers))
    found = by_number(
        counts, lambda count, runs, part: simulate_data(sample, each.counted(count), runs, seed + part)
    )  # fmt: skip
    basis = each.basis(found.basis, counts[0], shares=weighs_shares(sample))
    return replace(found, plan=each.plan, guarantee=each.guarantee, seed=seed, basis=basis)


def explain_columns(
    samples: Columns,
    plan: Plan | Mapping[str, Plan] | ColumnsPlan,
    column: str | None = None,
    group: GroupName | None = None,
    *,
    seed: int = 0,
    trials: int = 100,
    run: int = 0,
) -> Trace:
    """Return one run of one column of a table, or of one of its groups, with what every draw saw and chose: private.

    Of a whole column its values are those of `simulate_columns` with this seed and number of trials; of a group they
    are a run of that group alone. Raises ParameterError, DataError.
    """
    check_run(seed, trials, run)
    calibrated = calibrate_columns(samples, columns_plan(samples, plan))
    name = next(iter(samples)) if column is None and len(samples) == 1 else column
    if name is None or name not in samples:
        raise ParameterError("column", f"must be one of {', '.join(samples)}, got {shown(name)}.")
    each, sample, own = calibrated.columns[name], samples[name], seed_of(seed, name)
    if isinstance(sample, Groups) and isinstance(each, CalibratedGroups):
        return explain_group(sample, each, group, own, trials, run)
    if isinstance(sample, RawSample | RawGroups) and isinstance(each, CalibratedSteps):
        return explain_raw(sample, each, own, trials, run, group)
    if group is not None:
        raise ParameterError("group", "must be None for a column that is not in groups.")
    if not isinstance(each, Calibrated) or isinstance(sample, RawSample | RawGroups | Groups):
        raise ParameterError("about_n", "must be a number to see the steps of a run, such as about_n=1000.")
    return explain_calibrated(sample, each, own, trials, run)


def _named(samples: Columns, calibrated: CalibratedColumns, trials: int, seed: int) -> Flags | None:
    """Return which groups each trial names for all columns, (trials, groups); None where that is not found once."""
    groups = found_once(samples)
    if groups is None or calibrated.naming is None:
        return None
    refuse_names_elsewhere(groups)
    return calibrated.naming.named(groups.people_in, trials, FastEntropy(seed_of(seed, OF_NAMES), trials))


def seed_of(seed: int, name: str) -> int:
    """Return the seed of one column, which other columns do not change: 48 bits of a digest of seed and name."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:6], "big")
