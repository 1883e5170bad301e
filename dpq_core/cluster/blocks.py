"""Groups on a Dask cluster, in blocks of whole groups: each block is drawn where it is, and only its answers leave.

Groups are numbered as listed, and a block has consecutive ones, so that the blocks have about as many records each.
Which groups a block has follows from sizes, which are private: it is decided on a worker and stays there. The client
knows that there are as many blocks as partitions, and gets the answers of each in the order of the list.

Claim. A release of groups in blocks has the output distribution of the same groups in memory. Each block is a `Column`,
drawn by the same code with entropy of its own worker, and the groups of a release are drawn independently of each
other. If one block has no answer, none is given, as in memory. If a worker is lost during a draw, another one draws
again. The client receives only one of these draws, and nothing decides between them but the loss of the worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypeVar

import numpy as np

from ..arrays import Integers
from ..column import Column
from ..encoding import by_group
from ..errors import DataError, ParameterError
from ..groups.names import GroupCodes, GroupName
from .cells import WEIGHT, frame_of, in_ranges
from .found import NO_GROUPS, Candidates, GroupsOfBlock, GroupsOfPart, placed_by_digest
from .rows import CODE
from .shuffle import PLACE, Client, Delayed, Future, added, delayed_call, results, sent, started, to_places
from .taking import Records

T = TypeVar("T")


class Elsewhere:
    """Replace an array whose numbers are on a cluster: reading it raises DataError."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise DataError("this needs the records of all groups in memory, and they are spread over a cluster.")

    __array__ = __getitem__ = __len__ = __iter__ = _refuse

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # asked by copy and pickle
            raise AttributeError(name)
        self._refuse()


@dataclass(frozen=True, eq=False, repr=False)
class SpreadGroups(Column):
    """A column in groups, in blocks on a cluster. Its public facts are here, and its records are with the workers."""

    client: Client = None
    blocks: tuple[Future, ...] = field(default=())
    """In the order of the list."""

    def each_part(self, work: Callable[[Column, int], T]) -> list[T]:
        """Return what `work` gives for each block, done where the block is."""
        shared = sent(self.client, work)
        futures = [self.client.submit(_done, shared, block, at, pure=False) for at, block in enumerate(self.blocks)]
        done = results(self.client, futures)
        for each in done:
            if isinstance(each, DataError | ParameterError):
                raise each
        return done

    def in_one_piece(self) -> Column:
        """Return the records of all groups together, in ranges of their grid."""
        records, _ = in_ranges(self.client, [delayed_call(_ungrouped, block) for block in self.blocks], self.unit)
        return Column(records, self.domain, self.tie_bits, self.seed, 0, self.protects)


def _ungrouped(groups: Column) -> Records:
    order = np.argsort(groups.cells, kind="stable")
    return Records(groups.cells[order], None if groups.weights is None else groups.weights[order], None, 0)


def _done(work: Callable[[Column, int], Any], block: Column, at: int) -> Any:
    """Return what is done, or why not: a worker writes the errors of its tasks into its log."""
    try:
        return work(block, at)
    except (DataError, ParameterError) as refused:
        return refused


def in_blocks(client: Client, parts: Sequence[Delayed], empty: Column) -> SpreadGroups:
    """Return the Records of all parts in groups like `empty`, which has no records but all public facts."""
    sizes = added(client, np.add, started(client, [delayed_call(_sizes_of, part) for part in parts]))
    ends = client.submit(_ends, sizes, len(parts), pure=False)
    frames = [delayed_call(_with_places, part, ends) for part in parts]
    nothing = Records.none(groups=1, weighted=empty.weights is not None)
    placed = to_places(client, frames, _with_places(nothing, np.array([0])), len(parts))
    public = sent(client, empty)
    work = [delayed_call(_block, rows, at, ends, public) for at, rows in enumerate(placed)]
    return _spread(client, empty, started(client, work))


def in_found_blocks(
    client: Client, parts: Sequence[Delayed], groups: Sequence[Delayed], candidates: Candidates, empty: Column
) -> SpreadGroups:
    """Return the Records of all parts in groups that a release finds; `groups` are those of each part."""
    frames = [delayed_call(_with_digests, *both, len(parts)) for both in zip(parts, groups, strict=True)]
    nothing = Records.none(weighted=empty.weights is not None)
    placed = to_places(client, frames, _with_digests(nothing, NO_GROUPS, 1), len(parts))
    public = sent(client, replace(empty, persons=None))
    work = [delayed_call(_found_block, rows, own, public) for rows, own in zip(placed, candidates.blocks, strict=True)]
    return _spread(client, empty, started(client, work))


def _spread(client: Client, empty: Column, blocks: Sequence[Future]) -> SpreadGroups:
    public_facts = {name: value for name, value in vars(empty).items() if name not in {"records", "group_starts"}}
    return SpreadGroups(
        **public_facts | {
            "records": Elsewhere(), "group_starts": Elsewhere(), "client": client,
            "blocks": tuple(blocks), "weights": None if empty.weights is None else Elsewhere(),
        }
    )  # fmt: skip


def _sizes_of(records: Records) -> Integers:
    assert records.starts is not None, "in groups"
    return np.diff(records.starts)


def _ends(sizes: Integers, blocks: int) -> Integers:
    """Return one after the last group of each block, so that blocks have about as many records, in order. (blocks,)"""
    through = np.cumsum(sizes + 1)  # an empty group is answered as well
    wanted = np.arange(1, blocks) * int(through[-1] if through.size else 0) / blocks
    return np.append(np.minimum(np.searchsorted(through, wanted) + 1, sizes.size), sizes.size)


def _with_places(records: Records, ends: Integers) -> Any:
    """Return the records of all groups, with their blocks."""
    sizes = _sizes_of(records)
    codes = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
    return frame_of(records, **{PLACE: np.searchsorted(ends, codes, side="right").astype(np.int64), CODE: codes})


def _block(rows: Any, at: int, ends: Integers, empty: Column) -> Column:
    """Return the groups of one block, in order, which does not depend on how the shuffle brought their rows."""
    first, end = (0 if at == 0 else int(ends[at - 1])), int(ends[at])
    codes = rows[CODE].to_numpy() - np.int32(first)
    names: tuple[GroupName, ...] = empty.names[first:end]
    return _in_order(rows, codes, names, empty)


def _with_digests(records: Records, groups: GroupsOfPart, blocks: int) -> Any:
    """Return the records of all groups with the digests of their names, and their blocks."""
    return frame_of(records, **placed_by_digest(np.repeat(groups.digests, _sizes_of(records), axis=0), blocks))


def _found_block(rows: Any, own: GroupsOfBlock, empty: Column) -> Column:
    """Return the groups of one block of those to be found, with the number of persons by which they are named."""
    return replace(_in_order(rows, own.places_of(rows), own.names, empty), persons=own.persons)


def _in_order(rows: Any, codes: GroupCodes, names: tuple[GroupName, ...], empty: Column) -> Column:
    """Return the groups of rows whose places among `names` are `codes`."""
    cells, weights = rows["cell"].to_numpy(), None
    if empty.weights is None:
        found = by_group(cells.copy(), codes, len(names), empty.slots) if names else (cells, np.zeros(1, np.int64))
        ordered, starts = found
    else:
        weights = rows[WEIGHT].to_numpy()
        order = np.lexsort((weights, cells, codes))
        ordered, weights = cells[order], weights[order]
        starts = np.searchsorted(codes[order], np.arange(len(names) + 1)).astype(np.int64)
    ordered = np.ascontiguousarray(ordered)
    ordered.flags.writeable = False
    return replace(empty, names=names, records=ordered, group_starts=starts, weights=weights)
