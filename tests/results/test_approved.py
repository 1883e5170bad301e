"""What outcomes say in files and scripts, whole, beside what a person has read before; see tests/approved.py."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Column, Domain, FindBounds, People, Plan, PureDP
from dpq_core.advice.choice import choose
from dpq_core.advice.forecast import forecast
from dpq_core.asked_of import cost_of, refusal_of
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.grouping import FindGroups, Grouping
from dpq_core.groups.names import GroupColumn
from dpq_core.plan import Intervals
from dpq_core.privacy.budgets import Guarantee
from dpq_core.question import Asked, Persons, Question
from dpq_core.release import Release
from dpq_core.results import exports
from dpq_core.results.chosen import Chosen, TableReading, chosen_of, with_chances
from dpq_core.results.data_set import EXPLORE_SEED, PublicData, column_to_explore
from dpq_core.results.kinds import Answered, Released, Simulated
from dpq_core.results.simulated import simulate_column, simulate_table
from dpq_core.results.trace import InsideRun, explain_finding, explain_of_group, explain_once
from tests.approved import Exactly, as_data, check_approved

APPROVED = Path(__file__).parent / "approved"
AGES, PAY, N = Domain(0, 120, 1), Domain(0, 200, "0.5"), 240
RNG = np.random.default_rng(1)
VALUES = RNG.integers(18, 91, size=N).astype(float)
PLAN, MEDIAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(2.0)), Plan(["1/2"], "aq", PureDP(2.0))
WITH_INTERVALS = replace(MEDIAN, mechanism="aggtree", intervals=Intervals(0.9), about_n=N)
REGIONS = GroupColumn(np.arange(N, dtype=np.int32) % 3 - (np.arange(N) % 7 == 0), ("north", "=south", "west"))
SEXES = GroupColumn(np.arange(N, dtype=np.int32) // 2 % 2, ("f", "m"))
REGION = Grouping(by=("region",), names=("north", "=south"), other="rest")
BY_TWO = Grouping(by=("region", "sex"), names=tuple((place, sex) for place in ("north", "west") for sex in ("f", "m")))
FOUND = Grouping(by=("region",), names=FindGroups())
SOME_ROWS, MEAN = Persons(max_rows=2, column="id"), Persons(per_person="mean", column="id")
SHARES = Persons(per_person="weight", column="id")
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
        people=People.of(np.arange(N) // 3),
    )  # fmt: skip
    return replace(column, **changed | ({"one_person": "patient"} if changed.get("person") else {}))


def asked(plan: Plan, bounds: Any, **changed: Any) -> Asked:
    given = {"about_n": plan.about_n, "options": plan.options, **changed}
    return Asked(possible=bounds, levels=plan.quantiles, mechanism=plan.mechanism, intervals=plan.intervals, **given)


def asked_of(column: PublicData, plan: Plan, bounds: Any = AGES, groups: Grouping | None = None) -> Chosen:
    persons = column.person
    question = Question(
        columns={"age": asked(plan, bounds, missing=column.missing)}, budget=plan.privacy, adjacency=plan.adjacency,
        persons=persons, groups=groups,
    )  # fmt: skip
    return Chosen(question=question, plan=ColumnsPlan.of(["age"], plan))


def simulated(plan: Plan = PLAN, domain: Domain = AGES, **changed: Any) -> Simulated:
    column = data(**changed)
    return simulate_column(column, column_to_explore(column, domain), asked_of(column, plan, domain), 3)


def grouped(groups: Grouping = REGION, plan: Plan = PLAN, bounds: Any = AGES, **changed: Any) -> Simulated:
    if len(groups.by) > 1:
        changed["groups"] = (REGIONS, SEXES)
    column = data(**changed)
    found = simulate_table([column], asked_of(column, plan, bounds, groups), READING, 3, "upload:1", "a.csv")
    return replace(found, of_table=False)


def question_of(plan: Plan = PLAN, pay: Any = PAY, about: Any = None, missing: Any = None, **changed: Any) -> Question:
    columns = {
        "age": asked(plan, AGES, about_n=about or plan.about_n, missing=missing),
        "pay": asked(plan, pay, about_n=about or plan.about_n, weight=Fraction(2)),
    }
    return Question(columns=columns, budget=plan.privacy, adjacency=plan.adjacency, **changed)


def request_of(plan: Plan = PLAN, chances: Any = {}, **changed: Any) -> Chosen:  # noqa: B006
    question = question_of(plan, **changed)
    return Chosen(question=question, plan=ColumnsPlan.of(["age", "pay"], plan, {"age": 1, "pay": 2}), chances=chances)


def table(request: Chosen, reading: TableReading = READING) -> Any:
    columns = [data(), data(name="pay", kind="money", unit="€", values=2 * VALUES + 0.5, is_example=True)]
    return simulate_table(columns, request, reading, 3, "upload:1", "a.csv")


def as_release(explored: Simulated, **changed: Any) -> Released:
    """Return what was simulated as if it had been released: no release has a seed, so none could be approved."""
    gone = {"seed", "draws", "n", "runs", "cdf"}
    kept = {each.name: getattr(explored, each.name) for each in fields(explored) if each.name not in gone}
    hidden = tuple(
        replace(each, true_values=(), errors=(), lows=(), highs=(), held=(), size=None) for each in explored.answers
    )
    first = {each.name: getattr(explored.release, each.name) for each in fields(Release)}
    release = Release(**first | {"id": "first press", "account": "ages"})
    return Released(**kept | {"release": release, "answers": hidden} | changed)


def guaranteed(found: Released, guarantee: Guarantee) -> Released:
    return replace(found, release=replace(found.release, guarantee=guarantee))


def released(plan: Plan = PLAN, **changed: Any) -> Released:
    return as_release(simulated(plan, **changed))


OUTCOMES: dict[str, Callable[[], Any]] = {
    "simulation": simulated, "simulation of one with an interval": lambda: simulated(WITH_INTERVALS),
    "simulation of persons": lambda: simulated(person=SOME_ROWS),
    "simulation of dates": lambda: simulated(
        kind="date", unit="", missing=Fraction(20), source="office", is_example=True
    ),
    "simulation of no quantile": lambda: simulated(Plan([])),
    "simulation of a money column": lambda: simulated(
        replace(PLAN, privacy=ZCDP(0.5), adjacency=Adjacency.REPLACE_ONE),
        Domain(0, 120, "0.25"),
        kind="money",
        unit="€",
    ),
    "finding": lambda: simulate_column(data(), None, asked_of(data(), PLAN, FINDING), 3), "groups": grouped,
    "groups by two": lambda: grouped(BY_TWO),
    "groups of persons": lambda: grouped(REGION, MEDIAN, person=replace(MEAN, max_groups=2)),
    "groups found": lambda: grouped(FOUND, replace(MEDIAN, privacy=ApproxDP(2.0, 1e-6)), FINDING),
    "table": lambda: table(request_of(chances={"pay": (0.004, 0.2, 0.7)})),
    "table in groups": lambda: table(request_of(WITH_INTERVALS, groups=REGION)),
    "table of persons": lambda: table(
        request_of(persons=MEAN, pay=FINDING, missing=Fraction(3)),
        TableReading(people="read_people('a.csv', 'id')"),
    ),
    "released": released,
    "released under a concentrated budget": lambda: guaranteed(
        released(replace(PLAN, privacy=ZCDP(0.5))),
        Guarantee(epsilon=1, delta=1e-6, rho=None, adjacency=Adjacency.ADD_REMOVE),
    ),
    "released groups": lambda: as_release(grouped(BY_TWO)),
    "released table": lambda: as_release(table(request_of(groups=REGION, persons=replace(SOME_ROWS, max_groups=1)))),
}  # fmt: skip


@pytest.mark.slow(keep=set(OUTCOMES) - {"table in groups", "released table", "groups found"})
@pytest.mark.parametrize("name", OUTCOMES)
def test_what_an_outcome_says_is_as_it_was_approved(name: str) -> None:
    found = OUTCOMES[name]()
    outcome = replace(found, release=replace(found.release, made="2026-01-31T12:00:00+00:00", version="9.9.9"))
    check_approved(APPROVED / f"{name.split()[0]}.json", name, {"facts": facts_of(outcome), **files_of(outcome)})


def facts_of(outcome: Any) -> dict[str, Any]:
    """Return the fields and the properties of an outcome that are not what was asked."""
    names = [*(each.name for each in fields(outcome)), "guarantee", "made", "too_small"]
    found = {name: getattr(outcome, name) for name in names if hasattr(outcome, name)}
    if isinstance(outcome, Answered):
        release = outcome.release
        found |= {"version": release.version, "warnings": release.warnings, "rule": release.description.rule}
    said, answers = ("group", "values", "intervals", "label", "remarks", "usable"), getattr(outcome, "answers", ())
    found["answers"] = [vars(each) | {name: getattr(each, name) for name in said} for each in answers]
    gone = {"plan", "domain", "chosen", "runs", "cdf", "reading", "wording", "wordings", "basis", "release"}
    return {name: shortened(each) for name, each in found.items() if name not in gone}


def shortened(value: Any) -> Any:
    """Return data without what is empty or was given, so that it can be read."""
    if isinstance(value, dict):
        given = {"wording", "cells", "domain", "plan", "basis", "find_bounds", "guarantee"}
        return {
            key: shortened(each) for key, each in value.items() if key not in given and each not in (None, (), "", [])
        }
    if isinstance(value, list | tuple):
        return [shortened(each) for each in value]
    return as_data(value)


def files_of(outcome: Any) -> dict[str, Any]:
    """Return what an outcome can be taken away as: tables as rows, JSON as data, scripts line by line."""
    found: dict[str, Any] = {"script": code(exports.as_script(outcome)), "label": exports.privacy_label(outcome)}
    found["origin"] = exports.origin(outcome)
    found |= {"csv": rows(outcome.release.to_csv()), "json": json.loads(exports.as_json(outcome))}
    found |= {"price": exports.price(outcome), "kind": exports.kind_of_file(outcome)}
    if not isinstance(outcome, Answered) or not outcome.question.several:
        found["plan"] = json.loads(exports.as_plan(outcome))
    wide = isinstance(outcome, Answered) and outcome.groups is not None
    return found | ({"wide": rows(outcome.release.to_csv(wide=True))} if wide else {})


def rows(text: str) -> list[Any]:
    """Return the heads of a table and its first and last rows."""
    heads, *found = csv.reader(io.StringIO(text))
    return [heads, *found[:2], *found[-1:]]


def code(text: str) -> list[str]:
    """Return a script line by line: of comments their numbers, of code every letter."""
    return [line if line.lstrip().startswith("#") else Exactly(line) for line in text.splitlines()]


# ── runs from inside, public questions ───────────────────────────────────────────────────────────────────────────────

SAMPLE = Column.from_values(VALUES, AGES, seed=EXPLORE_SEED)
UNEVEN = Column.from_values(VALUES * 1000, Domain.significant(2, 1, 10**6), seed=0)


def inside(run: InsideRun) -> dict[str, Any]:
    names = (
        "targets", "ranks", "off_target", "truths", "true_ranks", "errors", "edges", "counts", "spread", "n", "group",
    )  # fmt: skip
    found = {name: np.array(each) if isinstance(each := getattr(run, name), tuple) else each for name in names}
    return found | {"draws": [list(each) for each in run.draws], "values": [step.value for step in run.steps]}


def traced(mechanism: str, column: Column = SAMPLE) -> dict[str, Any]:
    return inside(explain_once(data(), column, replace(PLAN, mechanism=mechanism), 3, 1))


WITH_BEST = Plan(["1/2", "9/10"], "best", PureDP(0.5))
BEST = question_of(WITH_BEST, about=400)
ABOUT = {"north": 90, "=south": 400, "rest": 400}
IN_REGION = asked_of(data(), PLAN, groups=REGION).question
QUESTIONS: dict[str, Callable[[], Any]] = {
    "run": lambda: [traced(mechanism) for mechanism in ("aq", "jointexp")],
    "run on an uneven grid": lambda: traced("indexp", UNEVEN),
    "run of nobody": lambda: traced("aq", Column.from_values([], AGES, seed=0)),
    "run that finds bounds": lambda: inside(explain_finding(data(), FINDING, PLAN, 3)),
    "run of a group": lambda: inside(explain_of_group(data(), IN_REGION, PLAN, 3, "north")),
    "resolved": lambda: [
        {"plans": [(each.mechanism, each.about_n) for each in one.plan.plans.values()], "chances": one.chances,
         "points": [100 * row.share for row in forecast(one.question).rows if row.share is not None]}
        for asked in (BEST, replace(BEST, persons=SHARES), question_of(WITH_BEST, about=ABOUT, groups=REGION),
                      question_of(WITH_BEST, FINDING, about=400, groups=REGION))
        for one in [with_chances(chosen_of(asked, choose(asked).question))]
    ],
    "calibrated": lambda: [cost_of(each).guarantee for each in (
        question_of(about=N), question_of(groups=REGION, persons=replace(SOME_ROWS, max_groups=1)),
        question_of(replace(PLAN, adjacency=Adjacency.REPLACE_ONE), about=N))],
    "refusals": lambda: [
        refusal_of(question_of(plan, AGES, groups=groups, persons=person and (
            replace(person, max_groups=1) if groups and not person.shares else person)))
        for plan in (MEDIAN, replace(MEDIAN, mechanism="slice"), replace(MEDIAN, mechanism="normal"))
        for groups in (None, REGION, FOUND) for person in (None, SHARES, SOME_ROWS)
    ],
}  # fmt: skip


@pytest.mark.slow(keep=set(QUESTIONS) - {"resolved"})
@pytest.mark.parametrize("name", QUESTIONS)
def test_what_a_public_question_is_answered_with_is_as_it_was_approved(name: str) -> None:
    check_approved(APPROVED / "questions.json", name, QUESTIONS[name]())


def test_a_script_has_the_guess_by_which_levels_were_drawn() -> None:
    """A page leaves one aside where the records are known, and the script drew fewer levels by it."""
    plan = replace(PLAN, about_n=N)
    drawn = replace(asked_of(data(), plan), plan=ColumnsPlan.of(["age"], replace(plan, about_n=None)))
    found = simulate_column(data(), column_to_explore(data(), AGES), drawn, 3)
    assert "about_n" not in exports.as_script(found)
