"""Read the columns of a Dask data frame once: as Samples in ranges of their grids, or as Groups in blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ...columns import ColumnsOfOne
from ...domain import Domain, Number
from ...groups import Groups, checked_names
from ...noise import jitter_keys
from ...people import UNIT, People, Take
from ...privacy import GroupsPerPerson
from ...progress import Progress, within
from ...sample import Sample, checked_bits, checked_seed
from ..grouping import Grouping
from .blocks import in_blocks
from .cells import in_ranges
from .rows import Wanted, read_partition
from .shuffle import (
    Client,
    Frame,
    Future,
    by_columns,
    connected_client,
    delayed_call,
    results,
    sent,
    started,
    waited,
)
from .taking import Rule, column_of, records_in, take


def is_spread(frame: object) -> bool:
    """Return whether a table is a Dask data frame."""
    return hasattr(frame, "to_delayed") and hasattr(frame, "npartitions") and hasattr(frame, "columns")


def spread_columns(
    frame: Frame,
    domains: Mapping[str, Domain],
    *,
    grouping: Grouping | None,
    person: str | None,
    take: Take | None,
    most_rows: int | None,
    groups_per_person: GroupsPerPerson,
    other: Any,
    fixed: bool,
    missing: Mapping[str, Number | None],
    missing_is_person: bool,
    seed: int | None,
    progress: Progress,
) -> Mapping[str, Any]:
    """Return the columns of a table on the cluster of the connected client, whose records stay there.

    Settings are as in `Table.from_frame`; `progress` hears of partitions, then of columns. Raises ParameterError,
    DataError.
    """
    client, seed = connected_client(), checked_seed(seed)
    bits = {name: checked_bits(None, domain) for name, domain in domains.items()}
    names = () if grouping is None else checked_names(grouping.names or (), other)
    wanted = Wanted.of(frame._meta, tuple(domains), person, grouping, names, pooled=other is not None)
    counted: dict[str, Any] = {} if person is None else {"take": take, "most_rows": most_rows}
    if grouping is not None:
        counted |= {"groups_per_person": groups_per_person, "fixed": fixed}
    rule = Rule(wanted, domains, missing, missing_is_person, counted)
    empty = _empty(rule)  # refuses what is refused in memory, before anything is read
    parts = _taken(client, frame, rule, seed, within(progress, 0, 2))
    columns: dict[str, Any] = {}
    for at, name in enumerate(domains, start=1):
        own = [client.submit(column_of, part, name, pure=False) for part in parts]
        public = empty[name]
        if isinstance(public, Groups):
            columns[name] = in_blocks(client, own, _public(public, wanted, seed))
        else:
            records, dropped = in_ranges(client, own, UNIT if take == "share" else 1)
            columns[name] = replace(public, records=records, jitter_bits=bits[name], seed=seed, dropped=dropped)
        within(progress, 1, 2)(at / len(domains))
    if grouping is not None or len(columns) == 1:
        return columns
    in_all = reduce(add, results(client, [client.submit(records_in, part, pure=False) for part in parts]), 0)
    return ColumnsOfOne(columns, in_all)


def _taken(client: Client, frame: Frame, rule: Rule, seed: int | None, progress: Progress) -> list[Future]:
    """Return what counts of all columns, by partition: of the table, or of its persons after the shuffle."""
    wanted, parts = rule.wanted, list(frame.to_delayed())
    of_ids, *keys = jitter_keys(len(parts) + 1, seed)
    shared, reading = sent(client, rule), sent(client, wanted)  # the list of groups may be long
    read = [delayed_call(read_partition, part, at, of_ids, reading) for at, part in enumerate(parts)]
    if wanted.person is not None:
        rows = started(client, read)
        waited(client, rows, within(progress, 0, 2))
        progress = within(progress, 1, 2)
        results(client, [client.submit(_is_read, each, pure=False) for each in rows])  # raise a clear error now
        together = [wanted.id_columns[0], wanted.id_columns[-1]]
        read = by_columns(client, rows, wanted.empty, together)
    taken = started(client, [delayed_call(take, rows, key, shared) for rows, key in zip(read, keys, strict=True)])
    waited(client, taken, progress)
    return taken


def _is_read(rows: Frame) -> bool:
    return True


def _empty(rule: Rule) -> dict[str, Any]:
    """Return the columns of a table without rows, which have all public facts."""
    wanted = rule.wanted
    people = None if wanted.person is None else People(np.empty(0, np.int32), 0)
    made: dict[str, Any] = {}
    for name, domain in rule.domains.items():
        settings = {"people": people, "missing": rule.missing[name], **rule.counted}
        if wanted.grouping is None:
            made[name] = Sample.from_values([], domain, **settings)
        else:
            made[name] = Groups.from_values(
                [], np.empty(0, np.int64), domain, names=range(len(wanted.names)), **settings
            )
    return made


def _public(groups: Groups, wanted: Wanted, seed: int | None) -> Groups:
    """Return the Groups of no rows under the names that were listed."""
    assert wanted.grouping is not None, "in groups"
    return replace(groups, names=wanted.names, by=wanted.grouping.by, pooled=wanted.pooled, seed=seed, persons=None)
