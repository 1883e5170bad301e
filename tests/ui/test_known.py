"""Answers about public facts: worked out beside the server, once for all who ask the same."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from dpq_core import Domain, Plan, PublicFacts, best_plan
from dpq_core.advice import forecast_groups
from dpq_core.jobs.once import Once
from pages.server import calls, work

FACTS = PublicFacts.of(Plan(["1/2"]), 1000, Domain(0, 100, 1))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What a process beside the server is asked, on a server that knows nothing yet."""
    found: list[Callable[[], object]] = []

    def compute(function: Callable[[], object]) -> object:
        found.append(function)
        return function()

    monkeypatch.setattr(calls, "serves", lambda: True)
    monkeypatch.setattr(work, "look", lambda: None)
    monkeypatch.setattr(work, "compute", compute)
    monkeypatch.setattr(work, "_known", Once(work.MOST_KNOWN))
    return found


def test_what_many_ask_at_once_is_worked_out_once(asked: list[object]) -> None:
    ready = Barrier(8)

    def ask() -> object:
        ready.wait()
        return work.know(best_plan, FACTS)

    with ThreadPoolExecutor(8) as visitors:
        found = {id(each.result()) for each in [visitors.submit(ask) for _ in range(8)]}
    assert len(found) == len(asked) == 1
    assert work.know(best_plan, FACTS) == best_plan(FACTS)


def test_other_facts_and_other_names_are_other_questions(asked: list[object]) -> None:
    plan, domain, names = Plan(["1/2"]), Domain(0, 100, 1), [("a",), ("b",)]
    work.know(best_plan, FACTS)
    work.know(best_plan, replace(FACTS, n=2000))
    for about in ({("a",): 100, ("b",): 200}, {("a",): 100, ("b",): 300}):
        work.know(forecast_groups, plan, domain, names, about, groups_per_person=1)
    work.know(forecast_groups, plan, domain, names, {("a",): 100, ("b",): 200}, groups_per_person=2)
    assert len(asked) == 5


def test_without_a_server_it_is_worked_out_in_place(asked: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "serves", lambda: False)
    assert work.know(best_plan, FACTS) is best_plan(FACTS), "and the package keeps it"
    assert asked == []
