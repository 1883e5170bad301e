"""Feeds: columns in batches, made up at any length, in memory, or in files that may be larger than memory.

A feed yields its column in batches of a wanted size, and with each the fraction of the whole that has been read. It
is a plain record that can be sent to another process. Memory stays at a few batches for any length, except for
a column that is in memory anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...arrays import Floats, Integers
from ...domain.domain import Domain
from ...errors import ParameterError
from ...sources.reading import AS_WRITTEN, Reading
from ...trials import check_count
from ..shapes import SHAPES, values_of

if TYPE_CHECKING:  # it needs pyarrow
    from ...sources.column import Progress
    from ...sources.files import Layout
    from ...sources.streams.batches import ColumnStream

Batches = Iterator[tuple[float, Floats]]

BLOCK = 1 << 16
"""Records that are made up at once, with any batches: a seed gives the same stream at every batch size."""
SEEDS_OF_BLOCKS = 1 << 32
"""More than any stream has blocks, so that no two seeds share one."""


class Feed(Protocol):
    """A column that is read from its beginning, as often as asked."""

    def batches(self, size: int) -> Batches:
        """Yield the fraction read so far with the next values, in order: `size` of them, or fewer in the last batch."""


@dataclass(frozen=True)
class Pattern:
    """A made-up column in a certain order, with public bounds. `draw(start, stop, n, seed)` gives a part of it.

    `start` is a multiple of BLOCK and `stop` at most BLOCK more; `seed` is this block's own.
    """

    key: str
    label: str
    domain: Domain
    draw: Callable[[int, int, int, int], Floats]


@dataclass(frozen=True)
class Generated:
    """`n` records of a pattern; the same seed gives the same ones. Raises ParameterError."""

    pattern: str
    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pattern not in PATTERNS:
            raise ParameterError("pattern", f"must be one of {', '.join(PATTERNS)}, got {self.pattern[:40]!r}.")
        check_count("n", self.n, 1)
        check_count("seed", self.seed, 0)

    def batches(self, size: int) -> Batches:
        """Yield the batches. O(size) memory."""
        return _in_batches(self._blocks(), size)

    def _blocks(self) -> Batches:
        draw = PATTERNS[self.pattern].draw
        for block, start in enumerate(range(0, self.n, BLOCK)):
            stop = min(start + BLOCK, self.n)
            yield stop / self.n, draw(start, stop, self.n, self.seed * SEEDS_OF_BLOCKS + block)


@dataclass(frozen=True, eq=False)
class Given:
    """A column that is in memory already, in its own order."""

    values: Floats = field(repr=False)

    def batches(self, size: int) -> Batches:
        """Yield the batches, without copies."""
        return _in_batches([(1.0, self.values)], size)


@dataclass(frozen=True)
class Files:
    """A column of a file or a folder, as `sources.streams.stream_column` reads it."""

    source: Path
    column: str
    header: bool | None = None
    layout: Layout | None = None
    reading: Reading = AS_WRITTEN

    def batches(self, size: int) -> Batches:
        """Yield the batches; fractions are those of the bytes. Raises DataError, ParameterError without the column."""
        return _in_batches(self._file_batches(), size)

    def stream(self, progress: Progress | None = None) -> ColumnStream:
        """Return the column, found and not yet read. Raises DataError, ParameterError."""
        from ...sources.streams.batches import stream_column

        return stream_column(
            self.source, self.column, header=self.header, layout=self.layout, reading=self.reading, progress=progress
        )

    def _file_batches(self) -> Batches:
        shares = [0.0]
        for batch in self.stream(shares.append):
            del shares[:-1]
            yield shares[-1], batch


def _in_batches(parts: Iterable[tuple[float, Floats]], size: int) -> Batches:
    """Yield the same values in batches of one size; the last one may be smaller."""
    check_count("size", size, 1)
    waiting: list[Floats] = []
    share, room = 0.0, size
    for end, values in parts:
        start_share, at = share, 0
        while at < values.size:
            piece = values[at : at + room]
            at, room = at + piece.size, room - piece.size
            waiting.append(piece)
            share = start_share + (end - start_share) * at / values.size
            if room == 0:
                yield share, _joined(waiting)
                waiting, room = [], size
        share = end
    if waiting:
        yield share, _joined(waiting)


def _joined(pieces: list[Floats]) -> Floats:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _shape(key: str) -> Pattern:
    """Return the pattern of independent draws from one of the public shapes."""
    shape = SHAPES[key]

    def draw(start: int, stop: int, n: int, seed: int) -> Floats:
        return values_of(key, stop - start, seed, shape.domain)

    return Pattern(key, f"{shape.label}, in no order", shape.domain, draw)


def _order(key: str, label: str, place: Callable[[Integers, int], Integers]) -> Pattern:
    """Return a pattern of evenly spread values; `place(i, n)` is the rank, from 0, of the i-th one to come."""
    domain = Domain(0, 100)

    def draw(start: int, stop: int, n: int, seed: int) -> Floats:
        places: Floats = place(np.arange(start, stop), n).astype(np.float64)
        return (places + 0.5) * (100 / n)

    return Pattern(key, label, domain, draw)


def _zigzag(i: Integers, n: int) -> Integers:
    """Return ranks in zig-zag: lowest, highest, second lowest, ...; every value falls between all that came before."""
    return np.where(i % 2 == 0, i // 2, n - 1 - i // 2)


PATTERNS: dict[str, Pattern] = {
    pattern.key: pattern
    for pattern in (
        _shape("uniform"),
        _shape("normal"),
        _shape("skewed"),
        _order("sorted", "Evenly spread, lowest first", lambda i, n: i),
        _order("reversed", "Evenly spread, highest first", lambda i, n: n - 1 - i),
        _order("zigzag", "Zig-zag towards the middle: hard for a sketch", _zigzag),
    )
}
"""Every pattern by its key."""
