"""The numbers of simulated answers: of each trial, and over all trials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..arrays import Flags, Floats
from .cells import Cells, Numbers


def study_numbers(values: Floats, signed_rank_errors: Floats, covered: Flags | None) -> dict[str, Numbers]:
    """Return what a study knows of its answers, arrays of one shape; `covered` is None without intervals."""
    return {"value": values, "signed_rank_error": signed_rank_errors} | (
        {} if covered is None else {"covered": covered}
    )


def in_trials(part: Cells) -> Cells:
    """Return value, rank error and whether the interval held, of each trial."""
    value, errors = part.numbers["value"], part.numbers["signed_rank_error"]
    return replace(part, numbers={"value": value, "rank_error": np.abs(errors), "covered": _held(part)})


def over_trials(part: Cells) -> Cells:
    """Return the mean rank error, what 95 of 100 signed ones lie between, and how often the interval held.

    Over the trials that name the group; NaN where none does.
    """
    errors = part.numbers["signed_rank_error"]
    named: Flags = np.logical_not(np.isnan(errors).all(axis=0))
    numbers = {
        "mean_rank_error": _mean(np.abs(errors), named),
        "rank_error_low": _percentile(errors, named, NOISE_INTERVAL[0]),
        "rank_error_high": _percentile(errors, named, NOISE_INTERVAL[1]),
        "coverage": _mean(_held(part), named if "covered" in part.numbers else np.zeros_like(named)),
    }
    return replace(part, numbers={name: found[None] for name, found in numbers.items()})


def _held(part: Cells) -> Floats:
    """Return 1 where an interval held and 0 where not; NaN where there was none."""
    value = part.numbers["value"]
    held = part.numbers.get("covered", np.broadcast_to(np.nan, value.shape))
    return np.where(np.isnan(value), np.nan, held)


def _mean(numbers: Floats, known: Flags) -> Floats:
    found = np.full(numbers.shape[1:], np.nan)
    found[known] = np.nanmean(numbers[:, known], axis=0)
    return found


def _percentile(numbers: Floats, known: Flags, percent: float) -> Floats:
    found = np.full(numbers.shape[1:], np.nan)
    found[known] = np.nanpercentile(numbers[:, known], percent, axis=0)
    return found
