"""Read the columns of a Dask data frame once: in ranges of their grids, or in blocks of groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import add
from typing import Any

from ..counting import ColumnsOfOne
from ..domain.domain import Domain
from ..encoding import checked_seed
from ..noise.tie_breaking import tie_breaking_keys
from ..progress import Progress, within
from ..question import Rows
from .rows import Wanted, read_partition
from .shuffle import Client, Delayed, Frame, added, by_columns, connected_client, delayed_call, results, sent
from .spread import SpreadRows, empty_column
from .taking import Rule, records_in


def is_spread(frame: object) -> bool:
    """Return whether a table is a Dask data frame."""
    return hasattr(frame, "to_delayed") and hasattr(frame, "npartitions") and hasattr(frame, "columns")


def spread_columns(frame: Frame, asked: Rows, progress: Progress) -> Mapping[str, Any]:
    """Return the columns of a table on the cluster of the connected client, whose records stay there.

    `progress` hears of partitions, then of columns. Raises ParameterError, DataError.
    """
    client, seed, grouping, possible = connected_client(), checked_seed(asked.seed), asked.groups, asked.possible
    names = () if grouping is None else grouping.answered or ()
    pooled = grouping is not None and grouping.other is not None
    person = None if asked.persons is None else asked.persons.column
    wanted = Wanted.of(frame._meta, tuple(possible), person, grouping, names, pooled=pooled)
    missing_is_person = asked.persons is not None and asked.persons.missing_is_person
    known = {name: bounds for name, bounds in possible.items() if isinstance(bounds, Domain)}
    rule = Rule(wanted, known, asked.missing, missing_is_person, asked.settings)
    for name, bounds in possible.items():  # refuses what is refused in memory, before anything is read
        empty_column(rule, name, bounds if isinstance(bounds, Domain) else bounds.grid, None)
    held = len(known) < len(possible)
    rows = _rows(client, frame, rule, seed, within(progress, 0, 2), held=held)
    parts = rows.taken(rule, within(progress, 2, 4) if held else within(progress, 0, 2))
    if wanted.finds_groups:
        rows = rows.with_candidates(parts)
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
    in_all = added(client, add, [client.submit(records_in, part, pure=False) for part in parts])
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
