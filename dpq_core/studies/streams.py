"""Columns that are read batch by batch: feeds of them, and the memory and errors of a sketch while one streams by.

A feed yields its column in batches of a wanted size, and with each the fraction of the whole that has been read. It
is a plain record that can be sent to another process. Memory stays at a few batches for any length, except for
a column that is in memory anyway.

DPExpGK reads the sketch, beside DPExpFull on all records, which is `indexp`. After Figures 3-8 and Table 2 of Alabi,
Ben-Eliezer & Chaturvedi 2022 [BSPACE]: errors and space against the length of the stream. The truth is kept beside the
sketch as long as it fits, so all of this is for public data only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..accuracy import rank_errors, sketch_quantiles, true_quantiles
from ..arrays import Floats, Integers
from ..calibrations import calibrate
from ..column import Column
from ..domain.domain import Domain
from ..draw import TRIALS_AT_ONCE
from ..errors import ParameterError
from ..mechanisms.gk.mechanism import GKParameters
from ..plan import OptionValue, Plan
from ..privacy.budgets import Adjacency, Privacy
from ..sketches.greenwald_khanna import GKSketch
from ..sources.reading import AS_WRITTEN, Reading
from ..steps import steps_of
from ..study import check_count, simulate_column
from .shapes import SHAPES, values_of

if TYPE_CHECKING:  # it needs pyarrow
    from ..sources.column import Progress
    from ..sources.files import Layout
    from ..sources.rows import ColumnStream


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
    """A column of a file or a folder, as `sources.files.stream_column` reads it."""

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
        from ..sources.files import stream_column

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


TRIALS = TRIALS_AT_ONCE
"""The simulated answers behind each error, which share one pass."""
INTERVAL = (5, 95)
"""Percent, as in the paper's figures: 90 of 100 errors lie between these two."""
GROWTH = 1.1
"""The stream is looked at after every batch, or where that would be often, each time it is a tenth longer."""
BYTES_A_RECORD = 8
"""What keeping a record takes."""
MOST_EXACT = 20_000_000
"""Records that are kept beside the sketch for the truth: 160 MB."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the stream is read. `alpha` and `n_max` make the sketch; a record may join or leave, so n is private.

    `n_max` is a public bound on the number of records; a longer stream stays correct. Levels are the plan's.
    """

    domain: Domain
    alpha: float
    n_max: int
    quantiles: tuple[Fraction, ...]
    privacy: Privacy
    batch: int
    seed: int = 0
    most_exact: int = MOST_EXACT

    def plan(self, mechanism: str, options: Mapping[str, OptionValue] | None = None) -> Plan:
        """Return the plan for "gkexp" (a sketch holds alpha and n_max itself) or "indexp"."""
        return Plan(self.quantiles, mechanism, self.privacy, Adjacency.ADD_REMOVE, options)

    def error_parts(self) -> tuple[float, float]:
        """Return the parts of an error bound, of the sketch and of the noise, in records.

        Their sum bounds the error of DPExpGK in 95 of 100 runs. Public.
        """
        parameters = calibrate(self.plan("gkexp", {"alpha": self.alpha, "n_max": self.n_max}))
        assert isinstance(parameters, GKParameters), "calibrated by gkexp"
        return parameters.error_parts(self.domain.cells)


@dataclass(frozen=True)
class Errors:
    """The largest rank error over the levels, in records: mean of the trials, and where 90 of 100 lie. NaN: unknown."""

    mean: float
    low: float
    high: float


UNKNOWN = Errors(nan, nan, nan)


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The stream after some batches. Not private. Arrays are tuples, one number a level."""

    n: int
    points: int
    sketch_bytes: int
    full_bytes: int
    """8 bytes a record."""
    bound: float
    """Largest rank error that a sketch without noise may have: alpha n, at least 1/2 and at most alpha n_max."""
    sketch_error: float
    """The one that it has; where the truth is no longer kept, the most that it may be by the sketch's own bounds."""
    gk: Errors
    """DPExpGK. Where the truth is no longer kept: by the sketch's own bounds, so at least this."""
    full: Errors
    """DPExpFull; not known where the truth is no longer kept."""
    exact: bool
    """Whether the truth is still kept."""
    true_values: tuple[float, ...]
    sketch_values: tuple[float, ...]
    gk_values: tuple[float, ...]
    """The first trial."""
    full_values: tuple[float, ...]

    @property
    def saving(self) -> float:
        """How many times less memory the sketch takes than the records, as in [BSPACE] Table 2."""
        return self.full_bytes / self.sketch_bytes if self.sketch_bytes else inf

    def as_row(self) -> dict[str, float]:
        """Return what this says of the whole stream as plain numbers, by their names."""
        alone = {name: each for name, each in vars(self).items() if isinstance(each, float | int)}
        errors = {"gk": self.gk, "full": self.full}
        return alone | {f"{name}_{part}": each for name, found in errors.items() for part, each in vars(found).items()}


def steps(feed: Feed, settings: Settings) -> Iterator[tuple[float, Snapshot]]:
    """Yield the fraction read and a Snapshot at growing lengths of the stream and at its end.

    Repeatable. An empty stream yields nothing. Raises ParameterError, DataError.
    """
    check_count("batch", settings.batch, 1)
    sketch = GKSketch(settings.alpha, settings.domain, settings.n_max)
    truth = Truth(settings.domain, settings.most_exact)
    share, next_look, looked = 0.0, 1.0, 0
    for share, values in feed.batches(settings.batch):
        sketch.update(values)
        truth.add(values)
        if sketch.n >= next_look:
            looked, next_look = sketch.n, sketch.n * GROWTH
            yield min(share, 1.0), look(sketch, truth.column(), settings)
    if sketch.n > looked:
        yield 1.0, look(sketch, truth.column(), settings)


def look(sketch: GKSketch, truth: Column | None, settings: Settings) -> Snapshot:
    """Return the Snapshot of what was read; `truth` holds the same records, or is None where they are not kept."""
    levels = settings.quantiles
    answers = sketch_quantiles(sketch, levels)
    drawn, full = simulate_column(sketch, steps_of(sketch, settings.plan("gkexp")), TRIALS, settings.seed), None
    if truth is not None:
        full = simulate_column(truth, steps_of(truth, settings.plan("indexp")), TRIALS, settings.seed)
    known: Column | GKSketch = sketch if truth is None else truth
    slack = drawn.rank_error_slack if truth is None else 0
    return Snapshot(
        n=sketch.n,
        points=len(sketch),
        sketch_bytes=sketch.nbytes,
        full_bytes=BYTES_A_RECORD * sketch.n,
        bound=max(sketch.alpha * min(sketch.n, sketch.n_max), 0.5),
        sketch_error=float(rank_errors(known, levels, answers).max(initial=0)) + slack,
        gk=_errors(drawn.rank_errors[:, 0] if truth is None else rank_errors(truth, levels, drawn.values[:, 0])),
        full=UNKNOWN if full is None else _errors(full.rank_errors[:, 0]),
        exact=truth is not None,
        true_values=() if truth is None else _plain(true_quantiles(truth, levels)),
        sketch_values=_plain(answers),
        gk_values=_plain(drawn.values[0, 0]),
        full_values=() if full is None else _plain(full.values[0, 0]),
    )


class Truth:
    """All records, sorted, as long as there are at most `most` of them."""

    def __init__(self, domain: Domain, most: int) -> None:
        self._parts = [Column.from_values([], domain, seed=0)]
        self._most, self._batches = most, 0

    def add(self, values: Floats) -> None:
        """Add the next batch, with tie-breaking bits of its own. O(batch log batch)."""
        if not self._parts:
            return
        self._batches += 1
        self._parts.append(Column.from_values(values, self._parts[0].domain, seed=self._batches))
        if sum(part.n for part in self._parts) > self._most:
            self._parts = []

    def column(self) -> Column | None:
        """Return all records so far, or None once they were too many. Sorted batches are merged: O(n)."""
        if len(self._parts) > 1:
            records = np.concatenate([part.cells for part in self._parts])
            records.sort(kind="stable")  # made for runs that are sorted already
            self._parts = [replace(self._parts[0], records=records, dropped=sum(part.dropped for part in self._parts))]
        return self._parts[0] if self._parts else None


def _errors(errors: Floats) -> Errors:
    """Return the Errors of rank errors (trials, levels)."""
    largest = errors.max(axis=1, initial=0)
    low, high = np.percentile(largest, INTERVAL)
    return Errors(float(largest.mean()), float(low), float(high))


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(values.tolist())
