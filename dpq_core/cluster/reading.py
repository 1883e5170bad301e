"""Read Parquet files as a Dask data frame, and its columns once: in ranges of their grids, or in blocks of groups.

The columns of Parquet have types, so that all partitions are read alike and no message quotes a cell. The client reads
types, and the workers read the rows; all of them must find the files at the same paths.

Rows of a column whose bounds a release finds stay with the workers until there is a grid.

Claim. Finding bounds has the output distribution that it has in memory, on the same records. A walk reads nothing but
how many records, or units of persons, lie below each value of a grid of one digit (`above_threshold`). Records are in
one partition each, so these numbers add up over partitions: `count_below` of the column in ranges gives the integers
that it gives in memory. The noise is drawn by the client, from the operating system's entropy, by the same code. So the
walk is the same function of the same integers and of its noise, and its guarantee is the same.

The second step reads the same rows on the grid that was found, again by the code for memory. Its tie-breaking bits,
and the choice among a person's rows, are functions of the keys of partitions for another purpose: so they are
independent of those that the walk read, as in memory. A lost worker makes the same ones again.

The client receives the counts of the walk, from 23 to some hundred numbers, and no record of groups.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from glob import glob
from operator import add, attrgetter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..column import Column
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..encoding import checked_bits, checked_seed
from ..errors import DataError, ParameterError
from ..intervals.counted import ColumnsOfOne
from ..noise.tie_breaking import Key, tie_breaking_keys
from ..people.ids import People, Whose
from ..people.shares import UNIT
from ..progress import Progress, unheard, within
from ..question import Question
from ..sources.column import only_clear_errors
from .blocks import Elsewhere, in_blocks, in_found_blocks
from .cells import in_ranges
from .found import Candidates, candidates_in_blocks
from .rows import Wanted, read_partition
from .shuffle import (
    Client,
    Delayed,
    Frame,
    Future,
    added,
    by_columns,
    connected_client,
    delayed_call,
    finished,
    library,
    results,
    sent,
)
from .taking import Rule, column_of, take

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
SUFFIXES = (".parquet", ".pq")
ONLY_PARQUET = "must be Parquet files for a cluster: save others as Parquet first."


def read_files(files: Paths, columns: Iterable[str] | None = None) -> Any:
    """Return a Dask data frame of some columns of Parquet files, or of all, for `Table.from_frame`.

        with Client("tcp://scheduler:8786"):
            people = read_files("/shared/people/", ["salary", "department", "id"])
            table = Table.from_frame(people, {"salary": (0, 200_000, 100)}, person="id", per_person="mean")

    Nothing but types is read before it is used. Raises ParameterError, DataError.
    """
    return _opened(_paths_of(files), None if columns is None else list(dict.fromkeys(columns)))


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is Parquet, by its name."""
    return Path(path).suffix.lower() in SUFFIXES


def _paths_of(files: Paths) -> list[str]:
    """Return the paths of the files, in order; of a folder those of Parquet. Raises ParameterError."""
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    found: list[str] = []
    for each in (os.fspath(path) for path in given):
        if Path(each).is_dir():
            inside = sorted(str(path) for path in Path(each).rglob("*") if path.is_file())
            found += list(filter(is_parquet, inside)) or inside
        else:
            found += sorted(glob(each)) or [each]
    missing = [path for path in found if not Path(path).exists()]
    if not found or missing:
        raise ParameterError("files", "must be files that exist, or a folder or pattern of them.")
    if not all(map(is_parquet, found)):
        raise ParameterError("files", ONLY_PARQUET)
    return found


def _opened(paths: list[str], names: list[str] | None) -> Any:
    dataframe = library("dask.dataframe", "files")

    def opened() -> Any:
        frame = dataframe.read_parquet(paths)
        if names is None:
            return frame
        there = list(frame.columns)
        for name in names:
            if name not in there:
                raise DataError(f"the files have no column {name!r}.")
        return frame[names]

    return only_clear_errors(opened)()


@dataclass(frozen=True, eq=False, repr=False)
class SpreadRows:
    """Rows in partitions, each person's rows in one, with a secret key for each partition. Private."""

    client: Client
    rows: Sequence[Future | Delayed]
    keys: tuple[Key, ...]
    rule: Rule
    """What counts of each column."""
    seed: int | None
    read: Sequence[Delayed] = ()
    """A short task for each partition, done when it is read, where that is still to be done."""
    candidates: Candidates | None = None
    """The groups that a release may find; None where they are listed, or there are none."""

    def held(self, progress: Progress) -> SpreadRows:
        """Return the same rows, which the workers keep, in memory or on their disks."""
        return replace(self, rows=finished(self.client, self.read, self.rows, progress), read=())

    def taken(self, rule: Rule, progress: Progress) -> list[Future]:
        """Return what counts of some columns, by partition; it is the same each time for the same rule."""
        shared = sent(self.client, rule)
        pairs = zip(self.rows, self.keys, strict=True)
        return finished(
            self.client, self.read, [delayed_call(take, rows, key, shared) for rows, key in pairs], progress
        )

    def without_bounds(self, name: str, find_bounds: FindBounds) -> Column:
        """Return a column whose bounds are to be found; its bits are the same for the same grid. Raises DataError."""
        on_grid = self.on(name, "bounds of", find_bounds.grid, tie_bits=0)
        return replace(on_grid, find_bounds=find_bounds, read=partial(self.on, name, "column"))

    def on(self, name: str, purpose: str, domain: Domain, *, tie_bits: int | None = None) -> Column:
        """Return a column on a grid, with bits and choices of its own for each purpose."""
        rule = replace(self.rule, domains={name: domain}, bits=tie_bits, purpose=purpose)
        return self.column(name, domain, tie_bits, parts=self.taken(rule, unheard))

    def column(self, name: str, domain: Domain, bits: int | None = None, *, parts: Sequence[Future]) -> Column:
        """Return one column of what was taken of each partition."""
        own = [delayed_call(column_of, part, name) for part in parts]
        public = empty_column(self.rule, name, domain, bits)
        if public.in_groups:
            wanted = self.rule.wanted
            assert wanted.grouping is not None, "in groups"
            settings: dict[str, Any] = {"by": wanted.grouping.by, "pooled": wanted.pooled, "seed": self.seed}
            if self.candidates is not None:
                candidates = replace(public, persons=self.candidates.persons, **settings)
                groups = [delayed_call(attrgetter("groups"), part) for part in parts]
                return in_found_blocks(self.client, own, groups, self.candidates, candidates)
            return in_blocks(self.client, own, replace(public, names=wanted.names, persons=None, **settings))
        records, dropped = in_ranges(self.client, own, UNIT if public.per_person == "weight" else 1)
        public = replace(public, records=records, tie_bits=checked_bits(bits, domain))
        return replace(public, seed=self.seed, dropped=int(dropped))


def empty_column(rule: Rule, name: str, domain: Domain, bits: int | None) -> Column:
    """Return a column of a table without rows, which has all public facts. Raises ParameterError."""
    wanted = rule.wanted
    people = None
    if wanted.person is not None:
        people = People(np.empty(0, np.int32), 0, whose=Whose(wanted.person, rule.missing_is_person))
    settings: dict[str, Any] = {"people": people, "missing": rule.missing[name], "tie_bits": bits, **rule.counted}
    if wanted.grouping is None:
        return Column.from_values([], domain, **settings)
    names: range | None = range(len(wanted.names))
    if wanted.finds_groups:
        names, settings["finding"] = None, wanted.grouping.finding
    return Column.from_values([], domain, groups=np.empty(0, np.int64), names=names, **settings)


def is_spread(frame: object) -> bool:
    """Return whether a table is a Dask data frame."""
    return hasattr(frame, "to_delayed") and hasattr(frame, "npartitions") and hasattr(frame, "columns")


def spread_columns(frame: Frame, asked: Question, seed: int | None, progress: Progress) -> Mapping[str, Any]:
    """Return the columns of a table on the cluster of the connected client, whose records stay there.

    `progress` hears of partitions, then of columns. Raises ParameterError, DataError.
    """
    client, seed, grouping, possible = connected_client(), checked_seed(seed), asked.groups, asked.possible
    names = () if grouping is None else grouping.answered or ()
    pooled = grouping is not None and grouping.other is not None
    person = None if asked.persons is None else asked.persons.column
    wanted = Wanted.of(frame._meta, tuple(possible), person, grouping, names, pooled=pooled)
    missing_is_person = asked.persons is not None and asked.persons.missing_is_person
    known = {name: bounds for name, bounds in possible.items() if isinstance(bounds, Domain)}
    rule = Rule(wanted, known, asked.missing, missing_is_person, asked.counted)
    for name, bounds in possible.items():  # refuses what is refused in memory, before anything is read
        empty_column(rule, name, bounds if isinstance(bounds, Domain) else bounds.grid, None)
    held = len(known) < len(possible)
    rows = _rows(client, frame, rule, seed, within(progress, 0, 2), held=held)
    parts = rows.taken(rule, within(progress, 2, 4) if held else within(progress, 0, 2))
    if wanted.finds_groups:
        groups = [delayed_call(attrgetter("groups"), part) for part in parts]
        rows = replace(rows, candidates=candidates_in_blocks(client, groups, Elsewhere()))
    if len(known) == len(possible):
        rows = replace(rows, rows=(), read=())  # workers need not keep them
    columns: dict[str, Any] = {}
    for at, (name, bounds) in enumerate(possible.items(), start=1):
        if isinstance(bounds, Domain):
            columns[name] = rows.column(name, bounds, parts=parts)
        else:
            columns[name] = rows.without_bounds(name, bounds)
        within(progress, 1, 2)(at / len(possible))
    if grouping is not None or len(columns) == 1:
        return columns
    in_all = added(client, add, [client.submit(attrgetter("in_all"), part, pure=False) for part in parts])
    return ColumnsOfOne(columns, results(client, [in_all])[0])


def _rows(client: Client, frame: Frame, rule: Rule, seed: int | None, progress: Progress, *, held: bool) -> SpreadRows:
    """Return the rows of all partitions as numbers, those of a person together; `held`: whether workers keep them."""
    wanted = rule.wanted
    parts = list(frame[wanted.named_in(frame)].to_delayed())
    of_ids, *keys = tie_breaking_keys(len(parts) + 1, seed)
    reading = sent(client, wanted)  # the list of groups may be long
    rows = [delayed_call(read_partition, part, at, of_ids, reading) for at, part in enumerate(parts)]
    read: list[Delayed] = []
    if wanted.person is not None:
        read = [delayed_call(_is_read, each) for each in rows]
        together = [wanted.id_columns[0], wanted.id_columns[-1]]
        rows = by_columns(client, rows, wanted.empty, together)
    found = SpreadRows(client, rows, tuple(keys), rule, seed, read)
    return found.held(progress) if held else found


def _is_read(rows: Frame) -> bool:
    return True
