"""Sums in logarithms of floats, of which none is too small: what `joint.windows` adds up.

Each logarithm is at least that of the exact sum over the stored logarithms it was made of, less 2^-21; it may be
larger by anything. Nothing is subtracted, so each is a sum of positive terms. Where exponentials span e^SPAN at most
they are added as they are, and nothing underflows: 2^24 terms are off by 2^-29 of their sum. Else logarithms are added
in blocks, so that none passes through more than 3 BLOCK = 2^10 additions for up to BLOCK^3 terms; each is off by less
than 2^-51 of the largest logarithm, all by less than SPARE of it, and by that much running sums are raised. What else
rounds are fewer than 2^4 operations, 2^-48 of the largest logarithm. That is below 2^-22 where the rate times the
number of ranks is below 2^26.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Integers

SPAN = 600.0
"""Exponentials of numbers that span less are added as they are."""
BLOCK, SPARE = 1 << 8, 2.0**-41
"""Logarithms are added in blocks of this size, and their sums raised by this part of the largest."""
NEVER = -np.inf


def running_sums(logs: Floats) -> Floats:
    """Return the logarithms of the sums of the first 1, 2, ... numbers along the last axis, or little more."""
    top = np.maximum(logs.max(axis=-1, keepdims=True), -1e300)
    below = logs - top
    if below.min(where=below > NEVER, initial=0.0) < -SPAN:
        return _sums_in_blocks(logs) + SPARE * float(np.abs(logs).max(where=logs > NEVER, initial=0.0))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.cumsum(np.exp(below, out=below), axis=-1)) + top, dtype=np.float64)


def _sums_in_blocks(logs: Floats) -> Floats:
    """Do as `running_sums` for numbers of any size, without raising them."""
    *others, size = logs.shape
    if size <= BLOCK:
        return np.asarray(np.logaddexp.accumulate(logs, axis=-1), dtype=np.float64)
    blocks = -(-size // BLOCK)
    padded = np.full((*others, blocks * BLOCK), NEVER)
    padded[..., :size] = logs
    inside = running_sums(padded.reshape(*others, blocks, BLOCK))
    before = np.full((*others, blocks, 1), NEVER)
    before[..., 1:, 0] = running_sums(inside[..., -1])[..., :-1]
    return np.asarray(np.logaddexp(inside, before).reshape(*others, -1)[..., :size], dtype=np.float64)


def log_sum(logs: Floats) -> Floats:
    """Return the logarithms of the sums along the last axis: what underflows is nothing beside the largest number."""
    top = np.maximum(logs.max(axis=-1, keepdims=True, initial=NEVER), -1e300)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0], dtype=np.float64)


def sums_between(logs: Floats, first: Integers, last: Integers) -> Floats:
    """Return the logarithms of sums from a first to a last number of each row, (rows, sums).

    All sums of a row have equally many numbers, of which some may lie beyond the ends. A sum is the end of one block,
    at most one whole block, and the beginning of the next: nothing is subtracted.
    """
    size = logs.shape[1]
    lengths = np.clip(last[:, 0] - first[:, 0] + 1, 0, size)
    orders = [int(each).bit_length() for each in lengths]
    found = np.full(first.shape, NEVER)
    for order in {*orders} - {0}:
        rows = [row for row, each in enumerate(orders) if each == order]
        found[rows] = _sums_of_blocks(
            logs[rows], first[rows], np.minimum(last[rows], size - 1), int(lengths[rows].min())
        )
    return found


def _sums_of_blocks(logs: Floats, first: Integers, last: Integers, width: int) -> Floats:
    """Do as `sums_between` for sums of `width` to less than 2 `width` numbers, or of all."""
    rows, size = logs.shape
    blocks = -(-size // width)
    padded = np.full((rows, blocks * width), NEVER)
    padded[:, :size] = logs
    padded = padded.reshape(rows, blocks, width)
    beginnings, endings = running_sums(padded), running_sums(padded[..., ::-1])[..., ::-1].reshape(-1)
    offsets = (np.arange(rows) * (blocks * width))[:, None]
    low, high = np.clip(first, 0, size - 1), np.maximum(last, 0)
    (low_block, low_place), high_block = np.divmod(low, width), high // width
    beginning, ending = beginnings.take(offsets + high), endings.take(offsets + low)
    sums = np.where(high_block > low_block, np.logaddexp(beginning, ending), np.where(low_place, ending, beginning))
    if (high_block > low_block + 1).any():
        between = beginnings[:, :, -1].take(np.arange(rows)[:, None] * blocks + np.minimum(low_block + 1, blocks - 1))
        sums = np.where(high_block > low_block + 1, np.logaddexp(sums, between), sums)
    return np.where((last < 0) | (first >= size) | (first > last), NEVER, sums)
