"""Groups that a release finds on a Dask cluster: whole groups in blocks, with names that stay on the workers.

A row carries the digest of its group's name, under a secret key of this table, and one row of each group in each
partition that is read also carries the name. Groups go to blocks by their digests. A block has the names of its groups
and how many persons they have, once for all columns.

Claim. A release of these groups has the output distribution of the same groups in memory. A row's name is that of its
own cell (`names_in`), so it is the same in every partition. Two names with one digest of 255 bits would be a collision
of BLAKE2b: with 10^10 groups the chance is below 10^-56, and nobody who does not know the key can look for one.
A person is in one partition, so numbers of persons add up over partitions to those of the table; which groups of a
person count is decided in that partition, with bits for this purpose alone, as in memory. Each block then draws by the
code for memory, with entropy of its own: groups are named by independent coins, one for each, so it makes no difference
in which block they are.

What leaves the workers. A block returns the names that it found, and later their answers. It returns no other name, no
digest, no number of persons and no number of groups. The number of blocks is that of partitions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Integers, held_bytes
from ..groups.names import GroupCodes, GroupName, GroupsLike, codes_of, in_order, names_in
from ..noise.tie_breaking import Key
from .ids import WORDS_OF_A_DIGEST, by_words, digest_of
from .shuffle import PLACE, Client, Delayed, Future, delayed_call, started, to_places

NAME, PERSONS = "name", "persons"
DIGEST = [f"digest{at}" for at in range(WORDS_OF_A_DIGEST)]


def rows_of_groups(column: GroupsLike, key: Key) -> dict[str, Any]:
    """Return for each row the digest of its group's name, zeros where it is in none, and the name where it is first.

    Raises DataError.
    """
    import pandas as pd

    names = names_in(column)
    codes = codes_of(column, names, pooled=False)
    digests = np.zeros((len(names) + 1, WORDS_OF_A_DIGEST), np.int64)  # of rows in no group at -1
    for at, name in enumerate(names):
        digests[at] = digest_of(name, key)
    digests[:-1, 0] |= 1
    told = np.full(codes.size, None, dtype=object)
    found, first = np.unique(codes, return_index=True)
    for code, row in zip(found.tolist(), first.tolist(), strict=True):
        told[row] = json.dumps(names[code]) if code >= 0 else None
    return {own: digests[codes, at] for at, own in enumerate(DIGEST)} | {NAME: pd.array(told, dtype="string[pyarrow]")}


@dataclass(frozen=True, eq=False, repr=False)
class GroupsOfPart:
    """The groups of one partition in which the rows of a person are together, or of one block. Private."""

    digests: Integers
    """(groups, words)"""
    persons: Integers
    """How many persons of this part each group has, as they count for its name."""
    names: tuple[Any, ...]
    """As text, None where the name is with other rows; of a block as answers carry them, in order."""

    def __sizeof__(self) -> int:
        return held_bytes(self.digests, self.persons, *self.names)


def numbered(rows: Any) -> tuple[GroupCodes, Integers]:
    """Return the place of each row's group among those of these rows, -1 for none, and their digests, in order."""
    words = rows[DIGEST].to_numpy()
    codes = np.full(len(words), -1, np.int32)
    grouped = np.flatnonzero(words[:, 0])
    codes[grouped], digests = by_words(words[grouped])
    return codes, digests


def names_told(rows: Any, codes: GroupCodes, groups: int) -> tuple[str | None, ...]:
    """Return the names that rows carry, for each group."""
    found: list[str | None] = [None] * groups
    carrying = np.flatnonzero(rows[NAME].notna().to_numpy())
    for code, name in zip(codes[carrying].tolist(), rows[NAME].iloc[carrying].tolist(), strict=True):
        found[code] = str(name)
    return tuple(found)


NO_GROUPS = GroupsOfPart(np.empty((0, WORDS_OF_A_DIGEST), np.int64), np.empty(0, np.int64), ())


@dataclass(frozen=True, eq=False, repr=False)
class Candidates:
    """The groups of a table that may be named, in blocks on the workers."""

    blocks: tuple[Future, ...]
    persons: Any
    """In the place of the numbers of persons: one object for all columns, which have these numbers in common."""


class GroupsOfBlock(GroupsOfPart):
    """The groups of one block, in the order of names. Private."""

    def places_of(self, rows: Any) -> GroupCodes:
        """Return the place of each row's group."""
        count = len(self.names)
        codes, digests = by_words(np.concatenate([self.digests, rows[DIGEST].to_numpy()]))
        assert len(digests) == count, "each group of a row is one of the block's"
        places = np.empty(count, np.int32)
        places[codes[:count]] = np.arange(count, dtype=np.int32)
        return places[codes[count:]]


def candidates_in_blocks(client: Client, parts: Sequence[Delayed], persons: Any) -> Candidates:
    """Return the groups of all parts, which are GroupsOfPart, in as many blocks."""
    frames = [delayed_call(_with_persons, part, len(parts)) for part in parts]
    placed = to_places(client, frames, _with_persons(NO_GROUPS, 1), len(parts))
    return Candidates(tuple(started(client, [delayed_call(_groups_of_block, rows) for rows in placed])), persons)


def placed_by_digest(digests: Integers, blocks: int) -> dict[str, Any]:
    """Return the columns of a data frame that say to which block each digest goes, and the digests."""
    places = (digests[:, 1].view(np.uint64) % np.uint64(blocks)).astype(np.int64)
    return {PLACE: places} | {own: digests[:, at] for at, own in enumerate(DIGEST)}


def _with_persons(part: GroupsOfPart, blocks: int) -> Any:
    import pandas as pd

    digests = np.ascontiguousarray(part.digests)
    names = pd.array(np.array([*part.names, None], dtype=object)[:-1], dtype="string[pyarrow]")
    return pd.DataFrame(placed_by_digest(digests, blocks) | {PERSONS: part.persons, NAME: names})


def _groups_of_block(rows: Any) -> GroupsOfBlock:
    """Return the groups of a block, in an order that does not depend on how the shuffle brought their rows."""
    codes, digests = numbered(rows)
    persons = np.zeros(len(digests), np.int64)
    np.add.at(persons, codes, rows[PERSONS].to_numpy())
    place = {_read(name): at for at, name in enumerate(names_told(rows, codes, len(digests)))}
    names = in_order(place)
    order = np.array([place[name] for name in names], np.intp)
    return GroupsOfBlock(digests[order], persons[order], names)


def _read(name: str | None) -> GroupName:
    assert name is not None, "one row of each group carries its name"
    found = json.loads(name)
    return tuple(found) if isinstance(found, list) else found
