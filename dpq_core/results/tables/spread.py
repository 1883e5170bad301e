"""A table on a cluster, simulated where it is: the same request and the same outcome as of a table in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...advice.choice import ALWAYS_AVAILABLE, BEST
from ...calibrations import DRAWS_TOGETHER
from ...cluster.files import read_files
from ...cluster.grid import connected
from ...combinations import Features, refuse_combination
from ...domain.domain import Domain
from ...errors import ParameterError
from ...finding.column import Columns
from ...progress import Progress, in_steps, within
from ...tables.table import Table
from ..data_set import DataSet
from ..kinds import Simulated
from ..outcomes import EXPLORE_SEED
from ..persons import weighs_shares
from ..simulated import simulated_table
from .expected import resolved
from .kinds import TableReading, TableRequest

WIDER, MOST_CELLS = 10, 2**45
"""How many times wider a grid is than bounds that were found, on either side, and how many values it may have."""


def simulate_on_cluster(
    scheduler: str, files: Path, table: Sequence[DataSet], request: TableRequest, reading: TableReading, seed: int,
    identity: str, about: str,
) -> Iterator[tuple[float, Simulated | None]]:  # fmt: skip
    """Yield how far the work is, and at last one simulated answer of all columns beside the truth.

    `files`: Parquet, which all workers can open; `table`: the public facts of its columns. Raises ParameterError,
    DataError.
    """
    chosen = {data.name: data for data in table if data.name in request.plans}
    request = replace(resolved(able_on_cluster(request)), asked=request)
    with connected(scheduler):
        yield from in_steps(partial(_simulated, files, chosen, request, reading, seed, identity, about))


def _simulated(
    files: Path, chosen: Mapping[str, DataSet], request: TableRequest, reading: TableReading, seed: int,
    identity: str, about: str, progress: Progress,
) -> Simulated:  # fmt: skip
    columns = columns_on_cluster(files, request, within(progress, 0, 2))
    return simulated_table(
        columns, chosen, request, reading, seed, identity, about, _around, within(progress, 1, 2)
    )  # fmt: skip


def refusal_on_cluster(request: TableRequest, *, simulated: bool = True) -> ParameterError | None:
    """Return why a cluster cannot simulate a request, or release it, before it reads anything; None where it can."""
    found = request.groups is not None and request.groups.names is None
    try:
        for plan in request.plans.values():
            refuse_combination(
                Features(
                    on_cluster=True, groups_found=found, share=_in_whole_shares(request), 
                    draws_together=plan.mechanism in DRAWS_TOGETHER,
                    simulated=simulated,
                )
            )  # fmt: skip
    except ParameterError as refused:
        return refused.with_traceback(None)
    return None


def able_on_cluster(request: TableRequest) -> TableRequest:
    """Return the same with what a cluster can draw in place of "best": shares of whole columns one level at a time."""
    if not _in_whole_shares(request):
        return request
    plans = {
        name: replace(each, mechanism=ALWAYS_AVAILABLE, options={}) if each.mechanism == BEST else each
        for name, each in request.plans.items()
    }
    return replace(request, plans=plans)


def _in_whole_shares(request: TableRequest) -> bool:
    return request.groups is None and weighs_shares(request.person)


def columns_on_cluster(files: Path, request: TableRequest, progress: Progress) -> Columns:
    """Return the columns that are asked for, on the workers of the connected cluster, with repeatable bits."""
    by = request.groups.columns if request.groups else ()
    ids = [request.person.column] if request.person else []
    settings: dict[str, Any] = {"missing": {name: request.missing.get(name) for name in request.plans}}
    settings |= {"seed": EXPLORE_SEED, "progress": progress}
    if request.groups is not None:
        settings |= request.groups.settings_of_table(request.person)
    if request.person is not None:
        settings |= {"person": request.person.column, **request.person.settings}
    frame = read_files(files, [*request.plans, *by, *ids])
    bounds = {name: request.bounds[name] for name in request.plans}
    return Table.from_frame(frame, bounds, **settings).columns


def _around(name: str, found: Domain) -> Domain:
    """Return the grid of the truth where bounds were found: with the same steps, and this much wider on both sides.

    The records beyond bounds that were found are few, and no machine knows how far they reach.
    """
    wider = WIDER * (found.upper - found.lower)
    if found.cells * (2 * WIDER + 1) > MOST_CELLS:
        return found
    return Domain(found.lower - wider, found.upper + wider, found.step)
