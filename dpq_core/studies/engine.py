"""Simulation of a grid, configuration by configuration. Nothing here is ever a release."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from math import hypot, isnan, nan, sqrt
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..arrays import Floats
from ..calibrations import Calibrated, calibrate
from ..cluster.shuffle import connected
from ..column import Column
from ..domain.domain import Domain
from ..errors import ParameterError
from ..mechanisms.base import Make
from ..people.ids import People
from ..privacy.budgets import Adjacency, PureDP
from ..steps import steps_of
from ..study import SimulatedCells, simulate_column
from ..tabular import table_as_csv
from ..version import VERSION
from .bounds import bound_of, least_error
from .configuration import Configuration, likely_seconds
from .design import StudyDesign
from .shapes import Given, check_known, domain_of, table_of, values_of

if TYPE_CHECKING:
    import pandas

FAILS_FROM = 10
"""A trial has failed where its mean error is more than this many times the median trial's ..."""
FAILS_SHARE = 0.1
"""... and more than this share of the records; both, so that neither small noise nor a small budget is a failure."""
MOST_RECORDS_KEPT = 20_000_000
"""Samples are cached for the next configuration up to this many records in all."""
WALKS = 64
"""Bounds that are found for the runs of a study, in turn: for every other outcome the column is sorted anew."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """The result of one configuration. Errors are rank errors in records; NaN where the mechanism is not available."""

    configuration: int
    """The place of the configuration in the grid."""
    mechanism: str
    label: str
    options: str
    """As JSON."""
    budget: str
    """The requested budget, in words."""
    epsilon: float
    """Of the requested budget; NaN for a concentrated one. Likewise `delta` and `rho`."""
    delta: float
    rho: float
    adjacency: str
    m: int
    quantiles: str
    """Levels, with blanks between."""
    data: str
    n: int
    """Records in a data set. Private where the data is."""
    lower: float
    upper: float
    step: float
    domain_cells: int
    trials: int
    data_sets: int
    seed: int
    """Of the study."""
    data_seed: int
    """Of the first data set, its tie-breaking bits included; the others follow from `Configuration.data_seed`."""
    noise_seed: int
    """Of the simulation on the first data set."""
    supported: bool
    why_not: str
    mean_error: float = nan
    """Of a trial: the mean over its levels. Here the mean over all trials; low and high hold 95 of 100 trials."""
    mean_error_low: float = nan
    mean_error_high: float = nan
    mean_error_se: float = nan
    """Standard error of the mean over trials, or over data sets where there are several; NaN for a single one."""
    mean_error_median: float = nan
    """Of the middle trial: unlike the mean, a few trials that fail do not move it."""
    max_error: float = nan
    """Of a trial: the largest over its levels. Otherwise like `mean_error`."""
    max_error_low: float = nan
    max_error_high: float = nan
    max_error_se: float = nan
    max_error_median: float = nan
    coverage: float = nan
    """The proportion of intervals that held the true quantile, of the quantile where it is least; NaN without any."""
    width: float = nan
    """The mean width of the intervals, in the column's unit."""
    failed: int = 0
    """Trials that failed: see `failures`."""
    ms_per_trial: float = nan
    """Processor time of the simulation in this thread, calibration and the making of the Column left out."""
    bound: float = nan
    """What the paper's theorem says: with probability 0.95 no level of a trial errs by more. NaN where none is known"""
    bound_source: str = ""
    version: str = VERSION
    refused: ValueError | None = field(default=None, compare=False)
    """What `why_not` is the sentence of; in no table."""


def steps(grid: StudyDesign, given: Given | None = None) -> Iterator[tuple[float, Row]]:
    """Yield the fraction of the work done so far and a Row for each configuration, the cheapest first.

    `given` holds columns by the names that `grid.data` uses; they need a domain in the grid. Where a mechanism is not
    available, the Row says why. Repeatable but for times. Raises ParameterError for an unknown name before it runs.
    """
    configurations = list(enumerate(grid.configurations()))
    check_data(grid, given)
    costs = [likely_seconds(configuration) for _, configuration in configurations]
    columns, done, total = Columns(given), 0.0, sum(costs)
    for at, configuration in sorted(configurations, key=lambda numbered: costs[numbered[0]]):
        row = run_configuration(configuration, at, columns)
        done += costs[at]
        yield min(done / total, 1.0), row


def steps_on(scheduler: str, grid: StudyDesign) -> Iterator[tuple[float, Row]]:
    """Yield what `steps` does, from the Dask cluster with this scheduler, whose workers have this package.

    In the order in which they are done; each configuration makes its own data. Raises ParameterError where dask is not
    installed or no scheduler answers.
    """
    check_data(grid)
    with connected(scheduler) as client:
        import distributed

        library: Any = distributed  # it has no types
        configurations = grid.configurations()
        futures = client.map(run_configuration, configurations, range(len(configurations)), pure=False)
        for done, future in enumerate(library.as_completed(futures), start=1):
            yield done / len(configurations), future.result()
            future.release()


def check_data(grid: StudyDesign, given: Given | None = None) -> None:
    """Raise ParameterError unless every name of the grid's data is known, and given columns have a domain."""
    for name in grid.data:
        if given is None or name not in given:
            check_known(name)
        elif None in grid.domains:
            raise ParameterError("domains", "must say the public bounds of a column that is given.")


class Columns:
    """The Columns of a study: each is made once and cached while there is room; the oldest is dropped first."""

    def __init__(self, given: Given | None = None) -> None:
        self._given = given
        self._stored: dict[Any, Column] = {}

    def of(self, configuration: Configuration, number: int) -> Column:
        """Return data set `number` of a configuration, with repeatable tie-breaking bits."""
        domain = configuration.domain or domain_of(configuration.data)
        seed = configuration.data_seed(number)
        name = (configuration.data, domain, seed, *configuration.of_people.items())
        if name not in self._stored:
            values, people = self._column(configuration, domain, seed)
            while self._stored and sum(column.n for column in self._stored.values()) + values.size > MOST_RECORDS_KEPT:
                del self._stored[next(iter(self._stored))]
            taken = {} if people is None else {"people": people, **configuration.of_people}
            column = Column.from_values(values, domain, seed=seed, **taken)
            if people is None and configuration.of_people:
                column = replace(column, protects="person", max_rows_per_person=configuration.max_rows_per_person)
            self._stored[name] = column
        return self._stored[name]

    def raw_of(self, configuration: Configuration, number: int) -> Column:
        """Return the same data set before its bounds are found."""
        assert configuration.find_bounds is not None, "the configuration asks for it"
        domain, seed = configuration.domain or domain_of(configuration.data), configuration.data_seed(number)
        values, people = self._column(configuration, domain, seed)
        if configuration.of_people and people is None:
            people = People.of(np.arange(values.size))
        return Column.from_values(
            values, configuration.find_bounds, seed=seed, people=people, **configuration.of_people
        )

    def _column(self, configuration: Configuration, domain: Domain, seed: int) -> tuple[Floats, People | None]:
        """Return the values of a data set, and whose each is; None if every row is another person."""
        data, n = configuration.data, configuration.n
        table = table_of(data, n, seed, self._given) if configuration.of_people else None
        return (values_of(data, n, seed, domain, self._given), None) if table is None else table


def run_configuration(
    configuration: Configuration, at: int = 0, columns: Columns | None = None, make: Make = calibrate
) -> Row:
    """Return the Row of one configuration, the same regardless of what else is computed; `make` makes the parameters.

    Raises ParameterError for data that is not known.
    """
    columns = columns or Columns()
    first = columns.of(configuration, 0)
    facts = facts_of(configuration, at, first)
    try:
        calibrated, studies, milliseconds = simulated_studies(configuration, columns, make)
        bound = None if calibrated is None else bound_of(calibrated, first.n, first.slots)
    except ValueError as error:  # settings that turn out not to fit the data; messages hold no data
        return Row(**facts, supported=False, why_not=str(error), refused=error)
    row = row_of(facts, np.array([study.rank_errors[:, 0] for study in studies]), milliseconds)
    row = replace(row, **_held(studies))
    return row if bound is None else replace(row, bound=bound.error, bound_source=bound.source)


def row_of(facts: Mapping[str, Any], errors: Floats, milliseconds: float) -> Row:
    """Return the Row of rank errors, shape (data sets, trials on each, levels), beside what was known before."""
    means, largest = errors.mean(axis=2), errors.max(axis=2)
    return Row(
        **facts, supported=True, why_not="", ms_per_trial=milliseconds, failed=failures(means, facts["n"]),
        **summary("mean_error", means), **summary("max_error", largest),
    )  # fmt: skip


def simulated_studies(
    configuration: Configuration, columns: Columns, make: Make = calibrate
) -> tuple[Calibrated | None, list[SimulatedCells], float]:
    """Return the plan calibrated (None where runs find bounds), a study of each data set and milliseconds a trial."""
    found, spent, first = list[SimulatedCells](), 0.0, columns.of(configuration, 0)
    trials, with_bounds = configuration.trials // configuration.data_sets, configuration.find_bounds is not None
    calibrated = None if with_bounds else Calibrated.for_column(first, configuration.plan_for(first.n), make)
    for number in range(configuration.data_sets):
        column = (columns.raw_of if with_bounds else columns.of)(configuration, number)
        seed, start = configuration.noise_seed(number), thread_time()
        steps = calibrated or steps_of(column, configuration.plan_for(column.in_one_piece().n))
        found.append(simulate_column(column, steps, trials, seed, firsts=min(trials, WALKS)))
        spent += thread_time() - start
    return calibrated, found, 1000 * spent / configuration.trials


def _held(studies: list[SimulatedCells]) -> dict[str, Any]:
    """Return coverage and width of the intervals, where there are any."""
    ends = [study.intervals for study in studies if study.intervals is not None]
    if not ends:
        return {}
    coverage = np.mean([study.coverage for study in studies], axis=0)
    return {"coverage": float(coverage.min()), "width": float(np.diff(ends, axis=-1).mean())}


def facts_of(configuration: Configuration, at: int, column: Column) -> dict[str, Any]:
    """Return the columns of a Row that are known before anything is simulated."""
    privacy, domain, method = configuration.privacy, column.domain, configuration.method
    as_they_are = ("data", "trials", "data_sets", "seed")
    return {name: getattr(configuration, name) for name in as_they_are} | {
        "configuration": at, "mechanism": method.mechanism, "label": method.label,
        "options": json.dumps(dict(method.options)), "budget": str(privacy),
        "epsilon": getattr(privacy, "epsilon", nan), "rho": getattr(privacy, "rho", nan),
        "delta": 0.0 if isinstance(privacy, PureDP) else getattr(privacy, "delta", nan),
        "adjacency": configuration.adjacency.value, "m": len(configuration.quantiles),
        "quantiles": " ".join(map(str, configuration.quantiles)), "n": column.n,
        "lower": float(domain.lower), "upper": float(domain.upper),
        "step": float(domain.step) if domain.has_even_steps else nan, "domain_cells": domain.cells,
        "data_seed": configuration.data_seed(0), "noise_seed": configuration.noise_seed(0),
    }  # fmt: skip


def summary(name: str, errors: Floats) -> dict[str, Any]:
    """Return mean, median, noise interval and standard error of errors (data sets, trials on each)."""
    low, high = np.percentile(errors, NOISE_INTERVAL)
    alike = errors.mean(axis=1) if len(errors) > 1 else errors[0]
    deviation = float(alike.std(ddof=1)) / sqrt(alike.size) if alike.size > 1 else nan
    return {
        name: float(errors.mean()),
        f"{name}_low": float(low),
        f"{name}_high": float(high),
        f"{name}_se": deviation,
        f"{name}_median": float(np.median(errors)),
    }


def failures(errors: Floats, n: int) -> int:
    """Return how many trials failed, from their mean errors: far worse than the median one, and far off in itself."""
    return int(np.count_nonzero(errors > max(FAILS_FROM * float(np.median(errors)), FAILS_SHARE * n)))


TELLS = 2
"""A difference of this many standard errors is not chance."""


def clearly_worse(row: Row, best: Row, error: str = "mean_error") -> bool:
    """Return whether the means of an error differ by more than twice the standard error of their difference."""
    difference = float(getattr(row, error) - getattr(best, error))
    return difference > TELLS * hypot(getattr(row, f"{error}_se"), getattr(best, f"{error}_se"))


def fails_otherwise(row: Row, best: Row) -> bool:
    """Return whether one of the two fails and the other never does, or clearly less often."""
    shares = [each.failed / each.trials for each in (row, best)]
    spread = sqrt(sum(share * (1 - share) / each.trials for share, each in zip(shares, (row, best), strict=True)))
    return (0 in shares and max(shares) > 0) or abs(shares[0] - shares[1]) > TELLS * spread


def limits(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return what no mechanism can be below at each epsilon, where that is known: of one median; else nothing."""
    known = all(row.quantiles == "1/2" and row.adjacency == Adjacency.ADD_REMOVE and row.delta == 0 for row in rows)
    each = sorted({(row.epsilon, row.n) for row in rows if not isnan(row.epsilon)}) if known else []
    return [(epsilon, least) for epsilon, n in each if (least := least_error(epsilon, n))]


_WRITERS: dict[str, Callable[[Any, Path], object]] = {
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
    ".csv": lambda frame, path: path.write_text(
        table_as_csv(frame.columns, frame.itertuples(index=False, name=None)), encoding="utf-8", newline=""
    ),
    ".json": lambda frame, path: frame.to_json(path, orient="records", indent=2, force_ascii=False),
}


def as_frame(rows: Iterable[Row]) -> pandas.DataFrame:
    """Return a frame with a line for each Row, in the order of the grid, and a typed column for each field of Row."""
    import pandas

    ordered = sorted(rows, key=lambda row: row.configuration)
    types = {field.name: str(field.type) for field in fields(Row) if field.name != "refused"}
    return pandas.DataFrame([asdict(row) for row in ordered], columns=list(types)).astype(types)


def check_path(path: Path) -> None:
    """Raise ParameterError unless a table can be written there."""
    if path.suffix.lower() not in _WRITERS:
        raise ParameterError("out", f"must end in {', '.join(_WRITERS)}, got {path.name[:40]!r}.")
    if not path.absolute().parent.is_dir():
        raise ParameterError("out", "must be in a folder that exists.")


def write(rows: Iterable[Row], path: Path) -> None:
    """Write the frame as Parquet, CSV or JSON, by the end of the name. Raises ParameterError, OSError."""
    check_path(path)
    _WRITERS[path.suffix.lower()](as_frame(rows), path)
