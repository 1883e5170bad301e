"""What was promised about speed and memory: a row each. Verdicts are printed; only a wrong answer fails.

A row makes what is timed, so that what it needs is there before: `made` returns a function, and so does `beside`, which
is run before every run. Time is processor time.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from statistics import median
from tempfile import gettempdir
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from scipy.special import gammaln

import dpq_core as dpq
from dpq_core.calibrations import Calibrated, calibrate
from dpq_core.intervals import drawn
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.aq import recursion
from dpq_core.mechanisms.indexp.mechanism import largest_each
from dpq_core.noise.exact import ExactEntropy
from dpq_core.noise.fast import SeededSampler
from dpq_core.privacy.budgets import Privacy
from dpq_core.sources.files import find_layout, read_column
from dpq_core.studies.design import even_levels
from tests.benchmarks.memory import BUDGETS, RESET, peak_in_its_own_process
from tests.benchmarks.table import ROWS, SORTS, Row, power, ratio_of
from tests.harness import Plan

N, PERSONS, GROUPS = 10**7, 10**6, 10**4
DOMAIN = dpq.Domain(-100, 100)
EPSILON, DELTA = 1.0, 1e-6
PURE = dpq.PureDP(EPSILON)
REPLACE = dpq.Adjacency.REPLACE_ONE
LABELS = {"aq": "AQ", "indexp": "IndExp"}
SAMPLERS: dict[str, Callable[[], Any]] = {
    "fast": lambda: SeededSampler(0), "exact": ExactEntropy, "64 trials": lambda: SeededSampler(1, 64)
}  # fmt: skip
BUDGET_OF: dict[str, Privacy] = {"Laplace": PURE, "Gauss": dpq.ZCDP(0.125)}
SHAPES: dict[str, dict[str, Any]] = {"b = 12, h = 4": {"branching": 12, "height": 4}, "own shape": {}}
TREES = (
    ("b = 12, h = 4", "Laplace", 10**4, "fast"), ("b = 12, h = 4", "Laplace", N, "fast"),
    ("b = 12, h = 4", "Laplace", N, "exact"), ("b = 12, h = 4", "Gauss", N, "fast"),
    ("b = 12, h = 4", "Gauss", N, "exact"), ("own shape", "Laplace", N, "exact"), ("own shape", "Gauss", N, "exact"),
)  # fmt: skip
WAYS: dict[str, dict[str, Any]] = {
    "mean": {"per_person": "mean"}, "median": {"per_person": "median"}, "random": {"per_person": "random"},
    "weight": {"per_person": "weight"},
    "5 rows": {"max_rows_per_person": 5},
}  # fmt: skip
SKETCHES = {1e-2: 73, 1e-3: 715, 1e-4: 7214}
"""The points that GKArray (DataDog's sketches-py, plain Python, eps = alpha) keeps of this very column, counted once.

It forgets a point where g + d <= floor(2 alpha (n - 1)), which is the same promise as here.
"""
BESIDE_KLL = 1.67
"""At least 0.6 of the items a second that DataSketches' KLL reads, whether or not numpy sorts with vectors."""
FILE = Path(gettempdir()) / f"benchmark-{os.getpid()}.csv"
TEXT_ROWS = 200_000
QUOTES = {
    "no quotes": "{k},rather agree with it mostly,{v}\n",
    "each cell in quotes": '"{k}","rather agree with it","{v}"\n',
    "a line break in one of 50": '{k},"rather agree{mark}with it mostly",{v}\n',
    "an inch mark in each row": '{k},a pipe of 5" and not more,{v}\n',
}

Made = Callable[[], Callable[[], Any]]


@cache
def column(n: int) -> Any:
    return np.random.default_rng(0).normal(0, 5, n)


@cache
def sample(n: int) -> dpq.Column:
    """Unseeded, so that `release` reads it too."""
    return dpq.Column.from_values(column(n), DOMAIN)


@cache
def ids() -> Any:
    return np.random.default_rng(1).integers(0, PERSONS, N) * 7919 + 10**12


def groups(domain: dpq.Domain = DOMAIN) -> dpq.Column:
    return dpq.Column.from_values(column(N), domain, groups=labels(), names=range(GROUPS))


@cache
def labels() -> Any:
    return np.random.default_rng(1).integers(0, GROUPS, N)


def plan(m: int, key: str = "aq", privacy: Privacy = PURE, **others: Any) -> Plan:
    return Plan(even_levels(m), key, privacy, **others)


def sorting(n: int = 10**6) -> Made:
    return lambda: partial(np.sort, column(n))


BINS, WIDE = plan(99, "binhist"), {"sigma": 5, "mean_bound": 10**10}
NORMAL = plan(99, "normal", adjacency=REPLACE, options={"sigma": 5, "mean_bound": 100})
HISTOGRAMS = (
    ("histogram, 1024 bins", BINS, "fast", 0.5), ("histogram, 1024 bins", BINS, "exact", 1),
    ("histogram, 65,536 bins", replace(BINS, options={"bins": 65536}), "exact", 15),
    ("normal data, 41 bins", NORMAL, "fast", 0.5), ("normal data, 41 bins", NORMAL, "exact", 1),
    ("normal data, 4 · 10^9 bins", replace(NORMAL, privacy=dpq.ApproxDP(EPSILON, 1e-9), options=WIDE), "exact", 1),
)  # fmt: skip


def simulated(m: int, n: int, key: str = "aq", trials: int = 1) -> Made:
    return lambda: partial(dpq.simulate, sample(n), plan(m, key), trials)


def released(m: int, n: int, key: str = "aq") -> Made:
    return lambda: partial(dpq.release, sample(n), plan(m, key))


def first_answer(seed: int | None) -> Made:
    return lambda: lambda: dpq.simulate(dpq.Column.from_values(column(N), DOMAIN, seed=seed), plan(99), 1)


def run(own: Plan, n: int, sampler: str, first: bool = False) -> Made:
    def made() -> Callable[[], Any]:
        mechanism, parameters = dpq.MECHANISMS[own.mechanism], calibrate(own, n if own.adjacency is REPLACE else None)
        return lambda: mechanism.run(replace(sample(n)) if first else sample(n), parameters, SAMPLERS[sampler]())

    return made


def of_five_values() -> Any:
    values = np.repeat([3.0, 17.0, 40.0, 41.0, 77.0], 100)
    few = dpq.Column.from_values(values, DOMAIN, tie_bits=0)
    return dpq.MECHANISMS["freetotal"].run(few, calibrate(plan(11, "freetotal", dpq.PureDP(24))), ExactEntropy())


first_run = partial(run, first=True)
"""Each on a copy of the sample, of which nothing is kept."""


def first_call(quantiles: int, n: int, chance: float = 0.95, key: str = "aq", privacy: Privacy = PURE) -> Made:
    own = plan(quantiles, key, privacy, intervals=chance, about_n=n)
    data = dpq.Column.from_values(range(n), dpq.Domain(0, 200_000, "0.01"), seed=0)

    def first() -> Any:
        for kept in (drawn.drawn_for, aq._calibrated, recursion.shapes):
            kept.cache_clear()
        return Calibrated.for_column(data, own)

    return lambda: first


def first_quantiles(key: str) -> Made:
    frame, bounds = {"value": column(1000)}, {"value": (-100, 100, "0.01")}

    def first() -> Any:
        aq._calibrated.cache_clear()
        return dpq.quantiles(frame, bounds, even_levels(9), key, epsilon=EPSILON, about_n=1000).values["value"]

    return lambda: first


def people(way: str) -> Made:
    return lambda: lambda: dpq.Column.from_values(column(N), DOMAIN, people=dpq.People.of(ids()), **WAYS[way])


def sketch_of(values: Any, alpha: float) -> dpq.GKSketch:
    sketch = dpq.GKSketch(alpha, DOMAIN, values.size)
    sketch.update(values)
    return sketch


def sketching(alpha: float) -> Made:
    return lambda: partial(sketch_of, column(N), alpha)


def points(alpha: float) -> float:
    return len(sketch_of(column(N), alpha)) / SKETCHES[alpha]


def points_of_kll() -> float:
    return float(largest_kll(1e-3).num_retained / SKETCHES[1e-3])


def encoding(domain: dpq.Domain) -> Made:
    return lambda: partial(domain.encode, column(N))


def composition(count: int) -> Made:
    return lambda: partial(largest_each.__wrapped__, count, EPSILON, DELTA)


def counting() -> Callable[[], dpq.BinCounts]:
    counts, values = dpq.BinCounts(DOMAIN), column(10**6)

    def update() -> dpq.BinCounts:
        counts.update(values)
        return counts

    return update


def reading_a_file() -> Callable[[], dpq.Column]:
    return lambda: dpq.Column.from_values(read_column(csv_file(), "value").values, DOMAIN)


def reading_text(name: str, known: bool = False) -> Made:
    def made() -> Callable[[], Any]:
        layout = find_layout(quoted(name), quoting="inch" not in name) if known else None
        return partial(read_column, quoted(name), "income", layout=layout)

    return made


def memory(work: str, argument: str) -> Callable[[], float]:
    """Of a process of its own, in columns of N floats."""

    def number() -> float:
        if not RESET.exists():
            pytest.skip("the peak of a process is read from Linux's /proc")
        return peak_in_its_own_process(work, argument) / (8 * N)

    return number


def drawn_from_a_sketch() -> Callable[[], Any]:
    sketch, mechanism = sketch_of(column(10**6), 1e-3), dpq.MECHANISMS["gkexp"]
    parameters = mechanism.calibrate(plan(9, "gkexp", options=sketch.options), None)
    return lambda: mechanism.run(sketch, parameters, ExactEntropy())


def largest_kll(alpha: float) -> Any:
    """Randomised, and for single ranks 99 % sure; with a parameter as large as the library allows."""
    datasketches, k = pytest.importorskip("datasketches"), 8
    while k < 65_535 and datasketches.kll_doubles_sketch.get_normalized_rank_error(k, False) > alpha:
        k = min(2 * k, 65_535)
    sketch = datasketches.kll_doubles_sketch(k)
    sketch.update(column(N))
    return sketch


@cache
def quoted(name: str) -> bytes:
    rows = (QUOTES[name].format(k=k, v=k % 9973, mark=", " if k % 50 else "\n") for k in range(TEXT_ROWS))
    return ("id,answer,income\n" + "".join(rows)).encode()


@pytest.fixture(scope="module", autouse=True)
def no_file_is_left() -> Iterator[None]:
    yield
    FILE.unlink(missing_ok=True)


@cache
def csv_file() -> str:
    """A CSV of three columns, 22 bytes a row; the column to read is "value", of decimals."""
    random, names = np.random.default_rng(0), np.array(["north", "south", "east", "west"])
    cells = {"id": np.arange(N), "value": random.normal(0, 5, N).round(3), "region": random.choice(names, N)}
    pa_csv.write_csv(pa.table(cells), FILE)
    return str(FILE)


def twice_as_text_and_three_sorts() -> None:
    options = pa_csv.ConvertOptions(include_columns=["value"], column_types={"value": pa.string()})
    for _ in range(2):
        pa_csv.read_csv(csv_file(), convert_options=options)
    for _ in range(3):
        np.sort(column(N))


def delta_of_thousands() -> float:
    """The theorem as it is printed, in logarithms: 25 million terms. As a share of what may be spent."""
    count, each = 5000, largest_each(5000, EPSILON, DELTA)
    i = np.arange(count + 1)
    log_binomial = gammaln(count + 1) - gammaln(i + 1) - gammaln(count - i + 1)
    largest = 0.0
    for t in np.unique(np.clip((EPSILON + (i + 1) * each) / (count + 1), 0, each)):
        p = (np.exp(-t) - np.exp(-each)) / -np.expm1(-each)
        gain = count * t - i * each
        if 0 < p < 1:
            weights = np.exp(log_binomial + (count - i) * np.log(p) + i * np.log1p(-p))
            largest = max(largest, float(weights @ np.maximum(np.exp(gain) - np.exp(EPSILON), 0)))
    return largest / DELTA


def seconds_of_a_release() -> float:
    own, start = groups(), time.process_time()
    assert len(dpq.release(own, plan(9))["column"].groups) == GROUPS
    return time.process_time() - start


def near(n: int) -> Callable[[Any], bool]:
    """Answers rise, and lie within some hundred ranks of the truth, far less than chance would give."""
    return lambda study: rise(study) and study.rank_errors["column"].mean() < min(1000, n / 10)


def rise(found: Any) -> bool:
    answers = found.values["column"] if hasattr(found, "values") else found
    return bool((np.diff(np.asarray(answers, np.float64)) >= 0).all())


def covers(parameters: Any) -> bool:
    return bool(parameters.guarantee.covers(PURE))


def of_n_records(made: Any) -> bool:
    return bool(made.n == N)


def all_rows(made: dpq.Column) -> bool:
    return bool(made.sizes.sum() == N)


def all_persons(made: dpq.Column) -> bool:
    return bool(PERSONS * 0.99 < made.n <= PERSONS * (made.max_rows_per_person or 1))


def every_income(found: Any) -> bool:
    return np.array_equal(found.values, np.arange(TEXT_ROWS) % 9973)


def found_ends(calibrated: Any) -> bool:
    found = calibrated.drawn_levels
    levels = zip(found.ends, calibrated.plan.quantiles, strict=True)
    return all(end.low is None or end.low < level for end, level in levels)


def bound_holds(sketch: dpq.GKSketch) -> bool:
    """At the sketch's own points, one beside each, and at as many others."""
    ordered = np.sort(DOMAIN.encode(column(N)))
    cells = np.concatenate([sketch.bounds.cells, sketch.bounds.cells + 1, ordered[:: ordered.size // 5000]])
    low, high = sketch.rank_bounds(cells)
    below, through = np.searchsorted(ordered, cells, "left"), np.searchsorted(ordered, cells, "right")
    held = (low <= below, below < low + sketch.threshold, through <= high, high < through + sketch.threshold)
    return all(each.all() for each in held)


def as_searched(domain: dpq.Domain) -> Callable[[Any], bool]:
    def check(cells: Any) -> bool:
        found = np.searchsorted(domain.decode(np.arange(domain.cells)), column(N)[:1000], "right") - 1
        return np.array_equal(cells[:1000], found)

    return check


OF_IT = ("sort of it", sorting(N))


def salaries() -> Any:
    """A thousand incomes, half of them rounded to 1,000."""
    random = np.random.default_rng(0)
    incomes = random.lognormal(10.6, 0.5, 1000)
    return np.where(random.random(1000) < 0.5, incomes.round(-3), incomes.round())


def mean_error(values: Any, domain: dpq.Domain, own: Plan) -> float:
    return float(
        dpq.simulate(dpq.Column.from_values(values, domain, seed=0), own, 400, seed=3).rank_errors["column"].mean()
    )


def error_beside(own: Plan, other: str, values: Any, domain: dpq.Domain) -> float:
    return mean_error(values, domain, own) / mean_error(values, domain, replace(own, mechanism=other))


class Timed(NamedTuple):
    """How long some work takes, as a multiple of other work beside it: `at_most`, or None for comparison only."""

    place: int
    work: str
    at_most: float | None
    made: Made
    check: Callable[[Any], bool] = rise
    of: str = "sort"
    beside: Made = sorting()
    rounds: int = 9


class Counted(NamedTuple):
    """A number that is no time."""

    place: int
    work: str
    at_most: float | None
    of: str
    number: Callable[[], float]
    above: float = 0.0


# fmt: off
TIMES = (
    *(Timed(1, f"{name}, 99 quantiles of a sorted sample, n = {power(n)}", 1, simulated(99, n, key), near(n))
      for key, name in LABELS.items() for n in (10**4, N)),
    *(Timed(1, f"{name}, n = 10^7 against n = 10^4", 2, simulated(99, N, key), near(N), "n = 10^4",
            simulated(99, 10**4, key), 25) for key, name in LABELS.items()),
    Timed(1, "AQ, calibration of a plan of 99 quantiles, once a plan", None,
          partial(partial, calibrate, plan(99)), covers),
    Timed(2, "AQ, first answer from 10^7 raw floats, seeded tie-breaking", 4, first_answer(0), near(N), *OF_IT, 5),
    Timed(2, "AQ, first answer from 10^7 raw floats, tie-breaking from the system", 4, first_answer(None), near(N),
          *OF_IT, 5),
    Timed(2, "AQ, the part of it that follows the sample", 0.1, simulated(99, N), near(N), *OF_IT, 5),
    *(Timed(2, f"People and a sample, 10^7 rows of 10^6, {way}", 8, people(way), all_persons, *OF_IT, 3)
      for way in WAYS),
    *(Timed(2, f"encoding 10^7 values, {digits} significant digits", 2, encoding(dpq.Domain.significant(digits)),
            as_searched(dpq.Domain.significant(digits)), "even steps", encoding(DOMAIN), 7) for digits in (2, 3)),
    *(Timed(3, f"{name}, exact sampler, 99 quantiles, n = {power(n)}", 15, released(99, n, key))
      for key, name in LABELS.items() for n in (10**4, N)),
    Timed(4, "AQ, 100 trials of 120 quantiles, n = 1000", 35, simulated(120, 1000, trials=100), near(1000)),
    Timed(5, "JointExp, exact sampler, m = 120, n = 1000", 9, first_run(plan(120, "jointexp"), 1000, "exact")),
    Timed(5, "JointExp, exact sampler, m = 20, n = 10^6", 150, first_run(plan(20, "jointexp"), 10**6, "exact")),
    Timed(5, "JointExp, 64 more trials, m = 120, n = 1000", 64, run(plan(120, "jointexp"), 1000, "64 trials"), rise,
          "the first", first_run(plan(120, "jointexp"), 1000, "fast")),
    Timed(5, "JointExp, free total, fast, m = 20, n = 10^6", 3, first_run(plan(20, "freetotal"), 10**6, "fast")),
    Timed(5, "JointExp, free total, exact, m = 9, n = 10^6", 6, first_run(plan(9, "freetotal"), 10**6, "exact")),
    Timed(5, "JointExp, free total, exact, m = 11, 500 records of five values, rate 12", 9, lambda: of_five_values),
    Timed(5, "AQ by default, fast, 99 quantiles, n = 1000", 3, simulated(99, 1000)),
    Timed(5, "AQ by default, 256 runs of 9 quantiles, n = 1000", 30, simulated(9, 1000, trials=256)),
    Timed(5, "AQ by default, 256 runs of 20 quantiles, n = 1000", 30, simulated(20, 1000, trials=256)),
    Timed(5, "AQ by default, exact, 9 quantiles, n = 10^6", 6, released(9, 10**6)),
    Timed(5, "AQ by default, exact, 199 quantiles, n = 10^6", 30, released(199, 10**6)),
    Timed(6, "composition of 120 mechanisms", 5, composition(120), lambda each: abs(each - 0.0433) < 5e-5),
    Timed(6, "composition of 5000 mechanisms", None, composition(5000), lambda each: each > EPSILON / 5000, rounds=3),
    Timed(6, 'quantiles(..., "best"), first call, deciles, n = 1,000', 1.25, first_quantiles("best"),
          lambda values: list(values) == sorted(values), "aq", first_quantiles("aq"), 25),
    Timed(6, "Intervals, first call, quartiles, n = 3,000", 40, first_call(3, 3000), found_ends, rounds=3),
    Timed(6, "Intervals, first call, deciles, n = 3,000", 200, first_call(9, 3000), found_ends, rounds=3),
    Timed(6, "Intervals, first call, percentiles, n = 60,000", 120, first_call(99, 60_000), found_ends, rounds=3),
    Timed(6, "Intervals, first call, deciles, 99 %, n = 3,000", 50, first_call(9, 3000, 0.99), found_ends, rounds=3),
    Timed(6, "Intervals, first call, 19 quantiles with ρ, n = 10,000", 120,
          first_call(19, 10_000, privacy=dpq.ZCDP(0.1)), found_ends, rounds=3),
    Timed(6, "Intervals, first call, deciles, FreeTotal, n = 3,000", 50, first_call(9, 3000, key="freetotal"),
          found_ends, rounds=3),
    *(Timed(7, f"tree of counts, {shape}, {noise}, 99 quantiles, n = {power(n)}, {sampler}", 1.5,
            run(plan(99, "aggtree", BUDGET_OF[noise], options=SHAPES[shape]), n, sampler))
      for shape, noise, n, sampler in TREES),
    *(Timed(8, f"a sketch of 10^7 floats, alpha = {alpha:g}", BESIDE_KLL, sketching(alpha), bound_holds, "KLL",
            partial(partial, largest_kll, alpha), 3) for alpha in SKETCHES),
    Timed(8, "a sketch of 10^7 floats, alpha = 0.001 (10 million a second)", 100, sketching(1e-3), of_n_records,
          rounds=3),
    Timed(8, "nine quantiles of a sketch, exact sampler", 15, drawn_from_a_sketch),
    Timed(9, "one column of a CSV of 10^7 rows to a sample", 1, reading_a_file, of_n_records, "2 text, 3 sorts",
          lambda: twice_as_text_and_three_sorts, 3),
    Timed(11, "bin counts of 10^6 floats of a stream", None, counting, lambda counts: counts.n == 10 * 10**6),
    *(Timed(11, f"{name}, 99 quantiles, {sampler} sampler", at_most, run(own, N, sampler))
      for name, own, sampler, at_most in HISTOGRAMS),
    Timed(12, "10,000 groups made from 10^7 rows", 4, lambda: groups, all_rows, *OF_IT, 5),
    Timed(12, "the same on a grid with steps of 0.01", 4, partial(partial, groups, dpq.Domain(-100, 100, "0.01")),
          all_rows, *OF_IT, 5),
    Timed(12, "9 deciles of each, fast", 1, lambda: partial(dpq.simulate, groups(), plan(9), trials=1),
          lambda study: study.rank_errors["column"].mean() < 30, *OF_IT, 5),
    *(Timed(12, f"slices, {m} quantiles, {sampler} sampler, {each.value.replace('_', '/')}", at_most,
            run(plan(m, "slice", dpq.ApproxDP(EPSILON, 1e-16), adjacency=each), N, sampler))
      for m, sampler, at_most in ((99, "fast", 1), (200, "fast", 2), (200, "exact", 30)) for each in dpq.Adjacency),
    *(Timed(40, f"reading {TEXT_ROWS:,} rows, {name}", 4, reading_text(name), every_income, "quotes known",
            reading_text(name, known=True), 7) for name in QUOTES),
)
NUMBERS = (
    Counted(6, "the same: delta spent, by the formula term by term", 1, "delta", delta_of_thousands, 0.999),
    *(Counted(8, f"the sketch: points that it keeps, alpha = {alpha:g}", 1.5, "GKArray", partial(points, alpha), 0.1)
      for alpha in SKETCHES),
    Counted(8, "DataSketches' KLL, alpha = 0.001: points", None, "GKArray", points_of_kll, 1),
    Counted(12, "9 deciles of each, exact, seconds", 10, "second", seconds_of_a_release),
    *(Counted(2, f"memory of it beside column and ids, {way}", 6, "column", memory("people", way)) for way in WAYS),
    Counted(9, "the same: memory", 5, "8n bytes", lambda: memory("reading", csv_file())(), 1),
    *(Counted(10, f"memory of a release, {name} budget", 3, "8n bytes", memory("release", name), 1)
      for name in BUDGETS),
    *(Counted(13, f"error of AQ, {m} quantiles of 1,000 salaries, half rounded to 1,000", goal, "record",
              partial(mean_error, salaries(), dpq.Domain(0, 200_000), plan(m))) for m, goal in ((5, 2.0), (20, 4.1))),
    *(Counted(13, f"error of AQ, one is replaced, 9 quantiles, n = {power(n)}", 1.1, "JointExp",
              partial(error_beside, plan(9, adjacency=REPLACE), "jointexp", column(n), DOMAIN))
      for n in (1000, 10**4)),
    *(Counted(13, f"error of counts in bins, {m} quantiles, 101 possible values, n = 1,000", 0.5, "AQ",
              partial(error_beside, plan(m, "binhist"), "aq", np.linspace(-5, 5, 1000), dpq.Domain(-5, 5, "0.1")))
      for m in (19, 49)),
    Counted(12, "memory of 200,000 groups beside column and labels", 6, "column", memory("groups", "200000")),
)
# fmt: on


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("row", TIMES, ids=lambda row: row.work)
def test_time(row: Timed, benchmark: Any, pytestconfig: pytest.Config) -> None:
    work, beside, others = row.made(), row.beside(), list[float]()

    def before() -> None:
        start = time.process_time()
        beside()
        others.append(time.process_time() - start)

    result = benchmark.pedantic(work, setup=before, rounds=row.rounds, warmup_rounds=1)
    seconds, others = benchmark.stats.stats.data, others[1 : row.rounds + 1]  # the first one belongs to the warm-up
    if row.of == "sort":
        pytestconfig.stash[SORTS].extend(others)
    ratio = benchmark.extra_info["ratio"] = ratio_of(seconds, others)
    pytestconfig.stash[ROWS].append(Row(row.place, row.work, row.at_most, row.of, ratio, median(seconds)))
    assert row.check(result)


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row.work)
def test_number(row: Counted, benchmark: Any, pytestconfig: pytest.Config) -> None:
    number = benchmark.pedantic(row.number, rounds=1)
    pytestconfig.stash[ROWS].append(Row(row.place, row.work, row.at_most, row.of, number, None))
    assert number > row.above
