"""All pairs of what can be asked: each works within its budget, or is refused in public terms before any draw.

`combinations.json` has kinds of data and kinds of plans; the number that works is stated here, and only grows.
"""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.calibrations import TOGETHER_ELSEWHERE
from dpq_core.groups.finding import NAMES_ELSEWHERE
from dpq_core.schedule import schedule_of

GRID = json.loads(Path(__file__).with_name("combinations.json").read_text())
DATA = {kind["name"]: kind for kind in GRID["kinds of data"]}
PLANS = {kind["name"]: kind for kind in GRID["kinds of plans"]}
WITHOUT_BEST = [name for name, kind in PLANS.items() if kind["mechanism"] != "best"]
REFUSED = {"by": NAMES_ELSEWHERE, "mechanism": TOGETHER_ELSEWHERE}
WORKS = {1: 500, 7: 72}
"""Of the 640 pairs without "best", and of every seventh in each row and column, which every run tries."""


@cache
def frame() -> dict[str, Any]:
    random = np.random.default_rng(0)
    return {
        "v": random.normal(50, 12, 2000).clip(0, 100), "w": random.lognormal(2, 1, 2000),
        "g": random.choice(list("abc"), 2000), "s": random.choice(list("fm"), 2000),
        "id": random.integers(0, 900, 2000),
    }  # fmt: skip


def possible(kind: Any) -> Any:
    if kind == "find bounds":
        return dpq.FindBounds("1/10", 1, 1000, step=1)  # few possible values, so that ends of intervals are found soon
    return dpq.Domain.significant(kind["significant"]) if "significant" in kind else tuple(kind.values())


@cache
def table(name: str) -> dpq.Table | dpq.ParameterError:
    asked = dict(DATA[name]["table"])
    if isinstance(asked.get("by"), dict):
        asked["by"] = {column: dpq.FindGroups() for column in asked["by"]}
    if "groups" in asked:
        asked["groups"] = [tuple(each) if isinstance(each, list) else each for each in asked["groups"]]
    columns = {column: possible(kind) for column, kind in DATA[name]["columns"].items()}
    try:
        return dpq.Table.from_frame(frame(), columns, **asked)
    except dpq.ParameterError as refused:
        return refused


def plan(name: str) -> dpq.Plan:
    kind = PLANS[name]
    chosen = {each: kind[each] for each in ("intervals", "about_n", "adjacency") if each in kind}
    if chosen.get("adjacency") == "replace_one":
        chosen["adjacency"] = "replaced"
    return dpq.Plan(kind["quantiles"], kind["mechanism"], **kind["privacy"], **chosen)


def outcome(data: str, name: str) -> str:
    """Return "works", or the setting that is refused."""
    found = table(data)
    if isinstance(found, dpq.ParameterError):
        return found.name
    try:
        calibrated = schedule_of(found.columns, plan(name))
    except dpq.ParameterError as refused:
        return refused.name
    assert calibrated.guarantee.covers(plan(name).privacy)
    return "works"


@pytest.mark.slow
@pytest.mark.parametrize(("one_in", "works"), WORKS.items())
def test_every_pair_works_within_its_budget_or_is_refused_for_a_setting(one_in: int, works: int) -> None:
    pairs = [(a + b, data, name) for a, data in enumerate(DATA) for b, name in enumerate(WITHOUT_BEST)]
    tried = [(data, name) for at, data, name in pairs if at % one_in == 0]
    assert {data for data, _ in tried} == set(DATA)
    assert {name for _, name in tried} == set(WITHOUT_BEST)
    found = Counter(outcome(data, name) for data, name in tried)
    assert found["works"] == works, found
    settings = {"works", "columns", "per_person", "max_rows_per_person", "by", "intervals", "about_n", "delta"}
    assert set(found) <= settings


@pytest.mark.parametrize("data", [name for name in DATA if "groups of two" in name or "whole" in name])
def test_what_can_be_calibrated_is_answered_for_every_column_and_group(data: str) -> None:
    found = table(data)
    if isinstance(found, dpq.ParameterError):
        assert found.name in REFUSED
        return
    answers = dpq.release(found, plan("aq"))
    assert answers.guarantee.covers(plan("aq").privacy)
    assert list(answers.values) == list(DATA[data]["columns"])
    for each in answers.values.values():
        own = each if isinstance(each, dict) else {"": each}
        assert all(len(values) == 3 and list(values) == sorted(values) for values in own.values())


@pytest.mark.parametrize("data", ["one, rows, whole", "found, mean, whole", "two, rows, groups", "two, share, whole"])
def test_best_answers_what_it_is_asked(data: str) -> None:
    found = table(data)
    assert isinstance(found, dpq.Table)
    answers = dpq.release(found, plan("best"))
    assert answers.guarantee.covers(plan("best").privacy)
    assert set(answers.mechanisms.values()) <= set(dpq.MECHANISMS)


def test_every_refusal_is_a_sentence_that_says_what_to_do() -> None:
    for setting, words in REFUSED.items():
        sentence = str(dpq.ParameterError(setting, words))
        assert sentence.endswith(".")
        assert "must" in sentence
