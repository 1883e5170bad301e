"""Kept answers for a report: those of quantiles only, of all accounts, the newest first."""

from dataclasses import replace

import pytest

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.ledger import ReleaseMetadata, charged_release, charged_synthesis
from dpq_core.ledger.history.answers import answered_at, stored_releases
from tests.ledger.clients import JOINS, plan, sample


def test_the_newest_answers_of_quantiles_come_back_whole(ledger, monkeypatch):
    patients, visits = (
        ledger.open_account(name, budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
        for name in ("patients", "visits")
    )
    assert stored_releases(ledger) == []
    first = charged_release(sample(), plan(0.25), patients, release_id="first")
    charged_synthesis(sample(), 5, plan(0.25), patients)
    monkeypatch.setattr("dpq_core.ledger.charging.draw", failing)
    with pytest.raises(MemoryError):
        charged_release(sample(), plan(0.25), patients)
    monkeypatch.undo()
    second = charged_release(sample(), plan(0.5), visits, release_id="second")
    found = stored_releases(ledger)
    assert [(kept.release_id, kept.account, kept.answer) for kept in found] == [
        ("second", visits, second),
        ("first", patients, first),
    ]
    assert [kept.number for kept in found] == [4, 1]
    assert all(kept.finished.endswith("+00:00") for kept in found)
    assert stored_releases(ledger, most=1) == found[:1]


def failing(*_):
    raise MemoryError


def test_the_words_of_a_release_come_back_with_it_and_are_no_part_of_the_answer(ledger):
    account = ledger.open_account("patients", budget=PureDP(1.0), adjacency=JOINS, one_row_is="patient")
    said = ReleaseMetadata(column="größe", kind="number", unit="cm", one="patient", many="patients")
    first = charged_release(sample(), plan(0.25), account, release_id="first", words=said)
    charged_release(sample(), plan(0.25), account, release_id="second")
    assert charged_release(sample(), plan(0.25), account, release_id="first") == first
    second, kept = stored_releases(ledger)
    assert (kept.words, second.words) == (said, None)
    assert answered_at(account, "first") == kept.finished


def test_the_time_of_an_answer_is_that_of_its_own_account(ledger, monkeypatch):
    patients, visits = (
        ledger.open_account(name, budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
        for name in ("patients", "visits")
    )
    times = iter(f"2026-01-0{day}" for day in range(1, 5))  # two a release: charged, finished
    monkeypatch.setattr("dpq_core.ledger.charging.now", lambda: next(times))
    for account in (patients, visits):
        charged_release(sample(), plan(0.25), account, release_id="one")
    assert [answered_at(account, "one") for account in (patients, visits)] == ["2026-01-02", "2026-01-04"]


def test_the_number_of_records_is_kept_where_one_is_replaced(ledger):
    account = ledger.open_account(
        "patients", budget=PureDP(1.0), adjacency=Adjacency.SUBSTITUTE, one_row_is="patient"
    )  # fmt: skip
    said = ReleaseMetadata(column="age", kind="number", unit="", one="patient", many="patients")
    chosen = Plan(["1/2"], "aq", PureDP(0.25), Adjacency.SUBSTITUTE)
    charged_release(sample(), chosen, account, words=said)
    (kept,) = stored_releases(ledger)
    assert kept.words == replace(said, records=sample().n)
