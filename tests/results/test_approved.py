"""What outcomes say in files and scripts, whole, beside what a person has read before; see tests/approved.py."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Guarantee, People, Plan, PureDP, Sample
from dpq_core.calibrations import calibrations_of
from dpq_core.groups.cells import ANY_NAME
from dpq_core.groups.names import GroupColumn
from dpq_core.plan import Intervals
from dpq_core.release import WHOLE, Cells, Release
from dpq_core.results import exports, outcomes, scripts, synthetic
from dpq_core.results.data_set import PublicData, sample_to_explore
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.results.kinds import Answered, Outcome, Released, Simulated
from dpq_core.results.persons import PersonChoice, unit_for
from dpq_core.results.simulated import simulate_column, simulate_finding, simulate_groups_of, simulate_table
from dpq_core.results.tables.asked import refusal_of
from dpq_core.results.tables.expected import expected_points, resolved
from dpq_core.results.tables.kinds import TableReading, TableRequest
from dpq_core.results.tables.spread import able_on_cluster, refusal_on_cluster
from dpq_core.results.trace import InsideRun, explain_finding, explain_of_group, explain_once
from tests.approved import Exactly, as_data, check_approved

APPROVED = Path(__file__).parent / "approved"
AGES, N = Domain(0, 120, 1), 240
RNG = np.random.default_rng(1)
VALUES = RNG.integers(18, 91, size=N).astype(float)
PLAN, MEDIAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(2.0)), Plan(["1/2"], "aq", PureDP(2.0))
WITH_INTERVALS = replace(MEDIAN, mechanism="aggtree", intervals=Intervals(0.9), about_n=N)
REGIONS = GroupColumn(np.arange(N, dtype=np.int32) % 3 - (np.arange(N) % 7 == 0), ("north", "=south", "west"))
SEXES = GroupColumn(np.arange(N, dtype=np.int32) // 2 % 2, ("f", "m"))
REGION = GroupChoice("region", ("north", "=south"), "rest")
BY_TWO = GroupChoice("region", ("north", "west"), more=(("sex", ("f", "m")),))
SOME_ROWS, MEAN = PersonChoice("id", "patient", most_rows=2), PersonChoice("id", "patient", take="mean")
SHARES = PersonChoice("id", "patient", take="share")
FINDING = FindBounds(0.25, smallest=1, largest=1000)


READING = TableReading(
    imports=("from dpq_core.sources.files import read_column",),
    columns=(("age", "column('age')"), ("pay", "column('pay')"), ("region", "groups()")),
    people="read_people('a.csv', 'id')", file="a.csv",
)  # fmt: skip


def data(**changed: Any) -> PublicData:
    column = PublicData(
        identity="upload:1", name="age", kind="number", unit="years", one="person", many="people", about="a.csv",
        source="", is_example=False, reading=READING, values=VALUES, groups=(REGIONS,),
        people=People.of(np.arange(N) // 3), group="region",
    )  # fmt: skip
    return replace(column, **changed)


def asked_of(column: PublicData, plan: Plan, bounds: Any = AGES, groups: GroupChoice | None = None) -> TableRequest:
    return TableRequest(
        plans={"age": plan}, bounds={"age": bounds}, weights={"age": Fraction(1)}, about_n=0,
        missing={"age": column.missing}, person=column.person, groups=groups,
    )  # fmt: skip


def simulated(plan: Plan = PLAN, domain: Domain = AGES, **changed: Any) -> Simulated:
    column = data(**changed)
    sample, unit = sample_to_explore(column, domain, outcomes.EXPLORE_SEED), unit_for(column.person, plan)
    calibrations = calibrations_of(plan, [sample.n], unit=unit)
    return simulate_column(column, sample, asked_of(column, plan, domain), calibrations, 3)


def grouped(groups: GroupChoice = REGION, plan: Plan = PLAN, bounds: Any = AGES, **changed: Any) -> Simulated:
    if groups.more:
        changed |= {"groups": (REGIONS, SEXES), "more_groups": (("sex", ANY_NAME),)}
    return simulate_groups_of(data(**changed), asked_of(data(**changed), plan, bounds, groups), 3)


def request_of(plan: Plan = PLAN, **changed: Any) -> TableRequest:
    weights = {"age": Fraction(1), "pay": Fraction(2)}
    bounds = {"age": AGES, "pay": Domain(0, 200, "0.5")}
    return replace(TableRequest(plans={"age": plan, "pay": plan}, bounds=bounds, weights=weights, about_n=N), **changed)


def table(request: TableRequest, reading: TableReading = READING) -> Any:
    columns = [data(), data(name="pay", kind="money", unit="€", values=2 * VALUES + 0.5, is_example=True)]
    return simulate_table(columns, request, reading, 3, "upload:1", "a.csv")


def as_release(explored: Simulated, **changed: Any) -> Released:
    """Return what was simulated as if it had been released: no release has a seed, so none could be approved."""
    gone = {"seed", "draws", "n", "runs"}
    kept = {each.name: getattr(explored, each.name) for each in fields(explored) if each.name not in gone}
    hidden = tuple(
        replace(each, true_values=(), errors=(), lows=(), highs=(), held=(), size=None) for each in explored.answers
    )
    cells = tuple(
        Cells(
            column=each.wording.name, groups=(each.group,) if each.group else (WHOLE,), plan=each.plan,
            guarantee=explored.guarantee, domain=each.domain, values=(each.values,),
            intervals=(each.intervals,) if each.intervals else (), notes=each.notes,
        )
        for each in hidden
    )  # fmt: skip
    release: Release[Any] = Release(
        plan=explored.plan, guarantee=explored.guarantee, cells=cells, id="first press", account="ages",
        made="2026-01-31T12:00:00+00:00", version="9.9.9",
    )  # fmt: skip
    return Released(**kept | {"release": release, "answers": hidden} | changed)


def released(plan: Plan = PLAN, **changed: Any) -> Released:
    return as_release(simulated(plan, **changed), reference=(-9, 12), reference_size=1000)


def column_of(size: int = 30, **changed: Any) -> Any:
    sample = sample_to_explore(data(), AGES, outcomes.EXPLORE_SEED)
    return synthetic.simulate_column(data(**changed), sample, calibrations_of(synthetic.plan_of(PLAN, size)), 3)


OUTCOMES: dict[str, Callable[[], Outcome]] = {
    "simulation": simulated,
    "simulation of one with an interval": lambda: simulated(WITH_INTERVALS),
    "simulation of persons": lambda: simulated(person=SOME_ROWS),
    "simulation of dates": lambda: simulated(
        kind="date", unit="", missing=Fraction(20), source="office", is_example=True
    ),
    "simulation of no quantile": lambda: simulated(Plan([])),
    "simulation of a money column": lambda: simulated(
        replace(PLAN, privacy=ZCDP(0.5), adjacency=Adjacency.SUBSTITUTE), Domain(0, 120, "0.25"), kind="money", unit="€"
    ),
    "finding": lambda: simulate_finding(data(), asked_of(data(), PLAN, FINDING), 3),
    "groups": grouped,
    "groups by two": lambda: grouped(BY_TWO),
    "groups of persons": lambda: grouped(replace(REGION, groups_per_person=2), MEDIAN, person=MEAN),
    "groups found": lambda: grouped(GroupChoice("region", None), replace(MEDIAN, privacy=ApproxDP(2.0, 1e-6)), FINDING),
    "table": lambda: table(request_of(chances={"pay": (0.004, 0.2, 0.7)})),
    "table in groups": lambda: table(request_of(WITH_INTERVALS, groups=REGION)),
    "table of persons": lambda: table(
        request_of(person=MEAN, bounds={"age": AGES, "pay": FINDING}, missing={"age": Fraction(3)}),
        TableReading(opened="frame = pl.read_csv('a.csv')", imports=("import polars as pl",)),
    ),
    "column": column_of,
    "column of dates": lambda: column_of(kind="date"),
    "released": released,
    "released under a concentrated budget": lambda: replace(
        released(replace(PLAN, privacy=ZCDP(0.5))),
        guarantee=Guarantee(epsilon=1, delta=1e-6, rho=None, adjacency=Adjacency.ADD_REMOVE),
    ),
    "released groups": lambda: as_release(grouped(BY_TWO)),
    "released table": lambda: as_release(table(request_of(groups=REGION, person=SOME_ROWS))),
}  # fmt: skip


SECONDS = ("table in groups", "groups found", "resolved")
"""They simulate what to expect."""


def named(cases: Iterable[str]) -> list[Any]:
    return [pytest.param(each, marks=pytest.mark.slow(keep=each)) if each in SECONDS else each for each in cases]


@pytest.mark.parametrize("name", named(OUTCOMES))
def test_what_an_outcome_says_is_as_it_was_approved(name: str) -> None:
    outcome = replace(OUTCOMES[name](), made="2026-01-31T12:00:00+00:00", version="9.9.9")
    check_approved(APPROVED / f"{name.split()[0]}.json", name, {"facts": facts_of(outcome), **files_of(outcome)})


def facts_of(outcome: Any) -> dict[str, Any]:
    """Return the fields and the properties of an outcome that are not what was asked."""
    properties = ["warnings", "too_small", "protected", "grouped"]
    names = [*(each.name for each in fields(outcome)), *properties]
    found = {name: getattr(outcome, name) for name in names if hasattr(outcome, name)}
    found["answers"] = [
        {**vars(each), "label": each.label, "warnings": each.warnings, "remarks": each.remarks, "usable": each.usable}
        for each in getattr(outcome, "answers", ())
    ]
    gone = {
        "plan",
        "domain",
        "request",
        "runs",
        "reading",
        "wording",
        "wordings",
        "person",
        "groups",
        "basis",
        "release",
    }
    return {name: shortened(each) for name, each in found.items() if name not in gone}


def shortened(value: Any) -> Any:
    """Return data without what is empty or was given, so that it can be read."""
    if isinstance(value, dict):
        given = {"wording", "domain", "plan", "basis", "find_bounds", "guarantee"}
        return {
            key: shortened(each) for key, each in value.items() if key not in given and each not in (None, (), "", [])
        }
    if isinstance(value, list | tuple):
        return [shortened(each) for each in value]
    return as_data(value)


def files_of(outcome: Any) -> dict[str, Any]:
    """Return what an outcome can be taken away as: tables as rows, JSON as data, scripts line by line."""
    found: dict[str, Any] = {"script": code(scripts.as_script(outcome)), "label": exports.privacy_label(outcome)}
    found["origin"] = exports.origin(outcome)
    found |= {"csv": rows(exports.as_csv(outcome)), "json": json.loads(exports.as_json(outcome))}
    found |= {"price": exports.price(outcome), "kind": exports.kind_of_file(outcome)}
    if not isinstance(outcome, Answered) or not outcome.several:
        found["plan"] = json.loads(exports.as_plan(outcome))
    wide = isinstance(outcome, Answered) and outcome.groups is not None
    return found | ({"wide": rows(exports.as_wide_csv(outcome))} if wide else {})


def rows(text: str) -> list[Any]:
    """Return the heads of a table and its first and last rows."""
    heads, *found = csv.reader(io.StringIO(text))
    return [heads, *found[:2], *found[-1:]]


def code(text: str) -> list[str]:
    """Return a script line by line: of comments their numbers, of code every letter."""
    return [line if line.lstrip().startswith("#") else Exactly(line) for line in text.splitlines()]


# ── runs from inside, public questions ───────────────────────────────────────────────────────────────────────────────

SAMPLE = Sample.from_values(VALUES, AGES, seed=outcomes.EXPLORE_SEED)
UNEVEN = Sample.from_values(VALUES * 1000, Domain.significant(2, 1, 10**6), seed=0)


def inside(run: InsideRun) -> dict[str, Any]:
    names = (
        "targets",
        "ranks",
        "off_target",
        "truths",
        "true_ranks",
        "errors",
        "edges",
        "counts",
        "spread",
        "n",
        "group",
    )
    found = {name: np.array(each) if isinstance(each := getattr(run, name), tuple) else each for name in names}
    return found | {"draws": [list(each) for each in run.draws], "values": [step.value for step in run.steps]}


def traced(mechanism: str, sample: Sample = SAMPLE) -> dict[str, Any]:
    return inside(explain_once(data(), sample, calibrations_of(replace(PLAN, mechanism=mechanism)), 3, 1))


BEST = request_of(Plan(["1/2", "9/10"], "best", PureDP(0.5)), about_n=400)
QUESTIONS: dict[str, Callable[[], Any]] = {
    "run": lambda: [traced(mechanism) for mechanism in ("aq", "jointexp")],
    "run on an uneven grid": lambda: traced("indexp", UNEVEN),
    "run of nobody": lambda: traced("aq", Sample.from_values([], AGES, seed=0)),
    "run that finds bounds": lambda: inside(explain_finding(data(), FINDING, PLAN, 3)),
    "run of a group": lambda: inside(explain_of_group(data(), REGION, AGES, PLAN, 3, "north")),
    "resolved": lambda: [
        {"plans": [(each.mechanism, each.about_n) for each in one.plans.values()], "chances": one.chances,
         "points": expected_points(one)}
        for one in map(resolved, (BEST, replace(BEST, person=SHARES),
                                  replace(BEST, groups=REGION, sizes=GroupSizes(own=(("north", 90),))),
                                  replace(BEST, bounds={"age": AGES, "pay": FINDING}, groups=REGION)))
    ],
    "calibrated": lambda: [each.calibrated().guarantee for each in (
        request_of(), request_of(groups=REGION, person=SOME_ROWS),
        request_of(replace(PLAN, adjacency=Adjacency.SUBSTITUTE)))],
    "refusals": lambda: [
        refusal_of(plan, AGES, groups, person, 2)
        for plan in (MEDIAN, replace(MEDIAN, mechanism="slice"), replace(MEDIAN, mechanism="normal"))
        for groups in (None, REGION, GroupChoice("region", None)) for person in (None, SHARES, SOME_ROWS)
    ],
    "on a cluster": lambda: [
        (refusal_on_cluster(one, simulated=simulated), [each.options for each in able_on_cluster(one).plans.values()])
        for one in (BEST, replace(BEST, person=SHARES), request_of(groups=GroupChoice("region", None)),
                    request_of(person=SHARES)) for simulated in (True, False)
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", named(QUESTIONS))
def test_what_a_public_question_is_answered_with_is_as_it_was_approved(name: str) -> None:
    check_approved(APPROVED / "questions.json", name, QUESTIONS[name]())
