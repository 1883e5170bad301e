"""Read one partition of a table: its columns as numbers, the groups of its rows, and to whom they belong."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Integers
from ..errors import DataError
from ..grouping import Grouping, groups_in
from ..groups.names import GroupName, GroupsLike, codes_of
from ..noise.tie_breaking import Key
from ..people.ids import People
from ..sources.column import only_clear_errors
from ..sources.frames import read_frame
from ..values import numeric_column
from .found import rows_of_groups
from .ids import WORDS_OF_A_DIGEST, by_words, is_whole, words_of

ROW, CODE = "row", "code"
MOST_ROWS_EACH = 1 << 40
"""Rows of one partition, at most: a row's number in the table is that of its partition times this, and its own."""
DAMAGED = "a partition of the table cannot be read as numbers, groups and ids."


@dataclass(frozen=True)
class Wanted:
    """What is read of every partition: public."""

    columns: tuple[str, ...]
    person: str | None
    whole_ids: bool
    """Whether the type of the ids says that all of them are integers of 64 bits."""
    grouping: Grouping | None = field(repr=False)
    names: tuple[GroupName, ...] = field(repr=False)
    """The listed groups, with the one for the rows of all others last, if there is one; none where they are found."""
    pooled: bool

    @classmethod
    def of(
        cls, meta: Any, columns: tuple[str, ...], person: str | None, grouping: Grouping | None,
        names: tuple[GroupName, ...], *, pooled: bool,
    ) -> Wanted:  # fmt: skip
        """Return what is read of the partitions of a table like `meta`, which has no rows. Raises as `read_frame`."""
        read = read_frame(meta)
        for name in columns:
            read.column(name, "columns")
        for name in () if grouping is None else grouping.by:
            read.column(name, "by")
        ids = None if person is None else read.column(person, "person")
        return cls(columns, person, ids is not None and is_whole(ids), grouping, names, pooled)

    def named_in(self, frame: Any) -> list[Any]:
        """Return which columns of a table are read, as it calls them; other ones need not leave their files."""
        own = {str(name): name for name in frame.columns}
        read = [*self.columns, *(() if self.grouping is None else self.grouping.by)]
        return [own[name] for name in dict.fromkeys([*read, *(() if self.person is None else [self.person])])]

    @property
    def id_columns(self) -> list[str]:
        """Return the names of the columns that hold the words of ids."""
        if self.person is None:
            return []
        return [f"id{at}" for at in range((1 if self.whole_ids else WORDS_OF_A_DIGEST) + 1)]

    @property
    def value_columns(self) -> list[str]:
        """Return the names of the columns that hold values, in the order of `columns`: they may be any text."""
        return [f"value{at}" for at in range(len(self.columns))]

    @property
    def empty(self) -> Any:
        """Return the partition that `read_partition` makes of no rows."""
        return self._frame(
            np.empty(0, np.int64),
            np.empty((0, len(self.id_columns)), np.int64),
            self.groups_of_rows(np.empty(0, object), Key()),  # of no type: the list was compared with the column
            [np.empty(0)] * len(self.columns),
        )

    @property
    def finds_groups(self) -> bool:
        """Return whether a release finds the groups."""
        return self.grouping is not None and self.grouping.listed is None

    def groups_of_rows(self, column: GroupsLike, key: Key) -> dict[str, Any]:
        """Return the columns that say in which group each row is. Raises DataError."""
        if self.finds_groups:
            return rows_of_groups(column, key.of("names"))
        return {} if self.grouping is None else {CODE: codes_of(column, self.names, self.pooled)}

    def _frame(self, rows: Integers, words: Integers, groups: dict[str, Any], values: list[Any]) -> Any:
        import pandas as pd

        read: dict[str, Any] = {ROW: rows}
        read |= {name: words[:, at] for at, name in enumerate(self.id_columns)}
        read |= groups
        read |= dict(zip(self.value_columns, values, strict=True))
        return pd.DataFrame(read)


@partial(only_clear_errors, otherwise=DAMAGED)
def read_partition(partition: Any, at: int, key: Key, wanted: Wanted) -> Any:
    """Return a partition as a data frame of numbers alone. Raises DataError, which quotes no cell."""
    read = read_frame(partition)
    columns = [numeric_column(read.column(name, "columns")) for name in wanted.columns]
    rows = columns[0].size
    if rows >= MOST_ROWS_EACH:
        raise DataError("a partition of the table has too many rows: make more partitions.")
    numbers = np.arange(at * MOST_ROWS_EACH, at * MOST_ROWS_EACH + rows)
    words = np.empty((rows, 0), np.int64)
    if wanted.person is not None:
        ids = read.column(wanted.person, "person")
        words = words_of(ids, at * MOST_ROWS_EACH + 1, key, whole=wanted.whole_ids)
    groups = {} if wanted.grouping is None else wanted.groups_of_rows(groups_in(wanted.grouping, read), key)
    if wanted.person is not None:  # the shuffle needs one type in all partitions
        columns = [column.astype(np.float64, copy=False) for column in columns]
    return wanted._frame(numbers, words, groups, columns)


def persons_of(rows: Any, wanted: Wanted, *, missing_is_person: bool) -> People | None:
    """Return the persons of rows that `read_partition` made; None where every row is a person."""
    if wanted.person is None:
        return None
    words = rows[wanted.id_columns].to_numpy()
    codes, of_each = by_words(words)
    alone = words[:, -1] > 0
    if missing_is_person or not alone.any():
        return People(codes, len(of_each))
    known, codes[~alone] = np.unique(codes[~alone], return_inverse=True)
    codes[alone] = -1
    return People(codes, known.size)
